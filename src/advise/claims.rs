//! Claims of a rewritten program: a rewrite that saves something makes claims about the old counts wrong. Such a claim
//! gets the new formula, or goes.

use crate::advise::subject::Subject;
use crate::derivation::{Derivation, Verdict};
use crate::diag::Edit;
use crate::program::{ClaimRelation, Program};

/// The longest formula that is written into a claim, in characters.
const LONGEST_CLAIM: usize = 80;

/// The edits that make all claims hold.
pub(super) fn mended(subject: &Subject<'_>, derivation: &Derivation) -> Vec<Edit> {
    let program = subject.program;
    let mut edits = Vec::new();
    for (claim, judged) in program.claims.iter().zip(&derivation.claims) {
        if !matches!(judged.verdict, Verdict::Refuted(_)) {
            continue;
        }
        let formula = derivation.formula(claim.quantity.name()).ok();
        let formula = formula.filter(|it| it.is_exact()).map(|it| it.to_string());
        let formula = formula.filter(|it| it.chars().count() <= LONGEST_CLAIM);
        let is_number = match claim.relation {
            ClaimRelation::Equal | ClaimRelation::AtMost | ClaimRelation::AtLeast => true,
            ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => false,
        };
        edits.push(match formula.filter(|_| is_number) {
            Some(formula) => Edit {
                span: claim.value.span,
                text: subject.spelled(&formula),
            },
            None => Edit {
                span: subject.lines(claim.span),
                text: String::new(),
            },
        });
    }
    edits
}

/// The claims of a program that another one does not make.
pub(super) fn lost(before: &Program, after: &Program) -> Vec<String> {
    let of = |program: &Program| -> Vec<String> {
        let claims = program.claims.iter();
        claims
            .map(|claim| program.clause(claim.span).to_owned())
            .collect()
    };
    let kept = of(after);
    let mut claims = of(before);
    claims.retain(|claim| !kept.contains(claim));
    claims
}

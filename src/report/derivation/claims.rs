//! Refuted claims as diagnostics.

use std::fmt;

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::count::Quantity;
use crate::derivation::Derivation;
use crate::derivation::verdict::{Refutation, Verdict};
use crate::diag::{Diagnostic, Fix, Mend};
use crate::program::Claim;
use crate::program::Program;
use crate::report::formula::Formulas;
use crate::syntax::ast::ClaimRelation;
use crate::syntax::signs::spelled;
use crate::text::{Source, Span};

/// A claim with its refutation.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
#[error("this claim is wrong {refutation}")]
#[diagnostic(code("atgpu::claim::refuted"), help("{derived}"))]
struct Refuted {
    derived: Derivable,
    refutation: Refutation,
    #[label(primary, "does not hold")]
    span: Span,
}

/// `claim::refuted` for every claim the derivation refutes, in text order.
pub fn refuted(program: &Program, derivation: &Derivation) -> Vec<Diagnostic> {
    let claims = program.claims.iter().zip(&derivation.claims);
    claims
        .filter_map(|(claim, derived)| match &derived.verdict {
            Verdict::Refuted(refutation) => {
                let refuted = Refuted {
                    derived: Derivable::of(claim, derivation),
                    refutation: refutation.clone(),
                    span: claim.span,
                };
                Some(Diagnostic::mendable(&refuted, &program.source))
            }
            Verdict::Proved | Verdict::Tested(_) | Verdict::Open(_) => None,
        })
        .collect()
}

impl Mend for Refuted {
    /// Replaces the claim by the derived one. The program may be at fault instead, so a person has to choose.
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        let written = source.slice(self.span);
        let start = written.len() - written.trim_start_matches("claim").trim_start().len();
        let claim = Span::new(self.span.start + start, self.span.end);
        let fix = |text: String| Fix::write(claim, spelled(source, &text)).choice();
        self.derived.claim().map(fix).into_iter().collect()
    }
}

/// The claim that would be right.
#[derive(Debug, Clone)]
enum Derivable {
    /// The class of its quantity.
    Class(Quantity, String),
    /// The formula of its quantity.
    Equal(Quantity, String),
    /// An upper bound on its quantity.
    AtMost(Quantity, String),
    /// No formula for all parameters.
    Nothing,
}

impl Derivable {
    fn of(claim: &Claim, derivation: &Derivation) -> Derivable {
        let quantity = claim.quantity;
        let class = match claim.relation {
            ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => {
                derivation.classes.get(&quantity)
            }
            ClaimRelation::Equal | ClaimRelation::AtMost | ClaimRelation::AtLeast => None,
        };
        if let Some(class) = class {
            return Derivable::Class(quantity, class.clone());
        }
        let derived = derivation.quantity(quantity);
        let Some(upper) = &derived.upper else {
            return Derivable::Nothing;
        };
        let formula = Formulas::new(&derivation.let_names()).text(upper);
        if derived.is_exact() {
            Derivable::Equal(quantity, formula)
        } else {
            Derivable::AtMost(quantity, formula)
        }
    }
}

impl Derivable {
    /// The claim as text, such as `io = 3k`, if there is a formula.
    fn claim(&self) -> Option<String> {
        let (quantity, relation, formula) = match self {
            Derivable::Class(quantity, class) => (quantity, "∈", class),
            Derivable::Equal(quantity, formula) => (quantity, "=", formula),
            Derivable::AtMost(quantity, formula) => (quantity, "≤", formula),
            Derivable::Nothing => return None,
        };
        Some(format!("{} {relation} {formula}", quantity.name()))
    }
}

impl fmt::Display for Derivable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.claim() {
            Some(claim) => write!(f, "derived is `{claim}`"),
            None => f.write_str("no formula is derived for it, only counts at given values"),
        }
    }
}

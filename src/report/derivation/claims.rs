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

/// A claim with values that show it wrong.
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
///
/// ```
/// use atgpu::report::derivation::claims;
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// let text = include_str!("vector_addition.atgpu").replace("claim io = 3k", "claim io = 4k");
/// let program = atgpu::program(&text)?;
/// let refuted = claims::refuted(&program, &program.derive()?);
/// assert_eq!(refuted[0].code.short_name(), "claim::refuted");
/// # Ok::<(), atgpu::Error>(())
/// ```
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
    /// The claim as it is derived: what is wrong may be the program, so it is for a person to choose.
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        let written = source.slice(self.span);
        let start = written.len() - written.trim_start_matches("claim").trim_start().len();
        let claim = Span::new(self.span.start + start, self.span.end);
        let fix = |text: String| Fix::write(claim, spelled(source, &text)).choice();
        self.derived.claim().map(fix).into_iter().collect()
    }
}

/// What the claim could say instead.
#[derive(Debug, Clone)]
enum Derivable {
    /// The class of its quantity.
    Class(Quantity, String),
    /// The formula of its quantity.
    Equal(Quantity, String),
    /// A formula above its quantity.
    AtMost(Quantity, String),
    /// Nothing for all parameters.
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
        match derived.is_exact() {
            true => Derivable::Equal(quantity, formula),
            false => Derivable::AtMost(quantity, formula),
        }
    }
}

impl Derivable {
    /// `io = 3k`, where there is a formula.
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

//! Refuted claims as diagnostics.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::derivation::{Derivation, Verdict};
use crate::diag::Diagnostic;
use crate::program::Claim;
use crate::program::Program;
use crate::report::formula::Formulas;
use crate::syntax::ast::ClaimRelation;
use crate::text::Span;

/// A claim with values that show it wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error, MietteDiagnostic)]
#[error("this claim is wrong at {counterexample}: {values}")]
#[diagnostic(code("atgpu::claim::refuted"), help("{derived}"))]
struct Refuted {
    derived: String,
    counterexample: String,
    values: String,
    #[label(primary, "does not hold")]
    span: Span,
}

/// `claim::refuted` for every claim the derivation refutes, in text order.
///
/// ```
/// # use atgpu::report::derivation::claims;
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
            Verdict::Refuted {
                counterexample,
                values,
            } => Some(Diagnostic::of(&Refuted {
                derived: what_is_derived(claim, &derived.text, derivation),
                counterexample: counterexample.clone(),
                values: values.clone(),
                span: claim.span,
            })),
            Verdict::Proved | Verdict::Tested(_) | Verdict::Open(_) => None,
        })
        .collect()
}

/// What the claim could say instead.
fn what_is_derived(claim: &Claim, text: &str, derivation: &Derivation) -> String {
    // The quantity's own word opens a claim.
    let name = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let name = name.into_iter().next().unwrap_or_default();
    let quantity = derivation.quantity(claim.quantity);
    let formulas = Formulas::new(&derivation.let_names());
    let class = match claim.relation {
        ClaimRelation::BigO | ClaimRelation::Theta => derivation.classes.get(name),
        ClaimRelation::Equal | ClaimRelation::AtMost => None,
    };
    match (class, &quantity.upper) {
        (Some(class), _) => format!("derived is `{name} ∈ {class}`"),
        (None, Some(upper)) if quantity.is_exact() => {
            format!("derived is `{name} = {}`", formulas.text(upper))
        }
        (None, Some(upper)) => format!("derived is `{name} ≤ {}`", formulas.text(upper)),
        (None, None) => "no formula is derived for it, only counts at given values".to_owned(),
    }
}

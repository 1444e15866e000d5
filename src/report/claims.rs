//! Refuted claims as diagnostics.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::check::Program;
use crate::derive::derivation::{Derivation, Verdict};
use crate::diag::Diagnostic;
use crate::text::Span;

/// A claim with values that show it wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error, MietteDiagnostic)]
#[error("this claim is wrong at {counterexample}: {values}")]
#[diagnostic(
    code("atgpu::claim::refuted"),
    help("`atgpu derive` shows what the program costs")
)]
struct Refuted {
    counterexample: String,
    values: String,
    #[label(primary, "does not hold")]
    span: Span,
}

/// `claim::refuted` for every claim the derivation refutes, in text order.
///
/// ```
/// # use atgpu::report::claims;
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
                counterexample: counterexample.clone(),
                values: values.clone(),
                span: claim.span,
            })),
            Verdict::Proved | Verdict::Tested(_) | Verdict::Open(_) => None,
        })
        .collect()
}

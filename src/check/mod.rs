//! From syntax tree to checked program: names, scopes, operators, types, ranks, evident shapes.
//!
//! Takes an [`ast::Algorithm`]; gives a [`Program`] in which nothing is unresolved, and every
//! diagnostic that needs no values. Diagnostics that need counts or data (limits, bounds, races,
//! most lints) are found elsewhere. Checking goes on after an error, and a name with a faulty
//! declaration gives no errors where it is used.

pub(crate) mod allow;
mod comments;
mod context;
mod error;
mod expr;
mod findings;
mod header;
mod host;
mod kernel;
mod mend;
mod names;
mod places;
mod scopes;
mod shapes;
mod types;
mod unused;
mod walk;

use crate::program::{Program, VarId};

use crate::check::allow::Stage;
use crate::diag::Diagnostic;
use crate::syntax::{self, ast};
use crate::text::Source;
use context::Context;

pub use mend::{Mended, mend};

/// The result of checking.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked {
    /// The program, unless there is an error.
    pub program: Option<Program>,
    /// Errors and lints, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses and checks a text. Names are looked up only in a text whose syntax is sound: a faulty
/// line would give echoes elsewhere.
///
/// ```
/// use atgpu::check::check_text;
/// use atgpu::text::Source;
///
/// let checked = check_text(&Source::new("t.atgpu", "algorithm T()\n  x ← y\n"));
/// assert!(checked.program.is_none());
/// assert!(checked.diagnostics.iter().any(|fault| fault.code.short_name() == "name::unknown"));
/// ```
pub fn check_text(source: &Source) -> Checked {
    let parsed = syntax::parse(source);
    let mut diagnostics = parsed.diagnostics;
    let mut program = None;
    if let Some(algorithm) = parsed.algorithm
        && diagnostics.iter().all(leaves_the_tree_whole)
    {
        let checked = check(source, &algorithm);
        diagnostics.extend(checked.diagnostics);
        let is_sound = !diagnostics.iter().any(Diagnostic::is_error);
        program = checked.program.filter(|_| is_sound);
    }
    Checked {
        program,
        diagnostics,
    }
}

/// Returns true if a finding of the parser removed nothing from the tree: a warning, or a product
/// with two readings.
fn leaves_the_tree_whole(finding: &Diagnostic) -> bool {
    !finding.is_error() || finding.code.short_name() == "syntax::ambiguous-product"
}

/// Checks an algorithm. `source` is the text it was parsed from.
#[doc(hidden)]
pub fn check(source: &Source, algorithm: &ast::Algorithm) -> Checked {
    let mut ctx = Context::new(source);
    let mut header = header::check(&mut ctx, algorithm);
    ctx.parameters.end_header();
    host::execute::declare(&mut ctx, &algorithm.kernels);
    let body = host::block(&mut ctx, &algorithm.body);
    header::promises(&mut ctx, algorithm, &mut header);
    comments::check_characters(&mut ctx);
    if !ctx.findings.have_errors() {
        unused::check(&mut ctx);
        comments::check(&mut ctx);
    }
    let diagnostics = ctx.findings.take();
    let is_sound = !diagnostics.iter().any(Diagnostic::is_error);
    let diagnostics = allow::silence(
        source,
        &algorithm.allows,
        diagnostics,
        (Stage::Check, is_sound),
    );
    let program = body.filter(|_| is_sound).map(|body| Program {
        source: source.clone(),
        name: algorithm.name.text.clone(),
        swap_groups: swap_groups(ctx.variables.swaps()),
        statement_count: ctx.statement_count,
        parameters: ctx.parameters.into_all(),
        variables: ctx.variables.into_all(),
        formals: header.formals,
        machine: header.machine,
        lets: header.lets,
        requires: header.requires,
        ensures: header.ensures,
        claims: header.claims,
        body,
        allows: algorithm.allows.clone(),
        contention: None,
    });
    Checked {
        program,
        diagnostics,
    }
}

/// Returns the sets of variables that swaps join, each in declaration order, without sets of one.
fn swap_groups(swaps: &[(VarId, VarId)]) -> Vec<Vec<VarId>> {
    // `swap a ↔ b` and `swap b ↔ c` join a, b and c to one set.
    let mut groups: Vec<Vec<VarId>> = Vec::new();
    for &(left, right) in swaps {
        let (joined, mut others): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.contains(&left) || group.contains(&right));
        let mut group = joined.concat();
        group.extend([left, right]);
        group.sort_unstable();
        group.dedup();
        others.push(group);
        groups = others;
    }
    groups.retain(|group| group.len() > 1);
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_join_transitively() {
        let swap = |left, right| (VarId(left), VarId(right));
        let groups = swap_groups(&[swap(0, 1), swap(4, 3), swap(5, 5), swap(3, 0), swap(6, 7)]);
        let ids = |ids: &[u32]| ids.iter().copied().map(VarId).collect::<Vec<_>>();
        assert_eq!(groups, [ids(&[0, 1, 3, 4]), ids(&[6, 7])]);
    }
}

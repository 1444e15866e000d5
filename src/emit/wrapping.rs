//! Words of 32 bits that may wrap and decide an index. What `safety` proves is about words that do not wrap: with
//! `_v[j] ← 50000·v` and `_v[j] ← _v[j] div 50000` the word is v again in 64 bits, and in 32 only for v < 42950.

use crate::program::sources::{Source, sources_in};
use crate::program::{
    Arithmetic, BitFunction, Expr, Number, NumberKind, PairFunction, Program, VarId,
};
use crate::text::Span;

/// An index that reads a word which was computed by products, and may wrap.
pub(super) fn index_that_may_wrap(program: &Program) -> Option<(Span, String)> {
    let words = program.statements().flat_map(|it| it.kind.parts().places());
    let mut indices = words.flat_map(|word| &word.indices);
    indices.find_map(|index| {
        let mut read = Vec::new();
        Expr::from(index).words(&mut read);
        let mut variables = read.into_iter().map(|word| word.variable);
        let wraps = variables.find(|id| may_wrap(program, *id, &mut Vec::new()))?;
        Some((index.span, program.variable(wraps).name.clone()))
    })
}

/// Whether a large product, a power or a shift to the left is written to a variable, or to one that it is copied from. A sum of
/// a few words is as large as a size of the program, which is asked to fit.
fn may_wrap(program: &Program, variable: VarId, seen: &mut Vec<VarId>) -> bool {
    if seen.contains(&variable) {
        return false;
    }
    seen.push(variable);
    let mut all = program.swapped_with(variable).to_vec();
    all.push(variable);
    let sources = sources_in(&program.body, &all);
    sources.iter().any(|source| match source {
        Source::Words(from) => may_wrap(program, *from, seen),
        Source::Value(value) => Expr::from(*value).any(&mut |part| match part {
            Expr::Number(number) => multiplies(number),
            Expr::Condition(_) => false,
        }),
        Source::Unknown => false,
    })
}

/// Literal factors from here on leave little of 32 bits. Smaller ones, and `i·b`, give numbers like the sizes.
const LARGE_FACTOR: i64 = 1024;

fn multiplies(number: &Number) -> bool {
    let is_large = |side: &Number| match &side.kind {
        NumberKind::Integer(factor) => *factor >= LARGE_FACTOR.into(),
        _ => Expr::from(side).reads_words(),
    };
    match &number.kind {
        NumberKind::Binary {
            operator,
            left,
            right,
        } => match operator {
            Arithmetic::Multiply => is_large(left) || is_large(right),
            Arithmetic::Power => true,
            _ => false,
        },
        NumberKind::Pair { function, .. } => {
            matches!(function, PairFunction::Bits(BitFunction::ShiftLeft))
        }
        _ => false,
    }
}

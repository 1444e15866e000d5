//! The choice among several bounds on one value: the least by proof, otherwise the plainest to read.

use std::cmp::Reverse;

use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr, Symbol, SymbolKind};

/// Returns the expression that is provably the least, otherwise a number, otherwise one in the
/// slow symbol, otherwise the plainest.
pub(super) fn least(facts: &Facts, each: &[Expr], slow: Option<&Symbol>) -> Option<Expr> {
    // Any item bounds a minimum from above, so the choice affects sharpness only. A proof is
    // best. After that a bound that does not grow, or hardly grows, wins for large inputs.
    let is_slow = |value: &Expr| {
        let symbols = value.symbols_inside();
        symbols.iter().all(|symbol| Some(symbol) == slow)
    };
    let provably = each.iter().find(|value| {
        let mut others = each.iter().filter(|other| other != value);
        others.all(|other| facts.proves(&Cond::le(value, other)))
    });
    let chosen = provably
        .or_else(|| each.iter().find(|value| value.as_rational().is_some()))
        .or_else(|| each.iter().find(|value| is_slow(value)))
        .or_else(|| plainest(each, slow))?;
    Some(chosen.clone())
}

/// Returns the expression whose symbols (ignoring `slow`) occur in every other one; ties go to
/// the slowest-growing. Without such a one, avoids the symbols that were named first, as sizes
/// are named before small parameters: 2r + 1 of min(n, 2r + 1). Otherwise the shortest.
pub(super) fn plainest<'e>(some: &'e [Expr], slow: Option<&Symbol>) -> Option<&'e Expr> {
    // An expression in fewer symbols stays put while the others grow: of n + m and 2m/b + 1 the
    // second is smaller for large n, whatever m is. `slow` does not count as a symbol, since it
    // hardly grows.
    let is_of_fewest = |value: &&Expr| {
        let symbols = value.symbols_inside();
        let mut symbols = symbols.iter().filter(|symbol| Some(*symbol) != slow);
        symbols.all(|symbol| some.iter().all(|other| other.contains(symbol)))
    };
    let fewest = some.iter().filter(is_of_fewest);
    fewest
        .min_by_key(|value| (value.pace(slow), value.length()))
        .or_else(|| {
            let first_named = |value: &Expr| {
                let symbols = value.symbols_inside().into_iter();
                // Loop variables count as first: their size is only known once their own range is
                // bounded.
                let rank = |symbol: Symbol| (symbol.id.kind == SymbolKind::Parameter, symbol.id);
                let ranks = symbols.filter(|symbol| Some(symbol) != slow).map(rank);
                ranks.min().filter(|_| slow.is_some())
            };
            some.iter()
                .min_by_key(|value| (Reverse(first_named(value)), value.length()))
        })
}

/// Returns the sum of all values but those provably below another one: an upper bound on the
/// maximum of values ≥ 0.
pub(super) fn most(facts: &Facts, each: Vec<Expr>) -> Expr {
    // max(x, y) ≤ x + y for x, y ≥ 0, and a value below another one adds nothing: max(n, n + b, m)
    // is at most n + b + m.
    let mut kept: Vec<Expr> = Vec::new();
    for value in each {
        if kept
            .iter()
            .any(|other| facts.proves(&Cond::le(&value, other)))
        {
            continue;
        }
        kept.retain(|other| !facts.proves(&Cond::le(other, &value)));
        kept.push(value);
    }
    kept.iter().fold(Expr::zero(), |sum, value| &sum + value)
}

//! Definitions folded back: a `let` stands for its value wherever that appears.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::notation::layout::WHOLE_LETTERS;
use crate::sym::notation::layout::common::{common_factor, divided};
use crate::sym::notation::layout::factors::grouped;
use crate::sym::notation::layout::order::cost_rank;
use crate::sym::{Expr, Symbol, bare};

pub(super) fn fold_one(expr: &Expr, symbol: &Symbol, definition: &Expr) -> Expr {
    if expr == definition {
        return Expr::symbol(symbol);
    }
    if let Some((Some(atom), sign)) = single_atom(definition) {
        let value = Expr::symbol(symbol).scale(&sign);
        return expr.replace(&|other| {
            if *other == atom {
                return Some(value.clone());
            }
            if let Some(nested) = fold_nested(other, &atom, &value) {
                return Some(nested);
            }
            fold_inside(other, symbol, definition)
        });
    }
    let inner = expr.replace(&|atom| fold_inside(atom, symbol, definition));
    match definition.as_term() {
        Some((monomial, coefficient)) if coefficient.is_one() => {
            // Common factors first, so that n^2/b^2·(2n + b) is r^2(2n + b), also as the factor
            // of λ in a cost.
            let fold = |group: Expr| {
                let common = common_factor(&group);
                let rest = divided(&group, &common);
                let common = fold_monomial(&Expr::monomial(common), symbol, monomial);
                let outside = &common * fold_monomial(&rest, symbol, monomial);
                // 4n + 2k rather than n(4 + 2/b).
                let by_terms = fold_monomial(&group, symbol, monomial);
                if fractions(&by_terms) < fractions(&outside) {
                    by_terms
                } else {
                    outside
                }
            };
            let groups = grouped(&inner, |term| {
                let letters = term.factors().iter();
                Monomial::from_sorted(
                    letters
                        .filter(|(atom, _)| cost_rank(atom) > 0)
                        .cloned()
                        .collect(),
                )
            });
            let folded = groups.into_iter().map(|(_, group)| fold(group));
            folded.fold(Expr::zero(), |sum, group| &sum + &group)
        }
        _ => inner,
    }
}

/// Returns the number of terms with a denominator.
fn fractions(expr: &Expr) -> usize {
    let is_under = |(atom, exponent): &(Atom, i32)| *exponent < 0 && cost_rank(atom) == 0;
    let terms = expr.terms().iter();
    terms
        .filter(|(monomial, _)| monomial.factors().iter().any(is_under))
        .count()
}

fn fold_inside(atom: &Atom, symbol: &Symbol, definition: &Expr) -> Option<Expr> {
    if matches!(atom, Atom::Symbol(_)) {
        return None;
    }
    let rebuilt = atom.rebuild(&|child| fold_one(child, symbol, definition));
    (rebuilt.as_atom() != Some(atom)).then_some(rebuilt)
}

/// ⌊x/m⌋ = ⌊⌊x⌋/m⌋ for whole m ≥ 1, which k', H and ℓ are: with k = ⌈n/b⌉, ⌈n/(bk'ℓ)⌉ is
/// ⌈k/(k'ℓ)⌉.
fn fold_nested(other: &Atom, folded: &Atom, value: &Expr) -> Option<Expr> {
    let (Atom::Floor(outer), Atom::Floor(inner)) = (other, folded) else {
        return None;
    };
    let ratio = outer.div(inner)?;
    let (monomial, coefficient) = ratio.as_term()?;
    let is_whole = coefficient.is_one()
        && !monomial.is_one()
        && monomial.factors().iter().all(|(atom, exponent)| {
            *exponent < 0
                && matches!(atom, Atom::Symbol(symbol) if WHOLE_LETTERS.contains(&bare(&symbol.name)))
        });
    is_whole.then(|| (value * &ratio).floor())
}

/// ±atom, for a compound atom.
fn single_atom(definition: &Expr) -> Option<(Option<Atom>, Rational)> {
    let (monomial, coefficient) = definition.as_term()?;
    let [(atom, 1)] = monomial.factors() else {
        return None;
    };
    let is_unit = coefficient.abs().is_one();
    Some((
        (is_unit && !matches!(atom, Atom::Symbol(_))).then(|| atom.clone()),
        coefficient.clone(),
    ))
}

/// n^3/b^2 with r = n/b becomes r^2·n: as many factors as get rid of negative exponents, or, for a
/// definition without them, as many as fit.
fn fold_monomial(expr: &Expr, symbol: &Symbol, definition: &Monomial) -> Expr {
    let mut result = Expr::zero();
    for term in expr.terms() {
        let mut count = i32::MAX;
        let mut wanted = 0;
        for (atom, exponent) in definition.factors() {
            let here = term.0.exponent(atom);
            let fits = if here.signum() == exponent.signum() {
                here / exponent
            } else {
                0
            };
            count = count.min(fits);
            if *exponent < 0 {
                wanted = wanted.max(fits);
            }
        }
        let has_quotient = definition.factors().iter().any(|(_, e)| *e < 0);
        if has_quotient {
            count = count.min(wanted);
        }
        if count < 1 {
            result = &result + Expr::term(term);
            continue;
        }
        let definition = Expr::monomial(definition.clone()).integer_power(count);
        let rest = Expr::term(term) * definition.reciprocal();
        result = &result + (&rest * Expr::symbol(symbol).integer_power(count));
    }
    result
}

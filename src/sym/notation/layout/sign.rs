//! The terms that read with a minus sign.

use std::cmp::Ordering;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::notation::layout::MACHINE_NAMES;
use crate::sym::notation::layout::common::{common_factor, divided};
use crate::sym::notation::layout::fractions::sign_of_one;
use crate::sym::{Expr, Symbol, SymbolKind, bare};

/// Returns true if a term reads without a minus: −⌊−x⌋ is the ceiling ⌈x⌉.
pub(super) fn reads_positive(monomial: &Monomial, coefficient: &Rational) -> bool {
    // A ceiling is kept as −⌊−x⌋, so each one turns the sign of the coefficient: −2⌊−x⌋ reads as
    // 2⌈x⌉, and ⌊−x⌋·⌊−y⌋ as ⌈x⌉·⌈y⌉.
    let ceilings: i32 = monomial
        .factors()
        .iter()
        .filter(|(atom, _)| is_ceiling(atom) || is_negative_total(atom))
        .map(|(_, exponent)| *exponent)
        .sum();
    coefficient.is_negative() == (ceilings % 2 != 0)
}

/// Returns true if all terms read with a minus.
pub(super) fn reads_negative(expr: &Expr) -> bool {
    expr.terms().iter().all(|(m, c)| !reads_positive(m, c))
}

/// Σ of what reads negative is written as minus the Σ of the opposite.
pub(super) fn is_negative_total(atom: &Atom) -> bool {
    let Atom::Sum(sum) = atom else {
        return false;
    };
    reads_negative(&sum.body)
}

pub(super) fn is_ceiling(atom: &Atom) -> bool {
    match atom {
        Atom::Floor(x) => {
            if let Some((monomial, coefficient)) = sign_of_one(x) {
                return !reads_positive(&monomial, &coefficient);
            }
            mostly_negative(x)
        }
        _ => false,
    }
}

/// Returns true if a product has a size as a factor, not only as a divisor: a name other than the
/// machine's.
fn has_size(monomial: &Monomial) -> bool {
    monomial.factors().iter().any(|factor| match factor {
        (Atom::Symbol(symbol), 1..) => !MACHINE_NAMES.contains(&bare(&symbol.name)),
        (Atom::Symbol(_), _) | (Atom::Inverse(_), _) => false,
        (_, exponent) => *exponent > 0,
    })
}

/// Returns true if the end of a `Σ` reads negative beside its variable: one writes n - k - 1
/// inside a sum over k. `None` without a variable, or with parameters of both signs.
fn ends_negative(expr: &Expr) -> Option<bool> {
    let is_index = |symbol: &Symbol| {
        matches!(
            symbol.id.kind,
            SymbolKind::Local | SymbolKind::Bound | SymbolKind::Open
        )
    };
    let has_index = |(monomial, _): &&Term| {
        let symbols = Expr::monomial(monomial.clone()).symbols();
        symbols.iter().any(is_index)
    };
    let terms = || expr.terms().iter();
    if !terms().any(|term| has_index(&term)) {
        return None;
    }
    let ends = terms().filter(|term| !has_index(term) && has_size(&term.0));
    let mut signs = ends.map(|(monomial, coefficient)| !reads_positive(monomial, coefficient));
    let first = signs.next()?;
    signs.all(|sign| sign == first).then_some(first)
}

/// Returns true if the leading sizes read negative, or the first parameter where they do not
/// decide.
fn first_falls(expr: &Expr) -> bool {
    match ends_negative(expr) {
        Some(is_negative) => is_negative,
        None => first_reads_negative(&expr.terms().iter().collect::<Vec<_>>()),
    }
}

/// Returns true if the terms other than the number read negative.
pub(super) fn varies_negatively(expr: &Expr) -> bool {
    let varying = expr - Expr::rational(expr.constant_term());
    let negative = varying.terms().iter();
    let negative = negative.filter(|(m, c)| !reads_positive(m, c)).count();
    match (2 * negative).cmp(&varying.terms().len()) {
        Ordering::Less => false,
        Ordering::Equal => first_falls(&varying),
        Ordering::Greater => true,
    }
}

pub(super) fn leads_negative(expr: &Expr) -> bool {
    let negative = expr
        .terms()
        .iter()
        .filter(|(m, c)| !reads_positive(m, c))
        .count();
    negative * 2 > expr.terms().len()
}

/// Returns true if most sizes read negative, or half of them with the leading one: ⌈(n - k -
/// 1)/b⌉, ⌊(n - w)/b⌋.
fn mostly_negative(expr: &Expr) -> bool {
    let common = common_factor(expr);
    if !common.is_one() {
        let is_turned = !reads_positive(&common, &Rational::ONE);
        return mostly_negative(&divided(expr, &common)) ^ is_turned;
    }
    if let Some(is_negative) = ends_negative(expr) {
        return is_negative;
    }
    let is_sized = |(monomial, _): &&Term| has_size(monomial);
    let mut sized: Vec<&Term> = expr.terms().iter().filter(is_sized).collect();
    // A number beside them says nothing.
    if sized.is_empty() {
        sized = expr.terms().iter().collect();
    }
    let negative = sized.iter().filter(|(m, c)| !reads_positive(m, c)).count();
    match (2 * negative).cmp(&sized.len()) {
        Ordering::Less => false,
        Ordering::Equal => first_reads_negative(&sized),
        Ordering::Greater => true,
    }
}

/// Returns true if the leading term reads negative: the one of the highest degree with the first
/// parameter. Loops run up to parameters declared before them.
fn first_reads_negative(terms: &[&Term]) -> bool {
    let before = |(monomial, _): &&&Term| {
        let exponents = monomial.factors().iter().map(|(_, exponent)| *exponent);
        let degree = exponents.filter(|exponent| *exponent > 0).sum::<i32>();
        let symbols = monomial.factors().iter().filter_map(|factor| match factor {
            (Atom::Symbol(symbol), 1..) => Some(symbol.id),
            _ => None,
        });
        (-degree, symbols.min())
    };
    let leading = terms.iter().min_by_key(before);
    leading.is_some_and(|(m, c)| !reads_positive(m, c))
}

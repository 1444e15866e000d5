//! Operands with which an operation has a value, and the same operand where it has one already: a divisor that is not
//! 0, the positive argument of a logarithm.

use crate::number::Rational;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::{Cond, Expr};

/// A divisor that is nowhere 0: max(1, x) for a whole x that is ≥ 0 `there`, where its value counts; else x + `[x = 0]`.
pub(crate) fn divisor(facts: &Facts, there: &Facts, x: &Expr) -> Expr {
    let zero = Expr::zero();
    if is_nonzero(facts, x) {
        return x.clone();
    }
    if facts.is_integer(x) {
        let is_never_below = |x: &Expr| there.is_positive(x) || there.is_non_negative(x);
        let positive = |x: &Expr| Expr::max(vec![Expr::one(), x.clone()]);
        if is_never_below(x) {
            return positive(x);
        }
        if is_never_below(&x.neg()) {
            return positive(&x.neg()).neg();
        }
    }
    x + Expr::bracket(Cond::eq(x, &zero))
}

fn is_nonzero(facts: &Facts, x: &Expr) -> bool {
    let is_signed = match x.as_atom() {
        Some(atom) => bounds::is_nonzero_atom(facts, atom),
        None => facts.is_positive(x) || facts.is_positive(&x.neg()),
    };
    is_signed
        || leaves_a_remainder(facts, x)
        || facts.prove(&Cond::eq(x, &Expr::zero())) == Some(false)
}

/// Whether a number stands beside multiples of another that does not divide it: 2m - 1.
fn leaves_a_remainder(facts: &Facts, x: &Expr) -> bool {
    let number = x.constant_term();
    let rest = x - Expr::rational(number.clone());
    let divisor = rest.content();
    let parts = divisor.recip().map(|part| rest.scale(&part));
    let remains = number.checked_div(&divisor);
    remains.is_some_and(|quotient| !quotient.is_integer())
        && parts.is_some_and(|parts| facts.is_integer(&parts))
}

/// Makes an argument of a logarithm positive: max(1, x) for a whole x.
pub(crate) fn log_argument(facts: &Facts, x: &Expr) -> Expr {
    if facts.is_positive(x) {
        return x.clone();
    }
    if facts.is_integer(x) {
        return Expr::max(vec![Expr::one(), x.clone()]);
    }
    let is_none = Expr::bracket(Cond::le(x, &Expr::zero()));
    Expr::max(vec![x.clone(), is_none])
}

/// The base of a logarithm: max(2, x) for a whole x. A fraction that is no number is left as it is.
pub(crate) fn log_base(facts: &Facts, x: &Expr) -> Expr {
    if x.as_rational().is_some() || !facts.is_integer(x) {
        x.clone()
    } else {
        no_less(facts, x, 2)
    }
}

/// The base of a power with this exponent: not below 0 under a root, not 0 where the exponent may be below 0.
pub(crate) fn power_base(facts: &Facts, base: &Expr, exponent: &Expr) -> Expr {
    let is_whole = facts.is_integer(exponent);
    if facts.is_positive(base) || is_whole && facts.is_non_negative(exponent) {
        return base.clone();
    }
    if is_whole {
        let [of_base, of_exponent] = [
            Cond::eq(base, &Expr::zero()),
            Cond::lt(exponent, &Expr::zero()),
        ];
        let has_none = Expr::bracket(Cond::and(vec![of_base, of_exponent]));
        return if facts.proves(&Cond::ne(base, &Expr::zero())) {
            base.clone()
        } else {
            base + &has_none
        };
    }
    match facts.is_non_negative(exponent) {
        true => no_less(facts, base, 0),
        false if facts.is_integer(base) => no_less(facts, base, 1),
        false => log_argument(facts, base),
    }
}

/// A whole operand: ⌊x⌋ where it may be a fraction.
pub(crate) fn whole(facts: &Facts, x: &Expr) -> Expr {
    if facts.is_integer(x) {
        x.clone()
    } else {
        x.floor()
    }
}

/// How many terms a sum has: a whole number where there are any.
pub(crate) fn number_of_terms(facts: &Facts, x: &Expr) -> Expr {
    let is_whole = || facts.with(&above_zero(x)).is_integer(x);
    if facts.is_integer(x) || is_whole() {
        x.clone()
    } else {
        x.floor()
    }
}

/// That a value is above 0, part for part: each of a minimum, what is beside 0 in a maximum.
pub(crate) fn above_zero(x: &Expr) -> Cond {
    match x.as_atom() {
        Some(Atom::Min(items)) => Cond::and(items.iter().map(above_zero).collect()),
        Some(Atom::Max(items)) => Cond::or(items.iter().map(above_zero).collect()),
        _ => Cond::gt(x, &Expr::zero()),
    }
}

/// Makes an operand at least a number.
pub(crate) fn no_less(facts: &Facts, x: &Expr, least: i64) -> Expr {
    let least = Expr::rational(Rational::from(least));
    if facts.proves(&Cond::ge(x, &least)) {
        x.clone()
    } else {
        Expr::max(vec![least, x.clone()])
    }
}

//! A number that is not whole yet: its parts, its sign, its order.
//!
//! A quotient stays a numerator and a denominator, as C has no fractions. Negating and comparing work on the
//! two parts; only a float is asked for as one term.

use crate::emit::term::Term;

/// A number in C.
#[derive(Debug, Clone)]
pub(super) enum Lowered {
    Whole(Term),
    /// Numerator, denominator, and whether the denominator is known to be positive.
    Ratio(Term, Term, bool),
    Real(Term),
}

/// −x.
pub(super) fn negated(lowered: Lowered) -> Lowered {
    match lowered {
        Lowered::Whole(term) => Lowered::Whole(Term::prefix("-", term)),
        Lowered::Ratio(over, under, is_positive) => {
            Lowered::Ratio(Term::prefix("-", over), under, is_positive)
        }
        Lowered::Real(term) => Lowered::Real(Term::prefix("-", term)),
    }
}

/// |x|.
pub(super) fn absolute(lowered: Lowered) -> Lowered {
    match lowered {
        Lowered::Whole(term) => Lowered::Whole(Term::call("absolute", vec![term])),
        Lowered::Ratio(over, under, is_positive) => {
            let under = if is_positive {
                under
            } else {
                Term::call("absolute", vec![under])
            };
            Lowered::Ratio(Term::call("absolute", vec![over]), under, is_positive)
        }
        Lowered::Real(term) => Lowered::Real(Term::call("fabs", vec![term])),
    }
}

pub(super) fn parts(lowered: Lowered) -> (Term, Term, bool) {
    match lowered {
        Lowered::Whole(term) => (term, Term::Whole(1), true),
        Lowered::Ratio(over, under, is_positive) => (over, under, is_positive),
        Lowered::Real(_) => unreachable!("a float is asked for as one"),
    }
}

pub(super) fn into_real(lowered: Lowered) -> Term {
    match lowered {
        Lowered::Whole(Term::Whole(whole)) if whole.unsigned_abs() <= 1 << 53 => {
            Term::Real(whole as f64)
        }
        Lowered::Whole(term) => Term::cast("real", term.narrowed_word()),
        Lowered::Ratio(over, under, is_positive) => {
            let over = into_real(Lowered::Whole(over));
            let quotient = Term::infix("/", over, into_real(Lowered::Whole(under)));
            if is_positive {
                quotient
            } else {
                // 0 over what is negative is 0, not -0.
                Term::infix("+", quotient, Term::Real(0.0))
            }
        }
        Lowered::Real(term) => term,
    }
}

pub(super) fn compare(operator: &'static str, left: Lowered, right: Lowered) -> Term {
    match (left, right) {
        (Lowered::Whole(x), Lowered::Whole(y)) => {
            Term::infix(operator, x.narrowed_word(), y.narrowed_word())
        }
        (left, right) => {
            let (x, u, is_u) = parts(left);
            let (y, v, is_v) = parts(right);
            let of = |x: Term, v: &Term| Term::infix("*", x, v.clone());
            if is_u && is_v {
                Term::infix(operator, of(x, &v), of(y, &u))
            } else {
                let order = Term::call("order_of_ratios", vec![x, u, y, v]);
                Term::infix(operator, order, Term::Whole(0))
            }
        }
    }
}

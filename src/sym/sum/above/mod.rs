//! Upper bounds in plain terms: symbols, their quotients, powers and logarithms, without floors,
//! brackets, extremes and unsolved sums. Coarse where it must be, and always short.
//!
//! Takes facts and an expression. `magnitude` bounds it term by term, `unrounded` removes only the
//! rounding, `largest` puts the ends of a variable in. `shorten` and `fitting` give bounds of fewer
//! terms.

mod divisors;
mod fitting;
mod joining;
mod largest;
mod magnitude;
mod plainest;
mod shorten;
mod unrounded;

pub(crate) use divisors::above_by_divisor;
pub(crate) use fitting::{evened, joined};
pub(crate) use largest::at_its_largest;
pub(crate) use unrounded::unrounded_above;

use crate::number::Rational;
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::above::magnitude::Bounding;
use crate::sym::sum::above::shorten::shortened;
use crate::sym::{Expr, Symbol};

/// The work allowed for one bound, whatever was spent on its exact form before: a program whose
/// budget is gone still gets bounds. Raising it lets longer expressions be bounded and their
/// terms be compared.
const WORK: u64 = 20_000;

/// The most terms that are compared with each other when a bound is shortened. The proofs are
/// quadratic in them.
const MOST_COMPARED: usize = 24;

/// [`Facts::above`].
pub(crate) fn above(facts: &Facts, expr: &Expr, slow: Option<&Symbol>) -> Option<Expr> {
    // Each stage gets its own work, so that the first cannot starve the second. Shortening comes
    // last: it needs the finished terms, and its result is only larger.
    let settled = Bounding::new(&facts.with_work(WORK), slow).without_common_extremes(expr);
    let facts = facts.with_work(WORK);
    let above = Bounding::new(&facts, slow).above(&settled)?;
    Some(shortened(&facts, above))
}

/// [`Facts::paces`]. Measured before shortening, because terms that join others grow faster than
/// before.
pub(crate) fn paces(facts: &Facts, bound: &Expr, slow: &Symbol) -> Option<[Rational; 2]> {
    let facts = facts.with_work(WORK);
    let plain = if bound.is_plain() {
        bound.clone()
    } else {
        Bounding::new(&facts, Some(slow)).above(bound)?
    };
    let parts = facts.by_letters(plain.terms()).into_iter();
    let each = parts.map(|(_, terms)| {
        let part = Expr::from_terms(terms);
        [part.pace(Some(slow)), part.pace(None)]
    });
    let sum = each.fold([Rational::ZERO, Rational::ZERO], |[x, y], [u, v]| {
        [&x + &u, &y + &v]
    });
    Some(sum)
}

#[cfg(test)]
mod tests {
    use crate::sym::{Cond, Expr, Facts, Symbol};

    fn known() -> (Facts, [Expr; 3], Symbol) {
        let symbols = [(0, "n"), (1, "m"), (2, "b")].map(|(id, name)| Symbol::new(id, name));
        let mut facts = Facts::new();
        let values = symbols.clone().map(|symbol| {
            facts.integer(&symbol);
            Expr::symbol(&symbol)
        });
        for value in &values {
            facts.assume(&Cond::ge(value, &Expr::one()));
        }
        let [_, _, b] = symbols;
        (facts, values, b)
    }

    fn above(facts: &Facts, expr: &Expr, slow: &Symbol) -> String {
        facts.above(expr, Some(slow)).expect("bounded").to_string()
    }

    #[test]
    fn what_does_not_fit_is_written_with_less_in_it() {
        let (facts, [n, _, b], _) = known();
        let joined = |expr: &Expr, room: usize| {
            let fits = |bound: &Expr| bound.to_string().chars().count() <= room;
            facts.joined(expr, &fits, &fits).to_string()
        };
        let one = Expr::one();
        // What is divided by b − 1 is at most twice what b divides, where b ≥ 2.
        let less = &n * (&b - &one).reciprocal() + &one;
        assert_eq!(joined(&less, 11), "n/(b - 1) + 1");
        let above = facts.with(&Cond::ge(&b, &Expr::int(2)));
        let fits = |bound: &Expr| bound.to_string().chars().count() <= 10;
        assert_eq!(above.joined(&less, &fits, &fits).to_string(), "2n/b + 1");
        // A sum that is at least 1 divides nothing where there is no other way.
        let sum = &n + &b;
        let over = &n * &n * sum.reciprocal() + &b;
        assert_eq!(joined(&over, 8), "n^2 + b");
        // r^2, r and 1 are all at most (r + 1)^2.
        let r = Symbol::new(7, "r");
        let symbol = Expr::symbol(&r);
        let facts = facts.with(&Cond::ge(&symbol, &Expr::zero()));
        let square = &symbol * &symbol;
        let powers = square.scale(&5.into()) + symbol.scale(&7.into());
        let powers = (&powers + 9) * &n;
        let fits = |bound: &Expr| bound.to_string().chars().count() <= 13;
        let found = facts.joined(&powers, &fits, &fits);
        assert_eq!(found.to_string(), "21n·(r + 1)^2");
    }

    #[test]
    fn without_ceilings_products_keep_what_is_taken_away() {
        let (mut facts, [n, m, b], _) = known();
        let less = &n - &m;
        facts.assume(&Cond::ge(&less, &Expr::zero()));
        let ceiling = less.div(&b).expect("b is not 0").ceil();
        let unrounded = |value: &Expr| facts.unrounded_above(value);
        // ⌈x/b⌉ ≤ (x + b - 1)/b, whatever x is.
        let rounded = &less + &b - 1;
        let plain = (&less * &rounded).div(&b);
        assert_eq!(unrounded(&(&less * &ceiling)), plain);
        let floor = less.div(&b).expect("b is not 0").floor();
        let below = (&less - &b + 1).div(&b).expect("b is not 0");
        assert_eq!(unrounded(&(&n - &floor)), Some(&n - &below));
        // n - 2m may be of either sign: n and 2m by themselves.
        let twice = &m + &m;
        let exact = less.div(&b).expect("b is not 0");
        let apart = (&n * &rounded).div(&b).expect("b is not 0");
        let apart = &apart - (&twice * &exact);
        assert_eq!(unrounded(&((&n - &twice) * &ceiling)), Some(apart));
        // ⌈y⌉^2 from below is y^2; of a floor it is x^2 - 2x.
        let squared = |value: &Expr| value.integer_power(2);
        let all = squared(&n) - squared(&ceiling);
        assert_eq!(unrounded(&all), Some(squared(&n) - squared(&exact)));
        let less_of_floor = squared(&exact) - (&exact + &exact);
        let all = squared(&n) - squared(&floor);
        assert_eq!(unrounded(&all), Some(squared(&n) - &less_of_floor));
        // A bracket stays where what it keeps off has no value: 1/(n - m) at n = m.
        let apart = Cond::ge(&n, &(&m + 1));
        let guarded = |value: &Expr| value * Expr::bracket(apart.clone());
        assert_eq!(unrounded(&guarded(&n)), Some(n.clone()));
        assert_eq!(unrounded(&guarded(&n.div(&less).expect("a form"))), None);
        // Of a minimum with something to round the shorter item, of one without none.
        let fewer = Expr::min(vec![n.clone(), &floor * squared(&ceiling)]);
        assert_eq!(unrounded(&fewer), Some(n.clone()));
        let plain = Expr::min(vec![n.clone(), m.clone()]);
        assert_eq!(unrounded(&plain), Some(plain.clone()));
    }

    #[test]
    fn ceilings_brackets_and_minima_are_rounded_up() {
        let (facts, [n, m, b], slow) = known();
        let blocks = n.div(&b).expect("b is a symbol").ceil();
        assert_eq!(above(&facts, &blocks, &slow), "n/b + 1");
        let guarded = &m * Expr::bracket(Cond::ge(&n, &m));
        assert_eq!(above(&facts, &guarded, &slow), "m");
        let fewer = Expr::min(vec![b.clone(), blocks.clone()]);
        assert_eq!(above(&facts, &fewer, &slow), "b");
        // What is taken away lies between two plain values as well.
        let rest = &n - (&b * &blocks) + &b;
        assert_eq!(above(&facts, &rest, &slow), "b");
    }

    #[test]
    fn quotients_keep_their_sign_however_they_are_written() {
        let (facts, [n, m, _], slow) = known();
        let cores = Expr::max(vec![n, m.clone()]) - &m + 1;
        for sign in [1, -1] {
            let each = Expr::int(500 * sign).div(&cores.scale(&sign.into()));
            let each = each.expect("some core is active") + 5;
            assert_eq!(above(&facts, &each, &slow), "505");
        }
        let less = Expr::int(-500).div(&cores).expect("some core is active");
        assert_eq!(above(&facts, &(&less + 5), &slow), "5");
    }

    #[test]
    fn what_is_multiplied_out_is_bounded_in_one_piece() {
        let (facts, [n, m, b], slow) = known();
        let one = Expr::one();
        let of = |n: &Expr| {
            let high = Expr::min(vec![n + &b - &one, b.scale(&2.into())]);
            let low = Expr::max(vec![Expr::zero(), &b - n + &one]);
            &high - &low + &one
        };
        // Both factors are from 0 to 2b + 1.
        assert_eq!(above(&facts, &(of(&n) * of(&m)), &slow), "(2b + 1)^2");
    }

    #[test]
    fn of_several_bounds_the_one_in_the_fewest_symbols_is_taken() {
        let (facts, [n, m, b], slow) = known();
        let fewer = |items: [Expr; 2]| above(&facts, &Expr::min(items.into()), &slow);
        let whole = |x: &Expr, y: &Expr| x.div(y).expect("it is not 0").ceil();
        assert_eq!(fewer([&n + &m, whole(&m.scale(&2.into()), &b)]), "2m/b + 1");
        assert_eq!(fewer([n.clone(), m.scale(&2.into())]), "2m");
        // b grows slowest, whatever it is beside.
        assert_eq!(fewer([&n * &n, &n * &b]), "nb");
        assert_eq!(fewer([&n * &m, &m * &b + &n]), "mb + n");
    }

    /// The width times the variable of a sum is no bound that grows slowly.
    #[test]
    fn what_grows_in_a_sum_is_no_slow_bound_of_it() {
        let (facts, [n, m, b], slow) = known();
        let turn = Symbol::new(77, "i");
        let of_turn = Expr::symbol(&turn);
        let one = Expr::one();
        let last = n.div(&b).expect("not 0").ceil() - &one;
        let body = Expr::min(vec![m.clone(), (&of_turn + &one) * &b]);
        let sum = Expr::unsolved_sum(&turn, &Expr::zero(), &last, &body);
        assert_eq!(above(&facts, &sum, &slow), "nm/b + m");
    }

    #[test]
    fn unsolved_sums_are_as_often_their_largest_term() {
        let (facts, [n, _, b], slow) = known();
        let i = Symbol::new(9, "i");
        let term = (Expr::symbol(&i) * &n).div(&b).expect("b is a symbol");
        let gcd = Expr::gcd(&Expr::symbol(&i), &b);
        let sum = Expr::unsolved_sum(&i, &Expr::one(), &n, &(term.ceil() * &gcd));
        assert_eq!(above(&facts, &sum, &slow), "n(n^2 + b)");
    }
}

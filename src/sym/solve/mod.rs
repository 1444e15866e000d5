//! Whole numbers at which conditions hold, found by search: `b | n`, `m | n` and `b = 7` hold at
//! n = 7, m = 1, b = 7.
//!
//! Takes conditions and the symbols that may be chosen. Gives points at which all conditions hold,
//! exactly evaluated, to whoever asks, until that one has enough or the looks are used up. It
//! proves nothing: what is not found may exist.
//!
//! One symbol gets its number after the other. [`places`] says where a condition on one symbol may
//! turn (`n ≥ 1001` at 1001), `sieve` goes on from there to where divisibilities hold as well
//! (`7 | n` at 1001, `2 | n` at 1008). [`changes()`] lists where the value of an expression changes.

mod changes;
mod equalities;
mod places;
mod search;
mod sieve;

use num_traits::ToPrimitive;

use crate::number::Rational;
use crate::sym::solve::equalities::Shorter;
use crate::sym::solve::search::search;
use crate::sym::{Cond, Symbol};

pub(crate) use changes::{changes, positive, unequal};

/// The largest number that is tried. Differences of two such fit a word.
const LARGEST: i64 = 1 << 60;

/// A symbol to be chosen.
#[derive(Debug, Clone)]
pub(crate) struct Unknown {
    pub(crate) symbol: Symbol,
    /// Its least value.
    pub(crate) least: i64,
    /// Its value if no condition speaks against it.
    pub(crate) usual: Option<i64>,
}

/// Offers points at which the conditions hold, the numbers in the order of the unknowns, until one
/// is taken. Returns true if one was. Every evaluation takes one of `looks`.
pub(crate) fn solve(
    conditions: &[Cond],
    unknowns: &[Unknown],
    looks: &mut u32,
    take: &mut dyn FnMut(&[i64]) -> bool,
) -> bool {
    if conditions.contains(&Cond::False) {
        return false;
    }
    if let Some(shorter) = Shorter::of(conditions, unknowns) {
        let mut half = *looks / 2;
        *looks -= half;
        let mut take_all = |numbers: &[i64]| {
            let all = shorter.all(numbers);
            all.is_some_and(|all| take(&all))
        };
        let open = shorter.open();
        let is_taken = search(&shorter.conditions, &open, &mut half, &mut take_all);
        *looks += half;
        if is_taken {
            return true;
        }
    }
    search(conditions, unknowns, looks, take)
}

/// A number as a word, if it is one that may be tried.
fn word(number: &Rational) -> Option<i64> {
    let number = number.to_integer()?.to_i64()?;
    (number.abs() <= LARGEST).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{over, symbol, symbols};
    use crate::sym::Expr;

    /// The first point at which conditions on n, m, k and b hold, which are evaluated there.
    fn first(conditions: &[Cond]) -> Option<Vec<i64>> {
        let unknown = |name: &str, least, usual| Unknown {
            symbol: symbol(name),
            least,
            usual: Some(usual),
        };
        let formals = ["n", "m", "k"].map(|name| unknown(name, 0, 1));
        let unknowns = [&formals[..], &[unknown("b", 1, 2)]].concat();
        let (mut looks, mut first) = (10_000, None);
        solve(conditions, &unknowns, &mut looks, &mut |numbers| {
            first = Some(numbers.to_vec());
            true
        });
        for cond in conditions.iter().filter(|_| first.is_some()) {
            let value = |of: &Symbol| {
                let at = unknowns.iter().position(|known| known.symbol == *of)?;
                Some(first.as_ref()?[at].into())
            };
            assert_eq!(cond.evaluate(&value), Ok(true), "{cond}: {first:?}");
        }
        first
    }

    #[test]
    fn points_are_found_where_conditions_meet() {
        let [n, m, k, b] = symbols(["n", "m", "k", "b"]);
        let number = |value: i64| Expr::rational(value.into());
        let rest = |x: &Expr, by: i64| x.modulo(&number(by)).expect("not by 0");
        let of_width = n.modulo(&b).expect("not by 0");
        let larger = Expr::max(vec![rest(&n, 8), rest(&n, 27)]);
        let (ceiling, floor) = (over(&n, &b).ceil(), over(&n, &b).floor());
        let million = number(1_000_003);
        let at_least = |x: &Expr, y: i64| Cond::ge(x, &number(y));
        let is = |x: &Expr, y: i64| Cond::eq(x, &number(y));
        for (conditions, point) in [
            (
                vec![is(&b, 7), Cond::divides(&b, &n), Cond::divides(&m, &n)],
                [7, 1, 1, 7],
            ),
            (vec![is(&larger, 0)], [216, 1, 1, 2]),
            (vec![is(&ceiling, 13), at_least(&b, 51)], [613, 1, 1, 51]),
            (vec![is(&floor, 100), Cond::ge(&m, &n)], [200, 200, 1, 2]),
            (
                vec![is(&of_width, 3), at_least(&b, 33), Cond::ge(&m, &n)],
                [3, 3, 1, 33],
            ),
            (vec![is(&n, 1_000_003), is(&b, 7)], [1_000_003, 1, 1, 7]),
            (vec![Cond::divides(&million, &n)], [1_000_003, 1, 1, 2]),
            (
                vec![is(&Expr::max(vec![n.clone(), b.clone()]), 5003)],
                [1, 1, 1, 5003],
            ),
            (
                vec![is(&rest(&n, 1000), 77), at_least(&n, 50_000)],
                [50_077, 1, 1, 2],
            ),
            (
                vec![Cond::power_of(&n, &number(7)), at_least(&n, 1_000_003)],
                [5_764_801, 1, 1, 2],
            ),
            (
                vec![Cond::eq(&(&n * &n), &(&million * &million))],
                [1_000_003, 1, 1, 2],
            ),
            (vec![is(&ceiling, 99_991)], [199_981, 1, 1, 2]),
            (
                vec![is(&Expr::gcd(&n, &m), 35), at_least(&m, 36)],
                [35, 70, 1, 2],
            ),
            (
                vec![
                    is(&rest(&n, 4), 2),
                    is(&rest(&n, 9), 4),
                    is(&rest(&n, 25), 7),
                ],
                [382, 1, 1, 2],
            ),
            (
                vec![is(&Expr::digit_sum(&n, &b), 40), is(&b, 8)],
                [196_607, 1, 1, 8],
            ),
        ] {
            let positive = [&n, &m, &k].map(|symbol| at_least(symbol, 1));
            let all = [&positive[..], &conditions].concat();
            assert_eq!(
                first(&all).as_deref(),
                Some(&point[..]),
                "{}",
                Cond::and(conditions)
            );
        }
        let halved = [
            Cond::eq(&n, &m.scale(&2.into())),
            at_least(&n, 901),
            Cond::ge(&m, &b),
        ];
        assert_eq!(first(&halved), Some(vec![902, 451, 1, 2]));
        let seventh = [
            Cond::eq(&n, &m.scale(&7.into())),
            at_least(&n, 9000),
            is(&k, 3),
        ];
        assert_eq!(first(&seventh), Some(vec![9002, 1286, 3, 2]));
        // No 4096/b is met but from a power of 2 that is large enough.
        let apart = [
            is(&ceiling, 13),
            at_least(&b, 51),
            Cond::power_of(&n, &number(2)),
        ];
        assert!(first(&apart).is_some());

        assert_eq!(first(&[Cond::gt(&n, &m), Cond::gt(&m, &n)]), None);
    }

    #[test]
    fn a_product_is_told_by_its_brackets() {
        let [n, b] = symbols(["n", "b"]);
        let is_seven = Cond::eq(&b, &Expr::int(7));
        let product = &n * &Expr::bracket(is_seven.clone());
        let is_not_zero = Cond::ne(&n, &Expr::zero());
        assert_eq!(
            unequal(&product),
            Cond::and(vec![is_seven.clone(), is_not_zero])
        );
        let is_above = Cond::gt(&n, &Expr::zero());
        assert_eq!(positive(&product), Cond::and(vec![is_seven, is_above]));
    }
}

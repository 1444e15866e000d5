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
mod sieve;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use indexmap::IndexSet;
use num_traits::ToPrimitive;

use crate::number::Rational;
use crate::sym::compiled::{Check, Forms, Scratch, Slot};
use crate::sym::solve::equalities::Shorter;
use crate::sym::solve::places::Places;
use crate::sym::solve::sieve::Sieve;
use crate::sym::{Cond, Expr, Symbol};

pub(crate) use changes::{changes, positive, unequal};

/// The largest number that is tried. Differences of two such fit a word.
const LARGEST: i64 = 1 << 60;
/// Numbers tried for a symbol that no condition settles. A width of MPs is mostly among them.
const SMALL: [i64; 12] = [0, 1, 2, 3, 4, 5, 7, 6, 8, 16, 32, 64];
/// How many numbers of a symbol are followed up, first and at last. The few reach deep with few
/// looks, the many find pairs such as n = 35·k.
const WIDTHS: [usize; 3] = [2, 5, 16];
/// Numbers named in conditions that are tried for a symbol they do not settle.
const MOST_CONSTANTS: usize = 12;
/// Atoms of a condition for which replacing a symbol counts as a look.
const ATOMS_OF_A_LOOK: u32 = 8;

/// A symbol to be chosen.
#[derive(Debug, Clone)]
pub(crate) struct Unknown {
    /// The symbol.
    pub(crate) symbol: Symbol,
    /// It is no less.
    pub(crate) least: i64,
    /// What it is if no condition speaks against it.
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

fn search(
    conditions: &[Cond],
    unknowns: &[Unknown],
    looks: &mut u32,
    take: &mut dyn FnMut(&[i64]) -> bool,
) -> bool {
    if conditions.contains(&Cond::False) {
        return false;
    }
    let search = Search::new(conditions, unknowns, *looks);
    let is_taken = search.run(take);
    *looks = search.looks.get();
    is_taken
}

/// A condition's place and the values that the unknowns have so far.
type Attempt = (usize, Vec<Option<i64>>);

/// One search: the conditions as they are evaluated, and the points already offered.
struct Search<'a> {
    unknowns: &'a [Unknown],
    conditions: Vec<Asked>,
    constants: Vec<BTreeSet<i64>>,
    forms: Forms,
    slots: Vec<Slot>,
    scratch: RefCell<Scratch>,
    looks: Cell<u32>,
    /// Looks that are left to others.
    reserve: Cell<u32>,
    offered: RefCell<BTreeSet<Vec<i64>>>,
    tried: RefCell<BTreeMap<Attempt, Tried>>,
}

/// A condition with what it speaks of.
struct Asked {
    cond: Cond,
    check: Check,
    /// A bit for each unknown.
    of: u64,
}

/// Numbers of one symbol beside those chosen of others, as far as they were tried.
struct Tried {
    /// Where to go on, the last first.
    starts: Vec<i64>,
    sieve: Sieve,
    /// From everywhere between a start and where it led one gets to the same number.
    passed: Vec<RangeInclusive<i64>>,
    found: Vec<i64>,
}

impl Tried {
    fn go_on(&mut self, start: i64, conditions: usize, holds: &dyn Fn(usize, i64) -> bool) {
        let there = if (0..conditions).all(|of| holds(of, start)) {
            Some(start)
        } else if self.passed.iter().any(|range| range.contains(&start)) {
            None
        } else {
            let there = self.sieve.from(start, conditions, holds);
            let (Ok(last) | Err(last)) = there;
            self.passed.push(start..=last);
            there.ok()
        };
        self.found
            .extend(there.filter(|there| !self.found.contains(there)));
    }
}

/// Numbers chosen so far.
#[derive(Clone)]
struct Chosen {
    values: Vec<Option<i64>>,
    /// A bit for each unknown without a number.
    open: u64,
    /// Each condition with these numbers in it.
    conditions: Vec<Cond>,
}

impl<'a> Search<'a> {
    fn new(conditions: &[Cond], unknowns: &'a [Unknown], looks: u32) -> Self {
        let mut forms = Forms::new(&[]);
        let slots = unknowns.iter().map(|unknown| forms.slot(&unknown.symbol));
        let slots: Vec<Slot> = slots.collect();
        let asked = |cond: &Cond| {
            let contains = unknowns
                .iter()
                .map(|unknown| cond.contains(&unknown.symbol));
            Asked {
                of: contains
                    .enumerate()
                    .map(|(at, is)| u64::from(is) << at)
                    .sum(),
                check: forms.add_check(cond),
                cond: cond.clone(),
            }
        };
        let conditions: Vec<Asked> = conditions.iter().map(asked).collect();
        let constants = (0..unknowns.len()).map(|at| {
            let speaking = conditions.iter().filter(|asked| asked.of >> at & 1 == 1);
            let mut found = BTreeSet::new();
            speaking.for_each(|asked| places::constants(&asked.cond, &mut found));
            found.into_iter().take(MOST_CONSTANTS).collect()
        });
        Search {
            unknowns,
            constants: constants.collect(),
            conditions,
            scratch: RefCell::new(forms.scratch()),
            forms,
            slots,
            looks: Cell::new(looks),
            reserve: Cell::new(0),
            offered: RefCell::default(),
            tried: RefCell::default(),
        }
    }

    fn run(&self, take: &mut dyn FnMut(&[i64]) -> bool) -> bool {
        let all = self.unknowns.len();
        let conditions = self.conditions.iter().map(|asked| asked.cond.clone());
        let start = Chosen {
            values: vec![None; all],
            open: (1 << all) - 1,
            conditions: conditions.collect(),
        };
        // Each symbol comes first once: b | n with b = 6 settles n, and gcd(n, b) = 6 is found
        // from n. What one leaves of the looks is for those after it.
        let tries = WIDTHS
            .into_iter()
            .flat_map(|width| (0..all).map(move |at| (width, at)));
        let mut left = (WIDTHS.len() * all) as u32;
        for (width, first) in tries {
            let looks = self.looks.get();
            self.reserve.set(looks - looks / left);
            left -= 1;
            if self.choose(first, width, &start, take).is_ok() {
                return true;
            }
        }
        false
    }

    fn spend(&self, looks: u32) {
        self.looks.set(self.looks.get().saturating_sub(looks));
    }

    fn is_spent(&self) -> bool {
        self.looks.get() <= self.reserve.get()
    }

    /// Tries numbers for one symbol, and for each all others in turn, until a point is taken. Else
    /// returns the symbols whose numbers were in the way, a bit for each.
    fn choose(
        &self,
        at: usize,
        width: usize,
        chosen: &Chosen,
        take: &mut dyn FnMut(&[i64]) -> bool,
    ) -> Result<(), u64> {
        let own = 1 << at;
        let mut in_the_way = self.on(at, chosen).fold(0, |of, (asked, _)| of | asked.of);
        for number in self.numbers(at, width, chosen) {
            if self.is_spent() {
                break;
            }
            let with = self.with(at, number, chosen);
            let broken = self.conditions.iter().zip(&with.conditions);
            let broken = broken.filter(|(_, cond)| **cond == Cond::False);
            let broken = broken.fold(0, |of, (asked, _)| of | asked.of);
            if broken != 0 {
                in_the_way |= broken;
                continue;
            }
            let Some(next) = self.next(&with) else {
                if self.offer(&with, take) {
                    return Ok(());
                }
                in_the_way = u64::MAX;
                continue;
            };
            match self.choose(next, width, &with, take) {
                Ok(()) => return Ok(()),
                // Other numbers of this one change nothing: with b = 4 no n is odd, whatever m is.
                Err(others) if others & own == 0 => return Err(others),
                Err(others) => in_the_way |= others,
            }
        }
        Err(in_the_way & !own)
    }

    fn offer(&self, chosen: &Chosen, take: &mut dyn FnMut(&[i64]) -> bool) -> bool {
        let values = chosen.values.iter().map(|value| value.unwrap_or_default());
        let values: Vec<i64> = values.collect();
        self.offered.borrow_mut().insert(values.clone()) && take(&values)
    }

    /// The choice with one more number.
    fn with(&self, at: usize, number: i64, chosen: &Chosen) -> Chosen {
        let mut with = chosen.clone();
        with.values[at] = Some(number);
        with.open &= !(1 << at);
        self.scratch
            .borrow_mut()
            .bind(self.slots[at], number.into());
        let (symbol, value) = (&self.unknowns[at].symbol, Expr::rational(number.into()));
        for (asked, cond) in self.conditions.iter().zip(&mut with.conditions) {
            // With no symbol left it was tested, and nobody asks it again.
            if asked.of >> at & 1 == 1 && asked.of & with.open != 0 {
                let mut atoms = 0;
                cond.for_each_expr(&mut |e| atoms += e.length());
                self.spend(1 + atoms / ATOMS_OF_A_LOOK);
                *cond = cond.substitute(symbol, &value);
            }
        }
        with
    }

    /// The symbol to go on with: the one that is settled most by conditions on it alone.
    fn next(&self, chosen: &Chosen) -> Option<usize> {
        let open = (0..self.unknowns.len()).filter(|at| chosen.open >> at & 1 == 1);
        let rank = |at: &usize| {
            let alone = self.on(*at, chosen).map(|(_, cond)| places::settles(cond));
            alone.max().unwrap_or_default()
        };
        // The first of equals.
        open.rev().max_by_key(rank)
    }

    /// The conditions on one open symbol and no other.
    fn on<'s>(
        &'s self,
        at: usize,
        chosen: &'s Chosen,
    ) -> impl Iterator<Item = (&'s Asked, &'s Cond)> {
        let all = self.conditions.iter().zip(&chosen.conditions);
        all.filter(move |(asked, _)| asked.of & chosen.open == 1 << at)
    }

    /// Numbers of one symbol at which all conditions on it alone hold: as many as asked for, if so
    /// many are found.
    fn numbers(&self, at: usize, width: usize, chosen: &Chosen) -> Vec<i64> {
        let on: Vec<(&Asked, &Cond)> = self.on(at, chosen).collect();
        let conditions = || on.iter().map(|(_, cond)| *cond);
        let holds = |of: usize, number: i64| {
            self.spend(1);
            let mut scratch = self.scratch.borrow_mut();
            scratch.bind(self.slots[at], number.into());
            scratch.next_point();
            self.forms.holds(on[of].0.check, &mut scratch) == Some(true)
        };
        // A wider search goes on where the one before it ended.
        let known = self.tried.borrow_mut().remove(&(at, chosen.values.clone()));
        let mut tried = known.unwrap_or_else(|| Tried {
            starts: self
                .starts(at, conditions(), chosen)
                .into_iter()
                .rev()
                .collect(),
            sieve: Sieve::new(&self.unknowns[at].symbol, conditions()),
            passed: Vec::new(),
            found: Vec::new(),
        });
        while tried.found.len() < width && !self.is_spent() {
            let Some(start) = tried.starts.pop() else {
                break;
            };
            tried.go_on(start, on.len(), &holds);
        }
        self.scratch.borrow_mut().unbind(self.slots[at]);
        let found = tried.found.iter().take(width).copied().collect();
        let key = (at, chosen.values.clone());
        self.tried.borrow_mut().insert(key, tried);
        found
    }

    /// Numbers of one symbol to begin with: where the conditions on it alone may turn, and what
    /// those on others as well may ask for.
    fn starts<'c>(
        &self,
        at: usize,
        on: impl ExactSizeIterator<Item = &'c Cond>,
        chosen: &Chosen,
    ) -> IndexSet<i64> {
        let unknown = &self.unknowns[at];
        let speaking = self.conditions.iter();
        let speaking = speaking.filter(|asked| asked.of >> at & 1 == 1).count();
        let is_asked_later = speaking > on.len();
        let mut places = Places::of(&unknown.symbol, &self.looks);
        on.for_each(|cond| places.add_condition(cond));
        let mut starts: Vec<i64> = unknown.usual.into_iter().collect();
        starts.extend(places.found());
        let asked = [
            &self.constants[at],
            &chosen.values.iter().flatten().copied().collect(),
        ];
        let asked = asked
            .into_iter()
            .flatten()
            .copied()
            .filter(|_| is_asked_later);
        // Some of both, however few are taken.
        let mut asked: Vec<i64> = asked.collect();
        asked.reverse();
        for small in SMALL {
            starts.push(small);
            starts.extend(asked.pop());
        }
        starts.extend(asked.into_iter().rev());
        starts
            .into_iter()
            .map(|start| start.max(unknown.least))
            .collect()
    }
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

//! The search for points at which conditions hold: one symbol gets its number after the other.
//!
//! Takes conditions and unknowns. Offers points until one is taken or the looks are used up. Each symbol
//! comes first once, because a number of one settles those of others.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use indexmap::IndexSet;

use crate::sym::compiled::{Check, Forms, Scratch, Slot};
use crate::sym::solve::Unknown;
use crate::sym::solve::places::{self, Places};
use crate::sym::solve::sieve::Sieve;
use crate::sym::{Cond, Expr};

/// Numbers tried for a symbol that no condition settles. A width of MPs is mostly among them.
const SMALL: [i64; 12] = [0, 1, 2, 3, 4, 5, 7, 6, 8, 16, 32, 64];
/// The numbers of a symbol that are followed up, from the first pass to the last. The few reach deep with few
/// looks, the many find pairs such as n = 35·k.
const WIDTHS: [usize; 3] = [2, 5, 16];
/// Numbers named in conditions that are tried for a symbol they do not settle.
const MOST_CONSTANTS: usize = 12;
/// Atoms of a condition for which replacing a symbol counts as a look.
const ATOMS_OF_A_LOOK: u32 = 8;

/// Offers points as [`solve`](crate::sym::solve::solve) does, without making the problem shorter first.
pub(super) fn search(
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

/// A condition with the unknowns that occur in it.
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

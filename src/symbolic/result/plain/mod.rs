//! Short upper bounds for formulas of more than two lines, which nobody reads.
//!
//! A quantity owns the bound that was found for it. Its form alone gives one ([`Facts::above`] rounds up and drops
//! what is negative). What was counted besides may give a closer one: coarse bounds of lines, the lines of a round
//! taken together, rounds taken together. The last choice is by how the bounds grow, then by proof, then by values
//! at a few points.

mod compare;
mod rounds;
mod totals;

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::count::OfRound;
use crate::derivation::{Derived, DerivedRound, DerivedTransfer};
use crate::program::Program;
use crate::sym::print::{Names, Printer};
use crate::sym::{Expr, Facts, Symbol};
use crate::symbolic::amount::{Amount, FEW_ATOMS};
use crate::symbolic::kernel::{KernelCount, LineCount};
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;

/// Characters that a part of a cost takes at most as it is.
const ONE_LINE: usize = 40;
/// Characters of two lines of a table.
const TWO_LINES: usize = 120;
/// Characters of two lines that a formula has to itself, as costs have.
const TWO_LINES_ALONE: usize = 150;
/// What these hold where they break well: for what has no shorter form that says as much.
const TWO_FULL_LINES: usize = 164;

/// The formulas looked at in one place, each with its coarse bound and whether it is exact, and the short bound found.
type Found = FxHashMap<(Expr, Option<Expr>, bool), Option<Expr>>;

/// Finds short upper bounds.
pub(crate) struct PlainBounds {
    printer: Printer,
    /// b, which grows slower than all else.
    width: Symbol,
    /// In the round at hand several quantities often have one formula: a line, its array and q.
    found: RefCell<Found>,
    /// How many characters formulas have: to write them takes long.
    lengths: RefCell<FxHashMap<Expr, usize>>,
}

impl PlainBounds {
    /// Creates a finder for which formulas are as long as they are in these names.
    pub(crate) fn new(names: &[(String, Expr)], width: Symbol) -> Self {
        let names = Names {
            definitions: names.to_vec(),
        };
        PlainBounds {
            printer: Printer::new(&names),
            width,
            found: RefCell::default(),
            lengths: RefCell::default(),
        }
    }

    /// Bounds a round and its lines, under what is known inside its loops.
    pub(crate) fn bound_round(
        &self,
        program: &Program,
        round: &mut DerivedRound,
        kernel: Option<&KernelCount>,
        facts: &Facts,
    ) {
        self.found.borrow_mut().clear();
        let bounded = |quantity: &Derived, coarse: Option<&Expr>| {
            self.bounded(TWO_LINES, quantity, coarse, facts)
        };
        round.count = bounded(&round.count, None);
        if let Some(charges) = &mut round.charges {
            **charges = charges.map(|quantity| bounded(quantity, None));
        }
        for DerivedTransfer { traffic, .. } in &mut round.transfers {
            traffic.words = bounded(&traffic.words, None);
            traffic.transactions = bounded(&traffic.transactions, None);
        }
        let counted = kernel.map_or(&[][..], |kernel| &kernel.lines);
        for (line, counted) in round.lines.iter_mut().zip(counted) {
            let loose = &counted.loose;
            line.blocks = bounded(&line.blocks, counted.coarse_blocks().upper.as_ref());
            line.executions = bounded(&line.executions, loose.executions.upper.as_ref());
            line.operations = bounded(&line.operations, loose.operations.upper.as_ref());
            line.conflicts = bounded(&line.conflicts, None);
        }
        let coarse = kernel.and_then(|kernel| kernel.coarse.upper.as_ref());
        round.counts.io = bounded(&round.counts.io, coarse);
        // q is the sum of its lines. What is shown of each may add up to less than what was found for the sum: a line
        // with few words has its own bound, and the sum's form only one for all.
        let by_lines = self.blocks_by_lines(round, facts);
        self.replace(&mut round.counts.io, by_lines, facts);
        // The bounds of an array and of t come from those of its lines.
        let time = self.time_by_lines(round, counted);
        let of_array = |name: &str, writes| coarse_blocks_of(program, counted, name, writes);
        round.counts = round.counts.map(|which, quantity| match which {
            OfRound::Io => quantity.clone(),
            OfRound::Time => bounded(quantity, time.as_ref()),
            OfRound::Read(name) => bounded(quantity, of_array(name, false).as_ref()),
            OfRound::Written(name) => bounded(quantity, of_array(name, true).as_ref()),
            _ => bounded(quantity, None),
        });
    }

    /// Returns the quantity with a short bound, if its form takes more than so many characters or `coarse`, another
    /// upper bound, is closer.
    fn bounded(
        &self,
        room: usize,
        quantity: &Derived,
        coarse: Option<&Expr>,
        facts: &Facts,
    ) -> Derived {
        let quantity = quantity.clone();
        let Some(upper) = &quantity.upper else {
            return quantity;
        };
        // What is seen at a glance needs no other; but a coarse bound may say more.
        let says_more = coarse.is_some_and(|coarse| coarse != upper);
        let is_open = !quantity.is_exact() && upper.is_closed() && says_more;
        if upper.length() <= FEW_ATOMS && !is_open {
            return quantity;
        }
        // A line, its array and q have one formula in a kernel with one access, and are asked one after the other.
        let key = (upper.clone(), coarse.cloned(), quantity.is_exact());
        let known = self.found.borrow().get(&key).cloned();
        let short = known.unwrap_or_else(|| {
            let short = self.find(room, &quantity, coarse, facts);
            self.found.borrow_mut().insert(key, short.clone());
            short
        });
        Derived { short, ..quantity }
    }

    /// Looks for one, closer than the formula or shorter.
    fn find(
        &self,
        room: usize,
        quantity: &Derived,
        coarse: Option<&Expr>,
        facts: &Facts,
    ) -> Option<Expr> {
        let upper = quantity.upper.as_ref()?;
        let length = |expr: &Expr| self.length(expr);
        let long = length(upper);
        let is_read_as_it_is = long <= room && upper.is_closed();
        if is_read_as_it_is && (quantity.is_exact() || coarse.is_none()) {
            return None;
        }
        // Three sources: the coarse bound, the plain form of the upper end, and both without floors. The closer one of
        // the first two is kept, unless one without floors reads better. ⌈n/b⌉ + ⌈m/b⌉ is plainly n/b + m/b + 2 and
        // without floors (n + m + 2b − 2)/b.
        // A bound that is short as it is is closer than a plain one.
        let is_short = |expr: &Expr| expr.is_closed() && length(expr) <= room;
        let as_short = |expr: &Expr| {
            let expr = facts.with_work(WORK_OF_A_TOTAL).simplify(expr);
            if is_short(&expr) {
                Some(expr)
            } else {
                facts.above(&expr, Some(&self.width))
            }
        };
        let coarse = coarse.and_then(as_short);
        if is_read_as_it_is {
            // But where no work was left to count it well, little thought may have said more.
            let says_more = |coarse: &Expr| {
                let is_shorter = length(coarse) < long;
                length(coarse) <= room && self.grows_less([coarse, upper], facts)
                    || is_shorter && self.is_below([coarse, upper], facts)
            };
            let less = coarse.filter(says_more);
            let unrounded = || {
                let unrounded = self.unrounded(upper, room, facts)?;
                let known = less.as_ref().unwrap_or(upper);
                self.reads_better([&unrounded, known], facts)
                    .then_some(unrounded)
            };
            let unrounded = (long > ONE_LINE).then(unrounded).flatten();
            return unrounded.or(less);
        }
        let by_divisor = facts.above_by_divisor(upper, Some(&self.width));
        if let Some(bound) = by_divisor.filter(|bound| length(bound) <= room) {
            return Some(bound);
        }
        let plain = facts.above(upper, Some(&self.width));
        let chosen = match (plain, coarse) {
            (Some(plain), Some(coarse)) => {
                if self.is_closer([&plain, &coarse], room, facts) {
                    Some(plain)
                } else {
                    Some(coarse)
                }
            }
            (plain, coarse) => plain.or(coarse),
        };
        let fitted = |chosen: Expr| {
            let evened = (length(&chosen) > room).then(|| facts.evened(&chosen));
            let shorter = evened.filter(|evened| length(evened) < length(&chosen));
            let chosen = shorter.unwrap_or(chosen);
            let fits = |bound: &Expr| length(bound) <= room;
            let fits_at_all = |bound: &Expr| length(bound) <= full(room);
            if fits(&chosen) {
                chosen
            } else {
                facts.joined(&chosen, &fits, &fits_at_all)
            }
        };
        let chosen = chosen.map(fitted);
        // What is taken away under floors is not lost.
        let has_letters = facts.by_letters(upper.terms()).len() > 1;
        let unrounded = |of: &Expr| self.unrounded(of, room, facts).map(fitted);
        let others = if has_letters {
            [None, None]
        } else {
            [unrounded(upper), chosen.as_ref().and_then(unrounded)]
        };
        let chosen = others
            .into_iter()
            .flatten()
            .fold(chosen, |chosen, other| match chosen {
                Some(chosen) if !self.reads_better([&other, &chosen], facts) => Some(chosen),
                _ => Some(other),
            });
        chosen.filter(|chosen| length(chosen) < long)
    }
}

impl PlainBounds {
    /// A bound of what has floors, without them; nothing where it has none.
    fn unrounded(&self, of: &Expr, room: usize, facts: &Facts) -> Option<Expr> {
        let plain = facts.unrounded_above(of).filter(|plain| plain != of)?;
        let plain = facts.with_work(WORK_OF_A_TOTAL).simplify(&plain);
        let is_short = plain.length() <= FEW_ATOMS && plain.is_closed();
        if is_short && self.length(&plain) <= room {
            Some(plain)
        } else {
            facts.above(&plain, Some(&self.width))
        }
    }
}

/// The characters that go into as many lines where these break well.
fn full(room: usize) -> usize {
    match room {
        TWO_LINES_ALONE => TWO_FULL_LINES,
        room => room,
    }
}

/// A coarse upper bound on the blocks of all lines that read (or write) an array.
fn coarse_blocks_of(
    program: &Program,
    lines: &[LineCount],
    name: &str,
    writes: bool,
) -> Option<Expr> {
    let mut sum = Amount::zero();
    for access in lines.iter().filter_map(|line| line.access.as_ref()) {
        if access.writes == writes && program.variable(access.variable).name == name {
            sum = sum.plus(&access.coarse);
        }
    }
    sum.upper
}

impl PlainBounds {
    /// Puts another bound in the place of a quantity's, if it is provably closer and no longer.
    fn replace(&self, quantity: &mut Derived, bound: Option<Expr>, facts: &Facts) {
        let is_better = |bound: &Expr, known: &Expr| {
            bound != known
                && self.length(bound) <= self.length(known)
                && self.is_below([bound, known], facts)
        };
        if let (Some(known), Some(bound)) = (&quantity.short, bound)
            && is_better(&bound, known)
        {
            quantity.short = Some(bound);
        }
    }
}

/// The form shown of a quantity, if it is closed.
fn short(quantity: &Derived) -> Option<Expr> {
    quantity.shown().filter(|shown| shown.is_closed()).cloned()
}

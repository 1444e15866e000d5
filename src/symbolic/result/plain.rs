//! Short upper bounds for formulas of more than two lines, which nobody reads.
//!
//! A quantity owns the bound that was found for it. Its form alone gives one ([`Facts::above`] rounds up and drops
//! what is negative). What was counted besides may give a closer one: coarse bounds of lines, the lines of a round
//! taken together, rounds taken together. The last choice is by how the bounds grow, then by proof, then by values
//! at a few points.

use std::cell::RefCell;
use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::count::{OfRound, Quantity};
use crate::derivation::letters::letter;
use crate::derivation::{Derivation, Derived, DerivedRound, DerivedTransfer, LoopRange, shares};
use crate::number::Rational;
use crate::program::{CostSymbol, Program};
use crate::sym::print::{Names, Printer};
use crate::sym::{Cond, Expr, Facts, Symbol, SymbolKind};
use crate::symbolic::amount::{Amount, FEW_ATOMS, FarOut};
use crate::symbolic::around::suppose_range;
use crate::symbolic::kernel::{KernelCount, LineCount};
use crate::symbolic::result::totals::{self, WORK_OF_A_TOTAL};

/// Characters that a part of a cost takes at most as it is.
const ONE_LINE: usize = 40;
/// Characters of two lines of a table.
const TWO_LINES: usize = 120;
/// Characters of two lines that a formula has to itself, as costs have.
const TWO_LINES_ALONE: usize = 150;
/// What these hold where they break well: for what has no shorter form that says as much.
const TWO_FULL_LINES: usize = 164;

/// A difference there, between logarithms, that is worth another bound.
const CLEARLY: f64 = 0.2;

/// What a part of a cost is put as.
type PartOf<'f> = dyn Fn(&Expr) -> Option<Expr> + 'f;

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

    /// Whether the first of two bounds is clearly less, or much shorter and no more, as far as looked.
    fn reads_better(&self, bounds: [&Expr; 2], facts: &Facts) -> bool {
        let [short, long] = bounds.map(|bound| self.length(bound));
        let is_much_shorter = 3 * short <= 2 * long;
        match self.more_far_out(bounds, facts) {
            Some(more) => more < -CLEARLY || more < CLEARLY && is_much_shorter,
            None => is_much_shorter && facts.less_at_points(bounds) == Some(true),
        }
    }

    /// What is shown of the operations of all lines together, or what they are if no guard keeps cores from them,
    /// where that is short and not written in the number of an MP.
    fn time_by_lines(&self, round: &DerivedRound, counted: &[LineCount]) -> Option<Expr> {
        let is_of_mp = |symbol: &Symbol| {
            let mut loops = round.loops.iter();
            symbol.id.kind == SymbolKind::Local && !loops.any(|range| range.symbol == *symbol)
        };
        let added = |each: Vec<Option<Expr>>, room: usize| {
            let mut each = each.into_iter();
            let sum = each.try_fold(Expr::zero(), |sum, line| Some(&sum + line?))?;
            let is_short = self.length(&sum) <= room && !sum.symbols().iter().any(is_of_mp);
            is_short.then_some(sum)
        };
        let shown = round.lines.iter().map(|line| short(&line.operations));
        let unguarded = counted
            .iter()
            .map(|line| line.loose.operations.upper.clone());
        let each = [
            added(shown.collect(), ONE_LINE),
            added(unguarded.collect(), TWO_LINES),
        ];
        each.into_iter()
            .flatten()
            .min_by_key(|sum| self.length(sum))
    }

    /// What is shown of the blocks of all lines together, where one of them is not all.
    fn blocks_by_lines(&self, round: &DerivedRound, facts: &Facts) -> Option<Expr> {
        let touching = round.lines.iter();
        let touching = touching.filter(|line| {
            let upper = line.blocks.upper.as_ref();
            upper.is_none_or(|upper| !upper.is_zero())
        });
        let each = touching.map(|line| short(&line.blocks));
        let each = each.collect::<Option<Vec<_>>>()?;
        if each.len() < 2 {
            return None;
        }
        let sum = each.iter().fold(Expr::zero(), |sum, blocks| &sum + blocks);
        Some(facts.with_work(WORK_OF_A_TOTAL).simplify(&sum))
    }

    /// What is shown of t in each round and of how often it is, where no loop's variable is in it. Never
    /// negative, not even where there is no such round and how often is only bounded.
    fn each_time(&self, derivation: &Derivation, facts: &Facts) -> Option<Vec<[Expr; 2]>> {
        let each = with_kernel(derivation).map(|round| {
            let time = self.settled(round, &round.counts.time, facts)?;
            Some([time, short(&round.count)?])
        });
        each.collect()
    }

    /// What is shown of q in all rounds, where no loop's variable is in it.
    fn blocks_of_rounds(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
        let mut rounds = with_kernel(derivation);
        let total = rounds.try_fold(Expr::zero(), |sum, round| {
            let (blocks, times) = (short(&round.counts.io)?, short(&round.count)?);
            let mut loops = round.loops.iter();
            let is_moving = loops.any(|range| blocks.contains(&range.symbol));
            // Where there is such a round, no bound of a count is negative; elsewhere its number is 0.
            let is_counted = round.count.is_exact() || facts.is_non_negative(&blocks);
            let is_settled = !is_moving && is_counted && round.within_while.is_none();
            is_settled.then(|| &sum + (&blocks * &times))
        });
        Some(facts.with_work(WORK_OF_A_TOTAL).simplify(&total?))
    }

    /// What is shown of q in each round, without its floors and ceilings, added up over all rounds, in plain terms.
    fn blocks_by_round(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
        let mut total = Expr::zero();
        for round in with_kernel(derivation) {
            if round.within_while.is_some() {
                return None;
            }
            // A sum of ceilings rarely closes: Σ ⌈i/b⌉ has b cases. So each round's bound loses its floors and ceilings
            // first, ⌈i/b⌉ ≤ (i + b − 1)/b, and the polynomial that remains is summed.
            let (around, inside) = around(round, &facts.with_work(WORK_OF_A_TOTAL));
            let shown = short(&round.counts.io)?;
            // No count is negative where there is such a round; where there is none it may be.
            let is_count = is_summed_where_it_is(round, facts) || inside.is_non_negative(&shown);
            let unrounded = is_count.then(|| inside.unrounded_above(&shown)).flatten();
            let plain = unrounded.or_else(|| inside.above(&shown, Some(&self.width)))?;
            let of_all = around.iter().rev().fold(plain, |sum, (range, facts)| {
                let (low, high) = range.ends();
                facts.sum(&range.symbol, low, high, &sum)
            });
            total = &total + &of_all;
        }
        // The polynomials of all rounds are added first and bounded once: what one round takes away, another may add.
        let total = facts.with_work(WORK_OF_A_TOTAL).simplify(&total);
        facts.above(&total, Some(&self.width))
    }

    /// What is shown of a quantity of a round, if it is the same in all its iterations and nowhere negative.
    fn settled(&self, round: &DerivedRound, quantity: &Derived, facts: &Facts) -> Option<Expr> {
        let shown = short(quantity)?;
        let mut loops = round.loops.iter();
        // A negative bound times a number of rounds that is itself a bound is none: −1·(≤ 5) says nothing.
        let is_moving = loops.any(|range| shown.contains(&range.symbol));
        (!is_moving && facts.is_non_negative(&shown)).then_some(shown)
    }

    /// No more than the time of the costliest round, and of all rounds.
    fn times(&self, derivation: &Derivation, facts: &Facts) -> [Option<Expr>; 2] {
        let all = self.each_time(derivation, facts).map(|each| {
            let each = each.iter();
            let all = each.fold(Expr::zero(), |sum, [time, times]| &sum + (time * times));
            facts.simplify(&all)
        });
        [self.longest(derivation, facts), all]
    }

    /// The most of what is shown of t in each round, where one of them is provably no less than the others.
    fn longest(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
        let facts = &facts.with_work(WORK_OF_A_TOTAL);
        let mut each = with_kernel(derivation).map(|round| {
            let (around, mut inside) = around(round, facts);
            let mut time = short(&round.counts.time)?;
            for (range, outside) in around.into_iter().rev() {
                if time.contains(&range.symbol) {
                    let (low, high) = range.ends();
                    let ends = [low, high].map(|end| time.substitute(&range.symbol, end));
                    let is_most = |end: &Expr| inside.proves(&Cond::ge(end, &time));
                    time = ends.into_iter().find(is_most)?;
                }
                inside = outside;
            }
            facts.is_non_negative(&time).then_some(time)
        });
        let first = each.next()??;
        each.try_fold(first, |most, time| {
            let time = time?;
            let is_below = |one: &Expr, other: &Expr| facts.proves(&Cond::le(one, other));
            if is_below(&time, &most) {
                Some(most)
            } else {
                is_below(&most, &time).then_some(time)
            }
        })
    }
}

/// The loops around a round, outermost first, each with what is known outside it, and what is known inside all.
fn around<'r>(round: &'r DerivedRound, facts: &Facts) -> (Vec<(&'r LoopRange, Facts)>, Facts) {
    let mut inside = facts.clone();
    let each = round.loops.iter().map(|range| {
        let outside = inside.clone();
        let (low, high) = range.ends();
        suppose_range(&mut inside, &range.symbol, low, high);
        (range, outside)
    });
    let each = each.collect();
    (each, inside)
}

/// Whether what a round's loops add up to is 0 where there is no such round.
fn is_summed_where_it_is(round: &DerivedRound, facts: &Facts) -> bool {
    let Some(when) = &round.when else {
        return true;
    };
    round.loops.first().is_some_and(|range| {
        let mut elsewhere = facts.with_work(WORK_OF_A_TOTAL);
        elsewhere.suppose(&when.clone().not());
        let (low, high) = range.ends();
        elsewhere.proves(&Cond::eq(&(high + 1), low))
    })
}

fn with_kernel(derivation: &Derivation) -> impl Iterator<Item = &DerivedRound> {
    let rounds = derivation.rounds.iter();
    rounds.filter(|round| round.opens.is_some())
}

/// The characters that a bound may have.
fn room_of(which: Quantity) -> usize {
    match which {
        Quantity::Cost | Quantity::GpuCost => TWO_LINES_ALONE,
        _ => TWO_LINES,
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
    /// The characters of a formula in these names.
    fn length(&self, expr: &Expr) -> usize {
        let known = self.lengths.borrow().get(expr).copied();
        known.unwrap_or_else(|| {
            let length = self.printer.text(expr).chars().count();
            self.lengths.borrow_mut().insert(expr.clone(), length);
            length
        })
    }

    /// How fast two bounds grow; b is a constant of the machine next to what a problem's size may be. `None` beside
    /// powers such as b^r: what those divide may grow or not.
    fn growths(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<[[Rational; 2]; 2]> {
        if bounds.into_iter().any(Expr::has_open_power) {
            return None;
        }
        let [one, other] = bounds.map(|bound| facts.paces(bound, &self.width));
        Some([one?, other?])
    }

    /// How the first of two bounds grows beside the other; `None` where it grows faster in all but b and slower in all,
    /// or the other way about.
    fn faster(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<Ordering> {
        let [one, other] = self.growths(bounds, facts)?;
        match [0, 1].map(|at| one[at].cmp(&other[at])) {
            [Ordering::Equal, order] | [order, Ordering::Equal] => Some(order),
            [beside_b, order] => (beside_b == order).then_some(order),
        }
    }

    /// Whether the first of two bounds grows slower.
    fn grows_less(&self, bounds: [&Expr; 2], facts: &Facts) -> bool {
        let growths = self.growths(bounds, facts);
        growths.is_some_and(|[one, other]| one < other)
    }

    /// How much more the first of two bounds is than the other where a problem is large and a warp is not: the
    /// logarithm of their quotient.
    fn more_far_out(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<f64> {
        let far_out = FarOut::of(facts, &bounds, Some(&self.width));
        // What comes with each letter by itself: which of them weighs most is the machine's.
        // A cost is a sum of parts with letters: α + nβ + 3n/γ. On one card the transfers weigh most, on another the
        // operations, so the parts are compared one by one and their quotients multiplied.
        let [one, other] = bounds.map(|bound| facts.by_letters(bound.terms()));
        if one.len() != other.len() {
            return None;
        }
        let size = |part: Expr| {
            let size = far_out.value(&part)?;
            (size > 0.0).then_some(size)
        };
        let mut more = 0_f64;
        for (letters, terms) in one {
            let (_, others) = other.iter().find(|(beside, _)| *beside == letters)?;
            let [one, other] = [terms, others.clone()].map(Expr::from_terms);
            more += libm::log(size(one)? / size(other)?);
        }
        Some(more)
    }

    /// Whether the first of two bounds that grow alike is less, as far as looked: at some of a few points where the
    /// facts hold, and at none more; or far out.
    fn is_less(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<bool> {
        facts.less_at_points(bounds).or_else(|| {
            let more = self.more_far_out(bounds, facts)?;
            (more.abs() > CLEARLY).then_some(more < 0.0)
        })
    }

    /// Whether the first of two bounds says more: it grows slower, is provably no larger or less as far as looked; or
    /// it fits and the other does not, or is shorter where nothing else is known.
    fn is_closer(&self, [plain, coarse]: [&Expr; 2], room: usize, facts: &Facts) -> bool {
        let [short, long] = [plain, coarse].map(|bound| self.length(bound));
        // In this order: a bound that does not fit its room loses to a shorter one. Then growth decides, n/b before n.
        // Then proof. Only where all these say nothing do values at a few points decide.
        if long > room && short < long {
            return true;
        }
        let is_below = || self.is_below([plain, coarse], facts);
        match self.faster([plain, coarse], facts) {
            Some(Ordering::Less) => true,
            Some(Ordering::Greater) => is_below(),
            Some(Ordering::Equal) | None => {
                if is_below() {
                    return true;
                }
                let is_less = self.is_less([plain, coarse], facts);
                is_less.unwrap_or_else(|| short < long && !self.is_below([coarse, plain], facts))
            }
        }
    }

    /// Whether the first of two bounds is provably no more.
    fn is_below(&self, [one, other]: [&Expr; 2], facts: &Facts) -> bool {
        let facts = facts.with_work(WORK_OF_A_TOTAL);
        facts.proves(&Cond::le(one, other))
    }

    /// Bounds all totals and costs, by `offered` bounds where they are closer; `settle` puts what is given for the
    /// letters of costs into one.
    pub(crate) fn bound_totals(
        &self,
        derivation: &mut Derivation,
        offered: &[(Quantity, Expr)],
        settle: &dyn Fn(&Expr) -> Expr,
        facts: &Facts,
    ) {
        self.bound(derivation, &|_| true, facts);
        self.bound_blocks(derivation, facts);
        for (which, bound) in offered {
            self.offer(*which, bound, derivation, facts);
        }
        for which in [Quantity::Cost, Quantity::GpuCost] {
            self.of_parts(which, derivation, settle, facts);
        }
        // Where each kernel is one wave, both costs are one form, and the cost's bound is the plainer one.
        if derivation.gpu_cost.upper == derivation.cost.upper {
            derivation.gpu_cost.short = derivation.cost.short.clone();
        }
    }

    /// Bounds the totals that are exact and closed.
    pub(crate) fn bound_exact_totals(&self, derivation: &mut Derivation, facts: &Facts) {
        let is_closed = |quantity: &Derived| {
            let upper = quantity.upper.as_ref();
            quantity.is_exact() && upper.is_some_and(Expr::is_closed)
        };
        self.bound(derivation, &is_closed, facts);
    }

    fn bound(
        &self,
        derivation: &mut Derivation,
        is_wanted: &dyn Fn(&Derived) -> bool,
        facts: &Facts,
    ) {
        self.found.borrow_mut().clear();
        let coarse = derivation.coarse.clone();
        let [time, total_time] = self.times(derivation, facts);
        derivation.change_all(|which, quantity| {
            if !is_wanted(quantity) {
                return quantity.clone();
            }
            let fits = |bound: &&Expr| self.is_short(which, bound);
            let coarse = match which {
                Quantity::Time => time.as_ref(),
                Quantity::TotalTime => total_time.as_ref(),
                Quantity::Io => coarse.io.as_ref(),
                Quantity::Cost => coarse.cost.as_ref(),
                Quantity::GpuCost => {
                    // Whole waves are closer, ⌈k/(k'ℓ)⌉, but longer to read.
                    let in_waves = coarse.gpu_cost.as_ref().filter(fits);
                    in_waves.or(coarse.gpu_cost_by_full_waves.as_ref())
                }
                _ => None,
            };
            self.bounded(room_of(which), quantity, coarse, facts)
        });
    }

    /// Bounds Σ q by what is shown of the rounds.
    fn bound_blocks(&self, derivation: &mut Derivation, facts: &Facts) {
        let io = &derivation.totals.io;
        let form = io.upper.as_ref();
        match form.filter(|form| self.is_short(Quantity::Io, form)) {
            None => {
                if let Some(blocks) = self.blocks_by_round(derivation, facts) {
                    self.offer(Quantity::Io, &blocks, derivation, facts);
                }
                let blocks = self.blocks_of_rounds(derivation, facts);
                self.replace(&mut derivation.totals.io, blocks, facts);
            }
            Some(form) if !io.is_exact() => {
                let known = io.short.as_ref().unwrap_or(form);
                let blocks = self.blocks_by_round(derivation, facts);
                let is_better = |blocks: &Expr| {
                    blocks != known
                        && self.length(blocks) <= self.length(known)
                        && self.is_below([blocks, known], facts)
                };
                if let Some(blocks) = blocks.filter(is_better) {
                    derivation.totals.io.short = Some(blocks);
                }
            }
            Some(_) => {}
        }
    }

    /// A closer bound of the largest t than the one there, where the largest of several rounds was not found: the most
    /// that is shown of them.
    pub(crate) fn closer_time(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
        let time = &derivation.totals.time;
        let upper = time.upper.as_ref().filter(|_| !time.is_exact())?;
        let longest = self.longest(derivation, facts)?;
        let is_shorter = self.length(&longest) <= self.length(upper);
        let facts = facts.with_work(WORK_OF_A_TOTAL);
        let is_closer = longest != *upper && is_shorter && facts.proves(&Cond::le(&longest, upper));
        is_closer.then_some(longest)
    }

    /// Whether a form of a total needs no other beside it.
    fn is_short(&self, which: Quantity, form: &Expr) -> bool {
        form.is_closed() && self.length(form) <= room_of(which)
    }

    /// Takes another bound of a quantity that has no short form, if it is closer than the one found.
    fn offer(&self, which: Quantity, bound: &Expr, derivation: &mut Derivation, facts: &Facts) {
        let quantity = derivation.quantity_mut(which);
        let Some(upper) = &quantity.upper else {
            return;
        };
        if self.is_short(which, upper) || !self.is_short(which, bound) {
            return;
        }
        let says_more = |known: &Expr| {
            let both = [bound, known];
            match self.growths(both, facts) {
                Some([one, other]) if one < other => facts.less_at_points(both) != Some(false),
                Some([one, other]) if one > other => false,
                Some(_) | None => self.is_less(both, facts) == Some(true),
            }
        };
        if quantity.short.as_ref().is_none_or(says_more) {
            quantity.short = Some(bound.clone());
        }
    }

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

    /// Bounds a cost that has a short bound by the short bounds of its parts, if that is closer.
    fn of_parts(
        &self,
        which: Quantity,
        derivation: &mut Derivation,
        settle: &dyn Fn(&Expr) -> Expr,
        facts: &Facts,
    ) {
        let Some(known) = &derivation.quantity(which).short else {
            return;
        };
        let Some(composed) = self.shortly_composed(which, derivation, settle, facts) else {
            return;
        };
        let room = room_of(which);
        let both = [&composed, known];
        let is_closer = if self.length(&composed) <= room || self.length(known) > room {
            self.is_closer(both, room, facts)
        } else {
            // What is longer to read is worth it where it grows less only.
            self.faster(both, facts) == Some(Ordering::Less)
        };
        if is_closer {
            derivation.quantity_mut(which).short = Some(composed);
        }
    }

    /// A cost of what is shown of its parts, or of plain bounds of those where that is too long.
    fn shortly_composed(
        &self,
        which: Quantity,
        derivation: &Derivation,
        settle: &dyn Fn(&Expr) -> Expr,
        facts: &Facts,
    ) -> Option<Expr> {
        let plainly = |expr: &Expr| {
            if self.length(expr) > ONE_LINE {
                facts.above(expr, Some(&self.width))
            } else {
                Some(expr.clone())
            }
        };
        let as_shown = |expr: &Expr| Some(expr.clone());
        let parts: [&PartOf; 2] = [&as_shown, &plainly];
        let costs = parts.into_iter().map(|part| {
            let cost = self.composed(which, derivation, part, facts)?;
            Some(facts.simplify(&settle(&cost)))
        });
        // Where one of them fits well, the other is not needed.
        let room = room_of(which);
        let mut longer = None;
        for cost in costs.flatten() {
            match self.length(&cost) {
                length if length <= room => return Some(cost),
                length if length <= full(room) => longer = longer.or(Some(cost)),
                _ => {}
            }
        }
        longer
    }

    /// A cost of what is shown of its parts, each as `part` makes it.
    fn composed(
        &self,
        which: Quantity,
        derivation: &Derivation,
        part: &PartOf,
        facts: &Facts,
    ) -> Option<Expr> {
        let of = |quantity: &Derived| part(&short(quantity)?);
        let totals = &derivation.totals;
        let operations = match which {
            Quantity::GpuCost => {
                // Waves are rounded up, ⌈k/(k'ℓ)⌉. Where the loop's variable is in k, that has no sum in few terms, and the waves
                // of all rounds together with one more for each are taken: k/(k'ℓ) + 1.
                let waves = self.in_waves(derivation, part, facts);
                let in_full_waves = || {
                    let [operations, resident] = derivation.full_waves.as_ref()?;
                    let letter = letter(CostSymbol::Occupancy);
                    let full = part(operations)?.substitute(&letter, resident);
                    Some(of(&totals.total_time)? + &full)
                };
                waves.or_else(in_full_waves)?
            }
            _ => of(&totals.total_time)?,
        };
        let transfer = short(&derivation.transfer_cost)?;
        let parts = [transfer, operations, of(&totals.io)?, of(&totals.rounds)?];
        totals::cost_of(parts.map(Amount::exact).each_ref()).upper
    }

    /// Σ ⌈k/(k'ℓ)⌉ t of what is shown of k and t, where no loop's variable is in either.
    fn in_waves(&self, derivation: &Derivation, part: &PartOf, facts: &Facts) -> Option<Expr> {
        let mut each = with_kernel(derivation).zip(self.each_time(derivation, facts)?);
        each.try_fold(Expr::zero(), |sum, (round, [time, times])| {
            let launched = self.settled(round, &round.counts.launched_mps, facts)?;
            let resident = derivation.resident(round)?;
            let waves = shares::waves(&launched, &resident) * part(&times)?;
            Some(&sum + (&waves * part(&time)?))
        })
    }
}

/// The form shown of a quantity, if it is closed.
fn short(quantity: &Derived) -> Option<Expr> {
    quantity.shown().filter(|shown| shown.is_closed()).cloned()
}

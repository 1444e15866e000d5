//! What stands beside formulas that nobody reads: for each one that takes more than two lines a short
//! one that it is nowhere above.

use std::cell::RefCell;
use std::cmp::Ordering;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::count::{OfRound, Quantity};
use crate::derivation::letters::letter;
use crate::derivation::{Derivation, Derived, DerivedRound, LoopRange, shares};
use crate::number::Rational;
use crate::program::{CostSymbol, Program};
use crate::sym::print::{Names, Printer};
use crate::sym::{Cond, Expr, Facts, Symbol, SymbolKind};
use crate::symbolic::amount::{Amount, FEW_ATOMS, FarOut};
use crate::symbolic::around::suppose_range;
use crate::symbolic::kernel::{KernelCount, LineCount};
use crate::symbolic::result::shared::{EVERYWHERE, Kind, Owner, Place, Scope, SharedBounds};
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

/// Formulas with what they are nowhere above.
pub(crate) struct PlainBounds {
    printer: Printer,
    /// b, which grows slower than all else.
    width: Symbol,
    found: SharedBounds,
    /// Where the formulas are that are looked at.
    here: Place,
    /// What is known everywhere.
    outer: Facts,
    /// How many characters formulas have: to write them takes long.
    lengths: RefCell<FxHashMap<Expr, usize>>,
}

impl PlainBounds {
    /// None yet; formulas are as long as they are in these names.
    pub(crate) fn new(names: &[(String, Expr)], width: Symbol, outer: &Facts) -> Self {
        let names = Names {
            definitions: names.to_vec(),
        };
        PlainBounds {
            printer: Printer::new(&names),
            width,
            found: SharedBounds::default(),
            here: EVERYWHERE,
            outer: outer.clone(),
            lengths: RefCell::default(),
        }
    }

    /// Those of a round and its lines, under what is known inside its loops.
    pub(crate) fn of_round(
        &mut self,
        program: &Program,
        (number, round): (usize, &DerivedRound),
        kernel: Option<&KernelCount>,
        facts: &Facts,
    ) {
        let variables = round.loops.iter().map(|range| range.symbol.clone());
        self.here = (
            round.when.clone().unwrap_or(Cond::True),
            variables.collect(),
        );
        let owner = |kind: Kind, scope: Scope| Owner {
            kind,
            scope,
            round: Some(number),
        };
        let other = owner(Kind::Other, Scope::Line);
        self.of(other, &round.count, None, facts);
        if let Some(charges) = &round.charges {
            let kinds = charges.kinds.iter().map(|(_, quantity)| quantity);
            let named = charges.named().map(|(_, quantity)| quantity);
            for quantity in kinds.chain(named) {
                self.of(other, quantity, None, facts);
            }
        }
        let counted = kernel.map_or(&[][..], |kernel| &kernel.lines);
        for (at, line) in round.lines.iter().enumerate() {
            let crude = counted.get(at).and_then(|line| line.crude.upper.as_ref());
            self.of(owner(Kind::Blocks, Scope::Line), &line.blocks, crude, facts);
            let reached = counted.get(at).map(|line| line.reached.each_ref());
            let [executions, operations] = match reached {
                Some(reached) => reached.map(|amount| amount.upper.as_ref()),
                None => [None, None],
            };
            self.of(other, &line.executions, executions, facts);
            let of_line = owner(Kind::Operations, Scope::Line);
            self.of(of_line, &line.operations, operations, facts);
            self.of(other, &line.conflicts, None, facts);
        }
        let crude = kernel.and_then(|kernel| kernel.crude.upper.as_ref());
        let blocks = owner(Kind::Blocks, Scope::Round);
        self.of(blocks, &round.counts.io, crude, facts);
        let lines = self.blocks_by_lines(round, facts);
        self.replace(blocks, &round.counts.io, lines, facts);
        // Those of an array and of t are those of its lines.
        for (which, quantity) in round.counts.all() {
            let of_array = owner(Kind::Blocks, Scope::Array);
            let (owner, crude) = match which {
                OfRound::Io => continue,
                OfRound::Time => (
                    owner(Kind::Operations, Scope::Round),
                    self.time_by_lines(round, counted),
                ),
                OfRound::Read(name) => (of_array, crude_of(program, counted, name, false)),
                OfRound::Written(name) => (of_array, crude_of(program, counted, name, true)),
                _ => (other, None),
            };
            self.of(owner, quantity, crude.as_ref(), facts);
        }
        self.here = EVERYWHERE;
    }

    /// `crude` is another bound, if there is one.
    fn of(&mut self, owner: Owner, quantity: &Derived, crude: Option<&Expr>, facts: &Facts) {
        self.within(TWO_LINES, owner, quantity, crude, facts);
    }

    /// A bound for a formula that takes more than so many characters.
    fn within(
        &mut self,
        room: usize,
        owner: Owner,
        quantity: &Derived,
        crude: Option<&Expr>,
        facts: &Facts,
    ) {
        let Some(upper) = &quantity.upper else {
            return;
        };
        // Of what is exact, a bound is one of its formula.
        let of_it = crude.filter(|crude| !quantity.is_exact() && *crude != upper);
        let mut found = std::mem::take(&mut self.found);
        let asked = found.meet(upper, &self.here, owner, of_it, |one, other| {
            if self.is_below([one, other], facts) {
                return Some(other.clone());
            }
            self.is_below([other, one], facts).then(|| one.clone())
        });
        self.found = found;
        let Some(asked) = asked else {
            return;
        };
        let is_exact = quantity.is_exact();
        let crude = if is_exact {
            crude.filter(|_| !asked.everywhere)
        } else {
            asked
                .other
                .as_ref()
                .or(crude.filter(|crude| *crude == upper))
        };
        // What is seen at a glance needs no other; but little thought may have said more.
        let says_more = crude.is_some_and(|crude| crude != upper);
        let is_open = !is_exact && upper.is_closed() && says_more;
        if upper.length() <= FEW_ATOMS && !is_open {
            return;
        }
        if asked.everywhere {
            self.find(room, quantity, crude, &self.outer.clone())
        } else {
            self.find(room, quantity, crude, facts)
        }
    }

    /// Looks for one, closer than the formula or shorter.
    fn find(&mut self, room: usize, quantity: &Derived, crude: Option<&Expr>, facts: &Facts) {
        let Some(upper) = &quantity.upper else {
            return;
        };
        let length = |expr: &Expr| self.length(expr);
        let long = length(upper);
        let is_read_as_it_is = long <= room && upper.is_closed();
        if is_read_as_it_is && (quantity.is_exact() || crude.is_none()) {
            return;
        }
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
        let crude = crude.and_then(as_short);
        if is_read_as_it_is {
            // But where no work was left to count it well, little thought may have said more.
            let says_more = |crude: &Expr| {
                let is_shorter = length(crude) < long;
                length(crude) <= room && self.grows_less([crude, upper], facts)
                    || is_shorter && self.is_below([crude, upper], facts)
            };
            let less = crude.filter(says_more);
            let unrounded = || {
                let unrounded = self.unrounded(upper, room, facts)?;
                let known = less.as_ref().unwrap_or(upper);
                self.reads_better([&unrounded, known], facts)
                    .then_some(unrounded)
            };
            let unrounded = (long > ONE_LINE).then(unrounded).flatten();
            let less = unrounded.or(less);
            if let Some(less) = less {
                self.found.insert(upper.clone(), less);
            }
            return;
        }
        let plain = facts.above(upper, Some(&self.width));
        let chosen = match (plain, crude) {
            (Some(plain), Some(crude)) => {
                if self.is_closer([&plain, &crude], room, facts) {
                    Some(plain)
                } else {
                    Some(crude)
                }
            }
            (plain, crude) => plain.or(crude),
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
        if let Some(chosen) = chosen.filter(|chosen| length(chosen) < long) {
            self.found.insert(upper.clone(), chosen);
        }
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
        let shown = round.lines.iter().map(|line| self.short(&line.operations));
        let reached = counted.iter().map(|line| line.reached[1].upper.clone());
        let each = [
            added(shown.collect(), ONE_LINE),
            added(reached.collect(), TWO_LINES),
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
        let each = touching.map(|line| self.short(&line.blocks));
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
            Some([time, self.short(&round.count)?])
        });
        each.collect()
    }

    /// What is shown of q in all rounds, where no loop's variable is in it.
    fn blocks_of_rounds(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
        let mut rounds = with_kernel(derivation);
        let total = rounds.try_fold(Expr::zero(), |sum, round| {
            let (blocks, times) = (self.short(&round.counts.io)?, self.short(&round.count)?);
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
            let (around, inside) = around(round, &facts.with_work(WORK_OF_A_TOTAL));
            let shown = self.short(&round.counts.io)?;
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
        let total = facts.with_work(WORK_OF_A_TOTAL).simplify(&total);
        facts.above(&total, Some(&self.width))
    }

    /// What is shown of a quantity of a round, if it is the same in all its iterations and nowhere negative.
    fn settled(&self, round: &DerivedRound, quantity: &Derived, facts: &Facts) -> Option<Expr> {
        let shown = self.short(quantity)?;
        let mut loops = round.loops.iter();
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
            let mut time = self.short(&round.counts.time)?;
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

/// Whose formula that of a total or a cost is.
fn owner_of(which: Quantity) -> Owner {
    let (kind, scope) = match which {
        Quantity::Io => (Kind::Blocks, Scope::Total),
        Quantity::Time => (Kind::Operations, Scope::Largest),
        Quantity::TotalTime => (Kind::Operations, Scope::Total),
        _ => (Kind::Other, Scope::Total),
    };
    Owner {
        kind,
        scope,
        // Costs are not parts of each other.
        round: (kind == Kind::Other).then_some(which as usize),
    }
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

/// What all lines that read (or write) an array touch at most, with little thought.
fn crude_of(program: &Program, lines: &[LineCount], name: &str, writes: bool) -> Option<Expr> {
    let mut sum = Amount::zero();
    for line in lines {
        if line.access.is_some_and(|(variable, is_write)| {
            is_write == writes && program.variable(variable).name == name
        }) {
            sum = sum.plus(&line.crude);
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
    fn is_closer(&self, [plain, crude]: [&Expr; 2], room: usize, facts: &Facts) -> bool {
        let [short, long] = [plain, crude].map(|bound| self.length(bound));
        if long > room && short < long {
            return true;
        }
        let is_below = || self.is_below([plain, crude], facts);
        match self.faster([plain, crude], facts) {
            Some(Ordering::Less) => true,
            Some(Ordering::Greater) => is_below(),
            Some(Ordering::Equal) | None => {
                if is_below() {
                    return true;
                }
                let is_less = self.is_less([plain, crude], facts);
                is_less.unwrap_or_else(|| short < long && !self.is_below([crude, plain], facts))
            }
        }
    }

    /// Whether the first of two bounds is provably no more.
    fn is_below(&self, [one, other]: [&Expr; 2], facts: &Facts) -> bool {
        let facts = facts.with_work(WORK_OF_A_TOTAL);
        facts.proves(&Cond::le(one, other))
    }

    /// Those found with those of all totals and costs, `offered` ones where they are closer; `settle` puts what is
    /// given for the letters of costs into one.
    pub(crate) fn with_totals(
        mut self,
        derivation: &Derivation,
        offered: &[(Quantity, Expr)],
        settle: &dyn Fn(&Expr) -> Expr,
        facts: &Facts,
    ) -> IndexMap<Expr, Expr> {
        self.with(derivation.all(), derivation, facts);
        let io = &derivation.totals.io;
        let form = io.upper.as_ref();
        match form.filter(|form| self.is_short(Quantity::Io, form)) {
            None => {
                if let Some(blocks) = self.blocks_by_round(derivation, facts) {
                    self.offer(Quantity::Io, &blocks, derivation, facts);
                }
                let blocks = self.blocks_of_rounds(derivation, facts);
                self.replace(owner_of(Quantity::Io), io, blocks, facts);
            }
            Some(form) if !io.is_exact() => {
                let known = self.found.get(form).unwrap_or(form);
                let blocks = self.blocks_by_round(derivation, facts);
                let is_better = |blocks: &Expr| {
                    blocks != known
                        && self.length(blocks) <= self.length(known)
                        && self.found.is_own(form, owner_of(Quantity::Io))
                        && self.is_below([blocks, known], facts)
                };
                if let Some(blocks) = blocks.filter(is_better) {
                    self.found.insert(form.clone(), blocks);
                }
            }
            Some(_) => {}
        }
        for (which, bound) in offered {
            self.offer(*which, bound, derivation, facts);
        }
        for which in [Quantity::Cost, Quantity::GpuCost] {
            self.of_parts(which, derivation, settle, facts);
        }
        self.found.into_map()
    }

    /// Those found with those of totals that are exact and closed.
    pub(crate) fn with_exact_totals(
        mut self,
        derivation: &Derivation,
        facts: &Facts,
    ) -> IndexMap<Expr, Expr> {
        let is_closed = |quantity: &Derived| {
            let upper = quantity.upper.as_ref();
            quantity.is_exact() && upper.is_some_and(Expr::is_closed)
        };
        let totals = derivation.totals.all().into_iter();
        let closed = totals.filter(|(_, quantity)| is_closed(quantity));
        self.with(closed, derivation, facts);
        self.found.into_map()
    }

    fn with<'d>(
        &mut self,
        quantities: impl Iterator<Item = (Quantity, &'d Derived)>,
        derivation: &Derivation,
        facts: &Facts,
    ) {
        let [blocks, cost, gpu_cost, by_full_waves] = &derivation.crude;
        let [time, total_time] = self.times(derivation, facts);
        for (which, quantity) in quantities {
            let room = room_of(which);
            let fits = |bound: &&Expr| self.is_short(which, bound);
            let crude = match which {
                Quantity::Time => time.as_ref(),
                Quantity::TotalTime => total_time.as_ref(),
                Quantity::Io => blocks.as_ref(),
                Quantity::Cost => cost.as_ref(),
                Quantity::GpuCost => gpu_cost.as_ref().filter(fits).or(by_full_waves.as_ref()),
                _ => None,
            };
            self.within(room, owner_of(which), quantity, crude, facts);
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
    fn offer(&mut self, which: Quantity, bound: &Expr, derivation: &Derivation, facts: &Facts) {
        let Some(upper) = &derivation.quantity(which).upper else {
            return;
        };
        let is_own = self.found.is_own(upper, owner_of(which));
        if self.is_short(which, upper) || !self.is_short(which, bound) || !is_own {
            return;
        }
        let known = self.found.get(upper);
        let says_more = |known: &Expr| {
            let both = [bound, known];
            match self.growths(both, facts) {
                Some([one, other]) if one < other => facts.less_at_points(both) != Some(false),
                Some([one, other]) if one > other => false,
                Some(_) | None => self.is_less(both, facts) == Some(true),
            }
        };
        if known.is_none_or(says_more) {
            self.found.insert(upper.clone(), bound.clone());
        }
    }

    /// Puts another bound in the place of a quantity's, if it is provably closer and no longer.
    fn replace(&mut self, owner: Owner, quantity: &Derived, bound: Option<Expr>, facts: &Facts) {
        let Some(upper) = &quantity.upper else {
            return;
        };
        let mut found = std::mem::take(&mut self.found);
        found.put_instead(upper, owner, bound, |bound, known| {
            bound != known
                && self.length(bound) <= self.length(known)
                && self.is_below([bound, known], facts)
        });
        self.found = found;
    }

    /// Of a cost that has a short bound: the one that the short bounds of its parts make, if it is closer.
    fn of_parts(
        &mut self,
        which: Quantity,
        derivation: &Derivation,
        settle: &dyn Fn(&Expr) -> Expr,
        facts: &Facts,
    ) {
        let upper = derivation.quantity(which).upper.as_ref();
        let closer = upper.and_then(|upper| {
            let known = self.found.get(upper)?;
            let room = room_of(which);
            let composed = self.shortly_composed(which, derivation, settle, facts)?;
            let both = [&composed, known];
            let is_closer = if self.length(&composed) <= room || self.length(known) > room {
                self.is_closer(both, room, facts)
            } else {
                // What is longer to read is worth it where it grows less only.
                self.faster(both, facts) == Some(Ordering::Less)
            };
            let is_own = self.found.is_own(upper, owner_of(which));
            (is_own && is_closer).then(|| (upper.clone(), composed))
        });
        if let Some((upper, closer)) = closer {
            self.found.insert(upper, closer);
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
        let of = |quantity: &Derived| part(&self.short(quantity)?);
        let totals = &derivation.totals;
        let operations = match which {
            Quantity::GpuCost => {
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
        let transfer = self.short(&derivation.transfer_cost)?;
        let parts = [transfer, operations, of(&totals.io)?, of(&totals.rounds)?];
        totals::cost_of(parts.map(Amount::exact).each_ref()).upper
    }

    /// What is shown of a quantity, or nothing where that is no closed form.
    fn short(&self, quantity: &Derived) -> Option<Expr> {
        let upper = quantity.upper.as_ref()?;
        let shown = self.found.get(upper).unwrap_or(upper);
        shown.is_closed().then(|| shown.clone())
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

//! Bounds from parts: of a round from its lines, of a program from its rounds.

use crate::derivation::{Derivation, Derived, DerivedRound, LoopRange};
use crate::sym::{Cond, Expr, Facts, Symbol, SymbolKind};
use crate::symbolic::around::suppose_range;
use crate::symbolic::kernel::LineCount;
use crate::symbolic::result::plain::{ONE_LINE, PlainBounds, TWO_LINES, short};
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;

impl PlainBounds {
    /// What is shown of the operations of all lines together, or what they are if no guard keeps cores from them,
    /// where that is short and not written in the number of an MP.
    pub(super) fn time_by_lines(
        &self,
        round: &DerivedRound,
        counted: &[LineCount],
    ) -> Option<Expr> {
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
    pub(super) fn blocks_by_lines(&self, round: &DerivedRound, facts: &Facts) -> Option<Expr> {
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
    pub(super) fn each_time(
        &self,
        derivation: &Derivation,
        facts: &Facts,
    ) -> Option<Vec<[Expr; 2]>> {
        let each = with_kernel(derivation).map(|round| {
            let time = self.settled(round, &round.counts.time, facts)?;
            Some([time, short(&round.count)?])
        });
        each.collect()
    }

    /// What is shown of q in all rounds, where no loop's variable is in it.
    pub(super) fn blocks_of_rounds(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
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
    pub(super) fn blocks_by_round(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
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
    pub(super) fn settled(
        &self,
        round: &DerivedRound,
        quantity: &Derived,
        facts: &Facts,
    ) -> Option<Expr> {
        let shown = short(quantity)?;
        let mut loops = round.loops.iter();
        // A negative bound times a number of rounds that is itself a bound is none: −1·(≤ 5) says nothing.
        let is_moving = loops.any(|range| shown.contains(&range.symbol));
        (!is_moving && facts.is_non_negative(&shown)).then_some(shown)
    }

    /// No more than the time of the costliest round, and of all rounds.
    pub(super) fn times(&self, derivation: &Derivation, facts: &Facts) -> [Option<Expr>; 2] {
        let all = self.each_time(derivation, facts).map(|each| {
            let each = each.iter();
            let all = each.fold(Expr::zero(), |sum, [time, times]| &sum + (time * times));
            facts.simplify(&all)
        });
        [self.longest(derivation, facts), all]
    }

    /// The most of what is shown of t in each round, where one of them is provably no less than the others.
    pub(super) fn longest(&self, derivation: &Derivation, facts: &Facts) -> Option<Expr> {
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
pub(super) fn around<'r>(
    round: &'r DerivedRound,
    facts: &Facts,
) -> (Vec<(&'r LoopRange, Facts)>, Facts) {
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
pub(super) fn is_summed_where_it_is(round: &DerivedRound, facts: &Facts) -> bool {
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

pub(super) fn with_kernel(derivation: &Derivation) -> impl Iterator<Item = &DerivedRound> {
    let rounds = derivation.rounds.iter();
    rounds.filter(|round| round.opens.is_some())
}

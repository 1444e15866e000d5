//! Bounds on the totals and costs of a program.

use std::cmp::Ordering;

use crate::count::Quantity;
use crate::derivation::letters::letter;
use crate::derivation::{Derivation, Derived, shares};
use crate::program::CostSymbol;
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::Amount;
use crate::symbolic::result::plain::rounds::with_kernel;
use crate::symbolic::result::plain::{
    ONE_LINE, PlainBounds, TWO_LINES, TWO_LINES_ALONE, full, short,
};
use crate::symbolic::result::totals::{self, WORK_OF_A_TOTAL};

/// What a part of a cost is put as.
type PartOf<'f> = dyn Fn(&Expr) -> Option<Expr> + 'f;

impl PlainBounds {
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

    pub(super) fn bound(
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
    pub(super) fn bound_blocks(&self, derivation: &mut Derivation, facts: &Facts) {
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
    pub(super) fn is_short(&self, which: Quantity, form: &Expr) -> bool {
        form.is_closed() && self.length(form) <= room_of(which)
    }

    /// Takes another bound of a quantity that has no short form, if it is closer than the one found.
    pub(super) fn offer(
        &self,
        which: Quantity,
        bound: &Expr,
        derivation: &mut Derivation,
        facts: &Facts,
    ) {
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

    /// Bounds a cost that has a short bound by the short bounds of its parts, if that is closer.
    pub(super) fn of_parts(
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
    pub(super) fn shortly_composed(
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
    pub(super) fn composed(
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
    pub(super) fn in_waves(
        &self,
        derivation: &Derivation,
        part: &PartOf,
        facts: &Facts,
    ) -> Option<Expr> {
        let mut each = with_kernel(derivation).zip(self.each_time(derivation, facts)?);
        each.try_fold(Expr::zero(), |sum, (round, [time, times])| {
            let launched = self.settled(round, &round.counts.launched_mps, facts)?;
            let resident = derivation.resident(round)?;
            let waves = shares::waves(&launched, &resident) * part(&times)?;
            Some(&sum + (&waves * part(&time)?))
        })
    }
}

/// The characters that a bound may have.
pub(super) fn room_of(which: Quantity) -> usize {
    match which {
        Quantity::Cost | Quantity::GpuCost => TWO_LINES_ALONE,
        _ => TWO_LINES,
    }
}

//! What the active cores touch together: the blocks of a global access, the bank conflict of a
//! shared operand, and how many meet on one word (language.md §4.2).
//!
//! Of an index `A + s·core` the two ends say all: with a stride up to b every block between the
//! first and the last core's is touched, with a wider one each core has a block of its own, so it is
//! the smaller of both numbers, whatever s. Where only some cores of an interval are active, or the
//! index is no such form, the ends still bound it, and one block or one window of b words is exact.
//! An index that only rises, or only falls, from the first core to the last touches every block between
//! the two as long as no step passes over one.

use crate::derivation::{BlockRule, Moves};
use crate::sym::{Cond, Expr};
use crate::symbolic::active::{Active, Stride};
use crate::symbolic::amount::Amount;

impl Active {
    /// Blocks that the active cores touch at word offsets `index`, with the rule that counted them;
    /// `None` when nothing better than one a core is known.
    pub(crate) fn blocks(&self, index: &Expr) -> Option<(Amount, BlockRule)> {
        let index = self.in_row(self.facts.simplify(index));
        let one = Expr::one();
        // The rules from the plainest to the rest; the first that fits decides. For b = 4 and the cores 0..3:
        // `a[7]` is one word, so one block. `a[4i + j]` begins at a multiple of b, so one block. `a[4i + j + 1]` goes from
        // word 1 of a block to word 0 of the next, so two. `a[8j]` has a block for each core, so four.
        let stride = self.stride(&index);
        if matches!(stride, Stride::Uniform) {
            return Some((Amount::exact(one), BlockRule::OneWord));
        }
        let block = self.facts.simplify(&index.floor_div(&self.width)?);
        if !block.contains(&self.core) {
            let moves = match &stride {
                Stride::By(slope) if is_unit(slope) => Some(Moves::Aligned),
                Stride::By(slope) => Some(Moves::By(without_minus(slope))),
                Stride::Uniform | Stride::Irregular => None,
            };
            return Some((Amount::exact(one), BlockRule::OneBlock(moves)));
        }
        let (step, is_linear) = match &stride {
            Stride::By(slope) => (slope.clone(), true),
            Stride::Uniform | Stride::Irregular => (self.step(&index), false),
        };
        let by_rows = if is_linear {
            None
        } else {
            self.blocks_in_rows(&index)
        };
        if by_rows
            .as_ref()
            .is_some_and(|(amount, _)| amount.is_exact())
        {
            return by_rows;
        }
        if !is_linear && !self.has_ends() {
            let gently = || {
                Some((
                    Amount::between(one, self.most_gently(&index)?),
                    BlockRule::FirstToLast,
                ))
            };
            return by_rows.or_else(gently);
        }
        if !is_linear {
            // Blocks are only skipped by steps of more than b words.
            let is_narrow = |step: &Expr| {
                let magnitude = self.magnitude(step);
                Some(self.knows(&Cond::le(&magnitude?, &self.width)))
            };
            let between = || Some((is_narrow(&step)?, self.blocks_between(&index)?));
            return match (between(), by_rows) {
                (Some((true, narrow)), _) => Some((Amount::exact(narrow), BlockRule::FirstToLast)),
                (_, Some(by_rows)) => Some(by_rows),
                (narrow, None) => {
                    let most = match (self.most_gently(&index), narrow) {
                        (Some(few), _) => few,
                        (None, Some((_, narrow))) => Expr::min(vec![narrow, self.span()]),
                        (None, None) => return None,
                    };
                    Some((Amount::between(one, most), BlockRule::FirstToLast))
                }
            };
        }
        // From here on the index is A + s·j. With |s| ≤ b no step passes over a block, so all blocks from the first
        // core's to the last's are touched. With |s| ≥ b no two cores share a block. At |s| = b both hold.
        let narrow = self.blocks_between(&index)?;
        let magnitude = self.magnitude(&step).unwrap_or_else(|| step.abs());
        if self.knows(&Cond::ge(&magnitude, &self.width)) {
            return Some((self.count(), BlockRule::Apart(without_minus(&step))));
        }
        let blocks = if self.knows(&Cond::le(&magnitude, &self.width)) {
            narrow
        } else {
            let in_step = || self.blocks_in_step(&index, &step);
            in_step().unwrap_or_else(|| self.fewer(narrow, &magnitude))
        };
        let rule = BlockRule::Even(self.moves(&index, &step), blocks.clone());
        let amount = if self.has_ends() {
            Amount::exact(blocks)
        } else {
            Amount::between(one, blocks)
        };
        Some((amount, rule))
    }

    /// The most blocks that the active cores touch, wherever in a block the first one's word lies, for
    /// an index that moves evenly with the core.
    pub(crate) fn blocks_anywhere(&self, index: &Expr) -> Option<Expr> {
        let Stride::By(step) = self.stride(index) else {
            return None;
        };
        let reach = step.abs() * (self.span() - 1);
        let blocks = reach.div(&self.width)?.ceil() + 1;
        Some(self.facts.simplify(&blocks))
    }

    /// Two, if the index moves by at most one word from each core to the next, in either direction. Cores of the
    /// interval that are not active count, too. The words of b cores then lie among b neighbouring words, and those
    /// lie in two blocks at most. Otherwise `None`.
    fn most_gently(&self, index: &Expr) -> Option<Expr> {
        let throughout = self.throughout();
        let step = throughout.simplify(&self.moved(index));
        let is_gentle = [Expr::one() - &step, Expr::one() + &step];
        let is_gentle = is_gentle
            .iter()
            .all(|room| throughout.is_non_negative(room));
        is_gentle.then(|| Expr::int(2))
    }

    pub(super) fn knows(&self, cond: &Cond) -> bool {
        self.facts.prove(cond) == Some(true)
    }

    /// |step|, when its sign is known.
    pub(super) fn magnitude(&self, step: &Expr) -> Option<Expr> {
        let zero = Expr::zero();
        if self.knows(&Cond::ge(step, &zero)) {
            Some(step.clone())
        } else {
            self.knows(&Cond::le(step, &zero)).then(|| step.neg())
        }
    }

    /// The number of blocks from the first core's to the last's, both included.
    fn blocks_between(&self, index: &Expr) -> Option<Expr> {
        let at = |core: &Expr| {
            let offset = index.substitute(&self.core, core);
            offset
                .floor_div(&self.width)
                .expect("b is a symbol or at least 1")
        };
        let between = match (self.course(index), self.stride(index)) {
            (Some(course), _) => {
                let (least, most) = self.least_and_most(course, &at);
                &most - &least
            }
            (None, Stride::By(_)) => (at(&self.last()) - at(&self.first())).abs(),
            (None, Stride::Uniform | Stride::Irregular) => return None,
        };
        Some(self.facts.simplify(&(&between + 1)))
    }

    /// The smaller of the blocks between the ends and one a core, as plain as is known.
    fn fewer(&self, narrow: Expr, magnitude: &Expr) -> Expr {
        let span = self.span();
        // The form for |s| ≤ b may read better once that is known: ⌊s·3/4⌋ + 1. It stands for both cases only if it is
        // the smaller one wherever |s| ≤ b and the larger one wherever |s| ≥ b. Then the minimum picks the right case.
        let (mut up_to, mut beyond) = (self.facts.clone(), self.facts.clone());
        up_to.suppose(&Cond::le(magnitude, &self.width));
        beyond.suppose(&Cond::ge(magnitude, &self.width));
        let plain = up_to.simplify(&narrow);
        let is_same = up_to.prove(&Cond::le(&plain, &span)) == Some(true)
            && beyond.prove(&Cond::ge(&plain, &span)) == Some(true);
        let fewer = if is_same { plain } else { narrow };
        self.facts.simplify(&Expr::min(vec![fewer, span]))
    }

    /// The blocks of an index in rows of cores.
    fn blocks_in_rows(&self, index: &Expr) -> Option<(Amount, BlockRule)> {
        self.blocks_by_size(index)
            .or_else(|| self.blocks_of_ring(index))
            .or_else(|| self.blocks_by_rows(index, &self.width))
    }

    /// An index without what the cores of an MP have in common: ⌊(ib + j)/d⌋ is ⌊ib/d⌋ where b divides d.
    fn in_row(&self, index: Expr) -> Expr {
        let core = Expr::symbol(self.own_core());
        let is_of_mp = || {
            self.knows(&Cond::ge(&core, &Expr::zero())) && self.knows(&Cond::lt(&core, &self.width))
        };
        if !matches!(self.stride(&index), Stride::Irregular) || !is_of_mp() {
            return index;
        }
        let inside = self
            .facts
            .without_digit(&index, self.own_core(), &self.width);
        if inside == index {
            index
        } else {
            self.facts.simplify(&inside)
        }
    }

    /// The blocks from one that the first core's word begins, where a step is part of a block or so many of them.
    fn blocks_in_step(&self, index: &Expr, step: &Expr) -> Option<Expr> {
        // Words 0, s, 2s, … of N cores, s and b powers of 2: up to s = b the N·s words from the first one lie in ⌈N·s/b⌉
        // blocks, from there on each core has one of its own. The smaller number is the right one on either side.
        let first = index.substitute(&self.core, &self.first());
        let is_usable = self.facts.are_powers_of_one_base(step, &self.width)
            && self.knows(&Cond::divides(&self.width, &first));
        let span = self.span();
        let words = (&span * step).div(&self.width).filter(|_| is_usable)?;
        let fewer = Expr::min(vec![self.facts.simplify(&words.ceil()), span]);
        Some(self.facts.simplify(&fewer))
    }

    fn moves(&self, index: &Expr, step: &Expr) -> Moves {
        if !is_unit(step) {
            return Moves::By(without_minus(step));
        }
        let first = index.substitute(&self.core, &self.first());
        let past = first.modulo(&self.width).unwrap_or_default();
        let past = self.facts.simplify(&past);
        if past.is_zero() {
            Moves::Aligned
        } else {
            Moves::Unaligned(past)
        }
    }

    /// The bank conflict (degree − 1) of a shared operand at word offsets `index`: at stride s the
    /// r active cores meet ⌈r·gcd(s, b)/b⌉ to a bank, and a broadcast never conflicts.
    pub(crate) fn conflicts(&self, index: &Expr) -> Option<Amount> {
        let index = self.facts.simplify(index);
        let slope = match self.stride(&index) {
            Stride::Uniform => return Some(Amount::zero()),
            Stride::By(slope) => slope,
            Stride::Irregular => return self.is_one_window(&index).then(Amount::zero),
        };
        let one = Expr::one();
        if is_unit(&slope) || self.is_unit_of_all(&index) {
            return Some(Amount::zero());
        }
        let zero = Expr::zero();
        let magnitude = self.magnitude(&slope).unwrap_or_else(|| slope.clone());
        let common = self.facts.simplify(&Expr::gcd(&magnitude, &self.width));
        if common == one || self.is_one_window(&index) {
            return Some(Amount::zero());
        }
        // At stride s the words of cores j and j' share a bank if b divides s·(j − j'), so if b/gcd(s, b) divides
        // j − j'. Of r cores in a row ⌈r/(b/gcd(s, b))⌉ are in the fullest bank: 4 cores with b = 4 at stride 2 meet
        // in pairs, so the degree is 2 and the conflict 1. At stride 0 all read one word, which is a broadcast.
        let shared = (self.span() * &common).div(&self.width)?;
        let moves = match self.facts.prove(&Cond::ne(&slope, &zero)) {
            Some(true) => one.clone(),
            Some(false) => return Some(Amount::zero()),
            None => Expr::bracket(Cond::ne(&slope, &zero)),
        };
        let conflicts = &moves * self.facts.simplify(&(shared.ceil() - &one));
        let conflicts = self.facts.simplify(&conflicts);
        Some(if self.has_ends() {
            Amount::exact(conflicts)
        } else {
            Amount::between(zero, conflicts)
        })
    }

    /// Whether the cores would have neighbouring words if none of them waited: those of some are in as many
    /// banks.
    fn is_unit_of_all(&self, index: &Expr) -> bool {
        let own = self.own(index).map(|own| self.facts.simplify(&own));
        let step = own.and_then(|own| self.own_step(&own));
        step.is_some_and(|step| is_unit(&step))
    }

    /// What an expression in the cores' own index grows by from core to core, where that is the same for all.
    pub(super) fn own_step(&self, own: &Expr) -> Option<Expr> {
        let core = self.own_core();
        let [rest, step] = own.linear_in(core)?;
        (!rest.contains(core)).then_some(step)
    }

    /// Whether all offsets lie within b words of each other: then no two words share a bank.
    fn is_one_window(&self, index: &Expr) -> bool {
        let zero = Expr::zero();
        let fits = |value: &Expr| {
            self.knows(&Cond::ge(value, &zero)) && self.knows(&Cond::lt(value, &self.width))
        };
        if fits(index) {
            return true;
        }
        let moved = self
            .facts
            .simplify(&(index - index.substitute(&self.core, &zero)));
        fits(&moved) || fits(&moved.neg())
    }

    /// The largest number of active cores on one word at offsets `index`.
    pub(crate) fn contention(&self, index: &Expr) -> Option<Amount> {
        let index = self.facts.simplify(index);
        let (zero, one) = (Expr::zero(), Expr::one());
        match self.stride(&index) {
            Stride::Uniform => Some(self.count()),
            Stride::By(slope) => match self.facts.prove(&Cond::eq(&slope, &zero)) {
                Some(false) => Some(Amount::exact(one)),
                Some(true) => Some(self.count()),
                None => {
                    let stays = Amount::exact(Expr::bracket(Cond::eq(&slope, &zero)));
                    let more = Amount::exact(one.neg()).plus(&self.count());
                    Some(Amount::exact(one).plus(&stays.times(&more)))
                }
            },
            Stride::Irregular => self.grouped(&index),
        }
    }

    /// Cores that meet on `A + a·⌊(core + c)/m⌋`, or on `core mod m`.
    fn grouped(&self, index: &Expr) -> Option<Amount> {
        let (rest, factor, inner) = index.around_floor(&self.core)?;
        let [offset, slope] = inner.linear_in(&self.core)?;
        let size = self.facts.simplify(&Expr::one().div(&slope)?);
        let (one, zero) = (Expr::one(), Expr::zero());
        if !self.knows(&Cond::ge(&size, &one)) || !self.facts.is_integer(&size) || !self.has_ends()
        {
            return None;
        }
        let coefficients = rest.coefficients(&self.core)?;
        let amount = match &*coefficients {
            [] | [_] if self.knows(&Cond::ne(&factor, &zero)) => {
                let most = Expr::min(vec![self.span(), size.clone()]);
                let start = &offset + (self.first() * &slope);
                if self.facts.is_integer(&start) {
                    Amount::exact(most)
                } else {
                    Amount::between(one, most)
                }
            }
            // core − m·⌊(core + c)/m⌋ for whole c
            [_, moves] if *moves == one && factor == size.neg() => {
                if !self.facts.is_integer(&(&offset * &size)) {
                    return None;
                }
                Amount::exact(self.span().div(&size)?.ceil())
            }
            _ => return None,
        };
        Some(amount.map(|end| self.facts.simplify(end)))
    }
}

pub(super) fn is_unit(slope: &Expr) -> bool {
    slope.is_one() || slope.neg().is_one()
}

/// |s|, as far as its sign shows in how it is written.
fn without_minus(slope: &Expr) -> Expr {
    if slope.to_string().starts_with('-') {
        slope.neg()
    } else {
        slope.clone()
    }
}

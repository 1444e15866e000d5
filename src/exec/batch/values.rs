//! Places and values of a batch: an offset or a word per active core, in the order of
//! [`each`](Part::each).

use crate::check::program::Arithmetic;
use crate::exec::Data;
use crate::exec::batch::masks::Active;
use crate::exec::batch::rows::{Rows, copy};
use crate::exec::batch::steps::NOTE;
use crate::exec::batch::{Part, Register, Stop};
use crate::exec::memory::Admitted;
use crate::exec::plan::{At, Floats, Form, Ints, Place, Truths};
use crate::exec::value;
use crate::exec::vector::bits;
use crate::syntax::ast::Comparison;

type Result<T> = std::result::Result<T, Stop>;

/// A word per active core.
pub(super) enum Lanes {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Lanes {
    /// Whether a declared range admits all of them.
    pub(super) fn is_admitted(&self, range: Option<&Admitted>) -> bool {
        match (range, self) {
            (None, _) => true,
            (Some(range), Lanes::Ints(lanes)) => lanes.iter().all(|&lane| range.admits_int(lane)),
            (Some(range), Lanes::Floats(lanes)) => {
                lanes.iter().all(|&lane| range.admits_float(lane))
            }
        }
    }

    fn same(&self, one: usize, other: usize) -> bool {
        match self {
            Lanes::Ints(lanes) => lanes[one] == lanes[other],
            Lanes::Floats(lanes) => value::same_bits(lanes[one], lanes[other]),
        }
    }
}

/// What a core holds: a whole number or a float.
pub(super) trait Word: Copy + Default {
    /// Vectors of them to be used again.
    fn pool<'p>(part: &'p mut Part<'_, '_>) -> &'p mut Vec<Vec<Self>>;
}

impl Word for i64 {
    fn pool<'p>(part: &'p mut Part<'_, '_>) -> &'p mut Vec<Vec<i64>> {
        &mut part.ints
    }
}

impl Word for f64 {
    fn pool<'p>(part: &'p mut Part<'_, '_>) -> &'p mut Vec<Vec<f64>> {
        &mut part.floats
    }
}

/// A quantity of the active cores.
pub(super) enum Dense<T> {
    /// The same for all.
    Same(T),
    /// One each.
    Lanes(Vec<T>),
}

impl Rows {
    /// The same rows in memory that starts this much further on.
    pub(super) fn back(self, start: usize) -> Rows {
        Rows {
            first: self.first.wrapping_sub(start),
            ..self
        }
    }
}

impl Part<'_, '_> {
    pub(super) fn free(&mut self, lanes: Lanes) {
        match lanes {
            Lanes::Ints(lanes) => self.ints.push(lanes),
            Lanes::Floats(lanes) => self.floats.push(lanes),
        }
    }

    fn empty<T: Word>(&mut self) -> Vec<T> {
        let mut lanes = T::pool(self).pop().unwrap_or_default();
        lanes.clear();
        lanes
    }

    /// The MP of an active core by its place in the order of all.
    pub(super) fn mp_of(&self, active: &Active, at: usize) -> usize {
        match active {
            Active::Range(low, high) => at / (high - low),
            Active::List(cores) => at / cores.len(),
            Active::Each(lanes) => lanes[at] as usize / self.cores,
        }
    }

    /// Whether all indices of active cores are within their extents.
    fn inside(&self, checked: &[(Form, i64)], active: &Active) -> bool {
        let own = self.plan.dimensions - 1;
        checked.iter().all(|(form, extent)| {
            let (base, step) = (form.at(&self.slots), form.factor(own));
            let within = |value: i64| 0 <= value && value < *extent;
            if let Active::Each(_) = active {
                let mut all = true;
                self.each(active, |mp, core| {
                    all &= within(base + step * mp as i64 + form.core * core as i64);
                });
                return all;
            }
            let (first, last) = self.ends(active);
            let mp_end = step * (self.width as i64 - 1);
            [first, last].iter().all(|core| {
                let value = base + form.core * core;
                within(value) && within(value + mp_end)
            })
        })
    }

    /// The rows of a place, every index within its extent; `None` where it has none.
    pub(super) fn rows(&self, place: &Place, active: &Active) -> Result<Option<Rows>> {
        let (
            At::Line {
                offset,
                checked,
                step,
                ..
            },
            Active::Range(low, _),
        ) = (&place.at, active)
        else {
            return Ok(None);
        };
        if !self.inside(checked, active) {
            return Err(Stop::Bail);
        }
        let first = offset.at(&self.slots) + offset.core * *low as i64;
        Ok(Some(Rows {
            first: first as usize,
            step: *step as isize,
            stride: offset.core as isize,
        }))
    }

    /// The offset of every active core in a shared array of the batch.
    pub(super) fn shared_offsets(&mut self, place: &Place, active: &Active) -> Result<Vec<i64>> {
        let mut offsets = self.global_offsets(place, active)?;
        if let At::Each(_) = place.at {
            let words = self.shared[place.array].words as i64;
            let mut at = 0;
            self.each(active, |mp, _| {
                offsets[at] += words * mp as i64;
                at += 1;
            });
        }
        Ok(offsets)
    }

    /// The offset of every active core.
    pub(super) fn global_offsets(&mut self, place: &Place, active: &Active) -> Result<Vec<i64>> {
        match &place.at {
            At::Line {
                offset,
                checked,
                step,
                ..
            } => {
                if !self.inside(checked, active) {
                    return Err(Stop::Bail);
                }
                let mut offsets = self.empty();
                let (base, core_step) = (offset.at(&self.slots), offset.core);
                self.each(active, |mp, core| {
                    offsets.push(base + step * mp as i64 + core_step * core as i64);
                });
                Ok(offsets)
            }
            At::Each(indices) => {
                let lanes = self.lanes(active);
                let mut offsets = self.empty();
                offsets.resize(lanes, 0);
                for (index, extent, stride) in indices {
                    let index = self.ints(index, active)?;
                    let index = self.lanes_of(index, active);
                    let mut outside = false;
                    for index in &index {
                        outside |= *index as u64 >= *extent as u64;
                    }
                    if outside {
                        return Err(Stop::Bail);
                    }
                    if let ([_], 1) = (indices.as_slice(), *stride) {
                        self.ints.push(offsets);
                        return Ok(index);
                    }
                    for (offset, &index) in offsets.iter_mut().zip(&index) {
                        *offset += index * stride;
                    }
                    self.ints.push(index);
                }
                Ok(offsets)
            }
        }
    }

    /// Blocks that rows of a global array touch, over all MPs.
    pub(super) fn blocks(&self, rows: Rows, count: usize) -> u64 {
        let block = self.cores;
        let width = self.width;
        let stride = rows.stride.unsigned_abs();
        if stride == 0 || count == 1 {
            return width as u64;
        }
        if stride >= block {
            return (width * count) as u64;
        }
        let of_row = |mp: usize| {
            let (one, other) = (rows.start(mp), rows.word(mp, count - 1));
            ((one / block).abs_diff(other / block) + 1) as u64
        };
        if rows.step.unsigned_abs().is_multiple_of(block) {
            return of_row(0) * width as u64;
        }
        (0..width).map(of_row).sum()
    }

    /// Blocks that offsets touch, MP by MP.
    pub(super) fn blocks_of(&mut self, offsets: &[i64], active: &Active) -> u64 {
        let block = self.cores as u64;
        let shift = block.is_power_of_two().then(|| block.trailing_zeros());
        let (mut start, mut sum) = (0, 0);
        for end in self.groups(active) {
            self.seen.begin();
            for &offset in &offsets[start..end] {
                let offset = offset as u64;
                let number = match shift {
                    Some(shift) => offset >> shift,
                    None => offset / block,
                };
                sum += u64::from(self.seen.insert(number));
            }
            start = end;
        }
        sum
    }

    /// Counts the bank conflicts of a shared operand whose words are evenly spaced, or any.
    pub(super) fn conflicts(&mut self, place: &Place, active: &Active) {
        let At::Line { period, .. } = place.at else {
            unreachable!("rows are lines")
        };
        if period < self.cores
            && let At::Line { offset, .. } = &place.at
            && offset.core != 0
            && let Active::Range(low, high) = active
        {
            self.counts.conflicts += ((high - low - 1) / period * self.width) as u64;
        }
    }

    /// Counts the bank conflicts of a shared operand.
    pub(super) fn conflicts_at(&mut self, place: &Place, offsets: &[i64], active: &Active) {
        if let At::Line { period, offset, .. } = &place.at {
            if offset.core == 0 || *period == self.cores {
                return;
            }
            if let Active::Range(..) = active {
                return self.conflicts(place, active);
            }
        }
        let banks = self.cores;
        let mut start = 0;
        let mut sum = 0;
        for end in self.groups(active) {
            let own = (self.mp_of(active, end - 1) * self.shared[place.array].words) as i64;
            let array = &mut self.shared[place.array];
            let epoch = array.begin() << 32;
            let mut degree = 0;
            for offset in &offsets[start..end] {
                let at = (offset - own) as usize;
                if array.marks[at] != epoch {
                    array.marks[at] = epoch;
                    let words = &mut self.in_bank[at % banks];
                    *words += 1;
                    degree = degree.max(*words);
                }
            }
            for offset in &offsets[start..end] {
                self.in_bank[(offset - own) as usize % banks] = 0;
            }
            sum += u64::from(degree.saturating_sub(1));
            start = end;
        }
        self.counts.conflicts += sum;
    }

    /// Whether every word at the offsets of a shared array was written.
    pub(super) fn are_written(&self, array: usize, offsets: &[i64], active: &Active) -> bool {
        let shared = &self.shared[array];
        if shared.written.left() == 0 {
            return true;
        }
        let mut all = true;
        let mut at = 0;
        self.each(active, |mp, _| {
            all &= shared.written.get(offsets[at] as usize - mp * shared.words);
            at += 1;
        });
        all
    }

    /// Whether no two cores of an MP write different values to one word of global memory.
    pub(super) fn is_one_value_each(
        &self,
        place: &Place,
        offsets: &[i64],
        value: &Lanes,
        active: &Active,
    ) -> bool {
        if let At::Line { offset, .. } = &place.at
            && offset.core != 0
        {
            return true;
        }
        let mut start = 0;
        let mut order: Vec<usize> = Vec::new();
        for end in self.groups(active) {
            order.clear();
            order.extend(start..end);
            order.sort_unstable_by_key(|&at| offsets[at]);
            let clash = order
                .windows(2)
                .any(|pair| offsets[pair[0]] == offsets[pair[1]] && !value.same(pair[0], pair[1]));
            if clash {
                return false;
            }
            start = end;
        }
        true
    }

    /// As [`is_one_value_each`](Self::is_one_value_each), for shared memory.
    fn is_one_value_each_shared(
        &mut self,
        place: &Place,
        offsets: &[i64],
        value: &Lanes,
        active: &Active,
    ) -> bool {
        if let At::Line { offset, .. } = &place.at
            && offset.core != 0
        {
            return true;
        }
        let mut start = 0;
        for end in self.groups(active) {
            let own = (self.mp_of(active, end - 1) * self.shared[place.array].words) as i64;
            let array = &mut self.shared[place.array];
            let epoch = array.begin();
            for (at, &offset) in (start..end).zip(&offsets[start..end]) {
                let mark = &mut array.marks[(offset - own) as usize];
                if *mark >> 32 != epoch {
                    *mark = epoch << 32 | (at - start) as u64;
                } else if !value.same(start + (*mark & NOTE) as usize, at) {
                    return false;
                }
            }
            start = end;
        }
        true
    }

    /// Writes a value per active core to shared memory.
    pub(super) fn write(&mut self, target: &Place, value: Lanes, active: &Active) -> Result<()> {
        if let Active::Range(low, high) = *active
            && let Some(to) = self.rows(target, active)?
            && to.stride == 1
            && self.launch.admitted[target.variable.0 as usize].is_none()
            && self.write_rows(target.array, to, &value, high - low)?
        {
            self.free(value);
            return Ok(());
        }
        let offsets = self.shared_offsets(target, active)?;
        self.conflicts_at(target, &offsets, active);
        let value = match (value, &self.shared[target.array].data) {
            (Lanes::Ints(ints), Data::Float(_)) => {
                let mut floats = self.empty();
                floats.extend(ints.iter().map(|&int| int as f64));
                self.ints.push(ints);
                Lanes::Floats(floats)
            }
            (value, _) => value,
        };
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        if !value.is_admitted(admitted)
            || !self.is_one_value_each_shared(target, &offsets, &value, active)
        {
            return Err(Stop::Bail);
        }
        self.mark_offsets(target, &offsets, active)?;
        let array = &mut self.shared[target.array];
        array.magnitude = None;
        match (&mut array.data, &value) {
            (Data::Int(words), Lanes::Ints(values)) => {
                for (&at, value) in offsets.iter().zip(values) {
                    words[at as usize] = *value;
                }
            }
            (Data::Float(words), Lanes::Floats(values)) => {
                for (&at, value) in offsets.iter().zip(values) {
                    words[at as usize] = *value;
                }
            }
            (Data::Int(_) | Data::Float(_), _) => {
                unreachable!("checked: floats do not become ints")
            }
        }
        self.ints.push(offsets);
        self.free(value);
        Ok(())
    }

    /// Writes neighbouring words; `false` where they are of another type.
    fn write_rows(&mut self, array: usize, to: Rows, value: &Lanes, count: usize) -> Result<bool> {
        let shape = (self.width, count);
        let from = Rows {
            first: 0,
            step: count as isize,
            stride: 1,
        };
        let target = &mut self.shared[array];
        match (&mut target.data, value) {
            (Data::Int(words), Lanes::Ints(lanes)) => copy(words, to, lanes, from, shape),
            (Data::Float(words), Lanes::Floats(lanes)) => copy(words, to, lanes, from, shape),
            (Data::Int(_) | Data::Float(_), _) => return Ok(false),
        }
        target.magnitude = None;
        self.mark_rows(array, to, count)?;
        Ok(true)
    }

    /// Notes that shared words are written; `Split` where it would differ between the MPs.
    fn mark_offsets(&mut self, place: &Place, offsets: &[i64], active: &Active) -> Result<()> {
        let width = self.width;
        if self.shared[place.array].written.left() == 0 {
            return Ok(());
        }
        let (words, count) = (self.shared[place.array].words, offsets.len());
        let alike = width == 1
            || match (&place.at, active) {
                (At::Line { step, .. }, Active::Range(..) | Active::List(_)) => {
                    *step == words as i64
                }
                (At::Line { .. } | At::Each(_), _) => false,
            };
        if !alike {
            return match self.are_written(place.array, offsets, active) {
                true => Ok(()),
                false => Err(Stop::Split),
            };
        }
        let written = &mut self.shared[place.array].written;
        for offset in &offsets[..count / width] {
            written.mark(*offset as usize, 1);
        }
        Ok(())
    }

    pub(super) fn read_ints(&mut self, place: &Place, active: &Active) -> Result<Lanes> {
        let value = self.read(place, active)?;
        Ok(Lanes::Ints(self.lanes_of(value, active)))
    }

    pub(super) fn read_floats(&mut self, place: &Place, active: &Active) -> Result<Lanes> {
        let value = self.read_float(place, active)?;
        Ok(Lanes::Floats(self.lanes_of(value, active)))
    }

    fn read(&mut self, place: &Place, active: &Active) -> Result<Dense<i64>> {
        if let Active::Range(low, high) = *active
            && let Some(from) = self.rows(place, active)?
        {
            if !self.is_read_written(place.array, from, high - low) {
                return Err(Stop::Bail);
            }
            self.conflicts(place, active);
            let mut lanes = self.empty();
            let Data::Int(words) = &self.shared[place.array].data else {
                unreachable!("an int is read")
            };
            if from.stride == 0 && self.width == 1 {
                return Ok(Dense::Same(words[from.first]));
            }
            take(words, from, (self.width, high - low), &mut lanes);
            return Ok(Dense::Lanes(lanes));
        }
        let mut offsets = self.shared_offsets(place, active)?;
        self.conflicts_at(place, &offsets, active);
        if !self.are_written(place.array, &offsets, active) {
            return Err(Stop::Bail);
        }
        let Data::Int(words) = &self.shared[place.array].data else {
            unreachable!("an int is read")
        };
        for offset in &mut offsets {
            *offset = words[*offset as usize];
        }
        Ok(Dense::Lanes(offsets))
    }

    fn read_float(&mut self, place: &Place, active: &Active) -> Result<Dense<f64>> {
        if let Active::Range(low, high) = *active
            && let Some(from) = self.rows(place, active)?
        {
            if !self.is_read_written(place.array, from, high - low) {
                return Err(Stop::Bail);
            }
            self.conflicts(place, active);
            let mut lanes = self.empty();
            let Data::Float(words) = &self.shared[place.array].data else {
                unreachable!("a float is read")
            };
            if from.stride == 0 && self.width == 1 {
                return Ok(Dense::Same(words[from.first]));
            }
            take(words, from, (self.width, high - low), &mut lanes);
            return Ok(Dense::Lanes(lanes));
        }
        let offsets = self.shared_offsets(place, active)?;
        self.conflicts_at(place, &offsets, active);
        if !self.are_written(place.array, &offsets, active) {
            return Err(Stop::Bail);
        }
        let mut lanes = self.empty();
        let Data::Float(words) = &self.shared[place.array].data else {
            unreachable!("a float is read")
        };
        lanes.extend(offsets.iter().map(|&at| words[at as usize]));
        self.ints.push(offsets);
        Ok(Dense::Lanes(lanes))
    }

    /// A whole number per active core.
    pub(super) fn ints(&mut self, node: &Ints, active: &Active) -> Result<Dense<i64>> {
        match node {
            Ints::Form(form) => {
                let (base, core_step) = (form.at(&self.slots), form.core);
                let step = form.factor(self.plan.dimensions - 1);
                if core_step == 0 && (step == 0 || self.width == 1) {
                    return Ok(Dense::Same(base));
                }
                let mut lanes = self.empty();
                self.each(active, |mp, core| {
                    lanes.push(base + step * mp as i64 + core_step * core as i64);
                });
                Ok(Dense::Lanes(lanes))
            }
            Ints::Table(table) => {
                let mut lanes = self.empty();
                self.each(active, |_, core| lanes.push(table[core]));
                Ok(Dense::Lanes(lanes))
            }
            Ints::Read(place) => self.read(place, active),
            Ints::Register(register) => {
                let mut lanes = self.empty();
                let Some(Register::Ints(held)) = &self.registers[*register] else {
                    return Err(Stop::Bail);
                };
                let cores = self.cores;
                if self.is_everyone(active) {
                    lanes.extend_from_slice(held);
                    return Ok(Dense::Lanes(lanes));
                }
                self.each(active, |mp, core| lanes.push(held[mp * cores + core]));
                Ok(Dense::Lanes(lanes))
            }
            Ints::Absolute(of) => {
                let of = self.ints(of, active)?;
                self.zip(of, Dense::Same(0), |x, _| x.overflowing_abs())
            }
            Ints::Binary(operator, left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                match operator {
                    Arithmetic::Add => self.zip(left, right, i64::overflowing_add),
                    Arithmetic::Subtract => self.zip(left, right, i64::overflowing_sub),
                    Arithmetic::Multiply => self.zip(left, right, i64::overflowing_mul),
                    Arithmetic::Divide => self.try_zip(left, right, |x, y| {
                        (x.checked_rem(y)? == 0).then(|| x.wrapping_div(y))
                    }),
                    Arithmetic::FloorDivide => match power_of_two(&right) {
                        Some(bits) => self.zip(left, right, |x, _| (x >> bits, false)),
                        None => self.try_zip(left, right, value::floor_quotient),
                    },
                    Arithmetic::Modulo => match power_of_two(&right) {
                        Some(bits) => self.zip(left, right, |x, _| (x & ((1 << bits) - 1), false)),
                        None => self.try_zip(left, right, value::floor_remainder),
                    },
                    Arithmetic::Power => {
                        self.try_zip(left, right, |x, y| x.checked_pow(u32::try_from(y).ok()?))
                    }
                }
            }
            Ints::CeilQuotient(left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                self.try_zip(left, right, |x, y| {
                    let rest = value::floor_remainder(x, y)?;
                    Some(value::floor_quotient(x, y)? + i64::from(rest != 0))
                })
            }
            Ints::Minimum(nodes) => self.extreme(nodes, active, |x, y| (x.min(y), false)),
            Ints::Maximum(nodes) => self.extreme(nodes, active, |x, y| (x.max(y), false)),
            Ints::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, active)?;
                let then = self.ints(then, active)?;
                let otherwise = self.ints(otherwise, active)?;
                let mut then = self.lanes_of(then, active);
                let otherwise = self.lanes_of(otherwise, active);
                for ((then, otherwise), truth) in then.iter_mut().zip(&otherwise).zip(&truths) {
                    *then = if *truth { *then } else { *otherwise };
                }
                self.ints.push(otherwise);
                Ok(Dense::Lanes(then))
            }
            Ints::Bits(function, left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                let function = *function;
                self.try_zip(left, right, |x, y| bits(function, x, y))
            }
            Ints::Bracket(of) => {
                let truths = self.truths(of, active)?;
                let mut lanes = self.empty();
                lanes.extend(truths.iter().map(|&truth| i64::from(truth)));
                Ok(Dense::Lanes(lanes))
            }
            Ints::FloorOf(of) => {
                let of = self.floats(of, active)?;
                self.rounded(of, f64::floor)
            }
            Ints::CeilOf(of) => {
                let of = self.floats(of, active)?;
                self.rounded(of, f64::ceil)
            }
        }
    }

    fn rounded(&mut self, of: Dense<f64>, round: fn(f64) -> f64) -> Result<Dense<i64>> {
        match of {
            Dense::Same(value) => value::whole_float(round(value))
                .map(Dense::Same)
                .ok_or(Stop::Bail),
            Dense::Lanes(floats) => {
                let mut lanes = self.empty();
                for &float in &floats {
                    lanes.push(value::whole_float(round(float)).ok_or(Stop::Bail)?);
                }
                self.floats.push(floats);
                Ok(Dense::Lanes(lanes))
            }
        }
    }

    fn extreme(
        &mut self,
        nodes: &[Ints],
        active: &Active,
        better: impl Fn(i64, i64) -> (i64, bool) + Copy,
    ) -> Result<Dense<i64>> {
        let (first, rest) = nodes.split_first().ok_or(Stop::Bail)?;
        let mut best = self.ints(first, active)?;
        for node in rest {
            let next = self.ints(node, active)?;
            best = self.zip(best, next, better)?;
        }
        Ok(best)
    }

    /// Applies an operation core by core; its flag says that the result is no good.
    #[inline(always)]
    fn zip(
        &mut self,
        left: Dense<i64>,
        right: Dense<i64>,
        operation: impl Fn(i64, i64) -> (i64, bool),
    ) -> Result<Dense<i64>> {
        let mut any_bad = false;
        let mut apply = |x: i64, y: i64| {
            let (result, bad) = operation(x, y);
            any_bad |= bad;
            result
        };
        let result = match (left, right) {
            (Dense::Same(x), Dense::Same(y)) => Dense::Same(apply(x, y)),
            (Dense::Lanes(mut x), Dense::Same(y)) => {
                x.iter_mut().for_each(|x| *x = apply(*x, y));
                Dense::Lanes(x)
            }
            (Dense::Same(x), Dense::Lanes(mut y)) => {
                y.iter_mut().for_each(|y| *y = apply(x, *y));
                Dense::Lanes(y)
            }
            (Dense::Lanes(mut x), Dense::Lanes(y)) => {
                x.iter_mut().zip(&y).for_each(|(x, y)| *x = apply(*x, *y));
                self.ints.push(y);
                Dense::Lanes(x)
            }
        };
        if any_bad { Err(Stop::Bail) } else { Ok(result) }
    }

    fn try_zip(
        &mut self,
        left: Dense<i64>,
        right: Dense<i64>,
        operation: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<Dense<i64>> {
        self.zip(left, right, |x, y| {
            let result = operation(x, y);
            (result.unwrap_or(0), result.is_none())
        })
    }

    /// A float per active core.
    pub(super) fn floats(&mut self, node: &Floats, active: &Active) -> Result<Dense<f64>> {
        match node {
            Floats::Constant(value) => Ok(Dense::Same(*value)),
            Floats::Read(place) => self.read_float(place, active),
            Floats::Register(register) => {
                let mut lanes = self.empty();
                let Some(Register::Floats(held)) = &self.registers[*register] else {
                    return Err(Stop::Bail);
                };
                let cores = self.cores;
                if self.is_everyone(active) {
                    lanes.extend_from_slice(held);
                    return Ok(Dense::Lanes(lanes));
                }
                self.each(active, |mp, core| lanes.push(held[mp * cores + core]));
                Ok(Dense::Lanes(lanes))
            }
            Floats::OfInts(node) => match self.ints(node, active)? {
                Dense::Same(value) => Ok(Dense::Same(value as f64)),
                Dense::Lanes(ints) => {
                    let mut lanes = self.empty();
                    lanes.extend(ints.iter().map(|&int| int as f64));
                    self.ints.push(ints);
                    Ok(Dense::Lanes(lanes))
                }
            },
            Floats::Negate(of) => self.map_floats(of, active, |x| -x),
            Floats::Absolute(of) => self.map_floats(of, active, f64::abs),
            Floats::Binary(operator, left, right) => {
                let left = self.floats(left, active)?;
                let right = self.floats(right, active)?;
                match operator {
                    Arithmetic::Add => Ok(self.zip_floats(left, right, |x, y| x + y)),
                    Arithmetic::Subtract => Ok(self.zip_floats(left, right, |x, y| x - y)),
                    Arithmetic::Multiply => Ok(self.zip_floats(left, right, |x, y| x * y)),
                    Arithmetic::Divide => Ok(self.zip_floats(left, right, |x, y| x / y)),
                    Arithmetic::Power => Ok(self.zip_floats(left, right, libm::pow)),
                    Arithmetic::FloorDivide | Arithmetic::Modulo => Err(Stop::Bail),
                }
            }
            Floats::Minimum(nodes) => self.extreme_floats(nodes, active, value::float_minimum),
            Floats::Maximum(nodes) => self.extreme_floats(nodes, active, value::float_maximum),
            Floats::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, active)?;
                let then = self.floats(then, active)?;
                let otherwise = self.floats(otherwise, active)?;
                let mut then = self.lanes_of(then, active);
                let otherwise = self.lanes_of(otherwise, active);
                for ((then, otherwise), truth) in then.iter_mut().zip(&otherwise).zip(&truths) {
                    *then = if *truth { *then } else { *otherwise };
                }
                self.floats.push(otherwise);
                Ok(Dense::Lanes(then))
            }
            Floats::Math(function, of) => {
                let function = *function;
                self.map_floats(of, active, |x| value::float_math(function, x))
            }
            Floats::Log(base, argument) => {
                let base = self.floats(base, active)?;
                let argument = self.floats(argument, active)?;
                Ok(self.zip_floats(base, argument, value::float_log))
            }
        }
    }

    fn map_floats(
        &mut self,
        of: &Floats,
        active: &Active,
        operation: impl Fn(f64) -> f64,
    ) -> Result<Dense<f64>> {
        Ok(match self.floats(of, active)? {
            Dense::Same(value) => Dense::Same(operation(value)),
            Dense::Lanes(mut lanes) => {
                lanes.iter_mut().for_each(|lane| *lane = operation(*lane));
                Dense::Lanes(lanes)
            }
        })
    }

    fn extreme_floats(
        &mut self,
        nodes: &[Floats],
        active: &Active,
        better: fn(f64, f64) -> f64,
    ) -> Result<Dense<f64>> {
        let (first, rest) = nodes.split_first().ok_or(Stop::Bail)?;
        let mut best = self.floats(first, active)?;
        for node in rest {
            let next = self.floats(node, active)?;
            best = self.zip_floats(best, next, better);
        }
        Ok(best)
    }

    #[inline(always)]
    fn zip_floats(
        &mut self,
        left: Dense<f64>,
        right: Dense<f64>,
        operation: impl Fn(f64, f64) -> f64,
    ) -> Dense<f64> {
        match (left, right) {
            (Dense::Same(x), Dense::Same(y)) => Dense::Same(operation(x, y)),
            (Dense::Lanes(mut x), Dense::Same(y)) => {
                x.iter_mut().for_each(|x| *x = operation(*x, y));
                Dense::Lanes(x)
            }
            (Dense::Same(x), Dense::Lanes(mut y)) => {
                y.iter_mut().for_each(|y| *y = operation(x, *y));
                Dense::Lanes(y)
            }
            (Dense::Lanes(mut x), Dense::Lanes(y)) => {
                x.iter_mut()
                    .zip(&y)
                    .for_each(|(x, y)| *x = operation(*x, *y));
                self.floats.push(y);
                Dense::Lanes(x)
            }
        }
    }

    /// A truth per active core.
    pub(super) fn truths(&mut self, node: &Truths, active: &Active) -> Result<Vec<bool>> {
        match node {
            Truths::Cores(_) | Truths::Order(..) => {
                let even = self.even_truths(node)?;
                let mut truths = Vec::with_capacity(self.lanes(active));
                self.each(active, |_, core| truths.push(even.at(core)));
                Ok(truths)
            }
            Truths::Ints(operator, left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                let left = self.lanes_of(left, active);
                let right = self.lanes_of(right, active);
                let pairs = || left.iter().copied().zip(right.iter().copied());
                let truths = match operator {
                    Comparison::Equal => pairs().map(|(x, y)| x == y).collect(),
                    Comparison::NotEqual => pairs().map(|(x, y)| x != y).collect(),
                    Comparison::Less => pairs().map(|(x, y)| x < y).collect(),
                    Comparison::AtMost => pairs().map(|(x, y)| x <= y).collect(),
                    Comparison::Greater => pairs().map(|(x, y)| x > y).collect(),
                    Comparison::AtLeast => pairs().map(|(x, y)| x >= y).collect(),
                    Comparison::Divides => pairs()
                        .map(|(x, y)| {
                            if x == 0 {
                                y == 0
                            } else {
                                y.wrapping_rem(x) == 0
                            }
                        })
                        .collect(),
                    Comparison::PowerOf => return Err(Stop::Bail),
                };
                self.ints.push(left);
                self.ints.push(right);
                Ok(truths)
            }
            Truths::Floats(operator, left, right) => {
                let left = self.floats(left, active)?;
                let right = self.floats(right, active)?;
                let left = self.lanes_of(left, active);
                let right = self.lanes_of(right, active);
                let pairs = left.iter().zip(&right);
                let truths = pairs
                    .map(|(x, y)| value::holds(*operator, x.partial_cmp(y)))
                    .collect();
                self.floats.push(left);
                self.floats.push(right);
                Ok(truths)
            }
            Truths::Connect { and, left, right } => {
                let mut left = self.truths(left, active)?;
                let right = self.truths(right, active)?;
                for (left, right) in left.iter_mut().zip(&right) {
                    *left = if *and { *left & right } else { *left | right };
                }
                Ok(left)
            }
            Truths::Not(of) => {
                let mut truths = self.truths(of, active)?;
                truths.iter_mut().for_each(|truth| *truth = !*truth);
                Ok(truths)
            }
        }
    }

    /// One word per active core, whatever the form was.
    pub(super) fn lanes_of<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Vec<T> {
        match value {
            Dense::Lanes(lanes) => lanes,
            Dense::Same(value) => {
                let mut lanes = self.empty();
                lanes.resize(self.lanes(active), value);
                lanes
            }
        }
    }

    /// One word for every core of the batch; those of inactive cores are arbitrary.
    pub(super) fn spread<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Vec<T> {
        if self.is_everyone(active) {
            return self.lanes_of(value, active);
        }
        let mut spread = self.empty();
        spread.resize(self.width * self.cores, T::default());
        let cores = self.cores;
        match value {
            Dense::Same(value) => spread.fill(value),
            Dense::Lanes(lanes) => {
                let mut at = 0;
                self.each(active, |mp, core| {
                    spread[mp * cores + core] = lanes[at];
                    at += 1;
                });
                T::pool(self).push(lanes);
            }
        }
        spread
    }
}

/// k where a quantity is 2^k.
fn power_of_two(value: &Dense<i64>) -> Option<u32> {
    match value {
        Dense::Same(value) if *value > 0 && value.count_ones() == 1 => Some(value.trailing_zeros()),
        Dense::Same(_) | Dense::Lanes(_) => None,
    }
}

/// A set of a few numbers, emptied in no time.
#[derive(Debug)]
pub(super) struct Seen {
    /// The count a place was last used in, and the number in it. A power of two.
    places: Vec<(u64, u64)>,
    count: u64,
}

impl Seen {
    /// For at most this many numbers.
    pub(super) fn new(most: usize) -> Seen {
        Seen {
            places: vec![(0, 0); (2 * most).next_power_of_two()],
            count: 0,
        }
    }

    /// Empties it.
    fn begin(&mut self) {
        self.count += 1;
    }

    /// Adds a number; says whether it is new.
    #[inline]
    fn insert(&mut self, number: u64) -> bool {
        let last = self.places.len() - 1;
        let mut at = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & last;
        loop {
            let place = &mut self.places[at];
            if place.0 != self.count {
                *place = (self.count, number);
                return true;
            }
            if place.1 == number {
                return false;
            }
            at = (at + 1) & last;
        }
    }
}

/// The words of rows, in order.
fn take<T: Copy>(words: &[T], from: Rows, (rows, count): (usize, usize), lanes: &mut Vec<T>) {
    for row in 0..rows {
        if from.stride == 1 {
            let start = from.start(row);
            lanes.extend_from_slice(&words[start..start + count]);
        } else {
            lanes.extend((0..count).map(|word| words[from.word(row, word)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_new_once() {
        let mut seen = Seen::new(4);
        for _ in 0..3 {
            seen.begin();
            let new: Vec<bool> = [8, 0, 8, 16]
                .into_iter()
                .map(|at| seen.insert(at))
                .collect();
            assert_eq!(new, [true, true, false, true]);
        }
    }

    #[test]
    fn shifts_are_floors() {
        assert_eq!(power_of_two(&Dense::Same(8)), Some(3));
        for bad in [0, 3, -8, i64::MIN] {
            assert_eq!(power_of_two(&Dense::Same(bad)), None);
        }
        for x in [-9i64, -8, -1, 0, 7, 8] {
            assert_eq!(Some(x >> 3), value::floor_quotient(x, 8));
            assert_eq!(Some(x & 7), value::floor_remainder(x, 8));
        }
    }
}

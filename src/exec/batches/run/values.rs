//! Evaluation of expressions for a batch: quantities of the active cores, in the order of `each`.

use std::sync::Arc;

use crate::exec::batches::plan::{Floats, Form, Ints, Place};
use crate::exec::batches::run::conditions::Truth;
use crate::exec::batches::run::dense::{Dense, Word};
use crate::exec::batches::run::digits::{digits, even_digits, power_of_two};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, Rows, Shape};
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::batches::run::{assign, registers};
use crate::meaning::arithmetic;
use crate::number::theory;
use crate::program::Arithmetic;

impl Part<'_, '_> {
    /// Returns the words of a shared array of the batch.
    pub(super) fn words<T: Word>(&self, array: usize) -> &[T] {
        T::words(self.shared[array].data()).expect("checked: read as what it is")
    }

    /// Reads a word of shared memory per active core.
    pub(super) fn read<T: Word>(&mut self, place: &Place, active: &Active) -> Result<Dense<T>> {
        // From the cheapest way to the dearest: rows of words, the words these cores wrote last,
        // evenly spaced words known to be written, and an offset for every core.
        if let Some(shape) = self.batch.shape(active)
            && let Some(from) = self.batch.rows(place, active)?
        {
            return self.read_shape(place, (from, shape), active);
        }
        if let Active::Along(_) = active {
            return Err(Stop::Bail);
        }
        if let Active::Each(each) = active
            && let Some((first, step)) = self.batch.flat(place)
            && place.has_no_conflicts(self.batch.cores)
        {
            let latest = self.shared[place.array].latest(each, (first, step));
            if let Some(words) = latest.and_then(T::held_in) {
                return Ok(Dense::Held(Arc::clone(words)));
            }
            if self.shared[place.array].have_written(each, (first, step)) {
                self.settle(place.array);
                let mut lanes = self.spare.empty();
                let words = self.words::<T>(place.array);
                let word = |&lane: &u32| words[(first + step * i64::from(lane)) as usize];
                lanes.extend(each.lanes.iter().map(word));
                return Ok(Dense::Lanes(lanes));
            }
        }
        let offsets = self.shared_offsets(place, active)?;
        self.counted.conflicts_at(
            &self.batch,
            &mut self.shared[place.array],
            (place, &offsets),
            active,
        );
        if !self.shared[place.array].are_written(&self.batch, place.array, &offsets, active) {
            return Err(Stop::Bail);
        }
        self.settle(place.array);
        let mut lanes = self.spare.empty();
        let words = self.words::<T>(place.array);
        lanes.extend(offsets.iter().map(|&at| words[at as usize]));
        self.spare.ints.push(offsets);
        Ok(Dense::Lanes(lanes))
    }

    /// Reads words that lie in rows.
    fn read_shape<T: Word>(
        &mut self,
        place: &Place,
        (from, shape): (Rows, Shape),
        active: &Active,
    ) -> Result<Dense<T>> {
        if !self.shared[place.array].are_rows_written(&self.batch, place, from, active) {
            return Err(Stop::Bail);
        }
        self.counted.conflicts(&self.batch, place, active);
        self.settle(place.array);
        if from.are_one(shape) {
            let words = self.words::<T>(place.array);
            return Ok(Dense::Same(words[from.first]));
        }
        if from.are_dense(shape) {
            return Ok(Dense::Words {
                array: place.array,
                words: from.first..from.first + self.batch.lanes(active),
            });
        }
        let mut lanes = self.spare.some(self.batch.lanes(active));
        let words = self.words(place.array);
        rows::copy(&mut lanes, Rows::dense(shape), words, from, shape);
        Ok(Dense::Lanes(lanes))
    }

    /// Evaluates a whole number for every active core.
    pub(super) fn ints(&mut self, node: &Ints, active: &Active) -> Result<Dense<i64>> {
        match node {
            Ints::Form(form) => Ok(self.even(form, active)),
            Ints::Table(table) => Ok(self.table(table, active)),
            Ints::Read(place) => self.read(place, active),
            Ints::Register(register) => registers::bound(self, *register, active),
            Ints::Absolute(of) => {
                let of = self.ints(of, active)?;
                self.zip(of, Dense::Same(0), |x, _| x.overflowing_abs())
            }
            Ints::Binary(operator, left, right) => {
                if let Some((form, digits)) = digits(node) {
                    return Ok(even_digits(self, form, digits, active));
                }
                self.combined(*operator, left, right, active)
            }
            Ints::CeilQuotient(left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                self.try_zip(left, right, |x, y| {
                    let rest = theory::floor_remainder(x, y)?;
                    Some(theory::floor_quotient(x, y)? + i64::from(rest != 0))
                })
            }
            Ints::Minimum(nodes) => {
                self.extreme(nodes, |part, node| part.ints(node, active), Ord::min)
            }
            Ints::Maximum(nodes) => {
                self.extreme(nodes, |part, node| part.ints(node, active), Ord::max)
            }
            Ints::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, active)?;
                let then = self.ints(then, active)?;
                let otherwise = self.ints(otherwise, active)?;
                Ok(self.select(truths, then, otherwise))
            }
            Ints::Bits(function, left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                let function = *function;
                self.try_zip(left, right, |x, y| arithmetic::word_bits(function, x, y))
            }
            Ints::Bracket(of) => {
                let truths = self.truths(of, active)?;
                Ok(self.bracket(truths))
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

    /// Returns a number that grows evenly with cores, MPs and iterations.
    fn even(&mut self, form: &Form, active: &Active) -> Dense<i64> {
        let (base, step) = (form.at(&self.batch.slots), form.core);
        let steps = self.batch.steps(form);
        let is_even = match active {
            Active::Along(along) => form.factor(along.slot) == 0,
            Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Each(_) => true,
        };
        if step == 0 && is_even && self.batch.mp_ends(steps) == (0, 0) {
            return Dense::Same(base);
        }
        Dense::Lanes(self.progression(form, steps, active))
    }

    /// Returns the number of each core from a table that all MPs share.
    fn table(&mut self, table: &[i64], active: &Active) -> Dense<i64> {
        let mut lanes = self.spare.empty();
        match active.cores() {
            Some(cores) => {
                lanes.extend(cores.iter().map(|core| table[*core as usize]));
                for _ in 1..self.batch.width() {
                    lanes.extend_from_within(..cores.len());
                }
            }
            None => self.batch.each(active, |_, core| lanes.push(table[core])),
        }
        Dense::Lanes(lanes)
    }

    fn combined(
        &mut self,
        operator: Arithmetic,
        left: &Ints,
        right: &Ints,
        active: &Active,
    ) -> Result<Dense<i64>> {
        if operator == Arithmetic::FloorDivide
            && let (Ints::Form(left), Ints::Form(right)) = (left, right)
            && let Some(quotient) = self.batch.same_quotient(left, right, active)
        {
            return Ok(Dense::Same(quotient));
        }
        let left = self.ints(left, active)?;
        let right = self.ints(right, active)?;
        match operator {
            Arithmetic::Add => self.zip_signed(left, right, assign::add),
            Arithmetic::Subtract => self.zip_signed(left, right, assign::subtract),
            Arithmetic::Multiply => self.multiply(left, right),
            Arithmetic::Divide => self.try_zip(left, right, |x, y| {
                (x.checked_rem(y)? == 0).then(|| x.wrapping_div(y))
            }),
            Arithmetic::FloorDivide => match power_of_two(&right) {
                Some(bits) => self.zip(left, right, |x, _| (x >> bits, false)),
                None => self.try_zip(left, right, theory::floor_quotient),
            },
            Arithmetic::Modulo => match power_of_two(&right) {
                Some(bits) => self.zip(left, right, |x, _| (x & ((1 << bits) - 1), false)),
                None => self.try_zip(left, right, theory::floor_remainder),
            },
            Arithmetic::Power => {
                self.try_zip(left, right, |x, y| x.checked_pow(u32::try_from(y).ok()?))
            }
        }
    }

    /// Returns 1 where a truth holds, else 0.
    fn bracket(&mut self, truths: Truth) -> Dense<i64> {
        let truths = match truths {
            Truth::Same(truth) => return Dense::Same(truth.into()),
            Truth::Lanes(truths) => truths,
        };
        let mut lanes = self.spare.empty();
        lanes.extend(truths.iter().map(|&truth| i64::from(truth)));
        self.spare.bools.push(truths);
        Dense::Lanes(lanes)
    }

    /// Evaluates a float for every active core.
    pub(super) fn floats(&mut self, node: &Floats, active: &Active) -> Result<Dense<f64>> {
        match node {
            Floats::Constant(value) => Ok(Dense::Same(*value)),
            Floats::Read(place) => self.read(place, active),
            Floats::Register(register) => registers::bound(self, *register, active),
            Floats::OfInts(node) => {
                let ints = self.ints(node, active)?;
                Ok(self.of_ints(ints))
            }
            Floats::Quotient(left, right) => {
                let left = self.ints(left, active)?;
                let right = self.ints(right, active)?;
                self.quotient(left, right)
            }
            Floats::Negate(of) => self.map_floats(of, active, |x| -x),
            Floats::Absolute(of) => self.map_floats(of, active, f64::abs),
            Floats::Binary(operator, left, right) => {
                let left = self.floats(left, active)?;
                let right = self.floats(right, active)?;
                match operator {
                    Arithmetic::Add => self.zip(left, right, |x, y| (x + y, false)),
                    Arithmetic::Subtract => self.zip(left, right, |x, y| (x - y, false)),
                    Arithmetic::Multiply => self.zip(left, right, |x, y| (x * y, false)),
                    Arithmetic::Divide => self.zip(left, right, |x, y| (x / y, false)),
                    Arithmetic::Power => self.zip(left, right, |x, y| (libm::pow(x, y), false)),
                    Arithmetic::FloorDivide | Arithmetic::Modulo => Err(Stop::Bail),
                }
            }
            Floats::Minimum(nodes) => self.extreme(
                nodes,
                |part, node| part.floats(node, active),
                arithmetic::float_minimum,
            ),
            Floats::Maximum(nodes) => self.extreme(
                nodes,
                |part, node| part.floats(node, active),
                arithmetic::float_maximum,
            ),
            Floats::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, active)?;
                let then = self.floats(then, active)?;
                let otherwise = self.floats(otherwise, active)?;
                Ok(self.select(truths, then, otherwise))
            }
            Floats::Math(function, of) => {
                let function = *function;
                self.map_floats(of, active, |x| arithmetic::float_math(function, x))
            }
            Floats::Log(base, argument) => {
                let base = self.floats(base, active)?;
                let argument = self.floats(argument, active)?;
                self.zip(base, argument, |x, y| (arithmetic::float_log(x, y), false))
            }
        }
    }

    /// Converts whole numbers to floats.
    fn of_ints(&mut self, ints: Dense<i64>) -> Dense<f64> {
        match ints {
            Dense::Same(value) => Dense::Same(value as f64),
            ints => {
                let mut lanes = self.spare.empty();
                let words = ints.lanes(&self.shared);
                lanes.extend(words.iter().map(|&int| int as f64));
                self.spare.release(ints);
                Dense::Lanes(lanes)
            }
        }
    }

    fn map_floats(
        &mut self,
        of: &Floats,
        active: &Active,
        operation: impl Fn(f64) -> f64,
    ) -> Result<Dense<f64>> {
        let of = self.floats(of, active)?;
        self.zip(of, Dense::Same(0.0), |x, _| (operation(x), false))
    }
}

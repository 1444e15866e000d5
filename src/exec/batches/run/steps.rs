//! The steps of a plan, executed for all MPs of a batch.
//!
//! Each has a general form, which computes an offset and a value per active core, and a short
//! one for evenly spaced words of neighbouring cores.

use crate::exec::Data;
use crate::exec::batches::plan::{Block, Floats, Ints, Loop, Place, Step, Truths, Value};
use crate::exec::batches::run::dense::Word;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::{Part, SharedRows, Stop};
use crate::program::Arithmetic;

type Result<T> = std::result::Result<T, Stop>;

impl Part<'_, '_> {
    /// Executes statements for cores that are active.
    pub(super) fn block(&mut self, block: &Block, active: &Active) -> Result<()> {
        self.pay(block.operations, active);
        self.spend((self.lanes(active) * block.steps.len() / 4 + 16) as i64)?;
        self.steps_of(&block.steps, active)
    }

    fn steps_of(&mut self, steps: &[Step], active: &Active) -> Result<()> {
        for step in steps {
            match step {
                Step::Load { target, source } => self.load(target, source, active)?,
                Step::Store { target, source } => self.store(target, source, active)?,
                Step::Assign { target, value } => self.assign(target, value, active)?,
                Step::Atomic {
                    target,
                    operator,
                    operands,
                    operations,
                } => self.atomic(target, *operator, operands, *operations, active)?,
                Step::Let { register, value } => self.bind(*register, value, active)?,
                Step::If { condition, body } => {
                    if let Some(inner) = self.narrow(active, condition)? {
                        self.block(body, &inner)?;
                    }
                }
                Step::Loop(counted) => self.counted_loop(counted, active)?,
                Step::While {
                    condition,
                    operations,
                    at_most,
                    body,
                } => self.open_loop((condition, *operations), at_most.as_ref(), body, active)?,
                Step::Accumulate(accumulate) => {
                    if !self.accumulate(accumulate, active)? {
                        self.counted_loop(&accumulate.frame, active)?;
                    }
                }
                Step::Exchange(exchange) => {
                    if !self.exchange(exchange, active)? {
                        self.steps_of(&exchange.written, active)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Operations of every MP that has active cores.
    pub(super) fn pay(&mut self, operations: u64, active: &Active) {
        let lanes = self.lanes(active);
        self.counts.lane_operations += u128::from(operations) * lanes as u128;
        match active {
            Active::Range(..) | Active::Runs(_) | Active::List(_) => {
                self.counts.time += operations;
            }
            Active::Each(_) => {
                self.counts.own_time.resize(self.width, 0);
                for (mp, _) in self.groups(active) {
                    self.counts.own_time[mp] += operations;
                }
            }
        }
    }

    fn counted_loop(&mut self, counted: &Loop, active: &Active) -> Result<()> {
        let (from, to) = (counted.from.at(&self.slots), counted.to.at(&self.slots));
        let rise = if counted.down { -1 } else { 1 };
        let trips = (to - from) * rise + 1;
        for trip in 0..trips {
            self.slots[counted.slot] = from + rise * trip;
            self.block(&counted.body, active)?;
        }
        Ok(())
    }

    fn open_loop(
        &mut self,
        (condition, operations): (&Truths, u64),
        at_most: Option<&Ints>,
        body: &Block,
        active: &Active,
    ) -> Result<()> {
        let bound = match at_most {
            Some(bound) => {
                // Nothing of it is counted.
                let conflicts = self.counts.conflicts;
                let bound = self.ints(bound, active)?;
                self.counts.conflicts = conflicts;
                Some(self.spread(bound, active))
            }
            None => None,
        };
        let mut active = active.clone();
        let mut iteration = 0;
        loop {
            self.pay(operations, &active);
            self.spend(self.lanes(&active) as i64 + 16)?;
            match self.narrow(&active, condition)? {
                Some(inner) => active = inner,
                None => break,
            }
            iteration += 1;
            if let Some(bound) = &bound {
                let mut is_passed = false;
                let cores = self.cores;
                self.each(&active, |mp, core| {
                    is_passed |= bound[mp * cores + core] < iteration;
                });
                if is_passed {
                    return Err(Stop::Bail);
                }
            }
            self.block(body, &active)?;
        }
        if let Some(bound) = bound {
            self.ints.push(bound);
        }
        Ok(())
    }

    pub(super) fn admits_all(&self, place: &Place) -> bool {
        self.launch.known.admitted(place.variable).is_none()
    }

    fn assign(&mut self, target: &Place, value: &Value, active: &Active) -> Result<()> {
        if let Active::Range(..) = active
            && self.admits_all(target)
            && let Some(to) = self.rows(target, active)?
            && to.stride() == 1
            && self.assign_rows((target, to), value, active)?
        {
            self.conflicts(target, active);
            return Ok(());
        }
        match value {
            Value::Ints(value) => {
                let value = self.ints(value, active)?;
                self.put(target, value, active)
            }
            Value::Floats(value) => {
                let value = self.floats(value, active)?;
                self.put(target, value, active)
            }
        }
    }

    /// Whether it could be done with rows.
    fn assign_rows(
        &mut self,
        (target, to): (&Place, Rows),
        value: &Value,
        active: &Active,
    ) -> Result<bool> {
        let Some(shape) = self.shape(active) else {
            return Ok(false);
        };
        match value {
            Value::Ints(Ints::Form(form)) => {
                let steps = self.steps(form);
                let count = shape[3];
                let first = form.at(&self.slots) + form.core * self.ends(active).0;
                let firsts = (0..self.width).map(|mp| first.wrapping_add(self.ahead(steps, mp)));
                let starts: Vec<(usize, i64)> = self.starts(to).zip(firsts).collect();
                let Data::Int(words) = &mut self.shared[target.array].data else {
                    return Ok(false);
                };
                for (start, mut next) in starts {
                    for word in &mut words[start..start + count] {
                        *word = next;
                        next = next.wrapping_add(form.core);
                    }
                }
            }
            Value::Ints(Ints::Read(place)) | Value::Floats(Floats::Read(place)) => {
                if place.array == target.array {
                    return Ok(false);
                }
                let Some(from) = self.read_rows(place, active)? else {
                    return Ok(false);
                };
                {
                    let (array, others) = pick(&mut self.shared, target.array);
                    match (&mut array.data, &others(place.array).data) {
                        (Data::Int(words), Data::Int(source)) => {
                            rows::copy(words, to, source, from, shape);
                        }
                        (Data::Float(words), Data::Float(source)) => {
                            rows::copy(words, to, source, from, shape);
                        }
                        (Data::Int(_) | Data::Float(_), _) => return Ok(false),
                    }
                }
                self.conflicts(place, active);
            }
            Value::Ints(Ints::Binary(operator, left, right)) => {
                let (Ints::Read(left), Ints::Read(right)) = (&**left, &**right) else {
                    return Ok(false);
                };
                let (places, sources) = ((target, to), (left, right));
                let fits = match operator {
                    Arithmetic::Add => self.combine(places, sources, active, add)?,
                    Arithmetic::Subtract => self.combine(places, sources, active, subtract)?,
                    _ => None,
                };
                match fits {
                    None => return Ok(false),
                    Some(true) => {}
                    Some(false) => return Err(Stop::Bail),
                }
            }
            Value::Floats(Floats::Binary(operator, left, right)) => {
                let (Floats::Read(left), Floats::Read(right)) = (&**left, &**right) else {
                    return Ok(false);
                };
                let (places, sources) = ((target, to), (left, right));
                let done = match operator {
                    Arithmetic::Add => {
                        self.combine(places, sources, active, |x: f64, y| (x + y, 0))?
                    }
                    Arithmetic::Subtract => {
                        self.combine(places, sources, active, |x: f64, y| (x - y, 0))?
                    }
                    Arithmetic::Multiply => {
                        self.combine(places, sources, active, |x: f64, y| (x * y, 0))?
                    }
                    _ => None,
                };
                if done.is_none() {
                    return Ok(false);
                }
            }
            Value::Ints(_) | Value::Floats(_) => return Ok(false),
        }
        self.shared[target.array].magnitude = None;
        self.mark_rows(target, to, active)?;
        Ok(true)
    }

    /// Whether all results of an operation on two rows are good; `None` where it is no matter of
    /// rows.
    fn combine<T: Word>(
        &mut self,
        (target, to): (&Place, Rows),
        (left, right): (&Place, &Place),
        active: &Active,
        operation: impl Fn(T, T) -> (T, i64) + Copy,
    ) -> Result<Option<bool>> {
        let (Some(shape), Some(x), Some(y)) = (
            self.shape(active),
            self.read_rows(left, active)?,
            self.read_rows(right, active)?,
        ) else {
            return Ok(None);
        };
        if x.stride() != 1 || y.stride() != 1 {
            return Ok(None);
        }
        let mut data = std::mem::replace(&mut self.shared[target.array].data, Data::Int(vec![]));
        let source = |place: &Place| match T::words(&self.shared[place.array].data) {
            _ if place.array == target.array => None,
            Some(words) => Some(words),
            None => unreachable!("checked: read as what it is"),
        };
        let words = T::words_mut(&mut data).expect("checked: written as what it is");
        let sources = ((source(left), x), (source(right), y));
        let fits = rows::combine(words, to, sources.0, sources.1, shape, operation);
        self.shared[target.array].data = data;
        self.conflicts(left, active);
        self.conflicts(right, active);
        Ok(Some(fits))
    }

    /// Rows of shared words that are about to be read and were all written.
    #[inline]
    pub(super) fn read_rows(&mut self, place: &Place, active: &Active) -> Result<Option<Rows>> {
        let Some(from) = self.rows(place, active)? else {
            return Ok(None);
        };
        if !self.is_read_written(place, from, active) {
            return Err(Stop::Bail);
        }
        Ok(Some(from))
    }
}

/// An array to be written beside all the others.
pub(super) fn pick<'s>(
    shared: &'s mut [SharedRows],
    at: usize,
) -> (&'s mut SharedRows, impl Fn(usize) -> &'s SharedRows) {
    let (before, rest) = shared.split_at_mut(at);
    let (own, after) = rest.split_first_mut().expect("one of them");
    let (before, after): (&'s [SharedRows], &'s [SharedRows]) = (before, after);
    (own, move |other: usize| {
        if other < at {
            &before[other]
        } else {
            &after[other - at - 1]
        }
    })
}

fn add(x: i64, y: i64) -> (i64, i64) {
    let sum = x.wrapping_add(y);
    (sum, (x ^ sum) & (y ^ sum))
}

fn subtract(x: i64, y: i64) -> (i64, i64) {
    let difference = x.wrapping_sub(y);
    (difference, (x ^ y) & (x ^ difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_differences_tell_when_they_overflow() {
        let values = [
            i64::MIN,
            i64::MIN + 1,
            -2,
            -1,
            0,
            1,
            2,
            i64::MAX - 1,
            i64::MAX,
        ];
        for x in values {
            for y in values {
                let told = |(value, sign): (i64, i64)| (value, sign < 0);
                assert_eq!(told(add(x, y)), x.overflowing_add(y), "{x} + {y}");
                assert_eq!(told(subtract(x, y)), x.overflowing_sub(y), "{x} - {y}");
            }
        }
    }
}

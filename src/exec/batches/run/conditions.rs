//! Conditions of a batch: the cores that go on, in each of its MPs or in all alike.

use crate::exec::batches::plan::{At, Floats, Form, Ints, Place, Truths};
use crate::exec::batches::run::dense::{Dense, Word};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::lanes::{self, Mask};
use crate::meaning::arithmetic;
use crate::syntax::ast::Comparison;

/// The truth of a condition for the active cores.
#[derive(Debug)]
pub(super) enum Truth {
    /// The same for all.
    Same(bool),
    /// One each.
    Lanes(Vec<bool>),
}

impl Part<'_, '_> {
    /// Returns the active cores for which a condition holds; `None` if there are none.
    pub(super) fn narrow(&mut self, active: &Active, condition: &Truths) -> Result<Option<Active>> {
        if condition.reads_data() {
            let truths = match self.truths(condition, active)? {
                Truth::Same(truth) => return Ok(truth.then(|| active.clone())),
                Truth::Lanes(truths) => truths,
            };
            let kept = self.kept(active, &truths);
            self.spare.bools.push(truths);
            return Ok(kept);
        }
        let truths = self.even_truths(condition)?;
        Ok(match active {
            Active::Range(low, high) => match Mask::Range(*low, *high).narrow(&truths) {
                Mask::Range(low, high) if low < high => Some(Active::Range(low, high)),
                Mask::Range(..) => None,
                Mask::List(cores) => Active::of(cores),
            },
            Active::Along(_) => return Err(Stop::Bail),
            Active::Runs(_) | Active::List(_) => {
                let mut cores = active.cores().expect("alike in all MPs");
                cores.retain(|&core| truths.at(core as usize));
                Active::of(cores)
            }
            Active::Each(each) => {
                let cores = self.batch.cores as u32;
                let own = (each.lanes.iter()).map(|&lane| truths.at((lane % cores) as usize));
                let truths: Vec<bool> = own.collect();
                self.kept(active, &truths)
            }
        })
    }

    /// Returns the active cores whose truth is true; `None` if there are none.
    pub(super) fn kept(&self, active: &Active, truths: &[bool]) -> Option<Active> {
        let count = truths.iter().map(|&truth| usize::from(truth)).sum();
        if count == truths.len() {
            return Some(active.clone());
        }
        if count == 0 {
            return None;
        }
        let cores = self.batch.cores;
        // Every lane is written, and `end` moves on only if the lane stays: no branch to
        // mispredict.
        // The one extra place takes a write after the last lane that stays.
        let mut lanes = vec![0; count + 1];
        let mut end = 0;
        let mut keep = |lane: u32, truth: bool| {
            lanes[end] = lane;
            end += usize::from(truth);
        };
        match active {
            Active::Each(each) => {
                for (&lane, &truth) in each.lanes.iter().zip(truths) {
                    keep(lane, truth);
                }
            }
            Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Along(_) => {
                let mut truths = truths.iter();
                self.batch.each(active, |mp, core| {
                    let truth = truths.next().is_some_and(|&truth| truth);
                    keep((mp * cores + core) as u32, truth);
                });
            }
        }
        lanes.truncate(count);
        Some(active.each(truths, lanes, cores))
    }

    /// Evaluates a condition of parameters, if it is the same for all MPs of the batch.
    fn even_truths(&mut self, condition: &Truths) -> Result<lanes::Truths> {
        let everyone = Mask::Range(0, self.batch.cores);
        Ok(match condition {
            Truths::Cores(truths) => truths.clone(),
            Truths::Order(operator, left, right) => {
                return self.order(*operator, left, right);
            }
            Truths::Connect { and, left, right } => {
                let left = self.even_truths(left)?;
                let right = self.even_truths(right)?;
                self.spare.compare.connect(&everyone, *and, left, right)
            }
            Truths::Not(of) => {
                let of = self.even_truths(of)?;
                self.spare.compare.negate(of)
            }
            Truths::Ints(..) | Truths::Floats(..) => unreachable!("these read data"),
        })
    }

    fn order(&mut self, operator: Comparison, left: &Form, right: &Form) -> Result<lanes::Truths> {
        let base = left.at(&self.batch.slots) - right.at(&self.batch.slots);
        let core = left.core - right.core;
        let steps = self.batch.steps(left);
        let other = self.batch.steps(right);
        let steps = [steps[0] - other[0], steps[1] - other[1]];
        let ends = self.batch.mp_ends(steps);
        if ends != (0, 0) {
            // The difference is even, so its extremes lie at the corners. The truth is the same for
            // all MPs and cores if it is the same at all corners. For `=` and `≠` no 0 may lie
            // between them either: −3 and 5 are both ≠ 0, yet an MP between them may have 0.
            let core_end = core * (self.batch.cores as i64 - 1);
            let corners = [ends.0, ends.1]
                .map(|end| [base + end, base + end + core_end])
                .concat();
            let truths: Vec<bool> = (corners.iter())
                .map(|corner| arithmetic::holds(operator, Some(corner.cmp(&0))))
                .collect();
            let crosses = corners.iter().any(|&corner| corner <= 0)
                && corners.iter().any(|&corner| corner >= 0);
            let is_sharp = matches!(operator, Comparison::Equal | Comparison::NotEqual);
            if truths.iter().any(|&truth| truth != truths[0]) || is_sharp && crosses {
                return Err(Stop::Split);
            }
            return Ok(lanes::Truths::Uniform(truths[0]));
        }
        let difference = self.spare.compare.affine(base, core).ok_or(Stop::Bail)?;
        let everyone = Mask::Range(0, self.batch.cores);
        let zero = lanes::Ints::Uniform(0);
        let truths = self
            .spare
            .compare
            .compare(&everyone, operator, &difference, &zero);
        truths.ok_or(Stop::Bail)
    }

    /// Evaluates a condition for every active core.
    pub(super) fn truths(&mut self, node: &Truths, active: &Active) -> Result<Truth> {
        match node {
            Truths::Cores(_) | Truths::Order(..) => {
                let even = self.even_truths(node)?;
                if let lanes::Truths::Uniform(truth) = even {
                    return Ok(Truth::Same(truth));
                }
                let mut truths = self.spare.bools.pop().unwrap_or_default();
                truths.clear();
                self.batch
                    .each(active, |_, core| truths.push(even.at(core)));
                Ok(Truth::Lanes(truths))
            }
            Truths::Ints(operator, left, right) => {
                if let Some(truth) = self.one_truth(node, active)? {
                    return Ok(Truth::Same(truth));
                }
                self.compared_ints(*operator, left, right, active)
            }
            Truths::Floats(operator, left, right) => {
                let left = self.floats(left, active)?;
                let right = self.floats(right, active)?;
                let operator = *operator;
                Ok(self.compared(left, right, active, |x, y| {
                    arithmetic::holds(operator, x.partial_cmp(&y))
                }))
            }
            Truths::Connect { and, left, right } => self.connected(*and, left, right, active),
            Truths::Not(of) => Ok(match self.truths(of, active)? {
                Truth::Same(truth) => Truth::Same(!truth),
                Truth::Lanes(mut truths) => {
                    truths.iter_mut().for_each(|truth| *truth = !*truth);
                    Truth::Lanes(truths)
                }
            }),
        }
    }

    fn compared_ints(
        &mut self,
        operator: Comparison,
        left: &Ints,
        right: &Ints,
        active: &Active,
    ) -> Result<Truth> {
        let left = self.ints(left, active)?;
        let right = self.ints(right, active)?;
        Ok(match operator {
            Comparison::Equal => self.compared(left, right, active, |x, y| x == y),
            Comparison::NotEqual => self.compared(left, right, active, |x, y| x != y),
            Comparison::Less => self.compared(left, right, active, |x, y| x < y),
            Comparison::AtMost => self.compared(left, right, active, |x, y| x <= y),
            Comparison::Greater => self.compared(left, right, active, |x, y| x > y),
            Comparison::AtLeast => self.compared(left, right, active, |x, y| x >= y),
            Comparison::Divides => self.compared(left, right, active, |x, y| match x {
                0 => y == 0,
                x => y.wrapping_rem(x) == 0,
            }),
            Comparison::PowerOf => return Err(Stop::Bail),
        })
    }

    /// Connects two conditions by `and`, or else by `or`.
    fn connected(
        &mut self,
        and: bool,
        left: &Truths,
        right: &Truths,
        active: &Active,
    ) -> Result<Truth> {
        // Both sides are evaluated, because their reads are counted. If one truth decides for all
        // cores, it is enough to count the reads of the other side.
        let (left, right) = match self.one_truth(right, active)? {
            Some(truth) => (Truth::Same(truth), left),
            None => (self.truths(left, active)?, right),
        };
        if let Truth::Same(truth) = left
            && truth != and
            && self.look_at(right, active)?
        {
            return Ok(left);
        }
        let right = self.truths(right, active)?;
        Ok(match (left, right) {
            (Truth::Same(truth), other) | (other, Truth::Same(truth)) => match (truth, other) {
                (truth, other) if truth == and => other,
                (_, Truth::Lanes(truths)) => {
                    self.spare.bools.push(truths);
                    Truth::Same(truth)
                }
                (_, Truth::Same(_)) => Truth::Same(truth),
            },
            (Truth::Lanes(mut left), Truth::Lanes(right)) => {
                for (left, right) in left.iter_mut().zip(&right) {
                    *left = if and { *left & right } else { *left | right };
                }
                self.spare.bools.push(right);
                Truth::Lanes(left)
            }
        })
    }

    /// Returns the truth of a comparison of numbers and words that are the same for all active
    /// cores
    /// and cause no bank conflicts; `None` for any other condition.
    fn one_truth(&mut self, node: &Truths, active: &Active) -> Result<Option<bool>> {
        let Truths::Ints(operator, left, right) = node else {
            return Ok(None);
        };
        if matches!(operator, Comparison::Divides | Comparison::PowerOf) {
            return Ok(None);
        }
        let (Some(left), Some(right)) =
            (self.one_word(left, active)?, self.one_word(right, active)?)
        else {
            return Ok(None);
        };
        Ok(Some(arithmetic::holds(*operator, Some(left.cmp(&right)))))
    }

    fn one_word(&mut self, node: &Ints, active: &Active) -> Result<Option<i64>> {
        if !matches!(active, Active::Range(..)) {
            return Ok(None);
        }
        Ok(match node {
            Ints::Form(form) if form.core == 0 && self.batch.is_one(form) => {
                Some(form.at(&self.batch.slots))
            }
            Ints::Read(place) if place.is_one() && self.is_read_alike(place) => {
                let words = self.read_rows(place, active)?;
                self.settle(place.array);
                words.map(|words| self.words(place.array)[words.first])
            }
            _ => None,
        })
    }

    /// Counts the reads of a condition without evaluating it. Returns `false`, with nothing
    /// counted,
    /// if it must be evaluated.
    fn look_at(&mut self, node: &Truths, active: &Active) -> Result<bool> {
        let conflicts = self.counted.counts.conflicts;
        let is_read = each_word(node, &mut |place| {
            if self.reads_freely(place, active) {
                return Ok(true);
            }
            let is_even = self.read_rows(place, active)?.is_some();
            if is_even {
                self.counted.conflicts(&self.batch, place, active);
            }
            Ok(is_even)
        })?;
        if !is_read {
            self.counted.counts.conflicts = conflicts;
        }
        Ok(is_read)
    }

    /// Returns true if reading a place needs no check and causes nothing to count.
    fn reads_freely(&self, place: &Place, active: &Active) -> bool {
        matches!(&place.at, At::Line { checked, .. } if checked.is_empty())
            && place.has_no_conflicts(self.batch.cores)
            && self.shared[place.array].written.left() == 0
            && active.even().is_some()
    }

    /// Compares two quantities core by core.
    fn compared<T: Word>(
        &mut self,
        left: Dense<T>,
        right: Dense<T>,
        active: &Active,
        truth: impl Fn(T, T) -> bool,
    ) -> Truth {
        let (x, y) = (left.as_slice(&self.shared), right.as_slice(&self.shared));
        if let (Err(x), Err(y)) = (x, y) {
            return Truth::Same(truth(x, y));
        }
        let mut truths = self.spare.bools.pop().unwrap_or_default();
        truths.resize(self.batch.lanes(active), false);
        let compare = |x, y| (truth(x, y), false);
        rows::zip(&mut truths, x, y, compare);
        self.spare.release(left);
        self.spare.release(right);
        Truth::Lanes(truths)
    }
}

/// Visits the words that a condition compares, until a visit gives `false`. Gives `false` too if
/// the condition is more than comparisons of words and numbers, which always have a truth.
fn each_word(node: &Truths, visit: &mut impl FnMut(&Place) -> Result<bool>) -> Result<bool> {
    match node {
        Truths::Cores(_) => Ok(true),
        Truths::Order(..) | Truths::Not(_) | Truths::Ints(Comparison::PowerOf, ..) => Ok(false),
        Truths::Ints(_, left, right) => {
            Ok(word_of_ints(left, visit)? && word_of_ints(right, visit)?)
        }
        Truths::Floats(_, left, right) => {
            Ok(word_of_floats(left, visit)? && word_of_floats(right, visit)?)
        }
        Truths::Connect { left, right, .. } => {
            Ok(each_word(left, visit)? && each_word(right, visit)?)
        }
    }
}

fn word_of_ints(ints: &Ints, visit: &mut impl FnMut(&Place) -> Result<bool>) -> Result<bool> {
    match ints {
        Ints::Form(_) | Ints::Table(_) => Ok(true),
        Ints::Read(place) => visit(place),
        Ints::Register(_)
        | Ints::Absolute(_)
        | Ints::Binary(..)
        | Ints::CeilQuotient(..)
        | Ints::Minimum(_)
        | Ints::Maximum(_)
        | Ints::Select(..)
        | Ints::Bits(..)
        | Ints::Bracket(_)
        | Ints::FloorOf(_)
        | Ints::CeilOf(_) => Ok(false),
    }
}

fn word_of_floats(floats: &Floats, visit: &mut impl FnMut(&Place) -> Result<bool>) -> Result<bool> {
    match floats {
        Floats::Constant(_) => Ok(true),
        Floats::Read(place) => visit(place),
        Floats::Register(_)
        | Floats::OfInts(_)
        | Floats::Quotient(..)
        | Floats::Negate(_)
        | Floats::Absolute(_)
        | Floats::Binary(..)
        | Floats::Minimum(_)
        | Floats::Maximum(_)
        | Floats::Select(..)
        | Floats::Math(..)
        | Floats::Log(..) => Ok(false),
    }
}

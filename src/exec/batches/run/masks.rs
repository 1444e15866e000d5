//! Which cores of a batch are active.

use std::ops::Range;
use std::sync::Arc;

use crate::exec::batches::plan::{Form, Truths};
use crate::exec::batches::run::dense::{Dense, Word};
use crate::exec::batches::run::rows::{self, Shape};
use crate::exec::batches::run::{Part, Stop};
use crate::exec::lanes::{self, Mask};
use crate::exec::value;
use crate::syntax::ast::Comparison;

/// The active cores of the MPs of a batch; never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Active {
    /// In every MP the cores from the first to before the second.
    Range(usize, usize),
    /// In every MP several ranges of the same length, at equal distances.
    Runs(Runs),
    /// In every MP these, ascending.
    List(Arc<[u32]>),
    /// These, as MP · b + core, ascending.
    Each(Arc<[u32]>),
}

/// Ranges of cores of the same length, at equal distances: `j mod 4 < 2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Runs {
    /// The first core.
    pub first: usize,
    /// From the first core of a run to that of the next one.
    pub apart: usize,
    /// How many runs; at least 2 where they are no range.
    pub count: usize,
    /// Cores of a run.
    pub length: usize,
}

/// A truth of the active cores.
#[derive(Debug)]
pub(super) enum Truth {
    /// The same for all.
    Same(bool),
    /// One each.
    Lanes(Vec<bool>),
}

impl Runs {
    fn last(self) -> usize {
        self.first + (self.count - 1) * self.apart + self.length - 1
    }
}

impl Active {
    /// These cores of every MP, ascending; `None` if there is none.
    pub(super) fn of(cores: Vec<u32>) -> Option<Active> {
        let (first, last) = (*cores.first()? as usize, *cores.last()? as usize);
        if last - first + 1 == cores.len() {
            return Some(Active::Range(first, last + 1));
        }
        let at = |core: usize| cores[core] as usize;
        let ends = |core: &usize| at(*core) != first + core;
        let length = (0..cores.len()).find(ends).unwrap_or(cores.len());
        let runs = Runs {
            first,
            apart: at(length) - first,
            count: cores.len() / length,
            length,
        };
        let is_regular = cores.len().is_multiple_of(length)
            && (0..cores.len())
                .all(|core| at(core) == first + core / length * runs.apart + core % length);
        Some(match is_regular {
            true => Active::Runs(runs),
            false => Active::List(cores.into()),
        })
    }

    /// The active cores as runs, a range as one, where they are alike in all MPs and even.
    pub(super) fn even(&self) -> Option<Runs> {
        match *self {
            Active::Range(low, high) => Some(Runs {
                first: low,
                apart: 0,
                count: 1,
                length: high - low,
            }),
            Active::Runs(runs) => Some(runs),
            Active::List(_) | Active::Each(_) => None,
        }
    }

    /// The active cores of every MP, where they are alike.
    pub(super) fn cores(&self) -> Option<Vec<u32>> {
        match self {
            Active::Range(..) | Active::Runs(_) => {
                let runs = self.even()?;
                let starts = (0..runs.count).map(|run| runs.first + run * runs.apart);
                let cores = starts.flat_map(|start| start..start + runs.length);
                Some(cores.map(|core| core as u32).collect())
            }
            Active::List(cores) => Some(cores.to_vec()),
            Active::Each(_) => None,
        }
    }
}

impl<'a, 'g> Part<'a, 'g> {
    /// How many cores are active in the whole batch.
    pub(super) fn lanes(&self, active: &Active) -> usize {
        match active {
            Active::Range(low, high) => self.width * (high - low),
            Active::Runs(runs) => self.width * runs.count * runs.length,
            Active::List(cores) => self.width * cores.len(),
            Active::Each(lanes) => lanes.len(),
        }
    }

    /// How many there are of each level, where the active cores are even.
    pub(super) fn shape(&self, active: &Active) -> Option<Shape> {
        let runs = active.even()?;
        Some([self.outer, self.row, runs.count, runs.length])
    }

    /// Whether all cores of all MPs are active.
    pub(super) fn is_everyone(&self, active: &Active) -> bool {
        matches!(active, Active::Range(0, high) if *high == self.cores)
    }

    /// Calls `visit` with the MP and core of every active core, in order.
    #[inline(always)]
    pub(super) fn each(&self, active: &Active, mut visit: impl FnMut(usize, usize)) {
        match active {
            Active::Range(low, high) => {
                for mp in 0..self.width {
                    (*low..*high).for_each(|core| visit(mp, core));
                }
            }
            Active::Runs(runs) => {
                for mp in 0..self.width {
                    for run in 0..runs.count {
                        let start = runs.first + run * runs.apart;
                        (start..start + runs.length).for_each(|core| visit(mp, core));
                    }
                }
            }
            Active::List(cores) => {
                for mp in 0..self.width {
                    cores.iter().for_each(|&core| visit(mp, core as usize));
                }
            }
            Active::Each(lanes) => {
                let cores = self.cores as u32;
                for lane in lanes.iter() {
                    visit((lane / cores) as usize, (lane % cores) as usize);
                }
            }
        }
    }

    /// Every MP that has active cores, with where they stand in the order of [`each`](Self::each).
    pub(super) fn groups(&self, active: &Active) -> Vec<(usize, Range<usize>)> {
        match active {
            Active::Range(..) | Active::Runs(_) | Active::List(_) => {
                let count = self.lanes(active) / self.width;
                let group = |mp| (mp, mp * count..(mp + 1) * count);
                (0..self.width).map(group).collect()
            }
            Active::Each(lanes) => {
                let cores = self.cores as u32;
                let mut groups = Vec::new();
                let mut start = 0;
                for at in 1..=lanes.len() {
                    let mp = lanes[at - 1] / cores;
                    if lanes.get(at).map(|lane| lane / cores) != Some(mp) {
                        groups.push((mp as usize, start..at));
                        start = at;
                    }
                }
                groups
            }
        }
    }

    /// The first and last active core of any MP, where that is easily told.
    pub(super) fn ends(&self, active: &Active) -> (i64, i64) {
        match active {
            Active::Range(low, high) => (*low as i64, *high as i64 - 1),
            Active::Runs(runs) => (runs.first as i64, runs.last() as i64),
            Active::List(cores) => (cores[0].into(), cores[cores.len() - 1].into()),
            Active::Each(_) => (0, self.cores as i64 - 1),
        }
    }

    /// Those active cores for which a condition holds; `None` if there is none.
    pub(super) fn narrow(
        &mut self,
        active: &Active,
        condition: &Truths,
    ) -> Result<Option<Active>, Stop> {
        if condition.reads_data() {
            let truths = match self.truths(condition, active)? {
                Truth::Same(truth) => return Ok(truth.then(|| active.clone())),
                Truth::Lanes(truths) => truths,
            };
            let mut lanes = Vec::new();
            let mut at = 0;
            let cores = self.cores;
            self.each(active, |mp, core| {
                if truths[at] {
                    lanes.push((mp * cores + core) as u32);
                }
                at += 1;
            });
            self.bools.push(truths);
            return Ok(if lanes.len() == at {
                Some(active.clone())
            } else if lanes.is_empty() {
                None
            } else {
                Some(Active::Each(lanes.into()))
            });
        }
        let truths = self.even_truths(condition)?;
        Ok(match active {
            Active::Range(low, high) => match Mask::Range(*low, *high).narrow(&truths) {
                Mask::Range(low, high) if low < high => Some(Active::Range(low, high)),
                Mask::Range(..) => None,
                Mask::List(cores) => Active::of(cores),
            },
            Active::Runs(_) | Active::List(_) => {
                let mut cores = active.cores().expect("alike in all MPs");
                cores.retain(|&core| truths.at(core as usize));
                Active::of(cores)
            }
            Active::Each(lanes) => {
                let cores = self.cores as u32;
                let kept = lanes
                    .iter()
                    .filter(|&&lane| truths.at((lane % cores) as usize));
                let kept: Vec<u32> = kept.copied().collect();
                (!kept.is_empty()).then_some(Active::Each(kept.into()))
            }
        })
    }

    /// A condition of parameters, where it is the same for all MPs of the batch.
    pub(super) fn even_truths(&mut self, condition: &Truths) -> Result<lanes::Truths, Stop> {
        let everyone = Mask::Range(0, self.cores);
        Ok(match condition {
            Truths::Cores(truths) => truths.clone(),
            Truths::Order(operator, left, right) => {
                return self.order(*operator, left, right);
            }
            Truths::Connect { and, left, right } => {
                let left = self.even_truths(left)?;
                let right = self.even_truths(right)?;
                self.compare.connect(&everyone, *and, left, right)
            }
            Truths::Not(of) => {
                let of = self.even_truths(of)?;
                self.compare.negate(of)
            }
            Truths::Ints(..) | Truths::Floats(..) => unreachable!("these read data"),
        })
    }

    fn order(
        &mut self,
        operator: Comparison,
        left: &Form,
        right: &Form,
    ) -> Result<lanes::Truths, Stop> {
        let base = left.at(&self.slots) - right.at(&self.slots);
        let core = left.core - right.core;
        let steps = self.steps(left);
        let other = self.steps(right);
        let steps = [steps[0] - other[0], steps[1] - other[1]];
        let ends = self.mp_ends(steps);
        if ends != (0, 0) {
            // The same for all MPs when it is the same at all corners, and 0 not between them
            // where that would make a difference.
            let core_end = core * (self.cores as i64 - 1);
            let corners = [ends.0, ends.1]
                .map(|end| [base + end, base + end + core_end])
                .concat();
            let truths: Vec<bool> = (corners.iter())
                .map(|corner| value::holds(operator, Some(corner.cmp(&0))))
                .collect();
            let crosses = corners.iter().any(|&corner| corner <= 0)
                && corners.iter().any(|&corner| corner >= 0);
            let is_sharp = matches!(operator, Comparison::Equal | Comparison::NotEqual);
            if truths.iter().any(|&truth| truth != truths[0]) || is_sharp && crosses {
                return Err(Stop::Split);
            }
            return Ok(lanes::Truths::Uniform(truths[0]));
        }
        let difference = self.compare.affine(base, core).ok_or(Stop::Bail)?;
        let everyone = Mask::Range(0, self.cores);
        let zero = lanes::Ints::Uniform(0);
        let truths = self
            .compare
            .compare(&everyone, operator, &difference, &zero);
        truths.ok_or(Stop::Bail)
    }

    /// What one more in each of the two dimensions of the batch adds to a form.
    pub(super) fn steps(&self, form: &Form) -> [i64; 2] {
        form.steps(self.plan.dimensions)
    }

    /// The least and the most that the MPs of the batch add to the first one's value.
    pub(super) fn mp_ends(&self, steps: [i64; 2]) -> (i64, i64) {
        let counts = [self.outer, self.row];
        let ends = [0, 1].map(|level| steps[level] * (counts[level] as i64 - 1));
        let low = ends.iter().map(|end| (*end).min(0)).sum();
        let high = ends.iter().map(|end| (*end).max(0)).sum();
        (low, high)
    }

    /// A truth per active core.
    pub(super) fn truths(&mut self, node: &Truths, active: &Active) -> Result<Truth, Stop> {
        match node {
            Truths::Cores(_) | Truths::Order(..) => {
                let even = self.even_truths(node)?;
                if let lanes::Truths::Uniform(truth) = even {
                    return Ok(Truth::Same(truth));
                }
                let mut truths = self.bools.pop().unwrap_or_default();
                truths.clear();
                self.each(active, |_, core| truths.push(even.at(core)));
                Ok(Truth::Lanes(truths))
            }
            Truths::Ints(operator, left, right) => {
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
            Truths::Floats(operator, left, right) => {
                let left = self.floats(left, active)?;
                let right = self.floats(right, active)?;
                let operator = *operator;
                Ok(self.compared(left, right, active, |x, y| {
                    value::holds(operator, x.partial_cmp(&y))
                }))
            }
            Truths::Connect { and, left, right } => {
                // Both sides are worked out: what they read is counted.
                let left = self.truths(left, active)?;
                let right = self.truths(right, active)?;
                Ok(match (left, right) {
                    (Truth::Same(truth), other) | (other, Truth::Same(truth)) => {
                        match (truth, other) {
                            (truth, other) if truth == *and => other,
                            (_, Truth::Lanes(truths)) => {
                                self.bools.push(truths);
                                Truth::Same(truth)
                            }
                            (_, Truth::Same(_)) => Truth::Same(truth),
                        }
                    }
                    (Truth::Lanes(mut left), Truth::Lanes(right)) => {
                        for (left, right) in left.iter_mut().zip(&right) {
                            *left = if *and { *left & right } else { *left | right };
                        }
                        self.bools.push(right);
                        Truth::Lanes(left)
                    }
                })
            }
            Truths::Not(of) => Ok(match self.truths(of, active)? {
                Truth::Same(truth) => Truth::Same(!truth),
                Truth::Lanes(mut truths) => {
                    truths.iter_mut().for_each(|truth| *truth = !*truth);
                    Truth::Lanes(truths)
                }
            }),
        }
    }

    /// What a comparison of two quantities comes to, core by core.
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
        let mut truths = self.bools.pop().unwrap_or_default();
        truths.resize(self.lanes(active), false);
        let compare = |x, y| (truth(x, y), false);
        rows::zip(&mut truths, x, y, compare);
        self.release(left);
        self.release(right);
        Truth::Lanes(truths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_of_the_simplest_form() {
        let of = |cores: &[u32]| Active::of(cores.to_vec());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3]), Some(Active::Range(3, 4)));
        assert_eq!(of(&[3, 4, 5]), Some(Active::Range(3, 6)));
        let runs = |first, apart, count, length| {
            Some(Active::Runs(Runs {
                first,
                apart,
                count,
                length,
            }))
        };
        assert_eq!(of(&[1, 3, 5, 7]), runs(1, 2, 4, 1));
        assert_eq!(of(&[0, 1, 4, 5]), runs(0, 4, 2, 2));
        assert_eq!(of(&[2, 9]), runs(2, 7, 2, 1));
        for irregular in [
            &[0, 1, 4][..],
            &[0, 2, 3],
            &[0, 2, 5],
            &[0, 1, 4, 6],
            &[0, 1, 4, 5, 9, 10],
        ] {
            let active = of(irregular).unwrap();
            assert_eq!(active, Active::List(irregular.into()));
            assert_eq!(active.cores().as_deref(), Some(irregular));
        }
        assert_eq!(of(&[2, 3, 7, 8]).unwrap().cores(), Some(vec![2, 3, 7, 8]));
    }
}

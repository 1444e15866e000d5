//! Which cores of a batch are active.

use crate::exec::batch::{Part, Stop};
use crate::exec::lanes::{self, Mask};
use crate::exec::plan::{Form, Truths};
use crate::exec::value;
use crate::syntax::ast::Comparison;

/// The active cores of the MPs of a batch; never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Active {
    /// In every MP the cores from the first to before the second.
    Range(usize, usize),
    /// In every MP these, ascending.
    List(Vec<u32>),
    /// These, as MP · b + core, ascending.
    Each(Vec<u32>),
}

impl<'a, 'g> Part<'a, 'g> {
    /// How many cores are active in the whole batch.
    pub(super) fn lanes(&self, active: &Active) -> usize {
        match active {
            Active::Range(low, high) => self.width * (high - low),
            Active::List(cores) => self.width * cores.len(),
            Active::Each(lanes) => lanes.len(),
        }
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
            Active::List(cores) => {
                for mp in 0..self.width {
                    cores.iter().for_each(|&core| visit(mp, core as usize));
                }
            }
            Active::Each(lanes) => {
                let cores = self.cores as u32;
                for lane in lanes {
                    visit((lane / cores) as usize, (lane % cores) as usize);
                }
            }
        }
    }

    /// Ends of the active cores of each MP that has some, in the order of [`each`](Self::each).
    pub(super) fn groups(&self, active: &Active) -> Vec<usize> {
        let every = |count: usize| (1..=self.width).map(|mp| mp * count).collect();
        match active {
            Active::Range(low, high) => every(high - low),
            Active::List(cores) => every(cores.len()),
            Active::Each(lanes) => {
                let cores = self.cores as u32;
                let mut ends = Vec::new();
                for at in 1..=lanes.len() {
                    if lanes.get(at).map(|lane| lane / cores) != Some(lanes[at - 1] / cores) {
                        ends.push(at);
                    }
                }
                ends
            }
        }
    }

    /// The first and last active core of any MP, where that is easily told.
    pub(super) fn ends(&self, active: &Active) -> (i64, i64) {
        match active {
            Active::Range(low, high) => (*low as i64, *high as i64 - 1),
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
            let truths = self.truths(condition, active)?;
            let mut lanes = Vec::new();
            let mut at = 0;
            let cores = self.cores;
            self.each(active, |mp, core| {
                if truths[at] {
                    lanes.push((mp * cores + core) as u32);
                }
                at += 1;
            });
            return Ok(if lanes.len() == at {
                Some(active.clone())
            } else if lanes.is_empty() {
                None
            } else {
                Some(Active::Each(lanes))
            });
        }
        let truths = self.even_truths(condition)?;
        Ok(match active {
            Active::Range(low, high) => match Mask::Range(*low, *high).narrow(&truths) {
                Mask::Range(low, high) if low < high => Some(Active::Range(low, high)),
                Mask::Range(..) => None,
                Mask::List(cores) => Some(Active::List(cores)),
            },
            Active::List(cores) => {
                let kept = cores.iter().filter(|&&core| truths.at(core as usize));
                let kept: Vec<u32> = kept.copied().collect();
                (!kept.is_empty()).then_some(Active::List(kept))
            }
            Active::Each(lanes) => {
                let cores = self.cores as u32;
                let kept = lanes
                    .iter()
                    .filter(|&&lane| truths.at((lane % cores) as usize));
                let kept: Vec<u32> = kept.copied().collect();
                (!kept.is_empty()).then_some(Active::Each(kept))
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
        let own = self.plan.dimensions - 1;
        let base = left.at(&self.slots) - right.at(&self.slots);
        let core = left.core - right.core;
        let step = left.factor(own) - right.factor(own);
        if step != 0 && self.width > 1 {
            // The same for all MPs when it is the same at all corners, and 0 not between them
            // where that would make a difference.
            let mp_end = step * (self.width as i64 - 1);
            let core_end = core * (self.cores as i64 - 1);
            let corners = [
                base,
                base + mp_end,
                base + core_end,
                base + mp_end + core_end,
            ];
            let truths = corners.map(|corner| value::holds(operator, Some(corner.cmp(&0))));
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

    /// A truth per active core.
    pub(super) fn truths(&mut self, node: &Truths, active: &Active) -> Result<Vec<bool>, Stop> {
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
}

//! Compiled forms and plans of a program's kernels, kept from one launch to the next.
//!
//! Takes a kernel and the values of its launch; gives the compiled form and, where the kernel has
//! one, the plan. A compiled form holds as constants the values that no launch changes and the
//! values it cannot do without; all other host values stay registers, so it outlives them. A plan
//! holds more constants, and serves launches with the same values and the same MPs or some of
//! them. Values that only go into words written to shared memory have slots of their own and may
//! differ. Executes nothing, and knows no data.

mod mentions;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::exec::batches::plan::{self, Launched, Plan};
use crate::exec::launch::{Grid, Known};
use crate::exec::prepared::mentions::{Key, Mentions};
use crate::exec::statements::compile;
use crate::exec::statements::typed::Code;
use crate::meaning::value::Value;
use crate::program::{Kernel, Program};

/// Most plans kept per kernel.
const MOST_PLANS: usize = 16;
/// Most statements of all kept plans together; a single plan may have more.
const MOST_STATEMENTS: u64 = 1 << 12;

/// Launched kernels of a program.
#[derive(Debug, Default)]
pub(super) struct Prepared<'p> {
    /// By address: a kernel of a checked program does not move.
    kernels: FxHashMap<usize, Kept<'p>>,
}

impl<'p> Prepared<'p> {
    /// Returns the kept forms of a kernel; `fixed` holds the values that no launch changes, by
    /// parameter id.
    pub(super) fn of(
        &mut self,
        program: &'p Program,
        fixed: &[Option<Value>],
        kernel: &'p Kernel,
    ) -> &mut Kept<'p> {
        let place = std::ptr::from_ref(kernel).addr();
        self.kernels.entry(place).or_insert_with(|| Kept {
            program,
            kernel,
            mentions: Mentions::of(kernel, fixed),
            code: None,
            plans: VecDeque::new(),
            effort: None,
            operations: None,
        })
    }
}

/// The compiled form, the plans and the experience of one kernel.
#[derive(Debug)]
pub(super) struct Kept<'p> {
    program: &'p Program,
    pub kernel: &'p Kernel,
    mentions: Mentions,
    /// The compiled form, with the values that are constants in it.
    code: Option<(Key, Code<'p>)>,
    /// Plans, the oldest first.
    plans: VecDeque<KeptPlan>,
    /// Effort of the latest plan, in statements.
    effort: Option<u64>,
    /// Average operations of a core in the last launch.
    operations: Option<u64>,
}

/// A plan, or the knowledge that there is none.
#[derive(Debug)]
struct KeptPlan {
    key: Key,
    mps: Vec<(i64, u64)>,
    plan: Option<Plan>,
}

impl KeptPlan {
    /// True if the plan also serves these MPs because they are some of its own. A plan with arrays
    /// that may race does not: fewer MPs might be free of races.
    fn serves_fewer(&self, mps: &[(i64, u64)]) -> bool {
        let is_within = |(own, more): (&(i64, u64), &(i64, u64))| {
            let end = |(first, length): (i64, u64)| i128::from(first) + i128::from(length);
            more.0 <= own.0 && end(*own) <= end(*more)
        };
        let is_free_of_races = |plan: &Plan| !plan.global.iter().any(|array| array.may_race);
        self.plan.as_ref().is_some_and(is_free_of_races) && mps.iter().zip(&self.mps).all(is_within)
    }
}

/// A kernel that is ready for a launch.
pub(super) struct Ready<'k, 'p> {
    pub code: &'k Code<'p>,
    pub plan: Option<&'k Plan>,
    /// Estimated operations of a core; unknown in a first launch without a plan.
    pub operations: Option<u64>,
}

impl<'p> Kept<'p> {
    /// Makes the kernel ready for a launch, with a plan if `planned`.
    pub(super) fn ready(&mut self, known: Known<'_>, grid: &Grid, planned: bool) -> Ready<'_, 'p> {
        // The key lists the constants of a plan; a prefix of it, the constants of the compiled
        // form.
        // So a new value may ask for a new plan while the compiled form stays.
        let open = self.mentions.open_in_plans(known.values);
        let key = self.mentions.key(known.values, open);
        let folded = key.as_ref().map(|key| &key[..self.mentions.folded]);
        let compiled = (self.code.as_ref()).is_some_and(|(values, _)| same(values, folded));
        if !compiled {
            let folded = folded.map(<[_]>::to_vec);
            let registers = &self.mentions.parameters[self.mentions.folded..];
            let values = self.mentions.masked(known.values, registers);
            let code = compile::kernel(self.program, &values, known.extents, self.kernel);
            self.code = Some((folded, code));
        }
        let (_, code) = self.code.as_ref().expect("compiled just now");
        let at = match plan_for(&self.plans, &key, &grid.ranges) {
            _ if !planned => None,
            Some(at) => Some(at),
            None if grid.mps == 1 && self.is_slight() => None,
            None => {
                let values = self.mentions.masked(known.values, open);
                let launched = Launched {
                    known: Known {
                        values: &values,
                        ..known
                    },
                    open,
                    kernel: self.kernel,
                    mps: &grid.ranges,
                };
                let plan = plan::plan(&launched, code);
                self.effort = plan.as_ref().map(|plan| plan.effort.into());
                self.plans.push_back(KeptPlan {
                    key,
                    mps: grid.ranges.clone(),
                    plan,
                });
                forget_oldest(&mut self.plans);
                Some(self.plans.len() - 1)
            }
        };
        let plan = at.and_then(|at| self.plans[at].plan.as_ref());
        Ready {
            code,
            plan,
            operations: self.operations.or(plan.map(|plan| plan.operations)),
        }
    }

    /// True if a single MP does less work than planning for it would take.
    fn is_slight(&self) -> bool {
        let (effort, operations) = (self.effort, self.operations);
        effort.is_some_and(|effort| operations.is_some_and(|most| most <= 4 * effort))
    }

    /// Records the average operations of a core in a launch.
    pub(super) fn note(&mut self, lane_operations: u128, lanes: u128) {
        let each = lane_operations / lanes.max(1);
        self.operations = u64::try_from(each).ok();
    }
}

/// Returns true if there is a key and it is this one.
fn same(one: &Key, other: Option<&[Option<i64>]>) -> bool {
    other.is_some() && one.as_deref() == other
}

/// Returns the place of a plan with this key that serves these MPs.
fn plan_for(plans: &VecDeque<KeptPlan>, key: &Key, mps: &[(i64, u64)]) -> Option<usize> {
    // A plan for exactly this grid wins over one for more MPs.
    let mut found = None;
    for (at, kept) in plans.iter().enumerate() {
        if !same(&kept.key, key.as_deref()) {
            continue;
        }
        if kept.mps == mps {
            found = Some(at);
            break;
        }
        if found.is_none() && kept.serves_fewer(mps) {
            found = Some(at);
        }
    }
    found
}

fn forget_oldest(plans: &mut VecDeque<KeptPlan>) {
    let statements = |kept: &KeptPlan| kept.plan.as_ref().map_or(1, |plan| plan.effort.into());
    let mut held: u64 = plans.iter().map(statements).sum();
    while plans.len() > MOST_PLANS || (held > MOST_STATEMENTS && plans.len() > 1) {
        held -= plans.pop_front().as_ref().map_or(0, statements);
    }
}

#[cfg(test)]
mod tests;

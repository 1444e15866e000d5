//! One launch of a kernel: its MPs in groups that behave alike, and its statements in lockstep.
//!
//! A group is a box of MPs whose values are affine in the MP's number. If the behaviour is not the
//! same for the whole box, the box is halved (or taken apart into single MPs) and counted again. So
//! most kernels take a few dozen runs, however many MPs they launch.
//!
//! Takes a launch as `launch` lowers it, and the state of the rest of the program; gives
//! [`KernelCounts`]. [`statements`] executes a group's statements, [`loops`] its loops,
//! [`iterations`]
//! their iterations that are alike. Addresses and contents of cores belong to `warp`.

mod iterations;
mod loops;
mod statements;

use crate::count::Interval;
use crate::diag::Diagnostic;
use crate::interval::Charging;
use crate::interval::access::Bounds;
use crate::interval::budget::Budget;
use crate::interval::cycles::{KernelCharges, Meter};
use crate::interval::lanes::{Bail, FLAT, Group, MP_DIMENSIONS};
use crate::interval::launch::Launch;
use crate::interval::memory::{Shared, Summaries};
use crate::interval::warp::{Fact, Held, Record, Setting, Tally, Trials, Warp};
use crate::number::BigInt;

/// Counts of one line over all MPs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LineTotal {
    /// Executions on the costliest MP.
    pub(super) executions: Bounds,
    /// Operations on the costliest MP.
    pub(super) operations: Bounds,
    pub(super) blocks: Interval,
    pub(super) conflicts: Interval,
}

/// The counts of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KernelCounts {
    pub(super) time: Bounds,
    pub(super) lines: Vec<LineTotal>,
    /// Blocks read and written, by `VarId`.
    pub(super) arrays: Vec<(Interval, Interval)>,
    pub(super) facts: Vec<Fact>,
    /// The machine's charges, where asked for.
    pub(super) charges: Option<KernelCharges>,
}

/// The setting of a launch.
pub(crate) struct Context<'a, 'p> {
    pub(super) setting: Setting<'a>,
    pub(super) charging: Charging<'a>,
    /// Words of every shared array the kernel names, by `VarId`.
    pub(super) shared: Vec<Option<usize>>,
    pub(super) budget: &'a mut Budget<'p>,
    pub(super) faults: &'a mut Vec<Diagnostic>,
}

impl KernelCounts {
    /// Returns the counts of a kernel that is not looked into.
    pub(super) fn nothing(variables: usize) -> KernelCounts {
        KernelCounts {
            arrays: vec![Default::default(); variables],
            ..KernelCounts::default()
        }
    }
}

/// Adds `amount`, `times` times.
fn add_times(total: &mut Interval, amount: Bounds, times: &BigInt) {
    if amount.upper == 0 {
        return;
    }
    total.lower += times * amount.lower;
    total.upper += times * amount.upper;
}

/// Shared words that are laid out in the time of one core-step.
const WORDS_OF_A_STEP: u64 = 4;

/// Counts one launch, and records its writes in `globals`.
pub(super) fn count(
    context: &mut Context<'_, '_>,
    globals: &mut Summaries,
) -> Result<KernelCounts, Bail> {
    let setting = context.setting;
    let (launch, variables) = (setting.launch, setting.program.variables.len());
    let cycle_rules = context.charging.cycle_rules;
    let mut counts = KernelCounts {
        time: Bounds::default(),
        lines: vec![LineTotal::default(); launch.lines.len()],
        arrays: vec![(Interval::default(), Interval::default()); variables],
        facts: vec![Fact::default(); launch.lines.len()],
        charges: cycle_rules.map(|_| KernelCharges::new(&launched_mps(launch))),
    };
    let Some(mut groups) = Groups::new(launch) else {
        return Ok(counts);
    };
    let mut shared: Vec<Option<Shared>> = Vec::new();
    for (at, words) in context.shared.iter().enumerate() {
        context
            .budget
            .spend(words.unwrap_or_default() as u64 / WORDS_OF_A_STEP)?;
        shared.push(words.map(|words| Shared::new(words, setting.declared[at].clone())));
    }
    let mut epoch = 0;
    let mut trials = Trials::new(launch.lines.len());
    let mut costliest = Bounds::default();
    while let Some((group, apart)) = groups.next() {
        epoch += 1;
        let parameters = setting.program.parameters.len();
        let meter = cycle_rules.map(|cycle_rules| Meter::new(cycle_rules, launch.cores));
        let mut warp = Warp {
            setting,
            group: group.clone(),
            held: Held::new(parameters, (&mut shared, globals), epoch),
            record: Record::new((launch.lines.len(), variables), meter, context.faults),
            budget: context.budget,
            trials: &mut trials,
        };
        match warp.run() {
            Ok(()) => {
                let times = BigInt::from(group.count());
                let is_charged = context.charging.conflicts;
                counts.add(warp.record, &times, is_charged, &mut costliest)?;
            }
            Err(bail) => groups.divide(group, apart, bail)?,
        }
    }
    Ok(counts)
}

/// Groups of MPs still to be counted, each with the dimensions to take apart into single MPs.
struct Groups(Vec<(Group, u8)>);

impl Groups {
    /// Starts with all MPs of a launch; `None` if there are none.
    fn new(launch: &Launch<'_>) -> Option<Groups> {
        let mut all = Group {
            low: FLAT,
            high: FLAT,
        };
        for d in 0..launch.low.len() {
            (all.low[d], all.high[d]) = (launch.low[d], launch.high[d]);
            if all.low[d] > all.high[d] {
                return None;
            }
        }
        Some(Groups(vec![(all, 0)]))
    }

    /// Returns the next group; takes groups apart into single MPs where they have to be.
    fn next(&mut self) -> Option<(Group, u8)> {
        // Single MPs are split off one by one, so the stack stays short.
        loop {
            let (group, apart) = self.0.pop()?;
            let Some(d) = (0..MP_DIMENSIONS).find(|d| apart >> d & 1 == 1 && !group.is_single(*d))
            else {
                return Some((group, apart));
            };
            let (mut one, mut rest) = (group.clone(), group);
            one.high[d] = one.low[d];
            rest.low[d] += 1;
            self.0.push((rest, apart));
            self.0.push((one, apart));
        }
    }

    /// Splits a group that does not behave alike, to be counted again in parts. Any other reason is
    /// returned as the error.
    fn divide(&mut self, group: Group, apart: u8, bail: Bail) -> Result<(), Bail> {
        match bail {
            Bail::Separate(set) if set & !apart != 0 => self.0.push((group, apart | set)),
            Bail::Halve(d) if !group.is_single(d) => {
                let (mut low, mut high) = (group.clone(), group);
                let middle = low.low[d] + (low.high[d] - low.low[d]) / 2;
                low.high[d] = middle;
                high.low[d] = middle + 1;
                self.0.push((high, apart));
                self.0.push((low, apart));
            }
            bail => return Err(bail),
        }
        Ok(())
    }
}

impl KernelCounts {
    /// Adds a group of `times` MPs. Operations of lines are kept for the costliest MP.
    fn add(
        &mut self,
        record: Record<'_>,
        times: &BigInt,
        charges_conflicts: bool,
        costliest: &mut Bounds,
    ) -> Result<(), Bail> {
        if let (Some(charges), Some(meter)) = (&mut self.charges, &record.meter) {
            charges.add(meter, times);
        }
        let paid = |tally: &Tally| {
            if charges_conflicts {
                tally.operations.plus(&tally.waited)
            } else {
                tally.operations
            }
        };
        let mut time = Bounds::default();
        for tally in &record.tallies {
            time = time.plus(&paid(tally));
        }
        if time.upper == u64::MAX {
            return Err(Bail::TooLarge);
        }
        // The lines of the costliest MP add up to its t; taking the maximum of each line would not.
        let is_costliest = (time.upper, time.lower) > (costliest.upper, costliest.lower);
        for (line, tally) in self.lines.iter_mut().zip(&record.tallies) {
            if is_costliest || costliest.upper == 0 {
                line.executions = tally.executions;
                line.operations = paid(tally);
            }
            add_times(&mut line.blocks, tally.blocks, times);
            add_times(&mut line.conflicts, tally.conflicts, times);
        }
        if is_costliest {
            *costliest = time;
        }
        self.time = Bounds {
            lower: self.time.lower.max(time.lower),
            upper: self.time.upper.max(time.upper),
        };
        for (total, array) in self.arrays.iter_mut().zip(&record.arrays) {
            add_times(&mut total.0, array.0, times);
            add_times(&mut total.1, array.1, times);
        }
        for (worst, fact) in self.facts.iter_mut().zip(record.facts) {
            worst.keep_worse(fact);
        }
        Ok(())
    }
}

/// Returns k, the number of launched MPs.
fn launched_mps(launch: &Launch<'_>) -> BigInt {
    let ends = launch.low.iter().zip(&launch.high);
    let extents = ends.map(|(low, high)| (i128::from(*high) - i128::from(*low) + 1).max(0));
    extents.map(BigInt::from).product()
}

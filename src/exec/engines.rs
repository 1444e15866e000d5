//! The choice of an engine for the MPs of a kernel, and of the number of threads.
//! Takes a kernel that the host launches, and global memory; gives the kernel's counts for its
//! round. The engines themselves are in [`batches`](crate::exec::batches) and [`statements`];
//! nothing is executed or counted here.

use rayon::ThreadPool;

use crate::exec::batches::plan::Plan;
use crate::exec::batches::run;
use crate::exec::error::{Error, Result};
use crate::exec::launch::{Grid, Known, Launch, Watch, accessed};
use crate::exec::memory::global::Global;
use crate::exec::prepared::{Kept, Ready};
use crate::exec::rounds::KernelCounts;
use crate::exec::statements::{self, waves};
use crate::exec::tally::Tally;
use crate::exec::{Engine, Progress, TraceLine};
use crate::machine::CycleRules;
use crate::number::legible;
use crate::program::{Kernel, VarId};

/// Operations × cores that one thread finishes before several threads are ready. A kernel of
/// less work runs on one thread.
const WORK_OF_ONE_THREAD: u128 = 1 << 18;
/// The same threshold for kernels that run in batches.
const BATCHES_OF_ONE_THREAD: u128 = 3 << 19;

/// True if kernels are planned for batches of MPs. WebAssembly leaves them out: they would be
/// some 7 % of the library, for longer runs than a page starts.
const HAS_BATCHES: bool = !cfg!(target_family = "wasm");

/// Settings for the execution of one kernel.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    pub engine: Engine,
    /// A machine's own rules, where charges are asked for; batches cannot count them.
    pub cycle_rules: Option<&'a CycleRules>,
    pub progress: &'a dyn Progress,
    /// The round the kernel belongs to.
    pub round: u64,
    /// Returns the thread pool; called only where there is enough work.
    pub pool: &'a dyn Fn() -> Option<&'a ThreadPool>,
    /// The MP to trace.
    pub traced: Option<&'a [i64]>,
    /// True if its words are recorded too.
    pub traces_words: bool,
}

impl Manner<'_> {
    /// Returns true if kernels are planned for batches.
    fn plans(&self) -> bool {
        HAS_BATCHES
            && self.engine == Engine::Batches
            && self.traced.is_none()
            && self.cycle_rules.is_none()
    }
}

/// Executes a kernel over its evaluated ranges of MPs. Returns its counts and its operations ×
/// active cores, and appends the statements of the traced MP to `trace`.
pub(super) fn execute(
    manner: Manner<'_>,
    known: Known<'_>,
    (kept, ranges): (&mut Kept<'_>, &[(i64, i64)]),
    global: &mut Global,
    trace: &mut Vec<TraceLine>,
) -> Result<(KernelCounts, u128)> {
    let kernel = kept.kernel;
    let grid = Grid::new(ranges).map_err(|count| Error::TooManyMps {
        count: legible(&count),
        span: kernel.span,
    })?;
    let mps = grid.mps;
    if mps == 0 {
        return Ok((KernelCounts::default(), 0));
    }
    let lanes = u128::from(mps) * known.cores as u128;
    let Ready {
        code,
        plan,
        operations,
    } = kept.ready(known, &grid, manner.plans());
    let pool = if mps > 1 && is_long(plan, operations, lanes) {
        (manner.pool)()
    } else {
        None
    };
    let (reads, writes) = stamped(plan, kernel, mps);
    let launch = Launch {
        known,
        kernel,
        grid,
        stamps: global.begin_kernel(mps, &reads, &writes),
        engine: manner.engine,
        cycle_rules: manner.cycle_rules,
        watch: Watch::new(manner.progress, manner.round, mps),
    };
    let tally = match (plan.filter(|_| HAS_BATCHES), pool) {
        (Some(plan), pool) => run::all(&launch, plan, pool, global, |serials, global| {
            statements::one_by_one(&launch, code, serials, global, None)
        })?,
        (None, Some(pool)) if manner.traced.is_none() && manner.engine != Engine::Reference => {
            waves::together(&launch, code, pool, global)?
        }
        (None, _) => {
            let traced = manner.traced.map(|mp| statements::Traced {
                mp,
                has_words: manner.traces_words,
                lines: trace,
            });
            statements::one_by_one(&launch, code, 0..mps, global, traced)?
        }
    };
    let operations = tally.lane_operations;
    kept.note(operations, lanes);
    Ok((counts(&launch, tally), operations))
}

/// Returns true if there is work enough for several threads.
fn is_long(plan: Option<&Plan>, operations: Option<u64>, lanes: u128) -> bool {
    let most = match plan {
        Some(_) => BATCHES_OF_ONE_THREAD,
        None => WORK_OF_ONE_THREAD,
    };
    operations.is_none_or(|each| lanes * u128::from(each) > most)
}

/// Returns the global arrays that are read and those that are written where MPs might meet: their
/// words need stamps.
fn stamped(plan: Option<&Plan>, kernel: &Kernel, mps: u64) -> (Vec<VarId>, Vec<VarId>) {
    match plan {
        // A plan has proved that most arrays are free of races.
        Some(plan) => {
            let stamped = plan.global.iter().filter(|array| array.may_race);
            (Vec::new(), stamped.map(|array| array.variable).collect())
        }
        // A single MP meets no other.
        None if mps == 1 => (Vec::new(), Vec::new()),
        None => accessed(kernel),
    }
}

fn counts(launch: &Launch<'_>, tally: Tally) -> KernelCounts {
    let blocks = (launch.known.program.variable_ids())
        .zip(&tally.blocks)
        .filter(|(_, (read, write))| read + write > 0)
        .map(|(variable, blocks)| (variable, *blocks));
    let mps = launch.grid.mps;
    KernelCounts {
        launched_mps: mps,
        time: tally.most_time,
        conflicts: tally.conflicts,
        blocks: blocks.collect(),
        charges: tally.ledger.map(|ledger| ledger.charges(mps)),
    }
}

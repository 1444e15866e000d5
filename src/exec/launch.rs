//! Launching a kernel: its MPs, one after the other or many at the same time.
//!
//! The order of the MPs shows in nothing but which fault is met first: shared memory is an MP's
//! own, and an MP that sees what another one wrote is a fault. So MPs may run at the same time as
//! long as a fault sends them back to run in order.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::exec::batches::{plan, run};
use crate::exec::error::{Error, Place, Result};
use crate::exec::memory::Admitted;
use crate::exec::memory::global::{Global, Log, MOST_MPS, Stamps, View};
use crate::exec::rounds::KernelCounts;
use crate::exec::statements::compile::{self, Code};
use crate::exec::statements::{Mp, Tally};
use crate::exec::value::Value;
use crate::exec::{Engine, Progress, TraceLine, Work};
use crate::machine::CycleRules;
use crate::program::{Kernel, Program, Stmt, StmtKind, VarId, WrapperStmt};
use crate::text::Span;

/// What all launches of an execution have in common.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub program: &'a Program,
    /// b
    pub cores: usize,
    /// What the host bound, by parameter id.
    pub values: &'a [Option<Value>],
    /// By variable id.
    pub extents: &'a [Vec<usize>],
    /// `in lo..hi`, by variable id.
    pub admitted: &'a [Option<Admitted>],
    pub progress: &'a dyn Progress,
    /// The MP to trace.
    pub traced: Option<&'a [i64]>,
    /// How to execute.
    pub engine: Engine,
    /// What a machine charges, where one is asked; by reference only.
    pub cycle_rules: Option<&'a CycleRules>,
    /// The round the kernel belongs to.
    pub round: u64,
    /// Where MPs run at the same time.
    pub pool: Option<&'a ThreadPool>,
}

/// A kernel about to be executed by its MPs.
pub(super) struct Launch<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub code: Code<'a>,
    pub cores: usize,
    pub values: &'a [Option<Value>],
    pub extents: &'a [Vec<usize>],
    pub admitted: &'a [Option<Admitted>],
    pub stamps: Stamps,
    pub round: u64,
    pub by_reference: bool,
    pub cycle_rules: Option<&'a CycleRules>,
    /// First number and how many of them, of each dimension.
    pub ranges: Vec<(i64, u64)>,
    pub mps: u64,
    mps_done: AtomicU64,
    progress: &'a dyn Progress,
}

/// Executes a kernel over its evaluated ranges of MPs; counts what it did, and appends the traced
/// MP's statements.
pub(super) fn execute(
    around: Surroundings<'_>,
    kernel: &Kernel,
    ranges: &[(i64, i64)],
    global: &mut Global,
    trace: &mut Vec<TraceLine>,
) -> Result<(KernelCounts, u128)> {
    let ranges: Vec<(i64, u64)> = ranges
        .iter()
        .map(|&(low, high)| {
            (
                low,
                high.abs_diff(low).saturating_add(1) * u64::from(low <= high),
            )
        })
        .collect();
    let count = ranges.iter().fold(1u128, |product, (_, length)| {
        product.saturating_mul((*length).into())
    });
    if count > MOST_MPS.into() {
        return Err(Box::new(Error::TooManyMps {
            count: count.to_string(),
            span: kernel.span,
        }));
    }
    let mps = count as u64;
    if mps == 0 {
        return Ok((KernelCounts::default(), 0));
    }
    let code = compile::kernel(around.program, around.values, around.extents, kernel);
    let plan = match around.engine {
        Engine::Batches if around.traced.is_none() => {
            let launched = plan::Launched {
                program: around.program,
                kernel,
                values: around.values,
                extents: around.extents,
                cores: around.cores,
                mps: &ranges,
            };
            plan::plan(&launched, &code)
        }
        Engine::Batches | Engine::Statements | Engine::Reference => None,
    };
    let (reads, writes) = match &plan {
        // Free of races elsewhere.
        Some(plan) => {
            let stamped = plan.global.iter().filter(|array| array.may_race);
            (Vec::new(), stamped.map(|array| array.variable).collect())
        }
        None => accessed(kernel),
    };
    let launch = Launch {
        program: around.program,
        kernel,
        code,
        cores: around.cores,
        values: around.values,
        extents: around.extents,
        admitted: around.admitted,
        stamps: global.begin_kernel(mps, &reads, &writes),
        round: around.round,
        by_reference: around.engine == Engine::Reference,
        cycle_rules: around.cycle_rules,
        ranges,
        mps,
        mps_done: AtomicU64::new(0),
        progress: around.progress,
    };
    let tally = match (&plan, around.pool) {
        (Some(plan), pool) => run::all(&launch, plan, pool, global, |serials, global| {
            one_by_one(&launch, serials, global, None, &mut Vec::new())
        })?,
        (None, Some(pool)) if around.traced.is_none() && around.engine != Engine::Reference => {
            together(&launch, pool, global)?
        }
        (None, _) => one_by_one(&launch, 0..mps, global, around.traced, trace)?,
    };
    Ok((launch.counts(&tally), tally.lane_operations))
}

/// Executes MPs one after the other.
fn one_by_one(
    launch: &Launch<'_>,
    serials: Range<u64>,
    global: &mut Global,
    traced: Option<&[i64]>,
    trace: &mut Vec<TraceLine>,
) -> Result<Tally> {
    let mut mp = Mp::new(launch, View::Direct(global));
    let mut numbers = Vec::new();
    for serial in serials {
        launch.numbers(serial, &mut numbers);
        let is_traced = traced == Some(numbers.as_slice());
        if is_traced {
            mp.trace = Some(std::mem::take(trace));
        }
        mp.run(serial, &numbers)?;
        if is_traced {
            *trace = mp.trace.take().unwrap_or_default();
        }
    }
    Ok(mp.tally)
}

/// Executes MPs at the same time, wave by wave. All MPs of a wave see the memory as it was before
/// it and only note what they do, which is then done in the order of the MPs. Whatever goes wrong
/// in a wave, it is executed again one by one, which finds the fault that comes first.
fn together(launch: &Launch<'_>, pool: &ThreadPool, global: &mut Global) -> Result<Tally> {
    let mut tally = Tally::new(launch.program);
    let mut may_go_on = true;
    let mut serial = 0;
    while serial < launch.mps {
        let wave = serial..launch.mps.min(serial + WAVE);
        serial = wave.end;
        let threads = pool.current_num_threads() as u64;
        if threads > 1 && may_go_on && wave.end - wave.start >= 2 * threads {
            match try_wave(launch, pool, global, wave.clone()) {
                Ok(Replayed::All(counted)) => {
                    tally.add(&counted);
                    continue;
                }
                Ok(Replayed::Until(racing)) => {
                    // The MPs before are done; this one meets one of them.
                    one_by_one(launch, racing..wave.end, global, None, &mut Vec::new())?;
                    unreachable!("a race found in the log is found again");
                }
                Err(stopped) if matches!(*stopped, Error::Stopped) => return Err(stopped),
                Err(_) => may_go_on = false,
            }
        }
        tally.add(&one_by_one(launch, wave, global, None, &mut Vec::new())?);
    }
    Ok(tally)
}

/// Most MPs that run before what they did is done.
const WAVE: u64 = 1 << 14;

/// Words that all logs of a wave may take; a kernel that does more has its MPs run one by one.
const LOG_WORDS: usize = 1 << 25;

enum Replayed {
    All(Tally),
    /// A race of this MP with one before it.
    Until(u64),
}

/// Executes a wave at the same time and then does what it noted. Nothing is done on an error.
fn try_wave(
    launch: &Launch<'_>,
    pool: &ThreadPool,
    global: &mut Global,
    wave: Range<u64>,
) -> Result<Replayed> {
    let parts = 4 * pool.current_num_threads() as u64;
    let length = (wave.end - wave.start).div_ceil(parts);
    let starts: Vec<u64> = (wave.start..wave.end).step_by(length as usize).collect();
    let before = &*global;
    let room = LOG_WORDS / parts as usize;
    let run = |&start: &u64| -> Result<(u64, Tally, Log, Vec<usize>)> {
        let mut mp = Mp::new(launch, View::Logged(before, Log::new(room)));
        let mut numbers = Vec::new();
        let mut begins = Vec::new();
        for serial in start..wave.end.min(start + length) {
            launch.numbers(serial, &mut numbers);
            if let View::Logged(_, log) = &mut mp.global {
                begins.push(log.begin());
            }
            mp.run(serial, &numbers)?;
        }
        let log = match mp.global {
            View::Logged(_, mut log) => {
                begins.push(log.begin());
                log
            }
            View::Direct(_) => unreachable!("made logged"),
        };
        Ok((start, mp.tally, log, begins))
    };
    let done: Vec<_> = pool.install(|| starts.par_iter().map(run).collect::<Result<_>>())?;
    let mut tally = Tally::new(launch.program);
    for (start, counted, log, begins) in done {
        tally.add(&counted);
        for (serial, entries) in (start..).zip(begins.windows(2)) {
            let stamp = launch.stamps.of(serial);
            if global.replay(&log, entries[0]..entries[1], stamp).is_none() {
                return Ok(Replayed::Until(serial));
            }
        }
    }
    Ok(Replayed::All(tally))
}

impl Launch<'_> {
    /// The numbers of an MP, the last dimension running fastest.
    pub fn numbers(&self, serial: u64, numbers: &mut Vec<i64>) {
        numbers.clear();
        let mut rest = serial;
        for (low, length) in self.ranges.iter().rev() {
            numbers.push(low.wrapping_add((rest % length) as i64));
            rest /= length;
        }
        numbers.reverse();
    }

    /// The MP with this serial number.
    pub fn place_of(&self, serial: u64) -> Place {
        let mut mp = Vec::new();
        self.numbers(serial, &mut mp);
        Place { mp, core: None }
    }

    /// The statement that reads (or writes) a global variable, when there is just one but for the
    /// one at hand.
    pub fn only_access(&self, variable: VarId, writes: bool, at_hand: Span) -> Option<Span> {
        let mut found = Vec::new();
        each_access(self.kernel, &mut |stmt, accessed, is_write| {
            if accessed == variable && is_write == writes {
                found.push(stmt.span);
            }
        });
        match found.as_slice() {
            [only] if *only != at_hand => Some(*only),
            _ => None,
        }
    }

    /// Tells the watcher how far things are, and hears whether to go on.
    pub fn advance(&self, newly_done: u64) -> Result<()> {
        let before = self.mps_done.fetch_add(newly_done, Ordering::Relaxed);
        let done = Work {
            round: self.round,
            mps_done: self.mps.min(before + newly_done),
            mps: self.mps,
        };
        match self.progress.advance(done) {
            std::ops::ControlFlow::Continue(()) => Ok(()),
            std::ops::ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }

    fn counts(&self, tally: &Tally) -> KernelCounts {
        let blocks = self
            .program
            .variable_ids()
            .zip(&tally.blocks)
            .filter(|(_, (read, write))| read + write > 0)
            .map(|(variable, blocks)| (variable, *blocks));
        KernelCounts {
            launched_mps: self.mps,
            time: tally.most_time,
            conflicts: tally.conflicts,
            blocks: blocks.collect(),
            charges: tally.ledger.as_ref().map(|ledger| ledger.charges(self.mps)),
        }
    }
}

/// The global variables that statements of a kernel read, and those they write.
fn accessed(kernel: &Kernel) -> (Vec<VarId>, Vec<VarId>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    each_access(kernel, &mut |_, variable, is_write| {
        let list = if is_write { &mut writes } else { &mut reads };
        if !list.contains(&variable) {
            list.push(variable);
        }
    });
    (reads, writes)
}

fn each_access(kernel: &Kernel, visit: &mut dyn FnMut(&Stmt, VarId, bool)) {
    let mut pending: Vec<&Stmt> = Vec::new();
    for stmt in &kernel.body {
        if let WrapperStmt::Cores(cores) = stmt {
            pending.extend(&cores.body);
        }
    }
    while let Some(stmt) = pending.pop() {
        match &stmt.kind {
            StmtKind::Load { source, .. } => visit(stmt, source.variable, false),
            StmtKind::Store { target, .. } => visit(stmt, target.variable, true),
            StmtKind::If { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::While { body, .. } => pending.extend(body),
            StmtKind::Assign { .. } | StmtKind::Atomic { .. } | StmtKind::Let(_) => {}
        }
    }
}

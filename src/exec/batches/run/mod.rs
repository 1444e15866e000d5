//! Batches of MPs executing a plan in lockstep.
//!
//! The MPs of a batch are neighbours in their last dimension, or all of several of its rows. Their
//! shared arrays lie one after the other, so a statement is a few loops over rows of words
//! ([`rows`]), a row per MP, or per run of its active cores; what one statement costs to decide is
//! shared by all of them. That is allowed because a plan is free
//! of races between MPs, or finds that they met: nobody can see in which order they run.
//!
//! Nothing of a batch counts until it succeeds. When a guard differs between its MPs, the batch
//! is done again in halves; when anything unusual happens (an overflow, a fault, a word never
//! written) it is undone, and the statement-by-statement engine executes its MPs, and describes
//! the fault if there is one.

pub(crate) mod accesses;
pub(crate) mod accumulate;
pub(crate) mod atomic;
pub(crate) mod counted;
pub(crate) mod dense;
pub(crate) mod digits;
pub(crate) mod exchange;
pub(crate) mod globals;
pub(crate) mod masks;
pub(crate) mod places;
pub(crate) mod registers;
pub(crate) mod rows;
pub(crate) mod steps;
pub(crate) mod values;

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::exec::Data;
use crate::exec::batches::plan::{Plan, Reach};
use crate::exec::batches::run::counted::{LastBlocks, Seen};
use crate::exec::batches::run::globals::GlobalView;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::registers::Register;
use crate::exec::error::{Error, Result};
use crate::exec::lanes::Buffers;
use crate::exec::launch::{Launch, Pace};
use crate::exec::memory::global::Global;
use crate::exec::memory::written::Written;
use crate::exec::tally::Tally;
use crate::syntax::ast::WordType;

/// Why a batch ended early.
enum Stop {
    /// Fewer MPs may be able to go together.
    Split,
    /// Something this engine does not do.
    Bail,
    /// A fault, or the watcher.
    Halt(Box<Error>),
}

/// Executes MPs until all are done, or the statement-by-statement engine has to go on: gives the
/// MPs that it should execute next.
pub(crate) fn execute(
    launch: &Launch<'_>,
    plan: &Plan,
    serials: Range<u64>,
    global: &mut Global,
    tally: &mut Tally,
) -> Result<Option<Range<u64>>> {
    let views = globals::views(plan, global);
    let mut part = Part::new(launch, plan, views);
    let outcome = part.run(serials);
    let noted = part.finish(tally);
    enter(plan, global, noted);
    outcome
}

/// Executes MPs on all threads of a pool. Gives the MPs that the statement-by-statement engine
/// should execute, or `None` where the arrays cannot be divided; then nothing was done.
pub(crate) fn execute_together(
    launch: &Launch<'_>,
    plan: &Plan,
    pool: &ThreadPool,
    global: &mut Global,
    tally: &mut Tally,
) -> Result<Option<Vec<Range<u64>>>> {
    let parts = divide(launch, 4 * pool.current_num_threads() as u64);
    if parts.len() < 2 {
        return Ok(None);
    }
    let stretches: Vec<Vec<Range<usize>>> = parts
        .iter()
        .map(|part| stretches(launch, plan, global, part))
        .collect();
    let views = globals::views(plan, global);
    let Some(views) = globals::split(views, &stretches) else {
        return Ok(None);
    };
    type Done = (Result<Option<Range<u64>>>, Range<u64>, Tally, Vec<Noted>);
    let run = |(serials, views): (Range<u64>, Vec<GlobalView<'_>>)| -> Done {
        let mut part = Part::new(launch, plan, views);
        let outcome = part.run(serials.clone());
        let mut tally = Tally::new(launch.known.program);
        let noted = part.finish(&mut tally);
        (outcome, serials, tally, noted)
    };
    let tasks: Vec<_> = parts.into_iter().zip(views).collect();
    let done: Vec<Done> = pool.install(|| tasks.into_par_iter().map(run).collect());
    let mut left = Vec::new();
    let mut stopped = None;
    for (outcome, serials, counted, noted) in done {
        tally.add(&counted);
        enter(plan, global, noted);
        match outcome {
            Ok(None) => {}
            Ok(Some(rest)) => left.push(rest.start..serials.end),
            Err(fault) => stopped = Some(fault),
        }
    }
    match stopped {
        Some(fault) => Err(fault),
        None => Ok(Some(left)),
    }
}

/// Stretches of one array that were written.
type Noted = Vec<Range<usize>>;

fn enter(plan: &Plan, global: &mut Global, noted: Vec<Noted>) {
    for (array, stretches) in plan.global.iter().zip(noted) {
        if stretches.is_empty() {
            continue;
        }
        let store = global.store_mut(array.variable);
        for stretch in stretches {
            store.written.mark(stretch.start, stretch.len());
        }
    }
}

/// MPs in about this many parts, cut in their first dimension.
fn divide(launch: &Launch<'_>, parts: u64) -> Vec<Range<u64>> {
    let first = launch.grid.ranges.first().map_or(1, |(_, length)| *length);
    let inner = launch.grid.mps / first;
    let length = first.div_ceil(parts).max(1);
    (0..first.div_ceil(length))
        .map(|part| part * length * inner..((part + 1) * length).min(first) * inner)
        .collect()
}

/// The stretch of each of the plan's arrays that some MPs may write.
fn stretches(
    launch: &Launch<'_>,
    plan: &Plan,
    global: &Global,
    serials: &Range<u64>,
) -> Vec<Range<usize>> {
    let (first, length) = launch.grid.ranges[0];
    let inner = launch.grid.mps / length;
    let own = (
        first + (serials.start / inner) as i64,
        first + (serials.end / inner) as i64 - 1,
    );
    let stretch = |(at, array): (usize, &crate::exec::batches::plan::GlobalArray)| {
        let words = global.store(array.variable).len();
        if !array.is_written {
            return 0..words;
        }
        let reaches = plan.accesses.iter().filter(|reach| reach.array == at);
        let ends = reaches.map(|reach: &Reach| {
            let mut slots = reach.slots.clone();
            slots[0] = own;
            let (low, high) = reach.offset.interval(reach.cores, &slots);
            let within = |at: i128| at.clamp(0, words as i128) as usize;
            (within(low), within(high + 1))
        });
        let (low, high) = ends.fold((words, 0), |(low, high), (from, to)| {
            (low.min(from), high.max(to))
        });
        low.min(high)..high
    };
    plan.global.iter().enumerate().map(stretch).collect()
}

/// Shared arrays of the MPs of a batch, one after the other.
#[derive(Debug)]
struct SharedRows {
    data: Data,
    /// Words of one MP.
    words: usize,
    /// Which of them were written, by every MP of the batch alike.
    written: Written,
    /// Bits that hold the magnitude of every word, while it is known.
    magnitude: Option<u32>,
    /// Per word of an MP, the last count that met it (upper half) and what it noted.
    marks: Vec<u64>,
    epoch: u32,
}

/// What a batch has counted so far.
#[derive(Debug, Default)]
struct Counts {
    /// Operations that every MP has paid.
    time: u64,
    /// What each MP has paid besides; empty while nothing.
    own_time: Vec<u64>,
    conflicts: u64,
    lane_operations: u128,
    /// Blocks read and written, by the plan's arrays.
    blocks: Vec<(u64, u64)>,
}

/// MPs executing batch after batch on one thread.
pub(crate) struct Part<'a, 'g> {
    launch: &'a Launch<'a>,
    plan: &'a Plan,
    globals: Vec<GlobalView<'g>>,
    shared: Vec<SharedRows>,
    registers: Vec<Option<Register>>,
    /// The first MP's indices, and loop variables.
    slots: Vec<i64>,
    /// The number of the first MP, in the order of all.
    first: u64,
    /// MPs in the batch.
    width: usize,
    /// How many of them differ in the last dimension only.
    row: usize,
    /// How many such rows there are.
    outer: usize,
    /// b
    cores: usize,
    counts: Counts,
    /// Counted by finished batches.
    total: Counts,
    most_time: u64,
    /// Lanes to spare, by length.
    ints: Vec<Vec<i64>>,
    floats: Vec<Vec<f64>>,
    bools: Vec<Vec<bool>>,
    compare: Buffers,
    /// Words counted in each bank; all 0 between two counts.
    in_bank: Vec<u32>,
    /// Blocks of one MP's access.
    seen: Seen,
    last_blocks: LastBlocks,
    /// Most MPs in a batch, as experience has it.
    widest: usize,
    pace: Pace,
}

/// Work between two looks at the watcher.
const BUDGET: i64 = 1 << 20;

/// Failed batches after which a kernel is left to the other engine.
const MOST_FAILURES: u32 = 8;

impl<'a, 'g> Part<'a, 'g> {
    fn new(launch: &'a Launch<'a>, plan: &'a Plan, globals: Vec<GlobalView<'g>>) -> Self {
        let widest = plan.widest.min(launch.grid.mps as usize).max(1);
        let shared = plan.shared.iter().map(|array| SharedRows {
            data: match array.word_type {
                WordType::Int => Data::Int(vec![0; array.words * widest]),
                WordType::Float => Data::Float(vec![0.0; array.words * widest]),
            },
            words: array.words,
            written: Written::none(array.words),
            magnitude: None,
            marks: Vec::new(),
            epoch: 0,
        });
        let blocks = vec![(0, 0); plan.global.len()];
        Part {
            launch,
            plan,
            globals,
            shared: shared.collect(),
            registers: (0..plan.registers).map(|_| None).collect(),
            slots: vec![0; plan.slots],
            first: 0,
            width: 1,
            row: 1,
            outer: 1,
            cores: launch.known.cores,
            counts: Counts {
                blocks: blocks.clone(),
                ..Counts::default()
            },
            total: Counts {
                blocks,
                ..Counts::default()
            },
            most_time: 0,
            ints: Vec::new(),
            floats: Vec::new(),
            bools: Vec::new(),
            compare: Buffers::new(launch.known.cores),
            in_bank: vec![0; launch.known.cores],
            seen: Seen::new(launch.known.cores),
            last_blocks: LastBlocks::none(),
            widest,
            pace: Pace::new(BUDGET),
        }
    }

    /// Executes MPs in order; gives those of the first batch that fails.
    fn run(&mut self, serials: Range<u64>) -> Result<Option<Range<u64>>> {
        let plan = self.plan;
        let mut numbers = Vec::new();
        let mut serial = serials.start;
        let mut width = self.widest;
        while serial < serials.end {
            let [outer, inner] = self.next(serial..serials.end, width as u64);
            self.first = serial;
            (self.width, self.outer, self.row) = (outer * inner, outer, inner);
            self.launch.grid.numbers(serial, &mut numbers);
            self.slots[..plan.dimensions].copy_from_slice(&numbers);
            self.begin();
            match self.block(&plan.body, &Active::Range(0, self.cores)) {
                Ok(()) => {
                    self.keep();
                    serial += self.width as u64;
                    width = self.widest.min(2 * width);
                }
                Err(Stop::Split) if self.width > 1 => {
                    self.undo();
                    width = self.width / 2;
                }
                Err(Stop::Split | Stop::Bail) => {
                    self.undo();
                    return Ok(Some(serial..serial + self.width as u64));
                }
                Err(Stop::Halt(fault)) => return Err(fault),
            }
        }
        self.pace.look(&self.launch.watch)?;
        Ok(None)
    }

    /// How many MPs may go next, of at most so many: rows of the last dimension, and MPs of each.
    fn next(&self, serials: Range<u64>, most: u64) -> [usize; 2] {
        let mut lengths = self
            .launch
            .grid
            .ranges
            .iter()
            .rev()
            .map(|(_, length)| *length);
        let row = lengths.next().expect("MPs have a dimension");
        let rows = match lengths.next() {
            Some(rows) if !self.plan.is_flat => rows,
            Some(_) | None => 1,
        };
        let (start, left) = (serials.start, serials.end - serials.start);
        let whole = most.min(left) / row;
        let next = if start.is_multiple_of(row) && whole > 0 {
            [whole.min(rows - start / row % rows), row]
        } else {
            [1, most.min(left).min(row - start % row)]
        };
        next.map(|count| count as usize)
    }

    fn begin(&mut self) {
        for array in &mut self.shared {
            array.written.clear();
            array.magnitude = None;
        }
        let counts = &mut self.counts;
        (counts.time, counts.conflicts, counts.lane_operations) = (0, 0, 0);
        counts.own_time.clear();
        counts.blocks.fill((0, 0));
    }

    fn keep(&mut self) {
        let own = self.counts.own_time.iter().max().copied().unwrap_or(0);
        self.most_time = self.most_time.max(self.counts.time + own);
        self.total.conflicts += self.counts.conflicts;
        self.total.lane_operations += self.counts.lane_operations;
        for (total, blocks) in self.total.blocks.iter_mut().zip(&self.counts.blocks) {
            total.0 += blocks.0;
            total.1 += blocks.1;
        }
        for global in &mut self.globals {
            global.keep();
        }
        self.pace.done(self.width as u64);
    }

    fn undo(&mut self) {
        for global in &mut self.globals {
            global.restore();
        }
    }

    /// What was counted, and which words of each array were written.
    fn finish(self, tally: &mut Tally) -> Vec<Noted> {
        tally.most_time = tally.most_time.max(self.most_time);
        tally.conflicts += u128::from(self.total.conflicts);
        tally.lane_operations += self.total.lane_operations;
        for (array, blocks) in self.plan.global.iter().zip(&self.total.blocks) {
            let counted = &mut tally.blocks[array.variable.0 as usize];
            counted.0 += u128::from(blocks.0);
            counted.1 += u128::from(blocks.1);
        }
        self.globals.into_iter().map(|view| view.noted).collect()
    }

    /// Notes work done, and asks now and then whether to go on.
    fn spend(&mut self, work: i64) -> std::result::Result<(), Stop> {
        let went_on = self.pace.spend(work, &self.launch.watch);
        went_on.map_err(Stop::Halt)
    }
}

/// Executes all MPs of a kernel with a plan.
pub(crate) fn all(
    launch: &Launch<'_>,
    plan: &Plan,
    pool: Option<&ThreadPool>,
    global: &mut Global,
    mut one_by_one: impl FnMut(Range<u64>, &mut Global) -> Result<Tally>,
) -> Result<Tally> {
    let mut tally = Tally::new(launch.known.program);
    let all = 0..launch.grid.mps;
    let mut left = vec![all];
    if let Some(pool) = pool
        && pool.current_num_threads() > 1
        && let Some(rest) = execute_together(launch, plan, pool, global, &mut tally)?
    {
        left = rest;
    }
    let mut failures = 0;
    for mut serials in left {
        while !serials.is_empty() {
            let next = match failures {
                MOST_FAILURES.. => Some(serials.clone()),
                _ => execute(launch, plan, serials.clone(), global, &mut tally)?,
            };
            let Some(failed) = next else { break };
            failures += 1;
            tally.add(&one_by_one(failed.clone(), global)?);
            serials.start = failed.end;
        }
    }
    Ok(tally)
}

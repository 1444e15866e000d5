//! Batches of MPs executing a plan in lockstep.
//!
//! The MPs of a batch are neighbours in their last dimension, or fill several of its rows. Their
//! shared arrays lie one after the other (or are one, while all of them hold the same). So a
//! statement is a few loops over rows of words ([`rows`]): a row per MP, or per run of its active
//! cores. The fixed cost of a statement is shared by all MPs of the batch. Their order does not
//! matter, because a plan is free of races between MPs or finds that they met.
//!
//! Nothing of a batch counts until it succeeds. If a guard differs between its MPs, the batch is
//! repeated in halves. If anything unusual happens (an overflow, a fault, a word never written), it
//! is undone. The statement-by-statement engine then executes its MPs, and describes the fault if
//! there is one.
//!
//! A batch is executed with a [`Part`]: its MPs ([`batch`]) under a mask ([`masks`]), their memory
//! ([`shared`], [`globals`]), the values of `let`s ([`dense`]) and the counts ([`counted`]). Values
//! come from [`values`], [`conditions`] and [`places`]. A function each uses them ([`accesses`],
//! [`assign`], [`atomic`], [`exchange`], [`accumulate`], [`registers`]), called by [`steps`], for
//! several iterations at once where [`iterations`] allows it.

mod accesses;
mod accumulate;
mod assign;
mod atomic;
mod batch;
mod conditions;
mod counted;
mod dense;
mod digits;
mod exchange;
mod globals;
mod iterations;
mod last_blocks;
mod masks;
mod operations;
mod part;
mod places;
mod registers;
mod rows;
mod seen;
mod shared;
mod steps;
mod stop;
mod values;
mod writes;

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::exec::batches::plan::{GlobalArray, Plan, Reach};
use crate::exec::batches::run::counted::Counts;
use crate::exec::batches::run::globals::{GlobalView, Noted};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::{Fixed, Part};
use crate::exec::batches::run::stop::Stop;
use crate::exec::error::Result;
use crate::exec::launch::Launch;
use crate::exec::memory::global::Global;
use crate::exec::tally::Tally;

/// Executes MPs on this thread. Returns the first MPs that the statement-by-statement engine has
/// to execute, or `None` if all are done.
fn execute(
    launch: &Launch<'_>,
    plan: &Plan,
    serials: Range<u64>,
    global: &mut Global,
    tally: &mut Tally,
) -> Result<Option<Range<u64>>> {
    let views = globals::views(plan, global);
    let mut worker = Worker::new(Fixed { launch, plan }, views);
    let outcome = worker.run(serials);
    let noted = worker.finish(tally);
    enter(plan, global, noted);
    outcome
}

/// Executes MPs on all threads of a pool. Returns the MPs left for the statement-by-statement
/// engine, or `None` with nothing done if the arrays cannot be divided.
fn execute_together(
    launch: &Launch<'_>,
    plan: &Plan,
    pool: &ThreadPool,
    global: &mut Global,
    tally: &mut Tally,
) -> Result<Option<Vec<Range<u64>>>> {
    // A half batch takes most of the time of a whole one, so parts should hold whole batches; a few
    // parts per thread even out their times.
    let threads = pool.current_num_threads() as u64;
    let batches = launch.grid.mps / plan.widest as u64;
    let parts = divide(launch, batches.clamp(threads, 4 * threads));
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
        let mut worker = Worker::new(Fixed { launch, plan }, views);
        let outcome = worker.run(serials.clone());
        let mut tally = Tally::new(launch.known.program);
        let noted = worker.finish(&mut tally);
        (outcome, serials, tally, noted)
    };
    let tasks: Vec<_> = parts.into_iter().zip(views).collect();
    let done: Vec<Done> = pool.install(|| tasks.into_par_iter().map(run).collect());
    let mut left = Vec::new();
    let mut stopped = None;
    for (outcome, serials, counted, noted) in done {
        tally.add(counted);
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

fn enter(plan: &Plan, global: &mut Global, noted: Vec<Noted>) {
    for (array, stretches) in plan.global.iter().zip(noted) {
        if stretches.is_empty() {
            continue;
        }
        let store = global.store_mut(array.variable);
        for (first, stride, words) in stretches {
            match stride {
                1 => store.written.mark(first, words),
                _ => globals::places((first, stride, words))
                    .for_each(|at| store.written.mark_word(at)),
            }
        }
    }
}

/// Divides MPs into about `parts` parts, cut in the first dimension.
fn divide(launch: &Launch<'_>, parts: u64) -> Vec<Range<u64>> {
    let first = launch.grid.ranges.first().map_or(1, |(_, length)| *length);
    let inner = launch.grid.mps / first;
    let length = first.div_ceil(parts).max(1);
    (0..first.div_ceil(length))
        .map(|part| part * length * inner..((part + 1) * length).min(first) * inner)
        .collect()
}

/// Bounds the words of each of the plan's arrays that some MPs may write.
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
    let stretch = |(at, array): (usize, &GlobalArray)| {
        let words = global.store(array.variable).len();
        if !array.is_written {
            return 0..words;
        }
        let reaches = plan.accesses.iter().filter(|reach| reach.array == at);
        let ends = reaches.map(|reach: &Reach| {
            let mut slots = reach.slots.clone();
            slots[0] = own;
            let Some(offset) = &reach.offset else {
                return (0, words);
            };
            let (low, high) = offset.interval(reach.cores, &slots);
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

/// Executes one batch after the other on one thread.
struct Worker<'a, 'g> {
    part: Part<'a, 'g>,
    /// Counts of finished batches; t is the largest of any MP.
    total: Counts,
    /// Most MPs in a batch.
    widest: usize,
}

/// Failed batches after which the rest of a kernel is left to the other engine.
const MOST_FAILURES: u32 = 8;

impl<'a, 'g> Worker<'a, 'g> {
    fn new(fixed: Fixed<'a>, globals: Vec<GlobalView<'g>>) -> Self {
        let most = fixed.launch.grid.mps as usize;
        let widest = fixed.plan.widest.min(most).max(1);
        Worker {
            part: Part::new(fixed, globals, widest),
            total: Counts::of(fixed.plan.global.len()),
            widest,
        }
    }

    /// Executes MPs in order; returns the MPs of the first batch that fails.
    fn run(&mut self, serials: Range<u64>) -> Result<Option<Range<u64>>> {
        let Fixed { launch, plan } = self.part.fixed;
        let mut numbers = Vec::new();
        let mut serial = serials.start;
        // A batch whose MPs disagree is halved until it fits. Every success doubles the width
        // again, up
        // to the widest.
        let mut width = self.widest;
        while serial < serials.end {
            let [outer, inner] = next(launch, plan, serial..serials.end, width as u64);
            let batch = &mut self.part.batch;
            batch.first = serial;
            (batch.outer, batch.row) = (outer, inner);
            launch.grid.numbers(serial, &mut numbers);
            batch.slots[..plan.dimensions].copy_from_slice(&numbers);
            let (mps, everyone) = (batch.width(), Active::Range(0, batch.cores));
            self.part.forget();
            self.part.counted.counts.clear();
            match steps::block(&mut self.part, &plan.body, &everyone) {
                Ok(()) => {
                    self.keep();
                    serial += mps as u64;
                    width = self.widest.min(2 * width);
                }
                Err(Stop::Split) if mps > 1 => {
                    self.undo();
                    width = mps / 2;
                }
                Err(Stop::Split | Stop::Bail) => {
                    self.undo();
                    return Ok(Some(serial..serial + mps as u64));
                }
                Err(Stop::Halt(fault)) => return Err(fault),
            }
        }
        self.part.counted.pace.look(&launch.watch)?;
        Ok(None)
    }

    fn keep(&mut self) {
        self.total.add(&self.part.counted.counts);
        self.part.globals.iter_mut().for_each(GlobalView::keep);
        self.part.counted.pace.done(self.part.batch.width() as u64);
    }

    fn undo(&mut self) {
        self.part.globals.iter_mut().for_each(GlobalView::restore);
    }

    /// Adds the counts to a tally; returns the written stretches of each array.
    fn finish(self, tally: &mut Tally) -> Vec<Noted> {
        tally.most_time = tally.most_time.max(self.total.time);
        tally.conflicts += u128::from(self.total.conflicts);
        tally.lane_operations += self.total.lane_operations;
        let arrays = &self.part.fixed.plan.global;
        for (array, blocks) in arrays.iter().zip(&self.total.blocks) {
            let counted = &mut tally.blocks[array.variable.0 as usize];
            counted.0 += u128::from(blocks.0);
            counted.1 += u128::from(blocks.1);
        }
        let globals = self.part.globals.into_iter();
        globals.map(|view| view.noted).collect()
    }
}

/// Returns the rows and the MPs per row of the next batch, of at most `most` MPs.
fn next(launch: &Launch<'_>, plan: &Plan, serials: Range<u64>, most: u64) -> [usize; 2] {
    let mut lengths = launch.grid.ranges.iter().rev().map(|(_, length)| *length);
    let row = lengths.next().expect("MPs have a dimension");
    let rows = match lengths.next() {
        Some(rows) if !plan.is_flat => rows,
        Some(_) | None => 1,
    };
    // Whole rows go together if the batch starts at a row and conditions do not turn inside it.
    // Otherwise it is a piece of one row, up to the next cut.
    let (start, left) = (serials.start, serials.end - serials.start);
    let whole = most.min(left) / row;
    let next = if start.is_multiple_of(row) && whole > 0 && plan.cuts.is_empty() {
        [whole.min(rows - start / row % rows), row]
    } else {
        let at = start % row;
        let first = launch.grid.ranges.last().map_or(0, |(first, _)| *first);
        let cuts = plan.cuts.iter().map(|cut| (cut - first) as u64);
        let end = cuts.filter(|&cut| cut > at).min().unwrap_or(row);
        [1, most.min(left).min(end.min(row) - at)]
    };
    next.map(|count| count as usize)
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
            tally.add(one_by_one(failed.clone(), global)?);
            serials.start = failed.end;
        }
    }
    Ok(tally)
}

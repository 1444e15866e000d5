//! Many MPs at the same time, statement by statement.
//!
//! The order of MPs shows only in the fault that is met first: shared memory is an MP's own, and an
//! MP that sees another one's writes is a fault. So MPs may run at the same time, if a fault sends
//! them back to run in order.

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::exec::error::{Error, Result};
use crate::exec::launch::Launch;
use crate::exec::memory::global::Global;
use crate::exec::memory::global::log::{Log, View};
use crate::exec::statements::typed::Code;
use crate::exec::statements::{Runner, one_by_one};
use crate::exec::tally::Tally;

/// Executes MPs at the same time, wave by wave. All MPs of a wave see the memory as it was before,
/// and log their accesses, which are replayed in the order of the MPs. If anything goes wrong in a
/// wave, it is executed again one by one, which finds the first fault.
pub(crate) fn together(
    launch: &Launch<'_>,
    code: &Code<'_>,
    pool: &ThreadPool,
    global: &mut Global,
) -> Result<Tally> {
    let mut tally = Tally::new(launch.known.program);
    let mut may_go_on = true;
    let mut serial = 0;
    while serial < launch.grid.mps {
        let wave = serial..launch.grid.mps.min(serial + WAVE);
        serial = wave.end;
        let threads = pool.current_num_threads() as u64;
        if threads > 1 && may_go_on && wave.end - wave.start >= 2 * threads {
            match try_wave(launch, code, pool, global, wave.clone()) {
                Ok(Replayed::All(counted)) => {
                    tally.add(counted);
                    continue;
                }
                Ok(Replayed::Until(racing)) => {
                    // The MPs before are done; this one meets one of them, and finds the race
                    // again.
                    one_by_one(launch, code, racing..wave.end, global, None)?;
                    unreachable!("a race found in the log is found again");
                }
                Err(stopped) if matches!(*stopped, Error::Stopped) => return Err(stopped),
                Err(_) => may_go_on = false,
            }
        }
        tally.add(one_by_one(launch, code, wave, global, None)?);
    }
    Ok(tally)
}

/// Most MPs of a wave.
const WAVE: u64 = 1 << 14;

/// Most words of all logs of a wave together; a kernel that needs more runs its MPs one by one.
const LOG_WORDS: usize = 1 << 25;

enum Replayed {
    All(Tally),
    /// The MP that races with one before it.
    Until(u64),
}

/// Executes a wave at the same time, then replays its log. Does nothing on an error.
fn try_wave(
    launch: &Launch<'_>,
    code: &Code<'_>,
    pool: &ThreadPool,
    global: &mut Global,
    wave: Range<u64>,
) -> Result<Replayed> {
    // Parts of neighbouring MPs, four per thread so that uneven parts even out. Each part has its
    // own log, in which `begins` holds where the entries of each MP start.
    let parts = 4 * pool.current_num_threads() as u64;
    let length = (wave.end - wave.start).div_ceil(parts);
    let starts: Vec<u64> = (wave.start..wave.end).step_by(length as usize).collect();
    let before = &*global;
    let room = LOG_WORDS / parts as usize;
    let run = |&start: &u64| -> Result<(u64, Tally, Log, Vec<usize>)> {
        let mut runner = Runner::new(launch, code, View::Logged(before, Log::new(room)));
        let mut numbers = Vec::new();
        let mut begins = Vec::new();
        for serial in start..wave.end.min(start + length) {
            launch.grid.numbers(serial, &mut numbers);
            if let View::Logged(_, log) = &mut runner.mp.global {
                begins.push(log.begin());
            }
            runner.run(serial, &numbers)?;
        }
        let log = match runner.mp.global {
            View::Logged(_, mut log) => {
                begins.push(log.begin());
                log
            }
            View::Direct(_) => unreachable!("made logged"),
        };
        Ok((start, runner.mp.tally, log, begins))
    };
    let done: Vec<_> = pool.install(|| starts.par_iter().map(run).collect::<Result<_>>())?;
    let mut tally = Tally::new(launch.known.program);
    for (start, counted, log, begins) in done {
        tally.add(counted);
        for (serial, entries) in (start..).zip(begins.windows(2)) {
            let stamp = launch.stamps.of(serial);
            if global.replay(&log, entries[0]..entries[1], stamp).is_none() {
                return Ok(Replayed::Until(serial));
            }
        }
    }
    Ok(Replayed::All(tally))
}

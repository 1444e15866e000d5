//! Trials: iterations of a loop counted together as though they were one, and undone if they turn
//! out
//! not to be alike.
//!
//! Takes a group with its memory and its record; gives them after the trial, or exactly as before
//! it.
//! The kernel says which iterations are tried and when they are alike.

use crate::interval::lanes::{DIMENSIONS, MP_DIMENSIONS};
use crate::interval::memory::{Shared, Summaries};
use crate::interval::warp::Warp;
use crate::interval::warp::record::{Fact, SoFar};

/// Most failed trials of a loop in a row; then it is left alone.
const MOST_IN_VAIN: u32 = 8;

/// Failed trials of a loop in a row before a trial may forget the ranges of floats. The range of `max(_m[j], _x[j])` is
/// the same from the second iteration on; that of a sum grows for ever.
const IN_VAIN_BEFORE_WIDENING: u32 = 3;

/// The trials of one launch.
#[derive(Debug)]
pub(in crate::interval) struct Trials {
    /// Number of running trials, one inside the other.
    running: usize,
    /// True if the innermost met a fault, so that its iterations must be told apart.
    pub(super) met_fault: bool,
    /// For each line, the failed trials since the last success.
    in_vain: Vec<u32>,
}

/// The state before a trial.
#[derive(Debug)]
pub(in crate::interval) struct Before {
    pub(in crate::interval) record: SoFar,
    facts: Vec<Fact>,
    globals: Summaries,
    changed: bool,
    met_fault: bool,
}

impl Trials {
    /// Starts without trials, for `lines` lines.
    pub(in crate::interval) fn new(lines: usize) -> Trials {
        Trials {
            running: 0,
            met_fault: false,
            in_vain: vec![0; lines],
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.running > 0
    }

    /// Returns the dimension for iterations of the loop on this line; `None` if a trial is not
    /// worth it
    /// or no dimension is left.
    pub(in crate::interval) fn dimension(&self, line: usize) -> Option<usize> {
        let dimension = MP_DIMENSIONS + self.running;
        (dimension < DIMENSIONS && self.in_vain[line] < MOST_IN_VAIN).then_some(dimension)
    }

    /// Returns true if the next trial of the loop on this line may forget the ranges of floats.
    pub(in crate::interval) fn may_widen(&self, line: usize) -> bool {
        self.in_vain[line] >= IN_VAIN_BEFORE_WIDENING
    }

    /// Records that the iterations of the loop on this line were not alike.
    pub(in crate::interval) fn was_in_vain(&mut self, line: usize) {
        self.in_vain[line] += 1;
    }
}

/// Begins a trial.
pub(in crate::interval) fn begin(warp: &mut Warp<'_, '_>) -> Before {
    warp.trials.running += 1;
    let arrays = warp.held.shared.iter_mut().flatten();
    arrays.for_each(Shared::begin_trial);
    Before {
        record: warp.record.so_far(),
        facts: warp.record.facts.clone(),
        globals: warp.held.globals.clone(),
        changed: warp.held.changed,
        met_fault: std::mem::take(&mut warp.trials.met_fault),
    }
}

/// Returns true if a trial met no fault and left memory as it was.
pub(in crate::interval) fn left_all_as_before(warp: &Warp<'_, '_>, before: &Before) -> bool {
    let mut arrays = warp.held.shared.iter().flatten();
    !warp.trials.met_fault
        && warp.held.globals.same(&before.globals)
        && arrays.all(Shared::is_as_before_trial)
}

/// The words of each shared array, by `VarId`, of which a trial changed the range of a float; `None` if it changed
/// anything else.
pub(in crate::interval) fn grown_floats(
    warp: &Warp<'_, '_>,
    before: &Before,
) -> Option<Vec<Vec<usize>>> {
    if warp.trials.met_fault || !warp.held.globals.same(&before.globals) {
        return None;
    }
    let arrays = warp.held.shared.iter();
    let grown = arrays.map(|array| match array {
        Some(array) => array.grown_floats(),
        None => Some(Vec::new()),
    });
    grown.collect()
}

/// Forgets all that is known of these words: they hold any float.
pub(in crate::interval) fn widen(warp: &mut Warp<'_, '_>, words: &[Vec<usize>]) {
    for (array, words) in warp.held.shared.iter_mut().zip(words) {
        if let Some(array) = array {
            array.widen(words);
        }
    }
}

/// Ends a successful trial of the loop on this line; its counts stay.
pub(in crate::interval) fn keep(warp: &mut Warp<'_, '_>, line: usize, before: &Before) {
    warp.trials.in_vain[line] = 0;
    let arrays = warp.held.shared.iter_mut().flatten();
    arrays.for_each(Shared::keep_trial);
    end(warp, before);
}

/// Ends a failed trial and undoes it.
pub(in crate::interval) fn take_back(warp: &mut Warp<'_, '_>, before: Before) {
    let arrays = warp.held.shared.iter_mut().flatten();
    arrays.for_each(Shared::take_back_trial);
    end(warp, &before);
    *warp.held.globals = before.globals;
    warp.held.changed = before.changed;
    warp.record.facts = before.facts;
    warp.record.restore(before.record);
}

fn end(warp: &mut Warp<'_, '_>, before: &Before) {
    warp.trials.running -= 1;
    warp.trials.met_fault = before.met_fault;
}

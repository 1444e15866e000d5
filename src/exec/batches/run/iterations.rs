//! Several iterations of a loop at once, if they write different words.

use crate::exec::Data;
use crate::exec::batches::plan::{At, Block, Loop, Place, Step, Trips};
use crate::exec::batches::run::globals::Words;
use crate::exec::batches::run::masks::{Active, Along};
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::stop::Result;

/// Approximate number of words that a statement handles at once.
const MOST_LANES: usize = 8 << 10;

/// Executes iterations together, all of a loop if it is short. Returns `false`, with nothing done,
/// if they must go one by one. `run` executes steps.
pub(super) fn together(
    part: &mut Part<'_, '_>,
    counted: &Loop,
    active: &Active,
    run: fn(&mut Part<'_, '_>, &[Step], &Active) -> Result<()>,
) -> Result<bool> {
    let (Active::Range(low, high), Some(met)) = (active.clone(), &counted.together) else {
        return Ok(false);
    };
    let Trips {
        from,
        to,
        rise,
        count: trips,
    } = counted.trips(&part.batch.slots);
    let at_once = (MOST_LANES / part.batch.lanes(active)).min(trips.max(0) as usize);
    if at_once < 2 {
        return Ok(false);
    }
    // An index in bounds at the first and the last iteration is in bounds between them: it is even.
    for end in [to, from] {
        part.batch.slots[counted.slot] = end;
        if !is_fit(part, (&counted.body, met), active) {
            return Ok(false);
        }
    }
    if !write_apart(counted, (high - low, at_once)) {
        return Ok(false);
    }
    let mut done = 0;
    while done < trips {
        let trips = at_once.min((trips - done) as usize);
        part.batch.slots[counted.slot] = from + rise * done;
        let along = Active::Along(Along {
            slot: counted.slot,
            rise,
            trips,
            cores: (low, high),
        });
        let operations = counted.body.operations * trips as u64;
        part.counted.pay(&part.batch, operations, active);
        part.spend((part.batch.lanes(&along) * counted.body.steps.len() / 4 + 16) as i64)?;
        run(part, &counted.body.steps, &along)?;
        done += trips as i64;
    }
    Ok(true)
}

/// Returns true if all statements write different words in so many iterations, of so many cores.
fn write_apart(counted: &Loop, (cores, at_once): (usize, usize)) -> bool {
    // Words turn·s + core·j of different (s, j) differ if one of the two steps outreaches all of the
    // other: 32s + j with j in 0..31, since 32 > 1·31.
    let apart = |place: &Place| match &place.at {
        At::Line { offset, .. } => {
            let turn = offset.factor(counted.slot).unsigned_abs() as usize;
            let core = offset.core.unsigned_abs() as usize;
            turn > core * (cores - 1) || core > turn * (at_once - 1)
        }
        At::Each(_) => false,
    };
    let mut steps = counted.body.steps.iter();
    steps.all(|step| written(step).is_some_and(apart))
}

/// Returns the place that a statement writes.
fn written(step: &Step) -> Option<&Place> {
    match step {
        Step::Load { target, .. } | Step::Store { target, .. } | Step::Assign { target, .. } => {
            Some(target)
        }
        Step::Atomic { .. }
        | Step::Let { .. }
        | Step::If { .. }
        | Step::Loop(_)
        | Step::Walk(_)
        | Step::Number { .. }
        | Step::While { .. }
        | Step::Accumulate(_)
        | Step::Exchange(_) => None,
    }
}

/// Returns true if all statements work on rows, with words of one type.
fn is_fit(part: &Part<'_, '_>, (body, met): (&Block, &[Place]), active: &Active) -> bool {
    let is_inside = |place: &Place| matches!(part.batch.rows(place, active), Ok(Some(_)));
    met.iter().all(is_inside)
        && body.steps.iter().all(|step| match step {
            Step::Load {
                target: shared,
                source: global,
            }
            | Step::Store {
                target: global,
                source: shared,
            } => {
                let words = &part.globals[global.array].words;
                let is_int = part.shared[shared.array].is_int();
                let is_one_type =
                    is_int == matches!(words, Words::Read(Data::Int(_)) | Words::Ints(..));
                let is_free = !part.fixed.plan.global[global.array].may_race;
                let admits = part.fixed.admits_all(shared) && part.fixed.admits_all(global);
                is_one_type && is_free && admits && is_inside(global)
            }
            Step::Assign { target, .. } => part.fixed.admits_all(target),
            _ => false,
        })
}

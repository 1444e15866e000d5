//! Iterations of a loop that are alike, counted once.
//!
//! From some iteration on, most loops begin and end every iteration with the same knowledge of
//! every
//! word of memory. Those iterations differ in the loop variable alone, as the MPs of a group differ
//! in
//! their number. So the variable gets a dimension of the group, and the block is executed once, on
//! trial. The trial fails if some value, condition, address or block is not the same (or does not
//! grow
//! evenly), if a fault is met, or if memory changes. Then all is undone, and the next iteration is
//! executed alone.
//!
//! Why it is sound: at the beginning of the first of them memory is as at the end of any of them,
//! so by
//! induction as at the beginning of all. Registers that the block sets are read in the block only.
//! And
//! a decision for a group holds at every point of its box.

use std::ops::Range;

use crate::interval::lanes::{Active, Bail, Lanes, MP_DIMENSIONS};
use crate::interval::warp::{Warp, trials};
use crate::meaning::launch::Step;
use crate::program::ParamId;

/// Counts iterations of the `for` on this line together, all of them or as many as are alike.
/// Returns
/// their number, 0 if they are not alike.
pub(super) fn together(
    warp: &mut Warp<'_, '_>,
    step: &Step<'_>,
    counter: (ParamId, &Lanes, bool),
    body: &[Step<'_>],
    running: &Active,
    mut iterations: Range<u64>,
) -> Result<u64, Bail> {
    let mut may_widen = warp.trials.may_widen(step.number);
    // If something differs along the loop's own dimension, the first half of the iterations is
    // tried. Any other reason cannot be mended by taking fewer.
    while iterations.end.saturating_sub(iterations.start) >= 2
        && let Some(dimension) = warp.trials.dimension(step.number)
    {
        let number = |iteration| i64::try_from(iteration).ok();
        let ends = number(iterations.start).zip(number(iterations.end - 1));
        let Some(((first, last), value)) = ends.zip(value_in(counter, dimension)) else {
            return Ok(0);
        };
        let before = trials::begin(warp);
        (warp.group.low[dimension], warp.group.high[dimension]) = (first, last);
        let done = once(warp, step, (counter.0, value), body, running);
        (warp.group.low[dimension], warp.group.high[dimension]) = (0, 0);
        match done {
            Ok(()) if trials::left_all_as_before(warp, &before) => {
                let more = iterations.end - iterations.start - 1;
                warp.record.repeat(&before.record, more);
                trials::keep(warp, step.number, &before);
                return Ok(more + 1);
            }
            Err(bail @ (Bail::Budget | Bail::Interrupted)) => return Err(bail),
            Err(Bail::Halve(halved)) if halved == dimension => {
                iterations.end = iterations.start + (iterations.end - iterations.start) / 2;
                trials::take_back(warp, before);
            }
            // The trial failed because iterations of an outer loop differ. This loop may still be tried inside each of them.
            Err(bail) if (MP_DIMENSIONS..dimension).any(|around| bail.is_about(around)) => {
                trials::take_back(warp, before);
                return Ok(0);
            }
            Ok(()) if may_widen => {
                // `_s[j] ← _s[j] + _a[j]·_b[u]` knows more of no word, only a wider range after every iteration.
                may_widen = false;
                let grown = trials::grown_floats(warp, &before);
                trials::take_back(warp, before);
                match grown {
                    Some(words) => trials::widen(warp, &words),
                    None => break,
                }
            }
            Ok(()) | Err(_) => {
                trials::take_back(warp, before);
                break;
            }
        }
    }
    warp.trials.was_in_vain(step.number);
    Ok(0)
}

/// Returns the loop variable with a slope along `dimension`; `None` if its start is not known.
fn value_in((_, from, down): (ParamId, &Lanes, bool), dimension: usize) -> Option<Lanes> {
    let Lanes::Known { base, mut slope } = from.clone() else {
        return None;
    };
    slope[dimension] = if down { -1 } else { 1 };
    Some(Lanes::Known { base, slope })
}

/// Executes one iteration, with this value of the loop variable.
pub(super) fn once(
    warp: &mut Warp<'_, '_>,
    step: &Step<'_>,
    (variable, value): (ParamId, Lanes),
    body: &[Step<'_>],
    running: &Active,
) -> Result<(), Bail> {
    warp.budget.spend(1)?;
    warp.record.line = step.number;
    warp.record.iteration(running);
    warp.held.set_register(variable, value);
    warp.steps(body, running)
}

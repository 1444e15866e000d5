//! The loops of a kernel: the iterations of each core, the loop variable, and the end of counting
//! once an
//! iteration changes nothing any more.

use crate::interval::kernel::iterations;
use crate::interval::lanes::{Active, Bail, Base, DIMENSIONS, FLAT, Lanes, Mask};
use crate::interval::value::{self, Value};
use crate::interval::warp::Warp;
use crate::meaning::fault::{Fault, NoValue};
use crate::meaning::launch::fold::Launched;
use crate::meaning::launch::{Action, Step};
use crate::program::{Condition, Number, ParamId};

/// Most iterations known only as a range; more count as unbounded.
const MOST_UNKNOWN_ITERATIONS: i128 = 1 << 40;

/// Counts a `for` of a kernel.
pub(super) fn repeat_for(
    warp: &mut Warp<'_, '_>,
    step: &Step<'_>,
    variable: ParamId,
    (from, to, down): (&Number<Launched>, &Number<Launched>, bool),
    body: &[Step<'_>],
    active: &Active,
) -> Result<(), Bail> {
    warp.tally(active);
    let bounds = (warp.number(from, active)?, warp.number(to, active)?);
    let trips = trips(warp, (&bounds.0, &bounds.1), down, active, step.number)?;
    let (body, until) = until_of(body);
    // A trial is made after the 1st iteration, and after a failure only once the count has doubled:
    // iterations 1, 3, 7, …
    let mut staying = active.clone();
    let (mut iteration, mut next_trial) = (0, 1);
    loop {
        let running = trips.running(iteration, &staying);
        if running.may.is_empty() {
            break;
        }
        if iteration == next_trial && until.is_none() {
            let alike = iteration..trips.next_change(iteration, active);
            let counter = (variable, &bounds.0, down);
            iteration += iterations::together(warp, step, counter, body, &running, alike)?;
            if iteration > next_trial {
                next_trial = iteration;
                continue;
            }
            next_trial = 2 * iteration + 1;
        }
        let value = counter(warp.cores(), &bounds.0, iteration, down, active);
        iterations::once(warp, step, (variable, value), body, &running)?;
        if let Some((until, condition)) = until {
            warp.budget.spend(warp.setting.launch.cores as u64)?;
            warp.record.line = until.number;
            warp.tally(&running);
            let truths = warp.test(condition, &running)?;
            staying = running.and(&truths.not());
        }
        iteration += 1;
    }
    Ok(())
}

/// Counts a `while` of a kernel, which must have an `at most`.
pub(super) fn repeat_while(
    warp: &mut Warp<'_, '_>,
    step: &Step<'_>,
    (condition, at_most): (&Condition<Launched>, Option<&Number<Launched>>),
    body: &[Step<'_>],
    active: &Active,
) -> Result<(), Bail> {
    let Some(at_most) = at_most else {
        return Err(Bail::Unbounded(step.number));
    };
    let bound = warp.number(at_most, active)?;
    warp.flat(&bound)?;
    let mut limits = vec![(0i64, 0i64); warp.cores()];
    for core in active.may.iter() {
        limits[core] = bound.get(core).bounds();
    }
    let mut running = active.clone();
    for iteration in 0i64.. {
        if running.may.is_empty() {
            return Ok(());
        }
        warp.budget.spend(warp.setting.launch.cores as u64)?;
        warp.record.line = step.number;
        let before = warp.record.so_far();
        warp.tally(&running);
        let truths = warp.test(condition, &running)?;
        let mut next = running.and(&truths);
        // Beginning an iteration beyond the bound is a fault, so no core does it.
        let mut left = Mask::none(warp.cores());
        for core in next.may.iter() {
            if iteration >= limits[core].1 {
                left.insert(core);
            }
        }
        for core in left.iter() {
            if next.must.contains(core) {
                let place = warp.place(core);
                warp.report(Fault::BoundExceeded {
                    iteration: (i128::from(limits[core].1) + 1).to_string(),
                    bound: limits[core].1.to_string(),
                    place,
                    span: step.stmt.span,
                });
            }
            next.may.remove(core);
            next.must.remove(core);
        }
        if next.may.is_empty() {
            return Ok(());
        }
        let changed_before = std::mem::take(&mut warp.held.changed);
        warp.steps(body, &next)?;
        let settled = !warp.held.changed && next == running && next.must.is_empty();
        warp.held.changed |= changed_before;
        // Once an iteration changes nothing and no core certainly goes on, all further ones are
        // like
        // it. The rest is added at once, with the final test.
        let limit = next.may.iter().map(|core| limits[core].1).max();
        let least = next.may.iter().map(|core| limits[core].1).min();
        if let (true, Some(limit), true) = (settled, limit, least == limit) {
            let more = u64::try_from(limit - iteration - 1).unwrap_or(0);
            warp.record.repeat(&before, more);
            warp.record.line = step.number;
            warp.tally(&next);
            warp.test(condition, &next)?;
            return Ok(());
        }
        running = next;
    }
    Ok(())
}

/// Splits the `until` with its condition off the block of a `for`.
fn until_of<'s, 'p>(
    body: &'s [Step<'p>],
) -> (
    &'s [Step<'p>],
    Option<(&'s Step<'p>, &'s Condition<Launched>)>,
) {
    if let Some((last, rest)) = body.split_last()
        && let Action::Until { condition } = &last.action
    {
        return (rest, Some((last, condition)));
    }
    (body, None)
}

/// Iterations of a `for`, as bounds from below and above.
enum Trips {
    Same(u64),
    Each(Vec<(u64, u64)>),
}

impl Trips {
    /// Returns the first iteration after this one that is executed by other cores.
    fn next_change(&self, iteration: u64, active: &Active) -> u64 {
        match self {
            Trips::Same(trips) => *trips,
            Trips::Each(trips) => {
                let ends = active.may.iter().flat_map(|core| {
                    let (least, most) = trips[core];
                    [least, most]
                });
                ends.filter(|end| *end > iteration).min().unwrap_or(0)
            }
        }
    }

    fn running(&self, iteration: u64, active: &Active) -> Active {
        match self {
            Trips::Same(trips) if iteration < *trips => active.clone(),
            Trips::Same(_) => Active {
                must: Mask::none(64),
                may: Mask::none(64),
            },
            Trips::Each(trips) => {
                let mut running = active.clone();
                for core in active.may.iter() {
                    let (least, most) = trips[core];
                    if iteration >= least {
                        running.must.remove(core);
                    }
                    if iteration >= most {
                        running.may.remove(core);
                    }
                }
                running
            }
        }
    }
}

/// Bounds the iterations of a `for` for each core.
fn trips(
    warp: &mut Warp<'_, '_>,
    (from, to): (&Lanes, &Lanes),
    down: bool,
    active: &Active,
    line: usize,
) -> Result<Trips, Bail> {
    let (first, last) = if down { (to, from) } else { (from, to) };
    if let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (first, last)
    {
        // If the number of iterations differs between MPs, they cannot be counted together.
        let mut difference = FLAT;
        for d in 0..DIMENSIONS {
            difference[d] = q[d].wrapping_sub(p[d]);
        }
        let spread = warp.group.spread(&difference);
        if spread != 0 {
            return Err(Bail::Separate(spread));
        }
        let trips = |core: usize| {
            let trips = i128::from(y.get(core)) - i128::from(x.get(core)) + 1;
            u64::try_from(trips.max(0)).unwrap_or(u64::MAX)
        };
        if let (Base::Same(_), Base::Same(_)) = (x, y) {
            return Ok(Trips::Same(trips(0)));
        }
        let mut each = vec![(0, 0); warp.cores()];
        for core in active.may.iter() {
            each[core] = (trips(core), trips(core));
        }
        return Ok(Trips::Each(each));
    }
    warp.flat(first)?;
    warp.flat(last)?;
    let mut each = vec![(0, 0); warp.cores()];
    for core in active.may.iter() {
        for end in [first.get(core), last.get(core)] {
            if let Value::Exact(_) = end {
                let span = warp.setting.launch.lines[line].span;
                let fault = NoValue::NotIntegral(value::shown(&end).into());
                warp.core_fault(active, core, fault, span);
            }
        }
        let ((a, b), (c, d)) = (first.get(core).bounds(), last.get(core).bounds());
        // The least range is from the last possible start to the first possible end, the largest
        // the
        // other way round: starts 0..2 and ends 5..7 give 4 to 8 iterations.
        let most = (i128::from(d) - i128::from(a) + 1).max(0);
        let least = (i128::from(c) - i128::from(b) + 1).max(0);
        if most > MOST_UNKNOWN_ITERATIONS && most != least {
            return Err(Bail::Unbounded(line));
        }
        let word = |trips: i128| u64::try_from(trips).unwrap_or(u64::MAX);
        each[core] = (word(least), word(most));
    }
    Ok(Trips::Each(each))
}

/// Returns the loop variable in an iteration.
fn counter(cores: usize, from: &Lanes, iteration: u64, down: bool, active: &Active) -> Lanes {
    let step = iteration as i64;
    let moved = |value: i64| {
        if down {
            value.saturating_sub(step)
        } else {
            value.saturating_add(step)
        }
    };
    match from {
        Lanes::Known {
            base: Base::Same(value),
            slope,
        } => Lanes::Known {
            base: Base::Same(moved(*value)),
            slope: *slope,
        },
        Lanes::Known {
            base: Base::Each(values),
            slope,
        } => Lanes::Known {
            base: Base::Each(values.iter().map(|value| moved(*value)).collect()),
            slope: *slope,
        },
        Lanes::Same(_) | Lanes::Each(_) => {
            let mut values = vec![Value::Int(0); cores];
            for core in active.may.iter() {
                let (low, high) = from.get(core).bounds();
                values[core] = Value::between(moved(low), moved(high));
            }
            Lanes::each(values)
        }
    }
}

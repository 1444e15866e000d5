//! The steps of a plan, executed for all MPs of a batch.
//!
//! Each has a general form, which computes an offset and a value per active core, and a short form
//! for evenly spaced words of neighbouring cores.

use crate::exec::batches::plan::{Block, Exchange, Ints, Loop, Step, Trips, Truths, Walk};
use crate::exec::batches::run::conditions::Truth;
use crate::exec::batches::run::dense::Dense;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::batches::run::{
    accesses, accumulate, assign, atomic, exchange, iterations, registers,
};

/// Executes the statements of a block for the active cores.
pub(super) fn block(part: &mut Part<'_, '_>, block: &Block, active: &Active) -> Result<()> {
    part.counted.pay(&part.batch, block.operations, active);
    part.spend((part.batch.lanes(active) * block.steps.len() / 4 + 16) as i64)?;
    steps_of(part, &block.steps, active)
}

fn steps_of(part: &mut Part<'_, '_>, steps: &[Step], active: &Active) -> Result<()> {
    for step in steps {
        match step {
            Step::Load { target, source } => part.once_or_apart(
                (target, active),
                |part| part.has_one_place(source),
                |part| accesses::load(part, target, source, active),
            )?,
            Step::Store { target, source } => accesses::store(part, target, source, active)?,
            Step::Assign { target, value } => part.once_or_apart(
                (target, active),
                |part| part.is_alike(value),
                |part| assign::assign(part, target, value, active),
            )?,
            Step::Atomic {
                target,
                operator,
                operands,
                operations,
            } => {
                part.tell_apart(target.array);
                atomic::atomic(part, target, *operator, operands, *operations, active)?;
            }
            Step::Let { register, value } => registers::bind(part, *register, value, active)?,
            Step::If { condition, body } => {
                if let Some(inner) = part.narrow(active, condition)? {
                    block(part, body, &inner)?;
                }
            }
            Step::Loop(counted) => counted_loop(part, counted, active)?,
            Step::Walk(walk) => walks(part, walk, active)?,
            Step::Number { slot, value } => match part.ints(value, active)? {
                Dense::Same(number) => part.batch.slots[*slot] = number,
                Dense::Lanes(_) | Dense::Held(_) | Dense::Words { .. } => return Err(Stop::Bail),
            },
            Step::While {
                condition,
                operations,
                at_most,
                body,
            } => open_loop(
                part,
                (condition, *operations),
                at_most.as_ref(),
                body,
                active,
            )?,
            Step::Accumulate(step) => {
                part.tell_apart(step.target.array);
                if !accumulate::accumulate(part, step, active)? {
                    counted_loop(part, &step.frame, active)?;
                }
            }
            Step::Exchange(step) => exchanged(part, step, active)?,
        }
    }
    Ok(())
}

fn exchanged(part: &mut Part<'_, '_>, step: &Exchange, active: &Active) -> Result<()> {
    part.tell_apart(step.one.array);
    part.tell_apart(step.other.array);
    if !exchange::exchange(part, step, active)? {
        steps_of(part, &step.written, active)?;
    }
    Ok(())
}

fn counted_loop(part: &mut Part<'_, '_>, counted: &Loop, active: &Active) -> Result<()> {
    if iterations::together(part, counted, active, steps_of)? {
        return Ok(());
    }
    let Trips {
        from, rise, count, ..
    } = counted.trips(&part.batch.slots);
    for trip in 0..count {
        part.batch.slots[counted.slot] = from + rise * trip;
        block(part, &counted.body, active)?;
    }
    Ok(())
}

/// Keeps the entries of those that stay. Every entry is copied, which avoids a branch.
fn retain(all: &mut Vec<[i64; 2]>, stays: &[bool]) {
    let mut end = 0;
    for (at, &stays) in stays.iter().enumerate() {
        all[end] = all[at];
        end += usize::from(stays);
    }
    all.truncate(end);
}

/// Executes a loop with bounds of its own for every core, until the last core is through.
fn walks(part: &mut Part<'_, '_>, walk: &Walk, active: &Active) -> Result<()> {
    let (from, to) = (part.ints(&walk.from, active)?, part.ints(&walk.to, active)?);
    let (first, last) = (part.lanes_of(from, active), part.lanes_of(to, active));
    let rise = if walk.down { -1 } else { 1 };
    // The first number of each core, and the distance to its last. The k-th iterations of all cores
    // run together: bounds 3..5 and 0..1 run as (3, 0), (4, 1), and then 5 alone.
    let mut is_bad = false;
    let ways = first.iter().zip(&last).map(|(&first, last)| {
        let (left, is_over) = last.overflowing_sub(first);
        let (left, is_less) = left.overflowing_mul(rise);
        is_bad |= is_over | is_less;
        [first, left]
    });
    let mut ways: Vec<[i64; 2]> = ways.collect();
    part.spare.ints.extend([first, last]);
    if is_bad {
        return Err(Stop::Bail);
    }
    let mut active = active.clone();
    let mut goes_on: Vec<bool> = ways.iter().map(|[_, left]| *left >= 0).collect();
    for trip in 0.. {
        if !goes_on.iter().all(|&goes_on| goes_on) {
            let Some(inner) = part.kept(&active, &goes_on) else {
                break;
            };
            retain(&mut ways, &goes_on);
            active = inner;
        }
        let mut now: Vec<i64> = part.spare.empty();
        let risen = rise * trip;
        now.extend(ways.iter().map(|[first, _]| first.wrapping_add(risen)));
        registers::hold(part, walk.register, Dense::Lanes(now), &active);
        block(part, &walk.body, &active)?;
        goes_on.clear();
        goes_on.extend(ways.iter().map(|[_, left]| *left > trip));
        if let Some((condition, operations)) = &walk.until {
            part.counted.pay(&part.batch, *operations, &active);
            match part.truths(condition, &active)? {
                Truth::Same(leaves) => goes_on.iter_mut().for_each(|stays| *stays &= !leaves),
                Truth::Lanes(leaves) => {
                    for (stays, leaves) in goes_on.iter_mut().zip(&leaves) {
                        *stays &= !leaves;
                    }
                    part.spare.bools.push(leaves);
                }
            }
        }
    }
    Ok(())
}

fn open_loop(
    part: &mut Part<'_, '_>,
    (condition, operations): (&Truths, u64),
    at_most: Option<&Ints>,
    body: &Block,
    active: &Active,
) -> Result<()> {
    let bound = match at_most {
        Some(bound) => {
            // `at most` is not counted (language.md §5).
            let conflicts = part.counted.counts.conflicts;
            let bound = part.ints(bound, active)?;
            part.counted.counts.conflicts = conflicts;
            Some(part.spread(bound, active))
        }
        None => None,
    };
    let mut active = active.clone();
    let mut iteration = 0;
    loop {
        part.counted.pay(&part.batch, operations, &active);
        part.spend(part.batch.lanes(&active) as i64 + 16)?;
        match part.narrow(&active, condition)? {
            Some(inner) => active = inner,
            None => break,
        }
        iteration += 1;
        if let Some(bound) = &bound {
            let mut is_passed = false;
            let cores = part.batch.cores;
            part.batch.each(&active, |mp, core| {
                is_passed |= bound[mp * cores + core] < iteration;
            });
            if is_passed {
                return Err(Stop::Bail);
            }
        }
        block(part, body, &active)?;
    }
    if let Some(bound) = bound {
        part.spare.ints.push(bound);
    }
    Ok(())
}

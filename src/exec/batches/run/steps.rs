//! The steps of a plan, executed for all MPs of a batch.
//!
//! Each has a general form, which computes an offset and a value per active core, and a short
//! one for evenly spaced words of neighbouring cores.

use crate::exec::batches::plan::{Block, Ints, Loop, Step, Truths};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::batches::run::{accesses, accumulate, assign, atomic, exchange, registers};

/// Executes statements for cores that are active.
pub(super) fn block(part: &mut Part<'_, '_>, block: &Block, active: &Active) -> Result<()> {
    part.counted.pay(&part.batch, block.operations, active);
    part.spend((part.batch.lanes(active) * block.steps.len() / 4 + 16) as i64)?;
    steps_of(part, &block.steps, active)
}

fn steps_of(part: &mut Part<'_, '_>, steps: &[Step], active: &Active) -> Result<()> {
    for step in steps {
        match step {
            Step::Load { target, source } => accesses::load(part, target, source, active)?,
            Step::Store { target, source } => accesses::store(part, target, source, active)?,
            Step::Assign { target, value } => assign::assign(part, target, value, active)?,
            Step::Atomic {
                target,
                operator,
                operands,
                operations,
            } => atomic::atomic(part, target, *operator, operands, *operations, active)?,
            Step::Let { register, value } => registers::bind(part, *register, value, active)?,
            Step::If { condition, body } => {
                if let Some(inner) = part.narrow(active, condition)? {
                    block(part, body, &inner)?;
                }
            }
            Step::Loop(counted) => counted_loop(part, counted, active)?,
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
            Step::Accumulate(accumulate) => {
                if !accumulate::accumulate(part, accumulate, active)? {
                    counted_loop(part, &accumulate.frame, active)?;
                }
            }
            Step::Exchange(exchange) => {
                if !exchange::exchange(part, exchange, active)? {
                    steps_of(part, &exchange.written, active)?;
                }
            }
        }
    }
    Ok(())
}

fn counted_loop(part: &mut Part<'_, '_>, counted: &Loop, active: &Active) -> Result<()> {
    let (from, to) = (
        counted.from.at(&part.batch.slots),
        counted.to.at(&part.batch.slots),
    );
    let rise = if counted.down { -1 } else { 1 };
    let trips = (to - from) * rise + 1;
    for trip in 0..trips {
        part.batch.slots[counted.slot] = from + rise * trip;
        block(part, &counted.body, active)?;
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
            // Nothing of it is counted.
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

//! Loops of one MP: all cores together as long as any is left.

use crate::exec::error::{Error, Result};
use crate::exec::lanes::{Ints, Mask, Truths};
use crate::exec::reference;
use crate::exec::statements::Runner;
use crate::exec::statements::typed::{Action, Step};
use crate::meaning::fault::Fault;
use crate::program::StmtKind;
use crate::syntax::ast::Comparison;

/// Splits the `until` off the block of a `for`.
fn until_of<'s, 'p>(body: &'s [Step<'p>]) -> (&'s [Step<'p>], Option<&'s Step<'p>>) {
    match body.split_last() {
        Some((last, rest)) if matches!(last.action, Action::Until { .. }) => (rest, Some(last)),
        Some(_) | None => (body, None),
    }
}

impl<'a> Runner<'a> {
    pub(super) fn counted_loop(&mut self, step: &Step<'a>, mask: &Mask) -> Result<()> {
        let Action::For {
            variable,
            from,
            to,
            down,
            body,
        } = &step.action
        else {
            unreachable!("called for loops");
        };
        let bounds = if self.is_by_reference() {
            None
        } else {
            self.mp.cores.pair(from, to, mask)
        };
        let (mut at, to) = match bounds {
            Some(bounds) => bounds,
            None => {
                self.mp.cores.begin_operands();
                reference::bounds(&mut self.mp, step.stmt, mask)?
            }
        };
        self.settle(step, step.operations, mask);
        self.mp.cores.begin_operands();

        use Comparison::{AtLeast, AtMost, Greater, Less};
        let (enters, goes_on) = if *down {
            (AtLeast, Greater)
        } else {
            (AtMost, Less)
        };
        if let (Ints::Uniform(first), Ints::Uniform(last)) = (&at, &to) {
            return self.uniform_loop(step, (*first, *last), mask);
        }
        // The k-th iterations of all cores run together, each core with its own number. For the
        // bounds
        // 0..2 and 5..5 both cores run one iteration, and then the first runs two alone.
        let (body, until) = until_of(body);
        let mut active = mask.narrow(&self.order(mask, enters, &at, &to));
        while !active.is_empty() {
            self.spend(0)?;
            self.mp.cores.begin_operands();
            self.pay_iteration(active.count());
            self.enter(*variable, &at, &active);
            if self.trace.is_some() {
                self.mp.tally.step_blocks = 0;
                self.record(step, 1, &active);
            }
            let value = self.mp.cores.copy(&at);
            self.mp.cores.set_ints(*variable, value);
            self.block(body, &active)?;
            active = self.stay(until, active)?;
            self.leave();
            let truths = self.order(&active, goes_on, &at, &to);
            active = active.narrow(&truths);
            at = self.mp.cores.buffers.step(&active, at, *down);
        }
        self.mp.cores.buffers.free(at);
        self.mp.cores.buffers.free(to);
        Ok(())
    }

    /// Executes a `for` with the same bounds for all cores.
    fn uniform_loop(
        &mut self,
        step: &Step<'a>,
        (mut at, last): (i64, i64),
        mask: &Mask,
    ) -> Result<()> {
        let Action::For {
            variable,
            down,
            body,
            ..
        } = &step.action
        else {
            unreachable!("called for loops");
        };
        let (body, until) = until_of(body);
        // `at == last` is tested before the step, so a loop up to the largest int does not
        // overflow.
        let mut active = mask.clone();
        while if *down { at >= last } else { at <= last } {
            self.spend(0)?;
            self.pay_iteration(active.count());
            self.enter(*variable, &Ints::Uniform(at), &active);
            if self.trace.is_some() {
                self.mp.begin_statement();
                self.record(step, 1, &active);
            }
            self.mp.cores.set_ints(*variable, Ints::Uniform(at));
            self.block(body, &active)?;
            active = self.stay(until, active)?;
            self.leave();
            if at == last || active.is_empty() {
                break;
            }
            at += if *down { -1 } else { 1 };
        }
        Ok(())
    }

    /// Returns the cores of an iteration that stay in the loop after its `until`.
    fn stay(&mut self, until: Option<&Step<'a>>, mask: Mask) -> Result<Mask> {
        let Some(step) = until else { return Ok(mask) };
        let Action::Until { condition } = &step.action else {
            unreachable!("called for `until`");
        };
        self.spend(mask.count() as i64)?;
        self.mp.begin_statement();
        let truths = self.condition(step, condition, &mask)?;
        self.settle(step, step.operations, &mask);
        let stays = self.mp.cores.buffers.negate(truths);
        Ok(mask.narrow(&stays))
    }

    fn order(&mut self, mask: &Mask, operator: Comparison, left: &Ints, right: &Ints) -> Truths {
        self.mp
            .cores
            .buffers
            .compare(mask, operator, left, right)
            .expect("orders of ints always have a truth")
    }

    pub(super) fn open_loop(&mut self, step: &Step<'a>, mask: &Mask) -> Result<()> {
        let (
            Action::While {
                condition,
                at_most,
                body,
            },
            StmtKind::While {
                at_most: bound_expr,
                ..
            },
        ) = (&step.action, &step.stmt.kind)
        else {
            unreachable!("called for loops");
        };
        let bound = match (at_most, bound_expr) {
            (Some(bound), Some(expr)) => {
                let fast = if self.is_by_reference() {
                    None
                } else {
                    self.mp.cores.ints(bound, mask)
                };
                Some(match fast {
                    Some(bound) => bound,
                    None => reference::at_most(&mut self.mp, expr, mask)?,
                })
            }
            _ => None,
        };
        let mut active = mask.clone();
        let mut iteration: i64 = 0;
        loop {
            self.spend(active.count() as i64)?;
            self.mp.tally.step_blocks = 0;
            let truths = self.condition(step, condition, &active)?;
            self.settle(step, step.operations, &active);
            active = active.narrow(&truths);
            if active.is_empty() {
                break;
            }
            iteration += 1;
            if let Some(bound) = &bound
                && let Some(core) = active.iter().find(|&core| bound.at(core) < iteration)
            {
                return Err(Error::of(Fault::BoundExceeded {
                    iteration: iteration.to_string(),
                    bound: bound.at(core).to_string(),
                    place: self.mp.place(Some(core)),
                    span: step.stmt.span,
                }));
            }
            self.block(body, &active)?;
        }
        if let Some(bound) = bound {
            self.mp.cores.buffers.free(bound);
        }
        Ok(())
    }
}

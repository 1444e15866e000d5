//! Counted loops: kept as a loop where everything in it grows evenly with its variable, else
//! written out.
//!
//! Takes a compiled `for`; appends one step or the steps of all iterations, or gives `None` where
//! neither fits. Traces of an attempt are taken back when another attempt is better.

use crate::exec::batches::plan::build::Builder;
use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::scope::{Bound, LARGEST, Ranges};
use crate::exec::batches::plan::statements::MOST_EFFORT;
use crate::exec::batches::plan::traces::Traces;
use crate::exec::batches::plan::{Block, Ints, Loop, Step, Walk, fuse, independent};
use crate::exec::statements::typed::{self, Action};
use crate::program::ParamId;

/// Most iterations of a loop that is written out.
const MOST_WRITTEN_OUT: u32 = 64;

impl Builder<'_> {
    /// Plans a `for`, as a loop or written out.
    pub(super) fn counted_loop(&mut self, action: &Action<'_>, into: &mut Block) -> Option<()> {
        let Action::For {
            variable,
            from,
            to,
            down,
            body,
        } = action
        else {
            unreachable!("called for loops");
        };
        let (body, until) = match body.split_last() {
            Some((last, rest)) if matches!(last.action, Action::Until { .. }) => (rest, Some(last)),
            Some(_) | None => (body.as_slice(), None),
        };
        let bounds = (self.ints(from)?, self.ints(to)?);
        let (from, to) = match &bounds {
            (Ints::Form(from), Ints::Form(to))
                if from.core == 0 && to.core == 0 && until.is_none() =>
            {
                (from.clone(), to.clone())
            }
            _ => return self.walk(*variable, bounds, *down, (body, until), into),
        };
        // Both ways are tried when the loop leaves uneven quantities: `j mod 2^v` is a table once v
        // is a
        // number. Written out wins if it leaves fewer uneven quantities than the loop does over all
        // its iterations. Nested loops would double the work at each level, so beyond MOST_EFFORT
        // the loop is kept as it is.
        let before = self.before();
        let most = self
            .scope
            .most_trips((&from, &to), *down, MOST_WRITTEN_OUT + 1);
        let is_long =
            most > MOST_WRITTEN_OUT || from.as_constant().is_none() || to.as_constant().is_none();
        let rolled = self.rolled(*variable, (&from, &to), (*down, is_long), body);
        let in_loop = (self.traces.uneven - before.1.uneven).saturating_mul(most);
        self.traces.uneven = before.1.uneven.saturating_add(in_loop);
        let after = self.before();
        if rolled.is_some() && (in_loop == 0 || self.effort > MOST_EFFORT) {
            into.steps.extend(rolled.flatten());
            return Some(());
        }
        // With a number for its variable, an uneven quantity may become a number too.
        self.take_back(before.clone());
        if let Some(block) = self.written_out(*variable, (&from, &to), *down, body)
            && (rolled.is_none() || self.traces.uneven - before.1.uneven < in_loop)
        {
            into.operations += block.operations;
            into.steps.extend(block.steps);
            return Some(());
        }
        self.take_back(after);
        into.steps.extend(rolled?);
        Some(())
    }

    /// Plans a loop with bounds of its own for every core, or with an `until`.
    fn walk(
        &mut self,
        variable: ParamId,
        (from, to): (Ints, Ints),
        down: bool,
        (body, until): (&[typed::Step<'_>], Option<&typed::Step<'_>>),
        into: &mut Block,
    ) -> Option<()> {
        let register = self.register();
        self.bind(variable, Bound::Ints(register));
        let mut inner = Block {
            operations: 1,
            steps: Vec::new(),
        };
        self.block(body, &mut inner)?;
        let until = match until {
            Some(step) => match &step.action {
                Action::Until { condition } => Some((self.truths(condition)?, step.operations)),
                _ => unreachable!("an `until`"),
            },
            None => None,
        };
        self.traces.walks = true;
        into.steps.push(Step::Walk(Box::new(Walk {
            register,
            from,
            to,
            down,
            body: inner,
            until,
        })));
        Some(())
    }

    /// Plans all iterations one after the other.
    fn written_out(
        &mut self,
        variable: ParamId,
        (from, to): (&Form, &Form),
        down: bool,
        body: &[typed::Step<'_>],
    ) -> Option<Block> {
        let (from, to) = (from.as_constant()?, to.as_constant()?);
        let rise = if down { -1 } else { 1 };
        let trips = (i128::from(to) - i128::from(from)) * i128::from(rise) + 1;
        if trips > MOST_WRITTEN_OUT.into() {
            return None;
        }
        let mut block = Block::default();
        for trip in 0..trips as i64 {
            self.bind(variable, Bound::Form(Form::constant(from + rise * trip)));
            block.operations += 1;
            self.block(body, &mut block)?;
        }
        Some(block)
    }

    /// Returns the state that an attempt changes.
    fn before(&self) -> (Ranges, Traces) {
        (self.scope.ranges.clone(), self.traces.clone())
    }

    fn take_back(&mut self, (ranges, traces): (Ranges, Traces)) {
        self.scope.ranges = ranges;
        self.traces = traces;
    }

    /// Plans the loop as one step; no step at all if it has no iteration.
    fn rolled(
        &mut self,
        variable: ParamId,
        (from, to): (&Form, &Form),
        (down, is_long): (bool, bool),
        body: &[typed::Step<'_>],
    ) -> Option<Option<Step>> {
        let (first, last) = if down { (to, from) } else { (from, to) };
        let low = first.interval((0, 0), &self.scope.ranges.slots).0;
        let high = last.interval((0, 0), &self.scope.ranges.slots).1;
        if low > high {
            return Some(None);
        }
        if low.abs() > LARGEST || high.abs() > LARGEST {
            return None;
        }
        let dimensions = self.scope.launched.mps.len();
        // MPs of a batch run a loop together, so they need the same bounds. A bound with the index
        // of
        // the last dimension forbids batches; one with the dimension before it, batches across it.
        for bound in [from, to] {
            let [outer, own] = bound.steps(dimensions);
            self.traces.together.is_narrow |= own != 0;
            self.traces.together.is_flat |= outer != 0;
        }
        let slot = self.scope.ranges.slots.len();
        self.scope.ranges.slots.push((low as i64, high as i64));
        self.bind(variable, Bound::Form(Form::slot(slot)));
        let mut inner = Block {
            operations: 1,
            steps: Vec::new(),
        };
        let around = self.scope.long.len();
        if is_long {
            self.scope.long.push(slot);
        }
        let fits = self.block(body, &mut inner);
        self.scope.long.truncate(around);
        fits?;
        Some(Some(fuse::fuse(Loop {
            slot,
            from: from.clone(),
            to: to.clone(),
            down,
            together: independent::met(&inner, slot),
            body: inner,
        })))
    }
}

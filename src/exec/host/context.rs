//! Evaluation of the host's expressions: parameters, and words of either side.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::exec::error::{Error, Result};
use crate::exec::host::around::{Around, Memory};
use crate::exec::host::instance::Instance;
use crate::exec::host::kept::Wanted;
use crate::exec::host::quantifier::Sweeper;
use crate::exec::memory::{out_of_bounds, strides, word_name};
use crate::exec::{Engine, Progress, Work};
use crate::meaning::eval::{At, Between, Bound, Leaves, MOST_SWEPT, Sweep, Swept, Tally};
use crate::meaning::fault::{Fault, NoValue, Place};
use crate::meaning::value::Value;
use crate::program::{Condition, Formula, Number, ParamId, Program, VarId};
use crate::text::Span;

/// Evaluations of a quantifier's body between two looks at the progress callback.
const EVALUATIONS_BETWEEN_LOOKS: u64 = 4096;

/// Everything that the host's expressions read.
pub(super) struct HostContext<'m> {
    instance: &'m Instance<'m>,
    memory: Memory<'m>,
    values: &'m mut Vec<Option<Value>>,
    progress: &'m dyn Progress,
    until_look: u64,
    /// Number of values that quantifiers took.
    pub quantified: u64,
    /// Room and memory of sweeps; `None` if every value is taken by itself.
    sweeper: Option<Sweeper>,
}

impl<'m> HostContext<'m> {
    /// Evaluates with these values of parameters.
    pub(super) fn new(
        (instance, memory): (&'m Instance<'m>, Memory<'m>),
        engine: Engine,
        values: &'m mut Vec<Option<Value>>,
        progress: &'m dyn Progress,
    ) -> HostContext<'m> {
        HostContext {
            instance,
            memory,
            values,
            progress,
            until_look: EVALUATIONS_BETWEEN_LOOKS,
            quantified: 0,
            sweeper: (engine != Engine::Reference).then(Sweeper::default),
        }
    }
}

impl HostContext<'_> {
    /// Returns the program.
    pub(super) fn program(&self) -> &Program {
        self.instance.program
    }

    /// Returns the extents of a variable.
    pub(super) fn shape(&self, variable: VarId) -> Vec<usize> {
        self.instance.extents[variable.0 as usize].clone()
    }

    /// Returns the sweeper and its surroundings, unless the watcher asks to stop.
    fn sweeper(&mut self) -> Option<(Around<'_>, &mut Sweeper)> {
        // If the watcher asks to stop, the values are taken one by one, and a later `tick` fails.
        if self.sweeper.is_none() || self.progress.advance(Work::default()).is_break() {
            return None;
        }
        self.around()
    }

    /// Returns the sweeper and its surroundings, if there is a sweeper.
    fn around(&mut self) -> Option<(Around<'_>, &mut Sweeper)> {
        let sweeper = self.sweeper.as_mut()?;
        let around = Around {
            program: self.instance.program,
            extents: &self.instance.extents,
            memory: self.memory,
            fixed: &self.instance.bound,
            values: self.values,
        };
        Some((around, sweeper))
    }

    /// Counts how often the number takes each value; `None` unless it is a word for all values.
    fn tallied(&mut self, of: &Number<Formula>, values: Between) -> Option<Tally> {
        // Values are swept in chunks of at most MOST_SWEPT, which is the size of the buffers.
        let mut tally = Tally::default();
        let mut next = Some(values.first);
        while let Some(first) = next.filter(|first| *first <= values.last) {
            let left = values.last.abs_diff(first).saturating_add(1);
            let count = usize::try_from(left).map_or(MOST_SWEPT, |left| left.min(MOST_SWEPT));
            let parameter = values.parameter;
            let sweep = Sweep {
                parameter,
                first,
                count,
            };
            let Swept::Ints(ints) = self.sweep(of, sweep)? else {
                return None;
            };
            tally.count(&ints);
            self.quantified += count as u64;
            next = first.checked_add(count as i64);
        }
        Some(tally)
    }
}

impl Leaves for HostContext<'_> {
    type Stop = Box<Error>;

    fn parameter(&self, parameter: ParamId) -> Result<Value> {
        Ok(self.values[parameter.0 as usize]
            .clone()
            .expect("checked: a parameter is bound where it is used"))
    }

    fn bind(&mut self, parameter: ParamId, value: Value) {
        self.values[parameter.0 as usize] = Some(value);
    }

    fn word(&mut self, variable: VarId, span: Span, indices: &[(Value, Span)]) -> Result<Value> {
        let program = self.instance.program;
        let store = self.memory.store(variable);
        let mut offset = 0;
        for (dimension, ((index, at), stride)) in
            indices.iter().zip(strides(&store.shape)).enumerate()
        {
            let inside = match index {
                Value::Whole(index) => usize::try_from(*index).ok(),
                _ => None,
            };
            match inside.filter(|index| *index < store.shape[dimension]) {
                Some(index) => offset += index * stride,
                None => {
                    let index = &index.to_integer().expect("an index is whole");
                    return Err(out_of_bounds(
                        program,
                        variable,
                        &store.shape,
                        (dimension, index),
                        Place::default(),
                        *at,
                    ));
                }
            }
        }
        if !store.written.get(offset) {
            return Err(Error::of(Fault::Unwritten {
                inward: None,
                word: word_name(program, variable, &store.shape, offset),
                place: Place::default(),
                span,
            }));
        }
        Ok(store.get(offset))
    }

    fn fault(&self, none: NoValue, at: At) -> Box<Error> {
        Error::of(none.at(Place::default(), at.whole))
    }

    fn sweep(&mut self, body: &Number<Formula>, values: Sweep) -> Option<Swept> {
        let (around, sweeper) = self.sweeper()?;
        sweeper.numbers(&around, body, values)
    }

    fn search(&mut self, body: &Condition<Formula>, values: Sweep, wanted: bool) -> Option<bool> {
        let (around, sweeper) = self.sweeper()?;
        let truths = sweeper.truths(&around, body, values)?;
        Some((0..values.count).any(|at| truths.at(at) == wanted))
    }

    fn folded_before(&mut self, body: &Number<Formula>, values: Between) -> Option<(i64, Value)> {
        let (around, sweeper) = self.around()?;
        sweeper.kept.folded(&around, body, values)
    }

    fn keep_folded(&mut self, body: &Number<Formula>, values: Between, value: &Value) {
        if let Some((around, sweeper)) = self.around() {
            sweeper.kept.keep_folded(&around, body, values, value);
        }
    }

    fn tally(&mut self, of: &Number<Formula>, values: Between) -> Option<Arc<Tally>> {
        let (around, sweeper) = self.around()?;
        match sweeper.kept.tally(&around, of, values) {
            Wanted::Known(tally) => return Some(tally),
            Wanted::Nothing => return None,
            Wanted::Make => {}
        }
        let tally = Arc::new(self.tallied(of, values)?);
        let (_, sweeper) = self.around()?;
        sweeper.kept.keep_tally(of, &tally);
        Some(tally)
    }

    /// Counts values and looks at the watcher, but only at the innermost variable of a quantifier.
    fn tick(&mut self, values: u64, of: Bound, _span: Span) -> Result<()> {
        if of == Bound::Outer {
            return Ok(());
        }
        self.quantified += values;
        self.until_look = self.until_look.saturating_sub(values);
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = EVALUATIONS_BETWEEN_LOOKS;
        match self.progress.advance(Work::default()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }
}

//! The host: its statements in order, transfers, and the memory of both sides.
//!
//! Takes a program at a point with its options; gives the counts of an execution, its `ensure`s and
//! its arrays. [`instance`] holds everything fixed, [`arrays`] the memory, [`settings`] the way it
//! runs. [`running`] executes statements, with [`transfer`] for blocks of words. [`context`]
//! evaluates expressions, with [`quantifier`] for long ones and [`kept`] for their results;
//! [`around`] is their surroundings. [`input`] makes data, [`ensure`] tests conditions. The effect
//! and the cost of a kernel are never decided here.

mod around;
mod arrays;
mod context;
mod ensure;
mod input;
mod instance;
mod kept;
mod made;
mod quantifier;
mod random;
mod running;
mod settings;
mod transfer;

use crate::count::{Charged, Counts};
use crate::diag::Diagnostic;
use crate::exec::error::{Error, NearInput, Result};
use crate::exec::host::arrays::Arrays;
use crate::exec::host::context::HostContext;
use crate::exec::host::instance::Instance;
use crate::exec::host::made::{MOST_REPAIRS, MOST_VALUES};
use crate::exec::host::random::Generator;
use crate::exec::host::running::Running;
use crate::exec::host::settings::Settings;
use crate::exec::memory::Admitted;
use crate::exec::prepared::Prepared;
use crate::exec::rounds::Rounds;
use crate::exec::{Data, Engine, Input, Options, Outcome, Progress, TraceLine, Unwatched};
use crate::meaning::Point;
use crate::meaning::eval::{self, Connectives};
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::program::{Program, Property, Role, Scope, VarId, WordType};
use crate::text::nearest;

/// The host with its memory and the device's.
#[derive(Debug)]
pub(super) struct Machine<'p> {
    instance: Instance<'p>,
    settings: Settings,
    arrays: Arrays,
    prepared: Prepared<'p>,
}

impl<'p> Machine<'p> {
    /// Allocates memory, sets the inputs and tests the `require`s on data.
    pub(super) fn prepare(
        program: &'p Program,
        point: &Point,
        options: &Options,
    ) -> std::result::Result<Self, Vec<Diagnostic>> {
        let faults = unknown_inputs(program, options);
        if !faults.is_empty() {
            return Err(faults);
        }
        Self::build(program, point, options).map_err(|fault| vec![(*fault).into()])
    }

    fn build(program: &'p Program, point: &Point, options: &Options) -> Result<Self> {
        let instance = Instance::new(program, point, options)?;
        let mut machine = Machine {
            arrays: Arrays::new(&instance),
            settings: Settings::new(options),
            prepared: Prepared::default(),
            instance,
        };
        // In the order of language.md §5, Meaning: declared ranges, input data, `require`s on data.
        // `require`s without data, `let`s and sizes belong to the point and were evaluated before.
        machine.evaluate_ranges()?;
        for id in program.variable_ids() {
            let variable = program.variable(id);
            if variable.role != Role::Input {
                continue;
            }
            let at = id.0 as usize;
            let source = options.inputs.get(&variable.name).unwrap_or(&Input::Random);
            let (extents, admitted) = (&machine.instance.extents, &machine.instance.admitted);
            let range = admitted[at].as_ref();
            let data = input::words(program, id, &extents[at], range, source, options.seed)?;
            machine.arrays.give(id, extents[at].clone(), data);
        }
        machine.arrays.reset(program);
        if options.mends_inputs {
            machine.mend_inputs(options)?;
        }
        let mut values = machine.instance.bound.clone();
        let mut context = machine.context(&mut values, &Unwatched);
        ensure::test_requires(&mut context, &program.requires)?;
        Ok(machine)
    }

    /// Changes drawn inputs until the `require`s about them hold, or for as long as that may take.
    fn mend_inputs(&mut self, options: &Options) -> Result<()> {
        let program = self.instance.program;
        // A permutation or a list has no word that could be changed alone.
        let is_drawn = |id: VarId| {
            let variable = program.variable(id);
            let is_random = match options.inputs.get(&variable.name) {
                None | Some(Input::Random) => true,
                Some(_) => false,
            };
            let is_free = matches!(variable.property, None | Some(Property::Sorted));
            variable.role == Role::Input && is_free && is_random
        };
        let mut generator = Generator::new(options.seed, "require");
        let mut proposed = Vec::new();
        let mut quantified = 0;
        for _ in 0..MOST_REPAIRS {
            let mut values = self.instance.bound.clone();
            let mut context = self.context(&mut values, &Unwatched);
            let found = made::failing(&mut context, &program.requires, &is_drawn);
            quantified += context.quantified;
            // What has no value is told by the test that follows.
            let Ok(Some(failing)) = found else {
                return Ok(());
            };
            if quantified > MOST_VALUES {
                return Ok(());
            }
            let admitted = &self.instance.admitted;
            if let Some(array) = failing.array().filter(|array| !proposed.contains(array)) {
                proposed.push(array);
                let at = array.0 as usize;
                let (shape, admitted) = (&self.instance.extents[at], admitted[at].as_ref());
                self.arrays.change(array, |data| {
                    failing.propose(data, shape, admitted, &mut generator);
                });
                continue;
            }
            let range = |id: VarId| match (&admitted[id.0 as usize], program.variable(id).word_type)
            {
                (Some(range), _) => range.floats,
                (None, WordType::Int) => (-100.0, 100.0),
                (None, WordType::Float) => (0.0, 1.0),
            };
            let Some(((id, at), value)) = failing.repair(&mut generator, &range) else {
                return Ok(());
            };
            let is_sorted = program.variable(id).property.is_some();
            self.arrays.change(id, |data| match data {
                Data::Int(ints) => {
                    ints[at] = value as i64;
                    if is_sorted {
                        ints.sort_unstable();
                    }
                }
                Data::Float(floats) => {
                    floats[at] = value;
                    if is_sorted {
                        floats.sort_unstable_by(f64::total_cmp);
                    }
                }
            });
        }
        Ok(())
    }

    /// Switches to another engine.
    pub(super) fn use_engine(&mut self, engine: Engine) {
        self.settings.engine = engine;
    }

    fn evaluate_ranges(&mut self) -> Result<()> {
        for id in self.instance.program.variable_ids() {
            let Some((low, high)) = &self.instance.program.variable(id).range else {
                continue;
            };
            let mut values = self.instance.bound.clone();
            let mut context = self.context(&mut values, &Unwatched);
            let low = eval::number(&mut context, low, Connectives::BothSides)?;
            let high = eval::number(&mut context, high, Connectives::BothSides)?;
            self.instance.admitted[id.0 as usize] = Some(Admitted::new(low, high));
        }
        Ok(())
    }

    fn context<'m>(
        &'m self,
        values: &'m mut Vec<Option<Value>>,
        progress: &'m dyn Progress,
    ) -> HostContext<'m> {
        let memory = (&self.instance, self.arrays.memory());
        HostContext::new(memory, self.settings.engine, values, progress)
    }

    /// Executes the whole program.
    pub(super) fn execute(
        &mut self,
        progress: &dyn Progress,
    ) -> std::result::Result<Executed, Vec<Diagnostic>> {
        self.arrays.reset(self.instance.program);
        let program = self.instance.program;
        let words: Vec<BigInt> = program
            .variable_ids()
            .map(|id| self.instance.words(id))
            .collect();
        let running = Running::new(
            (&self.instance, &self.settings),
            (&mut self.arrays, &mut self.prepared),
            Rounds::new(program, &words),
            progress,
        );
        let (values, record) = running.run().map_err(|failed| {
            let mut faults = diagnostics(*failed.fault);
            for fault in &mut faults {
                fault.label_execute(failed.executing);
            }
            faults
        })?;
        let charges = self.settings.cycle_rules.is_some();
        let charges = charges.then(|| record.rounds.charged());
        let counts = record.rounds.finish(program);
        self.instance
            .check_global_limit(&counts.rounds)
            .map_err(|fault| diagnostics(*fault))?;
        Ok(Executed {
            counts,
            charges,
            lane_operations: record.lane_operations,
            trace: record.trace,
            values,
        })
    }

    /// Tests the `ensure`s on the present memory.
    pub(super) fn conclude(
        &mut self,
        executed: Executed,
        progress: &dyn Progress,
    ) -> std::result::Result<Outcome, Vec<Diagnostic>> {
        let Executed {
            counts,
            charges,
            lane_operations,
            trace,
            mut values,
        } = executed;
        let program = self.instance.program;
        let tested = if self.settings.skips_ensures {
            &[][..]
        } else {
            &program.ensures
        };
        let mut context = self.context(&mut values, progress);
        let (ensures, failures) =
            ensure::test_ensures(&mut context, tested).map_err(|fault| diagnostics(*fault))?;
        let quantified = context.quantified;
        Ok(Outcome {
            counts,
            charges,
            ensures,
            diagnostics: failures,
            lane_operations,
            quantified,
            trace,
            host: self.arrays.finals(program, Scope::Host),
            global: self.arrays.finals(program, Scope::Global),
        })
    }
}

/// The result of an execution besides memory.
#[derive(Debug)]
pub(super) struct Executed {
    counts: Counts<BigInt>,
    charges: Option<Charged>,
    pub(super) lane_operations: u128,
    trace: Vec<TraceLine>,
    /// Values at the end, by parameter id.
    values: Vec<Option<Value>>,
}

fn diagnostics(fault: Error) -> Vec<Diagnostic> {
    match fault {
        Error::Stopped => Vec::new(),
        fault => vec![fault.into()],
    }
}

fn unknown_inputs(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let inputs = || {
        program
            .variables
            .iter()
            .filter(|variable| variable.role == Role::Input)
            .map(|variable| variable.name.as_str())
    };
    let unknown = options
        .inputs
        .keys()
        .filter(|name| !inputs().any(|input| input == name.as_str()));
    unknown
        .map(|name| {
            let near = nearest(name, inputs()).map(|input| NearInput(input.to_owned()));
            let name = name.clone();
            Error::NoSuchInput { name, near }.into()
        })
        .collect()
}

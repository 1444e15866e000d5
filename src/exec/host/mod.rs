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
use crate::exec::host::running::Running;
use crate::exec::host::settings::Settings;
use crate::exec::memory::Admitted;
use crate::exec::prepared::Prepared;
use crate::exec::rounds::Rounds;
use crate::exec::{Engine, Input, Options, Outcome, Progress, TraceLine, Unwatched};
use crate::meaning::Point;
use crate::meaning::eval::{self, Connectives};
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::program::{Program, Role, Scope};
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
        let mut values = machine.instance.bound.clone();
        let mut context = machine.context(&mut values, &Unwatched);
        ensure::test_requires(&mut context, &program.requires)?;
        Ok(machine)
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

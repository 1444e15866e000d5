//! The host: its statements in order, transfers, and the memory of both sides.

pub(crate) mod ensure;
pub(crate) mod input;
pub(crate) mod quantifier;

use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use indexmap::IndexMap;
use num_traits::{Signed, ToPrimitive};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::count::{Charged, Counts};
use crate::diag::Diagnostic;
use crate::exec::engines::{self, Manner};
use crate::exec::error::{Error, Result};
use crate::exec::host::quantifier::{Around, Memory, Sweeper};
use crate::exec::lanes::Truths;
use crate::exec::launch::Known;
use crate::exec::memory::global::Global;
use crate::exec::memory::{Admitted, Store, out_of_bounds, strides, word_name};
use crate::exec::mp::Connectives;
use crate::exec::reference::eval::{self, Context, Sweep, Swept};
use crate::exec::rounds::Rounds;
use crate::exec::value::Value;
use crate::exec::{
    Array, DEFAULT_MEMORY, Data, Engine, FinalArray, Input, Options, Outcome, Progress, TraceLine,
    Unwatched, Work,
};
use crate::machine::CycleRules;
use crate::meaning::Point;
use crate::meaning::fault::{Fault, Place, shape_text};
use crate::number::{BigInt, grouped};
use crate::program::{
    Condition, Direction, Execute, Extent, Formula, HostFor, HostStmt, HostWhile, Kernel, Number,
    ParamId, Program, Region, Role, Scope, Swap, Transfer, VarId,
};
use crate::text::{Span, nearest};

/// Words of a transfer between two looks at the progress callback.
const WORDS_BETWEEN_LOOKS: usize = 1 << 20;

/// The host with its memory and the device's.
#[derive(Debug)]
pub(super) struct Machine<'p> {
    program: &'p Program,
    /// b, M, G
    cores: usize,
    shared_capacity: BigInt,
    global_capacity: BigInt,
    traced: Option<Vec<i64>>,
    /// How kernels are executed.
    pub engine: Engine,
    /// What a machine charges, where one is asked; by reference only.
    cycle_rules: Option<CycleRules>,
    /// Formals, machine parameters and header `let`s.
    bound: Vec<Option<Value>>,
    extents: Vec<Vec<usize>>,
    admitted: Vec<Option<Admitted>>,
    /// By variable id; `None` for variables that live elsewhere.
    host: Vec<Option<Store>>,
    global: Global,
    inputs: Vec<Given>,
    threads: usize,
    /// For MPs at the same time, once a kernel has several.
    pool: OnceCell<Option<ThreadPool>>,
}

impl<'p> Machine<'p> {
    /// Memory allocated, inputs in place, `require`s on data tested.
    pub fn prepare(
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
        let (cores, extents) = sizes(program, point, options)?;
        let bound = program.parameters.iter().zip(0..).map(|(_, id)| {
            let value = point.environment.get(ParamId(id))?;
            Some(Value::exact(value.clone()))
        });
        let store = |scope: Scope, id: VarId| {
            let variable = program.variable(id);
            let extents = &extents[id.0 as usize];
            (variable.scope == scope).then(|| Store::new(extents.clone(), variable.word_type))
        };
        let stores = |scope: Scope| program.variable_ids().map(|id| store(scope, id)).collect();
        let mut machine = Machine {
            program,
            cores,
            shared_capacity: point.parameters["M"].clone(),
            global_capacity: point.parameters["G"].clone(),
            traced: options.trace.clone(),
            engine: match options.cycle_rules {
                Some(_) => Engine::Reference,
                None => Engine::Batches,
            },
            cycle_rules: options.cycle_rules.clone(),
            bound: bound.collect(),
            admitted: vec![None; program.variables.len()],
            host: stores(Scope::Host),
            global: Global::new(stores(Scope::Global)),
            inputs: Vec::new(),
            threads: options.threads,
            pool: OnceCell::new(),
            extents,
        };
        machine.evaluate_ranges()?;
        for id in program.variable_ids() {
            let variable = program.variable(id);
            if variable.role != Role::Input {
                continue;
            }
            let at = id.0 as usize;
            let source = options.inputs.get(&variable.name).unwrap_or(&Input::Random);
            let data = input::words(
                program,
                id,
                &machine.extents[at],
                machine.admitted[at].as_ref(),
                source,
                options.seed,
            )?;
            machine.inputs.push(Given {
                id,
                array: Arc::new(Array {
                    shape: machine.extents[at].clone(),
                    data,
                }),
            });
        }
        machine.reset();
        let mut values = machine.bound.clone();
        let mut context = machine.context(&mut values, &Unwatched);
        ensure::test_requires(&mut context, &program.requires)?;
        Ok(machine)
    }

    fn evaluate_ranges(&mut self) -> Result<()> {
        for id in self.program.variable_ids() {
            let Some((low, high)) = &self.program.variable(id).range else {
                continue;
            };
            let mut values = self.bound.clone();
            let mut context = self.context(&mut values, &Unwatched);
            let low = eval::evaluate(&mut context, low, Connectives::BothSides)?;
            let high = eval::evaluate(&mut context, high, Connectives::BothSides)?;
            self.admitted[id.0 as usize] = Some(Admitted::new(low, high));
        }
        Ok(())
    }

    /// Memory as it is before the first statement.
    fn reset(&mut self) {
        for id in self.program.variable_ids() {
            let variable = self.program.variable(id);
            match (variable.scope, variable.role) {
                // Device memory may be used again as soon as nobody else holds it.
                (Scope::Global, _) => self.global.store_mut(id).forget(),
                (Scope::Host, Role::Output | Role::None) => {
                    if let Some(store) = &mut self.host[id.0 as usize] {
                        store.let_go();
                    }
                }
                (Scope::Host, Role::Input) | (Scope::Shared, _) => {}
            }
        }
        for input in &self.inputs {
            if let Some(store) = &mut self.host[input.id.0 as usize] {
                store.hold(Arc::clone(&input.array));
            }
        }
    }

    fn context<'m>(
        &'m self,
        values: &'m mut Vec<Option<Value>>,
        progress: &'m dyn Progress,
    ) -> HostContext<'m> {
        HostContext {
            machine: self,
            values,
            progress,
            work: Work::default(),
            until_look: EVALUATIONS_BETWEEN_LOOKS,
            quantified: 0,
            sweeper: Sweeper::default(),
        }
    }

    /// Executes the whole program.
    pub fn execute(
        &mut self,
        progress: &dyn Progress,
    ) -> std::result::Result<Executed, Vec<Diagnostic>> {
        self.reset();
        let words: Vec<BigInt> = self
            .extents
            .iter()
            .map(|extents| extents.iter().map(|&extent| BigInt::from(extent)).product())
            .collect();
        let program = self.program;
        let mut running = Running {
            values: self.bound.clone(),
            rounds: Rounds::new(program, &words),
            words,
            lane_operations: 0,
            trace: Vec::new(),
            executing: None,
            progress,
            machine: self,
        };
        let finished = running.block(&program.body);
        let Running {
            values,
            rounds,
            lane_operations,
            trace,
            executing,
            ..
        } = running;
        finished.map_err(|fault| {
            let mut faults = diagnostics(*fault);
            for fault in &mut faults {
                fault.label_execute(executing);
            }
            faults
        })?;
        let charges = self.cycle_rules.is_some().then(|| rounds.charged());
        let counts = rounds.finish(program);
        self.check_global_limit(&counts.rounds)
            .map_err(|fault| diagnostics(*fault))?;
        Ok(Executed {
            counts,
            charges,
            lane_operations,
            trace,
            values,
        })
    }

    /// Tests the `ensure`s on memory as it is now.
    pub fn conclude(
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
        let program = self.program;
        let mut context = self.context(&mut values, progress);
        let (ensures, failures) = ensure::test_ensures(&mut context, &program.ensures)
            .map_err(|fault| diagnostics(*fault))?;
        let quantified = context.quantified;
        Ok(Outcome {
            counts,
            charges,
            ensures,
            diagnostics: failures,
            lane_operations,
            quantified,
            trace,
            host: self.finals(Scope::Host),
            global: self.finals(Scope::Global),
        })
    }

    /// The first round whose live words exceed G.
    fn check_global_limit(&self, rounds: &[(u64, crate::count::Round<BigInt>)]) -> Result<()> {
        let mut number = 1;
        for (count, round) in rounds {
            if round.global_words > self.global_capacity {
                let first_global = self
                    .program
                    .variables
                    .iter()
                    .find(|variable| variable.scope == Scope::Global);
                return Err(Box::new(Error::LimitGlobal {
                    words: grouped(&round.global_words),
                    round: number,
                    capacity: grouped(&self.global_capacity),
                    span: first_global.map_or(Span::default(), |variable| variable.span),
                }));
            }
            number += count;
        }
        Ok(())
    }

    fn memory(&self) -> Memory<'_> {
        Memory {
            host: &self.host,
            global: &self.global.stores,
        }
    }

    /// What stands around a sweep at these values of the parameters.
    fn around<'m>(&'m self, values: &'m [Option<Value>]) -> Around<'m> {
        Around {
            program: self.program,
            extents: &self.extents,
            memory: self.memory(),
            fixed: &self.bound,
            values,
        }
    }

    /// The arrays of one side, shared rather than copied.
    fn finals(&mut self, scope: Scope) -> IndexMap<String, Arc<FinalArray>> {
        let mut finals = IndexMap::new();
        for id in self.program.variable_ids() {
            let variable = self.program.variable(id);
            if variable.scope != scope {
                continue;
            }
            let store = match &mut self.host[id.0 as usize] {
                Some(store) => store,
                None => self.global.store_mut(id),
            };
            let array = FinalArray {
                array: store.share(),
                written: store.written.clone(),
            };
            finals.insert(variable.name.clone(), Arc::new(array));
        }
        finals
    }
}

/// What an execution gives besides memory.
#[derive(Debug)]
pub(super) struct Executed {
    counts: Counts<BigInt>,
    charges: Option<Charged>,
    lane_operations: u128,
    trace: Vec<TraceLine>,
    /// By parameter id.
    values: Vec<Option<Value>>,
}

/// The data of an input.
#[derive(Debug)]
struct Given {
    id: VarId,
    array: Arc<Array>,
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
            let help =
                nearest(name, inputs()).map(|input| format!("the input is called `{input}`"));
            Error::NoSuchInput {
                name: name.clone(),
                help,
            }
            .into()
        })
        .collect()
}

/// b and all extents as machine numbers, after an estimate of the memory they take.
fn sizes(program: &Program, point: &Point, options: &Options) -> Result<(usize, Vec<Vec<usize>>)> {
    let capacity = &point.parameters["M"];
    let mut needed = BigInt::from(8 * (program.parameters.len() + 16)) * point.cores();
    for id in program.variable_ids() {
        let variable = program.variable(id);
        let words: BigInt = point.extents[id.0 as usize].iter().product();
        // A word and its share of the written flags, and beside it: what an input was before the
        // program wrote it, the stamps that find races, the marks that count conflicts.
        needed += match (variable.scope, variable.role) {
            (Scope::Host, Role::Input) if is_written(&program.body, id) => words * 17,
            (Scope::Host, _) => words * 9,
            (Scope::Global, _) => words * 17,
            // A kernel that needs more than M is not launched.
            (Scope::Shared, _) => words.min(capacity.clone()) * 17,
        };
    }
    let available = options.memory_limit.unwrap_or(DEFAULT_MEMORY);
    let too_large = |needed: &BigInt| {
        Box::new(Error::Memory {
            needed: bytes_text(needed),
            available: bytes_text(&available.into()),
        })
    };
    if needed > available.into() {
        return Err(too_large(&needed));
    }
    let size = |extent: &BigInt| extent.to_usize().ok_or_else(|| too_large(&needed));
    let extents = point
        .extents
        .iter()
        .map(|extents| extents.iter().map(size).collect())
        .collect::<Result<_>>()?;
    Ok((size(point.cores())?, extents))
}

/// Whether some transfer writes a host variable.
fn is_written(body: &[HostStmt], variable: VarId) -> bool {
    body.iter().any(|stmt| match stmt {
        HostStmt::Transfer(transfer) => {
            transfer.direction == Direction::Outward && transfer.host.variable == variable
        }
        HostStmt::For(HostFor { body, .. })
        | HostStmt::While(HostWhile { body, .. })
        | HostStmt::Execute(Execute { body, .. }) => is_written(body, variable),
        HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => false,
    })
}

/// `1.5 GiB`
fn bytes_text(bytes: &BigInt) -> String {
    let mut value = bytes.to_f64().unwrap_or(f64::INFINITY);
    for unit in ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] {
        if unit == "PiB" && value >= 1e6 {
            return "more than a million PiB".to_owned();
        }
        if value < 1024.0 || unit == "PiB" {
            return format!("{value:.4} {unit}").replace(".0000", "");
        }
        value /= 1024.0;
    }
    unreachable!("the last unit takes everything")
}

/// Evaluations of a quantifier's body between two looks at the progress callback.
const EVALUATIONS_BETWEEN_LOOKS: u64 = 4096;

/// What the host's expressions read.
struct HostContext<'m> {
    machine: &'m Machine<'m>,
    values: &'m mut Vec<Option<Value>>,
    progress: &'m dyn Progress,
    work: Work,
    until_look: u64,
    /// Values that quantifiers took.
    quantified: u64,
    sweeper: Sweeper,
}

impl HostContext<'_> {
    fn may_sweep(&self) -> bool {
        self.machine.engine != Engine::Reference && !self.progress.advance(self.work).is_break()
    }
}

impl Context for HostContext<'_> {
    fn program(&self) -> &Program {
        self.machine.program
    }

    fn parameter(&self, parameter: ParamId) -> Value {
        self.values[parameter.0 as usize]
            .clone()
            .expect("checked: a parameter is bound where it is used")
    }

    fn bind(&mut self, parameter: ParamId, value: Value) {
        self.values[parameter.0 as usize] = Some(value);
    }

    fn read(&mut self, variable: VarId, span: Span, indices: &[(BigInt, Span)]) -> Result<Value> {
        let machine = self.machine;
        let store = machine.memory().store(variable);
        let mut offset = 0;
        for (dimension, ((index, at), stride)) in
            indices.iter().zip(strides(&store.shape)).enumerate()
        {
            match eval::within(index, store.shape[dimension]) {
                Some(index) => offset += index * stride,
                None => {
                    return Err(out_of_bounds(
                        machine.program,
                        variable,
                        &store.shape,
                        (dimension, index),
                        self.place(),
                        *at,
                    ));
                }
            }
        }
        if !store.written.get(offset) {
            return Err(Error::of(Fault::Unwritten {
                word: word_name(machine.program, variable, &store.shape, offset),
                place: self.place(),
                span,
            }));
        }
        Ok(store.get(offset))
    }

    fn place(&self) -> Place {
        Place::default()
    }

    fn sweep_numbers(&mut self, body: &Number<Formula>, values: Sweep) -> Option<Swept> {
        self.may_sweep().then_some(())?;
        let around = self.machine.around(self.values);
        self.sweeper.numbers(&around, body, values)
    }

    fn sweep_truths(&mut self, body: &Condition<Formula>, values: Sweep) -> Option<Truths> {
        self.may_sweep().then_some(())?;
        let around = self.machine.around(self.values);
        self.sweeper.truths(&around, body, values)
    }

    fn tick(&mut self, values: u64) -> Result<()> {
        self.quantified += values;
        self.until_look = self.until_look.saturating_sub(values);
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = EVALUATIONS_BETWEEN_LOOKS;
        match self.progress.advance(self.work) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }
}

/// One execution in progress.
struct Running<'r, 'p> {
    machine: &'r mut Machine<'p>,
    values: Vec<Option<Value>>,
    /// Of each variable.
    words: Vec<BigInt>,
    rounds: Rounds,
    lane_operations: u128,
    trace: Vec<TraceLine>,
    /// The `execute` whose body is under way.
    executing: Option<Span>,
    progress: &'r dyn Progress,
}

impl<'p> Running<'_, 'p> {
    fn block(&mut self, body: &'p [HostStmt]) -> Result<()> {
        for stmt in body {
            self.look()?;
            match stmt {
                HostStmt::Transfer(transfer) => self.transfer(transfer)?,
                HostStmt::Kernel(kernel) => self.kernel(kernel)?,
                HostStmt::For(counted) => self.counted_loop(counted)?,
                HostStmt::While(open) => self.open_loop(open)?,
                HostStmt::Let(binding) => {
                    let value = self.integer(&binding.value)?;
                    self.set(binding.parameter, value);
                }
                HostStmt::Swap(swap) => self.swap(swap)?,
                HostStmt::Execute(execute) => self.execute(execute)?,
            }
        }
        Ok(())
    }

    fn look(&self) -> Result<()> {
        let done = Work {
            round: self.rounds.number(),
            ..Work::default()
        };
        match self.progress.advance(done) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }

    fn set(&mut self, parameter: ParamId, value: BigInt) {
        self.values[parameter.0 as usize] = Some(Value::whole(value));
    }

    fn integer(&mut self, expr: &Number) -> Result<BigInt> {
        let mut context = self.machine.context(&mut self.values, self.progress);
        eval::integer(&mut context, expr)
    }

    fn word(&mut self, expr: &Number) -> Result<i64> {
        let mut context = self.machine.context(&mut self.values, self.progress);
        eval::word(&mut context, expr)
    }

    fn counted_loop(&mut self, counted: &'p HostFor) -> Result<()> {
        let mut at = self.integer(&counted.from)?;
        let last = self.integer(&counted.to)?;
        while if counted.down { at >= last } else { at <= last } {
            self.look()?;
            self.set(counted.variable, at.clone());
            self.block(&counted.body)?;
            at += if counted.down { -1 } else { 1 };
        }
        Ok(())
    }

    fn open_loop(&mut self, open: &'p HostWhile) -> Result<()> {
        let bound = self.integer(&open.at_most)?;
        let mut iteration = BigInt::from(0);
        loop {
            let mut context = self.machine.context(&mut self.values, self.progress);
            if !eval::condition(&mut context, &open.condition, Connectives::BothSides)? {
                return Ok(());
            }
            iteration += 1;
            if iteration > bound {
                return Err(Error::of(Fault::BoundExceeded {
                    iteration: iteration.to_string(),
                    bound: bound.to_string(),
                    place: Place::default(),
                    span: open.span,
                }));
            }
            self.look()?;
            self.block(&open.body)?;
        }
    }

    fn execute(&mut self, execute: &'p Execute) -> Result<()> {
        let mut values = Vec::with_capacity(execute.arguments.len());
        for argument in &execute.arguments {
            values.push(self.integer(&argument.value)?);
        }
        for (argument, value) in execute.arguments.iter().zip(values) {
            self.set(argument.parameter, value);
        }
        let outer = self.executing.replace(execute.span);
        self.block(&execute.body)?;
        self.executing = outer;
        Ok(())
    }

    fn swap(&mut self, swap: &Swap) -> Result<()> {
        let shape = |id: VarId| &self.machine.extents[id.0 as usize];
        if shape(swap.left) != shape(swap.right) {
            let name = |id: VarId| self.machine.program.variable(id).name.clone();
            return Err(Error::of(Fault::SwapShape {
                left: name(swap.left),
                right: name(swap.right),
                left_shape: shape_text(shape(swap.left)),
                right_shape: shape_text(shape(swap.right)),
                span: swap.span,
            }));
        }
        self.machine.global.swap(swap.left, swap.right);
        Ok(())
    }

    fn kernel(&mut self, kernel: &'p Kernel) -> Result<()> {
        let mut ranges = Vec::with_capacity(kernel.mps.len());
        for range in &kernel.mps {
            ranges.push((self.word(&range.low)?, self.word(&range.high)?));
        }
        let shared_words: BigInt = kernel
            .names_shared
            .iter()
            .map(|id| &self.words[id.0 as usize])
            .sum();
        self.rounds.begin_kernel(kernel, shared_words.clone());
        if shared_words > self.machine.shared_capacity {
            return Err(Box::new(Error::LimitShared {
                words: grouped(&shared_words),
                capacity: grouped(&self.machine.shared_capacity),
                span: kernel.span,
            }));
        }
        let machine = &mut *self.machine;
        let pool = match (
            machine.threads,
            ranges.iter().all(|(low, high)| low >= high),
        ) {
            // Without a pool everything runs here.
            (1, _) | (_, true) => None,
            (threads, false) => {
                let pool = || ThreadPoolBuilder::new().num_threads(threads).build().ok();
                machine.pool.get_or_init(pool).as_ref()
            }
        };
        let known = Known {
            program: machine.program,
            cores: machine.cores,
            values: &self.values,
            extents: &machine.extents,
            admitted: &machine.admitted,
        };
        let manner = Manner {
            engine: machine.engine,
            cycle_rules: machine.cycle_rules.as_ref(),
            progress: self.progress,
            round: self.rounds.number(),
            pool,
            traced: machine.traced.as_deref(),
        };
        let (global, trace) = (&mut machine.global, &mut self.trace);
        let (counts, lane_operations) =
            engines::execute(manner, known, (kernel, &ranges), global, trace)?;
        self.rounds.end_kernel(counts);
        self.lane_operations += lane_operations;
        Ok(())
    }

    fn transfer(&mut self, transfer: &'p Transfer) -> Result<()> {
        let (source, target) = match transfer.direction {
            Direction::Inward => (&transfer.host, &transfer.global),
            Direction::Outward => (&transfer.global, &transfer.host),
        };
        let to = self.region(target)?;
        let from = self.region(source)?;
        let (left, right) = (to.words(), from.words());
        if left != right {
            return Err(Error::of(Fault::TransferShape {
                left: left.to_string(),
                right: right.to_string(),
                span: transfer.span,
            }));
        }
        let to = self.within_bounds(target, to)?;
        let from = self.within_bounds(source, from)?;
        self.copy(transfer, (target, to), (source, from))?;
        let words = u128::try_from(left).expect("in bounds, so no more than memory holds");
        self.rounds
            .transfer(transfer.direction, transfer.global.variable, words);
        Ok(())
    }

    /// The first and last index of each dimension.
    fn region(&mut self, region: &Region) -> Result<Ranges> {
        let mut ranges = Vec::with_capacity(region.extents.len());
        for (dimension, extent) in region.extents.iter().enumerate() {
            ranges.push(match extent {
                Extent::All => {
                    let extent = self.machine.extents[region.variable.0 as usize][dimension];
                    (BigInt::from(0), BigInt::from(extent) - 1)
                }
                Extent::At(index) => {
                    let index = self.integer(index)?;
                    (index.clone(), index)
                }
                Extent::Range(low, high) => (self.integer(low)?, self.integer(high)?),
            });
        }
        Ok(Ranges(ranges))
    }

    /// The same as first index and length of each dimension; nothing for an empty block.
    fn within_bounds(
        &self,
        region: &Region,
        ranges: Ranges,
    ) -> Result<Option<Vec<(usize, usize)>>> {
        if ranges.is_empty() {
            return Ok(None);
        }
        let shape = &self.machine.extents[region.variable.0 as usize];
        let mut inside = Vec::with_capacity(shape.len());
        for (dimension, (low, high)) in ranges.0.iter().enumerate() {
            let (first, last) = match &region.extents[dimension] {
                Extent::All => (region.span, region.span),
                Extent::At(index) => (index.span, index.span),
                Extent::Range(low, high) => (low.span, high.span),
            };
            let place = |index: &BigInt, span: Span| {
                eval::within(index, shape[dimension]).ok_or_else(|| {
                    out_of_bounds(
                        self.machine.program,
                        region.variable,
                        shape,
                        (dimension, index),
                        Place::default(),
                        span,
                    )
                })
            };
            let (low, high) = (place(low, first)?, place(high, last)?);
            inside.push((low, high - low + 1));
        }
        Ok(Some(inside))
    }

    fn copy(
        &mut self,
        transfer: &Transfer,
        (target, to): (&Region, Option<Vec<(usize, usize)>>),
        (source, from): (&Region, Option<Vec<(usize, usize)>>),
    ) -> Result<()> {
        let (Some(to), Some(from)) = (to, from) else {
            return Ok(());
        };
        let machine = &mut *self.machine;
        let (target_id, source_id) = (target.variable.0 as usize, source.variable.0 as usize);
        let (hosts, globals) = (&mut machine.host, &mut machine.global.stores);
        let (target_store, source_store) = match transfer.direction {
            Direction::Inward => (&mut globals[target_id], &mut hosts[source_id]),
            Direction::Outward => (&mut hosts[target_id], &mut globals[source_id]),
        };
        let (Some(target_store), Some(source_store)) = (target_store, source_store) else {
            unreachable!("checked: a transfer joins a host and a global variable");
        };
        // A whole array that may hold any word is not copied before one of the two is written.
        let is_whole = |region: &[(usize, usize)], shape: &[usize]| {
            region.iter().map(|(_, length)| length).eq(shape)
        };
        if is_whole(&to, &target_store.shape)
            && is_whole(&from, &source_store.shape)
            && target_store.may_hold(source_store)
            && source_store.written.left() == 0
            && machine.admitted[target_id].is_none()
        {
            target_store.hold(source_store.share());
            return Ok(());
        }
        let source_store = &*source_store;
        let mut to = Runs::new(&target_store.shape, &to);
        let mut from = Runs::new(&source_store.shape, &from);
        loop {
            let most = to.left_in_run().min(from.left_in_run());
            let words = most.min(WORDS_BETWEEN_LOOKS);
            if words == 0 {
                return Ok(());
            }
            let (to_offset, from_offset) = (to.take(words), from.take(words));
            if let Some(at) = source_store.written.first_unwritten(from_offset, words) {
                let shape = &source_store.shape;
                return Err(Error::of(Fault::Unwritten {
                    word: word_name(machine.program, source.variable, shape, at),
                    place: Place::default(),
                    span: source.span,
                }));
            }
            if let Some(range) = &machine.admitted[target_id] {
                let outside = (0..words).find(|at| {
                    let value = source_store.get(from_offset + at);
                    match target_store.data() {
                        Data::Int(_) => !range.admits(&value),
                        Data::Float(_) => !range.admits_float(value.to_float()),
                    }
                });
                if let Some(at) = outside {
                    let shape = &target_store.shape;
                    let offset = to_offset + at;
                    return Err(Error::of(Fault::OutsideDeclared {
                        word: word_name(machine.program, target.variable, shape, offset),
                        value: source_store.get(from_offset + at).to_string(),
                        low: range.low.to_string(),
                        high: range.high.to_string(),
                        place: Place::default(),
                        span: transfer.span,
                        declaration: machine.program.variable(target.variable).span,
                    }));
                }
            }
            target_store.copy(to_offset, source_store, from_offset, words);
            if words == WORDS_BETWEEN_LOOKS && self.progress.advance(Work::default()).is_break() {
                return Err(Box::new(Error::Stopped));
            }
        }
    }
}

/// First and last index of each dimension of a block.
struct Ranges(Vec<(BigInt, BigInt)>);

impl Ranges {
    fn is_empty(&self) -> bool {
        self.0.iter().any(|(low, high)| high < low)
    }

    fn words(&self) -> BigInt {
        if self.is_empty() {
            return BigInt::from(0);
        }
        let lengths = self.0.iter().map(|(low, high)| high - low + 1);
        let words: BigInt = lengths.product();
        debug_assert!(words.is_positive());
        words
    }
}

/// The words of a block in row-major order, as runs of neighbours.
struct Runs {
    /// Words in each run.
    length: usize,
    /// Words of the present run that are taken.
    taken: usize,
    /// The outer dimensions: index in the block, its length, words between two neighbours.
    outer: Vec<(usize, usize, usize)>,
    /// Where the present run starts.
    start: usize,
    is_done: bool,
}

impl Runs {
    /// Over a block that is not empty.
    fn new(shape: &[usize], block: &[(usize, usize)]) -> Runs {
        let strides = strides(shape);
        let start = block
            .iter()
            .zip(&strides)
            .map(|((low, _), stride)| low * stride)
            .sum();
        // Full inner dimensions make one run with the dimension around them.
        let mut inner = block.len();
        let mut length = 1;
        while inner > 0 {
            inner -= 1;
            length *= block[inner].1;
            if block[inner].1 != shape[inner] {
                break;
            }
        }
        let outer = (0..inner).map(|dimension| (0, block[dimension].1, strides[dimension]));
        Runs {
            length,
            taken: 0,
            outer: outer.collect(),
            start,
            is_done: false,
        }
    }

    /// How many neighbours come next; 0 at the end.
    fn left_in_run(&self) -> usize {
        if self.is_done {
            0
        } else {
            self.length - self.taken
        }
    }

    /// The offset of the next words, of which these many are taken.
    fn take(&mut self, words: usize) -> usize {
        let offset = self.start + self.taken;
        self.taken += words;
        if self.taken == self.length {
            self.taken = 0;
            self.next_run();
        }
        offset
    }

    fn next_run(&mut self) {
        for (index, length, stride) in self.outer.iter_mut().rev() {
            *index += 1;
            self.start += *stride;
            if *index < *length {
                return;
            }
            self.start -= *stride * *length;
            *index = 0;
        }
        self.is_done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(shape: &[usize], block: &[(usize, usize)], at_once: usize) -> Vec<usize> {
        let mut runs = Runs::new(shape, block);
        let mut offsets = Vec::new();
        while runs.left_in_run() > 0 {
            let words = runs.left_in_run().min(at_once);
            let offset = runs.take(words);
            offsets.extend(offset..offset + words);
        }
        offsets
    }

    #[test]
    fn blocks_are_taken_in_row_major_order() {
        assert_eq!(offsets(&[], &[], 9), [0]);
        assert_eq!(offsets(&[4], &[(1, 3)], 2), [1, 2, 3]);
        assert_eq!(
            offsets(&[3, 4], &[(1, 2), (0, 4)], 99),
            [4, 5, 6, 7, 8, 9, 10, 11]
        );
        assert_eq!(offsets(&[3, 4], &[(0, 3), (1, 2)], 99), [1, 2, 5, 6, 9, 10]);
        assert_eq!(
            offsets(&[2, 2, 3], &[(0, 2), (1, 1), (0, 2)], 1),
            [3, 4, 9, 10]
        );
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!(bytes_text(&BigInt::from(17)), "17 bytes");
        assert_eq!(bytes_text(&(BigInt::from(3) << 29)), "1.5000 GiB");
    }
}

//! The host's statements, one after the other.
//!
//! Takes the program at its point with its memory; gives the rounds that form. Kernels are left to
//! [`crate::exec::engines`], blocks of words to
//! [`transfer`](crate::exec::host::transfer).

use std::ops::ControlFlow;

use crate::exec::engines::{self, Manner};
use crate::exec::error::{Error, Result};
use crate::exec::host::arrays::Arrays;
use crate::exec::host::context::HostContext;
use crate::exec::host::instance::Instance;
use crate::exec::host::settings::Settings;
use crate::exec::host::transfer::{Ranges, copy, within_bounds};
use crate::exec::launch::Known;
use crate::exec::prepared::Prepared;
use crate::exec::rounds::Rounds;
use crate::exec::{Progress, TraceLine, Work};
use crate::machine::{Exceeded, Memory};
use crate::meaning::eval::{self, Connectives};
use crate::meaning::fault::{Fault, Place, shape_text};
use crate::meaning::value::Value;
use crate::number::{BigInt, legible};
use crate::program::{
    Direction, Execute, Extent, HostFor, HostStmt, HostWhile, Kernel, Number, ParamId, Region,
    Swap, Transfer, VarId,
};
use crate::text::Span;

/// One execution in progress.
pub(super) struct Running<'r, 'p> {
    pub instance: &'r Instance<'p>,
    pub settings: &'r Settings,
    pub arrays: &'r mut Arrays,
    pub prepared: &'r mut Prepared<'p>,
    /// Values bound now, by parameter id.
    pub values: Vec<Option<Value>>,
    record: Record,
    /// The `execute` whose body is running.
    executing: Option<Span>,
    pub progress: &'r dyn Progress,
}

/// The record of an execution so far.
pub(super) struct Record {
    pub rounds: Rounds,
    pub lane_operations: u128,
    pub trace: Vec<TraceLine>,
}

/// The failure of an execution.
pub(super) struct Failed {
    pub fault: Box<Error>,
    /// The `execute` that was running.
    pub executing: Option<Span>,
}

impl<'r, 'p> Running<'r, 'p> {
    /// Starts before the first statement.
    pub(super) fn new(
        (instance, settings): (&'r Instance<'p>, &'r Settings),
        (arrays, prepared): (&'r mut Arrays, &'r mut Prepared<'p>),
        rounds: Rounds,
        progress: &'r dyn Progress,
    ) -> Running<'r, 'p> {
        Running {
            instance,
            settings,
            arrays,
            prepared,
            values: instance.bound.clone(),
            record: Record {
                rounds,
                lane_operations: 0,
                trace: Vec::new(),
            },
            executing: None,
            progress,
        }
    }

    /// Executes the program. Returns the values bound at its end, and the record.
    pub(super) fn run(mut self) -> std::result::Result<(Vec<Option<Value>>, Record), Failed> {
        match self.block(&self.instance.program.body) {
            Ok(()) => Ok((self.values, self.record)),
            Err(fault) => Err(Failed {
                fault,
                executing: self.executing,
            }),
        }
    }

    /// Executes statements in order.
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

    fn context(&mut self) -> HostContext<'_> {
        let memory = (self.instance, self.arrays.memory());
        HostContext::new(
            memory,
            self.settings.engine,
            &mut self.values,
            self.progress,
        )
    }

    fn look(&self) -> Result<()> {
        let done = Work {
            round: self.record.rounds.number(),
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
        let mut context = self.context();
        eval::integer(&mut context, expr)
    }

    fn word(&mut self, expr: &Number) -> Result<i64> {
        let mut context = self.context();
        eval::word(&mut context, expr)
    }

    fn counted_loop(&mut self, counted: &'p HostFor) -> Result<()> {
        // Bounds are evaluated once, at entry. They are exact integers of any size, as all
        // arithmetic
        // of parameters.
        let mut at = self.integer(&counted.from)?;
        let last = self.integer(&counted.to)?;
        while if counted.down { at >= last } else { at <= last } {
            self.look()?;
            self.set(counted.variable, at.clone());
            self.block(&counted.body)?;
            if let Some(until) = &counted.until {
                let mut context = self.context();
                if eval::condition(&mut context, until, Connectives::BothSides)? {
                    break;
                }
            }
            at += if counted.down { -1 } else { 1 };
        }
        Ok(())
    }

    fn open_loop(&mut self, open: &'p HostWhile) -> Result<()> {
        let bound = self.integer(&open.at_most)?;
        let mut iteration = BigInt::from(0);
        loop {
            let mut context = self.context();
            if !eval::condition(&mut context, &open.condition, Connectives::BothSides)? {
                return Ok(());
            }
            // The fault is beginning iteration e + 1, not the condition that still holds after e.
            iteration += 1;
            if iteration > bound {
                return Err(Error::of(Fault::BoundExceeded {
                    iteration: legible(&iteration),
                    bound: legible(&bound),
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
        let shape = |id: VarId| &self.instance.extents[id.0 as usize];
        if shape(swap.left) != shape(swap.right) {
            let name = |id: VarId| self.instance.program.variable(id).name.clone();
            return Err(Error::of(Fault::SwapShape {
                left: name(swap.left),
                right: name(swap.right),
                left_shape: shape_text(shape(swap.left)),
                right_shape: shape_text(shape(swap.right)),
                span: swap.span,
            }));
        }
        self.arrays.global.swap(swap.left, swap.right);
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
            .map(|&id| self.instance.words(id))
            .sum();
        self.record
            .rounds
            .begin_kernel(kernel, shared_words.clone());
        if shared_words > self.instance.shared_capacity {
            let capacity = self.instance.shared_capacity.clone();
            return Err(Box::new(Error::Limit {
                exceeded: Exceeded::new(Memory::Shared, shared_words, capacity),
                span: kernel.span,
            }));
        }
        let known = Known {
            program: self.instance.program,
            cores: self.instance.cores,
            values: &self.values,
            extents: &self.instance.extents,
            admitted: &self.instance.admitted,
        };
        let manner = Manner {
            engine: self.settings.engine,
            cycle_rules: self.settings.cycle_rules.as_ref(),
            progress: self.progress,
            round: self.record.rounds.number(),
            pool: &|| self.settings.pool(),
            traced: self.settings.traced.as_deref(),
            traces_words: self.settings.traces_words,
        };
        let kept = (self.prepared).of(self.instance.program, &self.instance.bound, kernel);
        let (global, trace) = (&mut self.arrays.global, &mut self.record.trace);
        let (counts, lane_operations) =
            engines::execute(manner, known, (kept, &ranges), global, trace)?;
        self.record.rounds.end_kernel(counts);
        self.record.lane_operations += lane_operations;
        Ok(())
    }

    fn transfer(&mut self, transfer: &'p Transfer) -> Result<()> {
        let (source, target) = match transfer.direction {
            Direction::Inward => (&transfer.host, &transfer.global),
            Direction::Outward => (&transfer.global, &transfer.host),
        };
        let to = self.region(target)?;
        let from = self.region(source)?;
        // A wrong number of words is reported before an index outside its array.
        let (left, right) = (to.words(), from.words());
        if left != right {
            return Err(Error::of(Fault::TransferShape {
                left: legible(&left),
                right: legible(&right),
                span: transfer.span,
            }));
        }
        let to = within_bounds(self.instance, target, to)?;
        let from = within_bounds(self.instance, source, from)?;
        let sides = (self.instance, &mut *self.arrays);
        copy(sides, self.progress, transfer, (target, to), (source, from))?;
        let words = u128::try_from(left).expect("in bounds, so no more than memory holds");
        self.record
            .rounds
            .transfer(transfer.direction, transfer.global.variable, words);
        Ok(())
    }

    /// Evaluates the first and last index of each dimension.
    fn region(&mut self, region: &Region) -> Result<Ranges> {
        let mut ranges = Vec::with_capacity(region.extents.len());
        for (dimension, extent) in region.extents.iter().enumerate() {
            ranges.push(match extent {
                Extent::All => {
                    let extent = self.instance.extents[region.variable.0 as usize][dimension];
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
}

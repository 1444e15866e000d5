//! Statements of the host.

use crate::emit::error::EmitError;
use crate::emit::form::{self, HostStep, Loop, Part, Side};
use crate::emit::lower::kernel::{kernel, line};
use crate::emit::number::Numbers;
use crate::emit::term::Term;
use crate::program::{
    Execute, Extent, HostFor, HostStmt, Kernel, LetBinding, ParamId, Region, Transfer,
};
use crate::symbolic::symbols::Symbols;

type Result<T> = std::result::Result<T, EmitError>;

/// The host's statements while they are lowered.
pub(super) struct Host<'n, 'p> {
    pub numbers: &'n mut Numbers<'p>,
    pub symbols: Symbols<'p>,
    pub kernels: Vec<form::Kernel>,
    /// The machine's parameters that some kernel reads.
    pub used: Vec<ParamId>,
    /// The named kernel around.
    pub named: Option<String>,
}

impl<'p> Host<'_, 'p> {
    pub(super) fn block(&mut self, body: &'p [HostStmt]) -> Result<Vec<HostStep>> {
        let mut steps = Vec::new();
        for stmt in body {
            steps.push(HostStep::Line(line(self.numbers.program, stmt.span())));
            self.statement(stmt, &mut steps)?;
        }
        Ok(steps)
    }

    fn statement(&mut self, stmt: &'p HostStmt, steps: &mut Vec<HostStep>) -> Result<()> {
        let program = self.numbers.program;
        match stmt {
            HostStmt::Transfer(transfer) => {
                let transfer = self.transfer(transfer)?;
                steps.push(transfer);
            }
            HostStmt::Kernel(kernel) => {
                let launch = self.launch(kernel)?;
                steps.push(launch);
            }
            HostStmt::For(repeated) => {
                let repeated = self.repeated(repeated)?;
                steps.push(repeated);
            }
            HostStmt::While(repeated) => {
                let condition = self.numbers.condition(&repeated.condition)?;
                let at_most = self.numbers.whole(&repeated.at_most)?;
                steps.push(HostStep::While {
                    condition,
                    at_most,
                    line: program.line(repeated.span),
                    body: self.block(&repeated.body)?,
                });
            }
            HostStmt::Let(binding) => {
                let value = self.bind(binding)?;
                steps.push(value);
            }
            HostStmt::Swap(swap) => {
                let name = |id| self.numbers.names.variable(id).to_owned();
                let word_type = program.variable(swap.left).word_type;
                steps.push(HostStep::Swap(name(swap.left), name(swap.right), word_type));
            }
            HostStmt::Execute(execute) => {
                let scope = self.execute(execute)?;
                steps.push(scope);
            }
        }
        Ok(())
    }

    fn execute(&mut self, execute: &'p Execute) -> Result<HostStep> {
        let mut steps = Vec::new();
        for argument in &execute.arguments {
            let bound = self.bind(argument)?;
            steps.push(bound);
        }
        self.named = Some(execute.kernel.clone());
        steps.extend(self.block(&execute.body)?);
        self.named = None;
        Ok(HostStep::Scope(steps))
    }

    fn bind(&mut self, binding: &LetBinding) -> Result<HostStep> {
        let value = self.numbers.whole(&binding.value)?;
        let bounds = self.numbers.bounds_of(&binding.value);
        self.numbers.bind(binding.parameter, bounds);
        match self.symbols.expr(&binding.value) {
            Ok(known) => self.symbols.bind(binding.parameter, Ok(known)),
            Err(_) => {
                self.symbols.bind_symbol(binding.parameter);
            }
        }
        let name = self.numbers.names.parameter(binding.parameter).to_owned();
        Ok(HostStep::Let(name, value))
    }

    fn repeated(&mut self, repeated: &'p HostFor) -> Result<HostStep> {
        let (from, to) = (&repeated.from, &repeated.to);
        let (first, last) = (self.numbers.bounds_of(from), self.numbers.bounds_of(to));
        let (from, to) = (self.numbers.whole(from)?, self.numbers.whole(to)?);
        let down = repeated.down;
        self.numbers
            .bind_between(repeated.variable, first, last, down);
        self.symbols.bind_symbol(repeated.variable);
        let until = repeated.until.as_ref();
        let until = until
            .map(|until| self.numbers.condition(until))
            .transpose()?;
        let head = Loop {
            variable: self.numbers.names.parameter(repeated.variable).to_owned(),
            from,
            to,
            last: None,
            down,
        };
        Ok(HostStep::For {
            head,
            until,
            body: self.block(&repeated.body)?,
        })
    }

    fn launch(&mut self, of: &'p Kernel) -> Result<HostStep> {
        let program = self.numbers.program;
        let mut ranges = Vec::new();
        for range in &of.mps {
            ranges.push((
                self.numbers.whole(&range.low)?,
                self.numbers.whole(&range.high)?,
            ));
        }
        let wanted = match &self.named {
            Some(named) => crate::emit::names::plain(named),
            None => format!("{}_kernel", crate::emit::names::plain(&program.name)),
        };
        let name = self.numbers.names.fresh(&wanted);
        self.used.extend(self.numbers.used.iter().copied());
        let lowered = kernel(of, name, self.numbers, &self.symbols)?;
        self.kernels.push(lowered);
        Ok(HostStep::Launch {
            kernel: self.kernels.len() - 1,
            line: program.line(of.span),
            ranges,
        })
    }

    fn transfer(&mut self, transfer: &Transfer) -> Result<HostStep> {
        Ok(HostStep::Transfer {
            direction: transfer.direction,
            line: self.numbers.program.line(transfer.span),
            host: self.side(&transfer.host)?,
            global: self.side(&transfer.global)?,
        })
    }

    fn side(&mut self, region: &Region) -> Result<Side> {
        let program = self.numbers.program;
        let variable = program.variable(region.variable);
        let mut extents = Vec::new();
        for extent in &variable.dimensions {
            extents.push(self.numbers.whole(extent)?);
        }
        let mut ranges = Vec::new();
        for (at, extent) in region.extents.iter().enumerate() {
            ranges.push(match extent {
                Extent::All => {
                    let last = Term::infix("-", extents[at].clone(), Term::Whole(1));
                    (Term::Whole(0), last)
                }
                Extent::At(index) => {
                    let index = self.numbers.whole(index)?;
                    (index.clone(), index)
                }
                Extent::Range(low, high) => (self.numbers.whole(low)?, self.numbers.whole(high)?),
            });
        }
        let kind = |extent: Option<&Extent>| match extent {
            Some(Extent::At(_)) => 0,
            Some(Extent::Range(..)) => 1,
            Some(Extent::All) | None => 2,
        };
        // One index after the other, then at most one range, then whole dimensions: a row of words.
        let kinds: Vec<i32> = region
            .extents
            .iter()
            .map(|extent| kind(Some(extent)))
            .collect();
        let after_indices = kinds
            .iter()
            .position(|kind| *kind != 0)
            .unwrap_or(kinds.len());
        let is_row = kinds.iter().skip(after_indices + 1).all(|kind| *kind == 2);
        let part = if is_row {
            row(&extents, &ranges, &kinds)
        } else {
            Part::Block(extents, ranges)
        };
        Ok(Side {
            array: self.numbers.names.variable(region.variable).to_owned(),
            word_type: variable.word_type,
            part,
        })
    }
}

/// The first word and how many.
fn row(extents: &[Term], ranges: &[(Term, Term)], kinds: &[i32]) -> Part {
    let (mut first, mut words) = (Term::Whole(0), Term::Whole(1));
    for ((extent, (low, high)), kind) in extents.iter().zip(ranges).zip(kinds) {
        first = match first {
            Term::Whole(0) => low.clone(),
            first => Term::infix("+", Term::infix("*", first, extent.clone()), low.clone()),
        };
        let many = match kind {
            0 => Term::Whole(1),
            1 => {
                let many = Term::infix(
                    "+",
                    Term::infix("-", high.clone(), low.clone()),
                    Term::Whole(1),
                );
                Term::call("greatest", vec![many, Term::Whole(0)])
            }
            _ => extent.clone(),
        };
        words = Term::infix("*", words, many);
    }
    Part::Row(first, words)
}

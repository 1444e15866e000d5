//! A wrapper loop as a kernel.
//!
//! Here its frame: MPs, shared arrays, arguments. [`statements`] and [`loops`] lower what its cores do, with the
//! [`accesses`] that barriers are decided by; [`registers`] keeps the names of what a core has of its own.

mod accesses;
mod loops;
mod registers;
mod statements;

use rustc_hash::FxHashSet;

use crate::emit::barriers::{self, Raw, Tally};
use crate::emit::conflicts::Pending;
use crate::emit::error::EmitError;
use crate::emit::form::{self, KernelPart, Kind, Shared};
use crate::emit::number::{Bounds, Numbers};
use crate::emit::term::Term;
use crate::program::{
    CoreLoop, Kernel, LetBinding, ParamId, ParameterKind, Program, Stmt, VarId, WordType,
    WrapperStmt,
};
use crate::sym::Symbol;
use crate::symbolic::symbols::Symbols;
use crate::text::Span;

type Result<T> = std::result::Result<T, EmitError>;

/// A kernel, under the name given. `symbols` has the host's parameters bound.
pub(super) fn kernel<'p>(
    kernel: &'p Kernel,
    name: String,
    numbers: &mut Numbers<'p>,
    symbols: &Symbols<'p>,
) -> Result<form::Kernel> {
    let program = numbers.program;
    numbers.used.clear();
    numbers.single.clone_from(&kernel.single_registers);
    let mut symbols = symbols.clone();
    let mps = mps(kernel, numbers, &mut symbols);
    let cores = numbers.known[&program.machine.b];
    let mut lowering = Lowering {
        numbers,
        symbols,
        core: None,
        active: vec![true; usize::try_from(cores).unwrap_or(0)],
        registers: Vec::new(),
        of_kernel: Vec::new(),
        stale: Vec::new(),
        own: &kernel.registers,
    };
    let mut tally = Tally::default();
    let body = lowering.body(kernel, &mut tally)?;
    let mut registers = lowering.registers;
    let shared = shared(kernel, numbers, &mut registers)?;
    let globals = kernel.names_global.iter().map(|id| {
        let name = numbers.names.variable(*id).to_owned();
        let is_written = kernel.writes_global.contains(id);
        (name, program.variable(*id).word_type, is_written)
    });
    let globals = globals.collect();
    let used = numbers.used.iter().copied();
    let is_fixed = |id: &ParamId| numbers.known.contains_key(id);
    let taken = used.filter(|id| is_of_host(program, *id) && !is_fixed(id));
    let numbers_taken = taken.map(|id| numbers.names.parameter(id).to_owned());
    let numbers_taken = numbers_taken.collect();
    Ok(form::Kernel {
        name,
        line: line(program, kernel.span),
        mps,
        numbers: numbers_taken,
        globals,
        shared,
        registers,
        body,
        barriers: (tally.reasons.len(), tally.all),
        reasons: tally.reasons,
    })
}

/// Binds the indices of the MPs, and gives their names.
fn mps<'p>(kernel: &Kernel, numbers: &mut Numbers<'p>, symbols: &mut Symbols<'p>) -> Vec<String> {
    let mut mps = Vec::new();
    for range in &kernel.mps {
        let (low, high) = (
            numbers.bounds_of(&range.low),
            numbers.bounds_of(&range.high),
        );
        numbers.bind_between(range.parameter, low, high, false);
        symbols.bind_symbol(range.parameter);
        mps.push(numbers.names.parameter(range.parameter).to_owned());
    }
    mps
}

/// The shared arrays of a kernel. Those that are a word of each core become registers.
fn shared(
    kernel: &Kernel,
    numbers: &mut Numbers<'_>,
    registers: &mut Vec<(String, Kind)>,
) -> Result<Vec<Shared>> {
    let program = numbers.program;
    let reads = kernel.statements().flat_map(|stmt| stmt.kind.reads());
    let read: FxHashSet<VarId> = reads.map(|word| word.variable).collect();
    let mut shared = Vec::new();
    for id in &kernel.names_shared {
        if kernel.single_registers.contains(id) {
            let kind = match program.variable(*id).word_type {
                WordType::Int => Kind::Word,
                WordType::Float => Kind::Real,
            };
            registers.push((numbers.names.variable(*id).to_owned(), kind));
            continue;
        }
        let mut words = numbers.words(*id)?;
        let known = known_words(*id, numbers);
        // The size of a declared array is a constant, and a call is none.
        if let (Some(known), true) = (known, words.has_calls()) {
            words = Term::Whole(known);
        }
        shared.push(Shared {
            name: numbers.names.variable(*id).to_owned(),
            word_type: program.variable(*id).word_type,
            known,
            is_read: read.contains(id),
            words,
        });
    }
    Ok(shared)
}

fn is_of_host(program: &Program, id: ParamId) -> bool {
    match program.parameter(id).kind {
        ParameterKind::Formal
        | ParameterKind::HeaderLet
        | ParameterKind::HostLet
        | ParameterKind::HostLoop
        | ParameterKind::KernelFormal => true,
        ParameterKind::Machine
        | ParameterKind::Mp
        | ParameterKind::Core
        | ParameterKind::WrapperLet
        | ParameterKind::KernelLet
        | ParameterKind::KernelLoop
        | ParameterKind::Quantifier => false,
    }
}

/// The words of an array that the machine's parameters alone decide.
fn known_words(id: VarId, numbers: &Numbers<'_>) -> Option<i64> {
    let mut words = 1i64;
    for extent in &numbers.program.variable(id).dimensions {
        let value = numbers.constant(extent)?;
        words = words.checked_mul(i64::try_from(&value.to_integer()?).ok()?)?;
    }
    Some(words)
}

/// A line of the program, with its number.
pub(in crate::emit::lower) fn line(program: &Program, span: Span) -> String {
    let text = program.source.slice(span);
    format!("{}: {}", program.line(span), text.trim())
}

struct Lowering<'n, 'p> {
    numbers: &'n mut Numbers<'p>,
    symbols: Symbols<'p>,
    /// The symbol of the core's index.
    core: Option<Symbol>,
    /// Which cores may be active.
    active: Vec<bool>,
    registers: Vec<(String, Kind)>,
    /// Names that stand for one number in all of the kernel.
    of_kernel: Vec<String>,
    /// Symbols bound since the loop around began.
    stale: Vec<Symbol>,
    /// Shared variables of which no core reads what another wrote.
    own: &'p [VarId],
}

impl<'p> Lowering<'_, 'p> {
    fn body(&mut self, kernel: &'p Kernel, tally: &mut Tally) -> Result<Vec<KernelPart>> {
        let program = self.numbers.program;
        let mut pending = Pending::default();
        let mut body = Vec::new();
        for stmt in &kernel.body {
            match stmt {
                WrapperStmt::Let(binding) => {
                    body.push(KernelPart::Line(line(program, binding.span)));
                    let value = self.uniform_let(binding)?;
                    let name = self.name_beside_registers(binding.parameter);
                    body.push(KernelPart::Let(name, value));
                }
                WrapperStmt::Cores(cores) => {
                    body.push(KernelPart::Line(line(program, cores.span)));
                    let core = self.parameter_name(cores.core);
                    let statements = self.cores(cores)?;
                    let body_of_cores = barriers::place(&statements, &mut pending, tally);
                    body.push(KernelPart::Cores {
                        core,
                        body: body_of_cores,
                    });
                }
            }
        }
        Ok(body)
    }

    fn parameter_name(&self, id: ParamId) -> String {
        self.numbers.names.parameter(id).to_owned()
    }

    fn cores(&mut self, cores: &'p CoreLoop) -> Result<Vec<Raw>> {
        self.core = Some(self.symbols.bind_symbol(cores.core));
        let highest = self.active.len() as i64 - 1;
        let bounds = Bounds::between(Some(0), Some(highest));
        self.numbers.bind(cores.core, bounds);
        let body = self.block(&cores.body, None)?;
        Ok(scoped(body))
    }

    fn block(&mut self, body: &'p [Stmt], mask: Option<&str>) -> Result<Vec<Raw>> {
        let mut statements = Vec::new();
        for stmt in body {
            let shown = line(self.numbers.program, stmt.span);
            statements.push(Raw::Line(shown));
            self.statement(stmt, mask, &mut statements)?;
        }
        Ok(statements)
    }

    fn uniform_let(&mut self, binding: &LetBinding) -> Result<Term> {
        let value = self.numbers.whole(&binding.value)?;
        let bounds = self.numbers.bounds_of(&binding.value);
        self.numbers.bind(binding.parameter, bounds);
        self.numbers.define(binding.parameter, &value);
        match self.symbols.expr(&binding.value) {
            Ok(known) => self.symbols.bind(binding.parameter, Ok(known)),
            Err(_) => {
                let symbol = self.symbols.bind_symbol(binding.parameter);
                self.stale.push(symbol);
            }
        }
        Ok(value)
    }
}

/// Puts statements with names of their own in brackets.
fn scoped(body: Vec<Raw>) -> Vec<Raw> {
    if body.iter().any(|raw| matches!(raw, Raw::Let(..))) {
        vec![Raw::Scope(body)]
    } else {
        body
    }
}

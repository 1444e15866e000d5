//! A wrapper loop as a kernel: statements of cores with their masks, registers and accesses.

use rustc_hash::FxHashSet;

use crate::emit::barriers::{self, Held, Raw, Tally};
use crate::emit::conflicts::{Access, Index, Pending};
use crate::emit::error::EmitError;
use crate::emit::form::{self, Act, KernelPart, Kind, Loop, Shared};
use crate::emit::number::{Bounds, Numbers};
use crate::emit::term::Term;
use crate::program::{
    AtomicOperand, AtomicOperator, Condition, CoreLoop, Expr, Kernel, LetBinding, Number,
    NumberKind, ParamId, ParameterKind, Program, Stmt, StmtKind, Type, VarId, Word, WordType,
    WrapperStmt,
};
use crate::sym::{self, Cond, Symbol};
use crate::symbolic::symbols::{Symbols, Untranslatable};
use crate::text::Span;

type Result<T> = std::result::Result<T, EmitError>;

/// The most cores whose indices are told apart one by one.
const MOST_TOLD_APART: usize = 1024;

/// Whether an expression reads a word of a variable.
fn reads_of(expr: Expr<'_>, variable: VarId) -> bool {
    expr.any(&mut |inner| match inner {
        Expr::Number(Number {
            kind: NumberKind::Word(word),
            ..
        }) => word.variable == variable,
        Expr::Number(_) | Expr::Condition(_) => false,
    })
}

/// What has names of its own, in brackets.
fn scoped(body: Vec<Raw>) -> Vec<Raw> {
    if body.iter().any(|raw| matches!(raw, Raw::Let(..))) {
        vec![Raw::Scope(body)]
    } else {
        body
    }
}

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
    let mut mps = Vec::new();
    for range in &kernel.mps {
        let (low, high) = (
            numbers.bounds_of(&range.low),
            numbers.bounds_of(&range.high),
        );
        let bounds = Bounds::between(low.low, high.high);
        numbers.bind(range.parameter, bounds);
        symbols.bind_symbol(range.parameter);
        mps.push(numbers.names.parameter(range.parameter).to_owned());
    }
    let cores = numbers.machine[&program.machine.b];
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
    let mut pending = Pending::default();
    let mut tally = Tally::default();
    let reads = kernel.statements().flat_map(|stmt| stmt.kind.reads());
    let read: FxHashSet<VarId> = reads.map(|word| word.variable).collect();
    let mut body = Vec::new();
    for stmt in &kernel.body {
        match stmt {
            WrapperStmt::Let(binding) => {
                body.push(KernelPart::Line(line(program, binding.span)));
                let value = lowering.uniform_let(binding)?;
                let name = lowering.name_beside_registers(binding.parameter);
                body.push(KernelPart::Let(name, value));
            }
            WrapperStmt::Cores(cores) => {
                body.push(KernelPart::Line(line(program, cores.span)));
                let core = lowering.parameter_name(cores.core);
                let statements = lowering.cores(cores)?;
                let body_of_cores = barriers::place(&statements, &mut pending, &mut tally);
                body.push(KernelPart::Cores {
                    core,
                    body: body_of_cores,
                });
            }
        }
    }
    let mut registers = lowering.registers;
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
    let globals = kernel.names_global.iter().map(|id| {
        let name = numbers.names.variable(*id).to_owned();
        let is_written = kernel.writes_global.contains(id);
        (name, program.variable(*id).word_type, is_written)
    });
    let globals = globals.collect();
    let used = numbers.used.iter().copied();
    let taken = used.filter(|id| is_of_host(program, *id));
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
        barriers: (tally.kept, tally.all),
    })
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
pub(super) fn line(program: &Program, span: Span) -> String {
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

    fn statement(&mut self, stmt: &'p Stmt, mask: Option<&str>, into: &mut Vec<Raw>) -> Result<()> {
        match &stmt.kind {
            StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
                let mut reads = self.reads_of_word(target);
                reads.extend(self.reads_of_word(source));
                reads.extend(self.access(source, false));
                let (to, value) = (self.numbers.word(target)?, self.numbers.word(source)?);
                let is_from_int = self.word_type(source) == WordType::Int;
                let value = match self.word_type(target) {
                    WordType::Float if is_from_int => Term::cast("real", value),
                    WordType::Int | WordType::Float => value,
                };
                into.push(self.write(mask, target, Act::Write(to, value), reads));
            }
            StmtKind::Assign { target, value } => {
                let mut reads = self.reads_of_word(target);
                reads.extend(self.reads(Expr::from(value)));
                let to = self.numbers.word(target)?;
                let value = match self.word_type(target) {
                    WordType::Int => self.numbers.whole(value)?.narrowed(),
                    WordType::Float => self.numbers.real(value)?,
                };
                into.push(self.write(mask, target, Act::Write(to, value), reads));
            }
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                let mut reads = self.reads_of_word(target);
                for operand in operands {
                    reads.extend(self.reads(Expr::from(&operand.value)));
                }
                let word_type = self.word_type(target);
                let word = self.numbers.word(target)?;
                let values = self.updates(*operator, operands, word_type)?;
                let indices = target.indices.iter().map(Expr::from);
                let mut read = indices.chain(operands.iter().map(|one| Expr::from(&one.value)));
                let act = Act::Update {
                    word,
                    operator: *operator,
                    reads_itself: read.any(|it| reads_of(it, target.variable)),
                    values,
                    word_type,
                };
                into.push(self.write(mask, target, act, reads));
            }
            StmtKind::Let(binding) => self.core_let(binding, mask, into)?,
            StmtKind::If { condition, body } => {
                let name = self.numbers.names.fresh("on");
                self.registers.push((name.clone(), Kind::Truth));
                self.mask(&name, condition, mask, false, into)?;
                let all = self.active.clone();
                self.narrow(condition);
                let body = self.block(body, Some(&name))?;
                self.active = all;
                into.extend(scoped(body));
            }
            StmtKind::Until { condition } => {
                let mask = mask.expect("`until` stands in a loop with a mask of its own");
                self.mask(mask, condition, Some(mask), true, into)?;
            }
            StmtKind::While {
                condition, body, ..
            } => {
                let name = self.numbers.names.fresh("on");
                self.registers.push((name.clone(), Kind::Truth));
                self.mask(&name, condition, mask, false, into)?;
                let outer = std::mem::take(&mut self.stale);
                let mut inside = self.block(body, Some(&name))?;
                self.stale = outer;
                inside.push(Raw::Line("again".to_owned()));
                self.mask(&name, condition, Some(&name), false, &mut inside)?;
                into.push(Raw::WhileAny {
                    mask: name,
                    body: inside,
                });
            }
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                let ends_early = matches!(
                    body.last().map(|last| &last.kind),
                    Some(StmtKind::Until { .. })
                );
                let bounds = self.bounds_of_loop(from, to, *down);
                self.numbers.bind(*variable, bounds);
                let is_even = self.numbers.is_uniform(Expr::from(from))
                    && self.numbers.is_uniform(Expr::from(to));
                if is_even && !ends_early {
                    let (from, to) = (self.numbers.whole(from)?, self.numbers.whole(to)?);
                    let symbol = self.symbols.bind_symbol(*variable);
                    let outer = std::mem::replace(&mut self.stale, vec![symbol]);
                    let body = self.block(body, mask)?;
                    let stale = std::mem::replace(&mut self.stale, outer);
                    self.stale.extend(stale.iter().cloned());
                    let name = self.parameter_name(*variable);
                    let last = to.is_searched();
                    let last = last.then(|| self.numbers.names.fresh(&format!("{name}_last")));
                    let head = Loop {
                        variable: name,
                        from,
                        to,
                        last,
                        down: *down,
                    };
                    into.push(Raw::For { head, body, stale });
                } else {
                    self.uneven(*variable, (from, to, *down), body, mask, into)?;
                }
            }
        }
        Ok(())
    }

    /// A loop whose cores go their own number of times: until none is left.
    fn uneven(
        &mut self,
        variable: ParamId,
        (from, to, down): (&'p Number, &'p Number, bool),
        body: &'p [Stmt],
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let name = self.register_of(variable, Kind::Whole);
        let last = self.numbers.names.fresh(&format!("{name}_last"));
        let on = self.numbers.names.fresh("on");
        self.numbers.registers.insert(variable);
        self.registers.push((last.clone(), Kind::Whole));
        self.registers.push((on.clone(), Kind::Truth));
        let (reads_from, reads_to) = (self.reads(Expr::from(from)), self.reads(Expr::from(to)));
        let (first, end) = (self.numbers.whole(from)?, self.numbers.whole(to)?);
        let nowhere = Err(Untranslatable::Data(from.span));
        self.symbols.bind(variable, nowhere);
        let act = |mask: Option<&str>, act, reads| Raw::Act {
            mask: mask.map(str::to_owned),
            act,
            reads,
            writes: Vec::new(),
            held: None,
        };
        let register = |name: &str| Term::Register(name.to_owned());
        let compared = |operator| Term::infix(operator, register(&name), register(&last));
        // The last value may be the last there is.
        let [is_there, is_left] = if down {
            [">=", ">"].map(compared)
        } else {
            ["<=", "<"].map(compared)
        };
        // The last one first: the variable may shadow what its own bounds name.
        into.push(act(mask, Act::Set(last.clone(), end), reads_to));
        into.push(act(mask, Act::Set(name.clone(), first), reads_from));
        into.push(act(mask, Act::Mask(on.clone(), is_there), Vec::new()));
        let outer = std::mem::take(&mut self.stale);
        let mut inside = self.block(body, Some(&on))?;
        self.stale = outer;
        let step = Term::infix(
            if down { "-" } else { "+" },
            register(&name),
            Term::Whole(1),
        );
        inside.push(act(Some(&on), Act::Mask(on.clone(), is_left), Vec::new()));
        inside.push(act(Some(&on), Act::Set(name, step), Vec::new()));
        into.push(Raw::WhileAny {
            mask: on,
            body: inside,
        });
        Ok(())
    }

    fn bounds_of_loop(&self, from: &Number, to: &Number, down: bool) -> Bounds {
        let (first, last) = (self.numbers.bounds_of(from), self.numbers.bounds_of(to));
        if down {
            Bounds::between(last.low, first.high)
        } else {
            Bounds::between(first.low, last.high)
        }
    }

    fn mask(
        &mut self,
        name: &str,
        condition: &Condition,
        around: Option<&str>,
        is_negated: bool,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let reads = self.reads(Expr::from(condition));
        let mut term = self.numbers.condition(condition)?;
        if is_negated {
            term = Term::not(term);
        }
        into.push(Raw::Act {
            mask: around.map(str::to_owned),
            act: Act::Mask(name.to_owned(), term),
            reads,
            writes: Vec::new(),
            held: None,
        });
        Ok(())
    }

    /// A `let` of a core: a register, or one number where all cores agree.
    fn core_let(
        &mut self,
        binding: &LetBinding,
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let is_float = self.numbers.program.parameter(binding.parameter).ty == Type::Float;
        if !is_float && self.numbers.is_uniform(Expr::from(&binding.value)) {
            let value = self.uniform_let(binding)?;
            into.push(Raw::Let(self.parameter_name(binding.parameter), value));
            return Ok(());
        }
        let kind = if is_float { Kind::Real } else { Kind::Whole };
        let name = self.register_of(binding.parameter, kind);
        let reads = self.reads(Expr::from(&binding.value));
        let value = if is_float {
            self.numbers.real(&binding.value)?
        } else {
            self.numbers.whole(&binding.value)?
        };
        self.numbers.registers.insert(binding.parameter);
        let bounds = self.numbers.bounds_of(&binding.value);
        self.numbers.bind(binding.parameter, bounds);
        let known = self.symbols.expr(&binding.value);
        self.symbols.bind(binding.parameter, known);
        into.push(Raw::Act {
            mask: mask.map(str::to_owned),
            act: Act::Set(name, value),
            reads,
            writes: Vec::new(),
            held: None,
        });
        Ok(())
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

    /// Operands as one value where their order does not matter, else one after the other.
    fn updates(
        &mut self,
        operator: AtomicOperator,
        operands: &[AtomicOperand],
        word_type: WordType,
    ) -> Result<Vec<Term>> {
        let mut values = Vec::new();
        for operand in operands {
            let value = self.numbers.of_type(&operand.value, word_type)?;
            values.push(if operand.negated {
                Term::prefix("-", value)
            } else {
                value
            });
        }
        let is_float = word_type == WordType::Float;
        let joined = match (operator, is_float) {
            (AtomicOperator::Add, false) => |x, y| Term::infix("+", x, y),
            (AtomicOperator::Multiply, false) => |x, y| Term::infix("*", x, y),
            (AtomicOperator::Min, false) => |x, y| Term::call("least", vec![x, y]),
            (AtomicOperator::Max, false) => |x, y| Term::call("greatest", vec![x, y]),
            (AtomicOperator::Min, true) => |x, y| Term::call("least_real", vec![x, y]),
            (AtomicOperator::Max, true) => |x, y| Term::call("greatest_real", vec![x, y]),
            // Sums and products of floats depend on their order.
            (AtomicOperator::Add | AtomicOperator::Multiply, true) => return Ok(values),
        };
        Ok(values.into_iter().reduce(joined).into_iter().collect())
    }

    /// What it reads is held where it may change before all is written.
    fn write(&mut self, mask: Option<&str>, target: &Word, act: Act, reads: Vec<Access>) -> Raw {
        let writes: Vec<Access> = self.access(target, true).into_iter().collect();
        // The second of several updates finds what the first has left.
        let is_changed = matches!(
            &act,
            Act::Update { values, reads_itself, .. } if *reads_itself && values.len() > 1
        );
        let held = (is_changed || Pending::meet(&reads, &writes)).then(|| {
            let (wanted, kind) = match self.word_type(target) {
                WordType::Int => ("held", Kind::Whole),
                WordType::Float => ("held_real", Kind::Real),
            };
            let how_many = match &act {
                Act::Update { values, .. } => values.len(),
                Act::Write(..) | Act::Set(..) | Act::Mask(..) => 1,
            };
            let values = (0..how_many).map(|number| match number {
                0 => self.register(wanted, kind),
                _ => self.register(&format!("{wanted}_{}", number + 1), kind),
            });
            let values = values.collect();
            let reads_words = target
                .indices
                .iter()
                .any(|index| Expr::from(index).reads_words());
            let place = reads_words.then(|| self.register("held_place", Kind::Whole));
            Held { values, place }
        });
        Raw::Act {
            mask: mask.map(str::to_owned),
            act,
            reads,
            writes,
            held,
        }
    }

    /// The register of a core's own parameter. A name whose registers differ in kind, or that the kernel has besides,
    /// gets another one.
    fn register_of(&mut self, parameter: ParamId, kind: Kind) -> String {
        let name = self.parameter_name(parameter);
        let known = self.registers.iter().find(|(known, _)| *known == name);
        let known = known.map(|(_, known)| *known);
        let name = match known {
            Some(known) if known == kind => return name,
            None if !self.of_kernel.contains(&name) => name,
            _ => self.renamed(parameter, &name),
        };
        self.registers.push((name.clone(), kind));
        name
    }

    /// The name of a parameter that all cores share, in the whole kernel.
    fn name_beside_registers(&mut self, parameter: ParamId) -> String {
        let name = self.parameter_name(parameter);
        let name = if self.registers.iter().any(|(known, _)| *known == name) {
            self.renamed(parameter, &name)
        } else {
            name
        };
        self.of_kernel.push(name.clone());
        name
    }

    fn renamed(&mut self, parameter: ParamId, name: &str) -> String {
        let other = self.numbers.names.fresh(name);
        self.numbers.names.rename(parameter, other.clone());
        other
    }

    /// A register of the kernel's own, made when first wanted.
    fn register(&mut self, wanted: &str, kind: Kind) -> String {
        let name = self.numbers.names.own(wanted);
        if !self.registers.iter().any(|(known, _)| *known == name) {
            self.registers.push((name.clone(), kind));
        }
        name
    }

    fn word_type(&self, word: &Word) -> WordType {
        self.numbers.program.variable(word.variable).word_type
    }

    /// The words that an expression reads.
    fn reads(&self, expr: Expr<'_>) -> Vec<Access> {
        let mut reads = Vec::new();
        if let Expr::Number(Number {
            kind: NumberKind::Word(word),
            ..
        }) = expr
        {
            reads.extend(self.access(word, false));
        }
        for operand in expr.operands() {
            reads.extend(self.reads(operand));
        }
        reads
    }

    /// The words that the indices of a word read.
    fn reads_of_word(&self, word: &Word) -> Vec<Access> {
        let indices = word.indices.iter();
        indices
            .flat_map(|index| self.reads(Expr::from(index)))
            .collect()
    }

    /// An access where cores might meet: nobody does at a word that each has of its own.
    fn access(&self, word: &Word, is_write: bool) -> Option<Access> {
        if self.own.contains(&word.variable) {
            return None;
        }
        let indices = word.indices.iter().map(|index| self.index(index));
        Some(Access {
            array: word.variable,
            is_write,
            indices: indices.collect(),
            cores: self.active.clone(),
        })
    }

    /// An index as what all cores have in common and what each adds.
    fn index(&self, index: &Number) -> Option<Index> {
        let core = self.core.as_ref()?;
        let expr = self.symbols.expr(index).ok()?;
        let cores = self.active.len();
        if !expr.contains(core) {
            return Some(Index {
                common: expr,
                offsets: vec![0; cores],
                is_row: false,
            });
        }
        if let Some([common, slope]) = expr.linear_in(core)
            && let Some(slope) = slope.as_integer().and_then(|it| i64::try_from(&it).ok())
            && !common.contains(core)
            && slope.unsigned_abs() < 1 << 40
        {
            let offsets = (0..cores as i64).map(|core| core * slope).collect();
            return Some(Index {
                common,
                offsets,
                is_row: false,
            });
        }
        if cores > MOST_TOLD_APART {
            return None;
        }
        let at = |core_number: i64| expr.substitute(core, &sym::Expr::int(core_number));
        let common = at(0);
        let offsets = (0..cores as i64).map(|core| {
            let offset = (at(core) - &common).as_integer()?;
            i64::try_from(&offset).ok()
        });
        let offsets = offsets.collect::<Option<Vec<i64>>>()?;
        Some(Index {
            common,
            offsets,
            is_row: false,
        })
    }

    /// Leaves out the cores for which a condition never holds.
    fn narrow(&mut self, condition: &Condition) {
        let (Some(core), Ok(cond)) = (self.core.as_ref(), self.symbols.condition(condition)) else {
            return;
        };
        if self.active.len() > MOST_TOLD_APART || !cond.contains(core) {
            return;
        }
        for (number, active) in self.active.iter_mut().enumerate() {
            let at = cond.substitute(core, &sym::Expr::int(number as i64));
            *active &= at != Cond::False;
        }
    }
}

//! The reference form of a kernel statement: core by core, exactly, with every fault described.
//!
//! The cores of an instruction are taken in ascending order and nothing is written before all of
//! them have read, so the first fault met is the one of the lowest core.

use std::collections::HashMap;

use crate::exec::error::{Error, Result};
use crate::exec::lanes::{Floats, Ints, Mask, Truths};
use crate::exec::memory::blocks::count_blocks;
use crate::exec::memory::global::Global;
use crate::exec::memory::global::stamps::Meets;
use crate::exec::memory::{out_of_bounds, strides, within, word_name};
use crate::exec::mp::{Mp, Register};
use crate::meaning::arithmetic;
use crate::meaning::eval::{self, At, Connectives, Leaves};
use crate::meaning::fault::{Fault, NoValue, Place};
use crate::meaning::value::{Value, same_bits};
use crate::number::{BigInt, legible};
use crate::program::{
    AtomicOperand, AtomicOperator, LetBinding, Number, ParamId, Stmt, StmtKind, VarId, Word,
};
use crate::syntax::ast::WordType;
use crate::text::Span;

/// The shared operands of an instruction in the order every core evaluates them, each with the
/// offsets its cores read or write.
type Operands = Vec<(VarId, Vec<usize>)>;

/// One core (or, in a `let` of the wrapper loop, none in particular) evaluating an expression.
struct Core<'m, 'a> {
    mp: &'m Mp<'a>,
    core: Option<usize>,
    operands: &'m mut Operands,
    /// How many operands this core has evaluated.
    evaluated: usize,
}

impl<'m, 'a> Core<'m, 'a> {
    fn new(mp: &'m Mp<'a>, core: Option<usize>, operands: &'m mut Operands) -> Self {
        Core {
            mp,
            core,
            operands,
            evaluated: 0,
        }
    }

    fn place(&self) -> Place {
        self.mp.place(self.core)
    }

    fn note_operand(&mut self, variable: VarId, offset: usize) {
        if self.evaluated == self.operands.len() {
            self.operands.push((variable, Vec::new()));
        }
        self.operands[self.evaluated].1.push(offset);
        self.evaluated += 1;
    }

    /// The offset of a word, its indices evaluated and within bounds.
    fn offset(&mut self, word: &Word) -> Result<usize> {
        let mut indices = Vec::with_capacity(word.indices.len());
        for index in &word.indices {
            indices.push((eval::integer(self, index)?, index.span));
        }
        self.offset_at(word.variable, &indices)
    }

    fn offset_at(&self, variable: VarId, indices: &[(BigInt, Span)]) -> Result<usize> {
        let shape = &self.mp.launch.known.extents[variable.0 as usize];
        let mut offset = 0;
        for (dimension, ((index, span), stride)) in indices.iter().zip(strides(shape)).enumerate() {
            match within(index, shape[dimension]) {
                Some(index) => offset += index * stride,
                None => {
                    return Err(out_of_bounds(
                        self.mp.program(),
                        variable,
                        shape,
                        (dimension, index),
                        self.place(),
                        *span,
                    ));
                }
            }
        }
        Ok(offset)
    }

    fn shared_word(&mut self, variable: VarId, span: Span, offset: usize) -> Result<Value> {
        self.note_operand(variable, offset);
        let store = self.mp.cores.words.store(variable);
        if !store.written.get(offset) {
            return Err(self.uninitialised(variable, span, offset));
        }
        Ok(store.get(offset))
    }

    fn uninitialised(&self, variable: VarId, span: Span, offset: usize) -> Box<Error> {
        Error::of(Fault::Uninitialised {
            word: self.name(variable, offset),
            place: self.place(),
            span,
        })
    }

    fn name(&self, variable: VarId, offset: usize) -> String {
        let shape = &self.mp.launch.known.extents[variable.0 as usize];
        word_name(self.mp.program(), variable, shape, offset)
    }

    /// A value as a word of a variable, of its type and within its range.
    fn as_word(
        &self,
        variable: VarId,
        offset: usize,
        value: Value,
        span: Span,
        statement: Span,
    ) -> Result<Value> {
        let declared = self.mp.program().variable(variable);
        let value = match (declared.word_type, value) {
            (WordType::Float, value) => Value::Float(value.to_float()),
            (WordType::Int, value @ Value::Whole(_)) => value,
            (WordType::Int, value) => {
                let place = self.place();
                return Err(Error::of(match value.to_integer() {
                    Some(whole) => Fault::Overflow {
                        value: legible(&whole),
                        place,
                        span,
                    },
                    None => Fault::NotIntegral {
                        value: value.to_string(),
                        place,
                        span,
                    },
                }));
            }
        };
        match self.mp.launch.known.admitted(variable) {
            Some(range) if !range.admits(&value) => Err(Error::of(Fault::OutsideDeclared {
                word: self.name(variable, offset),
                value: value.to_string(),
                low: range.low.to_string(),
                high: range.high.to_string(),
                place: self.place(),
                span: statement,
                declaration: declared.span,
            })),
            _ => Ok(value),
        }
    }
}

impl Leaves for Core<'_, '_> {
    type Stop = Box<Error>;

    fn parameter(&self, parameter: ParamId) -> Result<Value> {
        let core = self.core.unwrap_or(0);
        Ok(match &self.mp.cores.registers[parameter.0 as usize] {
            Register::Ints(ints) => Value::Whole(ints.at(core)),
            Register::Floats(floats) => Value::Float(floats.at(core)),
            Register::Same(value) => value.clone(),
            Register::Each(values) => values[core].clone(),
            Register::Unset => self.mp.launch.known.values[parameter.0 as usize]
                .clone()
                .expect("checked: a parameter is bound where it is used"),
        })
    }

    fn word(&mut self, variable: VarId, span: Span, indices: &[(BigInt, Span)]) -> Result<Value> {
        let offset = self.offset_at(variable, indices)?;
        self.shared_word(variable, span, offset)
    }

    fn fault(&self, none: NoValue, at: At) -> Box<Error> {
        Error::of(none.at(self.place(), at.whole))
    }
}

/// What an instruction is about to write.
#[derive(Default)]
struct Writes {
    words: Vec<(usize, Value)>,
    /// Which of them, by offset.
    by_offset: HashMap<usize, (usize, usize)>,
}

/// Two cores that write different values to one word.
struct Clash {
    first: usize,
    first_value: Value,
}

impl Writes {
    /// Adds the write of a core, unless an earlier core writes another value there. Says whether
    /// it is the first of its word.
    fn add(
        &mut self,
        core: usize,
        offset: usize,
        value: &Value,
    ) -> std::result::Result<bool, Clash> {
        if let Some(&(first, at)) = self.by_offset.get(&offset) {
            let first_value = &self.words[at].1;
            return if same(first_value, value) {
                Ok(false)
            } else {
                Err(Clash {
                    first,
                    first_value: first_value.clone(),
                })
            };
        }
        self.by_offset.insert(offset, (core, self.words.len()));
        self.words.push((offset, value.clone()));
        Ok(true)
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Whole(left), Value::Whole(right)) => left == right,
        (Value::Float(left), Value::Float(right)) => same_bits(*left, *right),
        _ => false,
    }
}

/// Executes a statement without a block. Gives how often its operations count: more than once
/// only for an `atomic`.
pub(super) fn statement(mp: &mut Mp<'_>, stmt: &Stmt, mask: &Mask) -> Result<u64> {
    let mut operands = Operands::new();
    let mut times = 1;
    match &stmt.kind {
        StmtKind::Assign { target, value } => {
            assign(mp, stmt, target, value, mask, &mut operands)?;
        }
        StmtKind::Load { target, source } => {
            load(mp, stmt, target, source, mask, &mut operands)?;
        }
        StmtKind::Store { target, source } => {
            store(mp, stmt, target, source, mask, &mut operands)?;
        }
        StmtKind::Atomic {
            target,
            operator,
            operands: values,
        } => times = atomic(mp, stmt, (target, *operator, values), mask, &mut operands)?,
        StmtKind::Let(binding) => {
            let mut values = Vec::with_capacity(mask.count());
            for core in mask.iter() {
                let mut core = Core::new(mp, Some(core), &mut operands);
                let value = eval::number(&mut core, &binding.value, Connectives::BothSides)?;
                values.push(value);
            }
            let register = register(mp.launch.known.cores, mask, values);
            mp.cores.set(binding.parameter, register);
        }
        StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::Until { .. }
        | StmtKind::While { .. } => {
            unreachable!("blocks are no single statements")
        }
    }
    count_conflicts(mp, mask, &operands);
    Ok(times)
}

/// The condition of an `if`, `until` or `while` for every active core.
pub(super) fn condition(mp: &mut Mp<'_>, stmt: &Stmt, mask: &Mask) -> Result<Truths> {
    let (StmtKind::If { condition, .. }
    | StmtKind::Until { condition }
    | StmtKind::While { condition, .. }) = &stmt.kind
    else {
        unreachable!("only `if`, `until` and `while` have conditions");
    };
    let mut operands = Operands::new();
    let mut truths = vec![false; mp.launch.known.cores];
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), &mut operands);
        truths[core] = eval::condition(&mut context, condition, Connectives::BothSides)?;
    }
    count_conflicts(mp, mask, &operands);
    Ok(Truths::Lanes(truths))
}

/// Both bounds of a `for` for every active core.
pub(super) fn bounds(mp: &mut Mp<'_>, stmt: &Stmt, mask: &Mask) -> Result<(Ints, Ints)> {
    let StmtKind::For { from, to, .. } = &stmt.kind else {
        unreachable!("only `for` has bounds");
    };
    let mut operands = Operands::new();
    let mut firsts = vec![0; mp.launch.known.cores];
    let mut lasts = vec![0; mp.launch.known.cores];
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), &mut operands);
        firsts[core] = eval::word(&mut context, from)?;
        lasts[core] = eval::word(&mut context, to)?;
    }
    count_conflicts(mp, mask, &operands);
    Ok((Ints::Lanes(firsts), Ints::Lanes(lasts)))
}

/// The bound of a `while` for every active core. Nothing of it is counted. One that does not fit
/// a word bounds nothing that could ever be reached.
pub(super) fn at_most(mp: &mut Mp<'_>, bound: &Number, mask: &Mask) -> Result<Ints> {
    let mut operands = Operands::new();
    let mut bounds = vec![0; mp.launch.known.cores];
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), &mut operands);
        bounds[core] = eval::word(&mut context, bound)?;
    }
    Ok(Ints::Lanes(bounds))
}

/// The value of a `let` directly inside the wrapper loop.
pub(super) fn wrapper_let(mp: &Mp<'_>, binding: &LetBinding) -> Result<Register> {
    let mut operands = Operands::new();
    let mut context = Core::new(mp, None, &mut operands);
    let value = eval::number(&mut context, &binding.value, Connectives::BothSides)?;
    Ok(match value {
        Value::Whole(whole) => Register::Ints(Ints::Uniform(whole)),
        Value::Float(float) => Register::Floats(Floats::Uniform(float)),
        value @ Value::Exact(_) => Register::Same(value),
    })
}

/// The values of the active cores as one register.
fn register(cores: usize, mask: &Mask, values: Vec<Value>) -> Register {
    if values.iter().all(|value| matches!(value, Value::Whole(_))) {
        let mut lanes = vec![0; cores];
        for (core, value) in mask.iter().zip(&values) {
            if let Value::Whole(whole) = value {
                lanes[core] = *whole;
            }
        }
        return Register::Ints(Ints::Lanes(lanes));
    }
    if values.iter().all(|value| matches!(value, Value::Float(_))) {
        let mut lanes = vec![0.0; cores];
        for (core, value) in mask.iter().zip(&values) {
            lanes[core] = value.to_float();
        }
        return Register::Floats(Floats::Lanes(lanes));
    }
    let mut each = vec![Value::Whole(0); cores];
    for (core, value) in mask.iter().zip(values) {
        each[core] = value;
    }
    Register::Each(each)
}

fn count_conflicts(mp: &mut Mp<'_>, mask: &Mask, operands: &Operands) {
    for (variable, offsets) in operands {
        if let Some(ledger) = &mut mp.tally.ledger {
            ledger.shared(mask, offsets);
        }
        mp.cores.conflicts += mp
            .cores
            .words
            .count_conflict(*variable, offsets.iter().copied());
    }
}

fn assign(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    target: &Word,
    value: &Number,
    mask: &Mask,
    operands: &mut Operands,
) -> Result<()> {
    let mut writes = Writes::default();
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), operands);
        let computed = eval::number(&mut context, value, Connectives::BothSides)?;
        let offset = context.offset(target)?;
        context.note_operand(target.variable, offset);
        let word = context.as_word(target.variable, offset, computed, value.span, stmt.span)?;
        add_shared(&context, &mut writes, target, (core, offset, word))?;
    }
    apply_shared(mp, target.variable, writes);
    Ok(())
}

fn add_shared(
    context: &Core<'_, '_>,
    writes: &mut Writes,
    target: &Word,
    (core, offset, value): (usize, usize, Value),
) -> Result<()> {
    let Err(clash) = writes.add(core, offset, &value) else {
        return Ok(());
    };
    Err(Error::of(Fault::RaceShared {
        word: context.name(target.variable, offset),
        first: clash.first,
        second: core,
        first_value: clash.first_value.to_string(),
        second_value: value.to_string(),
        place: context.mp.place(None),
        span: target.span,
    }))
}

fn apply_shared(mp: &mut Mp<'_>, variable: VarId, writes: Writes) {
    let store = mp.cores.words.store_mut(variable);
    for (offset, value) in writes.words {
        store.set(offset, &value);
    }
}

fn load(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    target: &Word,
    source: &Word,
    mask: &Mask,
    operands: &mut Operands,
) -> Result<()> {
    let mut writes = Writes::default();
    let mut touched = Vec::with_capacity(mask.count());
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), operands);
        let from = context.offset(source)?;
        let to = context.offset(target)?;
        context.note_operand(target.variable, to);
        let (place, name) = (context.place(), context.name(source.variable, from));
        let stamp = mp.stamp;
        if let Err(meets) = alone(mp)?.note_read(source.variable, from, stamp) {
            return Err(race(mp, stmt, (name, source.variable), place, meets));
        }
        let array = alone(mp)?.store(source.variable);
        let found = array.written.get(from).then(|| array.get(from));
        let context = Core::new(mp, Some(core), operands);
        let Some(word) = found else {
            return Err(context.uninitialised(source.variable, source.span, from));
        };
        let word = context.as_word(target.variable, to, word, source.span, stmt.span)?;
        add_shared(&context, &mut writes, target, (core, to, word))?;
        touched.push(from);
    }
    if let Some(ledger) = &mut mp.tally.ledger {
        ledger.global(mask, &touched);
    }
    mp.blocks = count_blocks(touched.into_iter(), mp.launch.known.cores);
    apply_shared(mp, target.variable, writes);
    Ok(())
}

fn store(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    target: &Word,
    source: &Word,
    mask: &Mask,
    operands: &mut Operands,
) -> Result<()> {
    let mut writes = Writes::default();
    let mut touched = Vec::with_capacity(mask.count());
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), operands);
        let from = context.offset(source)?;
        let word = context.shared_word(source.variable, source.span, from)?;
        let to = context.offset(target)?;
        let word = context.as_word(target.variable, to, word, source.span, stmt.span)?;
        let (place, name) = (context.place(), context.name(target.variable, to));
        let is_first = match writes.add(core, to, &word) {
            Ok(is_first) => is_first,
            Err(clash) => {
                return Err(Error::of(Fault::RaceCores {
                    word: name,
                    first: clash.first,
                    second: core,
                    first_value: clash.first_value.to_string(),
                    second_value: word.to_string(),
                    place: mp.place(None),
                    span: target.span,
                }));
            }
        };
        let stamp = mp.stamp;
        if is_first && let Err(meets) = alone(mp)?.note_write(target.variable, to, stamp, &word) {
            return Err(race(mp, stmt, (name, target.variable), place, meets));
        }
        touched.push(to);
    }
    if let Some(ledger) = &mut mp.tally.ledger {
        ledger.global(mask, &touched);
    }
    mp.blocks = count_blocks(touched.into_iter(), mp.launch.known.cores);
    let array = alone(mp)?.store_mut(target.variable);
    for (offset, value) in writes.words {
        array.set(offset, &value);
    }
    Ok(())
}

/// Global memory, which the reference form only uses when no other MP runs at the same time.
fn alone<'m>(mp: &'m mut Mp<'_>) -> Result<&'m mut Global> {
    mp.global.direct().ok_or_else(|| Box::new(Error::NotAlone))
}

/// The diagnosis of two MPs on one word.
fn race(
    mp: &Mp<'_>,
    stmt: &Stmt,
    (word, variable): (String, VarId),
    place: Place,
    meets: Meets,
) -> Box<Error> {
    let (other, other_writes) = match meets {
        Meets::Writer(serial) => (mp.launch.grid.place_of(serial).to_string(), true),
        Meets::Reader(serial) => (mp.launch.grid.place_of(serial).to_string(), false),
        Meets::Writers => ("several MPs".to_owned(), true),
        Meets::Readers => ("several MPs".to_owned(), false),
    };
    let writes = matches!(stmt.kind, StmtKind::Store { .. });
    let several = matches!(meets, Meets::Writers | Meets::Readers);
    let other_does = match (other_writes, several) {
        (true, false) => "writes",
        (true, true) => "write",
        (false, false) => "reads",
        (false, true) => "read",
    };
    let does = match (writes, other_writes) {
        (true, true) => "writes another value to",
        (true, false) => "writes",
        (false, _) => "reads",
    };
    Error::of(Fault::RaceMps {
        word,
        does: does.to_owned(),
        other_does: other_does.to_owned(),
        place,
        other,
        span: stmt.span,
        other_span: mp.launch.only_access(variable, other_writes, stmt.span),
    })
}

fn atomic(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    (target, operator, values): (&Word, AtomicOperator, &[AtomicOperand]),
    mask: &Mask,
    operands: &mut Operands,
) -> Result<u64> {
    let mut offsets = Vec::with_capacity(mask.count());
    let mut updated: HashMap<usize, Value> = HashMap::new();
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), operands);
        // The element on the right with its indices, the operands, then the target with its own.
        let element = context.offset(target)?;
        let initial = context.shared_word(target.variable, target.span, element)?;
        let mut evaluated = Vec::with_capacity(values.len());
        for operand in values {
            let value = eval::number(&mut context, &operand.value, Connectives::BothSides)?;
            evaluated.push((operand.negated, value));
        }
        let offset = context.offset(target)?;
        context.note_operand(target.variable, offset);

        let mut word = updated.get(&offset).cloned().unwrap_or(initial);
        for (negated, value) in evaluated {
            word = match operator {
                AtomicOperator::Add if negated => arithmetic::subtract(&word, &value),
                AtomicOperator::Add => arithmetic::add(&word, &value),
                AtomicOperator::Multiply => arithmetic::multiply(&word, &value),
                AtomicOperator::Min => arithmetic::minimum(&word, &value),
                AtomicOperator::Max => arithmetic::maximum(&word, &value),
            };
            // Every intermediate is data: it must fit a word, though it need not be in range yet.
            if let Value::Exact(real) = &word
                && let Some(whole) = real.to_integer()
            {
                return Err(Error::of(Fault::Overflow {
                    value: legible(&whole),
                    place: context.place(),
                    span: stmt.span,
                }));
            }
        }
        let word = context.as_word(target.variable, offset, word, stmt.span, stmt.span)?;
        updated.insert(offset, word);
        offsets.push(offset);
    }
    let contention = mp
        .cores
        .words
        .count_contention(target.variable, offsets.into_iter());
    let store = mp.cores.words.store_mut(target.variable);
    for (offset, value) in updated {
        store.set(offset, &value);
    }
    Ok(contention)
}

//! Statements that move words: loads, stores, assignments and atomics, core by core. Only this
//! engine describes their races.

use std::collections::HashMap;

use crate::exec::error::{Error, Result};
use crate::exec::lanes::Mask;
use crate::exec::memory::blocks::count_blocks;
use crate::exec::memory::global::Global;
use crate::exec::memory::global::stamps::Meets;
use crate::exec::mp::Mp;
use crate::exec::reference::core::{Core, Operands, note};
use crate::meaning::arithmetic;
use crate::meaning::eval::{self, Connectives};
use crate::meaning::fault::{Fault, OtherMps, Place};
use crate::meaning::value::{Value, same_bits};
use crate::number::legible;
use crate::program::{AtomicOperand, AtomicOperator, Number, Stmt, StmtKind, VarId, Word};

/// The pending writes of an instruction; nothing is written before all cores have read.
#[derive(Default)]
struct Writes {
    words: Vec<(usize, Value)>,
    /// By offset, the core that wrote first and the place of its write in `words`.
    by_offset: HashMap<usize, (usize, usize)>,
}

/// Two cores that write different values to one word.
struct Clash {
    first: usize,
    first_value: Value,
}

impl Writes {
    /// Adds the write of a core, unless an earlier core writes another value there. Returns true
    /// if it is the first write of its word.
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

pub(super) fn assign(
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

pub(super) fn load(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    target: &Word,
    source: &Word,
    mask: &Mask,
    operands: &mut Operands,
) -> Result<()> {
    let mut writes = Writes::default();
    let mut touched = Vec::with_capacity(mask.count());
    // The order of the steps decides which fault of a core is reported: bounds of the source,
    // bounds of the target, a race of MPs, an unwritten word, its type and range, a race of cores.
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
    note(
        &mut mp.met,
        mp.launch.known.program,
        (source.variable, &touched),
        None,
    );
    let touched = touched.iter().copied();
    mp.count_access(
        mask,
        |block| count_blocks(touched.clone(), block),
        touched.clone(),
    );
    apply_shared(mp, target.variable, writes);
    Ok(())
}

pub(super) fn store(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    target: &Word,
    source: &Word,
    mask: &Mask,
    operands: &mut Operands,
) -> Result<()> {
    let mut writes = Writes::default();
    let mut touched = Vec::with_capacity(mask.count());
    // Here a race of cores is found before a race of MPs, because only the first core of a word
    // notes its write.
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
    let array = alone(mp)?.store_mut(target.variable);
    for (offset, value) in writes.words {
        array.set(offset, &value);
    }
    let program = mp.launch.known.program;
    if let Some(global) = mp.global.direct() {
        let written = Some(global.store(target.variable));
        note(&mut mp.met, program, (target.variable, &touched), written);
    }
    let touched = touched.iter().copied();
    mp.count_access(
        mask,
        |block| count_blocks(touched.clone(), block),
        touched.clone(),
    );
    Ok(())
}

/// Returns global memory. The reference form uses it only while no other MP runs.
fn alone<'m>(mp: &'m mut Mp<'_>) -> Result<&'m mut Global> {
    mp.global.direct().ok_or_else(|| Box::new(Error::NotAlone))
}

/// Describes two MPs that meet on one word.
fn race(
    mp: &Mp<'_>,
    stmt: &Stmt,
    (word, variable): (String, VarId),
    place: Place,
    meets: Meets,
) -> Box<Error> {
    let (serial, others_write) = match meets {
        Meets::Writer(serial) => (Some(serial), true),
        Meets::Reader(serial) => (Some(serial), false),
        Meets::Writers => (None, true),
        Meets::Readers => (None, false),
    };
    Error::of(Fault::RaceMps {
        word,
        place,
        writes: matches!(stmt.kind, StmtKind::Store { .. }),
        other: OtherMps {
            place: serial.map(|serial| mp.launch.grid.place_of(serial)),
            writes: others_write,
        },
        span: stmt.span,
        other_span: mp.launch.only_access(variable, others_write, stmt.span),
    })
}

pub(super) fn atomic(
    mp: &mut Mp<'_>,
    stmt: &Stmt,
    (target, operator, values): (&Word, AtomicOperator, &[AtomicOperand]),
    mask: &Mask,
    operands: &mut Operands,
) -> Result<u64> {
    let mut offsets = Vec::with_capacity(mask.count());
    let mut updated: HashMap<usize, Value> = HashMap::new();
    // Cores on the same word update it in core order. Each reads its indexes and operands before
    // the first update is stored; `updated` carries a word's value from core to core. So the cores
    // 0, 1, 2 with `_s ← _s + j` on _s = 5 compute 5, 6, 8.
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

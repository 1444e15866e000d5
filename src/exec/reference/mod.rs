//! The reference form of a kernel statement: core by core, exactly, with every fault described.
//!
//! Cores of an instruction run in ascending order, and nothing is written before all of them have
//! read. So the first fault met belongs to the lowest core.
//!
//! [`mod@core`] is one core, [`access`] the statements that move words.

mod access;
mod core;

use crate::exec::error::Result;
use crate::exec::lanes::{Floats, Ints, Mask, Truths};
use crate::exec::mp::{Mp, Register};
use crate::exec::reference::access::{assign, atomic, load, store};
use crate::exec::reference::core::{Core, Operands, note};
use crate::meaning::eval::{self, Connectives};
use crate::meaning::value::Value;
use crate::program::{LetBinding, Number, Stmt, StmtKind};

/// Executes a statement without a block. Returns how many times its operations count: more than
/// once only for an `atomic`.
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
    note_shared(mp, stmt, &operands);
    Ok(times)
}

/// Evaluates the condition of an `if`, `until` or `while` for every active core.
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
    note_shared(mp, stmt, &operands);
    Ok(Truths::Lanes(truths))
}

/// Evaluates both bounds of a `for` for every active core.
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
    note_shared(mp, stmt, &operands);
    Ok((Ints::Lanes(firsts), Ints::Lanes(lasts)))
}

/// Evaluates the bound of a `while` for every active core; nothing of it is counted.
pub(super) fn at_most(mp: &mut Mp<'_>, bound: &Number, mask: &Mask) -> Result<Ints> {
    let mut operands = Operands::new();
    let mut bounds = vec![0; mp.launch.known.cores];
    for core in mask.iter() {
        let mut context = Core::new(mp, Some(core), &mut operands);
        bounds[core] = eval::word(&mut context, bound)?;
    }
    Ok(Ints::Lanes(bounds))
}

/// Evaluates a `let` directly inside the wrapper loop.
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

/// Packs the values of the active cores into one register.
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

/// Records the shared operands of a statement, if they are traced.
fn note_shared(mp: &mut Mp<'_>, stmt: &Stmt, operands: &Operands) {
    let writes = matches!(
        stmt.kind,
        StmtKind::Assign { .. } | StmtKind::Load { .. } | StmtKind::Atomic { .. }
    );
    for (at, (variable, offsets)) in operands.iter().enumerate() {
        // Every core evaluates its target last.
        let is_written = writes && at + 1 == operands.len();
        let written = is_written.then(|| mp.cores.words.store(*variable));
        note(
            &mut mp.met,
            mp.launch.known.program,
            (*variable, offsets),
            written,
        );
    }
}

fn count_conflicts(mp: &mut Mp<'_>, mask: &Mask, operands: &Operands) {
    for (variable, offsets) in operands {
        let words = offsets.iter().copied();
        let conflict = mp.cores.words.count_conflict(*variable, words.clone());
        mp.cores.note_operand(1, conflict, mask, words);
    }
}

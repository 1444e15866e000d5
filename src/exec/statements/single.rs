//! Single statements in their fast form: `load`, `store`, assignments, `atomic` and `let`.
//!
//! Each runs for all active cores at once, or gives `None` and leaves every word as it was.

use crate::exec::Data;
use crate::exec::lanes::{Floats, Ints, Mask};
use crate::exec::memory::blocks::blocks;
use crate::exec::memory::global::{take_floats, take_ints};
use crate::exec::memory::words::{Words, all_written};
use crate::exec::mp::{Mp, Register};
use crate::exec::statements::typed::{Access, Action, Operand};
use crate::meaning::arithmetic;
use crate::program::AtomicOperator;
use crate::syntax::ast::WordType;

/// Tries the fast form of a statement; returns how often its operations count.
pub(super) fn execute(mp: &mut Mp<'_>, action: &Action<'_>, mask: &Mask) -> Option<u64> {
    match action {
        Action::Load { target, source } => load(mp, target, source, mask)?,
        Action::Store { target, source } => store(mp, target, source, mask)?,
        Action::AssignInts { target, value } => {
            let values = mp.cores.ints(value, mask)?;
            let offsets = mp.cores.offsets(target, mask)?;
            write_ints(mp, target, &offsets, mask, &values)?;
            mp.cores.buffers.free(values);
            mp.cores.buffers.free(offsets);
        }
        Action::AssignFloats { target, value } => {
            let values = mp.cores.floats(value, mask)?;
            let offsets = mp.cores.offsets(target, mask)?;
            write_floats(mp, target, &offsets, mask, &values)?;
            mp.cores.buffers.free_floats(values);
            mp.cores.buffers.free(offsets);
        }
        Action::Atomic {
            target,
            operator,
            operands,
        } => return atomic(mp, target, *operator, operands, mask),
        Action::LetInts(parameter, value) => {
            let values = mp.cores.ints(value, mask)?;
            mp.cores.set_ints(*parameter, values);
        }
        Action::LetFloats(parameter, value) => {
            let values = mp.cores.floats(value, mask)?;
            mp.cores.set(*parameter, Register::Floats(values));
        }
        Action::If { .. } | Action::For { .. } | Action::Until { .. } | Action::While { .. } => {
            unreachable!("blocks are no single statements")
        }
    }
    Some(1)
}

fn write_ints(
    mp: &mut Mp<'_>,
    target: &Access,
    offsets: &Ints,
    mask: &Mask,
    values: &Ints,
) -> Option<()> {
    let admitted = mp.launch.known.admitted(target.variable);
    mp.cores.count_operand(1, target.variable, offsets, mask);
    mp.cores
        .words
        .write_ints(target.variable, offsets, mask, values, admitted)
}

fn write_floats(
    mp: &mut Mp<'_>,
    target: &Access,
    offsets: &Ints,
    mask: &Mask,
    values: &Floats,
) -> Option<()> {
    let admitted = mp.launch.known.admitted(target.variable);
    mp.cores.count_operand(1, target.variable, offsets, mask);
    mp.cores
        .words
        .write_floats(target.variable, offsets, mask, values, admitted)
}

/// Counts the blocks of a global access, and a machine's charges for it.
fn count_access(mp: &mut Mp<'_>, offsets: &Ints, mask: &Mask) {
    let words = mask.iter().map(|core| offsets.at(core) as usize);
    mp.count_access(mask, |block| blocks(offsets, mask, block), words);
}

fn load(mp: &mut Mp<'_>, target: &Access, source: &Access, mask: &Mask) -> Option<()> {
    let from = mp.cores.offsets(source, mask)?;
    let to = mp.cores.offsets(target, mask)?;
    count_access(mp, &from, mask);
    let data = mp.global.load(source.variable, &from, mask, mp.stamp)?;
    match target.word_type {
        WordType::Int => {
            let mut lanes = mp.cores.buffers.ints();
            take_ints(data, &from, mask, &mut lanes)?;
            let values = Ints::Lanes(lanes);
            write_ints(mp, target, &to, mask, &values)?;
            mp.cores.buffers.free(values);
        }
        WordType::Float => {
            let mut lanes = mp.cores.buffers.floats();
            take_floats(data, &from, mask, &mut lanes);
            let values = Floats::Lanes(lanes);
            write_floats(mp, target, &to, mask, &values)?;
            mp.cores.buffers.free_floats(values);
        }
    }
    mp.cores.buffers.free(from);
    mp.cores.buffers.free(to);
    Some(())
}

fn store(mp: &mut Mp<'_>, target: &Access, source: &Access, mask: &Mask) -> Option<()> {
    let from = mp.cores.offsets(source, mask)?;
    let to = mp.cores.offsets(target, mask)?;
    count_access(mp, &to, mask);
    mp.cores.count_operand(1, source.variable, &from, mask);
    let admitted = mp.launch.known.admitted(target.variable);
    let ints = match source.word_type {
        WordType::Int => Some(mp.cores.words.read_ints(
            source.variable,
            &from,
            mask,
            &mut mp.cores.buffers,
        )?),
        WordType::Float => None,
    };
    match (target.word_type, ints) {
        (WordType::Int, Some(ints)) => {
            if let Some(range) = admitted
                && !mask.all(|core| range.admits_int(ints.at(core)))
            {
                return None;
            }
            let lanes = lanes_of(mp, ints);
            mp.global
                .store_words(target.variable, &to, mask, mp.stamp, &lanes)?;
            mp.cores.buffers.free(Ints::Lanes(lanes));
        }
        (WordType::Int, None) => unreachable!("checked: floats do not become ints"),
        (WordType::Float, ints) => {
            let floats = match ints {
                Some(ints) => mp.cores.buffers.floats_of(mask, ints),
                None => mp.cores.words.read_floats(
                    source.variable,
                    &from,
                    mask,
                    &mut mp.cores.buffers,
                )?,
            };
            if let Some(range) = admitted
                && !mask.all(|core| range.admits_float(floats.at(core)))
            {
                return None;
            }
            let lanes = match floats {
                Floats::Lanes(lanes) => lanes,
                Floats::Uniform(value) => {
                    let mut lanes = mp.cores.buffers.floats();
                    lanes.fill(value);
                    lanes
                }
            };
            mp.global
                .store_words(target.variable, &to, mask, mp.stamp, &lanes)?;
            mp.cores.buffers.free_floats(Floats::Lanes(lanes));
        }
    }
    mp.cores.buffers.free(from);
    mp.cores.buffers.free(to);
    Some(())
}

fn lanes_of(mp: &mut Mp<'_>, ints: Ints) -> Vec<i64> {
    match ints {
        Ints::Lanes(lanes) => lanes,
        Ints::Uniform(value) => {
            let mut lanes = mp.cores.buffers.ints();
            lanes.fill(value);
            lanes
        }
        Ints::Affine { .. } => {
            let mut lanes = mp.cores.buffers.ints();
            for (core, lane) in lanes.iter_mut().enumerate() {
                *lane = ints.at(core);
            }
            lanes
        }
    }
}

fn atomic(
    mp: &mut Mp<'_>,
    target: &Access,
    operator: AtomicOperator,
    operands: &[(bool, Operand)],
    mask: &Mask,
) -> Option<u64> {
    // The indices of the element are evaluated on the right and again on the left, and their
    // conflicts count twice.
    let right = mp.cores.offsets(target, mask)?;
    mp.cores.buffers.free(right);
    let mut ints = Vec::new();
    let mut floats = Vec::new();
    for (negated, operand) in operands {
        match operand {
            Operand::Ints(value) => ints.push((*negated, mp.cores.ints(value, mask)?)),
            Operand::Floats(value) => floats.push((*negated, mp.cores.floats(value, mask)?)),
        }
    }
    let offsets = mp.cores.offsets(target, mask)?;
    // The element and the target are two operands on the same words.
    mp.cores.count_operand(2, target.variable, &offsets, mask);
    let contention = mp.cores.words.contention(target.variable, &offsets, mask);
    let fine = apply(mp, (target, operator), (&ints, &floats), &offsets, mask)?;
    ints.into_iter()
        .for_each(|(_, ints)| mp.cores.buffers.free(ints));
    floats
        .into_iter()
        .for_each(|(_, floats)| mp.cores.buffers.free_floats(floats));
    mp.cores.buffers.free(offsets);
    fine.then_some(contention)
}

/// Operands of an `atomic`, each with true if it is subtracted.
type Operands<T> = [(bool, T)];

/// Updates the words of an `atomic` with its operands; `None` if one was never written, `false` if a
/// value is refused.
fn apply(
    mp: &mut Mp<'_>,
    (target, operator): (&Access, AtomicOperator),
    (ints, floats): (&Operands<Ints>, &Operands<Floats>),
    offsets: &Ints,
    mask: &Mask,
) -> Option<bool> {
    let admitted = mp.launch.known.admitted(target.variable);
    let store = mp.cores.words.store_mut(target.variable);
    if !all_written(&store.written, offsets, mask) {
        return None;
    }
    Some(match store.data_mut() {
        Data::Int(words) => update(
            words,
            offsets,
            mask,
            |word, core| {
                ints.iter().try_fold(word, |word, (negated, operand)| {
                    arithmetic::updated_int(operator, *negated, word, operand.at(core))
                })
            },
            |word| admitted.is_none_or(|range| range.admits_int(word)),
        ),
        Data::Float(words) => update(
            words,
            offsets,
            mask,
            |word, core| {
                floats.iter().try_fold(word, |word, (negated, operand)| {
                    Some(arithmetic::updated_float(
                        operator,
                        *negated,
                        word,
                        operand.at(core),
                    ))
                })
            },
            |word| admitted.is_none_or(|range| range.admits_float(word)),
        ),
    })
}

/// Updates words core by core; undoes everything if a value is refused.
fn update<T: Copy>(
    words: &mut [T],
    offsets: &Ints,
    mask: &Mask,
    combine: impl Fn(T, usize) -> Option<T>,
    admits: impl Fn(T) -> bool,
) -> bool {
    // Cores may share a word, so the old values are restored in reverse order: the first core's
    // old value comes last.
    let mut before = Vec::with_capacity(mask.count());
    let fine = mask.all(|core| {
        let word = &mut words[offsets.at(core) as usize];
        match combine(*word, core) {
            Some(next) if admits(next) => {
                before.push(*word);
                *word = next;
                true
            }
            _ => false,
        }
    });
    if !fine {
        let updated: Vec<(usize, T)> = mask.iter().zip(before).collect();
        for (core, before) in updated.into_iter().rev() {
            words[offsets.at(core) as usize] = before;
        }
    }
    fine
}

//! Two words compared and exchanged, the smaller to one place and the larger to the other: the
//! inner step of sorting networks.
//!
//! ```text
//! let l = min(_x[j], _x[j + d])
//! let h = max(_x[j], _x[j + d])
//! _x[j] ← select(e = 0, l, h)
//! _x[j + d] ← select(e = 0, h, l)
//! ```
//!
//! If nothing else reads `l` and `h`, they need not be kept, and all four statements are one step.
//! Other `let`s before the assignments read no word that these write, so they move ahead.

use crate::exec::batches::plan::fuse::same;
use crate::exec::batches::plan::{Exchange, Floats, Ints, Place, Step, Truths, Value};

/// Fuses each exchange among the steps from `start` on into one step. `uses` holds the number of
/// reads of each `let` of data.
pub(super) fn fuse(steps: &mut Vec<Step>, start: usize, uses: &[u32]) {
    // [l, h, x, y, assign, assign] is rotated to [x, y, l, h, assign, assign], and its last four
    // steps become one.
    let mut at = start;
    while at < steps.len() {
        if let Some((between, mut exchange)) = exchanged(&steps[at..], uses) {
            steps[at..at + 2 + between].rotate_left(2);
            at += between;
            exchange.written = steps.drain(at..at + 4).collect();
            steps.insert(at, Step::Exchange(Box::new(exchange)));
        }
        at += 1;
    }
}

/// Returns the exchange that the steps begin with, and the number of other `let`s between its own
/// two and the assignments.
fn exchanged(steps: &[Step], uses: &[u32]) -> Option<(usize, Exchange)> {
    let [
        Step::Let {
            register: first,
            value,
        },
        Step::Let {
            register: second,
            value: second_value,
        },
        rest @ ..,
    ] = steps
    else {
        return None;
    };
    // Both `let`s must read the same two places, one taking the minimum and one the maximum. Both
    // assignments must write exactly these places, under the same condition, with the two registers
    // the other way round. `rises` says that `one` gets the smaller word where the condition holds.
    let (taken, [one, other]) = extreme(value)?;
    let (opposite, again) = extreme(second_value)?;
    if taken == opposite || !same(one, again[0]) || !same(other, again[1]) {
        return None;
    }
    let (least, most) = match taken {
        Extreme::Least => (*first, *second),
        Extreme::Most => (*second, *first),
    };
    let is_let = |step: &&Step| matches!(step, Step::Let { .. });
    let between = rest.iter().take_while(is_let).count();
    let pair = [least, most];
    let (to_one, to_other) = assigned(&rest[between..], [one, other], pair)?;
    // Without a condition each assignment reads one register; with one, both selects read both.
    // More reads than that mean another statement needs the registers.
    let times = if to_one.condition.is_some() { 2 } else { 1 };
    let is_all = pair.iter().all(|&register| uses[register] == times);
    (are_opposite(&to_one, &to_other, pair) && is_all).then(|| {
        let exchange = Exchange {
            one: one.clone(),
            other: other.clone(),
            condition: to_one.condition.cloned(),
            rises: to_one.registers == pair,
            written: Vec::new(),
        };
        (between, exchange)
    })
}

/// Returns the values that the first two steps assign to `one` and to `other`, in either order.
fn assigned<'s>(
    steps: &'s [Step],
    [one, other]: [&Place; 2],
    pair: [usize; 2],
) -> Option<(Chosen<'s>, Chosen<'s>)> {
    let [
        Step::Assign { target, value },
        Step::Assign {
            target: last,
            value: last_value,
        },
        ..,
    ] = steps
    else {
        return None;
    };
    if same(target, one) && same(last, other) {
        Some((chosen(value, pair)?, chosen(last_value, pair)?))
    } else if same(target, other) && same(last, one) {
        Some((chosen(last_value, pair)?, chosen(value, pair)?))
    } else {
        None
    }
}

/// Returns true if two choices between the least and the most take opposite ones, under one condition.
fn are_opposite(to_one: &Chosen<'_>, to_other: &Chosen<'_>, [least, most]: [usize; 2]) -> bool {
    let is_alike = match (to_one.condition, to_other.condition) {
        (None, None) => true,
        (Some(one), Some(other)) => same_condition(one, other),
        (None, Some(_)) | (Some(_), None) => false,
    };
    let (pair, opposite) = ([least, most], [most, least]);
    let is_exchanged = if to_one.registers == pair {
        to_other.registers == opposite
    } else {
        to_one.registers == opposite && to_other.registers == pair
    };
    is_alike && is_exchanged
}

#[derive(Debug, PartialEq, Eq)]
enum Extreme {
    Least,
    Most,
}

/// Returns the two shared words and the extreme, if a value is the minimum or maximum of two.
fn extreme(value: &Value) -> Option<(Extreme, [&Place; 2])> {
    let extreme = match value {
        Value::Ints(Ints::Minimum(_)) | Value::Floats(Floats::Minimum(_)) => Extreme::Least,
        Value::Ints(Ints::Maximum(_)) | Value::Floats(Floats::Maximum(_)) => Extreme::Most,
        Value::Ints(_) | Value::Floats(_) => return None,
    };
    let (one, other) = match value {
        Value::Ints(Ints::Minimum(nodes) | Ints::Maximum(nodes)) => match nodes.as_slice() {
            [Ints::Read(one), Ints::Read(other)] => (one, other),
            _ => return None,
        },
        Value::Floats(Floats::Minimum(nodes) | Floats::Maximum(nodes)) => match nodes.as_slice() {
            [Floats::Read(one), Floats::Read(other)] => (one, other),
            _ => return None,
        },
        Value::Ints(_) | Value::Floats(_) => return None,
    };
    (one.tells_cores_apart() && other.tells_cores_apart()).then_some((extreme, [one, other]))
}

/// A choice between two registers.
struct Chosen<'s> {
    condition: Option<&'s Truths>,
    /// The register where the condition holds or is missing, then the other.
    registers: [usize; 2],
}

fn chosen(value: &Value, pair: [usize; 2]) -> Option<Chosen<'_>> {
    let always = |register: usize| {
        let other = pair.into_iter().find(|other| *other != register)?;
        Some((None, [register, other]))
    };
    let (condition, registers) = match value {
        Value::Ints(Ints::Register(register)) | Value::Floats(Floats::Register(register)) => {
            always(*register)?
        }
        Value::Ints(Ints::Select(condition, then, otherwise)) => match (&**then, &**otherwise) {
            (Ints::Register(then), Ints::Register(otherwise)) => {
                (Some(&**condition), [*then, *otherwise])
            }
            _ => return None,
        },
        Value::Floats(Floats::Select(condition, then, otherwise)) => {
            match (&**then, &**otherwise) {
                (Floats::Register(then), Floats::Register(otherwise)) => {
                    (Some(&**condition), [*then, *otherwise])
                }
                _ => return None,
            }
        }
        Value::Ints(_) | Value::Floats(_) => return None,
    };
    Some(Chosen {
        condition,
        registers,
    })
}

/// Returns true if two conditions are the same comparison and read no memory.
fn same_condition(one: &Truths, other: &Truths) -> bool {
    let same_operand = |one: &Ints, other: &Ints| match (one, other) {
        (Ints::Form(one), Ints::Form(other)) => one == other,
        (Ints::Register(one), Ints::Register(other)) => one == other,
        _ => false,
    };
    match (one, other) {
        (Truths::Order(operator, left, right), Truths::Order(again, one, other)) => {
            operator == again && left == one && right == other
        }
        (Truths::Ints(operator, left, right), Truths::Ints(again, one, other)) => {
            operator == again && same_operand(left, one) && same_operand(right, other)
        }
        _ => false,
    }
}

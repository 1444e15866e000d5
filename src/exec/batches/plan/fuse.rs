//! Loops that accumulate: `for u … _c[s, j] ← _c[s, j] + _a[s, u] · _b[u, j]`.
//!
//! The target does not move and is not read otherwise, so all iterations can be one step that
//! checks everything before it starts.

use crate::exec::batches::plan::{Accumulate, At, Floats, Ints, Loop, Place, Slot, Step, Value};
use crate::program::Arithmetic;

/// Turns a loop into a step: an accumulation if it is one, else a plain loop.
pub(super) fn fuse(frame: Loop) -> Step {
    match accumulated(&frame) {
        Some((target, left, right)) => Step::Accumulate(Box::new(Accumulate {
            target,
            left,
            right,
            frame,
        })),
        None => Step::Loop(frame),
    }
}

fn accumulated(frame: &Loop) -> Option<(Place, Place, Option<Place>)> {
    // Accepted: `t ← t + l` and `t ← t + l · r`, with t one word per core that the loop variable
    // does
    // not move, and l, r in other arrays. Otherwise an iteration could read the word that an
    // earlier one wrote.
    let [Step::Assign { target, value }] = frame.body.steps.as_slice() else {
        return None;
    };
    let (old, left, right) = match value {
        Value::Ints(Ints::Binary(Arithmetic::Add, old, added)) => {
            let Ints::Read(old) = &**old else { return None };
            match &**added {
                Ints::Read(left) => (old, left, None),
                Ints::Binary(Arithmetic::Multiply, left, right) => match (&**left, &**right) {
                    (Ints::Read(left), Ints::Read(right)) => (old, left, Some(right)),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Value::Floats(Floats::Binary(Arithmetic::Add, old, added)) => {
            let Floats::Read(old) = &**old else {
                return None;
            };
            match &**added {
                Floats::Read(left) => (old, left, None),
                Floats::Binary(Arithmetic::Multiply, left, right) => match (&**left, &**right) {
                    (Floats::Read(left), Floats::Read(right)) => (old, left, Some(right)),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Value::Ints(_) | Value::Floats(_) => return None,
    };
    let (left, right): (&Place, Option<&Place>) = (left, right.map(|place| &**place));
    let stays = stays(target, frame.slot) && same(target, old);
    let apart = |place: &Place| place.array != target.array && is_line(place);
    (stays && apart(left) && right.is_none_or(apart))
        .then(|| (target.clone(), left.clone(), right.cloned()))
}

fn is_line(place: &Place) -> bool {
    matches!(place.at, At::Line { .. })
}

/// Returns true if a place has another word for each core and does not depend on a slot.
fn stays(place: &Place, slot: Slot) -> bool {
    match &place.at {
        At::Line {
            offset, checked, ..
        } => {
            offset.core != 0
                && offset.factor(slot) == 0
                && checked.iter().all(|(index, _)| index.factor(slot) == 0)
        }
        At::Each(_) => false,
    }
}

/// Returns true if two places are the same evenly spaced words.
pub(super) fn same(one: &Place, other: &Place) -> bool {
    match (&one.at, &other.at) {
        (
            At::Line {
                offset: left_offset,
                checked: left_checked,
                ..
            },
            At::Line {
                offset, checked, ..
            },
        ) => one.array == other.array && left_offset == offset && left_checked == checked,
        (At::Each(_) | At::Line { .. }, _) => false,
    }
}

//! Views of the arrays of a plan, whole or cut into a stretch for each part of a launch.
//!
//! Parts write at the same time, so their stretches must not meet. Where they could, there is no cut.

use std::ops::Range;

use crate::exec::Data;
use crate::exec::batches::plan::Plan;
use crate::exec::batches::run::globals::{Before, GlobalView, Meeting, Words};
use crate::exec::memory::global::Global;
use crate::exec::memory::written::Written;

/// The written words of an array that the kernel does not read: nobody asks.
static UNREAD: Written = Written::all(0);

/// Returns a view of every array of a plan, whole.
pub(crate) fn views<'g>(plan: &Plan, global: &'g mut Global) -> Vec<GlobalView<'g>> {
    let mut views: Vec<Option<GlobalView<'g>>> = plan.global.iter().map(|_| None).collect();
    for (id, (store, shadow)) in global.parts_mut().enumerate() {
        let used = plan
            .global
            .iter()
            .position(|array| array.variable.0 as usize == id);
        let (Some(at), Some(store)) = (used, store) else {
            continue;
        };
        let array = plan.global[at];
        let mut meeting = None;
        let (words, written) = if array.is_written {
            let (data, written) = store.parts_mut();
            let words = match data {
                Data::Int(words) => Words::Ints(0, words),
                Data::Float(words) => Words::Floats(0, words),
            };
            if array.may_race {
                meeting = Some(Meeting {
                    shadow,
                    written,
                    undo: Vec::new(),
                });
                (words, &UNREAD)
            } else {
                (words, &*written)
            }
        } else {
            (Words::Read(store.data()), &store.written)
        };
        views[at] = Some(GlobalView {
            words,
            written,
            noted: Vec::new(),
            undo: (array.is_read && array.is_written).then(Before::default),
            meeting,
        });
    }
    let views = views.into_iter().map(|view| view.expect("a global array"));
    views.collect()
}

/// Splits views into one for each part, if the parts' stretches of written arrays are disjoint and
/// ascend. Gives `None` if they do not, or MPs may meet.
pub(crate) fn split<'g>(
    views: Vec<GlobalView<'g>>,
    stretches: &[Vec<Range<usize>>],
) -> Option<Vec<Vec<GlobalView<'g>>>> {
    if views.iter().any(|view| view.meeting.is_some()) {
        return None;
    }
    let mut parts: Vec<Vec<GlobalView<'g>>> = stretches.iter().map(|_| Vec::new()).collect();
    for (at, view) in views.into_iter().enumerate() {
        let is_undone = view.undo.is_some();
        let written = view.written;
        let mut push = |part: usize, words: Words<'g>| {
            parts[part].push(GlobalView {
                words,
                written,
                noted: Vec::new(),
                undo: is_undone.then(Before::default),
                meeting: None,
            });
        };
        match view.words {
            Words::Read(data) => {
                (0..stretches.len()).for_each(|part| push(part, Words::Read(data)));
            }
            Words::Ints(_, words) => {
                for (part, (start, words)) in cut(words, at, stretches)?.into_iter().enumerate() {
                    push(part, Words::Ints(start, words));
                }
            }
            Words::Floats(_, words) => {
                for (part, (start, words)) in cut(words, at, stretches)?.into_iter().enumerate() {
                    push(part, Words::Floats(start, words));
                }
            }
        }
    }
    Some(parts)
}

/// Cuts out the stretch of each part, with its start.
fn cut<'g, T>(
    words: &'g mut [T],
    array: usize,
    stretches: &[Vec<Range<usize>>],
) -> Option<Vec<(usize, &'g mut [T])>> {
    let mut rest = words;
    let mut start = 0;
    let mut pieces = Vec::with_capacity(stretches.len());
    for part in stretches {
        let Range { start: from, end } = part[array].clone();
        if from < start || end < from || end > start + rest.len() {
            return None;
        }
        let (_, tail) = rest.split_at_mut(from - start);
        let (piece, tail) = tail.split_at_mut(end - from);
        pieces.push((from, piece));
        (rest, start) = (tail, end);
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stretches from one number up to another.
    fn stretches(ends: &[(usize, usize)]) -> Vec<Range<usize>> {
        ends.iter().map(|&(from, to)| from..to).collect()
    }

    #[test]
    fn parts_get_stretches_that_do_not_meet() {
        let mut words = [0, 1, 2, 3, 4, 5];
        let apart = [(1, 3), (3, 3), (4, 6)].map(|ends| stretches(&[ends]));
        let pieces = cut(&mut words, 0, &apart).expect("they are apart");
        let starts: Vec<(usize, &[i32])> = pieces.iter().map(|(at, of)| (*at, &**of)).collect();
        assert_eq!(starts, [(1, &[1, 2][..]), (3, &[]), (4, &[4, 5])]);
        assert!(
            cut(
                &mut words,
                0,
                &[(0, 3), (2, 4)].map(|ends| stretches(&[ends]))
            )
            .is_none()
        );
        assert!(
            cut(
                &mut words,
                0,
                &[(3, 4), (0, 1)].map(|ends| stretches(&[ends]))
            )
            .is_none()
        );
        assert!(cut(&mut words, 0, &[stretches(&[(3, 9)])]).is_none());
    }
}

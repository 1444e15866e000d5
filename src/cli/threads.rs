//! Work on several threads where there is room for their stacks, one after the other elsewhere.

use std::panic::resume_unwind;
use std::thread;

use atgpu::room::has_room_for;
use rayon::prelude::*;

/// Does both, neither waiting for the other. The first, which should be the longer one, stays on this thread: the
/// heap of others grows by a page at a time.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    match has_room_for(2) {
        true => thread::scope(|scope| {
            let other = scope.spawn(other);
            let one = one();
            (
                one,
                other.join().unwrap_or_else(|fault| resume_unwind(fault)),
            )
        }),
        false => (one(), other()),
    }
}

/// How many things are done at once: one where there is no room for more. Asked of the computer, for to
/// ask the pool starts it, and that takes room as well.
pub fn at_once() -> usize {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    match has_room_for(threads) {
        true => threads,
        false => 1,
    }
}

/// What the work makes of each, in order.
pub fn each<T: Send, U: Send>(all: Vec<T>, work: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
    match all.len() > 1 && at_once() > 1 {
        true => all.into_par_iter().map(work).collect(),
        false => all.into_iter().map(work).collect(),
    }
}

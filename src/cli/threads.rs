//! Work on several threads where there is room for their stacks, one after the other elsewhere.

use atgpu::room::has_room_for;
use rayon::prelude::*;

/// Does both, neither waiting for the other.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    match has_room_for(2) {
        true => rayon::join(one, other),
        false => (one(), other()),
    }
}

/// What the work makes of each, in order.
pub fn each<T: Send, U: Send>(all: Vec<T>, work: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
    // Not as many as the pool has: to ask it starts it, and that takes room as well.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    match all.len() > 1 && has_room_for(threads) {
        true => all.into_par_iter().map(work).collect(),
        false => all.into_iter().map(work).collect(),
    }
}

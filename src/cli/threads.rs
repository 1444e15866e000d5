//! Runs work on several threads if there is room for their stacks, otherwise sequentially.

use std::panic::resume_unwind;
use std::thread;

use atgpu::room::has_room_for;
use rayon::prelude::*;

/// Runs both in parallel. The first should be the longer one and stays on this thread: the heap of other
/// threads grows one page at a time.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if has_room_for(2) {
        thread::scope(|scope| {
            let other = scope.spawn(other);
            let one = one();
            (
                one,
                other.join().unwrap_or_else(|fault| resume_unwind(fault)),
            )
        })
    } else {
        (one(), other())
    }
}

/// The number of parallel tasks; 1 if there is no room for more stacks. It asks the system, because asking
/// the thread pool starts it, which needs room itself.
pub fn at_once() -> usize {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if has_room_for(threads) { threads } else { 1 }
}

/// Applies `work` to each item, in order.
pub fn each<T: Send, U: Send>(all: Vec<T>, work: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
    if all.len() > 1 && at_once() > 1 {
        all.into_par_iter().map(work).collect()
    } else {
        all.into_iter().map(work).collect()
    }
}

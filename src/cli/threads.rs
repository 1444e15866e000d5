//! Runs work on several threads if there is room for their stacks, otherwise sequentially.
//!
//! A thread has 2 MB of stack by itself, too few for deep programs, so each work gets its room.

use std::panic::resume_unwind;
use std::thread;

use atgpu::room::{has_room_for, with_room};
use rayon::prelude::*;

/// Runs both in parallel. The first should be the longer one and stays on this thread: the heap of other
/// threads grows one page at a time.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if has_room_for(2) {
        thread::scope(|scope| {
            let other = scope.spawn(|| with_room(other));
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
        let work = |item| with_room(|| work(item));
        all.into_par_iter().map(work).collect()
    } else {
        all.into_iter().map(work).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some 8 MB of stack without optimisation.
    fn depth(left: u32) -> u32 {
        let frame = std::hint::black_box([left; 1024]);
        match left {
            0 => 0,
            _ => 1 + depth(frame[0] - 1),
        }
    }

    #[test]
    fn work_on_a_thread_has_room() {
        assert_eq!(each(vec![2000, 2000, 2000], depth), [2000; 3]);
        let with_room_here = with_room(|| both(|| depth(2000), || depth(2000)));
        assert_eq!(with_room_here, (2000, 2000));
    }
}

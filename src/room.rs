//! Room for deep programs.
//!
//! Formulas and statements may nest as deep as the parser's limits, and the phases recurse on them.
//! The stack of a test, a build script or a web server's worker is too small for the deepest.

#[cfg(not(target_family = "wasm"))]
use std::sync::{Mutex, PoisonError};

/// Stacks that are tried, the largest first; the deepest nesting that the parser allows takes half of
/// it, in a debug build too. Pages never touched take no memory.
#[cfg(not(target_family = "wasm"))]
const STACKS: [usize; 5] = [256 << 20, 128 << 20, 64 << 20, 32 << 20, 16 << 20];

/// A stack for each thread of a pool: the smallest of [`STACKS`]. The 2 MB that a thread has by
/// itself end in a build without optimisation at `min(0, 1 - min(0, 1 - …))`, 120 levels deep.
pub(crate) const STACK_OF_A_THREAD: usize = 16 << 20;

/// Held while it is asked how large a stack can be had.
#[cfg(not(target_family = "wasm"))]
static ASKING: Mutex<()> = Mutex::new(());

/// Does the work on this stack where half of the largest that can be had is left of it, otherwise on
/// that one; in WebAssembly, where a program cannot choose its stack, always on this one.
///
/// ```
/// assert_eq!(atgpu::room::with_room(|| 6 * 7), 42);
/// ```
pub fn with_room<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_family = "wasm")]
    return work();
    #[cfg(not(target_family = "wasm"))]
    {
        let left = stacker::remaining_stack().unwrap_or(0);
        let has_room = |bytes: &usize| left >= bytes / 2;
        // What one thread tries to have is not there for another that takes its stack meanwhile.
        let asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        match STACKS
            .iter()
            .find(|bytes| has_room(bytes) || is_had(**bytes))
        {
            Some(bytes) if !has_room(bytes) => stacker::grow(*bytes, || {
                drop(asking);
                work()
            }),
            Some(_) | None => {
                drop(asking);
                work()
            }
        }
    }
}

/// Whether so much of this stack is left, as far as that can be told.
pub(crate) fn has_left(bytes: usize) -> bool {
    #[cfg(target_family = "wasm")]
    return bytes < usize::MAX;
    #[cfg(not(target_family = "wasm"))]
    stacker::remaining_stack().is_none_or(|left| left >= bytes)
}

/// Whether so many threads may each work with the largest stack at once; never in WebAssembly.
///
/// ```
/// assert!(!atgpu::room::has_room_for(usize::MAX));
/// ```
pub fn has_room_for(threads: usize) -> bool {
    #[cfg(target_family = "wasm")]
    return threads == 0;
    #[cfg(not(target_family = "wasm"))]
    {
        let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        is_had(STACKS[0].saturating_mul(threads))
    }
}

/// Whether so much address space can be had, and three times as much for what the work itself takes,
/// its threads included: a stack that cannot be had would be a panic.
#[cfg(not(target_family = "wasm"))]
fn is_had(bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let had = room.try_reserve_exact(bytes.saturating_mul(4));
    // Else the compiler sees that nobody reads it, and does not ask.
    std::hint::black_box(&mut room);
    had.is_ok()
}

#[cfg(test)]
mod tests {
    use crate::room::with_room;

    /// Some 8 MB of a debug build.
    fn depth(left: u32) -> u32 {
        let frame = std::hint::black_box([left; 1024]);
        match left {
            0 => 0,
            _ => 1 + depth(frame[0] - 1),
        }
    }

    #[test]
    fn work_has_room_once() {
        let left = || stacker::remaining_stack().expect("known here");
        let (outer, inner) = with_room(|| (left(), with_room(left)));
        assert!(inner <= outer && outer - inner < 1 << 20, "{outer} {inner}");
        assert_eq!(with_room(|| depth(2000)), 2000);
    }

    #[test]
    #[should_panic(expected = "as it was")]
    fn a_panic_goes_on_as_it_was() {
        with_room(|| panic!("as it was"));
    }
}

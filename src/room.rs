//! Room for deep programs.
//!
//! Formulas and statements may nest as deep as the parser's limits, and the phases recurse on them.
//! The stack of a test, a build script or a web server's worker is too small for the deepest.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// Nesting as deep as the parser allows fits, in a debug build too. Pages never touched take no
/// memory.
const STACK_BYTES: usize = 256 << 20;

thread_local! {
    /// Whether this thread is one of those made here.
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// Does the work on a stack of its own; where no thread can be had (WebAssembly), on this one.
pub(crate) fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> T {
    if HAS_ROOM.get() {
        return work();
    }
    let roomy = || {
        HAS_ROOM.set(true);
        work()
    };
    scope(|threads| {
        let thread = Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(threads, roomy) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::with_room;
    use std::thread::current;

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
        let outer = current().id();
        let (first, second) = with_room(|| (current().id(), with_room(|| current().id())));
        assert_ne!(first, outer);
        assert_eq!(first, second);
        assert_eq!(with_room(|| depth(2000)), 2000);
    }

    #[test]
    #[should_panic(expected = "as it was")]
    fn a_panic_goes_on_as_it_was() {
        with_room(|| panic!("as it was"));
    }
}

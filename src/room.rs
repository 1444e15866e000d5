//! Room for deep programs.
//!
//! Formulas and statements may nest as deep as the parser's limits, and the phases recurse on them.
//! The stack of a test, a build script or a web server's worker is too small for the deepest.

/// What the deepest nesting that the parser allows may take, in a debug build too.
#[cfg(not(target_family = "wasm"))]
const NEEDED_BYTES: usize = 128 << 20;

/// What is taken where less is left. Pages never touched take no memory.
#[cfg(not(target_family = "wasm"))]
const STACK_BYTES: usize = 2 * NEEDED_BYTES;

/// Does the work on this stack where it has room, otherwise on a larger one; in WebAssembly, where
/// a program cannot choose its stack, always on this one.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_family = "wasm")]
    return work();
    #[cfg(not(target_family = "wasm"))]
    stacker::maybe_grow(NEEDED_BYTES, STACK_BYTES, work)
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
        assert!(inner < outer && outer - inner < 1 << 20, "{outer} {inner}");
        assert_eq!(with_room(|| depth(2000)), 2000);
    }

    #[test]
    #[should_panic(expected = "as it was")]
    fn a_panic_goes_on_as_it_was() {
        with_room(|| panic!("as it was"));
    }
}

//! Room for deep programs.
//!
//! Formulas and statements may nest as deep as the parser's limits, and the phases recurse on them.
//! The stack of a test, a build script or a web server's worker is too small for the deepest.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// Nesting as deep as the parser allows fits, in a debug build too. Pages never touched take no
/// memory.
const STACK_BYTES: usize = 256 << 20;

/// Does the work on a stack of its own; where no thread can be had (WebAssembly), on this one.
pub(super) fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> T {
    scope(|threads| {
        let thread = Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(threads, &work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(),
        }
    })
}

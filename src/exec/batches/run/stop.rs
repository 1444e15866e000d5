//! Why a batch ends before its time.

use crate::exec::error::Error;

/// Why a batch ended early.
pub(super) enum Stop {
    /// Fewer MPs may be able to go together.
    Split,
    /// Something this engine does not do.
    Bail,
    /// A fault, or the watcher.
    Halt(Box<Error>),
}

/// What a step of a batch gives.
pub(super) type Result<T> = std::result::Result<T, Stop>;

//! Reasons for a batch to end early.

use crate::exec::error::Error;

/// Reason for a batch to end early.
pub(super) enum Stop {
    /// Its MPs disagree; fewer of them may agree.
    Split,
    /// This engine does not cover something; the next one takes over.
    Bail,
    /// A fault, or a stop by the watcher.
    Halt(Box<Error>),
}

/// The result of a step of a batch.
pub(super) type Result<T> = std::result::Result<T, Stop>;

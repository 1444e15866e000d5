//! The thread blocks that are resident on a multiprocessor of the card, and the figure that limits them.

use crate::number::BigInt;

/// The thread blocks resident on one multiprocessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Residents {
    /// Their number; 0 where one needs more than there is.
    pub thread_blocks: BigInt,
    /// The figure that allows no more.
    pub limit: Limiting,
}

/// A figure that limits the resident thread blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiting {
    /// M: the words of all do not fit.
    SharedMemory,
    /// H: no more thread blocks.
    ThreadBlocks,
    /// No more warps.
    Warps,
    /// No more threads.
    Threads,
}

impl Limiting {
    /// Its name in texts and in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Limiting::SharedMemory => "shared memory",
            Limiting::ThreadBlocks => "H",
            Limiting::Warps => "warps",
            Limiting::Threads => "threads",
        }
    }
}

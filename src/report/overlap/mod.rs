//! `overlap`: the best way to move a program's data first, then each number of streams.
//!
//! Takes a plan and what it is of; gives text or JSON. Plans nothing.

mod json;
mod text;

use indexmap::IndexMap;

use crate::cost::overlap::Method;
use crate::cost::overlap::cut::Cut;
use crate::cost::overlap::plan::Plan;
use crate::machine::Machine;
use crate::number::BigInt;

pub use json::json;
pub use text::text;

/// A plan and what it is of.
#[derive(Debug)]
pub struct OverlapReport<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// Formal and machine parameters by name.
    pub parameters: &'a IndexMap<String, BigInt>,
    /// The model t_E comes from; none where it was given.
    pub model: Option<&'static str>,
    /// Whether t_E is exact by that model, no upper bound.
    pub has_exact_kernel: bool,
    /// Whether the bytes that are copied are.
    pub has_exact_copies: bool,
    /// Whether the bytes that kernels touch, which mapped memory moves, are.
    pub has_exact_accesses: bool,
    /// Whether the operations of the rooflines are.
    pub has_exact_operations: bool,
    /// What was on the device before, by name.
    pub resident: &'a [String],
    /// What can be cut into chunks.
    pub cut: &'a Cut,
    /// What papers 3 and 5 say.
    pub plan: &'a Plan,
}

impl OverlapReport<'_> {
    /// Whether the time of a method is exact, no upper bound.
    pub(crate) fn is_exact(&self, method: Method) -> bool {
        let moves = match method {
            Method::Explicit | Method::Streams => self.has_exact_copies,
            Method::Hybrid => self.has_exact_copies && self.has_exact_accesses,
            Method::Mapped => self.has_exact_accesses,
        };
        moves && self.has_exact_kernel
    }
}

fn engines(report: &OverlapReport<'_>) -> i64 {
    report.machine.overlap.copy_engines.unwrap_or(1)
}

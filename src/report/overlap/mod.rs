//! The result of `overlap`: the best way to move a program's data first, then each number of streams.
//!
//! Takes a plan and its inputs, and gives text or JSON. Plans nothing.

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

/// A plan with its inputs.
#[derive(Debug)]
pub struct OverlapReport<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// Formal and machine parameters by name.
    pub parameters: &'a IndexMap<String, BigInt>,
    /// The model that gives t_E; `None` if t_E was given.
    pub model: Option<&'static str>,
    /// True if t_E is exact by that model, false if it is an upper bound.
    pub has_exact_kernel: bool,
    /// True if the bytes copied are exact.
    pub has_exact_copies: bool,
    /// True if the bytes that kernels touch, which mapped memory moves, are exact.
    pub has_exact_accesses: bool,
    /// True if the operations in the rooflines are exact.
    pub has_exact_operations: bool,
    /// The arrays that were on the device before, by name.
    pub resident: &'a [String],
    /// The arrays that can move in chunks.
    pub cut: &'a Cut,
    /// The predictions of papers 3 and 5.
    pub plan: &'a Plan,
}

impl OverlapReport<'_> {
    /// Returns true if the time of a method is exact, false if it is an upper bound.
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

//! Facts that a plan gathers while it is built: accesses, uses of registers, which MPs may share a batch.
//!
//! Data only. The builder keeps a copy before it tries a loop one way, and takes it back for the other.

use crate::exec::batches::plan::passing::Passing;
use crate::exec::batches::plan::{Reach, Step};

/// The step being built.
#[derive(Debug, Default)]
pub(super) struct InProgress {
    /// Operands of data met so far, in all steps.
    pub reads: u32,
    /// Numbers that must be put into their slots before this step.
    pub numbers: Vec<Step>,
}

/// The MPs that may share a batch.
#[derive(Debug, Clone, Default)]
pub(super) struct Together {
    /// True if MPs have to run one by one.
    pub is_narrow: bool,
    /// True if MPs that differ in the dimension before the last cannot share a batch.
    pub is_flat: bool,
    /// Numbers of the last dimension at which conditions turn.
    pub cuts: Vec<i64>,
}

/// Traces of an attempt at a loop in the plan; taken back if another attempt is better.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    /// Accesses to global arrays that are written.
    pub accesses: Vec<Reach>,
    /// Number of reads of each `let` of data.
    pub uses: Vec<u32>,
    /// Statements in the plan.
    pub statements: u32,
    /// Quantities of parameters that are neither even nor the same in all MPs, so that every core
    /// has to compute them. Each counts as often as the loops around it repeat it.
    pub uneven: u32,
    /// True if cores leave a loop at different times.
    pub walks: bool,
    pub together: Together,
    /// Shared words that later statements see.
    pub passing: Passing,
}

/// Most cuts that rows of MPs get; more are not worth it, and all are dropped.
const MOST_CUTS: usize = 8;

pub(super) fn ascending(mut cuts: Vec<i64>) -> Vec<i64> {
    cuts.sort_unstable();
    cuts.dedup();
    match cuts.len() {
        0..=MOST_CUTS => cuts,
        _ => Vec::new(),
    }
}

//! Counts that MPs accumulate while they execute a kernel, whichever engine executes them.
//!
//! Takes the costs of one statement or batch of MPs; gives the sums that a round is made of
//! ([`rounds`](crate::exec::rounds)). Decides no cost.

use crate::exec::cycles::Ledger;
use crate::program::Program;

/// Accumulated counts of MPs.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// t of the MP in progress.
    pub time: u64,
    /// Largest t so far.
    pub most_time: u64,
    /// Σ (degree − 1) over all shared operands.
    pub conflicts: u128,
    /// Blocks read and written, by variable id.
    pub blocks: Vec<(u128, u128)>,
    /// Blocks of the statement in progress.
    pub step_blocks: u64,
    /// Operations × active cores.
    pub lane_operations: u128,
    /// Charges by a machine's own rules, where asked for.
    pub ledger: Option<Box<Ledger>>,
}

impl Tally {
    /// Starts with nothing counted.
    pub(super) fn new(program: &Program) -> Tally {
        Tally {
            blocks: vec![(0, 0); program.variables.len()],
            ..Tally::default()
        }
    }

    /// Adds the counts of other MPs: time takes the larger, everything else the sum.
    pub(super) fn add(&mut self, other: Tally) {
        self.most_time = self.most_time.max(other.most_time);
        self.conflicts += other.conflicts;
        self.lane_operations += other.lane_operations;
        for ((read, write), (other_read, other_write)) in self.blocks.iter_mut().zip(&other.blocks)
        {
            *read += other_read;
            *write += other_write;
        }
        match (&mut self.ledger, other.ledger) {
            (Some(ledger), Some(other)) => ledger.add(*other),
            (ledger @ None, other) => *ledger = other,
            (Some(_), None) => {}
        }
    }
}

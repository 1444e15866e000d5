//! What is not shown beside a formula that counting contradicts.

use crate::count::{Inexact, OfRound, Quantity};
use crate::derivation::contradiction::Contradiction;
use crate::derivation::{Bound, Derivation, Derived, DerivedRound, Touched};
use crate::program::Program;

/// Keeps back the formulas of these totals, and what is made of them: costs, classes, and what rounds
/// and lines add to them.
pub(crate) fn withhold(program: &Program, derivation: &mut Derivation, found: Vec<Contradiction>) {
    if found.is_empty() {
        return;
    }
    let mut lost: Vec<Quantity> = found.iter().map(|one| one.quantity).collect();
    let costs = Quantity::COSTS.into_iter();
    let costs: Vec<Quantity> = costs
        .filter(|cost| lost.iter().any(|part| is_in(*part, *cost)))
        .collect();
    lost.extend(costs);
    let is_lost = |which: Quantity| lost.contains(&which);
    let kept = |which, quantity: &Derived| {
        if is_lost(which) {
            Derived::default()
        } else {
            quantity.clone()
        }
    };
    derivation.totals = derivation.totals.map(kept);
    derivation.transfer_cost = kept(Quantity::TransferCost, &derivation.transfer_cost);
    derivation.cost = kept(Quantity::Cost, &derivation.cost);
    derivation.gpu_cost = kept(Quantity::GpuCost, &derivation.gpu_cost);
    derivation.classes.retain(|which, _| !is_lost(*which));
    for round in &mut derivation.rounds {
        keep_back(round, &is_lost);
    }
    let line = program
        .body
        .first()
        .map_or(1, |first| program.line(first.span()));
    derivation.bounds.retain(|bound| match bound.quantity {
        Touched::Quantity(which) => !is_lost(which),
        Touched::Operations | Touched::Charges => true,
    });
    derivation
        .bounds
        .extend(lost.into_iter().map(|which| Bound {
            quantity: Touched::Quantity(which),
            line,
            why: Inexact::Contradicted,
        }));
    derivation.contradictions = found;
}

/// Whether a cost is made of a total.
fn is_in(part: Quantity, cost: Quantity) -> bool {
    match part {
        Quantity::Transfer | Quantity::Transactions | Quantity::Inward | Quantity::Outward => true,
        Quantity::Rounds | Quantity::Time | Quantity::TotalTime | Quantity::Io => {
            cost != Quantity::TransferCost
        }
        Quantity::Shared => cost == Quantity::GpuCost,
        Quantity::Global | Quantity::BankConflicts => false,
        Quantity::TransferCost | Quantity::Cost | Quantity::GpuCost => part == cost,
    }
}

/// The totals that a quantity of a round is part of, the nearest first. k is part of none: it is kept back
/// with the number of rounds.
pub(super) fn totals_of(of: OfRound<'_>) -> &'static [Quantity] {
    match of {
        OfRound::LaunchedMps => &[Quantity::Rounds],
        OfRound::Time => &[Quantity::Time, Quantity::TotalTime],
        OfRound::Io | OfRound::Read(_) | OfRound::Written(_) => &[Quantity::Io],
        OfRound::InwardWords => &[Quantity::Inward, Quantity::Transfer],
        OfRound::OutwardWords => &[Quantity::Outward, Quantity::Transfer],
        OfRound::InwardTransactions | OfRound::OutwardTransactions => &[Quantity::Transactions],
        OfRound::SharedWords => &[Quantity::Shared],
        OfRound::GlobalWords => &[Quantity::Global],
        OfRound::BankConflicts => &[Quantity::BankConflicts],
    }
}

fn keep_back(round: &mut DerivedRound, is_lost: &dyn Fn(Quantity) -> bool) {
    round.counts = round.counts.map(|of, quantity| {
        if totals_of(of).iter().any(|total| is_lost(*total)) {
            Derived::default()
        } else {
            quantity.clone()
        }
    });
    for line in &mut round.lines {
        if is_lost(Quantity::Time) || is_lost(Quantity::TotalTime) {
            line.executions = Derived::default();
            line.operations = Derived::default();
        }
        if is_lost(Quantity::Io) {
            line.blocks = Derived::default();
        }
        if is_lost(Quantity::BankConflicts) {
            line.conflicts = Derived::default();
        }
    }
}

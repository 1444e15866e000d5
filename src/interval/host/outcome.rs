//! Results of all launches: facts of lines, charges, and the reasons for totals that are bounds.

use num_traits::Zero;

use crate::count::{Charged, Inexact, Quantity};
use crate::derivation::{Bound, Touched};
use crate::interval::rounds::{Event, EventKind};
use crate::interval::{Counted, WarpFact};
use crate::program::Program;
use crate::text::Span;

/// Returns one fact for each line, the worst over all launches.
pub(super) fn facts(events: &[Event]) -> Vec<WarpFact> {
    let mut worst: indexmap::IndexMap<Span, WarpFact> = indexmap::IndexMap::new();
    for event in events {
        let EventKind::Kernel(kernel) = &event.kind else {
            continue;
        };
        for (span, fact) in kernel.lines.iter().zip(&kernel.counts.facts) {
            let entry = worst.entry(*span).or_insert(WarpFact {
                span: *span,
                scattered: None,
                conflict: None,
                split: None,
            });
            if fact.scattered.map(|(blocks, _)| blocks) > entry.scattered.map(|(blocks, _)| blocks)
            {
                entry.scattered = fact.scattered;
            }
            if fact.conflict.map(|(degree, _)| degree) > entry.conflict.map(|(degree, _)| degree) {
                entry.conflict = fact.conflict;
            }
            entry.split = entry.split.or(fact.split);
        }
    }
    let mut facts: Vec<WarpFact> = worst.into_values().collect();
    facts
        .retain(|fact| fact.scattered.is_some() || fact.conflict.is_some() || fact.split.is_some());
    facts.sort_by_key(|fact| fact.span);
    facts
}

/// Adds up the charges of all launches, with the reason if they are bounds.
pub(super) fn charged(program: &Program, events: &[Event]) -> (Charged, Option<Bound>) {
    let mut charged = Charged {
        is_exact: true,
        ..Charged::default()
    };
    let mut bound = None;
    for event in events {
        let EventKind::Kernel(kernel) = &event.kind else {
            continue;
        };
        let Some(launch) = kernel.counts.charges.as_ref() else {
            continue;
        };
        if kernel.mps.is_zero() {
            continue;
        }
        charged.push(1, launch.charges.clone());
        let inexact = match launch.inexact {
            Some(line) => Some((kernel.lines[line], Inexact::DataAccess)),
            None if !event.certain => Some((event.span, Inexact::DataLaunch)),
            None => None,
        };
        if let Some((span, why)) = inexact {
            charged.is_exact = false;
            bound.get_or_insert(Bound {
                quantity: Touched::Charges,
                line: program.line(span),
                why,
            });
        }
    }
    (charged, bound)
}

/// Finds the reason for each total that is a bound: the first line, or the host loop, that loses
/// exactness.
pub(super) fn bounds(
    program: &Program,
    counted: &Counted,
    uncertain_while: Option<Span>,
) -> Vec<Bound> {
    let lines = || counted.lines.iter().flatten();
    let mut bounds = Vec::new();
    for (quantity, total) in counted.counts.totals.all() {
        if total.is_exact() {
            continue;
        }
        let inexact = lines().find(|line| match quantity {
            Quantity::Time | Quantity::TotalTime => !line.operations.is_exact(),
            Quantity::Io => !line.blocks.is_exact(),
            Quantity::BankConflicts => !line.conflicts.is_exact(),
            Quantity::Rounds
            | Quantity::Inward
            | Quantity::Outward
            | Quantity::Transfer
            | Quantity::Transactions
            | Quantity::TransferCost
            | Quantity::Shared
            | Quantity::Global
            | Quantity::Cost
            | Quantity::GpuCost => false,
        });
        let (span, why) = match (inexact, uncertain_while) {
            (Some(line), _) if !line.executions.is_exact() => (line.span, Inexact::DataExecutions),
            (Some(line), _) => (line.span, Inexact::DataWords),
            (None, Some(span)) => (span, Inexact::DataRepetitions),
            (None, None) => (Span::default(), Inexact::DataCostliestMp),
        };
        bounds.push(Bound {
            quantity: Touched::Quantity(quantity),
            line: program.line(span),
            why,
        });
    }
    bounds
}

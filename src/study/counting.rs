//! The counts of a program at a point of a study: from its forms where those are exact, else by
//! counting without data, else the bounds that were derived.

use std::ops::ControlFlow;

use crate::count::Counts;
use crate::derive::evaluate::Workplace;
use crate::derive::steps::{self, CountError, CountOptions, TEN_SECONDS};
use crate::diag::Diagnostic;
use crate::number::BigInt;
use crate::study::prepared::Prepared;
use crate::value::Point;

/// How long programs without exact forms may be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// About ten seconds for the points of one program on one machine.
    Briefly,
    /// As long as it takes.
    Patiently,
}

/// Core-steps left for counting; none is no limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(Option<u64>);

impl Budget {
    pub(super) fn new(counting: Counting) -> Self {
        match counting {
            Counting::Briefly => Budget(Some(TEN_SECONDS)),
            Counting::Patiently => Budget(None),
        }
    }
}

/// Counts at a point; upper bounds when not exact.
pub(super) struct Found {
    pub(super) counts: Counts<BigInt>,
    pub(super) is_exact: bool,
}

/// Why there are none.
pub(super) enum NoCounts {
    /// The budget is used up, and there are not even bounds.
    TooLong,
    /// The program is at fault at this point.
    Fault(Box<Diagnostic>),
}

pub(super) fn counts(
    subject: &Prepared<'_>,
    point: &Point,
    workplace: Option<&mut Workplace>,
    budget: &mut Budget,
) -> Result<Found, NoCounts> {
    let forms = subject.evaluation.as_ref().zip(workplace);
    let bounds = forms
        .and_then(|(forms, workplace)| forms.at(&point.parameters, workplace).ok())
        .filter(|found| found.omitted == BigInt::ZERO)
        .map(|found| found.counts);
    if let Some(exact) = &bounds
        && exact.is_exact()
    {
        return Ok(Found {
            counts: exact.upper(),
            is_exact: true,
        });
    }
    match (by_counting(subject, point, budget), bounds) {
        (Err(NoCounts::TooLong), Some(bounds)) => Ok(Found {
            counts: bounds.upper(),
            is_exact: false,
        }),
        (found, _) => found,
    }
}

fn by_counting(
    subject: &Prepared<'_>,
    point: &Point,
    budget: &mut Budget,
) -> Result<Found, NoCounts> {
    let options = CountOptions {
        charge_conflicts: false,
        work_limit: budget.0,
    };
    let going = |_| ControlFlow::Continue(());
    match steps::count(subject.program, point, &options, &going) {
        Ok(counted) => {
            if let Some(left) = &mut budget.0 {
                *left = left.saturating_sub(counted.work);
            }
            if let Some(fault) = counted.faults.first() {
                return Err(NoCounts::Fault(Box::new(fault.clone())));
            }
            Ok(Found {
                is_exact: counted.counts.is_exact(),
                counts: counted.counts.upper(),
            })
        }
        Err(CountError::Fault(fault)) => Err(NoCounts::Fault(Box::new(fault))),
        Err(CountError::TooLong(_) | CountError::Interrupted | CountError::TooLarge(_)) => {
            if let Some(left) = &mut budget.0 {
                *left = 0;
            }
            Err(NoCounts::TooLong)
        }
    }
}

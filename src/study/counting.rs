//! The counts of a program at a point of a study, and the core-steps that may still be counted.

use std::ops::ControlFlow;

use crate::count::{Charged, Counts};
use crate::derivation::evaluate::Workplace;
use crate::derive::numbers::{Known, completed};
use crate::diag::Diagnostic;
use crate::interval::{CountError, CountOptions, TEN_SECONDS};
use crate::machine::CycleRules;
use crate::meaning::Point;
use crate::number::BigInt;
use crate::study::prepared::Prepared;

/// How long programs without exact forms may be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Not at all: where forms are not exact, their bounds have to do.
    Never,
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
            Counting::Never => Budget(Some(0)),
            Counting::Briefly => Budget(Some(TEN_SECONDS)),
            Counting::Patiently => Budget(None),
        }
    }

    fn spend(&mut self, work: u64) {
        if let Some(left) = &mut self.0 {
            *left = left.saturating_sub(work);
        }
    }
}

/// Counts at a point; upper bounds when not exact.
pub(super) struct Found {
    pub(super) counts: Counts<BigInt>,
    /// Whether the counts are exact; the charges say it of themselves.
    pub(super) is_exact: bool,
    /// The lower ends of the counts, where they are not.
    pub(super) least: Option<Counts<BigInt>>,
    pub(super) charges: Option<Charged>,
    /// No run needs less shared memory than this, nor less global memory.
    pub(super) least_words: [BigInt; 2],
}

/// Why there are none.
pub(super) enum NoCounts {
    /// The budget is used up, and there are not even bounds.
    TooLong,
    /// The program is at fault at this point.
    Fault(Box<Diagnostic>),
}

/// What a machine charges, where a model asks: its rules for cycles, and what closed forms say of it.
#[derive(Default)]
pub(super) struct Charging<'t> {
    pub(super) cycle_rules: Option<&'t CycleRules>,
    pub(super) known: Option<Charged>,
    /// Whether each shared operand costs its degree: no closed form has that, and it is counted.
    pub(super) conflicts: bool,
}

pub(super) fn counts(
    subject: &Prepared<'_>,
    point: &Point,
    workplace: Option<&mut Workplace>,
    charging: Charging<'_>,
    budget: &mut Budget,
) -> Result<Found, NoCounts> {
    let forms = subject.evaluation.as_ref().zip(workplace);
    let forms = forms.filter(|_| !charging.conflicts);
    let counts = forms
        .and_then(|(forms, workplace)| forms.at(&point.parameters, workplace).ok())
        .filter(|found| found.omitted == BigInt::ZERO)
        .map(|found| found.counts);
    let known = Known {
        counts,
        charges: charging.known,
        ..Known::default()
    };
    let options = CountOptions {
        charge_conflicts: charging.conflicts,
        work_limit: budget.0,
        cycle_rules: charging.cycle_rules.cloned(),
    };
    let going = |_| ControlFlow::Continue(());
    match completed(subject.program, known, point, &options, &going) {
        Ok(numbers) => {
            budget.spend(numbers.work);
            Ok(Found {
                is_exact: numbers.is_exact,
                least: numbers.least,
                counts: numbers.counts,
                charges: numbers.charges,
                least_words: numbers.least_words,
            })
        }
        Err(CountError::Fault(fault)) => Err(NoCounts::Fault(Box::new(fault))),
        Err(CountError::TooLong(_) | CountError::Interrupted | CountError::TooLarge(_)) => {
            budget.spend(u64::MAX);
            Err(NoCounts::TooLong)
        }
    }
}

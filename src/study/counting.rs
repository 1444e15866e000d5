//! The counts of a program at a point of a study, and the budget for counting.

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

/// The time allowed for counting programs without exact forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counting {
    /// No counting: bounds are used where forms are not exact.
    Never,
    /// About ten seconds for the points of one program on one machine.
    Briefly,
    /// Any time.
    Patiently,
}

/// Budget of core-steps for counting; `None` is unlimited.
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

/// The counts at a point; upper bounds if not exact.
pub(super) struct Found {
    pub(super) counts: Counts<BigInt>,
    /// True if the counts are exact. The charges carry a flag of their own.
    pub(super) is_exact: bool,
    /// The lower bounds of the counts, if they are not exact.
    pub(super) least: Option<Counts<BigInt>>,
    pub(super) charges: Option<Charged>,
    /// Whether the budget was too small to come closer.
    pub(super) is_cut_short: bool,
    /// No run needs less shared memory than this, nor less global memory.
    pub(super) least_words: [BigInt; 2],
}

/// The reason why there are no counts.
pub(super) enum NoCounts {
    /// The budget is spent, and there are no bounds either.
    TooLong,
    /// The program is at fault at this point.
    Fault(Box<Diagnostic>),
}

/// The charges of a machine, if a model needs them: its rules, and the charges known from closed forms.
#[derive(Default)]
pub(super) struct Charging<'t> {
    pub(super) cycle_rules: Option<&'t CycleRules>,
    pub(super) known: Option<Charged>,
    /// True if each shared operand costs its degree. No closed form contains that, so it is counted.
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
                is_cut_short: numbers.is_cut_short,
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

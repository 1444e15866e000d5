//! All that is known at one point, as it is handed on.

use crate::cost::{Estimate, Exact, Subject};
use crate::count::Counts;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::sweep::charging::CHARGES;

/// All that is known at one point.
pub struct Case<'c> {
    /// The algorithm's name.
    pub program: &'c str,
    /// The machine's name.
    pub machine: &'c str,
    /// The values of [`Sweep::columns`](crate::study::sweep::Sweep::columns); none where the program has no such parameter.
    pub values: &'c [Option<Rational>],
    /// The counts; upper bounds when not exact.
    pub counts: &'c Counts<BigInt>,
    /// What each model says.
    pub estimates: &'c [(&'static str, Estimate)],
    /// Which counts and figures are exact.
    pub exact: &'c Exact,
    /// What the models judged.
    pub subject: Subject<'c>,
    /// The machine they judged it on, with what varies on it.
    pub on: &'c Machine,
}

impl Case<'_> {
    /// What the machine charges, where it was asked: names, sums over all kernels, units.
    pub(crate) fn charges(&self) -> Vec<(&'static str, Rational, &'static str)> {
        let Some(charged) = self.subject.charges else {
            return Vec::new();
        };
        let sums = [
            charged.total(|round| &round.compute),
            charged.total(|round| &round.memory),
            charged.total(|round| &round.memory_transactions),
            charged.total(|round| &round.bank_conflicts),
        ];
        let named = CHARGES.into_iter().zip(sums);
        named.map(|((name, unit), sum)| (name, sum, unit)).collect()
    }

    /// Whether the charges are exact, where they were asked.
    pub(crate) fn has_exact_charges(&self) -> bool {
        self.subject.charges.is_some_and(|charged| charged.is_exact)
    }
}

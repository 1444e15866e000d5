//! The complete results at one point.

use crate::cost::{Estimate, Exact, Subject};
use crate::count::Counts;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::sweep::charging::CHARGES;

/// The complete results at one point.
pub struct Case<'c> {
    /// The algorithm's name.
    pub program: &'c str,
    /// The machine's name.
    pub machine: &'c str,
    /// The values of [`Sweep::columns`](crate::study::sweep::Sweep::columns); `None` for a parameter that
    /// the program does not have.
    pub values: &'c [Option<Rational>],
    /// The counts; upper bounds if not exact.
    pub counts: &'c Counts<BigInt>,
    /// The estimate of each model.
    pub estimates: &'c [(&'static str, Estimate)],
    /// The exact ones among the counts and figures.
    pub exact: &'c Exact,
    /// The subject of the models.
    pub subject: Subject<'c>,
    /// The machine, with the values that vary on it.
    pub on: &'c Machine,
}

impl Case<'_> {
    /// What the machine charges, where it was asked: names and sums over all kernels.
    pub(crate) fn charges(&self) -> Vec<(&'static str, Rational)> {
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
        named.map(|((name, _), sum)| (name, sum)).collect()
    }

    /// Returns true if charges were requested and are exact.
    pub(crate) fn has_exact_charges(&self) -> bool {
        self.subject.charges.is_some_and(|charged| charged.is_exact)
    }
}

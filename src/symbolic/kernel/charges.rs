//! The charges of one line under a machine's own weights.

use crate::count::Kind;
use crate::machine::CycleRules;
use crate::number::Rational;
use crate::operations::Operations;
use crate::sym::Expr;
use crate::symbolic::amount::Amount;

/// The charges of one line, in the context it was counted in.
#[derive(Debug, Clone)]
pub(crate) struct LineCharges {
    /// Its operations, paid for once.
    each: Operations,
    /// How often they are paid for.
    pub(crate) paid: Amount,
    /// Iterations of its loop.
    pub(crate) iterations: Amount,
    /// Cycles of its accesses.
    pub(super) memory: Amount,
    /// No fewer cycles, in a form that does not follow how many cores are active: for where the
    /// costliest MP cannot be told by `memory`.
    pub(super) memory_at_most: Amount,
    pub(super) transactions: Amount,
    /// Bytes of the transactions; unknown where the words' places in their segments are.
    pub(super) bytes: Amount,
    pub(super) conflicts: Amount,
}

impl LineCharges {
    pub(crate) fn of(each: &Operations) -> Self {
        LineCharges {
            each: each.clone(),
            paid: Amount::of(1),
            iterations: Amount::zero(),
            memory: Amount::zero(),
            memory_at_most: Amount::zero(),
            transactions: Amount::zero(),
            bytes: Amount::zero(),
            conflicts: Amount::zero(),
        }
    }

    /// Every amount changed alike.
    pub(crate) fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        LineCharges {
            each: self.each,
            paid: change(&self.paid),
            iterations: change(&self.iterations),
            memory: change(&self.memory),
            memory_at_most: change(&self.memory_at_most),
            transactions: change(&self.transactions),
            bytes: change(&self.bytes),
            conflicts: change(&self.conflicts),
        }
    }

    /// All amounts.
    pub(crate) fn amounts(&self) -> [&Amount; 7] {
        [
            &self.paid,
            &self.iterations,
            &self.memory,
            &self.memory_at_most,
            &self.transactions,
            &self.bytes,
            &self.conflicts,
        ]
    }

    /// Adds what the same line has in another case.
    pub(crate) fn add(&mut self, other: &LineCharges) {
        for (mine, more) in [
            (&mut self.paid, &other.paid),
            (&mut self.iterations, &other.iterations),
            (&mut self.memory, &other.memory),
            (&mut self.memory_at_most, &other.memory_at_most),
            (&mut self.transactions, &other.transactions),
            (&mut self.bytes, &other.bytes),
            (&mut self.conflicts, &other.conflicts),
        ] {
            *mine = mine.plus(more);
        }
    }

    /// Whether its cycles are known on every MP.
    pub(crate) fn is_exact(&self) -> bool {
        self.paid.is_exact() && self.iterations.is_exact() && self.memory.is_exact()
    }

    pub(super) fn of_kind(&self, kind: Kind) -> Amount {
        let paid = self.paid.times(&Amount::of(*self.each.get(kind)));
        match kind {
            Kind::Loop => paid.plus(&self.iterations),
            _ => paid,
        }
    }

    pub(super) fn compute(&self, cycle_rules: &CycleRules) -> Amount {
        let each = priced(&cycle_rules.weights.compute_cycles(&self.each));
        let turn = priced(cycle_rules.weights.of(Kind::Loop));
        let paid = self.paid.times(&each);
        paid.plus(&self.iterations.times(&turn))
    }
}

pub(super) fn priced(cycles: &Rational) -> Amount {
    Amount::exact(Expr::rational(cycles.clone()))
}

//! The range of a sum or a maximum.

use crate::sym::expr::summary::Kind;
use crate::sym::{Cond, Expr, Symbol};

/// The range of a sum: low..high with high ≥ low − 1.
#[derive(Clone)]
pub(crate) struct Range {
    pub(crate) variable: Symbol,
    pub(crate) low: Expr,
    pub(crate) high: Expr,
}

impl Range {
    /// Returns the number of values: high − low + 1.
    pub(crate) fn count(&self) -> Expr {
        &self.high - &self.low + 1
    }

    pub(crate) fn with(&self, low: &Expr, high: &Expr) -> Range {
        Range {
            variable: self.variable.clone(),
            low: low.clone(),
            high: high.clone(),
        }
    }

    /// Returns the condition that the variable lies inside.
    pub(crate) fn inside(&self) -> Cond {
        let variable = Expr::symbol(&self.variable);
        let mut conds = vec![
            Cond::ge(&variable, &self.low),
            Cond::le(&variable, &self.high),
        ];
        // high ≥ low follows by adding both bounds on v. For ends with logarithms it is stated
        // outright, so that a proof has it in one step.
        let room = &self.high - &self.low;
        if room.has(Kind::Log) {
            conds.push(Cond::ge(&room, &Expr::zero()));
        }
        Cond::and(conds)
    }
}

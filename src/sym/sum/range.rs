//! The range of a sum or a maximum.

use crate::sym::expr::summary::Kind;
use crate::sym::{Cond, Expr, Symbol};

/// The range of a sum; never shorter than empty.
#[derive(Clone)]
pub(crate) struct Range {
    pub(crate) variable: Symbol,
    pub(crate) low: Expr,
    pub(crate) high: Expr,
}

impl Range {
    /// How many values: high − low + 1.
    pub(crate) fn count(&self) -> Expr {
        self.high.sub(&self.low).add(&Expr::one())
    }

    pub(crate) fn with(&self, low: &Expr, high: &Expr) -> Range {
        Range {
            variable: self.variable.clone(),
            low: low.clone(),
            high: high.clone(),
        }
    }

    /// The condition that the variable lies inside.
    pub(crate) fn inside(&self) -> Cond {
        let variable = Expr::symbol(&self.variable);
        let mut conds = vec![
            Cond::ge(&variable, &self.low),
            Cond::le(&variable, &self.high),
        ];
        // Between logarithms it says more than the two together do at first sight.
        let room = self.high.sub(&self.low);
        if room.has(Kind::Log) {
            conds.push(Cond::ge(&room, &Expr::zero()));
        }
        Cond::and(conds)
    }
}

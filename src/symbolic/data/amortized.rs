//! Bounds on what a line adds over all MPs together, smaller than what they add to where each MP is
//! bounded by itself: what sorted data give.

use crate::program::VarId;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{Around, Dimension};

/// A bound on what a line adds over all MPs together.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    /// Blocks over all MPs, but for those in `blocks_apart`.
    pub(crate) blocks: Expr,
    /// Σ (degree − 1) over all MPs, likewise.
    pub(crate) conflicts: Expr,
    /// Blocks besides, on each MP.
    pub(crate) blocks_apart: Amount,
    /// Conflicts besides, on each MP.
    pub(crate) conflicts_apart: Amount,
    /// A bound on the blocks of each MP that is plainer and, beside this one, as tight.
    pub(crate) blocks_alone: Option<Amount>,
    /// Whether each row is met once at most, so that no bound MP by MP is smaller.
    pub(crate) is_once: bool,
    /// The sorted input it rests on.
    pub(crate) input: VarId,
    /// Loops around that are in the bound already.
    pub(crate) absorbed: Vec<Symbol>,
}

impl Joint {
    /// Blocks and conflicts over all MPs, no more than this bound.
    pub(crate) fn within(
        &self,
        (blocks, conflicts): (Amount, Amount),
        sum: &dyn Fn(&Amount) -> Amount,
        launch: &Amount,
        facts: &Facts,
    ) -> (Amount, Amount) {
        let bounded = |amount: Amount, alone: Option<&Amount>, all: &Expr, apart: &Amount| {
            if amount.is_exact() {
                return amount;
            }
            let all = Amount::exact(all.clone()).times(launch).plus(&sum(apart));
            let before = alone.and_then(|alone| sum(alone).upper);
            let upper = match (before.or(amount.upper), all.upper) {
                (Some(before), Some(all)) => {
                    let all = facts.simplify(&all);
                    let no_more = facts.prove(&Cond::le(&all, &before)) == Some(true);
                    if self.is_once || no_more {
                        Some(all)
                    } else {
                        Some(facts.simplify(&Expr::min(vec![before, all])))
                    }
                }
                (before, all) => all.or(before),
            };
            Amount {
                upper,
                lower: amount.lower,
            }
        };
        (
            bounded(
                blocks,
                self.blocks_alone.as_ref(),
                &self.blocks,
                &self.blocks_apart,
            ),
            bounded(conflicts, None, &self.conflicts, &self.conflicts_apart),
        )
    }

    /// Whether it is known to bound the blocks no less tightly.
    pub(crate) fn is_less_than(&self, other: &Joint, facts: &Facts) -> bool {
        let is_least =
            |mine: &Expr, others: &Expr| facts.prove(&Cond::le(mine, others)) == Some(true);
        self.blocks_apart.is_zero() && is_least(&self.blocks, &other.blocks)
    }

    /// From the body of a loop, the bound behind that loop.
    pub(crate) fn behind(self, around: &Around, turns: Option<&Dimension>) -> Option<Joint> {
        let turns = turns?;
        if self.absorbed.contains(&turns.symbol) {
            return Some(self);
        }
        let repeated = around.common_length(&turns.low, &turns.high)?;
        Some(self.times(&repeated))
    }

    /// Every amount of one MP changed alike.
    pub(crate) fn map(self, change: impl Fn(&Amount) -> Amount) -> Joint {
        Joint {
            blocks_apart: change(&self.blocks_apart),
            conflicts_apart: change(&self.conflicts_apart),
            blocks_alone: self.blocks_alone.as_ref().map(&change),
            ..self
        }
    }

    /// What is common to all MPs, times a number.
    pub(crate) fn times(self, factor: &Expr) -> Joint {
        Joint {
            blocks: &self.blocks * factor,
            conflicts: &self.conflicts * factor,
            ..self
        }
    }

    /// What another case adds.
    pub(crate) fn plus(self, other: &Joint) -> Joint {
        let absorbed = self.absorbed.into_iter();
        Joint {
            blocks: &self.blocks + &other.blocks,
            conflicts: &self.conflicts + &other.conflicts,
            blocks_apart: self.blocks_apart.plus(&other.blocks_apart),
            conflicts_apart: self.conflicts_apart.plus(&other.conflicts_apart),
            blocks_alone: self
                .blocks_alone
                .zip(other.blocks_alone.as_ref())
                .map(|(mine, more)| mine.plus(more)),
            is_once: false,
            input: self.input,
            absorbed: absorbed
                .filter(|symbol| other.absorbed.contains(symbol))
                .collect(),
        }
    }
}

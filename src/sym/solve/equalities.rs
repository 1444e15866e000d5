//! Unknowns that equalities settle: where n = 2m, all that is said of n is said of 2m, and only m
//! is left to be found.

use crate::number::Rational;
use crate::sym::solve::{Unknown, word};
use crate::sym::{Cond, Expr, Symbol};

/// Conditions without the unknowns that others settle.
pub(super) struct Shorter<'a> {
    pub(super) conditions: Vec<Cond>,
    unknowns: &'a [Unknown],
    /// The value of each unknown that is settled, in those that are not.
    settled: Vec<Option<Expr>>,
}

impl<'a> Shorter<'a> {
    /// `None` if no equality settles an unknown.
    pub(super) fn of(conditions: &[Cond], unknowns: &'a [Unknown]) -> Option<Shorter<'a>> {
        let mut shorter = Shorter {
            conditions: conditions.to_vec(),
            unknowns,
            settled: vec![None; unknowns.len()],
        };
        // At least one is left, so that there is something to try.
        for _ in 1..unknowns.len() {
            let Some((at, value)) = shorter.next() else {
                break;
            };
            shorter.settle(at, value);
        }
        shorter
            .settled
            .iter()
            .any(Option::is_some)
            .then_some(shorter)
    }

    /// An unknown that an equality settles, and its value.
    fn next(&self) -> Option<(usize, Expr)> {
        let equal = self.conditions.iter().filter_map(|cond| match cond {
            Cond::Zero(e) => Some(e),
            _ => None,
        });
        equal.into_iter().find_map(|e| {
            self.unknowns.iter().enumerate().find_map(|(at, unknown)| {
                let [offset, slope] = e.linear_in(&unknown.symbol)?;
                let slope = slope.as_rational()?;
                // Halves of others need not be whole.
                let is_whole = slope.abs() == Rational::ONE && offset.has_whole_shape();
                is_whole.then(|| (at, -offset.scale(&slope)))
            })
        })
    }

    fn settle(&mut self, at: usize, value: Expr) {
        let Unknown { symbol, least, .. } = &self.unknowns[at];
        for cond in &mut self.conditions {
            *cond = cond.substitute(symbol, &value);
        }
        self.conditions.push(Cond::ge(&value, &Expr::int(*least)));
        self.conditions.retain(|cond| *cond != Cond::True);
        for known in self.settled.iter_mut().flatten() {
            *known = known.substitute(symbol, &value);
        }
        self.settled[at] = Some(value);
    }

    /// The unknowns that are left.
    pub(super) fn open(&self) -> Vec<Unknown> {
        let all = self.unknowns.iter().zip(&self.settled);
        let open = all.filter(|(_, settled)| settled.is_none());
        open.map(|(unknown, _)| unknown.clone()).collect()
    }

    /// The numbers of all unknowns, from those of the ones that were left.
    pub(super) fn all(&self, numbers: &[i64]) -> Option<Vec<i64>> {
        let open = self.open();
        let number = |symbol: &Symbol| {
            let at = open.iter().position(|unknown| unknown.symbol == *symbol)?;
            Some(Rational::from(numbers[at]))
        };
        let all = self.unknowns.iter().zip(&self.settled);
        let all = all.map(|(unknown, settled)| match settled {
            Some(value) => word(&value.evaluate(&number).ok()?),
            None => word(&number(&unknown.symbol)?),
        });
        all.collect()
    }
}

//! Operations on quantities of the active cores, core by core.
//!
//! A result that is no number of the language stops the batch: it runs again in the statement-by-statement
//! engine. Overflow is flagged for a whole row and tested once, so that the loops have no branch.

use std::ops::BitOr;

use crate::exec::batches::run::conditions::Truth;
use crate::exec::batches::run::dense::{Dense, Word};
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::meaning::arithmetic;

impl Part<'_, '_> {
    pub(super) fn select<T: Word>(
        &mut self,
        truths: Truth,
        then: Dense<T>,
        otherwise: Dense<T>,
    ) -> Dense<T> {
        let truths = match truths {
            Truth::Same(truth) => {
                let (taken, left) = if truth {
                    (then, otherwise)
                } else {
                    (otherwise, then)
                };
                self.spare.release(left);
                return taken;
            }
            Truth::Lanes(truths) => truths,
        };
        let mut lanes = self.spare.some(truths.len());
        let (x, y) = (
            then.as_slice(&self.shared),
            otherwise.as_slice(&self.shared),
        );
        rows::select(&mut lanes, &truths, x, y);
        self.spare.bools.push(truths);
        self.spare.release(then);
        self.spare.release(otherwise);
        Dense::Lanes(lanes)
    }

    pub(super) fn rounded(&mut self, of: Dense<f64>, round: fn(f64) -> f64) -> Result<Dense<i64>> {
        match of {
            Dense::Same(value) => arithmetic::whole_float(round(value))
                .map(Dense::Same)
                .ok_or(Stop::Bail),
            floats => {
                let mut lanes = self.spare.empty();
                for &float in floats.lanes(&self.shared) {
                    lanes.push(arithmetic::whole_float(round(float)).ok_or(Stop::Bail)?);
                }
                self.spare.release(floats);
                Ok(Dense::Lanes(lanes))
            }
        }
    }

    /// Returns the least or greatest of several values.
    pub(super) fn extreme<T: Word, N>(
        &mut self,
        nodes: &[N],
        value: impl Fn(&mut Self, &N) -> Result<Dense<T>>,
        better: impl Fn(T, T) -> T + Copy,
    ) -> Result<Dense<T>> {
        let (first, rest) = nodes.split_first().ok_or(Stop::Bail)?;
        let mut best = value(self, first)?;
        for node in rest {
            let next = value(self, node)?;
            best = self.zip(best, next, |x, y| (better(x, y), false))?;
        }
        Ok(best)
    }

    /// Applies an operation core by core. Its flag marks a result as unusable.
    #[inline(always)]
    pub(super) fn zip<T: Word, R: Word>(
        &mut self,
        left: Dense<T>,
        right: Dense<T>,
        operation: impl Fn(T, T) -> (R, bool),
    ) -> Result<Dense<R>> {
        self.zip_flagged(left, right, operation, |is_bad| is_bad)
    }

    /// The same for an operation whose flag has the sign bit set if the result is unusable.
    #[inline(always)]
    pub(super) fn zip_signed(
        &mut self,
        left: Dense<i64>,
        right: Dense<i64>,
        operation: impl Fn(i64, i64) -> (i64, i64),
    ) -> Result<Dense<i64>> {
        self.zip_flagged(left, right, operation, |signs| signs < 0)
    }

    /// The same for any flag; `is_bad` judges the union of all flags.
    #[inline(always)]
    fn zip_flagged<T: Word, R: Word, B: Copy + Default + BitOr<Output = B>>(
        &mut self,
        left: Dense<T>,
        right: Dense<T>,
        operation: impl Fn(T, T) -> (R, B),
        is_bad: impl Fn(B) -> bool,
    ) -> Result<Dense<R>> {
        let length = match (left.as_slice(&self.shared), right.as_slice(&self.shared)) {
            (Ok(lanes), _) | (_, Ok(lanes)) => lanes.len(),
            (Err(x), Err(y)) => {
                let (result, flag) = operation(x, y);
                return if is_bad(flag) {
                    Err(Stop::Bail)
                } else {
                    Ok(Dense::Same(result))
                };
            }
        };
        let mut lanes = self.spare.some(length);
        let (x, y) = (left.as_slice(&self.shared), right.as_slice(&self.shared));
        let flags = rows::zip(&mut lanes, x, y, operation);
        self.spare.release(left);
        self.spare.release(right);
        if is_bad(flags) {
            Err(Stop::Bail)
        } else {
            Ok(Dense::Lanes(lanes))
        }
    }

    /// Multiplies; products of 32-bit numbers cannot overflow and need no check.
    pub(super) fn multiply(&mut self, left: Dense<i64>, right: Dense<i64>) -> Result<Dense<i64>> {
        let is_half = |value: &Dense<i64>| match value.as_slice(&self.shared) {
            Ok(lanes) => rows::magnitude(lanes) < 32,
            Err(value) => i32::try_from(value).is_ok(),
        };
        if is_half(&left) && is_half(&right) {
            let product = |x: i64, y: i64| (i64::from(x as i32) * i64::from(y as i32), 0);
            return self.zip_signed(left, right, product);
        }
        self.zip(left, right, i64::overflowing_mul)
    }

    pub(super) fn try_zip(
        &mut self,
        left: Dense<i64>,
        right: Dense<i64>,
        operation: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<Dense<i64>> {
        self.zip(left, right, |x, y| {
            let result = operation(x, y);
            (result.unwrap_or(0), result.is_none())
        })
    }

    /// Divides whole numbers to a float, rounded once.
    pub(super) fn quotient(&mut self, left: Dense<i64>, right: Dense<i64>) -> Result<Dense<f64>> {
        // Numbers up to 2^53 are exact as doubles, so their IEEE quotient is the nearest to the
        // exact one.
        const EXACT: u64 = 1 << 53;
        let divide = |x: i64, y: i64| {
            // The exact quotient 0 has no sign, so 0/−3 must not become −0.
            let is_exact = (x.unsigned_abs() <= EXACT) & (y.unsigned_abs() <= EXACT) & (y != 0);
            (x as f64 / y as f64, !(is_exact & ((x != 0) | (y > 0))))
        };
        self.zip(left, right, divide)
    }
}

//! Results about the numbers under quantifiers, kept for the next time they are asked for. A fold
//! is continued: `Σ y ∈ 0..x : A[y]` goes on where it was for x − 1. A tally is looked up:
//! `Σ y ∈ 0..n-1 : [A[y] = x]` asks how often each number occurs.
//!
//! Memory must not change for as long as this is kept.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::exec::host::around::Around;
use crate::meaning::eval::{Between, Tally};
use crate::meaning::read_parameters;
use crate::meaning::value::Value;
use crate::program::{
    ConditionKind, Expr, Formula, FormulaCondition, FormulaNumber, Number, NumberKind, ParamId,
};
use crate::text::Span;

/// Distances between the first and last value for which a tally is made. Fewer values are compared
/// one by one as fast, and more would need much memory.
const TALLIED: std::ops::RangeInclusive<u64> = 64..=1 << 24;

/// Number of requests after which a tally is made. That many comparisons take about as long as
/// counting the numbers.
const ASKED: u32 = 32;

/// All kept results, by the place of the numbers in the text.
#[derive(Debug, Default)]
pub(super) struct Kept {
    folds: FxHashMap<Span, Of<Fold>>,
    tallies: FxHashMap<Span, Of<Tallied>>,
}

/// A result about numbers, valid for some values of the parameters that decide them.
#[derive(Debug)]
struct Of<T> {
    /// The bound parameters that decide the numbers, beside their own variable. `None` if the
    /// numbers never repeat, as far as is known.
    decided_by: Option<Vec<ParamId>>,
    /// Values of these parameters at the time of `kept`.
    at: Vec<i64>,
    kept: Option<T>,
}

/// The values that a fold took so far, and its result.
#[derive(Debug)]
struct Fold {
    values: Between,
    value: Value,
}

#[derive(Debug)]
struct Tallied {
    values: Between,
    /// Number of requests so far.
    asked: u32,
    tally: Option<Arc<Tally>>,
}

/// The answer to a request for a tally.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Use this one.
    Known(Arc<Tally>),
    /// Make it: it is worth it.
    Make,
    /// Do without.
    Nothing,
}

impl Kept {
    /// Returns the result of a fold over a prefix of these values, with the prefix's last value.
    pub(super) fn folded(
        &mut self,
        around: &Around<'_>,
        body: &Number<Formula>,
        values: Between,
    ) -> Option<(i64, Value)> {
        let fold = Of::entry(&mut self.folds, around, body, values.parameter).again(around)?;
        let goes_on = fold.values.first == values.first && fold.values.last <= values.last;
        goes_on.then(|| (fold.values.last, fold.value.clone()))
    }

    /// Keeps the result of a fold.
    pub(super) fn keep_folded(
        &mut self,
        around: &Around<'_>,
        body: &Number<Formula>,
        values: Between,
        value: &Value,
    ) {
        let of = Of::entry(&mut self.folds, around, body, values.parameter);
        of.keep(around, || Fold {
            values,
            value: value.clone(),
        });
    }

    /// Returns a tally of the numbers, or whether one is worth being made.
    pub(super) fn tally(
        &mut self,
        around: &Around<'_>,
        numbers: &Number<Formula>,
        values: Between,
    ) -> Wanted {
        if !TALLIED.contains(&values.last.abs_diff(values.first)) {
            return Wanted::Nothing;
        }
        let of = Of::entry(&mut self.tallies, around, numbers, values.parameter);
        let ends = |values: &Between| (values.first, values.last);
        match of.again(around) {
            Some(tallied) if ends(&tallied.values) == ends(&values) => {
                tallied.asked = tallied.asked.saturating_add(1);
                match &tallied.tally {
                    Some(tally) => Wanted::Known(tally.clone()),
                    None if tallied.asked == ASKED => Wanted::Make,
                    None => Wanted::Nothing,
                }
            }
            _ => {
                of.keep(around, || Tallied {
                    values,
                    asked: 1,
                    tally: None,
                });
                Wanted::Nothing
            }
        }
    }

    /// Keeps a tally.
    pub(super) fn keep_tally(&mut self, numbers: &Number<Formula>, tally: &Arc<Tally>) {
        let of = self.tallies.get_mut(&numbers.span);
        if let Some(tallied) = of.and_then(|of| of.kept.as_mut()) {
            tallied.tally = Some(tally.clone());
        }
    }
}

impl<T> Of<T> {
    fn entry<'k>(
        all: &'k mut FxHashMap<Span, Of<T>>,
        around: &Around<'_>,
        numbers: &Number<Formula>,
        own: ParamId,
    ) -> &'k mut Of<T> {
        all.entry(numbers.span).or_insert_with(|| Of {
            decided_by: decided_by(around, numbers, own),
            at: Vec::new(),
            kept: None,
        })
    }

    /// Returns the kept result, if its parameters have the same values as then.
    fn again(&mut self, around: &Around<'_>) -> Option<&mut T> {
        let decided_by = self.decided_by.as_ref()?;
        let mut now = decided_by.iter().map(|parameter| around.word(*parameter));
        let kept = self.kept.as_mut()?;
        let is_same = self.at.iter().all(|at| now.next().flatten() == Some(*at));
        is_same.then_some(kept)
    }

    fn keep(&mut self, around: &Around<'_>, kept: impl FnOnce() -> T) {
        let Some(decided_by) = &self.decided_by else {
            return;
        };
        self.at.clear();
        self.kept = None;
        // A value that is no word cannot be compared next time, so nothing is kept.
        for parameter in decided_by {
            let Some(word) = around.word(*parameter) else {
                return;
            };
            self.at.push(word);
        }
        self.kept = Some(kept());
    }
}

/// Returns the bound parameters that decide numbers, beside their own. Gives `None` if every bound
/// parameter does: then no two evaluations are alike, and nothing is worth keeping.
fn decided_by(
    around: &Around<'_>,
    numbers: &Number<Formula>,
    own: ParamId,
) -> Option<Vec<ParamId>> {
    // In `∀ x ∈ 0..n-1 : Σ y ∈ 0..n-1 : A[y] = …` the sum does not read x, so it repeats and `x` is
    // no decider. In `∀ x : … Σ y ∈ 0..x : A[y + x]` the body reads x: it never repeats.
    let mut bound_inside = vec![own];
    Expr::from(numbers).any(&mut |part| {
        let over = match part {
            Expr::Number(number) => match &number.kind {
                NumberKind::Only(
                    FormulaNumber::Sum(over) | FormulaNumber::Min(over) | FormulaNumber::Max(over),
                ) => &over.binders,
                _ => return false,
            },
            Expr::Condition(condition) => match &condition.kind {
                ConditionKind::Only(
                    FormulaCondition::ForAll(over) | FormulaCondition::Exists(over),
                ) => &over.binders,
                _ => return false,
            },
        };
        bound_inside.extend(over.iter().map(|binder| binder.parameter));
        false
    });
    let mut read: Vec<ParamId> = read_parameters(numbers).into_iter().collect();
    read.retain(|parameter| around.varies(*parameter) && !bound_inside.contains(parameter));
    let mut bound = (0..around.values.len()).map(|at| ParamId(at as u32));
    let is_bound = |parameter: ParamId| {
        around.varies(parameter) && around.values[parameter.0 as usize].is_some()
    };
    let may_repeat = bound
        .any(|parameter| is_bound(parameter) && parameter != own && !read.contains(&parameter));
    may_repeat.then_some(read)
}

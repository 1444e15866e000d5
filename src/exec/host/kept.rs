//! What the numbers of quantifiers came to, kept for when they are asked for again: how far a fold went
//! (`Σ y ∈ 0..x : A[y]` goes on where it was for x − 1), and how often each number occurs
//! (`Σ y ∈ 0..n-1 : [A[y] = x]` is looked up).
//!
//! Memory must be as it was for as long as this is kept.

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

/// Of how many values a tally is made: fewer are compared one by one as fast, and more would need much
/// memory.
const TALLIED: std::ops::RangeInclusive<u64> = 64..=1 << 24;

/// How often numbers are asked for before a tally of them is made: so often they are compared in the time
/// that counting them takes.
const ASKED: u32 = 32;

/// What is kept, by where the numbers are written.
#[derive(Debug, Default)]
pub(super) struct Kept {
    folds: FxHashMap<Span, Of<Fold>>,
    tallies: FxHashMap<Span, Of<Tallied>>,
}

/// What is kept of numbers that parameters decide.
#[derive(Debug)]
struct Of<T> {
    /// The parameters that decide them, beside the one they are taken for; `None` where the numbers are
    /// different ones each time, as far as is known.
    decided_by: Option<Vec<ParamId>>,
    /// The values of those.
    at: Vec<i64>,
    kept: Option<T>,
}

/// How far a fold went, and what it came to.
#[derive(Debug)]
struct Fold {
    values: Between,
    value: Value,
}

#[derive(Debug)]
struct Tallied {
    values: Between,
    /// How often it was asked for.
    asked: u32,
    tally: Option<Arc<Tally>>,
}

/// What is to be done about a tally.
#[derive(Debug)]
pub(super) enum Wanted {
    /// It is there.
    Known(Arc<Tally>),
    /// It is worth being made.
    Make,
    /// Nothing.
    Nothing,
}

impl Kept {
    /// What a fold from the same value on came to, and the last value it took, not beyond these.
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

    /// Takes note of what a fold came to.
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

    /// Whether a tally is known of numbers, or worth being made.
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

    /// Takes note of a tally that was worth being made.
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

    /// What is kept, where the same parameters have the same values.
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
        for parameter in decided_by {
            let Some(word) = around.word(*parameter) else {
                return;
            };
            self.at.push(word);
        }
        self.kept = Some(kept());
    }
}

/// The bound parameters that decide numbers, beside their own; `None` where all that are bound do, so that
/// they are the same at no two times.
fn decided_by(
    around: &Around<'_>,
    numbers: &Number<Formula>,
    own: ParamId,
) -> Option<Vec<ParamId>> {
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

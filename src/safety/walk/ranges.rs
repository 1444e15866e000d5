//! Values that reach a variable with a declared range: takes each write, update and transfer, and judges whether its
//! value stays within.

use crate::program::{AtomicOperator, Number, Region, VarId, Word};
use crate::safety::bounds;
use crate::safety::site::Place;
use crate::safety::verdict::{Property, Reason, Subject, Verdict};
use crate::safety::walk::{Asks, Walk};
use crate::sym::Expr;
use crate::text::Span;

/// Judges a value written to a word.
pub(super) fn of_write(
    walk: &mut Walk<'_>,
    target: &Word,
    value: Option<&Expr>,
    place: &mut Place,
) {
    if let Some(range) = asked_for(walk, target.variable) {
        let verdict = if walk.forms.is_float(target.variable) {
            Verdict::Open(Reason::Form)
        } else {
            within(walk, range, value, place)
        };
        judge(walk, target.variable, target.span, verdict);
    }
}

/// Judges an `atomic`. Under `min` and `max` a word moves towards one end of its range only: it takes one of `values`
/// or stays as it was.
pub(super) fn of_update(
    walk: &mut Walk<'_>,
    target: &Word,
    operator: AtomicOperator,
    values: Option<Vec<Expr>>,
    place: &mut Place,
) {
    let Some((low, high)) = asked_for(walk, target.variable) else {
        return;
    };
    let end = match operator {
        AtomicOperator::Min => Some(low),
        AtomicOperator::Max => Some(high),
        AtomicOperator::Add | AtomicOperator::Multiply => None,
    };
    let verdict = if walk.forms.is_float(target.variable) {
        Verdict::Open(Reason::Form)
    } else if let Some(end) = end.and_then(|end| walk.forms.number(end, place))
        && let Some(values) = values
    {
        let within = |value: &Expr| match operator {
            AtomicOperator::Min => bounds::between(value, &end, value, place),
            _ => bounds::between(value, value, &end, place),
        };
        let verdicts: Vec<Verdict> = values.iter().map(within).collect();
        let open = verdicts.iter().position(|verdict| !verdict.is_proved());
        let verdict = verdicts.into_iter().nth(open.unwrap_or(0));
        verdict.unwrap_or(Verdict::Open(Reason::Data))
    } else {
        Verdict::Open(Reason::Data)
    };
    judge(walk, target.variable, target.span, verdict);
}

/// Judges the words of one region that a transfer moves to another.
pub(super) fn of_transfer(walk: &mut Walk<'_>, from: &Region, to: &Region, place: &mut Place) {
    let Some(range) = asked_for(walk, to.variable) else {
        return;
    };
    let value = walk.forms.any(from.variable, place);
    let is_free = walk.program.variable(from.variable).range.is_none();
    let verdict = match within(walk, range, value.as_ref(), place) {
        Verdict::Open(Reason::Data) if is_free => Verdict::Open(Reason::Transferred(from.variable)),
        verdict => verdict,
    };
    judge(walk, to.variable, to.span, verdict);
}

/// The declared range of a variable, where the walk asks about it.
fn asked_for<'p>(walk: &Walk<'p>, variable: VarId) -> Option<&'p (Number, Number)> {
    let range = walk.program.variable(variable).range.as_ref();
    range.filter(|_| walk.asks == Asks::All)
}

fn within(
    walk: &mut Walk<'_>,
    (low, high): &(Number, Number),
    value: Option<&Expr>,
    place: &mut Place,
) -> Verdict {
    let ends = [low, high].map(|end| walk.forms.number(end, place));
    match (ends, value) {
        ([Some(low), Some(high)], Some(value)) => bounds::between(value, &low, &high, place),
        (_, _) => Verdict::Open(Reason::Data),
    }
}

fn judge(walk: &mut Walk<'_>, variable: VarId, span: Span, verdict: Verdict) {
    walk.judge(Property::Defined, span, Subject::Range(variable), verdict);
}

//! Quantifiers: `Σ min max ∀ ∃` over every value of their variables, many at once where the leaves
//! can do that. They stop as soon as they are decided.
//!
//! Leaves may know of a quantifier's numbers from an earlier time, when another variable had another
//! value: how far `Σ y ∈ 0..x` has come for x − 1, or how often each number occurs in `Σ y : [A[y] = x]`.

use rustc_hash::FxHashMap;

use crate::meaning::arithmetic;
use crate::meaning::eval::walk::{self, Mode, truth, walk};
use crate::meaning::eval::{Bound, Connectives, Evaluated, Leaves};
use crate::meaning::value::Value;
use crate::program::{
    Binder, Condition, ConditionKind, Formula, Number, NumberKind, Over, ParamId,
};
use crate::syntax::ast::Comparison;
use crate::text::Span;

/// The values of a parameter between two ends, both taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between {
    /// The parameter.
    pub(crate) parameter: ParamId,
    /// Its first value.
    pub(crate) first: i64,
    /// Its last value, no less than the first.
    pub(crate) last: i64,
}

/// Neighbouring values of a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sweep {
    /// The parameter.
    pub(crate) parameter: ParamId,
    /// Its first value.
    pub(crate) first: i64,
    /// How many.
    pub(crate) count: usize,
}

/// What a sweep of numbers gives, by value of the parameter.
pub(crate) enum Swept {
    /// Whole numbers.
    Ints(Vec<i64>),
    /// `[cond]`: how many are 1, and how many there are.
    Brackets { held: usize, of: usize },
    /// Floats.
    Floats(Vec<f64>),
}

/// Most values of a quantifier's variable that are swept at once.
pub(crate) const MOST_SWEPT: usize = 512;

/// Fewer values are not worth a sweep.
const LEAST_SWEPT: usize = 4;

/// Calls `visit` with every combination of the binders' values, until it says it is decided.
/// Gives back whether it did.
pub(crate) fn over<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    binders: &[Binder<P>],
    (span, mode): (Span, Connectives),
    visit: &mut dyn FnMut(&mut dyn Leaves<Stop = S>) -> Result<bool, S>,
) -> Result<bool, S> {
    let Some((binder, inner)) = binders.split_first() else {
        return visit(leaves);
    };
    let range = Range::of(leaves, binder, Mode::outermost(mode))?;
    for at in 0..range.count {
        leaves.tick(1, Bound::Outer, span)?;
        leaves.bind(binder.parameter, range.at(at));
        if over(leaves, inner, (span, mode), visit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Neighbouring whole numbers of any size.
struct Range {
    first: Value,
    /// How many; as many as can be counted where there are more.
    count: u64,
}

impl Range {
    /// The values of a binder.
    fn of<P: Evaluated, S>(
        leaves: &mut dyn Leaves<Stop = S>,
        binder: &Binder<P>,
        mode: Mode,
    ) -> Result<Range, S> {
        let first = walk::integral(leaves, &binder.low, mode)?;
        let last = walk::integral(leaves, &binder.high, mode)?;
        let count = match (&first, &last) {
            (Value::Whole(first), Value::Whole(last)) if last < first => 0,
            (Value::Whole(first), Value::Whole(last)) => last.abs_diff(*first).saturating_add(1),
            (first, last) => match arithmetic::subtract(last, first) {
                Value::Whole(more) => u64::try_from(more).map_or(0, |more| more + 1),
                more => match arithmetic::maximum(&more, &Value::Whole(0)) {
                    Value::Whole(_) => 0,
                    Value::Exact(_) | Value::Float(_) => u64::MAX,
                },
            },
        };
        Ok(Range { first, count })
    }

    fn at(&self, offset: u64) -> Value {
        if let Value::Whole(first) = self.first
            && let Some(value) = first.checked_add_unsigned(offset)
        {
            return Value::Whole(value);
        }
        arithmetic::add(&self.first, &Value::whole(offset.into()))
    }

    /// The same without so many of its first values.
    fn after(&self, values: u64) -> Range {
        Range {
            first: self.at(values),
            count: self.count.saturating_sub(values),
        }
    }

    /// Its ends, where there are values and all fit words.
    fn between(&self, parameter: ParamId) -> Option<Between> {
        let Value::Whole(first) = self.first else {
            return None;
        };
        let last = first.checked_add_unsigned(self.count.checked_sub(1)?)?;
        Some(Between {
            parameter,
            first,
            last,
        })
    }
}

/// A quantifier over all its binders, outermost first.
fn quantified<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    binders: &[Binder<P>],
    fold: &mut dyn Fold<S>,
    (span, mode): (Span, Mode),
) -> Result<(), S> {
    let (last, outer) = binders.split_last().expect("checked: a quantifier binds");
    over(leaves, outer, (span, mode.connectives), &mut |leaves| {
        innermost(leaves, last, fold, (span, mode))?;
        Ok(fold.is_decided())
    })?;
    Ok(())
}

/// Takes every value of the innermost variable, many at once where that goes.
fn innermost<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    binder: &Binder<P>,
    fold: &mut dyn Fold<S>,
    (span, mode): (Span, Mode),
) -> Result<(), S> {
    let range = Range::of(leaves, binder, mode)?;
    each(leaves, binder.parameter, &range, fold, (span, mode))
}

/// Takes every value of a range, many at once where that goes.
fn each<S>(
    leaves: &mut dyn Leaves<Stop = S>,
    parameter: ParamId,
    range: &Range,
    fold: &mut dyn Fold<S>,
    (span, mode): (Span, Mode),
) -> Result<(), S> {
    let may_sweep = mode.connectives == Connectives::ShortCircuit;
    let mut taken = 0;
    while taken < range.count && !fold.is_decided() {
        let left = usize::try_from(range.count - taken).unwrap_or(MOST_SWEPT);
        let count = left.min(MOST_SWEPT);
        let values = match range.at(taken) {
            Value::Whole(first) if may_sweep && count >= LEAST_SWEPT => Some(Sweep {
                parameter,
                first,
                count,
            }),
            _ => None,
        };
        if values
            .and_then(|values| fold.sweep(leaves, values))
            .is_some()
        {
            leaves.tick(count as u64, Bound::Innermost, span)?;
        } else {
            for value in 0..count as u64 {
                leaves.tick(1, Bound::Innermost, span)?;
                leaves.bind(parameter, range.at(taken + value));
                fold.take(leaves, mode)?;
                if fold.is_decided() {
                    break;
                }
            }
        }
        taken += count as u64;
    }
    Ok(())
}

/// A quantifier's body and what it has come to.
trait Fold<S> {
    /// Evaluates the body for the values that are bound, and takes it in.
    fn take(&mut self, leaves: &mut dyn Leaves<Stop = S>, mode: Mode) -> Result<(), S>;

    /// Takes in the body for many values at once, where that goes.
    fn sweep(&mut self, leaves: &mut dyn Leaves<Stop = S>, values: Sweep) -> Option<()>;

    /// Whether further values change nothing.
    fn is_decided(&self) -> bool;
}

/// How the numbers of a quantifier become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    Sum,
    Minimum,
    Maximum,
}

impl Join {
    /// Two values as one.
    fn both(self, one: &Value, other: &Value) -> Value {
        match self {
            Join::Sum => arithmetic::add(one, other),
            Join::Minimum => arithmetic::minimum(one, other),
            Join::Maximum => arithmetic::maximum(one, other),
        }
    }

    /// Words as one value, if there are any.
    fn ints(self, words: &[i64]) -> Option<Value> {
        match self {
            Join::Sum => {
                // At most 512 words of less than 2^53 do not overflow.
                let (mut sum, mut raised) = (0i64, 0u64);
                for &word in words {
                    sum = sum.wrapping_add(word);
                    raised |= word.wrapping_add(1 << 53) as u64;
                }
                Some(match raised >> 54 {
                    0 => Value::Whole(sum),
                    _ => Value::whole(
                        words
                            .iter()
                            .map(|&word| i128::from(word))
                            .sum::<i128>()
                            .into(),
                    ),
                })
            }
            Join::Minimum => words.iter().min().map(|least| Value::Whole(*least)),
            Join::Maximum => words.iter().max().map(|most| Value::Whole(*most)),
        }
    }
}

/// `Σ`, `min` or `max` so far.
struct Folded<'e, P: Evaluated> {
    body: &'e Number<P>,
    value: Option<Value>,
    join: Join,
}

impl<P: Evaluated> Folded<'_, P> {
    fn take_value(&mut self, next: Value) {
        self.value = Some(match self.value.take() {
            Some(so_far) => self.join.both(&so_far, &next),
            None => next,
        });
    }
}

impl<P: Evaluated, S> Fold<S> for Folded<'_, P> {
    fn take(&mut self, leaves: &mut dyn Leaves<Stop = S>, mode: Mode) -> Result<(), S> {
        let value = walk(leaves, self.body, mode)?;
        self.take_value(value);
        Ok(())
    }

    fn sweep(&mut self, leaves: &mut dyn Leaves<Stop = S>, values: Sweep) -> Option<()> {
        match leaves.sweep(P::formula(self.body)?, values)? {
            Swept::Ints(ints) => {
                if let Some(value) = self.join.ints(&ints) {
                    self.take_value(value);
                }
            }
            Swept::Brackets { held, of } => {
                let value = match self.join {
                    Join::Sum => held as i64,
                    Join::Minimum => (held == of).into(),
                    Join::Maximum => (held > 0).into(),
                };
                self.take_value(Value::Whole(value));
            }
            Swept::Floats(floats) => {
                let values = floats.into_iter().map(Value::Float);
                values.for_each(|value| self.take_value(value));
            }
        }
        Some(())
    }

    fn is_decided(&self) -> bool {
        false
    }
}

/// `∀` or `∃`: whether a value is found that decides it.
struct Search<'e> {
    body: &'e Condition<Formula>,
    /// What the body must be for that.
    deciding: bool,
    found: bool,
}

impl<S> Fold<S> for Search<'_> {
    fn take(&mut self, leaves: &mut dyn Leaves<Stop = S>, mode: Mode) -> Result<(), S> {
        self.found = truth(leaves, self.body, mode)? == self.deciding;
        Ok(())
    }

    fn sweep(&mut self, leaves: &mut dyn Leaves<Stop = S>, values: Sweep) -> Option<()> {
        self.found = leaves.search(self.body, values, self.deciding)?;
        Some(())
    }

    fn is_decided(&self) -> bool {
        self.found
    }
}

/// A fold over all binders. With one alone, what the leaves know of its numbers is not evaluated again.
fn folded<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    binders: &[Binder<P>],
    fold: &mut Folded<'_, P>,
    (span, mode): (Span, Mode),
) -> Result<(), S> {
    let ([binder], Some(body), Connectives::ShortCircuit) =
        (binders, P::formula(fold.body), mode.connectives)
    else {
        return quantified(leaves, binders, fold, (span, mode));
    };
    let range = Range::of(leaves, binder, mode)?;
    let parameter = binder.parameter;
    let Some(values) = range.between(parameter) else {
        return each(leaves, parameter, &range, fold, (span, mode));
    };
    if fold.join == Join::Sum
        && let Some(times) = times(leaves, body, values, mode)
    {
        leaves.tick(1, Bound::Innermost, span)?;
        fold.take_value(Value::Whole(times));
        return Ok(());
    }
    let rest = match leaves.folded_before(body, values) {
        Some((last, value)) => {
            fold.value = Some(value);
            range.after(last.abs_diff(values.first) + 1)
        }
        None => range,
    };
    each(leaves, parameter, &rest, fold, (span, mode))?;
    if let Some(value) = &fold.value {
        leaves.keep_folded(body, values, value);
    }
    Ok(())
}

/// How many of the values make `[f = g]` 1, where only `f` varies with them and the leaves know how
/// often it comes to each number.
fn times<S>(
    leaves: &mut dyn Leaves<Stop = S>,
    body: &Number<Formula>,
    values: Between,
    mode: Mode,
) -> Option<i64> {
    let NumberKind::Bracket(condition) = &body.kind else {
        return None;
    };
    let ConditionKind::Compare {
        operands,
        operators,
    } = &condition.kind
    else {
        return None;
    };
    let ([left, right], [Comparison::Equal]) = (&operands[..], &operators[..]) else {
        return None;
    };
    let varies = |number: &Number<Formula>| number.reads(values.parameter);
    let (varying, fixed) = match (varies(left), varies(right)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return None,
    };
    let tally = leaves.tally(varying, values)?;
    // What it meets beside whole numbers, one by one will tell.
    match walk(leaves, fixed, mode) {
        Ok(Value::Whole(wanted)) => Some(tally.times(wanted)),
        Ok(_) | Err(_) => None,
    }
}

/// How often whole numbers occur.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    times: FxHashMap<i64, i64>,
}

impl Tally {
    /// Counts more numbers.
    pub(crate) fn count(&mut self, numbers: &[i64]) {
        for number in numbers {
            *self.times.entry(*number).or_default() += 1;
        }
    }

    fn times(&self, wanted: i64) -> i64 {
        self.times.get(&wanted).copied().unwrap_or(0)
    }
}

/// The numbers of all choices added up, from 0 of the sum's type on.
pub(super) fn sum<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    over: &Over<Number<P>, P>,
    whole: &Number<P>,
    mode: Mode,
) -> Result<Value, S> {
    let zero = walk::as_type(whole.ty, Value::Whole(0));
    let mut fold = Folded {
        body: &*over.body,
        value: Some(zero.clone()),
        join: Join::Sum,
    };
    folded(leaves, &over.binders, &mut fold, (whole.span, mode))?;
    Ok(fold.value.unwrap_or(zero))
}

/// The smallest or largest of the numbers of all choices; none of none.
pub(super) fn extreme<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    over: &Over<Number<P>, P>,
    join: Join,
    (span, mode): (Span, Mode),
) -> Result<Option<Value>, S> {
    let mut fold = Folded {
        body: &*over.body,
        value: None,
        join,
    };
    folded(leaves, &over.binders, &mut fold, (span, mode))?;
    Ok(fold.value)
}

/// Whether some values of the binders make the condition come out as wanted.
pub(super) fn is_there<S>(
    leaves: &mut dyn Leaves<Stop = S>,
    over: &Over<Condition<Formula>, Formula>,
    wanted: bool,
    (span, mode): (Span, Mode),
) -> Result<bool, S> {
    let mut search = Search {
        body: &over.body,
        deciding: wanted,
        found: false,
    };
    quantified(leaves, &over.binders, &mut search, (span, mode))?;
    Ok(search.found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_join_as_one_by_one() {
        for words in [
            vec![3],
            vec![-1, 0, 1, -7],
            vec![i64::MAX; MOST_SWEPT],
            vec![i64::MIN; MOST_SWEPT],
            vec![i64::MIN, i64::MAX, 1 << 32, -(1 << 32), u32::MAX.into()],
        ] {
            for join in [Join::Sum, Join::Minimum, Join::Maximum] {
                let each = words.iter().map(|word| Value::Whole(*word));
                let expected = each.reduce(|one, other| join.both(&one, &other));
                let found = join.ints(&words).map(|value| value.to_real().to_rational());
                let expected = expected.map(|value| value.to_real().to_rational());
                assert_eq!(found, expected, "{join:?} of {words:?}");
            }
        }
        assert!(Join::Minimum.ints(&[]).is_none());
    }
}

//! The value of a checked expression, for every counter that has one: the rules of language.md §2.3
//! and §5, once.
//!
//! An expression goes in, with [`Leaves`] that say what its parameters and words are and what a
//! fault is called there; a value comes out. Values are exact unless floats ([`arithmetic`]). What
//! anything costs is never looked at here, nor where words lie; many values at once
//! (ranges, the cores of an MP) are the counters' own.
//!
//! `walk` goes along the expression, [`quantifier`] through the values of bound variables,
//! [`place`] has what only stands in requirements or claims; [`parameters`] are the leaves where a
//! program's parameters are known and no data are.
//!
//! [`arithmetic`]: crate::meaning::arithmetic

pub(super) mod parameters;
mod place;
mod quantifier;
mod walk;

use std::sync::Arc;

use num_traits::ToPrimitive;

use crate::meaning::fault::NoValue;
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::program::{Condition, CostSymbol, Formula, Number, ParamId, Place, VarId};
use crate::text::Span;

pub(crate) use quantifier::{Between, MOST_SWEPT, Sweep, Swept, Tally, over};

use walk::{Mode, truth, walk};

/// Whether `∧ ∨ ⇒` stop as soon as they are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connectives {
    /// In `require`, `ensure` and claims.
    ShortCircuit,
    /// In kernels and conditions of a host `while`: both sides, always.
    BothSides,
}

/// Where a fault is: the expression that has no value, and the operand that is to blame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    /// The expression.
    pub whole: Span,
    /// Its operand, or the expression itself.
    pub part: Span,
}

impl At {
    fn whole(whole: Span) -> At {
        At { whole, part: whole }
    }
}

/// Which variable of a quantifier takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// One with others inside it.
    Outer,
    /// The last.
    Innermost,
}

/// What an expression reads, and what its faults are called.
pub(crate) trait Leaves {
    /// Why an evaluation ends without a value.
    type Stop;

    /// The value of a parameter.
    fn parameter(&self, parameter: ParamId) -> Result<Value, Self::Stop>;

    /// A word, written at a place, at indices that are whole but not yet checked against the
    /// extents, each with its own place.
    fn word(
        &mut self,
        _variable: VarId,
        _span: Span,
        _indices: &[(Value, Span)],
    ) -> Result<Value, Self::Stop> {
        unreachable!("an expression without data reads no word")
    }

    /// The value of a letter of the cost functions.
    fn letter(&self, _letter: CostSymbol) -> Result<Value, Self::Stop> {
        unreachable!("letters of the cost functions stand in claims only")
    }

    /// Binds the variable of a quantifier.
    fn bind(&mut self, _parameter: ParamId, _value: Value) {
        unreachable!("checked: kernels hold no quantifiers")
    }

    /// What to stop with where there is no value.
    fn fault(&self, none: NoValue, at: At) -> Self::Stop;

    /// Called for the values of a quantifier's variable, some at a time, before they are taken.
    fn tick(&mut self, _values: u64, _of: Bound, _span: Span) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Called before every operation on a number that fits no word, with about how many machine words its result takes.
    fn weigh(&mut self, _words: u64, _span: Span) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// The values of a number for neighbouring values of a parameter at once, under
    /// short-circuiting connectives; `None` where that is not possible, or one has none.
    fn sweep(&mut self, _body: &Number<Formula>, _values: Sweep) -> Option<Swept> {
        None
    }

    /// The same for the truths of a condition: whether one of them is as wanted.
    fn search(
        &mut self,
        _body: &Condition<Formula>,
        _values: Sweep,
        _wanted: bool,
    ) -> Option<bool> {
        None
    }

    /// What a fold of the numbers from the same first value on came to before, and the last value it
    /// took, which is not beyond these.
    fn folded_before(&mut self, _body: &Number<Formula>, _values: Between) -> Option<(i64, Value)> {
        None
    }

    /// Takes note of what a fold came to.
    fn keep_folded(&mut self, _body: &Number<Formula>, _values: Between, _value: &Value) {}

    /// How often the number comes to what, where all values make it whole and that is worth finding out.
    fn tally(&mut self, _of: &Number<Formula>, _values: Between) -> Option<Arc<Tally>> {
        None
    }
}

/// A place whose expressions have values.
pub(crate) trait Evaluated: Place {
    /// Whether a bracket that is 0, or a minimum or maximum, makes a product 0 whatever else stands in it, also
    /// what has no value: `[m ≥ 4]·⌈n/(m - 3)⌉` at m = 3.
    const SILENCES: bool = false;

    /// The value of a number that only stands there; `whole` is the number it makes up.
    fn number<S>(
        leaves: &mut dyn Leaves<Stop = S>,
        only: &Self::Number,
        whole: &Number<Self>,
        mode: Mode,
    ) -> Result<Value, S>;

    /// The truth of a condition that only stands there.
    fn condition<S>(
        leaves: &mut dyn Leaves<Stop = S>,
        only: &Self::Condition,
        span: Span,
        mode: Mode,
    ) -> Result<bool, S>;

    /// The same number as one of a formula, where this is the place of formulas: of their quantifiers
    /// leaves may take many values at once.
    fn formula(_number: &Number<Self>) -> Option<&Number<Formula>> {
        None
    }
}

/// The value of a number.
pub(crate) fn number<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Number<P>,
    connectives: Connectives,
) -> Result<Value, S> {
    walk(leaves, expr, Mode::outermost(connectives))
}

/// A whole number of any size.
pub(crate) fn integer<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Number<P>,
) -> Result<BigInt, S> {
    walk::integer(leaves, expr, Mode::outermost(Connectives::BothSides))
}

/// A whole number that fits a word.
pub(crate) fn word<S>(leaves: &mut dyn Leaves<Stop = S>, expr: &Number) -> Result<i64, S> {
    let value = number(leaves, expr, Connectives::BothSides)?;
    if let Value::Whole(whole) = value {
        return Ok(whole);
    }
    let whole = walk::whole(leaves, expr.span, value)?;
    whole.to_i64().ok_or_else(|| {
        let overflow = NoValue::Overflow(Value::whole(whole).into());
        leaves.fault(overflow, At::whole(expr.span))
    })
}

/// The truth of a condition.
pub(crate) fn condition<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Condition<P>,
    connectives: Connectives,
) -> Result<bool, S> {
    truth(leaves, expr, Mode::outermost(connectives))
}

//! What only stands in requirements or in claims, by place.

use num_integer::Integer;
use num_traits::Signed;

use crate::meaning::arithmetic;
use crate::meaning::eval::quantifier::{self, Join};
use crate::meaning::eval::walk::{Mode, compared, integer, truth};
use crate::meaning::eval::{At, Evaluated, Leaves};
use crate::meaning::fault::{Extreme, NoValue};
use crate::meaning::value::Value;
use crate::number::theory;
use crate::program::{
    ClaimNumber, Claimed, Code, Formula, FormulaCondition, FormulaNumber, Nothing, Number,
};
use crate::text::Span;

impl Evaluated for Code {
    fn number<S>(
        _: &mut dyn Leaves<Stop = S>,
        only: &Nothing,
        _: &Number,
        _: Mode,
    ) -> Result<Value, S> {
        match *only {}
    }

    fn condition<S>(
        _: &mut dyn Leaves<Stop = S>,
        only: &Nothing,
        _: Span,
        _: Mode,
    ) -> Result<bool, S> {
        match *only {}
    }
}

impl Evaluated for Formula {
    fn number<S>(
        leaves: &mut dyn Leaves<Stop = S>,
        only: &FormulaNumber,
        whole: &Number<Formula>,
        mode: Mode,
    ) -> Result<Value, S> {
        let (over, join, which) = match only {
            FormulaNumber::Sum(over) => return quantifier::sum(leaves, over, whole, mode),
            FormulaNumber::Min(over) => (over, Join::Minimum, Extreme::Minimum),
            FormulaNumber::Max(over) => (over, Join::Maximum, Extreme::Maximum),
        };
        let found = quantifier::extreme(leaves, over, join, (whole.span, mode))?;
        let none = NoValue::EmptyExtreme(which);
        found.ok_or_else(|| leaves.fault(none, At::whole(whole.span)))
    }

    fn condition<S>(
        leaves: &mut dyn Leaves<Stop = S>,
        only: &FormulaCondition,
        span: Span,
        mode: Mode,
    ) -> Result<bool, S> {
        match only {
            FormulaCondition::About {
                operands,
                relations,
            } => compared(
                leaves,
                operands,
                (relations, arithmetic::relate),
                (span, mode),
            ),
            // Short-circuits, as everything does in `require` and `ensure`.
            FormulaCondition::Implies(left, right) => {
                let decided = !truth(leaves, left, mode)?;
                Ok(decided || truth(leaves, right, mode)?)
            }
            FormulaCondition::ForAll(over) => {
                let refuted = quantifier::is_there(leaves, over, false, (span, mode))?;
                Ok(!refuted)
            }
            FormulaCondition::Exists(over) => {
                quantifier::is_there(leaves, over, true, (span, mode))
            }
        }
    }

    fn formula(number: &Number<Formula>) -> Option<&Number<Formula>> {
        Some(number)
    }
}

impl Evaluated for Claimed {
    const SILENCES: bool = true;

    fn number<S>(
        leaves: &mut dyn Leaves<Stop = S>,
        only: &ClaimNumber,
        whole: &Number<Claimed>,
        mode: Mode,
    ) -> Result<Value, S> {
        match only {
            ClaimNumber::Symbol(letter) => leaves.letter(*letter),
            ClaimNumber::Sum(over) => quantifier::sum(leaves, over, whole, mode),
            ClaimNumber::Gcd(x, y) => {
                let (x, y) = (integer(leaves, x, mode)?, integer(leaves, y, mode)?);
                Ok(Value::whole(x.gcd(&y)))
            }
            ClaimNumber::DigitSum(value, base) => {
                let (value, base) = (integer(leaves, value, mode)?, integer(leaves, base, mode)?);
                let sum = theory::digit_sum(&value, &base).map(Value::whole);
                let none = NoValue::NoDigits { value, base };
                sum.ok_or_else(|| leaves.fault(none, At::whole(whole.span)))
            }
            ClaimNumber::FloorSum(arguments) => {
                let [count, factor, offset, divisor] = &**arguments;
                let count = integer(leaves, count, mode)?;
                let factor = integer(leaves, factor, mode)?;
                let offset = integer(leaves, offset, mode)?;
                let modulus = integer(leaves, divisor, mode)?;
                if !count.is_positive() {
                    return Ok(Value::Whole(0));
                }
                let sum = theory::floor_sum(count, factor, offset, modulus).map(Value::whole);
                let at = At {
                    whole: whole.span,
                    part: divisor.span,
                };
                sum.ok_or_else(|| leaves.fault(NoValue::DivisionByZero, at))
            }
        }
    }

    fn condition<S>(
        _: &mut dyn Leaves<Stop = S>,
        only: &Nothing,
        _: Span,
        _: Mode,
    ) -> Result<bool, S> {
        match *only {}
    }
}

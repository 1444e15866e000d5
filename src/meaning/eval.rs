//! Exact evaluation of data-free expressions and conditions.
//!
//! Quantifiers stop as soon as they are decided; `∧ ∨ ⇒` short-circuit where the caller says so;
//! chains and `select` evaluate all their operands (language.md §2.3, §5).

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::diag::Diagnostic;
use crate::meaning::Environment;
use crate::meaning::error::ValueError;
use crate::number::theory;
use crate::number::{MOST_BITS, Rational, Real};
use crate::program::{
    Arithmetic, Binder, BitFunction, ClaimNumber, Claimed, Code, Condition, ConditionKind,
    CostSymbol, Formula, FormulaCondition, FormulaNumber, MathFunction, Nothing, Number,
    NumberKind, Over, ParamId, Place, Program,
};
use crate::syntax::ast::Comparison;
use crate::text::Span;

/// The most values the quantifiers of one expression may run through.
const MOST_VALUES: u64 = 10_000_000;

thread_local! {
    /// What the quantifiers of all expressions may run through, and what very large numbers take,
    /// where that is limited.
    static VALUES_IN_ALL: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// So many products of words take as long as one value of a quantifier.
const WORDS_OF_A_VALUE: u64 = 100;

fn spend_values(values: u64, span: Span) -> Result<(), ValueError> {
    let too_many = || ValueError::TooManyValues {
        limit: MOST_VALUES,
        span,
    };
    let left = VALUES_IN_ALL.get().checked_sub(values);
    VALUES_IN_ALL.set(left.ok_or_else(too_many)?);
    Ok(())
}

/// Does work in which the quantifiers of all expressions together run through no more than so many
/// values; an expression beyond them has none (`resource::memory`).
pub(crate) fn within_values<T>(most: u64, work: impl FnOnce() -> T) -> T {
    let outside = VALUES_IN_ALL.get();
    let allowed = most.min(outside);
    VALUES_IN_ALL.set(allowed);
    let result = work();
    VALUES_IN_ALL.set(outside - (allowed - VALUES_IN_ALL.get()));
    result
}

/// The letters of the cost functions, where a claim may read them.
pub(super) type Symbols<'a> = &'a dyn Fn(CostSymbol) -> Option<Rational>;

/// Evaluates expressions in one environment.
pub struct Evaluator<'a> {
    program: &'a Program,
    environment: Cow<'a, Environment>,
    short_circuit: bool,
    symbols: Option<Symbols<'a>>,
    /// Why a parameter has no value, for the `let`s that failed before a `require` reads them.
    failures: Option<&'a HashMap<ParamId, Diagnostic>>,
    values_left: u64,
}

/// Why there is no value.
#[derive(Debug)]
pub enum Failure {
    /// The program is at fault.
    Fault(Diagnostic),
    /// A letter of the cost functions has no value here.
    NoSymbol,
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Self {
        Failure::Fault(error.into())
    }
}

pub type Outcome<T> = Result<T, Failure>;

impl<'a> Evaluator<'a> {
    pub(super) fn new(program: &'a Program, environment: &'a Environment) -> Self {
        Evaluator {
            program,
            environment: Cow::Borrowed(environment),
            short_circuit: false,
            symbols: None,
            failures: None,
            values_left: MOST_VALUES,
        }
    }

    pub(super) fn short_circuit(self, short_circuit: bool) -> Self {
        Evaluator {
            short_circuit,
            ..self
        }
    }

    pub(super) fn with_symbols(self, symbols: Symbols<'a>) -> Self {
        Evaluator {
            symbols: Some(symbols),
            ..self
        }
    }

    pub(super) fn with_failures(self, failures: &'a HashMap<ParamId, Diagnostic>) -> Self {
        Evaluator {
            failures: Some(failures),
            ..self
        }
    }

    pub(super) fn number<P: Evaluated>(&mut self, expr: &Number<P>) -> Outcome<Real> {
        let span = expr.span;
        match &expr.kind {
            NumberKind::Integer(value) => Ok(value.clone().into()),
            NumberKind::Float(value) => Ok(float(*value, span)?),
            NumberKind::Parameter(id) => self.parameter(*id),
            NumberKind::Negate(inner) => Ok(self.number(inner)?.negate()),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let (x, y) = (self.number(left)?, self.number(right)?);
                Ok(arithmetic(*operator, &x, &y, span, right.span)?)
            }
            NumberKind::Ceil(inner) => Ok(self.number(inner)?.ceil().into()),
            NumberKind::Floor(inner) => Ok(self.number(inner)?.floor().into()),
            NumberKind::Abs(inner) => {
                let value = self.number(inner)?;
                Ok(match value.compare(&0.into()) {
                    Ordering::Less => value.negate(),
                    Ordering::Equal | Ordering::Greater => value,
                })
            }
            NumberKind::Min(arguments) => self.extremum(arguments, Ordering::Less),
            NumberKind::Max(arguments) => self.extremum(arguments, Ordering::Greater),
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let holds = self.condition(condition)?;
                let (then, otherwise) = (self.number(then)?, self.number(otherwise)?);
                Ok(if holds { then } else { otherwise })
            }
            NumberKind::Math { function, argument } => {
                let value = self.number(argument)?;
                Ok(math(*function, &value, span)?)
            }
            NumberKind::Bits {
                function,
                left,
                right,
            } => {
                let (x, y) = (self.bits(left)?, self.bits(right)?);
                Ok(bit_function(*function, x, y, span)?.into())
            }
            NumberKind::Log { base, argument } => {
                let (base, argument) = (self.number(base)?, self.number(argument)?);
                argument.log(&base).ok_or_else(|| {
                    ValueError::NoLogarithm {
                        argument: shown(&argument),
                        base: shown(&base),
                        span,
                    }
                    .into()
                })
            }
            NumberKind::Bracket(condition) => Ok(i64::from(self.condition(condition)?).into()),
            NumberKind::Only(only) => P::number(self, only, span),
            NumberKind::Word(_) => panic!("a data-free expression reads no word"),
        }
    }

    pub(super) fn integer<P: Evaluated>(&mut self, expr: &Number<P>) -> Outcome<BigInt> {
        let value = self.number(expr)?;
        value.to_integer().ok_or_else(|| {
            ValueError::NotIntegral {
                value: shown(&value),
                span: expr.span,
            }
            .into()
        })
    }

    pub(super) fn condition<P: Evaluated>(&mut self, expr: &Condition<P>) -> Outcome<bool> {
        match &expr.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => self.chain(operands, operators),
            ConditionKind::And(left, right) => {
                let left = self.condition(left)?;
                if self.short_circuit && !left {
                    return Ok(false);
                }
                Ok(self.condition(right)? && left)
            }
            ConditionKind::Or(left, right) => {
                let left = self.condition(left)?;
                if self.short_circuit && left {
                    return Ok(true);
                }
                Ok(self.condition(right)? || left)
            }
            ConditionKind::Not(inner) => Ok(!self.condition(inner)?),
            ConditionKind::Only(only) => P::condition(self, only, expr.span),
        }
    }

    fn parameter(&self, id: ParamId) -> Outcome<Real> {
        if let Some(value) = self.environment.get(id) {
            return Ok(value.clone());
        }
        match self.failures.and_then(|failures| failures.get(&id)) {
            Some(failure) => Err(Failure::Fault(failure.clone())),
            None => panic!("`{}` has no value", self.program.parameter(id).name),
        }
    }

    fn extremum<P: Evaluated>(
        &mut self,
        arguments: &[Number<P>],
        better: Ordering,
    ) -> Outcome<Real> {
        let mut best: Option<Real> = None;
        for argument in arguments {
            let value = self.number(argument)?;
            if best
                .as_ref()
                .is_none_or(|best| value.compare(best) == better)
            {
                best = Some(value);
            }
        }
        Ok(best.expect("check saw an argument"))
    }

    fn bits<P: Evaluated>(&mut self, expr: &Number<P>) -> Outcome<BigInt> {
        let value = self.integer(expr)?;
        let (text, span) = (value.to_string(), expr.span);
        if value.is_negative() {
            return Err(ValueError::NegativeBits { value: text, span }.into());
        }
        if value.to_i64().is_none() {
            return Err(ValueError::BeyondWord { value: text, span }.into());
        }
        Ok(value)
    }

    fn chain<P: Evaluated>(
        &mut self,
        operands: &[Number<P>],
        operators: &[Comparison],
    ) -> Outcome<bool> {
        let mut left = self.number(&operands[0])?;
        let mut holds = true;
        for (at, operator) in operators.iter().enumerate() {
            let right = self.number(&operands[at + 1])?;
            let spans = (operands[at].span, operands[at + 1].span);
            holds &= compare(*operator, &left, &right, spans)?;
            left = right;
        }
        Ok(holds)
    }

    /// A number for every choice, added up.
    fn sum<P: Evaluated>(&mut self, over: &Over<Number<P>, P>, span: Span) -> Outcome<Real> {
        let mut sum: Option<Real> = None;
        self.each(&over.binders, span, &mut |evaluator| {
            let value = evaluator.number(&over.body)?;
            sum = Some(match sum.take() {
                None => value,
                Some(sum) => sum.add(&value),
            });
            Ok(true)
        })?;
        Ok(sum.unwrap_or_else(|| 0.into()))
    }

    /// The smallest or largest of the numbers of all choices.
    fn extremum_over(
        &mut self,
        over: &Over<Number<Formula>, Formula>,
        better: Ordering,
        span: Span,
    ) -> Outcome<Real> {
        let mut best: Option<Real> = None;
        self.each(&over.binders, span, &mut |evaluator| {
            let value = evaluator.number(&over.body)?;
            if best
                .as_ref()
                .is_none_or(|best| value.compare(best) == better)
            {
                best = Some(value);
            }
            Ok(true)
        })?;
        let which = match better {
            Ordering::Less => "minimum",
            Ordering::Equal | Ordering::Greater => "maximum",
        };
        best.ok_or_else(|| ValueError::EmptyRange { which, span }.into())
    }

    /// Whether some choice makes the condition come out as wanted; stops at the first that does.
    fn is_there(
        &mut self,
        over: &Over<Condition<Formula>, Formula>,
        wanted: bool,
        span: Span,
    ) -> Outcome<bool> {
        let mut found = false;
        self.each(&over.binders, span, &mut |evaluator| {
            found = evaluator.condition(&over.body)? == wanted;
            Ok(!found)
        })?;
        Ok(found)
    }

    /// Runs through all values of the binders, the first outermost, until the visitor says stop.
    /// Gives back whether it never did.
    fn each<P: Evaluated>(
        &mut self,
        binders: &[Binder<P>],
        span: Span,
        visit: &mut dyn FnMut(&mut Self) -> Outcome<bool>,
    ) -> Outcome<bool> {
        let Some((binder, inner)) = binders.split_first() else {
            return visit(self);
        };
        let (mut value, high) = (self.integer(&binder.low)?, self.integer(&binder.high)?);
        while value <= high {
            let too_many = || ValueError::TooManyValues {
                limit: MOST_VALUES,
                span,
            };
            self.values_left = self.values_left.checked_sub(1).ok_or_else(too_many)?;
            spend_values(1, span)?;
            self.environment
                .to_mut()
                .bind(binder.parameter, value.clone());
            if !self.each(inner, span, visit)? {
                return Ok(false);
            }
            value += 1;
        }
        Ok(true)
    }
}

/// A place whose expressions are evaluated.
pub trait Evaluated: Place {
    /// The value of a number that only stands there.
    fn number(evaluator: &mut Evaluator<'_>, only: &Self::Number, span: Span) -> Outcome<Real>;

    /// The truth of a condition that only stands there.
    fn condition(
        evaluator: &mut Evaluator<'_>,
        only: &Self::Condition,
        span: Span,
    ) -> Outcome<bool>;
}

impl Evaluated for Code {
    fn number(_: &mut Evaluator<'_>, only: &Nothing, _: Span) -> Outcome<Real> {
        match *only {}
    }

    fn condition(_: &mut Evaluator<'_>, only: &Nothing, _: Span) -> Outcome<bool> {
        match *only {}
    }
}

impl Evaluated for Formula {
    fn number(evaluator: &mut Evaluator<'_>, only: &FormulaNumber, span: Span) -> Outcome<Real> {
        match only {
            FormulaNumber::Sum(over) => evaluator.sum(over, span),
            FormulaNumber::Min(over) => evaluator.extremum_over(over, Ordering::Less, span),
            FormulaNumber::Max(over) => evaluator.extremum_over(over, Ordering::Greater, span),
        }
    }

    fn condition(
        evaluator: &mut Evaluator<'_>,
        only: &FormulaCondition,
        span: Span,
    ) -> Outcome<bool> {
        match only {
            FormulaCondition::Implies(left, right) => {
                let left = evaluator.condition(left)?;
                if evaluator.short_circuit && !left {
                    return Ok(true);
                }
                Ok(evaluator.condition(right)? || !left)
            }
            FormulaCondition::ForAll(over) => Ok(!evaluator.is_there(over, false, span)?),
            FormulaCondition::Exists(over) => evaluator.is_there(over, true, span),
        }
    }
}

impl Evaluated for Claimed {
    fn number(evaluator: &mut Evaluator<'_>, only: &ClaimNumber, span: Span) -> Outcome<Real> {
        match only {
            ClaimNumber::Symbol(symbol) => {
                let value = evaluator.symbols.and_then(|symbols| symbols(*symbol));
                Ok(value.ok_or(Failure::NoSymbol)?.into())
            }
            ClaimNumber::Sum(over) => evaluator.sum(over, span),
            ClaimNumber::Gcd(x, y) => {
                let (x, y) = (evaluator.integer(x)?, evaluator.integer(y)?);
                Ok(x.gcd(&y).into())
            }
            ClaimNumber::DigitSum(value, base) => {
                let (value, base) = (evaluator.integer(value)?, evaluator.integer(base)?);
                let sum = theory::digit_sum(&value, &base).ok_or_else(|| {
                    let (value, base) = (value.to_string(), base.to_string());
                    ValueError::NoDigits { value, base, span }
                })?;
                Ok(sum.into())
            }
            ClaimNumber::FloorSum(arguments) => {
                let [count, factor, offset, divisor] = &**arguments;
                let count = evaluator.integer(count)?;
                let (factor, offset) = (evaluator.integer(factor)?, evaluator.integer(offset)?);
                let modulus = evaluator.integer(divisor)?;
                if !count.is_positive() {
                    return Ok(0.into());
                }
                let span = divisor.span;
                let sum = theory::floor_sum(count, factor, offset, modulus)
                    .ok_or(ValueError::DivisionByZero { span })?;
                Ok(sum.into())
            }
        }
    }

    fn condition(_: &mut Evaluator<'_>, only: &Nothing, _: Span) -> Outcome<bool> {
        match *only {}
    }
}

/// A value as a person would write it.
pub(super) fn shown(value: &Real) -> String {
    match value.to_rational() {
        Some(value) => value.to_string(),
        None => format!("{:.6}", value.to_f64()),
    }
}

fn arithmetic(
    operator: Arithmetic,
    x: &Real,
    y: &Real,
    span: Span,
    divisor: Span,
) -> Result<Real, ValueError> {
    let by_zero = || ValueError::DivisionByZero { span: divisor };
    let value = match operator {
        Arithmetic::Add => x.add(y),
        Arithmetic::Subtract => x.subtract(y),
        Arithmetic::Multiply => x.multiply(y),
        Arithmetic::Divide => x.divide(y).ok_or_else(by_zero)?,
        Arithmetic::FloorDivide => x.divide(y).ok_or_else(by_zero)?.floor().into(),
        Arithmetic::Modulo => {
            let quotient = Real::from(x.divide(y).ok_or_else(by_zero)?.floor());
            x.subtract(&quotient.multiply(y))
        }
        Arithmetic::Power => x.power(y).ok_or_else(|| {
            let zero = Real::from(0);
            match (x.compare(&zero), y.compare(&zero)) {
                (Ordering::Equal, Ordering::Less) => ValueError::DivisionByZero { span },
                (Ordering::Less, _) if y.to_integer().is_none() => ValueError::NoRoot {
                    argument: shown(x),
                    span,
                },
                _ => ValueError::TooLarge { span },
            }
        })?,
    };
    if value.is_beyond_measure() {
        return Err(ValueError::TooLarge { span });
    }
    let words = value.bits() as u64 / 64;
    spend_values(words * words / WORDS_OF_A_VALUE, span)?;
    Ok(value)
}

fn float(value: f64, span: Span) -> Result<Real, ValueError> {
    Rational::from_f64(value)
        .map(Real::from)
        .ok_or(ValueError::TooLarge { span })
}

fn math(function: MathFunction, value: &Real, span: Span) -> Result<Real, ValueError> {
    match function {
        MathFunction::Sqrt => value.sqrt().ok_or_else(|| ValueError::NoRoot {
            argument: shown(value),
            span,
        }),
        // Only floats come here, in a bound such as `in 0..exp(1.0)`: IEEE, as on data.
        MathFunction::Exp => float(libm::exp(value.to_f64()), span),
        MathFunction::Ln => float(libm::log(value.to_f64()), span),
        MathFunction::Sin => float(libm::sin(value.to_f64()), span),
        MathFunction::Cos => float(libm::cos(value.to_f64()), span),
    }
}

fn bit_function(
    function: BitFunction,
    x: BigInt,
    y: BigInt,
    span: Span,
) -> Result<BigInt, ValueError> {
    Ok(match function {
        BitFunction::And => x & y,
        BitFunction::Or => x | y,
        BitFunction::Xor => x ^ y,
        BitFunction::ShiftLeft if x.is_zero() => x,
        BitFunction::ShiftLeft => match y.to_u32().filter(|bits| u64::from(*bits) <= MOST_BITS) {
            Some(bits) => x << bits,
            None => return Err(ValueError::TooLarge { span }),
        },
        BitFunction::ShiftRight => match y.to_u32() {
            Some(bits) => x >> bits,
            None => BigInt::zero(),
        },
    })
}

fn compare(
    operator: Comparison,
    x: &Real,
    y: &Real,
    spans: (Span, Span),
) -> Result<bool, ValueError> {
    Ok(match operator {
        Comparison::Equal => x.compare(y) == Ordering::Equal,
        Comparison::NotEqual => x.compare(y) != Ordering::Equal,
        Comparison::Less => x.compare(y) == Ordering::Less,
        Comparison::AtMost => x.compare(y) != Ordering::Greater,
        Comparison::Greater => x.compare(y) == Ordering::Greater,
        Comparison::AtLeast => x.compare(y) != Ordering::Less,
        Comparison::Divides => theory::divides(&whole(x, spans.0)?, &whole(y, spans.1)?),
        Comparison::PowerOf => theory::is_power_of(&whole(x, spans.0)?, &whole(y, spans.1)?),
    })
}

fn whole(value: &Real, span: Span) -> Result<BigInt, ValueError> {
    value.to_integer().ok_or_else(|| ValueError::NotIntegral {
        value: shown(value),
        span,
    })
}

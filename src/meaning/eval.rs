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
    Arithmetic, Binder, BitFunction, CostSymbol, Expr, ExprKind, MathFunction, ParamId, Program,
};
use crate::syntax::ast::{Comparison, Quantifier};
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
pub(super) struct Evaluator<'a> {
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
pub(super) enum Failure {
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

type Outcome<T> = Result<T, Failure>;

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

    pub(super) fn number(&mut self, expr: &Expr) -> Outcome<Real> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Integer(value) => Ok(value.clone().into()),
            ExprKind::Float(value) => Ok(float(*value, span)?),
            ExprKind::Parameter(id) => self.parameter(*id),
            ExprKind::Negate(inner) => Ok(self.number(inner)?.negate()),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                let (x, y) = (self.number(left)?, self.number(right)?);
                Ok(arithmetic(*operator, &x, &y, span, right.span)?)
            }
            ExprKind::Ceil(inner) => Ok(self.number(inner)?.ceil().into()),
            ExprKind::Floor(inner) => Ok(self.number(inner)?.floor().into()),
            ExprKind::Abs(inner) => {
                let value = self.number(inner)?;
                Ok(match value.compare(&0.into()) {
                    Ordering::Less => value.negate(),
                    Ordering::Equal | Ordering::Greater => value,
                })
            }
            ExprKind::Min(arguments) => self.extremum(arguments, Ordering::Less),
            ExprKind::Max(arguments) => self.extremum(arguments, Ordering::Greater),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let holds = self.condition(condition)?;
                let (then, otherwise) = (self.number(then)?, self.number(otherwise)?);
                Ok(if holds { then } else { otherwise })
            }
            ExprKind::Math { function, argument } => {
                let value = self.number(argument)?;
                Ok(math(*function, &value, span)?)
            }
            ExprKind::Bits {
                function,
                left,
                right,
            } => {
                let (x, y) = (self.bits(left)?, self.bits(right)?);
                Ok(bit_function(*function, x, y, span)?.into())
            }
            ExprKind::Log { base, argument } => {
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
            ExprKind::Bracket(condition) => Ok(i64::from(self.condition(condition)?).into()),
            ExprKind::Quantified {
                quantifier,
                binders,
                body,
            } => self.quantified_number(*quantifier, binders, body, span),
            ExprKind::Symbol(symbol) => {
                let value = self.symbols.and_then(|symbols| symbols(*symbol));
                Ok(value.ok_or(Failure::NoSymbol)?.into())
            }
            ExprKind::Gcd(x, y) => Ok(self.integer(x)?.gcd(&self.integer(y)?).into()),
            ExprKind::DigitSum(value, base) => {
                let (value, base) = (self.integer(value)?, self.integer(base)?);
                let sum = theory::digit_sum(&value, &base).ok_or_else(|| {
                    let (value, base) = (value.to_string(), base.to_string());
                    ValueError::NoDigits { value, base, span }
                })?;
                Ok(sum.into())
            }
            ExprKind::FloorSum(arguments) => {
                let [count, factor, offset, divisor] = &**arguments;
                let count = self.integer(count)?;
                let (factor, offset) = (self.integer(factor)?, self.integer(offset)?);
                let modulus = self.integer(divisor)?;
                if !count.is_positive() {
                    return Ok(0.into());
                }
                let span = divisor.span;
                let sum = theory::floor_sum(count, factor, offset, modulus)
                    .ok_or(ValueError::DivisionByZero { span })?;
                Ok(sum.into())
            }
            ExprKind::Word(_) => panic!("a data-free expression reads no word"),
            ExprKind::Compare { .. }
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Not(_)
            | ExprKind::Implies(..) => panic!("a condition where check saw a number"),
        }
    }

    pub(super) fn integer(&mut self, expr: &Expr) -> Outcome<BigInt> {
        let value = self.number(expr)?;
        value.to_integer().ok_or_else(|| {
            ValueError::NotIntegral {
                value: shown(&value),
                span: expr.span,
            }
            .into()
        })
    }

    pub(super) fn condition(&mut self, expr: &Expr) -> Outcome<bool> {
        match &expr.kind {
            ExprKind::Compare {
                operands,
                operators,
            } => self.chain(operands, operators),
            ExprKind::And(left, right) => {
                let left = self.condition(left)?;
                if self.short_circuit && !left {
                    return Ok(false);
                }
                Ok(self.condition(right)? && left)
            }
            ExprKind::Or(left, right) => {
                let left = self.condition(left)?;
                if self.short_circuit && left {
                    return Ok(true);
                }
                Ok(self.condition(right)? || left)
            }
            ExprKind::Implies(left, right) => {
                let left = self.condition(left)?;
                if self.short_circuit && !left {
                    return Ok(true);
                }
                Ok(self.condition(right)? || !left)
            }
            ExprKind::Not(inner) => Ok(!self.condition(inner)?),
            ExprKind::Quantified {
                quantifier,
                binders,
                body,
            } => {
                // ∃ stops at the first that holds, ∀ at the first that does not.
                let stop = *quantifier == Quantifier::Exists;
                let mut found = false;
                self.each(binders, expr.span, &mut |evaluator| {
                    found = evaluator.condition(body)? == stop;
                    Ok(!found)
                })?;
                Ok(found == stop)
            }
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Parameter(_)
            | ExprKind::Word(_)
            | ExprKind::Negate(_)
            | ExprKind::Binary { .. }
            | ExprKind::Ceil(_)
            | ExprKind::Floor(_)
            | ExprKind::Abs(_)
            | ExprKind::Min(_)
            | ExprKind::Max(_)
            | ExprKind::Select { .. }
            | ExprKind::Math { .. }
            | ExprKind::Bits { .. }
            | ExprKind::Log { .. }
            | ExprKind::Bracket(_)
            | ExprKind::Symbol(_)
            | ExprKind::Gcd(..)
            | ExprKind::DigitSum(..)
            | ExprKind::FloorSum(_) => panic!("a number where check saw a condition"),
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

    fn extremum(&mut self, arguments: &[Expr], better: Ordering) -> Outcome<Real> {
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

    fn bits(&mut self, expr: &Expr) -> Outcome<BigInt> {
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

    fn chain(&mut self, operands: &[Expr], operators: &[Comparison]) -> Outcome<bool> {
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

    fn quantified_number(
        &mut self,
        quantifier: Quantifier,
        binders: &[Binder],
        body: &Expr,
        span: Span,
    ) -> Outcome<Real> {
        let mut result: Option<Real> = None;
        self.each(binders, span, &mut |evaluator| {
            let value = evaluator.number(body)?;
            result = Some(match (result.take(), quantifier) {
                (None, _) => value,
                (Some(sum), Quantifier::Sum) => sum.add(&value),
                (Some(best), Quantifier::Min) if value.compare(&best) == Ordering::Less => value,
                (Some(best), Quantifier::Max) if value.compare(&best) == Ordering::Greater => value,
                (Some(best), Quantifier::Min | Quantifier::Max) => best,
                (Some(_), Quantifier::ForAll | Quantifier::Exists) => {
                    panic!("a condition where check saw a number")
                }
            });
            Ok(true)
        })?;
        let which = match quantifier {
            Quantifier::Sum => return Ok(result.unwrap_or_else(|| 0.into())),
            Quantifier::Min => "minimum",
            Quantifier::Max | Quantifier::ForAll | Quantifier::Exists => "maximum",
        };
        result.ok_or_else(|| ValueError::EmptyRange { which, span }.into())
    }

    /// Runs through all values of the binders, the first outermost, until the visitor says stop.
    /// Gives back whether it never did.
    fn each(
        &mut self,
        binders: &[Binder],
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

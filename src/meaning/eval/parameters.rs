//! Leaves where parameters are known and no data are: `let`s, extents, data-free `require`s, claims
//! at a point.
//!
//! Values are exact and of any size. What quantifiers run through is limited, for each expression
//! and by an [`Allowance`] that several share.

use std::collections::HashMap;

use crate::diag::Diagnostic;
use crate::meaning::eval::{self, At, Bound, Connectives, Evaluated, Leaves};
use crate::meaning::fault::NoValue;
use crate::meaning::fault::parameters::ParameterFault;
use crate::meaning::value::Value;
use crate::meaning::{Allowance, Environment};
use crate::number::{BigInt, Rational, Real};
use crate::program::{Condition, CostSymbol, Number, ParamId, Program};
use crate::text::Span;

/// The most values the quantifiers of one expression may run through.
const MOST_VALUES: u64 = 10_000_000;

/// So many products of words take as long as one value of a quantifier.
const WORDS_OF_A_VALUE: u64 = 100;

/// The letters of the cost functions, where a claim may read them.
pub(in crate::meaning) type Letters<'a> = &'a dyn Fn(CostSymbol) -> Option<Rational>;

/// Evaluates expressions in one environment.
pub(in crate::meaning) struct Evaluator<'a> {
    program: &'a Program,
    environment: &'a Environment,
    /// Values of the variables of quantifiers.
    bound: Vec<(ParamId, Value)>,
    connectives: Connectives,
    letters: Option<Letters<'a>>,
    /// Why a parameter has no value, for the `let`s that failed before a `require` reads them.
    failures: Option<&'a HashMap<ParamId, Diagnostic>>,
    work: Work<'a>,
}

/// What quantifiers may still run through.
struct Work<'a> {
    /// Those of this expression.
    values_left: u64,
    /// Those of all expressions.
    allowance: &'a Allowance,
}

/// Why there is no value.
#[derive(Debug)]
pub(in crate::meaning) enum Failure {
    /// The program is at fault.
    Fault(Diagnostic),
    /// A letter of the cost functions has no value here.
    NoLetter,
}

impl From<ParameterFault> for Failure {
    fn from(fault: ParameterFault) -> Self {
        Failure::Fault(fault.into())
    }
}

impl<'a> Evaluator<'a> {
    /// With both sides of `∧ ∨` evaluated, and no letters.
    pub(in crate::meaning) fn new(
        program: &'a Program,
        environment: &'a Environment,
        allowance: &'a Allowance,
    ) -> Self {
        Evaluator {
            program,
            environment,
            bound: Vec::new(),
            connectives: Connectives::BothSides,
            letters: None,
            failures: None,
            work: Work {
                values_left: MOST_VALUES,
                allowance,
            },
        }
    }

    pub(in crate::meaning) fn connected(self, connectives: Connectives) -> Self {
        Evaluator {
            connectives,
            ..self
        }
    }

    pub(in crate::meaning) fn with_letters(self, letters: Letters<'a>) -> Self {
        Evaluator {
            letters: Some(letters),
            ..self
        }
    }

    pub(in crate::meaning) fn with_failures(
        self,
        failures: &'a HashMap<ParamId, Diagnostic>,
    ) -> Self {
        Evaluator {
            failures: Some(failures),
            ..self
        }
    }

    /// The value of a number.
    pub(in crate::meaning) fn number<P: Evaluated>(
        &mut self,
        expr: &Number<P>,
    ) -> Result<Real, Failure> {
        let connectives = self.connectives;
        match eval::number(self, expr, connectives)? {
            Value::Float(float) => {
                let value = Rational::from_f64(float).map(Real::from);
                let span = expr.span;
                Ok(value.ok_or(ParameterFault::TooLarge { span })?)
            }
            value @ (Value::Whole(_) | Value::Exact(_)) => Ok(value.to_real()),
        }
    }

    /// The value of a number that has to be whole.
    pub(in crate::meaning) fn integer(&mut self, expr: &Number) -> Result<BigInt, Failure> {
        eval::integer(self, expr)
    }

    /// The truth of a condition.
    pub(in crate::meaning) fn condition<P: Evaluated>(
        &mut self,
        expr: &Condition<P>,
    ) -> Result<bool, Failure> {
        let connectives = self.connectives;
        eval::condition(self, expr, connectives)
    }
}

impl Leaves for Evaluator<'_> {
    type Stop = Failure;

    fn parameter(&self, parameter: ParamId) -> Result<Value, Failure> {
        let bound = self.bound.iter().find(|(id, _)| *id == parameter);
        if let Some((_, value)) = bound {
            return Ok(value.clone());
        }
        if let Some(value) = self.environment.get(parameter) {
            return Ok(Value::exact(value.clone()));
        }
        match self.failures.and_then(|failures| failures.get(&parameter)) {
            Some(failure) => Err(Failure::Fault(failure.clone())),
            None => panic!("`{}` has no value", self.program.parameter(parameter).name),
        }
    }

    fn letter(&self, letter: CostSymbol) -> Result<Value, Failure> {
        let value = self.letters.and_then(|letters| letters(letter));
        Ok(Value::exact(value.ok_or(Failure::NoLetter)?.into()))
    }

    fn bind(&mut self, parameter: ParamId, value: Value) {
        match self.bound.iter_mut().find(|(id, _)| *id == parameter) {
            Some((_, bound)) => *bound = value,
            None => self.bound.push((parameter, value)),
        }
    }

    fn fault(&self, none: NoValue, at: At) -> Failure {
        none.of_parameters(at.whole, at.part).into()
    }

    fn tick(&mut self, values: u64, _of: Bound, span: Span) -> Result<(), Failure> {
        let left = self.work.values_left.checked_sub(values);
        self.work.values_left = left.ok_or_else(|| too_many(span))?;
        let spent = self.work.allowance.spend(values);
        Ok(spent.ok_or_else(|| too_many(span))?)
    }

    fn weigh(&mut self, words: u64, span: Span) -> Result<(), Failure> {
        let spent = self.work.allowance.spend(words * words / WORDS_OF_A_VALUE);
        Ok(spent.ok_or(ParameterFault::TooLong { span })?)
    }
}

fn too_many(span: Span) -> ParameterFault {
    ParameterFault::TooManyValues {
        limit: MOST_VALUES,
        span,
    }
}

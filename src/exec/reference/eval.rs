//! Exact evaluation of one expression for one core, or for the host: the reference.
//!
//! A walk over the checked expression with every rule of language.md §3 and §5, used by the host,
//! by `require` and `ensure`, and by a kernel statement wherever the fast form of it
//! ([`lanes`](crate::exec::lanes)) meets anything out of the ordinary. What parameters and words are is
//! the [`Context`]'s to say.

use num_traits::{Signed, ToPrimitive};

use crate::exec::error::{Error, Result};
use crate::exec::lanes::{Floats, Ints, Truths};
use crate::exec::mp::Connectives;
use crate::exec::value::{self, Value};
use crate::meaning::fault::{Fault, NoValue, Place};
use crate::number::BigInt;
use crate::program::{
    Arithmetic, Binder, Code, Condition, ConditionKind, Formula, FormulaCondition, FormulaNumber,
    Nothing, Number, NumberKind, Over, ParamId, Place as ExprPlace, Program, Type, VarId, Word,
};
use crate::text::Span;

/// What an expression reads.
pub(crate) trait Context {
    /// The program it belongs to.
    fn program(&self) -> &Program;

    /// The value of a parameter.
    fn parameter(&self, parameter: ParamId) -> Value;

    /// Binds the variable of a quantifier.
    fn bind(&mut self, parameter: ParamId, value: Value);

    /// Reads a word, written at a place, at indices that are whole but not yet checked against the
    /// extents, each with its own place.
    fn read(&mut self, variable: VarId, span: Span, indices: &[(BigInt, Span)]) -> Result<Value>;

    /// Which MP and core evaluates.
    fn place(&self) -> Place;

    /// The values of a number for `count` neighbouring values of a parameter at once, under
    /// short-circuiting connectives; `None` where that is not possible, or one has none.
    fn sweep_numbers(&mut self, _body: &Number<Formula>, _values: Sweep) -> Option<Swept> {
        None
    }

    /// The same for the truths of a condition.
    fn sweep_truths(&mut self, _body: &Condition<Formula>, _values: Sweep) -> Option<Truths> {
        None
    }

    /// Called for the values of a quantifier, some at a time, so that long sums can be stopped.
    fn tick(&mut self, _values: u64) -> Result<()> {
        Ok(())
    }
}

/// Neighbouring values of a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sweep {
    /// The parameter.
    pub parameter: ParamId,
    /// Its first value.
    pub first: i64,
    /// How many.
    pub count: usize,
}

/// What a sweep of numbers gives, by value of the parameter.
pub(crate) enum Swept {
    /// Whole numbers.
    Ints(Ints),
    /// Floats.
    Floats(Floats),
}

/// Most values of a quantifier's variable that are swept at once.
pub(crate) const SWEEP: usize = 512;

/// Fewer values are not worth a sweep.
const LEAST_SWEEP: usize = 4;

/// Where an expression stands inside another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode {
    connectives: Connectives,
    /// Inside `⌈⌉` or `⌊⌋`, where a quotient of int data may be a fraction.
    rounded: bool,
}

impl Mode {
    fn outermost(connectives: Connectives) -> Mode {
        Mode {
            connectives,
            rounded: false,
        }
    }
}

/// The value of a number.
pub(crate) fn evaluate<P: Executed>(
    context: &mut dyn Context,
    expr: &Number<P>,
    connectives: Connectives,
) -> Result<Value> {
    walk(context, expr, Mode::outermost(connectives))
}

/// A whole number of any size.
pub(crate) fn integer<P: Executed>(context: &mut dyn Context, expr: &Number<P>) -> Result<BigInt> {
    let value = evaluate(context, expr, Connectives::BothSides)?;
    whole(context, expr.span, &value)
}

/// A whole number that fits a word.
pub(crate) fn word(context: &mut dyn Context, expr: &Number) -> Result<i64> {
    if let Value::Whole(whole) = evaluate(context, expr, Connectives::BothSides)? {
        return Ok(whole);
    }
    let value = integer(context, expr)?;
    value.to_i64().ok_or_else(|| {
        Error::of(Fault::Overflow {
            value: value.to_string(),
            place: context.place(),
            span: expr.span,
        })
    })
}

/// The truth of a condition.
pub(crate) fn condition<P: Executed>(
    context: &mut dyn Context,
    expr: &Condition<P>,
    connectives: Connectives,
) -> Result<bool> {
    truth(context, expr, Mode::outermost(connectives))
}

fn whole(context: &dyn Context, span: Span, value: &Value) -> Result<BigInt> {
    value.to_integer().ok_or_else(|| {
        Error::of(Fault::NotIntegral {
            value: value.to_string(),
            place: context.place(),
            span,
        })
    })
}

fn walk<P: Executed>(context: &mut dyn Context, expr: &Number<P>, mode: Mode) -> Result<Value> {
    let rounded = Mode {
        rounded: true,
        ..mode
    };
    let computed = match &expr.kind {
        NumberKind::Integer(value) => return Ok(Value::whole(value.clone())),
        NumberKind::Float(value) => return Ok(Value::Float(*value)),
        NumberKind::Parameter(parameter) => return Ok(context.parameter(*parameter)),
        NumberKind::Word(word) => return read(context, word, mode),
        NumberKind::Binary { .. } => return chain_of_arithmetic(context, expr, mode),
        NumberKind::Negate(of) => Ok(value::negate(&walk(context, of, mode)?)),
        NumberKind::Abs(of) => Ok(value::absolute(&walk(context, of, mode)?)),
        NumberKind::Ceil(of) => value::ceil(&walk(context, of, rounded)?),
        NumberKind::Floor(of) => value::floor(&walk(context, of, rounded)?),
        NumberKind::Min(arguments) => Ok(extreme(context, arguments, expr, mode, value::minimum)?),
        NumberKind::Max(arguments) => Ok(extreme(context, arguments, expr, mode, value::maximum)?),
        NumberKind::Select {
            condition,
            then,
            otherwise,
        } => {
            let condition = truth(context, condition, mode)?;
            let then = walk(context, then, mode)?;
            let otherwise = walk(context, otherwise, mode)?;
            return Ok(as_type(expr.ty, if condition { then } else { otherwise }));
        }
        NumberKind::Math { function, argument } => {
            value::math(*function, &walk(context, argument, mode)?)
        }
        NumberKind::Bits {
            function,
            left,
            right,
        } => {
            let left = walk(context, left, mode)?;
            let right = walk(context, right, mode)?;
            value::bits(*function, &left, &right)
        }
        NumberKind::Log { base, argument } => {
            let base = walk(context, base, mode)?;
            value::log(&base, &walk(context, argument, mode)?)
        }
        NumberKind::Bracket(of) => {
            let holds = truth(context, of, mode)?;
            return Ok(Value::Whole(holds.into()));
        }
        NumberKind::Only(only) => {
            let value = P::number(context, only, expr, mode)?;
            return checked(context, expr, value, mode);
        }
    };
    let value = computed.map_err(|none| Error::of(none.at(context.place(), expr.span)))?;
    checked(context, expr, value, mode)
}

fn truth<P: Executed>(context: &mut dyn Context, expr: &Condition<P>, mode: Mode) -> Result<bool> {
    match &expr.kind {
        ConditionKind::Compare {
            operands,
            operators,
        } => {
            let mut left = walk(context, &operands[0], mode)?;
            let mut all = Ok(true);
            for (operator, operand) in operators.iter().zip(&operands[1..]) {
                let right = walk(context, operand, mode)?;
                let holds = value::compare(*operator, &left, &right);
                all = all.and_then(|all| Ok(all & holds?));
                left = right;
            }
            all.map_err(|none: NoValue| Error::of(none.at(context.place(), expr.span)))
        }
        ConditionKind::And(..) | ConditionKind::Or(..) => connected(context, expr, mode),
        ConditionKind::Not(of) => Ok(!truth(context, of, mode)?),
        ConditionKind::Only(only) => P::condition(context, only, mode),
    }
}

/// Left-leaning chains of arithmetic without recursion along the chain.
fn chain_of_arithmetic<P: Executed>(
    context: &mut dyn Context,
    expr: &Number<P>,
    mode: Mode,
) -> Result<Value> {
    let mut links = Vec::new();
    let mut first = expr;
    while let NumberKind::Binary {
        operator,
        left,
        right,
    } = &first.kind
    {
        links.push((first, *operator, right));
        first = left;
    }
    let mut value = walk(context, first, mode)?;
    for (link, operator, right) in links.into_iter().rev() {
        let right = walk(context, right, mode)?;
        let computed = match operator {
            Arithmetic::Add => Ok(value::add(&value, &right)),
            Arithmetic::Subtract => Ok(value::subtract(&value, &right)),
            Arithmetic::Multiply => Ok(value::multiply(&value, &right)),
            Arithmetic::Divide => value::divide(&value, &right),
            Arithmetic::FloorDivide => value::floor_divide(&value, &right),
            Arithmetic::Modulo => value::modulo(&value, &right),
            Arithmetic::Power => value::power(&value, &right),
        };
        let computed = computed.map_err(|none| Error::of(none.at(context.place(), link.span)))?;
        if let Value::Exact(real) = &computed
            && real.is_beyond_measure()
        {
            let beyond = NoValue::Overflow("a number of this size".to_owned());
            return Err(Error::of(beyond.at(context.place(), link.span)));
        }
        value = checked(context, link, computed, mode)?;
    }
    Ok(value)
}

/// Left-leaning chains of `∧` and `∨` without recursion along the chain.
fn connected<P: Executed>(
    context: &mut dyn Context,
    expr: &Condition<P>,
    mode: Mode,
) -> Result<bool> {
    let mut links = Vec::new();
    let mut first = expr;
    loop {
        let (deciding, left, right) = match &first.kind {
            ConditionKind::And(left, right) => (false, left, right),
            ConditionKind::Or(left, right) => (true, left, right),
            ConditionKind::Compare { .. } | ConditionKind::Not(_) | ConditionKind::Only(_) => break,
        };
        links.push((deciding, right));
        first = left;
    }
    let mut value = truth(context, first, mode)?;
    for (deciding, right) in links.into_iter().rev() {
        if mode.connectives == Connectives::ShortCircuit && value == deciding {
            continue;
        }
        let right = truth(context, right, mode)?;
        value = if deciding {
            value | right
        } else {
            value & right
        };
    }
    Ok(value)
}

/// What language.md §5 asks of every intermediate value: int data fit a word, and are whole
/// unless a bracket rounds them.
fn checked<P: ExprPlace>(
    context: &dyn Context,
    expr: &Number<P>,
    value: Value,
    mode: Mode,
) -> Result<Value> {
    if expr.ty != Type::Int {
        return Ok(as_type(expr.ty, value));
    }
    let Value::Exact(real) = &value else {
        return Ok(value);
    };
    let limit = BigInt::from(1) << 63;
    let floor = real.floor();
    if floor >= limit || floor < -&limit {
        return Err(Error::of(Fault::Overflow {
            value: value.to_string(),
            place: context.place(),
            span: expr.span,
        }));
    }
    let makes_fractions = matches!(
        expr.kind,
        NumberKind::Binary {
            operator: Arithmetic::Divide | Arithmetic::Power,
            ..
        } | NumberKind::Log { .. }
    );
    if makes_fractions && !mode.rounded {
        whole(context, expr.span, &value)?;
    }
    Ok(value)
}

/// A number where a float is the type of the whole.
fn as_type(ty: Type, value: Value) -> Value {
    match (ty, &value) {
        (Type::Float, Value::Whole(_) | Value::Exact(_)) => Value::Float(value.to_float()),
        _ => value,
    }
}

fn read<P: Executed>(context: &mut dyn Context, word: &Word<P>, mode: Mode) -> Result<Value> {
    let mode = Mode {
        rounded: false,
        ..mode
    };
    let mut indices = Vec::with_capacity(word.indices.len());
    for index in &word.indices {
        let value = walk(context, index, mode)?;
        indices.push((whole(context, index.span, &value)?, index.span));
    }
    context.read(word.variable, word.span, &indices)
}

fn extreme<P: Executed>(
    context: &mut dyn Context,
    arguments: &[Number<P>],
    expr: &Number<P>,
    mode: Mode,
    better: fn(&Value, &Value) -> Value,
) -> Result<Value> {
    let mut best: Option<Value> = None;
    for argument in arguments {
        let value = as_type(expr.ty, walk(context, argument, mode)?);
        best = Some(match best {
            Some(best) => better(&best, &value),
            None => value,
        });
    }
    Ok(best.expect("`min` and `max` have arguments"))
}

/// A quantifier over all its binders, outermost first.
fn quantified(
    context: &mut dyn Context,
    binders: &[Binder<Formula>],
    fold: &mut dyn Fold,
    mode: Mode,
) -> Result<()> {
    let (last, outer) = binders.split_last().expect("checked: a quantifier binds");
    over(context, outer, &mut |context| {
        innermost(context, last, fold, mode)?;
        Ok(fold.is_decided())
    })?;
    Ok(())
}

/// Takes every value of the innermost variable, many at once where that goes.
fn innermost(
    context: &mut dyn Context,
    binder: &Binder<Formula>,
    fold: &mut dyn Fold,
    mode: Mode,
) -> Result<()> {
    let parameter = binder.parameter;
    let mut at = integer(context, &binder.low)?;
    let high = integer(context, &binder.high)?;
    let may_sweep = mode.connectives == Connectives::ShortCircuit;
    while at <= high && !fold.is_decided() {
        let left = (&high - &at).to_usize().unwrap_or(SWEEP) + 1;
        let count = left.min(SWEEP);
        let first = at.to_i64().filter(|_| may_sweep && count >= LEAST_SWEEP);
        let values = first.map(|first| Sweep {
            parameter,
            first,
            count,
        });
        if values
            .and_then(|values| fold.sweep(context, values))
            .is_some()
        {
            context.tick(count as u64)?;
        } else {
            for value in 0..count {
                context.tick(1)?;
                context.bind(parameter, Value::whole(&at + value));
                fold.take(context, mode)?;
                if fold.is_decided() {
                    break;
                }
            }
        }
        at += count;
    }
    Ok(())
}

/// Calls `visit` with every combination of the binders' values, until it says it is decided.
/// Gives back whether it did.
pub(crate) fn over(
    context: &mut dyn Context,
    binders: &[Binder<Formula>],
    visit: &mut dyn FnMut(&mut dyn Context) -> Result<bool>,
) -> Result<bool> {
    let Some((binder, inner)) = binders.split_first() else {
        return visit(context);
    };
    let mut at = integer(context, &binder.low)?;
    let high = integer(context, &binder.high)?;
    while at <= high {
        context.bind(binder.parameter, Value::whole(at.clone()));
        if over(context, inner, visit)? {
            return Ok(true);
        }
        at += 1;
    }
    Ok(false)
}

/// A quantifier's body and what it has come to.
trait Fold {
    /// Evaluates the body for the values that are bound, and takes it in.
    fn take(&mut self, context: &mut dyn Context, mode: Mode) -> Result<()>;

    /// Takes in the body for many values at once, where that goes.
    fn sweep(&mut self, context: &mut dyn Context, values: Sweep) -> Option<()>;

    /// Whether further values change nothing.
    fn is_decided(&self) -> bool;
}

/// `Σ`, `min` or `max` so far.
struct Folded<'e> {
    body: &'e Number<Formula>,
    value: Option<Value>,
    combine: fn(&Value, &Value) -> Value,
    is_sum: bool,
}

impl Folded<'_> {
    fn take_value(&mut self, next: Value) {
        self.value = Some(match self.value.take() {
            Some(so_far) => (self.combine)(&so_far, &next),
            None => next,
        });
    }
}

impl Fold for Folded<'_> {
    fn take(&mut self, context: &mut dyn Context, mode: Mode) -> Result<()> {
        let value = walk(context, self.body, mode)?;
        self.take_value(value);
        Ok(())
    }

    fn sweep(&mut self, context: &mut dyn Context, values: Sweep) -> Option<()> {
        let count = values.count;
        match context.sweep_numbers(self.body, values)? {
            Swept::Ints(ints) if self.is_sum => {
                // At most 512 words: no overflow.
                let sum: i128 = (0..count).map(|at| i128::from(ints.at(at))).sum();
                self.take_value(Value::whole(sum.into()));
            }
            Swept::Ints(ints) => {
                (0..count).for_each(|at| self.take_value(Value::Whole(ints.at(at))));
            }
            Swept::Floats(floats) => {
                (0..count).for_each(|at| self.take_value(Value::Float(floats.at(at))));
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

impl Fold for Search<'_> {
    fn take(&mut self, context: &mut dyn Context, mode: Mode) -> Result<()> {
        self.found = truth(context, self.body, mode)? == self.deciding;
        Ok(())
    }

    fn sweep(&mut self, context: &mut dyn Context, values: Sweep) -> Option<()> {
        let truths = context.sweep_truths(self.body, values)?;
        self.found = (0..values.count).any(|at| truths.at(at) == self.deciding);
        Some(())
    }

    fn is_decided(&self) -> bool {
        self.found
    }
}

/// A place whose expressions are executed.
pub(crate) trait Executed: ExprPlace {
    /// The value of a number that only stands there; `whole` is the number it makes up.
    fn number(
        context: &mut dyn Context,
        only: &Self::Number,
        whole: &Number<Self>,
        mode: Mode,
    ) -> Result<Value>;

    /// The truth of a condition that only stands there.
    fn condition(context: &mut dyn Context, only: &Self::Condition, mode: Mode) -> Result<bool>;
}

impl Executed for Code {
    fn number(_: &mut dyn Context, only: &Nothing, _: &Number, _: Mode) -> Result<Value> {
        match *only {}
    }

    fn condition(_: &mut dyn Context, only: &Nothing, _: Mode) -> Result<bool> {
        match *only {}
    }
}

impl Executed for Formula {
    fn number(
        context: &mut dyn Context,
        only: &FormulaNumber,
        whole: &Number<Formula>,
        mode: Mode,
    ) -> Result<Value> {
        let (over, combine, start): (_, fn(&Value, &Value) -> Value, _) = match only {
            FormulaNumber::Sum(over) => {
                (over, value::add, Some(as_type(whole.ty, Value::Whole(0))))
            }
            FormulaNumber::Min(over) => (over, value::minimum, None),
            FormulaNumber::Max(over) => (over, value::maximum, None),
        };
        let mut fold = Folded {
            body: &over.body,
            is_sum: start.is_some(),
            value: start,
            combine,
        };
        quantified(context, &over.binders, &mut fold, mode)?;
        fold.value.ok_or_else(|| {
            Error::of(Fault::EmptyExtreme {
                place: context.place(),
                span: whole.span,
            })
        })
    }

    fn condition(context: &mut dyn Context, only: &FormulaCondition, mode: Mode) -> Result<bool> {
        match only {
            // Short-circuits, as everything does in `require` and `ensure`.
            FormulaCondition::Implies(left, right) => {
                let decided = !truth(context, left, mode)?;
                Ok(decided || truth(context, right, mode)?)
            }
            FormulaCondition::ForAll(over) => Ok(!is_there(context, over, false, mode)?),
            FormulaCondition::Exists(over) => is_there(context, over, true, mode),
        }
    }
}

/// Whether some values of the binders make the condition come out as wanted.
fn is_there(
    context: &mut dyn Context,
    over: &Over<Condition<Formula>, Formula>,
    wanted: bool,
    mode: Mode,
) -> Result<bool> {
    let mut search = Search {
        body: &over.body,
        deciding: wanted,
        found: false,
    };
    quantified(context, &over.binders, &mut search, mode)?;
    Ok(search.found)
}

/// Whether a whole number lies in 0 … extent − 1, and then which.
pub(crate) fn within(index: &BigInt, extent: usize) -> Option<usize> {
    if index.is_negative() {
        return None;
    }
    index.to_usize().filter(|&index| index < extent)
}

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
use crate::program::{Arithmetic, Binder, Expr, ExprKind, ParamId, Program, Type, Word};
use crate::syntax::ast::Quantifier;
use crate::text::Span;

/// What an expression reads.
pub(crate) trait Context {
    /// The program it belongs to.
    fn program(&self) -> &Program;

    /// The value of a parameter.
    fn parameter(&self, parameter: ParamId) -> Value;

    /// Binds the variable of a quantifier.
    fn bind(&mut self, parameter: ParamId, value: Value);

    /// Reads a word at indices that are whole but not yet checked against the extents.
    fn read(&mut self, word: &Word, indices: &[BigInt]) -> Result<Value>;

    /// Which MP and core evaluates.
    fn place(&self) -> Place;

    /// The values of an expression for `count` neighbouring values of a parameter at once, under
    /// short-circuiting connectives; `None` where that is not possible, or one has none.
    fn sweep(
        &mut self,
        _body: &Expr,
        _parameter: ParamId,
        _first: i64,
        _count: usize,
    ) -> Option<Swept> {
        None
    }

    /// Called for the values of a quantifier, some at a time, so that long sums can be stopped.
    fn tick(&mut self, _values: u64) -> Result<()> {
        Ok(())
    }
}

/// What a sweep gives, by value of the parameter.
pub(crate) enum Swept {
    /// Whole numbers.
    Ints(Ints),
    /// Floats.
    Floats(Floats),
    /// Truths.
    Truths(Truths),
}

/// Most values of a quantifier's variable that are swept at once.
pub(crate) const SWEEP: usize = 512;

/// Fewer values are not worth a sweep.
const LEAST_SWEEP: usize = 4;

/// Where an expression stands inside another.
#[derive(Debug, Clone, Copy)]
struct Mode {
    connectives: Connectives,
    /// Inside `⌈⌉` or `⌊⌋`, where a quotient of int data may be a fraction.
    rounded: bool,
}

/// The value of an expression.
pub(crate) fn evaluate(
    context: &mut dyn Context,
    expr: &Expr,
    connectives: Connectives,
) -> Result<Value> {
    let mode = Mode {
        connectives,
        rounded: false,
    };
    walk(context, expr, mode)
}

/// A whole number of any size.
pub(crate) fn integer(context: &mut dyn Context, expr: &Expr) -> Result<BigInt> {
    let value = evaluate(context, expr, Connectives::BothSides)?;
    whole(context, expr.span, &value)
}

/// A whole number that fits a word.
pub(crate) fn word(context: &mut dyn Context, expr: &Expr) -> Result<i64> {
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
pub(crate) fn condition(
    context: &mut dyn Context,
    expr: &Expr,
    connectives: Connectives,
) -> Result<bool> {
    Ok(evaluate(context, expr, connectives)?.truth())
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

fn walk(context: &mut dyn Context, expr: &Expr, mode: Mode) -> Result<Value> {
    let rounded = Mode {
        rounded: true,
        ..mode
    };
    let computed = match &expr.kind {
        ExprKind::Integer(value) => return Ok(Value::whole(value.clone())),
        ExprKind::Float(value) => return Ok(Value::Float(*value)),
        ExprKind::Parameter(parameter) => return Ok(context.parameter(*parameter)),
        ExprKind::Word(word) => return read(context, word, mode),
        ExprKind::Binary { .. } => return chain_of_arithmetic(context, expr, mode),
        ExprKind::Negate(of) => Ok(value::negate(&walk(context, of, mode)?)),
        ExprKind::Abs(of) => Ok(value::absolute(&walk(context, of, mode)?)),
        ExprKind::Ceil(of) => value::ceil(&walk(context, of, rounded)?),
        ExprKind::Floor(of) => value::floor(&walk(context, of, rounded)?),
        ExprKind::Min(arguments) => Ok(extreme(context, arguments, expr, mode, value::minimum)?),
        ExprKind::Max(arguments) => Ok(extreme(context, arguments, expr, mode, value::maximum)?),
        ExprKind::Select {
            condition,
            then,
            otherwise,
        } => {
            let condition = walk(context, condition, mode)?.truth();
            let then = walk(context, then, mode)?;
            let otherwise = walk(context, otherwise, mode)?;
            return Ok(as_type(expr.ty, if condition { then } else { otherwise }));
        }
        ExprKind::Math { function, argument } => {
            value::math(*function, &walk(context, argument, mode)?)
        }
        ExprKind::Bits {
            function,
            left,
            right,
        } => {
            let left = walk(context, left, mode)?;
            let right = walk(context, right, mode)?;
            value::bits(*function, &left, &right)
        }
        ExprKind::Log { base, argument } => {
            let base = walk(context, base, mode)?;
            value::log(&base, &walk(context, argument, mode)?)
        }
        ExprKind::Bracket(of) => {
            let holds = walk(context, of, mode)?.truth();
            return Ok(Value::Whole(holds.into()));
        }
        ExprKind::Compare {
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
            all.map(Value::Truth)
        }
        ExprKind::And(..) | ExprKind::Or(..) => return connected(context, expr, mode),
        ExprKind::Implies(left, right) => {
            // In `require` and `ensure` only, which short-circuit.
            let decided = !walk(context, left, mode)?.truth();
            return Ok(Value::Truth(decided || walk(context, right, mode)?.truth()));
        }
        ExprKind::Not(of) => return Ok(Value::Truth(!walk(context, of, mode)?.truth())),
        ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => return quantified(context, *quantifier, binders, body, expr, mode),
        ExprKind::Symbol(_)
        | ExprKind::Gcd(..)
        | ExprKind::DigitSum(..)
        | ExprKind::FloorSum(_) => unreachable!("checked to stand in claims only"),
    };
    let value = computed.map_err(|none| Error::of(none.at(context.place(), expr.span)))?;
    checked(context, expr, value, mode)
}

/// Left-leaning chains of arithmetic without recursion along the chain.
fn chain_of_arithmetic(context: &mut dyn Context, expr: &Expr, mode: Mode) -> Result<Value> {
    let mut links = Vec::new();
    let mut first = expr;
    while let ExprKind::Binary {
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
fn connected(context: &mut dyn Context, expr: &Expr, mode: Mode) -> Result<Value> {
    let mut links = Vec::new();
    let mut first = expr;
    loop {
        let (deciding, left, right) = match &first.kind {
            ExprKind::And(left, right) => (false, left, right),
            ExprKind::Or(left, right) => (true, left, right),
            _ => break,
        };
        links.push((deciding, right));
        first = left;
    }
    let mut value = walk(context, first, mode)?.truth();
    for (deciding, right) in links.into_iter().rev() {
        if mode.connectives == Connectives::ShortCircuit && value == deciding {
            continue;
        }
        let right = walk(context, right, mode)?.truth();
        value = if deciding {
            value | right
        } else {
            value & right
        };
    }
    Ok(Value::Truth(value))
}

/// What language.md §5 asks of every intermediate value: int data fit a word, and are whole
/// unless a bracket rounds them.
fn checked(context: &dyn Context, expr: &Expr, value: Value, mode: Mode) -> Result<Value> {
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
        ExprKind::Binary {
            operator: Arithmetic::Divide | Arithmetic::Power,
            ..
        } | ExprKind::Log { .. }
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

fn read(context: &mut dyn Context, word: &Word, mode: Mode) -> Result<Value> {
    let mode = Mode {
        rounded: false,
        ..mode
    };
    let mut indices = Vec::with_capacity(word.indices.len());
    for index in &word.indices {
        let value = walk(context, index, mode)?;
        indices.push(whole(context, index.span, &value)?);
    }
    context.read(word, &indices)
}

fn extreme(
    context: &mut dyn Context,
    arguments: &[Expr],
    expr: &Expr,
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
    quantifier: Quantifier,
    binders: &[Binder],
    body: &Expr,
    whole_expr: &Expr,
    mode: Mode,
) -> Result<Value> {
    let mut fold = Fold::new(quantifier, whole_expr.ty);
    let (last, outer) = binders.split_last().expect("checked: a quantifier binds");
    over(context, outer, &mut |context| {
        innermost(context, last, body, mode, &mut fold)?;
        Ok(fold.is_decided())
    })?;
    match fold.finish() {
        Some(value) => checked(context, whole_expr, value, mode),
        None => Err(Error::of(Fault::EmptyExtreme {
            place: context.place(),
            span: whole_expr.span,
        })),
    }
}

/// Takes every value of the innermost variable, many at once where that goes.
fn innermost(
    context: &mut dyn Context,
    binder: &Binder,
    body: &Expr,
    mode: Mode,
    fold: &mut Fold,
) -> Result<()> {
    let mut at = integer(context, &binder.low)?;
    let high = integer(context, &binder.high)?;
    let may_sweep = mode.connectives == Connectives::ShortCircuit;
    while at <= high && !fold.is_decided() {
        let left = (&high - &at).to_usize().unwrap_or(SWEEP) + 1;
        let count = left.min(SWEEP);
        let first = at.to_i64().filter(|_| may_sweep && count >= LEAST_SWEEP);
        let swept = first.and_then(|first| context.sweep(body, binder.parameter, first, count));
        match swept {
            Some(swept) => {
                context.tick(count as u64)?;
                fold.take_all(&swept, count);
            }
            None => {
                for value in 0..count {
                    context.tick(1)?;
                    context.bind(binder.parameter, Value::whole(&at + value));
                    fold.take(walk(context, body, mode)?);
                    if fold.is_decided() {
                        break;
                    }
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
    binders: &[Binder],
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

/// A quantifier's running value.
struct Fold {
    quantifier: Quantifier,
    value: Option<Value>,
}

impl Fold {
    fn new(quantifier: Quantifier, ty: Type) -> Fold {
        let value = match quantifier {
            Quantifier::ForAll => Some(Value::Truth(true)),
            Quantifier::Exists => Some(Value::Truth(false)),
            Quantifier::Sum if ty == Type::Float => Some(Value::Float(0.0)),
            Quantifier::Sum => Some(Value::Whole(0)),
            Quantifier::Min | Quantifier::Max => None,
        };
        Fold { quantifier, value }
    }

    fn take(&mut self, next: Value) {
        self.value = Some(match (self.quantifier, self.value.take()) {
            (Quantifier::Sum, Some(so_far)) => value::add(&so_far, &next),
            (Quantifier::Min, Some(so_far)) => value::minimum(&so_far, &next),
            (Quantifier::Max, Some(so_far)) => value::maximum(&so_far, &next),
            (Quantifier::ForAll | Quantifier::Exists, _) | (_, None) => next,
        });
    }

    fn take_all(&mut self, swept: &Swept, count: usize) {
        match (swept, self.quantifier, &self.value) {
            (Swept::Ints(ints), Quantifier::Sum, Some(so_far))
                if !matches!(so_far, Value::Float(_)) =>
            {
                // At most 512 words: no overflow.
                let sum: i128 = (0..count).map(|at| i128::from(ints.at(at))).sum();
                self.value = Some(value::add(so_far, &Value::whole(sum.into())));
            }
            (Swept::Truths(truths), Quantifier::ForAll, _) => {
                let all = (0..count).all(|at| truths.at(at));
                self.value = Some(Value::Truth(all));
            }
            (Swept::Ints(ints), _, _) => {
                (0..count).for_each(|at| self.take(Value::Whole(ints.at(at))));
            }
            (Swept::Floats(floats), _, _) => {
                (0..count).for_each(|at| self.take(Value::Float(floats.at(at))));
            }
            (Swept::Truths(truths), _, _) => {
                let any = (0..count).any(|at| truths.at(at));
                self.value = Some(Value::Truth(any));
            }
        }
    }

    fn is_decided(&self) -> bool {
        match (self.quantifier, &self.value) {
            (Quantifier::ForAll, Some(value)) => !value.truth(),
            (Quantifier::Exists, Some(value)) => value.truth(),
            _ => false,
        }
    }

    fn finish(self) -> Option<Value> {
        self.value
    }
}

/// Whether a whole number lies in 0 … extent − 1, and then which.
pub(crate) fn within(index: &BigInt, extent: usize) -> Option<usize> {
    if index.is_negative() {
        return None;
    }
    index.to_usize().filter(|&index| index < extent)
}

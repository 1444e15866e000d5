//! The walk along an expression: every rule that holds wherever it stands.

use crate::meaning::arithmetic;
use crate::meaning::eval::{At, Connectives, Evaluated, Leaves};
use crate::meaning::fault::NoValue;
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::program::{
    Arithmetic, BitFunction, Condition, ConditionKind, Number, NumberKind, PairFunction, Type,
    Unary, Word,
};
use crate::text::Span;

/// Where an expression stands inside another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode {
    pub(super) connectives: Connectives,
    /// Inside `⌈⌉` or `⌊⌋`, where a quotient of int data may be a fraction.
    rounded: bool,
}

impl Mode {
    pub(super) fn outermost(connectives: Connectives) -> Mode {
        Mode {
            connectives,
            rounded: false,
        }
    }
}

/// The value as a whole number, which one at this place has to be.
pub(super) fn whole<S>(
    leaves: &dyn Leaves<Stop = S>,
    span: Span,
    value: Value,
) -> Result<BigInt, S> {
    value
        .to_integer()
        .ok_or_else(|| leaves.fault(NoValue::NotIntegral(value.into()), At::whole(span)))
}

/// A whole number of any size.
pub(super) fn integer<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Number<P>,
    mode: Mode,
) -> Result<BigInt, S> {
    let value = walk(leaves, expr, Mode::outermost(mode.connectives))?;
    whole(leaves, expr.span, value)
}

/// The value of a number.
pub(super) fn walk<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Number<P>,
    mode: Mode,
) -> Result<Value, S> {
    let rounded = Mode {
        rounded: true,
        ..mode
    };
    let span = expr.span;
    let computed = match &expr.kind {
        NumberKind::Integer(value) => return Ok(Value::whole(value.clone())),
        NumberKind::Float(value) => return Ok(Value::Float(*value)),
        NumberKind::Parameter(parameter) => return leaves.parameter(*parameter),
        NumberKind::Word(word) => return read(leaves, word, mode),
        NumberKind::Binary { .. } => return chain_of_arithmetic(leaves, expr, mode),
        NumberKind::Unary { operation, operand } => {
            let mode = match operation {
                Unary::Ceil | Unary::Floor => rounded,
                Unary::Negate | Unary::Abs | Unary::Math(_) => mode,
            };
            arithmetic::unary(*operation, &walk(leaves, operand, mode)?)
        }
        NumberKind::Extreme { extreme, arguments } => Ok(best(
            leaves,
            arguments,
            expr.ty,
            mode,
            arithmetic::better(*extreme),
        )?),
        NumberKind::Select {
            condition,
            then,
            otherwise,
        } => {
            let condition = truth(leaves, condition, mode)?;
            let then = walk(leaves, then, mode)?;
            let otherwise = walk(leaves, otherwise, mode)?;
            return Ok(as_type(expr.ty, if condition { then } else { otherwise }));
        }
        NumberKind::Pair {
            function: PairFunction::Bits(function),
            left,
            right,
        } => {
            let value = bits(leaves, (*function, left, right), span, mode)?;
            return checked(leaves, expr, value, mode);
        }
        NumberKind::Pair {
            function: PairFunction::Log,
            left,
            right,
        } => {
            let base = walk(leaves, left, mode)?;
            arithmetic::log(&base, &walk(leaves, right, mode)?)
        }
        NumberKind::Bracket(of) => {
            let holds = truth(leaves, of, mode)?;
            return Ok(Value::Whole(holds.into()));
        }
        NumberKind::Only(only) => {
            let value = P::number(leaves, only, expr, mode)?;
            return checked(leaves, expr, value, mode);
        }
    };
    let value = computed.map_err(|none| leaves.fault(none, At::whole(span)))?;
    checked(leaves, expr, value, mode)
}

/// The truth of a condition.
pub(super) fn truth<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Condition<P>,
    mode: Mode,
) -> Result<bool, S> {
    match &expr.kind {
        ConditionKind::Compare {
            operands,
            operators,
        } => {
            let how = (expr.span, mode);
            compared(leaves, operands, (operators, arithmetic::compare), how)
        }
        ConditionKind::And(..) | ConditionKind::Or(..) => connected(leaves, expr, mode),
        ConditionKind::Not(of) => Ok(!truth(leaves, of, mode)?),
        ConditionKind::Only(only) => P::condition(leaves, only, expr.span, mode),
    }
}

/// A bit function of two operands.
fn bits<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    (function, left, right): (BitFunction, &Number<P>, &Number<P>),
    whole: Span,
    mode: Mode,
) -> Result<Value, S> {
    let x = walk(leaves, left, mode)?;
    let y = walk(leaves, right, mode)?;
    arithmetic::bits(function, &x, &y).map_err(|none| {
        let is_left = arithmetic::bit_operand(&x).is_err();
        let part = if is_left { left.span } else { right.span };
        leaves.fault(none, At { whole, part })
    })
}

/// Whether two values stand in a relation.
type Holds<R> = fn(R, &Value, &Value) -> Result<bool, NoValue>;

/// A chain of comparisons: all operands are evaluated, whatever the first comparisons say.
pub(super) fn compared<P: Evaluated, S, R: Copy>(
    leaves: &mut dyn Leaves<Stop = S>,
    operands: &[Number<P>],
    (relations, holds): (&[R], Holds<R>),
    (whole, mode): (Span, Mode),
) -> Result<bool, S> {
    let mut left = walk(leaves, &operands[0], mode)?;
    let mut all = Ok(true);
    for (relation, pair) in relations.iter().zip(operands.windows(2)) {
        let right = walk(leaves, &pair[1], mode)?;
        let holds = holds(*relation, &left, &right);
        all = all.and_then(|all| match holds {
            Ok(holds) => Ok(all & holds),
            Err(none) => {
                let is_left = left.to_integer().is_none();
                Err((none, if is_left { pair[0].span } else { pair[1].span }))
            }
        });
        left = right;
    }
    all.map_err(|(none, part)| leaves.fault(none, At { whole, part }))
}

/// Left-leaning chains of arithmetic without recursion along the chain.
fn chain_of_arithmetic<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Number<P>,
    mode: Mode,
) -> Result<Value, S> {
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
    let mut value = walk(leaves, first, mode);
    let mut is_silenced = silenced(first, &value);
    for (link, operator, operand) in links.into_iter().rev() {
        let is_product =
            P::SILENCES && matches!(operator, Arithmetic::Multiply | Arithmetic::Divide);
        if is_silenced && is_product {
            continue;
        }
        // What has no value may still be silenced by a later factor.
        if value.is_err() && !is_product {
            return value;
        }
        let right = walk(leaves, operand, mode);
        is_silenced = operator == Arithmetic::Multiply && silenced(operand, &right);
        value = match (is_silenced, value, right) {
            (true, _, zero) => zero,
            (false, Ok(left), Ok(right)) => {
                linked(leaves, (link, operator, operand), (&left, &right), mode)
            }
            (false, Err(stop), _) | (false, _, Err(stop)) => Err(stop),
        };
    }
    value
}

/// Whether a number says how often something happens: 0 times is 0, whatever it is. Chains without recursion.
fn silences<P: Evaluated>(number: &Number<P>) -> bool {
    let mut at = number;
    while let NumberKind::Binary {
        operator: Arithmetic::Add | Arithmetic::Subtract,
        left,
        right,
    } = &at.kind
    {
        if !has_silencing_factor(right) {
            return false;
        }
        at = left;
    }
    has_silencing_factor(at)
}

fn has_silencing_factor<P: Evaluated>(number: &Number<P>) -> bool {
    let is_one = |number: &Number<P>| {
        matches!(
            number.kind,
            NumberKind::Bracket(_) | NumberKind::Extreme { .. }
        )
    };
    let mut at = number;
    loop {
        at = match &at.kind {
            NumberKind::Unary {
                operation: Unary::Negate,
                operand,
            } => operand,
            NumberKind::Binary {
                operator: Arithmetic::Multiply,
                left,
                right,
            } if !is_one(right) => left,
            NumberKind::Binary {
                operator: Arithmetic::Multiply,
                ..
            } => return true,
            _ => return is_one(at),
        };
    }
}

/// Whether a factor of this value makes a product 0, whatever else stands in it.
fn silenced<P: Evaluated, S>(factor: &Number<P>, value: &Result<Value, S>) -> bool {
    P::SILENCES && matches!(value, Ok(Value::Whole(0))) && silences(factor)
}

/// One link of a chain of arithmetic.
fn linked<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    (link, operator, operand): (&Number<P>, Arithmetic, &Number<P>),
    (left, right): (&Value, &Value),
    mode: Mode,
) -> Result<Value, S> {
    // The work is paid for before it is done. A search would else compute thousands of values such as 3^30000 and
    // refuse each.
    let words = arithmetic::words_of_result(operator, left, right);
    if words > 0 {
        leaves.weigh(words, link.span)?;
    }
    let computed = arithmetic::arithmetic(operator, left, right).map_err(|none| {
        let part = match operator {
            Arithmetic::Power => link.span,
            Arithmetic::Add
            | Arithmetic::Subtract
            | Arithmetic::Multiply
            | Arithmetic::Divide
            | Arithmetic::FloorDivide
            | Arithmetic::Modulo => operand.span,
        };
        let whole = link.span;
        leaves.fault(none, At { whole, part })
    })?;
    if let Value::Exact(real) = &computed
        && real.is_beyond_measure()
    {
        return Err(leaves.fault(NoValue::BeyondMeasure, At::whole(link.span)));
    }
    checked(leaves, link, computed, mode)
}

/// Left-leaning chains of `∧` and `∨` without recursion along the chain.
fn connected<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Condition<P>,
    mode: Mode,
) -> Result<bool, S> {
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
    let mut value = truth(leaves, first, mode)?;
    for (deciding, right) in links.into_iter().rev() {
        if mode.connectives == Connectives::ShortCircuit && value == deciding {
            continue;
        }
        let right = truth(leaves, right, mode)?;
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
fn checked<P: Evaluated, S>(
    leaves: &dyn Leaves<Stop = S>,
    expr: &Number<P>,
    value: Value,
    mode: Mode,
) -> Result<Value, S> {
    if expr.ty != Type::Int {
        return Ok(as_type(expr.ty, value));
    }
    let Value::Exact(real) = &value else {
        return Ok(value);
    };
    let limit = BigInt::from(1) << 63;
    let floor = real.floor();
    if floor >= limit || floor < -&limit {
        return Err(leaves.fault(NoValue::Overflow(value.into()), At::whole(expr.span)));
    }
    let makes_fractions = matches!(
        expr.kind,
        NumberKind::Binary {
            operator: Arithmetic::Divide | Arithmetic::Power,
            ..
        } | NumberKind::Pair {
            function: PairFunction::Log,
            ..
        }
    );
    if makes_fractions && !mode.rounded {
        whole(leaves, expr.span, value.clone())?;
    }
    Ok(value)
}

/// A number where a float is the type of the whole.
pub(super) fn as_type(ty: Type, value: Value) -> Value {
    match (ty, &value) {
        (Type::Float, Value::Whole(_) | Value::Exact(_)) => Value::Float(value.to_float()),
        _ => value,
    }
}

/// A whole number of any size, as a value.
pub(super) fn integral<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    expr: &Number<P>,
    mode: Mode,
) -> Result<Value, S> {
    match walk(leaves, expr, Mode::outermost(mode.connectives))? {
        word @ Value::Whole(_) => Ok(word),
        value => whole(leaves, expr.span, value).map(Value::whole),
    }
}

fn read<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    word: &Word<P>,
    mode: Mode,
) -> Result<Value, S> {
    let mut indices = Vec::with_capacity(word.indices.len());
    for index in &word.indices {
        indices.push((integral(leaves, index, mode)?, index.span));
    }
    leaves.word(word.variable, word.span, &indices)
}

/// The best of the arguments, in the type of the expression.
fn best<P: Evaluated, S>(
    leaves: &mut dyn Leaves<Stop = S>,
    arguments: &[Number<P>],
    ty: Type,
    mode: Mode,
    better: fn(&Value, &Value) -> Value,
) -> Result<Value, S> {
    let mut best: Option<Value> = None;
    for argument in arguments {
        let value = as_type(ty, walk(leaves, argument, mode)?);
        best = Some(match best {
            Some(best) => better(&best, &value),
            None => value,
        });
    }
    Ok(best.expect("`min` and `max` have arguments"))
}

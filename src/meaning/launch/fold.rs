//! Expressions with what a launch knows folded in.
//!
//! Takes an expression as checked and the values that are known; gives the same expression with
//! each part that they decide as one constant, of the part's type. A part that has no value stays
//! as written, so that a fault is met, or not, by who executes it. So does a part of type int whose
//! value is no word: whether it may be a fraction there is for who executes it to say. Words are
//! not known here, nor what anything costs.

use std::marker::PhantomData;

use crate::meaning::arithmetic;
use crate::meaning::fault::NoValue;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, Code, Condition, ConditionKind, Expr, Number, NumberKind, ParamId, Place, Type,
    VarId, Word,
};
use crate::text::Span;

/// The place of expressions once their launch is known; `P` is the place at which they were written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launched<P = Code>(PhantomData<P>);

/// A leaf that stands only among launched expressions.
#[derive(Debug, Clone)]
pub(crate) enum Folded<T, L> {
    /// A constant.
    Known(T),
    /// A leaf of the place at which it was written, as written there.
    Left(L),
}

impl<P: Place> Place for Launched<P> {
    type Number = Folded<Value, P::Number>;
    type Condition = Folded<bool, P::Condition>;

    fn number_operands<'e>(_: &'e Self::Number, _: &mut dyn FnMut(Expr<'e, Self>)) {}

    fn condition_operands<'e>(_: &'e Self::Condition, _: &mut dyn FnMut(Expr<'e, Self>)) {}
}

impl<P: Place> Number<Launched<P>> {
    /// The value, where the launch decides it.
    pub(crate) fn constant(&self) -> Option<&Value> {
        match &self.kind {
            NumberKind::Only(Folded::Known(value)) => Some(value),
            _ => None,
        }
    }

    /// Both sides of a quotient of exact numbers: its floor is floor division, its ceiling the like,
    /// and neither needs the fraction (language.md §5).
    pub(crate) fn exact_quotient(&self) -> Option<(&Self, &Self)> {
        match &self.kind {
            NumberKind::Binary {
                operator: Arithmetic::Divide,
                left,
                right,
            } if self.ty != Type::Float => Some((left, right)),
            _ => None,
        }
    }
}

impl<P: Place> Condition<Launched<P>> {
    /// The truth, where the launch decides it.
    pub(crate) fn constant(&self) -> Option<bool> {
        match &self.kind {
            ConditionKind::Only(Folded::Known(truth)) => Some(*truth),
            _ => None,
        }
    }
}

/// Folds expressions.
pub(crate) struct Folder<'a> {
    /// The parameters that are known.
    values: &'a dyn Fn(ParamId) -> Option<Value>,
    /// True for a variable whose words can be numbered.
    is_numbered: &'a dyn Fn(VarId) -> bool,
    /// The first word met of any other variable.
    pub beyond: Option<Span>,
}

impl<'a> Folder<'a> {
    /// Makes a folder with these parameters known, and the words of these variables numbered.
    pub(crate) fn new(
        values: &'a dyn Fn(ParamId) -> Option<Value>,
        is_numbered: &'a dyn Fn(VarId) -> bool,
    ) -> Self {
        Folder {
            values,
            is_numbered,
            beyond: None,
        }
    }

    /// Returns a number with what is known folded in.
    pub(crate) fn number<P: Place>(&mut self, expr: &Number<P>) -> Number<Launched<P>> {
        let (kind, value) = self.operation(expr);
        let value = value.and_then(|value| admitted(expr.ty, value.ok()?));
        Number {
            kind: value.map_or(kind, |value| NumberKind::Only(Folded::Known(value))),
            ty: expr.ty,
            span: expr.span,
        }
    }

    /// Returns the number with its operands folded, and its value if they are constant.
    fn operation<P: Place>(&mut self, expr: &Number<P>) -> Operation<P> {
        match &expr.kind {
            NumberKind::Integer(value) => known(Value::whole(value.clone())),
            NumberKind::Float(value) => known(Value::Float(*value)),
            NumberKind::Parameter(parameter) => match (self.values)(*parameter) {
                Some(value) => known(value),
                None => (NumberKind::Parameter(*parameter), None),
            },
            NumberKind::Word(word) => (NumberKind::Word(self.word(word)), None),
            &NumberKind::Unary {
                operation,
                ref operand,
            } => {
                let operand = self.boxed(operand);
                let value = operand.constant();
                let value = value.map(|of| arithmetic::unary(operation, of));
                (NumberKind::Unary { operation, operand }, value)
            }
            &NumberKind::Binary {
                operator,
                ref left,
                ref right,
            } => {
                let [left, right] = [left, right].map(|side| self.boxed(side));
                let values = both(&left, &right);
                let value = values.map(|(x, y)| arithmetic::arithmetic(operator, x, y));
                let kind = NumberKind::Binary {
                    operator,
                    left,
                    right,
                };
                (kind, value)
            }
            &NumberKind::Pair {
                function,
                ref left,
                ref right,
            } => {
                let [left, right] = [left, right].map(|side| self.boxed(side));
                let values = both(&left, &right);
                let value = values.map(|(x, y)| arithmetic::pair(function, x, y));
                let kind = NumberKind::Pair {
                    function,
                    left,
                    right,
                };
                (kind, value)
            }
            &NumberKind::Extreme {
                extreme,
                ref arguments,
            } => {
                let arguments = self.all(arguments);
                let value = best(expr.ty, &arguments, arithmetic::better(extreme));
                (NumberKind::Extreme { extreme, arguments }, value)
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => self.select(condition, then, otherwise),
            NumberKind::Bracket(of) => {
                let of = Box::new(self.condition(of));
                let value = of.constant().map(|holds| Ok(Value::Whole(holds.into())));
                (NumberKind::Bracket(of), value)
            }
            NumberKind::Only(only) => (NumberKind::Only(Folded::Left(only.clone())), None),
        }
    }

    /// Folds a `select`. It evaluates all operands, so its value needs all of them.
    fn select<P: Place>(
        &mut self,
        condition: &Condition<P>,
        then: &Number<P>,
        otherwise: &Number<P>,
    ) -> Operation<P> {
        let condition = Box::new(self.condition(condition));
        let (then, otherwise) = (self.boxed(then), self.boxed(otherwise));
        let value = match (condition.constant(), both(&then, &otherwise)) {
            (Some(holds), Some((then, otherwise))) => {
                Some(Ok(if holds { then } else { otherwise }.clone()))
            }
            (None, _) | (_, None) => None,
        };
        let kind = NumberKind::Select {
            condition,
            then,
            otherwise,
        };
        (kind, value)
    }

    fn boxed<P: Place>(&mut self, expr: &Number<P>) -> Boxed<P> {
        Box::new(self.number(expr))
    }

    fn all<P: Place>(&mut self, numbers: &[Number<P>]) -> Vec<Number<Launched<P>>> {
        numbers.iter().map(|number| self.number(number)).collect()
    }

    /// Returns a word with what is known folded into its indices.
    pub(crate) fn word<P: Place>(&mut self, word: &Word<P>) -> Word<Launched<P>> {
        if self.beyond.is_none() && !(self.is_numbered)(word.variable) {
            self.beyond = Some(word.span);
        }
        Word {
            variable: word.variable,
            indices: self.all(&word.indices),
            span: word.span,
        }
    }

    /// Returns a condition with what is known folded in. Both sides of `∧ ∨` are needed to fold it.
    pub(crate) fn condition<P: Place>(&mut self, expr: &Condition<P>) -> Condition<Launched<P>> {
        let (kind, truth) = self.connective(expr);
        Condition {
            kind: truth.map_or(kind, |truth| ConditionKind::Only(Folded::Known(truth))),
            span: expr.span,
        }
    }

    fn connective<P: Place>(
        &mut self,
        expr: &Condition<P>,
    ) -> (ConditionKind<Launched<P>>, Option<bool>) {
        let mut sides = |left: &Condition<P>, right: &Condition<P>| {
            let (left, right) = (self.condition(left), self.condition(right));
            let truths = left.constant().zip(right.constant());
            (Box::new(left), Box::new(right), truths)
        };
        match &expr.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let operands = self.all(operands);
                let values: Option<Vec<&Value>> = operands.iter().map(Number::constant).collect();
                let truth = values.and_then(|values| {
                    let mut comparisons = operators.iter().zip(values.windows(2));
                    comparisons.try_fold(true, |all, (operator, pair)| {
                        let holds = arithmetic::compare(*operator, pair[0], pair[1]);
                        holds.ok().map(|holds| all & holds)
                    })
                });
                let operators = operators.clone();
                let kind = ConditionKind::Compare {
                    operands,
                    operators,
                };
                (kind, truth)
            }
            ConditionKind::And(left, right) => {
                let (left, right, truths) = sides(left, right);
                let truth = truths.map(|(left, right)| left & right);
                (ConditionKind::And(left, right), truth)
            }
            ConditionKind::Or(left, right) => {
                let (left, right, truths) = sides(left, right);
                let truth = truths.map(|(left, right)| left | right);
                (ConditionKind::Or(left, right), truth)
            }
            ConditionKind::Not(of) => {
                let of = Box::new(self.condition(of));
                let truth = of.constant().map(|of| !of);
                (ConditionKind::Not(of), truth)
            }
            ConditionKind::Only(only) => (ConditionKind::Only(Folded::Left(only.clone())), None),
        }
    }
}

/// A folded operand.
type Boxed<P> = Box<Number<Launched<P>>>;

/// An operation with folded operands, and its value where they are constant.
type Operation<P> = (NumberKind<Launched<P>>, Option<Result<Value, NoValue>>);

fn known<P: Place>(value: Value) -> Operation<P> {
    (NumberKind::Only(Folded::Known(value)), None)
}

fn both<'e, P: Place>(
    left: &'e Number<Launched<P>>,
    right: &'e Number<Launched<P>>,
) -> Option<(&'e Value, &'e Value)> {
    left.constant().zip(right.constant())
}

fn best<P: Place>(
    ty: Type,
    arguments: &[Number<Launched<P>>],
    better: fn(&Value, &Value) -> Value,
) -> Option<Result<Value, NoValue>> {
    let values = arguments.iter().map(|argument| {
        let value = argument.constant()?;
        Some(match ty {
            Type::Float => Value::Float(value.to_float()),
            Type::Number | Type::Int => value.clone(),
        })
    });
    let values: Option<Vec<Value>> = values.collect();
    let best = values?
        .into_iter()
        .reduce(|best, value| better(&best, &value));
    best.map(Ok)
}

/// Returns a value in the type of its expression, where that is certain whatever stands around.
fn admitted(ty: Type, value: Value) -> Option<Value> {
    match (ty, &value) {
        (Type::Float, _) => Some(Value::Float(value.to_float())),
        (Type::Int, Value::Exact(_)) => None,
        (Type::Number, Value::Exact(real)) if real.is_beyond_measure() => None,
        (Type::Int | Type::Number, _) => Some(value),
    }
}

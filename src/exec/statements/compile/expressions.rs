//! Numbers and conditions in their fast form: words where the type allows it, else floats.

use crate::exec::statements::compile::{Compiled, Compiler};
use crate::exec::statements::linear::{is_straight, linear};
use crate::exec::statements::typed::{Floats, Ints, Operand, Truths};
use crate::meaning::launch::fold::{Folded, Launched};
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, Condition, ConditionKind, Extreme, Number, NumberKind, PairFunction, Type, Unary,
};
use crate::syntax::ast::Comparison;

impl Compiler<'_> {
    /// Compiles an expression that is not part of a larger one of ints.
    pub(super) fn ints<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Ints {
        let node = self.inner_ints(expr);
        match node {
            Ints::Binary(..) | Ints::CeilQuotient(..) | Ints::Minimum(_) | Ints::Maximum(_)
                if expr.ty == Type::Number && is_straight(&node) =>
            {
                Ints::Straight(Box::new(node))
            }
            node => node,
        }
    }

    fn inner_ints<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Ints {
        // Only numbers may be regrouped: 2·(i + j) becomes 2i + 2j. Int data must fit a word at
        // every
        // step as written.
        let written = self.ints_as_written(expr);
        if expr.ty != Type::Number || !matches!(written, Ints::Binary(..)) {
            return written;
        }
        match linear(&written) {
            Some((constant, terms)) => Ints::Linear {
                constant,
                terms,
                written: Box::new(written),
            },
            None => written,
        }
    }

    fn ints_as_written<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Ints {
        if let Some(constant) = expr.constant() {
            return match constant {
                Value::Whole(whole) => Ints::Constant(*whole),
                Value::Exact(_) | Value::Float(_) => Ints::Opaque,
            };
        }
        let boxed = |expr: &Number<Launched<P>>| Box::new(self.inner_ints(expr));
        match &expr.kind {
            NumberKind::Parameter(parameter) => Ints::Register(*parameter),
            NumberKind::Word(word) => Ints::Read(self.access(word)),
            NumberKind::Unary { operation, operand } => match operation {
                Unary::Negate => {
                    let zero = Box::new(Ints::Constant(0));
                    Ints::Binary(Arithmetic::Subtract, zero, boxed(operand))
                }
                Unary::Abs => Ints::Absolute(boxed(operand)),
                Unary::Floor => self.floor(operand),
                Unary::Ceil => self.ceil(operand),
                Unary::Math(_) => Ints::Opaque,
            },
            NumberKind::Binary {
                operator,
                left,
                right,
            } => Ints::Binary(*operator, boxed(left), boxed(right)),
            NumberKind::Extreme { extreme, arguments } => {
                let arguments = arguments.iter().map(|expr| self.inner_ints(expr));
                match extreme {
                    Extreme::Min => Ints::Minimum(arguments.collect()),
                    Extreme::Max => Ints::Maximum(arguments.collect()),
                }
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => Ints::Select(
                Box::new(self.truths(condition)),
                boxed(then),
                boxed(otherwise),
            ),
            NumberKind::Pair {
                function: PairFunction::Bits(function),
                left,
                right,
            } => Ints::Bits(*function, boxed(left), boxed(right)),
            NumberKind::Bracket(of) => Ints::Bracket(Box::new(self.truths(of))),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Pair {
                function: PairFunction::Log,
                ..
            }
            | NumberKind::Only(_) => Ints::Opaque,
        }
    }

    fn floor<P: Compiled>(&self, of: &Number<Launched<P>>) -> Ints {
        if of.ty == Type::Float {
            return Ints::FloorOf(Box::new(self.floats(of)));
        }
        let boxed = |expr: &Number<Launched<P>>| Box::new(self.inner_ints(expr));
        match of.exact_quotient() {
            Some((left, right)) => Ints::Binary(Arithmetic::FloorDivide, boxed(left), boxed(right)),
            // In fast form every value is whole or missing, so there is nothing to round.
            None => self.inner_ints(of),
        }
    }

    fn ceil<P: Compiled>(&self, of: &Number<Launched<P>>) -> Ints {
        if of.ty == Type::Float {
            return Ints::CeilOf(Box::new(self.floats(of)));
        }
        let boxed = |expr: &Number<Launched<P>>| Box::new(self.inner_ints(expr));
        match of.exact_quotient() {
            Some((left, right)) => Ints::CeilQuotient(boxed(left), boxed(right)),
            None => self.inner_ints(of),
        }
    }

    pub(super) fn floats<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Floats {
        if let Some(constant) = expr.constant() {
            return Floats::Constant(constant.to_float());
        }
        let boxed = |expr: &Number<Launched<P>>| Box::new(self.floats(expr));
        if expr.ty != Type::Float {
            return match &expr.kind {
                NumberKind::Binary {
                    operator: Arithmetic::Divide,
                    left,
                    right,
                } if expr.ty == Type::Number => Floats::Quotient(self.ints(left), self.ints(right)),
                NumberKind::Select {
                    condition,
                    then,
                    otherwise,
                } if expr.ty == Type::Number => Floats::Select(
                    Box::new(self.truths(condition)),
                    boxed(then),
                    boxed(otherwise),
                ),
                _ => Floats::OfInts(self.ints(expr)),
            };
        }
        match &expr.kind {
            NumberKind::Parameter(parameter) => Floats::Register(*parameter),
            NumberKind::Word(word) => Floats::Read(self.access(word)),
            NumberKind::Unary { operation, operand } => match operation {
                Unary::Negate => Floats::Negate(boxed(operand)),
                Unary::Abs => Floats::Absolute(boxed(operand)),
                Unary::Math(function) => Floats::Math(*function, boxed(operand)),
                Unary::Ceil | Unary::Floor => Floats::OfInts(Ints::Opaque),
            },
            NumberKind::Binary {
                operator,
                left,
                right,
            } => Floats::Binary(*operator, boxed(left), boxed(right)),
            NumberKind::Extreme { extreme, arguments } => {
                let arguments = arguments.iter().map(|expr| self.floats(expr));
                match extreme {
                    Extreme::Min => Floats::Minimum(arguments.collect()),
                    Extreme::Max => Floats::Maximum(arguments.collect()),
                }
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => Floats::Select(
                Box::new(self.truths(condition)),
                boxed(then),
                boxed(otherwise),
            ),
            NumberKind::Pair {
                function: PairFunction::Log,
                left,
                right,
            } => Floats::Log(boxed(left), boxed(right)),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Pair {
                function: PairFunction::Bits(_),
                ..
            }
            | NumberKind::Bracket(_)
            | NumberKind::Only(_) => Floats::OfInts(Ints::Opaque),
        }
    }

    pub(super) fn truths<P: Compiled>(&self, expr: &Condition<Launched<P>>) -> Truths {
        let boxed = |expr: &Condition<Launched<P>>| Box::new(self.truths(expr));
        match &expr.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => self.chain(operands, operators),
            ConditionKind::And(left, right) => Truths::Connect {
                and: true,
                left: boxed(left),
                right: boxed(right),
            },
            ConditionKind::Or(left, right) => Truths::Connect {
                and: false,
                left: boxed(left),
                right: boxed(right),
            },
            ConditionKind::Not(of) => Truths::Not(boxed(of)),
            ConditionKind::Only(Folded::Known(truth)) => Truths::Constant(*truth),
            ConditionKind::Only(Folded::Left(only)) => P::truths(self, only),
        }
    }

    fn chain<P: Compiled>(
        &self,
        operands: &[Number<Launched<P>>],
        operators: &[Comparison],
    ) -> Truths {
        if let ([left, right], [operator]) = (operands, operators)
            && left.ty != Type::Float
            && right.ty != Type::Float
        {
            let against = self.against_fraction(left, *operator, right);
            let against =
                against.or_else(|| self.against_fraction(right, operator.mirrored(), left));
            return against
                .unwrap_or_else(|| Truths::Order(*operator, self.ints(left), self.ints(right)));
        }
        let any_float = operands.iter().any(|operand| operand.ty == Type::Float);
        let all_float = any_float && operands.len() == 2;
        // A chain evaluates each operand once, so a middle operand between an int and a float must
        // keep its own type. Two operands can both become floats.
        let operand = |expr: &Number<Launched<P>>| match expr.ty {
            Type::Float => Operand::Floats(self.floats(expr)),
            _ if all_float => Operand::Floats(self.floats(expr)),
            Type::Number | Type::Int => Operand::Ints(self.ints(expr)),
        };
        Truths::Chain(operands.iter().map(operand).collect(), operators.to_vec())
    }

    /// Compares with a constant fraction through its floor or ceiling: `j < 7/2` is `j ≤ 3`.
    fn against_fraction<P: Compiled>(
        &self,
        left: &Number<Launched<P>>,
        operator: Comparison,
        right: &Number<Launched<P>>,
    ) -> Option<Truths> {
        let Some(Value::Exact(bound)) = right.constant() else {
            return None;
        };
        if bound.to_integer().is_some() {
            return None;
        }
        let (operator, bound) = match operator {
            Comparison::Less | Comparison::AtMost => (Comparison::AtMost, bound.floor()),
            Comparison::Greater | Comparison::AtLeast => (Comparison::AtLeast, bound.ceil()),
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Divides
            | Comparison::PowerOf => return None,
        };
        let bound = i64::try_from(bound).ok()?;
        Some(Truths::Order(
            operator,
            self.ints(left),
            Ints::Constant(bound),
        ))
    }
}

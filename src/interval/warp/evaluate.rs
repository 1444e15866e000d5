//! Evaluation of numbers and conditions for all cores of a group, each known or between bounds.

use std::cell::Cell;

use crate::interval::lanes::{Active, Bail, Base, FLAT, Lanes, Truths};
use crate::interval::value::{self, Truth, Value, mixed};
use crate::interval::warp::Warp;
use crate::interval::warp::linear::{combine, known_product, known_quotient, known_sum};
use crate::meaning::fault::NoValue;
use crate::meaning::launch::fold::{Folded, Launched};
use crate::number::Real;
use crate::program::{
    Arithmetic, Condition, ConditionKind, Extreme, Number, NumberKind, Type, Unary,
};
use crate::syntax::ast::Comparison;
use crate::text::Span;

impl Warp<'_, '_> {
    pub(in crate::interval) fn number(
        &mut self,
        expr: &Number<Launched>,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        match &expr.kind {
            NumberKind::Only(Folded::Known(value)) => Ok(Lanes::same(value.into())),
            NumberKind::Only(Folded::Left(nothing)) => match *nothing {},
            NumberKind::Integer(value) => Ok(Lanes::same(Value::exact(value.clone().into()))),
            NumberKind::Float(value) => Ok(Lanes::same(Value::Float(*value))),
            NumberKind::Parameter(id) => Ok(self.held.register(*id)),
            NumberKind::Word(word) => self.read(word, active),
            NumberKind::Unary { operation, operand } => {
                self.unary(*operation, operand, expr.span, active)
            }
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let left = self.number(left, active)?;
                let right = self.number(right, active)?;
                self.arithmetic(*operator, &left, &right, expr, active)
            }
            NumberKind::Pair {
                function,
                left,
                right,
            } => {
                let (x, y) = (self.number(left, active)?, self.number(right, active)?);
                let pair = |x: &Value, y: &Value| value::pair(*function, x, y);
                self.zip(&x, &y, active, expr.span, pair)
            }
            NumberKind::Extreme { extreme, arguments } => self.extreme(*extreme, arguments, active),
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let truths = self.test(condition, active)?;
                let then = self.number(then, active)?;
                let otherwise = self.number(otherwise, active)?;
                self.select(&truths, &then, &otherwise, active)
            }
            NumberKind::Bracket(condition) => Ok(match self.test(condition, active)? {
                Truths::Same(truth) => Lanes::same(truth.into()),
                Truths::Each(truths) => Lanes::each(truths.into_iter().map(Value::from).collect()),
            }),
        }
    }

    fn unary(
        &mut self,
        operation: Unary,
        operand: &Number<Launched>,
        span: Span,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        let floor = Arithmetic::FloorDivide;
        match (operation, operand.exact_quotient()) {
            (Unary::Negate, _) => {
                let lanes = self.number(operand, active)?;
                self.negated(&lanes, active)
            }
            (Unary::Floor, Some((left, right))) => {
                let left = self.number(left, active)?;
                let right = self.number(right, active)?;
                self.arithmetic(floor, &left, &right, operand, active)
            }
            // ⌈x/y⌉ = −⌊−x/y⌋
            (Unary::Ceil, Some((left, right))) => {
                let left = self.number(left, active)?;
                let left = self.negated(&left, active)?;
                let right = self.number(right, active)?;
                let floor = self.arithmetic(floor, &left, &right, operand, active)?;
                self.negated(&floor, active)
            }
            (Unary::Floor | Unary::Ceil, None) => {
                let lanes = self.number(operand, active)?;
                self.rounded(lanes, active, span, |value| value::unary(operation, value))
            }
            (Unary::Abs | Unary::Math(_), _) => {
                let lanes = self.number(operand, active)?;
                self.flat(&lanes)?;
                self.each_checked(&lanes, active, span, |value| {
                    value::unary(operation, &value)
                })
            }
        }
    }

    fn negated(&mut self, lanes: &Lanes, active: &Active) -> Result<Lanes, Bail> {
        let zero = Lanes::same(Value::Int(0));
        if let Lanes::Known { .. } = lanes
            && let Some(negated) = known_sum(&zero, lanes, true)
        {
            return Ok(negated);
        }
        self.each(lanes, active, |value| value::negate(&value))
    }

    fn extreme(
        &mut self,
        extreme: Extreme,
        arguments: &[Number<Launched>],
        active: &Active,
    ) -> Result<Lanes, Bail> {
        let mut best: Option<Lanes> = None;
        for argument in arguments {
            let lanes = self.number(argument, active)?;
            best = Some(match best {
                None => lanes,
                Some(best) => self.extremum(extreme, &best, &lanes, active)?,
            });
        }
        Ok(best.expect("check saw an argument"))
    }

    pub(in crate::interval) fn test(
        &mut self,
        condition: &Condition<Launched>,
        active: &Active,
    ) -> Result<Truths, Bail> {
        match &condition.kind {
            ConditionKind::Only(Folded::Known(holds)) => Ok(Truths::Same((*holds).into())),
            ConditionKind::Only(Folded::Left(nothing)) => match *nothing {},
            ConditionKind::And(left, right) => {
                let (left, right) = (self.test(left, active)?, self.test(right, active)?);
                Ok(left.zip(&right, Truth::and))
            }
            ConditionKind::Or(left, right) => {
                let (left, right) = (self.test(left, active)?, self.test(right, active)?);
                Ok(left.zip(&right, Truth::or))
            }
            ConditionKind::Not(inner) => Ok(self.test(inner, active)?.not()),
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let mut left = self.number(&operands[0], active)?;
                let mut truths = Truths::Same(Truth::True);
                for (operator, operand) in operators.iter().zip(&operands[1..]) {
                    let right = self.number(operand, active)?;
                    let held = self.compare(*operator, &left, &right, active, condition.span)?;
                    truths = truths.zip(&held, Truth::and);
                    left = right;
                }
                Ok(truths)
            }
        }
    }

    fn compare(
        &mut self,
        operator: Comparison,
        left: &Lanes,
        right: &Lanes,
        active: &Active,
        span: Span,
    ) -> Result<Truths, Bail> {
        // Known values with slopes are compared through their difference, which is affine too. If
        // its
        // sign changes inside the group, the group is halved along the slope.
        let by_difference = match operator {
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Less
            | Comparison::AtMost
            | Comparison::Greater
            | Comparison::AtLeast => true,
            Comparison::Divides | Comparison::PowerOf => false,
        };
        if by_difference
            && let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) =
                (left, right)
            && let Some(slope) = combine(p, q, i64::checked_sub)
        {
            let decide = |x: i64, y: i64| {
                let difference = i128::from(x) - i128::from(y);
                self.group.compare_zero(operator, difference, &slope)
            };
            if let (Base::Same(x), Base::Same(y)) = (x, y) {
                let holds = decide(*x, *y).ok_or_else(|| self.group.halve(&slope))?;
                return Ok(Truths::Same(holds.into()));
            }
            let mut truths = vec![Truth::False; self.cores()];
            for core in active.may.iter() {
                let holds =
                    decide(x.get(core), y.get(core)).ok_or_else(|| self.group.halve(&slope))?;
                truths[core] = holds.into();
            }
            return Ok(Truths::Each(truths));
        }
        self.flat(left)?;
        self.flat(right)?;
        if let (Lanes::Same(x), Lanes::Same(y)) = (left, right) {
            return Ok(Truths::Same(
                value::compare(operator, x, y).unwrap_or(Truth::Maybe),
            ));
        }
        let mut truths = vec![Truth::False; self.cores()];
        for core in active.may.iter() {
            truths[core] = match value::compare(operator, &left.get(core), &right.get(core)) {
                Ok(truth) => truth,
                Err(fault) => {
                    self.core_fault(active, core, fault, span);
                    Truth::Maybe
                }
            };
        }
        Ok(Truths::Each(truths))
    }

    fn arithmetic(
        &mut self,
        operator: Arithmetic,
        left: &Lanes,
        right: &Lanes,
        written: &Number<Launched>,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        if let (Lanes::Known { .. }, Lanes::Known { .. }) = (left, right) {
            let fast = match operator {
                Arithmetic::Add => known_sum(left, right, false),
                Arithmetic::Subtract => known_sum(left, right, true),
                Arithmetic::Multiply => {
                    known_product(left, right).or_else(|| known_product(right, left))
                }
                Arithmetic::FloorDivide | Arithmetic::Modulo | Arithmetic::Divide => {
                    known_quotient(operator, left, right)
                }
                Arithmetic::Power => None,
            };
            if let Some(lanes) = fast {
                return Ok(lanes);
            }
        }
        // Arithmetic on int data: results must fit a word.
        let on_words = written.ty == Type::Int;
        let beyond_words = Cell::new(0);
        let lanes = self.zip(left, right, active, written.span, |x, y| {
            let result = value::arithmetic(operator, x, y)?;
            if let Value::Exact(exact) = &result {
                beyond_words.set(beyond_words.get() + work_of(exact));
            }
            match &result {
                // A whole number beyond a word. Parameters may be that large, data may not.
                Value::Exact(exact) if on_words && exact.to_integer().is_some() => {
                    Err(NoValue::Overflow(value::shown(&result).into()))
                }
                _ => Ok(result),
            }
        });
        self.budget.spend(beyond_words.get())?;
        lanes
    }

    fn rounded(
        &mut self,
        lanes: Lanes,
        active: &Active,
        span: Span,
        round: impl Fn(&Value) -> Result<Value, NoValue>,
    ) -> Result<Lanes, Bail> {
        match lanes {
            Lanes::Known { .. } => Ok(lanes),
            Lanes::Same(_) | Lanes::Each(_) => {
                self.each_checked(&lanes, active, span, |value| round(&value))
            }
        }
    }

    fn extremum(
        &mut self,
        extreme: Extreme,
        left: &Lanes,
        right: &Lanes,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        if left.slope() != FLAT || right.slope() != FLAT {
            let operator = match extreme {
                Extreme::Min => Comparison::AtMost,
                Extreme::Max => Comparison::AtLeast,
            };
            if let (Lanes::Known { .. }, Lanes::Known { .. }) = (left, right) {
                let truths = self.compare(operator, left, right, active, Span::default())?;
                return self.select(&truths, left, right, active);
            }
        }
        self.zip(left, right, active, Span::default(), |x, y| {
            Ok(value::extremum(extreme, x, y))
        })
    }

    fn select(
        &mut self,
        truths: &Truths,
        then: &Lanes,
        otherwise: &Lanes,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        if let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) =
            (then, otherwise)
        {
            match truths {
                Truths::Same(Truth::True) => return Ok(then.clone()),
                Truths::Same(Truth::False) => return Ok(otherwise.clone()),
                Truths::Same(Truth::Maybe) => {}
                Truths::Each(truths) => {
                    let among = |truth| active.may.iter().all(|core| truths[core] == truth);
                    if among(Truth::True) {
                        return Ok(then.clone());
                    }
                    if among(Truth::False) {
                        return Ok(otherwise.clone());
                    }
                    if p == q && active.may.iter().all(|core| truths[core] != Truth::Maybe) {
                        let pick = |core: usize| match truths[core] {
                            Truth::True => x.get(core),
                            Truth::False | Truth::Maybe => y.get(core),
                        };
                        return Ok(Lanes::Known {
                            base: Base::Each((0..self.cores()).map(pick).collect()),
                            slope: *p,
                        });
                    }
                }
            }
        }
        self.flat(then)?;
        self.flat(otherwise)?;
        let mut values = vec![Value::Int(0); self.cores()];
        for core in active.may.iter() {
            let (x, y) = (then.get(core), otherwise.get(core));
            values[core] = match truths.get(core) {
                Truth::True => mixed(&x, &y),
                Truth::False => mixed(&y, &x),
                Truth::Maybe => mixed(&x, &y).join(&mixed(&y, &x)),
            };
        }
        Ok(Lanes::each(values))
    }

    fn each(
        &self,
        lanes: &Lanes,
        active: &Active,
        f: impl Fn(Value) -> Value,
    ) -> Result<Lanes, Bail> {
        self.flat(lanes)?;
        match lanes {
            Lanes::Same(value) => Ok(Lanes::same(f(value.clone()))),
            Lanes::Known {
                base: Base::Same(value),
                ..
            } => Ok(Lanes::same(f(Value::Int(*value)))),
            Lanes::Known { .. } | Lanes::Each(_) => {
                let mut values = vec![Value::Int(0); self.cores()];
                for core in active.may.iter() {
                    values[core] = f(lanes.get(core));
                }
                Ok(Lanes::each(values))
            }
        }
    }

    fn each_checked(
        &mut self,
        lanes: &Lanes,
        active: &Active,
        span: Span,
        f: impl Fn(Value) -> Result<Value, NoValue>,
    ) -> Result<Lanes, Bail> {
        self.zip(lanes, lanes, active, span, |value, _| f(value.clone()))
    }

    fn zip(
        &mut self,
        left: &Lanes,
        right: &Lanes,
        active: &Active,
        span: Span,
        f: impl Fn(&Value, &Value) -> Result<Value, NoValue>,
    ) -> Result<Lanes, Bail> {
        self.flat(left)?;
        self.flat(right)?;
        let uniform = |lanes: &Lanes| match lanes {
            Lanes::Same(value) => Some(value.clone()),
            Lanes::Known {
                base: Base::Same(value),
                ..
            } => Some(Value::Int(*value)),
            Lanes::Known { .. } | Lanes::Each(_) => None,
        };
        if let (Some(x), Some(y)) = (uniform(left), uniform(right)) {
            return Ok(match f(&x, &y) {
                Ok(value) => Lanes::same(value),
                Err(fault) => {
                    if let Some(core) = active.must.iter().next() {
                        self.core_fault(active, core, fault, span);
                    }
                    Lanes::same(value::ANY_INT)
                }
            });
        }
        let mut values = vec![Value::Int(0); self.cores()];
        for core in active.may.iter() {
            values[core] = match f(&left.get(core), &right.get(core)) {
                Ok(value) => value,
                Err(fault) => {
                    self.core_fault(active, core, fault, span);
                    value::ANY_INT
                }
            };
        }
        Ok(Lanes::each(values))
    }
}

/// Returns the price of an operation on a number that fits no word, in core-steps.
fn work_of(number: &Real) -> u64 {
    let words = number.bits() as u64 / 64;
    20 + words * words / 10
}

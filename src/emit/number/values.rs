//! What a number becomes: one method for each kind of expression.

use crate::emit::error::Unsupported;
use crate::emit::number::lowered::{Lowered, absolute, compare, negated, parts};
use crate::emit::number::{Numbers, Result};
use crate::emit::term::Term;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, BitFunction, Extreme, MathFunction, Number, NumberKind, PairFunction, ParamId,
    Place, Scope, Type, Unary, Word, WordType,
};
use crate::text::Span;

impl Numbers<'_> {
    /// The value of a number, whole as soon as it is known to be.
    pub(super) fn number<P: Place>(&mut self, number: &Number<P>) -> Result<Lowered> {
        if let Some(known) = self.known_function(number) {
            return Ok(Lowered::Whole(Term::Whole(known)));
        }
        Ok(match &number.kind {
            NumberKind::Integer(value) => {
                let value = i64::try_from(value)
                    .map_err(|_| self.unsupported(Unsupported::Wide, number.span))?;
                Lowered::Whole(Term::Whole(value))
            }
            NumberKind::Float(value) => Lowered::Real(Term::Real(*value)),
            NumberKind::Parameter(id) => self.parameter_value(*id),
            NumberKind::Word(word) => self.word_value(word)?,
            NumberKind::Unary { operation, operand } => match operation {
                Unary::Negate => negated(self.number(operand)?),
                Unary::Floor => Lowered::Whole(self.rounded(operand, true)?),
                Unary::Ceil => Lowered::Whole(self.rounded(operand, false)?),
                Unary::Abs => absolute(self.number(operand)?),
                Unary::Math(function) => self.math(*function, operand, number)?,
            },
            NumberKind::Binary {
                operator,
                left,
                right,
            } => self.binary(*operator, left, right, number)?,
            NumberKind::Extreme { extreme, arguments } => match extreme {
                Extreme::Min => self.extreme(arguments, number, "least", "<=")?,
                Extreme::Max => self.extreme(arguments, number, "greatest", ">=")?,
            },
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(condition)?;
                self.selected(condition, then, otherwise, number.ty)?
            }
            NumberKind::Pair {
                function,
                left,
                right,
            } => match function {
                PairFunction::Bits(function) => {
                    let (left, right) = (self.whole(left)?, self.whole(right)?);
                    Lowered::Whole(bits(*function, left, right))
                }
                PairFunction::Log => self.logarithm(left, right, number.ty)?,
            },
            NumberKind::Bracket(condition) => {
                let holds = self.condition(condition)?;
                Lowered::Whole(Term::choice(holds, Term::Whole(1), Term::Whole(0)))
            }
            NumberKind::Only(_) => {
                return Err(self.unsupported(Unsupported::Irrational, number.span));
            }
        })
    }

    /// The value of a logarithm, root or power that the machine's parameters alone make whole.
    fn known_function<P: Place>(&self, number: &Number<P>) -> Option<i64> {
        let is_hard = matches!(
            number.kind,
            NumberKind::Pair {
                function: PairFunction::Log,
                ..
            } | NumberKind::Unary {
                operation: Unary::Math(_),
                ..
            } | NumberKind::Binary {
                operator: Arithmetic::Power,
                ..
            }
        );
        if !is_hard || number.ty != Type::Number {
            return None;
        }
        match self.constant(number) {
            Some(Value::Whole(whole)) => Some(whole),
            Some(Value::Exact(_) | Value::Float(_)) | None => None,
        }
    }

    fn parameter_value(&mut self, id: ParamId) -> Lowered {
        let is_float = self.program.parameter(id).ty == Type::Float;
        let term = self.parameter(id);
        if is_float {
            Lowered::Real(term)
        } else {
            Lowered::Whole(term)
        }
    }

    fn word_value<P: Place>(&mut self, word: &Word<P>) -> Result<Lowered> {
        let variable = self.program.variable(word.variable);
        if variable.scope == Scope::Global {
            return Err(self.unsupported(Unsupported::GlobalOnHost, word.span));
        }
        let is_float = variable.word_type == WordType::Float;
        let term = self.word(word)?;
        Ok(match is_float {
            true => Lowered::Real(term),
            // Arithmetic on words has 64 bits.
            false if self.has_short_ints => Lowered::Whole(term.into_whole()),
            false => Lowered::Whole(term),
        })
    }

    fn selected<P: Place>(
        &mut self,
        condition: Term,
        then: &Number<P>,
        otherwise: &Number<P>,
        ty: Type,
    ) -> Result<Lowered> {
        if ty == Type::Float {
            let (then, otherwise) = (self.real(then)?, self.real(otherwise)?);
            return Ok(Lowered::Real(Term::choice(condition, then, otherwise)));
        }
        Ok(match (self.number(then)?, self.number(otherwise)?) {
            (Lowered::Whole(then), Lowered::Whole(otherwise)) => {
                Lowered::Whole(Term::choice(condition, then, otherwise))
            }
            (then, otherwise) => {
                let (x, u, is_x) = parts(then);
                let (y, v, is_y) = parts(otherwise);
                let over = Term::choice(condition.clone(), x, y);
                Lowered::Ratio(over, Term::choice(condition, u, v), is_x && is_y)
            }
        })
    }

    fn logarithm<P: Place>(
        &mut self,
        base: &Number<P>,
        argument: &Number<P>,
        ty: Type,
    ) -> Result<Lowered> {
        if ty == Type::Float {
            let of = vec![self.real(base)?, self.real(argument)?];
            return Ok(Lowered::Real(Term::call("log_real", of)));
        }
        // A rational logarithm to a base that is no power is whole: log2 x may be 3, but never 3/2.
        match self.constant(base) {
            Some(Value::Whole(base)) if base >= 2 && !is_perfect_power(base) => {}
            _ => self.broken += 1,
        }
        self.irrational += 1;
        Ok(Lowered::Whole(self.log("floor_log", base, argument)?))
    }

    fn binary<P: Place>(
        &mut self,
        operator: Arithmetic,
        left: &Number<P>,
        right: &Number<P>,
        whole: &Number<P>,
    ) -> Result<Lowered> {
        if whole.ty == Type::Float {
            let (x, y) = (self.real(left)?, self.real(right)?);
            return Ok(Lowered::Real(of_floats(operator, x, y)));
        }
        if operator == Arithmetic::Power {
            return self.power(left, right, whole.span);
        }
        let (low, high) = (self.bounds_of(left), self.bounds_of(right));
        let is_plain = low.is_at_least(0) && high.is_at_least(1);
        let (x, y) = self.operands(operator, left, right, whole.span)?;
        Ok(match (operator, x, y) {
            (Arithmetic::Add, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(Term::infix("+", x, y))
            }
            (Arithmetic::Subtract, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(Term::infix("-", x, y))
            }
            (Arithmetic::Multiply, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(Term::infix("*", x, y))
            }
            (Arithmetic::FloorDivide, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(self.floor_div(x, y, is_plain))
            }
            (Arithmetic::Modulo, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(self.floor_mod(x, y, is_plain))
            }
            (operator, x, y) => self.of_ratios(operator, x, y, high.is_at_least(1)),
        })
    }

    /// `base^exponent`; a quotient where the exponent may be negative.
    fn power<P: Place>(
        &mut self,
        base: &Number<P>,
        exponent: &Number<P>,
        span: Span,
    ) -> Result<Lowered> {
        let (low, high) = (self.bounds_of(base), self.bounds_of(exponent));
        let Lowered::Whole(base) = self.number(base)? else {
            return Err(self.unsupported(Unsupported::Irrational, span));
        };
        let Lowered::Whole(exponent) = self.number(exponent)? else {
            return Err(self.unsupported(Unsupported::Irrational, span));
        };
        let times = match self.exponent(&base) {
            Some(Term::Whole(times)) if self.is_plain => Some(Term::Whole(times)),
            _ => None,
        };
        let power = |exponent| match times.clone() {
            Some(times) => Term::power(Term::Whole(2), Term::infix("*", times, exponent)),
            None => Term::power(base.clone(), exponent),
        };
        if high.is_at_least(0) {
            return Ok(Lowered::Whole(power(exponent)));
        }
        let part = |sign: Term| Term::call("greatest", vec![sign, Term::Whole(0)]);
        let negative = Term::prefix("-", exponent.clone());
        let (over, under) = (power(part(exponent)), power(part(negative)));
        Ok(Lowered::Ratio(over, under, low.is_at_least(1)))
    }

    /// Both sides of an operator, unless it could make a rational number of irrational ones.
    fn operands<P: Place>(
        &mut self,
        operator: Arithmetic,
        left: &Number<P>,
        right: &Number<P>,
        span: Span,
    ) -> Result<(Lowered, Lowered)> {
        let before = self.irrational;
        let broken = self.broken;
        let x = self.number(left)?;
        let of_left = self.irrational - before;
        let y = self.number(right)?;
        // An irrational number times or over another may be whole.
        let is_of_both = of_left > 0 && self.irrational - before > of_left;
        let is_sum = matches!(operator, Arithmetic::Add | Arithmetic::Subtract);
        let is_multiple = !is_sum && operator != Arithmetic::Multiply;
        if is_of_both
            || (self.irrational > before && is_multiple)
            || (self.broken > broken && !is_sum)
        {
            return Err(self.unsupported(Unsupported::Irrational, span));
        }
        Ok((x, y))
    }

    /// x/u and y/v under an operator; `is_right_positive` where y is at least 1.
    fn of_ratios(
        &self,
        operator: Arithmetic,
        left: Lowered,
        right: Lowered,
        is_right_positive: bool,
    ) -> Lowered {
        let (x, u, is_u) = parts(left);
        let (y, v, is_v) = parts(right);
        let product = |x: &Term, y: &Term| Term::infix("*", x.clone(), y.clone());
        let positive = is_u && is_v;
        match operator {
            Arithmetic::Add | Arithmetic::Subtract => {
                let sign = if operator == Arithmetic::Add {
                    "+"
                } else {
                    "-"
                };
                if u == v {
                    Lowered::Ratio(Term::infix(sign, x, y), u, is_u)
                } else {
                    let over = Term::infix(sign, product(&x, &v), product(&y, &u));
                    Lowered::Ratio(over, product(&u, &v), positive)
                }
            }
            Arithmetic::Multiply => Lowered::Ratio(product(&x, &y), product(&u, &v), positive),
            Arithmetic::Divide => {
                let is_over_positive = positive && is_right_positive;
                Lowered::Ratio(product(&x, &v), product(&u, &y), is_over_positive)
            }
            Arithmetic::FloorDivide => {
                let (over, under) = (product(&x, &v), product(&u, &y));
                Lowered::Whole(self.floor_div(over, under, false))
            }
            // x/u − ⌊(x·v)/(u·y)⌋·y/v
            Arithmetic::Modulo => {
                let quotient = self.floor_div(product(&x, &v), product(&u, &y), false);
                let times = Term::infix("*", product(&y, &u), quotient);
                let over = Term::infix("-", product(&x, &v), times);
                Lowered::Ratio(over, product(&u, &v), positive)
            }
            Arithmetic::Power => unreachable!("`power` does it"),
        }
    }

    fn math<P: Place>(
        &mut self,
        function: MathFunction,
        argument: &Number<P>,
        whole: &Number<P>,
    ) -> Result<Lowered> {
        if whole.ty == Type::Float {
            let function = match function {
                MathFunction::Sqrt => "sqrt",
                MathFunction::Exp => "exp",
                MathFunction::Ln => "log",
                MathFunction::Sin => "sin",
                MathFunction::Cos => "cos",
            };
            return Ok(Lowered::Real(Term::call(
                function,
                vec![self.real(argument)?],
            )));
        }
        // A root of a whole number that is rational is whole.
        let Lowered::Whole(argument) = self.rational(argument)? else {
            return Err(self.unsupported(Unsupported::Irrational, whole.span));
        };
        self.irrational += 1;
        let root = Term::call("floor_root", vec![argument, Term::Whole(1)]);
        Ok(Lowered::Whole(root))
    }

    fn extreme<P: Place>(
        &mut self,
        of: &[Number<P>],
        whole: &Number<P>,
        function: &'static str,
        better: &'static str,
    ) -> Result<Lowered> {
        if whole.ty == Type::Float {
            let function = match function {
                "least" => "least_real",
                _ => "greatest_real",
            };
            let mut best = self.real(&of[0])?;
            for next in &of[1..] {
                best = Term::call(function, vec![best, self.real(next)?]);
            }
            return Ok(Lowered::Real(best));
        }
        let mut best = self.rational(&of[0])?;
        for next in &of[1..] {
            best = match (best, self.rational(next)?) {
                (Lowered::Whole(x), Lowered::Whole(y)) => {
                    Lowered::Whole(Term::call(function, vec![x, y]))
                }
                (best, next) => {
                    let is_better = compare(better, best.clone(), next.clone());
                    let (x, u, is_u) = parts(best);
                    let (y, v, is_v) = parts(next);
                    let over = Term::choice(is_better.clone(), x, y);
                    Lowered::Ratio(over, Term::choice(is_better, u, v), is_u && is_v)
                }
            };
        }
        Ok(best)
    }
}

fn of_floats(operator: Arithmetic, x: Term, y: Term) -> Term {
    match operator {
        Arithmetic::Add => Term::infix("+", x, y),
        Arithmetic::Subtract => Term::infix("-", x, y),
        Arithmetic::Multiply => Term::infix("*", x, y),
        Arithmetic::Divide => Term::infix("/", x, y),
        Arithmetic::Power => Term::call("pow", vec![x, y]),
        Arithmetic::FloorDivide | Arithmetic::Modulo => {
            unreachable!("checked: of whole numbers only")
        }
    }
}

fn bits(function: BitFunction, left: Term, right: Term) -> Term {
    match function {
        BitFunction::And => Term::infix("&", left, right),
        BitFunction::Or => Term::infix("|", left, right),
        BitFunction::Xor => Term::infix("^", left, right),
        BitFunction::ShiftLeft => Term::call("shift_left", vec![left, right]),
        BitFunction::ShiftRight => Term::call("shift_right", vec![left, right]),
    }
}

/// Returns true if a number is x^k for some x and k of at least 2.
fn is_perfect_power(number: i64) -> bool {
    let power = |root: i64| {
        let mut power = Some(root);
        while let Some(value) = power.filter(|value| *value < number) {
            power = value.checked_mul(root);
        }
        power == Some(number)
    };
    let roots = (2..).take_while(|root| number / root >= *root);
    roots.take(1 << 16).any(power)
}

//! Values that may not exist: takes an expression, and judges that it divides by no 0, and that logarithms, roots,
//! powers and bit functions have arguments in their domains.

use crate::program::{
    Arithmetic, Condition, ConditionKind, Expr as Checked, Number, NumberKind, PairFunction, Type,
    Unary,
};
use crate::safety::bounds::never_negative;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::safety::verdict::{Judged, Lack, Property, Reason, Rule, Subject, Verdict};
use crate::sym::{Cond, Expr};
use crate::syntax::ast::Comparison;

/// Judges an expression and all its operands.
pub(crate) fn judge(
    expr: Checked<'_>,
    forms: &mut Forms<'_>,
    place: &Place,
    judged: &mut Vec<Judged>,
) {
    expr.each_operand(&mut |operand| judge(operand, forms, place, judged));
    if let Checked::Number(Number {
        kind:
            NumberKind::Unary {
                operation: Unary::Ceil | Unary::Floor,
                operand: inner,
            },
        ..
    }) = expr
    {
        // Rounded at once, a value need not be whole.
        let is_quotient =
            |found: &Judged| found.span == inner.span && found.subject == Subject::Whole;
        judged.retain(|found| !is_quotient(found));
    }
    let number = match expr {
        Checked::Number(number) => number,
        Checked::Condition(condition) => {
            whole_operands(condition, forms, place, judged);
            return;
        }
    };
    // A float has a value whatever its operands.
    let is_of_bits = matches!(
        number.kind,
        NumberKind::Pair {
            function: PairFunction::Bits(_),
            ..
        }
    );
    if number.ty == Type::Float && !is_of_bits {
        return;
    }
    let mut evaluated = Evaluated {
        number,
        forms,
        place,
        judged,
    };
    match &number.kind {
        NumberKind::Binary {
            operator,
            left,
            right,
        } => match operator {
            Arithmetic::Divide => evaluated.quotient(left, right),
            Arithmetic::FloorDivide | Arithmetic::Modulo => {
                evaluated.divisor(right, &mut place.clone())
            }
            Arithmetic::Power => evaluated.power(left, right),
            Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply => {}
        },
        NumberKind::Pair {
            function,
            left,
            right,
        } => match function {
            PairFunction::Log => evaluated.log(left, right),
            PairFunction::Bits(_) => evaluated.bits([left, right]),
        },
        NumberKind::Unary {
            operation: Unary::Math(_),
            operand,
        } => evaluated.root(operand),
        _ => {}
    }
}

/// A number whose operands are judged.
struct Evaluated<'j, 'p> {
    number: &'j Number,
    forms: &'j mut Forms<'p>,
    place: &'j Place,
    judged: &'j mut Vec<Judged>,
}

impl Evaluated<'_, '_> {
    /// Judges that no divisor is 0.
    fn divisor(&mut self, right: &Number, at: &mut Place) {
        let divisor = self.forms.number(right, at);
        let lacks = divisor.map(|divisor| lacks_not_zero(&divisor, at));
        self.book(Subject::Divisor, right, lacks);
    }

    /// Judges a quotient, which must be whole if it is of data.
    fn quotient(&mut self, left: &Number, right: &Number) {
        let mut at = self.place.clone();
        self.divisor(right, &mut at);
        // A quotient of data is exact, but where it is rounded at once.
        if self.number.ty == Type::Int {
            let [left, right] = [left, right].map(|side| self.forms.number(side, &mut at));
            let quotient = left.zip(right).and_then(|(left, right)| left.div(&right));
            let lacks = quotient.map(|value| lacks_whole(value, &at));
            self.book(Subject::Whole, self.number, lacks);
        }
    }

    /// Judges a power, which has a value below base 1 with exponents 0, 1, 2, … only.
    fn power(&mut self, base: &Number, exponent: &Number) {
        let mut at = self.place.clone();
        let [base, power] = [base, exponent].map(|side| self.forms.number(side, &mut at));
        let lacks = base.zip(power).map(|(base, exponent)| {
            let is_root = never_negative(&(&base - 1), &at);
            if is_root {
                None
            } else {
                lacks_natural(exponent, &at)
            }
        });
        self.book(Subject::Domain, self.number, lacks);
        // Of data it is whole at once.
        if self.number.ty == Type::Int {
            let exponent = self.forms.number(exponent, &mut at);
            let lacks = exponent.map(|exponent| lacks_sign(&exponent, &at));
            self.book(Subject::Whole, self.number, lacks);
        }
    }

    /// Judges a logarithm: of what is positive, to a base of 2 or more. Of data it is never known to be whole.
    fn log(&mut self, base: &Number, argument: &Number) {
        let mut at = self.place.clone();
        let [base, argument] = [base, argument].map(|side| self.forms.number(side, &mut at));
        let lacks = base.zip(argument).map(|(base, argument)| {
            let needs = [
                Cond::gt(&argument, &Expr::zero()),
                Cond::ge(&base, &Expr::int(2)),
            ];
            let unproved = needs.into_iter().find(|need| !at.facts.proves(need));
            unproved.map(Lack::Condition)
        });
        self.book(Subject::Domain, self.number, lacks);
        if self.number.ty == Type::Int {
            self.book(Subject::Whole, self.number, None);
        }
    }

    /// Judges that a root is not of a negative number. Other such functions are of floats only.
    fn root(&mut self, argument: &Number) {
        let mut at = self.place.clone();
        let argument = self.forms.number(argument, &mut at);
        let lacks = argument.map(|argument| lacks_sign(&argument, &at));
        self.book(Subject::Domain, self.number, lacks);
    }

    /// Judges that functions of bits have operands 0, 1, 2, ….
    fn bits(&mut self, operands: [&Number; 2]) {
        let mut at = self.place.clone();
        for operand in operands {
            let value = self.forms.number(operand, &mut at);
            let lacks = value.map(|value| lacks_natural(value, &at));
            self.book(Subject::Bits, operand, lacks);
        }
    }

    /// Keeps a verdict: `lacks` holds what is lacking, if anything, where that can be told.
    fn book(&mut self, subject: Subject, number: &Number, lacks: Option<Option<Lack>>) {
        let verdict = match lacks {
            Some(None) => Verdict::Proved(Rule::Value),
            Some(Some(lack)) => Verdict::Open(Reason::Unproved(lack)),
            None => Verdict::Open(Reason::Data),
        };
        let judged = Judged::new(Property::Defined, number.span, subject, verdict);
        self.judged.push(judged);
    }
}

/// Judges that the operands of `x | y` and of `x is a power of y` are whole.
fn whole_operands(
    condition: &Condition,
    forms: &mut Forms<'_>,
    place: &Place,
    judged: &mut Vec<Judged>,
) {
    let ConditionKind::Compare {
        operands,
        operators,
    } = &condition.kind
    else {
        return;
    };
    for (pair, operator) in operands.windows(2).zip(operators) {
        if !matches!(operator, Comparison::Divides | Comparison::PowerOf) {
            continue;
        }
        for operand in pair.iter().filter(|operand| operand.ty == Type::Number) {
            let mut at = place.clone();
            let reason = match forms.number(operand, &mut at) {
                Some(value) => match lacks_whole(value, &at) {
                    None => continue,
                    Some(lack) => Reason::Unproved(lack),
                },
                None => Reason::Form,
            };
            let verdict = Verdict::Open(reason);
            let whole = Subject::Whole;
            judged.push(Judged::new(Property::Defined, operand.span, whole, verdict));
        }
    }
}

/// Returns what is lacking for a value to be other than 0.
pub(crate) fn lacks_not_zero(value: &Expr, place: &Place) -> Option<Lack> {
    let (one, differs) = (Expr::one(), Cond::ne(value, &Expr::zero()));
    let is_proved = place.facts.is_product_of_powers(value)
        || never_negative(&(value - &one), place)
        || never_negative(&(value.neg() - &one), place)
        || place.facts.prove(&differs) == Some(true);
    (!is_proved).then_some(Lack::Condition(differs))
}

/// Returns what is lacking for a value to be 0 or more.
fn lacks_sign(value: &Expr, place: &Place) -> Option<Lack> {
    let is_proved = never_negative(value, place);
    (!is_proved).then(|| Lack::Condition(Cond::ge(value, &Expr::zero())))
}

/// Returns what is lacking for a value to be whole.
fn lacks_whole(value: Expr, place: &Place) -> Option<Lack> {
    (!place.facts.is_integer(&value)).then_some(Lack::Whole(value))
}

/// Returns what is lacking for a value to be 0, 1, 2, ….
fn lacks_natural(value: Expr, place: &Place) -> Option<Lack> {
    lacks_sign(&value, place).or_else(|| lacks_whole(value, place))
}

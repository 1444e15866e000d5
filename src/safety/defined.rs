//! Whether everything evaluated has a value: no division by 0, logarithms and bit functions of what
//! has one.

use crate::program::{
    Arithmetic, Condition, ConditionKind, Expr as Checked, Number, NumberKind, Type,
};
use crate::safety::bounds::never_negative;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::safety::verdict::{Judged, Lack, Property, Reason, Rule, Subject, Verdict};
use crate::sym::{Cond, Expr};
use crate::syntax::ast::Comparison;

/// Judges what an expression evaluates, itself and all operands.
pub(crate) fn judge(
    expr: Checked<'_>,
    forms: &mut Forms<'_>,
    place: &Place,
    judged: &mut Vec<Judged>,
) {
    expr.each_operand(&mut |operand| judge(operand, forms, place, judged));
    if let Checked::Number(Number {
        kind: NumberKind::Ceil(inner) | NumberKind::Floor(inner),
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
    // What is lacking, if anything, where it can be told.
    let mut book = |subject, number: &Number, lacks: Option<Option<Lack>>| {
        let verdict = match lacks {
            Some(None) => Verdict::Proved(Rule::Value),
            Some(Some(lack)) => Verdict::Open(Reason::Unproved(lack)),
            None => Verdict::Open(Reason::Data),
        };
        judged.push(Judged {
            property: Property::Defined,
            span: number.span,
            subject,
            verdict,
        });
    };
    match &number.kind {
        NumberKind::Binary {
            operator: Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo,
            left,
            right,
        } if number.ty != Type::Float => {
            let mut at = place.clone();
            let divisor = forms.number(right, &mut at);
            let lacks = divisor.map(|divisor| lacks_not_zero(&divisor, &at));
            book(Subject::Divisor, right, lacks);
            // A quotient of data is exact, but where it is rounded at once.
            if number.ty == Type::Int
                && matches!(
                    number.kind,
                    NumberKind::Binary {
                        operator: Arithmetic::Divide,
                        ..
                    }
                )
            {
                let (left, right) = (forms.number(left, &mut at), forms.number(right, &mut at));
                let quotient = left.zip(right).and_then(|(left, right)| left.div(&right));
                book(
                    Subject::Whole,
                    number,
                    quotient.map(|value| lacks_whole(value, &at)),
                );
            }
        }
        NumberKind::Binary {
            operator: Arithmetic::Power,
            left,
            right,
        } if number.ty != Type::Float => {
            let mut at = place.clone();
            let base = forms.number(left, &mut at);
            let exponent = forms.number(right, &mut at);
            let lacks = base.zip(exponent).map(|(base, exponent)| {
                let is_root = never_negative(&(&base - 1), &at);
                if is_root {
                    None
                } else {
                    lacks_natural(exponent, &at)
                }
            });
            book(Subject::Domain, number, lacks);
            // Of data it is whole at once.
            if number.ty == Type::Int {
                let exponent = forms.number(right, &mut at);
                let lacks = exponent.map(|exponent| lacks_sign(&exponent, &at));
                book(Subject::Whole, number, lacks);
            }
        }
        NumberKind::Log { base, argument } if number.ty != Type::Float => {
            let mut at = place.clone();
            let (base, argument) = (forms.number(base, &mut at), forms.number(argument, &mut at));
            let lacks = base.zip(argument).map(|(base, argument)| {
                let mut needs = [
                    Cond::gt(&argument, &Expr::zero()),
                    Cond::ge(&base, &Expr::int(2)),
                ]
                .into_iter();
                needs
                    .find(|need| !at.facts.proves(need))
                    .map(Lack::Condition)
            });
            book(Subject::Domain, number, lacks);
            if number.ty == Type::Int {
                book(Subject::Whole, number, None);
            }
        }
        NumberKind::Math { argument, .. } if number.ty != Type::Float => {
            let mut at = place.clone();
            let argument = forms.number(argument, &mut at);
            let lacks = argument.map(|argument| lacks_sign(&argument, &at));
            book(Subject::Domain, number, lacks);
        }
        NumberKind::Bits { left, right, .. } => {
            let mut at = place.clone();
            for operand in [left, right] {
                let value = forms.number(operand, &mut at);
                let lacks = value.map(|value| lacks_natural(value, &at));
                book(Subject::Bits, operand, lacks);
            }
        }
        _ => {}
    }
}

/// What divides, is divided or is to be a power is whole.
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
            judged.push(Judged {
                property: Property::Defined,
                span: operand.span,
                subject: Subject::Whole,
                verdict: Verdict::Open(reason),
            });
        }
    }
}

/// What is lacking for a value to be other than 0.
pub(crate) fn lacks_not_zero(value: &Expr, place: &Place) -> Option<Lack> {
    let (one, differs) = (Expr::one(), Cond::ne(value, &Expr::zero()));
    let is_proved = never_negative(&(value - &one), place)
        || never_negative(&(value.neg() - &one), place)
        || place.facts.prove(&differs) == Some(true);
    (!is_proved).then_some(Lack::Condition(differs))
}

/// What is lacking for a value to be 0 or more.
fn lacks_sign(value: &Expr, place: &Place) -> Option<Lack> {
    let is_proved = never_negative(value, place);
    (!is_proved).then(|| Lack::Condition(Cond::ge(value, &Expr::zero())))
}

/// What is lacking for a value to be whole.
fn lacks_whole(value: Expr, place: &Place) -> Option<Lack> {
    (!place.facts.is_integer(&value)).then_some(Lack::Whole(value))
}

/// What is lacking for a value to be 0, 1, 2, ….
fn lacks_natural(value: Expr, place: &Place) -> Option<Lack> {
    lacks_sign(&value, place).or_else(|| lacks_whole(value, place))
}

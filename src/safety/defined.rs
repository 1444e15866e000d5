//! Whether everything evaluated has a value: no division by 0, logarithms and bit functions of what
//! has one.

use crate::program::{
    Arithmetic, Condition, ConditionKind, Expr as Checked, Number, NumberKind, Type,
};
use crate::safety::bounds::never_negative;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::safety::verdict::{Judged, Property, Reason, Rule, Subject, Verdict};
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
    let mut book = |subject, number: &Number, holds: Option<bool>| {
        let verdict = match holds {
            Some(true) => Verdict::Proved(Rule::Value),
            Some(false) => Verdict::Open(Reason::NoRule),
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
            let holds = divisor.map(|divisor| is_not_zero(&divisor, &at));
            book(Subject::Divisor, right, holds);
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
                let holds = quotient.map(|quotient| at.facts.is_integer(&quotient));
                book(Subject::Whole, number, holds);
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
            let holds = base.zip(exponent).map(|(base, exponent)| {
                let one = Expr::one();
                never_negative(&base.sub(&one), &at)
                    || at.facts.is_integer(&exponent) && never_negative(&exponent, &at)
            });
            book(Subject::Domain, number, holds);
            // Of data it is whole at once.
            if number.ty == Type::Int {
                let holds = forms.number(right, &mut at);
                book(
                    Subject::Whole,
                    number,
                    holds.map(|exponent| never_negative(&exponent, &at)),
                );
            }
        }
        NumberKind::Log { base, argument } if number.ty != Type::Float => {
            let mut at = place.clone();
            let (base, argument) = (forms.number(base, &mut at), forms.number(argument, &mut at));
            let holds = base.zip(argument).map(|(base, argument)| {
                at.facts.proves(&Cond::gt(&argument, &Expr::zero()))
                    && at.facts.proves(&Cond::ge(&base, &Expr::int(2)))
            });
            book(Subject::Domain, number, holds);
            if number.ty == Type::Int {
                book(Subject::Whole, number, None);
            }
        }
        NumberKind::Math { argument, .. } if number.ty != Type::Float => {
            let mut at = place.clone();
            let argument = forms.number(argument, &mut at);
            let holds = argument.map(|argument| never_negative(&argument, &at));
            book(Subject::Domain, number, holds);
        }
        NumberKind::Bits { left, right, .. } => {
            let mut at = place.clone();
            for operand in [left, right] {
                let value = forms.number(operand, &mut at);
                let holds =
                    value.map(|value| never_negative(&value, &at) && at.facts.is_integer(&value));
                book(Subject::Bits, operand, holds);
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
                Some(value) if at.facts.is_integer(&value) => continue,
                Some(_) => Reason::NoRule,
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

pub(crate) fn is_not_zero(value: &Expr, place: &Place) -> bool {
    let one = Expr::one();
    never_negative(&value.sub(&one), place)
        || never_negative(&value.neg().sub(&one), place)
        || place.facts.prove(&Cond::ne(value, &Expr::zero())) == Some(true)
}

//! Whether each `require` has a value: the words that it reads are there, nothing is divided by 0, and
//! no smallest of nothing is asked for. What is proved is not told; it is no place of the program's own.

use crate::program::{
    Arithmetic, Binder, ConditionKind, Expr as Checked, Formula, FormulaCondition, FormulaNumber,
    Number, NumberKind, Program, Type,
};
use crate::safety::bounds;
use crate::safety::defined::lacks_not_zero;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::safety::verdict::{Judged, Lack, Property, Reason, Subject, Verdict};
use crate::sym::Cond;
use crate::text::Span;

/// Judges what the `require`s evaluate.
pub(crate) fn judge<'p>(
    program: &'p Program,
    forms: &mut Forms<'p>,
    place: &Place,
    judged: &mut Vec<Judged>,
) {
    let mut requires = Requires { forms, judged };
    for requirement in &program.requires {
        requires.required((&requirement.condition).into(), place);
    }
}

struct Requires<'r, 'p> {
    forms: &'r mut Forms<'p>,
    judged: &'r mut Vec<Judged>,
}

impl<'p> Requires<'_, 'p> {
    fn tell(&mut self, property: Property, span: Span, subject: Subject, verdict: Verdict) {
        let judged = Judged::new(property, span, subject, verdict);
        self.judged.push(judged);
    }

    /// What lacks for a part of a `require` to have a value; connectives stop early.
    fn required(&mut self, part: Checked<'p, Formula>, place: &Place) {
        match part {
            Checked::Number(number) => match &number.kind {
                NumberKind::Only(FormulaNumber::Sum(over)) => {
                    self.quantified(&over.binders, (&*over.body).into(), place, false);
                }
                NumberKind::Only(FormulaNumber::Min(over) | FormulaNumber::Max(over)) => {
                    self.quantified(&over.binders, (&*over.body).into(), place, true);
                }
                _ => {
                    part.each_operand(&mut |operand| self.required(operand, place));
                    self.required_number(number, place);
                }
            },
            Checked::Condition(condition) => match &condition.kind {
                ConditionKind::Only(
                    FormulaCondition::ForAll(over) | FormulaCondition::Exists(over),
                ) => self.quantified(&over.binders, (&*over.body).into(), place, false),
                ConditionKind::And(left, right)
                | ConditionKind::Only(FormulaCondition::Implies(left, right)) => {
                    self.required((&**left).into(), place);
                    let known = self.forms.formula_condition(left);
                    self.required((&**right).into(), &knowing(place, known));
                }
                ConditionKind::Or(left, right) => {
                    self.required((&**left).into(), place);
                    let known = self.forms.formula_condition(left).map(Cond::not);
                    self.required((&**right).into(), &knowing(place, known));
                }
                _ => part.each_operand(&mut |operand| self.required(operand, place)),
            },
        }
    }

    /// The body of a quantifier, for all values of its variables.
    fn quantified(
        &mut self,
        binders: &'p [Binder<Formula>],
        body: Checked<'p, Formula>,
        place: &Place,
        is_extreme: bool,
    ) {
        let mut inside = place.clone();
        for binder in binders {
            for end in [&binder.low, &binder.high] {
                self.required(end.into(), &inside);
            }
            let ends = [&binder.low, &binder.high].map(|end| self.forms.formula(end));
            let symbol = self.forms.bind_symbol(binder.parameter);
            let lacks = match ends {
                [Some(low), Some(high)] => {
                    let holds_one = Cond::le(&low, &high);
                    let lacks = !inside.facts.proves(&holds_one);
                    inside.range(&symbol, &low, &high, 0);
                    lacks.then_some(Reason::Unproved(Lack::Condition(holds_one)))
                }
                _ => {
                    inside.facts.integer(&symbol);
                    Some(Reason::Form)
                }
            };
            // Of nothing there is no smallest.
            if let (true, Some(reason)) = (is_extreme, lacks) {
                self.tell(
                    Property::Defined,
                    binder.low.span,
                    Subject::Domain,
                    Verdict::Open(reason),
                );
            }
        }
        self.required(body, &inside);
    }

    /// A number of a `require` without its operands.
    fn required_number(&mut self, number: &'p Number<Formula>, place: &Place) {
        match &number.kind {
            NumberKind::Binary {
                operator: Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo,
                right,
                ..
            } if number.ty != Type::Float => {
                let reason = match self.forms.formula(right) {
                    Some(value) => match lacks_not_zero(&value, place) {
                        None => return,
                        Some(lack) => Reason::Unproved(lack),
                    },
                    None => Reason::Form,
                };
                self.tell(
                    Property::Defined,
                    right.span,
                    Subject::Divisor,
                    Verdict::Open(reason),
                );
            }
            NumberKind::Word(word) => {
                let extents = self.forms.extents(word.variable);
                for (at, index) in word.indices.iter().enumerate() {
                    let extent = extents.as_ref().and_then(|extents| extents.get(at));
                    let verdict = match (self.forms.formula(index), extent) {
                        (Some(index), Some(_)) if !place.facts.is_integer(&index) => {
                            Verdict::Open(Reason::Unproved(Lack::Whole(index)))
                        }
                        (Some(index), Some(extent)) => bounds::within(&index, extent, place),
                        _ => Verdict::Open(Reason::Form),
                    };
                    if !verdict.is_proved() {
                        let subject = Subject::Read(word.variable);
                        self.tell(Property::Bounds, word.span, subject, verdict);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A place where a condition is known, too.
fn knowing(place: &Place, known: Option<Cond>) -> Place {
    let mut inside = place.clone();
    if let Some(known) = known {
        inside.guard(&known);
    }
    inside
}

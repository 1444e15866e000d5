//! Conditions of the program as terms.
//!
//! Two quotients are compared by their products, since C has no fractions: x/u < y/v is x·v < y·u for positive u
//! and v.

use crate::emit::error::Unsupported;
use crate::emit::number::lowered::compare;
use crate::emit::number::{Numbers, Result};
use crate::emit::term::Term;
use crate::program::{Comparison, Condition, ConditionKind, Number, Place, Type};

impl Numbers<'_> {
    /// A condition.
    pub(crate) fn condition<P: Place>(&mut self, condition: &Condition<P>) -> Result<Term> {
        Ok(match &condition.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let mut all: Option<Term> = None;
                for (operator, pair) in operators.iter().zip(operands.windows(2)) {
                    let term = self.comparison(*operator, &pair[0], &pair[1])?;
                    all = Some(match all {
                        Some(all) => Term::infix("&&", all, term),
                        None => term,
                    });
                }
                all.expect("a chain has a comparison")
            }
            ConditionKind::And(left, right) => {
                Term::infix("&&", self.condition(left)?, self.condition(right)?)
            }
            ConditionKind::Or(left, right) => {
                Term::infix("||", self.condition(left)?, self.condition(right)?)
            }
            ConditionKind::Not(of) => Term::not(self.condition(of)?),
            ConditionKind::Only(_) => {
                return Err(self.unsupported(Unsupported::Irrational, condition.span));
            }
        })
    }

    fn comparison<P: Place>(
        &mut self,
        operator: Comparison,
        left: &Number<P>,
        right: &Number<P>,
    ) -> Result<Term> {
        let operator = match operator {
            Comparison::Divides => {
                let is_some = self.bounds_of(left).is_at_least(1);
                let of = vec![self.whole(left)?, self.whole(right)?];
                if let ([x, y], true) = (&of[..], is_some && self.is_plain) {
                    let rest = Term::infix("%", y.clone(), x.clone());
                    return Ok(Term::infix("==", rest, Term::Whole(0)));
                }
                return Ok(Term::call("divides", of));
            }
            Comparison::PowerOf => {
                let of = vec![self.whole(left)?, self.whole(right)?];
                return Ok(Term::call("is_power_of", of));
            }
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        };
        if Type::Float == left.ty || Type::Float == right.ty {
            return Ok(Term::infix(operator, self.real(left)?, self.real(right)?));
        }
        Ok(compare(
            operator,
            self.rational(left)?,
            self.rational(right)?,
        ))
    }
}

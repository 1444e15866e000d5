//! Numbers of the forms at a point, with the reason where there is none.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::count::{Interval, Round};
use crate::derivation::evaluate::forms::{EndForms, Ends, RoundForms};
use crate::number::Rational;
use crate::sym::EvaluateError;
use crate::sym::compiled::{Form, Forms, Scratch};

/// The reason why a derivation gives no numbers at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoNumbers {
    /// Some quantity was not derived.
    #[error("`{0}` has no closed form")]
    Underived(&'static str),
    /// The algebra could not evaluate a form.
    #[error("`{quantity}` could not be evaluated: {why}")]
    Unevaluated {
        /// The quantity.
        quantity: &'static str,
        /// The reason, from the algebra.
        why: EvaluateError,
    },
    /// A count evaluates to a fraction.
    #[error("`{quantity}` could not be evaluated: {value} is not a whole number")]
    Fraction {
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        value: Rational,
    },
}

pub(super) fn upper_of(name: &'static str, ends: Ends) -> Result<Form, NoNumbers> {
    Ok(ends.ok_or(NoNumbers::Underived(name))?.upper)
}

/// The forms, with the values at a point and of the loop variables around a round.
pub(super) struct Values<'v> {
    pub(super) forms: &'v Forms,
    pub(super) scratch: &'v mut Scratch,
    /// True while sums without a closed form are added up. Turns false once such a sum was too long.
    pub(super) adds_up: bool,
}

impl Values<'_> {
    pub(super) fn rational(
        &mut self,
        name: &'static str,
        form: Form,
    ) -> Result<Rational, NoNumbers> {
        let value = self.forms.value(form, self.scratch);
        value.map_err(|why| NoNumbers::Unevaluated {
            quantity: name,
            why,
        })
    }

    pub(super) fn number(&mut self, name: &'static str, form: Form) -> Result<BigInt, NoNumbers> {
        let value = self.rational(name, form)?;
        value.to_integer().ok_or(NoNumbers::Fraction {
            quantity: name,
            value,
        })
    }

    /// Evaluates the ends of a quantity. The upper end is the smaller of its form and its coarse bound.
    pub(super) fn bounded(
        &mut self,
        name: &'static str,
        ends: Ends,
    ) -> Result<Interval, NoNumbers> {
        let ends = ends.ok_or(NoNumbers::Underived(name))?;
        // The coarse bound can only help if the ends differ, or if they hold a sum that may be too long to
        // add up.
        let Some(plain) = ends.plain.filter(|_| !ends.is_exact() || !ends.is_closed) else {
            return self.between(name, ends);
        };
        let found = if self.adds_up || ends.is_closed {
            Some(self.between(name, ends))
        } else {
            None
        };
        if let Some(Ok(found)) = &found
            && found.is_exact()
        {
            return Ok(found.clone());
        }
        let most = self.rational(name, plain).map(|most| most.floor());
        match (found, most) {
            // A round's lower bound assumes that the round exists; a coarse bound below it shows that it
            // does not. Then the coarse bound is ignored.
            (Some(Ok(found)), Ok(most)) if most >= found.lower => Ok(Interval {
                upper: found.upper.min(most),
                ..found
            }),
            // The ends have no value here, so the coarse bound stands alone. The first sum that is too long
            // stops adding up at this point: later ones would use as much work again.
            (Some(Err(NoNumbers::Unevaluated { .. })) | None, Ok(most)) => {
                self.adds_up = false;
                Ok(Interval {
                    lower: BigInt::zero(),
                    upper: most.max(BigInt::zero()),
                })
            }
            (Some(found), _) => found,
            (None, Err(why)) => Err(why),
        }
    }

    fn between(&mut self, name: &'static str, ends: EndForms) -> Result<Interval, NoNumbers> {
        if ends.is_exact() {
            let lower = self.number(name, ends.lower)?;
            let upper = lower.clone();
            return Ok(Interval { lower, upper });
        }
        // The whole numbers between two fractions are those between the nearest whole numbers inside.
        Ok(Interval {
            lower: self.rational(name, ends.lower)?.ceil(),
            upper: self.rational(name, ends.upper)?.floor(),
        })
    }

    pub(super) fn round(&mut self, round: &RoundForms) -> Result<Round<Interval>, NoNumbers> {
        let round = &round.round;
        let mut round = round.try_map(|of, ends| self.bounded(of.letter(), *ends))?;
        if !round.io.is_exact() {
            meet_parts(&mut round);
        }
        Ok(round)
    }
}

/// Tightens the blocks of a round and of its arrays: the former is the sum of the latter.
fn meet_parts(round: &mut Round<Interval>) {
    let arrays = round.arrays.values_mut();
    let mut parts: Vec<&mut Interval> = arrays
        .flat_map(|blocks| [&mut blocks.read, &mut blocks.write])
        .collect();
    let zero = Interval::exact(BigInt::zero());
    let sum = parts.iter().fold(zero, |sum, part| sum.plus(part));
    round.io = round.io.meet(&sum);
    // Each part is the round's blocks minus all other parts. Example: io in [10, 12], others in [4, 5]
    // leave [5, 8] for the part.
    for part in &mut parts {
        let others = Interval {
            lower: &sum.lower - &part.lower,
            upper: &sum.upper - &part.upper,
        };
        let rest = Interval {
            lower: &round.io.lower - others.upper,
            upper: &round.io.upper - others.lower,
        };
        **part = part.meet(&rest);
    }
}

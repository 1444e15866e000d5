//! Numbers as statements ask for them, whole or as a float, with floors, ceilings and remainders of quotients.
//!
//! C rounds towards 0, the language towards −∞. Where neither side can be negative both are the same, and C's
//! own division is written; a division by a known power of two is a shift.

use crate::emit::error::Unsupported;
use crate::emit::number::lowered::{Lowered, into_real, parts};
use crate::emit::number::{Numbers, Result};
use crate::emit::term::Term;
use crate::meaning::value::Value;
use crate::program::{
    MathFunction, Number, NumberKind, PairFunction, Place, Type, Unary, WordType,
};

impl Numbers<'_> {
    /// A number that is whole where it stands.
    pub(crate) fn whole<P: Place>(&mut self, number: &Number<P>) -> Result<Term> {
        let before = std::mem::take(&mut self.irrational);
        let lowered = self.number(number)?;
        let met = std::mem::replace(&mut self.irrational, before);
        match lowered {
            _ if met > 1 => Err(self.unsupported(Unsupported::Irrational, number.span)),
            Lowered::Whole(term) => Ok(term),
            Lowered::Ratio(numerator, denominator, _) => {
                Ok(self.floor_div(numerator, denominator, false))
            }
            // `check` admits no float where a whole number is needed.
            Lowered::Real(term) => Ok(Term::call("floor_real", vec![term])),
        }
    }

    /// A number as a float.
    pub(crate) fn real<P: Place>(&mut self, number: &Number<P>) -> Result<Term> {
        if let Type::Number = number.ty {
            match &number.kind {
                NumberKind::Unary {
                    operation: Unary::Math(MathFunction::Sqrt),
                    operand,
                } => return Ok(Term::call("sqrt", vec![self.real(operand)?])),
                NumberKind::Pair {
                    function: PairFunction::Log,
                    left,
                    right,
                } => {
                    let of = vec![self.real(left)?, self.real(right)?];
                    return Ok(Term::call("log_real", of));
                }
                _ => {}
            }
        }
        let lowered = self.rational(number)?;
        Ok(into_real(lowered))
    }

    /// A word's value in the type of the variable it goes to.
    pub(crate) fn of_type<P: Place>(&mut self, number: &Number<P>, ty: WordType) -> Result<Term> {
        match ty {
            WordType::Int => self.whole(number),
            WordType::Float => self.real(number),
        }
    }

    /// k, where a term is 2^k and known to be.
    pub(super) fn exponent(&self, term: &Term) -> Option<Term> {
        match term {
            Term::Name(name) => self.powers.get(name).cloned(),
            Term::Infix("*", left, right) => {
                let whole = |side: &Term| match side {
                    Term::Whole(value) if *value > 0 && value.count_ones() == 1 => {
                        Some(Term::Whole(value.trailing_zeros().into()))
                    }
                    side => self.exponent(side),
                };
                Some(Term::infix("+", whole(left)?, whole(right)?))
            }
            Term::Call("shift_left", of) if of[0] == Term::Whole(1) => Some(of[1].clone()),
            _ => None,
        }
    }

    /// `⌊over/under⌋`; `is_plain` where neither is negative.
    pub(super) fn floor_div(&self, over: Term, under: Term, is_plain: bool) -> Term {
        match self.exponent(&under) {
            Some(Term::Whole(exponent)) if self.is_plain => {
                Term::infix(">>", over, Term::Whole(exponent))
            }
            Some(exponent) => Term::call("shift_right", vec![over, exponent]),
            // C's own.
            None if is_plain => Term::infix("/", over.narrowed_word(), under.narrowed_word()),
            None => Term::call("floor_div", vec![over, under]),
        }
    }

    /// `⌈over/under⌉`; `is_plain` where neither is negative.
    pub(super) fn ceil_div(&self, over: Term, under: Term, is_plain: bool) -> Term {
        match self.exponent(&under) {
            // `n / b + (n % b != 0)`; `(n + b - 1) / b` may be beyond the last number.
            _ if is_plain && self.is_plain && over.is_short() && under.is_short() => {
                let rest = Term::infix("%", over.clone(), under.clone());
                let is_more = Term::infix("!=", rest, Term::Whole(0));
                Term::infix("+", Term::infix("/", over, under), is_more)
            }
            // The least number has no opposite.
            Some(exponent) if is_plain => {
                let negated = Term::prefix("-", over);
                let quotient = Term::call("shift_right", vec![negated, exponent]);
                Term::prefix("-", quotient)
            }
            _ => Term::call("ceil_div", vec![over, under]),
        }
    }

    /// The rest of a floor division; `is_plain` where neither is negative.
    pub(super) fn floor_mod(&self, over: Term, under: Term, is_plain: bool) -> Term {
        match self.exponent(&under) {
            Some(_) => Term::infix("&", over, Term::infix("-", under, Term::Whole(1))),
            None if is_plain => Term::infix("%", over.narrowed_word(), under.narrowed_word()),
            None => Term::call("floor_mod", vec![over, under]),
        }
    }

    /// `⌊of⌋` or `⌈of⌉`.
    pub(super) fn rounded<P: Place>(&mut self, of: &Number<P>, is_floor: bool) -> Result<Term> {
        if of.ty == Type::Float {
            let function = if is_floor { "floor_real" } else { "ceil_real" };
            return Ok(Term::call(function, vec![self.real(of)?]));
        }
        match &of.kind {
            NumberKind::Pair {
                function: PairFunction::Log,
                left: base,
                right: argument,
            } => {
                if let Some(value) = self.constant(of) {
                    let rounded = if is_floor {
                        crate::meaning::arithmetic::floor(&value)
                    } else {
                        crate::meaning::arithmetic::ceil(&value)
                    };
                    if let Ok(Value::Whole(whole)) = rounded {
                        return Ok(Term::Whole(whole));
                    }
                }
                let function = if is_floor { "floor_log" } else { "ceil_log" };
                return self.log(function, base, argument);
            }
            NumberKind::Unary {
                operation: Unary::Math(MathFunction::Sqrt),
                operand: argument,
            } => {
                let (over, under, _) = parts(self.rational(argument)?);
                let function = if is_floor { "floor_root" } else { "ceil_root" };
                return Ok(Term::call(function, vec![over, under]));
            }
            _ => {}
        }
        let is_natural = self.bounds_of(of).is_at_least(0);
        Ok(match self.rational(of)? {
            Lowered::Whole(term) => term,
            Lowered::Ratio(over, under, is_positive) => {
                let is_plain = is_positive && is_natural;
                if is_floor {
                    self.floor_div(over, under, is_plain)
                } else {
                    self.ceil_div(over, under, is_plain)
                }
            }
            Lowered::Real(_) => unreachable!("its type says so"),
        })
    }

    /// The first whole number that is not below a number, or the last that is not above.
    pub(crate) fn rounded_end(&mut self, number: &Number, is_low: bool) -> Result<Term> {
        self.rounded(number, !is_low)
    }

    pub(super) fn log<P: Place>(
        &mut self,
        function: &'static str,
        base: &Number<P>,
        argument: &Number<P>,
    ) -> Result<Term> {
        if !self.bounds_of(base).is_at_least(2) {
            return Err(self.unsupported(Unsupported::Base, base.span));
        }
        let base = self.whole(base)?;
        let (over, under, _) = parts(self.rational(argument)?);
        Ok(Term::log(function, base, over, under))
    }
}

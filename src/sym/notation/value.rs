//! The value of a shape as it is written, part for part: so a function in another language works it out.
//!
//! Of a product the brackets are asked first, all of them; where one is 0 nothing else is. All other parts have to have
//! a value, wherever they stand.

use std::cell::Cell;
use std::cmp::Ordering;

use crate::number::{BigInt, Rational, Real, theory};
use crate::sym::notation::shape::{Condition, Function, Relation, Shape, Sign};
use crate::sym::{EvaluateError, Symbol};

type Result<T> = std::result::Result<T, EvaluateError>;

impl Shape {
    /// The value, given those of the symbols, with at most so many terms of unsolved sums.
    ///
    /// # Errors
    /// [`EvaluateError`] where some part that is asked has no value.
    pub(crate) fn value(
        &self,
        at: &dyn Fn(&Symbol) -> Option<Rational>,
        most_terms: u64,
    ) -> Result<Real> {
        let terms_left = &Cell::new(most_terms);
        Reader { at, terms_left }.number(self)
    }
}

/// One evaluation: the values, and what is left of the terms.
struct Reader<'a> {
    at: &'a dyn Fn(&Symbol) -> Option<Rational>,
    terms_left: &'a Cell<u64>,
}

impl Reader<'_> {
    fn number(&self, shape: &Shape) -> Result<Real> {
        let undefined = EvaluateError::Undefined;
        Ok(match shape {
            Shape::Number(number) => number.clone().into(),
            Shape::Name(symbol) => {
                let value = (self.at)(symbol);
                value
                    .ok_or_else(|| EvaluateError::Unknown(symbol.clone()))?
                    .into()
            }
            Shape::Sum(terms) => {
                let mut sum = Real::from(0);
                for (sign, term) in terms {
                    let term = self.number(term)?;
                    sum = match sign {
                        Sign::Plus => sum.add(&term),
                        Sign::Minus => sum.subtract(&term),
                    };
                }
                sum
            }
            Shape::Product(over, under) => self.product(over, under)?,
            Shape::Power(base, exponent) => {
                let (base, exponent) = (self.number(base)?, self.number(exponent)?);
                let zero = Real::from(0);
                let value = base.power(&exponent);
                value.ok_or(match base.compare(&zero) {
                    // A number too long to be worked out is one all the same.
                    Ordering::Greater => EvaluateError::TooMuchWork,
                    Ordering::Less | Ordering::Equal => undefined,
                })?
            }
            Shape::SquareRoot(x) => self.number(x)?.sqrt().ok_or(undefined)?,
            Shape::Floor(x) => self.number(x)?.floor().into(),
            Shape::Ceiling(x) => self.number(x)?.ceil().into(),
            Shape::Log(base, x) => {
                let (base, x) = (self.number(base)?, self.number(x)?);
                x.log(&base).ok_or(undefined)?
            }
            Shape::Call(function, items) => self.call(*function, items)?,
            Shape::Bracket(condition) => i64::from(self.holds(condition)?).into(),
            Shape::Total(variable, low, high, body) => {
                let (low, high) = (self.number(low)?.ceil(), self.number(high)?.floor());
                self.total(variable, (low, high), body)?
            }
        })
    }

    fn product(&self, over: &[Shape], under: &[Shape]) -> Result<Real> {
        let mut is_silenced = false;
        for factor in over {
            if let Shape::Bracket(condition) = factor {
                is_silenced |= !self.holds(condition)?;
            }
        }
        let mut product = Real::from(i64::from(!is_silenced));
        if is_silenced {
            return Ok(product);
        }
        let is_bracket = |factor: &&Shape| matches!(factor, Shape::Bracket(_));
        for factor in over.iter().filter(|factor| !is_bracket(factor)) {
            product = product.multiply(&self.number(factor)?);
        }
        for factor in under {
            let divided = product.divide(&self.number(factor)?);
            product = divided.ok_or(EvaluateError::DivisionByZero)?;
        }
        Ok(product)
    }

    fn whole(&self, shape: &Shape) -> Result<BigInt> {
        let value = self.number(shape)?;
        value.to_integer().ok_or(EvaluateError::Undefined)
    }

    fn call(&self, function: Function, items: &[Shape]) -> Result<Real> {
        let undefined = EvaluateError::Undefined;
        match (function, items) {
            (Function::Min, _) => self.extreme(items, Ordering::Less),
            (Function::Max, _) => self.extreme(items, Ordering::Greater),
            (Function::Gcd, [x, y]) => {
                let (x, y) = (self.whole(x)?, self.whole(y)?);
                Ok(num_integer::Integer::gcd(&x, &y).into())
            }
            (Function::DigitSum, [x, base]) => {
                let sum = theory::digit_sum(&self.whole(x)?, &self.whole(base)?);
                Ok(sum.ok_or(undefined)?.into())
            }
            (Function::FloorSum, [n, a, c, m]) => {
                let rational = |shape: &Shape| {
                    let value = self.number(shape)?;
                    value.to_rational().ok_or(EvaluateError::Irrational)
                };
                if self.number(n)?.compare(&Real::from(0)).is_le() {
                    // Of no terms, whether their number is whole or not.
                    return Ok(Real::from(0));
                }
                let n = self.whole(n)?;
                let [a, c, m] = [rational(a)?, rational(c)?, rational(m)?];
                let denominators = [&a, &c, &m].map(Rational::denominator);
                let common = denominators.iter().fold(BigInt::from(1), |common, one| {
                    num_integer::Integer::lcm(&common, one)
                });
                let [a, c, m] = [a, c, m].map(|x| (&x * &Rational::from(&common)).numerator());
                let sum = theory::floor_sum(n, a, c, m);
                Ok(sum.ok_or(EvaluateError::DivisionByZero)?.into())
            }
            (Function::Gcd | Function::DigitSum | Function::FloorSum, _) => Err(undefined),
        }
    }

    fn extreme(&self, items: &[Shape], wanted: Ordering) -> Result<Real> {
        let mut best: Option<Real> = None;
        for item in items {
            let value = self.number(item)?;
            if best
                .as_ref()
                .is_none_or(|best| value.compare(best) == wanted)
            {
                best = Some(value);
            }
        }
        best.ok_or(EvaluateError::Undefined)
    }

    fn total(
        &self,
        variable: &Symbol,
        (low, high): (BigInt, BigInt),
        body: &Shape,
    ) -> Result<Real> {
        let mut sum = Real::from(0);
        let mut value = low;
        while value <= high {
            let left = self.terms_left.get().checked_sub(1);
            self.terms_left.set(left.ok_or(EvaluateError::TooMuchWork)?);
            let here = Rational::from(&value);
            let at = |symbol: &Symbol| {
                if symbol == variable {
                    Some(here.clone())
                } else {
                    (self.at)(symbol)
                }
            };
            let inner = Reader {
                at: &at,
                terms_left: self.terms_left,
            };
            sum = sum.add(&inner.number(body)?);
            value += 1;
        }
        Ok(sum)
    }

    /// Whether a condition holds; all of its parts are asked, whatever the first ones say.
    fn holds(&self, condition: &Condition) -> Result<bool> {
        let each = |parts: &[Condition]| -> Result<Vec<bool>> {
            parts.iter().map(|part| self.holds(part)).collect()
        };
        Ok(match condition {
            Condition::Constant(value) => *value,
            Condition::Compare(left, relation, right) => {
                let order = self.number(left)?.compare(&self.number(right)?);
                match relation {
                    Relation::Equal => order.is_eq(),
                    Relation::NotEqual => order.is_ne(),
                    Relation::AtLeast => order.is_ge(),
                    Relation::Less => order.is_lt(),
                    Relation::AtMost => order.is_le(),
                    Relation::Greater => order.is_gt(),
                }
            }
            Condition::Divides(d, e) => {
                let (d, e) = (self.number(d)?, self.number(e)?);
                match e.divide(&d) {
                    Some(quotient) => quotient.to_integer().is_some(),
                    None => e.compare(&Real::from(0)).is_eq(),
                }
            }
            Condition::PowerOf(x, y) => {
                let (x, y) = (self.whole(x)?, self.whole(y)?);
                theory::is_power_of(&x, &y)
            }
            Condition::Not(inner) => !self.holds(inner)?,
            Condition::And(parts) => !each(parts)?.contains(&false),
            Condition::Or(parts) => each(parts)?.contains(&true),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::examples::{over, symbols};
    use crate::sym::print::{Names, Printer};
    use crate::sym::{Cond, EvaluateError, Expr, Symbol};

    /// The value at n, b is 2 everywhere.
    fn value(form: &Expr, n: i64) -> Result<f64, EvaluateError> {
        let shape = Printer::new(&Names::default()).shape(form);
        let at = |symbol: &Symbol| Some(if &*symbol.name == "n" { n } else { 2 }.into());
        shape.value(&at, 100).map(|value| value.to_f64())
    }

    #[test]
    fn a_bracket_silences_what_stands_beside_it_and_no_other_bracket() {
        let [n, b] = symbols(["n", "b"]);
        let one = Expr::one();
        let log = Expr::log(&Expr::int(2), &n);
        let is_positive = Expr::bracket(Cond::ge(&n, &one));
        let guarded = is_positive.mul(&log);
        assert_eq!(value(&guarded, 0), Ok(0.0));
        assert_eq!(value(&guarded, 8), Ok(3.0));
        assert_eq!(value(&n.mul(&log), 0), Err(EvaluateError::Undefined));
        let asked = is_positive.mul(&Expr::bracket(Cond::ge(&log, &b)));
        assert_eq!(value(&asked, 0), Err(EvaluateError::Undefined));
        assert_eq!(value(&over(&b, &n), 0), Err(EvaluateError::DivisionByZero));
        assert_eq!(value(&over(&b, &n).ceil(), 5), Ok(1.0));
    }
}

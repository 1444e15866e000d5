//! Conditions over expressions, and their few canonical forms.

use std::collections::BTreeSet;

use crate::number::Rational;
use crate::sym::expr::types::Cond;
use crate::sym::{Expr, Symbol};
use num_traits::{One, Zero};

impl Cond {
    /// left ≥ right
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Cond;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(Cond::ge(&n, &b).to_string(), "n ≥ b");
    /// assert_eq!(Cond::ge(&n, &n), Cond::True);
    /// ```
    pub fn ge(left: &Expr, right: &Expr) -> Cond {
        Cond::non_negative(&(left - right))
    }

    /// left > right; under facts, for whole numbers, left ≥ right + 1.
    pub fn gt(left: &Expr, right: &Expr) -> Cond {
        Cond::non_negative(&(right - left)).negate()
    }

    /// left ≤ right
    pub fn le(left: &Expr, right: &Expr) -> Cond {
        Cond::ge(right, left)
    }

    /// left < right
    pub fn lt(left: &Expr, right: &Expr) -> Cond {
        Cond::gt(right, left)
    }

    /// left = right
    pub fn eq(left: &Expr, right: &Expr) -> Cond {
        // e = 0 and −e = 0 are one condition: the last term is made positive, and common factors
        // go.
        let difference = left - right;
        match difference.as_rational() {
            Some(value) => Cond::constant(value.is_zero()),
            None if difference
                .terms()
                .last()
                .is_some_and(|(_, c)| c.is_negative()) =>
            {
                Cond::Zero(positive_content(&difference.neg()))
            }
            None => Cond::Zero(positive_content(&difference)),
        }
    }

    /// left ≠ right
    pub fn ne(left: &Expr, right: &Expr) -> Cond {
        Cond::eq(left, right).negate()
    }

    /// e ≥ 0
    pub(crate) fn non_negative(value: &Expr) -> Cond {
        match value.as_rational() {
            Some(number) => Cond::constant(!number.is_negative()),
            None => Cond::NonNegative(positive_content(value)),
        }
    }

    /// divisor ∣ value
    pub fn divides(divisor: &Expr, value: &Expr) -> Cond {
        // Signs do not matter for divisibility, so both sides get a positive last term: b ∣ n and
        // −b ∣ −n are the same form. Common factors must stay: 2 ∣ 2n is not 1 ∣ n for a real n.
        let number = |e: &Expr| e.as_integer();
        match (number(divisor), number(value)) {
            (Some(d), Some(v)) if d.is_zero() => Cond::constant(v.is_zero()),
            (Some(d), Some(v)) => Cond::constant((v % d).is_zero()),
            (Some(d), None) if d.magnitude().is_one() && value.has_whole_shape() => Cond::True,
            (_, Some(v)) if v.is_zero() => Cond::True,
            _ => Cond::Divides(leading_positive(divisor), leading_positive(value)),
        }
    }

    /// x is a power of y
    pub fn power_of(x: &Expr, y: &Expr) -> Cond {
        let cond = Cond::PowerOf(x.clone(), y.clone());
        cond.decided().unwrap_or(cond)
    }

    /// Returns the truth of a condition between numbers.
    fn decided(&self) -> Option<Cond> {
        self.evaluate(&|_| None).ok().map(Cond::constant)
    }

    /// Returns the conjunction.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Cond;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let parts = vec![Cond::ge(&n, &b), Cond::True, Cond::ge(&n, &b)];
    /// assert_eq!(Cond::and(parts), Cond::ge(&n, &b));
    /// ```
    pub fn and(parts: Vec<Cond>) -> Cond {
        let mut flat = BTreeSet::new();
        for part in parts {
            match part {
                Cond::True => {}
                Cond::False => return Cond::False,
                Cond::And(inner) => flat.extend(inner),
                other => {
                    flat.insert(other);
                }
            }
        }
        if flat
            .iter()
            .any(|part| flat.contains(&part.clone().negate()))
        {
            return Cond::False;
        }
        let mut flat: Vec<Cond> = flat.into_iter().collect();
        match flat.len() {
            0 => Cond::True,
            1 => flat.remove(0),
            _ => Cond::And(flat),
        }
    }

    /// Returns the alternative, by De Morgan.
    pub fn or(parts: Vec<Cond>) -> Cond {
        Cond::and(parts.into_iter().map(Cond::negate).collect()).negate()
    }

    /// The opposite.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Cond {
        self.negate()
    }

    /// The opposite.
    pub(crate) fn negate(self) -> Cond {
        match self {
            Cond::True => Cond::False,
            Cond::False => Cond::True,
            Cond::Not(inner) => *inner,
            Cond::And(parts) => {
                let mut parts: Vec<Cond> = parts.into_iter().map(Cond::negate).collect();
                parts.sort();
                Cond::Or(parts)
            }
            Cond::Or(parts) => {
                let mut parts: Vec<Cond> = parts.into_iter().map(Cond::negate).collect();
                parts.sort();
                Cond::And(parts)
            }
            literal @ (Cond::NonNegative(_)
            | Cond::Zero(_)
            | Cond::Divides(..)
            | Cond::PowerOf(..)) => Cond::Not(Box::new(literal)),
        }
    }

    fn constant(value: bool) -> Cond {
        if value { Cond::True } else { Cond::False }
    }

    /// Maps the expressions of the condition.
    pub(crate) fn map(&self, change: &dyn Fn(&Expr) -> Expr) -> Cond {
        match self {
            Cond::True => Cond::True,
            Cond::False => Cond::False,
            Cond::NonNegative(e) => Cond::non_negative(&change(e)),
            Cond::Zero(e) => Cond::eq(&change(e), &Expr::zero()),
            Cond::Divides(d, e) => Cond::divides(&change(d), &change(e)),
            Cond::PowerOf(x, y) => Cond::power_of(&change(x), &change(y)),
            Cond::Not(inner) => inner.map(change).negate(),
            Cond::And(parts) => Cond::and(parts.iter().map(|part| part.map(change)).collect()),
            Cond::Or(parts) => Cond::or(parts.iter().map(|part| part.map(change)).collect()),
        }
    }

    /// Replaces a symbol everywhere.
    pub fn substitute(&self, symbol: &Symbol, value: &Expr) -> Cond {
        self.map(&|e| e.substitute(symbol, value))
    }

    /// Returns all free symbols.
    pub fn symbols(&self) -> BTreeSet<Symbol> {
        let mut symbols = BTreeSet::new();
        self.for_each_expr(&mut |e| symbols.extend(e.symbols()));
        symbols
    }

    /// Returns true if the symbol occurs anywhere.
    pub fn contains(&self, symbol: &Symbol) -> bool {
        let mut found = false;
        self.for_each_expr(&mut |e| found = found || e.contains(symbol));
        found
    }

    pub(crate) fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Cond::True | Cond::False => {}
            Cond::NonNegative(e) | Cond::Zero(e) => visit(e),
            Cond::Divides(d, e) | Cond::PowerOf(d, e) => {
                visit(d);
                visit(e);
            }
            Cond::Not(inner) => inner.for_each_expr(visit),
            Cond::And(parts) | Cond::Or(parts) => {
                for part in parts {
                    part.for_each_expr(visit);
                }
            }
        }
    }
}

/// Divides by the positive common divisor of the coefficients.
fn positive_content(value: &Expr) -> Expr {
    let content = value.content();
    if content.is_one() {
        return value.clone();
    }
    value.scale(&content.recip().unwrap_or(Rational::ONE))
}

/// Gives the value the sign that makes its last term positive.
fn leading_positive(value: &Expr) -> Expr {
    match value.terms().last() {
        Some((_, c)) if c.is_negative() => value.neg(),
        _ => value.clone(),
    }
}

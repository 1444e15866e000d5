//! The constructors of atoms. Each returns the canonical form of its result, by laws that hold
//! for all values.

use std::sync::Arc;

use num_integer::Integer;
use num_traits::{One, Signed};

use crate::number::theory;
use crate::number::{BigInt, Rational};
use crate::sym::expr::powers;
use crate::sym::expr::types::{Atom, Monomial, Sum};
use crate::sym::{Cond, Expr, Symbol, SymbolId, SymbolKind};

/// Returns the whole part of a coefficient that may leave a floor. A constant leaves a fraction
/// in [0, 1). Other terms keep their sign, so that ⌈x/2⌉ stays a ceiling: −x/2 leaves nothing,
/// −3x/2 leaves −x/2 inside.
pub(crate) fn whole_part(monomial: &Monomial, coefficient: &Rational) -> Rational {
    Rational::from(if monomial.is_one() || !coefficient.is_negative() {
        coefficient.floor()
    } else {
        coefficient.ceil()
    })
}

impl Expr {
    /// Returns the power with a whole exponent, expanded.
    pub(crate) fn integer_power(&self, exponent: i32) -> Expr {
        powers::whole_power(self, exponent)
    }

    /// Returns `self ^ exponent`: whole powers are expanded, others become atoms, and their
    /// exponents merge.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let two = Expr::int(2);
    /// assert_eq!((&n + &b).pow(&two).to_string(), "2nb + n^2 + b^2");
    /// assert_eq!(two.pow(&n) * &two, two.pow(&(&n + 1)));
    /// ```
    pub fn pow(&self, exponent: &Expr) -> Expr {
        powers::power(self, exponent)
    }

    /// Returns true if every coefficient is whole and every exponent positive, over symbols and
    /// whole-valued atoms.
    pub(crate) fn has_whole_shape(&self) -> bool {
        self.terms().iter().all(|(monomial, coefficient)| {
            coefficient.is_integer()
                && monomial.factors().iter().all(|(atom, exponent)| {
                    *exponent > 0 && (atom.is_always_whole() || matches!(atom, Atom::Symbol(_)))
                })
        })
    }

    /// Writes a number as its least root to a power: 8 is 2^3.
    pub(crate) fn perfect_root(&self) -> (Expr, Rational) {
        match self.as_integer() {
            Some(value) if value > BigInt::one() => {
                let (root, degree) = theory::perfect_root(&value);
                (Expr::from_bigint(root), i64::from(degree).into())
            }
            _ => (self.clone(), Rational::ONE),
        }
    }

    /// Returns ⌊x⌋.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// // Whole summands come out.
    /// assert_eq!(over(&(&n + &b), &b).floor(), over(&n, &b).floor() + 1);
    /// ```
    pub fn floor(&self) -> Expr {
        // Only summands that are whole by their form come out: floors, brackets, digit sums, and
        // numbers. Symbols stay inside, since a symbol may be real. With facts, `simplify_floor`
        // takes them out as well.
        let mut whole = Vec::new();
        let mut rest = Vec::new();
        for (monomial, coefficient) in self.terms() {
            let is_whole = monomial
                .factors()
                .iter()
                .all(|(atom, exponent)| *exponent > 0 && atom.is_always_whole());
            if !is_whole {
                rest.push((monomial.clone(), coefficient.clone()));
                continue;
            }
            let part = whole_part(monomial, coefficient);
            rest.push((monomial.clone(), coefficient - &part));
            whole.push((monomial.clone(), part));
        }
        let (whole, rest) = (Expr::from_terms(whole), Expr::from_terms(rest));
        match rest.as_rational() {
            Some(value) => &whole + Expr::from_bigint(value.floor()),
            None => &whole + Expr::atom(Atom::Floor(rest)),
        }
    }

    /// Returns true if it is a power of two by its form, with any whole exponent: 8, 2^(s + 1),
    /// 2^s/4.
    pub(crate) fn is_power_of_two(&self) -> bool {
        let Some((monomial, coefficient)) = self.as_term() else {
            return false;
        };
        let is_power = |value: &BigInt| {
            value.sign() == num_bigint::Sign::Plus
                && value.trailing_zeros() == Some(value.bits() - 1)
        };
        is_power(&coefficient.numerator())
            && is_power(&coefficient.denominator())
            && monomial.factors().iter().all(|(atom, _)| match atom {
                Atom::Power(base, exponent) => {
                    let is_whole = |(m, c): &crate::sym::expr::types::Term| {
                        c.is_integer() && m.factors().iter().all(|(_, e)| *e > 0)
                    };
                    *base == Expr::int(2)
                        && exponent.is_plain()
                        && exponent.terms().iter().all(is_whole)
                }
                _ => false,
            })
    }

    /// Returns ⌈x⌉, kept as −⌊−x⌋.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(over(&n, &b).ceil().to_string(), "⌈n/b⌉");
    /// ```
    pub fn ceil(&self) -> Expr {
        self.neg().floor().neg()
    }

    /// Returns ⌊self / other⌋; `None` if `other` is the number 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(Expr::int(17).floor_div(&Expr::int(5)), Some(Expr::int(3)));
    /// assert_eq!(n.floor_div(&Expr::zero()), None);
    /// ```
    pub fn floor_div(&self, other: &Expr) -> Option<Expr> {
        Some(self.div(other)?.floor())
    }

    /// Returns self − other·⌊self / other⌋; `None` if `other` is the number 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(Expr::int(17).modulo(&Expr::int(5)), Some(Expr::int(2)));
    /// assert_eq!(n.modulo(&Expr::zero()), None);
    /// ```
    pub fn modulo(&self, other: &Expr) -> Option<Expr> {
        Some(self - (other * self.floor_div(other)?))
    }

    /// Returns the smallest of some expressions; 0 for none.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(Expr::min(vec![Expr::int(3), Expr::int(5)]), Expr::int(3));
    /// assert_eq!(Expr::min(vec![n.clone(), b.clone()]).to_string(), "min(b, n)");
    /// ```
    pub fn min(items: Vec<Expr>) -> Expr {
        Expr::extreme(items, Extreme::Least)
    }

    /// Returns the largest of some expressions; 0 for none.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(Expr::max(vec![Expr::int(3), Expr::int(5)]), Expr::int(5));
    /// assert_eq!(Expr::max(vec![n.clone(), n.clone()]), n);
    /// ```
    pub fn max(items: Vec<Expr>) -> Expr {
        Expr::extreme(items, Extreme::Greatest)
    }

    pub(crate) fn extreme(items: Vec<Expr>, which: Extreme) -> Expr {
        // Canonical by four steps: nested extremes flatten, items that differ by a number keep
        // the better one, the rest is sorted, and a single item stands alone. min(n, min(b, n +
        // 2)) is min(b, n) in some order.
        let mut flat: Vec<Expr> = Vec::new();
        for item in items {
            // min(x, y) + c within a minimum stands for x + c and y + c.
            let constant = Expr::rational(item.constant_term());
            match ((&item - &constant).as_atom(), which) {
                (Some(Atom::Min(inner)), Extreme::Least)
                | (Some(Atom::Max(inner)), Extreme::Greatest) => {
                    flat.extend(inner.iter().map(|x| x + &constant));
                }
                _ => flat.push(item),
            }
        }
        // Of two items that differ by a number, only one can be the extreme.
        let mut kept: Vec<Expr> = Vec::new();
        for item in flat {
            let mut is_dominated = false;
            kept.retain(|other| match (&item - other).as_rational() {
                Some(difference) => {
                    let item_wins = match which {
                        Extreme::Least => difference.is_negative(),
                        Extreme::Greatest => difference.signum() > 0,
                    };
                    is_dominated |= !item_wins;
                    !item_wins
                }
                None => true,
            });
            if !is_dominated {
                kept.push(item);
            }
        }
        kept.sort();
        match &*kept {
            [] => Expr::zero(),
            [only] => only.clone(),
            _ => Expr::atom(match which {
                Extreme::Least => Atom::Min(kept.into()),
                Extreme::Greatest => Atom::Max(kept.into()),
            }),
        }
    }

    /// Returns |x|, as max(x, −x).
    pub fn abs(&self) -> Expr {
        match self.as_rational() {
            Some(value) => Expr::rational(value.abs()),
            None => Expr::max(vec![self.clone(), self.neg()]),
        }
    }

    /// Returns the logarithm of x to a base, split over products and powers.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// let two = Expr::int(2);
    /// assert_eq!(Expr::log(&two, &(&n * 8)), Expr::log(&two, &n) + 3);
    /// ```
    pub fn log(base: &Expr, x: &Expr) -> Expr {
        powers::log(base, x)
    }

    /// Returns the greatest common divisor, which is ≥ 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(Expr::gcd(&Expr::int(12), &Expr::int(18)), Expr::int(6));
    /// assert_eq!(Expr::gcd(&n, &b).to_string(), "gcd(n, b)");
    /// ```
    pub fn gcd(x: &Expr, y: &Expr) -> Expr {
        if let (Some(a), Some(b)) = (x.as_integer(), y.as_integer()) {
            return Expr::from_bigint(a.gcd(&b));
        }
        let is_unit = |e: &Expr| e.as_integer().is_some_and(|v| v.abs().is_one());
        // gcd(1, 1/2) has no value, so a unit decides only beside whole numbers.
        let is_whole = |e: &Expr| e.as_rational().is_none() || e.as_integer().is_some();
        if (is_unit(x) || is_unit(y)) && is_whole(x) && is_whole(y) {
            return Expr::one();
        }
        let positive = |e: &Expr| match e.terms().last() {
            Some((_, c)) if c.is_negative() => e.neg(),
            _ => e.clone(),
        };
        let (x, y) = (positive(x), positive(y));
        let (x, y) = if x <= y { (x, y) } else { (y, x) };
        Expr::atom(Atom::Gcd(x, y))
    }

    /// Returns the sum of the base-b digits of x ≥ 0.
    ///
    /// ```
    /// use atgpu::sym::Expr;
    ///
    /// // 1101 in base 2.
    /// assert_eq!(Expr::digit_sum(&Expr::int(13), &Expr::int(2)), Expr::int(3));
    /// ```
    pub fn digit_sum(x: &Expr, base: &Expr) -> Expr {
        if x.is_zero() {
            return Expr::zero();
        }
        if let (Some(value), Some(b)) = (x.as_integer(), base.as_integer())
            && let Some(sum) = theory::digit_sum(&value, &b)
        {
            return Expr::from_bigint(sum);
        }
        Expr::atom(Atom::DigitSum(x.clone(), base.clone()))
    }

    /// Returns Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋.
    ///
    /// ```
    /// use atgpu::sym::Expr;
    ///
    /// let [four, three, one, five] = [4, 3, 1, 5].map(Expr::int);
    /// // ⌊1/5⌋ + ⌊4/5⌋ + ⌊7/5⌋ + ⌊10/5⌋
    /// assert_eq!(Expr::floor_sum(&four, &three, &one, &five), Expr::int(3));
    /// ```
    pub fn floor_sum(n: &Expr, a: &Expr, c: &Expr, m: &Expr) -> Expr {
        if let (Some(n), Some(a), Some(c), Some(m)) = (
            n.as_integer(),
            a.as_integer(),
            c.as_integer(),
            m.as_integer(),
        ) && let Some(sum) = theory::floor_sum(n, a, c, m)
        {
            return Expr::from_bigint(sum);
        }
        let parts = [n.clone(), a.clone(), c.clone(), m.clone()];
        Expr::atom(Atom::FloorSum(Arc::new(parts)))
    }

    /// Returns 1 where the condition holds, 0 elsewhere.
    #[doc(hidden)]
    pub fn bracket(cond: Cond) -> Expr {
        // Connectives become arithmetic: [c and d] = [c]·[d], [not c] = 1 − [c], [c or d] = 1 −
        // (1 − [c])(1 − [d]). Then brackets of literals are the only atoms, and terms with the
        // same bracket merge. Negated inequalities stay literals, as x < 0 is as plain as x ≥ 0.
        match cond {
            Cond::True => Expr::one(),
            Cond::False => Expr::zero(),
            Cond::And(parts) => parts
                .into_iter()
                .fold(Expr::one(), |product, part| &product * Expr::bracket(part)),
            Cond::Or(parts) => {
                let none = parts.into_iter().fold(Expr::one(), |product, part| {
                    &product * (Expr::one() - Expr::bracket(part))
                });
                Expr::one() - &none
            }
            Cond::Not(inner) if !matches!(*inner, Cond::NonNegative(_)) => {
                Expr::one() - Expr::bracket(*inner)
            }
            literal @ (Cond::NonNegative(_)
            | Cond::Zero(_)
            | Cond::Divides(..)
            | Cond::PowerOf(..)
            | Cond::Not(_)) => Expr::atom(Atom::Bracket(Arc::new(literal))),
        }
    }

    /// Returns Σ variable ∈ low..high : body as an atom, with the variable renamed to its
    /// canonical one.
    pub(crate) fn unsolved_sum(variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Expr {
        // Equal sums must be equal atoms: the number of the bound variable is the depth of sums
        // below it, and common factors leave the body. Σ i : 2i and 2·Σ j : j are the same form.
        // Σ −2x is −2 Σ x: the leading sign and the content come out.
        let Some((_, leading)) = body.terms().last() else {
            return Expr::zero();
        };
        let mut factor = Rational::from(leading.signum());
        let content = body.content();
        if content.is_integer() {
            factor = &factor * &content;
        }
        if let Some(inverse) = factor.recip().filter(|inverse| !inverse.is_one()) {
            let body = body.scale(&inverse);
            return Expr::unsolved_sum(variable, low, high, &body).scale(&factor);
        }
        let bound = Symbol {
            id: SymbolId {
                kind: SymbolKind::Bound,
                number: u32::from(body.summary().sums()),
            },
            name: variable.name.clone(),
        };
        let body = if bound == *variable {
            body.clone()
        } else {
            body.substitute(variable, &Expr::symbol(&bound))
        };
        Expr::atom(Atom::Sum(Arc::new(Sum {
            variable: bound,
            low: low.clone(),
            high: high.clone(),
            body,
        })))
    }
}

/// One end of a set of values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extreme {
    Least,
    Greatest,
}

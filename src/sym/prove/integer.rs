//! Which expressions are whole numbers under the facts.

use crate::number::Rational;
use crate::sym::expr::atom::{Atom, Monomial};
use crate::sym::expr::polynomial::Term;
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::{Cond, Expr, Symbol, SymbolKind};

/// A polynomial in more atoms, or of a higher degree, is not tried point by point.
const MOST_POINTS: usize = 200;
/// How many divisibility facts may be combined for one quotient.
const MOST_QUOTIENTS: u32 = 6;

impl Facts {
    /// Whether the value is provably a whole number.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let half = over(&n, &Expr::int(2));
    /// assert!(!Facts::new().is_integer(&half));
    /// assert!(Facts::new().is_integer(&half.mul(&n.add(&Expr::one()))));
    /// ```
    pub fn is_integer(&self, expr: &Expr) -> bool {
        if self.is_integer_by_terms(expr) {
            return true;
        }
        if self.known().models.refute_whole(expr) {
            return false;
        }
        // Terms that are whole by themselves say nothing about the others.
        let open: Vec<_> = expr
            .terms()
            .iter()
            .filter(|term| !self.is_integer_term(term))
            .cloned()
            .collect();
        let rest = Expr::from_terms(open);
        if self.is_whole_at_all_points(&rest) {
            return true;
        }
        if self.is_digit_quotient(&rest) {
            return true;
        }
        self.with_quotients(&rest)
            .is_some_and(|(rewritten, sources)| {
                let is_whole =
                    self.is_integer_by_terms(&rewritten) || self.is_whole_at_all_points(&rewritten);
                if is_whole {
                    self.mark_used(&sources);
                }
                is_whole
            })
    }

    /// Whether every term is whole by itself.
    pub(crate) fn is_integer_by_terms(&self, expr: &Expr) -> bool {
        expr.terms().iter().all(|term| self.is_integer_term(term))
    }

    fn is_integer_term(&self, (monomial, coefficient): &Term) -> bool {
        coefficient.is_integer()
            && (self.is_integer_monomial(monomial)
                || self.is_integer_quotient(monomial, coefficient, MOST_QUOTIENTS))
            || !coefficient.is_integer() && self.is_power_quotient(monomial, coefficient)
    }

    pub(crate) fn is_integer_monomial(&self, monomial: &Monomial) -> bool {
        let is_plain = monomial
            .factors()
            .iter()
            .all(|(atom, exponent)| *exponent > 0 && self.is_integer_atom(atom));
        is_plain
            || self.is_integer_quotient(monomial, &Rational::ONE, MOST_QUOTIENTS)
            || self.is_power_quotient(monomial, &Rational::ONE)
    }

    pub(crate) fn is_integer_atom(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Symbol(symbol) => self.is_whole_symbol(symbol),
            Atom::Floor(_)
            | Atom::Bracket(_)
            | Atom::Gcd(..)
            | Atom::DigitSum(..)
            | Atom::FloorSum(_) => true,
            Atom::Power(base, exponent) => {
                self.is_integer(base)
                    && self.is_integer(exponent)
                    && self.proves(&Cond::non_negative(exponent))
            }
            Atom::Log(base, x) => {
                let fact = self
                    .known()
                    .powers
                    .iter()
                    .find(|(px, py, _)| px == x && py == base);
                fact.is_some_and(|(_, _, source)| {
                    self.mark_used(&[*source]);
                    true
                })
            }
            Atom::Min(items) | Atom::Max(items) => items.iter().all(|item| self.is_integer(item)),
            Atom::Sum(sum) => self.is_integer(&sum.body),
            Atom::Inverse(_) => false,
        }
    }

    /// A quotient made of known ones: n/b when b ∣ n, and 1024/b when b ∣ 1024.
    fn is_integer_quotient(&self, monomial: &Monomial, coefficient: &Rational, left: u32) -> bool {
        let Some((wanted, _)) = monomial.factors().iter().find(|(_, e)| *e < 0) else {
            let mut factors = monomial.factors().iter();
            return coefficient.is_integer() && factors.all(|(atom, _)| self.is_integer_atom(atom));
        };
        if left == 0 {
            return false;
        }
        self.known().divides.iter().any(|(d, e, source)| {
            let (Some((d, dc)), Some((e, ec))) = (d.as_term(), e.as_term()) else {
                return false;
            };
            if d.exponent(wanted) <= 0 {
                return false;
            }
            // The term is the known quotient e/d times what is left.
            let Some(times) = (coefficient * dc).checked_div(ec) else {
                return false;
            };
            let rest = Expr::monomial(Monomial::from_sorted(monomial.merged(d)));
            let rest = rest.mul(&Expr::monomial(e.clone()).reciprocal());
            let is_whole = rest.as_term().is_some_and(|(rest, _)| {
                // What divides 0 divides it 0 times, whatever stands above.
                !ec.is_zero() && self.is_integer_quotient(rest, &times, left - 1)
            });
            if is_whole {
                self.mark_used(&[*source]);
            }
            is_whole
        })
    }

    /// The expression with n = u·d for every fact d ∣ n about a single name n.
    fn with_quotients(&self, expr: &Expr) -> Option<(Expr, Vec<Source>)> {
        let mut rewritten = expr.clone();
        let mut sources = Vec::new();
        for (index, (d, e, source)) in self.known().divides.iter().enumerate() {
            let Some(symbol) = e.as_symbol() else {
                continue;
            };
            if d.contains(symbol) || !rewritten.contains(symbol) {
                continue;
            }
            let quotient = Symbol::of(SymbolKind::Quotient, index as u32, "u");
            rewritten = rewritten.substitute(symbol, &Expr::symbol(&quotient).mul(d));
            sources.push(*source);
        }
        (!sources.is_empty()).then_some((rewritten, sources))
    }

    /// A polynomial over whole atoms is whole everywhere when it is at the points of a simplex as
    /// large as its degree: those determine its coefficients in the binomial basis.
    fn is_whole_at_all_points(&self, expr: &Expr) -> bool {
        let atoms: Vec<Atom> = expr.atoms().into_iter().collect();
        let mut degree = 0;
        for (monomial, _) in expr.terms() {
            if monomial.factors().iter().any(|(_, e)| *e < 0) {
                return false;
            }
            degree = degree.max(monomial.degree());
        }
        let points =
            (1..=degree).fold(1usize, |product, _| product.saturating_mul(atoms.len() + 1));
        if atoms.is_empty() {
            return expr.as_rational().is_some_and(|value| value.is_integer());
        }
        if points > MOST_POINTS || !atoms.iter().all(|atom| self.is_integer_atom(atom)) {
            return false;
        }
        let mut point = vec![0i64; atoms.len()];
        loop {
            if !value_at(expr, &atoms, &point).is_integer() {
                return false;
            }
            // The next point with coordinates ≥ 0 whose sum is at most the degree.
            let mut at = 0;
            loop {
                if at == point.len() {
                    return true;
                }
                point[at] += 1;
                if point.iter().sum::<i64>() <= degree {
                    break;
                }
                point[at] = 0;
                at += 1;
            }
        }
    }

    /// (x − digit_sum(x, b))/(b − 1), whole by casting out (b − 1)s.
    fn is_digit_quotient(&self, expr: &Expr) -> bool {
        let mut digits = None;
        expr.for_each_atom(&mut |atom| {
            if let Atom::DigitSum(x, base) = atom {
                digits = Some((x.clone(), base.clone()));
            }
        });
        let Some((x, base)) = digits else {
            return false;
        };
        let Some(quotient) = x
            .sub(&Expr::digit_sum(&x, &base))
            .div(&base.sub(&Expr::one()))
        else {
            return false;
        };
        let pairs = [expr.sub(&quotient), expr.add(&quotient)];
        pairs.iter().any(|rest| self.is_integer_by_terms(rest))
    }
}

fn value_at(expr: &Expr, atoms: &[Atom], point: &[i64]) -> Rational {
    let mut sum = Rational::ZERO;
    for (monomial, coefficient) in expr.terms() {
        let mut product = coefficient.clone();
        for (atom, value) in atoms.iter().zip(point) {
            let power = Rational::from(*value).pow(monomial.exponent(atom));
            product = &product * &power.unwrap_or(Rational::ZERO);
        }
        sum += &product;
    }
    sum
}

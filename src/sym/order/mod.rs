//! Asymptotic classes. Some symbols grow; every other one is a constant. Only the real letters of
//! the cost functions are kept: the class of 3α + 3nβ is α + nβ.
//!
//! A class is a sum of monomials without any that another one provably dominates. It is tight (Θ)
//! if every monomial is also a lower bound, and an upper bound (O) otherwise.
//!
//! `sizes` compares monomials, `growth` and `atoms` read the growth of an expression, `distant` decides
//! brackets far out. Classes are made and compared here.

mod atoms;
mod distant;
mod growth;
mod sizes;

pub(crate) use sizes::stays_small;

use std::cell::OnceCell;
use std::fmt;

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::order::growth::{Growth, Growths, Minima, Reached};
use crate::sym::order::sizes::{Sizes, is_mean, without_means};
use crate::sym::{Expr, Symbol};

/// The asymptotic growth of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Class {
    /// A sum of monomials with coefficient 1.
    pub expr: Expr,
    /// True if the expression is also at least a constant times this.
    pub is_tight: bool,
}

impl Class {
    /// `Θ` or `O`.
    pub(crate) fn letter(&self) -> &'static str {
        if self.is_tight { "Θ" } else { "O" }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.letter(), self.expr)
    }
}

/// Returns the class of a non-negative expression; `None` if not even an upper bound is known.
///
/// ```
/// use atgpu::examples::{symbol, symbols};
/// use atgpu::sym::order::class;
/// use atgpu::sym::{Cond, Expr, Facts};
///
/// let [n] = symbols(["n"]);
/// let mut facts = Facts::new();
/// facts.assume(&Cond::ge(&n, &Expr::one()));
/// let class = class(&((&n * &n).scale(&3.into()) + &n), &[symbol("n")], &facts);
/// assert_eq!(class.expect("known").to_string(), "Θ(n^2)");
/// ```
pub fn class(expr: &Expr, growing: &[Symbol], facts: &Facts) -> Option<Class> {
    Order::new(growing, facts).class(expr)
}

fn has_minimum(expr: &Expr) -> bool {
    expr.has_atom(&|atom| matches!(atom, Atom::Min(_)))
}

/// Decides f ∈ O(g); `None` if neither answer is proved.
///
/// ```
/// use atgpu::examples::{symbol, symbols};
/// use atgpu::sym::order::is_big_o;
/// use atgpu::sym::{Cond, Expr, Facts};
///
/// let [n] = symbols(["n"]);
/// let mut facts = Facts::new();
/// facts.assume(&Cond::ge(&n, &Expr::one()));
/// let growing = [symbol("n")];
/// assert_eq!(is_big_o(&n, &(&n * &n), &growing, &facts), Some(true));
/// assert_eq!(is_big_o(&(&n * &n), &n, &growing, &facts), Some(false));
/// ```
pub fn is_big_o(f: &Expr, g: &Expr, growing: &[Symbol], facts: &Facts) -> Option<bool> {
    let order = Order::new(growing, facts);
    let ([of_f, of_g], is_within) = order.compared(f, g)?;
    if is_within {
        return Some(true);
    }
    let mut lower = of_f.lower.iter();
    let escapes = lower.any(|monomial| order.sizes().outgrows(monomial, &of_g.upper));
    escapes.then_some(false)
}

/// Returns true if f ∈ O(g) is proved. Does not look for a refutation, which takes longer.
pub(crate) fn is_surely_big_o(f: &Expr, g: &Expr, growing: &[Symbol], facts: &Facts) -> bool {
    Order::new(growing, facts).is_surely_big_o(f, g)
}

/// The comparison of expressions as some symbols grow.
pub(crate) struct Order<'a> {
    growths: Growths<'a>,
    /// The facts far out, if any size gets there; found when a bracket or an extreme needs them.
    far_out: OnceCell<Option<Facts>>,
}

/// The most items of a minimum that are tried one by one. Further items never bound it here.
const MOST_ITEMS: usize = 3;

impl<'a> Order<'a> {
    pub(crate) fn new(growing: &[Symbol], original: &'a Facts) -> Self {
        Order {
            growths: Growths::new(Sizes::new(growing, original)),
            far_out: OnceCell::new(),
        }
    }

    fn sizes(&self) -> &Sizes<'a> {
        &self.growths.sizes
    }

    fn facts(&self) -> &Facts {
        &self.sizes().facts
    }

    /// Returns the growing symbols, without those known to stay small.
    pub(crate) fn growing(&self) -> &[Symbol] {
        &self.sizes().growing
    }

    /// [`class()`].
    pub(crate) fn class(&self, expr: &Expr) -> Option<Class> {
        // A minimum may be replaced by any of its items as an upper bound, and the choice decides
        // how the class reads. If the first choice is not tight, items that the rest of the sum
        // hides are tried, and the strictly smaller class wins.
        if self.facts().is_exhausted() {
            return None;
        }
        let expr = self.settled(expr);
        let class = self.class_of(&expr)?;
        if class.is_tight || !has_minimum(&expr) {
            return Some(class);
        }
        let other = self
            .growths
            .with_minima(Minima::Hidden, || self.class_of(&expr));
        Some(match other {
            Some(other) if self.is_below(&other, &class) => other,
            _ => class,
        })
    }

    /// Returns the tight class of an expression with minima, written with a minimum: Θ(min(b,
    /// n)).
    pub(crate) fn class_in_minima(&self, expr: &Expr) -> Option<Class> {
        if self.facts().is_exhausted() || !has_minimum(expr) {
            return None;
        }
        let expr = self.settled(expr);
        let class = self
            .growths
            .with_minima(Minima::Kept, || self.class_of(&expr))?;
        class.is_tight.then_some(class)
    }

    /// Returns true if f ∈ O(g) is proved.
    pub(crate) fn is_surely_big_o(&self, f: &Expr, g: &Expr) -> bool {
        self.compared(f, g).is_some_and(|(_, is_within)| is_within)
    }

    /// Returns true if a sum of these non-negative parts is at least a constant times each term
    /// of a class.
    pub(crate) fn is_reached(&self, class: &Expr, parts: &[Expr]) -> bool {
        let terms = class.terms().iter().map(Expr::term);
        terms.into_iter().all(|term| {
            let mut parts = parts.iter();
            parts.any(|part| self.is_surely_big_o(&term, part))
        })
    }

    /// Returns the simplified expression, with the values far out for what is decided there: n·[n ≥ 13] is n.
    fn settled(&self, expr: &Expr) -> Expr {
        let expr = self.facts().simplify(expr);
        let is_open = |atom: &Atom| matches!(atom, Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_));
        if !expr.has_atom(&is_open) {
            return expr;
        }
        let far_out = || distant::facts(&self.sizes().growing, self.facts());
        let Some(far_out) = self.far_out.get_or_init(far_out) else {
            return expr;
        };
        let settled = distant::settled(far_out, &expr);
        if settled == expr {
            expr
        } else {
            self.facts().simplify(&settled)
        }
    }

    /// Returns the growth of two expressions, and true if the first provably grows no faster than
    /// the second.
    fn compared(&self, f: &Expr, g: &Expr) -> Option<([Growth; 2], bool)> {
        if self.facts().is_exhausted() {
            return None;
        }
        let both = [f, g].map(|side| self.settled(side));
        let growths = self.growth_of_both(&both)?;
        let is_within = self.is_within(&both, growths.each_ref());
        Some((growths, is_within))
    }

    /// Returns the class of a simplified expression; `None` if not even an upper bound is known.
    fn class_of(&self, expr: &Expr) -> Option<Class> {
        // The upper bounds without dominated monomials are the class. It is tight if each is at
        // most some lower bound: 3n² + n has the upper bounds n² and n, of which n² is left, and
        // the lower bound n². So it is Θ(n²).
        // In sums with digit sums, some monomials are reached as they stand, and others only with
        // the largest possible digit sums. Both lists of lower bounds are needed then.
        let less = self.with_large_digit_sums(expr);
        let reached = match less {
            Some(_) => Reached::All,
            None => Reached::Largest,
        };
        let growth = self.growths.growth_with(expr, reached)?;
        let upper = without_means(self.sizes().antichain(&growth.upper));
        let is_within = |lower: &[Expr]| {
            let mut upper = upper.iter();
            upper.all(|monomial| {
                lower
                    .iter()
                    .any(|low| self.sizes().dominates(low, monomial))
            })
        };
        let is_tight = is_within(&growth.lower) || {
            let less = less.and_then(|less| self.growths.growth(&less));
            less.is_some_and(|less| is_within(&[growth.lower, less.lower].concat()))
        };
        let sum = upper
            .iter()
            .fold(Expr::zero(), |sum, monomial| &sum + monomial);
        Some(Class {
            expr: sum,
            is_tight,
        })
    }

    fn growth_of_both(&self, [f, g]: &[Expr; 2]) -> Option<[Growth; 2]> {
        Some([self.growths.growth(f)?, self.growths.growth(g)?])
    }

    /// Returns true if the first of two expressions is provably at most a constant times the
    /// second, given their growths.
    fn is_within(&self, both: &[Expr; 2], [of_f, of_g]: [&Growth; 2]) -> bool {
        // The plain comparison first; then the choices that an upper bound on f or a lower bound
        // on g leaves open: each item of f's minima, the largest digit sums of g, and minima kept
        // on both sides. min(b, n) ∈ O(n) and ∈ O(b) need different items.
        if self.is_bounded(of_f, of_g) {
            return true;
        }
        let [f, g] = both;
        let of_items = (0..MOST_ITEMS).map(Minima::Item);
        let by_item = of_items.filter(|_| has_minimum(f)).any(|minima| {
            let of_f = self.growths.with_minima(minima, || self.growths.growth(f));
            of_f.is_some_and(|of_f| self.is_bounded(&of_f, of_g))
        });
        let in_minima = || {
            let of_both = self
                .growths
                .with_minima(Minima::Kept, || self.growth_of_both(both));
            let [of_f, of_g] = of_both?;
            Some(self.is_bounded(&of_f, &of_g))
        };
        let with_large_digit_sums = || {
            let less = self.growths.growth(&self.with_large_digit_sums(g)?)?;
            let lower = [of_g.lower.as_slice(), &less.lower].concat();
            let of_g = Growth {
                lower,
                ..of_g.clone()
            };
            Some(self.is_bounded(of_f, &of_g))
        };
        by_item
            || with_large_digit_sums() == Some(true)
            || has_minimum(g) && in_minima() == Some(true)
    }

    /// Returns true if each upper monomial of f is dominated by a lower monomial of g, or by the
    /// mean of two of them.
    fn is_bounded(&self, of_f: &Growth, of_g: &Growth) -> bool {
        // √(x·y) ≤ (x + y)/2, so g ≥ x + y (up to a constant) bounds the mean as well: n is the
        // mean of n²/b and b, hence n ∈ O(n²/b + b).
        let is_below = |monomial: &Expr, among: &[Expr]| {
            let mut among = among.iter();
            among.any(|large| self.sizes().dominates(large, monomial))
        };
        let mut upper = of_f.upper.iter();
        let Some(above) = upper.find(|monomial| !is_below(monomial, &of_g.lower)) else {
            return true;
        };
        let means = of_f.upper.iter();
        let means: Vec<Expr> = means
            .filter(|monomial| is_mean(monomial, &of_g.lower))
            .cloned()
            .collect();
        let mut others = std::iter::once(above).chain(upper);
        others.all(|monomial| is_below(monomial, &means) || is_below(monomial, &of_g.lower))
    }

    /// Returns true if a class grows more slowly than another, compared term by term.
    fn is_below(&self, class: &Class, other: &Class) -> bool {
        let is_within = |one: &Expr, other: &Expr| {
            let each: Vec<Expr> = other.terms().iter().map(Expr::term).collect();
            let mut terms = one.terms().iter().map(Expr::term);
            terms.all(|term| {
                each.iter()
                    .any(|large| self.sizes().dominates(large, &term))
            })
        };
        is_within(&class.expr, &other.expr) && !is_within(&other.expr, &class.expr)
    }

    /// Returns a lower bound with each subtracted digit sum at its largest: digit_sum(x, b) = x −
    /// (b − 1)(⌊x/b⌋ + ⌊x/b²⌋ + …) ≤ x − (b − 1)(x − b + 1)/b.
    fn with_large_digit_sums(&self, expr: &Expr) -> Option<Expr> {
        // ⌊x/b⌋ ≥ (x − b + 1)/b alone gives the bound: for x = 57, b = 10 it is 57 − 43.2 = 13.8,
        // and the digit sum is 12. For x itself it keeps the leading term: x − digit_sum ≥ (b −
        // 1)(x − b + 1)/b.
        let digits = |atom: &Atom| matches!(atom, Atom::DigitSum(..));
        if !expr.has_atom(&digits) {
            return None;
        }
        let terms = expr.terms().iter().map(|(monomial, coefficient)| {
            let term = Expr::term(&(monomial.clone(), coefficient.clone()));
            if coefficient.is_negative() {
                term.replace(&|atom| match atom {
                    Atom::DigitSum(x, base) => {
                        let less = base - 1;
                        let whole = ((x - &less) * &less).div(base)?;
                        Some(x - &whole)
                    }
                    _ => None,
                })
            } else {
                term
            }
        });
        let less = terms.fold(Expr::zero(), |sum, term| &sum + &term);
        Some(self.facts().simplify(&less))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{over, symbol, symbols};
    use crate::sym::Cond;

    fn told(expr: &Expr) -> String {
        let mut facts = Facts::new();
        for name in symbols(["n", "b", "d"]) {
            facts.assume(&Cond::ge(&name, &Expr::one()));
        }
        let growing = ["n", "b", "d"].map(symbol);
        let class = class(expr, &growing, &facts).expect("bounded");
        let in_minima = Order::new(&growing, &facts).class_in_minima(expr);
        let in_minima = in_minima.filter(|_| !class.is_tight);
        in_minima.unwrap_or(class).to_string()
    }

    #[test]
    fn floors_and_ceilings_count_with_what_stands_beside_them() {
        let [n, b, d] = symbols(["n", "b", "d"]);
        let (one, blocks) = (Expr::one(), over(&n, &b).ceil());
        let more = over(&d, &b).floor() + &one;
        assert_eq!(told(&more), "Θ(d/b + 1)");
        assert_eq!(told(&(&more * &blocks)), "Θ(dn/b^2 + (d + n)/b + 1)");
        // b⌈n/b⌉ − b < n, which no b alone is beside.
        assert_eq!(told(&(&b * &blocks - &b + &one)), "O(n)");
        assert_eq!(told(&(&b * &blocks)), "Θ(n + b)");
    }

    #[test]
    fn what_lies_between_two_sizes_is_within_their_sum() {
        let [n, b, d] = symbols(["n", "b", "d"]);
        let growing = ["n", "b", "d"].map(symbol);
        let mut facts = Facts::new();
        for name in [&n, &b, &d] {
            facts.assume(&Cond::ge(name, &Expr::one()));
        }
        let is_big_o = |f: &Expr, g: &Expr| is_big_o(f, g, &growing, &facts);
        let sum = over(&(&n * &n), &b) + &b;
        assert_eq!(is_big_o(&(&n + over(&n, &b)), &sum), Some(true));
        assert_eq!(is_big_o(&(&n * &d), &sum), Some(false));
        assert_ne!(is_big_o(&(&n * &b), &sum), Some(true));
    }

    #[test]
    fn what_is_nothing_where_b_grows_faster_outgrows_nothing() {
        let [n, b] = symbols(["n", "b"]);
        let mut facts = Facts::new();
        for name in [&n, &b] {
            facts.assume(&Cond::ge(name, &Expr::one()));
        }
        let growing = ["n", "b"].map(symbol);
        let log = |x: &Expr| Expr::log(&Expr::int(2), x);
        let rounds = log(&over(&n, &b).ceil()).ceil();
        for right in [log(&n), log(&n) * log(&n), log(&(&n + &b))] {
            assert_ne!(is_big_o(&rounds, &right, &growing, &facts), Some(false));
        }
        assert_eq!(is_big_o(&log(&n), &log(&b), &growing, &facts), Some(false));
    }

    #[test]
    fn the_smaller_of_two_sizes_is_told_where_that_says_how_fast_all_grows() {
        let [n, b, d] = symbols(["n", "b", "d"]);
        let least = Expr::min(vec![b.clone(), n.clone()]);
        assert_eq!(told(&(least.scale(&5.into()) + 12)), "Θ(min(b, n))");
        // Where it is taken away nothing is said of how small the rest may be.
        assert_eq!(told(&(&n + &d - &least)), "O(d + n)");
        let growing = ["n", "b", "d"].map(symbol);
        let is_big_o = |f: &Expr, g: &Expr| is_big_o(f, g, &growing, &Facts::new());
        assert_eq!(is_big_o(&least, &n), Some(true));
        assert_eq!(is_big_o(&least, &b), Some(true));
        assert_eq!(is_big_o(&least, &least.scale(&3.into())), Some(true));
        assert_ne!(is_big_o(&n, &least), Some(true));
    }
}

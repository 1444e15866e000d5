//! The questions to facts: is this true, which form is best, what is the sum.
//!
//! Proofs, simplification and sums need each other: a floor is reduced once something is proved
//! whole, and a sum is closed to prove a sign. They meet only here. Each question has its name in
//! this file, and one line that names the function that answers it. All others are plain
//! functions over [`Facts`] that know only the modules below them.

use crate::number::Rational;
use crate::sym::evaluate::approximate;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::print::Printer;
use crate::sym::prove::{beside, bounds, consequences, decide, divisors, integer, powers, sign};
use crate::sym::simplify::{brackets, condition, floor, rewrite, shorten, total};
use crate::sym::sum::range::Range;
use crate::sym::sum::{above, argmax, closed_form, maximum};
use crate::sym::{Cond, Expr, Symbol};

/// The work allowed to find the end at which a plain bound is largest. With more, longer bounds
/// find their end.
const WORK_OF_AN_END: u64 = 2_000;

impl Facts {
    /// Decides a condition: it always holds (`Some(true)`), never (`Some(false)`), or neither is
    /// proved (`None`).
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &b));
    /// assert_eq!(facts.prove(&Cond::ge(&(&n + 1), &b)), Some(true));
    /// assert_eq!(facts.prove(&Cond::lt(&n, &b)), Some(false));
    /// assert_eq!(facts.prove(&Cond::gt(&n, &b)), None);
    /// ```
    pub fn prove(&self, cond: &Cond) -> Option<bool> {
        self.asked(|| decide::prove(self, cond)).flatten()
    }

    /// Returns true if the condition provably holds.
    pub(crate) fn proves(&self, cond: &Cond) -> bool {
        self.asked(|| decide::proves(self, cond)) == Some(true)
    }

    /// Returns a flag for each of a few points where all facts hold, true if the condition
    /// clearly fails there. A condition that fails at one of them is never proved.
    pub(crate) fn fails(&self, cond: &Cond) -> Vec<bool> {
        self.known().models.fails(cond)
    }

    /// Returns true if a point is known where all facts hold, so that they do not contradict each
    /// other.
    pub(crate) fn are_met(&self) -> bool {
        self.known().models.is_met()
    }

    /// Returns true if all facts hold at some known point after symbols move to some of these values. Each symbol comes
    /// with true if it must move, and with false if it may also stay. At most so many moves are `tried`.
    pub(crate) fn moves_to(&self, symbols: &[(&Symbol, bool)], values: &[f64], tried: u32) -> bool {
        self.known().models.moves_to(symbols, values, tried)
    }

    /// Returns true if the value is provably ≥ 0.
    pub(crate) fn is_non_negative(&self, value: &Expr) -> bool {
        self.asked(|| sign::is_non_negative(self, value)) == Some(true)
    }

    /// Returns true if the value is provably > 0.
    pub(crate) fn is_positive(&self, value: &Expr) -> bool {
        self.asked(|| sign::is_positive(self, value)) == Some(true)
    }

    /// Returns true if the value is ≥ 0 because a product of powers in it is no less than what stands beside it: n·b^r
    /// − n, or n − ⌈n/b^r⌉.
    pub(crate) fn is_non_negative_beside_powers(&self, value: &Expr) -> bool {
        self.asked(|| beside::is_non_negative(self, value)) == Some(true)
    }

    /// Returns true if the value is a product with a power in it, all of whose factors are provably > 0.
    pub(crate) fn is_product_of_powers(&self, value: &Expr) -> bool {
        self.asked(|| beside::is_product_of_powers(self, value)) == Some(true)
    }

    /// Returns true if two values are whole powers of one base, so that one of them divides the other.
    pub(crate) fn are_powers_of_one_base(&self, one: &Expr, other: &Expr) -> bool {
        self.asked(|| divisors::are_powers_of_one_base(self, one, other)) == Some(true)
    }

    /// Returns true if the value is provably a whole number.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::{Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let half = over(&n, &Expr::int(2));
    /// assert!(!Facts::new().is_integer(&half));
    /// assert!(Facts::new().is_integer(&(&half * (&n + 1))));
    /// ```
    pub fn is_integer(&self, expr: &Expr) -> bool {
        self.asked(|| integer::is_integer(self, expr)) == Some(true)
    }

    /// Returns true if every term is whole by itself.
    pub(crate) fn is_integer_by_terms(&self, expr: &Expr) -> bool {
        self.asked(|| integer::is_integer_by_terms(self, expr)) == Some(true)
    }

    pub(crate) fn is_integer_atom(&self, atom: &Atom) -> bool {
        self.asked(|| integer::is_integer_atom(self, atom)) == Some(true)
    }

    /// Returns true if the value is provably 0 in every case of its conditions.
    pub(crate) fn is_always_zero(&self, value: &Expr) -> bool {
        self.asked(|| brackets::is_always_zero(self, value)) == Some(true)
    }

    /// Returns bounds that follow from divisibility and powers: a divisor of a positive number is
    /// at most that number, and a power ≥ 2 has an exponent ≥ 1.
    pub(crate) fn consequences(&self) -> Vec<(Expr, Source)> {
        self.asked(|| consequences::consequences(self))
            .unwrap_or_default()
    }

    /// Turns a bound on a rounded logarithm into one on powers: r < ⌈log2 n⌉ is 2^r < n.
    pub(crate) fn said_of_powers(&self, value: &Expr) -> Option<Cond> {
        powers::of_rounded_log(value)
    }

    /// Returns the expression times a positive polynomial, without negative exponents or
    /// inverses. `None` if a denominator's sign is unknown.
    pub(crate) fn cleared(&self, value: &Expr) -> Option<Expr> {
        self.asked(|| bounds::cleared(self, value)).flatten()
    }

    /// Returns the value that a plain condition states to be ≥ 0: `x` for x ≥ 0, and −x − 1 for x
    /// < 0 and a whole x.
    pub(crate) fn said_by(&self, cond: &Cond) -> Option<Expr> {
        self.asked(|| condition::said_by(self, cond)).flatten()
    }

    /// Removes the floor from ±⌊x⌋ + r ≥ 0 for a whole r: ⌊x⌋ ≥ −r is x ≥ −r, and ⌊x⌋ ≤ r is x <
    /// r + 1. Likewise for f·⌊x⌋ + r with a positive f, if r/f rounded is plain: b⌈n/b⌉ ≥ b + 1
    /// is ⌈n/b⌉ ≥ 2.
    pub(crate) fn without_floor(&self, value: &Expr) -> Option<Cond> {
        self.asked(|| condition::non_negative_without_floor(self, value))
            .flatten()
    }

    /// Returns the same value under the facts, in the simplest form known.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &b));
    /// assert_eq!(facts.simplify(&Expr::max(vec![n.clone(), b])), n);
    /// ```
    pub fn simplify(&self, expr: &Expr) -> Expr {
        self.asked(|| rewrite::simplify(self, expr))
            .unwrap_or_else(|| expr.clone())
    }

    /// Returns the same condition under the facts; `True` or `False` if it is decided.
    pub(crate) fn simplify_cond(&self, cond: &Cond) -> Cond {
        self.asked(|| condition::simplify_cond(self, cond))
            .unwrap_or_else(|| cond.clone())
    }

    /// Returns ⌊x⌋ for a simplified x.
    pub(crate) fn simplify_floor(&self, x: &Expr) -> Expr {
        self.asked(|| floor::simplify_floor(self, x))
            .unwrap_or_else(|| x.floor())
    }

    /// Returns a lower bound on a value: without pairs f·(⌊y⌋ − ⌊x⌋) with y ≥ x and f ≥ 0.
    pub(crate) fn without_rising_floors(
        &self,
        value: &Expr,
        is_never_negative: &dyn Fn(&Expr) -> bool,
    ) -> Expr {
        self.asked(|| floor::without_rising(self, value, is_never_negative))
            .unwrap_or_else(|| value.clone())
    }

    /// ⌊(k + r/w)/m⌋ = ⌊k/m⌋ for whole k and m ≥ 1, and a digit r of width w, 0 ≤ r < w.
    pub(crate) fn without_digit(&self, value: &Expr, digit: &Symbol, width: &Expr) -> Expr {
        self.asked(|| floor::without_digit(self, value, digit, width))
            .unwrap_or_else(|| value.clone())
    }

    /// Returns the same value in the shortest form found; for results, which are worth the
    /// search.
    pub(crate) fn shorten(&self, expr: &Expr) -> Expr {
        self.asked(|| shorten::shorten(self, expr))
            .unwrap_or_else(|| expr.clone())
    }

    /// Drops brackets that change nothing: wherever the bracket is 0, its factor is 0 or equals
    /// the factor of the opposite bracket.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// // n − 1 is 0 where the bracket is.
    /// let expr = (&n - 1) * Expr::bracket(Cond::ge(&n, &Expr::int(2)));
    /// assert_eq!(facts.without_idle_brackets(&expr).to_string(), "n - 1");
    /// ```
    pub fn without_idle_brackets(&self, expr: &Expr) -> Expr {
        self.asked(|| brackets::without_idle_brackets(self, expr))
            .unwrap_or_else(|| expr.clone())
    }

    /// Returns Σ variable ∈ low..high : body, 0 if high < low. A closed form if one is found,
    /// otherwise an unsolved sum, simplified.
    ///
    /// ```
    /// use atgpu::examples::{symbol, symbols};
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let (i, last) = (symbol("i"), &n - 1);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// // 1 + 2 + 4 + … + 2^(n − 1)
    /// let sum = facts.sum(&i, &Expr::zero(), &last, &Expr::int(2).pow(&Expr::symbol(&i)));
    /// assert_eq!(sum.to_string(), "2^n - 1");
    /// ```
    pub fn sum(&self, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Expr {
        self.asked(|| closed_form::sum(self, variable, low, high, body))
            .unwrap_or_else(|| Expr::unsolved_sum(variable, low, high, body))
    }

    /// Returns the sum over a range with high ≥ low − 1.
    pub(crate) fn sum_of_range(&self, range: &Range, body: &Expr) -> Expr {
        self.asked(|| closed_form::sum_of_range(self, range, body))
            .unwrap_or_else(|| Expr::unsolved_sum(&range.variable, &range.low, &range.high, body))
    }

    /// Returns the exact maximum over variable ∈ low..high, which is assumed not to be empty.
    /// `None` if it is not provable.
    ///
    /// ```
    /// use atgpu::examples::{symbol, symbols};
    /// use atgpu::sym::{Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let (i, last) = (symbol("i"), &n - 1);
    /// let facts = Facts::new();
    /// let most = facts.maximum(&i, &Expr::zero(), &last, &(&n - Expr::symbol(&i)));
    /// assert_eq!(most, Some(n));
    /// ```
    pub fn maximum(&self, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Option<Expr> {
        self.asked(|| maximum::maximum(self, variable, low, high, body))
            .flatten()
    }

    /// Writes an expression as `rest + factor·⌊(symbol + shift)/size⌋` with whole size ≥ 1 and
    /// shift. Returns the four in this order.
    pub(crate) fn in_rows(&self, expr: &Expr, symbol: &Symbol) -> Option<[Expr; 4]> {
        let (rest, factor, inner) = expr.around_floor(symbol)?;
        let [offset, slope] = inner.linear_in(symbol)?;
        let one = Expr::one();
        let size = self.simplify(&one.div(&slope)?);
        let shift = self.simplify(&(&offset * &size));
        if !self.is_integer(&size) || !self.is_integer(&shift) {
            return None;
        }
        if self.proves(&Cond::ge(&size, &one)) {
            return Some([rest, factor, shift, size]);
        }
        // A ceiling: ⌊−x/d⌋ is −1 − ⌊(x − 1)/d⌋ for a whole x.
        let size = size.neg();
        let is_ceiling = self.proves(&Cond::ge(&size, &one));
        is_ceiling.then(|| [&rest - &factor, factor.neg(), &shift - &one, size])
    }

    /// Returns true if an expression provably has a value wherever these facts hold. Does not
    /// look into unsolved sums.
    pub(crate) fn always_have_value(&self, expr: &Expr) -> bool {
        self.asked(|| bounds::always_has_value(self, expr)) == Some(true)
    }

    /// The same value in a form that has one wherever these facts hold, as each of the printers writes it: ⌈n/max(1, d)⌉
    /// where d may be 0. What is known to have one stays as it is. It is the same wherever the `sure` facts hold, which
    /// may say less.
    pub(crate) fn total(&self, sure: &Facts, expr: &Expr, printers: &[&Printer]) -> Expr {
        total::total(self, sure, expr, printers)
    }

    /// A value of the variable, in low..high, at which all expressions are at least what they are
    /// anywhere there. These facts hold inside the range.
    pub(crate) fn costliest(
        &self,
        variable: &Symbol,
        low: &Expr,
        high: &Expr,
        values: &[&Expr],
    ) -> Option<Expr> {
        self.asked(|| argmax::costliest(self, variable, low, high, values))
            .flatten()
    }

    /// Returns an upper bound over the variable in low..high, which is not empty: each part is
    /// bounded by its own maximum.
    pub(crate) fn part_by_part(
        &self,
        variable: &Symbol,
        low: &Expr,
        high: &Expr,
        value: &Expr,
    ) -> Option<Expr> {
        self.asked(|| argmax::part_by_part(self, variable, low, high, value))
            .flatten()
    }

    /// Returns an upper bound without the variable, by choosing items of extremes: min(n − 1, v)
    /// − max(0, v − m + 1) is at most n − 1 and at most m − 1.
    pub(crate) fn without_variable(&self, variable: &Symbol, value: &Expr) -> Option<Expr> {
        self.asked(|| argmax::without_variable(self, variable, value))
            .flatten()
    }

    /// Returns an upper bound in plain terms: no floors, brackets, extremes or unsolved sums, and
    /// no negative terms. A bound in `slow` alone, the slowest-growing symbol, is preferred.
    /// `None` if not even the sign of a part is known.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// facts.assume(&Cond::ge(&b, &Expr::one()));
    /// let above = facts.above(&(&n * over(&n, &b).ceil()), None).expect("bounded");
    /// assert_eq!(above.to_string(), "n^2/b + n");
    /// ```
    pub fn above(&self, expr: &Expr, slow: Option<&Symbol>) -> Option<Expr> {
        self.asked(|| above::above(self, expr, slow)).flatten()
    }

    /// Returns the same bound or a larger one with more in common between its terms.
    pub(crate) fn evened(&self, expr: &Expr) -> Expr {
        self.asked(|| above::evened(self, expr))
            .unwrap_or_else(|| expr.clone())
    }

    /// Returns the same plain bound or a larger one of fewer terms that fits.
    pub(crate) fn joined(
        &self,
        expr: &Expr,
        fits: &dyn Fn(&Expr) -> bool,
        fits_at_all: &dyn Fn(&Expr) -> bool,
    ) -> Expr {
        self.asked(|| above::joined(self, expr, fits, fits_at_all))
            .unwrap_or_else(|| expr.clone())
    }

    /// Returns the growth of a bound, once without the symbol `slow` and once in all symbols,
    /// added up over its real letters. `None` if it has no plain bound.
    pub(crate) fn paces(&self, bound: &Expr, slow: &Symbol) -> Option<[Rational; 2]> {
        self.asked(|| above::paces(self, bound, slow)).flatten()
    }

    /// Returns an approximate value of an expression at these values of its symbols, whatever the
    /// facts are.
    pub(crate) fn about(&self, value: &Expr, at: &dyn Fn(&Symbol) -> f64) -> Option<f64> {
        approximate::value(value, at)
    }

    /// Returns true if some fact bounds a symbol from above, as the range of a loop does.
    pub(crate) fn is_bounded_above(&self, symbol: &Symbol) -> bool {
        let falls = |value: &Expr| {
            let alone = Expr::symbol(symbol);
            let mut terms = value.terms().iter();
            terms.any(|term| term.1.is_negative() && alone.terms()[0].0 == term.0)
        };
        let mut bounds = self.known().bounds.iter();
        bounds.any(|bound| falls(&bound.value))
    }

    /// Returns a plain upper bound with the factor gcd(x, p) − 1 on a value that is 0 where a prime p does not divide x.
    pub(crate) fn above_by_divisor(&self, value: &Expr, slow: Option<&Symbol>) -> Option<Expr> {
        self.asked(|| above::above_by_divisor(self, value, slow))
            .flatten()
    }

    /// Returns an upper bound without floors and ceilings. Each becomes its inside, or one less,
    /// by the sign of its factor. `None` if the sign is unknown.
    pub(crate) fn unrounded_above(&self, value: &Expr) -> Option<Expr> {
        self.asked(|| above::unrounded_above(self, value)).flatten()
    }

    /// Returns a plain upper bound over a variable between two ends. An irrational bound is
    /// rounded, so that it has a value in numbers.
    pub(crate) fn above_all(
        &self,
        variable: &Symbol,
        ends: [&Expr; 2],
        value: &Expr,
    ) -> Option<Expr> {
        // A whole value ≤ x is ≤ ⌊x⌋, so its bound may be rounded down: with at most √10 it is at
        // most 3. Any other value needs ⌈x⌉.
        let plain = self.above(value, None)?;
        let facts = self.with_work(WORK_OF_AN_END);
        let most = above::at_its_largest(&facts, variable, ends, &plain)?;
        Some(match (most.may_be_irrational(), self.is_integer(value)) {
            (false, _) => most,
            (true, true) => most.floor(),
            (true, false) => most.ceil(),
        })
    }
}

//! What may be asked of facts: is this true, how is it written best, what does it add up to.
//!
//! Proofs, simplification and sums need each other without end: a floor is reduced once something
//! is proved whole, and a sum is closed to prove a sign. They meet here and nowhere else. Each
//! question has its name in this file, and one line that says which function answers it; all else
//! are plain functions over [`Facts`] that know only what stands below them.

use crate::number::Rational;
use crate::sym::evaluate::approximate;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::print::Printer;
use crate::sym::prove::{bounds, consequences, decide, integer, powers, sign};
use crate::sym::simplify::{brackets, condition, floor, rewrite, shorten, total};
use crate::sym::sum::range::Range;
use crate::sym::sum::{above, argmax, closed_form, maximum};
use crate::sym::{Cond, Expr, Symbol};

/// What may be tried to find at which end a plain bound is largest.
const WORK_OF_AN_END: u64 = 2_000;

impl Facts {
    /// Whether the condition always holds (`Some(true)`), never (`Some(false)`), or is not known
    /// to do either.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &b));
    /// assert_eq!(facts.prove(&Cond::ge(&n.add(&Expr::one()), &b)), Some(true));
    /// assert_eq!(facts.prove(&Cond::lt(&n, &b)), Some(false));
    /// assert_eq!(facts.prove(&Cond::gt(&n, &b)), None);
    /// ```
    pub fn prove(&self, cond: &Cond) -> Option<bool> {
        decide::prove(self, cond)
    }

    /// Whether the condition provably holds.
    pub(crate) fn proves(&self, cond: &Cond) -> bool {
        decide::proves(self, cond)
    }

    /// Whether the condition clearly fails, at each of a few points where all that is known holds: what
    /// fails at one of them is never proved.
    pub(crate) fn fails(&self, cond: &Cond) -> Vec<bool> {
        self.known().models.fails(cond)
    }

    /// Whether a point is known where all that is known holds, so that nothing contradicts itself.
    pub(crate) fn are_met(&self) -> bool {
        self.known().models.is_met()
    }

    /// Whether the value is provably ≥ 0.
    pub(crate) fn is_non_negative(&self, value: &Expr) -> bool {
        sign::is_non_negative(self, value)
    }

    /// Whether the value is provably > 0.
    pub(crate) fn is_positive(&self, value: &Expr) -> bool {
        sign::is_positive(self, value)
    }

    /// Whether the value is provably a whole number.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::{Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let half = over(&n, &Expr::int(2));
    /// assert!(!Facts::new().is_integer(&half));
    /// assert!(Facts::new().is_integer(&half.mul(&n.add(&Expr::one()))));
    /// ```
    pub fn is_integer(&self, expr: &Expr) -> bool {
        integer::is_integer(self, expr)
    }

    /// Whether every term is whole by itself.
    pub(crate) fn is_integer_by_terms(&self, expr: &Expr) -> bool {
        integer::is_integer_by_terms(self, expr)
    }

    pub(crate) fn is_integer_atom(&self, atom: &Atom) -> bool {
        integer::is_integer_atom(self, atom)
    }

    /// Whether the value is provably 0, with each of its conditions holding or not.
    pub(crate) fn is_always_zero(&self, value: &Expr) -> bool {
        brackets::is_always_zero(self, value)
    }

    /// Bounds that follow from divisibility and powers: a divisor of a positive number is at most
    /// that number; a power ≥ 2 has an exponent ≥ 1.
    pub(crate) fn consequences(&self) -> Vec<(Expr, Source)> {
        consequences::consequences(self)
    }

    /// What a bound on a rounded logarithm says of powers: r < ⌈log2 n⌉ is 2^r < n.
    pub(crate) fn said_of_powers(&self, value: &Expr) -> Option<Cond> {
        powers::of_rounded_log(value)
    }

    /// The expression times a positive polynomial, without negative exponents or inverses;
    /// `None` when a denominator's sign is unknown.
    pub(crate) fn cleared(&self, value: &Expr) -> Option<Expr> {
        bounds::cleared(self, value)
    }

    /// The value that a plain condition says is never negative: `x` of x ≥ 0, and −x − 1 of x < 0 for a whole x.
    pub(crate) fn said_by(&self, cond: &Cond) -> Option<Expr> {
        condition::said_by(self, cond)
    }

    /// ±⌊x⌋ + r ≥ 0 for whole r: ⌊x⌋ ≥ −r is x ≥ −r, and ⌊x⌋ ≤ r is x < r + 1. Likewise for
    /// f·⌊x⌋ + r with a positive f, where r/f rounded is plain: b⌈n/b⌉ ≥ b + 1 is ⌈n/b⌉ ≥ 2.
    pub(crate) fn without_floor(&self, value: &Expr) -> Option<Cond> {
        condition::non_negative_without_floor(self, value)
    }

    /// The same value under the facts, in the simplest form known.
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
        rewrite::simplify(self, expr)
    }

    /// The same condition under the facts; `True` or `False` when decided.
    pub(crate) fn simplify_cond(&self, cond: &Cond) -> Cond {
        condition::simplify_cond(self, cond)
    }

    /// ⌊x⌋ for a simplified x.
    pub(crate) fn simplify_floor(&self, x: &Expr) -> Expr {
        floor::simplify_floor(self, x)
    }

    /// What a value is no less than, without pairs such as ⌊y⌋ − ⌊x⌋ where y is no less than x, with what stands before
    /// both.
    pub(crate) fn without_rising_floors(
        &self,
        value: &Expr,
        is_never_negative: &dyn Fn(&Expr) -> bool,
    ) -> Expr {
        floor::without_rising(self, value, is_never_negative)
    }

    /// ⌊(k + r/w)/m⌋ = ⌊k/m⌋ for whole k and m ≥ 1, and a digit r of width w, 0 ≤ r < w.
    pub(crate) fn without_digit(&self, value: &Expr, digit: &Symbol, width: &Expr) -> Expr {
        floor::without_digit(self, value, digit, width)
    }

    /// The same value in the shortest form found; for results, which are worth the search.
    pub(crate) fn shorten(&self, expr: &Expr) -> Expr {
        shorten::shorten(self, expr)
    }

    /// The same value with the brackets left out that what they stand before has no need of: it is
    /// 0, or what stands before the opposite bracket, wherever they are 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// // n − 1 is 0 where the bracket is.
    /// let expr = n.sub(&Expr::one()).mul(&Expr::bracket(Cond::ge(&n, &Expr::int(2))));
    /// assert_eq!(facts.without_idle_brackets(&expr).to_string(), "n - 1");
    /// ```
    pub fn without_idle_brackets(&self, expr: &Expr) -> Expr {
        brackets::without_idle_brackets(self, expr)
    }

    /// Σ variable ∈ low..high : body, 0 when high < low. A closed form where one is found, else an
    /// unsolved sum, simplified.
    ///
    /// ```
    /// use atgpu::examples::{symbol, symbols};
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let (i, last) = (symbol("i"), n.sub(&Expr::one()));
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// // 1 + 2 + 4 + … + 2^(n − 1)
    /// let sum = facts.sum(&i, &Expr::zero(), &last, &Expr::int(2).pow(&Expr::symbol(&i)));
    /// assert_eq!(sum.to_string(), "2^n - 1");
    /// ```
    pub fn sum(&self, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Expr {
        closed_form::sum(self, variable, low, high, body)
    }

    /// The sum over a range that is known to be at least empty.
    pub(crate) fn sum_of_range(&self, range: &Range, body: &Expr) -> Expr {
        closed_form::sum_of_range(self, range, body)
    }

    /// The exact maximum over variable ∈ low..high, which is assumed not to be empty; `None` when
    /// it is not provable.
    ///
    /// ```
    /// use atgpu::examples::{symbol, symbols};
    /// use atgpu::sym::{Expr, Facts};
    ///
    /// let [n] = symbols(["n"]);
    /// let (i, last) = (symbol("i"), n.sub(&Expr::one()));
    /// let facts = Facts::new();
    /// let most = facts.maximum(&i, &Expr::zero(), &last, &n.sub(&Expr::symbol(&i)));
    /// assert_eq!(most, Some(n));
    /// ```
    pub fn maximum(&self, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Option<Expr> {
        maximum::maximum(self, variable, low, high, body)
    }

    /// An expression as `rest + factor·⌊(symbol + shift)/size⌋`, size and shift whole and size at least 1: the four,
    /// in this order.
    pub(crate) fn in_rows(&self, expr: &Expr, symbol: &Symbol) -> Option<[Expr; 4]> {
        let (rest, factor, inner) = expr.around_floor(symbol)?;
        let [offset, slope] = inner.linear_in(symbol)?;
        let size = self.simplify(&Expr::one().div(&slope)?);
        let shift = self.simplify(&offset.mul(&size));
        let fits = self.is_integer(&size)
            && self.is_integer(&shift)
            && self.proves(&Cond::ge(&size, &Expr::one()));
        fits.then_some([rest, factor, shift, size])
    }

    /// Whether an expression has a value wherever these facts hold, as far as it is looked at.
    pub(crate) fn always_have_value(&self, expr: &Expr) -> bool {
        bounds::always_has_value(self, expr)
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
        argmax::costliest(self, variable, low, high, values)
    }

    /// What the expression is nowhere above, for values of the variable in low..high, which is not
    /// empty: each part of it at its largest by itself.
    pub(crate) fn part_by_part(
        &self,
        variable: &Symbol,
        low: &Expr,
        high: &Expr,
        value: &Expr,
    ) -> Option<Expr> {
        argmax::part_by_part(self, variable, low, high, value)
    }

    /// What the value is nowhere above that does not speak of the variable, where a difference of ends does not:
    /// min(n − 1, v) − max(0, v − m + 1) is no more than n − 1 and no more than m − 1.
    pub(crate) fn without_variable(&self, variable: &Symbol, value: &Expr) -> Option<Expr> {
        argmax::without_variable(self, variable, value)
    }

    /// What the expression is nowhere above, in plain terms: no floors, brackets, extremes or unsolved
    /// sums, and none taken away. Of several bounds that in `slow` alone is taken, which grows slower
    /// than all else. `None` where not even the sign of a part is known.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::{Cond, Expr, Facts};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// facts.assume(&Cond::ge(&b, &Expr::one()));
    /// let above = facts.above(&n.mul(&over(&n, &b).ceil()), None).expect("bounded");
    /// assert_eq!(above.to_string(), "n^2/b + n");
    /// ```
    pub fn above(&self, expr: &Expr, slow: Option<&Symbol>) -> Option<Expr> {
        above::above(self, expr, slow)
    }

    /// The same bound or a larger one whose terms have more in common.
    pub(crate) fn evened(&self, expr: &Expr) -> Expr {
        above::evened(self, expr)
    }

    /// The same plain bound or a larger one of fewer terms, that fits, or fits at all.
    pub(crate) fn joined(
        &self,
        expr: &Expr,
        fits: &dyn Fn(&Expr) -> bool,
        fits_at_all: &dyn Fn(&Expr) -> bool,
    ) -> Expr {
        above::joined(self, expr, fits, fits_at_all)
    }

    /// How fast a bound grows, once in all but a symbol and once in all: what is multiplied by the same real
    /// letters by itself, added up. Nothing where it has no plain bound.
    pub(crate) fn paces(&self, bound: &Expr, slow: &Symbol) -> Option<[Rational; 2]> {
        above::paces(self, bound, slow)
    }

    /// About the value of an expression at these values of its symbols, whatever holds there, if it has one.
    pub(crate) fn about(&self, value: &Expr, at: &dyn Fn(&Symbol) -> f64) -> Option<f64> {
        approximate::value(value, at)
    }

    /// Whether something says what a symbol is at most, as the range of a loop does.
    pub(crate) fn is_bounded_above(&self, symbol: &Symbol) -> bool {
        let falls = |value: &Expr| {
            let alone = Expr::symbol(symbol);
            let mut terms = value.terms().iter();
            terms.any(|term| term.1.is_negative() && alone.terms()[0].0 == term.0)
        };
        let mut bounds = self.known().bounds.iter();
        bounds.any(|bound| falls(&bound.value))
    }

    /// Whether a condition seems to hold at these values of its symbols, whatever holds there.
    pub(crate) fn seems_to_hold(&self, cond: &Cond, at: &dyn Fn(&Symbol) -> f64) -> bool {
        approximate::holds(cond, at) == Some(true)
    }

    /// What the value is nowhere above, without its floors and ceilings: each as the number in it, or one less, by the
    /// sign of all that it is multiplied by. Nothing where that is not known.
    pub(crate) fn unrounded_above(&self, value: &Expr) -> Option<Expr> {
        above::unrounded_above(self, value)
    }

    /// A plain bound on the values for a variable between two ends, where these facts hold; whole where it would
    /// be irrational, so that it has a value in numbers.
    pub(crate) fn above_all(
        &self,
        variable: &Symbol,
        ends: [&Expr; 2],
        value: &Expr,
    ) -> Option<Expr> {
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

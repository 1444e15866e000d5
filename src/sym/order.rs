//! Asymptotic classes. Some symbols grow; every other one is a constant. Only the real letters of
//! the cost functions are kept: the class of 3α + 3nβ is α + nβ.
//!
//! A class is a sum of monomials without any that another one provably dominates. It is tight (Θ)
//! if every monomial is also a lower bound, and an upper bound (O) otherwise.

mod distant;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;

use rustc_hash::FxHashMap;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::dominance;
use crate::sym::{Cond, Expr, Symbol};

/// The asymptotic growth of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Monomials that bound an expression up to constant factors.
#[derive(Clone, Default)]
struct Growth {
    /// Their sum is an upper bound on the expression.
    upper: Vec<Expr>,
    /// Each is a lower bound on the expression.
    lower: Vec<Expr>,
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
    let escapes = lower.any(|monomial| order.outgrows(monomial, &of_g.upper));
    escapes.then_some(false)
}

/// Returns true if f ∈ O(g) is proved. Does not look for a refutation, which takes longer.
pub(crate) fn is_surely_big_o(f: &Expr, g: &Expr, growing: &[Symbol], facts: &Facts) -> bool {
    Order::new(growing, facts).is_surely_big_o(f, g)
}

/// The least value of a growing symbol when classes are compared, if the facts allow it. A larger
/// value proves more comparisons (n ≥ 4·log2 n holds from 16 on) and treats more bounded symbols
/// as small.
const GROWN: i64 = 4;
/// The least value far out, where positive terms are weighed against negative ones.
const FAR: i64 = 64;

fn is_grown(symbol: &Symbol) -> Cond {
    Cond::ge(&Expr::symbol(symbol), &Expr::int(GROWN))
}

/// Returns true if the facts keep a symbol below [`GROWN`]: n ≤ 3.
pub(crate) fn stays_small(symbol: &Symbol, facts: &Facts) -> bool {
    !facts.with(&is_grown(symbol)).are_met() && facts.prove(&is_grown(symbol)) == Some(false)
}

/// The comparison of expressions as some symbols grow.
pub(crate) struct Order<'a> {
    /// The growing symbols, without those known to stay small.
    growing: Vec<Symbol>,
    /// The symbols that stay small, each with a possible value.
    small: Vec<(Symbol, i64)>,
    /// The facts, with every growing symbol ≥ [`GROWN`].
    facts: Facts,
    /// The same with every growing symbol ≥ [`FAR`], if the facts allow it.
    far: Facts,
    original: &'a Facts,
    /// The facts far out, if any size gets there; found when a bracket or an extreme needs them.
    far_out: OnceCell<Option<Facts>>,
    /// Lower bounds of the present sum without its minima.
    beside: RefCell<Vec<Expr>>,
    /// The present treatment of minima.
    minima: Cell<Minima>,
    /// The growth of sums without letters, remembered: a cost is made of the same sums as times
    /// and transfers.
    parts: RefCell<FxHashMap<(Expr, Minima, Reached), Option<Growth>>>,
}

/// The lower bounds that are wanted of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Reached {
    All,
    /// The largest ones, or none if one of them is no lower bound: then no class of the sum is
    /// tight.
    Largest,
}

/// The treatment of a minimum.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Minima {
    /// The slowest-growing item, or an item that adds nothing to the rest of a sum.
    Slowest,
    /// The same, whatever it is multiplied by.
    Hidden,
    /// The item at this place, or the last.
    Item(usize),
    /// The minimum of the classes of its items.
    Kept,
}

/// The most items of a minimum that are tried one by one. Further items never bound it here.
const MOST_ITEMS: usize = 3;

impl<'a> Order<'a> {
    pub(crate) fn new(growing: &[Symbol], original: &'a Facts) -> Self {
        // Supposing n ≥ 4 beside a fact n ≤ 3 would be a contradiction, from which every
        // comparison follows. So symbols that stay small are sorted out first. A small symbol
        // that may be 0 still counts as growing: 0 times a size is not of its order.
        let mut growing = growing.to_vec();
        let mut small = Vec::new();
        // Everything follows from bounds that contradict each other, so each supposition is
        // checked first.
        let mut facts = original.clone();
        growing.retain(|symbol| {
            if !stays_small(symbol, &facts) {
                facts.suppose(&is_grown(symbol));
                return true;
            }
            let value = Expr::symbol(symbol);
            // Between 1 and 3 it is a constant factor; 0 would not be.
            let is_constant = facts.proves(&Cond::ge(&value, &Expr::one()));
            if is_constant {
                let may_be = |number: &i64| {
                    let is_number = Cond::eq(&value, &Expr::int(*number));
                    facts.with(&is_number).are_met()
                };
                let number = (1..GROWN).find(may_be).unwrap_or(1);
                small.push((symbol.clone(), number));
            }
            !is_constant
        });
        let mut far = facts.clone();
        for symbol in &growing {
            far.suppose(&Cond::ge(&Expr::symbol(symbol), &Expr::int(FAR)));
        }
        let far = if far.are_met() { far } else { facts.clone() };
        Order {
            growing,
            small,
            facts,
            far,
            original,
            far_out: OnceCell::new(),
            beside: RefCell::default(),
            minima: Cell::new(Minima::Slowest),
            parts: RefCell::default(),
        }
    }

    /// Returns the growing symbols, without those known to stay small.
    pub(crate) fn growing(&self) -> &[Symbol] {
        &self.growing
    }

    /// [`class()`].
    pub(crate) fn class(&self, expr: &Expr) -> Option<Class> {
        // A minimum may be replaced by any of its items as an upper bound, and the choice decides
        // how the class reads. If the first choice is not tight, items that the rest of the sum
        // hides are tried, and the strictly smaller class wins.
        if self.facts.is_exhausted() {
            return None;
        }
        let expr = self.settled(expr);
        let class = self.class_of(&expr)?;
        if class.is_tight || !has_minimum(&expr) {
            return Some(class);
        }
        let other = self.with_minima(Minima::Hidden, || self.class_of(&expr));
        Some(match other {
            Some(other) if self.is_below(&other, &class) => other,
            _ => class,
        })
    }

    /// Returns the tight class of an expression with minima, written with a minimum: Θ(min(b,
    /// n)).
    pub(crate) fn class_in_minima(&self, expr: &Expr) -> Option<Class> {
        if self.facts.is_exhausted() || !has_minimum(expr) {
            return None;
        }
        let expr = self.settled(expr);
        let class = self.with_minima(Minima::Kept, || self.class_of(&expr))?;
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
        let expr = self.facts.simplify(expr);
        let is_open = |atom: &Atom| matches!(atom, Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_));
        if !expr.has_atom(&is_open) {
            return expr;
        }
        let far_out = || distant::facts(&self.growing, &self.facts);
        let Some(far_out) = self.far_out.get_or_init(far_out) else {
            return expr;
        };
        let settled = distant::settled(far_out, &expr);
        if settled == expr {
            expr
        } else {
            self.facts.simplify(&settled)
        }
    }

    fn with_minima<T>(&self, minima: Minima, work: impl FnOnce() -> T) -> T {
        let before = self.minima.replace(minima);
        let found = work();
        self.minima.set(before);
        found
    }

    /// Returns the growth of two expressions, and true if the first provably grows no faster than
    /// the second.
    fn compared(&self, f: &Expr, g: &Expr) -> Option<([Growth; 2], bool)> {
        if self.facts.is_exhausted() {
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
        let growth = self.growth_with(expr, reached)?;
        let upper = without_means(self.antichain(&growth.upper));
        let is_within = |lower: &[Expr]| {
            let mut upper = upper.iter();
            upper.all(|monomial| lower.iter().any(|low| self.dominates(low, monomial)))
        };
        let is_tight = is_within(&growth.lower) || {
            let less = less.and_then(|less| self.growth(&less));
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
        Some([self.growth(f)?, self.growth(g)?])
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
            let of_f = self.with_minima(minima, || self.growth(f));
            of_f.is_some_and(|of_f| self.is_bounded(&of_f, of_g))
        });
        let in_minima = || {
            let of_both = self.with_minima(Minima::Kept, || self.growth_of_both(both));
            let [of_f, of_g] = of_both?;
            Some(self.is_bounded(&of_f, &of_g))
        };
        let with_large_digit_sums = || {
            let less = self.growth(&self.with_large_digit_sums(g)?)?;
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
            among.any(|large| self.dominates(large, monomial))
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
            terms.all(|term| each.iter().any(|large| self.dominates(large, &term)))
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
        Some(self.facts.simplify(&less))
    }

    /// Ranks a bound on a minimum: few growing symbols first, then the slowest of them.
    fn pace(&self, growth: &Growth) -> (usize, usize) {
        let mut places: Vec<usize> = Vec::new();
        for symbol in growth.upper.iter().flat_map(Expr::symbols) {
            let place = self.growing.iter().rev().position(|known| *known == symbol);
            places.extend(place.filter(|place| !places.contains(place)));
        }
        (places.len(), places.into_iter().max().unwrap_or(0))
    }

    /// Returns upper and lower monomials of a sum. Negative terms weaken only the lower bounds,
    /// unless they are of a strictly lower order.
    fn growth(&self, expr: &Expr) -> Option<Growth> {
        self.growth_with(expr, Reached::All)
    }

    fn growth_with(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
        if expr.is_zero() {
            return Some(Growth::default());
        }
        let mut total = Growth::default();
        for (letters, rest) in self.by_letters(expr) {
            let growth = self.growth_of_part(&rest, reached)?;
            total
                .upper
                .extend(products(&growth.upper, std::slice::from_ref(&letters)));
            total
                .lower
                .extend(products(&growth.lower, std::slice::from_ref(&letters)));
        }
        Some(total)
    }

    /// Splits an expression into products of letters and their factors.
    fn by_letters(&self, expr: &Expr) -> Vec<(Expr, Expr)> {
        let without = |letters: &Monomial, (monomial, coefficient): Term| {
            let factors = monomial.factors().iter().cloned();
            let rest = factors.filter(|factor| !letters.factors().contains(factor));
            (Monomial::from_sorted(rest.collect()), coefficient)
        };
        let parts = self.facts.by_letters(expr.terms()).into_iter();
        parts
            .map(|(letters, terms)| {
                let terms = terms.into_iter().map(|term| without(&letters, term));
                let rest = Expr::from_terms(terms.collect());
                (Expr::monomial(letters), rest)
            })
            .collect()
    }

    fn growth_of_part(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
        let key = (expr.clone(), self.minima.get(), reached);
        if let Some(known) = self.parts.borrow().get(&key) {
            return known.clone();
        }
        let growth = self
            .facts
            .asked(|| self.growth_of_sum(expr, reached))
            .flatten();
        if !self.facts.is_exhausted() {
            self.parts.borrow_mut().insert(key, growth.clone());
        }
        growth
    }

    fn growth_of_sum(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
        // Upper bounds ignore negative terms. Lower bounds survive them in three ways: a term of
        // a strictly higher order (n² − n), a weighing of shares (4nr − 2n − 6r), or a proof that
        // the sum is at least an eighth of a monomial. Minima come last, because the choice of
        // their item depends on the bounds of the other terms.
        let mut total = Growth::default();
        let mut taken_away: Vec<Expr> = Vec::new();
        let has_minimum = |term: &&Term| {
            let mut factors = term.0.factors().iter();
            factors.any(|(atom, _)| matches!(atom, Atom::Min(_)))
        };
        let (minima, others): (Vec<&Term>, Vec<&Term>) = expr.terms().iter().partition(has_minimum);
        let outside = self.beside.take();
        let mut used: Vec<Monomial> = Vec::new();
        for (at, term) in others.iter().chain(&minima).enumerate() {
            if at >= others.len() {
                // A lone minimum may be hidden by the other terms. As a factor, either item may
                // give the better product.
                let is_hidden = term.0.factors().len() == 1 || self.minima.get() == Minima::Hidden;
                self.beside.replace(if is_hidden {
                    total.lower.clone()
                } else {
                    Vec::new()
                });
            }
            let (is_negative, mut growth) = self.growth_of_term(term)?;
            if let Some(more) = self.beside_its_floor(term, expr.terms()) {
                growth.lower.extend(more);
            }
            if is_negative {
                taken_away.extend(growth.upper);
            } else {
                if let Some((other, less)) = self.below_its_ceiling(term, expr.terms(), &used) {
                    used.push(other);
                    growth.upper = less;
                }
                total.upper.extend(growth.upper);
                total.lower.extend(growth.lower);
            }
        }
        self.beside.replace(outside);
        let is_safe = taken_away.iter().all(|away| {
            total
                .lower
                .iter()
                .any(|low| self.strictly_dominates(low, away))
        });
        if !is_safe && !dominance::outweighs(&self.far, expr) {
            total.lower = self.lower_bounds(expr, total.lower, reached);
        }
        Some(total)
    }

    /// Returns lower bounds of c·⌊x⌋·m beside another term c'·m of the sum, by ⌊x⌋ + 1 > x.
    fn beside_its_floor(&self, (monomial, coefficient): &Term, all: &[Term]) -> Option<Vec<Expr>> {
        // ⌊d/b⌋ alone may be 0 and has no lower bound. With the + 1 beside it, ⌊d/b⌋ + 1 is at
        // least d/b: the class is Θ(d/b + 1).
        let (floor, x) = monomial.factors().iter().find_map(|factor| match factor {
            (floor @ Atom::Floor(x), 1) if self.facts.is_non_negative(x) => Some((floor, x)),
            _ => None,
        })?;
        let rest = monomial.without(floor);
        let is_beside = |(other, factor): &Term| {
            *other == rest && factor.is_negative() == coefficient.is_negative()
        };
        if !all.iter().any(is_beside) {
            return None;
        }
        let (is_negative, of_rest) = self.growth_of_term(&(rest, coefficient.clone()))?;
        let of_x = self.growth(x).filter(|_| !is_negative)?;
        Some(products(&of_x.lower, &of_rest.lower))
    }

    /// Returns upper bounds of c·⌈x⌉·m beside a subtracted c'·m, c' ≥ c, by ⌈x⌉ − 1 < x. Also
    /// returns m, which no other term may have `used`.
    fn below_its_ceiling(
        &self,
        (monomial, coefficient): &Term,
        all: &[Term],
        used: &[Monomial],
    ) -> Option<(Monomial, Vec<Expr>)> {
        // b⌈n/b⌉ alone is at most n + b. b⌈n/b⌉ − b is less than n. Each subtracted term pays for
        // one ceiling only, hence `used`.
        monomial.factors().iter().find_map(|(floor, exponent)| {
            let Atom::Floor(inner) = floor else {
                return None;
            };
            let x = inner.neg();
            if *exponent < 1 || !self.facts.is_non_negative(&x) {
                return None;
            }
            let rest = monomial.without_one(floor);
            // With ⌈x⌉ written as −⌊−x⌋ both have the same sign.
            let is_taken = |(other, factor): &Term| {
                *other == rest
                    && factor.is_negative() == coefficient.is_negative()
                    && factor.abs() >= coefficient.abs()
            };
            if used.contains(&rest) || !all.iter().any(is_taken) {
                return None;
            }
            let (is_negative, of_rest) = self.growth_of_term(&(rest.clone(), -coefficient))?;
            let of_x = self.growth(&x).filter(|_| !is_negative)?;
            Some((rest, products(&of_x.upper, &of_rest.upper)))
        })
    }

    /// Returns the monomials with a provable eighth below the expression, without those below
    /// another one.
    fn lower_bounds(&self, expr: &Expr, monomials: Vec<Expr>, wanted: Reached) -> Vec<Expr> {
        // Any constant would do for a class; an eighth is small enough for n² − 2n at n ≥ 4 (8 ≥
        // 2) and large enough to stay provable. The largest monomials are asked first: if one of
        // them fails and only they are wanted, no proof for the rest is worth its work.
        let eighth = Rational::new(1, 8).unwrap_or(Rational::ONE);
        let is_reached = |low: &Expr| self.facts.proves(&Cond::ge(expr, &low.scale(&eighth)));
        let (largest, others): (Vec<Expr>, Vec<Expr>) = {
            let largest = self.antichain(&monomials);
            monomials.into_iter().partition(|low| largest.contains(low))
        };
        if wanted == Reached::Largest {
            return if largest.iter().all(is_reached) {
                largest
            } else {
                Vec::new()
            };
        }
        let mut reached: Vec<Expr> = largest.into_iter().filter(is_reached).collect();
        for low in others {
            let mut above = reached.iter();
            if !above.any(|large| self.dominates(large, &low)) && is_reached(&low) {
                reached.push(low);
            }
        }
        reached
    }

    fn growth_of_term(&self, (monomial, coefficient): &Term) -> Option<(bool, Growth)> {
        let mut is_negative = coefficient.is_negative();
        let mut growth = Growth {
            upper: vec![Expr::one()],
            lower: vec![Expr::one()],
        };
        for (atom, exponent) in monomial.factors() {
            let (sign, of_atom) = self.growth_of_atom(atom)?;
            is_negative ^= sign && exponent % 2 != 0;
            let factor = if *exponent > 0 {
                of_atom
            } else {
                Growth {
                    upper: reciprocals(&of_atom.lower)?,
                    lower: match &*of_atom.upper {
                        [single] => vec![single.reciprocal()],
                        _ => vec![],
                    },
                }
            };
            for _ in 0..exponent.unsigned_abs().min(64) {
                growth = Growth {
                    upper: products(&growth.upper, &factor.upper),
                    lower: products(&growth.lower, &factor.lower),
                };
            }
        }
        Some((is_negative, growth))
    }

    /// Returns true if the atom is the negative of its growth, and the growth.
    fn growth_of_atom(&self, atom: &Atom) -> Option<(bool, Growth)> {
        // Floors keep the growth of their inside: ⌊x⌋ ≥ x/2 from x ≥ 1 on, and below 1 there is
        // no lower bound. Brackets, minima and digit sums may be 0, so they have upper bounds
        // only. A sum is bounded by its number of terms times its largest term from above, times
        // its smallest from below.
        let itself = || Growth {
            upper: vec![Expr::atom(atom.clone())],
            lower: vec![Expr::atom(atom.clone())],
        };
        let constant = Growth {
            upper: vec![Expr::one()],
            lower: vec![Expr::one()],
        };
        let growth = match atom {
            Atom::Symbol(symbol) => {
                let is_kept = self.growing.contains(symbol) || !self.facts.is_whole_symbol(symbol);
                if is_kept { itself() } else { constant }
            }
            Atom::Floor(x) => {
                if self.facts.is_non_negative(x) {
                    let mut growth = self.growth(x)?;
                    if !self.facts.proves(&Cond::ge(x, &Expr::one())) {
                        growth.lower.clear();
                    }
                    growth
                } else if self.facts.is_non_negative(&x.neg()) {
                    // ⌈y⌉ lies between y and y + 1, and is at least 1 for y > 0. The sign is
                    // flipped, since a ceiling is kept as −⌊−y⌋.
                    let y = x.neg();
                    let mut growth = self.growth(&y)?;
                    if !self.facts.proves(&Cond::ge(&y, &Expr::one())) {
                        growth.upper.push(Expr::one());
                    }
                    if self.facts.is_positive(&y) {
                        growth.lower.push(Expr::one());
                    }
                    return Some((true, growth));
                } else {
                    return None;
                }
            }
            Atom::Power(base, exponent) => {
                let grows = |e: &Expr| e.symbols().iter().any(|s| self.growing.contains(s));
                if grows(base) || grows(exponent) {
                    itself()
                } else {
                    constant
                }
            }
            Atom::Log(base, x) => self.growth_of_log(base, x)?,
            // A maximum is at least each item and at most their sum: max(n, 5b) grows as n + b, with both as lower bounds.
            Atom::Max(items) => {
                let parts: Option<Vec<Growth>> =
                    items.iter().map(|item| self.growth_or_zero(item)).collect();
                let parts = parts?;
                Growth {
                    upper: parts.iter().flat_map(|part| part.upper.clone()).collect(),
                    lower: parts.into_iter().flat_map(|part| part.lower).collect(),
                }
            }
            Atom::Min(items) => {
                let each: Vec<Growth> = items.iter().filter_map(|item| self.growth(item)).collect();
                // min(n, b²) beside n: the item n adds nothing, b² would add a term. Alone, b² is the better bound, because b
                // is a constant of the machine next to n.
                // Any item bounds the minimum. The best one adds nothing to the rest of the sum.
                let beside = self.beside.borrow();
                let is_hidden = |growth: &&Growth| {
                    let mut upper = growth.upper.iter();
                    upper.all(|x| beside.iter().any(|other| self.dominates(other, x)))
                };
                let slowest = match self.minima.get() {
                    Minima::Item(place) => each.get(place).or(each.last()),
                    Minima::Kept => return Some((false, self.growth_of_least(items, &each)?)),
                    Minima::Slowest | Minima::Hidden => {
                        each.iter().min_by_key(|growth| match self.pace(growth) {
                            (1, place) => (1, place),
                            (many, _) => (many, 0),
                        })
                    }
                };
                let slowest = slowest?;
                let smallest = match self.pace(slowest) {
                    // An item in the slowest symbol alone is kept, even where another one would
                    // be hidden.
                    (1, 0) => slowest,
                    _ => each.iter().find(is_hidden).unwrap_or(slowest),
                };
                Growth {
                    upper: smallest.upper.clone(),
                    lower: vec![],
                }
            }
            Atom::Bracket(_) => Growth {
                upper: vec![Expr::one()],
                lower: vec![],
            },
            Atom::Gcd(x, y) => {
                let smaller = if self.facts.proves(&Cond::ge(x, y)) {
                    y
                } else {
                    x
                };
                let smaller = if smaller.as_rational().is_some() {
                    smaller
                } else {
                    y
                };
                Growth {
                    upper: self.growth(smaller)?.upper,
                    lower: vec![Expr::one()],
                }
            }
            Atom::DigitSum(x, base) => {
                // At most (b − 1)·(log_b x + 1), and at most x.
                let digits = Expr::log(base, x) + 1;
                let of_digits = self.growth(&(base * &digits));
                Growth {
                    upper: of_digits.or_else(|| self.growth(x))?.upper,
                    lower: vec![],
                }
            }
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                let last = (a * n + c).div(m)?;
                Growth {
                    upper: self.growth(&(n * &last))?.upper,
                    lower: vec![],
                }
            }
            Atom::Inverse(x) => {
                let mut growth = self.growth(x)?;
                // A difference may stay as small as 1, however large both sides are.
                if growth.lower.is_empty() && self.facts.proves(&Cond::ge(x, &Expr::one())) {
                    growth.lower.push(Expr::one());
                }
                Growth {
                    upper: reciprocals(&growth.lower)?,
                    lower: match &*self.antichain(&growth.upper) {
                        [single] => vec![single.reciprocal()],
                        _ => vec![],
                    },
                }
            }
            // Σ i ∈ 1..n : ⌈i/b⌉ has n terms, the largest ⌈n/b⌉ and the smallest 1. So it is between n and n·(n/b + 1).
            Atom::Sum(sum) => {
                let (variable, body, inside) = self.facts.opened(sum);
                // Only for terms of one sign; terms of both signs may cancel.
                let is_negative = !inside.is_non_negative(&body);
                let size = if is_negative { body.neg() } else { body };
                if is_negative && !inside.is_non_negative(&size) {
                    return None;
                }
                let (low, high) = (&sum.low, &sum.high);
                let greatest = |value: &Expr| inside.maximum(&variable, low, high, value);
                let count = &sum.high - &sum.low + 1;
                let of_all = |one: &Expr| self.growth(&(&count * one));
                let by_parts = || inside.part_by_part(&variable, low, high, &size);
                let plainly = || inside.above_all(&variable, [low, high], &size);
                let most = greatest(&size).or_else(by_parts).or_else(plainly)?;
                let smallest = greatest(&size.neg()).map(|smallest| smallest.neg());
                let growth = Growth {
                    upper: of_all(&most)?.upper,
                    lower: smallest
                        .and_then(|smallest| of_all(&smallest))
                        .map_or(vec![], |growth| growth.lower),
                };
                return Some((is_negative, growth));
            }
        };
        Some((false, growth))
    }

    /// Returns the growth of a minimum if each item grows like one monomial: the minimum of
    /// those.
    fn growth_of_least(&self, items: &[Expr], each: &[Growth]) -> Option<Growth> {
        let alike = each.iter().map(|growth| {
            let upper = self.antichain(&growth.upper);
            let mut lower = growth.lower.iter();
            match &*upper {
                [single] if lower.any(|low| self.dominates(low, single)) => Some(single.clone()),
                _ => None,
            }
        });
        let alike: Vec<Expr> = alike.collect::<Option<_>>()?;
        let least = (alike.len() == items.len()).then(|| Expr::min(alike))?;
        Some(Growth {
            upper: vec![least.clone()],
            lower: vec![least],
        })
    }

    /// Returns the growth of an item of a maximum. Items ≤ 0 say nothing beside one ≥ 0.
    fn growth_or_zero(&self, expr: &Expr) -> Option<Growth> {
        if self.facts.proves(&Cond::le(expr, &Expr::zero())) {
            return Some(Growth::default());
        }
        self.growth(expr)
    }

    /// Returns the growth of a logarithm: log₂ for every constant base, and a constant if nothing
    /// in it grows.
    fn growth_of_log(&self, base: &Expr, x: &Expr) -> Option<Growth> {
        // log(c·f) = log c + log f, so the class of the inside suffices as long as it is one
        // monomial: log(3n² + n) grows like log n. A sum of monomials stays inside, e.g. log(n +
        // b).
        let grows = |e: &Expr| e.symbols().iter().any(|s| self.growing.contains(s));
        let both = |e: Expr| Growth {
            upper: vec![e.clone()],
            lower: vec![e],
        };
        if !grows(x) && !grows(base) {
            return Some(both(Expr::one()));
        }
        let of_x = self.growth(x)?;
        let [monomial] = &*self.antichain(&of_x.upper) else {
            return Some(both(Expr::log(base, x)));
        };
        let base = if grows(base) {
            base.clone()
        } else {
            Expr::int(2)
        };
        let log = Expr::log(&base, monomial);
        match log.terms() {
            [(monomial, _)] => Some(both(Expr::monomial(monomial.clone()))),
            _ => Some(both(Expr::atom(Atom::Log(base, x.clone())))),
        }
    }

    /// Returns the monomials without the provably dominated ones.
    fn antichain(&self, monomials: &[Expr]) -> Vec<Expr> {
        let mut kept: Vec<Expr> = Vec::new();
        for monomial in monomials {
            if kept.iter().any(|other| self.dominates(other, monomial)) {
                continue;
            }
            kept.retain(|other| !self.dominates(monomial, other));
            kept.push(monomial.clone());
        }
        kept
    }

    /// Returns true if large ≥ small for monomials, once every growing symbol has grown.
    fn dominates(&self, large: &Expr, small: &Expr) -> bool {
        if large == small {
            return true;
        }
        let [large, small] = [large, small].map(|monomial| self.by_letters(monomial));
        let ([(one, large)], [(other, small)]) = (large.as_slice(), small.as_slice()) else {
            return false;
        };
        one == other
            && (self.is_multiple(large, small) || self.facts.proves(&Cond::ge(large, small)))
    }

    /// Returns true if a monomial is another one times growing symbols. This takes no proof.
    fn is_multiple(&self, large: &Expr, small: &Expr) -> bool {
        let Some(quotient) = large.div(small) else {
            return false;
        };
        quotient.as_term().is_some_and(|(monomial, coefficient)| {
            let mut factors = monomial.factors().iter();
            *coefficient >= Rational::ONE
                && factors.all(|(atom, exponent)| match atom {
                    Atom::Symbol(symbol) => *exponent > 0 && self.growing.contains(symbol),
                    _ => false,
                })
        })
    }

    /// Returns true if large/small grows without bound: at least like a growing symbol of large,
    /// or its logarithm.
    fn strictly_dominates(&self, large: &Expr, small: &Expr) -> bool {
        // A monomial that is not as large is not larger by any factor: one failing proof instead
        // of many.
        if !self.dominates(large, small) {
            return false;
        }
        let own = large.symbols().into_iter();
        let own: Vec<Expr> = own
            .filter(|symbol| self.growing.contains(symbol))
            .map(|symbol| Expr::symbol(&symbol))
            .collect();
        let is_larger_by = |factor: &Expr| self.dominates(large, &(small * factor));
        own.iter().any(is_larger_by)
            || own
                .iter()
                .any(|size| is_larger_by(&Expr::log(&Expr::int(2), size)))
    }

    /// Returns true if some direction of growth, allowed by the facts, makes the monomial exceed
    /// every multiple of all the others.
    fn outgrows(&self, monomial: &Expr, others: &[Expr]) -> bool {
        // A refutation of O needs one path to infinity. Each symbol runs as 2^(size·speed + 4)
        // with a speed of 0 to 3, at the sizes 12 and 24. With speed 1 for n and 0 for b, n goes
        // from 2^16 to 2^28 while b stays 16, so n/b grows by 2^12. log2 n goes from 16 to 28, by
        // 7/4, so a growth by 3/2 tells growth from none. Four symbols have 4^4 = 256 directions;
        // more would not be finished in time.
        const SPEEDS: [u32; 4] = [0, 1, 2, 3];
        let count = self.growing.len() as u32;
        if count == 0 || count > 4 {
            return false;
        }
        (1..4usize.pow(count)).any(|code| {
            let speed = |at: usize| SPEEDS[code / 4usize.pow(at as u32) % 4];
            let point = |size: u32| {
                move |symbol: &Symbol| {
                    let at = self.growing.iter().position(|known| known == symbol);
                    let exponent = match at {
                        Some(at) => size * speed(at) + 4,
                        None => {
                            let mut small = self.small.iter();
                            let held = small.find(|(known, _)| known == symbol);
                            return Some(held.map_or(1, |(_, number)| *number).into());
                        }
                    };
                    Rational::from(2).pow(exponent as i32)
                }
            };
            let is_allowed = [12, 24].iter().all(|size| {
                self.original
                    .known()
                    .literals
                    .iter()
                    .all(|(literal, _)| literal.evaluate(&point(*size)) == Ok(true))
                    && self.original.known().bounds.iter().all(|bound| {
                        let value = bound.value.evaluate(&point(*size));
                        value.is_ok_and(|value| !value.is_negative())
                    })
            });
            let at = |expr: &Expr| {
                let [near, far] = [12, 24].map(|size| expr.evaluate(&point(size)).ok());
                Some([near?, far?])
            };
            let is_outgrown = |[near, far]: &[Rational; 2], other: &Expr| {
                let [other_near, other_far] = at(other)?;
                let [near, far] = [near.checked_div(&other_near)?, far.checked_div(&other_far)?];
                // Between the two points a growing power at least multiplies by 2^12, and a
                // growing logarithm by 7/4.
                let three_halves = Rational::new(3, 2)?;
                // A value of 0 outgrows nothing: log2 ⌈n/b⌉ where b grows faster than n.
                Some(near.signum() > 0 && far >= &near * &three_halves)
            };
            is_allowed
                && at(monomial).is_some_and(|values| {
                    let mut others = others.iter();
                    others.all(|other| is_outgrown(&values, other) == Some(true))
                })
        })
    }
}

/// Drops the monomials between two others: n/b is at most the mean of (n/b)² and 1.
fn without_means(mut monomials: Vec<Expr>) -> Vec<Expr> {
    let mut at = 0;
    while at < monomials.len() {
        let monomial = monomials.remove(at);
        if !is_mean(&monomial, &monomials) {
            monomials.insert(at, monomial);
            at += 1;
        }
    }
    monomials
}

/// Returns true if a monomial is the geometric mean of two others, which is at most half their
/// sum.
fn is_mean(monomial: &Expr, others: &[Expr]) -> bool {
    let square = monomial * monomial;
    let mut pairs = others
        .iter()
        .enumerate()
        .flat_map(|(at, one)| others[..at].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| one * other == square)
}

fn products(left: &[Expr], right: &[Expr]) -> Vec<Expr> {
    let pairs = left.iter().flat_map(|x| right.iter().map(move |y| x * y));
    pairs.collect()
}

/// Returns 1/m for the lower bound m of the highest degree. Any lower bound gives an upper bound
/// of the inverse.
fn reciprocals(lower: &[Expr]) -> Option<Vec<Expr>> {
    let last = lower
        .iter()
        .max_by_key(|m| m.terms().first().map(|(m, _)| m.degree()))?;
    Some(vec![last.reciprocal()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{over, symbol, symbols};

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

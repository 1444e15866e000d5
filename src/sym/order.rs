//! Asymptotic classes. Some symbols grow; every other one is a constant, except the real letters
//! of the cost functions, which are kept: the class of 3α + 3nβ is α + nβ.
//!
//! A class is a sum of monomials none of which provably dominates another. It is tight (Θ) when
//! every monomial is also a lower bound, and an upper bound (O) otherwise.

use std::cell::{Cell, RefCell};
use std::fmt;

use rustc_hash::FxHashMap;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::dominance;
use crate::sym::{Cond, Expr, Symbol};

/// How an expression grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// A sum of monomials with coefficient 1.
    pub expr: Expr,
    /// Whether the expression is also at least a constant times this.
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

/// Monomials that bound an expression up to constants.
#[derive(Clone, Default)]
struct Growth {
    /// The sum of these is at least the expression.
    upper: Vec<Expr>,
    /// The expression is at least each of these.
    lower: Vec<Expr>,
}

/// The class of a non-negative expression; `None` when not even an upper bound is known.
///
/// ```
/// use atgpu::examples::{symbol, symbols};
/// use atgpu::sym::order::class;
/// use atgpu::sym::{Cond, Expr, Facts};
///
/// let [n] = symbols(["n"]);
/// let mut facts = Facts::new();
/// facts.assume(&Cond::ge(&n, &Expr::one()));
/// let class = class(&n.mul(&n).scale(&3.into()).add(&n), &[symbol("n")], &facts);
/// assert_eq!(class.expect("known").to_string(), "Θ(n^2)");
/// ```
pub fn class(expr: &Expr, growing: &[Symbol], facts: &Facts) -> Option<Class> {
    Order::new(growing, facts).class(expr)
}

fn has_minimum(expr: &Expr) -> bool {
    expr.has_atom(&|atom| matches!(atom, Atom::Min(_)))
}

/// Whether f ∈ O(g), when that can be decided.
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
/// assert_eq!(is_big_o(&n, &n.mul(&n), &growing, &facts), Some(true));
/// assert_eq!(is_big_o(&n.mul(&n), &n, &growing, &facts), Some(false));
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

/// Whether f ∈ O(g) is proved; whether it is refuted takes longer to find, and nobody asks.
pub(crate) fn is_surely_big_o(f: &Expr, g: &Expr, growing: &[Symbol], facts: &Facts) -> bool {
    Order::new(growing, facts).is_surely_big_o(f, g)
}

/// What grows is no less than this where classes are compared, if it can be.
const GROWN: i64 = 4;
/// The same, far out.
const FAR: i64 = 64;

fn is_grown(symbol: &Symbol) -> Cond {
    Cond::ge(&Expr::symbol(symbol), &Expr::int(GROWN))
}

/// Whether the facts keep a symbol below what grows: n ≤ 3.
pub(crate) fn stays_small(symbol: &Symbol, facts: &Facts) -> bool {
    !facts.with(&is_grown(symbol)).are_met() && facts.prove(&is_grown(symbol)) == Some(false)
}

/// How expressions compare as some symbols grow.
pub(crate) struct Order<'a> {
    /// What grows; not what is known to stay small.
    growing: Vec<Symbol>,
    /// What stays small, with a number that it may be.
    small: Vec<(Symbol, i64)>,
    /// The facts, and that everything that grows has grown.
    facts: Facts,
    /// The same, and that it has grown far, where it can.
    far: Facts,
    original: &'a Facts,
    /// What the sum being looked at reaches without its minima.
    beside: RefCell<Vec<Expr>>,
    /// What stands for a minimum.
    minima: Cell<Minima>,
    /// How sums without letters grow: costs are made of those that are in times and transfers.
    parts: RefCell<FxHashMap<(Expr, Minima, Reached), Option<Growth>>>,
}

/// Which monomials are looked for that a sum is at least a constant times.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Reached {
    All,
    /// The largest, or none where it is not at least each of those: then no class of it is tight.
    Largest,
}

/// What a minimum is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Minima {
    /// The bound that grows slowest, or one that adds nothing to the rest of a sum.
    Slowest,
    /// The same, whatever it is multiplied by.
    Hidden,
    /// The bound at this place, or the last.
    Item(usize),
    /// The minimum of how fast its items grow.
    Kept,
}

/// Of so many items of a minimum each is tried.
const MOST_ITEMS: usize = 3;

impl<'a> Order<'a> {
    pub(crate) fn new(growing: &[Symbol], original: &'a Facts) -> Self {
        let mut growing = growing.to_vec();
        let mut small = Vec::new();
        // Of bounds that contradict each other everything would follow.
        let mut facts = original.clone();
        growing.retain(|symbol| {
            if !stays_small(symbol, &facts) {
                facts.suppose(&is_grown(symbol));
                return true;
            }
            let value = Expr::symbol(symbol);
            // Between 1 and 3 it is a constant; 0 would be none.
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
        let far = match far.are_met() {
            true => far,
            false => facts.clone(),
        };
        Order {
            growing,
            small,
            facts,
            far,
            original,
            beside: RefCell::default(),
            minima: Cell::new(Minima::Slowest),
            parts: RefCell::default(),
        }
    }

    /// What grows; not what is known to stay small.
    pub(crate) fn growing(&self) -> &[Symbol] {
        &self.growing
    }

    /// [`class()`].
    pub(crate) fn class(&self, expr: &Expr) -> Option<Class> {
        if self.facts.is_exhausted() {
            return None;
        }
        let expr = self.facts.simplify(expr);
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

    /// The class of an expression with minima in it, where it is tight: of what is the smaller of two sizes the
    /// expression grows like that.
    pub(crate) fn class_in_minima(&self, expr: &Expr) -> Option<Class> {
        if self.facts.is_exhausted() || !has_minimum(expr) {
            return None;
        }
        let expr = self.facts.simplify(expr);
        let class = self.with_minima(Minima::Kept, || self.class_of(&expr))?;
        class.is_tight.then_some(class)
    }

    /// Whether f ∈ O(g) is proved.
    pub(crate) fn is_surely_big_o(&self, f: &Expr, g: &Expr) -> bool {
        self.compared(f, g).is_some_and(|(_, is_within)| is_within)
    }

    /// Whether what has these parts, none of them negative, is at least a constant times each term of a class.
    pub(crate) fn is_reached(&self, class: &Expr, parts: &[Expr]) -> bool {
        let terms = class.terms().iter().map(Expr::term);
        terms.into_iter().all(|term| {
            let mut parts = parts.iter();
            parts.any(|part| self.is_surely_big_o(&term, part))
        })
    }

    fn with_minima<T>(&self, minima: Minima, work: impl FnOnce() -> T) -> T {
        let before = self.minima.replace(minima);
        let found = work();
        self.minima.set(before);
        found
    }

    /// How two expressions grow, and whether the first is proved to grow no faster than the other.
    fn compared(&self, f: &Expr, g: &Expr) -> Option<([Growth; 2], bool)> {
        if self.facts.is_exhausted() {
            return None;
        }
        let both = [f, g].map(|side| self.facts.simplify(side));
        let growths = self.growth_of_both(&both)?;
        let is_within = self.is_within(&both, growths.each_ref());
        Some((growths, is_within))
    }

    /// The class of an expression in its simplest form; `None` when not even an upper bound is known.
    fn class_of(&self, expr: &Expr) -> Option<Class> {
        // Of sums with digit sums some monomials may be reached as they stand, and others with digits as large as they
        // may be.
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
            .fold(Expr::zero(), |sum, monomial| sum.add(monomial));
        Some(Class {
            expr: sum,
            is_tight,
        })
    }

    fn growth_of_both(&self, [f, g]: &[Expr; 2]) -> Option<[Growth; 2]> {
        Some([self.growth(f)?, self.growth(g)?])
    }

    /// Whether the first of two expressions, which grow like this, is proved to be at most a constant times the other.
    fn is_within(&self, both: &[Expr; 2], [of_f, of_g]: [&Growth; 2]) -> bool {
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

    /// Whether each monomial of one is dominated by one that the other is at least, or by the mean of two of them.
    fn is_bounded(&self, of_f: &Growth, of_g: &Growth) -> bool {
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

    /// Whether a class grows no faster than another, term by term, which grows faster.
    fn is_below(&self, class: &Class, other: &Class) -> bool {
        let is_within = |one: &Expr, other: &Expr| {
            let each: Vec<Expr> = other.terms().iter().map(Expr::term).collect();
            let mut terms = one.terms().iter().map(Expr::term);
            terms.all(|term| each.iter().any(|large| self.dominates(large, &term)))
        };
        is_within(&class.expr, &other.expr) && !is_within(&other.expr, &class.expr)
    }

    /// What an expression is nowhere below: digits taken away as large as they may be, with
    /// digit_sum(x, b) = x − (b − 1)(⌊x/b⌋ + ⌊x/b²⌋ + …) ≤ x − (b − 1)(x − b + 1)/b.
    fn with_large_digit_sums(&self, expr: &Expr) -> Option<Expr> {
        let digits = |atom: &Atom| matches!(atom, Atom::DigitSum(..));
        if !expr.has_atom(&digits) {
            return None;
        }
        let terms = expr.terms().iter().map(|(monomial, coefficient)| {
            let term = Expr::term(&(monomial.clone(), coefficient.clone()));
            match coefficient.is_negative() {
                false => term,
                true => term.replace(&|atom| match atom {
                    Atom::DigitSum(x, base) => {
                        let less = base.sub(&Expr::one());
                        let whole = x.sub(&less).mul(&less).div(base)?;
                        Some(x.sub(&whole))
                    }
                    _ => None,
                }),
            }
        });
        let less = terms.fold(Expr::zero(), |sum, term| sum.add(&term));
        Some(self.facts.simplify(&less))
    }

    /// How a bound on a minimum ranks: in few letters that grow, and in those that grow slowest.
    fn pace(&self, growth: &Growth) -> (usize, usize) {
        let mut places: Vec<usize> = Vec::new();
        for symbol in growth.upper.iter().flat_map(Expr::symbols) {
            let place = self.growing.iter().rev().position(|known| *known == symbol);
            places.extend(place.filter(|place| !places.contains(place)));
        }
        (places.len(), places.into_iter().max().unwrap_or(0))
    }

    /// Upper and lower monomials of a sum. Negative terms only weaken the lower bound, unless they
    /// are of a strictly lower order.
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

    /// The factors of the different products of letters.
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
        let growth = self.growth_of_sum(expr, reached);
        if !self.facts.is_exhausted() {
            self.parts.borrow_mut().insert(key, growth.clone());
        }
        growth
    }

    fn growth_of_sum(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
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
                // What a minimum adds by itself may be hidden; of what it multiplies either item may be the better.
                let is_hidden = term.0.factors().len() == 1 || self.minima.get() == Minima::Hidden;
                self.beside.replace(match is_hidden {
                    true => total.lower.clone(),
                    false => Vec::new(),
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

    /// What c·⌊x⌋·m is at least together with another c'·m of a sum, in which ⌊x⌋ + 1 > x counts.
    fn beside_its_floor(&self, (monomial, coefficient): &Term, all: &[Term]) -> Option<Vec<Expr>> {
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

    /// What c·⌈x⌉·m is at most without the c'·m that a sum takes away, c' ≥ c, in which ⌈x⌉ − 1 < x counts; and that m,
    /// which no other term has `used`.
    fn below_its_ceiling(
        &self,
        (monomial, coefficient): &Term,
        all: &[Term],
        used: &[Monomial],
    ) -> Option<(Monomial, Vec<Expr>)> {
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

    /// Those of some monomials an eighth of which is no more than the expression, by proof; without those below
    /// another one.
    fn lower_bounds(&self, expr: &Expr, monomials: Vec<Expr>, wanted: Reached) -> Vec<Expr> {
        let eighth = Rational::new(1, 8).unwrap_or(Rational::ONE);
        let is_reached = |low: &Expr| self.facts.proves(&Cond::ge(expr, &low.scale(&eighth)));
        let (largest, others): (Vec<Expr>, Vec<Expr>) = {
            let largest = self.antichain(&monomials);
            monomials.into_iter().partition(|low| largest.contains(low))
        };
        if wanted == Reached::Largest {
            return match largest.iter().all(is_reached) {
                true => largest,
                false => Vec::new(),
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

    /// Whether the atom stands for minus what its growth says, and the growth.
    fn growth_of_atom(&self, atom: &Atom) -> Option<(bool, Growth)> {
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
                    // ⌈y⌉ is between y and y + 1, and at least 1 for y > 0.
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
                // Any of them bounds it; best one that adds nothing to the rest of the sum.
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
                    // No more than the letter that grows slowest, wherever it stands.
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
                let digits = Expr::log(base, x).add(&Expr::one());
                let of_digits = self.growth(&base.mul(&digits));
                Growth {
                    upper: of_digits.or_else(|| self.growth(x))?.upper,
                    lower: vec![],
                }
            }
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                let last = a.mul(n).add(c).div(m)?;
                Growth {
                    upper: self.growth(&n.mul(&last))?.upper,
                    lower: vec![],
                }
            }
            Atom::Inverse(x) => {
                let mut growth = self.growth(x)?;
                // A difference may stay as small as 1, however large both are.
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
            Atom::Sum(sum) => {
                let (variable, body, inside) = self.facts.opened(sum);
                // Of terms with one sign: others make up for each other.
                let is_negative = !inside.is_non_negative(&body);
                let size = if is_negative { body.neg() } else { body };
                if is_negative && !inside.is_non_negative(&size) {
                    return None;
                }
                let (low, high) = (&sum.low, &sum.high);
                let greatest = |value: &Expr| inside.maximum(&variable, low, high, value);
                let count = sum.high.sub(&sum.low).add(&Expr::one());
                let of_all = |one: &Expr| self.growth(&count.mul(one));
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

    /// Of a minimum each item of which grows like one monomial: like the minimum of those.
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

    /// Negative items of a maximum with a non-negative one say nothing.
    fn growth_or_zero(&self, expr: &Expr) -> Option<Growth> {
        if self.facts.proves(&Cond::le(expr, &Expr::zero())) {
            return Some(Growth::default());
        }
        self.growth(expr)
    }

    /// Logarithms to constant bases are all log₂; of something that does not grow, a constant.
    fn growth_of_log(&self, base: &Expr, x: &Expr) -> Option<Growth> {
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

    /// Without the monomials that another one provably dominates.
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

    /// large ≥ small, for monomials, once everything has grown.
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

    /// Whether a monomial is another, multiplied by what grows: that takes no proof.
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

    /// large/small grows without bound: at least like what grows in large, or its logarithm.
    fn strictly_dominates(&self, large: &Expr, small: &Expr) -> bool {
        // What is not as large is not larger by any factor: that takes one proof that fails, and not many.
        if !self.dominates(large, small) {
            return false;
        }
        let own = large.symbols().into_iter();
        let own: Vec<Expr> = own
            .filter(|symbol| self.growing.contains(symbol))
            .map(|symbol| Expr::symbol(&symbol))
            .collect();
        let is_larger_by = |factor: &Expr| self.dominates(large, &small.mul(factor));
        own.iter().any(is_larger_by)
            || own
                .iter()
                .any(|size| is_larger_by(&Expr::log(&Expr::int(2), size)))
    }

    /// Whether some direction of growth, allowed by the facts, makes the monomial larger than any
    /// multiple of all the others.
    fn outgrows(&self, monomial: &Expr, others: &[Expr]) -> bool {
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
                // Monomials in powers of two: the ratio grows by a constant factor a step, or
                // at least like a logarithm's square root.
                let three_halves = Rational::new(3, 2)?;
                // What is 0 there, as log2 ⌈n/b⌉ is where b grows faster, outgrows nothing.
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

/// Without those that lie between two others: n/b is at most the mean of (n/b)² and 1.
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

/// Whether a monomial is the geometric mean of two others, which is no more than half their sum.
fn is_mean(monomial: &Expr, others: &[Expr]) -> bool {
    let square = monomial.mul(monomial);
    let mut pairs = others
        .iter()
        .enumerate()
        .flat_map(|(at, one)| others[..at].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| one.mul(other) == square)
}

fn products(left: &[Expr], right: &[Expr]) -> Vec<Expr> {
    let pairs = left
        .iter()
        .flat_map(|x| right.iter().map(move |y| x.mul(y)));
    pairs.collect()
}

/// 1/m for the greatest lower bounds; any one of them is an upper bound of the inverse.
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
        let more = over(&d, &b).floor().add(&one);
        assert_eq!(told(&more), "Θ(d/b + 1)");
        assert_eq!(told(&more.mul(&blocks)), "Θ(dn/b^2 + (d + n)/b + 1)");
        // b⌈n/b⌉ − b < n, which no b alone is beside.
        assert_eq!(told(&b.mul(&blocks).sub(&b).add(&one)), "O(n)");
        assert_eq!(told(&b.mul(&blocks)), "Θ(n + b)");
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
        let sum = over(&n.mul(&n), &b).add(&b);
        assert_eq!(is_big_o(&n.add(&over(&n, &b)), &sum), Some(true));
        assert_eq!(is_big_o(&n.mul(&d), &sum), Some(false));
        assert_ne!(is_big_o(&n.mul(&b), &sum), Some(true));
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
        for right in [log(&n), log(&n).mul(&log(&n)), log(&n.add(&b))] {
            assert_ne!(is_big_o(&rounds, &right, &growing, &facts), Some(false));
        }
        assert_eq!(is_big_o(&log(&n), &log(&b), &growing, &facts), Some(false));
    }

    #[test]
    fn the_smaller_of_two_sizes_is_told_where_that_says_how_fast_all_grows() {
        let [n, b, d] = symbols(["n", "b", "d"]);
        let least = Expr::min(vec![b.clone(), n.clone()]);
        assert_eq!(
            told(&least.scale(&5.into()).add(&Expr::int(12))),
            "Θ(min(b, n))"
        );
        // Where it is taken away nothing is said of how small the rest may be.
        assert_eq!(told(&n.add(&d).sub(&least)), "O(d + n)");
        let growing = ["n", "b", "d"].map(symbol);
        let is_big_o = |f: &Expr, g: &Expr| is_big_o(f, g, &growing, &Facts::new());
        assert_eq!(is_big_o(&least, &n), Some(true));
        assert_eq!(is_big_o(&least, &b), Some(true));
        assert_eq!(is_big_o(&least, &least.scale(&3.into())), Some(true));
        assert_ne!(is_big_o(&n, &least), Some(true));
    }
}

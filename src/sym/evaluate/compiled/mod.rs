//! Expressions compiled for evaluation at very many points.
//!
//! Equal atoms are stored once and evaluated once a point. Numbers are fractions of 128 bits as
//! long as they fit; products and their sum may be longer. If anything else is longer, or a
//! logarithm or root is irrational, [`Expr::evaluate`] takes over. So the values are always exact
//! and the same as its values, errors included.

mod columns;
pub(crate) mod fraction;
mod running;

pub(crate) use columns::{Columns, Quotients};

use std::collections::HashMap;

use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::number::theory;
use crate::number::{BigInt, Rational};
use crate::sym::evaluate::compiled::fraction::Fraction;
use crate::sym::evaluate::compiled::running::{Kept, Total};
use crate::sym::expr::types::{self, Atom};
use crate::sym::{Cond, EvaluateError, Expr, Symbol, SymbolId};

/// Expressions to be evaluated together, at one point after the other.
#[derive(Clone, Default)]
pub(crate) struct Forms {
    /// Symbols that change within a point. Values that depend on them are not remembered.
    moving: Vec<SymbolId>,
    slots: HashMap<SymbolId, usize>,
    sums: Vec<Sum>,
    sum_of: HashMap<Expr, usize>,
    atoms: Vec<Node>,
    atom_of: HashMap<Atom, usize>,
    tests: Vec<Test>,
    /// The number of unsolved sums with kept totals.
    kept: usize,
}

/// One expression of [`Forms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form(usize);

/// One condition of [`Forms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Check(usize);

/// A symbol of [`Forms`], to be bound to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// Values of the symbols at one point, and the values evaluated there. One per thread.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    values: Vec<Option<Rational>>,
    quick: Vec<Option<Fraction>>,
    /// The values that are whole and fit a word.
    short: Vec<Option<i64>>,
    remembered: Vec<(u64, Option<Fraction>)>,
    kept: Vec<Kept>,
    point: u64,
    /// Terms that the requested value may still have.
    terms_left: u64,
    work_left: u64,
}

/// A sum of products, all coefficients over one denominator.
#[derive(Debug, Clone)]
struct Sum {
    source: Expr,
    /// In the order of the source's terms.
    terms: Vec<Term>,
    /// `None` if it, or a coefficient over it, is too long.
    denominator: Option<i128>,
    /// The terms over the denominator, if all are products of symbols with coefficients of a
    /// word.
    polynomial: Option<Vec<Product>>,
}

/// A coefficient, and the slots with their exponents.
type Product = (i64, Vec<(usize, u32)>);

#[derive(Debug, Clone)]
struct Term {
    coefficient: i128,
    /// Brackets come first: one that is 0 silences the rest, even if the rest has no value.
    brackets: Vec<usize>,
    factors: Vec<(usize, i32)>,
}

#[derive(Debug, Clone)]
struct Node {
    kind: Kind,
    /// True if its value stays the same within a point.
    is_fixed: bool,
}

/// An atom. The numbers are indices of sums, except for slots and tests.
#[derive(Debug, Clone)]
enum Kind {
    Symbol(usize),
    Floor(usize),
    /// ⌊rest ± (times/over) log_base x⌋ for a whole rest.
    FloorOfLog {
        times: u32,
        over: i128,
        rest: usize,
        is_minus: bool,
        base: usize,
        argument: usize,
    },
    Power(usize, usize),
    Log(usize, usize),
    Extreme(Vec<usize>, std::cmp::Ordering),
    Bracket(usize),
    Gcd(usize, usize),
    DigitSum(usize, usize),
    FloorSum([usize; 4]),
    Inverse(usize),
    Total(Total),
}

/// A condition, as [`Cond`].
#[derive(Debug, Clone)]
enum Test {
    Constant(bool),
    NonNegative(usize),
    Zero(usize),
    Divides(usize, usize),
    PowerOf(usize, usize),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
}

/// The most terms of unsolved sums that are added up quickly. The same number as in
/// [`Expr::evaluate`], or the two would differ in what they refuse.
const MOST_TERMS: u64 = 4_000_000;

impl Forms {
    /// Starts without expressions. `moving` symbols are bound anew within a point, as loop
    /// variables are.
    pub(crate) fn new(moving: &[Symbol]) -> Self {
        Forms {
            moving: moving.iter().map(|symbol| symbol.id).collect(),
            ..Forms::default()
        }
    }

    /// Adds an expression; equal ones share everything.
    pub(crate) fn add(&mut self, expr: &Expr) -> Form {
        Form(self.sum(expr))
    }

    /// Adds a condition.
    pub(crate) fn add_check(&mut self, cond: &Cond) -> Check {
        Check(self.test(cond))
    }

    /// Returns the slot of a symbol, which need not occur yet.
    pub(crate) fn slot(&mut self, symbol: &Symbol) -> Slot {
        let next = self.slots.len();
        Slot(*self.slots.entry(symbol.id).or_insert(next))
    }

    /// Returns a point without values. All expressions and slots must be there already.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch {
            values: vec![None; self.slots.len()],
            quick: vec![None; self.slots.len()],
            short: vec![None; self.slots.len()],
            remembered: vec![(0, None); self.atoms.len()],
            kept: vec![Kept::default(); self.kept],
            point: 1,
            terms_left: MOST_TERMS,
            work_left: u64::MAX,
        }
    }

    /// Returns the exact value of an expression.
    ///
    /// # Errors
    /// Those of [`Expr::evaluate`].
    pub(crate) fn value(
        &self,
        form: Form,
        scratch: &mut Scratch,
    ) -> Result<Rational, EvaluateError> {
        // Three ways, the fastest first: 128 bits throughout; 128 bits for the atoms and long
        // numbers for their products; the expression itself. A failed way may have used up the
        // terms that the value may have. Then the next one would fail as well, after the same
        // work, so it is not tried.
        if scratch.work_left == 0 {
            return Err(EvaluateError::TooMuchWork);
        }
        scratch.work_left -= 1;
        scratch.terms_left = MOST_TERMS;
        if let Some(value) = self.quick_sum(form.0, scratch) {
            return Ok(value.into());
        }
        let has_sums = scratch.terms_left < MOST_TERMS;
        let allowed = scratch.terms_left.min(scratch.work_left);
        if has_sums && allowed == 0 {
            return Err(EvaluateError::TooMuchWork);
        }
        scratch.terms_left = MOST_TERMS;
        if let Some(value) = self.wide_sum(form.0, scratch) {
            return Ok(value);
        }
        let allowed = scratch.terms_left.min(scratch.work_left);
        if has_sums && allowed == 0 {
            return Err(EvaluateError::TooMuchWork);
        }
        let values = |symbol: &Symbol| scratch.values[*self.slots.get(&symbol.id)?].clone();
        let (value, left) = self.sums[form.0].source.evaluate_within(&values, allowed);
        scratch.work_left -= allowed - left;
        value
    }

    /// Returns the exact value of an expression as a quotient, not necessarily in lowest terms,
    /// with a denominator > 0. `None` if it does not fit 128 bits or has no value. Reducing it
    /// would take longer than all the rest.
    pub(crate) fn quotient(&self, form: Form, scratch: &mut Scratch) -> Option<(i128, i128)> {
        scratch.terms_left = MOST_TERMS;
        self.quick_quotient(form.0, scratch)
    }

    /// Decides a condition; `None` if numbers do not fit 128 bits or something has no value.
    pub(crate) fn holds(&self, check: Check, scratch: &mut Scratch) -> Option<bool> {
        scratch.terms_left = MOST_TERMS;
        self.quick_test(check.0, scratch)
    }

    fn sum(&mut self, expr: &Expr) -> usize {
        // All coefficients are brought over one denominator when the form is built: n²/3 − b
        // becomes (n² − 3b)/3. At a point only whole numbers are multiplied and added, and one
        // division ends it.
        if let Some(known) = self.sum_of.get(expr) {
            return *known;
        }
        let mut common = BigInt::from(1);
        for (_, coefficient) in expr.terms() {
            common = common.lcm(&coefficient.denominator());
        }
        let scale = Rational::from(&common);
        let mut terms = Vec::new();
        let mut denominator = common.to_i128();
        for (monomial, coefficient) in expr.terms() {
            let mut term = Term {
                coefficient: 0,
                brackets: Vec::new(),
                factors: Vec::new(),
            };
            for (atom, exponent) in monomial.factors() {
                match atom {
                    Atom::Bracket(cond) => term.brackets.push(self.test(cond)),
                    _ => term.factors.push((self.atom(atom), *exponent)),
                }
            }
            match (coefficient * &scale).numerator().to_i128() {
                Some(whole) => term.coefficient = whole,
                None => denominator = None,
            }
            terms.push(term);
        }
        let at = self.sums.len();
        self.sums.push(Sum {
            source: expr.clone(),
            denominator,
            polynomial: denominator.and_then(|_| self.polynomial(&terms)),
            terms,
        });
        self.sum_of.insert(expr.clone(), at);
        at
    }

    fn polynomial(&self, terms: &[Term]) -> Option<Vec<Product>> {
        let product = |term: &Term| {
            let factors = term.factors.iter().map(|(atom, exponent)| {
                let Kind::Symbol(slot) = self.atoms[*atom].kind else {
                    return None;
                };
                Some((slot, u32::try_from(*exponent).ok()?))
            });
            let factors = factors.collect::<Option<_>>()?;
            let is_plain = term.brackets.is_empty();
            Some((i64::try_from(term.coefficient).ok()?, factors)).filter(|_| is_plain)
        };
        terms.iter().map(product).collect()
    }

    fn atom(&mut self, atom: &Atom) -> usize {
        if let Some(known) = self.atom_of.get(atom) {
            return *known;
        }
        let kind = match atom {
            Atom::Symbol(symbol) => Kind::Symbol(self.slot(symbol).0),
            Atom::Floor(x) => self.floor(x),
            Atom::Power(base, exponent) => Kind::Power(self.sum(base), self.sum(exponent)),
            Atom::Log(base, x) => Kind::Log(self.sum(base), self.sum(x)),
            Atom::Min(items) => {
                let items = items.iter().map(|item| self.sum(item)).collect();
                Kind::Extreme(items, std::cmp::Ordering::Less)
            }
            Atom::Max(items) => {
                let items = items.iter().map(|item| self.sum(item)).collect();
                Kind::Extreme(items, std::cmp::Ordering::Greater)
            }
            Atom::Bracket(cond) => Kind::Bracket(self.test(cond)),
            Atom::Gcd(x, y) => Kind::Gcd(self.sum(x), self.sum(y)),
            Atom::DigitSum(x, base) => Kind::DigitSum(self.sum(x), self.sum(base)),
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                Kind::FloorSum([self.sum(n), self.sum(a), self.sum(c), self.sum(m)])
            }
            Atom::Inverse(x) => Kind::Inverse(self.sum(x)),
            Atom::Sum(sum) => self.total(sum),
        };
        let alone = Expr::atom(atom.clone());
        let moving = |inner: &Atom| {
            matches!(inner, Atom::Symbol(symbol)
                if symbol.is_of_sum() || self.moving.contains(&symbol.id))
        };
        let node = Node {
            is_fixed: !alone.has_atom(&moving),
            kind,
        };
        self.atoms.push(node);
        self.atom_of.insert(atom.clone(), self.atoms.len() - 1);
        self.atoms.len() - 1
    }

    fn total(&mut self, sum: &crate::sym::expr::types::Sum) -> Kind {
        let others = running::others(&sum.body, &sum.variable);
        let is_part = others.iter().any(Symbol::is_of_sum);
        let kept = (!is_part).then_some(self.kept);
        self.kept += usize::from(!is_part);
        Kind::Total(Total {
            slot: self.slot(&sum.variable).0,
            low: self.sum(&sum.low),
            high: self.sum(&sum.high),
            body: self.sum(&sum.body),
            others: others.iter().map(|symbol| self.slot(symbol).0).collect(),
            kept,
        })
    }

    /// Compiles a floor. The floor of a logarithm beside a rest is found without the logarithm
    /// itself.
    fn floor(&mut self, x: &Expr) -> Kind {
        if let Some((term, [base, argument])) = log_of(x)
            && let Some(times) = term.1.abs().numerator().to_u32()
            && let Some(over) = term.1.denominator().to_i128()
        {
            return Kind::FloorOfLog {
                rest: self.sum(&x.sub(&Expr::term(term))),
                is_minus: term.1.is_negative(),
                times,
                over,
                base: self.sum(base),
                argument: self.sum(argument),
            };
        }
        Kind::Floor(self.sum(x))
    }

    fn test(&mut self, cond: &Cond) -> usize {
        let test = match cond {
            Cond::True => Test::Constant(true),
            Cond::False => Test::Constant(false),
            // Logarithms are mostly irrational, their floors whole: log2 n − 3 ≥ 0 exactly if
            // ⌊log2 n − 3⌋ ≥ 0.
            Cond::NonNegative(e) if log_of(e).is_some() => Test::NonNegative(self.sum(&e.floor())),
            Cond::NonNegative(e) => Test::NonNegative(self.sum(e)),
            Cond::Zero(e) if log_of(e).is_some() => {
                let floors = [e, &e.neg()].map(|e| Cond::eq(&e.floor(), &Expr::zero()));
                Test::And(floors.iter().map(|floor| self.test(floor)).collect())
            }
            Cond::Zero(e) => Test::Zero(self.sum(e)),
            Cond::Divides(d, e) => Test::Divides(self.sum(d), self.sum(e)),
            Cond::PowerOf(x, y) => Test::PowerOf(self.sum(x), self.sum(y)),
            Cond::Not(inner) => Test::Not(self.test(inner)),
            Cond::And(parts) => Test::And(parts.iter().map(|part| self.test(part)).collect()),
            Cond::Or(parts) => Test::Or(parts.iter().map(|part| self.test(part)).collect()),
        };
        self.tests.push(test);
        self.tests.len() - 1
    }

    // From here on, `None` means: not in 128 bits, or not rational, or no value at all.

    fn quick_sum(&self, at: usize, scratch: &mut Scratch) -> Option<Fraction> {
        let total = self.quick_numerator(at, scratch)?;
        total.over(self.sums[at].denominator?)
    }

    /// Returns numerator and denominator, not in lowest terms.
    #[inline]
    fn quick_quotient(&self, at: usize, scratch: &mut Scratch) -> Option<(i128, i128)> {
        let denominator = self.sums[at].denominator?;
        if let Some(total) = self.in_words(at, scratch) {
            return Some((total.into(), denominator));
        }
        self.quick_numerator(at, scratch)?.undivided(denominator)
    }

    /// Returns the numerator, if it is a sum of products of words and no part of it is longer.
    #[inline]
    fn in_words(&self, at: usize, scratch: &Scratch) -> Option<i64> {
        let mut total = 0_i64;
        for (coefficient, factors) in self.sums[at].polynomial.as_ref()? {
            let mut product = *coefficient;
            for (slot, times) in factors {
                let value = scratch.short[*slot]?;
                for _ in 0..*times {
                    product = product.checked_mul(value)?;
                }
            }
            total = total.checked_add(product)?;
        }
        Some(total)
    }

    /// The same, if the denominator is 1.
    #[inline]
    fn whole_in_words(&self, at: usize, scratch: &Scratch) -> Option<i64> {
        match self.sums[at].denominator {
            Some(1) => self.in_words(at, scratch),
            _ => None,
        }
    }

    /// Returns the value if only the sum and its products do not fit 128 bits.
    fn wide_sum(&self, at: usize, scratch: &mut Scratch) -> Option<Rational> {
        let sum = &self.sums[at];
        let mut total = Rational::ZERO;
        'terms: for (term, (_, coefficient)) in sum.terms.iter().zip(sum.source.terms()) {
            for bracket in &term.brackets {
                if !self.quick_test(*bracket, scratch)? {
                    continue 'terms;
                }
            }
            let mut product = coefficient.clone();
            for (atom, exponent) in &term.factors {
                let factor = Rational::from(self.quick_atom(*atom, scratch)?);
                product = &product * &factor.pow(*exponent)?;
            }
            total = &total + &product;
        }
        Some(total)
    }

    /// Returns the numerator over the common denominator of all coefficients.
    fn quick_numerator(&self, at: usize, scratch: &mut Scratch) -> Option<Fraction> {
        let sum = &self.sums[at];
        if let Some(total) = self.in_words(at, scratch) {
            return Some(Fraction::whole(total.into()));
        }
        sum.denominator?;
        let mut total = Fraction::ZERO;
        'terms: for term in &sum.terms {
            for bracket in &term.brackets {
                if !self.quick_test(*bracket, scratch)? {
                    continue 'terms;
                }
            }
            let mut product = Fraction::whole(term.coefficient);
            for (atom, exponent) in &term.factors {
                let factor = self.quick_atom(*atom, scratch)?;
                product = product.times(factor.power(*exponent)?)?;
            }
            total = total.plus(product)?;
        }
        Some(total)
    }

    fn quick_atom(&self, at: usize, scratch: &mut Scratch) -> Option<Fraction> {
        let node = &self.atoms[at];
        if let Kind::Symbol(slot) = node.kind {
            return scratch.quick[slot];
        }
        if !node.is_fixed {
            return self.quick_kind(&node.kind, scratch);
        }
        let (point, value) = scratch.remembered[at];
        if point == scratch.point {
            return value;
        }
        let value = self.quick_kind(&node.kind, scratch);
        scratch.remembered[at] = (scratch.point, value);
        value
    }

    fn quick_kind(&self, kind: &Kind, scratch: &mut Scratch) -> Option<Fraction> {
        let whole = |at: usize, scratch: &mut Scratch| self.quick_sum(at, scratch)?.to_whole();
        match kind {
            Kind::Symbol(slot) => scratch.quick[*slot],
            Kind::Floor(x) => {
                let (numerator, denominator) = self.quick_quotient(*x, scratch)?;
                Some(Fraction::whole(fraction::floor(numerator, denominator)))
            }
            Kind::FloorOfLog {
                rest,
                is_minus,
                times,
                over,
                base,
                argument,
            } => {
                let rest = whole(*rest, scratch)?;
                let (base, argument) = (whole(*base, scratch)?, whole(*argument, scratch)?);
                if argument < 1 {
                    return None;
                }
                let (floor, is_power) = floor_of_log(base, argument.checked_pow(*times)?)?;
                // ⌊(times/over)·log x⌋ = ⌊⌊log x^times⌋/over⌋. For log_32 100: ⌊log2 100⌋ = 6,
                // and 6/5 rounds to 1. With a minus the result is rest − ⌈…⌉: the ceiling is one
                // more than the floor, unless the logarithm is exact and divisible.
                let (floor, is_whole) = (floor / over, is_power && floor % over == 0);
                let value = match (is_minus, is_whole) {
                    (false, _) => rest.checked_add(floor)?,
                    (true, true) => rest.checked_sub(floor)?,
                    (true, false) => rest.checked_sub(floor + 1)?,
                };
                Some(Fraction::whole(value))
            }
            Kind::Power(base, exponent) => {
                let exponent = i32::try_from(whole(*exponent, scratch)?).ok()?;
                self.quick_sum(*base, scratch)?.power(exponent)
            }
            Kind::Log(base, argument) => {
                let (base, argument) = (whole(*base, scratch)?, whole(*argument, scratch)?);
                let (floor, is_power) = floor_of_log(base, argument)?;
                is_power.then(|| Fraction::whole(floor))
            }
            Kind::Extreme(items, wanted) => {
                let mut best: Option<Fraction> = None;
                for item in items {
                    let value = self.quick_sum(*item, scratch)?;
                    let wins = match best {
                        None => true,
                        Some(best) => value.compare(best)? == *wanted,
                    };
                    if wins {
                        best = Some(value);
                    }
                }
                best
            }
            Kind::Bracket(test) => Some(Fraction::whole(i128::from(
                self.quick_test(*test, scratch)?,
            ))),
            Kind::Gcd(x, y) => {
                let (x, y) = (whole(*x, scratch)?, whole(*y, scratch)?);
                (x != i128::MIN && y != i128::MIN).then(|| Fraction::whole(x.gcd(&y)))
            }
            Kind::DigitSum(x, base) => {
                let (mut rest, base) = (whole(*x, scratch)?, whole(*base, scratch)?);
                if rest < 0 || base < 2 {
                    return None;
                }
                let mut sum = 0;
                while rest > 0 {
                    sum += rest % base;
                    rest /= base;
                }
                Some(Fraction::whole(sum))
            }
            Kind::FloorSum(parts) => {
                let [n, a, c, m] = parts;
                let n = whole(*n, scratch)?;
                let (a, c, m) = (
                    whole(*a, scratch)?,
                    whole(*c, scratch)?,
                    whole(*m, scratch)?,
                );
                let sum = theory::floor_sum(n.into(), a.into(), c.into(), m.into())?;
                Some(Fraction::whole(sum.to_i128()?))
            }
            Kind::Inverse(x) => self.quick_sum(*x, scratch)?.power(-1),
            Kind::Total(sum) => self.quick_total(sum, scratch),
        }
    }

    fn quick_test(&self, at: usize, scratch: &mut Scratch) -> Option<bool> {
        Some(match &self.tests[at] {
            Test::Constant(truth) => *truth,
            Test::NonNegative(e) => match self.in_words(*e, scratch) {
                Some(numerator) => numerator >= 0,
                None => !self.quick_numerator(*e, scratch)?.is_negative(),
            },
            Test::Zero(e) => self.quick_numerator(*e, scratch)?.is_zero(),
            Test::Divides(d, e) => {
                let words = [*d, *e].map(|at| self.whole_in_words(at, scratch));
                if let [Some(divisor), Some(value)] = words
                    && divisor > 0
                {
                    return Some(value % divisor == 0);
                }
                let divisor = self.quick_sum(*d, scratch)?;
                let value = self.quick_sum(*e, scratch)?;
                if divisor.is_zero() {
                    value.is_zero()
                } else {
                    value.times(divisor.power(-1)?)?.to_whole().is_some()
                }
            }
            Test::PowerOf(x, y) => {
                let x = self.quick_sum(*x, scratch)?.to_whole()?;
                let y = self.quick_sum(*y, scratch)?.to_whole()?;
                x == 1 || (x > 1 && y > 1 && floor_of_log(y, x)?.1)
            }
            Test::Not(inner) => !self.quick_test(*inner, scratch)?,
            Test::And(parts) => {
                for part in parts {
                    if !self.quick_test(*part, scratch)? {
                        return Some(false);
                    }
                }
                true
            }
            Test::Or(parts) => {
                for part in parts {
                    if self.quick_test(*part, scratch)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}

impl Scratch {
    /// Goes to another point. Evaluated values are forgotten, bound values stay until bound
    /// again.
    pub(crate) fn next_point(&mut self) {
        self.point += 1;
    }

    /// Limits the work from here on, in expressions and terms of unsolved sums together. Beyond
    /// it every value is too much work. Without a call there is no limit.
    pub(crate) fn allow(&mut self, work: u64) {
        self.work_left = work;
    }

    /// Returns the work left.
    pub(crate) fn work_left(&self) -> u64 {
        self.work_left
    }

    /// Gives a symbol its value. Within a point only moving symbols may change.
    pub(crate) fn bind(&mut self, slot: Slot, value: Rational) {
        let quick = match value.to_i64() {
            Some(whole) => Some(Fraction::whole(whole.into())),
            None => Fraction::of(&value),
        };
        self.bind_quickly(slot.0, quick);
        self.values[slot.0] = Some(value);
    }

    fn bind_quickly(&mut self, slot: usize, value: Option<Fraction>) {
        self.quick[slot] = value;
        self.short[slot] = value.and_then(Fraction::to_word);
    }

    /// Removes a value, as at the end of a loop.
    pub(crate) fn unbind(&mut self, slot: Slot) {
        self.bind_quickly(slot.0, None);
        self.values[slot.0] = None;
    }
}

/// Returns the only term of a sum that is a number times a logarithm, with its base and argument.
/// Bases are least roots: log_32 n is (1/5) log2 n.
fn log_of(sum: &Expr) -> Option<(&types::Term, [&Expr; 2])> {
    let mut logs = sum
        .terms()
        .iter()
        .filter_map(|term| match term.0.factors() {
            [(Atom::Log(base, argument), 1)] => Some((term, [base, argument])),
            _ => None,
        });
    logs.next().filter(|_| logs.next().is_none())
}

/// Returns ⌊log_base x⌋ of whole numbers, base ≥ 2 and x ≥ 1, and true if x is exactly that
/// power.
fn floor_of_log(base: i128, x: i128) -> Option<(i128, bool)> {
    // By multiplication, never by floating point: log(2^49 − 1)/log 2 may round up to 49. For
    // base 2 the position of the highest bit is the answer: 100 < 2^7 has 121 leading zeros of
    // 128, and 127 − 121 = 6.
    if base < 2 || x < 1 {
        return None;
    }
    if base == 2 {
        let floor = 127 - i128::from(x.leading_zeros());
        return Some((floor, x.count_ones() == 1));
    }
    let (mut power, mut exponent) = (1_i128, 0);
    while let Some(next) = power.checked_mul(base).filter(|next| *next <= x) {
        power = next;
        exponent += 1;
    }
    Some((exponent, power == x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::SymbolKind;

    fn symbols() -> (Symbol, Symbol) {
        (Symbol::new(0, "n"), Symbol::new(1, "b"))
    }

    /// Evaluates an expression in n and b at points where numbers are small, large and fractions,
    /// both ways.
    fn agree(expr: &Expr) {
        let (n, b) = symbols();
        let mut forms = Forms::new(&[]);
        let form = forms.add(expr);
        let slots = [forms.slot(&n), forms.slot(&b)];
        let mut scratch = forms.scratch();
        let large = Rational::from(2).pow(90).expect("a power");
        let half = Rational::new(7, 2).expect("not zero");
        let least = Rational::from(-2).pow(127).expect("a power");
        let values = [
            -&Rational::from(6),
            least,
            0.into(),
            1.into(),
            2.into(),
            32.into(),
            1000.into(),
            half,
            large,
        ];
        for x in &values {
            for y in &values {
                scratch.next_point();
                scratch.bind(slots[0], x.clone());
                scratch.bind(slots[1], y.clone());
                let slow = expr.evaluate(&|symbol| match symbol.id.number {
                    0 => Some(x.clone()),
                    _ => Some(y.clone()),
                });
                assert_eq!(forms.value(form, &mut scratch), slow, "{expr} at {x}, {y}");
            }
        }
    }

    #[test]
    fn every_value_asked_for_counts_as_work() {
        let (n, _) = symbols();
        let mut forms = Forms::new(&[]);
        let form = forms.add(&Expr::symbol(&n));
        let slot = forms.slot(&n);
        let mut scratch = forms.scratch();
        scratch.bind(slot, 7.into());
        scratch.allow(2);
        assert_eq!(forms.value(form, &mut scratch), Ok(7.into()));
        assert_eq!(scratch.work_left(), 1);
        assert_eq!(forms.value(form, &mut scratch), Ok(7.into()));
        let refused = forms.value(form, &mut scratch);
        assert_eq!(refused, Err(EvaluateError::TooMuchWork));
    }

    #[test]
    fn values_are_those_of_the_expression() {
        let (n, b) = symbols();
        let (n, b) = (Expr::symbol(&n), Expr::symbol(&b));
        let one = Expr::one();
        let quotient = n.div(&b).expect("not zero");
        let third = Rational::new(1, 3).expect("not zero");
        let log = Expr::log(&b, &n);
        let positive = Expr::bracket(Cond::ge(&n, &one));
        for expr in [
            quotient.floor(),
            quotient.neg().floor().neg().mul(&Expr::int(3)),
            log.floor(),
            log.neg().floor().neg(),
            log.add(&n).floor(),
            log.scale(&third).floor(),
            log.scale(&third).neg().floor().neg().sub(&n),
            log.scale(&Rational::new(-2, 5).expect("not zero"))
                .add(&n)
                .floor(),
            log.clone(),
            n.mul(&n).scale(&third).sub(&b),
            n.pow(&b),
            Expr::min(vec![n.clone(), b.clone(), quotient.clone()]),
            Expr::max(vec![n.clone(), b.mul(&b)]),
            Expr::gcd(&n, &b),
            Expr::digit_sum(&n, &b),
            Expr::floor_sum(&b, &n, &one, &Expr::int(7)),
            n.add(&one).reciprocal(),
            positive.mul(&n.reciprocal()),
            Expr::bracket(Cond::divides(&b, &n)).mul(&b),
            Expr::bracket(Cond::power_of(&n, &b)).add(&n),
            Expr::bracket(Cond::gt(&log, &one)).mul(&b),
            Expr::bracket(Cond::ge(&n, &log.scale(&third))),
            Expr::bracket(Cond::eq(&log.scale(&third), &one)).add(&n),
            Expr::bracket(Cond::or(vec![
                Cond::eq(&n, &b),
                Cond::gt(&n, &Expr::int(5)),
            ])),
        ] {
            agree(&expr);
        }
    }

    #[test]
    fn sums_are_added_up_to_the_same_limit() {
        let (n, b) = symbols();
        let (n, v) = (Expr::symbol(&n), Symbol::of(SymbolKind::Bound, 0, "v"));
        let body = Expr::symbol(&v).mul(&Expr::symbol(&b)).floor();
        let sum = |high: &Expr| Expr::unsolved_sum(&v, &Expr::one(), high, &body);
        agree(&sum(&Expr::int(20)));
        let mut forms = Forms::new(&[]);
        let form = forms.add(&sum(&n));
        let (n, b) = symbols();
        let slots = [forms.slot(&n), forms.slot(&b)];
        let mut scratch = forms.scratch();
        scratch.bind(slots[0], i64::from(i32::MAX).into());
        scratch.bind(slots[1], Rational::ONE);
        assert_eq!(
            forms.value(form, &mut scratch),
            Err(EvaluateError::TooMuchWork)
        );
    }

    #[test]
    fn what_moves_within_a_point_is_not_remembered() {
        let (n, b) = symbols();
        let mut forms = Forms::new(std::slice::from_ref(&b));
        let form = forms.add(
            &Expr::symbol(&n)
                .div(&Expr::symbol(&b))
                .expect("fine")
                .floor(),
        );
        let slots = [forms.slot(&n), forms.slot(&b)];
        let mut scratch = forms.scratch();
        scratch.bind(slots[0], 100.into());
        for (value, expected) in [(3, 33), (7, 14)] {
            scratch.bind(slots[1], value.into());
            assert_eq!(forms.value(form, &mut scratch), Ok(expected.into()));
        }
        scratch.unbind(slots[1]);
        assert_eq!(
            forms.value(form, &mut scratch),
            Err(EvaluateError::Unknown(b))
        );
    }
}

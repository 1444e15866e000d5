//! Where conditions on one symbol may begin or cease to hold: `3n ≥ 4` at n = 2, `⌈n/7⌉ = 5` at
//! n = 29 and n = 35, "n is a power of 3" at 1, 3, 9, … Not every such place is found, and not at
//! every one a condition turns; who takes them tests them.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::number::Rational;
use crate::sym::expr::types::Atom;
use crate::sym::solve::{LARGEST, word};
use crate::sym::{Cond, Expr, Symbol};

/// Powers of 2 between which a form is compared with 0.
const MOST_BITS: u32 = 50;
/// Turns that are looked for in one form.
const MOST_TURNS: usize = 3;
/// Expressions within expressions.
const DEEPEST: u32 = 5;
/// Divisors of a number that are listed, and how far they are looked for.
const MOST_DIVISORS: usize = 12;
const LAST_DIVISOR: i64 = 1100;
/// Exponents of roots and powers.
const EXPONENTS: std::ops::Range<u32> = 0..60;
/// Minima and maxima of more parts are compared part by part only in the first.
const MOST_PARTS: usize = 5;

/// The places for one symbol, in the order in which they were found.
pub(super) struct Places<'a> {
    symbol: &'a Symbol,
    found: Vec<i64>,
    looks: &'a Cell<u32>,
    depth: u32,
}

/// How much a condition on one symbol settles it.
pub(super) fn settles(cond: &Cond) -> u8 {
    match cond {
        Cond::Zero(_) => 4,
        Cond::PowerOf(..) => 3,
        Cond::Divides(..) => 2,
        Cond::And(parts) => parts.iter().map(settles).max().unwrap_or_default(),
        Cond::Or(parts) => parts.iter().map(settles).min().unwrap_or_default(),
        Cond::NonNegative(_) | Cond::Not(_) => 1,
        Cond::True | Cond::False => 0,
    }
}

/// Whole numbers above 1 that stand in a condition.
pub(super) fn constants(cond: &Cond, found: &mut BTreeSet<i64>) {
    cond.for_each_expr(&mut |e| constants_of(e, found));
}

fn constants_of(e: &Expr, found: &mut BTreeSet<i64>) {
    for (monomial, coefficient) in e.terms() {
        for number in [coefficient.numerator(), coefficient.denominator()] {
            let number = number.abs().to_i64();
            found.extend(number.filter(|number| (2..=LARGEST).contains(number)));
        }
        for (atom, _) in monomial.factors() {
            atom.for_each_child(&mut |child| constants_of(child, found));
        }
    }
}

impl<'a> Places<'a> {
    /// No place yet.
    pub(super) fn of(symbol: &'a Symbol, looks: &'a Cell<u32>) -> Self {
        Places {
            symbol,
            found: Vec::new(),
            looks,
            depth: 0,
        }
    }

    /// What was found, in ascending order.
    pub(super) fn found(self) -> Vec<i64> {
        let mut found = self.found;
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds the places of a condition in which no other symbol is left.
    pub(super) fn add_condition(&mut self, cond: &Cond) {
        match cond {
            Cond::True | Cond::False => {}
            Cond::Not(inner) => self.add_condition(inner),
            Cond::And(parts) | Cond::Or(parts) => {
                parts.iter().for_each(|part| self.add_condition(part));
            }
            Cond::NonNegative(e) | Cond::Zero(e) => self.add_turns(e),
            Cond::Divides(d, e) => {
                match e.as_integer() {
                    Some(number) => self.add_divisors(&number, d),
                    None => {
                        self.add_turns(e);
                        self.add_turns(&(e - d));
                    }
                }
                self.add_inside(d);
            }
            Cond::PowerOf(x, y) => self.add_powers(x, y),
        }
    }

    fn add(&mut self, place: &BigInt) {
        let place = place.to_i64();
        let near = |place: i64| place.saturating_sub(1)..=place.saturating_add(2);
        self.found.extend(place.into_iter().flat_map(near));
    }

    /// Where an expression is 0 or changes its sign.
    fn add_turns(&mut self, e: &Expr) {
        if self.depth >= DEEPEST || !e.contains(self.symbol) {
            return;
        }
        self.depth += 1;
        let e = &without_quotient(e, self.symbol);
        match e.coefficients(self.symbol).as_deref() {
            Some([offset, slope]) => {
                if let Some(root) = quotient(&-offset, slope) {
                    self.add(&root.floor());
                }
            }
            Some([c, b, a]) => self.add_roots([a, b, c]),
            _ => {
                self.add_targets(e);
                self.add_inside(e);
                self.add_changes_of_sign(e);
            }
        }
        self.depth -= 1;
    }

    /// The roots of a·x² + b·x + c.
    fn add_roots(&mut self, [a, b, c]: [&Expr; 3]) {
        let number = |e: &Expr| e.as_rational().map(|value| value.to_f64());
        let (Some(a), Some(b), Some(c)) = (number(a), number(b), number(c)) else {
            return;
        };
        // Rounded, as all places are: the next whole numbers are added as well.
        let root = (b * b - 4.0 * a * c).sqrt();
        for root in [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)] {
            if root.is_finite() && root.abs() < LARGEST as f64 {
                self.add(&BigInt::from(root.round() as i64));
            }
        }
    }

    /// Where one atom beside numbers makes an expression 0: ⌊u⌋ = 5 where u is 5 and where it is 6.
    fn add_targets(&mut self, e: &Expr) {
        let mut atoms = e.atoms().into_iter();
        let is_own = |atom: &Atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(self.symbol);
        let own = atoms.find(is_own);
        let Some((atom, [rest, factor])) = own.and_then(|atom| {
            let beside = e.beside(&atom)?;
            Some((atom, beside))
        }) else {
            return;
        };
        let Some(target) = quotient(&-&rest, &factor) else {
            return;
        };
        let aimed = Expr::rational(target.clone());
        match &atom {
            Atom::Floor(x) => {
                self.add_turns(&(x - &aimed));
                self.add_turns(&(x - &aimed - Expr::one()));
            }
            Atom::Min(items) | Atom::Max(items) => {
                let items = items.iter().take(MOST_PARTS);
                items.for_each(|item| self.add_turns(&(item - &aimed)));
            }
            Atom::Gcd(..) => self.add(&target.floor()),
            Atom::DigitSum(x, base) => self.add_digits(x, base, &target),
            Atom::Symbol(_)
            | Atom::Power(..)
            | Atom::Log(..)
            | Atom::Bracket(_)
            | Atom::FloorSum(_)
            | Atom::Inverse(_)
            | Atom::Sum(_) => {}
        }
    }

    /// The smallest number with a sum of digits, in a base that is a number; and that one with a 0
    /// behind it, which the base divides.
    fn add_digits(&mut self, x: &Expr, base: &Expr, sum: &Rational) {
        let (Some(base), Some(sum)) = (base.as_rational().as_ref().and_then(word), word(sum))
        else {
            return;
        };
        if base < 2 || sum < 1 {
            return;
        }
        // 40 in base 8 is 5 digits of 7 below a 5: 6·8^5 − 1.
        let (digits, first) = (sum / (base - 1), sum % (base - 1));
        if digits < 64 {
            let number: BigInt =
                BigInt::from(first + 1) * BigInt::from(base).pow(digits as u32) - 1;
            for number in [&number * base, number] {
                self.add_turns(&(x - Expr::rational(number.into())));
            }
        }
    }

    /// The places of what stands inside atoms.
    fn add_inside(&mut self, e: &Expr) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        for atom in e.atoms() {
            if !atom.contains(self.symbol) {
                continue;
            }
            match &atom {
                Atom::Symbol(_) | Atom::Sum(_) => {}
                Atom::Floor(x) => {
                    self.add_turns(&(x - Expr::one()));
                    self.add_inside(x);
                }
                Atom::Min(items) | Atom::Max(items) => {
                    let items = &items[..items.len().min(MOST_PARTS)];
                    for (at, one) in items.iter().enumerate() {
                        items[..at]
                            .iter()
                            .for_each(|other| self.add_turns(&(one - other)));
                        self.add_inside(one);
                    }
                }
                Atom::Bracket(cond) => self.add_condition(cond),
                Atom::Gcd(x, y) => {
                    for (number, other) in [(x, y), (y, x)] {
                        if let Some(number) = number.as_integer() {
                            self.add_divisors(&number, other);
                        }
                    }
                    self.add_inside(x);
                    self.add_inside(y);
                }
                Atom::Inverse(x) => self.add_turns(x),
                Atom::Power(..) | Atom::Log(..) | Atom::DigitSum(..) | Atom::FloorSum(_) => {
                    atom.for_each_child(&mut |child| self.add_inside(child));
                }
            }
        }
        self.depth -= 1;
    }

    /// Where an expression is a divisor of a number.
    fn add_divisors(&mut self, number: &BigInt, e: &Expr) {
        let Some(number) = number.abs().to_i64().filter(|number| *number > 0) else {
            return;
        };
        let small = (1..=LAST_DIVISOR).take_while(|d| d * d <= number);
        let small: Vec<i64> = small
            .filter(|d| number % d == 0)
            .take(MOST_DIVISORS)
            .collect();
        let large = small.iter().map(|d| number / d);
        for divisor in small.iter().copied().chain(large) {
            self.add_turns(&(e - Expr::rational(divisor.into())));
        }
    }

    fn add_powers(&mut self, x: &Expr, y: &Expr) {
        match (x.as_integer(), y.as_integer()) {
            (None, Some(base)) if base > BigInt::from(1) => {
                for exponent in EXPONENTS {
                    let power = base.pow(exponent);
                    if power > BigInt::from(LARGEST) {
                        break;
                    }
                    self.add_turns(&(x - Expr::rational(power.into())));
                }
            }
            (Some(power), None) if power > BigInt::from(1) => {
                for degree in EXPONENTS.skip(1) {
                    let root = power.nth_root(degree);
                    if root <= BigInt::from(1) {
                        break;
                    }
                    if root.pow(degree) == power {
                        self.add_turns(&(y - Expr::rational(root.into())));
                    }
                }
            }
            _ => {
                self.add_inside(x);
                self.add_inside(y);
            }
        }
    }

    /// Where the sign differs between two powers of 2, by halving what lies between.
    fn add_changes_of_sign(&mut self, e: &Expr) {
        if !e.is_closed() || e.symbols().len() > 1 {
            return;
        }
        let sign = |at: i64| {
            self.looks.set(self.looks.get().saturating_sub(1));
            let value = e.evaluate(&|_| Some(at.into())).ok()?;
            Some(value.cmp(&Rational::ZERO))
        };
        let ends = std::iter::once(0).chain((0..=MOST_BITS).map(|bits| 1_i64 << bits));
        let ends: Vec<(i64, Option<Ordering>)> = ends.map(|end| (end, sign(end))).collect();
        let mut turns = Vec::new();
        for pair in ends.windows(2) {
            let [(mut before, order), (mut behind, other)] = [pair[0], pair[1]];
            if order.is_none() || other.is_none() || order == other || turns.len() == MOST_TURNS {
                continue;
            }
            while behind - before > 1 {
                let middle = before + (behind - before) / 2;
                if sign(middle) == order {
                    before = middle;
                } else {
                    behind = middle;
                }
            }
            turns.push(behind);
        }
        turns.into_iter().for_each(|turn| self.add(&turn.into()));
    }
}

/// An expression times the powers of a symbol that it is divided by: 4096 − 13b for 4096/b − 13.
fn without_quotient(e: &Expr, symbol: &Symbol) -> Expr {
    let atom = Atom::Symbol(symbol.clone());
    let exponents = e
        .terms()
        .iter()
        .map(|(monomial, _)| monomial.exponent(&atom));
    match exponents.min() {
        Some(least) if least < 0 => e * &Expr::symbol(symbol).integer_power(-least),
        _ => e.clone(),
    }
}

/// The quotient of two numbers.
fn quotient(dividend: &Expr, divisor: &Expr) -> Option<Rational> {
    dividend.as_rational()?.checked_div(&divisor.as_rational()?)
}

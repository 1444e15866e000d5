//! Every rule of the tables holds: left = right at random values that satisfy the facts, for left
//! sides written for it and for made-up ones.

use crate::number::Rational;
use crate::sym::evaluate::approximate;
use crate::sym::expr::types::Atom;
use crate::sym::simplify::condition::{self, Inequality};
use crate::sym::simplify::rule::Rule;
use crate::sym::simplify::{extremes, floor, functions, rewrite, shorten};
use crate::sym::{Cond, Expr, Facts, Symbol};

/// Values by the number of the symbol.
type Point = [i64; NAMES.len()];

const NAMES: [&str; 8] = ["n", "b", "i", "s", "p", "m", "k", "q"];
/// Left sides made up, and points at which one is compared.
const MADE_UP: usize = 300;
const POINTS: usize = 12;

fn var(name: &str) -> Expr {
    let at = NAMES.iter().position(|known| *known == name);
    Expr::symbol(&Symbol::new(at.expect("a known name") as u32, name))
}

fn over(x: &Expr, y: &Expr) -> Expr {
    x.div(y).expect("not 0")
}

/// n ≥ 1, b ≥ 2, 0 ≤ i < b, s ≥ 0, p a power of 2, m ≥ 1 a multiple of b, q a power of 2b, any k.
fn facts() -> Facts {
    let [n, b, i, s, p, m, q] = ["n", "b", "i", "s", "p", "m", "q"].map(var);
    let (zero, one, two) = (Expr::zero(), Expr::one(), Expr::int(2));
    let mut facts = Facts::new();
    for cond in [
        Cond::ge(&n, &one),
        Cond::ge(&b, &two),
        Cond::ge(&i, &zero),
        Cond::lt(&i, &b),
        Cond::ge(&s, &zero),
        Cond::power_of(&p, &two),
        Cond::ge(&m, &one),
        Cond::divides(&b, &m),
        Cond::power_of(&q, &(&b * &two)),
    ] {
        facts.assume(&cond);
    }
    facts
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) % end.unsigned_abs()).cast_signed()
    }

    fn point(&mut self) -> Point {
        let b = 2 + self.below(7);
        let (i, m) = (self.below(b), b * (1 + self.below(4)));
        let (p, q) = (1 << self.below(6), (2 * b).pow(self.below(3) as u32));
        let (n, s, k) = (1 + self.below(30), self.below(20), self.below(13) - 6);
        [n, b, i, s, p, m, k, q]
    }

    /// An expression of at most such a depth.
    fn expr(&mut self, depth: u32) -> Expr {
        let leaf = depth == 0;
        match self.below(if leaf { 4 } else { 14 }) {
            0 => Expr::int(self.below(7) - 3),
            1..=3 => var(NAMES[self.below(7) as usize]),
            4 | 5 => self.expr(depth - 1) + self.expr(depth - 1),
            6 => self.expr(depth - 1) - self.expr(depth - 1),
            7 => self.expr(depth - 1) * self.expr(0),
            8 => over(&self.expr(depth - 1), &self.divisor()).floor(),
            9 => over(&self.expr(depth - 1), &self.divisor()).ceil(),
            10 => Expr::max(vec![self.expr(depth - 1), self.expr(depth - 1)]),
            11 => Expr::min(vec![self.expr(depth - 1), self.expr(depth - 1)]),
            12 => Expr::gcd(&self.expr(depth - 1), &self.divisor()),
            _ => Expr::bracket(Cond::ge(&self.expr(depth - 1), &self.expr(0))),
        }
    }

    /// One that is never 0.
    fn divisor(&mut self) -> Expr {
        match self.below(4) {
            0 => Expr::int(2 + self.below(3)),
            1 => var("n"),
            2 => var("m"),
            _ => var("b"),
        }
    }
}

/// Left sides that the rules are written for.
fn written() -> Vec<Expr> {
    let [n, b, i, s, p, m, k, q] = NAMES.map(var);
    let [zero, one, two, three, five] = [0, 1, 2, 3, 5].map(Expr::int);
    let bracket = |left: &Expr, right: &Expr| Expr::bracket(Cond::ge(left, right));
    let rest = |x: &Expr, d: &Expr| x.modulo(d).expect("not 0");
    let log = Expr::log(&(&b * &two), &q);
    let next = &n + &one;
    let after = &n + &two;
    vec![
        Expr::max(vec![one.clone(), n.clone()]),
        Expr::max(vec![five.clone(), bracket(&k, &two).scale(&8.into())]),
        Expr::min(vec![s.clone(), one.clone()]),
        Expr::min(vec![&n - over(&n, &b).ceil() + &one, b.clone()]),
        Expr::min(vec![&n - &one, &k - &one]),
        Expr::min(vec![&n + &s - &one, s.scale(&2.into())])
            - Expr::max(vec![zero.clone(), &s - &n + &one]),
        Expr::gcd(&(&m + &n), &b),
        Expr::digit_sum(&i, &b),
        Expr::digit_sum(&over(&s, &two).floor(), &two),
        Expr::digit_sum(&over(&s, &two).ceil(), &two),
        Expr::digit_sum(&(&b * &n), &b),
        Expr::digit_sum(&p, &two),
        Expr::digit_sum(&(&p - &one), &two),
        Expr::floor_sum(&s.neg(), &three, &one, &b),
        Expr::floor_sum(&n, &m, &k, &b),
        Expr::floor_sum(&n, &Expr::int(-2), &Expr::int(4), &b),
        Expr::floor_sum(&n, &three, &Expr::int(6), &b),
        (&s * &s).pow(&over(&one, &two)),
        Expr::log(&b, &p),
        over(&i, &b).floor(),
        over(&one, &n).floor(),
        over(&(over(&n, &two).floor() + &one), &three).floor(),
        over(&after, &three).floor(),
        two.pow(&log) * b.pow(&log),
        over(&n, &b).floor() - over(&n, &b).ceil(),
        over(&next, &b).ceil() + over(&n, &b).floor(),
        over(&n, &b).ceil() * (over(&n, &b).ceil() + over(&n, &b).floor()),
        bracket(&n, &five) + bracket(&Expr::int(4), &n),
        over(&one, &next) - over(&one, &after) - over(&one, &(&next * &after)),
        (&n - &one) * bracket(&n, &two),
        bracket(&n, &(&b * &two)) * bracket(&n, &b),
        Expr::max(vec![zero.clone(), k.clone()]) + bracket(&k, &zero),
        over(&s, &b).floor() + bracket(&rest(&s, &b), &one),
        &n - ((&n - &b) * bracket(&n, &b)),
        over(&n, &b).floor() - &two,
        Expr::max(vec![one.clone(), n.clone()]) - &two,
        Expr::log(&two, &p) - &three,
        two.pow(&s) - two.pow(&n),
        over(&Expr::int(1024), &b) - &two,
        &b * &s - &one,
    ]
}

fn left_sides(random: &mut Random) -> Vec<Expr> {
    let made_up = (0..MADE_UP).map(|_| random.expr(3));
    written().into_iter().chain(made_up).collect()
}

/// The value, exactly where it has one that can be written, else about; nothing where it has none.
fn value(expr: &Expr, point: &Point) -> Option<f64> {
    let at = |symbol: &Symbol| point.get(symbol.id.number as usize).copied();
    match expr.evaluate(&|symbol| at(symbol).map(Rational::from)) {
        Ok(exact) => Some(exact.to_f64()),
        Err(_) => approximate::value(expr, &|symbol| at(symbol).map_or(f64::NAN, |v| v as f64)),
    }
}

/// Holds left = right wherever the left side has a value.
fn assert_same(rule: &str, left: &Expr, right: &Expr, random: &mut Random) {
    for _ in 0..POINTS {
        let point = random.point();
        if let Some(expected) = value(left, &point) {
            let found = value(right, &point).unwrap_or(f64::NAN);
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{rule}: {left} is {expected}, {right} is {found} at {NAMES:?} = {point:?}"
            );
        }
    }
}

/// Holds every rule of a table, and that each applies to something; of a rule's answer for a left
/// side, `told` makes both sides.
fn assert_rules<Left, Right>(
    rules: &[Rule<Left, Right>],
    lefts: &[Left],
    told: impl Fn(&Left, Right) -> Option<(Expr, Expr)>,
) {
    let facts = facts();
    let mut random = Random(7);
    for rule in rules {
        let mut applied = 0;
        for left in lefts {
            if let Some((left, right)) = told(left, (rule.rewrite)(&facts, left))
                && left != right
            {
                applied += 1;
                assert_same(rule.name, &left, &right, &mut random);
            }
        }
        assert!(applied > 0, "{} applies to no left side", rule.name);
    }
}

fn atoms(lefts: &[Expr]) -> Vec<Atom> {
    lefts.iter().flat_map(Expr::atoms).collect()
}

#[test]
fn rules_of_extremes_hold() {
    let lefts = atoms(&left_sides(&mut Random(1)));
    let told = |left: &Atom, right: Option<Expr>| Some((Expr::atom(left.clone()), right?));
    assert_rules(extremes::RULES, &lefts, told);
}

#[test]
fn rules_of_functions_hold() {
    let lefts = atoms(&left_sides(&mut Random(2)));
    let told = |left: &Atom, right: Option<Expr>| Some((Expr::atom(left.clone()), right?));
    assert_rules(functions::RULES, &lefts, told);
}

#[test]
fn rules_of_floors_hold() {
    let atoms = atoms(&left_sides(&mut Random(3))).into_iter();
    let inside = atoms.filter_map(|atom| match atom {
        Atom::Floor(x) => Some(x),
        _ => None,
    });
    // Values over themselves rounded up and down, which chance hardly makes.
    let over_itself = left_sides(&mut Random(8)).into_iter().flat_map(|value| {
        let up = value.div(&value.ceil()).map(|over| over.neg());
        [up, value.div(&value.floor())].into_iter().flatten()
    });
    let inside = inside.chain(over_itself);
    let told = |left: &Expr, right: Option<Expr>| {
        let floor = Expr::atom(Atom::Floor(left.clone()));
        Some((floor, right?))
    };
    assert_rules(floor::RULES, &inside.collect::<Vec<_>>(), told);
}

#[test]
fn rules_of_inequalities_hold() {
    let lefts = left_sides(&mut Random(4)).into_iter();
    let lefts = lefts.flat_map(|value| {
        [false, true].map(|is_strict| Inequality {
            value: value.clone(),
            is_strict,
        })
    });
    let told = |left: &Inequality, right: Option<Cond>| {
        let holds = if left.is_strict {
            Cond::gt(&left.value, &Expr::zero())
        } else {
            Cond::ge(&left.value, &Expr::zero())
        };
        Some((Expr::bracket(holds), Expr::bracket(right?)))
    };
    assert_rules(condition::RULES, &lefts.collect::<Vec<_>>(), told);
}

#[test]
fn steps_keep_the_value() {
    let told = |left: &Expr, right: Expr| Some((left.clone(), right));
    assert_rules(rewrite::STEPS, &left_sides(&mut Random(5)), told);
    assert_rules(shorten::STEPS, &left_sides(&mut Random(6)), told);
}

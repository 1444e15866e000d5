//! Products, powers and what they are made of.

use num_traits::One;

use crate::number::{BigInt, Rational};
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::notation::layout::Shaper;
use crate::sym::notation::layout::order::{compare_atoms, compare_parts, cost_rank};
use crate::sym::notation::layout::sign::{is_ceiling, is_negative_total, leads_negative};
use crate::sym::notation::shape::{Function, Shape};
use crate::sym::{Expr, Symbol};

/// One product, its sign aside, with an optional sum as a last factor.
pub(super) fn term_shape(
    shaper: &Shaper,
    monomial: &Monomial,
    coefficient: &Rational,
    last: Option<Shape>,
) -> Shape {
    let coefficient = coefficient.abs();
    let mut over: Vec<Shape> = Vec::new();
    let mut after: Vec<Shape> = Vec::new();
    let mut under: Vec<Shape> = Vec::new();
    let mut factors: Vec<(Atom, i32)> = monomial.factors().to_vec();
    factors.sort_by(|x, y| compare_atoms(&x.0, &y.0));
    if let Some(quotient) = power_of_quotient(shaper, &factors) {
        let number = coefficient.numerator();
        let mut over = Vec::new();
        if !number.is_one() {
            over.push(Shape::Number(number));
        }
        over.push(quotient);
        over.extend(last);
        let under = coefficient.denominator();
        let under = if under.is_one() {
            vec![]
        } else {
            vec![Shape::Number(under)]
        };
        return product(over, under);
    }
    for (atom, exponent) in &factors {
        match atom {
            Atom::Inverse(x) if *exponent > 0 => under.push(power(shaper.expr(x), *exponent)),
            Atom::Power(base, exponents) if *exponent == 1 && leads_negative(exponents) => {
                under.push(power_shape(shaper, base, &exponents.neg()));
            }
            _ if *exponent < 0 => under.push(power(atom_shape(shaper, atom), -exponent)),
            // r^2(2n + b)λ, but β(n + 1).
            _ if last.is_some() && cost_rank(atom) > 0 && !over.is_empty() => {
                after.push(power(atom_shape(shaper, atom), *exponent));
            }
            // (3n + 2)⌈n/b⌉: a sum stands before what is longer than a name.
            Atom::Floor(_) | Atom::Sum(_) | Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_)
                if last.is_some() =>
            {
                after.push(power(atom_shape(shaper, atom), *exponent));
            }
            _ => over.push(power(atom_shape(shaper, atom), *exponent)),
        }
    }
    let number = coefficient.numerator();
    let mut numerator: Vec<Shape> = Vec::new();
    if !number.is_one() || over.is_empty() && last.is_none() {
        numerator.push(Shape::Number(number));
    }
    numerator.extend(over);
    match last {
        // A fraction as a factor joins the fraction around it.
        Some(Shape::Product(over, below)) => {
            numerator.extend(over);
            under.extend(below);
        }
        other => numerator.extend(other),
    }
    numerator.extend(after);
    let denominator = coefficient.denominator();
    if !denominator.is_one() {
        under.insert(0, Shape::Number(denominator));
    }
    product(numerator, under)
}

/// (n/b)^k, when all factors have the exponent ±k, k ≥ 2.
fn power_of_quotient(shaper: &Shaper, factors: &[(Atom, i32)]) -> Option<Shape> {
    let degree = factors.first()?.1.abs();
    let plain = |atom: &Atom| matches!(atom, Atom::Symbol(_) | Atom::Floor(_));
    let fits = degree >= 2
        && factors
            .iter()
            .all(|(atom, e)| e.abs() == degree && plain(atom))
        && factors.iter().any(|(_, e)| *e > 0)
        && factors.iter().any(|(_, e)| *e < 0);
    if !fits {
        return None;
    }
    let side = |sign: i32| {
        let chosen = factors.iter().filter(|(_, e)| e.signum() == sign);
        chosen.map(|(atom, _)| atom_shape(shaper, atom)).collect()
    };
    Some(power(product(side(1), side(-1)), degree))
}

pub(super) fn product(over: Vec<Shape>, mut under: Vec<Shape>) -> Shape {
    // Products of products are one.
    let mut flat: Vec<Shape> = Vec::new();
    for factor in over {
        match factor {
            Shape::Product(inner, below) => {
                flat.extend(inner);
                under.extend(below);
            }
            factor => flat.push(factor),
        }
    }
    // 16k·(n - 2)^2: their numbers are one, and stand first.
    let mut number = BigInt::one();
    let mut over: Vec<Shape> = Vec::new();
    for factor in flat {
        match factor {
            Shape::Number(value) => number *= value,
            factor => over.push(factor),
        }
    }
    if !number.is_one() || over.is_empty() {
        over.insert(0, Shape::Number(number));
    }
    match (over.len(), under.is_empty()) {
        (1, true) => over.remove(0),
        _ => Shape::Product(over, under),
    }
}

pub(super) fn power(base: Shape, exponent: i32) -> Shape {
    match exponent {
        1 => base,
        _ => Shape::Power(Box::new(base), Box::new(Shape::Number(exponent.into()))),
    }
}

fn power_shape(shaper: &Shaper, base: &Expr, exponent: &Expr) -> Shape {
    if exponent.as_rational() == Rational::new(1, 2) {
        return Shape::SquareRoot(Box::new(shaper.expr(base)));
    }
    Shape::Power(Box::new(shaper.expr(base)), Box::new(shaper.expr(exponent)))
}

/// An atom to the first power; floors of negative values as ceilings, without their sign.
fn atom_shape(shaper: &Shaper, atom: &Atom) -> Shape {
    let all = |items: &[Expr]| items.iter().map(|item| shaper.expr(item)).collect();
    match atom {
        Atom::Symbol(symbol) => Shape::Name(symbol.clone()),
        Atom::Floor(x) if is_ceiling(atom) => Shape::Ceiling(Box::new(shaper.expr(&x.neg()))),
        Atom::Floor(x) => Shape::Floor(Box::new(shaper.expr(x))),
        Atom::Power(base, exponent) => power_shape(shaper, base, exponent),
        Atom::Log(base, x) => Shape::Log(Box::new(shaper.expr(base)), Box::new(shaper.expr(x))),
        Atom::Min(items) => Shape::Call(Function::Min, all(items)),
        Atom::Max(items) => Shape::Call(Function::Max, all(items)),
        Atom::Bracket(cond) => Shape::Bracket(Box::new(shaper.cond(cond))),
        Atom::Gcd(x, y) => {
            let mut items = [x.clone(), y.clone()];
            items.sort_by(|x, y| compare_parts(shaper, x, y));
            Shape::Call(Function::Gcd, all(&items))
        }
        Atom::DigitSum(x, base) => Shape::Call(Function::DigitSum, all(&[x.clone(), base.clone()])),
        Atom::FloorSum(parts) => Shape::Call(Function::FloorSum, all(&**parts)),
        Atom::Inverse(x) => Shape::Product(vec![Shape::Number(1.into())], vec![shaper.expr(x)]),
        Atom::Sum(sum) => {
            let body = if is_negative_total(atom) {
                sum.body.neg()
            } else {
                sum.body.clone()
            };
            let (variable, body) = told_apart(&sum.variable, body);
            Shape::Total(
                variable,
                Box::new(shaper.expr(&sum.low)),
                Box::new(shaper.expr(&sum.high)),
                Box::new(shaper.expr(&body)),
            )
        }
    }
}

/// The variable of a sum with as many primes as tell it from all other names inside.
fn told_apart(variable: &Symbol, body: Expr) -> (Symbol, Expr) {
    let others = body.symbols();
    let is_taken = |name: &str| {
        let mut others = others.iter().filter(|other| *other != variable);
        others.any(|other| *other.name == *name)
    };
    if !is_taken(&variable.name) {
        return (variable.clone(), body);
    }
    let mut name = format!("{}'", variable.name);
    while is_taken(&name) {
        name.push('\'');
    }
    let renamed = Symbol {
        id: variable.id,
        name: name.into(),
    };
    // Symbols are told apart by their ids: the name alone changes, wherever it stands.
    let body = body.substitute(variable, &Expr::symbol(&renamed));
    (renamed, body)
}

//! Claims tried far out: at large parameters, where only closed forms reach, and along rays on which
//! parameters grow. Nothing here proves anything; it refutes, or says at how many points a claim held.

use crate::count::Parameters;
use crate::derivation::Quantity;
use crate::derive::claims::letters::letter_named;
use crate::meaning::{Point, evaluate_claim};
use crate::number::{BigInt, Rational, Real};
use crate::program::{Claim, ClaimNumber, ParamId, Program};
use crate::sym::{Expr, Symbol, SymbolKind};
use crate::syntax::ast::ClaimRelation;

/// Values of b.
const WIDTHS: [i64; 3] = [2, 32, 3];
/// Large values of formals, beside powers of b.
const LARGE: [i64; 9] = [
    1 << 10,
    (1 << 10) + 1,
    1 << 20,
    (1 << 20) - 1,
    1 << 30,
    (1 << 30) + 7,
    1_000_000_000_000,
    1 << 45,
    (1 << 45) + 1,
];
/// Small values that go with them.
const SMALL: [i64; 3] = [1, 2, 64];
/// Exponents of 2 along a ray.
const RAY: std::ops::RangeInclusive<u32> = 2..=15;
/// By how much the second half of a ray may exceed the first before it counts as growing.
const SLACK: f64 = 1.25;
/// Points of a ray that a program must admit for the ray to say something.
const ENOUGH: usize = 6;

/// What trying a claim far out gave.
pub(crate) enum Far {
    /// It held at so many points.
    Held(usize),
    /// It does not hold.
    Refuted {
        /// The smallest parameters found.
        counterexample: String,
        /// The two sides there.
        values: String,
    },
}

/// Tries a claim `=` or `≤` on a closed quantity without letters of the cost functions.
pub(crate) fn test(
    program: &Program,
    given: &Parameters,
    claim: &Claim,
    quantity: &Quantity,
) -> Far {
    let ends = quantity.lower.iter().chain(&quantity.upper);
    let mut ends = ends.peekable();
    if ends.peek().is_none() || ends.any(|end| !end.is_closed() || has_letters(program, end)) {
        return Far::Held(0);
    }
    // What is added up term by term has too many terms far out.
    let adds_up = |number: &ClaimNumber| matches!(number, ClaimNumber::Sum(_));
    if claim.value.holds(&adds_up) {
        return Far::Held(0);
    }
    let fixed = |name: &str| given.get(name).and_then(Rational::to_i64);
    let widths = fixed("b").map_or(WIDTHS.to_vec(), |b| vec![b]);
    let machine = |b| {
        let or = |name, other| fixed(name).unwrap_or(other);
        [or("p", 384), b, or("M", 1 << 20), or("G", 1 << 40)]
    };
    let mut held = 0;
    for b in widths {
        for values in choices(program, given, b) {
            let Ok(point) = Point::new(program, machine(b), &values) else {
                continue;
            };
            match holds(program, claim, quantity, &point) {
                None => {}
                Some(Ok(())) => held += 1,
                Some(Err(_)) => {
                    let fails = |values: &Parameters| {
                        let point = Point::new(program, machine(b), values).ok()?;
                        let found = holds(program, claim, quantity, &point)?;
                        found.err().map(|values| (point, values))
                    };
                    let (point, values) = smallest(program, given, values, &fails);
                    return Far::Refuted {
                        counterexample: point.shown(),
                        values,
                    };
                }
            }
        }
    }
    Far::Held(held)
}

fn has_letters(program: &Program, form: &Expr) -> bool {
    let mut symbols = form.symbols().into_iter();
    symbols.any(|symbol| parameter(program, &symbol).is_none())
}

fn parameter<'p>(program: &'p Program, symbol: &Symbol) -> Option<&'p str> {
    let is_parameter = symbol.id.kind == SymbolKind::Parameter;
    let parameter = program.parameters.get(symbol.id.number as usize);
    parameter
        .filter(|_| is_parameter)
        .map(|parameter| &*parameter.name)
}

/// The formals nobody gave a value.
fn free(program: &Program, given: &Parameters) -> Vec<ParamId> {
    let formals = program.formals.iter().copied();
    formals
        .filter(|id| given.get(&program.parameter(*id).name).is_none())
        .collect()
}

/// All formals large together, and each of them alone.
fn choices(program: &Program, given: &Parameters, b: i64) -> Vec<Parameters> {
    let free = free(program, given);
    let powers = [6, 10, 15].map(|exponent| b.saturating_pow(exponent));
    let large: Vec<i64> = LARGE.into_iter().chain(powers).collect();
    let with = |value: &dyn Fn(usize) -> i64| {
        let mut values = given.clone();
        for (at, id) in free.iter().enumerate() {
            values.set(&program.parameter(*id).name, value(at));
        }
        values
    };
    let mut list = Vec::new();
    for size in &large {
        list.push(with(&|_| *size));
        if free.len() > 1 {
            for alone in 0..free.len() {
                for small in SMALL.into_iter().chain([b]) {
                    list.push(with(&|at| if at == alone { *size } else { small }));
                }
            }
        }
    }
    list
}

/// Whether a claim holds at a point; the two sides where it does not.
fn holds(
    program: &Program,
    claim: &Claim,
    quantity: &Quantity,
    point: &Point,
) -> Option<Result<(), String>> {
    let value = |form: &Option<Expr>| {
        let at = |symbol: &Symbol| {
            let name = parameter(program, symbol)?;
            point.parameters.get(name).map(Rational::from)
        };
        form.as_ref()?.evaluate(&at).ok()
    };
    let (lower, upper) = (value(&quantity.lower)?, value(&quantity.upper)?);
    let right = evaluate_claim(program, &claim.value, &point.environment, &|_| None);
    let right = right.ok().flatten()?;
    let [low, high] = [&lower, &upper].map(|end| Real::from(end.clone()));
    let holds = match claim.relation {
        ClaimRelation::Equal if lower != upper => return None,
        ClaimRelation::Equal => low.compare(&right).is_eq(),
        ClaimRelation::AtMost if low.compare(&right).is_gt() => false,
        ClaimRelation::AtMost if high.compare(&right).is_le() => true,
        ClaimRelation::AtMost | ClaimRelation::BigO | ClaimRelation::Theta => return None,
    };
    if holds {
        return Some(Ok(()));
    }
    let left = if lower == upper {
        String::new()
    } else {
        "at least ".to_owned()
    };
    let shown = match right.to_rational() {
        Some(exact) => exact.to_string(),
        None => format!("about {}", right.to_f64()),
    };
    Some(Err(format!(
        "the derivation gives {left}{lower}, the claim {shown}"
    )))
}

/// Smaller parameters that fail too: each formal in turn is halved as long as that fails, then
/// brought down to where it begins to fail.
fn smallest(
    program: &Program,
    given: &Parameters,
    mut values: Parameters,
    fails: &dyn Fn(&Parameters) -> Option<(Point, String)>,
) -> (Point, String) {
    let mut best = fails(&values).expect("it failed before");
    for id in free(program, given) {
        let name = &program.parameter(id).name;
        let Some(mut high) = values.get(name).and_then(Rational::to_integer) else {
            continue;
        };
        let mut low = BigInt::from(-1);
        while &high - &low > BigInt::from(1) {
            let middle: BigInt = (&low + &high) >> 1;
            let mut fewer = values.clone();
            fewer.set(name, Rational::from(&middle));
            match fails(&fewer) {
                Some(found) => {
                    best = found;
                    values = fewer;
                    high = middle;
                }
                None => low = middle,
            }
        }
    }
    best
}

/// At how many points the ratio of two forms was looked at, when it stays bounded along every ray;
/// `None` when it grows on some, or too few points are admitted.
pub(crate) fn stays_bounded(
    program: &Program,
    left: &Expr,
    right: &Expr,
    growing: &[Symbol],
) -> Option<usize> {
    if !left.is_closed() || !right.is_closed() {
        return None;
    }
    let letters: Vec<Symbol> = left
        .symbols()
        .union(&right.symbols())
        .filter(|symbol| parameter(program, symbol).is_none())
        .cloned()
        .collect();
    let all: Vec<&Symbol> = growing.iter().chain(&letters).collect();
    let b = all.iter().position(|symbol| *symbol.name == *"b");
    // Exponents for a step: those that grow, and how fast.
    let mut rays: Vec<Vec<u32>> = Vec::new();
    for alone in 0..all.len() {
        rays.push((0..all.len()).map(|at| u32::from(at == alone)).collect());
        rays.push(
            (0..all.len())
                .map(|at| if at == alone { 3 } else { 1 })
                .collect(),
        );
    }
    rays.push(
        (0..all.len())
            .map(|at| u32::from(Some(at) != b && at < growing.len()))
            .collect(),
    );
    rays.push(
        (0..all.len())
            .map(|at| if Some(at) == b { 1 } else { 2 })
            .collect(),
    );
    let mut looked = 0;
    for ray in &rays {
        let ratios: Vec<f64> = RAY
            .filter_map(|step| {
                let value = |at: usize| BigInt::from(1) << (5 + 2 * step * ray[at]);
                ratio(program, left, right, &all, &value)
            })
            .collect();
        if ratios.len() < ENOUGH {
            continue;
        }
        let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
        let (first, second) = ratios.split_at(ratios.len() / 2);
        // False of a ratio that is no number, too.
        let is_tame = most(second) <= SLACK * most(first);
        if !is_tame {
            return None;
        }
        looked += ratios.len();
    }
    (looked >= 2 * ENOUGH).then_some(looked)
}

fn ratio(
    program: &Program,
    left: &Expr,
    right: &Expr,
    all: &[&Symbol],
    value: &dyn Fn(usize) -> BigInt,
) -> Option<f64> {
    let named = |name: &str| {
        all.iter()
            .position(|symbol| *symbol.name == *name)
            .map(value)
    };
    let mut machine = [384, 32, 1 << 40, 1 << 62];
    for (at, name) in ["p", "b", "M", "G"].into_iter().enumerate() {
        if let Some(grown) = named(name) {
            machine[at] = i64::try_from(&grown).ok()?;
        }
    }
    let mut values = Parameters::new();
    for id in &program.formals {
        let name = &program.parameter(*id).name;
        values.set(name, Rational::from(&named(name)?));
    }
    let point = Point::new(program, machine, &values).ok()?;
    let at = |symbol: &Symbol| match parameter(program, symbol) {
        Some(name) => point.parameters.get(name).map(Rational::from),
        None => named(&symbol.name)
            .map(|grown| Rational::from(&grown))
            .or_else(|| letter_named(&symbol.name)),
    };
    let (left, right) = (left.evaluate(&at).ok()?, right.evaluate(&at).ok()?);
    match left.checked_div(&right) {
        Some(ratio) => Some(ratio.to_f64()),
        None if left.is_zero() => Some(0.0),
        None => Some(f64::INFINITY),
    }
}

//! Claims tried far out: at large parameters, where only closed forms reach. Nothing here proves anything; it refutes, or
//! says at how many points a claim held.

use crate::count::Parameters;
use crate::derivation::Derived;
use crate::derivation::letters::symbol_of;
use crate::derivation::verdict::{ClaimedValue, DerivedValue, Refutation, Sides};
use crate::derive::claims::satisfy::satisfying;
use crate::meaning::{Allowance, Point, claim_within, widths};
use crate::number::{BigInt, Rational, Real};
use crate::program::{Claim, ClaimNumber, ParamId, Program};
use crate::sym::{Cond, Expr, Symbol, SymbolKind};
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
/// Places where the difference of the two sides of a claim changes, that are tried.
const MOST_CROSSINGS: usize = 16;
/// Small values that go with them.
const SMALL: [i64; 3] = [1, 2, 64];

/// What trying a claim far out gave.
pub(crate) enum Far {
    /// It held at so many points.
    Held(usize),
    /// It does not hold at some, of which these are the smallest found.
    Refuted(Refutation),
}

/// Tries a claim `=`, `≤` or `≥` on a closed quantity without letters of the cost functions, and first
/// where the difference of its two sides changes.
pub(crate) fn test(
    (program, given): (&Program, &Parameters),
    claim: &Claim,
    quantity: &Derived,
    difference: Option<&Expr>,
    allowance: &Allowance,
) -> Far {
    let mut ends = quantity.ends().peekable();
    if ends.peek().is_none() || ends.any(|end| !end.is_closed() || has_letters(program, end)) {
        return Far::Held(0);
    }
    // What is added up term by term has too many terms far out.
    let adds_up = |number: &ClaimNumber| matches!(number, ClaimNumber::Sum(_));
    if claim.value.holds(&adds_up) {
        return Far::Held(0);
    }
    let fixed = |name: &str| given.get(name).and_then(Rational::to_i64);
    let widths = widths(program, given, &WIDTHS);
    let or = |name, other| fixed(name).unwrap_or(other);
    let usual = [
        or("p", 384),
        or("b", 32),
        or("M", 1 << 20),
        or("G", 1 << 40),
    ];
    let machine = |b| {
        let [p, _, m, g] = usual;
        [p, b, m, g]
    };
    let refuted = |values: &Parameters, machine: [i64; 4]| {
        let fails = |values: &Parameters| {
            let point = Point::within(program, machine, values, allowance).ok()?;
            let found = holds((program, claim), quantity, &point, allowance)?;
            found.err().map(|sides| (point, sides))
        };
        fails(values)?;
        let (point, sides) = smallest(program, given, values.clone(), &fails);
        let mut point = point.values();
        // Of the machine b is always told.
        for (at, name) in [(0, "p"), (2, "M"), (3, "G")] {
            if machine[at] != usual[at] {
                point.0.push((name.to_owned(), machine[at].into()));
            }
        }
        Some(Refutation::At { point, sides })
    };
    let crossings = difference.map_or_else(Vec::new, |form| crossings(program, form));
    let mut held = 0;
    for b in widths {
        // They refute; a claim is told as tested at the points of the grid.
        let suspects = suspects(program, given, &crossings, b).into_iter();
        let suspects = suspects.map(|values| (values, 0));
        let grid = choices(program, given, b).into_iter();
        for (values, points) in suspects.chain(grid.map(|values| (values, 1))) {
            let Ok(point) = Point::within(program, machine(b), &values, allowance) else {
                continue;
            };
            match holds((program, claim), quantity, &point, allowance) {
                None => {}
                Some(Ok(())) => held += points,
                Some(Err(_)) => {
                    if let Some(refutation) = refuted(&values, machine(b)) {
                        return Far::Refuted(refutation);
                    }
                }
            }
        }
    }
    // What no such point meets may be met further out, or with another machine.
    let conditions = difference.map_or_else(Vec::new, |form| {
        [form.conditions_of_terms(), form.conditions()].concat()
    });
    let mut met = met(program, given, &conditions, usual).into_iter();
    let refutation = met.find_map(|(values, machine)| refuted(&values, machine));
    refutation.map_or(Far::Held(held), Far::Refuted)
}

fn has_letters(program: &Program, form: &Expr) -> bool {
    let mut symbols = form.symbols().into_iter();
    symbols.any(|symbol| parameter(program, &symbol).is_none())
}

pub(super) fn parameter<'p>(program: &'p Program, symbol: &Symbol) -> Option<&'p str> {
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

/// Where conditions in a form begin or cease to hold: values of formals, in the other parameters.
fn crossings(program: &Program, form: &Expr) -> Vec<(ParamId, Expr)> {
    let mut open = form.conditions();
    let mut found = Vec::new();
    while let Some(cond) = open.pop() {
        match cond {
            Cond::Not(inner) => open.push(*inner),
            Cond::And(parts) | Cond::Or(parts) => open.extend(parts),
            Cond::NonNegative(e) | Cond::Zero(e) => {
                for id in &program.formals {
                    let crossing = e
                        .linear_in(&symbol_of(program, *id))
                        .and_then(|[offset, slope]| offset.neg().div(&slope));
                    found.extend(crossing.map(|crossing| (*id, crossing)));
                }
            }
            Cond::True | Cond::False | Cond::Divides(..) | Cond::PowerOf(..) => {}
        }
    }
    found.truncate(MOST_CROSSINGS);
    found
}

/// Choices at such values and next to them, all other formals small.
fn suspects(
    program: &Program,
    given: &Parameters,
    crossings: &[(ParamId, Expr)],
    b: i64,
) -> Vec<Parameters> {
    let free = free(program, given);
    let mut list = Vec::new();
    for (id, crossing) in crossings.iter().filter(|(id, _)| free.contains(id)) {
        for small in SMALL {
            let mut values = given.clone();
            for other in &free {
                values.set(&program.parameter(*other).name, small);
            }
            let at = |symbol: &Symbol| match parameter(program, symbol)? {
                "b" => Some(b.into()),
                name => values.get(name).cloned(),
            };
            let Ok(crossing) = crossing.evaluate(&at) else {
                continue;
            };
            let name = &program.parameter(*id).name;
            for near in -1..=1 {
                values.set(name, crossing.floor() + BigInt::from(near));
                list.push(values.clone());
            }
        }
    }
    list
}

/// Points at which conditions of a form seem to hold, and such at which they seem not to: values of formals, and the
/// machine's.
fn met(
    program: &Program,
    given: &Parameters,
    conditions: &[Cond],
    usual: [i64; 4],
) -> Vec<(Parameters, [i64; 4])> {
    let machine = program.machine;
    let places = [machine.p, machine.b, machine.m, machine.g];
    let is_open = |id: &ParamId| given.get(&program.parameter(*id).name).is_none();
    let formals = free(program, given);
    let open: Vec<ParamId> = formals
        .iter()
        .copied()
        .chain(places.into_iter().filter(is_open))
        .collect();
    // b is 1 or more, all else 0 or more.
    let least: Vec<i64> = open.iter().map(|id| i64::from(*id == machine.b)).collect();
    let others: Vec<(Symbol, Expr)> = given
        .iter()
        .filter_map(|(name, value)| {
            let id = program
                .formals
                .iter()
                .chain(&places)
                .find(|id| program.parameter(**id).name == *name)?;
            Some((symbol_of(program, *id), Expr::rational(value.clone())))
        })
        .collect();
    let mut found = Vec::new();
    for cond in conditions.iter().take(MOST_CROSSINGS) {
        let settled = others.iter().fold(cond.clone(), |cond, (symbol, value)| {
            cond.substitute(symbol, value)
        });
        for wanted in [settled.clone(), settled.negate()] {
            for small in SMALL {
                let start = open.iter().map(|id| {
                    let at = places.iter().position(|place| place == id);
                    (symbol_of(program, *id), at.map_or(small, |at| usual[at]))
                });
                let start: Vec<(Symbol, i64)> = start.collect();
                let Some(numbers) = satisfying(&wanted, &start, &least) else {
                    continue;
                };
                let (mut values, mut machine) = (given.clone(), usual);
                for (id, number) in open.iter().zip(numbers) {
                    match places.iter().position(|place| place == id) {
                        Some(at) => machine[at] = number,
                        None => values.set(&program.parameter(*id).name, number),
                    }
                }
                found.push((values, machine));
            }
        }
    }
    found
}

/// Whether a claim holds at a point; the two sides where it does not.
fn holds(
    (program, claim): (&Program, &Claim),
    quantity: &Derived,
    point: &Point,
    allowance: &Allowance,
) -> Option<Result<(), Sides>> {
    let value = |form: &Option<Expr>| {
        let at = |symbol: &Symbol| {
            let name = parameter(program, symbol)?;
            point.parameters.get(name).map(Rational::from)
        };
        form.as_ref()?.evaluate(&at).ok()
    };
    let (lower, upper) = (value(&quantity.lower)?, value(&quantity.upper)?);
    let at = (program, &point.environment);
    let right = claim_within(at, &claim.value, &|_| None, allowance);
    let right = right.ok().flatten()?;
    let [low, high] = [&lower, &upper].map(|end| Real::from(end.clone()));
    let holds = match claim.relation {
        ClaimRelation::Equal if lower != upper => return None,
        ClaimRelation::Equal => low.compare(&right).is_eq(),
        ClaimRelation::AtMost if low.compare(&right).is_gt() => false,
        ClaimRelation::AtMost if high.compare(&right).is_le() => true,
        ClaimRelation::AtLeast if high.compare(&right).is_lt() => false,
        ClaimRelation::AtLeast if low.compare(&right).is_ge() => true,
        ClaimRelation::AtMost
        | ClaimRelation::AtLeast
        | ClaimRelation::BigO
        | ClaimRelation::Omega
        | ClaimRelation::Theta => return None,
    };
    if holds {
        return Some(Ok(()));
    }
    Some(Err(Sides {
        derived: match lower == upper {
            true => DerivedValue::Exactly(lower),
            false if claim.relation == ClaimRelation::AtLeast => DerivedValue::AtMost(upper),
            false => DerivedValue::AtLeast(lower),
        },
        claimed: ClaimedValue::from(&right),
    }))
}

/// Smaller parameters that fail too: each formal in turn is halved as long as that fails, then
/// brought down to where it begins to fail.
fn smallest(
    program: &Program,
    given: &Parameters,
    mut values: Parameters,
    fails: &dyn Fn(&Parameters) -> Option<(Point, Sides)>,
) -> (Point, Sides) {
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

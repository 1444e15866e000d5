//! Claims tried far out: at large parameters, where only closed forms reach. Nothing here proves anything; it refutes, or
//! says at how many points a claim held.

use crate::count::Parameters;
use crate::derivation::letters::{letter, letter_name, symbol_of};
use crate::derivation::verdict::{ClaimedValue, DerivedValue, Refutation, Sides};
use crate::derivation::{Derivation, Derived};
use crate::derive::claims::letters::letter_value;
use crate::meaning::{Allowance, Point, claim_within, widths};
use crate::number::{BigInt, Rational, Real};
use crate::program::{Claim, ClaimNumber, CostSymbol, ParamId, Program};
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

/// A claim `=`, `≤` or `≥` about a quantity, to be tried at points.
pub(crate) struct Trial<'a> {
    pub(crate) program: &'a Program,
    pub(crate) given: &'a Parameters,
    pub(crate) claim: &'a Claim,
    pub(crate) derivation: &'a Derivation,
    pub(crate) allowance: &'a Allowance,
}

/// The two sides of a claim at a point where it does not hold; `None` where that is unknown.
pub(crate) type Outcome = Option<Result<(), Sides>>;

/// Tries a claim on a closed quantity without letters of the cost functions, and first where the
/// difference of its two sides changes.
pub(crate) fn test(trial: &Trial<'_>, right: Option<&Expr>) -> Far {
    let Trial { program, given, .. } = *trial;
    let mut ends = trial.quantity().ends();
    // What is added up term by term has too many terms far out.
    let adds_up = |number: &ClaimNumber| matches!(number, ClaimNumber::Sum(_));
    if !trial.is_closed()
        || trial.claim.value.holds(&adds_up)
        || ends.any(|end| has_letters(program, end))
    {
        return Far::Held(0);
    }
    let machine = |b| {
        let [p, _, m, g] = usual(given);
        [p, b, m, g]
    };
    let difference = right.zip(trial.quantity().upper.as_ref());
    let difference = difference.map(|(right, upper)| right - upper);
    let crossings = difference.map_or_else(Vec::new, |form| crossings(program, &form));
    let mut held = 0;
    for b in widths(program, given, &WIDTHS) {
        // They refute; a claim is told as tested at the points of the grid.
        let suspects = suspects(program, given, &crossings, b).into_iter();
        let suspects = suspects.map(|values| (values, 0));
        let grid = choices(program, given, b).into_iter();
        for (values, points) in suspects.chain(grid.map(|values| (values, 1))) {
            let Ok(point) = Point::within(program, machine(b), &values, trial.allowance) else {
                continue;
            };
            match trial.holds(&point) {
                None => {}
                Some(Ok(())) => held += points,
                Some(Err(_)) => {
                    let holds = |point: &Point| trial.holds(point);
                    if let Some(refutation) = trial.refuted(&values, machine(b), &holds) {
                        return Far::Refuted(refutation);
                    }
                }
            }
        }
    }
    Far::Held(held)
}

/// p, b, M and G where nothing asks for others.
pub(super) fn usual(given: &Parameters) -> [i64; 4] {
    let or = |name, other| given.get(name).and_then(Rational::to_i64).unwrap_or(other);
    [
        or("p", 384),
        or("b", 32),
        or("M", 1 << 20),
        or("G", 1 << 40),
    ]
}

impl Trial<'_> {
    pub(super) fn quantity(&self) -> &Derived {
        self.derivation.quantity(self.claim.quantity)
    }

    /// Whether the quantity has forms, and no sum in them that is added up term by term.
    pub(super) fn is_closed(&self) -> bool {
        let mut ends = self.quantity().ends().peekable();
        ends.peek().is_some() && ends.all(Expr::is_closed)
    }

    /// The refutation at a point that is admitted, or at one with smaller formals, told with the
    /// figures of the machine that are not as usual. `holds` tells whether the claim holds there.
    pub(super) fn refuted(
        &self,
        values: &Parameters,
        machine: [i64; 4],
        holds: &dyn Fn(&Point) -> Outcome,
    ) -> Option<Refutation> {
        let fails = |values: &Parameters| {
            let point =
                Point::if_admitted(self.program, machine, values, self.allowance).ok()??;
            let found = holds(&point)?;
            found.err().map(|sides| (point, sides))
        };
        fails(values)?;
        let (point, sides) = smallest(self.program, self.given, values.clone(), &fails);
        let mut point = point.values();
        // Of the machine b is always told.
        let usual = usual(self.given);
        for (at, name) in [(0, "p"), (2, "M"), (3, "G")] {
            if machine[at] != usual[at] {
                point.0.push((name.to_owned(), machine[at].into()));
            }
        }
        Some(Refutation::At { point, sides })
    }

    /// Whether a claim on a closed quantity holds at a point, by its forms.
    pub(super) fn holds(&self, point: &Point) -> Outcome {
        let at = |symbol: &Symbol| self.value(symbol, point);
        let value = |form: &Option<Expr>| form.as_ref()?.evaluate(&at).ok();
        let quantity = self.quantity();
        let (lower, upper) = (value(&quantity.lower)?, value(&quantity.upper)?);
        let environment = (self.program, &point.environment);
        let letters = |which| self.letter(which, point);
        let right = claim_within(environment, &self.claim.value, &letters, self.allowance);
        compared(self.claim.relation, (lower, upper), &right.ok().flatten()?)
    }

    /// A parameter at a point, or a letter of the cost functions.
    fn value(&self, symbol: &Symbol, point: &Point) -> Option<Rational> {
        match parameter(self.program, symbol) {
            Some(name) => point.parameters.get(name).map(Rational::from),
            None => self.letter(letter_of(symbol)?, point),
        }
    }

    fn letter(&self, which: CostSymbol, point: &Point) -> Option<Rational> {
        match which {
            CostSymbol::Occupancy => {
                let occupancy = self.derivation.occupancy.as_ref()?;
                occupancy.evaluate(&|symbol| self.value(symbol, point)).ok()
            }
            other => self.figure(other),
        }
    }

    /// What a letter but ℓ is worth. One that was given is a number in the forms already.
    pub(super) fn figure(&self, which: CostSymbol) -> Option<Rational> {
        let given = self.given.get(&letter_name(self.program, which));
        given.cloned().or_else(|| letter_value(which))
    }
}

fn letter_of(symbol: &Symbol) -> Option<CostSymbol> {
    let mut letters = CostSymbol::ALL.into_iter();
    letters.find(|which| letter(*which).id == symbol.id)
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
pub(super) fn free(program: &Program, given: &Parameters) -> Vec<ParamId> {
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

/// Compares a quantity between two ends with the right side.
fn compared(
    relation: ClaimRelation,
    (lower, upper): (Rational, Rational),
    right: &Real,
) -> Outcome {
    let [low, high] = [&lower, &upper].map(|end| Real::from(end.clone()));
    let holds = match relation {
        ClaimRelation::Equal if lower != upper => return None,
        ClaimRelation::Equal => low.compare(right).is_eq(),
        ClaimRelation::AtMost if low.compare(right).is_gt() => false,
        ClaimRelation::AtMost if high.compare(right).is_le() => true,
        ClaimRelation::AtLeast if high.compare(right).is_lt() => false,
        ClaimRelation::AtLeast if low.compare(right).is_ge() => true,
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
            false if relation == ClaimRelation::AtLeast => DerivedValue::AtMost(upper),
            false => DerivedValue::AtLeast(lower),
        },
        claimed: ClaimedValue::from(right),
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

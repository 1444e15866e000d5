//! Claims: proved by algebra, refuted by a counterexample, or tested on a grid (language.md §4.5).

mod families;
pub(crate) mod letters;
pub(crate) mod probe;
mod rays;
pub(crate) mod samples;
mod sought;

use num_bigint::BigInt;

use crate::count::{Counts, Parameters, Quantity};
use crate::derivation::letters::symbol_of;
use crate::derivation::verdict::{Constant, Refutation, Undecided, Verdict};
use crate::derivation::{Derivation, Derived, DerivedClaim};
use crate::derive::claims::families::families;
use crate::meaning::{Allowance, Point};
use crate::program::{Claim, Program};
use crate::sym::order::{self, Order};
use crate::sym::{Cond, Expr, Facts, Symbol, SymbolKind};
use crate::symbolic::result::blocks_of_lines;
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;
use crate::symbolic::symbols::Symbols;
use crate::syntax::ast::ClaimRelation;

/// How much may be tried for all claims together: those that come with the tool take some thousand.
const WORK_OF_CLAIMS: u64 = 150_000;

/// Judges every claim of a program, in text order. What is evaluated at points keeps within an
/// allowance.
pub(crate) fn judge(
    program: &Program,
    given: &Parameters,
    derivation: &Derivation,
    symbols: &Symbols<'_>,
    facts: &Facts,
    allowance: &Allowance,
) -> Vec<DerivedClaim> {
    let samples = samples::Samples::new(program, given, derivation, allowance);
    // Whatever the derivation took.
    let facts = &facts.with_work(WORK_OF_A_TOTAL);
    facts.limit_in_all(WORK_OF_CLAIMS);
    let judged = program.claims.iter().map(|claim| DerivedClaim {
        text: program.clause(claim.span).to_owned(),
        line: program.line(claim.span),
        verdict: verdict(program, claim, derivation, symbols, facts, &samples),
    });
    judged.collect()
}

/// What claims say that a quantity is at most, where it is proved of one whose class is only a bound.
pub(crate) fn proved_bounds(
    program: &Program,
    derivation: &Derivation,
    symbols: &Symbols<'_>,
    facts: &Facts,
) -> Vec<(Quantity, Expr)> {
    let judged = program.claims.iter().zip(&derivation.claims);
    let bounding = judged.filter(|(claim, judged)| {
        matches!(claim.relation, ClaimRelation::AtMost | ClaimRelation::Equal)
            && judged.verdict == Verdict::Proved
            && !derivation.has_tight_class(claim.quantity)
    });
    let bound = |claim: &Claim| {
        Some((
            claim.quantity,
            facts.simplify(&symbols.expr(&claim.value).ok()?),
        ))
    };
    bounding.filter_map(|(claim, _)| bound(claim)).collect()
}

fn verdict(
    program: &Program,
    claim: &Claim,
    derivation: &Derivation,
    symbols: &Symbols<'_>,
    facts: &Facts,
    samples: &samples::Samples<'_>,
) -> Verdict {
    facts.allow(WORK_OF_A_TOTAL);
    let quantity = derivation.quantity(claim.quantity);
    let right = symbols.expr(&claim.value).ok();
    // A form that is claimed as it is derived takes no work.
    let is_word_for_word = |right: &Expr| match claim.relation {
        ClaimRelation::Equal => quantity.is_exact() && quantity.upper.as_ref() == Some(right),
        ClaimRelation::AtMost => quantity.upper.as_ref() == Some(right),
        ClaimRelation::AtLeast => quantity.lower.as_ref() == Some(right),
        ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => false,
    };
    if right.as_ref().is_some_and(is_word_for_word) {
        return Verdict::Proved;
    }
    let is_spent = facts.is_spent();
    let right = right.filter(|_| !is_spent);
    let right = right.map(|right| facts.simplify(&right));
    match claim.relation {
        ClaimRelation::Equal | ClaimRelation::AtMost | ClaimRelation::AtLeast => {
            let is_below = |right: &Expr| {
                let is_bound = claim.relation == ClaimRelation::AtMost;
                facts.allow(WORK_OF_A_TOTAL);
                let mut others = other_bounds(derivation, claim.quantity);
                is_bound && others.any(|bound| facts.proves(&Cond::le(bound, right)))
            };
            let proved = right.as_ref().is_some_and(|right| {
                proves(claim.relation, quantity, right, facts) || is_below(right)
            });
            if proved {
                return Verdict::Proved;
            }
            samples.test(claim, right.as_ref(), &facts.conditions())
        }
        ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => {
            let Some(right) = right else {
                return Verdict::Open(if is_spent {
                    Undecided::Spent
                } else {
                    Undecided::NoRightSide
                });
            };
            match asymptotic(program, derivation, claim, &right, facts) {
                Verdict::Open(why) => match letters(quantity, &right) {
                    Some(letters) => Verdict::Open(Undecided::Letters(letters)),
                    None => refuted_along(program, claim.relation, quantity, &right, facts)
                        .or_else(|| {
                            let looked = looked_at(program, claim.relation, quantity, &right);
                            looked.map(Verdict::Tested)
                        })
                        .unwrap_or(Verdict::Open(why)),
                },
                decided => decided,
            }
        }
    }
}

/// Refutes what was not proved of the claims and is not so in a run on data at `point`, which counted
/// `counts`: between the bounds that are derived, data decide.
///
/// ```
/// use atgpu::derivation::Verdict;
/// use atgpu::derive::{derive, hold_against_run};
///
/// let text = "algorithm Seldom()\n  input A[b] in 0..999\n  global a[b]\n  shared _x[b]\n  \
///             claim io = 2\n  a ⇚ A\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
///             for all c_{i,j} ∈ C_i in parallel do\n      _x[j] ⇐ a[j]\n      \
///             if _x[j] > 998 then\n        _x[j] ⇐ a[b - 1 - j]\n      end if\n    \
///             end for\n  end for\n";
/// let program = atgpu::program(text)?;
/// let mut derivation = derive(&program, &().into());
/// assert!(matches!(derivation.claims[0].verdict, Verdict::Open(_)));
/// let card = atgpu::machine::Machine::built_in("gtx650").expect("built in");
/// let point = atgpu::meaning::Point::new(&program, card.atgpu.numbers(), &().into()).expect("admitted");
/// let run = program.run(&card, (), &atgpu::exec::Options::default())?; // no word is above 998: one block read
/// hold_against_run(&program, &mut derivation, &point, run.counts());
/// assert!(matches!(derivation.claims[0].verdict, Verdict::Refuted(_)));
/// # Ok::<(), atgpu::Error>(())
/// ```
#[doc(hidden)]
pub fn hold_against_run(
    program: &Program,
    derivation: &mut Derivation,
    point: &Point,
    counts: &Counts<BigInt>,
) {
    let run = samples::Sample::of_run(point, counts);
    for (claim, derived) in program.claims.iter().zip(&mut derivation.claims) {
        if matches!(derived.verdict, Verdict::Tested(_) | Verdict::Open(_))
            && let Some(refutation) = samples::refuted_by_run(program, claim, &run)
        {
            derived.verdict = Verdict::Refuted(refutation);
        }
    }
}

fn proves(relation: ClaimRelation, quantity: &Derived, right: &Expr, facts: &Facts) -> bool {
    let (Some(lower), Some(upper)) = (&quantity.lower, &quantity.upper) else {
        return false;
    };
    let at_most = |left: &Expr, right: &Expr| facts.prove(&Cond::ge(right, left)) == Some(true);
    match relation {
        ClaimRelation::Equal => {
            let equal = |end: &Expr| {
                right == end
                    || facts.is_always_zero(&(right - end))
                    || facts.prove(&Cond::eq(right, end)) == Some(true)
            };
            equal(upper) && (lower == upper || equal(lower))
        }
        ClaimRelation::AtMost => {
            facts.simplify(&(right - upper)).is_zero() || at_most(upper, right)
        }
        ClaimRelation::AtLeast => {
            facts.simplify(&(lower - right)).is_zero() || at_most(right, lower)
        }
        ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => false,
    }
}

/// Other upper bounds on a quantity: the short one and the coarse ones.
fn other_bounds(derivation: &Derivation, of: Quantity) -> impl Iterator<Item = &Expr> {
    let short = &derivation.quantity(of).short;
    let coarse = &derivation.coarse;
    let coarse = match of {
        Quantity::Io => [&coarse.io, &None],
        Quantity::Cost => [&coarse.cost, &None],
        Quantity::GpuCost => [&coarse.gpu_cost, &coarse.gpu_cost_by_full_waves],
        _ => [&None, &None],
    };
    short.iter().chain(coarse.into_iter().flatten())
}

fn asymptotic(
    program: &Program,
    derivation: &Derivation,
    claim: &Claim,
    right: &Expr,
    facts: &Facts,
) -> Verdict {
    let quantity = derivation.quantity(claim.quantity);
    let growing = growing(program, right);
    let of_end = |end: &Expr, within, missing, undecided| match within {
        Some(true) => Verdict::Proved,
        Some(false) if quantity.is_exact() => {
            let growing = growing.iter();
            let growing = growing.filter(|symbol| !order::stays_small(symbol, facts));
            let growing = growing.map(|symbol| symbol.name.to_string());
            Verdict::Refuted(Refutation::Growing {
                growing: growing.collect(),
                along: None,
                missing,
                ratio: ratio(end, right, facts),
            })
        }
        Some(false) | None => Verdict::Open(undecided),
    };
    let above = || match &quantity.upper {
        Some(upper) => {
            let is_within = |bound: &Expr| order::is_surely_big_o(bound, right, &growing, facts);
            let width = symbol_of(program, program.machine.b);
            let is_plainly_within = |bound: &Expr| {
                let plain = facts.above(bound, Some(&width));
                plain.is_some_and(|plain| is_within(&plain))
            };
            let within = order::is_big_o(upper, right, &growing, facts).or_else(|| {
                facts.allow(WORK_OF_A_TOTAL);
                let mut others = other_bounds(derivation, claim.quantity);
                let is_below = others.any(|bound| is_plainly_within(bound) || is_within(bound));
                is_below.then_some(true)
            });
            of_end(upper, within, Constant::Above, Undecided::Growth)
        }
        None => Verdict::Open(Undecided::NotDerived),
    };
    let below = || match &quantity.lower {
        Some(lower) => {
            let within = order::is_big_o(right, lower, &growing, facts).or_else(|| {
                let is_reached = || {
                    let parts = blocks_of_lines(derivation, facts);
                    Order::new(&growing, facts).is_reached(right, &parts)
                };
                (claim.quantity == Quantity::Io && is_reached()).then_some(true)
            });
            of_end(lower, within, Constant::Below, Undecided::LowerBound)
        }
        None => Verdict::Open(Undecided::LowerBound),
    };
    match claim.relation {
        ClaimRelation::Omega => below(),
        ClaimRelation::Theta => match above() {
            Verdict::Proved => below(),
            unproved => unproved,
        },
        ClaimRelation::Equal
        | ClaimRelation::AtMost
        | ClaimRelation::AtLeast
        | ClaimRelation::BigO => above(),
    }
}

/// A class that does not hold where the formals are a few times b.
fn refuted_along(
    program: &Program,
    relation: ClaimRelation,
    quantity: &Derived,
    right: &Expr,
    facts: &Facts,
) -> Option<Verdict> {
    let width = symbol_of(program, program.machine.b);
    let mut constants = constants(program).into_iter();
    if !quantity.is_exact() || constants.any(|constant| right.contains(&constant)) {
        return None;
    }
    let value = quantity.upper.as_ref()?;
    facts.allow(WORK_OF_A_TOTAL);
    families(program, facts).into_iter().find_map(|family| {
        let [value, right] = [value, right].map(|side| family.along(side));
        let growing = std::slice::from_ref(&width);
        let escapes = |one: &Expr, other: &Expr| {
            order::is_big_o(one, other, growing, &family.facts) == Some(false)
        };
        let missing = match relation {
            ClaimRelation::BigO | ClaimRelation::Theta if escapes(&value, &right) => {
                Constant::Above
            }
            ClaimRelation::Omega | ClaimRelation::Theta if escapes(&right, &value) => {
                Constant::Below
            }
            _ => return None,
        };
        Some(Verdict::Refuted(Refutation::Growing {
            growing: vec![width.name.to_string()],
            along: Some(family.told.clone()),
            missing,
            ratio: ratio(&value, &right, &family.facts),
        }))
    })
}

/// What is derived over what is claimed.
fn ratio(derived: &Expr, claimed: &Expr, facts: &Facts) -> Option<Expr> {
    derived.div(claimed).map(|ratio| facts.simplify(&ratio))
}

/// Figures of the machine that the quantity grows with, α to σ, and the right side does not name.
fn letters(quantity: &Derived, right: &Expr) -> Option<Vec<String>> {
    let named = right.symbols();
    let ends = [&quantity.lower, &quantity.upper].into_iter().flatten();
    let mut letters: Vec<String> = Vec::new();
    for symbol in ends.flat_map(Expr::symbols) {
        let name = symbol.name.to_string();
        if symbol.id.kind == SymbolKind::Letter
            && !named.contains(&symbol)
            && !letters.contains(&name)
        {
            letters.push(name);
        }
    }
    (!letters.is_empty()).then_some(letters)
}

/// At how many points the ratios that matter were looked at and stayed bounded.
fn looked_at(
    program: &Program,
    relation: ClaimRelation,
    quantity: &Derived,
    right: &Expr,
) -> Option<usize> {
    let (growing, claimed) = (growing(program, right), right.symbols());
    let mut looked = 0;
    if relation != ClaimRelation::Omega {
        let upper = quantity.upper.as_ref()?;
        looked += rays::stays_bounded(program, upper, right, (&growing, &claimed))?;
    }
    if relation != ClaimRelation::BigO {
        let lower = quantity.lower.as_ref()?;
        looked += rays::stays_bounded(program, right, lower, (&growing, &claimed))?;
    }
    Some(looked)
}

/// What grows in an O: the formal parameters and b; p, M and G when the claim names them.
pub(crate) fn growing(program: &Program, right: &Expr) -> Vec<Symbol> {
    let always = program.formals.iter().copied().chain([program.machine.b]);
    let always = always.map(|parameter| symbol_of(program, parameter));
    let mentioned = constants(program).into_iter();
    always
        .chain(mentioned.filter(|constant| right.contains(constant)))
        .collect()
}

/// p, M and G, which no class takes for growing but one that names them.
fn constants(program: &Program) -> [Symbol; 3] {
    let machine = program.machine;
    [machine.p, machine.m, machine.g].map(|parameter| symbol_of(program, parameter))
}

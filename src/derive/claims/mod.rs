//! Claims: proved by algebra, refuted by a counterexample, or tested on a grid (language.md §4.5).

pub(crate) mod letters;
pub(crate) mod probe;
pub(crate) mod samples;

use crate::count::Parameters;
use crate::derivation::letters::symbol_of;
use crate::derivation::{Derivation, DerivedClaim, Quantity, Verdict};
use crate::program::{Claim, ParamId, Program};
use crate::sym::{Cond, Expr, Facts, Symbol, order};
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;
use crate::symbolic::symbols::Symbols;
use crate::syntax::ast::ClaimRelation;

/// How much may be tried for all claims together: those that come with the tool take some thousand.
const WORK_OF_CLAIMS: u64 = 150_000;

/// Judges every claim of a program, in text order.
pub(crate) fn judge(
    program: &Program,
    given: &Parameters,
    derivation: &Derivation,
    symbols: &Symbols<'_>,
    facts: &Facts,
) -> Vec<DerivedClaim> {
    let mut samples = samples::Samples::new(program, given, derivation);
    facts.limit_in_all(WORK_OF_CLAIMS);
    let judged = program.claims.iter().map(|claim| DerivedClaim {
        text: claim_text(program, claim),
        line: program.line(claim.span),
        verdict: verdict(program, claim, derivation, symbols, facts, &mut samples),
    });
    judged.collect()
}

/// The claim as written, without its keyword.
pub fn claim_text(program: &Program, claim: &Claim) -> String {
    let text = program.source.slice(claim.span).trim();
    text.strip_prefix("claim").unwrap_or(text).trim().to_owned()
}

fn verdict(
    program: &Program,
    claim: &Claim,
    derivation: &Derivation,
    symbols: &Symbols<'_>,
    facts: &Facts,
    samples: &mut samples::Samples<'_>,
) -> Verdict {
    facts.allow(WORK_OF_A_TOTAL);
    let quantity = derivation.quantity(claim.quantity);
    let is_spent = facts.is_spent();
    let right = match is_spent {
        true => None,
        false => symbols.expr(&claim.value).ok(),
    };
    let right = right.map(|right| facts.simplify(&right));
    match claim.relation {
        ClaimRelation::Equal | ClaimRelation::AtMost => {
            let proved = right
                .as_ref()
                .is_some_and(|right| proves(claim.relation, quantity, right, facts));
            if proved {
                Verdict::Proved
            } else {
                samples.test(claim)
            }
        }
        ClaimRelation::BigO | ClaimRelation::Theta => {
            let Some(right) = right else {
                let why = match is_spent {
                    true => "not judged: gave up after the most steps allowed",
                    false => "the algebra has no form of the right side",
                };
                return Verdict::Open(why.to_owned());
            };
            match asymptotic(program, claim.relation, quantity, &right, facts) {
                Verdict::Open(why) => looked_at(program, claim.relation, quantity, &right)
                    .map_or(Verdict::Open(why), Verdict::Tested),
                decided => decided,
            }
        }
    }
}

fn proves(relation: ClaimRelation, quantity: &Quantity, right: &Expr, facts: &Facts) -> bool {
    let (Some(lower), Some(upper)) = (&quantity.lower, &quantity.upper) else {
        return false;
    };
    let at_most = |left: &Expr, right: &Expr| facts.prove(&Cond::ge(right, left)) == Some(true);
    match relation {
        ClaimRelation::Equal => {
            let equal = |end: &Expr| {
                facts.is_always_zero(&right.sub(end))
                    || facts.prove(&Cond::eq(right, end)) == Some(true)
            };
            equal(upper) && (lower == upper || equal(lower))
        }
        ClaimRelation::AtMost => {
            facts.simplify(&right.sub(upper)).is_zero() || at_most(upper, right)
        }
        ClaimRelation::BigO | ClaimRelation::Theta => false,
    }
}

fn asymptotic(
    program: &Program,
    relation: ClaimRelation,
    quantity: &Quantity,
    right: &Expr,
    facts: &Facts,
) -> Verdict {
    let growing = growing(program, right);
    let Some(upper) = &quantity.upper else {
        return Verdict::Open("the quantity was not derived".to_owned());
    };
    let within = order::is_big_o(upper, right, &growing, facts);
    let refuted = |what: &str| Verdict::Refuted {
        counterexample: format!("{} → ∞", names(&growing)),
        values: what.to_owned(),
    };
    match (relation, within) {
        (ClaimRelation::BigO, Some(true)) => Verdict::Proved,
        (ClaimRelation::Theta, Some(true)) => {
            let reaches = quantity
                .lower
                .as_ref()
                .and_then(|lower| order::is_big_o(right, lower, &growing, facts));
            match reaches {
                Some(true) => Verdict::Proved,
                Some(false) if quantity.is_exact() => refuted(&format!(
                    "no constant above 0 is below the ratio{}",
                    shown(upper, right, facts)
                )),
                Some(false) | None => {
                    Verdict::Open("the algebra does not decide the lower bound".to_owned())
                }
            }
        }
        (_, Some(false)) if quantity.is_exact() => refuted(&format!(
            "no constant bounds the ratio{}",
            shown(upper, right, facts)
        )),
        (_, _) => Verdict::Open("the algebra does not decide it".to_owned()),
    }
}

/// The ratio, where it is an expression, as the end of a sentence that speaks of it.
fn shown(upper: &Expr, right: &Expr, facts: &Facts) -> String {
    let ratio = upper.div(right).map(|ratio| facts.simplify(&ratio));
    ratio.map_or_else(String::new, |ratio| format!(": it is {ratio}"))
}

/// At how many points both ratios that matter were looked at and stayed bounded.
fn looked_at(
    program: &Program,
    relation: ClaimRelation,
    quantity: &Quantity,
    right: &Expr,
) -> Option<usize> {
    let growing = growing(program, right);
    let above = probe::stays_bounded(program, quantity.upper.as_ref()?, right, &growing)?;
    if relation == ClaimRelation::BigO {
        return Some(above);
    }
    let below = probe::stays_bounded(program, right, quantity.lower.as_ref()?, &growing)?;
    Some(above + below)
}

/// What grows in an O: the formal parameters and b; p, M and G when the claim names them.
pub(crate) fn growing(program: &Program, right: &Expr) -> Vec<Symbol> {
    let machine = program.machine;
    let named = right.symbols();
    let always = program.formals.iter().copied().chain([machine.b]);
    let mentioned = [machine.p, machine.m, machine.g]
        .into_iter()
        .filter(|parameter: &ParamId| named.contains(&symbol_of(program, *parameter)));
    always
        .chain(mentioned)
        .map(|parameter| symbol_of(program, parameter))
        .collect()
}

fn names(symbols: &[Symbol]) -> String {
    let names: Vec<&str> = symbols.iter().map(|symbol| &*symbol.name).collect();
    names.join(", ")
}

//! The derivation of a program with its claims judged, and numbers at a point.
//!
//! [`derive()`] takes a checked [`Program`] and gives the [`Derivation`] of `symbolic` with claims proved,
//! refuted or tested ([`claims`]), and without formulas that counting contradicts ([`agreement`]).
//! [`mod@numbers`] gives numbers at a point: from closed forms if they are exact, otherwise counted over
//! intervals. [`closing()`] searches for a `require` that would give a short exact form,
//! [`splitting()`] for a guard that would.
//!
//! Nothing is counted here: `symbolic` and `interval` count, and never see each other.

pub(crate) mod agreement;
pub(crate) mod claims;
mod closing;
mod error;
#[doc(hidden)]
pub mod numbers;
mod splitting;

#[doc(hidden)]
pub use claims::hold_against_run;
pub use closing::{Closing, closing};
pub use splitting::{Splitting, splitting};

use crate::count::Parameters;
use crate::derivation::{Derivation, Verdict};
use crate::diag::Diagnostic;
use crate::machine::CycleRules;
use crate::meaning::{Allowance, Point};
use crate::program::{ClaimRelation, Program};
use crate::room::with_room;
use crate::symbolic::result::classes;
use crate::symbolic::{self, Charging, Extent, Tells, Walked};

/// Derives the counts and costs of a program. Parameters stay symbols, the machine's too, except those in
/// `given`.
///
/// Never fails: a quantity without a closed form is `None` or a bound, with its reason in `bounds`. First
/// every total is compared with counts at small parameters. A total that differs is `None`, and listed in
/// [`Derivation::contradictions`].
///
/// Runs on a stack large enough for the deepest program, larger than the caller's if that is small. In
/// WebAssembly it runs on the caller's stack.
///
/// ```
/// use atgpu::derive::derive;
///
/// let program = atgpu::examples::vector_addition();
/// let derivation = derive(&program, &().into());
/// assert_eq!(derivation.formula("gpu_cost")?.to_string(), "3α + 3nβ + (13⌈k/(k'ℓ)⌉ + 3kλ)/γ + σ");
/// let at = derive(&program, &[("n", 64), ("b", 32)].into());
/// assert_eq!(at.formula("io")?.to_string(), "6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derive(program: &Program, given: &Parameters) -> Derivation {
    derive_charged(program, given, None)
}

/// Returns the faults of values for a derivation, where some values may still be missing: values that
/// violate a `require` whatever the others are, and `require`s that contradict each other. From a
/// contradiction anything could be proved.
#[doc(hidden)]
pub fn faults_of_given(program: &Program, given: &Parameters) -> Vec<Diagnostic> {
    let faults = Point::faults_of_some(program, given);
    if !faults.is_empty() {
        return faults;
    }
    let contradicted = symbolic::header::contradicted(program, given);
    let fault = contradicted.map(|span| Point::contradicted(program, span));
    fault.into_iter().collect()
}

/// Derives as [`derive()`] does, with the charges of every round under a machine's own rules and weights.
/// The rules of half-warps need b in `given`.
///
/// ```
/// use atgpu::{derive::derive_charged, machine::Machine};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx280").expect("built in");
/// let cycle_rules = card.cycle_rules().expect("known");
/// let derivation = derive_charged(&program, &[("b", 32)].into(), Some(&cycle_rules));
/// let charges = derivation.rounds[0].charges.as_ref().expect("asked for");
/// let transactions = charges.memory_transactions.upper.as_ref().expect("closed");
/// assert_eq!(transactions.to_string(), "3n/16");
/// ```
pub fn derive_charged(
    program: &Program,
    given: &Parameters,
    cycle_rules: Option<&CycleRules>,
) -> Derivation {
    with_room(|| derived(program, given, cycle_rules, Extent::EVERYTHING))
}

/// Derives as [`derive()`] does, with t as [`CountOptions::charge_conflicts`] defines it: each shared
/// operand costs its degree. Claims are about the t without this charge, so they are not judged.
///
/// [`CountOptions::charge_conflicts`]: crate::interval::CountOptions::charge_conflicts
#[doc(hidden)]
pub fn derive_conflicting(program: &Program, given: &Parameters) -> Derivation {
    compared(program, given, true)
}

/// Derives as [`derive()`] does, for callers that only need counts and costs: claims are not judged, and classes and
/// short bounds are left out.
#[doc(hidden)]
pub fn derive_counts(program: &Program, given: &Parameters) -> Derivation {
    compared(program, given, false)
}

/// The counts, held against counting.
fn compared(program: &Program, given: &Parameters, conflicts: bool) -> Derivation {
    with_room(|| {
        let charging = Charging {
            conflicts,
            cycle_rules: None,
        };
        let mut derivation = symbolic::walked(program, given, charging, Extent::COUNTS).derivation;
        let compared = agreement::compare(program, given, &derivation);
        agreement::withhold(program, &mut derivation, compared.contradictions);
        derivation
    })
}

/// Derives as [`derive()`] does, for callers that only need verdicts. Claims are judged and formulas are
/// compared with counts, but classes are left out. Short bounds on open totals are computed only if a claim
/// may need them.
#[doc(hidden)]
pub fn derive_to_judge(program: &Program, given: &Parameters) -> Derivation {
    with_room(|| {
        let judged = derived(program, given, None, Extent::COUNTS);
        if may_be_within_a_short_bound(program, &judged) {
            derived(program, given, None, Extent::BOUNDS)
        } else {
            judged
        }
    })
}

/// Work of a derivation in passing. `check` takes some tens of milliseconds, and what this does not decide is left to who
/// asks about claims.
const WORK_IN_PASSING: u64 = 20_000;

/// Derives as [`derive_to_judge`] does, with little work, where a remark beside another result is all that may come of it.
#[doc(hidden)]
pub fn derive_in_passing(program: &Program, given: &Parameters) -> Derivation {
    let extent = Extent {
        most_work: WORK_IN_PASSING,
        ..Extent::COUNTS
    };
    with_room(|| derived(program, given, None, extent))
}

/// Returns true if a claim with an upper bound is undecided and its quantity has no short bound yet.
fn may_be_within_a_short_bound(program: &Program, derivation: &Derivation) -> bool {
    let mut claims = program.claims.iter().zip(&derivation.claims);
    claims.any(|(claim, judged)| {
        use ClaimRelation::{AtMost, BigO, Theta};
        let is_above = matches!(claim.relation, AtMost | BigO | Theta);
        let quantity = derivation.quantity(claim.quantity);
        let is_bounded = quantity.upper.is_none() || quantity.short.is_some();
        is_above && is_undecided(&judged.verdict) && !is_bounded
    })
}

fn is_undecided(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Tested(_) | Verdict::Open(_))
}

/// Budget of values for the sums of all claims at their test points.
const VALUES_OF_CLAIMS: u64 = 200_000;

fn derived(
    program: &Program,
    given: &Parameters,
    cycle_rules: Option<&CycleRules>,
    extent: Extent,
) -> Derivation {
    let charging = Charging {
        conflicts: false,
        cycle_rules,
    };
    let Walked {
        mut derivation,
        symbols,
        facts,
    } = symbolic::walked(program, given, charging, extent);
    // Charges are derived beside counts that were compared in an earlier derivation.
    if cycle_rules.is_none() {
        let compared = agreement::compare(program, given, &derivation);
        agreement::withhold(program, &mut derivation, compared.contradictions);
        derivation.loose = compared.loose;
    }
    let allowance = Allowance::of(VALUES_OF_CLAIMS);
    derivation.claims = claims::judge(program, given, &derivation, &symbols, &facts, &allowance);
    if extent.tells >= Tells::Classes {
        let proved = claims::proved_bounds(program, &derivation, &symbols, &facts);
        if !proved.is_empty() {
            derivation.classes = classes(program, &derivation, &proved, &facts);
        }
    }
    if given.iter().next().is_some() {
        judge_as_without_values(program, &mut derivation);
    }
    derivation.facts = facts.used();
    derivation.facts.extend(assumption(program));
    derivation
}

/// The assumption under which the counts hold, in words.
fn assumption(program: &Program) -> Option<String> {
    let most = program.assumed_contention()?;
    Some(format!("contention ≤ {most} (assumed)"))
}

/// Judges again without given values. The parameters in O and Θ grow, given or not (language.md §5). For
/// the other claims a proof without values holds with them too; with numbers in place of symbols some
/// proofs are not found.
fn judge_as_without_values(program: &Program, derivation: &mut Derivation) {
    let claims = program.claims.iter().zip(&mut derivation.claims);
    let unsettled: Vec<_> = claims
        .enumerate()
        .filter(|(_, (claim, judged))| {
            claim.relation.is_asymptotic() || is_undecided(&judged.verdict)
        })
        .collect();
    if unsettled.is_empty() {
        return;
    }
    let mut growing = derived(program, &Parameters::new(), None, Extent::COUNTS).claims;
    for (at, (claim, judged)) in unsettled {
        if claim.relation.is_asymptotic() || growing[at].verdict == Verdict::Proved {
            std::mem::swap(judged, &mut growing[at]);
        }
    }
}

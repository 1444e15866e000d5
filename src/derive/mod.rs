//! What a program derives to, judged: claims proved, refuted or tested, and numbers at a point.
//!
//! Takes a checked [`Program`]; [`derive()`] gives the [`Derivation`] of `symbolic` with its claims
//! judged ([`claims`]), and without the formulas that counting contradicts ([`agreement`]); [`mod@numbers`] gives numbers at a point, from closed forms where they are
//! exact, else counted over intervals; [`closing()`] tries which `require` would give a short exact form.
//!
//! Counts nothing itself: `symbolic` and `interval` do, and never see each other.

pub(crate) mod agreement;
pub(crate) mod claims;
mod closing;
mod error;
#[doc(hidden)]
pub mod numbers;

#[doc(hidden)]
pub use claims::hold_against_run;
pub use closing::{Closing, closing};

use crate::count::Parameters;
use crate::derivation::{Derivation, Verdict};
use crate::diag::Diagnostic;
use crate::machine::CycleRules;
use crate::meaning::{Allowance, Point};
use crate::program::{ClaimRelation, Program};
use crate::room::with_room;
use crate::symbolic::result::classes;
use crate::symbolic::{self, Charging, Extent, Tells, Walked};

/// Derives a program's counts and costs. Parameters stay symbols, those of the machine too, but for
/// those `given`.
///
/// Never fails: what has no closed form is `None` or a bound in the result, listed in its `bounds`.
/// Every total is held against counting at small parameters first; one that differs is `None`, and
/// listed in [`Derivation::contradictions`].
///
/// Works on a stack large enough for the deepest program, on a larger one than the caller's where that
/// is small; in WebAssembly on the caller's.
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

/// What keeps values from a derivation of which some may still be to come: those that violate a `require`
/// whatever the others are, and `require`s that contradict each other, so that anything could be proved.
///
/// ```
/// use atgpu::derive::faults_of_given;
///
/// let program = atgpu::program("algorithm T(n)\n  require n ≥ 5 ∧ n ≤ b\n  require b ≤ 3\n")?;
/// assert_eq!(faults_of_given(&program, &().into())[0].code.short_name(), "require::violated");
/// assert_eq!(faults_of_given(&program, &[("n", 4)].into())[0].message, "`n ≥ 5 ∧ n ≤ b` does not hold for n = 4");
/// # Ok::<(), atgpu::Error>(())
/// ```
#[doc(hidden)]
pub fn faults_of_given(program: &Program, given: &Parameters) -> Vec<Diagnostic> {
    let faults = Point::faults_of_some(program, given);
    if !faults.is_empty() {
        return faults;
    }
    let contradicted = symbolic::contradicted(program, given);
    let fault = contradicted.map(|span| Point::contradicted(program, span));
    fault.into_iter().collect()
}

/// As [`derive()`], and with the charges of every round under a machine's own rules and weights. The
/// rules of half-warps need b `given`.
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

/// As [`derive()`], with t as [`CountOptions::charge_conflicts`] has it: each shared operand costs its
/// degree. Claims speak of the t that is not charged, and are not judged.
///
/// ```
/// use atgpu::derive::derive_conflicting;
///
/// let text = "algorithm T(s)\n  require s ≥ 1\n  shared _s[s*b]\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
///             for all c_{i,j} ∈ C_i in parallel do\n      _s[s*j] ← 1\n    end for\n  end for\n";
/// let program = atgpu::program(text)?;
/// assert_eq!(program.derive()?.formula("time")?.to_string(), "2");
/// let charged = derive_conflicting(&program, &().into());
/// assert_eq!(charged.formula("time")?.to_string(), "gcd(s, b) + 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`CountOptions::charge_conflicts`]: crate::interval::CountOptions::charge_conflicts
#[doc(hidden)]
pub fn derive_conflicting(program: &Program, given: &Parameters) -> Derivation {
    with_room(|| {
        let charging = Charging {
            conflicts: true,
            cycle_rules: None,
        };
        let mut derivation = symbolic::walked(program, given, charging, Extent::COUNTS).derivation;
        let found = agreement::contradictions(program, given, &derivation);
        agreement::withhold(program, &mut derivation, found);
        derivation
    })
}

/// As [`derive()`], for those who only ask what holds: claims are judged and formulas are held against
/// counting, but there are no classes, and short bounds of open totals only where a claim may need them.
///
/// ```
/// use atgpu::derive::{derive, derive_to_judge};
///
/// let program = atgpu::examples::vector_addition();
/// let judged = derive_to_judge(&program, &().into());
/// assert!(judged.classes.is_empty());
/// assert_eq!(judged.totals, derive(&program, &().into()).totals);
/// ```
#[doc(hidden)]
pub fn derive_to_judge(program: &Program, given: &Parameters) -> Derivation {
    with_room(|| {
        let judged = derived(program, given, None, Extent::COUNTS);
        match may_be_within_a_short_bound(program, &judged) {
            true => derived(program, given, None, Extent::BOUNDS),
            false => judged,
        }
    })
}

/// Whether a claim of what a quantity is at most was not decided, and is of one that has no short bound yet.
fn may_be_within_a_short_bound(program: &Program, derivation: &Derivation) -> bool {
    let mut claims = program.claims.iter().zip(&derivation.claims);
    claims.any(|(claim, judged)| {
        use ClaimRelation::{AtMost, BigO, Theta};
        let is_above = matches!(claim.relation, AtMost | BigO | Theta);
        let upper = derivation.quantity(claim.quantity).upper.as_ref();
        let is_bounded = upper.is_none_or(|upper| derivation.plain.get(upper).is_some());
        is_above && is_undecided(&judged.verdict) && !is_bounded
    })
}

fn is_undecided(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Tested(_) | Verdict::Open(_))
}

/// Values that the sums of all claims may run through at the points they are tested at.
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
    // What a machine charges stands beside counts that were looked at already.
    if cycle_rules.is_none() {
        let found = agreement::contradictions(program, given, &derivation);
        agreement::withhold(program, &mut derivation, found);
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
    derivation
}

/// In O and Θ the parameters grow, given or not (language.md §5); and a value takes no proof away, though with
/// a number in a symbol's place some are not found.
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

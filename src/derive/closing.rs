//! Searches for a `require` that would close a total without a short exact form, by trying the usual ones.
//!
//! Derives the same program with one or two more `require`s and looks for exact, closed, short totals.
//! Proves nothing about the program as it is.
//! more `require`s, where that is exact, closed and short. Proves nothing of the program as it is.

use crate::check::check_text;
use crate::count::{Parameters, Quantity};
use crate::derivation::{Derivation, Derived, Touched};
use crate::derive::agreement;
use crate::meaning::{Allowance, widths};
use crate::program::Program;
use crate::room::with_room;
use crate::symbolic::{self, Charging, Extent, Tells};
use crate::text::Source;

/// Budgets of work, for three kinds of sets. A set is not tried once the work so far exceeds its budget. This
/// one is for the weakest set and for powers of b, the next for the strongest set, the third for the weaker
/// sets that are tried if the strongest closes more.
const MOST_WORK: u64 = 40_000;
const MOST_WORK_OF_STRONGEST: u64 = 100_000;
const MOST_WORK_OF_WEAKER: u64 = 160_000;
/// The extent of a trial. A form that takes more work is not short; only totals are needed.
pub(super) const TRIAL: Extent = Extent {
    most_work: 60_000,
    tells: Tells::Counts,
};
/// Limit on the derivations tried.
const MOST_TRIED: usize = 8;
/// Candidate values of b for a program that runs.
const WIDTHS: [i64; 2] = [4, 8];
/// Budget of values for the sums of `require`s and `let`s there.
const VALUES: u64 = 10_000;
/// Limit on the formals tried one by one.
const MOST_FORMALS: usize = 3;

/// The `require`s that close a program, and the result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Closing {
    /// The `require`s as written in a program.
    pub requires: Vec<String>,
    /// The totals that become exact and short.
    pub closed: Vec<Quantity>,
    /// The derivation with them. It has short bounds only beside exact totals.
    pub derivation: Derivation,
}

/// Returns the fewest usual `require`s that give a short exact form to the most totals without one. Usual
/// are: b divides a parameter, b is not too small, a parameter is a power of b. `None` if no total lacks a
/// form, or if no `require` helps.
///
/// ```
/// use atgpu::derive::{closing, derive};
///
/// // Rows of n words are cut anywhere by blocks of b words.
/// let text = "algorithm Rows(n)\n  require n ≥ 1\n  input A[n, n]\n  global a[n, n]\n  shared _x[b]\n  \
///             a ⇚ A\n  for all mp_{y,x} ∈ MP[0..n-1, 0..⌈n/b⌉-1] in parallel do\n    \
///             for all c_{y,x,j} ∈ C_{y,x} in parallel do\n      if xb + j < n then\n        \
///             _x[j] ⇐ a[y, xb + j]\n      end if\n    end for\n  end for\n";
/// let program = atgpu::program(text)?;
/// let derivation = derive(&program, &().into());
/// // Its blocks have a short form as they are.
/// assert!(closing(&program, &().into(), &derivation).is_none());
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn closing(program: &Program, given: &Parameters, derivation: &Derivation) -> Option<Closing> {
    // The weakest set comes first: it asks least of the user. If it does not close everything, the
    // strongest set shows the most that divisibility can close. Then the first weaker set that closes as
    // much wins.
    let mut missing = without_short_form(derivation);
    missing.retain(|which| !is_decided_by_data(derivation, *which));
    if missing.is_empty() || !derivation.contradictions.is_empty() {
        return None;
    }
    let Suspects { multiples, powers } = suspects(program, given);
    let mut work = 0_u64;
    let mut tried = |requires: &[String], most_work: u64| {
        if work > most_work {
            return None;
        }
        let (found, of_one) = tried(program, given, requires, &missing);
        work = work.saturating_add(of_one);
        found
    };
    let count = |found: &Option<Closing>| found.as_ref().map_or(0, |found| found.closed.len());
    let mut best = multiples
        .first()
        .and_then(|weakest| tried(weakest, MOST_WORK));
    if let [_, weaker @ .., strongest] = multiples.as_slice()
        && count(&best) < missing.len()
    {
        // A weaker set closes nothing that the strongest one leaves open.
        let most = tried(strongest, MOST_WORK_OF_STRONGEST);
        if count(&most) > count(&best) {
            let as_much = weaker.iter().take(MOST_TRIED).find_map(|requires| {
                let found = tried(requires, MOST_WORK_OF_WEAKER);
                found.filter(|found| found.closed.len() >= count(&most))
            });
            best = as_much.or(most);
        }
    }
    for requires in powers.iter().take(MOST_TRIED) {
        let most = count(&best);
        if most == missing.len() {
            break;
        }
        let closer = tried(requires, MOST_WORK).filter(|found| found.closed.len() > most);
        best = closer.or(best);
    }
    best
}

/// Derives the program with these `require`s added. Returns the result if they close anything, and the work
/// spent.
fn tried(
    program: &Program,
    given: &Parameters,
    requires: &[String],
    missing: &[Quantity],
) -> (Option<Closing>, u64) {
    let narrowed = with_requires(program, requires);
    // If no sizes are admitted, everything would follow from the contradiction.
    let Some(narrowed) = narrowed.filter(|narrowed| is_admitted(narrowed, given)) else {
        return (None, 0);
    };
    if with_room(|| symbolic::header::is_implied(&narrowed, requires.len(), given)) {
        return (None, 0);
    }
    let walked = with_room(|| symbolic::walked(&narrowed, given, Charging::default(), TRIAL));
    let work = walked.facts.work_done();
    // A `require` that no proof uses is left out of the answer.
    let used = walked.facts.used();
    let mut requires = requires.to_vec();
    requires.retain(|require| used.contains(require));
    let derivation = walked.derivation;
    let still = without_short_form(&derivation);
    let closed = missing.iter().copied();
    let closed: Vec<Quantity> = closed.filter(|which| !still.contains(which)).collect();
    let is_sound = || {
        let compared = agreement::compare(&narrowed, given, &derivation);
        compared.contradictions.is_empty()
    };
    let closes = !requires.is_empty() && !closed.is_empty() && is_sound();
    let found = closes.then_some(Closing {
        requires,
        closed,
        derivation,
    });
    (found, work)
}

/// Returns the totals without an exact form that is closed and short.
fn without_short_form(derivation: &Derivation) -> Vec<Quantity> {
    let is_short = |quantity: &Derived| {
        let upper = quantity.upper.as_ref();
        quantity.is_exact()
            && quantity.short.is_none()
            && upper.is_some_and(|upper| upper.is_closed())
    };
    let totals = derivation.totals.all().into_iter();
    totals
        .filter(|(_, quantity)| !is_short(quantity))
        .map(|(which, _)| which)
        .collect()
}

/// Returns true if data decide a total, so that no `require` about sizes makes it exact.
pub(super) fn is_decided_by_data(derivation: &Derivation, which: Quantity) -> bool {
    let mut bounds = derivation.bounds.iter();
    bounds.any(|bound| bound.quantity == Touched::Quantity(which) && bound.why.is_about_data())
}

/// Candidate sets of conditions.
struct Suspects {
    /// Sets that say: b divides parameters, and b is not too small. The weakest is first, and the last
    /// implies all others.
    multiples: Vec<Vec<String>>,
    /// Sets that say: a parameter is a power of b.
    powers: Vec<Vec<String>>,
}

fn suspects(program: &Program, given: &Parameters) -> Suspects {
    let names = program
        .formals
        .iter()
        .map(|id| &program.parameter(*id).name);
    let free: Vec<&String> = names.filter(|name| given.get(name).is_none()).collect();
    let few = &free[..free.len().min(MOST_FORMALS)];
    let width = given.get("b").map(ToString::to_string);
    let b = width.as_deref().unwrap_or("b");
    let divides = |name: &String| format!("{b} | {name}");
    let mut multiples: Vec<Vec<String>> = few.iter().map(|name| vec![divides(name)]).collect();
    if free.len() > 1 {
        multiples.push(free.iter().map(|name| divides(name)).collect());
    }
    if width.is_none() {
        let wide = |set: &Vec<String>| [set.as_slice(), &["b ≥ 3".to_owned()]].concat();
        let wide: Vec<Vec<String>> = multiples.iter().map(wide).collect();
        multiples.extend(wide);
    }
    let power = |name: &&String| {
        let mut set = vec![format!("{name} is a power of {b}")];
        set.extend(width.is_none().then(|| "b ≥ 2".to_owned()));
        set
    };
    let powers = few.iter().map(power).collect();
    Suspects { multiples, powers }
}

/// Returns true if the program runs at some small sizes.
fn is_admitted(program: &Program, given: &Parameters) -> bool {
    let allowance = Allowance::of(VALUES);
    let widths = widths(program, given, &WIDTHS);
    let admits = |width| !agreement::points(program, given, width, &allowance).is_empty();
    widths.into_iter().any(admits)
}

/// Returns the program with more `require`s and without claims; `None` if that program does not check.
fn with_requires(program: &Program, requires: &[String]) -> Option<Program> {
    let mut text = String::new();
    let mut is_open = true;
    for line in program.source.text().lines() {
        let start = line.trim_start();
        if start.starts_with("claim ") {
            continue;
        }
        text.push_str(line);
        text.push('\n');
        if is_open && start.starts_with("algorithm ") {
            is_open = false;
            for require in requires {
                text.push_str(&format!("  require {require}\n"));
            }
        }
    }
    check_text(&Source::new(program.source.name(), &text)).program
}

//! Which `require` would close what has no short exact form: the usual ones, tried.
//!
//! In comes a program with its derivation; out comes what is derived of the same program with one or two
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

/// Work after which no other is tried, nor the strongest, nor weaker ones where that closes more.
const MOST_WORK: u64 = 40_000;
const MOST_WORK_OF_STRONGEST: u64 = 100_000;
const MOST_WORK_OF_WEAKER: u64 = 160_000;
/// One that is tried: a form that takes more work is not short, and its totals are all that is told.
const TRIAL: Extent = Extent {
    most_work: 60_000,
    tells: Tells::Counts,
};
/// Derivations that are tried.
const MOST_TRIED: usize = 8;
/// Values of b with which a program may run.
const WIDTHS: [i64; 2] = [4, 8];
/// Values that sums of `require`s and of `let`s may run through there.
const VALUES: u64 = 10_000;
/// Formals that are tried one by one.
const MOST_FORMALS: usize = 3;

/// What closes a program, and how.
#[derive(Debug, Clone)]
pub struct Closing {
    /// The `require`s, as they are written.
    pub requires: Vec<String>,
    /// What they close: exact and short with them.
    pub closed: Vec<Quantity>,
    /// The totals with them; short bounds stand beside exact ones only.
    pub derivation: Derivation,
}

/// The fewest of the usual `require`s (b divides a parameter, b is not too small, a parameter is a power
/// of b) that give most of what has no short exact form one; `None` where nothing is missing or none of
/// them helps.
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
        // What the strongest of them does not close no weaker one does.
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

/// What a program is with these `require`s more, if they close anything; and the work it took.
fn tried(
    program: &Program,
    given: &Parameters,
    requires: &[String],
    missing: &[Quantity],
) -> (Option<Closing>, u64) {
    let narrowed = with_requires(program, requires);
    // Of what no sizes admit everything would follow.
    let Some(narrowed) = narrowed.filter(|narrowed| is_admitted(narrowed, given)) else {
        return (None, 0);
    };
    if with_room(|| symbolic::is_implied(&narrowed, requires.len(), given)) {
        return (None, 0);
    }
    let walked = with_room(|| symbolic::walked(&narrowed, given, Charging::default(), TRIAL));
    let work = walked.facts.work_done();
    // What no proof needs closes nothing.
    let used = walked.facts.used();
    let mut requires = requires.to_vec();
    requires.retain(|require| used.contains(require));
    let derivation = walked.derivation;
    let still = without_short_form(&derivation);
    let closed = missing.iter().copied();
    let closed: Vec<Quantity> = closed.filter(|which| !still.contains(which)).collect();
    let is_sound = || agreement::contradictions(&narrowed, given, &derivation).is_empty();
    let closes = !requires.is_empty() && !closed.is_empty() && is_sound();
    let found = closes.then_some(Closing {
        requires,
        closed,
        derivation,
    });
    (found, work)
}

/// The totals without an exact form that is closed and short.
fn without_short_form(derivation: &Derivation) -> Vec<Quantity> {
    let is_short = |quantity: &Derived| {
        let upper = quantity.upper.as_ref();
        quantity.is_exact()
            && upper.is_some_and(|upper| upper.is_closed() && !derivation.plain.contains_key(upper))
    };
    let totals = derivation.totals.all().into_iter();
    totals
        .filter(|(_, quantity)| !is_short(quantity))
        .map(|(which, _)| which)
        .collect()
}

/// Whether data decide a total, so that no `require` about sizes makes it exact.
fn is_decided_by_data(derivation: &Derivation, which: Quantity) -> bool {
    let mut bounds = derivation.bounds.iter();
    bounds.any(|bound| bound.quantity == Touched::Quantity(which) && bound.why.is_about_data())
}

/// Sets of conditions.
struct Suspects {
    /// That b divides parameters and is not too small, the weakest first: the last says all that the others do.
    multiples: Vec<Vec<String>>,
    /// That a parameter is a power of b.
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

/// Whether the program runs with some small sizes.
fn is_admitted(program: &Program, given: &Parameters) -> bool {
    let allowance = Allowance::of(VALUES);
    let widths = widths(program, given, &WIDTHS);
    let admits = |width| !agreement::points(program, given, width, &allowance).is_empty();
    widths.into_iter().any(admits)
}

/// The program with more `require`s and without its claims; `None` where that is no program.
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

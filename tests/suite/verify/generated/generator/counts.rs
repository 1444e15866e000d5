//! Counts of made-up programs: derived, counted without data, and executed.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::support::engines::{Choice, below_its_formula, below_its_run};
use crate::support::programs::load;
use atgpu::count::{Counts, Parameters};
use atgpu::derivation::Derivation;
use atgpu::derivation::evaluate::{self, Evaluated};
use atgpu::exec::Outcome;
use atgpu::interval::{self, CountError, CountOptions};
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::verify::{self, Verdict};

use super::{data, is_up_to_data};
use crate::verify::generated::{WORK, points, run, tell_if_slow};

/// Data sets at each point, where an input is sorted.
const DATA_SETS: u64 = 4;

/// What was seen, so that a generator gone astray shows.
#[derive(Debug, Default, Clone)]
pub struct Seen {
    pub programs: usize,
    pub points: usize,
    pub faulty: usize,
    pub long: usize,
    pub compared: usize,
    pub exact: usize,
    pub underived: usize,
    /// Programs with a sorted input, those of which a bound rests on it, and those where a bound on
    /// the blocks is smaller for it somewhere.
    pub sorted: [usize; 3],
    /// Comparisons in which such a bound on the blocks is what was counted.
    pub reached: usize,
    /// Time to derive them all.
    pub deriving: Duration,
    /// The one that took longest.
    pub slowest: (Duration, String),
}

/// The first disagreement between the engines, if there is one.
pub fn disagreement(text: &str, seed: u64, seen: &mut Seen) -> Option<String> {
    let (program, _) = load("generated", text);
    let start = Instant::now();
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let took = start.elapsed();
    seen.deriving += took;
    tell_if_slow(took, text);
    if took > seen.slowest.0 {
        seen.slowest = (took, text.to_owned());
    }
    if let Some(contradiction) = derivation.contradictions.first() {
        return Some(format!("contradicted: {contradiction}"));
    }
    seen.programs += 1;
    let mut unsorted = None;
    let mut data_sets = 1;
    if data::has_sorted(&program) {
        seen.sorted[0] += 1;
        data_sets = DATA_SETS;
        let mut bounds = derivation.bounds.iter();
        if bounds.any(|bound| bound.why.reason().contains("is sorted, so all")) {
            seen.sorted[1] += 1;
            unsorted = Some(load("unsorted", &text.replace(" as sorted", "")).0);
        }
    }
    let unsorted = unsorted.map(|program| {
        let derivation = atgpu::derive::derive(&program, &Parameters::new());
        (program, derivation)
    });
    let mut is_smaller = false;
    for choice in points(&program, seed) {
        if let Some(found) = below_its_formula(&derivation, &choice) {
            return Some(format!("below: {found}"));
        }
        let options = CountOptions {
            work_limit: Some(WORK),
            ..CountOptions::default()
        };
        let going = |_| ControlFlow::Continue(());
        let counted = match interval::count(&program, &choice.point, &options, &going) {
            Ok(counted) => Some(counted),
            Err(CountError::TooLong(_)) => {
                seen.points += 1;
                seen.long += 1;
                continue;
            }
            // What only a `require ∀` bounds is not bounded there.
            Err(CountError::Fault(fault))
                if fault.code.name() == "atgpu::loop::unbounded" && data_sets > 1 =>
            {
                None
            }
            Err(why) => return Some(format!("counting: at {}: {why:?}", choice.label)),
        };
        if let Some(counted) = counted
            .as_ref()
            .filter(|counted| !counted.faults.is_empty())
            && run(&program, &choice, seed, 1).is_ok()
        {
            return Some(format!("faults: at {}: {:?}", choice.label, counted.faults));
        }
        let counted = counted.map(|counted| Evaluated {
            counts: counted.counts,
            omitted: BigInt::from(0),
        });
        let blocks = |program: &Program, derivation: &Derivation| {
            let evaluated = evaluate::evaluate(program, derivation, &choice.point);
            Some(evaluated.ok()?.counts.totals.io.upper)
        };
        let bound = unsorted.as_ref().and_then(|(unsorted, otherwise)| {
            let bound = blocks(&program, &derivation)?;
            // Where nothing is derived without the order, every bound is smaller.
            let without = blocks(unsorted, otherwise);
            without
                .is_none_or(|without| bound < without)
                .then_some(bound)
        });
        is_smaller |= bound.is_some();
        for set in 0..data_sets {
            seen.points += 1;
            let Ok(outcome) = run(&program, &choice, seed.wrapping_add(set), 1) else {
                seen.faulty += 1;
                continue;
            };
            if let Some(found) = below_its_run(&derivation, &choice, &outcome.counts.totals) {
                return Some(format!("below a run: {found}"));
            }
            seen.reached += usize::from(bound.as_ref() == Some(&outcome.counts.totals.io));
            let place = match data_sets {
                1 => choice.label.clone(),
                _ => format!("{}, data {set}", choice.label),
            };
            let found = contradiction(
                &program,
                &derivation,
                &choice,
                counted.as_ref(),
                &outcome,
                seen,
            );
            if let Some((which, why)) = found {
                return Some(format!("{which}: at {place}: {why}"));
            }
        }
    }
    seen.sorted[2] += usize::from(is_smaller);
    None
}

/// What of a program contradicts a run, and how.
fn contradiction(
    program: &Program,
    derivation: &Derivation,
    choice: &Choice,
    counted: Option<&Evaluated>,
    outcome: &Outcome,
    seen: &mut Seen,
) -> Option<(&'static str, String)> {
    let text = program.source().text();
    let mut verdicts = Vec::new();
    if let Some(counted) = counted {
        let verdict = verify::compare(counted, &outcome.counts);
        let agrees = verdict == Verdict::Agrees;
        verdicts.push(("counted", verdict));
        if agrees && !is_up_to_data(text) {
            verdicts.push(("counted exactly", exactly(counted, &outcome.counts)));
        }
    }
    verdicts.push((
        "derived",
        verify::verify(program, derivation, &choice.point, &outcome.counts),
    ));
    for (which, verdict) in verdicts {
        match verdict {
            Verdict::Agrees if which == "derived" => {
                seen.compared += 1;
                seen.exact += usize::from(derivation.bounds.is_empty());
            }
            Verdict::Agrees => {}
            Verdict::NothingDerived(why) if derivation.bounds.is_empty() => {
                return Some(("no reason", why.to_string()));
            }
            Verdict::NothingDerived(_) => seen.underived += 1,
            Verdict::Differs(list) => return Some((which, list[0].to_string())),
        }
    }
    None
}

/// What no data decide is counted exactly.
fn exactly(counted: &Evaluated, executed: &Counts<BigInt>) -> Verdict {
    let totals = counted.counts.totals.named();
    let ends = totals.iter().zip(executed.totals.named());
    for ((name, bounded), (_, number)) in ends {
        if bounded.lower != bounded.upper {
            return Verdict::Differs(vec![verify::Mismatch {
                quantity: (*name).to_owned(),
                derived: (*bounded).clone(),
                counted: number.clone(),
            }]);
        }
    }
    Verdict::Agrees
}

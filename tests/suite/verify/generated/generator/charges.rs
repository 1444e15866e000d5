//! What machines charge for made-up programs, found in three ways.

use std::ops::ControlFlow;
use std::time::Instant;

use crate::support::engines::{self, Random};
use crate::support::programs::load;
use atgpu::count::{Charged, Charges, Parameters};
use atgpu::derivation::evaluate;
use atgpu::derive::derive_charged;
use atgpu::exec::{Execution, Options, Unwatched};
use atgpu::interval::{self, CountOptions};
use atgpu::machine::{Banks, Coalescing, CycleRules, Machine, Warps};
use atgpu::number::Rational;

use super::{data, is_up_to_data};
use crate::verify::generated::{WORK, tell_if_slow};

/// The first disagreement about charges; tallies points, and the exact ones of both kinds.
pub fn charged_otherwise(
    text: &str,
    seed: u64,
    seen: &mut (usize, usize, usize),
) -> Option<String> {
    let (program, _) = load("generated", text);
    let mut random = Random::new(seed);
    let cycle_rules = CycleRules {
        coalescing: [
            Coalescing::HalfWarp,
            Coalescing::HalfWarp,
            Coalescing::Blocks,
            Coalescing::Sectors,
        ][random.below(4) as usize],
        banks: [
            Banks::HalfWarpBroadcast,
            Banks::HalfWarpBroadcast,
            Banks::Warp,
        ][random.below(3) as usize],
        // Narrower than most widths below: an MP is several warps then.
        warps: [None, Some((4, 4)), Some((8, 16)), Some((6, 8))][random.below(4) as usize]
            .map(|(size, banks)| Warps { size, banks }),
        word_bytes: [4, 4, 8, 1, 2, 16, 12][random.below(7) as usize],
        ..Machine::built_in("gtx280")?.cycle_rules().ok()?
    };
    for _ in 0..3 {
        let width = [3, 8, 16, 20, 32, 40][random.below(6) as usize];
        let formals = program.formals().iter();
        let values = formals.map(|formal| {
            let name = program.parameter(*formal).name.clone();
            let value = match (name.as_str(), random.below(3)) {
                ("n", 0) => width * (random.below(3) as i64 + 1),
                ("n", _) => random.below(90) as i64,
                _ => random.below(6) as i64,
            };
            (name, value)
        });
        let values = values.collect();
        let Some(choice) = engines::choice(&program, width, values) else {
            continue;
        };
        let options = CountOptions {
            work_limit: Some(WORK),
            cycle_rules: Some(cycle_rules.clone()),
            ..CountOptions::default()
        };
        let going = |_| ControlFlow::Continue(());
        let Ok(counted) = interval::count(&program, &choice.point, &options, &going) else {
            continue;
        };
        let options = Options {
            inputs: data::inputs(&program, &choice.point, seed)
                .into_iter()
                .collect(),
            seed,
            threads: 1,
            cycle_rules: Some(cycle_rules.clone()),
            ..Options::default()
        };
        let executed = Execution::prepare(&program, &choice.point, &options)
            .and_then(|mut execution| execution.run(&Unwatched));
        let Ok(executed) = executed else {
            continue;
        };
        let executed = executed.charges.expect("they were asked for");
        let counted = counted.charges.expect("they were asked for");
        seen.0 += 1;
        seen.2 += usize::from(counted.is_exact);
        if let Some(why) = differs(&counted, &executed) {
            return Some(format!(
                "counted: at {}, {cycle_rules:?}: {why}",
                choice.label
            ));
        }
        if !counted.is_exact && !is_up_to_data(text) {
            return Some(format!("inexact: at {}", choice.label));
        }
        let given: Parameters = [("b", width)].into_iter().collect();
        let start = Instant::now();
        let derivation = derive_charged(&program, &given, Some(&cycle_rules));
        tell_if_slow(start.elapsed(), text);
        let Ok(derived) = evaluate::charged(&program, &derivation, &choice.point) else {
            continue;
        };
        seen.1 += usize::from(derived.is_exact);
        if let Some(why) = differs(&derived, &executed) {
            return Some(format!(
                "derived: at {}, {cycle_rules:?}: {why}",
                choice.label
            ));
        }
    }
    None
}

/// How charges without data contradict those of a run.
fn differs(found: &Charged, executed: &Charged) -> Option<String> {
    let each = |charged: &Charged| -> Vec<Charges<Rational>> {
        let rounds = charged.rounds.iter();
        let each = rounds.flat_map(|(times, round)| vec![round.clone(); *times as usize]);
        each.collect()
    };
    let (found_rounds, executed) = (each(found), each(executed));
    if found_rounds.len() != executed.len() {
        let is_bound = !found.is_exact && found_rounds.len() > executed.len();
        return (!is_bound).then(|| format!("{} rounds", found_rounds.len()));
    }
    if !found.is_exact {
        // The rounds of a host `while` are bounded kernel by kernel, not turn by turn.
        return sums(&found_rounds)
            .into_iter()
            .zip(sums(&executed))
            .find(|((_, upper), (_, value))| upper < value)
            .map(|((name, upper), (_, value))| format!("{name} sums to {upper}, ran {value}"));
    }
    for (bound, run) in found_rounds.iter().zip(&executed) {
        let bytes = bound.memory_bytes.iter().zip(&run.memory_bytes);
        let bytes = bytes.map(|(exact, value)| ("memory_bytes", exact, value));
        let (exact, run) = (quantities(bound), quantities(run));
        let pairs = exact.iter().zip(&run);
        let pairs = pairs.map(|((name, exact), (_, value))| (*name, exact, value));
        for (name, exact, value) in pairs.chain(bytes) {
            if exact != value {
                return Some(format!("{name} is {exact}, ran {value}"));
            }
        }
    }
    None
}

/// What is charged of a round, by name, but for the bytes, which may be unknown.
fn quantities(charges: &Charges<Rational>) -> Vec<(&'static str, Rational)> {
    let named = charges.named().into_iter();
    let named = named.map(|(name, value)| (name, value.clone()));
    let kinds = charges.kinds.iter();
    named
        .chain(kinds.map(|(kind, value)| (kind.key(), value.clone())))
        .collect()
}

/// The same over all rounds.
fn sums(rounds: &[Charges<Rational>]) -> Vec<(&'static str, Rational)> {
    let mut sums: Vec<(&'static str, Rational)> = Vec::new();
    for round in rounds {
        for (at, (name, value)) in quantities(round).into_iter().enumerate() {
            match sums.get_mut(at) {
                Some((_, sum)) => *sum = &*sum + &value,
                None => sums.push((name, value)),
            }
        }
    }
    sums
}

//! What the tests of papers 2 to 5 have in common.

use std::ops::ControlFlow;

use crate::support::programs::{load_file, path};
use atgpu::cost::{Subject, find};
use atgpu::count::{Charged, Counts, Parameters};
use atgpu::derivation::evaluate;
use atgpu::derive::derive_charged;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Data, Execution, Options, Outcome, Unwatched};
use atgpu::interval::{self, CountOptions};
use atgpu::machine::{CycleRules, Machine};
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::Program;

pub fn gtx280() -> Machine {
    Machine::built_in("gtx280").expect("built in")
}

pub fn program(name: &str) -> Program {
    load_file(&path("programs").join(format!("{name}.atgpu"))).0
}

#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected} ± {tolerance}"
    );
}

pub fn point(
    program: &Program,
    given: &[(&str, i64)],
    machine: &Machine,
) -> Result<Point, Vec<Diagnostic>> {
    let given: Parameters = given.iter().copied().collect();
    Point::new(program, machine.atgpu.numbers(), &given)
}

/// What the machine charges by the closed forms.
pub fn charged(program: &Program, given: &[(&str, i64)], machine: &Machine) -> Option<Charged> {
    let point = point(program, given, machine).expect("the program admits it");
    let b: Parameters = [("b", machine.atgpu.cores_per_mp)].into_iter().collect();
    let cycle_rules = machine.cycle_rules().expect("it has one");
    let derivation = derive_charged(program, &b, Some(&cycle_rules));
    evaluate::charged(program, &derivation, &point).ok()
}

/// What the machine charges by counting without data.
pub fn counted(program: &Program, given: &[(&str, i64)], machine: &Machine) -> Charged {
    let point = point(program, given, machine).expect("the program admits it");
    let options = CountOptions {
        cycle_rules: Some(machine.cycle_rules().expect("it has one")),
        ..CountOptions::default()
    };
    let going = |_| ControlFlow::Continue(());
    let counted = interval::count(program, &point, &options, &going).expect("it is counted");
    counted.charges.expect("they were asked for")
}

/// Derived charges are the executed ones; bytes, and the cycles of all MPs, only where they were derived.
#[track_caller]
pub fn same(derived: &Charged, executed: &Charged, what: &str) {
    assert!(derived.is_exact, "{what}");
    let mut executed = executed.clone();
    for ((_, from), (_, to)) in derived.rounds.iter().zip(&mut executed.rounds) {
        if from.memory_bytes.is_none() {
            to.memory_bytes = None;
        }
        if from.of_all.is_none() {
            to.of_all = None;
        }
    }
    assert_eq!(*derived, executed, "{what}");
}

/// An execution with random data and its charges.
pub struct Executed {
    pub counts: Counts<BigInt>,
    pub charges: Charged,
    outcome: Outcome,
}

impl Executed {
    /// The largest int of a host array.
    pub fn longest_rank(&self, name: &str) -> i64 {
        match &self.outcome.host[name].array.data {
            Data::Int(words) => *words.iter().max().expect("it has words"),
            Data::Float(_) => panic!("ranks are whole"),
        }
    }
}

pub fn executed(program: &Program, given: &[(&str, i64)], machine: &Machine) -> Executed {
    let point = point(program, given, machine).expect("the program admits it");
    let cycle_rules = machine.cycle_rules().expect("it has one");
    let outcome = execute(program, &point, &cycle_rules);
    Executed {
        counts: outcome.counts.clone(),
        charges: outcome.charges.clone().expect("they were asked for"),
        outcome,
    }
}

fn execute(program: &Program, point: &Point, cycle_rules: &CycleRules) -> Outcome {
    let options = Options {
        cycle_rules: Some(cycle_rules.clone()),
        threads: 1,
        ..Options::default()
    };
    let mut execution = Execution::prepare(program, point, &options).expect("it fits");
    let outcome = execution.run(&Unwatched).expect("it runs");
    assert!(outcome.ensures.iter().all(|ensure| ensure.holds));
    outcome
}

pub fn ms_of(model: &str, subject: &Subject<'_>, machine: &Machine) -> f64 {
    let model = find(model).expect("listed");
    let estimate = model.estimate(subject, machine).expect("complete");
    estimate.headline().expect("it has a cost").to_f64()
}

/// The upper ends of counts, which are all exact here.
pub fn upper(counts: &Counts<atgpu::count::Interval>) -> Counts<BigInt> {
    use atgpu::count::Interval;
    use atgpu::count::{ArrayBlocks, Round, Traffic};
    let of = |bounded: &Interval| {
        assert!(bounded.is_exact());
        bounded.upper.clone()
    };
    let traffic = |traffic: &Traffic<Interval>| Traffic {
        words: of(&traffic.words),
        transactions: of(&traffic.transactions),
    };
    let mut upper = Counts::default();
    upper.totals.inward = of(&counts.totals.inward);
    upper.totals.outward = of(&counts.totals.outward);
    for (times, round) in &counts.rounds {
        let arrays = round.arrays.iter().map(|(name, blocks)| {
            let blocks = ArrayBlocks {
                read: of(&blocks.read),
                write: of(&blocks.write),
            };
            (name.clone(), blocks)
        });
        let round = Round {
            launched_mps: of(&round.launched_mps),
            time: of(&round.time),
            io: of(&round.io),
            inward: traffic(&round.inward),
            outward: traffic(&round.outward),
            shared_words: of(&round.shared_words),
            arrays: arrays.collect(),
            ..Round::default()
        };
        upper.rounds.push((*times, round));
    }
    upper
}

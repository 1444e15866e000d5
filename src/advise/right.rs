//! The test of a rewritten program: it must be at least as safe as the original, and give equal outputs on the same data.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use indexmap::IndexMap;

use crate::advise::Keeps;
use crate::advise::version::Version;
use crate::array::{Array, Data};
use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::exec::{Execution, Input, Options, Outcome, Progress, Work};
use crate::machine::Machine;
use crate::meaning::{Point, sample};
use crate::number::{BigInt, Rational};
use crate::program::{Program, Role};
use crate::safety::says_no_run;

/// Points at which programs are run on the same data.
const POINTS: usize = 40;

/// The points without which nothing is said to be right.
const LEAST_POINTS: usize = 4;

/// Operations of all cores after which a program has been run often enough.
const MOST_OPERATIONS: u128 = 4_000_000;

/// The most times a run is looked after before it is given up.
const MOST_LOOKS: u64 = 128;

/// The most bytes of a run.
const MOST_BYTES: u64 = 1 << 26;

/// The evidence that a rewritten program is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Right {
    /// The effect on values.
    pub keeps: Keeps,
    /// Runs of both programs on the same data.
    pub runs: usize,
    /// The runs among them with several MPs.
    pub several_mps: usize,
    /// The values of b among them, ascending.
    pub widths: Vec<BigInt>,
    /// True if float data were whole numbers, of which every sum is exact.
    pub whole_numbers: bool,
    /// The `ensure`s that held in all runs.
    pub ensures: usize,
    /// True if every place of the rewritten program is proved safe.
    pub is_proved_safe: bool,
}

/// The runs of the original, to hold others against.
pub(super) struct Trials {
    trials: Vec<Trial>,
}

struct Trial {
    machine: [i64; 4],
    formals: Parameters,
    seed: u64,
    width: BigInt,
    has_several_mps: bool,
    drawn: Outputs,
    /// The inputs as whole numbers, and the outputs from them, where an input has floats.
    whole: Option<(IndexMap<String, Input>, Outputs)>,
}

/// The final words of the outputs.
type Outputs = Vec<(String, Array)>;

impl Trials {
    /// Runs the original at a sample of its points.
    ///
    /// # Errors
    /// The faults of a run, or of an `ensure`: such a program has nothing to be kept.
    pub(super) fn of(program: &Program, machine: &Machine) -> Result<Trials, Vec<Diagnostic>> {
        let numbers = machine.atgpu.numbers();
        let sampled = sample(program, numbers, &Parameters::new(), POINTS).points;
        let mut trials = Vec::new();
        let mut operations = 0;
        for (seed, one) in sampled.into_iter().enumerate() {
            if operations > MOST_OPERATIONS && trials.len() >= LEAST_POINTS {
                break;
            }
            let seed = seed as u64;
            let outcome = match run(program, &one.point, drawn(seed, None)) {
                Ran::Done(outcome) => outcome,
                Ran::NotRun => continue,
                Ran::Faulted(faults) => return Err(faults),
            };
            operations += outcome.lane_operations + u128::from(outcome.quantified);
            let rounds = outcome.counts.rounds.iter();
            let mut launched = rounds.map(|(_, round)| &round.launched_mps);
            let whole = whole_inputs(program, &outcome).and_then(|inputs| {
                match run(program, &one.point, drawn(seed, Some(&inputs))) {
                    Ran::Done(outcome) => Some((inputs, outputs(program, &outcome))),
                    Ran::NotRun | Ran::Faulted(_) => None,
                }
            });
            let has_several_mps = launched.any(|mps| *mps > BigInt::from(1));
            let named = |name: &str| one.point.parameters[name].clone();
            let formals = program.formals.iter().map(|id| {
                let name = program.parameter(*id).name.as_str();
                (name, Rational::from(named(name)))
            });
            let number = |name: &str| i64::try_from(&named(name)).ok();
            let machine = [number("p"), number("b"), number("M"), number("G")];
            let [Some(p), Some(b), Some(m), Some(g)] = machine else {
                continue;
            };
            trials.push(Trial {
                machine: [p, b, m, g],
                formals: formals.collect(),
                seed,
                width: b.into(),
                has_several_mps,
                drawn: outputs(program, &outcome),
                whole,
            });
        }
        Ok(Trials { trials })
    }

    /// Holds a rewritten program against the original. `None` if it is less safe, if a run differs, or if too few runs
    /// could be made.
    pub(super) fn judge(&self, original: &Version, new: &Version, keeps: Keeps) -> Option<Right> {
        let program = &new.program;
        let has_floats = has_float_inputs(program);
        let whole_numbers = keeps == Keeps::Sums && has_floats;
        let mut right = Right {
            keeps,
            runs: 0,
            several_mps: 0,
            widths: Vec::new(),
            whole_numbers,
            ensures: program.ensures.len(),
            is_proved_safe: false,
        };
        for trial in &self.trials {
            let (inputs, wanted) = match (whole_numbers, &trial.whole) {
                (false, _) => (None, &trial.drawn),
                (true, Some((inputs, outputs))) => (Some(inputs), outputs),
                (true, None) => continue,
            };
            let point = Point::new(program, trial.machine, &trial.formals).ok()?;
            let Ran::Done(outcome) = run(program, &point, drawn(trial.seed, inputs)) else {
                return None;
            };
            if !are_equal(&outputs(program, &outcome), wanted) {
                return None;
            }
            right.runs += 1;
            right.several_mps += usize::from(trial.has_several_mps);
            if !right.widths.contains(&trial.width) {
                right.widths.push(trial.width.clone());
            }
        }
        right.widths.sort();
        // Proofs take longer than runs.
        let mut places = original.unproved().iter().zip(new.unproved());
        if places.any(|(before, after)| after > before) {
            return None;
        }
        right.is_proved_safe = new.unproved().iter().all(|open| *open == 0);
        (right.runs >= LEAST_POINTS).then_some(right)
    }
}

pub(super) enum Ran {
    Done(Box<Outcome>),
    /// The data or the machine do not allow the run, or it takes long.
    NotRun,
    Faulted(Vec<Diagnostic>),
}

/// The options of a run on drawn data, but for the inputs given.
pub(super) fn drawn(seed: u64, inputs: Option<&IndexMap<String, Input>>) -> Options {
    Options {
        seed,
        threads: 1,
        memory_limit: Some(MOST_BYTES),
        mends_inputs: true,
        inputs: inputs.cloned().unwrap_or_default(),
        ..Options::default()
    }
}

/// Runs a program once. An `ensure` that fails is a fault.
pub(super) fn run(program: &Program, point: &Point, options: Options) -> Ran {
    let patience = Patience(AtomicU64::new(MOST_LOOKS));
    let ran = Execution::prepare(program, point, &options).and_then(|mut it| it.run(&patience));
    match ran {
        Ok(outcome) if outcome.diagnostics.iter().any(Diagnostic::is_error) => {
            Ran::Faulted(outcome.diagnostics)
        }
        Ok(outcome) => Ran::Done(Box::new(outcome)),
        Err(faults) if faults.iter().all(says_no_run) => Ran::NotRun,
        Err(faults) => Ran::Faulted(faults),
    }
}

/// Stops a run after a number of looks.
struct Patience(AtomicU64);

impl Progress for Patience {
    fn advance(&self, _done: Work) -> ControlFlow<()> {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        match left {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn outputs(program: &Program, outcome: &Outcome) -> Outputs {
    let outputs = program
        .variables
        .iter()
        .filter(|it| it.role == Role::Output);
    let found = outputs.filter_map(|output| {
        let found = outcome.host.get(&output.name)?;
        Some((output.name.clone(), Array::clone(&found.array)))
    });
    found.collect()
}

fn has_float_inputs(program: &Program) -> bool {
    let mut inputs = program.variables.iter().filter(|it| it.role == Role::Input);
    inputs.any(|input| input.word_type == crate::program::WordType::Float)
}

/// The drawn inputs with their floats as whole numbers from -100 to 100; `None` if no input has floats.
fn whole_inputs(program: &Program, outcome: &Outcome) -> Option<IndexMap<String, Input>> {
    if !has_float_inputs(program) {
        return None;
    }
    let inputs = program.variables.iter().filter(|it| it.role == Role::Input);
    let given = inputs.filter_map(|input| {
        let mut array = Array::clone(&outcome.host.get(&input.name)?.array);
        if let Data::Float(words) = &mut array.data {
            let whole = |word: &mut f64| *word = (*word * 201.0).floor() - 100.0;
            words.iter_mut().for_each(whole);
        }
        Some((input.name.clone(), Input::Given(array)))
    });
    Some(given.collect())
}

/// Equality of every word, bit by bit.
fn are_equal(one: &Outputs, other: &Outputs) -> bool {
    let same = |one: &Array, other: &Array| match (&one.data, &other.data) {
        (Data::Int(one), Data::Int(other)) => one == other,
        (Data::Float(one), Data::Float(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(x, y)| x.to_bits() == y.to_bits())
        }
        _ => false,
    };
    let mut pairs = one.iter().zip(other);
    one.len() == other.len()
        && pairs.all(|((name, one), (other_name, other))| name == other_name && same(one, other))
}

//! A program at one point: it is run on the device and compared with the interpreter, and its events are
//! written with their predicted counts.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use atgpu::array::{Data, npy};
use atgpu::count::{Counts, Parameters, Round};
use atgpu::derivation::Derivation;
use atgpu::derive::numbers::numbers;
use atgpu::diag::Diagnostic;
use atgpu::emit::{Target, Words};
use atgpu::exec::{Execution, Options as RunOptions, Outcome, Unwatched};
use atgpu::interval::{CountOptions, TEN_SECONDS};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::{Program, Role, WordType};

use crate::cli::args::MeasureOptions;
use crate::cli::emit::target;
use crate::cli::files;
use crate::cli::measure::process::{Place, Why, failed, finished};
use crate::cli::measure::record;
use crate::cli::reply::Finding;

/// Work budget for counting a point without comparison, if no formula gives its counts.
const ONE_SECOND: u64 = TEN_SECONDS / 10;

/// Relative difference of floats that counts as rounding: devices have their own mathematical functions.
const ROUNDING: f64 = 1e-9;
/// The same in single precision, relative to the largest word.
const SINGLE: f64 = 1e-4;

/// A program at one point.
pub(super) struct Subject<'a> {
    pub(super) how: &'a MeasureOptions,
    pub(super) program: &'a Program,
    pub(super) machine: &'a Machine,
    /// The derivation, if some points may be too large to run.
    pub(super) derivation: Option<&'a Derivation>,
    pub(super) words: Words,
    pub(super) values: &'a Parameters,
    pub(super) names: &'a [String],
}

impl Subject<'_> {
    /// Runs the point. Returns a row for each event, and the device's report about itself.
    pub(super) fn rows(
        &self,
        executable: &Path,
        place: &Place,
    ) -> Result<(String, String), Vec<Finding>> {
        let within = |faults: Vec<Diagnostic>| Finding::all(self.program.source(), faults);
        let formals = self.formals();
        let point =
            Point::new(self.program, self.machine.atgpu.numbers(), &formals).map_err(within)?;
        let wanted = self.wanted(&point).map_err(within)?;
        let times = place.0.join("times.csv");
        let what = format!("{} at {}", self.program.name(), point.values());
        let mut command = Command::new(executable);
        command.args(
            formals
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        command.arg("--times").arg(&times);
        // Outputs are written only if an interpreted run gives something to compare them with.
        if let Wanted::Run(_) = wanted {
            command.arg("--out").arg(&place.0);
        }
        command.args(["--repeat", &self.how.repeat.to_string()]);
        command.args(["--warm-up", &self.how.warm_up.to_string()]);
        if self.how.pinned {
            command.args(["--pinned", "yes"]);
        }
        if let Some(device) = &self.how.device {
            command.args(["--device", device]);
        }
        let printed = finished(command, &what, self.how.time_limit, place)?;
        let counts = match &wanted {
            Wanted::Run(outcome) => {
                self.compare(outcome, &what, place)?;
                Some(&outcome.counts)
            }
            Wanted::Counts(counts) => Some(&**counts),
            Wanted::Nothing => None,
        };
        let times = fs::read_to_string(&times)
            .map_err(|_| failed(&what, Why::NoResult("times".to_owned())))?;
        let report = told(&printed, "reports:").to_owned();
        Ok((self.written(&times, counts, &formals, &printed), report))
    }

    /// The outcome of an interpreted run; for too many words only the predicted counts.
    fn wanted(&self, point: &Point) -> Result<Wanted, Vec<Diagnostic>> {
        let of_array = |extents: &Vec<BigInt>| extents.iter().product::<BigInt>();
        let words: BigInt = point.extents.iter().map(of_array).sum();
        if self
            .how
            .compare_up_to
            .is_some_and(|most| words > most.into())
        {
            let options = CountOptions {
                work_limit: Some(ONE_SECOND),
                ..CountOptions::default()
            };
            let going = |_| ControlFlow::Continue(());
            let found = numbers(self.program, self.derivation, point, &options, &going);
            let found = found.map_err(|error| vec![Diagnostic::from(error)])?;
            let rounds = &found.counts.totals.rounds;
            let is_known = |least: &Counts<BigInt>| least.totals.rounds == *rounds;
            return Ok(if found.least.as_ref().is_none_or(is_known) {
                Wanted::Counts(Box::new(found.counts))
            } else {
                Wanted::Nothing
            });
        }
        let options = RunOptions {
            memory_limit: files::available_memory(),
            skip_ensures: true,
            ..RunOptions::default()
        };
        let outcome = Execution::prepare(self.program, point, &options)
            .and_then(|mut execution| execution.run(&Unwatched))?;
        Ok(Wanted::Run(Box::new(outcome)))
    }

    /// The values of this program's own parameters.
    fn formals(&self) -> Parameters {
        let mut formals = Parameters::new();
        for formal in self.program.formals() {
            let name = &self.program.parameter(*formal).name;
            if let Some(value) = self.values.get(name) {
                formals.set(name, value.clone());
            }
        }
        formals
    }

    fn compare(&self, outcome: &Outcome, what: &str, place: &Place) -> Result<(), Vec<Finding>> {
        let outputs = self.program.variables().iter();
        for output in outputs.filter(|variable| variable.role == Role::Output) {
            let name = &output.name;
            let path = place.0.join(format!("{name}.npy"));
            let found = fs::read(&path)
                .ok()
                .and_then(|bytes| npy::read(&bytes).ok());
            let found = found.ok_or_else(|| failed(what, Why::NoResult(name.clone())))?;
            let wanted = &outcome.host[name].array;
            let is_same = found.shape == wanted.shape && self.about(&found.data, &wanted.data);
            if !is_same {
                return Err(failed(what, Why::Different(name.clone())));
            }
            let _ = fs::remove_file(&path);
        }
        Ok(())
    }

    /// Returns true if outputs agree: ints are equal, floats differ by rounding. In single precision the
    /// rounding is relative to the largest word.
    fn about(&self, found: &Data, wanted: &Data) -> bool {
        match (found, wanted) {
            (Data::Int(found), Data::Int(wanted)) => found == wanted,
            (Data::Float(found), Data::Float(wanted)) => {
                let largest = wanted.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                let near = |x: &f64, y: &f64| {
                    if self.words.float {
                        (x - y).abs() <= SINGLE * largest
                    } else {
                        (x - y).abs() <= ROUNDING * x.abs().max(y.abs()).max(1e-300)
                    }
                };
                let mut pairs = found.iter().zip(wanted);
                found.len() == wanted.len()
                    && pairs.all(|(x, y)| x.to_bits() == y.to_bits() || near(x, y))
            }
            (Data::Int(_), Data::Float(_)) | (Data::Float(_), Data::Int(_)) => false,
        }
    }

    /// Renders a row per event, with the predicted counts of its round.
    fn written(
        &self,
        times: &str,
        counts: Option<&Counts<BigInt>>,
        formals: &Parameters,
        printed: &str,
    ) -> String {
        // The driver's words become one cell, so commas, quotes and line ends are dropped.
        let [device, driver] = ["device:", "driver:"].map(|what| {
            let words = told(printed, what).replace([',', '"'], " ");
            words.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        let memory = match (target(self.how.target), self.how.pinned) {
            (Target::C, _) => "",
            (_, true) => "pinned",
            (_, false) => "pageable",
        };
        let value_of = |name: &String| formals.get(name).map(ToString::to_string);
        let values: Vec<String> = self
            .names
            .iter()
            .map(|name| value_of(name).unwrap_or_default())
            .collect();
        let [repeats, warm_ups] = [self.how.repeat, self.how.warm_up].map(|it| it.to_string());
        let revision = concat!(env!("CARGO_PKG_VERSION"), env!("ATGPU_REVISION"));
        let mut rounds = counts.map(Rounds::new);
        let mut rows = String::new();
        for row in times.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let [event, line, amount, ms, least] = cells[..] else {
                continue;
            };
            let predicted = match (event, rounds.as_mut().and_then(|rounds| rounds.of(event))) {
                ("launch", Some(round)) => {
                    [&round.io, &round.time, &round.shared_words].map(ToString::to_string)
                }
                _ => Default::default(),
            };
            let cells = [self.program.name()]
                .into_iter()
                .chain(values.iter().map(String::as_str))
                .chain([event, line, amount])
                .chain(predicted.iter().map(String::as_str))
                .chain([self.word_bytes(), ms, least, &repeats, &warm_ups])
                .chain([target(self.how.target).name(), memory])
                .chain([device.as_str(), &driver, revision]);
            rows.push_str(&record(cells));
        }
        rows
    }

    /// The size of a word on the device: of a float, if the program has any.
    fn word_bytes(&self) -> &'static str {
        let mut variables = self.program.variables().iter();
        let has_floats = variables.any(|it| it.word_type == WordType::Float);
        let is_narrow = if has_floats {
            self.words.float
        } else {
            self.words.int32
        };
        if is_narrow { "4" } else { "8" }
    }
}

/// The knowledge about a point without the device.
enum Wanted {
    Run(Box<Outcome>),
    Counts(Box<Counts<BigInt>>),
    /// Data decide the number of rounds, so the round of an event is unknown.
    Nothing,
}

/// The text after a prefix in the program's output.
fn told<'p>(printed: &'p str, what: &str) -> &'p str {
    let mut lines = printed.lines();
    let text = lines.find_map(|line| line.strip_prefix(what));
    text.unwrap_or_default().trim()
}

/// Assigns events to rounds, in their order (language.md §4.3).
struct Rounds<'c> {
    counts: &'c Counts<BigInt>,
    /// The entry of rounds, and the index within its repetitions.
    at: (usize, u64),
    /// The last event: 0 inward, 1 launch, 2 outward.
    phase: Option<u8>,
}

impl<'c> Rounds<'c> {
    fn new(counts: &'c Counts<BigInt>) -> Self {
        Rounds {
            counts,
            at: (0, 0),
            phase: None,
        }
    }

    fn of(&mut self, event: &str) -> Option<&'c Round<BigInt>> {
        let phase = match event {
            "inward" => 0,
            "launch" => 1,
            _ => 2,
        };
        // A round is inward transfers, at most one launch, outward transfers. So a step back, or a second
        // launch, starts the next round.
        let is_next = self
            .phase
            .is_some_and(|last| phase < last || (phase, last) == (1, 1));
        if is_next {
            self.at.1 += 1;
            let (many, _) = self.counts.rounds.get(self.at.0)?;
            if self.at.1 >= *many {
                self.at = (self.at.0 + 1, 0);
            }
        }
        self.phase = Some(phase);
        self.counts.rounds.get(self.at.0).map(|(_, round)| round)
    }
}

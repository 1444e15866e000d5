//! `atgpu measure`: emits programs, compiles and runs them, holds their outputs against the
//! interpreter's, and writes a row for each transfer and launch.
//!
//! Compilers and programs are processes of their own, stopped after a time limit. Rows are written
//! once all is measured, or not at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use atgpu::array::{Data, npy};
use atgpu::count::{Counts, Parameters, Round};
use atgpu::diag::Diagnostic;
use atgpu::emit::{Options, Target, Words, emit};
use atgpu::exec::{Execution, Options as RunOptions, Outcome, Unwatched};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::{Program, Role};
use atgpu::safety::safety;
use atgpu::study::Axis;
use thiserror::Error;

use crate::cli::args::{Format, MeasureArgs};
use crate::cli::emit::target;
use crate::cli::options::Given;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, study};

/// Relative difference of floats that is rounding: devices have functions of their own.
const ROUNDING: f64 = 1e-9;

/// What went wrong outside.
#[derive(Debug, Clone, PartialEq, Eq, Error, miette::Diagnostic)]
#[diagnostic(code("atgpu::measure::failed"), help("{help}"))]
#[error("{what}: {why}")]
struct Failed {
    /// Which compiler or program.
    what: String,
    why: Why,
    help: &'static str,
}

/// Why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
enum Why {
    #[error("cannot be started: {0}")]
    NotStarted(String),
    #[error("not done after {0} s")]
    TimeLimit(u64),
    #[error("ends with {0}")]
    Status(String),
    #[error("leaves no readable {0}")]
    NoResult(String),
    #[error("`{0}` is not what `run` computes")]
    Different(String),
}

fn failed(what: &str, why: Why) -> Vec<Finding> {
    let help = match why {
        Why::NotStarted(_) => "install it, or name another with `--compiler`",
        Why::TimeLimit(_) => "give it longer with `--time-limit`, or take smaller sizes",
        Why::Status(_) | Why::NoResult(_) => "its own words stand in the message",
        Why::Different(_) => "please report it, with the program, the compiler and the device",
    };
    let fault = Failed {
        what: what.to_owned(),
        why,
        help,
    };
    vec![Finding::bare(Diagnostic::of(&fault))]
}

/// Measures programs.
pub fn measure(args: &MeasureArgs) -> Reply {
    let mut findings = Vec::new();
    match measured(args, &mut findings) {
        Ok(body) => Reply::with(body, findings),
        Err(faults) => {
            findings.extend(faults);
            Reply::faults(findings, args.format == Format::Json)
        }
    }
}

fn measured(args: &MeasureArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let given = Given::read(&args.options)?;
    let (programs, found) = study::load(&args.files)?;
    findings.extend(found);
    let axes = study::axes(&args.vary, &programs)?;
    let place = Place::new()?;
    let mut names: Vec<String> = Vec::new();
    for program in &programs {
        for formal in &program.formals {
            let name = program.parameter(*formal).name.clone();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut rows = format!(
        "program,{}event,line,amount,blocks,operations,ms,min_ms,repeats,warm_ups,target,device,\
         revision\n",
        names
            .iter()
            .map(|name| format!("{name},"))
            .collect::<String>()
    );
    let mut points = 0;
    for program in &programs {
        let (machine, fixed) = given.for_program(program)?;
        let executable = compiled(args, program, &machine, &place)?;
        for values in grid(&axes, &fixed) {
            let subject = Subject {
                args,
                program,
                machine: &machine,
                values: &values,
                names: &names,
            };
            rows.push_str(&subject.rows(&executable, &place)?);
            points += 1;
        }
    }
    if let Some(path) = &args.output {
        files::write(path, rows.as_bytes()).map_err(|fault| vec![Finding::bare(fault)])?;
    }
    Ok(match (args.format, &args.output) {
        (Format::Json, written) => Body::Json(Some(serde_json::json!({
            "points": points,
            "rows": rows.lines().count() - 1,
            "csv": written.is_none().then_some(rows),
        }))),
        (Format::Text, None) => Body::Text(rows),
        (Format::Text, Some(path)) => Body::Text(format!(
            "{points} points measured, {} events, outputs as `run` computes them: {path}\n",
            rows.lines().count() - 1
        )),
    })
}

/// Every combination of values, with the fixed ones.
fn grid(axes: &[Axis], fixed: &Parameters) -> Vec<Parameters> {
    let mut all = vec![fixed.clone()];
    for axis in axes {
        let places = 0..axis.len();
        let with = |point: &Parameters| {
            let values = places.clone().map(|place| axis.value(place));
            let point = point.clone();
            values.map(move |value| {
                let mut point = point.clone();
                point.set(&axis.name, value);
                point
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// A folder for what is emitted, compiled and written, gone at the end.
struct Place(PathBuf);

impl Place {
    fn new() -> Result<Place, Vec<Finding>> {
        let folder = std::env::temp_dir().join(format!("atgpu-measure-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .map_err(|error| failed("a temporary folder", Why::NotStarted(error.to_string())))?;
        Ok(Place(folder))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program, compiled.
fn compiled(
    args: &MeasureArgs,
    program: &Program,
    machine: &Machine,
    place: &Place,
) -> Result<PathBuf, Vec<Finding>> {
    let options = Options {
        target: target(args.target),
        words: Words::default(),
        defaults: Parameters::new(),
        safety: Some(&safety(program, &Parameters::new(), machine)),
        unchecked: args.unchecked,
    };
    let emitted =
        emit(program, machine, &options).map_err(|it| Finding::all(&program.source, it))?;
    let source = place
        .0
        .join(format!("program.{}", options.target.extension()));
    let executable = place.0.join("program");
    fs::write(&source, emitted.text)
        .map_err(|error| failed("a temporary file", Why::NotStarted(error.to_string())))?;
    let (name, before, after): (&str, &[&str], &[&str]) = match options.target {
        Target::C => ("cc", &["-O3", "-fwrapv", "-ffp-contract=off"], &["-lm"]),
        Target::Cuda => ("nvcc", &["-O3", "--fmad=false"], &[]),
        Target::OpenCl => ("cc", &["-O3"], &["-lOpenCL", "-lm"]),
    };
    let name = args.compiler.as_deref().unwrap_or(name);
    let mut compiler = Command::new(name);
    compiler
        .args(before)
        .arg("-o")
        .arg(&executable)
        .arg(&source)
        .args(after);
    finished(
        compiler,
        &format!("the compiler `{name}`"),
        args.time_limit,
        place,
    )?;
    Ok(executable)
}

/// Runs a process to its end, or stops it; what it printed.
fn finished(
    mut command: Command,
    what: &str,
    seconds: u64,
    place: &Place,
) -> Result<String, Vec<Finding>> {
    let printed = place.0.join("printed");
    let told = place.0.join("told");
    let file = |path: &Path| fs::File::create(path).map(Stdio::from);
    let child = file(&printed).and_then(|out| {
        let told = file(&told)?;
        command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(told)
            .spawn()
    });
    let mut child = child.map_err(|it| failed(what, Why::NotStarted(it.to_string())))?;
    let Some(status) = waited(&mut child, seconds) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed(what, Why::TimeLimit(seconds)));
    };
    if !status.success() {
        let told = fs::read_to_string(&told).unwrap_or_default();
        let told: Vec<&str> = told.lines().take(8).map(str::trim_end).collect();
        let status = format!("{status}: {}", told.join("; "));
        return Err(failed(what, Why::Status(status)));
    }
    Ok(fs::read_to_string(&printed).unwrap_or_default())
}

fn waited(child: &mut Child, seconds: u64) -> Option<std::process::ExitStatus> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// A program at one point.
struct Subject<'a> {
    args: &'a MeasureArgs,
    program: &'a Program,
    machine: &'a Machine,
    values: &'a Parameters,
    names: &'a [String],
}

impl Subject<'_> {
    fn rows(&self, executable: &Path, place: &Place) -> Result<String, Vec<Finding>> {
        let within = |faults: Vec<Diagnostic>| Finding::all(&self.program.source, faults);
        let formals = self.formals();
        let point =
            Point::new(self.program, self.machine.atgpu.numbers(), &formals).map_err(within)?;
        let options = RunOptions {
            memory_limit: files::available_memory(),
            skip_ensures: true,
            ..RunOptions::default()
        };
        let outcome = Execution::prepare(self.program, &point, &options)
            .and_then(|mut execution| execution.run(&Unwatched))
            .map_err(within)?;
        let times = place.0.join("times.csv");
        let what = format!("{} at {}", self.program.name, point.values());
        let mut command = Command::new(executable);
        command.args(
            formals
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        command
            .arg("--times")
            .arg(&times)
            .arg("--out")
            .arg(&place.0);
        command.args(["--repeat", &self.args.repeat.to_string()]);
        command.args(["--warm-up", &self.args.warm_up.to_string()]);
        let printed = finished(command, &what, self.args.time_limit, place)?;
        self.compare(&outcome, &what, place)?;
        let times = fs::read_to_string(&times)
            .map_err(|_| failed(&what, Why::NoResult("times".to_owned())))?;
        let device = printed.rsplit_once(": ").map_or("", |(device, _)| device);
        Ok(self.written(
            &times,
            &outcome.counts,
            &device.replace([',', '\n', '"'], " "),
        ))
    }

    /// The values of this program's own parameters.
    fn formals(&self) -> Parameters {
        let mut formals = Parameters::new();
        for formal in &self.program.formals {
            let name = &self.program.parameter(*formal).name;
            if let Some(value) = self.values.get(name) {
                formals.set(name, value.clone());
            }
        }
        formals
    }

    fn compare(&self, outcome: &Outcome, what: &str, place: &Place) -> Result<(), Vec<Finding>> {
        let outputs = self.program.variables.iter();
        for output in outputs.filter(|variable| variable.role == Role::Output) {
            let name = &output.name;
            let path = place.0.join(format!("{name}.npy"));
            let found = fs::read(&path)
                .ok()
                .and_then(|bytes| npy::read(&bytes).ok());
            let found = found.ok_or_else(|| failed(what, Why::NoResult(name.clone())))?;
            let wanted = &outcome.host[name].array;
            let is_same = found.shape == wanted.shape && about(&found.data, &wanted.data);
            if !is_same {
                return Err(failed(what, Why::Different(name.clone())));
            }
            let _ = fs::remove_file(&path);
        }
        Ok(())
    }

    /// A row an event, with what its round is predicted to take.
    fn written(&self, times: &str, counts: &Counts<BigInt>, device: &str) -> String {
        let mut rounds = Rounds::new(counts);
        let mut rows = String::new();
        for row in times.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let [event, line, amount, ms, least] = cells[..] else {
                continue;
            };
            let round = rounds.of(event);
            let (blocks, operations) = match (event, round) {
                ("launch", Some(round)) => (round.io.to_string(), round.time.to_string()),
                _ => (String::new(), String::new()),
            };
            let values = self
                .names
                .iter()
                .map(|name| match self.formals().get(name) {
                    Some(value) => format!("{value},"),
                    None => ",".to_owned(),
                });
            rows.push_str(&format!(
                "{},{}{event},{line},{amount},{blocks},{operations},{ms},{least},{},{},{},{device},\
                 {}{}\n",
                self.program.name,
                values.collect::<String>(),
                self.args.repeat,
                self.args.warm_up,
                target(self.args.target).name(),
                env!("CARGO_PKG_VERSION"),
                env!("ATGPU_REVISION"),
            ));
        }
        rows
    }
}

fn about(found: &Data, wanted: &Data) -> bool {
    match (found, wanted) {
        (Data::Int(found), Data::Int(wanted)) => found == wanted,
        (Data::Float(found), Data::Float(wanted)) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted).all(|(x, y)| {
                    x.to_bits() == y.to_bits()
                        || (x - y).abs() <= ROUNDING * x.abs().max(y.abs()).max(1e-300)
                })
        }
        (Data::Int(_), Data::Float(_)) | (Data::Float(_), Data::Int(_)) => false,
    }
}

/// The round that events belong to, in their order (language.md §4.3).
struct Rounds<'c> {
    counts: &'c Counts<BigInt>,
    /// The entry, and the round of those it stands for.
    at: (usize, u64),
    /// 0 inward, 1 launch, 2 outward: the last event's.
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

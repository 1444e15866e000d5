//! `atgpu measure`: emits programs, compiles and runs them, compares their outputs with the interpreter's,
//! and writes a row for each transfer and launch. Or measures a machine by the programs that determine it.
//!
//! Compilers and programs run as processes of their own ([`process`]) with a time limit. Rows are written
//! after all measurements, or not at all.

mod card;
mod process;
mod subject;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::diag::Diagnostic;
use atgpu::emit::{Options, Parts, Target, Words, emit as emit_program};
use atgpu::machine::Machine;
use atgpu::program::{Program, WordType};
use atgpu::safety::safety;
use atgpu::study::{Axis, EVENT_COLUMNS, Prepared, StudyError, refuse_twice, sizes};

use crate::cli::args::{Format, MeasureArgs, MeasureOptions};
use crate::cli::emit::{self, target};
use crate::cli::error::UsageError;
use crate::cli::measure::process::{Place, Why, failed, finished};
use crate::cli::measure::subject::Subject;
use crate::cli::options::Given;
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, study};

/// Limit on the points of a grid.
const MOST_POINTS: u64 = 100_000;

/// Measures programs, or a machine.
pub fn measure(args: &MeasureArgs) -> Reply {
    let mut findings = Vec::new();
    let output = files::named(&args.output);
    let mut written = args.machine_file.iter().chain(output);
    if let Some(fault) = written.find_map(|path| files::refuse_unwritable(path).err()) {
        return Reply::faults(vec![Finding::bare(fault)], args.format == Format::Json);
    }
    let answer = match &args.machine_file {
        Some(path) => card::measured(args, path),
        None => measured(args, &mut findings),
    };
    Reply::of(answer, findings, args.format == Format::Json).about(&args.files)
}

fn measured(args: &MeasureArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let given = Given::read(&args.options, &args.files)?;
    let (programs, found) = study::load(&args.files)?;
    findings.extend(found);
    let axes = study::axes(&args.vary, &programs)?;
    refuse_unmeasurable(&axes, &programs, &given).map_err(|fault| vec![Finding::bare(fault)])?;
    let mut jobs = Vec::new();
    for program in &programs {
        let (machine, fixed) = given.of(program).for_program(program)?;
        let points = if axes.is_empty() {
            own_sizes(program, &machine, &fixed, most_words(args))
        } else {
            Ok(grid(&axes, &fixed))
        };
        let points = match points {
            Err(faults) if args.how.keep_going => {
                findings.extend(faults);
                continue;
            }
            points => points?,
        };
        jobs.push(Job {
            program,
            machine,
            points,
        });
    }
    let (rows, points) = if args.how.keep_going {
        going_on(&args.how, &jobs, findings)
    } else {
        let points = jobs.iter().map(|job| job.points.len()).sum();
        rows(&args.how, &jobs).map(|(rows, _)| (rows, points))
    }?;
    let output = files::named(&args.output);
    if let Some(path) = output {
        files::write(path, rows.as_bytes()).map_err(|fault| vec![Finding::bare(fault)])?;
    }
    Ok(match (args.format, output) {
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

/// Refuses axes of the machine, which a measurement cannot vary, axes with a value already given, and too many points.
fn refuse_unmeasurable(
    axes: &[Axis],
    programs: &[Program],
    given: &Given,
) -> Result<(), Diagnostic> {
    let mut strangers = axes.iter().map(|axis| &axis.name);
    if let Some(name) = strangers.find(|name| !study::is_formal(programs, name)) {
        let name = name.clone();
        return Err(Diagnostic::of(&UsageError::VariesMachine { name }));
    }
    refuse_twice(axes, &given.parameters).map_err(|fault| Diagnostic::of(&fault))?;
    let lengths = axes.iter().map(Axis::len);
    if lengths.fold(1_u64, u64::saturating_mul) > MOST_POINTS {
        let fault = StudyError::TooManyToMeasure { most: MOST_POINTS };
        return Err(Diagnostic::of(&fault));
    }
    Ok(())
}

/// Words of the largest array.
pub(super) fn most_words(args: &MeasureArgs) -> i64 {
    args.most_words.unwrap_or(1 << 22)
}

/// Measurement sizes by default.
fn own_sizes(
    program: &Program,
    machine: &Machine,
    fixed: &Parameters,
    most_words: i64,
) -> Result<Vec<Parameters>, Vec<Finding>> {
    let derivation = derive(program, &Parameters::new());
    let prepared = Prepared::new(program, Some(&derivation));
    let points = sizes(&prepared, machine, fixed, most_words);
    if points.is_empty() {
        Err(vec![Finding::bare(Diagnostic::of(&UsageError::NoSizes {
            program: program.name().to_owned(),
            most: most_words,
        }))])
    } else {
        Ok(points)
    }
}

/// Measures every job that can be measured, and returns the rows and the number of points. Faults of other
/// jobs become findings.
fn going_on(
    how: &MeasureOptions,
    jobs: &[Job<'_>],
    findings: &mut Vec<Finding>,
) -> Result<(String, usize), Vec<Finding>> {
    let names = names(jobs)?;
    let (mut all, mut points) = (header(&names), 0);
    for job in jobs {
        match rows_of(how, job, &names) {
            Ok((rows, _)) => {
                all.push_str(&rows);
                points += job.points.len();
            }
            Err(faults) => findings.extend(faults),
        }
    }
    match points {
        0 => Err(Vec::new()),
        _ => Ok((all, points)),
    }
}

/// A program and the points at which it is measured.
struct Job<'p> {
    program: &'p Program,
    machine: Machine,
    points: Vec<Parameters>,
}

/// Returns the header with a row for each event of each job, and the device's report about itself.
fn rows(how: &MeasureOptions, jobs: &[Job<'_>]) -> Result<(String, String), Vec<Finding>> {
    let names = names(jobs)?;
    let (mut all, mut reports) = (header(&names), String::new());
    for job in jobs {
        let (rows, report) = rows_of(how, job, &names)?;
        all.push_str(&rows);
        reports = report;
    }
    Ok((all, reports))
}

/// The formal parameters of all jobs, each with its own column.
fn names(jobs: &[Job<'_>]) -> Result<Vec<String>, Vec<Finding>> {
    let mut names: Vec<String> = Vec::new();
    for job in jobs {
        for formal in job.program.formals() {
            let name = job.program.parameter(*formal).name.clone();
            if EVENT_COLUMNS.contains(&name.as_str()) {
                let fault = Diagnostic::of(&UsageError::NamedAsColumn {
                    name,
                    program: job.program.name().to_owned(),
                    columns: EVENT_COLUMNS.join(", "),
                });
                return Err(vec![Finding::bare(fault)]);
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

fn header(names: &[String]) -> String {
    let [program, others @ ..] = EVENT_COLUMNS;
    let names = names.iter().map(String::as_str);
    record([program].into_iter().chain(names).chain(others))
}

/// A line of CSV.
fn record<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let mut line = csv::Writer::from_writer(Vec::new());
    let written = line.write_record(cells.map(str::as_bytes));
    written.expect("there is room in memory");
    let line = line.into_inner().expect("there is room in memory");
    String::from_utf8(line).expect("of texts only")
}

/// Returns a row for each event of a job, and the device's report about itself.
fn rows_of(
    how: &MeasureOptions,
    job: &Job<'_>,
    names: &[String],
) -> Result<(String, String), Vec<Finding>> {
    let place = Place::new()?;
    let progress = ProgressLine::start();
    let words = words(how, job)?;
    let executable = compiled(how, job, words, &place)?;
    // A point that is too large to run is counted instead.
    let derivation = how
        .compare_up_to
        .map(|_| derive(job.program, &Parameters::new()));
    let (mut rows, mut report) = (String::new(), String::new());
    let all = job.points.len() as u64;
    for (done, values) in (0..).zip(&job.points) {
        let what = format!("points of {}", job.program.name());
        progress.parts(done, all, &what);
        let subject = Subject {
            how,
            program: job.program,
            machine: &job.machine,
            derivation: derivation.as_ref(),
            words,
            values,
            names,
        };
        let (own, told) = subject.rows(&executable, &place)?;
        rows.push_str(&own);
        report = told;
    }
    Ok((rows, report))
}

/// The widths of words; by default the machine's. All words of a program must have equal width, since costs
/// are per word.
fn words(how: &MeasureOptions, job: &Job<'_>) -> Result<Words, Vec<Finding>> {
    let as_machine = job.machine.word_bytes == 4;
    let words = emit::words(&how.word, as_machine).map_err(|fault| vec![Finding::bare(fault)])?;
    let has = |ty: WordType| job.program.variables().iter().any(|it| it.word_type == ty);
    if words.int32 != words.float && has(WordType::Int) && has(WordType::Float) {
        Err(vec![Finding::bare(Diagnostic::of(
            &UsageError::MixedWords {
                program: job.program.name().to_owned(),
            },
        ))])
    } else {
        Ok(words)
    }
}

/// All combinations of values, together with the fixed ones.
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

/// Refuses options of another target.
fn refuse_misplaced(how: &MeasureOptions, target: Target) -> Result<(), Diagnostic> {
    let (option, wanted) = match target {
        _ if how.pinned && target != Target::Cuda => ("--pinned", Target::Cuda),
        _ if how.device.is_some() && target != Target::OpenCl => ("--device", Target::OpenCl),
        _ => return Ok(()),
    };
    Err(Diagnostic::of(&UsageError::OfTarget {
        option,
        wanted: wanted.name(),
        target: target.name(),
    }))
}

/// The point of the largest sizes, if they may be too large for indices of 32 bits: with these as defaults, indices have
/// as many bits as they need.
fn largest(points: &[Parameters]) -> Parameters {
    let product = |point: &Parameters| {
        let values = point
            .iter()
            .map(|(_, value)| value.to_i64().unwrap_or(i64::MAX));
        values.fold(1_i64, |all, value| all.saturating_mul(value.max(1)))
    };
    let point = points.iter().max_by_key(|point| product(point));
    let point = point.filter(|point| product(point) > i64::from(i32::MAX / 2));
    point.cloned().unwrap_or_default()
}

/// Emits and compiles the program.
fn compiled(
    how: &MeasureOptions,
    job: &Job<'_>,
    words: Words,
    place: &Place,
) -> Result<PathBuf, Vec<Finding>> {
    let (program, machine) = (job.program, &job.machine);
    let target = target(how.target);
    refuse_misplaced(how, target).map_err(|fault| vec![Finding::bare(fault)])?;
    let options = Options {
        target,
        parts: Parts::Program,
        words,
        defaults: largest(&job.points),
        safety: Some(&safety(program, &Parameters::new(), machine)),
        unchecked: how.unchecked,
    };
    let emitted = emit_program(program, machine, &options)
        .map_err(|it| Finding::all(program.source(), it))?;
    let source = place
        .0
        .join(format!("program.{}", options.target.extension()));
    let executable = place.0.join("program");
    let _ = fs::remove_file(&executable);
    fs::write(&source, emitted.text)
        .map_err(|error| failed("a temporary file", Why::NotStarted(error.to_string())))?;
    // Fused multiply-adds are off, so that floats round as in an interpreted run, with which outputs are
    // compared.
    let (name, before, after): (&str, &[&str], &[&str]) = match options.target {
        Target::C => ("cc", &["-O3", "-fwrapv", "-ffp-contract=off"], &["-lm"]),
        Target::Cuda => ("nvcc", &["-O3", "--fmad=false"], &[]),
        Target::OpenCl => ("cc", &["-O3"], &["-lOpenCL", "-lm"]),
    };
    let name = how.compiler.as_deref().unwrap_or(name);
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
        how.time_limit,
        place,
    )?;
    Ok(executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_are_one_cell() {
        let line = record(["a,b", "8", "0.1.0 (c7f6306, modified)"].into_iter());
        assert_eq!(line, "\"a,b\",8,\"0.1.0 (c7f6306, modified)\"\n");
    }
}

//! `atgpu measure --machine-file`: the programs that determine a machine, and the resulting file.

use std::path::Path;

use atgpu::check::check_text;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::emit::Target;
use atgpu::machine::{Machine, OVERRIDABLE};
use atgpu::program::Program;
use atgpu::report::calibration::{self, Entry};
use atgpu::study::{
    Counting, Microbenchmark, Weights, calibrate, card_figures, is_of_fit, measurements,
    microbenchmarks, tells_clock, words_beyond,
};
use atgpu::text::{Known, Source};

use crate::cli::args::{Format, MeasureArgs};
use crate::cli::calibrate::{hold_to_report, text_of};
use crate::cli::emit::target;
use crate::cli::error::UsageError;
use crate::cli::files;
use crate::cli::measure::{Job, most_words, rows};
use crate::cli::options::{DEFAULT_MACHINE, Given};
use crate::cli::remedy::Remedy;
use crate::cli::reply::{Body, Finding};

/// Measures a machine and writes its file.
pub(super) fn measured(args: &MeasureArgs, path: &str) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let given = Given::read(&args.options, &[])?;
    let named = args.options.machine.as_deref().unwrap_or(DEFAULT_MACHINE);
    let base = text_of(named).map_err(bare)?;
    let launched = Launched::of(
        args,
        &given.parameters,
        &given.machine,
        &overridden(&given)?,
    );
    let machine = launched.machine;
    let (csv, reports) = rows_of_suite(args, &machine)?;
    if let Some(path) = files::named(&args.output) {
        files::write(path, csv.as_bytes()).map_err(bare)?;
    }
    let observed = measurements(&csv).expect("rows that were just written");
    let name = Path::new(path).file_stem().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let device = device(&csv);
    let source = format!("`atgpu measure --machine-file` on {device}");
    let reported = reported(&reports, &machine);
    let base = calibration::kept_file(&base, &machine.name, &reported, &launched.entries, &device);
    let base = base.map_err(Finding::all_bare)?;
    let first = Machine::from_toml(&base).map_err(Finding::all_bare)?;
    // The limits on the speed of blocks have to be known before anything is fitted.
    let cache = told_of(&reports, "l2_bytes");
    let card = card_figures(&observed, &first, cache);
    let base = calibration::card_file(&base, &card, &source).map_err(Finding::all_bare)?;
    let start = Machine::from_toml(&base).map_err(Finding::all_bare)?;
    // A clock reported by the device fixes γ. Then chains of dependent operations are left out of the fit.
    let mut fixed = given.parameters.clone();
    if fixed.get("Z").is_some() {
        fixed.set("Z", machine.mps_per_thread_block());
    }
    let is_told = fixed.get("gamma").is_none() && reported.iter().any(|(place, _)| *place == CLOCK);
    if is_told && let Some(clock) = &start.device.clock {
        fixed.set("gamma", clock.value().clone());
    }
    let seen: Vec<_> = observed
        .iter()
        .filter(|row| is_of_fit(row) && !(is_told && tells_clock(row)))
        .cloned()
        .collect();
    let fit = calibrate(
        &[],
        &start,
        &fixed,
        &seen,
        Weights::Relative,
        Counting::Briefly,
    )
    .map_err(Finding::all_bare)?;
    let file = calibration::machine_file(&base, &fit, &name, &source);
    hold_to_report(&file, &fit, named)?;
    // Cycles are converted by the reported or fitted clock, so they are computed again.
    let card = card_figures(&observed, &fit.machine, cache);
    let file = calibration::card_file(&file, &card, &source).map_err(Finding::all_bare)?;
    Machine::from_toml(&file).map_err(Finding::all_bare)?;
    files::write(path, file.as_bytes()).map_err(bare)?;
    Ok(match args.format {
        Format::Json => {
            let mut json = calibration::json(&fit, &name);
            json["device"] = device.into();
            json["card"] = calibration::card_json(&card);
            Body::Json(Some(json))
        }
        Format::Text => Body::Text(format!(
            "{device}\n\n{}\n{}\n{path} written\n",
            calibration::text(&fit),
            calibration::card_text(&card),
        )),
    })
}

/// The machine with the values of `-D`, which must all be its own.
fn overridden(given: &Given) -> Result<Machine, Vec<Finding>> {
    let (machine, strangers) = given
        .machine
        .with_overrides(&given.parameters, |_| false)
        .map_err(Finding::all_bare)?;
    let Some((name, _)) = strangers.iter().next() else {
        return Ok(machine);
    };
    Err(vec![Finding::bare(Diagnostic::of(&UsageError::Name {
        option: "-D",
        name: name.to_owned(),
        problem: "no such parameter of a machine",
        remedy: Remedy::Known(Known::beside(name, OVERRIDABLE.iter().copied())),
    }))])
}

/// Measures the suite of microbenchmarks: the rows, and what the device reports about itself.
fn rows_of_suite(args: &MeasureArgs, machine: &Machine) -> Result<(String, String), Vec<Finding>> {
    let mut how = args.how.clone();
    how.compare_up_to.get_or_insert(COMPARED);
    let suite = microbenchmarks(machine, largest(args, machine)?);
    let programs: Vec<Program> = suite.iter().map(program).collect::<Result<_, _>>()?;
    let jobs: Vec<Job<'_>> = programs
        .iter()
        .zip(&suite)
        .map(|(program, benchmark)| Job {
            program,
            machine: machine.clone(),
            points: benchmark
                .points
                .iter()
                .map(|point| point.iter().copied().collect::<Parameters>())
                .collect(),
        })
        .collect();
    rows(&how, &jobs)
}

/// Limit on the words of a program with compared outputs, by default. A larger run would need too much host
/// memory.
const COMPARED: u64 = 1 << 25;

/// The place of the clock in a machine file.
const CLOCK: (&str, &str) = ("device", "clock_ghz");

/// MPs of a thread block, by default: 256 threads.
const THREAD_BLOCK: i64 = 8;

/// The launch configuration: the machine with Z, and the file's entries for Z and W.
struct Launched {
    machine: Machine,
    entries: Vec<(Entry<'static>, &'static str)>,
}

impl Launched {
    /// `base` is the machine without the `given` values. With thread blocks of one warp half of a
    /// multiprocessor stays idle, and a card runs too few of them to reach its memory bandwidth.
    fn of(args: &MeasureArgs, given: &Parameters, base: &Machine, machine: &Machine) -> Launched {
        let cores = machine.atgpu.numbers()[1];
        let has_them = target(args.how.target).shares_thread_blocks(cores);
        let is_given = given.get("Z").is_some();
        let (mps, why) = match (has_them, machine.mps_per_thread_block()) {
            (false, _) => (1, "launched so: an MP is a thread block of its own"),
            (true, 1) if !is_given => (
                THREAD_BLOCK,
                "chosen: launched in thread blocks of 256 threads",
            ),
            (true, given) => (given, "launched so: in thread blocks of so many MPs"),
        };
        let machine = machine.with([("Z", mps)]).expect("in range");
        let mut entries = Vec::new();
        if mps > 1 || is_given || base.roofline.mps_per_thread_block.is_some() {
            let place = ("roofline", "mps_per_thread_block");
            entries.push(((place, mps.to_string()), why));
        }
        if let (Some(_), Some(warps)) = (given.get("W"), machine.roofline.warps_per_mp) {
            let place = ("roofline", "warps_per_mp");
            entries.push(((place, warps.to_string()), "given"));
        }
        Launched { machine, entries }
    }
}

/// Words of the largest array. By default as many as exceed the cache that the device reports; the shortest
/// program asks for that.
fn largest(args: &MeasureArgs, machine: &Machine) -> Result<i64, Vec<Finding>> {
    let asked = args.most_words.is_none() && target(args.how.target) != Target::C;
    if !asked {
        return Ok(most_words(args));
    }
    let suite = microbenchmarks(machine, most_words(args));
    let launches = suite.iter().find(|it| it.file == "machine/launches");
    let launches = program(launches.expect("one of them"))?;
    let job = Job {
        program: &launches,
        machine: machine.clone(),
        points: vec![Parameters::from([("k", 1)])],
    };
    let (_, reports) = rows(&args.how, &[job])?;
    let cache = told_of(&reports, "l2_bytes");
    let beyond = cache.map_or(0, |bytes| words_beyond(bytes, machine.word_bytes));
    Ok(most_words(args).max(beyond))
}

fn program(benchmark: &Microbenchmark) -> Result<Program, Vec<Finding>> {
    let source = Source::new(
        &format!("programs/{}.atgpu", benchmark.file),
        benchmark.text,
    );
    let checked = check_text(&source);
    let faults = checked.diagnostics;
    checked.program.ok_or_else(|| Finding::all(&source, faults))
}

/// A figure that a device reports about itself.
fn told_of(reports: &str, name: &str) -> Option<i64> {
    let mut pairs = reports
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(known, _)| *known == name)?;
    value.parse::<i64>().ok().filter(|value| *value > 0)
}

/// The figures that a device reports, as keys of a machine file.
fn reported(reports: &str, machine: &Machine) -> Vec<((&'static str, &'static str), String)> {
    let told = |name: &str| told_of(reports, name);
    let whole = |name| told(name).map(|value| value.to_string());
    let words = |name| told(name).map(|bytes| (bytes / machine.word_bytes).max(1).to_string());
    let clock = told("clock_mhz").map(|mhz| (mhz as f64 / 1000.0).to_string());
    [
        (("device", "multiprocessors"), whole("multiprocessors")),
        (("device", "max_blocks"), whole("max_blocks")),
        (CLOCK, clock),
        (("atgpu", "M"), words("shared_bytes")),
        (("atgpu", "G"), words("global_bytes")),
        (("roofline", "l2_bytes"), whole("l2_bytes")),
    ]
    .into_iter()
    .filter_map(|(place, value)| Some((place, value?)))
    .collect()
}

/// The device and the driver named in the rows.
fn device(csv: &str) -> String {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (Some(header), Some(row)) = (lines.next(), lines.next()) else {
        return String::new();
    };
    let cell = |name: &str| {
        let at = header.iter().position(|column| *column == name);
        at.and_then(|at| row.get(at).copied()).unwrap_or_default()
    };
    let told = [cell("device"), cell("driver")].map(str::trim);
    let told: Vec<&str> = told.into_iter().filter(|text| !text.is_empty()).collect();
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::{Cli, Command};

    /// Z as the suite is launched, and the text of the file about it.
    fn launched(options: &[&str]) -> (i64, Option<String>) {
        let all = ["atgpu", "measure", "--machine-file", "mine.toml"];
        let parsed = Cli::try_parse_from(all.iter().chain(options)).expect("a command");
        let Command::Measure(args) = parsed.command else {
            panic!("{options:?}");
        };
        let given = Given::read(&args.options, &[]).unwrap_or_else(|_| panic!("{options:?}"));
        let overridden = given.machine.with_overrides(&given.parameters, |_| false);
        let (machine, _) = overridden.expect("in range");
        let launched = Launched::of(&args, &given.parameters, &given.machine, &machine);
        let told = launched.entries.into_iter().next();
        let told = told.map(|((_, value), _)| value);
        (launched.machine.mps_per_thread_block(), told)
    }

    #[test]
    fn a_file_says_how_its_programs_were_launched() {
        let told = |value: &str| Some(value.to_owned());
        assert_eq!(launched(&["--target", "cuda"]), (8, told("8")));
        assert_eq!(launched(&["--target", "cuda", "-D", "Z=4"]), (4, told("4")));
        assert_eq!(launched(&["--target", "cuda", "-D", "Z=1"]), (1, told("1")));
        // Where an MP is no warp, or not a thread block's part, it is one of its own.
        assert_eq!(launched(&["--target", "cuda", "-D", "b=64"]), (1, None));
        assert_eq!(launched(&["--target", "c"]), (1, None));
        assert_eq!(launched(&["--target", "c", "-D", "Z=4"]), (1, told("1")));
    }
}

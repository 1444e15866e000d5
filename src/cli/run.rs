//! `atgpu run`: runs a program on data, with everything checked and counted.

use std::time::Instant;

use atgpu::cost::{Exact, Model, Subject};
use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::diag::{Code, Diagnostic, Severity};
use atgpu::exec::{Execution, FinalArray, Input, Options, Outcome};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::{Program, Role, Scope, Undeclared, Variable};
use atgpu::report::counts::trace::{self, TraceReport};
use atgpu::report::counts::{self, CountsReport, EnsureOutcome, Method, RunReport, arrays};
use atgpu::report::safety::json as safety_json;
use atgpu::safety;
use atgpu::text::Known;
use atgpu::verify;
use indexmap::IndexMap;

use crate::cli::args::{Format, NarrowWord, RunArgs};
use crate::cli::cost::charges_in_passing;
use crate::cli::error::UsageError;
use crate::cli::inputs::{self, Output};
use crate::cli::options::{self, Given};
use crate::cli::progress::ProgressLine;
use crate::cli::remedy::Remedy;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, program};

/// Runs a program.
pub fn run(args: &RunArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = execute(args, &mut findings);
    Reply::of(answer, findings, args.format == Format::Json)
}

struct Answer {
    body: Body,
    /// Text for standard error: the report, if standard output carries an array.
    aside: String,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Reply {
            aside: answer.aside,
            ..answer.body.into()
        }
    }
}

fn execute(args: &RunArgs, findings: &mut Vec<Finding>) -> Result<Answer, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let mut given = Given::read(&args.options, std::slice::from_ref(&args.file))?;
    let named = given.models(&args.model).to_vec();
    let mut models = options::models(&named).map_err(bare)?;
    let outputs = outputs(args).map_err(bare)?;
    let trace = args.trace.as_deref().map(traced_mp).transpose();
    let trace = trace.map_err(bare)?;

    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let program = match args.word {
        Some(NarrowWord::Int32) => program.with_int32(Undeclared::NoInputs),
        None => program,
    };
    known_names(args, &outputs, &program).map_err(bare)?;
    let within = |faults: Vec<Diagnostic>| Finding::all(program.source(), faults);

    // Sizes from the data override `atgpu.toml`.
    sizes(args, &program, &mut given.parameters).map_err(bare)?;
    let (machine, formals) = given.of(&program).for_program(&program)?;
    let point = Point::new(&program, machine.atgpu.numbers(), &formals).map_err(within)?;
    let silent = options::keep_estimable(&mut models, &named, &machine);
    findings.extend(silent.into_iter().map(Finding::bare));
    let options = Options {
        cycle_rules: options::cycle_rules(&models, &machine).map_err(bare)?,
        inputs: inputs(args, &program, &point, findings).map_err(bare)?,
        seed: args.seed,
        threads: usize::try_from(args.threads).unwrap_or(0),
        trace_words: trace.is_some(),
        trace,
        mends_inputs: false,
        skip_ensures: args.no_ensure,
        memory_limit: Some(files::memory_of_a_run()),
    };
    let mut execution = Execution::prepare(&program, &point, &options).map_err(|faults| {
        within(program::of_the_model_first(
            faults, &program, &formals, &machine,
        ))
    })?;
    let (mut outcome, times) = repeat(&mut execution, args.repeat).map_err(within)?;
    refuse_an_empty_trace(args, &outcome).map_err(bare)?;
    findings.extend(within(std::mem::take(&mut outcome.diagnostics)));
    let run = Run {
        program: &program,
        machine: &machine,
        point: &point,
        models: &models,
        outcome: &outcome,
        times,
    };
    told(args, run, &outputs, findings)
}

/// Refuses names of variables that the program does not have, or that no output shows.
fn known_names(args: &RunArgs, outputs: &[Output], program: &Program) -> Result<(), Diagnostic> {
    for name in outputs.iter().map(|output| &output.name) {
        let fits = |variable: &&Variable| variable.scope == Scope::Host;
        known_variable(program, "--output", name, fits)?;
    }
    for name in &args.show {
        // Shared words are gone at the end, and a trace shows them line by line.
        let is_traced = args.trace.is_some();
        let fits = |variable: &&Variable| is_traced || variable.scope != Scope::Shared;
        known_variable(program, "--show", name, fits)?;
    }
    Ok(())
}

fn refuse_an_empty_trace(args: &RunArgs, outcome: &Outcome) -> Result<(), Diagnostic> {
    match &args.trace {
        Some(given) if outcome.trace.is_empty() => {
            let given = given.clone();
            Err(Diagnostic::of(&UsageError::NothingTraced { given }))
        }
        _ => Ok(()),
    }
}

/// A finished execution, and what it is reported with.
struct Run<'a> {
    program: &'a Program,
    machine: &'a Machine,
    point: &'a Point,
    models: &'a [&'static dyn Model],
    outcome: &'a Outcome,
    times: Times,
}

/// Holds the counts of a run against the derived ones, reports both, and writes the outputs.
fn told(
    args: &RunArgs,
    run: Run<'_>,
    outputs: &[Output],
    findings: &mut Vec<Finding>,
) -> Result<Answer, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let (program, outcome) = (run.program, run.outcome);
    let derivation = derive(program, &Parameters::new());
    let verdict = verify::verify(program, &derivation, run.point, &outcome.counts);
    findings.extend(Finding::all(program.source(), verdict.diagnostics()));

    let subject = Subject::of(&outcome.counts)
        .with_charges(outcome.charges.as_ref())
        .with_derivation(&derivation);
    let passing = match outcome.charges {
        None if run.machine.has_rules() => charges_in_passing(program, run.point, run.machine),
        _ => None,
    };
    let estimates = options::estimates(run.models, &subject, run.machine).map_err(bare)?;
    let report = CountsReport {
        algorithm: program.name(),
        machine: run.machine,
        parameters: &run.point.parameters,
        method: Method::Run(run_report(outcome, run.times, verdict.matches())),
        contention: None,
        counts: &outcome.counts,
        bounds: &[],
        charges: outcome.charges.as_ref().or(passing.as_ref()),
        estimates: &estimates,
        exact: &Exact::default(),
    };
    let saved = save(outputs, outcome, findings).map_err(bare)?;
    let traced = TraceReport {
        lines: &outcome.trace,
        cores: usize::try_from(run.point.cores()).unwrap_or(usize::MAX),
        shown: &args.show,
    };
    if let Some(path) = &args.trace_html {
        let mp = args.trace.as_deref().unwrap_or_default();
        let page = trace::trace_html(&traced, &format!("{}, {mp}", program.name()));
        files::write_result(path, page.as_bytes()).map_err(bare)?;
    }
    let mut answer = answer(args, &report, outcome, &traced, saved);
    if let Body::Json(Some(result)) = &mut answer.body {
        let proved = safety::proved(program, &Parameters::new());
        result["run"]["checks"] = safety_json::checks(program, &proved);
    }
    Ok(answer)
}

/// Durations in seconds.
struct Times {
    /// The time of each repetition: transfers in, rounds, transfers out.
    executions: Vec<f64>,
    /// The time of all `ensure`s.
    ensures: f64,
}

/// Runs the program `times` times, then tests the `ensure`s. The first fault ends it.
fn repeat(execution: &mut Execution<'_>, times: u32) -> Result<(Outcome, Times), Vec<Diagnostic>> {
    let progress = ProgressLine::start();
    let mut seconds = Vec::new();
    loop {
        let start = Instant::now();
        let executed = execution.execute(&progress)?;
        seconds.push(start.elapsed().as_secs_f64());
        if seconds.len() < times as usize {
            continue;
        }
        let start = Instant::now();
        let outcome = execution.conclude(executed, &progress)?;
        let times = Times {
            executions: seconds,
            ensures: start.elapsed().as_secs_f64(),
        };
        return Ok((outcome, times));
    }
}

fn run_report(outcome: &Outcome, times: Times, matches: Option<bool>) -> RunReport {
    let ensures = outcome.ensures.iter().map(|ensure| EnsureOutcome {
        text: ensure.text.clone(),
        line: ensure.line,
        holds: ensure.holds,
    });
    RunReport {
        ensures: ensures.collect(),
        matches_derivation: matches,
        seconds: times.executions,
        ensure_seconds: times.ensures,
        lane_operations: outcome.lane_operations.into(),
    }
}

fn answer(
    args: &RunArgs,
    report: &CountsReport<'_>,
    outcome: &Outcome,
    traced: &TraceReport<'_>,
    saved: Option<String>,
) -> Answer {
    let shown = args.show.iter().filter_map(|name| {
        let found = outcome.host.get(name).or_else(|| outcome.global.get(name));
        found.map(|array| (name, array))
    });
    if args.format == Format::Json {
        let mut result = counts::json(report);
        if let Some(object) = result.as_object_mut() {
            let variables: serde_json::Map<_, _> = shown
                .map(|(name, array)| (name.clone(), arrays::json(array)))
                .collect();
            if !variables.is_empty() {
                object.insert("variables".to_owned(), variables.into());
            }
            if args.trace.is_some() {
                object.insert("trace".to_owned(), trace::trace_json(traced));
            }
        }
        return Answer {
            body: Body::Json(Some(result)),
            aside: String::new(),
        };
    }
    let mut text = counts::text(report);
    for (name, array) in shown {
        text.push('\n');
        text.push_str(&arrays::text(name, array));
    }
    if args.trace.is_some() {
        text.push('\n');
        text.push_str(&trace::trace_text(traced));
    }
    // A saved array takes standard output, so the report goes aside.
    match saved {
        Some(array) => Answer {
            body: Body::Text(array),
            aside: text,
        },
        None => Answer {
            body: Body::Judged(text),
            aside: String::new(),
        },
    }
}

/// Parses `--output`. Refuses two results on standard output, two for one file, and a result over an input.
fn outputs(args: &RunArgs) -> Result<Vec<Output>, Diagnostic> {
    let outputs = args.output.iter().map(|given| Output::parse(given));
    let outputs: Vec<Output> = outputs.collect::<Result<_, _>>()?;
    let files: Vec<&str> = outputs.iter().filter_map(Output::file).collect();
    let is_taken = |at: usize| {
        let others = files[..at].iter().map(|other| files::place(other));
        let place = files::place(files[at]);
        place.is_some() && others.into_iter().any(|other| other == place)
    };
    if let Some(at) = (0..files.len()).find(|at| is_taken(*at)) {
        let path = files[at].to_owned();
        return Err(Diagnostic::of(&UsageError::OneFile { path }));
    }
    let inputs = args
        .input
        .iter()
        .map(|given| inputs::input_assignment(given));
    let read = inputs.map(|input| input.map(|(_, source)| source.to_owned()));
    let read: Vec<String> = read.collect::<Result<_, _>>()?;
    for file in files {
        files::refuse_input(file, &read, "the data of an input")?;
        files::refuse_unwritable(file)?;
    }
    let standard = outputs.iter().filter(|output| output.is_standard_output());
    let other = match standard.count() {
        0 => return Ok(outputs),
        1 if args.format == Format::Text => return Ok(outputs),
        1 => "`--format json`",
        _ => "another `--output`",
    };
    Err(Diagnostic::of(&UsageError::StandardOutput { other }))
}

/// Writes every output; returns the one for standard output. Unwritten words give a warning.
fn save(
    outputs: &[Output],
    outcome: &Outcome,
    findings: &mut Vec<Finding>,
) -> Result<Option<String>, Diagnostic> {
    let mut saved = None;
    for output in outputs {
        let Some(shown) = outcome.host.get(&output.name) else {
            continue;
        };
        if let Some(warning) = unwritten(&output.name, shown) {
            findings.push(Finding::bare(warning));
        }
        if let Some(text) = output.write(&shown.array)? {
            saved = Some(text);
        }
    }
    Ok(saved)
}

fn unwritten(name: &str, shown: &FinalArray) -> Option<Diagnostic> {
    let missing = arrays::unwritten(shown);
    let code = Code::find("value::uninitialised")?;
    (missing > 0).then(|| {
        let message = format!(
            "{missing} of the {} words of `{name}` were never written and are saved as 0",
            shown.array.data.len()
        );
        Diagnostic::new(code, message).with_severity(Severity::Warning)
    })
}

/// Sets formals without values from the shapes of the input files.
fn sizes(args: &RunArgs, program: &Program, formals: &mut Parameters) -> Result<(), Diagnostic> {
    for given in &args.input {
        let (name, source) = inputs::input_assignment(given)?;
        let fits = |variable: &&Variable| variable.role == Role::Input;
        let variable = &program.variables()[known_variable(program, "--input", name, fits)?];
        // Only an extent that is exactly a formal tells its value: data for `A[n]` give n, data for `A[2n]`
        // give nothing. A file is not read if all such formals have values.
        let alone = program.lone_formals(variable);
        let is_missing = |formal: &str, formals: &Parameters| formals.get(formal).is_none();
        let mut wanted = alone.iter().flatten();
        if !wanted.any(|formal| is_missing(formal, formals)) {
            continue;
        }
        let Some(shape) = inputs::shape(source, variable.word_type)? else {
            continue;
        };
        if shape.len() != alone.len() {
            let mut missing = alone.into_iter().flatten();
            let formal = missing.find(|formal| is_missing(formal, formals));
            let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
            return Err(Diagnostic::of(&UsageError::RankOfData {
                formal: formal.unwrap_or_default().to_owned(),
                variable: name.to_owned(),
                rank: variable.dimensions.len(),
                file: source.to_owned(),
                shape: extents.join(" × "),
            }));
        }
        for (formal, extent) in alone.into_iter().zip(shape) {
            if let Some(formal) = formal.filter(|formal| is_missing(formal, formals)) {
                formals.set(formal, BigInt::from(extent));
            }
        }
    }
    Ok(())
}

/// The data sources by variable, with files read.
fn inputs(
    args: &RunArgs,
    program: &Program,
    point: &Point,
    findings: &mut Vec<Finding>,
) -> Result<IndexMap<String, Input>, Diagnostic> {
    let mut read = IndexMap::new();
    let mut notes = Vec::new();
    for given in &args.input {
        let (name, source) = inputs::input_assignment(given)?;
        let fits = |variable: &&Variable| variable.role == Role::Input;
        let at = known_variable(program, "--input", name, fits)?;
        let shape: Vec<usize> = point.extents[at]
            .iter()
            .map(|extent| usize::try_from(extent).unwrap_or(usize::MAX))
            .collect();
        let word_type = program.variables()[at].word_type;
        let input = inputs::read(name, source, word_type, &shape, &mut notes)?;
        if read.insert(name.to_owned(), input).is_some() {
            let name = name.to_owned();
            return Err(Diagnostic::of(&UsageError::InputTwice { name }));
        }
    }
    findings.extend(notes.into_iter().map(Finding::bare));
    Ok(read)
}

/// The index of a variable that the option accepts.
fn known_variable(
    program: &Program,
    option: &'static str,
    name: &str,
    fits: impl Fn(&&Variable) -> bool,
) -> Result<usize, Diagnostic> {
    let variables = program.variables().iter();
    let found = variables
        .clone()
        .position(|variable| variable.name == name && fits(&variable));
    found.ok_or_else(|| {
        let known: Vec<&str> = variables
            .filter(fits)
            .map(|variable| variable.name.as_str())
            .collect();
        let remedy = if known.is_empty() {
            Remedy::NoVariables
        } else {
            Remedy::Known(Known::beside(name, known))
        };
        Diagnostic::of(&UsageError::Name {
            option,
            name: name.to_owned(),
            problem: "no such variable",
            remedy,
        })
    })
}

/// Parses `mp=3` or `mp=1,2`.
fn traced_mp(given: &str) -> Result<Vec<i64>, Diagnostic> {
    let numbers = given.strip_prefix("mp=").map(|numbers| {
        let numbers = numbers.split(',').map(|number| number.trim().parse());
        numbers.collect::<Result<Vec<i64>, _>>()
    });
    match numbers {
        Some(Ok(numbers)) => Ok(numbers),
        _ => Err(Diagnostic::of(&UsageError::Trace {
            given: given.to_owned(),
        })),
    }
}

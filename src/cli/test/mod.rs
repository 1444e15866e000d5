//! `atgpu test`: every claim and every `ensure` of programs, one line each, and a summary.
//!
//! The derivation judges claims: proved, refuted, or tested at points counted without data. An `ensure` is
//! tested by runs on random data (seed 0), which also compare the derivation with the execution.

mod runs;

use atgpu::count::Parameters;
use atgpu::derivation::{Derivation, Verdict};
use atgpu::derive::derive_to_judge;
use atgpu::exec::Unwatched;
use atgpu::machine::{Atgpu, Machine};
use atgpu::meaning::{admissible_points, widths};
use atgpu::program::Program;
use atgpu::report::test_run;
use atgpu::report::test_run::{Failure, Outcome, ProgramReport, TestLine, Undecided};
use atgpu::room::with_room;

use crate::cli::args::{Format, TestArgs};
use crate::cli::options::Asked;
use crate::cli::progress::{AtWork, ProgressLine};
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::test::runs::{Limits, Shown, Subject};
use crate::cli::threads;
use crate::cli::{alone, program};

/// Cores per MP for programs without a size for the machine's: h·h threads, or few.
const OTHER_WIDTHS: [i64; 6] = [256, 64, 16, 4, 2, 1];

/// Tests programs.
pub fn test(args: &TestArgs) -> Reply {
    let as_json = args.format == Format::Json;
    let asked = match Asked::read(&args.options) {
        Ok(asked) => asked,
        Err(faults) => return Reply::faults(faults, as_json),
    };
    let here = [".".to_owned()];
    let paths = if args.paths.is_empty() {
        &here[..]
    } else {
        &args.paths
    };
    let files = match program::meant(paths) {
        Ok(files) => files,
        Err(fault) => return Reply::faults(vec![Finding::bare(fault)], as_json),
    };
    let (mut findings, mut reports) = (Vec::new(), Vec::new());
    let limits = Limits {
        points: args.points.map(usize::from),
        seconds: args.seconds,
    };
    for (tested, found) in all(&files, &asked, limits) {
        findings.extend(found);
        match tested {
            Ok(report) => reports.push(report),
            Err(faults) => findings.extend(faults),
        }
    }
    let body = match args.format {
        Format::Json => Body::Json(Some(test_run::json(&reports))),
        Format::Text => Body::Judged(test_run::text(&reports, files.len())),
    };
    let is_thin = reports.iter().any(ProgramReport::has_few_points);
    let mut reply = Reply::with(body, findings).about(&files);
    reply.refused |= args.strict && is_thin;
    reply
}

/// The report of a file, or the faults that prevent its test.
type Tested = Result<ProgramReport, Vec<Finding>>;

/// Tests files in parallel and returns the results in order, with the findings of each. For a single file
/// the progress line shows rounds, for several the number of files done.
fn all(files: &[String], asked: &Asked, limits: Limits) -> Vec<(Tested, Vec<Finding>)> {
    let with = |file: &String, shown: Shown<'_>| {
        let mut found = Vec::new();
        let tested = with_room(|| one(file, (asked, limits), shown, &mut found));
        (tested, found)
    };
    if let [file] = files {
        let line = ProgressLine::start();
        let shown = Shown {
            progress: &line,
            about: &|number, place| line.about(number, place),
        };
        return vec![with(file, shown)];
    }
    let silent = Shown {
        progress: &Unwatched,
        about: &|_, _| {},
    };
    let progress = AtWork::on_each(files.len());
    threads::each(files.iter().collect(), |file| {
        let tested = alone::one_of(files.len(), file, || with(file, silent))
            .unwrap_or_else(|fault| (Err(vec![*fault]), Vec::new()));
        progress.done();
        tested
    })
}

fn one(
    file: &str,
    (asked, limits): (&Asked, Limits),
    shown: Shown<'_>,
    findings: &mut Vec<Finding>,
) -> Tested {
    let (program, found) = program::load_sound(file)?;
    findings.extend(found);
    let given = asked.beside(file)?.of(&program);
    let (mut machine, formals) = given.for_program(&program)?;
    // A program for MPs of another width is run with that width.
    let width = width_of(&program, &machine, &given.parameters);
    let is_run = !program.ensures().is_empty();
    let cores_per_mp = (is_run && width != machine.atgpu.cores_per_mp).then_some(width);
    machine.atgpu.cores_per_mp = width;
    let mut derivation = derive_to_judge(&program, &given.parameters);
    findings.extend(Finding::all(program.source(), derivation.mismatches()));
    let mut values = formals;
    if let Some(width) = given.parameters.get("b") {
        values.set("b", width.clone());
    }
    let subject = Subject {
        program: &program,
        machine: &machine,
        given: &values,
        limits,
        shown,
    };
    let tested = runs::of(&subject, &mut derivation)
        .map_err(|faults| Finding::all(program.source(), faults))?;
    let refuted = program::refuted_claims(&program, &given.parameters, &mut derivation);
    findings.extend(Finding::all(program.source(), refuted));
    let mut lines = claim_lines(&derivation);
    findings.extend(Finding::all(program.source(), tested.faults));
    lines.extend(tested.lines);
    lines.sort_by_key(|line| line.line);
    Ok(ProgramReport {
        file: file.to_owned(),
        algorithm: program.name().to_owned(),
        cores_per_mp,
        lines,
        fault: tested.fault,
        left_out: tested.left_out,
        looked_at: tested.looked_at,
    })
}

/// The cores per MP for a program's runs: the machine's, or a width that its `require`s admit together with
/// some size.
fn width_of(program: &Program, machine: &Machine, given: &Parameters) -> i64 {
    let own = machine.atgpu.cores_per_mp;
    let first = widths(program, given, &[own]);
    let others = match given.get("b") {
        Some(_) => &[][..],
        None => &OTHER_WIDTHS,
    };
    let admits = |width: &&i64| {
        let machine = Atgpu {
            cores_per_mp: **width,
            ..machine.atgpu
        };
        !admissible_points(program, machine.numbers(), given, 1).is_empty()
    };
    let admitted = first.iter().chain(others).find(admits);
    admitted.or(first.first()).copied().unwrap_or(own)
}

fn claim_lines(derivation: &Derivation) -> Vec<TestLine> {
    let claims = derivation.claims.iter();
    let lines = claims.map(|claim| TestLine {
        keyword: "claim",
        text: claim.text.clone(),
        line: claim.line,
        outcome: match &claim.verdict {
            Verdict::Proved => Outcome::Proved,
            Verdict::Tested(points) => Outcome::Holds { points: *points },
            Verdict::Refuted(refutation) => Outcome::Fails(Failure::Claim(refutation.clone())),
            Verdict::Open(why) => Outcome::Open(Undecided::Claim(why.clone())),
        },
    });
    lines.collect()
}

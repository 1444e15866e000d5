//! `atgpu check`: all diagnostics of programs, and their safety.

use atgpu::check::{Mended, check_text, mend};
use atgpu::count::Parameters;
use atgpu::derivation::{DerivedClaim, Verdict as ClaimVerdict};
use atgpu::derive::derive_in_passing;
use atgpu::diag::{Diagnostic, Severity};
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::program::{Program, Undeclared};
use atgpu::report::safety::{self as report, SafetyReport, json as safety_json, text};
use atgpu::safety::{self, Safety, Verdict};
use atgpu::text::Source;
use serde_json::{Value, json};

use crate::cli::args::{CheckArgs, CheckFormat, NarrowWord};
use crate::cli::error::UsageError;
use crate::cli::options::Asked;
use crate::cli::program::{self, Loaded};
use crate::cli::progress::AtWork;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{alone, diff, files, threads};

/// Checks every file and every program of the folders. With `--fix`, fixes each file first.
pub fn check(args: &CheckArgs) -> Reply {
    let files = match program::meant(&args.files) {
        Ok(files) => files,
        Err(fault) => {
            let is_json = args.format == CheckFormat::Json;
            return Reply::faults(vec![Finding::bare(fault)], is_json);
        }
    };
    let args = &CheckArgs {
        files,
        ..args.clone()
    };
    if args.diff {
        return differences(args);
    }
    let mut mending = Mending::default();
    let mut reply = judge(args, &mut mending);
    reply.aside = mending.told;
    if let Some(text) = mending.piped {
        match &mut reply.body {
            Body::Json(result) => result.get_or_insert_with(|| json!({}))["text"] = text.into(),
            body => *body = Body::Text(text),
        }
    }
    reply
}

/// The outcome of `--fix`.
#[derive(Default)]
struct Mending {
    /// Text for standard error.
    told: String,
    /// The fixed text of standard input.
    piped: Option<String>,
}

/// `--diff`: shows the changes that `--fix` would make, and the findings of the files as they are.
fn differences(args: &CheckArgs) -> Reply {
    let mut out = String::new();
    let asked = Asked::read(&args.options).ok();
    for file in args.files.iter().filter(|file| *file != "-") {
        if let Ok(source) = files::read_source(file) {
            let mended = mended(&source, file, asked.as_ref());
            out.push_str(&diff::unified(
                file,
                "fixed",
                source.text(),
                mended.source.text(),
            ));
        }
    }
    let mut mending = Mending::default();
    let mut reply = judge(args, &mut mending);
    reply.body = Body::Text(out);
    reply
}

fn judge(args: &CheckArgs, mending: &mut Mending) -> Reply {
    let checked = checked(args, mending);
    let (findings, reports) = match checked {
        Ok(checked) => checked,
        Err(faults) => {
            let body = match args.format {
                CheckFormat::Json => Body::Json(None),
                CheckFormat::Sarif => Body::Sarif(faults.clone()),
                CheckFormat::Github => Body::Annotations,
                // A fault of the command line is no result of checking.
                CheckFormat::Text => Body::Nothing,
            };
            return Reply::with(body, faults).about(&args.files);
        }
    };
    let body = match args.format {
        CheckFormat::Json => Body::Json(Some(json(args, &reports))),
        CheckFormat::Sarif => Body::Sarif(for_tools(&findings, &reports)),
        CheckFormat::Github => Body::Annotations,
        CheckFormat::Text => {
            let told = reports.iter().map(|report| told(args, report));
            let told: String = told.collect();
            let judged = reports.iter().flat_map(|report| &report.safety.judged);
            let open = judged.filter(|found| matches!(found.verdict, Verdict::Open(_)));
            let untested = Untested::of(&reports);
            Body::Judged(told + &summary(args.files.len(), &findings, open.count(), &untested))
        }
    };
    let has_warnings = findings
        .iter()
        .any(|finding| finding.diagnostic.severity == Severity::Warning);
    let mut reply = Reply::with(body, findings).about(&args.files);
    reply.refused |= args.deny.is_some() && has_warnings;
    reply
}

/// Clauses that checking leaves to `atgpu test`.
struct Untested {
    claims: usize,
    ensures: usize,
}

impl Untested {
    fn of(reports: &[Report]) -> Untested {
        Untested {
            claims: reports.iter().map(|report| report.open_claims).sum(),
            ensures: reports
                .iter()
                .map(|report| report.program.ensures().len())
                .sum(),
        }
    }

    /// `2 claims and 1 ensure are for `atgpu test``
    fn told(&self) -> Option<String> {
        let counted = |count: usize, word: &str| match count {
            0 => None,
            1 => Some(format!("1 {word}")),
            many => Some(format!("{many} {word}s")),
        };
        let parts = [
            counted(self.claims, "claim"),
            counted(self.ensures, "ensure"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let verb = if self.claims + self.ensures == 1 {
            "is"
        } else {
            "are"
        };
        let told = || format!("{} {verb} for `atgpu test`", parts.join(" and "));
        (!parts.is_empty()).then(told)
    }
}

/// The findings for code scanning: refuted places as errors, open places as notes.
fn for_tools(findings: &[Finding], reports: &[Report]) -> Vec<Finding> {
    let mut all = findings.to_vec();
    for report in reports {
        let source = report.program.source();
        let refuted = report::findings(&report.safety, &report.program);
        for found in &mut all {
            let is_of = found.source.as_ref().map(Source::name) == Some(source.name());
            let is_same = |other: &Diagnostic| {
                other.code == found.diagnostic.code && other.primary() == found.diagnostic.primary()
            };
            if is_of && refuted.iter().any(is_same) {
                found.diagnostic.severity = Severity::Error;
            }
        }
        let open = report::open(&report.safety, &report.program);
        all.extend(Finding::all(source, open));
    }
    all
}

/// The judged safety of one program, with its inputs.
struct Report {
    file: String,
    program: Program,
    given: Parameters,
    machine: Machine,
    safety: Safety,
    /// Claims that the derivation does not decide.
    open_claims: usize,
}

impl Report {
    fn view(&self) -> SafetyReport<'_> {
        SafetyReport {
            file: &self.file,
            program: &self.program,
            given: &self.given,
            machine: &self.machine,
            safety: &self.safety,
        }
    }
}

fn told(args: &CheckArgs, report: &Report) -> String {
    let mut told = text::text(&report.view());
    if args.word.is_some() {
        told.push_str("  int32        a word beyond -2^31..2^31 - 1 is a fault above; G is 2^31 words at most, for indices\n");
    }
    if args.explain {
        told.push_str(&text::explanation(&report.view()));
        told.push_str(&program::barriers(&report.program, &report.machine));
    }
    told
}

fn json(args: &CheckArgs, reports: &[Report]) -> Value {
    match (reports, args.files.len()) {
        ([report], 1) => json!({ "safety": safety_json::safety(&report.view()) }),
        (_, 1) => json!({}),
        (reports, _) => {
            let files: Vec<Value> = reports
                .iter()
                .map(|report| {
                    json!({
                        "file": report.file,
                        "safety": safety_json::safety(&report.view()),
                    })
                })
                .collect();
            json!({ "files": files })
        }
    }
}

/// Returns the findings and reports of all files, or the faults of the command line.
fn checked(
    args: &CheckArgs,
    mending: &mut Mending,
) -> Result<(Vec<Finding>, Vec<Report>), Vec<Finding>> {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        let fault = Diagnostic::of(&UsageError::StandardInputTwice);
        return Err(vec![Finding::bare(fault)]);
    }
    let asked = Asked::read(&args.options)?;
    let mut findings = Vec::new();
    let mut reports = Vec::new();
    let many = args.files.len();
    let loaded = args.files.iter();
    let loaded: Vec<_> = loaded
        .map(|file| {
            let loaded = alone::one_of(many, file, || load(args, file, &asked, mending));
            (file, loaded.and_then(|loaded| loaded))
        })
        .collect();
    let progress = AtWork::on_each(many);
    let judge = |(file, loaded): (&String, Result<Loaded, Box<Finding>>)| {
        let judged =
            loaded.and_then(|loaded| alone::one_of(many, file, || one(file, loaded, &asked, args)));
        progress.done();
        judged
    };
    for judged in threads::each(loaded, judge) {
        match judged {
            Ok((found, report)) => {
                findings.extend(found);
                reports.extend(report);
            }
            Err(fault) => findings.push(*fault),
        }
    }
    Ok((findings, reports))
}

/// Loads a file, fixed first if requested.
fn load(
    args: &CheckArgs,
    file: &str,
    asked: &Asked,
    mending: &mut Mending,
) -> Result<Loaded, Box<Finding>> {
    if !args.fix {
        return program::load(file);
    }
    let bare = |fault| Box::new(Finding::bare(fault));
    let source = files::read_source(file).map_err(bare)?;
    let mended = mended(&source, file, Some(asked));
    if file == "-" {
        mending.piped = Some(mended.source.text().to_owned());
    } else if !mended.fixed.is_empty() {
        files::replace(file, source.text(), mended.source.text().as_bytes()).map_err(bare)?;
    }
    if !mended.fixed.is_empty() {
        let done = mended.fixed.join(", ");
        let count = mended.fixed.len();
        let fixes = if count == 1 { "fix" } else { "fixes" };
        mending.told.push_str(&format!(
            "{}: {count} {fixes} made: {done}\n",
            source.name()
        ));
    }
    Ok(Loaded::of(mended.source))
}

/// Limit on the guards and `require`s written into one file.
const MOST_CONDITIONS: usize = 8;

/// Fixes a text as far as a tool can: first slips, then missing guards and `require`s, at the given values
/// if these make sense.
fn mended(source: &Source, file: &str, asked: Option<&Asked>) -> Mended {
    let mut mended = mend(source);
    let Some(Ok(given)) = asked.map(|asked| asked.beside(file)) else {
        return mended;
    };
    // A line that reads otherwise than it was meant is no reason for a guard: `b // 2` is b.
    let found = check_text(&mended.source).diagnostics;
    let is_misread =
        |found: &Diagnostic| matches!(found.code.short_name(), "lint::comment" | "lint::power");
    if found.iter().any(is_misread) {
        return mended;
    }
    let mut fewest = usize::MAX;
    for _ in 0..MOST_CONDITIONS {
        let Some(program) = check_text(&mended.source).program else {
            break;
        };
        let given = given.of(&program);
        let Ok((machine, formals)) = given.refuse_strangers(&program) else {
            break;
        };
        let safety = safety::safety(&program, &given.facts(&formals), &machine);
        let refuted = report::findings(&safety, &program);
        // A condition that reduces no findings ends the loop. Each round judges the program again, as one
        // guard may decide several places.
        if refuted.len() >= fewest {
            break;
        }
        fewest = refuted.len();
        let fixes = refuted.iter().flat_map(|finding| &finding.fixes);
        let Some(fix) = fixes.into_iter().find(|fix| fix.preferred) else {
            break;
        };
        let text = fix.apply(mended.source.text());
        mended.source = Source::new(source.name(), &text);
        mended.fixed.push(fix.title.clone());
    }
    mended
}

fn one(
    file: &str,
    loaded: Loaded,
    asked: &Asked,
    args: &CheckArgs,
) -> (Vec<Finding>, Option<Report>) {
    let options = safety::Options {
        effort: args.effort,
        argues: args.explain,
    };
    let given = asked.beside(file);
    let lints = given.as_ref().map(|given| given.lints.clone());
    let lints = lints.unwrap_or_default();
    let mut findings = Finding::all(&loaded.source, lints.judged(loaded.diagnostics));
    let Some(program) = loaded.program else {
        return (findings, None);
    };
    let given = given.map(|given| given.of(&program));
    let settled = given.and_then(|given| Ok((given.refuse_strangers(&program)?, given)));
    let ((machine, formals), given) = match settled {
        Ok(settled) => settled,
        Err(faults) => {
            findings.extend(faults);
            return (findings, None);
        }
    };
    let facts = given.facts(&formals);
    let (program, machine) = match args.word {
        Some(NarrowWord::Int32) => narrow(program, machine),
        None => (program, machine),
    };
    // The two analyses are independent, so they run in parallel.
    let ((judged, claimed), safety) = threads::both(
        || {
            let judged = lint::lint(&program, &formals, &machine);
            (judged, claims(&program, &given.parameters))
        },
        || safety::safety_with(&program, &facts, &machine, options),
    );
    let (refuted, open_claims) = claimed;
    let told = report::beside(judged, &safety, &program, &formals);
    findings.extend(Finding::all(&loaded.source, lints.judged(told)));
    findings.extend(Finding::all(&loaded.source, refuted));
    let report = Report {
        file: file.to_owned(),
        program,
        given: facts,
        machine,
        safety,
        open_claims,
    };
    (findings, Some(report))
}

/// The program with int words of 32 bits, and a machine with no more global words than indices of 32 bits tell
/// apart.
fn narrow(program: Program, mut machine: Machine) -> (Program, Machine) {
    let words = &mut machine.atgpu.global_words;
    *words = Program::indexed_by_int32(*words);
    (program.with_int32(Undeclared::All), machine)
}

/// The claims that the derivation refutes, as warnings, and the number of those that it does not prove. They are errors
/// of `derive` and `test`, which were asked about them.
fn claims(program: &Program, given: &Parameters) -> (Vec<Diagnostic>, usize) {
    if program.claims().is_empty() {
        return (Vec::new(), 0);
    }
    let mut derivation = derive_in_passing(program, given);
    let is_open = |claim: &&DerivedClaim| {
        matches!(
            claim.verdict,
            ClaimVerdict::Tested(_) | ClaimVerdict::Open(_)
        )
    };
    let open = derivation.claims.iter().filter(is_open).count();
    let mut refuted = program::refuted_claims(program, given, &mut derivation);
    for finding in &mut refuted {
        finding.severity = Severity::Warning;
    }
    (refuted, open)
}

fn summary(files: usize, findings: &[Finding], undecided: usize, untested: &Untested) -> String {
    let count = |severity| {
        let of = |finding: &&Finding| finding.diagnostic.severity == severity;
        findings.iter().filter(of).count()
    };
    let files = match files {
        1 => "1 file checked".to_owned(),
        many => format!("{many} files checked"),
    };
    let parts: Vec<String> = [
        (count(Severity::Error), "error", "errors"),
        (count(Severity::Warning), "warning", "warnings"),
        (count(Severity::Note), "note", "notes"),
        (undecided, "place not decided", "places not decided"),
    ]
    .into_iter()
    .filter_map(|(count, one, several)| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        many => Some(format!("{many} {several}")),
    })
    .collect();
    let found = if parts.is_empty() {
        "nothing to complain about".to_owned()
    } else {
        parts.join(", ")
    };
    let untested = untested.told().or_else(|| {
        let also = "`atgpu test` also runs programs on data";
        parts.is_empty().then(|| also.to_owned())
    });
    let behind = untested.map_or_else(String::new, |told| format!("; {told}"));
    format!("{files}: {found}{behind}\n")
}

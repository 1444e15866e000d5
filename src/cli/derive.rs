//! `atgpu derive`: the symbolic derivation and its claims.

use atgpu::cost::MODELS;
use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::Derivation;
use atgpu::derive::{
    closing, derive as derive_program, derive_charged, faults_of_given, splitting,
};
use atgpu::diag::{Diagnostic, Severity};
use atgpu::interval::unbounded_loops;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report::derivation::explanation::{self, QUANTITIES};
use atgpu::report::derivation::functions::{Options, Target, functions};
use atgpu::report::derivation::models::{self, ModelForms};
use atgpu::report::derivation::{self as reported, claims, cycles};
use atgpu::report::json;
use atgpu::study::cost_form;
use atgpu::sym::print::Names;
use atgpu::text::Known;
use serde_json::{Map, Value};

use crate::cli::alone;
use crate::cli::args::{DeriveArgs, DeriveFormat};
use crate::cli::error::UsageError;
use crate::cli::files::{self, Stream};
use crate::cli::options::{self, Asked};
use crate::cli::program;
use crate::cli::progress::AtWork;
use crate::cli::remedy::Remedy;
use crate::cli::reply::{Body, Finding, Reply, json_findings};
use crate::cli::threads;

/// Derives programs.
pub fn derive(args: &DeriveArgs) -> Reply {
    let mut findings = Vec::new();
    let mut aside = String::new();
    let answer = derived(args, &mut findings, &mut aside);
    let reply = Reply::of(answer, findings, args.format == DeriveFormat::Json);
    Reply { aside, ..reply }.about(&args.files)
}

fn derived(
    args: &DeriveArgs,
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    refuse_misread(args)?;
    let asked = Asked::read(&args.options)?;
    let files = program::meant(&args.files).map_err(bare)?;
    if files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(bare(Diagnostic::of(&UsageError::StandardInputTwice)));
    }
    match (args.format, files.as_slice()) {
        (DeriveFormat::Ndjson, _) => lines(args, &asked, &files, findings, aside),
        (_, [file]) => {
            let _line = AtWork::on_each(1);
            one(args, &asked, file, findings, aside)
        }
        (DeriveFormat::Text, several) => Ok(texts(args, &asked, several, findings, aside)),
        (DeriveFormat::Latex, several) => table(args, &asked, several, findings, aside),
        (_, several) => {
            let files = several.len();
            Err(bare(Diagnostic::of(&UsageError::SeveralPrograms { files })))
        }
    }
}

/// Refuses options that would not do what they seem to ask for.
fn refuse_misread(args: &DeriveArgs) -> Result<(), Vec<Finding>> {
    // `--explain io` parses as `--explain` and a program named `io`; `--explain=io` was meant.
    let is_total = |file: &&String| {
        let named = Quantity::named(file).is_some_and(|total| QUANTITIES.contains(&total));
        named && !files::is_there(file)
    };
    if let (Some(None), Some(total)) = (&args.explain, args.files.iter().find(is_total)) {
        let problem = "it stands for a program here";
        let remedy = Remedy::ExplainOne(total.clone());
        return Err(vec![misnamed("--explain", total, problem, remedy)]);
    }
    match args.model.first() {
        Some(first) if !tells_models(args) => {
            let problem = "the formulas of models are text or JSON";
            Err(vec![misnamed(
                "--model",
                first,
                problem,
                Remedy::TextOrJson,
            )])
        }
        _ => Ok(()),
    }
}

/// The derivations of several programs, one below the other; a program with faults is left out.
fn texts(
    args: &DeriveArgs,
    asked: &Asked,
    files: &[String],
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Body {
    let progress = AtWork::on_each(files.len());
    let mut all = String::new();
    for file in files {
        let told = alone::one_of(files.len(), file, || {
            one(args, asked, file, findings, aside)
        });
        match told.unwrap_or_else(|fault| Err(vec![*fault])) {
            Ok(Body::Text(text) | Body::Judged(text)) => {
                if args.quantity.is_empty() {
                    all.push_str(if all.is_empty() { "" } else { "\n" });
                    all.push_str(&format!("{file}: {text}"));
                } else {
                    // A line each, so that a search finds the file beside the formula.
                    let lines = text.lines().map(|line| format!("{file}: {line}\n"));
                    all.extend(lines);
                }
            }
            Ok(_) => {}
            Err(faults) => findings.extend(faults),
        }
        progress.done();
    }
    Body::Judged(all)
}

/// Returns true if the output has room for the formulas of models.
fn tells_models(args: &DeriveArgs) -> bool {
    let has_place = matches!(
        args.format,
        DeriveFormat::Text | DeriveFormat::Json | DeriveFormat::Ndjson
    );
    has_place && args.explain.is_none()
}

/// Writes one JSON object per program, each as soon as it is derived. A faulty program does not stop the
/// others.
fn lines(
    args: &DeriveArgs,
    asked: &Asked,
    files: &[String],
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let mut stream = Stream::open(None).map_err(bare)?;
    for file in files {
        let mut found = Vec::new();
        let body = alone::one_of(files.len(), file, || {
            one(args, asked, file, &mut found, aside)
        });
        let result = match body.unwrap_or_else(|fault| Err(vec![*fault])) {
            Ok(Body::Json(result)) => result,
            Ok(_) => None,
            Err(faults) => {
                found.extend(faults);
                None
            }
        };
        let mut object = Map::from_iter([("file".to_owned(), Value::from(file.as_str()))]);
        if let Some(Value::Object(keys)) = result {
            object.extend(keys);
        }
        let line = json::document(Some(object.into()), json_findings(&found, false));
        findings.extend(found);
        if stream.write(&format!("{line}\n")).map_err(bare)?.is_break() {
            break;
        }
    }
    stream.finish().map_err(bare)?;
    Ok(Body::Written { draw: false })
}

/// Renders a table for a paper, one row per program. A faulty program does not stop the others.
fn table(
    args: &DeriveArgs,
    asked: &Asked,
    files: &[String],
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Body, Vec<Finding>> {
    if let Some(wanted) = &args.explain {
        return Err(vec![text_only(wanted.as_deref())]);
    }
    let wanted = if args.quantity.is_empty() {
        reported::TABLE.to_vec()
    } else {
        named(args)?
    };
    let progress = AtWork::on_each(files.len());
    let mut derived = Vec::new();
    for file in files {
        let subject = alone::one_of(files.len(), file, || {
            subject(args, asked, file, findings, aside)
        });
        match subject.unwrap_or_else(|fault| Err(vec![*fault])) {
            Ok(subject) => derived.push((subject.program.name().to_owned(), subject.derivation)),
            Err(faults) => findings.extend(faults),
        }
        progress.done();
    }
    Ok(if derived.is_empty() {
        Body::Nothing
    } else {
        Body::Text(reported::latex_table(&derived, &wanted))
    })
}

/// A program with its derivation and inputs.
struct Subject {
    program: Program,
    derivation: Derivation,
    given: Parameters,
    machine: Machine,
}

/// Reads and derives one program.
fn subject(
    args: &DeriveArgs,
    asked: &Asked,
    file: &str,
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Subject, Vec<Finding>> {
    let given = asked.beside(file)?;
    let (program, found) = program::load_sound(file)?;
    findings.extend(found);
    let program = program.assuming_contention(args.contention);
    let given = given.of(&program);
    let (machine, formals) = given.refuse_strangers(&program)?;
    let faults = faults_of_given(&program, &given.parameters);
    if !faults.is_empty() {
        return Err(Finding::all(program.source(), faults));
    }
    let unbounded = unbounded_loops(&program);
    if !unbounded.is_empty() {
        return Err(Finding::all(program.source(), unbounded));
    }
    let safety_facts = given.facts(&formals);
    // The two analyses are independent, so they run in parallel.
    let (mut derivation, unsafe_line) = threads::both(
        || derive_program(&program, &given.parameters),
        || program::unsafe_line(&program, &safety_facts, &machine),
    );
    aside.push_str(&unsafe_line);
    findings.extend(Finding::all(program.source(), derivation.mismatches()));
    let refuted = claims::refuted(&program, &derivation);
    findings.extend(Finding::all(program.source(), refuted));
    if args.exact {
        derivation.forget_short_bounds();
    }
    Ok(Subject {
        program,
        derivation,
        given: given.parameters,
        machine,
    })
}

/// Derives and renders one program.
fn one(
    args: &DeriveArgs,
    asked: &Asked,
    file: &str,
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Body, Vec<Finding>> {
    let Subject {
        program,
        derivation,
        given,
        machine,
    } = subject(args, asked, file, findings, aside)?;
    let names = if args.expand {
        Names::default()
    } else {
        derivation.let_names()
    };
    if let Some(wanted) = &args.explain {
        return Ok(Body::Text(explained(
            args,
            (&program, &machine),
            &derivation,
            &names,
            wanted.as_deref(),
        )?));
    }
    let wanted = quantities(args)?;
    let subject = (&program, &derivation, &given);
    let mut write = |target| written(args, target, subject, wanted.clone(), findings);
    Ok(match args.format {
        DeriveFormat::Python => write(Target::Python),
        DeriveFormat::Numpy => write(Target::Numpy),
        DeriveFormat::Sympy => write(Target::Sympy),
        DeriveFormat::C => write(Target::C),
        DeriveFormat::Rust => write(Target::Rust),
        DeriveFormat::Sql => write(Target::Sql),
        DeriveFormat::Julia => write(Target::Julia),
        DeriveFormat::Excel => write(Target::Excel),
        DeriveFormat::Json | DeriveFormat::Ndjson => {
            Body::Json(Some(json(args, subject, &machine, &names, findings)?))
        }
        DeriveFormat::Text if !args.quantity.is_empty() => {
            Body::Text(reported::quantities_text(&derivation, &names, &wanted))
        }
        DeriveFormat::Text => Body::Judged(text(args, subject, &machine, &names, findings)?),
        DeriveFormat::Latex => Body::Text(reported::latex(program.source(), &derivation, &names)),
    })
}

/// A program, its derivation, and the values that it was derived with.
type Derived<'a> = (&'a Program, &'a Derivation, &'a Parameters);

/// The formulas as functions of a language. A quantity without one is an error if it was asked for by name, else a
/// warning.
fn written(
    args: &DeriveArgs,
    target: Target,
    (program, derivation, given): Derived<'_>,
    quantities: Vec<Quantity>,
    findings: &mut Vec<Finding>,
) -> Body {
    let options = Options {
        quantities,
        made_by: concat!("atgpu ", env!("CARGO_PKG_VERSION"), env!("ATGPU_REVISION")).into(),
        given: given.clone(),
    };
    let module = functions(program, derivation, target, &options);
    findings.extend(module.left_out.iter().map(|why| {
        let mut diagnostic = Diagnostic::of(why);
        if args.quantity.is_empty() {
            diagnostic.severity = Severity::Warning;
        }
        Finding::bare(diagnostic)
    }));
    if module.functions.is_empty() {
        Body::Nothing
    } else {
        Body::Text(module.text)
    }
}

fn json(
    args: &DeriveArgs,
    (program, derivation, given): Derived<'_>,
    machine: &Machine,
    names: &Names,
    findings: &mut Vec<Finding>,
) -> Result<Value, Vec<Finding>> {
    let mut result = reported::json(derivation, names);
    if let Some(charged) = Charged::of(program, given, machine, findings) {
        result["charges"] = charged.json(names, machine);
    }
    if !args.model.is_empty() {
        let forms = model_forms(args, program, (derivation, given), machine, findings)?;
        result["models"] = models::json(&forms, names);
    }
    Ok(result)
}

fn text(
    args: &DeriveArgs,
    (program, derivation, given): Derived<'_>,
    machine: &Machine,
    names: &Names,
    findings: &mut Vec<Finding>,
) -> Result<String, Vec<Finding>> {
    let mut text = reported::text(derivation, names);
    if let Some(closing) = closing(program, given, derivation) {
        text.push_str(&reported::closing_text(&closing, args.expand));
    }
    if let Some(splitting) = splitting(program, given, derivation) {
        text.push_str(&reported::splitting_text(&splitting));
    }
    if let Some(charged) = Charged::of(program, given, machine, findings) {
        text.push_str(&charged.text(names, machine));
    }
    if !args.model.is_empty() {
        let forms = model_forms(args, program, (derivation, given), machine, findings)?;
        text.push_str(&models::text(&forms, names, machine));
    }
    Ok(text)
}

/// The formulas of the named models for a program.
fn model_forms(
    args: &DeriveArgs,
    program: &Program,
    (derivation, given): (&Derivation, &Parameters),
    machine: &Machine,
    findings: &mut Vec<Finding>,
) -> Result<Vec<ModelForms>, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let mut wanted = options::models(&args.model).map_err(bare)?;
    let notes = options::keep_estimable(&mut wanted, &args.model, machine);
    findings.extend(Finding::all_bare(notes));
    if let Some((_, missing)) = options::silent(&wanted, &[], machine).into_iter().next() {
        return Err(bare(missing));
    }
    let timed = wanted
        .into_iter()
        .filter(|model| options::has_cost(*model, machine));
    let forms = timed.map(|model| {
        // Charges belong to one b, so a model that needs them gets a derivation of its own.
        let (mut given, mut charged, mut cores_per_mp) = (given.clone(), None, None);
        if let (true, Ok(cycle_rules)) = (model.needs_charges(), model.charges_by(machine)) {
            given.set("b", machine.atgpu.cores_per_mp);
            cores_per_mp = Some(machine.atgpu.cores_per_mp);
            charged = Some(derive_charged(program, &given, Some(&cycle_rules)));
        }
        let derivation = charged.as_ref().unwrap_or(derivation);
        let figures = match cost_form(program, &given, derivation, model, machine) {
            Ok(_) => model.closed(derivation, machine),
            Err(mismatch) => {
                findings.extend(Finding::all(program.source(), [Diagnostic::of(&mismatch)]));
                Vec::new()
            }
        };
        ModelForms {
            model: model.name(),
            cores_per_mp,
            figures,
        }
    });
    Ok(forms.collect())
}

/// The quantities to write: the named ones, or all.
fn quantities(args: &DeriveArgs) -> Result<Vec<Quantity>, Vec<Finding>> {
    match args.quantity.first() {
        None => Ok(Quantity::ALL.to_vec()),
        Some(first) if args.format == DeriveFormat::Latex => {
            let problem = "in LaTeX it chooses the columns of a table of several programs";
            let finding = misnamed("--quantity", first, problem, Remedy::Functions);
            Err(vec![finding])
        }
        Some(_) => named(args),
    }
}

/// The named quantities.
fn named(args: &DeriveArgs) -> Result<Vec<Quantity>, Vec<Finding>> {
    let found = args.quantity.iter().map(|name| {
        Quantity::named(name).ok_or_else(|| {
            let known = Known::beside(name, Quantity::ALL.map(Quantity::name));
            let remedy = Remedy::Known(known);
            vec![misnamed("--quantity", name, "no such quantity", remedy)]
        })
    });
    found.collect()
}

fn misnamed(option: &'static str, name: &str, problem: &'static str, remedy: Remedy) -> Finding {
    let name = name.to_owned();
    Finding::bare(Diagnostic::of(&UsageError::Name {
        option,
        name,
        problem,
        remedy,
    }))
}

/// The fault that only text output explains totals.
fn text_only(wanted: Option<&str>) -> Finding {
    let wanted = wanted.unwrap_or_default();
    misnamed(
        "--explain",
        wanted,
        "explanations are text",
        Remedy::TextOnly,
    )
}

/// The explanation of a total, or of the usual totals.
fn explained(
    args: &DeriveArgs,
    (program, machine): (&Program, &Machine),
    derivation: &Derivation,
    names: &Names,
    wanted: Option<&str>,
) -> Result<String, Vec<Finding>> {
    if args.format != DeriveFormat::Text {
        return Err(vec![text_only(wanted)]);
    }
    let explain = |which| explanation::text(program, derivation, names, which);
    let Some(name) = wanted else {
        return Ok(explain(None) + &program::barriers(program, machine));
    };
    match Quantity::named(name) {
        Some(which) => Ok(explain(Some(which))),
        None => {
            let known = QUANTITIES.map(Quantity::name);
            let remedy = Remedy::Known(Known::beside(name, known));
            let finding = misnamed("--explain", name, "no such quantity", remedy);
            Err(vec![finding])
        }
    }
}

/// The derivation with the machine's charges, and the formulas of the models that use them.
struct Charged {
    derivation: Derivation,
    costs: Vec<cycles::CostForm>,
}

impl Charged {
    /// Derives the charges if the machine has rules of its own. They are derived at its b, which half-warps
    /// need.
    fn of(
        program: &Program,
        given: &Parameters,
        machine: &Machine,
        findings: &mut Vec<Finding>,
    ) -> Option<Self> {
        let cycle_rules = machine.has_rules().then(|| machine.rules())?;
        let mut given = given.clone();
        given.set("b", machine.atgpu.cores_per_mp);
        let derivation = derive_charged(program, &given, Some(&cycle_rules));
        let models = MODELS.iter().filter(|model| model.needs_charges());
        let costs = models.map(|model| {
            let cost = cost_form(program, &given, &derivation, *model, machine);
            let cost = cost.unwrap_or_else(|mismatch| {
                findings.extend(Finding::all(program.source(), [Diagnostic::of(&mismatch)]));
                None
            });
            (model.name(), cost)
        });
        let costs = costs.collect();
        Some(Charged { derivation, costs })
    }

    fn text(&self, names: &Names, machine: &Machine) -> String {
        cycles::text(&self.derivation, names, machine, &self.costs)
    }

    fn json(&self, names: &Names, machine: &Machine) -> Value {
        cycles::json(&self.derivation, names, machine, &self.costs)
    }
}

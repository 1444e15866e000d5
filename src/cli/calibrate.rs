//! `atgpu calibrate`: a machine fitted to measured times.

use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::diag::Diagnostic;
use atgpu::machine::{BUILT_IN, Machine};
use atgpu::report::calibration;
use atgpu::study::{
    Calibration, Counting, Observation, Prepared, Weights, calibrate as fit, held, measurements,
};

use crate::cli::args::{CalibrateArgs, CalibrateWeights, Format};
use crate::cli::config::Config;
use crate::cli::error::UsageError;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, options, plot, study};

/// Fits a machine.
pub fn calibrate(args: &CalibrateArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = fitted(args, &mut findings);
    Reply::of(answer, findings, args.format == Format::Json).about(&args.files)
}

struct Answer {
    body: Body,
    /// The report, if standard output carries the machine file, or if there is no machine file.
    aside: String,
    is_fitted: bool,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Reply {
            aside: answer.aside,
            refused: !answer.is_fitted,
            ..answer.body.into()
        }
    }
}

fn fitted(args: &CalibrateArgs, findings: &mut Vec<Finding>) -> Result<Answer, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let config = Config::beside_all(&args.files)?;
    let named = args.machine.clone().or(config.machine);
    let named = named.unwrap_or_else(|| options::DEFAULT_MACHINE.to_owned());
    let machine = options::machine(&named)?;
    let given = options::definitions(&args.define).map_err(Finding::all_bare)?;
    let observed = observed(args).map_err(bare)?;
    let (programs, found) = study::load(&args.files)?;
    findings.extend(found);
    let prepared: Vec<Prepared<'_>> = programs
        .iter()
        .map(|program| {
            let derivation = derive(program, &Parameters::new());
            Prepared::new(program, Some(&derivation))
        })
        .collect();
    let weights = match args.weights {
        CalibrateWeights::Relative => Weights::Relative,
        CalibrateWeights::Absolute => Weights::Absolute,
    };
    let counting = if args.count {
        Counting::Patiently
    } else {
        Counting::Briefly
    };
    if args.keep {
        let found = held(&prepared, &machine, &given, &observed, counting);
        let found = found.map_err(Finding::all_bare)?;
        return Ok(Answer {
            body: match args.format {
                Format::Json => Body::Json(Some(calibration::json(&found, &machine.name))),
                Format::Text => Body::Text(calibration::nearness_text(&found)),
            },
            aside: String::new(),
            is_fitted: true,
        });
    }
    let found = fit(&prepared, &machine, &given, &observed, weights, counting)
        .map_err(Finding::all_bare)?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => format!("{}-fitted", machine.name),
    };
    let base = text_of(&named).map_err(bare)?;
    let file = calibration::machine_file(&base, &found, &name, &args.observed.join(", "));
    let report = calibration::text(&found);
    let (is_fitted, output) = (found.is_fitted(), files::named(&args.output));
    if is_fitted {
        // The file keeps the layout of `base`, so it is read back and compared before it replaces anything.
        hold_to_report(&file, &found, &named)?;
        if let Some(path) = output {
            files::write_result(path, file.as_bytes()).map_err(bare)?;
        }
    }
    let (body, aside) = match (args.format, output) {
        (Format::Json, _) => (
            Body::Json(Some(calibration::json(&found, &name))),
            String::new(),
        ),
        (Format::Text, _) if !is_fitted => (Body::Nothing, report),
        (Format::Text, Some(_)) => (Body::Text(report), String::new()),
        (Format::Text, None) => (Body::Text(file), report),
    };
    Ok(Answer {
        body,
        aside,
        is_fitted,
    })
}

/// The measured times. An output that would overwrite them, or that cannot be written, is refused before any work.
fn observed(args: &CalibrateArgs) -> Result<Vec<Observation>, Diagnostic> {
    if let Some(path) = files::named(&args.output) {
        let measured = "the times that are read here";
        files::refuse_input(path, &args.observed, measured)?;
        files::refuse_unwritable(path)?;
    }
    let mut observed = Vec::new();
    for file in &args.observed {
        observed.extend(plot::read_measured(file, measurements)?);
    }
    Ok(observed)
}

/// Verifies that the written machine is the reported one: edits of an unusual layout may go wrong. `given`
/// is the original machine, as on the command line.
pub fn hold_to_report(file: &str, found: &Calibration, given: &str) -> Result<(), Vec<Finding>> {
    let mut written = Machine::from_toml(file).map_err(Finding::all_bare)?;
    written.name.clone_from(&found.machine.name);
    written.sources.clone_from(&found.machine.sources);
    if written == found.machine {
        return Ok(());
    }
    let given = given.to_owned();
    let fault = Diagnostic::of(&UsageError::MachineLayout { given });
    Err(vec![Finding::bare(fault)])
}

/// The text of a machine file.
pub fn text_of(name: &str) -> Result<String, Diagnostic> {
    let mut built_in = BUILT_IN.iter();
    match built_in.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        Some((_, text)) => Ok((*text).to_owned()),
        None => Ok(files::read_source(name)?.text().to_owned()),
    }
}

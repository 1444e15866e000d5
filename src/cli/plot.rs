//! `atgpu plot`: the figures of a sweep, drawn.

use std::ops::ControlFlow;

use atgpu::array::{MalformedData, Problem};
use atgpu::cost::overlap::MOST_STREAMS;
use atgpu::cost::{Model, TRANSFER_SHARE};
use atgpu::count::{Parameters, Quantity};
use atgpu::diag::{Diagnostic, Severity};
use atgpu::program::Program;
use atgpu::report::figure::curves::{Plot, figure as figure_of};
use atgpu::report::figure::{self, Figure, Scale, roofline};
use atgpu::study::{
    Axis, AxisProblem, BadAxis, Curve, Finished, Observation, STREAMS, Sweep, curves, observations,
    stream_curves,
};

use crate::cli::args::{KERNEL_MODEL, PlotArgs, PlotScale, StudyOptions};
use crate::cli::error::{FileError, UsageError};
use crate::cli::options::Together;
use crate::cli::progress::ProgressLine;
use crate::cli::remedy::Remedy;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, options, roofs, stacked, study};

/// Draws programs over parameters.
pub fn plot(args: &PlotArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = drawn(args, &mut findings);
    Reply::of(answer, findings, false)
}

/// The target and form of a figure.
enum Form<'a> {
    Terminal,
    Svg(&'a str),
    Png(&'a str),
    Pdf(&'a str),
    Tex(&'a str),
}

fn drawn(args: &PlotArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let form = form(args.output.as_deref()).map_err(bare)?;
    // A path that cannot be written is refused before the work of drawing.
    if let Form::Svg(path) | Form::Png(path) | Form::Pdf(path) | Form::Tex(path) = form {
        files::refuse_unwritable(path).map_err(bare)?;
    }
    let size = size(&args.size).map_err(bare)?;
    let (programs, found) = study::load(&args.files)?;
    findings.extend(found);
    let labels = labels(&args.label, &programs).map_err(bare)?;
    let figure = if args.roofline {
        let together = study::together(&args.study, &args.files, &programs)?;
        let drawn = roofs::pictures(&args.study, &together, &programs, &labels)?;
        Some(roofline::figure(&drawn, args.title.clone(), size))
    } else if args.stacked {
        let axis = (args.x_scale.map(scale), size);
        Some(stacked::picture(args, &programs, axis, findings)?)
    } else {
        swept(args, &programs, &labels, size, findings)?
    };
    match figure {
        Some(figure) => write(&figure, &form).map_err(bare),
        None => Ok(Body::Nothing),
    }
}

/// The curves of a sweep; `None` if every point is left out, which the findings explain.
fn swept(
    args: &PlotArgs,
    programs: &[Program],
    labels: &[(String, String)],
    size: (f64, f64),
    findings: &mut Vec<Finding>,
) -> Result<Option<Figure>, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let (streams, vary) = streams(&args.study.vary, programs).map_err(bare)?;
    let asked = asked_quantity(args, streams.is_some()).map_err(bare)?;
    let options = StudyOptions {
        vary,
        ..args.study.clone()
    };
    let wanted = [args.quantity.as_str()];
    let mut together = study::together(&args.study, &args.files, programs)?;
    if streams.is_some() && together.models.is_empty() {
        // As `overlap` has it: the kernels of both that are shown else take the same time.
        together.models = vec![KERNEL_MODEL.to_owned()];
    }
    let sweep = study::sweep(&options, &together, programs, &wanted, findings)?;
    let quantity = match streams {
        Some(_) => asked,
        None => (sweep.own_name(asked)).map_err(|fault| bare(Diagnostic::of(&fault)))?,
    };
    findings.extend(told_apart(&sweep, asked));
    if streams.is_some() {
        findings.extend(without_kernel_time(&together).map_err(bare)?);
    }
    let first = streams
        .as_ref()
        .map_or_else(|| &sweep.axes()[0], |(axis, _)| axis);
    let fixed = &together.given;
    let observed = observed(args, quantity, &first.name, programs, fixed, findings)?;
    let (curves, finished) = match &streams {
        Some((_, numbers)) => stream_curves(&sweep, numbers),
        None => told_curves(&sweep, asked),
    }
    .map_err(Finding::all_bare)?;
    findings.extend(study::said_of(&finished, programs));
    if curves.is_empty() {
        let quantity = quantity.to_owned();
        return match finished.points {
            // What is skipped says why.
            0 => Ok(None),
            _ => Err(bare(Diagnostic::of(&UsageError::NothingDrawn { quantity }))),
        };
    }
    let plot = Plot {
        along: &first.name,
        quantity,
        is_normalised: args.normalise,
        is_geometric: first.is_geometric(),
        scales: (args.x_scale.map(scale), args.y_scale.map(scale)),
        title: args.title.clone(),
        labels,
        size,
    };
    let (figure, given_up) = figure_of(&plot, &curves, &observed);
    if given_up {
        return Err(bare(Diagnostic::of(&UsageError::NoLogarithm)));
    }
    Ok(Some(figure))
}

/// The quantity of the curves. Over streams it is their time, and no other can be asked for.
fn asked_quantity(args: &PlotArgs, is_over_streams: bool) -> Result<&str, Diagnostic> {
    let quantity = if args.share {
        TRANSFER_SHARE
    } else {
        args.quantity.as_str()
    };
    if !is_over_streams {
        return Ok(quantity);
    }
    if quantity != Quantity::GpuCost.name() {
        return Err(Diagnostic::of(&UsageError::StreamsAlone));
    }
    Ok(STREAMS)
}

/// The curves of a sweep, while the terminal tells how many points are done.
fn told_curves(
    sweep: &Sweep<'_>,
    quantity: &str,
) -> Result<(Vec<Curve>, Finished), Vec<Diagnostic>> {
    let progress = ProgressLine::start();
    let all = sweep.points();
    let mut tell = |done: u64| {
        progress.parts(done, all, "points");
        ControlFlow::Continue(())
    };
    curves(sweep, quantity, &mut tell)
}

/// Pairs program names with `--label`s: one for each program, or none at all.
fn labels(given: &[String], programs: &[Program]) -> Result<Vec<(String, String)>, Diagnostic> {
    if !given.is_empty() && given.len() != programs.len() {
        return Err(Diagnostic::of(&UsageError::Labels {
            labels: given.len(),
            programs: programs.len(),
        }));
    }
    let names = programs.iter().map(|program| program.name().to_owned());
    Ok(names.zip(given.iter().cloned()).collect())
}

/// A note where a model has a figure of the name of a count: whatever models are asked for, it is the count.
fn told_apart(sweep: &Sweep<'_>, quantity: &str) -> Option<Finding> {
    let others = sweep.namesakes(quantity);
    let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
    let counted = UsageError::CountedName {
        quantity: quantity.to_owned(),
        others: others.join(" or "),
    };
    let note = Diagnostic::of(&counted).with_severity(Severity::Note);
    (!others.is_empty()).then(|| Finding::bare(note))
}

/// A note for each model whose kernels take no time of their own, which streams could hide; a fault where no model
/// has any.
fn without_kernel_time(together: &Together) -> Result<Vec<Finding>, Diagnostic> {
    let models = options::models(&together.models)?;
    let has_time = |model: &&&'static dyn Model| {
        let mut machines = together.machines.iter();
        machines.any(|machine| options::has_kernel_time(**model, machine))
    };
    let untimed = |model: &dyn Model| {
        Diagnostic::of(&UsageError::Name {
            option: "--model",
            name: model.name().to_owned(),
            problem: "it has no kernel time",
            remedy: Remedy::ModelKernelTime,
        })
    };
    let without = models.iter().filter(|model| !has_time(model));
    let without: Vec<Diagnostic> = without.map(|model| untimed(*model)).collect();
    if without.len() == models.len()
        && let Some(first) = without.first()
    {
        return Err(first.clone());
    }
    let note = |fault: Diagnostic| fault.with_severity(Severity::Note);
    Ok(without.into_iter().map(note).map(Finding::bare).collect())
}

/// The measurements that belong into the figure; a note tells of others.
fn observed(
    args: &PlotArgs,
    quantity: &str,
    along: &str,
    programs: &[Program],
    fixed: &Parameters,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Observation>, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let is_share = quantity == TRANSFER_SHARE;
    let is_cost = matches!(
        Quantity::named(quantity),
        Some(Quantity::GpuCost | Quantity::Cost)
    );
    let is_time = is_cost || quantity == STREAMS;
    if !args.observed.is_empty() && !is_share && !is_time {
        return Err(bare(Diagnostic::of(&UsageError::MeasuredCount {
            quantity: quantity.to_owned(),
        })));
    }
    let names: Vec<&str> = programs.iter().map(|program| program.name()).collect();
    let mut kept = Vec::new();
    // Measurements of other programs or sizes are noted and left out. A file with no others is an error.
    for file in &args.observed {
        let all = read_measured(file, observations).map_err(bare)?;
        let (of, mut strays) = (all.len(), Vec::new());
        for observation in all {
            match observation.belongs(along, &names, fixed, is_share) {
                Ok(()) => kept.push(observation),
                Err(stray) => strays.push(stray),
            }
        }
        let Some(first) = strays.first() else {
            continue;
        };
        let fault = Diagnostic::of(&UsageError::StrayMeasurements {
            file: file.clone(),
            strays: strays.len(),
            of,
            first: first.clone(),
        });
        if strays.len() == of {
            return Err(bare(fault));
        }
        let severity = Severity::Note;
        findings.push(Finding::bare(fault.with_severity(severity)));
    }
    Ok(kept)
}

fn write(figure: &Figure, form: &Form<'_>) -> Result<Body, Diagnostic> {
    match form {
        Form::Terminal => return Ok(Body::Text(figure::terminal(figure))),
        Form::Svg(path) => files::write_result(path, figure::svg(figure).as_bytes())?,
        Form::Png(path) => write_png(figure, path)?,
        Form::Pdf(path) => write_pdf(figure, path)?,
        Form::Tex(path) => {
            let stem = path.strip_suffix(".tex").unwrap_or(path);
            let csv = format!("{stem}.csv");
            let name = csv.rsplit(['/', '\\']).next().unwrap_or(&csv);
            let sources = figure::pgfplots(figure, name);
            if !files::may_replace(&csv, figure::is_csv_of_pgfplots) {
                return Err(Diagnostic::of(&FileError::Exists { path: csv }));
            }
            files::write_result(&csv, sources.csv.as_bytes())?;
            files::write_result(path, sources.tex.as_bytes())?;
        }
    }
    Ok(Body::Nothing)
}

#[cfg(feature = "png")]
fn write_png(figure: &Figure, path: &str) -> Result<(), Diagnostic> {
    let bytes = figure::png(figure).expect("the sizes of figures are bounded");
    files::write_result(path, &bytes)
}

#[cfg(feature = "png")]
fn write_pdf(figure: &Figure, path: &str) -> Result<(), Diagnostic> {
    let bytes = figure::pdf(figure);
    files::write_result(path, &bytes)
}

#[cfg(not(feature = "png"))]
fn write_png(_: &Figure, path: &str) -> Result<(), Diagnostic> {
    let given = path.to_owned();
    Err(Diagnostic::of(&UsageError::NoPng { given }))
}

#[cfg(not(feature = "png"))]
use write_png as write_pdf;

fn form(output: Option<&str>) -> Result<Form<'_>, Diagnostic> {
    let Some(path) = output else {
        return Ok(Form::Terminal);
    };
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Form::Svg(path)),
        Some("png") => Ok(Form::Png(path)),
        Some("pdf") => Ok(Form::Pdf(path)),
        Some("tex") => Ok(Form::Tex(path)),
        _ => Err(Diagnostic::of(&UsageError::FigureForm {
            given: path.to_owned(),
        })),
    }
}

/// Splits off the number of streams if it is varied and is no formal of a program. Returns it with the
/// other axes.
#[allow(
    clippy::type_complexity,
    reason = "an axis with its numbers, and the rest"
)]
fn streams(
    vary: &[String],
    programs: &[Program],
) -> Result<(Option<(Axis, Vec<u32>)>, Vec<String>), Diagnostic> {
    let is_formal = programs.iter().any(|program| program.has_formal(STREAMS));
    let (own, rest): (Vec<&String>, Vec<&String>) = vary
        .iter()
        .partition(|given| !is_formal && given.split('=').next().map(str::trim) == Some(STREAMS));
    let rest = rest.into_iter().cloned().collect();
    let Some(given) = own.first() else {
        return Ok((None, rest));
    };
    let axis = Axis::parse(given, &|_| true).map_err(|fault| Diagnostic::of(&fault))?;
    let numbers: Vec<u32> = (0..axis.len().min(u64::from(MOST_STREAMS) + 1))
        .filter_map(|place| u32::try_from(axis.value(place).to_i64()?).ok())
        .filter(|number| (1..=MOST_STREAMS).contains(number))
        .collect();
    if numbers.len() as u64 != axis.len() || own.len() > 1 {
        return Err(Diagnostic::of(&BadAxis {
            given: (*given).clone(),
            problem: AxisProblem::Streams { most: MOST_STREAMS },
        }));
    }
    Ok((Some((axis, numbers)), rest))
}

/// Parses `4x3` inches into pixels.
fn size(given: &str) -> Result<(f64, f64), Diagnostic> {
    let inches = |text: &str| {
        let inches: f64 = text.trim().parse().ok()?;
        (1.0..=40.0).contains(&inches).then_some(inches * 96.0)
    };
    let sides = given.split_once(['x', '×']);
    sides
        .and_then(|(width, height)| Some((inches(width)?, inches(height)?)))
        .ok_or_else(|| {
            Diagnostic::of(&UsageError::FigureSize {
                given: given.to_owned(),
            })
        })
}

fn scale(given: PlotScale) -> Scale {
    match given {
        PlotScale::Linear => Scale::Linear,
        PlotScale::Log2 => Scale::Log2,
        PlotScale::Log10 => Scale::Log10,
    }
}

/// Reads measurements from a file by one of two readers.
pub fn read_measured(
    file: &str,
    reader: fn(&str) -> Result<Vec<Observation>, Problem>,
) -> Result<Vec<Observation>, Diagnostic> {
    let source = files::read_source(file)?;
    reader(source.text()).map_err(|problem| {
        Diagnostic::of(&MalformedData {
            file: source.name().to_owned(),
            problem,
        })
    })
}

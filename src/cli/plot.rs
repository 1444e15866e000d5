//! `atgpu plot`: what `sweep` computes, drawn.

use std::ops::ControlFlow;

use atgpu::data::MalformedData;
use atgpu::diag::Diagnostic;
use atgpu::report::figure::{self, Figure, Scale};
use atgpu::report::plot::{Plot, figure as figure_of};
use atgpu::study::{Observation, curves, observations};

use crate::cli::args::{PlotArgs, PlotScale};
use crate::cli::error::UsageError;
use crate::cli::files;
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::study;

/// Draws programs over parameters.
pub fn plot(args: &PlotArgs) -> Reply {
    let mut findings = Vec::new();
    match drawn(args, &mut findings) {
        Ok(body) => Reply::with(body, findings),
        Err(faults) => {
            findings.extend(faults);
            Reply::faults(findings, false)
        }
    }
}

/// Where a figure goes.
enum Form<'a> {
    Terminal,
    Svg(&'a str),
    Png(&'a str),
    Tex(&'a str),
}

fn drawn(args: &PlotArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let form = form(args.output.as_deref()).map_err(bare)?;
    let size = size(&args.size).map_err(bare)?;
    let (programs, found) = study::load(&args.files)?;
    findings.extend(found);
    let mut observed = Vec::new();
    for file in &args.observed {
        observed.extend(read_observed(file).map_err(bare)?);
    }
    let sweep = study::sweep(&args.study, &programs)?;
    let quantity = if args.share { "transfer_share" } else { args.quantity.as_str() };
    let progress = ProgressLine::start();
    let all = sweep.points();
    let mut tell = |done: u64| {
        progress.tell(|| format!("{done} of {all} points"));
        ControlFlow::Continue(())
    };
    let drawn = curves(&sweep, quantity, &mut tell);
    drop(progress);
    let (curves, finished) = drawn
        .map_err(|faults| faults.into_iter().map(Finding::bare).collect::<Vec<_>>())?;
    findings.extend(study::skipped(&finished.skipped, &programs, finished.points));
    if curves.is_empty() {
        return Ok(Body::Nothing);
    }
    let first = &sweep.axes()[0];
    let plot = Plot {
        along: &first.name,
        quantity,
        is_normalised: args.normalise,
        is_geometric: first.is_geometric(),
        scales: (args.x_scale.map(scale), args.y_scale.map(scale)),
        title: args.title.clone(),
        size,
    };
    let (figure, given_up) = figure_of(&plot, &curves, &observed);
    if given_up {
        return Err(bare(Diagnostic::of(&UsageError::NoLogarithm)));
    }
    write(&figure, &form).map_err(bare)
}

fn write(figure: &Figure, form: &Form<'_>) -> Result<Body, Diagnostic> {
    match form {
        Form::Terminal => return Ok(Body::Text(figure::terminal(figure))),
        Form::Svg(path) => files::write(path, figure::svg(figure).as_bytes())?,
        Form::Png(path) => write_png(figure, path)?,
        Form::Tex(path) => {
            let stem = path.strip_suffix(".tex").unwrap_or(path);
            let csv = format!("{stem}.csv");
            let name = csv.rsplit(['/', '\\']).next().unwrap_or(&csv);
            let sources = figure::pgfplots(figure, name);
            files::write(&csv, sources.csv.as_bytes())?;
            files::write(path, sources.tex.as_bytes())?;
        }
    }
    Ok(Body::Nothing)
}

#[cfg(feature = "png")]
fn write_png(figure: &Figure, path: &str) -> Result<(), Diagnostic> {
    let bytes = figure::png(figure).expect("the sizes of figures are bounded");
    files::write(path, &bytes)
}

#[cfg(not(feature = "png"))]
fn write_png(_: &Figure, path: &str) -> Result<(), Diagnostic> {
    let given = path.to_owned();
    Err(Diagnostic::of(&UsageError::NoPng { given }))
}

fn form(output: Option<&str>) -> Result<Form<'_>, Diagnostic> {
    let Some(path) = output else {
        return Ok(Form::Terminal);
    };
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Form::Svg(path)),
        Some("png") => Ok(Form::Png(path)),
        Some("tex") => Ok(Form::Tex(path)),
        _ => Err(Diagnostic::of(&UsageError::FigureForm {
            given: path.to_owned(),
        })),
    }
}

/// `4x3`, in pixels.
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

/// Measurements from a file.
pub fn read_observed(file: &str) -> Result<Vec<Observation>, Diagnostic> {
    let source = files::read_source(file)?;
    observations(source.text()).map_err(|problem| {
        Diagnostic::of(&MalformedData {
            file: source.name().to_owned(),
            problem,
        })
    })
}

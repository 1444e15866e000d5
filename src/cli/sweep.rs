//! `atgpu sweep`: a row for every figure at every point.

use std::ops::ControlFlow;

use atgpu::diag::Diagnostic;
use atgpu::report::sweep::wide::Columns;
use atgpu::report::sweep::{csv, json};
use atgpu::study::{Figures, Finished, Part, Sweep};

use crate::cli::args::{RowFormat, SweepArgs};
use crate::cli::files::{self, Stream};
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply, json_findings};
use crate::cli::study;

/// Sweeps programs over parameters.
pub fn sweep(args: &SweepArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = swept(args, &mut findings);
    Reply::of(answer, findings, args.format == RowFormat::Json).about(&args.files)
}

fn swept(args: &SweepArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let (programs, found) = study::load(&args.files)?;
    findings.extend(found);
    let wanted: Vec<&str> = args.quantity.iter().map(String::as_str).collect();
    let part = args.part.as_deref().map(Part::parse).transpose();
    let part = part.map_err(|fault| bare(Diagnostic::of(&fault)))?;
    let together = study::together(&args.study, &args.files, &programs)?;
    let mut sweep = study::sweep(&args.study, &together, &programs, &wanted, findings)?;
    part.into_iter().for_each(|part| sweep.take(part));
    known_quantities(&sweep, &args.quantity).map_err(bare)?;
    let mut stream = Stream::open(args.output.as_deref()).map_err(bare)?;
    let as_json = args.format == RowFormat::Json;
    let mut start = match as_json {
        true => json::SWEEP_START.to_owned(),
        false if args.wide => Columns::of(&sweep, &args.quantity).header(&sweep),
        false => csv::header(sweep.columns()),
    };
    let names: Vec<&str> = programs.iter().map(|program| program.name()).collect();
    let several = args.files.len() > 1;
    let output = files::named(&args.output);
    let written = write_rows(args, &sweep, &mut stream, &mut start);
    let (finished, reader_is_gone) = match written {
        // Standard output has the start of a JSON object already; it is completed even on an error.
        Err(faults) if as_json && output.is_none() && start.is_empty() => {
            findings.extend(faults);
            let end = json::sweep_end(&[], &names, json_findings(findings, several));
            let _ = stream.write(&end).map_err(bare)?;
            stream.finish().map_err(bare)?;
            return Ok(Body::Written { draw: false });
        }
        written => written?,
    };
    findings.extend(study::said_of(&finished, &programs));
    if reader_is_gone {
        return Ok(Body::Written { draw: !as_json });
    }
    if as_json {
        let end = json::sweep_end(&finished.skipped, &names, json_findings(findings, several));
        let _ = stream.write(&start).map_err(bare)?;
        let _ = stream.write(&end).map_err(bare)?;
    } else if !start.is_empty() {
        let _ = stream.write(&start).map_err(bare)?;
    }
    stream.finish().map_err(bare)?;
    Ok(match output {
        Some(_) if as_json => Body::Json(Some(serde_json::json!({"points": finished.points}))),
        _ => Body::Written { draw: !as_json },
    })
}

/// Writes all rows. `start` is written before the first row and then cleared, so that a refused sweep
/// writes nothing.
fn write_rows(
    args: &SweepArgs,
    sweep: &Sweep<'_>,
    stream: &mut Stream,
    start: &mut String,
) -> Result<(Finished, bool), Vec<Finding>> {
    let as_json = args.format == RowFormat::Json;
    let wanted = &args.quantity;
    let columns = Columns::of(sweep, wanted);
    let render = |figures: &Figures<'_>, out: &mut String| match (as_json, args.wide) {
        (true, true) => columns.json(figures, sweep.columns(), out),
        (true, false) => json::sweep_rows(figures, sweep.columns(), out),
        (false, true) => columns.csv(figures, out),
        (false, false) => csv::rows(figures, out),
    };
    let progress = ProgressLine::start();
    let all = sweep.points();
    let mut failed = None;
    let mut reader_is_gone = false;
    let mut deliver = |done: u64, rows: String| {
        progress.parts(done, all, "points");
        // The first row of the JSON has no comma before it.
        let rows = if as_json && !start.is_empty() {
            rows.strip_prefix(',').unwrap_or(&rows)
        } else {
            &rows
        };
        if rows.is_empty() {
            return ControlFlow::Continue(());
        }
        let written = stream
            .write(&std::mem::take(start))
            .and_then(|_| stream.write(rows));
        match written {
            Ok(flow) => {
                reader_is_gone = flow.is_break();
                flow
            }
            Err(fault) => {
                failed = Some(fault);
                ControlFlow::Break(())
            }
        }
    };
    let finished = sweep.table(wanted, &render, &mut deliver);
    drop(progress);
    if let Some(fault) = failed {
        return Err(vec![Finding::bare(fault)]);
    }
    Ok((finished.map_err(Finding::all_bare)?, reader_is_gone))
}

/// Verifies that every `--quantity` is counted or computed by some model.
fn known_quantities(sweep: &Sweep<'_>, wanted: &[String]) -> Result<(), Diagnostic> {
    let mut names = wanted.iter().map(|name| sweep.own_name(name));
    let known = names.try_for_each(|name| name.map(|_| ()));
    known.map_err(|fault| Diagnostic::of(&fault))
}

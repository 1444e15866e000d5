//! `atgpu plot --stacked`: the parts of a GPU-cost by ATGPU, over one parameter.
//!
//! The GPU-cost is linear in σ. So the part of the rounds is what the cost loses on the same machine with σ = 0, and
//! the part of the kernels is the rest.

use std::ops::ControlFlow;

use atgpu::cost::TRANSFER_SHARE;
use atgpu::count::Quantity;
use atgpu::diag::Diagnostic;
use atgpu::program::Program;
use atgpu::report::figure::curves::{Plot, figure as figure_of};
use atgpu::report::figure::stacked::{self, Parts};
use atgpu::report::figure::{Figure, Scale};
use atgpu::study::{Curve, Sweep, curves};

use crate::cli::args::{KERNEL_MODEL, PlotArgs, StudyOptions};
use crate::cli::error::UsageError;
use crate::cli::reply::Finding;
use crate::cli::study;

/// Builds the picture. The scale of the parameter is `scale`, or by its values.
pub fn picture(
    args: &PlotArgs,
    programs: &[Program],
    (scale, size): (Option<Scale>, (f64, f64)),
    findings: &mut Vec<Finding>,
) -> Result<Figure, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let options = StudyOptions {
        model: vec![KERNEL_MODEL.to_owned()],
        ..args.study.clone()
    };
    let mut without_rounds = options.clone();
    without_rounds.define.push("sigma=0".to_owned());
    let wanted = [Quantity::GpuCost.name()];
    let together = study::together(&options, &args.files, programs)?;
    if programs.len() > 1 || together.machines.len() > 1 || options.vary.len() > 1 {
        return Err(bare(Diagnostic::of(&UsageError::StackedAlone)));
    }
    let sweep = study::sweep(&options, &together, programs, &wanted, findings)?;
    let bare_rounds = study::together(&without_rounds, &args.files, programs)?;
    // It is the same sweep, and what is found in it was told.
    let bare_rounds = study::sweep(
        &without_rounds,
        &bare_rounds,
        programs,
        &wanted,
        &mut Vec::new(),
    )?;
    let (costs, finished) = drawn(&sweep, wanted[0])?;
    findings.extend(study::said_of(&finished, programs));
    let (shares, _) = drawn(&sweep, TRANSFER_SHARE)?;
    let (rest, _) = drawn(&bare_rounds, wanted[0])?;
    let [Some(costs), Some(shares), Some(rest)] = [&costs, &shares, &rest].map(|all| all.first())
    else {
        let quantity = wanted[0].to_owned();
        return Err(bare(Diagnostic::of(&UsageError::NothingDrawn { quantity })));
    };
    let parts = parts(costs, shares, rest);
    // The axis is that of any picture over this parameter.
    let first = &sweep.axes()[0];
    let plot = Plot {
        is_geometric: first.is_geometric(),
        scales: (scale, None),
        ..Plot::of(&first.name, TRANSFER_SHARE)
    };
    let (axes, given_up) = figure_of(&plot, std::slice::from_ref(shares), &[]);
    if given_up {
        return Err(bare(Diagnostic::of(&UsageError::NoLogarithm)));
    }
    Ok(stacked::figure(&parts, axes.x, args.title.clone(), size))
}

/// The parts of the cost at every place that all three curves have.
fn parts(costs: &Curve, shares: &Curve, without_rounds: &Curve) -> Vec<Parts> {
    let at = |curve: &Curve, place: f64| {
        let found = curve.points.iter().find(|point| point.0 == place);
        found.map(|point| point.1)
    };
    let parts = costs.points.iter().filter_map(|(place, whole)| {
        Some(Parts {
            place: *place,
            whole: *whole,
            without_rounds: at(without_rounds, *place)?,
            transfers: at(shares, *place)?,
        })
    });
    parts.collect()
}

type Drawn = (Vec<Curve>, atgpu::study::Finished);

fn drawn(sweep: &Sweep<'_>, quantity: &str) -> Result<Drawn, Vec<Finding>> {
    let mut tell = |_| ControlFlow::Continue(());
    curves(sweep, quantity, &mut tell).map_err(Finding::all_bare)
}

//! A sweep as curves: one figure over the first axis, with a curve for every program, machine, model and
//! choice of the other axes.

use std::ops::ControlFlow;

use crate::cost::Model;
use crate::cost::overlap::plan::{Bytes, Plan, Point as StreamPoint};
use crate::count::Quantity;
use crate::diag::Diagnostic;
use crate::number::Rational;
use crate::study::error::StudyError;
use crate::study::sweep::{Case, Finished, Sweep, rows};

/// Limit on the points drawn.
const MOST_POINTS: u64 = 4_000_000;

/// One curve: its origin and its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The algorithm's name.
    pub program: String,
    /// The machine's name.
    pub machine: String,
    /// The model; `None` for a count.
    pub model: Option<&'static str>,
    /// The way to overlap transfers, of [`stream_curves`].
    pub method: Option<&'static str>,
    /// The unit of what is drawn, as a sweep has it: 1 for a share.
    pub unit: &'static str,
    /// The other axes, by name and value.
    pub others: Vec<(String, Rational)>,
    /// Points: the value on the first axis, in order, and the figure there in ms, as a share, or as a count.
    pub points: Vec<(f64, f64)>,
    /// True if every number is exact.
    pub is_exact: bool,
}

/// Computes the curves of one figure: one for every model that has it, or a counted total.
///
/// # Errors
/// `usage::value` for an unknown quantity and for too many points; the errors of [`Sweep::run`].
pub fn curves(
    sweep: &Sweep<'_>,
    quantity: &str,
    tell: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(Vec<Curve>, Finished), Vec<Diagnostic>> {
    let headings = sweep.meant(quantity);
    if let Err(fault) = sweep.own_name(quantity) {
        return Err(vec![Diagnostic::of(&fault)]);
    }
    if sweep.points() > MOST_POINTS {
        let fault = StudyError::TooManyToDraw { most: MOST_POINTS };
        return Err(vec![Diagnostic::of(&fault)]);
    }
    let Some((first, others)) = sweep.axes().split_first() else {
        return Ok((Vec::new(), Finished::default()));
    };
    let columns = sweep.columns();
    let column = |name: &str| columns.iter().position(|column| column == name);
    let along = column(&first.name);
    let others: Vec<(usize, &str)> = others
        .iter()
        .filter_map(|axis| Some((column(&axis.name)?, axis.name.as_str())))
        .collect();
    let mut found: Vec<Curve> = Vec::new();
    let render = |case: &Case<'_>, points: &mut Vec<Curve>| {
        let value = |at: usize| case.values[at].as_ref();
        let Some(x) = along.and_then(value).map(Rational::to_f64) else {
            return;
        };
        let others: Vec<(String, Rational)> = others
            .iter()
            .filter_map(|(at, name)| Some(((*name).to_owned(), value(*at)?.clone())))
            .collect();
        for row in rows(case, &headings) {
            let Some(y) = row.value.to_f64().filter(|y| y.is_finite()) else {
                continue;
            };
            points.push(Curve {
                program: case.program.to_owned(),
                machine: case.machine.to_owned(),
                model: row.heading.model,
                method: None,
                unit: row.heading.unit,
                others: others.clone(),
                points: vec![(x, y)],
                is_exact: row.is_exact,
            });
        }
    };
    let mut deliver = |done: u64, points: Vec<Curve>| {
        // Points arrive one by one, and each joins the curve of its program, machine, model and other
        // parameters. A curve is exact only if all its points are.
        for point in points {
            let same = |curve: &&mut Curve| {
                curve.model == point.model
                    && curve.others == point.others
                    && curve.machine == point.machine
                    && curve.program == point.program
            };
            match found.iter_mut().find(same) {
                Some(curve) => {
                    curve.points.extend(point.points);
                    curve.is_exact &= point.is_exact;
                }
                None => found.push(point),
            }
        }
        tell(done)
    };
    let finished = sweep.run(&render, &mut deliver)?;
    for curve in &mut found {
        curve.points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    Ok((found, finished))
}

/// The pseudo-quantity for [`stream_curves`].
pub const STREAMS: &str = "streams";

/// Computes the times for one to many streams by papers 3 and 5, at every point of the sweep. t_E is the
/// kernel time of the first model that has one.
///
/// # Errors
/// `machine::key` if a machine lacks a figure of `[overlap]`; the errors of [`Sweep::run`].
pub fn stream_curves(
    sweep: &Sweep<'_>,
    streams: &[u32],
) -> Result<(Vec<Curve>, Finished), Vec<Diagnostic>> {
    let most = streams.iter().copied().max().unwrap_or(1);
    let columns = sweep.columns();
    let axes = sweep.axes().iter().map(|axis| axis.name.as_str());
    let varied: Vec<usize> = axes
        .filter_map(|name| columns.iter().position(|column| column == name))
        .collect();
    let plan = |case: &Case<'_>, model: &dyn Model| -> Result<Option<Plan>, Diagnostic> {
        let time = model.kernel_time(&case.subject, case.on);
        let Some(time) = time.map_err(|missing| Diagnostic::of(&missing))? else {
            return Ok(None);
        };
        let bytes = Bytes::of(case.counts, case.on);
        let plan = Plan::of(bytes, time.to_f64(), case.on, most);
        plan.map(Some).map_err(|missing| Diagnostic::of(&missing))
    };
    let render = |case: &Case<'_>, found: &mut (Vec<Curve>, Option<Diagnostic>)| {
        for (model, _) in case.estimates {
            let known = sweep.models().iter().find(|known| known.name() == *model);
            match plan(case, *known.expect("it was asked for")) {
                Ok(Some(plan)) => {
                    let value =
                        |at: &usize| Some((columns[*at].clone(), case.values[*at].clone()?));
                    let others: Vec<(String, Rational)> = varied.iter().filter_map(value).collect();
                    let drawn = methods(case, model, &plan, streams);
                    found.0.extend(drawn.into_iter().map(|curve| Curve {
                        others: others.clone(),
                        ..curve
                    }));
                }
                Ok(None) => {}
                Err(fault) => {
                    found.1.get_or_insert(fault);
                }
            }
        }
    };
    let mut curves = Vec::new();
    let mut missing = None;
    // A figure that the machine lacks is a fault of the whole study, so the sweep stops at once.
    let finished = sweep.run(&render, &mut |_, (found, fault)| {
        curves.extend(found);
        match fault {
            Some(fault) => {
                missing = Some(fault);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    })?;
    match missing {
        Some(fault) => Err(vec![fault]),
        None => Ok((curves, finished)),
    }
}

/// What a plan makes of these numbers of streams, a curve for each method that it has times of.
fn methods(case: &Case<'_>, model: &'static str, plan: &Plan, streams: &[u32]) -> Vec<Curve> {
    let points = plan.streams.iter();
    let drawn: Vec<&StreamPoint> = points
        .filter(|point| streams.contains(&point.streams))
        .collect();
    let moved = [Quantity::Io, Quantity::Inward, Quantity::Outward];
    let is_exact = case.exact.headline(model) && moved.iter().all(|which| case.exact.total(*which));
    let curve = |method, time: &dyn Fn(&StreamPoint) -> Option<f64>| {
        let place = |point: &&StreamPoint| Some((f64::from(point.streams), time(point)?));
        let points: Vec<(f64, f64)> = drawn.iter().filter_map(place).collect();
        (!points.is_empty()).then(|| Curve {
            program: case.program.to_owned(),
            machine: case.machine.to_owned(),
            model: Some(model),
            method: Some(method),
            unit: "ms",
            others: Vec::new(),
            points,
            is_exact,
        })
    };
    let created = curve("streams, paper 5", &|point| point.created.map(|(ms, _)| ms));
    let explicit = curve("streams, paper 3", &|point| Some(point.explicit_ms));
    let hybrid = curve("hybrid, paper 3", &|point| Some(point.hybrid_ms));
    [created, explicit, hybrid].into_iter().flatten().collect()
}

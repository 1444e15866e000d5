//! A sweep as curves: one figure over the first axis, with a curve for every program, machine, model and
//! choice of the other axes.

use std::ops::ControlFlow;

use crate::cost::Value;
use crate::cost::overlap::plan::{Bytes, Plan, Point as StreamPoint};
use crate::count::Quantity;
use crate::diag::Diagnostic;
use crate::number::Rational;
use crate::study::error::StudyError;
use crate::study::sweep::{Case, Finished, Sweep, is_charge};
use crate::text::Known;

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
    if !sweep.quantities().contains(&quantity) {
        let name = quantity.to_owned();
        let all = |names: Vec<&str>| Known::All(names.into_iter().map(str::to_owned).collect());
        let fault = match sweep.models_with(quantity) {
            models if models.is_empty() => StudyError::Quantity {
                name,
                known: all(sweep.quantities()),
            },
            models => StudyError::QuantityOfModels {
                name,
                model: models[0],
                models: models.join(", "),
            },
        };
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
        for (model, figure) in figures(case, quantity) {
            let is_exact = match model {
                Some(model) => case.exact.figure(model, quantity),
                None if is_charge(quantity) => case.has_exact_charges(),
                None => Quantity::named(quantity).is_none_or(|which| case.exact.total(which)),
            };
            points.push(Curve {
                program: case.program.to_owned(),
                machine: case.machine.to_owned(),
                model,
                others: others.clone(),
                points: vec![(x, figure)],
                is_exact,
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
    let plan = |case: &Case<'_>| -> Result<Option<(&'static str, Plan)>, Diagnostic> {
        for model in sweep.models() {
            let time = model.kernel_time(&case.subject, case.on);
            let Some(time) = time.map_err(|missing| Diagnostic::of(&missing))? else {
                continue;
            };
            let bytes = Bytes::of(case.counts, case.on);
            let plan = Plan::of(bytes, time.to_f64(), case.on, most);
            let plan = plan.map(|plan| Some((model.name(), plan)));
            return plan.map_err(|missing| Diagnostic::of(&missing));
        }
        Ok(None)
    };
    let render = |case: &Case<'_>, found: &mut (Vec<Curve>, Option<Diagnostic>)| {
        let (model, plan) = match plan(case) {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(fault) => {
                found.1.get_or_insert(fault);
                return;
            }
        };
        let value = |at: &usize| Some((columns[*at].clone(), case.values[*at].clone()?));
        let others: Vec<(String, Rational)> = varied.iter().filter_map(value).collect();
        let drawn = plan
            .streams
            .iter()
            .filter(|point| streams.contains(&point.streams));
        let drawn: Vec<_> = drawn.collect();
        let mut add = |name, time: &dyn Fn(&StreamPoint) -> Option<f64>| {
            let place = |point: &&StreamPoint| Some((f64::from(point.streams), time(point)?));
            let points: Vec<(f64, f64)> = drawn.iter().filter_map(place).collect();
            if !points.is_empty() {
                found.0.push(Curve {
                    program: case.program.to_owned(),
                    machine: case.machine.to_owned(),
                    model: Some(name),
                    others: others.clone(),
                    points,
                    is_exact: case.exact.headline(model)
                        && [Quantity::Io, Quantity::Inward, Quantity::Outward]
                            .iter()
                            .all(|which| case.exact.total(*which)),
                });
            }
        };
        add("streams, paper 5", &|point| {
            point.created.map(|created| created.0)
        });
        add("streams, paper 3", &|point| Some(point.explicit_ms));
        add("hybrid, paper 3", &|point| Some(point.hybrid_ms));
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

/// The figure of every model that has it; if none has it, of the totals and charges.
fn figures(case: &Case<'_>, quantity: &str) -> Vec<(Option<&'static str>, f64)> {
    let mut found = Vec::new();
    for (model, estimate) in case.estimates {
        for figure in estimate
            .figures
            .iter()
            .filter(|figure| figure.name == quantity)
        {
            let value = match &figure.value {
                Value::Time(time) => Some(time.to_f64()),
                Value::Share(share) => share.as_ref().map(Rational::to_f64),
                Value::Count(count) => count.as_ref().map(|count| Rational::from(count).to_f64()),
                Value::Class(_) => None,
            };
            found.extend(value.map(|value| (Some(*model), value)));
        }
    }
    if found.is_empty() {
        let totals = case.counts.totals.all();
        let total = totals.iter().find(|(which, _)| which.name() == quantity);
        found.extend(total.map(|(_, total)| (None, Rational::from(*total).to_f64())));
        let charges = case.charges();
        let charged = charges.iter().find(|(name, ..)| *name == quantity);
        found.extend(charged.map(|(_, total, _)| (None, total.to_f64())));
    }
    found.retain(|(_, value)| value.is_finite());
    found
}

//! Builds a figure in the style of the papers from curves and measurements.

use crate::cost::TRANSFER_SHARE;
use crate::count::Quantity;
use crate::number::Rational;
use crate::report::figure::{Axis, Figure, Kind, Scale, Series};
use crate::study::{Curve, Observation, STREAMS};

/// The options of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot<'p> {
    /// The parameter along the x axis.
    pub along: &'p str,
    /// The quantity drawn, by its name in the JSON.
    pub quantity: &'p str,
    /// True if times are divided by the largest one, separately for predicted and measured times.
    pub is_normalised: bool,
    /// True if the x axis is geometric.
    pub is_geometric: bool,
    /// The requested scales of x and y; `None` chooses one by the numbers.
    pub scales: (Option<Scale>, Option<Scale>),
    /// The title above the figure.
    pub title: Option<String>,
    /// Names for programs in the legend, by program name. Others appear under their own names.
    pub labels: &'p [(String, String)],
    /// Width and height in pixels of 1/96 inch.
    pub size: (f64, f64),
}

impl<'p> Plot<'p> {
    /// A geometric parameter against a quantity, as wide as a column, with defaults for everything else.
    pub fn of(along: &'p str, quantity: &'p str) -> Plot<'p> {
        Plot {
            along,
            quantity,
            is_normalised: false,
            is_geometric: true,
            scales: (None, None),
            title: None,
            labels: &[],
            size: Figure::COLUMN,
        }
    }

    /// The legend's name for a program.
    fn called<'n>(&'n self, program: &'n str) -> &'n str {
        let given = self.labels.iter().find(|(name, _)| name == program);
        given.map_or(program, |(_, label)| label)
    }
}

/// Builds the figure. Returns true if a requested logarithmic scale was replaced because a number is not
/// above 0.
///
/// ```
/// use atgpu::report::figure::curves::{Plot, figure};
/// use atgpu::report::figure::Scale;
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let sweep = atgpu::examples::sweep(&program);
/// let (curves, _) = atgpu::study::curves(&sweep, "io", &mut |_| ControlFlow::Continue(()))?;
/// let (figure, given_up) = figure(&Plot::of("n", "io"), &curves, &[]);
/// assert_eq!((figure.x.scale, given_up), (Scale::Log2, false));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn figure(plot: &Plot<'_>, curves: &[Curve], observed: &[Observation]) -> (Figure, bool) {
    let is_share = plot.quantity == TRANSFER_SHARE;
    let mut series = predicted(plot, curves, is_share);
    let mut measured = measured(plot, curves, observed);
    if plot.is_normalised {
        normalise(&mut series);
        normalise(&mut measured);
    }
    series.extend(measured);
    if is_share {
        for point in series.iter_mut().flat_map(|series| &mut series.points) {
            point.1 *= 100.0;
        }
    }
    let (x, y, given_up) = scales(plot, &series, is_share);
    let ends = match (plot.is_normalised, is_share) {
        (true, _) if y == Scale::Linear => Some((0.0, 1.0)),
        (_, true) if y == Scale::Linear => Some((0.0, 100.0)),
        (_, _) => None,
    };
    let figure = Figure {
        title: plot.title.clone(),
        x: Axis {
            label: match plot.quantity {
                STREAMS => "number of streams".to_owned(),
                _ => plot.along.to_owned(),
            },
            scale: x,
            ends: None,
        },
        y: Axis {
            label: label(plot, curves.first(), !observed.is_empty()),
            scale: y,
            ends,
        },
        series,
        notes: Vec::new(),
        guides: Vec::new(),
        size: plot.size,
    };
    (figure, given_up)
}

/// The scales of x and y, and true if a requested one was given up.
fn scales(plot: &Plot<'_>, series: &[Series], is_share: bool) -> (Scale, Scale, bool) {
    let places = || series.iter().flat_map(|series| &series.points);
    let least = |of: fn(&(f64, f64)) -> f64| places().map(of).fold(f64::INFINITY, f64::min);
    let (left, bottom) = (least(|point| point.0), least(|point| point.1));
    let top = places().fold(f64::NEG_INFINITY, |top, point| f64::max(top, point.1));
    let are_powers = places().all(|point| is_power_of_two(point.0));
    let x_wanted = plot
        .scales
        .0
        .unwrap_or(match (plot.is_geometric, are_powers) {
            (false, _) => Scale::Linear,
            (true, true) => Scale::Log2,
            (true, false) => Scale::Log10,
        });
    let y_wanted = plot.scales.1.unwrap_or(match x_wanted {
        _ if plot.is_normalised || is_share => Scale::Linear,
        Scale::Linear => Scale::Linear,
        // A range of less than a factor of 2 has no powers to mark, so it is linear.
        _ if top < 2.0 * bottom => Scale::Linear,
        Scale::Log2 | Scale::Log10 => Scale::Log10,
    });
    let admitted = |scale: Scale, low: f64| {
        if scale.admits(low) {
            scale
        } else {
            Scale::Linear
        }
    };
    let (x, y) = (admitted(x_wanted, left), admitted(y_wanted, bottom));
    let given_up =
        (plot.scales.0.is_some() && x != x_wanted) || (plot.scales.1.is_some() && y != y_wanted);
    (x, y, given_up)
}

/// The series of the curves, each named by the properties that differ among them.
fn predicted(plot: &Plot<'_>, curves: &[Curve], is_share: bool) -> Vec<Series> {
    let differs = |of: fn(&Curve) -> &str| curves.iter().any(|one| of(one) != of(&curves[0]));
    let programs = differs(|curve| &curve.program) || !plot.labels.is_empty();
    let machines = differs(|curve| &curve.machine);
    let models = differs(|curve| curve.model.unwrap_or_default());
    let name = |curve: &Curve| {
        let mut parts = Vec::new();
        if programs {
            parts.push(plot.called(&curve.program).to_owned());
        }
        if machines {
            parts.push(curve.machine.clone());
        }
        let alone = !programs && !machines && curve.others.is_empty();
        parts.extend(curve.method.map(str::to_owned));
        if let Some(model) = curve.model
            && (models || alone && curve.method.is_none())
        {
            parts.push(model_name(model));
        }
        for (name, value) in &curve.others {
            parts.push(format!("{name} = {}", shown(value)));
        }
        if !curve.is_exact {
            // A fraction of an upper bound is no bound.
            let what = if is_share { "of bounds" } else { "at most" };
            parts.push(what.to_owned());
        }
        parts.join(", ")
    };
    let series = |curve: &Curve| Series {
        name: name(curve),
        kind: Kind::Line,
        points: curve.points.clone(),
    };
    curves.iter().map(series).collect()
}

/// The series of measurements: shares if shares are drawn, otherwise totals and kernels.
fn measured(plot: &Plot<'_>, curves: &[Curve], observed: &[Observation]) -> Vec<Series> {
    // A measurement that names no program belongs to whatever is drawn.
    let mut programs: Vec<Option<&str>> = Vec::new();
    for observation in observed {
        let program = observation.program.as_deref();
        let is_drawn = program.is_none_or(|name| curves.iter().any(|curve| curve.program == name));
        if is_drawn && !programs.contains(&program) {
            programs.push(program);
        }
    }
    let several = programs.len() > 1;
    let mut series = Vec::new();
    for program in programs {
        let of = |value: &dyn Fn(&Observation) -> Option<f64>, what: &str| {
            let rows = observed
                .iter()
                .filter(|row| row.program.as_deref() == program);
            let mut points: Vec<(f64, f64)> = rows
                .filter_map(|row| Some((row.parameters.get(plot.along)?.to_f64(), value(row)?)))
                .collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let name = match program {
                Some(program) if several => format!("{}, {what}", plot.called(program)),
                Some(_) | None => what.to_owned(),
            };
            (!points.is_empty()).then_some(Series {
                name,
                kind: Kind::Points,
                points,
            })
        };
        // The transfer share is the part of the total that the kernels do not take.
        if plot.quantity == TRANSFER_SHARE {
            let share = |row: &Observation| Some(1.0 - row.kernel? / row.total?);
            series.extend(of(&share, "measured"));
        } else {
            series.extend(of(&|row| row.total, "measured total"));
            series.extend(of(&|row| row.kernel, "measured kernels"));
        }
    }
    series
}

/// Divides all numbers by the largest.
fn normalise(series: &mut [Series]) {
    let points = series.iter().flat_map(|series| &series.points);
    let largest = points.map(|point| point.1).fold(0.0, f64::max);
    if largest > 0.0 {
        for point in series.iter_mut().flat_map(|series| &mut series.points) {
            point.1 /= largest;
        }
    }
}

/// The axis of what is drawn, in the unit that its curves have. The letters of paper 1 are those of what is counted:
/// a model's figure may have the name of a count, and be another quantity.
fn label(plot: &Plot<'_>, curve: Option<&Curve>, is_overlaid: bool) -> String {
    let quantity = plot.quantity;
    let unit = curve.map_or("1", |curve| curve.unit);
    let is_counted = curve.is_some_and(|curve| curve.model.is_none());
    let name = match Quantity::named(quantity) {
        _ if quantity == TRANSFER_SHARE => return "share of transfers (%)".to_owned(),
        _ if quantity == STREAMS => "time".to_owned(),
        Some(Quantity::GpuCost | Quantity::Cost) if is_overlaid => "time".to_owned(),
        Some(which @ (Quantity::GpuCost | Quantity::Cost)) => which.heading().to_owned(),
        Some(Quantity::Time) if is_counted => "time t".to_owned(),
        Some(Quantity::TotalTime) if is_counted => "total time Σ t".to_owned(),
        Some(Quantity::Io) if is_counted => "I/O q".to_owned(),
        _ => quantity.replace('_', " "),
    };
    if plot.is_normalised {
        let of_all = if name == "time" && unit == "ms" {
            "longest"
        } else {
            "largest"
        };
        return format!("{name}, as a part of the {of_all}");
    }
    if name.ends_with(unit) {
        name
    } else {
        format!("{name} ({unit})")
    }
}

/// The models of paper 1 in capitals, as the paper writes them.
fn model_name(name: &str) -> String {
    if name.ends_with("gpu") {
        name.to_uppercase()
    } else {
        name.to_owned()
    }
}

fn shown(value: &Rational) -> String {
    if value.is_integer() {
        value.to_string()
    } else {
        value.to_f64().to_string()
    }
}

fn is_power_of_two(value: f64) -> bool {
    value > 0.0 && libm::exp2(libm::log2(value).round()) == value
}

#[cfg(test)]
mod tests;

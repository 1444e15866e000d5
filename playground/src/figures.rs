//! The pictures of the page: what is drawn comes in as numbers, the picture goes out as `atgpu plot` draws it.

use atgpu::count::Quantity;
use atgpu::report::figure::curves::{Plot, figure};
use atgpu::report::figure::{Axis, Figure, Kind, Note, Plane, Scale, Series, Side, svg};
use atgpu::study::Curve;
use serde_json::{Value, json};

use crate::request::Request;

/// GPU-costs over one parameter, with marks where another curve becomes the lower one.
pub(crate) fn curves(asked: &Request) -> Result<Value, String> {
    let curves: Vec<Curve> = list(&asked.0["curves"]).map(curve).collect();
    let along = asked.text("along");
    let mut plot = Plot::of(along, Quantity::GpuCost.name());
    plot.scales.0 = Some(Scale::Log2);
    let mut drawn = figure(&plot, &curves, &[]).0;
    let heights = curves.iter().flat_map(|curve| &curve.points);
    let heights = heights.map(|(_, y)| *y);
    let (low, high) = heights.fold((f64::MAX, 0.0), |(low, high), y| {
        (f64::min(low, y), f64::max(high, y))
    });
    for mark in list(&asked.0["marks"]) {
        let from = mark["from"].as_f64().unwrap_or_default();
        drawn.guides.push([(from, low), (from, high)]);
        drawn.notes.push(Note {
            at: (from, low),
            text: mark["text"].as_str().unwrap_or_default().to_owned(),
            side: Side::Beside,
        });
    }
    Ok(shown(&drawn))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A curve under its name, with points `[x, y]`. A logarithm needs numbers above 0.
fn curve(given: &Value) -> Curve {
    let points = points(&given["points"]);
    Curve {
        program: given["name"].as_str().unwrap_or_default().to_owned(),
        machine: String::new(),
        model: None,
        method: None,
        unit: "ms",
        others: Vec::new(),
        points: points.filter(|(x, y)| *x > 0.0 && *y > 0.0).collect(),
        is_exact: given["exact"].as_bool().unwrap_or(true),
    }
}

fn points(given: &Value) -> impl Iterator<Item = (f64, f64)> {
    list(given).filter_map(|point| Some((point[0].as_f64()?, point[1].as_f64()?)))
}

/// The kernels under the two roofs of the model: operations a millisecond over operations a block. `roof` is the rate
/// of all resident MPs, `bandwidth` the blocks that memory moves in a millisecond.
pub(crate) fn roofline(asked: &Request) -> Result<Value, String> {
    let kernels: Vec<(f64, f64)> = points(&asked.0["kernels"]).collect();
    let figure = |key: &str| asked.0[key].as_f64().filter(|value| *value > 0.0);
    let (Some(roof), Some(bandwidth)) = (figure("roof"), figure("bandwidth")) else {
        return Err("the card lacks a figure".to_owned());
    };
    let ridge = roof / bandwidth;
    let x = decades(kernels.iter().map(|kernel| kernel.0).chain([ridge]));
    let y = decades(kernels.iter().map(|kernel| kernel.1).chain([roof]));
    let start = f64::max(x.0, y.0 / bandwidth);
    let series = |name: &str, kind, points| Series {
        name: name.to_owned(),
        kind,
        points,
    };
    let note = |at, text: &str, side| Note {
        at,
        text: text.to_owned(),
        side,
    };
    let axis = |label: &str, ends| Axis {
        label: label.to_owned(),
        scale: Scale::Log10,
        ends: Some(ends),
    };
    let edge = vec![(start, start * bandwidth), (ridge, roof), (x.1, roof)];
    Ok(shown(&Figure {
        title: None,
        x: axis("operations of an MP for each block", x),
        y: axis("operations of MPs a ms", y),
        series: vec![
            series("roofs of the card", Kind::Roof, edge),
            series("kernels", Kind::Points, kernels),
        ],
        notes: vec![
            note(
                (start, start * bandwidth),
                "γ/λ: blocks from memory",
                Side::Along((ridge, roof)),
            ),
            note((x.1, roof), "k′ℓγ: all resident MPs", Side::Before),
        ],
        guides: vec![[(ridge, y.0), (ridge, roof)]],
        size: Figure::COLUMN,
    }))
}

/// The powers of ten around some numbers, with room beside them, and at least three from end to end.
fn decades(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::MAX, 0.0), |(low, high), number| {
        (f64::min(low, number), f64::max(high, number))
    });
    let first = (low / 2.0).log10().floor();
    let last = (high * 2.0).log10().ceil();
    (10_f64.powf(f64::min(first, last - 3.0)), 10_f64.powf(last))
}

/// The picture, and where its curves stand, so that the page can turn a pixel into a number.
fn shown(figure: &Figure) -> Value {
    json!({"svg": svg(figure), "plane": figure.plane().map(|plane| told(&plane))})
}

fn told(plane: &Plane) -> Value {
    let axis = |pixels: (f64, f64), ends: (f64, f64), scale| {
        json!({
            "pixels": [pixels.0, pixels.1],
            "ends": [ends.0, ends.1],
            "linear": scale == Scale::Linear,
        })
    };
    json!({
        "x": axis(plane.x, plane.ends.0, plane.scales.0),
        "y": axis(plane.y, plane.ends.1, plane.scales.1),
    })
}

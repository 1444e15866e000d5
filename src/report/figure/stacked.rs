//! The parts of the GPU-cost, one upon the other: transfers, kernels and what each round costs besides.

use crate::report::figure::{Axis, Figure, Kind, Scale, Series};

/// The parts of a GPU-cost at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// The value of the parameter.
    pub place: f64,
    /// The GPU-cost.
    pub whole: f64,
    /// The GPU-cost on a machine whose rounds cost nothing by themselves: σ = 0.
    pub without_rounds: f64,
    /// The share of transfers in the whole.
    pub transfers: f64,
}

/// Builds the picture over the parameter of an axis. Places without a cost are left out.
///
/// ```
/// use atgpu::report::figure::{Axis, Figure, Scale};
/// use atgpu::report::figure::stacked::{Parts, figure};
///
/// let parts = [Parts { place: 8.0, whole: 10.0, without_rounds: 9.0, transfers: 0.4 }];
/// let x = Axis { label: "n".into(), scale: Scale::Log2, ends: None };
/// let figure = figure(&parts, x, None, Figure::COLUMN);
/// let tops: Vec<f64> = figure.series.iter().map(|part| part.points[0].1).collect();
/// assert_eq!(tops, [40.0, 90.0, 100.0]);
/// ```
pub fn figure(parts: &[Parts], x: Axis, title: Option<String>, size: (f64, f64)) -> Figure {
    let tops = |top: fn(&Parts) -> f64| {
        let costly = parts.iter().filter(|parts| parts.whole > 0.0);
        costly
            .map(|parts| (parts.place, 100.0 * top(parts)))
            .collect()
    };
    let area = |name: &str, points| Series {
        name: name.to_owned(),
        kind: Kind::Area,
        points,
    };
    Figure {
        title,
        x,
        y: Axis {
            label: "part of the GPU-cost (%)".to_owned(),
            scale: Scale::Linear,
            ends: Some((0.0, 100.0)),
        },
        series: vec![
            area("transfers", tops(|parts| parts.transfers)),
            area("kernels", tops(|parts| parts.without_rounds / parts.whole)),
            area("rounds", tops(|_| 1.0)),
        ],
        notes: Vec::new(),
        guides: Vec::new(),
        size,
    }
}

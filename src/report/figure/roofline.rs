//! The classical roofline: kernels as points below the roofs of their cards.

use crate::cost::Picture;
use crate::report::figure::{Axis, Figure, Kind, Scale, Series};

/// Both axes reach so much further than what is drawn.
const MARGIN: f64 = 4.0;

/// The picture of programs on cards, each with what the legend calls it. Roofs go with the cards, in
/// their order; a card that is named several times has one.
///
/// ```
/// use atgpu::cost::{Picture, Placed};
/// use atgpu::report::figure::{Figure, roofline};
///
/// let kernels = vec![Placed { intensity: 0.5, gops: 100.0 }];
/// let picture = Picture { peak_gops: 4000.0, memory_gb_s: 200.0, kernels };
/// let drawn = [("Sum".to_owned(), "mine".to_owned(), picture)];
/// let figure = roofline::figure(&drawn, None, Figure::COLUMN);
/// assert_eq!(figure.series[0].name, "mine");
/// // The roof bends where memory delivers just enough: 4000/200 operations a byte.
/// assert_eq!(figure.series[0].points[1], (20.0, 4000.0));
/// assert_eq!(figure.series[1].points, [(0.5, 100.0)]);
/// ```
pub fn figure(
    drawn: &[(String, String, Picture)],
    title: Option<String>,
    size: (f64, f64),
) -> Figure {
    let bend = |picture: &Picture| picture.peak_gops / picture.memory_gb_s;
    let kernels = drawn.iter().flat_map(|(_, _, picture)| &picture.kernels);
    let places = kernels.map(|kernel| kernel.intensity);
    let places = places.chain(drawn.iter().map(|(_, _, picture)| bend(picture)));
    let (low, high) = places.fold((f64::MAX, 0.0_f64), |(low, high), place| {
        (low.min(place), high.max(place))
    });
    let (low, high) = (low / MARGIN, high * MARGIN);
    let mut series: Vec<Series> = Vec::new();
    for (_, card, picture) in drawn {
        if series.iter().any(|roof| roof.name == *card) {
            continue;
        }
        series.push(Series {
            name: card.clone(),
            kind: Kind::Line,
            points: vec![
                (low, low * picture.memory_gb_s),
                (bend(picture), picture.peak_gops),
                (high, picture.peak_gops),
            ],
        });
    }
    for (program, _, picture) in drawn {
        let mut points: Vec<(f64, f64)> = picture
            .kernels
            .iter()
            .map(|kernel| (kernel.intensity, kernel.gops))
            .collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        series.push(Series {
            name: program.clone(),
            kind: Kind::Points,
            points,
        });
    }
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::Log10,
        ends: None,
    };
    Figure {
        title,
        x: axis("operations a byte"),
        y: axis("Gop/s"),
        series,
        size,
    }
}

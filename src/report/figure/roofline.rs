//! The classical roofline: kernels as points below the roofs of their cards.

use crate::cost::Picture;
use crate::report::figure::{Axis, Figure, Kind, Scale, Series};

/// The factor by which both axes extend beyond the drawn points.
const MARGIN: f64 = 4.0;

/// Builds the diagram of programs on cards, each with its names for the legend. There is one roof per card,
/// in order of first appearance.
pub fn figure(
    drawn: &[(String, String, Picture)],
    title: Option<String>,
    size: (f64, f64),
) -> Figure {
    // Left of the bend the memory is the limit, right of it the arithmetic. The bends count among the
    // places, so that every roof shows its bend.
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

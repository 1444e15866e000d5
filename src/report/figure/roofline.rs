//! The classical roofline: kernels as named points below the labelled roofs of their cards.

use crate::cost::{Picture, Placed};
use crate::report::figure::{Axis, Figure, Kind, Note, Scale, Series, Side};

/// The factor by which both axes extend beyond the drawn points, at least.
const MARGIN: f64 = 2.0;

/// The fewest powers of ten from one end of an axis to the other. With fewer, ticks at 2 and 5 would have labels too.
const FEWEST_POWERS: f64 = 3.0;

/// Rates are given in 10⁹ a second, and drawn in one.
const GIGA: f64 = 1e9;

/// Builds the diagram of programs on cards, each with its names for the legend. There is one roof per card,
/// in order of first appearance.
pub fn figure(
    drawn: &[(String, String, Picture)],
    title: Option<String>,
    size: (f64, f64),
) -> Figure {
    // Left of the ridge the memory is the limit, right of it the arithmetic. The ridges count among the
    // places, so that every roof shows its own.
    let pictures = || drawn.iter().map(|(_, _, picture)| picture);
    let kernels = || pictures().flat_map(|picture| &picture.kernels);
    let x = decades(
        kernels()
            .map(|kernel| kernel.intensity)
            .chain(pictures().map(ridge)),
    );
    let y = decades(
        kernels()
            .map(|kernel| kernel.gops * GIGA)
            .chain(pictures().map(|picture| picture.peak_gops * GIGA)),
    );
    let mut cards: Vec<(&str, &Picture)> = Vec::new();
    for (_, card, picture) in drawn {
        if cards.iter().all(|(name, _)| name != card) {
            cards.push((card, picture));
        }
    }
    let roofs = cards
        .iter()
        .map(|(card, picture)| roof(card, picture, x, y));
    let points = drawn
        .iter()
        .map(|(program, _, picture)| points(program, picture));
    let several = cards.len() > 1;
    let mut notes: Vec<Note> = Vec::new();
    for (card, picture) in &cards {
        notes.extend(labels(
            if several { Some(card) } else { None },
            picture,
            x,
            y,
        ));
    }
    for (program, _, picture) in drawn {
        notes.extend(names(program, picture));
    }
    let guide = |(_, picture): &(&str, &Picture)| {
        let peak = picture.peak_gops * GIGA;
        [(ridge(picture), y.0), (ridge(picture), peak)]
    };
    let axis = |label: &str, ends| Axis {
        label: label.to_owned(),
        scale: Scale::Log10,
        ends: Some(ends),
    };
    Figure {
        title,
        x: axis("operations per byte", x),
        y: axis("operations per second", y),
        series: roofs.chain(points).collect(),
        notes,
        guides: cards.iter().map(guide).collect(),
        size,
    }
}

/// The operations per byte from which arithmetic is the limit.
fn ridge(picture: &Picture) -> f64 {
    picture.peak_gops / picture.memory_gb_s
}

/// The powers of ten around some numbers.
fn decades(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::MAX, 0.0_f64), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    let first = libm::floor(libm::log10(low / MARGIN));
    let last = libm::ceil(libm::log10(high * MARGIN));
    let first = f64::min(first, last - FEWEST_POWERS);
    (libm::exp10(first), libm::exp10(last))
}

fn roof(card: &str, picture: &Picture, (low, high): (f64, f64), (floor, _): (f64, f64)) -> Series {
    let peak = picture.peak_gops * GIGA;
    let bandwidth = picture.memory_gb_s * GIGA;
    // The roof begins where it enters the frame.
    let start = f64::max(low, floor / bandwidth);
    Series {
        name: card.to_owned(),
        kind: Kind::Roof,
        points: vec![
            (start, start * bandwidth),
            (ridge(picture), peak),
            (high, peak),
        ],
    }
}

fn points(program: &str, picture: &Picture) -> Series {
    let mut points: Vec<(f64, f64)> = picture
        .kernels
        .iter()
        .map(|kernel| (kernel.intensity, kernel.gops * GIGA))
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    Series {
        name: program.to_owned(),
        kind: Kind::Points,
        points,
    }
}

/// The labels of a roof: its bandwidth along the slope, its peak above the flat part, and the ridge at the bottom.
fn labels(
    card: Option<&str>,
    picture: &Picture,
    (low, high): (f64, f64),
    (floor, _): (f64, f64),
) -> [Note; 3] {
    let peak = picture.peak_gops * GIGA;
    let bandwidth = picture.memory_gb_s * GIGA;
    let start = f64::max(low, floor / bandwidth);
    let of_card = card.map_or_else(String::new, |card| format!("{card}, "));
    [
        Note {
            at: (start, start * bandwidth),
            text: format!("{of_card}{}B/s", shown(bandwidth)),
            side: Side::Along((ridge(picture), peak)),
        },
        Note {
            at: (high, peak),
            text: format!("{of_card}{}op/s", shown(peak)),
            side: Side::Before,
        },
        Note {
            at: (ridge(picture), floor * 1.3),
            text: format!("ridge {}", short(ridge(picture))),
            side: Side::Beside,
        },
    ]
}

/// The names of the kernels of a program, numbered if there are several.
fn names(program: &str, picture: &Picture) -> Vec<Note> {
    let several = picture.kernels.len() > 1;
    let named = |(number, kernel): (usize, &Placed)| Note {
        at: (kernel.intensity, kernel.gops * GIGA),
        text: if several {
            format!("{program} {number}")
        } else {
            program.to_owned()
        },
        side: Side::Beside,
    };
    (1..).zip(&picture.kernels).map(named).collect()
}

/// A rate with three digits and its prefix: `360 G`, `12.7 T`.
fn shown(rate: f64) -> String {
    let (unit, prefix) = match rate {
        _ if rate >= 1e12 => (1e12, "T"),
        _ if rate >= 1e9 => (1e9, "G"),
        _ => (1e6, "M"),
    };
    format!("{} {prefix}", short(rate / unit))
}

/// A number with three digits.
fn short(number: f64) -> String {
    let digits = match number {
        _ if number >= 100.0 => 0,
        _ if number >= 10.0 => 1,
        _ => 2,
    };
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roofs_and_points_have_names_and_axes_end_at_powers_of_ten() {
        let picture = Picture {
            peak_gops: 6000.0,
            memory_gb_s: 300.0,
            kernels: vec![Placed {
                intensity: 2.0,
                gops: 500.0,
            }],
        };
        let drawn = [("Scan".to_owned(), "card".to_owned(), picture)];
        let figure = figure(&drawn, None, Figure::COLUMN);
        assert_eq!(figure.x.ends, Some((0.1, 100.0)));
        assert_eq!(figure.y.ends, Some((1e11, 1e14)));
        let texts: Vec<&str> = figure.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(texts, ["300 GB/s", "6.00 Top/s", "ridge 20.0", "Scan"]);
        assert_eq!(figure.guides, [[(20.0, 1e11), (20.0, 6e12)]]);
        assert_eq!(figure.series[0].kind, Kind::Roof);
        assert_eq!(figure.series[0].points[1], (20.0, 6e12));
    }
}

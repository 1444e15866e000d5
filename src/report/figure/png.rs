//! Figures as PNG: the same drawing, rasterised by `kuva` with the DejaVu Sans it brings.

use kuva::backend::png::PngBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use crate::report::figure::Figure;
use crate::report::figure::drawing::{Anchor, Colour, Drawing, Item, MARKER, outline};
use crate::report::figure::layout::layout;
use crate::report::figure::style::Marker;

/// Pixels of the file for one of the figure: 288 to the inch.
const SCALE: f32 = 3.0;

/// The figure as a PNG file.
///
/// ```
/// # use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series};
/// # let axis = |label: &str| Axis { label: label.into(), scale: Scale::Log2, ends: None };
/// let figure = Figure {
///     title: None,
///     x: axis("n"),
///     y: axis("GPU-cost, ms"),
///     series: vec![Series {
///         name: "VectorAddition".into(),
///         kind: Kind::Line,
///         points: vec![(1024.0, 0.3), (2048.0, 0.4), (4096.0, 0.6)],
///     }],
///     size: Figure::COLUMN,
/// };
/// let bytes = atgpu::report::figure::png(&figure)?;
/// assert!(bytes.starts_with(b"\x89PNG"));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// What the encoder says; a figure of a sane size gives none.
pub fn png(figure: &Figure) -> Result<Vec<u8>, String> {
    let scene = scene(&layout(figure));
    PngBackend::new().with_scale(SCALE).render_scene(&scene)
}

fn scene(drawing: &Drawing) -> Scene {
    let mut scene = Scene::new(drawing.width, drawing.height);
    for item in &drawing.items {
        match item {
            Item::Line {
                points,
                colour,
                width,
                dashes,
            } => strokes(points, *colour, *width, dashes, &mut scene),
            Item::Text {
                at,
                text,
                size,
                anchor,
                is_turned,
            } => scene.add(Primitive::Text {
                x: at.0,
                y: at.1,
                content: text.clone(),
                size: *size as u32,
                anchor: match anchor {
                    Anchor::Start => TextAnchor::Start,
                    Anchor::Middle => TextAnchor::Middle,
                },
                rotate: is_turned.then_some(-90.0),
                bold: false,
                color: None,
            }),
            Item::Mark {
                at,
                marker,
                colour,
                is_filled,
            } => mark(*at, *marker, *colour, *is_filled, &mut scene),
        }
    }
    scene
}

/// A line; dashes are cut here, since rasterisers differ in where a dash goes on behind a corner.
fn strokes(points: &[(f64, f64)], colour: Colour, width: f64, dashes: &[f64], scene: &mut Scene) {
    for points in dashed(points, dashes) {
        scene.add(Primitive::PolyLine {
            points,
            stroke: rgb(colour),
            stroke_width: width,
            stroke_dasharray: None,
        });
    }
}

fn mark(at: (f64, f64), marker: Marker, colour: Colour, is_filled: bool, scene: &mut Scene) {
    let fill = if is_filled {
        rgb(colour)
    } else {
        Color::Rgb(255, 255, 255)
    };
    match marker {
        Marker::Circle => scene.add(Primitive::Circle {
            cx: at.0,
            cy: at.1,
            r: MARKER,
            fill,
            fill_opacity: None,
            stroke: Some(rgb(colour)),
            stroke_width: Some(1.0),
        }),
        Marker::Cross | Marker::Plus => {
            for stroke in outline(marker, at) {
                strokes(&stroke, colour, 1.4, &[], scene);
            }
        }
        Marker::Square | Marker::Triangle | Marker::Diamond => {
            for ring in outline(marker, at) {
                let corners: Vec<String> = ring.iter().map(|(x, y)| format!("{x} {y}")).collect();
                scene.add(Primitive::Path(Box::new(PathData {
                    d: format!("M {} Z", corners.join(" L ")),
                    fill: Some(fill.clone()),
                    stroke: rgb(colour),
                    stroke_width: 1.0,
                    opacity: None,
                    stroke_dasharray: None,
                })));
            }
        }
    }
}

/// The pieces of a line that a pattern of dashes and gaps leaves.
fn dashed(points: &[(f64, f64)], pattern: &[f64]) -> Vec<Vec<(f64, f64)>> {
    if pattern.is_empty() {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let mut piece: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    let mut at = 0;
    let mut left = pattern[0];
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = libm::hypot(to.0 - from.0, to.1 - from.1);
            if length <= left {
                left -= length;
                piece.push(to);
                break;
            }
            let part = left / length;
            from = (
                from.0 + (to.0 - from.0) * part,
                from.1 + (to.1 - from.1) * part,
            );
            piece.push(from);
            if at % 2 == 0 {
                pieces.push(std::mem::take(&mut piece));
            }
            piece = vec![from];
            at = (at + 1) % pattern.len();
            left = pattern[at];
        }
    }
    if at % 2 == 0 && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

fn rgb((red, green, blue): Colour) -> Color {
    Color::Rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_behind_a_corner() {
        let corner = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)];
        let pieces = dashed(&corner, &[4.0, 1.0]);
        assert_eq!(
            pieces,
            [
                vec![(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)],
                vec![(3.0, 2.0), (3.0, 4.0)]
            ]
        );
        assert_eq!(dashed(&corner, &[]), [corner.to_vec()]);
        assert!(dashed(&[], &[1.0, 1.0]).is_empty());
    }
}

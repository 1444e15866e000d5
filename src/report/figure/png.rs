//! Figures as PNG: the same drawing, rasterised, with the letters of an embedded DejaVu Sans.
//!
//! A missing letter is drawn as a
//! box. No step depends on the processor's vector instructions, so the bytes are equal on all platforms.

use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

use crate::report::figure::Figure;
use crate::report::figure::drawing::{Anchor, Colour, Item, MARKER, outline};
use crate::report::figure::font::{Font, Step, UNITS};
use crate::report::figure::layout::layout;
use crate::report::figure::style::Marker;

/// Pixels of the file per pixel of the figure: 288 per inch.
const SCALE: f32 = 3.0;

/// Renders the figure as a PNG file.
///
/// # Errors
/// The message of the encoder; none for a figure of a sane size.
pub fn png(figure: &Figure) -> Result<Vec<u8>, String> {
    let drawing = layout(figure);
    let pixels = |length: f64| (length as f32 * SCALE).ceil() as u32;
    let sheet = Pixmap::new(pixels(drawing.width), pixels(drawing.height));
    let mut sheet = sheet.ok_or("the figure has no size")?;
    sheet.fill(Color::WHITE);
    let font = font();
    for item in &drawing.items {
        match item {
            Item::Line {
                points,
                colour,
                width,
                dashes,
            } => stroke(&mut sheet, line(points, false), *colour, *width, dashes),
            Item::Text {
                at,
                text,
                size,
                anchor,
                turn,
            } => {
                let (path, width) = letters(&font, text, *size as f32);
                let start = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -width / 2.0,
                };
                // The last step applies first: shift to the anchor, turn, move to the place, scale to pixels.
                let place = Transform::from_scale(SCALE, SCALE)
                    .pre_translate(at.0 as f32, at.1 as f32)
                    .pre_rotate(*turn as f32)
                    .pre_translate(start, 0.0);
                fill(&mut sheet, path, (0, 0, 0), place);
            }
            Item::Mark {
                at,
                marker,
                colour,
                is_filled,
            } => mark(&mut sheet, *at, *marker, *colour, *is_filled),
            Item::Area { points, colour } => {
                let place = Transform::from_scale(SCALE, SCALE);
                fill(&mut sheet, line(points, true), *colour, place);
            }
        }
    }
    sheet.encode_png().map_err(|error| error.to_string())
}

/// The font of all figures.
pub(super) fn font() -> Font {
    let outlines = include_bytes!("font/outlines.bin");
    Font::of(outlines).expect("a test makes the file and reads it")
}

fn mark(sheet: &mut Pixmap, at: (f64, f64), marker: Marker, colour: Colour, is_filled: bool) {
    let inside = if is_filled { colour } else { (255, 255, 255) };
    let ring = |sheet: &mut Pixmap, path: Option<Path>| {
        fill(
            sheet,
            path.clone(),
            inside,
            Transform::from_scale(SCALE, SCALE),
        );
        stroke(sheet, path, colour, 1.0, &[]);
    };
    match marker {
        Marker::Circle => ring(
            sheet,
            PathBuilder::from_circle(at.0 as f32, at.1 as f32, MARKER as f32),
        ),
        Marker::Cross | Marker::Plus => {
            for part in outline(marker, at) {
                stroke(sheet, line(&part, false), colour, 1.4, &[]);
            }
        }
        Marker::Square | Marker::Triangle | Marker::Diamond => {
            for part in outline(marker, at) {
                ring(sheet, line(&part, true));
            }
        }
    }
}

/// The path through the points; `None` without points.
fn line(points: &[(f64, f64)], is_closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if at == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    if is_closed {
        path.close();
    }
    path.finish()
}

fn fill(sheet: &mut Pixmap, path: Option<Path>, colour: Colour, place: Transform) {
    if let Some(path) = path {
        sheet.fill_path(&path, &paint(colour), FillRule::Winding, place, None);
    }
}

fn stroke(sheet: &mut Pixmap, path: Option<Path>, colour: Colour, width: f64, dashes: &[f64]) {
    let Some(path) = path else { return };
    let dashes = dashes.iter().map(|length| *length as f32).collect();
    let stroke = Stroke {
        width: width as f32,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(dashes, 0.0),
        ..Stroke::default()
    };
    let place = Transform::from_scale(SCALE, SCALE);
    sheet.stroke_path(&path, &paint(colour), &stroke, place, None);
}

fn paint((red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

/// The outlines of a text that starts at 0 on the baseline, and its width.
fn letters(font: &Font, text: &str, size: f32) -> (Option<Path>, f32) {
    let mut path = PathBuilder::new();
    let (mut start, unit) = (0.0, size / UNITS);
    for letter in text.chars() {
        let letter = font.letter(letter);
        // From units, with y upwards, to the place in the text.
        let at = |(x, y): (f32, f32)| (start + x * unit, -y * unit);
        font.outline(letter, |step| match step {
            Step::Move(to) => path.move_to(at(to).0, at(to).1),
            Step::Line(to) => path.line_to(at(to).0, at(to).1),
            Step::Curve(by, to) => {
                let ((x1, y1), (x, y)) = (at(by), at(to));
                path.quad_to(x1, y1, x, y);
            }
            Step::Close => path.close(),
        });
        start += letter.advance as f32 * unit;
    }
    (path.finish(), start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_signs_that_figures_show() {
        let font = font();
        let letters = (' '..='~').chain("·′ℓ−×αβγλσω⁰¹²³⁴⁵⁶⁷⁸⁹⁻⌈⌉⌊⌋≤≥µ…–é".chars());
        for letter in letters {
            let missing = font.letter('\0');
            assert!(!std::ptr::eq(font.letter(letter), missing), "{letter}");
        }
    }

    #[test]
    fn a_text_is_as_wide_as_the_layout_takes_it_for() {
        let font = font();
        for text in ["n (×10⁶)", "GPU-cost, ms", "α + 3λ/γ · ℓ′ − 2"] {
            let drawn = f64::from(letters(&font, text, 11.0).1);
            let planned = crate::report::figure::metrics::width(text, 11.0);
            assert!(
                drawn <= planned + 0.01 && planned < drawn + 13.0,
                "{text}: {drawn} {planned}"
            );
        }
    }
}

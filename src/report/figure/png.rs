//! Figures as PNG: the same drawing, rasterised, with the glyphs of an embedded DejaVu Sans.
//!
//! The font is reduced to European letters, Greek and mathematical signs; a missing glyph is drawn as a
//! box. No step depends on the processor's vector instructions, so the bytes are equal on all platforms.

use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::report::figure::Figure;
use crate::report::figure::drawing::{Anchor, Colour, Item, MARKER, outline};
use crate::report::figure::layout::layout;
use crate::report::figure::style::Marker;

/// Pixels of the file per pixel of the figure: 288 per inch.
const SCALE: f32 = 3.0;

/// DejaVu Sans, cut to U+0020–017F, Greek, U+0400–045F, punctuation, raised and lowered signs,
/// letter-like ones, arrows, operators, ⌈⌉⌊⌋⟨⟩ and geometric shapes; without hints.
const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");

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
    let font = Face::parse(FONT, 0).map_err(|error| error.to_string())?;
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
                is_turned,
            } => {
                let (path, width) = letters(&font, text, *size as f32);
                let start = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -width / 2.0,
                };
                let turn = if *is_turned { -90.0 } else { 0.0 };
                // The last step applies first: shift to the anchor, turn, move to the place, scale to pixels.
                let place = Transform::from_scale(SCALE, SCALE)
                    .pre_translate(at.0 as f32, at.1 as f32)
                    .pre_rotate(turn)
                    .pre_translate(start, 0.0);
                fill(&mut sheet, path, (0, 0, 0), place);
            }
            Item::Mark {
                at,
                marker,
                colour,
                is_filled,
            } => mark(&mut sheet, *at, *marker, *colour, *is_filled),
        }
    }
    sheet.encode_png().map_err(|error| error.to_string())
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
fn letters(font: &Face<'_>, text: &str, size: f32) -> (Option<Path>, f32) {
    let mut pen = Pen {
        path: PathBuilder::new(),
        x: 0.0,
        unit: size / f32::from(font.units_per_em()),
    };
    for letter in text.chars() {
        // Glyph 0 is the box.
        let glyph = font.glyph_index(letter).unwrap_or(GlyphId(0));
        font.outline_glyph(glyph, &mut pen);
        pen.x += f32::from(font.glyph_hor_advance(glyph).unwrap_or(0)) * pen.unit;
    }
    (pen.path.finish(), pen.x)
}

/// Moves a glyph's outline from font units, with y upwards, to the current position in the text.
struct Pen {
    path: PathBuilder,
    x: f32,
    unit: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.unit, -y * self.unit)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_signs_that_figures_show() {
        let font = Face::parse(FONT, 0).expect("a font");
        let letters = (' '..='~').chain("·′ℓ−×αβγλσω⁰¹²³⁴⁵⁶⁷⁸⁹⁻⌈⌉⌊⌋≤≥µ…–é".chars());
        for letter in letters {
            assert!(font.glyph_index(letter).is_some(), "{letter}");
        }
    }

    #[test]
    fn a_text_is_as_wide_as_the_layout_takes_it_for() {
        let font = Face::parse(FONT, 0).expect("a font");
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

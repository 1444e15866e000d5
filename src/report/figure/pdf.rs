//! Figures as PDF: the same drawing as paths, with the letters as outlines, so that no font is needed.
//!
//! The file is of PDF 1.4, one page as large as the figure, and the same bytes everywhere: no date, no name of a
//! producer.

use std::fmt::Write;

use crate::report::figure::Figure;
use crate::report::figure::drawing::{Anchor, Colour, Drawing, Item, MARKER, outline, trimmed};
use crate::report::figure::font::{Font, Place, Step, UNITS};
use crate::report::figure::layout::layout;
use crate::report::figure::png::font;
use crate::report::figure::style::Marker;

/// Points of PDF, 72 an inch, for a pixel of the figure, 96 an inch.
const POINTS: f64 = 0.75;

/// The distance of a circle's control points, in radii: the cubic curve nearest to a quarter of it.
const QUARTER: f64 = 0.552_284_75;

/// Renders the figure as a PDF file.
pub fn pdf(figure: &Figure) -> Vec<u8> {
    let drawing = layout(figure);
    document(&drawing, &content(&drawing, &font()))
}

/// The objects of the file, and the table of where each begins.
fn document(drawing: &Drawing, content: &str) -> Vec<u8> {
    let (width, height) = (drawing.width * POINTS, drawing.height * POINTS);
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Resources << >> /Contents 4 0 R >>",
            short(width),
            short(height)
        ),
        format!(
            "<< /Length {} >>\nstream\n{content}endstream",
            content.len()
        ),
    ];
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let table = out.len();
    let count = objects.len() + 1;
    let _ = write!(out, "xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(out, "{place:010} 00000 n ");
    }
    let _ = write!(
        out,
        "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    );
    out.into_bytes()
}

/// The drawing as operators. The first one turns y downwards, as the drawing has it.
fn content(drawing: &Drawing, font: &Font) -> String {
    let mut out = format!(
        "{POINTS} 0 0 -{POINTS} 0 {} cm\n1 j\n",
        short(drawing.height * POINTS)
    );
    for item in &drawing.items {
        match item {
            Item::Line {
                points,
                colour,
                width,
                dashes,
            } => {
                let dashes: Vec<String> = dashes.iter().map(|length| short(*length)).collect();
                let _ = write!(out, "[{}] 0 d {} w ", dashes.join(" "), short(*width));
                stroked(*colour, &mut out);
                path(points, &mut out);
                out.push_str("S\n");
            }
            Item::Area { points, colour } => {
                filled(*colour, &mut out);
                path(points, &mut out);
                out.push_str("f\n");
            }
            Item::Text {
                at,
                text,
                size,
                anchor,
                turn,
            } => letters(font, text, *size, (*at, *anchor, *turn), &mut out),
            Item::Mark {
                at,
                marker,
                colour,
                is_filled,
            } => mark(*at, *marker, *colour, *is_filled, &mut out),
        }
    }
    out
}

fn mark(at: (f64, f64), marker: Marker, colour: Colour, is_filled: bool, out: &mut String) {
    let is_open = matches!(marker, Marker::Cross | Marker::Plus);
    let width = if is_open { "1.4" } else { "1" };
    let _ = write!(out, "[] 0 d {width} w ");
    stroked(colour, out);
    filled(if is_filled { colour } else { (255, 255, 255) }, out);
    if marker == Marker::Circle {
        circle(at, out);
    }
    for part in outline(marker, at) {
        path(&part, out);
        if !is_open {
            out.push_str("h ");
        }
    }
    out.push_str(if is_open { "S\n" } else { "B\n" });
}

/// A circle as four curves, from its right around.
fn circle((x, y): (f64, f64), out: &mut String) {
    let (r, c) = (MARKER, MARKER * QUARTER);
    let _ = write!(out, "{} {} m ", short(x + r), short(y));
    for [first, second, end] in [
        [(r, c), (c, r), (0.0, r)],
        [(-c, r), (-r, c), (-r, 0.0)],
        [(-r, -c), (-c, -r), (0.0, -r)],
        [(c, -r), (r, -c), (r, 0.0)],
    ] {
        for (across, down) in [first, second, end] {
            let _ = write!(out, "{} {} ", short(x + across), short(y + down));
        }
        out.push_str("c ");
    }
    out.push_str("h ");
}

fn path(points: &[(f64, f64)], out: &mut String) {
    for (at, (x, y)) in points.iter().enumerate() {
        let operator = if at == 0 { 'm' } else { 'l' };
        let _ = write!(out, "{} {} {operator} ", short(*x), short(*y));
    }
}

fn stroked(colour: Colour, out: &mut String) {
    let _ = write!(out, "{} RG ", parts(colour));
}

fn filled(colour: Colour, out: &mut String) {
    let _ = write!(out, "{} rg ", parts(colour));
}

fn parts((red, green, blue): Colour) -> String {
    let part = |part: u8| short(f64::from(part) / 255.0);
    format!("{} {} {}", part(red), part(green), part(blue))
}

/// The outlines of a text at its place, filled.
fn letters(
    font: &Font,
    text: &str,
    size: f64,
    ((x, y), anchor, turn): ((f64, f64), Anchor, f64),
    out: &mut String,
) {
    let mut pen = Pen {
        path: String::new(),
        last: (0.0, 0.0),
        x: 0.0,
        unit: size / f64::from(UNITS),
    };
    for letter in text.chars() {
        let letter = font.letter(letter);
        font.outline(letter, |step| pen.step(step));
        pen.x += f64::from(letter.advance) * pen.unit;
    }
    let start = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -pen.x / 2.0,
    };
    let (sin, cos) = (libm::sin(turn.to_radians()), libm::cos(turn.to_radians()));
    let (left, top) = (x + start * cos, y + start * sin);
    let matrix = [cos, sin, -sin, cos].map(short).join(" ");
    let place = format!("{} {}", short(left), short(top));
    let _ = writeln!(out, "q {matrix} {place} cm 0 g {}f Q", pen.path);
}

/// Moves a glyph's outline from font units, with y upwards, to the current position in the text.
struct Pen {
    path: String,
    last: (f64, f64),
    x: f64,
    unit: f64,
}

impl Pen {
    fn at(&self, (x, y): Place) -> (f64, f64) {
        (self.x + f64::from(x) * self.unit, -f64::from(y) * self.unit)
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Move(to) => self.write(&[self.at(to)], 'm'),
            Step::Line(to) => self.write(&[self.at(to)], 'l'),
            Step::Curve(by, to) => {
                // A cubic curve is the same with its two points at two thirds of the way to the quadratic one's.
                let (middle, end) = (self.at(by), self.at(to));
                let towards = |from: (f64, f64)| {
                    let part = |from: f64, to: f64| from + (to - from) * 2.0 / 3.0;
                    (part(from.0, middle.0), part(from.1, middle.1))
                };
                self.write(&[towards(self.last), towards(end), end], 'c');
            }
            Step::Close => self.path.push_str("h "),
        }
    }

    fn write(&mut self, points: &[(f64, f64)], operator: char) {
        for (x, y) in points {
            let _ = write!(self.path, "{} {} ", short(*x), short(*y));
            self.last = (*x, *y);
        }
        self.path.push(operator);
        self.path.push(' ');
    }
}

/// A number in thousandths, without trailing zeros.
fn short(number: f64) -> String {
    trimmed(number, 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::{Axis, Kind, Scale, Series};

    #[test]
    fn objects_begin_where_the_table_says() {
        let axis = Axis {
            label: "n".to_owned(),
            scale: Scale::Linear,
            ends: None,
        };
        let figure = Figure {
            title: None,
            x: axis.clone(),
            y: axis,
            series: vec![Series {
                name: "Scan".to_owned(),
                kind: Kind::Line,
                points: vec![(1.0, 1.0), (2.0, 3.0)],
            }],
            notes: Vec::new(),
            guides: Vec::new(),
            size: Figure::COLUMN,
        };
        let bytes = pdf(&figure);
        let text = String::from_utf8(bytes).expect("operators are text");
        assert!(text.starts_with("%PDF-1.4\n") && text.ends_with("%%EOF\n"));
        assert!(text.contains("/MediaBox [0 0 288 216]"), "{text}");
        let (_, table) = text.rsplit_once("startxref\n").expect("an end");
        let table: usize = table
            .lines()
            .next()
            .and_then(|it| it.parse().ok())
            .expect("a place");
        assert!(text[table..].starts_with("xref\n0 5\n"));
        let places = text[table..].lines().skip(3).take(4);
        for (number, place) in (1..).zip(places) {
            let place: usize = place[..10].parse().expect("ten digits");
            assert!(text[place..].starts_with(&format!("{number} 0 obj\n")));
        }
        let stream = text.split("stream\n").nth(1).expect("the content");
        let length = stream.len() - "end".len();
        assert!(text.contains(&format!("/Length {length} ")), "{length}");
        assert_eq!(
            stream.matches(" cm").count(),
            stream.matches("q ").count() + 1
        );
    }
}

//! Figures as SVG.

use std::fmt::Write;

use crate::report::figure::Figure;
use crate::report::figure::drawing::{Anchor, Colour, Drawing, Item, MARKER, outline, trimmed};
use crate::report::figure::layout::layout;
use crate::report::figure::style::Marker;

/// Renders the figure as an SVG file.
pub fn svg(figure: &Figure) -> String {
    write(&layout(figure))
}

// Writing to a string cannot fail, so the results of `write!` are dropped throughout.
fn write(drawing: &Drawing) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans, Verdana, Helvetica, sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for item in &drawing.items {
        match item {
            Item::Line {
                points,
                colour,
                width,
                dashes,
            } => {
                let _ = write!(
                    out,
                    "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"",
                    path(points, false),
                    hex(*colour)
                );
                if !dashes.is_empty() {
                    let dashes: Vec<String> = dashes.iter().map(f64::to_string).collect();
                    let _ = write!(out, " stroke-dasharray=\"{}\"", dashes.join(" "));
                }
                if points.len() > 2 {
                    out.push_str(" stroke-linejoin=\"round\"");
                }
                out.push_str("/>\n");
            }
            Item::Text {
                at,
                text,
                size,
                anchor,
                turn,
            } => text_element(*at, text, *size, *anchor, *turn, &mut out),
            Item::Area { points, colour } => {
                let (path, colour) = (path(points, true), hex(*colour));
                let _ = writeln!(out, "<path d=\"{path}\" fill=\"{colour}\"/>");
            }
            Item::Mark {
                at,
                marker,
                colour,
                is_filled,
            } => mark(*at, *marker, *colour, *is_filled, &mut out),
        }
    }
    out.push_str("</svg>\n");
    out
}

fn text_element(
    (x, y): (f64, f64),
    text: &str,
    size: f64,
    anchor: Anchor,
    turn: f64,
    out: &mut String,
) {
    let (x, y) = (short(x), short(y));
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"");
    match anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
    }
    if turn != 0.0 {
        let _ = write!(out, " transform=\"rotate({} {x} {y})\"", short(turn));
    }
    let _ = writeln!(out, ">{}</text>", escaped(text));
}

fn mark(at: (f64, f64), marker: Marker, colour: Colour, is_filled: bool, out: &mut String) {
    let colour = hex(colour);
    let fill = if is_filled { colour.as_str() } else { "white" };
    if marker == Marker::Circle {
        let (x, y) = (short(at.0), short(at.1));
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{MARKER}\" fill=\"{fill}\" stroke=\"{colour}\" \
             stroke-width=\"1\"/>"
        );
        return;
    }
    let is_open = matches!(marker, Marker::Cross | Marker::Plus);
    let parts: Vec<String> = outline(marker, at)
        .iter()
        .map(|part| path(part, !is_open))
        .collect();
    let (fill, width) = if is_open { ("none", 1.4) } else { (fill, 1.0) };
    let _ = writeln!(
        out,
        "<path d=\"{}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
        parts.join("")
    );
}

fn path(points: &[(f64, f64)], is_closed: bool) -> String {
    let mut out = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        let _ = write!(out, "{command}{} {}", short(*x), short(*y));
    }
    if is_closed {
        out.push('Z');
    }
    out
}

/// A number in hundredths of a pixel, without trailing zeros.
fn short(number: f64) -> String {
    trimmed(number, 2)
}

fn hex((red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // XML allows no form of a control character.
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_texts_escaped() {
        assert_eq!(short(1.0), "1");
        assert_eq!(short(-0.001), "0");
        assert_eq!(short(12.3456), "12.35");
        assert_eq!(escaped("a<b & \u{7}c"), "a&lt;b &amp;  c");
        assert_eq!(hex((0, 114, 178)), "#0072b2");
    }
}

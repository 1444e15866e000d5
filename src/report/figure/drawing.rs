//! A picture as lines, texts and markers at positions in pixels; y grows downwards.

use crate::report::figure::Plane;
use crate::report::figure::style::Marker;

/// Red, green, blue.
pub(super) type Colour = (u8, u8, u8);

/// The part of a text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
}

/// One element of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Line {
        points: Vec<(f64, f64)>,
        colour: Colour,
        width: f64,
        dashes: &'static [f64],
    },
    Text {
        at: (f64, f64),
        text: String,
        size: f64,
        anchor: Anchor,
        /// Degrees that the text is turned by, clockwise: −90 if it runs upwards.
        turn: f64,
    },
    /// A filled shape.
    Area {
        points: Vec<(f64, f64)>,
        colour: Colour,
    },
    Mark {
        at: (f64, f64),
        marker: Marker,
        colour: Colour,
        is_filled: bool,
    },
}

/// All elements, in drawing order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) items: Vec<Item>,
    /// `None` without points.
    pub(super) plane: Option<Plane>,
}

/// The size of the letters of ticks, names and notes.
pub(super) const TICK: f64 = 10.0;

/// The colour of lines that only guide the eye.
pub(super) const GREY: Colour = (217, 217, 217);

/// The frame around the curves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Frame {
    pub(super) fn x(self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }

    pub(super) fn y(self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }
}

/// Half the width of a marker.
pub(super) const MARKER: f64 = 3.0;

/// The corners of a marker: closed ones as a ring, open ones as strokes; empty for a circle.
pub(super) fn outline(marker: Marker, (x, y): (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let r = MARKER;
    match marker {
        Marker::Circle => Vec::new(),
        Marker::Square => {
            let r = r * 0.9;
            vec![vec![
                (x - r, y - r),
                (x + r, y - r),
                (x + r, y + r),
                (x - r, y + r),
            ]]
        }
        Marker::Triangle => {
            let r = r * 1.15;
            vec![vec![
                (x, y - r),
                (x + r, y + r * 0.75),
                (x - r, y + r * 0.75),
            ]]
        }
        Marker::Diamond => {
            let r = r * 1.3;
            vec![vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)]]
        }
        Marker::Cross => vec![
            vec![(x - r, y - r), (x + r, y + r)],
            vec![(x - r, y + r), (x + r, y - r)],
        ],
        Marker::Plus => {
            let r = r * 1.2;
            vec![vec![(x - r, y), (x + r, y)], vec![(x, y - r), (x, y + r)]]
        }
    }
}

/// A number with so many decimal places at most, without trailing zeros.
pub(super) fn trimmed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

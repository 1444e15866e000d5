//! The letters of PNG and PDF figures: outlines and widths of DejaVu Sans, reduced to the letters that figures show.
//!
//! `outlines.bin` is made from the font, and held to it, by `tests/suite/report/font.rs`. So nothing here reads a font,
//! and no crate for that is part of the tool. The file has whole numbers only, seven bits a byte, the lowest first; signed
//! ones alternate (0, -1, 1, -2, …), and places count half units. First come the closed curves, each a list of points from
//! the origin on, then the letters, each a list of curves with their places. `é` and `e` share a curve.

use std::collections::BTreeMap;

/// Units of the font in the height of a line.
pub(super) const UNITS: f32 = 2048.0;

/// A place in units, x from the letter's origin, y upwards from the baseline.
pub(super) type Place = (f32, f32);

/// A step of an outline. Curves are quadratic: the control point, then the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Move(Place),
    Line(Place),
    Curve(Place, Place),
    Close,
}

/// A letter: its width in units, and its closed curves by number with the places of their first points.
#[derive(Default)]
pub(super) struct Letter {
    pub(super) advance: u32,
    curves: Vec<(usize, Place)>,
}

/// A point relative to the first one of its curve. A point beside the curve is a control point; between two of these, the
/// curve passes through their middle.
struct Point {
    at: Place,
    is_on: bool,
}

pub(super) struct Font {
    curves: Vec<Vec<Point>>,
    letters: BTreeMap<u32, Letter>,
}

impl Font {
    /// Reads outlines; `None` where the bytes end early.
    pub(super) fn of(bytes: &[u8]) -> Option<Font> {
        let numbers = &mut Numbers(bytes);
        let curves = numbers.list(|numbers| {
            let (mut x, mut y) = (0.0, 0.0);
            numbers.list(|numbers| {
                // The lowest bit of the first number is the kind of the point.
                let first = numbers.one()?;
                x += signed(first >> 1);
                y += signed(numbers.one()?);
                let (at, is_on) = ((x, y), first & 1 == 1);
                Some(Point { at, is_on })
            })
        })?;
        let mut code = 0;
        let letters = numbers.list(|numbers| {
            code += numbers.one()?;
            let advance = numbers.one()?;
            let curves = numbers.list(|numbers| {
                let curve = numbers.one()? as usize;
                Some((curve, (signed(numbers.one()?), signed(numbers.one()?))))
            })?;
            Some((code, Letter { advance, curves }))
        })?;
        let letters = letters.into_iter().collect();
        Some(Font { curves, letters })
    }

    /// Returns a letter, or the box of a missing one, which stands at 0.
    pub(super) fn letter(&self, letter: char) -> &Letter {
        let found = self.letters.get(&u32::from(letter));
        found.unwrap_or_else(|| &self.letters[&0])
    }

    /// Gives the steps of a letter's outline in order.
    pub(super) fn outline(&self, letter: &Letter, mut step: impl FnMut(Step)) {
        for (curve, place) in &letter.curves {
            walk(&self.curves[*curve], *place, &mut step);
        }
    }
}

/// Gives the steps of one closed curve, whose first point is always on it.
fn walk(points: &[Point], (left, bottom): Place, step: &mut impl FnMut(Step)) {
    let mut start = None;
    let mut control: Option<Place> = None;
    for point in points {
        let at = (point.at.0 + left, point.at.1 + bottom);
        if start.is_none() {
            start = Some(at);
            step(Step::Move(at));
        } else if point.is_on {
            step(
                control
                    .take()
                    .map_or(Step::Line(at), |by| Step::Curve(by, at)),
            );
        } else if let Some(by) = control.replace(at) {
            step(Step::Curve(by, ((by.0 + at.0) / 2.0, (by.1 + at.1) / 2.0)));
        }
    }
    if let Some(start) = start {
        step(control.map_or(Step::Line(start), |by| Step::Curve(by, start)));
        step(Step::Close);
    }
}

/// The numbers of the file that are still to be read.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn one(&mut self) -> Option<u32> {
        let mut number = 0;
        for place in 0.. {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(first & 0x7f).checked_shl(7 * place)?;
            if *first < 0x80 {
                break;
            }
        }
        Some(number)
    }

    /// Reads a number, and then as many items.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.one()?).map(|_| item(self)).collect()
    }
}

/// Undoes the alternation of signs, and gives units for half units. These are far below 2^24, so the float is exact.
fn signed(number: u32) -> f32 {
    let count = (number >> 1) as f32;
    (if number & 1 == 0 { count } else { -count - 1.0 }) / 2.0
}

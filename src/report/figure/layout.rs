//! The layout of a figure: the legend above the frame, labels beside the ticks, curves inside.

use crate::report::figure::drawing::{Anchor, Drawing, Frame, GREY, Item, TICK};
use crate::report::figure::metrics;
use crate::report::figure::style::{light, style};
use crate::report::figure::thin::thin;
use crate::report::figure::ticks::{Label, Ruler, Tick};
use crate::report::figure::{Axis, Figure, Kind, Plane, notes};

const TITLE: f64 = 12.0;
const LABEL: f64 = 11.0;
/// Length of a tick.
const TICK_LENGTH: f64 = 4.0;
/// Length of a line in the legend.
const SAMPLE: f64 = 26.0;
/// Limit on the markers of one curve.
pub(super) const MOST_MARKERS: usize = 24;
const BLACK: (u8, u8, u8) = (0, 0, 0);

/// The rulers of a figure; `None` without points.
pub(super) fn rulers(figure: &Figure) -> Option<(Ruler, Ruler)> {
    let x = figure.extent(|point| point.0)?;
    let y = figure.extent(|point| point.1)?;
    // A tick label needs about 42 pixels in width and 27 in height.
    let along = ((figure.size.0 - 90.0) / 42.0).max(2.0) as usize;
    let up = ((figure.size.1 - 90.0) / 27.0).max(2.0) as usize;
    Some((
        Ruler::new(&figure.x, x.0, x.1, along),
        Ruler::new(&figure.y, y.0, y.1, up),
    ))
}

/// Lays out the whole picture; an empty sheet without points.
pub(super) fn layout(figure: &Figure) -> Drawing {
    let (width, height) = figure.size;
    let mut drawing = Drawing {
        width,
        height,
        items: Vec::new(),
        plane: None,
    };
    let Some((x, y)) = rulers(figure) else {
        return drawing;
    };
    // The title, legend and labels are measured first. The frame gets the room that is left.
    let mut top = 8.0;
    if let Some(title) = &figure.title {
        drawing.text((width / 2.0, top + TITLE), title, TITLE, Anchor::Middle);
        top += TITLE + 8.0;
    }
    top = legend(figure, top, &mut drawing);
    let widest = y.ticks.iter().filter_map(|tick| tick.label.as_ref());
    let widest = widest.map(label_width).fold(0.0, f64::max);
    // The last label is centred on its tick, so half of it may stand out beyond the frame.
    let last = x.ticks.iter().rev().find_map(|tick| tick.label.as_ref());
    let beside = last.map_or(0.0, |label| label_width(label) / 2.0);
    let frame = Frame {
        left: 8.0 + LABEL + 6.0 + widest + TICK_LENGTH + 3.0,
        right: width - f64::max(10.0, beside + 4.0),
        top: top + 6.0,
        bottom: height - (8.0 + LABEL + 6.0 + TICK + TICK_LENGTH + 2.0),
    };
    drawing.plane = Some(Plane {
        x: (frame.left, frame.right),
        y: (frame.bottom, frame.top),
        scales: (x.scale, y.scale),
        ends: ((x.low, x.high), (y.low, y.high)),
    });
    ticks(frame, &x, &y, &mut drawing);
    drawing.text(
        ((frame.left + frame.right) / 2.0, height - 9.0),
        &with_shift(&figure.x, &x),
        LABEL,
        Anchor::Middle,
    );
    drawing.items.push(Item::Text {
        at: (8.0 + LABEL, (frame.top + frame.bottom) / 2.0),
        text: with_shift(&figure.y, &y),
        size: LABEL,
        anchor: Anchor::Middle,
        turn: -90.0,
    });
    // The last area reaches highest, and lies behind the others.
    let all = 0..figure.series.len();
    let is_area = |at: &usize| figure.series[*at].kind == Kind::Area;
    for at in all.clone().rev().filter(is_area) {
        curve(figure, at, frame, &x, &y, &mut drawing);
    }
    notes::guides(figure, frame, (&x, &y), &mut drawing);
    for at in all.filter(|at| !is_area(at)) {
        curve(figure, at, frame, &x, &y, &mut drawing);
    }
    notes::notes(figure, frame, (&x, &y), &mut drawing);
    drawing
}

/// `n (×10⁶)`: the label of an axis, with the power omitted from its ticks.
pub(super) fn with_shift(axis: &Axis, ruler: &Ruler) -> String {
    if ruler.shift == 0 {
        return axis.label.clone();
    }
    let power: String = ruler.shift.to_string().chars().map(raised).collect();
    match axis.label.strip_suffix(')') {
        // `time (ms)` becomes `time (10³ ms)`.
        Some(open) => match open.rsplit_once('(') {
            Some((name, unit)) => format!("{name}(10{power} {unit})"),
            None => format!("{} (×10{power})", axis.label),
        },
        None => format!("{} (×10{power})", axis.label),
    }
}

fn raised(digit: char) -> char {
    match digit {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁻',
    }
}

/// Draws rows of samples and names; returns the top of the frame.
fn legend(figure: &Figure, top: f64, drawing: &mut Drawing) -> f64 {
    if figure.series.len() < 2 && figure.series.iter().all(|series| series.name.is_empty()) {
        return top;
    }
    let room = figure.size.0 - 24.0;
    let width_of = |at: usize| SAMPLE + 5.0 + metrics::width(&figure.series[at].name, TICK) + 14.0;
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    let mut used = 0.0;
    for at in 0..figure.series.len() {
        // The gap of 14 behind the last entry of a row may hang over the edge.
        if used > 0.0 && used + width_of(at) > room + 14.0 {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width_of(at);
        rows.last_mut().expect("never empty").push(at);
    }
    let mut y = top;
    for row in rows {
        let total: f64 = row.iter().map(|at| width_of(*at)).sum::<f64>() - 14.0;
        let mut x = f64::max(12.0, (figure.size.0 - total) / 2.0);
        y += TICK + 5.0;
        for at in row {
            let style = style(at);
            let middle = y - TICK * 0.35;
            let kind = figure.series[at].kind;
            if kind == Kind::Area {
                let corners = [
                    (x, y - TICK),
                    (x + SAMPLE, y - TICK),
                    (x + SAMPLE, y),
                    (x, y),
                ];
                drawing.area(corners.to_vec(), at);
            } else {
                if kind != Kind::Points {
                    drawing.items.push(Item::Line {
                        points: vec![(x, middle), (x + SAMPLE, middle)],
                        colour: style.colour,
                        width: 1.4,
                        dashes: style.dashes,
                    });
                }
                drawing.mark((x + SAMPLE / 2.0, middle), at);
            }
            drawing.text(
                (x + SAMPLE + 5.0, y),
                &figure.series[at].name,
                TICK,
                Anchor::Start,
            );
            x += width_of(at);
        }
    }
    y + 4.0
}

fn length_of(tick: &Tick) -> f64 {
    match tick.label {
        Some(_) => TICK_LENGTH,
        None => TICK_LENGTH / 2.0,
    }
}

fn ticks(frame: Frame, x: &Ruler, y: &Ruler, drawing: &mut Drawing) {
    let line = |from: (f64, f64), to: (f64, f64), colour, width| Item::Line {
        points: vec![from, to],
        colour,
        width,
        dashes: &[],
    };
    // The grid comes first, so that all else is drawn over it. The bottom axis is no grid line.
    for tick in &y.ticks {
        let at = frame.y(y.place(tick.value));
        if tick.label.is_some() && at < frame.bottom - 0.5 {
            let grid = line((frame.left, at), (frame.right, at), GREY, 0.6);
            drawing.items.push(grid);
        }
    }
    for tick in &y.ticks {
        let at = frame.y(y.place(tick.value));
        let length = length_of(tick);
        drawing.items.push(line(
            (frame.left - length, at),
            (frame.left, at),
            BLACK,
            0.8,
        ));
        if let Some(label) = &tick.label {
            let right = frame.left - TICK_LENGTH - 3.0;
            drawing.label(label, (right - label_width(label), at + TICK * 0.36));
        }
    }
    for tick in &x.ticks {
        let at = frame.x(x.place(tick.value));
        let length = length_of(tick);
        drawing.items.push(line(
            (at, frame.bottom),
            (at, frame.bottom + length),
            BLACK,
            0.8,
        ));
        if let Some(label) = &tick.label {
            let left = at - label_width(label) / 2.0;
            drawing.label(label, (left, frame.bottom + TICK_LENGTH + TICK + 2.0));
        }
    }
    drawing.items.push(Item::Line {
        points: vec![
            (frame.left, frame.top),
            (frame.left, frame.bottom),
            (frame.right, frame.bottom),
        ],
        colour: BLACK,
        width: 1.0,
        dashes: &[],
    });
}

fn curve(figure: &Figure, at: usize, frame: Frame, x: &Ruler, y: &Ruler, drawing: &mut Drawing) {
    let series = &figure.series[at];
    let inside = |place: f64| place.clamp(0.0, 1.0);
    let points: Vec<(f64, f64)> = thin(&series.points, |value| x.place(value))
        .into_iter()
        .map(|point| {
            (
                frame.x(inside(x.place(point.0))),
                frame.y(inside(y.place(point.1))),
            )
        })
        .collect();
    match series.kind {
        Kind::Points => {
            for point in &points {
                drawing.mark(*point, at);
            }
        }
        Kind::Area => {
            let ends = points.first().zip(points.last());
            let ground =
                ends.map(|(first, last)| [(last.0, frame.bottom), (first.0, frame.bottom)]);
            let ring = points.iter().copied().chain(ground.into_iter().flatten());
            drawing.area(ring.collect(), at);
        }
        Kind::Roof => {
            let inner = points.len().saturating_sub(2);
            let corners: Vec<(f64, f64)> = points.iter().skip(1).take(inner).copied().collect();
            drawing.stroke(points, at);
            for point in corners {
                drawing.mark(point, at);
            }
        }
        Kind::Line => {
            if points.len() > 1 {
                drawing.stroke(points.clone(), at);
            }
            // Many points get a limited number of markers. The offset differs by curve, so that markers do
            // not coincide.
            let every = points.len().div_ceil(MOST_MARKERS).max(1);
            let first = every * at / figure.series.len().max(1);
            for point in points.iter().skip(first % every).step_by(every) {
                drawing.mark(*point, at);
            }
        }
    }
}

fn label_width(label: &Label) -> f64 {
    match label {
        Label::Plain(text) => metrics::width(text, TICK),
        Label::Power(..) | Label::Multiple(..) => {
            let (base, exponent) = parts(label);
            metrics::width(&base, TICK) + metrics::width(&exponent, TICK - 3.0)
        }
    }
}

/// The text on the baseline, and the raised exponent.
fn parts(label: &Label) -> (String, String) {
    match label {
        Label::Plain(text) => (text.clone(), String::new()),
        Label::Power(base, exponent) => (base.to_string(), exponent_text(*exponent)),
        Label::Multiple(multiple, exponent) => (format!("{multiple}·10"), exponent_text(*exponent)),
    }
}

fn exponent_text(exponent: i32) -> String {
    exponent.to_string().replace('-', "−")
}

impl Drawing {
    pub(super) fn text(&mut self, at: (f64, f64), text: &str, size: f64, anchor: Anchor) {
        self.items.push(Item::Text {
            at,
            text: text.to_owned(),
            size,
            anchor,
            turn: 0.0,
        });
    }

    /// The line of a series.
    fn stroke(&mut self, points: Vec<(f64, f64)>, series: usize) {
        let style = style(series);
        self.items.push(Item::Line {
            points,
            colour: style.colour,
            width: 1.4,
            dashes: style.dashes,
        });
    }

    /// The area of a series with a thin edge, so that two areas of one grey stay apart.
    fn area(&mut self, points: Vec<(f64, f64)>, series: usize) {
        let mut edge = points.clone();
        edge.extend(points.first());
        self.items.push(Item::Area {
            points,
            colour: light(series),
        });
        self.items.push(Item::Line {
            points: edge,
            colour: BLACK,
            width: 0.6,
            dashes: &[],
        });
    }

    fn mark(&mut self, at: (f64, f64), series: usize) {
        let style = style(series);
        self.items.push(Item::Mark {
            at,
            marker: style.marker,
            colour: style.colour,
            is_filled: style.is_filled,
        });
    }

    /// Draws a tick's label from its left end, the exponent raised and smaller.
    fn label(&mut self, label: &Label, (x, y): (f64, f64)) {
        match label {
            Label::Plain(text) => self.text((x, y), text, TICK, Anchor::Start),
            Label::Power(..) | Label::Multiple(..) => {
                let (base, exponent) = parts(label);
                self.text((x, y), &base, TICK, Anchor::Start);
                let beside = x + metrics::width(&base, TICK);
                self.text((beside, y - 4.0), &exponent, TICK - 3.0, Anchor::Start);
            }
        }
    }
}

//! Texts and thin lines inside the frame: what a roof or a point is, said in its place.

use crate::report::figure::drawing::{Anchor, Drawing, Frame, GREY, Item, TICK};
use crate::report::figure::ticks::Ruler;
use crate::report::figure::{Figure, Kind, Side, metrics};

/// The gap between a point and its text.
const GAP: f64 = 6.0;

/// Squares along a part of a roof: with fewer, a text would fit between two.
const STEPS: u32 = 64;

/// Draws the thin grey lines.
pub(super) fn guides(
    figure: &Figure,
    frame: Frame,
    rulers: (&Ruler, &Ruler),
    drawing: &mut Drawing,
) {
    for guide in &figure.guides {
        drawing.items.push(Item::Line {
            points: guide.map(|point| place(frame, rulers, point)).to_vec(),
            colour: GREY,
            width: 0.8,
            dashes: &[3.0, 2.0],
        });
    }
}

/// Draws the texts. One beside a point goes where no other text, point or roof is: right, below, left or above.
pub(super) fn notes(
    figure: &Figure,
    frame: Frame,
    rulers: (&Ruler, &Ruler),
    drawing: &mut Drawing,
) {
    let about = figure.notes.iter().filter(|note| note.side == Side::Beside);
    let mut taken: Vec<Space> = about
        .map(|note| Space::around(place(frame, rulers, note.at), GAP - 1.0))
        .collect();
    taken.extend(roofs(figure, frame, rulers));
    for note in &figure.notes {
        let (x, y) = place(frame, rulers, note.at);
        let width = metrics::width(&note.text, TICK);
        match note.side {
            Side::Along(other) => {
                let (to_x, to_y) = place(frame, rulers, other);
                let turn = libm::atan2(to_y - y, to_x - x);
                // Above the line: a step across it, to the left of its direction.
                let (across_x, across_y) = (libm::sin(turn) * GAP, -libm::cos(turn) * GAP);
                drawing.items.push(Item::Text {
                    at: ((x + to_x) / 2.0 + across_x, (y + to_y) / 2.0 + across_y),
                    text: note.text.clone(),
                    size: TICK,
                    anchor: Anchor::Middle,
                    turn: turn.to_degrees(),
                });
            }
            Side::Before => {
                let at = (f64::max(frame.left, x - width), y - GAP);
                taken.push(Space::of_text(at, width));
                drawing.text(at, &note.text, TICK, Anchor::Start);
            }
            Side::Beside => {
                let beside = y + TICK * 0.36;
                let places = [
                    (x + GAP, beside),
                    (x - width / 2.0, y + GAP + TICK),
                    (x - GAP - width, beside),
                    (x - width / 2.0, y - GAP - 1.0),
                    (x + GAP, y + GAP + TICK),
                ];
                let is_free = |at: &&(f64, f64)| {
                    let space = Space::of_text(**at, width);
                    space.is_within(frame) && !taken.iter().any(|other| other.meets(&space))
                };
                let at = *places.iter().find(is_free).unwrap_or(&places[0]);
                taken.push(Space::of_text(at, width));
                drawing.text(at, &note.text, TICK, Anchor::Start);
            }
        }
    }
}

/// The lines that no text may cross, as small squares along them.
fn roofs(figure: &Figure, frame: Frame, rulers: (&Ruler, &Ruler)) -> Vec<Space> {
    let roofs = figure
        .series
        .iter()
        .filter(|series| series.kind == Kind::Roof);
    let pairs = roofs.flat_map(|series| series.points.windows(2));
    let along = pairs.flat_map(|pair| {
        let (from, to) = (place(frame, rulers, pair[0]), place(frame, rulers, pair[1]));
        (0..=STEPS).map(move |step| {
            let part = f64::from(step) / f64::from(STEPS);
            let between = |from: f64, to: f64| from + (to - from) * part;
            Space::around((between(from.0, to.0), between(from.1, to.1)), 1.0)
        })
    });
    along.collect()
}

/// A point in pixels, moved to the edge if it lies outside of the frame.
fn place(frame: Frame, (x, y): (&Ruler, &Ruler), point: (f64, f64)) -> (f64, f64) {
    let inside = |place: f64| place.clamp(0.0, 1.0);
    (
        frame.x(inside(x.place(point.0))),
        frame.y(inside(y.place(point.1))),
    )
}

/// A rectangle that something takes.
struct Space {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Space {
    fn around((x, y): (f64, f64), half: f64) -> Space {
        Space {
            left: x - half,
            right: x + half,
            top: y - half,
            bottom: y + half,
        }
    }

    fn of_text((x, y): (f64, f64), width: f64) -> Space {
        Space {
            left: x,
            right: x + width,
            top: y - TICK * 0.8,
            bottom: y + TICK * 0.2,
        }
    }

    fn meets(&self, other: &Space) -> bool {
        let is_beside = self.right <= other.left || other.right <= self.left;
        let is_above = self.bottom <= other.top || other.bottom <= self.top;
        !is_beside && !is_above
    }

    fn is_within(&self, frame: Frame) -> bool {
        let across = frame.left <= self.left && self.right <= frame.right;
        across && frame.top <= self.top && self.bottom <= frame.bottom
    }
}

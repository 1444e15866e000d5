//! Figures for a paper: curves over one parameter, as SVG, PDF, PNG, pgfplots with its CSV, or in the
//! terminal.
//!
//! A [`Figure`] holds numbers, names and scales. `layout` decides all positions and returns a drawing; one
//! file per form writes it. The bytes depend on the numbers alone. Series differ by dashes and markers as
//! well as by colour, so that they stay distinct in a grey copy.

pub mod curves;
mod drawing;
#[cfg(feature = "png")]
mod font;
mod layout;
mod metrics;
mod notes;
#[cfg(feature = "png")]
mod pdf;
mod pgfplots;
#[cfg(feature = "png")]
mod png;
pub mod roofline;
pub mod stacked;
mod style;
mod svg;
mod terminal;
mod thin;
mod ticks;

#[cfg(feature = "png")]
pub use pdf::pdf;
pub use pgfplots::{Sources, is_csv_of_pgfplots, pgfplots};
#[cfg(feature = "png")]
pub use png::png;
pub use svg::svg;
pub use terminal::terminal;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Linear.
    Linear,
    /// Logarithmic, with ticks at powers of 2.
    Log2,
    /// Logarithmic, with ticks at powers of 10.
    Log10,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The label along it, with its unit.
    pub label: String,
    /// Its scale.
    pub scale: Scale,
    /// Fixed ends, such as 0 and 1 for a share.
    pub ends: Option<(f64, f64)>,
}

/// The drawing style of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A line with markers, for predictions.
    Line,
    /// Markers alone, for measurements.
    Points,
    /// A line with markers at its corners but not at its ends: the roof of a card.
    Roof,
    /// The area from the bottom to the points, behind the areas before it: a part of a whole.
    Area,
}

/// A text inside the frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The point that it is about, x and y.
    pub at: (f64, f64),
    /// The text.
    pub text: String,
    /// Its place.
    pub side: Side,
}

/// The place of a note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// Beside the point, where there is room.
    Beside,
    /// Above the point, ending at it.
    Before,
    /// Above the middle of the line from the point to this one, along it.
    Along((f64, f64)),
}

/// A named list of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The drawing style.
    pub kind: Kind,
    /// Points x and y, in the order of x; finite.
    pub points: Vec<(f64, f64)>,
}

/// A picture of several series over one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The title above the figure. A paper uses a caption below instead.
    pub title: Option<String>,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// At least one, in the order of the legend.
    pub series: Vec<Series>,
    /// Texts inside the frame.
    pub notes: Vec<Note>,
    /// Thin grey lines from a point to another.
    pub guides: Vec<[(f64, f64); 2]>,
    /// Width and height in pixels of 1/96 inch.
    pub size: (f64, f64),
}

/// The place of the curves in a drawn figure: what a program needs to turn a pixel into numbers and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// The left and the right edge of the frame, in pixels.
    pub x: (f64, f64),
    /// The bottom and the top of the frame, in pixels; y grows downwards.
    pub y: (f64, f64),
    /// The scales of x and y. On a logarithmic scale equal factors are equally long.
    pub scales: (Scale, Scale),
    /// The numbers at the edges: left and right, bottom and top.
    pub ends: ((f64, f64), (f64, f64)),
}

impl Figure {
    /// Returns the place of the curves in the drawn figure; `None` without points.
    ///
    /// ```
    /// use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series};
    ///
    /// let axis = || Axis { label: "n".to_owned(), scale: Scale::Log2, ends: Some((1.0, 16.0)) };
    /// let line = Series { name: String::new(), kind: Kind::Line, points: vec![(1.0, 1.0), (16.0, 16.0)] };
    /// let figure = Figure {
    ///     title: None,
    ///     x: axis(),
    ///     y: axis(),
    ///     series: vec![line],
    ///     notes: Vec::new(),
    ///     guides: Vec::new(),
    ///     size: Figure::COLUMN,
    /// };
    /// let plane = figure.plane().expect("it has points");
    /// assert_eq!(plane.ends.0, (1.0, 16.0));
    /// assert!(0.0 < plane.x.0 && plane.x.1 < figure.size.0);
    /// ```
    pub fn plane(&self) -> Option<Plane> {
        layout::layout(self).plane
    }

    /// Four inches by three: a column of a paper, with letters of 8 points.
    pub const COLUMN: (f64, f64) = (384.0, 288.0);

    /// The minimum and maximum of one coordinate over all series; `None` without points.
    fn extent(&self, of: impl Fn(&(f64, f64)) -> f64) -> Option<(f64, f64)> {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.fold(None, |extent, point| {
            let value = of(point);
            let (low, high) = extent.unwrap_or((value, value));
            Some((f64::min(low, value), f64::max(high, value)))
        })
    }
}

impl Scale {
    /// The position of a number on a linear ruler. A logarithm needs a number above 0.
    fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            // `libm` gives the same bits on every platform; the system's logarithm may not.
            Scale::Log2 | Scale::Log10 => libm::log2(value),
        }
    }

    /// Returns true if the scale can show all numbers from `low` on.
    pub(crate) fn admits(self, low: f64) -> bool {
        match self {
            Scale::Linear => true,
            Scale::Log2 | Scale::Log10 => low > 0.0,
        }
    }
}

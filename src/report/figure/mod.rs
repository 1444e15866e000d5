//! Figures for a paper: curves over one parameter, as SVG, PNG, pgfplots with its CSV, or in the
//! terminal.
//!
//! A [`Figure`] holds numbers, names and scales; where a line goes is decided by `layout`, which
//! gives a drawing, and how it is written by one file a form. Bytes depend on the numbers alone.
//! Series differ by dashes and markers as well as by colour, so that a copy in grey still tells
//! them apart.

pub mod curves;
mod drawing;
mod layout;
mod metrics;
mod pgfplots;
#[cfg(feature = "png")]
mod png;
pub mod roofline;
mod style;
mod svg;
mod terminal;
mod thin;
mod ticks;

pub use pgfplots::{Sources, is_csv_of_pgfplots, pgfplots};
#[cfg(feature = "png")]
pub use png::png;
pub use svg::svg;
pub use terminal::terminal;

/// How numbers are laid along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithms, with ticks at powers of 2.
    Log2,
    /// By their logarithms, with ticks at powers of 10.
    Log10,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What stands along it, with its unit.
    pub label: String,
    /// How numbers lie along it.
    pub scale: Scale,
    /// Ends that are wanted whatever the numbers are, such as 0 and 1 for a share.
    pub ends: Option<(f64, f64)>,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A line with markers: what a model predicts.
    Line,
    /// Markers alone: what was measured.
    Points,
}

/// Numbers with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// How it is drawn.
    pub kind: Kind,
    /// x and y, in the order of x; finite.
    pub points: Vec<(f64, f64)>,
}

/// A picture of several series over one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Stands above it; a paper puts a caption below instead.
    pub title: Option<String>,
    /// Along the bottom.
    pub x: Axis,
    /// Along the left.
    pub y: Axis,
    /// At least one, in the order of the legend.
    pub series: Vec<Series>,
    /// Width and height in pixels of 1/96 inch.
    pub size: (f64, f64),
}

impl Figure {
    /// Four inches by three: a column of a paper, with letters of 8 points.
    pub const COLUMN: (f64, f64) = (384.0, 288.0);

    /// The least and the largest of one coordinate over all series; none without points.
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
    /// Where a number lies, evenly; a logarithm needs it above 0.
    fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            // The same bits on every platform, which the system's own logarithm does not promise.
            Scale::Log2 | Scale::Log10 => libm::log2(value),
        }
    }

    /// Whether all numbers from `low` on can be shown.
    pub(crate) fn admits(self, low: f64) -> bool {
        match self {
            Scale::Linear => true,
            Scale::Log2 | Scale::Log10 => low > 0.0,
        }
    }
}

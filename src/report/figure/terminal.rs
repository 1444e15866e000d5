//! Figures in a terminal: a grid of characters, one letter per series.

use crate::report::figure::layout::{rulers, with_shift};
use crate::report::figure::style::style;
use crate::report::figure::thin::thin;
use crate::report::figure::ticks::Ruler;
use crate::report::figure::{Figure, Kind};

/// Rows of the frame.
const ROWS: usize = 20;

/// Columns of the frame.
const COLUMNS: usize = 64;

/// Renders the figure as lines of text.
///
/// ```
/// use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series};
///
/// let axis = |label: &str| Axis { label: label.into(), scale: Scale::Log2, ends: None };
/// let figure = Figure {
///     title: None,
///     x: axis("n"),
///     y: axis("GPU-cost, ms"),
///     series: vec![Series {
///         name: "VectorAddition".into(),
///         kind: Kind::Line,
///         points: vec![(1024.0, 0.3), (2048.0, 0.4), (4096.0, 0.6)],
///     }],
///     notes: Vec::new(),
///     guides: Vec::new(),
///     size: Figure::COLUMN,
/// };
/// let text = atgpu::report::figure::terminal(&figure);
/// assert!(text.contains("VectorAddition"), "{text}");
/// ```
pub fn terminal(figure: &Figure) -> String {
    let Some((x, y)) = rulers(figure) else {
        return "nothing to draw\n".to_owned();
    };
    let labels: Vec<(usize, String)> = y
        .ticks
        .iter()
        .filter_map(|tick| Some((row_of(y.place(tick.value)), tick.label.as_ref()?.text())))
        .collect();
    let margin = labels.iter().map(|(_, label)| label.chars().count());
    let margin = margin.max().unwrap_or(0);
    let grid = grid(figure, (&x, &y));
    let mut out = String::new();
    if let Some(title) = &figure.title {
        out.push_str(&format!("{:margin$}  {title}\n", ""));
    }
    out.push_str(&format!("{:margin$}  {}\n", "", with_shift(&figure.y, &y)));
    for (row, cells) in grid.iter().enumerate() {
        let label = labels.iter().find(|(at, _)| *at == row);
        let (label, edge) = match label {
            Some((_, label)) => (label.as_str(), '┤'),
            None => ("", '│'),
        };
        let cells: String = cells.iter().collect();
        out.push_str(&format!("{label:>margin$} {edge}{}\n", cells.trim_end()));
    }
    let (edge, below) = below(&x);
    out.push_str(&format!("{:margin$} └{edge}\n", ""));
    out.push_str(&format!("{:margin$}  {}\n", "", below.trim_end()));
    let label = with_shift(&figure.x, &x);
    let indent = (COLUMNS.saturating_sub(label.chars().count())) / 2;
    out.push_str(&format!("{:margin$}  {:indent$}{label}\n", "", ""));
    for (at, series) in figure.series.iter().enumerate() {
        if !series.name.is_empty() {
            let letter = style(at).letter;
            out.push_str(&format!("{:margin$}  {letter} {}\n", "", series.name));
        }
    }
    out
}

/// The characters inside the frame, row by row.
fn grid(figure: &Figure, (x, y): (&Ruler, &Ruler)) -> Vec<Vec<char>> {
    let mut grid = vec![vec![' '; COLUMNS]; ROWS];
    // The first series is drawn last, so that its letters are on top.
    for at in (0..figure.series.len()).rev() {
        let series = &figure.series[at];
        let points: Vec<(usize, usize)> = thin(&series.points, |value| x.place(value))
            .iter()
            .map(|point| (column_of(x.place(point.0)), row_of(y.place(point.1))))
            .collect();
        if series.kind != Kind::Points {
            for pair in points.windows(2) {
                join(pair[0], pair[1], &mut grid);
            }
        }
    }
    for at in (0..figure.series.len()).rev() {
        for point in thin(&figure.series[at].points, |value| x.place(value)) {
            grid[row_of(y.place(point.1))][column_of(x.place(point.0))] = style(at).letter;
        }
    }
    grid
}

/// The lower edge of the frame, and the labels of x below it. A label without room is left out.
fn below(x: &Ruler) -> (String, String) {
    let mut edge = vec!['─'; COLUMNS];
    let mut below = vec![' '; COLUMNS + 12];
    let mut free = 0;
    for tick in &x.ticks {
        let Some(label) = &tick.label else { continue };
        let at = column_of(x.place(tick.value));
        edge[at] = '┴';
        let label: Vec<char> = label.text().chars().collect();
        let start = at.saturating_sub(label.len() / 2).max(free);
        if start <= at + 1 && start + label.len() <= below.len() {
            below[start..start + label.len()].copy_from_slice(&label);
            free = start + label.len() + 1;
        }
    }
    (edge.into_iter().collect(), below.into_iter().collect())
}

fn row_of(place: f64) -> usize {
    ROWS - 1 - (place.clamp(0.0, 1.0) * (ROWS - 1) as f64).round() as usize
}

fn column_of(place: f64) -> usize {
    (place.clamp(0.0, 1.0) * (COLUMNS - 1) as f64).round() as usize
}

/// Draws dots between two cells.
fn join(from: (usize, usize), to: (usize, usize), grid: &mut [Vec<char>]) {
    let (x, y) = (from.0 as f64, from.1 as f64);
    let (across, down) = (to.0 as f64 - x, to.1 as f64 - y);
    let steps = f64::max(across.abs(), down.abs()) as usize;
    for step in 1..steps {
        let part = step as f64 / steps as f64;
        let column = (x + across * part).round() as usize;
        grid[(y + down * part).round() as usize][column] = '·';
    }
}

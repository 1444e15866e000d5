//! A figure of the documentation that a benchmark draws.

use std::fs;
use std::path::Path;

use atgpu::report::figure::{Axis, Figure, Scale, Series, svg};

/// Writes `docs/NAME.svg`: a line a workload, over powers of 2 and 10.
pub fn over_sizes(name: &str, [x, y]: [&str; 2], series: Vec<Series>) {
    let axis = |label: &str, scale| Axis {
        label: label.to_owned(),
        scale,
        ends: None,
    };
    let figure = Figure {
        title: None,
        x: axis(x, Scale::Log2),
        y: axis(y, Scale::Log10),
        series,
        notes: Vec::new(),
        guides: Vec::new(),
        size: Figure::COLUMN,
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{name}.svg"));
    fs::write(&path, svg(&figure)).expect("the figure can be written");
}

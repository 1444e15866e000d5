//! How near predictions come to measured times, by program: for a person, and as JSON.

use serde::Serialize;

use crate::report::calibration::number;
use crate::report::table::{Align, Table};
use crate::study::{Calibration, Nearness};

/// A line a program: the mean factor between measured and predicted times, the largest, and the share of
/// transfers.
///
/// ```
/// use atgpu::report::calibration::nearness_text;
///
/// let text = nearness_text(&atgpu::examples::calibration());
/// assert!(text.contains("within 2×"), "{text}");
/// ```
pub fn nearness_text(calibration: &Calibration) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("points", Align::Right),
        ("factor", Align::Right),
        ("worst", Align::Right),
        ("within 2×", Align::Right),
        ("kernels", Align::Right),
        ("transfers", Align::Right),
        ("share", Align::Right),
        ("predicted", Align::Right),
        ("off", Align::Right),
    ]);
    let factor = |factor: Option<f64>| factor.map(shown).unwrap_or_default();
    for near in calibration.nearness() {
        let (mean, worst) = near.whole;
        let mut cells = vec![
            near.program,
            near.points.to_string(),
            shown(mean),
            shown(worst),
            format!(
                "{:.0}%",
                100.0 * near.within_two as f64 / near.points as f64
            ),
            factor(near.kernels),
            factor(near.transfers),
        ];
        let [measured, predicted, off] = match near.share {
            Some(share) => share.map(|part| format!("{:.1}", 100.0 * part)),
            None => Default::default(),
        };
        let per_cent = |text: String| if text.is_empty() { text } else { text + "%" };
        cells.extend([per_cent(measured), per_cent(predicted), off]);
        table.row(cells);
    }
    table.render()
}

/// A factor; what is far off not digit by digit.
fn shown(factor: f64) -> String {
    match factor < 1000.0 {
        true => format!("{factor:.2}"),
        false => number(factor.round()),
    }
}

/// The same as JSON.
#[derive(Serialize)]
pub(super) struct NearnessJson {
    program: String,
    points: usize,
    mean_factor: f64,
    worst_factor: f64,
    within_two: usize,
    kernel_factor: Option<f64>,
    transfer_factor: Option<f64>,
    transfer_share: Option<ShareJson>,
}

#[derive(Serialize)]
struct ShareJson {
    measured: f64,
    predicted: f64,
    off: f64,
}

impl NearnessJson {
    pub(super) fn of(near: Nearness) -> NearnessJson {
        let (mean_factor, worst_factor) = near.whole;
        NearnessJson {
            program: near.program,
            points: near.points,
            mean_factor,
            worst_factor,
            within_two: near.within_two,
            kernel_factor: near.kernels,
            transfer_factor: near.transfers,
            transfer_share: near.share.map(|[measured, predicted, off]| ShareJson {
                measured,
                predicted,
                off,
            }),
        }
    }
}

//! The accuracy of predictions by program: as text, and as JSON.

use serde::Serialize;

use crate::report::calibration::number;
use crate::report::table::{Align, Table};
use crate::study::{Calibration, Nearness};

/// Renders one line per program: the mean and the worst factor between measured and predicted times, and
/// the share of transfers.
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

/// A factor; large ones without decimals.
fn shown(factor: f64) -> String {
    if factor < 1000.0 {
        format!("{factor:.2}")
    } else {
        number(factor.round())
    }
}

/// The accuracy at one program, as JSON.
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

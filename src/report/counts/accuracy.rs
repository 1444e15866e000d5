//! What is known of the accuracy of each model's figures, under them.

use serde_json::{Value, json as object};

use crate::cost::Subject;
use crate::cost::accuracy::{Known, PAGE, known};
use crate::report::counts::CountsReport;
use crate::report::wrap::within_width;

/// By model, of those that were compared with measurements of such kernels.
pub(super) fn of(report: &CountsReport<'_>) -> Vec<(&'static str, &'static Known)> {
    let subject = Subject {
        counts: report.counts,
        charges: report.charges,
        derivation: None,
    };
    let of_model = |(model, estimate): &(&'static str, _)| {
        Some((*model, known(model, estimate, &subject, report.machine)?))
    };
    report.estimates.iter().filter_map(of_model).collect()
}

/// A line a model, and the empty line below the estimates.
pub(super) fn text(report: &CountsReport<'_>) -> String {
    let mut out = String::new();
    for (model, known) in of(report) {
        let (points, kernels) = (known.points, known.kernels.name());
        let (mean, within) = (known.mean_factor, known.within_two);
        out.push_str(&within_width(&format!(
            "  {model}: of {points} {kernels} kernels measured, {within}% within 2×, mean factor \
             {mean:.2}: {PAGE}"
        )));
    }
    if !report.estimates.is_empty() {
        out.push('\n');
    }
    out
}

/// The same as an object.
pub(super) fn json(known: &Known) -> Value {
    object!({
        "kernels": known.kernels.name(),
        "points": known.points,
        "mean_factor": known.mean_factor,
        "worst_factor": known.worst_factor,
        "within_two": f64::from(known.within_two) / 100.0,
        "page": PAGE,
    })
}

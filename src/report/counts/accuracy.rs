//! The known accuracy of each model, shown below its figures.

use serde_json::{Value, json as object};

use crate::cost::accuracy::{Kernels, Known, PAGE, known};
use crate::cost::{Item, Subject, find};
use crate::report::counts::CountsReport;
use crate::report::wrap::within_width;

/// The known accuracy by model, for models with a time.
pub(super) fn of(report: &CountsReport<'_>) -> Vec<(&'static str, Option<&'static Known>)> {
    let subject = Subject {
        counts: report.counts,
        charges: report.charges,
        derivation: None,
    };
    let timed = report.estimates.iter();
    let timed = timed.filter(|(_, estimate)| estimate.headline().is_some());
    timed
        .map(|(model, _)| (*model, known(model, &subject, report.machine)))
        .collect()
}

/// One line for all models with the same accuracy, and an empty line below.
pub(super) fn text(report: &CountsReport<'_>) -> String {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for (model, known) in of(report) {
        let said = known.map_or("compared with no measured time".to_owned(), said);
        // The measured times exclude transfers.
        let has_transfers = find(model).is_some_and(|it| it.items().contains(&Item::Transfer));
        let name = if has_transfers {
            format!("{model} without transfers")
        } else {
            model.to_owned()
        };
        match lines.iter_mut().find(|(_, other)| *other == said) {
            Some((names, _)) => names.push(name),
            None => lines.push((vec![name], said)),
        }
    }
    let mut out = String::new();
    for (names, said) in &lines {
        let names = names.join(", ");
        out.push_str(&within_width(&format!("  {names}: {said}: {PAGE}")));
    }
    if !report.estimates.is_empty() {
        out.push('\n');
    }
    out
}

fn said(known: &Known) -> String {
    let (points, mean, within) = (known.points, known.mean_factor, known.within_two);
    let kernels = match known.kernels {
        Kernels::Any => "kernels".to_owned(),
        kind => format!("{} kernels", kind.name()),
    };
    format!("of {points} {kernels} measured, {within}% within 2×, mean factor {mean:.2}")
}

/// The accuracy as a JSON object.
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

//! A calibration: as text, as JSON, and as a machine file.

mod card;
mod file;
mod json;
mod nearness;

pub use card::{card_json, card_text};
pub use file::{Entry, card_file, kept_file, machine_file};
pub use json::json;
pub use nearness::nearness_text;

use crate::report::table::{Align, Table};
use crate::study::{Calibration, Certainty, Compared, FittedFigure, Origin, Reason, Unknown};

/// Limit on the rows shown; the rest is only counted.
const MOST_ROWS: usize = 40;

/// Renders the figures, the residuals and the errors.
pub fn text(calibration: &Calibration) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("value", Align::Right),
        ("", Align::Left),
        ("", Align::Left),
    ]);
    for figure in &calibration.figures {
        table.row([
            figure.unknown.name().to_owned(),
            number(figure.value),
            figure.unknown.unit().to_owned(),
            origin(figure),
        ]);
    }
    let mut out = table.render();
    out.push('\n');
    let are_events = calibration.rows.iter().all(|row| row.event.is_some());
    out.push_str(&if are_events {
        events(calibration)
    } else {
        measurements(calibration)
    });
    if calibration.rows.len() > MOST_ROWS {
        let more = calibration.rows.len() - MOST_ROWS;
        out.push_str(&format!("  … and {more} more\n"));
    }
    out.push_str(&format!("\n  error {}\n", percents(calibration.error)));
    match calibration.left_out {
        Some(error) => out.push_str(&format!(
            "  at measurements left out of the fit, {} at a time: {}\n",
            calibration.group,
            percents(error)
        )),
        None => out.push_str("  too few measurements to leave some out\n"),
    }
    for (program, error) in &calibration.programs {
        out.push_str(&format!(
            "  at {program}, left out of the fit: {}\n",
            percents(*error)
        ));
    }
    if are_events {
        out.push('\n');
        out.push_str(&nearness_text(calibration));
    }
    if !calibration.is_fitted() {
        out.push_str("  nothing is fitted: there is no machine to write\n");
    }
    out
}

/// Measured and predicted ms, and the relative error.
fn against((measured, predicted): (f64, f64)) -> [String; 3] {
    [
        number(measured),
        number(predicted),
        percent((predicted - measured) / measured),
    ]
}

/// The event of a row and its parameters.
fn place(row: &Compared) -> String {
    let parameters = row.parameters.iter();
    let parameters = parameters.map(|(name, value)| format!("{name} = {value}"));
    let event = row.event.map(|event| event.name().to_owned());
    let what: Vec<String> = event.into_iter().chain(parameters).collect();
    what.join(", ")
}

/// A table of events, each with the figure that causes most of its time.
fn events(calibration: &Calibration) -> String {
    let mut table = Table::new(&[
        ("line", Align::Right),
        ("", Align::Left),
        ("ms", Align::Right),
        ("predicted", Align::Right),
        ("error", Align::Right),
        ("mostly", Align::Left),
    ]);
    for row in calibration.rows.iter().take(MOST_ROWS) {
        let mut cells = vec![row.line.to_string(), place(row)];
        cells.extend(row.total.or(row.kernel).map(against).unwrap_or_default());
        cells.push(match row.mostly {
            Some((unknown, part)) => format!("{} {:.0}%", unknown.name(), part * 100.0),
            None => String::new(),
        });
        table.row(cells);
    }
    table.render()
}

/// A table of measurements: the whole program, and its kernels alone.
fn measurements(calibration: &Calibration) -> String {
    let mut table = Table::new(&[
        ("line", Align::Right),
        ("", Align::Left),
        ("total ms", Align::Right),
        ("predicted", Align::Right),
        ("error", Align::Right),
        ("kernels ms", Align::Right),
        ("predicted", Align::Right),
        ("error", Align::Right),
    ]);
    for row in calibration.rows.iter().take(MOST_ROWS) {
        let mut cells = vec![row.line.to_string(), place(row)];
        for times in [row.total, row.kernel] {
            cells.extend(times.map(against).unwrap_or_default());
        }
        table.row(cells);
    }
    table.render()
}

/// Figures by name: `α, β and σ`.
fn listed(figures: &[Unknown]) -> String {
    let names: Vec<&str> = figures.iter().map(|figure| figure.name()).collect();
    match names.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        few => few.concat(),
    }
}

/// What the report says of where a figure comes from.
fn origin(figure: &FittedFigure) -> String {
    match &figure.origin {
        Origin::Fitted(_) => format!("fitted{}", doubt(figure, 1.0)),
        Origin::Open(reason) => format!("kept: {}", why(*reason)),
        Origin::Together(others) => {
            let others = listed(others);
            format!("kept: these data determine it only together with {others}")
        }
        Origin::Absent => "kept: no measurement depends on it".to_owned(),
        Origin::Given => "given".to_owned(),
    }
}

/// The reason why data leave a figure open, in words.
fn why(reason: Reason) -> String {
    match reason {
        Reason::Noise => "these data do not determine it".to_owned(),
        Reason::Shorter(gamma) => format!(
            "kernels are shorter than their operations at γ = {} GHz",
            number(gamma / 1e6)
        ),
        Reason::BeyondPeak => "blocks would move faster than `memory_gb_s`".to_owned(),
    }
}

/// The uncertainty of a figure, in a unit that is `unit` times its own.
fn doubt(figure: &FittedFigure, unit: f64) -> String {
    let digits = |number_in_unit: f64, digits: usize| {
        let own = number_in_unit / unit;
        number(format!("{own:.digits$e}").parse().unwrap_or(own))
    };
    let error_of = |error: f64| digits(error, 1);
    match &figure.origin {
        Origin::Fitted(Certainty::Told { error, interval }) => {
            let held = interval.map_or(String::new(), |ends| {
                let [low, high] = ends.map(|end| digits(end, 3));
                format!(" (95%: {low} to {high})")
            });
            let hardly = if figure.is_determined() {
                ""
            } else {
                ": these data hardly determine it"
            };
            format!(", ± {}{held}{hardly}", error_of(*error))
        }
        Origin::Fitted(Certainty::If { kept, error }) => {
            let error = error.map_or(String::new(), |error| format!(", ± {}", error_of(error)));
            let verb = if kept.len() == 1 { "is" } else { "are" };
            format!("{error} if {} {verb} as kept", listed(kept))
        }
        Origin::Fitted(Certainty::Unknown) => ", without measurements to spare".to_owned(),
        Origin::Together(_) | Origin::Open(_) | Origin::Absent | Origin::Given => String::new(),
    }
}

/// Larger percentages are shown with an exponent.
const MOST_PERCENT: f64 = 1e5;

/// A relative error in percent.
fn percent(part: f64) -> String {
    match part * 100.0 {
        percent if percent.abs() < MOST_PERCENT => format!("{percent:+.1}%"),
        percent => format!("{percent:+.1e}%"),
    }
}

fn percents((mean, largest): (f64, f64)) -> String {
    let shown = |part: f64| match part * 100.0 {
        percent if percent < MOST_PERCENT => format!("{percent:.2}%"),
        percent => format!("{percent:.2e}%"),
    };
    format!(
        "{} (root mean square), {} at most",
        shown(mean),
        shown(largest)
    )
}

/// Six significant figures, in a form that TOML reads too.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        let text = format!("{value:.5e}");
        return match text.split_once('e') {
            Some((digits, exponent)) => {
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                let digits = if digits.contains('.') {
                    digits.to_owned()
                } else {
                    format!("{digits}.0")
                };
                format!("{digits}e{exponent}")
            }
            None => text,
        };
    }
    // Example: 1234.5678 has 4 whole digits, so 2 decimals; 0.00123 has 2 leading zeros, so 6 + 2 decimals.
    let whole = if size >= 1.0 {
        libm::floor(libm::log10(size)) as usize + 1
    } else {
        0
    };
    let lead = if size > 0.0 && size < 1.0 {
        (-libm::floor(libm::log10(size))) as usize - 1
    } else {
        0
    };
    let decimals = 6_usize.saturating_sub(whole) + lead;
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hopeless_errors_are_short() {
        assert_eq!(percent(-0.0214), "-2.1%");
        assert_eq!(percent(999.0), "+99900.0%");
        assert_eq!(percent(2.9e299), "+2.9e301%");
        assert_eq!(
            percents((0.0077, 2.9e299)),
            "0.77% (root mean square), 2.90e301% at most"
        );
    }

    #[test]
    fn numbers_have_six_figures() {
        let shown: Vec<String> = [
            0.0,
            1.25,
            0.26,
            1_058_000.0,
            8.318_392e-8,
            0.009_42,
            123_456.789,
            5e-9,
        ]
        .into_iter()
        .map(number)
        .collect();
        assert_eq!(
            shown,
            [
                "0",
                "1.25",
                "0.26",
                "1058000",
                "8.31839e-8",
                "0.00942",
                "123457",
                "5.0e-9"
            ]
        );
        for text in shown {
            assert!(crate::count::parse_number(&text).is_ok(), "{text}");
        }
    }
}

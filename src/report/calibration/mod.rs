//! A calibration for a person, as JSON, and as a machine file.

pub mod json;

use crate::machine::Machine;
use crate::report::table::{Align, Table};
use crate::study::{Calibration, FittedFigure, Origin, Unknown};

/// Rows shown before the rest is only summed up.
const MOST_ROWS: usize = 40;

/// The figures, the residuals and the errors.
///
/// ```
/// # use atgpu::study::{Calibration, FittedFigure, Origin, Unknown};
/// # let card = atgpu::machine::Machine::built_in("gtx650").expect("built in");
/// # let calibration = Calibration {
/// #     figures: vec![FittedFigure {
/// #         unknown: Unknown::Lambda,
/// #         value: 4.0,
/// #         origin: Origin::Fitted(Some(0.1)),
/// #     }],
/// #     rows: Vec::new(),
/// #     error: (0.01, 0.02),
/// #     left_out: None,
/// #     group: 1,
/// #     machine: card.with([("lambda", 4)]).expect("in range"),
/// # };
/// use atgpu::report::calibration;
///
/// let text = calibration::text(&calibration);
/// assert!(text.contains("4  cycles/block  fitted, ± 0.1"), "{text}");
/// ```
pub fn text(calibration: &Calibration) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("value", Align::Right),
        ("", Align::Left),
        ("", Align::Left),
    ]);
    for figure in &calibration.figures {
        table.row([
            figure.unknown.letter().to_owned(),
            number(figure.value),
            figure.unknown.unit().to_owned(),
            origin(figure),
        ]);
    }
    let mut out = table.render();
    out.push('\n');
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
        let parameters = row.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let mut cells = vec![row.line.to_string(), parameters.join(", ")];
        for times in [row.total, row.kernel] {
            match times {
                Some((measured, predicted)) => cells.extend([
                    number(measured),
                    number(predicted),
                    percent((predicted - measured) / measured),
                ]),
                None => cells.extend([String::new(), String::new(), String::new()]),
            }
        }
        table.row(cells);
    }
    out.push_str(&table.render());
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
    out
}

/// The text of a machine file with the fitted figures: the file it came from, line by line, with
/// its name and those figures replaced.
///
/// ```
/// # use atgpu::study::{Calibration, FittedFigure, Origin, Unknown};
/// # let card = atgpu::machine::Machine::built_in("gtx650").expect("built in");
/// # let calibration = Calibration {
/// #     figures: vec![FittedFigure {
/// #         unknown: Unknown::Lambda,
/// #         value: 4.0,
/// #         origin: Origin::Fitted(Some(0.1)),
/// #     }],
/// #     rows: Vec::new(),
/// #     error: (0.01, 0.02),
/// #     left_out: None,
/// #     group: 1,
/// #     machine: card.with([("lambda", 4)]).expect("in range"),
/// # };
/// use atgpu::machine::{BUILT_IN, Machine};
/// use atgpu::report::calibration::machine_file;
///
/// let (_, gtx650) = BUILT_IN[0];
/// let text = machine_file(gtx650, &calibration, "mine", "times.csv");
/// assert_eq!(Machine::from_toml(&text).expect("sound").name.as_ref(), "mine");
/// assert!(text.contains("latency_cycles = 4"));
/// ```
pub fn machine_file(base: &str, calibration: &Calibration, name: &str, source: &str) -> String {
    let machine = &calibration.machine;
    let note = format!("fitted to {source}");
    let fitted: Vec<(&str, &str, String)> = calibration
        .figures
        .iter()
        .filter(|figure| matches!(figure.origin, Origin::Fitted(_)))
        .map(|figure| {
            let (section, key, unit) = place(figure.unknown, machine);
            let value = number(figure.value / unit);
            (
                section,
                key,
                format!("{key} = {value}   # {note}{}", doubt(figure, unit)),
            )
        })
        .collect();
    let mut out = format!(
        "# Fitted by `atgpu calibrate` to {} ({source}).\n# Error {}{}.\n",
        match calibration.rows.len() {
            1 => "1 measurement".to_owned(),
            several => format!("{several} measurements"),
        },
        percents(calibration.error),
        match calibration.left_out {
            Some(error) => format!("; where left out of the fit, {}", percents(error)),
            None => String::new(),
        }
    );
    let mut section = String::new();
    let mut written: Vec<&str> = Vec::new();
    let finish = |section: &str, written: &mut Vec<&str>, out: &mut String| {
        for (at, key, line) in &fitted {
            if *at == section && !written.contains(key) {
                out.push_str(line);
                out.push('\n');
                written.push(key);
            }
        }
    };
    let mut blank = String::new();
    let mut replaced = false;
    for line in base.lines() {
        let trimmed = line.trim();
        // An indented comment goes on with that of the line above, and goes with it.
        if replaced && line.starts_with(' ') && trimmed.starts_with('#') {
            continue;
        }
        if trimmed.is_empty() {
            blank.push('\n');
            continue;
        }
        if let Some(header) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            finish(&section, &mut written, &mut out);
            section = header.trim().to_owned();
        }
        out.push_str(&blank);
        blank.clear();
        let key = trimmed.split('=').next().unwrap_or_default().trim();
        let found = fitted
            .iter()
            .find(|(at, fitted, _)| *at == section && *fitted == key);
        replaced = found.is_some();
        match found {
            _ if section.is_empty() && key == "name" => {
                out.push_str(&format!("name = {name:?}"));
            }
            Some((_, key, replacement)) => {
                out.push_str(replacement);
                written.push(key);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    finish(&section, &mut written, &mut out);
    for (section, key, _) in &fitted {
        if !written.contains(key) {
            out.push_str(&format!("\n[{section}]\n"));
            finish(section, &mut written, &mut out);
        }
    }
    out
}

/// Where a figure stands in a machine file, and how much of its own unit is one there.
fn place(unknown: Unknown, machine: &Machine) -> (&'static str, &'static str, f64) {
    match unknown {
        Unknown::Gamma => ("device", "clock_ghz", 1e6),
        Unknown::Lambda => ("device", "latency_cycles", 1.0),
        Unknown::Alpha => ("transfer", "alpha_ms", 1.0),
        Unknown::Beta => ("transfer", "beta_ms_per_byte", machine.word_bytes as f64),
        Unknown::Sigma => ("transfer", "sync_ms", 1.0),
    }
}

/// What the report says of where a figure comes from.
fn origin(figure: &FittedFigure) -> String {
    match &figure.origin {
        Origin::Fitted(_) => format!("fitted{}", doubt(figure, 1.0)),
        Origin::Together(others) if others.is_empty() => {
            "kept: these data do not determine it".to_owned()
        }
        Origin::Together(others) => {
            let letters: Vec<&str> = others.iter().map(|other| other.letter()).collect();
            let listed = match letters.as_slice() {
                [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
                few => few.concat(),
            };
            format!(
                "kept: these data determine it only together with {}",
                listed
            )
        }
        Origin::Absent => "kept: no measurement depends on it".to_owned(),
        Origin::Given => "given".to_owned(),
    }
}

/// How certain a figure is, in a unit that is so many of its own.
fn doubt(figure: &FittedFigure, unit: f64) -> String {
    let two_digits = |error: f64| {
        let rounded = format!("{:.1e}", error / unit).parse();
        number(rounded.unwrap_or(error / unit))
    };
    match &figure.origin {
        Origin::Fitted(Some(error)) if figure.is_determined() => {
            format!(", ± {}", two_digits(*error))
        }
        Origin::Fitted(Some(error)) => {
            let error = two_digits(*error);
            format!(", ± {error}: these data hardly determine it")
        }
        Origin::Fitted(None) => ", without measurements to spare".to_owned(),
        Origin::Together(_) | Origin::Absent | Origin::Given => String::new(),
    }
}

/// More per cent than this are no error to read digit by digit.
const MOST_PERCENT: f64 = 1e5;

/// A part that a prediction is off.
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

/// Six significant figures, which both a person and TOML read.
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

//! A calibration as a machine file: the original file, with its name and all new figures replaced.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::Diagnostic;
use crate::machine::{Machine, OVERRIDABLE};
use crate::number::Rational;
use crate::report::calibration::card::keys;
use crate::report::calibration::{doubt, number, percents};
use crate::study::{Calibration, CardAnswer, FittedFigure, Origin};

/// Renders a machine file with the fitted figures: the original file, with its name and every figure
/// changed by the fit or by `-D` replaced, and the source of each.
///
/// ```
/// use atgpu::machine::{BUILT_IN, Machine};
/// use atgpu::report::calibration::machine_file;
///
/// let calibration = atgpu::examples::calibration();
/// let (_, gtx650) = BUILT_IN[0];
/// let text = machine_file(gtx650, &calibration, "mine", "times.csv");
/// let written = Machine::from_toml(&text).expect("sound");
/// assert_eq!(written.name.as_ref(), "mine");
/// assert_eq!(written.latency(), calibration.machine.latency());
/// assert!(text.contains("latency_cycles = 4"));
/// ```
pub fn machine_file(base: &str, calibration: &Calibration, name: &str, source: &str) -> String {
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
    let mut edits = Edits::of(base);
    edits.set(&["name"], &format!("{name:?}"), "");
    for change in changes(Machine::from_toml(base).ok().as_ref(), calibration, source) {
        let (section, key) = change.place;
        edits.set(&[section, key], &change.value, &change.note);
        let known = format!("{{ how = {:?}, from = {:?} }}", change.how, change.note);
        edits.set(&["source", section, key], &known, "");
    }
    out.push_str(&edits.applied());
    out
}

/// Renders a machine file with the figures measured by microbenchmarks: the original file with these keys
/// replaced, and their source.
///
/// # Errors
/// The errors of the original file.
pub fn card_file(
    base: &str,
    answers: &[CardAnswer],
    device: &str,
) -> Result<String, Vec<Diagnostic>> {
    let before = Machine::from_toml(base)?;
    let mut edits = Edits::of(base);
    for key in keys(answers, &before) {
        let (section, name) = key.place;
        edits.set(&[section, name], &key.value, "");
        let from = format!("{device}: ± {:.0}%", key.spread * 100.0);
        let known = format!("{{ how = \"measured\", from = {from:?} }}");
        edits.set(&["source", section, name], &known, "");
    }
    Ok(edits.applied())
}

/// A figure of a machine file: its section and key, and its value as text.
pub type Entry<'e> = ((&'e str, &'e str), String);

/// Renders a machine file for another device than the original's. Comments and sources of the old device
/// are dropped, and every figure is marked as kept. `reported` figures come from the device itself.
/// `chosen` ones describe the measurement, each with its reason.
///
/// # Errors
/// The errors of the original file.
pub fn kept_file(
    base: &str,
    name: &str,
    reported: &[Entry<'_>],
    chosen: &[(Entry<'_>, &str)],
    device: &str,
) -> Result<String, Vec<Diagnostic>> {
    let before = Machine::from_toml(base)?;
    let mut lines = base.lines().skip_while(|line| line.starts_with('#'));
    let base = lines
        .by_ref()
        .fold(String::new(), |text, line| text + line + "\n");
    let mut edits = Edits::of(&base);
    let mut known = Vec::new();
    for (section, table) in edits.root.iter().flat_map(|root| root.get_ref().iter()) {
        let table = table
            .get_ref()
            .as_table()
            .filter(|_| section.get_ref() != "source");
        for key in table.iter().flat_map(|table| table.keys()) {
            known.push((section.get_ref().to_string(), key.get_ref().to_string()));
        }
    }
    let source = |how: &str, from: &str| format!("{{ how = {how:?}, from = {from:?} }}");
    let kept = format!("kept as {name} has it: not determined on {device}");
    let kept = source("inferred", &kept);
    let told = source("measured", &format!("reported by {device}"));
    let reported_too = reported.iter().map(|entry| (entry, told.clone()));
    let chosen_too = chosen
        .iter()
        .map(|(entry, why)| (entry, source("inferred", why)));
    for (((section, key), value), from) in reported_too.chain(chosen_too) {
        edits.set(&[section, key], value, "");
        edits.set(&["source", section, key], &from, "");
    }
    let told_of = |place: (&str, &str)| {
        let chosen = chosen.iter().map(|(entry, _)| entry);
        let mut all = reported.iter().chain(chosen).filter(|(of, _)| *of == place);
        all.next().map(|(_, value)| value)
    };
    for (section, key) in &known {
        if told_of((section, key)).is_none() {
            edits.set(&["source", section, key], &kept, "");
        }
    }
    // The latency in time stays, so its cycles scale with the clock.
    let clocks = before.clock().ok().zip(told_of(("device", "clock_ghz")));
    if let (Some((clock, ghz)), Some(latency)) = (clocks, &before.device.latency)
        && let Ok(ghz) = ghz.parse::<f64>()
    {
        let cycles = latency.to_f64() * ghz * 1e6 / clock.to_f64();
        edits.set(&["device", "latency_cycles"], &number(cycles), "");
    }
    Ok(edits.applied())
}

/// A figure that differs from the file.
struct Change {
    place: (&'static str, &'static str),
    value: String,
    how: &'static str,
    note: String,
}

fn changes(before: Option<&Machine>, calibration: &Calibration, source: &str) -> Vec<Change> {
    let machine = &calibration.machine;
    let mut list = Vec::new();
    for letter in OVERRIDABLE {
        let Some((place, value)) = shown(machine, letter) else {
            continue;
        };
        let figures = calibration.figures.iter();
        let mut figures = figures.filter(|figure| figure.unknown.letter() == *letter);
        let is_fitted = |figure: &&FittedFigure| matches!(figure.origin, Origin::Fitted(_));
        let fitted: Vec<&FittedFigure> = figures.clone().filter(is_fitted).collect();
        // A figure that was not fitted and equals the old file's stays as it is written there.
        if fitted.is_empty()
            && before.and_then(|before| shown(before, letter)) == Some((place, value.clone()))
        {
            continue;
        }
        let doubts: Vec<String> = fitted
            .iter()
            .map(|figure| doubt(figure, figure.unknown.unit_in_files(machine).to_f64()))
            .collect();
        let (how, note) = match figures.next() {
            _ if !fitted.is_empty() => ("fitted", format!("fitted to {source}{}", doubts.concat())),
            Some(figure) if figure.origin != Origin::Given => {
                ("inferred", "as long as before, at another clock".to_owned())
            }
            _ => ("inferred", "given to `atgpu calibrate`".to_owned()),
        };
        list.push(Change {
            place,
            value,
            how,
            note,
        });
    }
    list
}

/// The place of a figure in a machine file, and its value there.
fn shown(machine: &Machine, letter: &str) -> Option<((&'static str, &'static str), String)> {
    let (device, transfer) = (&machine.device, &machine.transfer);
    let [p, b, m, g] = machine.atgpu.numbers().map(|number| number.to_string());
    let ways = |inward: &Rational, outward: &Rational, unit: i64| {
        let [inward, outward] = [inward, outward].map(|figure| over(figure, unit));
        if inward == outward {
            inward
        } else {
            format!("{{ inward = {inward}, outward = {outward} }}")
        }
    };
    Some(match letter {
        "p" => (("atgpu", "p"), p),
        "b" => (("atgpu", "b"), b),
        "M" => (("atgpu", "M"), m),
        "G" => (("atgpu", "G"), g),
        "k'" => (
            ("device", "multiprocessors"),
            device.multiprocessors?.to_string(),
        ),
        "H" => (("device", "max_blocks"), device.max_blocks?.to_string()),
        "γ" => (
            ("device", "clock_ghz"),
            over(device.clock.as_ref()?.value(), 1_000_000),
        ),
        "λ" => (
            ("device", "latency_cycles"),
            over(device.latency.as_ref()?.value(), 1),
        ),
        "σ" => (
            ("transfer", "sync_ms"),
            over(transfer.synchronisation.as_ref()?.value(), 1),
        ),
        "α" => {
            let alpha = transfer.alpha.as_ref()?;
            (
                ("transfer", "alpha_ms"),
                ways(alpha.inward.value(), alpha.outward.value(), 1),
            )
        }
        "β" => {
            let beta = transfer.beta.as_ref()?;
            let bytes = machine.word_bytes;
            let both = ways(beta.inward.value(), beta.outward.value(), bytes);
            (("transfer", "beta_ms_per_byte"), both)
        }
        _ => return None,
    })
}

/// The figure divided by a unit: six significant digits if they are exact, otherwise all digits.
fn over(figure: &Rational, unit: i64) -> String {
    let part = figure / &unit.into();
    let short = number(part.to_f64());
    match crate::count::parse_number(&short) {
        Ok(same) if same == part => short,
        _ => format!("{:e}", part.to_f64()),
    }
}

/// Edits of a TOML text.
struct Edits<'t> {
    text: &'t str,
    root: Option<Spanned<DeTable<'t>>>,
    /// Replacements by range; an empty range inserts.
    list: Vec<(Range<usize>, String)>,
    /// New sections with their lines.
    more: Vec<(String, String)>,
}

impl<'t> Edits<'t> {
    fn of(text: &'t str) -> Self {
        Edits {
            text,
            root: DeTable::parse(text).ok(),
            list: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Sets a key to a value, followed by a comment if `note` is not empty.
    fn set(&mut self, path: &[&str], value: &str, note: &str) {
        let Some((key, sections)) = path.split_last() else {
            return;
        };
        let line = match note {
            "" => value.to_owned(),
            note => format!("{value}   # {note}"),
        };
        let table = self.root.as_ref().and_then(|root| {
            let down = |table: &'_ DeTable<'t>, name: &&str| -> Option<DeTable<'t>> {
                table.get(*name)?.get_ref().as_table().cloned()
            };
            let start = root.get_ref().clone();
            sections
                .iter()
                .try_fold(start, |table, name| down(&table, name))
        });
        let entries = table.as_ref().map(|table| {
            let values = table.values().filter(|value| !is_header(value, self.text));
            values.map(|value| value.span().end).max()
        });
        // Four cases: replace an existing value, append to the section, write before the first section, or
        // open a new one.
        match (table.as_ref().and_then(|table| table.get(*key)), entries) {
            (Some(old), _) => {
                let range = self.replaced(old.span());
                // If more follows on the line, a comment would hide it.
                let alone = range.end > old.span().end || self.ends_line(range.end);
                let text = if alone { line } else { value.to_owned() };
                self.list.push((range, text));
            }
            (None, Some(Some(last))) => {
                let end = self.line_end(last);
                self.list.push((end..end, format!("\n{key} = {line}")));
            }
            (None, _) if sections.is_empty() => {
                self.list.push((0..0, format!("{key} = {line}\n")));
            }
            (None, _) => {
                let section = sections.join(".");
                let line = format!("{key} = {line}\n");
                match self.more.iter_mut().find(|(name, _)| *name == section) {
                    Some((_, lines)) => lines.push_str(&line),
                    None => self.more.push((section, line)),
                }
            }
        }
    }

    fn applied(mut self) -> String {
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::new();
        let mut at = 0;
        for (range, text) in self.list {
            out.push_str(self.text.get(at..range.start).unwrap_or_default());
            out.push_str(&text);
            at = range.end;
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        for (section, lines) in self.more {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&format!("\n[{section}]\n{lines}"));
        }
        out
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        rest.find('\n')
            .map_or(self.text.len(), |length| from + length)
    }

    fn ends_line(&self, at: usize) -> bool {
        self.text
            .get(at..self.line_end(at))
            .is_none_or(|rest| rest.trim().is_empty())
    }

    /// The range of a value with its trailing comment and that comment's continuation lines: they describe
    /// the old value.
    fn replaced(&self, value: Range<usize>) -> Range<usize> {
        let mut end = self.line_end(value.end);
        let rest = self.text.get(value.end..end).unwrap_or_default().trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            return value;
        }
        loop {
            let next = self.line_end((end + 1).min(self.text.len()));
            let below = self.text.get(end + 1..next).unwrap_or_default();
            if !(below.starts_with(' ') && below.trim().starts_with('#')) {
                return value.start..end;
            }
            end = next;
        }
    }
}

/// Returns true if a value is a subsection, which stands at its own header.
fn is_header(value: &Spanned<DeValue<'_>>, text: &str) -> bool {
    value.get_ref().as_table().is_some()
        && !text
            .get(value.span())
            .is_some_and(|text| text.starts_with('{'))
}

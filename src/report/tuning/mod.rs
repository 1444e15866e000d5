//! The result of `tune`: the best choices, how flat the cost is, and where the best one changes; the JSON is in `json`.

mod json;

pub use json::json;

use crate::count::Parameters;
use crate::machine::Machine;
use crate::number::{Rational, grouped};
use crate::report::comparison::{Comparison, Duel, verdict};
use crate::report::numbers::duration_of;
use crate::report::table::{Align, Table};
use crate::report::wrap::{labelled, within_width};
use crate::study::{CLOSE, Choice, Crossover, Tuned, Tuning};

/// A tuning with its inputs.
pub struct TuningReport<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// The model.
    pub model: &'static str,
    /// True if each shared operand costs its degree.
    pub charges_conflicts: bool,
    /// The parameters that were tuned.
    pub over: &'a [String],
    /// The parameter of the sizes, if it varies.
    pub size: Option<&'a str>,
    /// The values given.
    pub given: &'a Parameters,
    /// The number of choices at each size.
    pub choices: u64,
    /// The best choices.
    pub tuning: &'a Tuning,
    /// Each change of the best choice from a size to a later one.
    pub changes: &'a [Change],
}

/// Two choices that are the best at different sizes.
#[derive(Debug, Clone)]
pub struct Change {
    /// The values of the first.
    pub from: Vec<Rational>,
    /// The values of the second.
    pub to: Vec<Rational>,
    /// The order of their costs by size, or the reason why it is unknown.
    pub outcome: Result<Crossover, String>,
}

/// Values of a curve that are shown.
const MOST_SHOWN: usize = 16;

impl TuningReport<'_> {
    /// `w = 16, W = 8`
    fn named(&self, values: &[Rational]) -> String {
        let pairs = self.over.iter().zip(values);
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name} = {}", whole(value)))
            .collect();
        pairs.join(", ")
    }

    fn comparison(&self, change: &Change) -> Comparison {
        let duel = Duel::of_two(
            self.machine,
            self.model,
            self.size.unwrap_or_default(),
            change.outcome.clone(),
            [None, None],
        );
        let names = [&change.from, &change.to].map(|values| self.named(values));
        Comparison::of_duel(names, self.given.clone(), self.charges_conflicts, duel)
    }
}

/// Renders text.
pub fn text(report: &TuningReport<'_>) -> String {
    let charged = if report.charges_conflicts {
        ", bank conflicts charged"
    } else {
        ""
    };
    let given = report.given.iter();
    let given: String = given
        .map(|(name, value)| format!(", {name} = {}", whole(value)))
        .collect();
    let choices = match report.choices {
        1 => "1 choice".to_owned(),
        many => format!("{} choices", grouped(&many.into())),
    };
    let mut out = within_width(&format!(
        "{choices} of {} for {} by {} on {}{charged}{given}",
        report.over.join(", "),
        report.algorithm,
        report.model,
        report.machine.name,
    ));
    match report.tuning.sizes.as_slice() {
        [] => out.push_str("\nno choice has a cost\n"),
        [one] => out.push_str(&format!("\n{}", of_one(report, one))),
        several => out.push_str(&format!("\n{}", of_several(report, several))),
    }
    out
}

/// The best choices at one size.
fn of_one(report: &TuningReport<'_>, tuned: &Tuned) -> String {
    let mut header: Vec<(&str, Align)> = vec![("best", Align::Right)];
    header.extend(report.over.iter().map(|name| (name.as_str(), Align::Right)));
    header.extend([("GPU-cost", Align::Right), ("more", Align::Right)]);
    let mut table = Table::new(&header);
    let least = tuned.best.first().map_or(0.0, |best| best.cost);
    for (at, choice) in tuned.best.iter().enumerate() {
        let mut cells = vec![(at + 1).to_string()];
        cells.extend(choice.values.iter().map(whole));
        cells.extend([cost(choice), more(choice.cost, least)]);
        table.row(cells);
    }
    let mut out = table.render();
    out.push('\n');
    out.push_str(&labelled("  ", &flat(tuned)));
    for (name, curve) in report.over.iter().zip(&tuned.curves) {
        let label = format!("  {name}  ");
        let told: Vec<String> = thinned(curve)
            .map(|(value, cost)| format!("{}: {}", whole(value), more(*cost, least)))
            .collect();
        out.push_str(&labelled(&label, &told.join(", ")));
    }
    out
}

/// At most so many values of a curve, the ends and the best among them.
fn thinned(curve: &[(Rational, f64)]) -> impl Iterator<Item = &(Rational, f64)> {
    let step = curve.len().div_ceil(MOST_SHOWN).max(1);
    let least = curve
        .iter()
        .map(|(_, cost)| *cost)
        .fold(f64::INFINITY, f64::min);
    let best = curve.iter().position(|(_, cost)| *cost == least);
    let last = curve.len().checked_sub(1);
    let each = curve.iter().enumerate();
    each.filter(move |(at, _)| at % step == 0 || Some(*at) == best || Some(*at) == last)
        .map(|(_, point)| point)
}

/// The best choice of each size, and where it changes.
fn of_several(report: &TuningReport<'_>, sizes: &[Tuned]) -> String {
    let size = report.size.unwrap_or_default();
    let mut header: Vec<(&str, Align)> = vec![(size, Align::Right)];
    header.extend(report.over.iter().map(|name| (name.as_str(), Align::Right)));
    let close = format!("within {}%", CLOSE[0]);
    header.extend([("GPU-cost", Align::Right), (close.as_str(), Align::Right)]);
    let mut table = Table::new(&header);
    for tuned in sizes {
        let Some(best) = tuned.best.first() else {
            continue;
        };
        let mut cells = vec![tuned.size.as_ref().map_or_else(String::new, whole)];
        cells.extend(best.values.iter().map(whole));
        cells.extend([
            cost(best),
            format!("{} of {}", tuned.close[0], tuned.admitted),
        ]);
        table.row(cells);
    }
    let mut out = table.render();
    out.push('\n');
    if report.changes.is_empty() {
        out.push_str("  the best choice is the same at all of these sizes\n");
    }
    for change in report.changes {
        let comparison = report.comparison(change);
        for line in verdict(&comparison, &comparison.duels[0]) {
            out.push_str(&within_width(&format!("  {line}")));
        }
    }
    out
}

/// How many choices are close to the best.
fn flat(tuned: &Tuned) -> String {
    let close = CLOSE.iter().zip(tuned.close);
    let close: Vec<String> = close
        .map(|(percent, count)| format!("{count} within {percent}% of the best"))
        .collect();
    format!(
        "{} choices have a cost: {}",
        tuned.admitted,
        close.join(", ")
    )
}

fn cost(choice: &Choice) -> String {
    let sign = if choice.is_exact { "" } else { "≤ " };
    format!("{sign}{}", duration_of(choice.cost))
}

/// The excess over the best cost.
fn more(cost: f64, least: f64) -> String {
    match cost / least - 1.0 {
        excess if excess > 0.0 => format!("+{:.1}%", excess * 100.0),
        _ => "best".to_owned(),
    }
}

fn whole(value: &Rational) -> String {
    value
        .to_integer()
        .map_or_else(|| value.to_string(), |whole| grouped(&whole))
}

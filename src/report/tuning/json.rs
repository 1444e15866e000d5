//! The JSON of `tune`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::number::Rational;
use crate::report::comparison::duel_json;
use crate::report::json::{value, whole};
use crate::report::tuning::{Change, TuningReport};
use crate::study::{CLOSE, Choice, Tuned};

#[derive(Serialize)]
struct TuningJson<'a> {
    algorithm: &'a str,
    machine: &'a str,
    model: &'static str,
    bank_conflicts: &'static str,
    parameters: IndexMap<&'a str, Value>,
    over: &'a [String],
    choices: u64,
    unit: &'static str,
    sizes: Vec<SizeJson<'a>>,
    changes: Vec<ChangeJson<'a>>,
}

#[derive(Serialize)]
struct SizeJson<'a> {
    parameters: IndexMap<&'a str, Value>,
    admitted: usize,
    best: Vec<ChoiceJson<'a>>,
    within: IndexMap<String, usize>,
    curves: IndexMap<&'a str, Vec<(Value, f64)>>,
}

#[derive(Serialize)]
struct ChoiceJson<'a> {
    values: IndexMap<&'a str, Value>,
    cost: f64,
    exact: bool,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    from: IndexMap<&'a str, Value>,
    to: IndexMap<&'a str, Value>,
    crossover: Value,
}

/// Renders the result of `tune`, without its diagnostics.
pub fn json(report: &TuningReport<'_>) -> Value {
    let given = report.given.iter();
    value(TuningJson {
        algorithm: report.algorithm,
        machine: &report.machine.name,
        model: report.model,
        bank_conflicts: match report.charges_conflicts {
            true => "charge",
            false => "ignore",
        },
        parameters: given.map(|(name, it)| (name, number(it))).collect(),
        over: report.over,
        choices: report.choices,
        unit: "ms",
        sizes: report
            .tuning
            .sizes
            .iter()
            .map(|tuned| size(report, tuned))
            .collect(),
        changes: report.changes.iter().map(|it| change(report, it)).collect(),
    })
}

fn size<'a>(report: &TuningReport<'a>, tuned: &Tuned) -> SizeJson<'a> {
    let own = report.size.zip(tuned.size.as_ref());
    let within = CLOSE.iter().zip(tuned.close);
    let curves = report.over.iter().zip(&tuned.curves);
    SizeJson {
        parameters: own
            .into_iter()
            .map(|(name, it)| (name, number(it)))
            .collect(),
        admitted: tuned.admitted,
        best: tuned.best.iter().map(|it| choice(report, it)).collect(),
        within: within
            .map(|(percent, count)| (format!("{percent}%"), count))
            .collect(),
        curves: curves
            .map(|(name, curve)| {
                let points = curve.iter().map(|(value, cost)| (number(value), *cost));
                (name.as_str(), points.collect())
            })
            .collect(),
    }
}

fn choice<'a>(report: &TuningReport<'a>, choice: &Choice) -> ChoiceJson<'a> {
    ChoiceJson {
        values: named(report, &choice.values),
        cost: choice.cost,
        exact: choice.is_exact,
    }
}

fn change<'a>(report: &TuningReport<'a>, change: &Change) -> ChangeJson<'a> {
    let comparison = report.comparison(change);
    ChangeJson {
        from: named(report, &change.from),
        to: named(report, &change.to),
        crossover: duel_json(&comparison, &comparison.duels[0]),
    }
}

fn named<'a>(report: &TuningReport<'a>, values: &[Rational]) -> IndexMap<&'a str, Value> {
    let pairs = report.over.iter().zip(values);
    pairs
        .map(|(name, it)| (name.as_str(), number(it)))
        .collect()
}

fn number(number: &Rational) -> Value {
    match number.to_integer() {
        Some(integer) => whole(&integer),
        None => value(number.to_f64()),
    }
}

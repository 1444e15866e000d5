//! The JSON of `compare`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::count::Totals;
use crate::report::comparison::{Comparison, Duel, Row, faster, verdict};
use crate::report::counts::json::estimate_json;
use crate::report::json::Whole;

#[derive(Serialize)]
struct ComparisonJson<'a> {
    programs: &'a [String],
    parameters: IndexMap<&'a str, Value>,
    table: Vec<RowJson<'a>>,
    crossovers: Vec<DuelJson<'a>>,
}

#[derive(Serialize)]
struct RowJson<'a> {
    program: &'a str,
    machine: &'a str,
    exact: bool,
    /// The totals that are only upper bounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<&'static str>,
    totals: Option<IndexMap<&'static str, Whole>>,
    models: IndexMap<&'static str, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<MissingJson<'a>>,
}

#[derive(Serialize)]
struct MissingJson<'a> {
    model: Option<&'static str>,
    reason: &'a str,
}

#[derive(Serialize)]
struct DuelJson<'a> {
    left: &'a str,
    right: &'a str,
    machine: &'a str,
    model: &'static str,
    parameter: &'a str,
    text: String,
    proved: bool,
    points: Option<usize>,
    up_to: Option<Whole>,
    ranges: Vec<RangeJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct RangeJson<'a> {
    from: Whole,
    to: Option<Whole>,
    faster: Option<&'a str>,
    proved: bool,
}

/// Renders the result of `compare`, without its diagnostics.
pub fn json(comparison: &Comparison) -> Value {
    crate::report::json::value(ComparisonJson {
        programs: &comparison.programs,
        parameters: comparison
            .parameters
            .iter()
            .map(|(name, value)| {
                let shown = match value.to_integer() {
                    Some(whole) => crate::report::json::whole(&whole),
                    None => crate::report::json::value(value.to_f64()),
                };
                (name, shown)
            })
            .collect(),
        table: comparison
            .rows
            .iter()
            .map(|one| row(comparison, one))
            .collect(),
        crossovers: comparison
            .duels
            .iter()
            .map(|one| duel(comparison, one))
            .collect(),
    })
}

/// The JSON of one duel.
pub(in crate::report) fn duel_json(comparison: &Comparison, one: &Duel) -> Value {
    crate::report::json::value(duel(comparison, one))
}

fn row<'a>(comparison: &'a Comparison, row: &'a Row) -> RowJson<'a> {
    let whole = |totals: &Totals<_>| {
        let named = totals.named().into_iter();
        named
            .map(|(name, number)| (name, Whole::from(number)))
            .collect()
    };
    let models = row.estimates.iter().filter_map(|(name, estimate)| {
        let estimate = estimate.as_ref().ok()?;
        Some((*name, estimate_json(name, estimate, &row.exact)))
    });
    let without = row.totals.as_ref().err().map(|reason| MissingJson {
        model: None,
        reason,
    });
    let silent = row.estimates.iter().filter_map(|(name, estimate)| {
        let reason = estimate.as_ref().err()?;
        Some(MissingJson {
            model: Some(name),
            reason,
        })
    });
    RowJson {
        program: &comparison.programs[row.program],
        machine: &row.machine,
        exact: row.exact.all(),
        bounds: bounds(row),
        totals: row.totals.as_ref().ok().map(whole),
        models: models.collect(),
        missing: without.into_iter().chain(silent).collect(),
    }
}

/// The names of the totals that are only upper bounds.
fn bounds(row: &Row) -> Vec<&'static str> {
    let totals = row.totals.iter().flat_map(Totals::all);
    let bounded = totals.filter(|(which, _)| !row.exact.total(*which));
    bounded.map(|(which, _)| which.name()).collect()
}

fn duel<'a>(comparison: &'a Comparison, duel: &'a Duel) -> DuelJson<'a> {
    let found = duel.outcome.as_ref().ok();
    let lines = verdict(comparison, duel);
    let text: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let ranges = found.into_iter().flat_map(|found| &found.ranges);
    DuelJson {
        left: &comparison.programs[duel.left],
        right: &comparison.programs[duel.right],
        machine: &duel.machine,
        model: duel.model,
        parameter: &duel.variable,
        text: text.join("; "),
        proved: found.is_some_and(|found| found.is_proved()),
        points: found.map(|found| found.points),
        up_to: found.map(|found| Whole::from(&found.up_to)),
        ranges: ranges
            .map(|range| RangeJson {
                from: Whole::from(&range.from),
                to: range.to.as_ref().map(Whole::from),
                faster: faster(comparison, duel, range).map(String::as_str),
                proved: range.is_proved,
            })
            .collect(),
        reason: duel.outcome.as_ref().err().map(String::as_str),
    }
}

//! The JSON of `advise`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::advise::{Advice, Basis, Change, Keeps, Proposal, Right, Step};
use crate::number::Rational;
use crate::report::advice::AdviceReport;
use crate::report::comparison::duel_json;
use crate::report::json::{value, whole};

#[derive(Serialize)]
struct AdviceJson<'a> {
    algorithm: &'a str,
    machine: &'a str,
    model: &'static str,
    parameters: IndexMap<&'a str, Value>,
    cost: Option<f64>,
    unit: &'static str,
    basis: &'static str,
    proposals: Vec<ProposalJson<'a>>,
    tried: TriedJson,
}

#[derive(Serialize)]
struct ProposalJson<'a> {
    number: usize,
    steps: Vec<StepJson<'a>>,
    gain: f64,
    cost_before: f64,
    cost: f64,
    bank_conflicts: &'static str,
    right: RightJson,
    changes: Vec<ChangeJson<'a>>,
    crossover: Option<Value>,
    claims: &'a [String],
    diff: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct StepJson<'a> {
    rewrite: &'static str,
    line: usize,
    why: &'a str,
}

#[derive(Serialize)]
struct RightJson {
    by: &'static str,
    proved_safe: bool,
    runs: usize,
    several_mps: usize,
    b: Vec<Value>,
    whole_numbers: bool,
    ensures: usize,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    quantity: &'static str,
    before: Option<&'a str>,
    after: Option<&'a str>,
    exact_before: bool,
    exact: bool,
    value_before: Option<Value>,
    value: Option<Value>,
}

#[derive(Serialize)]
struct TriedJson {
    drafts: usize,
    unchecked: usize,
    gainless: usize,
    wrong: usize,
    cut: bool,
}

/// Renders the result of `advise`, without its diagnostics.
pub fn json(report: &AdviceReport<'_>) -> Value {
    let Advice {
        size,
        cost,
        basis,
        proposals,
        tried,
    } = report.advice;
    let proposals = proposals.iter().zip(report.diffs).enumerate();
    value(AdviceJson {
        algorithm: report.algorithm,
        machine: &report.machine.name,
        model: report.model,
        parameters: size.iter().map(|(name, it)| (name, number(it))).collect(),
        cost: cost.as_ref().map(Rational::to_f64),
        unit: "ms",
        basis: match basis {
            Basis::Exact => "exact",
            Basis::Data => "data",
        },
        proposals: proposals
            .map(|(at, (proposal, diff))| proposed(report, at + 1, proposal, diff))
            .collect(),
        tried: TriedJson {
            drafts: tried.drafts,
            unchecked: tried.unchecked,
            gainless: tried.gainless,
            wrong: tried.wrong,
            cut: tried.is_cut,
        },
    })
}

fn proposed<'a>(
    report: &AdviceReport<'_>,
    number: usize,
    proposal: &'a Proposal,
    diff: &'a str,
) -> ProposalJson<'a> {
    let [before, after] = &proposal.costs;
    let steps = proposal
        .steps
        .iter()
        .map(|Step { rewrite, line, why }| StepJson {
            rewrite,
            line: *line,
            why,
        });
    let comparison = report.comparison(proposal);
    ProposalJson {
        number,
        steps: steps.collect(),
        gain: proposal.gain().to_f64(),
        cost_before: before.to_f64(),
        cost: after.to_f64(),
        bank_conflicts: if proposal.charges_conflicts {
            "charge"
        } else {
            "ignore"
        },
        right: right(&proposal.right),
        changes: proposal.changes.iter().map(change).collect(),
        crossover: comparison.map(|comparison| duel_json(&comparison, &comparison.duels[0])),
        claims: &proposal.claims,
        diff,
        text: &proposal.text,
    }
}

fn right(right: &Right) -> RightJson {
    RightJson {
        by: match right.keeps {
            Keeps::Values => "construction",
            Keeps::Results | Keeps::Sums => "runs",
        },
        proved_safe: right.is_proved_safe,
        runs: right.runs,
        several_mps: right.several_mps,
        b: right.widths.iter().map(whole).collect(),
        whole_numbers: right.whole_numbers,
        ensures: right.ensures,
    }
}

fn change(change: &Change) -> ChangeJson<'_> {
    let [before, after] = &change.formulas;
    let [value_before, value] = &change.values;
    ChangeJson {
        quantity: change.quantity.name(),
        before: before.as_deref(),
        after: after.as_deref(),
        exact_before: change.are_exact[0],
        exact: change.are_exact[1],
        value_before: value_before.as_ref().map(number),
        value: value.as_ref().map(number),
    }
}

fn number(number: &Rational) -> Value {
    match number.to_integer() {
        Some(integer) => whole(&integer),
        None => value(number.to_f64()),
    }
}

//! The JSON of `derive`: the tree of `cost` with expressions instead of numbers.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::count::{ArrayBlocks, Traffic};
use crate::derive::derivation::{
    Derivation, DerivedClaim, DerivedLine, DerivedRound, LoopRange, Quantity, Verdict,
};
use crate::report::formula::Formula;
use crate::report::json::counts::BoundJson;
use crate::sym::Expr;

#[derive(Serialize)]
struct DerivationJson<'a> {
    algorithm: &'a str,
    exact: bool,
    rounds: Vec<RoundJson<'a>>,
    totals: IndexMap<&'static str, QuantityJson>,
    transfer_cost: QuantityJson,
    cost: QuantityJson,
    gpu_cost: QuantityJson,
    lines: Vec<LineJson<'a>>,
    facts: &'a [String],
    classes: &'a IndexMap<String, String>,
    claims: Vec<ClaimJson<'a>>,
    bounds: Vec<BoundJson<'a>>,
}

/// A formula, or null where nothing could be derived.
type QuantityJson = Option<ExprJson>;

#[derive(Serialize)]
struct ExprJson {
    text: String,
    expanded: String,
    latex: String,
    exact: bool,
    closed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Box<ExprJson>>,
}

#[derive(Serialize)]
struct RoundJson<'a> {
    round: QuantityJson,
    count: QuantityJson,
    #[serde(rename = "for", skip_serializing_if = "Vec::is_empty")]
    loops: Vec<LoopJson<'a>>,
    #[serde(rename = "while", skip_serializing_if = "Option::is_none")]
    within_while: Option<WhileJson>,
    k: QuantityJson,
    t: QuantityJson,
    q: QuantityJson,
    inward: TrafficJson,
    outward: TrafficJson,
    shared: QuantityJson,
    global: QuantityJson,
    bank_conflicts: QuantityJson,
    occupancy: QuantityJson,
    arrays: IndexMap<&'a str, BlocksJson>,
}

#[derive(Serialize)]
struct LoopJson<'a> {
    variable: &'a str,
    from: ExprJson,
    to: ExprJson,
}

#[derive(Serialize)]
struct WhileJson {
    line: usize,
    at_most: ExprJson,
}

#[derive(Serialize)]
struct TrafficJson {
    words: QuantityJson,
    transactions: QuantityJson,
}

#[derive(Serialize)]
struct BlocksJson {
    read_blocks: QuantityJson,
    write_blocks: QuantityJson,
}

#[derive(Serialize)]
struct LineJson<'a> {
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    round: QuantityJson,
    text: &'a str,
    executions: QuantityJson,
    operations: QuantityJson,
    blocks: QuantityJson,
    conflicts: QuantityJson,
    rule: Option<&'a str>,
}

#[derive(Serialize)]
struct ClaimJson<'a> {
    text: &'a str,
    line: usize,
    verdict: &'static str,
    points: Option<usize>,
    counterexample: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// The result of `derive`, without its diagnostics.
pub fn derivation(derivation: &Derivation) -> Value {
    let lines = derivation.rounds.iter().flat_map(|round| {
        let number = round.number.as_ref();
        round.lines.iter().map(move |line| line_json(line, number))
    });
    super::value(DerivationJson {
        algorithm: &derivation.algorithm,
        exact: derivation.bounds.is_empty(),
        rounds: derivation.rounds.iter().map(round_json).collect(),
        totals: derivation
            .totals
            .named()
            .into_iter()
            .map(|(name, total)| (name, quantity(total)))
            .collect(),
        transfer_cost: quantity(&derivation.transfer_cost),
        cost: quantity(&derivation.cost),
        gpu_cost: quantity(&derivation.gpu_cost),
        lines: lines.collect(),
        facts: &derivation.facts,
        classes: &derivation.classes,
        claims: derivation.claims.iter().map(claim_json).collect(),
        bounds: derivation.bounds.iter().map(BoundJson::from).collect(),
    })
}

/// The upper bound in the keys, the lower one beside it where the two differ.
fn quantity(quantity: &Quantity) -> QuantityJson {
    let upper = quantity.upper.as_ref()?;
    let mut shown = expr(upper);
    shown.exact = quantity.is_exact();
    if !shown.exact {
        shown.lower = quantity.lower.as_ref().map(|lower| Box::new(expr(lower)));
    }
    Some(shown)
}

fn expr(expr: &Expr) -> ExprJson {
    let formula = Formula::of(expr);
    ExprJson {
        text: formula.text,
        expanded: formula.expanded,
        latex: formula.latex,
        exact: true,
        closed: formula.is_closed,
        lower: None,
    }
}

fn round_json(round: &DerivedRound) -> RoundJson<'_> {
    let traffic = |traffic: &Traffic<Quantity>| TrafficJson {
        words: quantity(&traffic.words),
        transactions: quantity(&traffic.transactions),
    };
    let blocks = |blocks: &ArrayBlocks<Quantity>| BlocksJson {
        read_blocks: quantity(&blocks.read),
        write_blocks: quantity(&blocks.write),
    };
    RoundJson {
        round: round.number.as_ref().map(expr),
        count: quantity(&round.count),
        loops: round.loops.iter().map(loop_json).collect(),
        within_while: round.within_while.as_ref().map(|(line, at_most)| WhileJson {
            line: *line,
            at_most: expr(at_most),
        }),
        k: quantity(&round.launched_mps),
        t: quantity(&round.time),
        q: quantity(&round.io),
        inward: traffic(&round.inward),
        outward: traffic(&round.outward),
        shared: quantity(&round.shared_words),
        global: quantity(&round.global_words),
        bank_conflicts: quantity(&round.bank_conflicts),
        occupancy: quantity(&round.occupancy),
        arrays: round
            .arrays
            .iter()
            .map(|(name, array)| (name.as_str(), blocks(array)))
            .collect(),
    }
}

fn loop_json(range: &LoopRange) -> LoopJson<'_> {
    LoopJson {
        variable: &range.variable,
        from: expr(&range.from),
        to: expr(&range.to),
    }
}

fn line_json<'a>(line: &'a DerivedLine, round: Option<&Expr>) -> LineJson<'a> {
    LineJson {
        line: line.line,
        from: line.from,
        round: round.map(expr),
        text: &line.text,
        executions: quantity(&line.executions),
        operations: quantity(&line.operations),
        blocks: quantity(&line.blocks),
        conflicts: quantity(&line.conflicts),
        rule: line.rule.as_deref(),
    }
}

fn claim_json(claim: &DerivedClaim) -> ClaimJson<'_> {
    let plain = |verdict| ClaimJson {
        text: &claim.text,
        line: claim.line,
        verdict,
        points: None,
        counterexample: None,
        values: None,
        reason: None,
    };
    match &claim.verdict {
        Verdict::Proved => plain("proved"),
        Verdict::Tested(points) => ClaimJson {
            points: Some(*points),
            ..plain("tested")
        },
        Verdict::Refuted {
            counterexample,
            values,
        } => ClaimJson {
            counterexample: Some(counterexample),
            values: Some(values),
            ..plain("refuted")
        },
        Verdict::Open(reason) => ClaimJson {
            reason: Some(reason),
            ..plain("open")
        },
    }
}

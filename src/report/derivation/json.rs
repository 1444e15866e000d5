//! The JSON of `derive`: the tree of `cost`, with expressions instead of numbers.

use indexmap::IndexMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::count::Quantity;
use crate::derivation::{
    BlockRule, Derivation, Derived, DerivedClaim, DerivedLine, DerivedRound, LoopRange, Neighbour,
    Verdict,
};
use crate::report::counts::json::{self as counts, BoundJson};
use crate::report::derivation::{by_rounds, heading};
use crate::report::formula::Formulas;
use crate::sym::Expr;
use crate::sym::print::Names;

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
    classes: IndexMap<&'static str, &'a str>,
    claims: Vec<ClaimJson<'a>>,
    bounds: Vec<BoundJson<'a>>,
}

/// A formula; `null` if nothing was derived.
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
    /// A short upper bound as text, if the formula takes more than two lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<String>,
    /// True if the short bound, or the bound itself if there is none, was far above what is counted at some point tried.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    loose: bool,
    /// A cost of several rounds as the sum over them.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_rounds: Option<Box<ByRoundsJson>>,
}

#[derive(Serialize)]
struct ByRoundsJson {
    /// Expression (1) or (2) of paper 1, in the letters of a round.
    text: String,
    terms: Vec<TermJson>,
}

/// A kernel that adds to the sum.
#[derive(Serialize)]
struct TermJson {
    /// The index in `rounds` of the entry that has its k, ℓ, t and q.
    entry: usize,
    /// The rounds that it stands for.
    text: String,
}

#[derive(Serialize)]
struct RoundJson<'a> {
    round: QuantityJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    count: QuantityJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    joined: Option<JoinedJson>,
    #[serde(rename = "for", skip_serializing_if = "Vec::is_empty")]
    loops: Vec<LoopJson<'a>>,
    #[serde(rename = "while", skip_serializing_if = "Option::is_none")]
    within_while: Option<WhileJson>,
    #[serde(rename = "until", skip_serializing_if = "Option::is_none")]
    within_until: Option<UntilJson>,
    #[serde(flatten)]
    counts: counts::RoundJson<'a, QuantityJson>,
}

#[derive(Serialize)]
struct JoinedJson {
    with: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    alone: Option<String>,
    exact: bool,
}

#[derive(Serialize)]
struct LoopJson<'a> {
    variable: &'a str,
    from: ExprJson,
    to: ExprJson,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    down: bool,
}

#[derive(Serialize)]
struct UntilJson {
    line: usize,
}

#[derive(Serialize)]
struct WhileJson {
    line: usize,
    at_most: ExprJson,
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
    rule: Option<String>,
}

#[derive(Serialize)]
struct ClaimJson<'a> {
    text: &'a str,
    line: usize,
    verdict: &'static str,
    points: Option<usize>,
    counterexample: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Renders the result of `derive`, without its diagnostics. `text` and `latex` use the names.
pub fn json(derivation: &Derivation, names: &Names) -> Value {
    let writer = Writer(Formulas::brief(names));
    let lines = derivation.rounds.iter().flat_map(|round| {
        let number = round.number.as_ref();
        let writer = &writer;
        round
            .lines
            .iter()
            .map(move |line| writer.line(line, number))
    });
    crate::report::json::value(DerivationJson {
        algorithm: &derivation.algorithm,
        exact: derivation.bounds.is_empty(),
        lines: lines.collect(),
        rounds: derivation
            .rounds
            .iter()
            .map(|round| writer.round(round))
            .collect(),
        totals: derivation
            .totals
            .all()
            .into_iter()
            .map(|(which, _)| (which.name(), writer.total(which, derivation)))
            .collect(),
        transfer_cost: writer.total(Quantity::TransferCost, derivation),
        cost: writer.cost(Quantity::Cost, derivation),
        gpu_cost: writer.cost(Quantity::GpuCost, derivation),
        facts: &derivation.facts,
        classes: derivation
            .classes
            .iter()
            .map(|(which, class)| (which.name(), class.as_str()))
            .collect(),
        claims: derivation.claims.iter().map(claim_json).collect(),
        bounds: derivation.bounds.iter().map(BoundJson::from).collect(),
    })
}

/// One quantity in these names; `null` if nothing was derived.
pub(crate) fn quantity_json(names: &Names, quantity: &Derived) -> Value {
    crate::report::json::value(Writer(Formulas::new(names)).quantity(quantity))
}

/// The tree of `atgpu derive --format json`, in the program's `let` names.
impl Serialize for Derivation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json(self, &self.let_names()).serialize(serializer)
    }
}

/// Converts expressions to JSON.
struct Writer(Formulas);

impl Writer {
    /// The upper bound, with the lower bound beside it if they differ.
    fn quantity(&self, quantity: &Derived) -> QuantityJson {
        let upper = quantity.upper.as_ref()?;
        let mut shown = self.expr(upper);
        shown.exact = quantity.is_exact();
        shown.at_most = self.0.plain(quantity).map(|plain| self.0.text(plain));
        if !shown.exact {
            let lower = quantity.lower.as_ref();
            shown.lower = lower.map(|lower| Box::new(self.expr(lower)));
        }
        Some(shown)
    }

    /// A cost, by rounds too if there are several.
    fn cost(&self, which: Quantity, derivation: &Derivation) -> QuantityJson {
        let mut shown = self.total(which, derivation)?;
        if by_rounds::is_summed(derivation, &self.0) {
            let rounds = derivation.rounds.iter().enumerate();
            let kernels = rounds.filter(|(_, round)| round.opens.is_some());
            let terms = kernels.map(|(entry, round)| TermJson {
                entry,
                text: heading(round, &self.0),
            });
            shown.by_rounds = Some(Box::new(ByRoundsJson {
                text: by_rounds::Letters::of(derivation).expression(which),
                terms: terms.collect(),
            }));
        }
        Some(shown)
    }

    /// A total or a cost.
    fn total(&self, which: Quantity, derivation: &Derivation) -> QuantityJson {
        let mut shown = self.quantity(derivation.quantity(which))?;
        shown.loose = derivation.loose.contains(&which);
        Some(shown)
    }

    fn expr(&self, expr: &Expr) -> ExprJson {
        let formula = self.0.all(expr);
        ExprJson {
            text: formula.text,
            expanded: formula.expanded,
            latex: formula.latex,
            exact: true,
            closed: formula.is_closed,
            lower: None,
            at_most: None,
            loose: false,
            by_rounds: None,
        }
    }

    fn round<'a>(&self, round: &'a DerivedRound) -> RoundJson<'a> {
        let within_while = round.within_while.as_ref();
        RoundJson {
            round: round.number.as_ref().map(|number| self.expr(number)),
            when: round.when.as_ref().map(|when| self.0.cond(when)),
            count: self.quantity(&round.count),
            joined: round.joined.as_ref().map(|joined| JoinedJson {
                with: match joined.with {
                    Neighbour::Next => "next",
                    Neighbour::Previous => "previous",
                },
                alone: joined.told_alone().map(|alone| self.0.cond(alone)),
                exact: joined.is_exact,
            }),
            loops: round.loops.iter().map(|range| self.range(range)).collect(),
            within_while: within_while.map(|(line, at_most)| WhileJson {
                line: *line,
                at_most: self.expr(at_most),
            }),
            within_until: round.within_until.map(|line| UntilJson { line }),
            counts: counts::RoundJson::of(&round.counts, self.quantity(&round.occupancy), |each| {
                self.quantity(each)
            }),
        }
    }

    fn range<'a>(&self, range: &'a LoopRange) -> LoopJson<'a> {
        LoopJson {
            variable: &range.symbol.name,
            down: range.down,
            from: self.expr(&range.from),
            to: self.expr(&range.to),
        }
    }

    fn line<'a>(&self, line: &'a DerivedLine, round: Option<&Expr>) -> LineJson<'a> {
        LineJson {
            line: line.line,
            from: line.from,
            round: round.map(|number| self.expr(number)),
            text: &line.text,
            executions: self.quantity(&line.executions),
            operations: self.quantity(&line.operations),
            blocks: self.quantity(&line.blocks),
            conflicts: self.quantity(&line.conflicts),
            rule: line.rule.as_ref().map(BlockRule::to_string),
        }
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
        Verdict::Refuted(shown) => ClaimJson {
            counterexample: Some(shown.place()),
            values: Some(shown.reason()),
            ..plain("refuted")
        },
        Verdict::Open(reason) => ClaimJson {
            reason: Some(reason.to_string()),
            ..plain("open")
        },
    }
}

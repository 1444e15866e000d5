//! The JSON of `cost` and `run`.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cost::{self, Estimate, Exact};
use crate::count::{Charged, Charges, Round, Traffic};
use crate::derivation::Bound;
use crate::number::{BigInt, Rational};
use crate::report::counts::{CountsReport, Method, RunReport, accuracy};
use crate::report::json::Whole;

/// Limit on the entries of `rounds`; the rest is only counted.
const MOST_ENTRIES: usize = 10_000;

#[derive(Serialize)]
struct CountsJson<'a> {
    algorithm: &'a str,
    machine: &'a str,
    parameters: IndexMap<&'a str, Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<AssumedJson>,
    exact: bool,
    rounds: Vec<EntryJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds_omitted: Option<Whole>,
    totals: IndexMap<&'static str, Whole>,
    models: IndexMap<&'static str, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    charges: Option<Value>,
    bounds: Vec<BoundJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunJson<'a>>,
}

/// The assumption on data under which the counts hold.
#[derive(Serialize)]
struct AssumedJson {
    contention: u64,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    round: Whole,
    count: Whole,
    #[serde(flatten)]
    counts: RoundJson<'a, Whole, Option<Whole>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residents: Option<ResidentsJson>,
}

/// What the card holds, where a thread block is several warps.
#[derive(Serialize)]
struct ResidentsJson {
    thread_blocks: Whole,
    warps: Whole,
    limit: &'static str,
}

/// The counts of a round, as numbers or formulas. `O` is the type of the occupancy.
#[derive(Serialize)]
pub(crate) struct RoundJson<'a, N, O = N> {
    k: N,
    t: N,
    q: N,
    inward: TrafficJson<N>,
    outward: TrafficJson<N>,
    shared: N,
    global: N,
    bank_conflicts: N,
    occupancy: O,
    arrays: IndexMap<&'a str, BlocksJson<N>>,
}

#[derive(Serialize)]
struct TrafficJson<N> {
    words: N,
    transactions: N,
}

#[derive(Serialize)]
struct BlocksJson<N> {
    read_blocks: N,
    write_blocks: N,
}

impl<'a, N, O> RoundJson<'a, N, O> {
    /// Converts a round by showing each of its numbers.
    pub(crate) fn of<M>(round: &'a Round<M>, occupancy: O, shown: impl Fn(&M) -> N) -> Self {
        let traffic = |traffic: &Traffic<M>| TrafficJson {
            words: shown(&traffic.words),
            transactions: shown(&traffic.transactions),
        };
        let arrays = round.arrays.iter().map(|(name, blocks)| {
            let blocks = BlocksJson {
                read_blocks: shown(&blocks.read),
                write_blocks: shown(&blocks.write),
            };
            (name.as_str(), blocks)
        });
        RoundJson {
            k: shown(&round.launched_mps),
            t: shown(&round.time),
            q: shown(&round.io),
            inward: traffic(&round.inward),
            outward: traffic(&round.outward),
            shared: shown(&round.shared_words),
            global: shown(&round.global_words),
            bank_conflicts: shown(&round.bank_conflicts),
            occupancy,
            arrays: arrays.collect(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct BoundJson<'a> {
    quantity: &'a str,
    line: usize,
    reason: Cow<'a, str>,
    remedy: &'a str,
}

#[derive(Serialize)]
struct RunJson<'a> {
    ensures: Vec<EnsureJson<'a>>,
    matches_derivation: Option<bool>,
    seconds: f64,
    seconds_min: f64,
    seconds_max: f64,
    ensure_seconds: f64,
    lane_operations: Whole,
}

#[derive(Serialize)]
struct EnsureJson<'a> {
    text: &'a str,
    line: usize,
    holds: bool,
}

/// Renders the result of `cost` or `run`, without its diagnostics.
pub fn json(report: &CountsReport<'_>) -> Value {
    let (counts, known) = (report.counts, accuracy::of(report));
    let omitted: u128 = counts
        .rounds
        .iter()
        .skip(MOST_ENTRIES)
        .map(|(repeated, _)| u128::from(*repeated))
        .sum();
    let (method, run) = match &report.method {
        Method::Derived => (Some("derived"), None),
        Method::Counted => (Some("counted"), None),
        Method::Run(run) => (None, Some(run_json(run))),
    };
    crate::report::json::value(CountsJson {
        algorithm: report.algorithm,
        machine: &report.machine.name,
        parameters: report
            .parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.into()))
            .collect(),
        method,
        assumed: report.contention.map(|most| AssumedJson {
            contention: most.get(),
        }),
        exact: report.bounds.is_empty(),
        rounds: entries(report),
        rounds_omitted: (omitted > 0).then(|| Whole(omitted.into())),
        totals: counts
            .totals
            .named()
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect(),
        models: report
            .estimates
            .iter()
            .map(|(name, estimate)| {
                let mut told = estimate_json(name, estimate, report.exact);
                let mut known = known.iter();
                if let Some((_, known)) = known.find(|(model, _)| model == name) {
                    told["accuracy"] = known.map(accuracy::json).into();
                }
                (*name, told)
            })
            .collect(),
        charges: report
            .charges
            .map(|charged| charges_json(charged, report.machine.kothapalli().is_ok())),
        bounds: report.bounds.iter().map(BoundJson::from).collect(),
        run,
    })
}

/// The first entries of rounds, no more than [`MOST_ENTRIES`].
fn entries<'a>(report: &CountsReport<'a>) -> Vec<EntryJson<'a>> {
    // An entry stands for `repeated` equal rounds, so its first round's number counts the repeats of all
    // before it.
    let mut first = 1_u128;
    let mut entries = Vec::new();
    for (repeated, round) in report.counts.rounds.iter().take(MOST_ENTRIES) {
        let occupancy = report.machine.occupancy(&round.shared_words).ok();
        let machine = report.machine;
        let residents = machine.residents(&round.shared_words).ok();
        let residents = residents.filter(|_| machine.has_wide_thread_blocks());
        let of_one = machine
            .mps_per_thread_block()
            .saturating_mul(machine.warps_per_mp());
        entries.push(EntryJson {
            round: Whole(first.into()),
            count: Whole((*repeated).into()),
            counts: RoundJson::of(round, occupancy.map(Whole), |each| Whole::from(each)),
            residents: residents.map(|residents| ResidentsJson {
                warps: Whole(&residents.thread_blocks * BigInt::from(of_one)),
                thread_blocks: Whole(residents.thread_blocks),
                limit: residents.limit.name(),
            }),
        });
        first += u128::from(*repeated);
    }
    entries
}

/// Cycles are per thread of the costliest MP, and may be fractions. Those of accesses are `null` if the
/// machine has no figures for them.
fn charges_json(charged: &Charged, knows_cycles: bool) -> Value {
    let number = |value: &Rational| match value.to_integer() {
        Some(whole) => crate::report::json::value(Whole(whole)),
        None => crate::report::json::value(value.to_f64()),
    };
    let rounds = charged.rounds.iter().map(|(repeated, round)| {
        let mut object = Map::new();
        object.insert(
            "count".to_owned(),
            crate::report::json::whole(&(*repeated).into()),
        );
        object.insert("k".to_owned(), number(&round.launched_mps));
        let kinds = round.kinds.iter();
        let kinds: Map<_, _> = kinds
            .map(|(kind, count)| (kind.key().to_owned(), number(count)))
            .collect();
        object.insert("operations".to_owned(), kinds.into());
        for (name, value) in round.named() {
            let is_known = knows_cycles || !matches!(name, "memory_cycles" | "cycles");
            object.insert(name.to_owned(), is_known.then(|| number(value)).into());
        }
        let bytes = round.memory_bytes.as_ref().map(number);
        object.insert("memory_bytes".to_owned(), bytes.into());
        Value::Object(object)
    });
    let rounds: Vec<Value> = rounds.take(MOST_ENTRIES).collect();
    let total = |view: fn(&Charges<Rational>) -> &Rational| number(&charged.total(view));
    serde_json::json!({
        "exact": charged.is_exact,
        "rounds": rounds,
        "memory_transactions": total(|round| &round.memory_transactions),
        "bank_conflicts": total(|round| &round.bank_conflicts),
    })
}

impl<'a> From<&'a Bound> for BoundJson<'a> {
    fn from(bound: &'a Bound) -> Self {
        BoundJson {
            quantity: bound.quantity.name(),
            line: bound.line,
            reason: bound.why.reason(),
            remedy: bound.why.remedy(),
        }
    }
}

/// An estimate; `bounds` lists the figures that are upper bounds, if there are any.
pub(crate) fn estimate_json(model: &str, estimate: &Estimate, exact: &Exact) -> Value {
    let mut object = Map::new();
    for figure in &estimate.figures {
        let value = match &figure.value {
            cost::Value::Time(time) => crate::report::json::value(time.to_f64()),
            cost::Value::Share(share) => {
                crate::report::json::value(share.as_ref().map(|share| share.to_f64()))
            }
            cost::Value::Count(count) => {
                crate::report::json::value(count.as_ref().map(Whole::from))
            }
            cost::Value::Class(class) => crate::report::json::value(class),
        };
        object.insert(figure.name.to_owned(), value);
    }
    if let Some(unit) = estimate.unit {
        object.insert("unit".to_owned(), unit.into());
    }
    let names = estimate.figures.iter().map(|figure| figure.name);
    let bounds: Vec<&str> = names.filter(|name| !exact.figure(model, name)).collect();
    if !bounds.is_empty() {
        object.insert("bounds".to_owned(), bounds.into());
    }
    Value::Object(object)
}

fn run_json(run: &RunReport) -> RunJson<'_> {
    let fold = |pick: fn(f64, f64) -> f64| run.seconds.iter().copied().reduce(pick);
    RunJson {
        ensures: run
            .ensures
            .iter()
            .map(|outcome| EnsureJson {
                text: &outcome.text,
                line: outcome.line,
                holds: outcome.holds,
            })
            .collect(),
        matches_derivation: run.matches_derivation,
        seconds: run.median_seconds(),
        seconds_min: fold(f64::min).unwrap_or_default(),
        seconds_max: fold(f64::max).unwrap_or_default(),
        ensure_seconds: run.ensure_seconds,
        lane_operations: (&run.lane_operations).into(),
    }
}

#[cfg(test)]
mod tests;

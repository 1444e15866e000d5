//! The text of `cost` and `run`: the headline number first, then the tables.

mod card;
mod charges;
mod estimates;

use crate::cost::{self, Exact};
use crate::count::{Counts, OfRound, Quantity};
use crate::number::BigInt;
use crate::report::causes::{Cause, causes};
use crate::report::counts::text::charges::charges;
use crate::report::counts::text::estimates::estimates;
use crate::report::counts::{CountsReport, Method, RunReport, accuracy};
use crate::report::numbers::{duration, duration_of, grouped};
use crate::report::table::{Align, Table};
use crate::report::wrap::labelled;

/// Limit on the rows of the table of rounds. Of more rounds the first and the last are shown.
const MOST_ROWS: usize = 24;

/// Renders the result of `cost` or `run`, at most 100 columns wide.
pub fn text(report: &CountsReport<'_>) -> String {
    let mut out = headline(report);
    out.push('\n');
    out.push_str(&estimates(report.estimates, report.exact));
    out.push_str(&accuracy::text(report));
    out.push_str(&totals(report.counts, report.exact));
    out.push_str(&card::conflicts(report));
    out.push_str(&rounds(report));
    out.push_str(&card::residents(report));
    out.push_str(&blocks_by_array(report.counts, report.exact));
    if let Some(charged) = report.charges.filter(|_| shows_charges(report)) {
        out.push_str(&charges(charged, report.machine));
    }
    if !report.bounds.is_empty() {
        out.push_str("\nupper bounds only:\n");
        out.extend(causes(report.bounds).iter().map(Cause::text));
    }
    if let Method::Run(run) = &report.method {
        out.push_str(&run_text(run));
    }
    out
}

/// Returns true if the charges differ from the counts shown, or a model was asked for that takes them. The model of the
/// first line is shown without being asked for.
fn shows_charges(report: &CountsReport<'_>) -> bool {
    let mut asked = report
        .estimates
        .iter()
        .filter(|(name, _)| *name != cost::FIRST);
    report.machine.has_rules()
        || asked.any(|(name, _)| cost::find(name).is_some_and(|model| model.needs_charges()))
}

fn headline(report: &CountsReport<'_>) -> String {
    let at: Vec<String> = report
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {}", grouped(value)))
        .collect();
    let mut out = String::new();
    let best = report
        .estimates
        .iter()
        .find_map(|(name, estimate)| Some((name, estimate.headline()?)));
    let most = match best {
        Some((model, _)) if !report.exact.headline(model) => "at most ",
        Some(_) | None => "",
    };
    match best {
        Some((model, time)) => out.push_str(&format!(
            "{most}{}  GPU-cost of {} on {} ({model})\n",
            duration(time),
            report.algorithm,
            report.machine.name
        )),
        None => out.push_str(&format!(
            "{} on {}\n",
            report.algorithm, report.machine.name
        )),
    }
    let how = match &report.method {
        Method::Derived => "derived",
        Method::Counted => "counted without data",
        Method::Run(_) => "run on data",
    };
    out.push_str(&format!("  {}; {how}\n", at.join(", ")));
    if let Some(most) = report.contention {
        let assumed = "cores meet on a word of an atomic, where data decide";
        out.push_str(&format!("  assumed: at most {most} {assumed}\n"));
    }
    out
}

/// The sign before an upper bound.
fn sign(is_exact: bool) -> &'static str {
    if is_exact { "" } else { "≤ " }
}

fn totals(counts: &Counts<BigInt>, exact: &Exact) -> String {
    let totals = &counts.totals;
    let mut table = Table::bare(&[
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Right,
    ]);
    let row = |cells: [(Quantity, &BigInt); 3]| {
        cells
            .into_iter()
            .flat_map(|(which, total)| {
                let sign = sign(exact.total(which));
                let number = format!("{sign}{}", grouped(total));
                [which.heading().to_owned(), number]
            })
            .collect::<Vec<_>>()
    };
    table.row(row([
        (Quantity::Rounds, &totals.rounds),
        (Quantity::Time, &totals.time),
        (Quantity::Io, &totals.io),
    ]));
    table.row(row([
        (Quantity::Inward, &totals.inward),
        (Quantity::Outward, &totals.outward),
        (Quantity::Transactions, &totals.transactions),
    ]));
    table.row(row([
        (Quantity::Shared, &totals.shared),
        (Quantity::Global, &totals.global),
        (Quantity::BankConflicts, &totals.bank_conflicts),
    ]));
    table.render()
}

fn rounds(report: &CountsReport<'_>) -> String {
    let (counts, exact) = (report.counts, report.exact);
    if counts.rounds.is_empty() {
        return "\n  no rounds: the program has no transfer and no kernel\n".to_owned();
    }
    let mut table = Table::new(&[
        ("round", Align::Left),
        ("MPs", Align::Right),
        ("time", Align::Right),
        ("blocks", Align::Right),
        ("in", Align::Right),
        ("out", Align::Right),
        ("shared", Align::Right),
        ("global", Align::Right),
        ("resident", Align::Right),
    ]);
    let shown = counts.rounds.len();
    let mut first = 1_u128;
    for (at, (repeated, round)) in counts.rounds.iter().enumerate() {
        let last = first + u128::from(repeated - 1);
        if shown <= MOST_ROWS || at < MOST_ROWS / 2 || at >= shown - MOST_ROWS / 2 {
            let name = if *repeated == 1 {
                first.to_string()
            } else {
                format!("{first}..{last}")
            };
            let shown = |of, count| format!("{}{}", sign(exact.round(at, of)), grouped(count));
            let resident = report.machine.occupancy(&round.shared_words).ok();
            // An upper bound on m gives a lower bound on the resident MPs.
            let least = if exact.round(at, OfRound::SharedWords) {
                ""
            } else {
                "≥ "
            };
            table.row([
                name,
                shown(OfRound::LaunchedMps, &round.launched_mps),
                shown(OfRound::Time, &round.time),
                shown(OfRound::Io, &round.io),
                shown(OfRound::InwardWords, &round.inward.words),
                shown(OfRound::OutwardWords, &round.outward.words),
                shown(OfRound::SharedWords, &round.shared_words),
                shown(OfRound::GlobalWords, &round.global_words),
                resident.map_or("-".into(), |resident| {
                    format!("{least}{}", grouped(&resident))
                }),
            ]);
        } else if at == MOST_ROWS / 2 {
            table.row(["…"]);
        }
        first = last + 1;
    }
    format!("\n{}", table.render())
}

/// A table of the blocks of every global array over all rounds, if there are two arrays or more.
fn blocks_by_array(counts: &Counts<BigInt>, exact: &Exact) -> String {
    let sums = counts.blocks_by_array();
    if sums.len() < 2 {
        return String::new();
    }
    let mut table = Table::new(&[
        ("array", Align::Left),
        ("blocks read", Align::Right),
        ("written", Align::Right),
    ]);
    for (name, blocks) in &sums {
        let is_exact = exact.array(name);
        let shown = |is_exact, count| format!("{}{}", sign(is_exact), grouped(count));
        table.row([
            (*name).to_owned(),
            shown(is_exact.read, &blocks.read),
            shown(is_exact.write, &blocks.write),
        ]);
    }
    format!("\n{}", table.render())
}

/// Shorter times, in seconds, are not reported.
const NOTICED: f64 = 0.1;

fn run_text(run: &RunReport) -> String {
    let mut out = String::from("\n");
    for outcome in &run.ensures {
        let verdict = if outcome.holds { "holds" } else { "FAILS" };
        let label = format!("  {verdict}  line {}: ", outcome.line);
        out.push_str(&labelled(&label, &outcome.text));
    }
    // A run by the library has no seconds and no comparison, and says nothing of either.
    let agreement = match run.matches_derivation {
        Some(true) => "counts agree with the derivation",
        Some(false) => "counts DISAGREE with the derivation",
        None if run.seconds.is_empty() => "",
        None => "nothing derived to compare the counts with",
    };
    let median = duration_of(run.median_seconds() * 1e3);
    let least = run.seconds.iter().copied().reduce(f64::min);
    let most = run.seconds.iter().copied().reduce(f64::max);
    let took = match (run.seconds.len(), least, most) {
        (0, _, _) => return out + &format!("  {agreement}\n"),
        (2.., Some(least), Some(most)) => format!(
            "{median} (median of {}, from {} to {})",
            run.seconds.len(),
            duration_of(least * 1e3),
            duration_of(most * 1e3)
        ),
        _ => median,
    };
    out.push_str(&format!("  {agreement}; ran in {took}\n"));
    if run.ensure_seconds >= NOTICED {
        let took = duration_of(run.ensure_seconds * 1e3);
        out.push_str(&format!("  the ensures took {took} more\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{Round, Totals};
    use crate::machine::Machine;

    /// Every line fits a terminal, also when numbers are large.
    #[test]
    fn a_report_leads_with_the_cost_and_fits() {
        let machine = Machine::built_in("gtx650").expect("built in");
        let large = BigInt::from(1_u64 << 40);
        let round = Round {
            launched_mps: large.clone(),
            time: large.clone(),
            io: large.clone(),
            global_words: large.clone(),
            ..Round::default()
        };
        let counts = Counts {
            totals: Totals {
                rounds: 60.into(),
                io: large.clone(),
                ..Totals::default()
            },
            rounds: (1..=30)
                .map(|at| {
                    (
                        2,
                        Round {
                            time: at.into(),
                            ..round.clone()
                        },
                    )
                })
                .collect(),
        };
        let model = cost::find("atgpu").expect("listed");
        let estimate = model
            .estimate(&cost::Subject::of(&counts), &machine)
            .expect("complete");
        let parameters = [("n".to_owned(), large)].into_iter().collect();
        let text = super::text(&CountsReport {
            algorithm: "T",
            machine: &machine,
            parameters: &parameters,
            method: Method::Counted,
            contention: None,
            counts: &counts,
            bounds: &[],
            charges: None,
            estimates: &[("atgpu", estimate)],
            exact: &Default::default(),
        });
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("GPU-cost of T on gtx650"), "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
        assert!(
            text.contains("59..60") && !text.contains("29..30"),
            "{text}"
        );
    }
}

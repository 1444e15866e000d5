//! The text of `cost` and `run`: the headline number first, then the tables.

use crate::cost::{self, Estimate, Exact};
use crate::count::{Charged, Counts, OfRound, Quantity};
use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::report::causes::{Cause, causes};
use crate::report::counts::{CountsReport, Method, RunReport, accuracy};
use crate::report::numbers::{duration, duration_of, grouped, percent};
use crate::report::table::{Align, Table};
use crate::report::wrap::{labelled, listed, within_width};

/// Limit on the rows of the table of rounds. Of more rounds the first and the last are shown.
const MOST_ROWS: usize = 24;

/// Renders the result of `cost` or `run`, at most 100 columns wide.
pub fn text(report: &CountsReport<'_>) -> String {
    let mut out = headline(report);
    out.push('\n');
    out.push_str(&estimates(report.estimates, report.exact));
    out.push_str(&accuracy::text(report));
    out.push_str(&totals(report.counts, report.exact));
    out.push_str(&rounds(report));
    out.push_str(&blocks_by_array(report.counts, report.exact));
    if let Some(charged) = report.charges {
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
    out
}

/// The sign before an upper bound.
fn sign(is_exact: bool) -> &'static str {
    if is_exact { "" } else { "≤ " }
}

fn estimates(estimates: &[(&'static str, Estimate)], exact: &Exact) -> String {
    let timed: Vec<_> = estimates
        .iter()
        .filter(|(_, estimate)| estimate.headline().is_some())
        .collect();
    let mut out = String::new();
    if !timed.is_empty() {
        let mut table = Table::new(&[
            ("model", Align::Left),
            ("GPU-cost", Align::Right),
            ("cost", Align::Right),
            ("transfers", Align::Right),
        ]);
        for (name, estimate) in timed {
            let time = |figure| {
                let time = estimate.time(figure).map(duration).unwrap_or_default();
                format!("{}{time}", sign(exact.figure(name, figure)))
            };
            let share = estimate
                .figures
                .iter()
                .find_map(|figure| match &figure.value {
                    // A fraction of an upper bound is no bound, so it is not shown.
                    cost::Value::Share(_) if figure.name != cost::TRANSFER_SHARE => None,
                    cost::Value::Share(_) if !exact.figure(name, figure.name) => Some("-".into()),
                    cost::Value::Share(share) => Some(share.as_ref().map_or("-".into(), percent)),
                    cost::Value::Time(_) | cost::Value::Count(_) | cost::Value::Class(_) => None,
                });
            let share = share.unwrap_or_else(|| "not seen".to_owned());
            table.row([
                (*name).to_owned(),
                time(Quantity::GpuCost.name()),
                time(Quantity::Cost.name()),
                share,
            ]);
        }
        out.push_str(&table.render());
    }
    for (name, estimate) in estimates {
        if estimate.headline().is_some() {
            out.push_str(&parts(name, estimate, exact));
            continue;
        }
        let figures: Vec<String> = estimate
            .figures
            .iter()
            .map(|figure| {
                // A class contains its own `O`. Occupancy falls as m grows, so an upper bound on m gives a
                // lower bound.
                let sign = match &figure.value {
                    cost::Value::Class(_) | cost::Value::Share(_) => "",
                    _ if figure.name == cost::OCCUPANCY && !exact.figure(name, figure.name) => "≥ ",
                    cost::Value::Count(_) | cost::Value::Time(_) => {
                        sign(exact.figure(name, figure.name))
                    }
                };
                format!("{} {sign}{}", figure.name, shown(&figure.value))
            })
            .collect();
        // Classes have a line of their own.
        let is_class = |figure: &&cost::Figure| matches!(figure.value, cost::Value::Class(_));
        let classes = estimate.figures.iter().filter(is_class).count();
        let (figures, classes) = figures.split_at(figures.len() - classes);
        let note = estimate.note.map(|note| format!("; {note}"));
        let figures = figures.join(", ");
        out.push_str(&within_width(&format!(
            "  {name}: {figures}{}",
            note.unwrap_or_default()
        )));
        out.push_str(&listed("    ", classes));
    }
    out
}

/// The other figures of a model with a cost, and the bound that dominates.
fn parts(name: &str, estimate: &Estimate, exact: &Exact) -> String {
    let told = [
        Quantity::Cost.name(),
        Quantity::GpuCost.name(),
        cost::TRANSFER_SHARE,
    ];
    let others = estimate.figures.iter();
    let others = others.filter(|figure| !told.contains(&figure.name));
    let figures: Vec<String> = others
        .map(|figure| {
            let is_time = matches!(figure.value, cost::Value::Time(_));
            let sign = sign(!is_time || exact.figure(name, figure.name));
            format!("{} {sign}{}", figure.name, shown(&figure.value))
        })
        .collect();
    if figures.is_empty() {
        return String::new();
    }
    let note = estimate.note.unwrap_or_default();
    within_width(&format!("  {name}: {note}; {}", figures.join(", ")))
}

fn shown(value: &cost::Value) -> String {
    match value {
        cost::Value::Time(time) => duration(time),
        cost::Value::Share(share) => share.as_ref().map_or("-".into(), percent),
        cost::Value::Count(count) => count.as_ref().map_or("-".into(), grouped),
        cost::Value::Class(class) => class.clone().unwrap_or_else(|| "?".to_owned()),
    }
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

/// A table of the charges of the kernels by the machine's own weights and memory rules.
fn charges(charged: &Charged, machine: &Machine) -> String {
    let mut out = format!(
        "\n{} by the rules of {}: coalescing {}, banks {}\n",
        if charged.is_exact {
            "charged"
        } else {
            "charged at most"
        },
        machine.name,
        machine.coalescing.name(),
        machine.banks.name(),
    );
    let knows_cycles = machine.kothapalli().is_ok();
    let memory = if knows_cycles { "memory cycles" } else { "" };
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("MPs", Align::Right),
        ("compute cycles", Align::Right),
        (memory, Align::Right),
        ("memory transactions", Align::Right),
        ("bank conflicts", Align::Right),
    ]);
    let shown = |value: &Rational| match value.to_integer() {
        Some(whole) => grouped(&whole),
        None => format!("{:.1}", value.to_f64()),
    };
    let last = charged.rounds.len();
    // Of many rounds only the first and the last ones are shown, with one `…` between them.
    for (at, (repeated, round)) in charged.rounds.iter().enumerate() {
        if last > MOST_ROWS && (MOST_ROWS / 2..last - MOST_ROWS / 2).contains(&at) {
            if at == MOST_ROWS / 2 {
                table.row(["…"]);
            }
            continue;
        }
        let times = if *repeated == 1 {
            String::new()
        } else {
            format!(" × {repeated}")
        };
        table.row([
            format!("{}{times}", at + 1),
            shown(&round.launched_mps),
            shown(&round.compute),
            if knows_cycles {
                shown(&round.memory)
            } else {
                String::new()
            },
            shown(&round.memory_transactions),
            shown(&round.bank_conflicts),
        ]);
    }
    out.push_str(&table.render());
    out
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

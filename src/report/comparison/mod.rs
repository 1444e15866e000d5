//! Programs, machines and models side by side: the faster program by range, and the table of figures. Text
//! and Markdown are here, JSON is in `json`, comma-separated values in `csv`, the tables of a paper in
//! `latex`.

mod csv;
mod json;
mod latex;
mod verdict;

pub use csv::csv;
pub(super) use json::duel_json;
pub use json::json;
pub use latex::latex;
pub(super) use verdict::{faster, verdict};

use crate::cost::{Estimate, Exact};
use crate::count::{Parameters, Quantity, Totals};
use crate::machine::Machine;
use crate::number::BigInt;
use crate::report::comparison::verdict::fastest;
use crate::report::numbers::{duration, grouped};
use crate::report::table::{Align, Table};
use crate::report::wrap::within_width;
use crate::study::Crossover;

/// The findings of `compare`.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The names of the programs here: their algorithms, or their files if two share an algorithm.
    pub programs: Vec<String>,
    /// The parameters given.
    pub parameters: Parameters,
    /// True if each shared operand is charged its degree.
    pub charges_conflicts: bool,
    /// One row for each program and machine, if every parameter has a value.
    pub rows: Vec<Row>,
    /// One duel for each two programs, machine and model, if one parameter is free.
    pub duels: Vec<Duel>,
}

/// A program on a machine.
#[derive(Debug, Clone)]
pub struct Row {
    /// The index of the program in the list.
    pub program: usize,
    /// The machine.
    pub machine: String,
    /// The counts, or the reason why there are none.
    pub totals: Result<Totals<BigInt>, String>,
    /// The exact ones among the counts and figures.
    pub exact: Exact,
    /// The estimate of each model, or the reason why there is none.
    pub estimates: Vec<(&'static str, Result<Estimate, String>)>,
}

/// Two programs on a machine, by a model.
#[derive(Debug, Clone)]
pub struct Duel {
    /// The first program.
    pub left: usize,
    /// The second.
    pub right: usize,
    /// The machine.
    pub machine: String,
    /// Its b, unless b is the free parameter.
    pub b: Option<i64>,
    /// The model.
    pub model: &'static str,
    /// The parameter.
    pub variable: String,
    /// The cheaper program by range, or the reason why it is unknown.
    pub outcome: Result<Crossover, String>,
    /// The largest value at which each program fits the machine, if there is a limit.
    pub fits: [Option<BigInt>; 2],
}

impl Comparison {
    /// One duel of two programs, without rows.
    pub(super) fn of_duel(
        names: [String; 2],
        parameters: Parameters,
        charges_conflicts: bool,
        duel: Duel,
    ) -> Comparison {
        Comparison {
            programs: names.to_vec(),
            parameters,
            charges_conflicts,
            rows: Vec::new(),
            duels: vec![duel],
        }
    }
}

impl Duel {
    /// The duel of two programs on a machine with a b of its own.
    pub(super) fn of_two(
        machine: &Machine,
        model: &'static str,
        variable: &str,
        outcome: Result<Crossover, String>,
        fits: [Option<BigInt>; 2],
    ) -> Duel {
        Duel {
            left: 0,
            right: 1,
            machine: machine.name.to_string(),
            b: Some(machine.atgpu.cores_per_mp),
            model,
            variable: variable.to_owned(),
            outcome,
            fits,
        }
    }

    /// `, b = 32`, if b has a value.
    fn width(&self) -> String {
        self.b.map_or_else(String::new, |b| format!(", b = {b}"))
    }
}

/// Renders text.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut heading = None;
    for duel in &comparison.duels {
        // Duels of one machine and model stand together, so a heading is due only where one of the two
        // changes.
        let here = (&duel.machine, duel.model);
        if heading != Some(here) {
            let gap = if heading.is_some() { "\n" } else { "" };
            heading = Some(here);
            out.push_str(&format!(
                "{gap}GPU-cost by {} on {}{}{}\n\n",
                duel.model,
                duel.machine,
                duel.width(),
                charged(comparison)
            ));
        }
        for line in verdict(comparison, duel) {
            out.push_str(&within_width(&format!("  {line}")));
        }
    }
    let machines = machines(comparison);
    for (at, machine) in machines.iter().enumerate() {
        if at > 0 || !comparison.duels.is_empty() {
            out.push('\n');
        }
        let charged = charged(comparison);
        out.push_str(&format!("{}{charged}\n\n", place(comparison, machine)));
        let (header, rows) = table(comparison, machine);
        let aligned = |at: usize| if at == 0 { Align::Left } else { Align::Right };
        let header: Vec<(&str, Align)> = header
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), aligned(at)))
            .collect();
        let mut table = Table::new(&header);
        rows.into_iter().for_each(|row| table.row(row));
        out.push_str(&table.render());
        for (at, line) in fastest(comparison, machine).iter().enumerate() {
            let gap = if at == 0 { "\n" } else { "" };
            out.push_str(&format!("{gap}{}", within_width(&format!("  {line}"))));
        }
    }
    out
}

/// Names the charges that deviate from language.md §4.4.
fn charged(comparison: &Comparison) -> &'static str {
    if comparison.charges_conflicts {
        ", bank conflicts charged"
    } else {
        ""
    }
}

/// Renders Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for duel in &comparison.duels {
        let lines = verdict(comparison, duel).join(" ");
        out.push_str(&format!(
            "- {} on {}{}: {lines}\n",
            duel.model,
            duel.machine,
            duel.width()
        ));
    }
    for machine in machines(comparison) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{}\n\n", place(comparison, machine)));
        let (header, rows) = table(comparison, machine);
        let line = |cells: &[String]| {
            let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", escaped.join(" | "))
        };
        out.push_str(&line(&header));
        let rules = (0..header.len()).map(|at| if at == 0 { "---" } else { "---:" });
        out.push_str(&format!("| {} |\n", rules.collect::<Vec<_>>().join(" | ")));
        rows.iter().for_each(|row| out.push_str(&line(row)));
    }
    out
}

fn machines(comparison: &Comparison) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in &comparison.rows {
        if !names.contains(&row.machine.as_str()) {
            names.push(&row.machine);
        }
    }
    names
}

fn place(comparison: &Comparison, machine: &str) -> String {
    let given: Vec<String> = comparison
        .parameters
        .iter()
        .map(|(name, value)| match value.to_integer() {
            Some(whole) => format!("{name} = {}", grouped(&whole)),
            None => format!("{name} = {value}"),
        })
        .collect();
    match given.as_slice() {
        [] => format!("on {machine}"),
        some => format!("{} on {machine}", some.join(", ")),
    }
}

/// The table of one machine: counts, then the GPU-cost of every model that has one.
fn table(comparison: &Comparison, machine: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let rows: Vec<&Row> = on(comparison, machine).collect();
    // A model that gives no program a GPU-cost gets no column. A failed estimate keeps its column and shows
    // `—`.
    let models: Vec<&'static str> = rows[0]
        .estimates
        .iter()
        .map(|(model, _)| *model)
        .filter(|model| {
            rows.iter().any(|row| {
                let own = row.estimates.iter().find(|(name, _)| name == model);
                own.is_some_and(|(_, estimate)| match estimate {
                    Ok(estimate) => estimate.headline().is_some(),
                    Err(_) => true,
                })
            })
        })
        .collect();
    let counted = [
        Quantity::Rounds,
        Quantity::TotalTime,
        Quantity::Io,
        Quantity::Transfer,
        Quantity::Shared,
        Quantity::Global,
    ];
    let mut header = vec!["program".to_owned()];
    header.extend(counted.map(|which| which.name().to_owned()));
    header.extend(models.iter().map(|model| (*model).to_owned()));
    let cells = rows.iter().map(|row| {
        let mut cells = vec![comparison.programs[row.program].clone()];
        cells.extend(counted.map(|which| match &row.totals {
            Ok(totals) => {
                let found = totals.all().into_iter().find(|(own, _)| *own == which);
                found.map_or_else(String::new, |(_, number)| {
                    let sign = if row.exact.total(which) { "" } else { "≤ " };
                    format!("{sign}{}", grouped(number))
                })
            }
            Err(_) => "—".to_owned(),
        }));
        cells.extend(models.iter().map(|model| {
            let own = row.estimates.iter().find(|(name, _)| name == model);
            let time = own.and_then(|(_, estimate)| estimate.as_ref().ok()?.headline());
            let sign = if row.exact.headline(model) {
                ""
            } else {
                "≤ "
            };
            time.map_or("—".to_owned(), |time| format!("{sign}{}", duration(time)))
        }));
        cells
    });
    (header, cells.collect())
}

fn on<'c>(comparison: &'c Comparison, machine: &str) -> impl Iterator<Item = &'c Row> {
    let machine = machine.to_owned();
    comparison
        .rows
        .iter()
        .filter(move |row| row.machine == machine)
}

//! Programs, machines and models side by side: who is faster from where, and the table of figures;
//! as text, Markdown and comma-separated values. The JSON is in `json`, the table of a paper in `latex`.

mod csv;
mod json;
mod latex;
mod verdict;

pub use csv::csv;
pub use json::json;
pub use latex::latex;
pub(super) use verdict::{faster, verdict};

use crate::cost::{Estimate, Exact};
use crate::count::{Parameters, Quantity, Totals};
use crate::number::BigInt;
use crate::report::comparison::verdict::fastest;
use crate::report::numbers::{duration, grouped};
use crate::report::table::{Align, Table};
use crate::report::wrap::within_width;
use crate::study::Crossover;

/// All that `compare` found.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What the programs are called here: their algorithms, or their files where two share one.
    pub programs: Vec<String>,
    /// The parameters given.
    pub parameters: Parameters,
    /// Whether each shared operand is charged its degree.
    pub charges_conflicts: bool,
    /// One for each program and machine where every parameter has a value.
    pub rows: Vec<Row>,
    /// One for each two programs, machine and model where one parameter is left over.
    pub duels: Vec<Duel>,
}

/// A program on a machine.
#[derive(Debug, Clone)]
pub struct Row {
    /// The program, by its place in the list.
    pub program: usize,
    /// The machine.
    pub machine: String,
    /// The counts, or why there are none.
    pub totals: Result<Totals<BigInt>, String>,
    /// Which of them, and of what the models say, are exact and no upper bounds.
    pub exact: Exact,
    /// What each model says, or why nothing.
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
    /// Its b.
    pub b: i64,
    /// The model.
    pub model: &'static str,
    /// The parameter.
    pub variable: String,
    /// Who is cheaper where, or why that is unknown.
    pub outcome: Result<Crossover, String>,
    /// The largest value with which each program still fits the machine, where it is not all.
    pub fits: [Option<BigInt>; 2],
}

/// For a person.
///
/// ```
/// use atgpu::report::comparison;
/// use atgpu::{machine::Machine, report::comparison::{Comparison, Row}};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1024)])?;
/// let comparison = Comparison {
///     programs: vec![program.name.clone()],
///     parameters: [("n", 1024)].into(),
///     charges_conflicts: false,
///     rows: vec![Row {
///         program: 0,
///         machine: "gtx650".into(),
///         totals: Ok(costs.counts().totals.clone()),
///         exact: Default::default(),
///         estimates: Vec::new(),
///     }],
///     duels: Vec::new(),
/// };
/// assert!(comparison::text(&comparison).contains("VectorAddition"));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut heading = None;
    for duel in &comparison.duels {
        let here = (&duel.machine, duel.model);
        if heading != Some(here) {
            let gap = if heading.is_some() { "\n" } else { "" };
            heading = Some(here);
            out.push_str(&format!(
                "{gap}GPU-cost by {} on {}, b = {}{}\n\n",
                duel.model,
                duel.machine,
                duel.b,
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

/// What of the costs is not as language.md §4.4 has it.
fn charged(comparison: &Comparison) -> &'static str {
    match comparison.charges_conflicts {
        true => ", bank conflicts charged",
        false => "",
    }
}

/// For a document.
///
/// ```
/// use atgpu::report::comparison;
/// use atgpu::{machine::Machine, report::comparison::{Comparison, Row}};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1024)])?;
/// let comparison = Comparison {
///     programs: vec![program.name.clone()],
///     parameters: [("n", 1024)].into(),
///     charges_conflicts: false,
///     rows: vec![Row {
///         program: 0,
///         machine: "gtx650".into(),
///         totals: Ok(costs.counts().totals.clone()),
///         exact: Default::default(),
///         estimates: Vec::new(),
///     }],
///     duels: Vec::new(),
/// };
/// assert!(comparison::markdown(&comparison).contains("| VectorAddition"));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for duel in &comparison.duels {
        let lines = verdict(comparison, duel).join(" ");
        out.push_str(&format!(
            "- {} on {} (b = {}): {lines}\n",
            duel.model, duel.machine, duel.b
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

/// The table of one machine: what is counted, then the GPU-cost of every model that has one.
fn table(comparison: &Comparison, machine: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let rows: Vec<&Row> = on(comparison, machine).collect();
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

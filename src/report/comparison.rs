//! Programs, machines and models side by side: who is faster from where, and the table of figures;
//! as text, Markdown and comma-separated values. The JSON is in `json`.

use std::cmp::Ordering;

use crate::cost::{Estimate, Value, find};
use crate::count::{Parameters, Totals};
use crate::number::BigInt;
use crate::report::numbers::{duration, grouped};
use crate::report::table::{Align, Table};
use crate::report::wrap::within_width;
use crate::study::{Crossover, Range, crossover, unit_of, unit_of_count};

/// All that `compare` found.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What the programs are called here: their algorithms, or their files where two share one.
    pub programs: Vec<String>,
    /// The parameters given.
    pub parameters: Parameters,
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
    /// Whether they are exact, not upper bounds.
    pub is_exact: bool,
    /// Whether what the machine charges is exact, where a model asks for it.
    pub has_exact_charges: bool,
    /// What each model says, or why nothing.
    pub estimates: Vec<(&'static str, Result<Estimate, String>)>,
}

impl Row {
    /// Whether what a model says is exact: the counts, and the charges if it asks for them.
    ///
    /// ```
    /// # use atgpu::{machine::Machine, report::comparison::{Comparison, Row}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let card = Machine::built_in("gtx650").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let comparison = Comparison {
    ///     programs: vec![program.name.clone()],
    ///     parameters: [("n", 1024)].into(),
    ///     rows: vec![Row {
    ///         program: 0,
    ///         machine: "gtx650".into(),
    ///         totals: Ok(costs.counts().totals.clone()),
    ///         is_exact: true,
    ///         has_exact_charges: false,
    ///         estimates: Vec::new(),
    ///     }],
    ///     duels: Vec::new(),
    /// };
    /// // The charges that paper 2 asks for were not counted.
    /// assert!(comparison.rows[0].is_exact_by("atgpu"));
    /// assert!(!comparison.rows[0].is_exact_by("kothapalli-max"));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn is_exact_by(&self, model: &str) -> bool {
        let asks = find(model).is_some_and(|model| model.needs_charges());
        self.is_exact && (self.has_exact_charges || !asks)
    }
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
/// # use atgpu::{machine::Machine, report::comparison::{Comparison, Row}};
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1024)])?;
/// let comparison = Comparison {
///     programs: vec![program.name.clone()],
///     parameters: [("n", 1024)].into(),
///     rows: vec![Row {
///         program: 0,
///         machine: "gtx650".into(),
///         totals: Ok(costs.counts().totals.clone()),
///         is_exact: true,
///         has_exact_charges: false,
///         estimates: Vec::new(),
///     }],
///     duels: Vec::new(),
/// };
/// use atgpu::report::comparison;
///
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
                "{gap}GPU-cost by {} on {}, b = {}\n\n",
                duel.model, duel.machine, duel.b
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
        out.push_str(&format!("{}\n\n", place(comparison, machine)));
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

/// For a document.
///
/// ```
/// # use atgpu::{machine::Machine, report::comparison::{Comparison, Row}};
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1024)])?;
/// let comparison = Comparison {
///     programs: vec![program.name.clone()],
///     parameters: [("n", 1024)].into(),
///     rows: vec![Row {
///         program: 0,
///         machine: "gtx650".into(),
///         totals: Ok(costs.counts().totals.clone()),
///         is_exact: true,
///         has_exact_charges: false,
///         estimates: Vec::new(),
///     }],
///     duels: Vec::new(),
/// };
/// # use atgpu::report::comparison;
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

/// `program,machine,model,<parameters>,quantity,value,unit,exact`, a line a value, as `sweep`
/// writes them; where a parameter is left over, `left,right,machine,model,parameter,from,to,faster,proved`,
/// a line a range.
///
/// ```
/// # use atgpu::{machine::Machine, report::comparison::{Comparison, Row}};
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1024)])?;
/// let comparison = Comparison {
///     programs: vec![program.name.clone()],
///     parameters: [("n", 1024)].into(),
///     rows: vec![Row {
///         program: 0,
///         machine: "gtx650".into(),
///         totals: Ok(costs.counts().totals.clone()),
///         is_exact: true,
///         has_exact_charges: false,
///         estimates: Vec::new(),
///     }],
///     duels: Vec::new(),
/// };
/// # use atgpu::report::comparison;
/// let csv = comparison::csv(&comparison);
/// assert!(csv.lines().any(|line| line == "VectorAddition,gtx650,,1024,io,96,blocks,true"), "{csv}");
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn csv(comparison: &Comparison) -> String {
    if comparison.rows.is_empty() {
        return duels_csv(comparison);
    }
    let parameters: Vec<(&str, String)> = comparison
        .parameters
        .iter()
        .map(|(name, value)| (name, value.to_string()))
        .collect();
    let names: String = parameters
        .iter()
        .map(|(name, _)| format!("{name},"))
        .collect();
    let values: String = parameters
        .iter()
        .map(|(_, value)| format!("{value},"))
        .collect();
    let mut out = format!("program,machine,model,{names}quantity,value,unit,exact\n");
    for row in &comparison.rows {
        let start = |model: &str| {
            let program = field(&comparison.programs[row.program]);
            format!("{program},{},{model},{values}", field(&row.machine))
        };
        for (name, number) in row.totals.iter().flat_map(Totals::named) {
            out.push_str(&format!(
                "{}{name},{number},{},{}\n",
                start(""),
                unit_of_count(name),
                row.is_exact
            ));
        }
        for (model, estimate) in &row.estimates {
            let Ok(estimate) = estimate else { continue };
            for figure in &estimate.figures {
                let name = figure.name;
                let unit = unit_of(name, &figure.value, estimate);
                let (value, unit) = match &figure.value {
                    Value::Time(time) => (time.to_f64().to_string(), estimate.unit.unwrap_or("")),
                    Value::Share(Some(share)) => (share.to_f64().to_string(), unit),
                    Value::Count(Some(count)) => (count.to_string(), unit),
                    Value::Class(Some(class)) => (field(class), unit),
                    Value::Share(None) | Value::Count(None) | Value::Class(None) => {
                        (String::new(), unit)
                    }
                };
                out.push_str(&format!(
                    "{}{name},{value},{unit},{}\n",
                    start(model),
                    row.is_exact_by(model)
                ));
            }
        }
    }
    out
}

fn duels_csv(comparison: &Comparison) -> String {
    let mut out = String::from("left,right,machine,model,parameter,from,to,faster,proved\n");
    for duel in &comparison.duels {
        let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
        for range in duel.outcome.iter().flat_map(|crossover| &crossover.ranges) {
            let faster = faster(comparison, duel, range).map_or("", String::as_str);
            let to = range.to.as_ref().map(BigInt::to_string).unwrap_or_default();
            let cells = [
                field(left),
                field(right),
                field(&duel.machine),
                duel.model.to_owned(),
                duel.variable.clone(),
                range.from.to_string(),
                to,
                field(faster),
                range.is_proved.to_string(),
            ];
            out.push_str(&(cells.join(",") + "\n"));
        }
    }
    out
}

/// A field with quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The program that is cheaper in a range; none where both cost the same.
pub(super) fn faster<'c>(
    comparison: &'c Comparison,
    duel: &Duel,
    range: &Range,
) -> Option<&'c String> {
    match range.order {
        Ordering::Less => Some(&comparison.programs[duel.left]),
        Ordering::Greater => Some(&comparison.programs[duel.right]),
        Ordering::Equal => None,
    }
}

/// Who beats whom, in a line or a few.
pub(super) fn verdict(comparison: &Comparison, duel: &Duel) -> Vec<String> {
    let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
    let found = match &duel.outcome {
        Ok(found) => found,
        Err(why) => return vec![format!("{left} and {right}: {why}")],
    };
    let n = &duel.variable;
    let mut lines = match found.ranges.as_slice() {
        [] => vec![format!("{left} and {right} admit no common {n}")],
        [one] => {
            let winner = pairing(comparison, duel, one);
            vec![format!("{winner} for every {n} ≥ {}", grouped(&one.from))]
        }
        [first, second] if first.order != Ordering::Equal && second.order != Ordering::Equal => {
            let winner = pairing(comparison, duel, second);
            vec![format!("{winner} iff {n} ≥ {}", grouped(&second.from))]
        }
        several => {
            let mut lines = vec![format!("{left} and {right} change places")];
            for range in several {
                let to = match &range.to {
                    Some(to) if *to == range.from => format!("{n} = {}", grouped(to)),
                    Some(to) => format!("{} ≤ {n} ≤ {}", grouped(&range.from), grouped(to)),
                    None => format!("{n} ≥ {}", grouped(&range.from)),
                };
                lines.push(format!("  {} for {to}", pairing(comparison, duel, range)));
            }
            lines
        }
    };
    if found.is_cut {
        lines.push("  and more changes, which were not followed".to_owned());
    }
    if !found.ranges.is_empty() {
        lines.push(format!("  {}", how_known(found, n)));
    }
    match &duel.fits {
        [Some(one), Some(other)] if one == other => {
            lines.push(format!(
                "  both fit the machine up to {n} = {}",
                grouped(one)
            ));
        }
        each => {
            for (program, largest) in [left, right].into_iter().zip(each) {
                if let Some(largest) = largest {
                    let largest = grouped(largest);
                    lines.push(format!(
                        "  {program} fits the machine up to {n} = {largest}"
                    ));
                }
            }
        }
    }
    lines
}

fn pairing(comparison: &Comparison, duel: &Duel, range: &Range) -> String {
    let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
    match range.order {
        Ordering::Less => format!("{left} beats {right}"),
        Ordering::Greater => format!("{right} beats {left}"),
        Ordering::Equal => format!("{left} and {right} cost the same"),
    }
}

/// What is proved, and what was only looked at.
fn how_known(found: &Crossover, n: &str) -> String {
    if found.is_proved() {
        return "proved for all values".to_owned();
    }
    let limit = BigInt::from(1) << crossover::LARGEST_POWER;
    let limit = match found.up_to == limit {
        true => format!("2^{}", crossover::LARGEST_POWER),
        false => grouped(&found.up_to),
    };
    let unproved = found.ranges.iter().filter(|range| !range.is_proved);
    let part = match (found.ranges.len(), unproved.count()) {
        (many, none) if many == none => "not proved".to_owned(),
        (many, some) => format!("{} of {many} ranges proved", many - some),
    };
    format!(
        "{part}; checked at {} values up to {n} = {limit}, at every one up to {}",
        grouped(&found.points.into()),
        grouped(&crossover::DENSE.into())
    )
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
    let counted = ["rounds", "total_time", "io", "transfer", "shared", "global"];
    let mut header = vec!["program".to_owned()];
    header.extend(counted.map(str::to_owned));
    header.extend(models.iter().map(|model| (*model).to_owned()));
    let cells = rows.iter().map(|row| {
        let mut cells = vec![comparison.programs[row.program].clone()];
        let sign = if row.is_exact { "" } else { "≤ " };
        cells.extend(counted.iter().map(|name| match &row.totals {
            Ok(totals) => {
                let named = totals.named();
                let found = named.iter().find(|(own, _)| own == name);
                found.map_or_else(String::new, |(_, number)| {
                    format!("{sign}{}", grouped(number))
                })
            }
            Err(_) => "—".to_owned(),
        }));
        cells.extend(models.iter().map(|model| {
            let own = row.estimates.iter().find(|(name, _)| name == model);
            let time = own.and_then(|(_, estimate)| estimate.as_ref().ok()?.headline());
            let sign = if row.is_exact_by(model) { "" } else { "≤ " };
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

/// The cheapest program by each model, where there is a choice.
fn fastest(comparison: &Comparison, machine: &str) -> Vec<String> {
    let rows: Vec<&Row> = on(comparison, machine).collect();
    let mut lines = Vec::new();
    let models = rows[0].estimates.iter().map(|(model, _)| *model);
    for (at, model) in models.enumerate() {
        let mut times: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                let estimate = row.estimates.get(at)?.1.as_ref().ok()?;
                Some((estimate.headline()?, row))
            })
            .collect();
        times.sort_by(|left, right| left.0.cmp(right.0));
        let [(best, first), (next, second), ..] = times.as_slice() else {
            continue;
        };
        let names = [first, second].map(|row| &comparison.programs[row.program]);
        // An upper bound below exact times wins; one above another time says nothing.
        let unsure: Vec<&str> = times[1..]
            .iter()
            .filter(|(_, row)| !row.is_exact_by(model))
            .map(|(_, row)| comparison.programs[row.program].as_str())
            .collect();
        if !unsure.is_empty() {
            let names = unsure.join(", ");
            lines.push(format!(
                "{model}: no verdict: of {names} only upper bounds are known"
            ));
            continue;
        }
        let least = match first.is_exact_by(model) {
            true => "",
            false => "at least ",
        };
        lines.push(match next.checked_div(best) {
            Some(_) if next == best && least.is_empty() => {
                format!("{model}: {} and {} cost the same", names[0], names[1])
            }
            Some(ratio) => format!(
                "{model}: {} is the fastest; {} takes {least}{}",
                names[0],
                names[1],
                longer(ratio.to_f64())
            ),
            None => format!("{model}: {} is free", names[0]),
        });
    }
    lines
}

/// How much longer something takes.
fn longer(ratio: f64) -> String {
    let more = (ratio - 1.0) * 100.0;
    match ratio {
        _ if ratio >= 2.0 => format!("{ratio:.2} times as long"),
        _ if more >= 0.1 => format!("{more:.1}% longer"),
        _ => format!("{more:.0e}% longer"),
    }
}

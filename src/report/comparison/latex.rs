//! The tables of a comparison for a paper: `booktabs`, a table a machine, in ASCII.

use crate::report::comparison::verdict::verdict;
use crate::report::comparison::{Comparison, machines, place, table};
use crate::report::latex::text::escaped;

/// For a paper: to be taken in by one that loads `booktabs`.
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
/// let tex = comparison::latex(&comparison);
/// assert!(tex.contains("\\toprule") && tex.contains("VectorAddition & "));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn latex(comparison: &Comparison) -> String {
    let mut out = String::from("% Needs booktabs: load it and \\input this file.\n");
    for duel in &comparison.duels {
        let lines = verdict(comparison, duel).join(" ");
        let place = format!("{} on {} (b = {})", duel.model, duel.machine, duel.b);
        out.push_str(&format!(
            "\\noindent {}: {}\\par\n",
            cell(&place),
            cell(&lines)
        ));
    }
    for machine in machines(comparison) {
        let (header, rows) = table(comparison, machine);
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
            format!("  {} \\\\\n", cells.join(" & "))
        };
        let header = header.iter().map(|name| name.replace('_', " "));
        let header: Vec<String> = header.collect();
        let columns = "r".repeat(header.len() - 1);
        let body: String = rows.iter().map(|row| line(row)).collect();
        out.push_str(&format!(
            "% {}\n\\begin{{tabular}}{{l{columns}}}\n  \\toprule\n{}  \\midrule\n{body}  \\bottomrule\n\
             \\end{{tabular}}\n",
            place(comparison, machine),
            line(&header)
        ));
    }
    out
}

/// A bound with its sign, and a dash for what is not there.
fn cell(text: &str) -> String {
    match (text.strip_prefix("≤ "), text) {
        (Some(number), _) => format!("$\\leq$ {}", escaped(number)),
        (None, "—") => "--".to_owned(),
        (None, text) => escaped(text),
    }
}

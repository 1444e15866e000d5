//! The tables of a comparison for a paper: `booktabs`, one table per machine, in ASCII.

use crate::report::comparison::verdict::verdict;
use crate::report::comparison::{Comparison, machines, place, table};
use crate::report::latex::text::escaped;

/// Renders LaTeX to be included by a document that loads `booktabs`.
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

/// A cell: a bound with its sign, or a dash if there is no value.
fn cell(text: &str) -> String {
    match (text.strip_prefix("≤ "), text) {
        (Some(number), _) => format!("$\\leq$ {}", escaped(number)),
        (None, "—") => "--".to_owned(),
        (None, text) => escaped(text),
    }
}

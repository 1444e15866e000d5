//! The tables of a comparison for a paper: `booktabs`, one table per machine, in ASCII.

use crate::report::comparison::verdict::{faster, verdict, within};
use crate::report::comparison::{Comparison, Duel, machines, place, table};
use crate::report::latex::text::escaped;

/// Renders LaTeX to be included by a document that loads `booktabs`.
pub fn latex(comparison: &Comparison) -> String {
    let mut out = String::from("% Needs booktabs: load it and \\input this file.\n");
    for duel in &comparison.duels {
        out.push_str(&ranges(comparison, duel));
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

/// The table of two programs: a row per range. What else is said of them stands in comments.
fn ranges(comparison: &Comparison, duel: &Duel) -> String {
    let comments = verdict(comparison, duel).into_iter();
    let comments: String = comments.map(|line| format!("% {line}\n")).collect();
    let Ok(found) = &duel.outcome else {
        return comments;
    };
    let place = format!("{} on {}{}", duel.model, duel.machine, duel.width());
    let rows = found.ranges.iter().map(|range| {
        let cheaper = faster(comparison, duel, range).map_or("equal", String::as_str);
        let proved = if range.is_proved { "yes" } else { "no" };
        let values = math(&within(&duel.variable, range));
        format!("  {values} & {} & {proved} \\\\\n", cell(cheaper))
    });
    let rows: String = rows.collect();
    let head = format!("  {} & cheaper & proved \\\\\n", cell(&place));
    format!(
        "{comments}\\begin{{tabular}}{{lll}}\n  \\toprule\n{head}  \\midrule\n{rows}  \\bottomrule\n\\end{{tabular}}\n"
    )
}

/// A chain of comparisons such as `1 ≤ n ≤ 1_024`, in mathematics.
fn math(chain: &str) -> String {
    let chain = chain.replace('≤', "\\le").replace('≥', "\\ge");
    format!("${}$", chain.replace('_', "\\,"))
}

/// A cell: a bound with its sign, or a dash if there is no value.
fn cell(text: &str) -> String {
    match (text.strip_prefix("≤ "), text) {
        (Some(number), _) => format!("$\\leq$ {}", escaped(number)),
        (None, "—") => "--".to_owned(),
        (None, text) => escaped(text),
    }
}

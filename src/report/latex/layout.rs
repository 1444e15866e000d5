//! Formulas for LaTeX that stay within the text width, of an article as of a slide. Short formulas have
//! fractions; long ones stay on one line that TeX may break, also inside brackets.

use crate::report::latex::math::math;

/// Characters of an equation, as text, that fit on a line with its name.
const EQUATION: usize = 44;

/// Characters that fit on a line of a table.
const ROW: usize = 60;

/// Characters of a column that keeps its natural width.
const NARROW: usize = 16;

/// Limit on the weight of a column that shares the line. A wider one takes more lines instead.
const WIDEST: usize = 90;

/// Characters of a formula that stays unbroken in a column of fixed width.
const IN_ONE_PIECE: usize = 16;

/// A formula in two forms.
pub(crate) struct Shown {
    /// `=` or `\\leq`.
    pub(crate) relation: &'static str,
    /// LaTeX with fractions and growing brackets, unbreakable.
    pub(crate) latex: String,
    /// The text in the language.
    pub(crate) text: String,
}

/// Renders a text of the language in mathematics mode. It may break after operators and commas, and between
/// factors.
pub(crate) fn breakable(text: &str) -> String {
    let mut latex = math(text);
    // TeX's own penalties are 500 after a relation and 700 after an operator.
    for (here, broken) in [
        (" , ", " ,\\penalty600 "),
        ("\\rceil \\lceil", "\\rceil\\penalty800 \\lceil"),
        ("\\rfloor \\lfloor", "\\rfloor\\penalty800 \\lfloor"),
        (") (", ")\\penalty800 ("),
        (" / ", " /\\penalty900 "),
    ] {
        latex = latex.replace(here, broken);
    }
    latex
}

/// A paragraph that may break anywhere, indented from its second line on.
pub(crate) fn paragraph(latex: &str) -> String {
    format!("{{\\raggedright\\noindent\\hangindent=1.5em\\hangafter=1 {latex}\\par}}\n")
}

/// Renders equations, aligned if all are short enough, otherwise as paragraphs.
pub(crate) fn equations(equations: &[(&str, Shown)]) -> String {
    let has_room = |(_, shown): &(&str, Shown)| shown.text.chars().count() <= EQUATION;
    if equations.iter().all(has_room) {
        let lines = equations.iter().map(|(name, shown)| {
            let Shown {
                relation, latex, ..
            } = shown;
            format!("  {name} &{relation} {latex}")
        });
        let lines = lines.collect::<Vec<_>>().join(" \\\\\n");
        return format!("\\begin{{align*}}\n{lines}\n\\end{{align*}}\n");
    }
    let lines = equations.iter().map(|(name, shown)| {
        let formula = breakable(&shown.text);
        paragraph(&format!("${name} {} {formula}$", shown.relation))
    });
    lines.collect()
}

/// A cell of a table.
pub(crate) enum Cell {
    /// Words in LaTeX, and their number of characters.
    Words(String, usize),
    /// A formula.
    Formula(Shown),
}

impl Cell {
    fn characters(&self) -> usize {
        match self {
            Cell::Words(_, characters) => *characters,
            Cell::Formula(shown) => shown.text.chars().count(),
        }
    }

    fn latex(&self, is_free: bool) -> String {
        match self {
            Cell::Words(words, _) => words.clone(),
            Cell::Formula(shown) => {
                let relation = if shown.relation == "=" { "" } else { "\\leq " };
                if is_free || self.characters() <= IN_ONE_PIECE {
                    format!("${relation}{}$", shown.latex)
                } else {
                    format!("${relation}{}$", breakable(&shown.text))
                }
            }
        }
    }
}

fn share(width: usize) -> usize {
    width.clamp(NARROW + 14, WIDEST)
}

/// A part of a table: rows with an optional heading.
pub(crate) struct Part {
    /// The heading, in LaTeX.
    pub(crate) heading: Option<String>,
    /// The rows, with one cell per header.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The width of each column in characters.
fn widths(header: &[&str], parts: &[Part]) -> Vec<usize> {
    let widest = |at: usize| {
        let rows = parts.iter().flat_map(|part| &part.rows);
        let cells = rows.filter_map(|row| row.get(at));
        let cells = cells.map(Cell::characters);
        cells.chain([header[at].chars().count()]).max().unwrap_or(0)
    };
    (0..header.len()).map(widest).collect()
}

/// Returns true if each row of a table takes at most `lines` lines.
pub(crate) fn fits(header: &[&str], part: &Part, lines: usize) -> bool {
    let widths = widths(header, std::slice::from_ref(part));
    widths.iter().sum::<usize>() <= lines * ROW
}

/// Renders a table. If all columns fit, they keep their natural width. Otherwise wide ones share the line
/// in proportion to their width.
pub(crate) fn table(header: &[&str], parts: &[Part]) -> String {
    let widths = widths(header, parts);
    let is_free = widths.iter().sum::<usize>() <= ROW;
    let narrow: usize = widths.iter().filter(|width| **width <= NARROW).sum();
    let shares = widths.iter().filter(|width| **width > NARROW);
    let shares: usize = shares.map(|width| share(*width)).sum();
    let left = ROW.saturating_sub(narrow).max(ROW / 3);
    let columns = widths.iter().enumerate().map(|(at, width)| match width {
        _ if is_free || *width <= NARROW => match header[at] {
            "line" => "r".to_owned(),
            _ => "l".to_owned(),
        },
        // A fraction of the line, less the gaps between the columns.
        width => format!(
            "p{{{:.2}\\linewidth}}",
            0.8 * (left * share(*width)) as f64 / (ROW * shares) as f64
        ),
    });
    let columns: String = columns.collect();
    let line = |row: &Vec<Cell>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let ragged = if is_free || *width <= NARROW {
                ""
            } else {
                "\\raggedright "
            };
            format!("{ragged}{}", cell.latex(is_free))
        });
        // `\raggedright` redefines `\\`, so a row ends with this.
        format!(
            "  {} \\tabularnewline\n",
            cells.collect::<Vec<_>>().join(" & ")
        )
    };
    let parts = parts.iter().map(|part| {
        let heading = part.heading.as_ref().map(|heading| {
            let all = header.len();
            format!("  \\midrule\n  \\multicolumn{{{all}}}{{l}}{{{heading}}} \\tabularnewline\n")
        });
        let heading = heading.unwrap_or_else(|| "  \\midrule\n".to_owned());
        heading + &part.rows.iter().map(line).collect::<String>()
    });
    format!(
        "\\begin{{center}}\\small\\setlength{{\\tabcolsep}}{{4pt}}\n\\begin{{tabular}}{{{columns}}}\n  \\toprule\n  \
         {} \\\\\n{}  \\bottomrule\n\\end{{tabular}}\n\\end{{center}}\n",
        header.join(" & "),
        parts.collect::<String>()
    )
}

impl From<Vec<Vec<Cell>>> for Part {
    fn from(rows: Vec<Vec<Cell>>) -> Self {
        let heading = None;
        Part { heading, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Shown {
        Shown {
            relation: "=",
            latex: format!("<{text}>"),
            text: text.to_owned(),
        }
    }

    #[test]
    fn long_formulas_can_be_broken_inside_brackets() {
        let long = format!("2({})", ["n"; 30].join(" + "));
        let found = equations(&[("t", shown("3k")), ("q", shown(&long))]);
        assert!(found.contains("1 $t = 3 k$"), "{found}");
        assert!(found.contains("1 $q = 2 ( n + n +"), "{found}");
        let short = equations(&[("t", shown("3k"))]);
        assert!(short.contains("t &= <3k>"), "{short}");
        assert_eq!(breakable("min(n, m)"), "\\min ( n ,\\penalty600 m )");
    }

    #[test]
    fn a_wide_table_shares_its_line() {
        let row = |text: &str| vec![Cell::Words("io".into(), 2), Cell::Formula(shown(text))];
        let narrow = table(&["total", "value"], &[vec![row("3k")].into()]);
        assert!(narrow.contains("{tabular}{ll}"), "{narrow}");
        assert!(narrow.contains("io & $<3k>$ \\tabularnewline"), "{narrow}");
        let long = ["n"; 30].join(" + ");
        let wide = table(&["total", "value"], &[vec![row("3k"), row(&long)].into()]);
        assert!(wide.contains("{tabular}{lp{0.73\\linewidth}}"), "{wide}");
        assert!(wide.contains("\\raggedright $n + n"), "{wide}");
    }
}

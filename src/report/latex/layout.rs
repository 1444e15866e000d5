//! Formulas for LaTeX that stay within the width of a text, of an article as of a slide: short ones
//! with fractions, long ones on one line that TeX may break, also inside brackets.

use crate::report::latex::math::math;

/// Characters of an equation, as text, that fit a line beside their name.
const EQUATION: usize = 44;

/// Characters that fit a line of a table.
const ROW: usize = 60;

/// Characters of a column that keeps its own width.
const NARROW: usize = 16;

/// What a column that shares the line counts at most: a longer one takes more lines instead.
const WIDEST: usize = 90;

/// Characters of a formula that stays in one piece in a column of a given width.
const IN_ONE_PIECE: usize = 16;

/// A formula in two forms.
pub(crate) struct Shown {
    /// `=` or `\\leq`.
    pub(crate) relation: &'static str,
    /// With fractions and growing brackets, in one piece.
    pub(crate) latex: String,
    /// As text of the language.
    pub(crate) text: String,
}

/// A text of the language in mathematics mode, with places to break it after operators, commas and
/// between factors.
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

/// A paragraph that is broken anywhere and indented from its second line on.
pub(crate) fn paragraph(latex: &str) -> String {
    format!("{{\\raggedright\\noindent\\hangindent=1.5em\\hangafter=1 {latex}\\par}}\n")
}

/// Equations under each other: aligned where all have room for it, else as paragraphs.
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
    /// Words, already LaTeX, and how many characters they are.
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
                match is_free || self.characters() <= IN_ONE_PIECE {
                    true => format!("${relation}{}$", shown.latex),
                    false => format!("${relation}{}$", breakable(&shown.text)),
                }
            }
        }
    }
}

fn share(width: usize) -> usize {
    width.clamp(NARROW + 14, WIDEST)
}

/// Rows of a table, and what stands above them where there are several such parts.
pub(crate) struct Part {
    /// Already LaTeX.
    pub(crate) heading: Option<String>,
    /// As many cells each as the header has.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The characters of each column.
fn widths(header: &[&str], parts: &[Part]) -> Vec<usize> {
    let widest = |at: usize| {
        let rows = parts.iter().flat_map(|part| &part.rows);
        let cells = rows.filter_map(|row| row.get(at));
        let cells = cells.map(Cell::characters);
        cells.chain([header[at].chars().count()]).max().unwrap_or(0)
    };
    (0..header.len()).map(widest).collect()
}

/// Whether a table takes no more than this many lines a row.
pub(crate) fn fits(header: &[&str], part: &Part, lines: usize) -> bool {
    let widths = widths(header, std::slice::from_ref(part));
    widths.iter().sum::<usize>() <= lines * ROW
}

/// A table whose columns keep their own width where all fit, and else share the line, wide ones more
/// of it.
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
        // Hundredths of the line, of which the gaps between the columns take some.
        width => format!(
            "p{{{:.2}\\linewidth}}",
            0.8 * (left * share(*width)) as f64 / (ROW * shares) as f64
        ),
    });
    let columns: String = columns.collect();
    let line = |row: &Vec<Cell>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let ragged = match is_free || *width <= NARROW {
                true => "",
                false => "\\raggedright ",
            };
            format!("{ragged}{}", cell.latex(is_free))
        });
        // After `\raggedright` only this ends a row.
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

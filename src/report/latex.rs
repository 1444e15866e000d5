//! `derive` for a paper: the program as an algorithm, its derivation as aligned displays, totals and
//! lines as tables.
//!
//! The file compiles alone, and is skipped down to the algorithm where a paper that loads the
//! packages takes it in with `\input`. Every letter in it is ASCII.

use crate::derive::derivation::{Derivation, DerivedRound, Quantity};
use crate::report::formula::Formulas;
use crate::report::latex_listing::listing;
use crate::report::latex_math::{math, plain};
use crate::report::latex_text::escaped;
use crate::sym::print::Names;
use crate::text::Source;

/// Characters of a formula before it is broken over lines; commands count as one.
const WIDTH: usize = 64;

/// What a paper needs, and what makes the file compile without one.
const HEAD: &str = "\
% Needs amsmath, amssymb, booktabs, algorithm and algpseudocode: load them and \\input this file.
\\expandafter\\ifx\\csname algorithmic\\endcsname\\relax
\\documentclass{article}
\\usepackage{amsmath,amssymb,booktabs,algorithm,algpseudocode}
\\usepackage[margin=1in]{geometry}
\\begin{document}\\def\\endofderivation{\\end{document}}\\else\\def\\endofderivation{}\\fi
";

/// The program and its derivation, in these names.
///
/// ```
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let derivation = program.derive()?;
/// use atgpu::report::latex;
///
/// let tex = latex::derivation(&program.source, &derivation, &derivation.let_names());
/// assert!(tex.contains("\\begin{algorithmic}"));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn derivation(source: &Source, derivation: &Derivation, names: &Names) -> String {
    let formulas = Formulas::new(names);
    let mut out = HEAD.to_owned();
    out.push_str(&listing(source));
    out.push('\n');
    out.push_str(&display(
        &[
            ("\\text{cost}", &derivation.cost),
            ("\\text{GPU-cost}", &derivation.gpu_cost),
            ("\\text{transfer cost}", &derivation.transfer_cost),
        ],
        &formulas,
    ));
    out.push_str(&totals(derivation, &formulas));
    for round in &derivation.rounds {
        out.push_str(&round_latex(round, &formulas));
    }
    if !derivation.facts.is_empty() {
        let facts: Vec<String> = derivation
            .facts
            .iter()
            .map(|fact| format!("${}$", math(fact)))
            .collect();
        out.push_str(&format!("\n\\noindent Using {}.\n", facts.join(", ")));
    }
    for bound in &derivation.bounds {
        out.push_str(&format!(
            "\n\\noindent Not exact: {} (line {}): {}.\n",
            escaped(&bound.quantity.replace('_', " ")),
            bound.line,
            escaped(&bound.reason)
        ));
    }
    out.push_str("\\endofderivation\n");
    out
}

fn totals(derivation: &Derivation, formulas: &Formulas) -> String {
    let rows = derivation.totals.named().map(|(name, quantity)| {
        let class = derivation.classes.get(name).map(|class| math(class));
        let class = class.map(|class| format!("${class}$")).unwrap_or_default();
        format!(
            "  {} & ${}$ & {class} \\\\\n",
            name.replace('_', " "),
            formula(quantity, formulas)
        )
    });
    table("lll", "total & value & class", &rows.concat())
}

/// One round, or those of a host loop.
fn round_latex(round: &DerivedRound, formulas: &Formulas) -> String {
    let mut heading = match &round.number {
        Some(number) => format!("Round ${}$", formulas.latex_of(number)),
        None => "A round".to_owned(),
    };
    for range in &round.loops {
        let symbol = math(&range.symbol.name);
        let (from, to) = (formulas.latex_of(&range.from), formulas.latex_of(&range.to));
        let way = if range.down { "downto" } else { "to" };
        heading.push_str(&format!(
            ", ${symbol} = {}$ {way} ${}$",
            plain(&from),
            plain(&to)
        ));
    }
    if let Some((line, at_most)) = &round.within_while {
        let at_most = formulas.latex_of(at_most);
        heading.push_str(&format!(
            ", at most ${at_most}$ times by the while of line {line}"
        ));
    }
    let mut out = format!("\n\\noindent\\textbf{{{}}}\n", plain(&heading));
    out.push_str(&display(
        &[
            ("k", &round.launched_mps),
            ("t", &round.time),
            ("q", &round.io),
            ("I", &round.inward.words),
            ("O", &round.outward.words),
            ("m", &round.shared_words),
            ("g", &round.global_words),
            ("\\ell", &round.occupancy),
        ],
        formulas,
    ));
    let rows: String = round
        .lines
        .iter()
        .map(|line| {
            let number = match line.from {
                Some(from) => format!("{from}, {}", line.line),
                None => line.line.to_string(),
            };
            let cells = [&line.executions, &line.operations, &line.blocks]
                .map(|quantity| format!("${}$", formula(quantity, formulas)));
            let rule = line.rule.as_deref().map(escaped).unwrap_or_default();
            format!("  {number} & {} & {rule} \\\\\n", cells.join(" & "))
        })
        .collect();
    if !rows.is_empty() {
        out.push_str(&table(
            "rllll",
            "line & times & operations & blocks &",
            &rows,
        ));
    }
    out
}

fn table(columns: &str, header: &str, rows: &str) -> String {
    format!(
        "\\begin{{center}}\\small\n\\begin{{tabular}}{{{columns}}}\n  \\toprule\n  {header} \\\\\n  \
         \\midrule\n{rows}  \\bottomrule\n\\end{{tabular}}\n\\end{{center}}\n"
    )
}

/// Equations under each other.
fn display(equations: &[(&str, &Quantity)], formulas: &Formulas) -> String {
    let lines: Vec<String> = equations
        .iter()
        .map(|(name, quantity)| {
            let relation = if quantity.is_exact() { "=" } else { "\\leq" };
            let value = match &quantity.upper {
                Some(upper) => plain(&formulas.latex_of(upper)),
                None => "\\text{?}".to_owned(),
            };
            format!("  {name} &{relation} {}", broken(&value))
        })
        .collect();
    format!(
        "\\begin{{align*}}\n{}\n\\end{{align*}}\n",
        lines.join(" \\\\\n")
    )
}

fn formula(quantity: &Quantity, formulas: &Formulas) -> String {
    plain(&formulas.latex(quantity))
}

/// A long sum over several lines, broken in front of a plus or minus that stands in no bracket.
fn broken(latex: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_i32;
    let mut used = 0;
    let mut in_command = false;
    let mut start = 0;
    for (at, letter) in latex.char_indices() {
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
        // `\left\lfloor` opens without a bracket of its own.
        if latex[at..].starts_with("\\left\\") {
            depth += 1;
        } else if latex[at..].starts_with("\\right\\") {
            depth -= 1;
        }
        if letter == '\\' {
            in_command = true;
            used += 1;
        } else if in_command && !letter.is_ascii_alphabetic() {
            in_command = false;
        }
        if !in_command && !matches!(letter, ' ' | '{' | '}') {
            used += 1;
        }
        let breaks = depth == 0
            && used > WIDTH
            && (latex[at..].starts_with(" + ") || latex[at..].starts_with(" - "));
        if breaks {
            out.push_str(&latex[start..at]);
            out.push_str(" \\\\\n    &\\quad {}");
            start = at;
            used = 0;
        }
    }
    out.push_str(&latex[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_break_outside_brackets() {
        assert_eq!(broken("a + b"), "a + b");
        let part = "\\left\\lceil \\frac{n}{b} + x + y + z + u + v + w \\right\\rceil";
        let long = [part; 6].join(" + ");
        let found = broken(&long);
        assert!(found.contains("\\\\\n"), "{found}");
        for line in found.split("\\\\\n") {
            assert_eq!(
                line.matches("\\left").count(),
                line.matches("\\right").count(),
                "{line}"
            );
            assert_eq!(
                line.matches('{').count(),
                line.matches('}').count(),
                "{line}"
            );
        }
        assert_eq!(found.replace(" \\\\\n    &\\quad {}", ""), long);
    }
}

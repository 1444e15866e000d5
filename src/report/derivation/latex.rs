//! The LaTeX of `derive`: the program as an algorithm, its derivation as aligned displays, totals and lines
//! as tables, claims with their verdicts.
//!
//! The file compiles alone. A paper that loads the packages can include it with `\input`; everything before
//! the algorithm is skipped then. All text is ASCII.

use crate::count::Quantity;
use crate::derivation::{
    BlockRule, Derivation, Derived, DerivedClaim, DerivedLine, DerivedRound, Verdict,
};
use crate::report::causes::inexact_and_open;
use crate::report::derivation::{by_rounds, ending, heading as text_heading, opening};
use crate::report::formula::Formulas;
use crate::report::latex::layout::{
    Cell, Part, Shown, breakable, equations, fits, paragraph, table,
};
use crate::report::latex::listing::{Listing, listing};
use crate::report::latex::math::{math, plain};
use crate::report::latex::text::escaped;
use crate::sym::Cond;
use crate::sym::print::Names;
use crate::text::Source;

/// The preamble: package requirements, and a document if the file is compiled alone.
const HEAD: &str = "\
% Needs amsmath, amssymb, booktabs and algpseudocode: load them and \\input this file.
\\expandafter\\ifx\\csname algorithmic\\endcsname\\relax
\\documentclass{article}
\\usepackage{amsmath,amssymb,booktabs,algpseudocode}
\\usepackage[margin=1in]{geometry}
\\begin{document}\\def\\endofderivation{\\end{document}}\\else\\def\\endofderivation{}\\fi
";

/// Renders the program and its derivation, in these names.
pub fn latex(source: &Source, derivation: &Derivation, names: &Names) -> String {
    let formulas = Formulas::brief(names);
    let mut out = HEAD.to_owned();
    let listing = listing(source);
    out.push_str(&listing.text);
    out.push('\n');
    out.push_str(&costs(derivation, &formulas, &listing));
    out.push_str(&totals(derivation, &formulas));
    if !derivation.claims.is_empty() {
        out.push_str("\n\\medskip\\noindent\\textbf{Claims}\\par\\nobreak\n");
        for (number, claim) in (1..).zip(&derivation.claims) {
            out.push_str(&claim_latex(number, claim));
        }
    }
    for round in &derivation.rounds {
        out.push_str(&round_latex(
            round,
            &derivation.formals,
            &formulas,
            &listing,
        ));
    }
    if !derivation.facts.is_empty() {
        let facts: Vec<String> = derivation
            .facts
            .iter()
            .map(|fact| format!("${}$", breakable(fact)))
            .collect();
        out.push('\n');
        out.push_str(&paragraph(&format!("Using {}.", facts.join(", "))));
    }
    let headings = ["Not exact", "Not closed"];
    for (heading, causes) in headings.into_iter().zip(inexact_and_open(derivation)) {
        for cause in causes {
            out.push('\n');
            out.push_str(&paragraph(&format!(
                "{heading}: {} ({}): {}.",
                escaped(&cause.names().replace('_', " ")),
                places(cause.lines(), &listing),
                escaped(&cause.why.reason())
            )));
        }
    }
    out.push_str("\\endofderivation\n");
    out
}

/// The costs. If there are several rounds, each is first the sum over them, whose terms stand in a table; the same sum
/// in one line follows if it is short and close.
fn costs(derivation: &Derivation, formulas: &Formulas, listing: &Listing) -> String {
    let is_summed = by_rounds::is_summed(derivation, formulas);
    let is_merged = |which: &Quantity| !is_summed || !formulas.is_loose(derivation, *which);
    let merged: Vec<(&str, &Derived)> = [
        (Quantity::Cost, "\\text{cost}"),
        (Quantity::GpuCost, "\\text{GPU-cost}"),
        (Quantity::TransferCost, "\\text{transfer cost}"),
    ]
    .into_iter()
    .filter(|(which, _)| is_merged(which))
    .map(|(which, name)| (name, derivation.quantity(which)))
    .collect();
    let mut out = String::new();
    if is_summed {
        out.push_str(&by_rounds::Letters::of(derivation).latex());
    }
    out.push_str(&display(&merged, formulas));
    if is_summed {
        out.push_str(&terms(derivation, formulas, listing));
    }
    out
}

/// The k, ℓ, t and q of each kernel, which the sums over rounds add up.
fn terms(derivation: &Derivation, formulas: &Formulas, listing: &Listing) -> String {
    let rows = by_rounds::with_kernel(derivation).map(|round| {
        let counts = &round.counts;
        let quantities = [
            &counts.launched_mps,
            &round.occupancy,
            &counts.time,
            &counts.io,
        ];
        let cells = quantities.map(|quantity| Cell::Formula(shown(quantity, formulas, "")));
        let width = text_heading(round, formulas).chars().count();
        let first = Cell::Words(plain(&heading(round, formulas, listing)), width);
        [first].into_iter().chain(cells).collect()
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    table(&["", "$k$", "$\\ell$", "$t$", "$q$"], &[rows.into()])
}

/// The default columns of [`latex_table`].
pub const TABLE: [Quantity; 5] = [
    Quantity::Rounds,
    Quantity::TotalTime,
    Quantity::Io,
    Quantity::Transfer,
    Quantity::Shared,
];

/// Limit on the lines of a row in a table of programs.
const LINES: usize = 2;

/// Renders several programs in one table: a row per program, a column per quantity, in formal and machine
/// parameters. If the formulas do not fit, each quantity becomes a part of the table, with classes.
pub fn latex_table(derived: &[(String, Derivation)], quantities: &[Quantity]) -> String {
    let cell = |derivation: &Derivation, which| {
        let formulas = Formulas::brief(&Names::default());
        Cell::Formula(shown(derivation.quantity(which), &formulas, ""))
    };
    let rows = derived.iter().map(|(name, derivation)| {
        let cells = quantities.iter().map(|which| cell(derivation, *which));
        [words(name)].into_iter().chain(cells).collect()
    });
    let wide = Part::from(rows.collect::<Vec<_>>());
    let names = quantities
        .iter()
        .map(|which| which.name().replace('_', " "));
    let names: Vec<String> = names.collect();
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let header = [&["algorithm"], &*columns].concat();
    let table = if fits(&header, &wide, LINES) {
        table(&header, &[wide])
    } else {
        let parts = quantities.iter().zip(&names).map(|(which, heading)| Part {
            heading: Some(format!("\\emph{{{heading}}}")),
            rows: derived
                .iter()
                .map(|(name, derivation)| {
                    let value = cell(derivation, *which);
                    vec![words(name), value, class(derivation, *which)]
                })
                .collect(),
        });
        table(&["algorithm", "value", "class"], &parts.collect::<Vec<_>>())
    };
    format!("% Needs amsmath, amssymb and booktabs: load them and \\input this file.\n{table}")
}

fn class(derivation: &Derivation, which: Quantity) -> Cell {
    match derivation.classes.get(&which) {
        Some(class) => Cell::Formula(Shown {
            relation: "=",
            latex: math(class),
            text: class.clone(),
        }),
        None => words(""),
    }
}

fn totals(derivation: &Derivation, formulas: &Formulas) -> String {
    let rows = derivation.totals.all().map(|(which, quantity)| {
        vec![
            words(&which.name().replace('_', " ")),
            match by_rounds::total(which, derivation, formulas) {
                Some((text, latex)) => Cell::Formula(Shown {
                    relation: "=",
                    latex,
                    text,
                }),
                None => Cell::Formula(shown(quantity, formulas, "")),
            },
            class(derivation, which),
        ]
    });
    table(&["total", "value", "class"], &[Vec::from(rows).into()])
}

/// `line 3`, or `lines 3, 7`, by the numbers of the listing. A declaration has none, and is told by the file's.
fn places(lines: &[usize], listing: &Listing) -> String {
    let numbers: Option<Vec<usize>> = lines.iter().map(|line| listing.number(*line)).collect();
    let (numbers, of_file) = match &numbers {
        Some(numbers) => (numbers.as_slice(), ""),
        None => (lines, " of the file"),
    };
    let list: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let word = if list.len() == 1 { "line" } else { "lines" };
    format!("{word} {}{of_file}", list.join(", "))
}

/// A claim with its number and verdict. The listing has no claims.
fn claim_latex(number: usize, claim: &DerivedClaim) -> String {
    let verdict = match &claim.verdict {
        Verdict::Proved => "proved".to_owned(),
        Verdict::Tested(points) => format!("tested at {points} points"),
        Verdict::Refuted(shown) => format!("\\textbf{{refuted}} {}", escaped(&shown.to_string())),
        Verdict::Open(reason) => format!("open: {}", escaped(&reason.to_string())),
    };
    // `global` is also a keyword of declarations; here it is a quantity, so it is typeset apart from the
    // rest.
    let (quantity, rest) = claim.text.split_at(
        claim
            .text
            .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .unwrap_or(claim.text.len()),
    );
    paragraph(&format!(
        "Claim~{number}: $\\mathit{{{}}} {}$, {verdict}",
        quantity.replace('_', "\\_"),
        breakable(rest)
    ))
}

/// A round, or the rounds of a host loop. A letter that is also a formal of the program gets a suffix.
fn round_latex(
    round: &DerivedRound,
    formals: &[String],
    formulas: &Formulas,
    listing: &Listing,
) -> String {
    let told = |letter: &str| {
        if formals.iter().any(|formal| math(formal) == letter) {
            format!("{letter}_{{\\text{{round}}}}")
        } else {
            letter.to_owned()
        }
    };
    let mut out = format!(
        "\n\\medskip\\noindent\\textbf{{{}}}\\par\\nobreak\n",
        plain(&heading(round, formulas, listing))
    );
    let mut quantities = vec![
        ("k", &round.counts.launched_mps),
        ("t", &round.counts.time),
        ("q", &round.counts.io),
        ("I", &round.counts.inward.words),
        ("O", &round.counts.outward.words),
        ("m", &round.counts.shared_words),
        ("g", &round.counts.global_words),
        ("\\ell", &round.occupancy),
    ];
    // A part of a round has no kernel.
    quantities.retain(|(name, _)| round.joined.is_none() || ["I", "O", "g"].contains(name));
    let told = quantities
        .iter()
        .map(|(letter, value)| (told(letter), *value));
    out.push_str(&display(&told.collect::<Vec<_>>(), formulas));
    let rows: Vec<Vec<Cell>> = round
        .lines
        .iter()
        .map(|line| row(line, formulas, listing))
        .collect();
    if !rows.is_empty() {
        out.push_str(&table(
            &["line", "times", "operations", "blocks", ""],
            &[rows.into()],
        ));
    }
    out
}

fn heading(round: &DerivedRound, formulas: &Formulas, listing: &Listing) -> String {
    let number = round.number.as_ref();
    let number = number.map(|number| format!("${}$", formulas.latex_of(number)));
    let mut heading = capitalised(&opening(round, number));
    if let Some(when) = &round.when {
        heading.push_str(&format!(", where ${}$", formulas.latex_of_cond(when)));
    }
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
            ", at most ${at_most}$ times by the while of {}",
            places(&[*line], listing)
        ));
    }
    if let Some(line) = round.within_until {
        let place = places(&[line], listing);
        heading.push_str(&format!(", or fewer by the until of {place}"));
    }
    let written = |cond: &Cond| format!("${}$", formulas.latex_of_cond(cond));
    heading.push_str(&ending(round, written));
    heading
}

/// A row of the table of lines.
fn row(line: &DerivedLine, formulas: &Formulas, listing: &Listing) -> Vec<Cell> {
    let numbered = |line: usize| listing.number(line).unwrap_or(line);
    let number = match line.from {
        Some(from) => format!("{}, {}", numbered(from), numbered(line.line)),
        None => numbered(line.line).to_string(),
    };
    let cells = [&line.executions, &line.operations, &line.blocks]
        .map(|quantity| Cell::Formula(shown(quantity, formulas, "")));
    let rule = words(
        &line
            .rule
            .as_ref()
            .map(BlockRule::to_string)
            .unwrap_or_default(),
    );
    [words(&number)]
        .into_iter()
        .chain(cells)
        .chain([rule])
        .collect()
}

/// Capitalises the first letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn words(text: &str) -> Cell {
    Cell::Words(escaped(text), text.chars().count())
}

/// Aligned equations.
fn display(quantities: &[(impl AsRef<str>, &Derived)], formulas: &Formulas) -> String {
    let lines = quantities.iter();
    let lines = lines.map(|(name, quantity)| {
        let name = name.as_ref();
        (name, shown(quantity, formulas, name))
    });
    equations(&lines.collect::<Vec<_>>())
}

/// A quantity, or its short upper bound if it is too long. It is written out if the program's own name for
/// it is the symbol on the left.
fn shown(quantity: &Derived, formulas: &Formulas, name: &str) -> Shown {
    let brief = formulas.plain(quantity);
    let relation = if quantity.is_exact() && brief.is_none() {
        "="
    } else {
        "\\leq"
    };
    let Some(upper) = brief.or(quantity.upper.as_ref()) else {
        return Shown {
            relation,
            latex: "\\text{?}".to_owned(),
            text: "?".to_owned(),
        };
    };
    let text = formulas.text(upper);
    if text == name {
        Shown {
            relation,
            latex: breakable(&upper.to_string()),
            text: upper.to_string(),
        }
    } else {
        Shown {
            relation,
            latex: plain(&formulas.latex_of(upper)),
            text,
        }
    }
}

//! The text of `derive`: GPU-cost first, then totals with their classes, rounds, lines, claims.

use std::fmt::{self, Write as _};

use crate::count::Quantity;
use crate::derivation::{BlockRule, Derivation, DerivedClaim, DerivedRound, Verdict};
use crate::derive::{Closing, Splitting};
use crate::report::causes::{Cause, inexact_and_open};
use crate::report::derivation::{by_rounds, heading};
use crate::report::formula::Formulas;
use crate::report::table::{Align, Table};
use crate::report::wrap::{WIDTH, labelled, within_width, wrapped};
use crate::sym::print::Names;

/// Limit on the characters of a formula in a column. Longer ones stand below their line, or in a row of their
/// own.
const MOST_IN_A_COLUMN: usize = 44;
/// Limit on the characters of a class. Longer ones stand below their total.
const MOST_OF_A_CLASS: usize = 36;

/// Renders the whole derivation, in these names.
pub fn text(derivation: &Derivation, names: &Names) -> String {
    let formulas = Formulas::brief(names);
    let mut out = format!("{}\n\n", derivation.algorithm);
    out.push_str(&costs(derivation, &formulas));
    out.push('\n');
    out.push_str(&totals(derivation, &formulas));
    out.push_str(&shortened(derivation, &formulas));
    for round in &derivation.rounds {
        out.push('\n');
        out.push_str(&round_text(round, &formulas));
    }
    if !derivation.facts.is_empty() {
        out.push('\n');
        out.push_str(&labelled("  using ", &derivation.facts.join(", ")));
    }
    if !derivation.claims.is_empty() {
        out.push('\n');
        for claim in &derivation.claims {
            out.push_str(&claim_text(claim));
        }
    }
    let headings = ["not exact", "not closed"];
    for (heading, causes) in headings.into_iter().zip(inexact_and_open(derivation)) {
        if !causes.is_empty() {
            let _ = writeln!(out, "\n{heading}:");
        }
        out.extend(causes.iter().map(Cause::text));
    }
    out
}

/// Both costs with their classes. If there are several rounds, each is first the sum over them, whose terms stand
/// below; the same sum in one line follows if it is short and close.
fn costs(derivation: &Derivation, formulas: &Formulas) -> String {
    let is_summed = by_rounds::is_summed(derivation, formulas);
    let mut out = String::new();
    for (label, which) in [
        ("  GPU-cost  ", Quantity::GpuCost),
        ("  cost      ", Quantity::Cost),
    ] {
        let quantity = derivation.quantity(which);
        let indent = " ".repeat(label.chars().count());
        let merged = formulas.quantity(quantity);
        if is_summed {
            let letters = by_rounds::Letters::of(derivation);
            out.push_str(&labelled(label, &letters.expression(which)));
            if quantity.upper.is_some() && !formulas.is_loose(derivation, which) {
                let is_bound = merged.starts_with('≤');
                let merged = if is_bound {
                    merged
                } else {
                    format!("= {merged}")
                };
                out.push_str(&labelled(&indent, &merged));
            }
        } else {
            out.push_str(&labelled(label, &merged));
        }
        if let Some(class) = derivation.classes.get(&which) {
            out.push_str(&labelled(&indent, &below(class)));
        }
    }
    if is_summed {
        out.push('\n');
        out.push_str(&by_rounds::terms(Quantity::GpuCost, derivation, formulas));
    }
    out
}

/// Prints the derivation as `atgpu derive` does, in the program's `let` names.
impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self, &self.let_names()))
    }
}

/// Renders the `require`s that close totals, and the closed forms.
pub fn closing_text(closing: &Closing, expand: bool) -> String {
    let derivation = &closing.derivation;
    let names = if expand {
        Names::default()
    } else {
        derivation.let_names()
    };
    let formulas = Formulas::new(&names);
    let mut out = format!("\ncloses with {}:\n", closing.requires.join(" ∧ "));
    for which in &closing.closed {
        let label = format!("  {} = ", which.name());
        out.push_str(&labelled(
            &label,
            &formulas.quantity(derivation.quantity(*which)),
        ));
    }
    out
}

/// Renders the guard whose split makes totals exact.
pub fn splitting_text(splitting: &Splitting) -> String {
    let Splitting {
        line,
        guards: [first, second],
        exact,
    } = splitting;
    let exact: Vec<&str> = exact.iter().map(|which| which.name()).collect();
    let advice = format!(
        "split the `∨` of line {line} into two guards, `{first}` and `{second}`: {} exact then",
        match &*exact {
            [one] => format!("{one} is"),
            several => format!("{} are", several.join(", ")),
        }
    );
    format!("\n{}", within_width(&format!("{advice}\n")))
}

/// Totals beside their classes. If these do not fit, long formulas are stacked above their classes.
fn totals(derivation: &Derivation, formulas: &Formulas) -> String {
    let is_shown = |which| !matches!(which, Quantity::Cost | Quantity::GpuCost);
    let shown = derivation.all().filter(|(which, _)| is_shown(*which));
    let rows = shown.map(|(which, quantity)| {
        let class = derivation.classes.get(&which);
        let class = class.map_or("", String::as_str);
        let by_rounds = by_rounds::total(which, derivation, formulas);
        let form = by_rounds.map_or_else(|| formulas.quantity(quantity), |(text, _)| text);
        (which.name(), form, class)
    });
    let rows: Vec<_> = rows.collect();
    let length = |text: &str| text.chars().count();
    let is_long = |formula: &str, class: &str| {
        length(formula) > MOST_IN_A_COLUMN || length(class) > MOST_OF_A_CLASS
    };
    let table = |stacks: bool| {
        let mut table = Table::new(&[
            ("total", Align::Left),
            ("", Align::Left),
            ("class", Align::Left),
        ]);
        for (name, formula, class) in &rows {
            if stacks && is_long(formula, class) {
                table.stacked_row([name, formula.as_str(), &below(class)])
            } else {
                table.row([name, formula.as_str(), class])
            }
        }
        table
    };
    let beside = table(false);
    if beside.fits() {
        beside.render()
    } else {
        table(true).render()
    }
}

/// Renders these quantities alone, a line each, with their classes.
///
/// ```
/// use atgpu::{count::Quantity, report::derivation::quantities_text};
///
/// let program = atgpu::examples::vector_addition();
/// let derivation = atgpu::derive::derive(&program, &().into());
/// let told = quantities_text(&derivation, &derivation.let_names(), &[Quantity::Io]);
/// assert_eq!(told, "io  3k  ∈ Θ(n/b)\n");
/// ```
pub fn quantities_text(derivation: &Derivation, names: &Names, wanted: &[Quantity]) -> String {
    let formulas = Formulas::brief(names);
    let width = wanted.iter().map(|which| which.name().len()).max();
    let line = |which: &Quantity| {
        let formula = formulas.quantity(derivation.quantity(*which));
        let class = derivation.classes.get(which);
        let class = class.map_or_else(String::new, |class| format!("  {}", below(class)));
        let label = format!("{:1$}  ", which.name(), width.unwrap_or(0));
        labelled(&label, &(formula + &class))
    };
    wanted.iter().map(line).collect()
}

/// A class below its total; empty for no class.
fn below(class: &str) -> String {
    match class {
        "" => String::new(),
        class => format!("∈ {class}"),
    }
}

/// Lists the totals and costs that `--exact` shows in a longer form.
fn shortened(derivation: &Derivation, formulas: &Formulas) -> String {
    let list = |is_exact: bool| {
        let shorter = derivation.all().filter(|(_, quantity)| {
            let is_shorter = formulas.plain(quantity).is_some();
            is_shorter && quantity.is_exact() == is_exact
        });
        shorter
            .map(|(which, _)| which.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let told: Vec<String> = [("the exact form", true), ("a closer bound", false)]
        .map(|(what, is_exact)| (what, list(is_exact)))
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} of {names}"))
        .collect();
    if told.is_empty() {
        String::new()
    } else {
        labelled("\n  ", &format!("--exact shows {}", told.join("; ")))
    }
}

fn round_text(round: &DerivedRound, formulas: &Formulas) -> String {
    let lines = wrapped(&heading(round, formulas), WIDTH - 2);
    let mut out = format!("{}\n", lines.join("\n  "));
    let mut table = Table::bare(&[Align::Left, Align::Left]);
    let rows = [
        ("MPs k", &round.counts.launched_mps),
        ("time t", &round.counts.time),
        ("blocks q", &round.counts.io),
        ("words in", &round.counts.inward.words),
        ("words out", &round.counts.outward.words),
        ("shared m", &round.counts.shared_words),
        ("global g", &round.counts.global_words),
        ("resident ℓ", &round.occupancy),
        ("bank conflicts", &round.counts.bank_conflicts),
    ];
    // A part of a round has no kernel.
    let is_shown = |name: &str| {
        round.joined.is_none() || ["words in", "words out", "global g"].contains(&name)
    };
    for (name, quantity) in rows.into_iter().filter(|(name, _)| is_shown(name)) {
        table.row([name.to_owned(), formulas.quantity(quantity)]);
    }
    out.push_str(&table.render());
    if !round.lines.is_empty() {
        out.push_str(&lines_text(round, formulas));
    }
    out
}

/// The table of the lines of a round.
fn lines_text(round: &DerivedRound, formulas: &Formulas) -> String {
    let mut table = Table::new(&[
        ("line", Align::Right),
        ("", Align::Left),
        ("times", Align::Left),
        ("operations", Align::Left),
        ("blocks", Align::Left),
        ("", Align::Left),
    ])
    .with_notes();
    for line in &round.lines {
        let number = match line.from {
            Some(from) => format!("{from}>{}", line.line),
            None => line.line.to_string(),
        };
        let mut blocks = formulas.quantity(&line.blocks);
        let mut note = line.rule.as_ref().map(BlockRule::to_string);
        if blocks.chars().count() > MOST_IN_A_COLUMN {
            let rule = note.map(|rule| format!("; {rule}")).unwrap_or_default();
            note = Some(format!("blocks {blocks}{rule}"));
            "below".clone_into(&mut blocks);
        }
        table.row([
            number,
            cut(&line.text, 36),
            formulas.quantity(&line.executions),
            formulas.quantity(&line.operations),
            blocks,
            note.unwrap_or_default(),
        ]);
    }
    table.render()
}

fn claim_text(claim: &DerivedClaim) -> String {
    let (verdict, more) = match &claim.verdict {
        Verdict::Proved => ("proved".to_owned(), None),
        Verdict::Tested(points) => (format!("tested at {points} points"), None),
        Verdict::Refuted(shown) => ("REFUTED".to_owned(), Some(shown.to_string())),
        Verdict::Open(reason) => ("open".to_owned(), Some(reason.to_string())),
    };
    let label = format!("  {verdict}  line {}: ", claim.line);
    let more = more.map(|more| labelled("    ", &more));
    labelled(&label, &claim.text) + &more.unwrap_or_default()
}

/// Truncates a long text, with an ellipsis.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most.min(WIDTH) {
        return text.to_owned();
    }
    let mut shortened: String = text.chars().take(most - 1).collect();
    shortened.push('…');
    shortened
}

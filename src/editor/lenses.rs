//! Summaries of the algorithm, each kernel and each claim, shown above their lines.

use crate::count::Quantity;
use crate::derivation::{Derivation, DerivedClaim, DerivedLine, DerivedRound, Verdict};
use crate::editor::document::{Document, Hints};
use crate::editor::names::{inside, span_of};
use crate::editor::position::{Place, place};
use crate::report::formula::Formulas;
use crate::syntax::ast::{Algorithm, Stmt};
use crate::text::Span;

/// Limit on the characters of a formula; a longer one is cut.
const LONGEST: usize = 60;

/// A line of text above a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The beginning of the line below it.
    pub place: Place,
    /// The text.
    pub text: String,
}

/// Returns the lenses of the whole text. Lines that changed since the last derivation have none.
pub fn lenses(document: &Document) -> Vec<Lens> {
    let (Some(known), Some(tree)) = (&document.derived, &document.tree) else {
        return Vec::new();
    };
    let derivation = &known.found.derivation;
    let formulas = Formulas::new(&derivation.let_names());
    let source = &document.source;
    let at = |line: usize, text: String| {
        let span = source.line_span(line);
        let code = source.slice(span);
        let start = span.start + code.len() - code.trim_start().len();
        Lens {
            place: place(source, start),
            text,
        }
    };
    let mut found = Vec::new();
    // A claim that is proved says it already.
    let says_cost = |claim: &DerivedClaim| {
        let rest = claim.text.strip_prefix(Quantity::GpuCost.name());
        let is_equal = rest.is_some_and(|rest| rest.trim_start().starts_with('='));
        is_equal && claim.verdict == Verdict::Proved
    };
    if !derivation.claims.iter().any(says_cost) {
        let cost = formulas.quantity(&derivation.gpu_cost);
        let first = source.line_of(tree.name.span.start);
        found.push(at(first, format!("GPU-cost {}", short(cost))));
    }
    for wrapper in wrappers(tree) {
        let texts = of_kernel(wrapper, document, derivation, &formulas);
        if !texts.is_empty() {
            found.push(at(source.line_of(wrapper.start), texts));
        }
    }
    // What is wrong is found as such.
    let is_right = |claim: &&DerivedClaim| !matches!(claim.verdict, Verdict::Refuted(_));
    for claim in derivation.claims.iter().filter(is_right) {
        if let Some(line) = known.lines.now(claim.line) {
            found.push(at(line, verdict(&claim.verdict)));
        }
    }
    found.sort_by_key(|lens| lens.place);
    found
}

/// Returns the verdict on a claim in a few words.
pub(super) fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved => "proved".to_owned(),
        Verdict::Tested(points) => format!("tested at {points} points"),
        Verdict::Refuted(shown) => format!("wrong {shown}"),
        Verdict::Open(reason) => format!("open: {reason}"),
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the opening lines of all wrapper loops.
fn wrappers(tree: &Algorithm) -> Vec<Span> {
    fn collect(body: &[Stmt], found: &mut Vec<Span>) {
        for statement in body {
            if matches!(statement, Stmt::Wrapper(_)) {
                found.push(span_of(statement));
            }
            collect(inside(statement), found);
        }
    }
    let mut found = Vec::new();
    for kernel in &tree.kernels {
        collect(&kernel.body, &mut found);
    }
    collect(&tree.body, &mut found);
    found.sort();
    found
}

/// Describes the rounds that launch a wrapper loop: the rounds whose lines stand in it.
fn of_kernel(
    wrapper: Span,
    document: &Document,
    derivation: &Derivation,
    formulas: &Formulas,
) -> String {
    let Some(known) = &document.derived else {
        return String::new();
    };
    let opens = document.source.line_of(wrapper.start);
    let block = document.blocks.iter().find(|block| block.0 == opens);
    let ends = block.map_or(opens, |block| block.1);
    let is_inside = |round: &&DerivedRound| {
        let lines = round
            .lines
            .iter()
            .filter_map(|line| known.lines.now(line.line));
        // All lines of a round stand in one kernel, so the first line that still exists decides.
        lines.take(1).any(|line| opens < line && line < ends)
    };
    let mut texts: Vec<String> = Vec::new();
    for round in derivation.rounds.iter().filter(is_inside) {
        let text = of_round(round, document.settings.hints, formulas);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.len() {
        0..=2 => texts.join("  |  "),
        more => format!("{}  |  … {} more", texts[0], more - 1),
    }
}

fn of_round(round: &DerivedRound, hints: Hints, formulas: &Formulas) -> String {
    let counts = &round.counts;
    let blocks = formulas.quantity(&counts.io);
    // Where one line has them all, they stand behind it.
    let stands_behind = |line: &DerivedLine| formulas.quantity(&line.blocks) == blocks;
    let tells_blocks = hints == Hints::Off || !round.lines.iter().any(stands_behind);
    let parts = [
        ("k", &counts.launched_mps, ""),
        ("t", &counts.time, ""),
        ("q", &counts.io, ""),
        ("m", &counts.shared_words, " of M"),
        ("ℓ", &round.occupancy, ""),
    ];
    let parts = parts
        .into_iter()
        .filter(|(letter, ..)| *letter != "q" || tells_blocks);
    let parts = parts.map(|(letter, quantity, more)| {
        let text = short(formulas.quantity(quantity));
        if text == letter {
            // The program's own name for it says nothing.
            format!("{letter} {}", written_out(quantity).unwrap_or(text))
        } else {
            format!("{letter} {text}{more}")
        }
    });
    parts.collect::<Vec<_>>().join(" · ")
}

fn written_out(quantity: &crate::derivation::Derived) -> Option<String> {
    quantity
        .upper
        .as_ref()
        .map(|upper| short(upper.to_string()))
}

//! The cost of each line, shown behind it.

use crate::derivation::DerivedLine;
use crate::editor::document::{Document, Hints};
use crate::editor::position::{Place, place};
use crate::report::formula::Formulas;

/// Limit on the characters of a formula; a longer one is cut, and hovering shows all of it.
const LONGEST: usize = 40;

/// A text to show behind a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The place behind the last character of the line.
    pub place: Place,
    /// The text: `q 3k`, or `×2  t 6  q 3k`.
    pub text: String,
}

/// Returns the hints of the whole text. Lines that changed since the last derivation have none.
pub fn hints(document: &Document) -> Vec<Hint> {
    let Some(known) = &document.derived else {
        return Vec::new();
    };
    let derivation = &known.found.derivation;
    let formulas = Formulas::new(&derivation.let_names());
    // By line, since a kernel may be executed in several rounds.
    let mut texts: Vec<(usize, Vec<String>)> = Vec::new();
    for line in derivation.rounds.iter().flat_map(|round| &round.lines) {
        let Some(text) = hint(line, document.settings.hints, &formulas) else {
            continue;
        };
        match texts.iter_mut().find(|(number, _)| *number == line.line) {
            Some((_, all)) if all.contains(&text) => {}
            Some((_, all)) => all.push(text),
            None => texts.push((line.line, vec![text])),
        }
    }
    let mut found: Vec<Hint> = texts
        .into_iter()
        .filter_map(|(line, texts)| {
            let line = document.source.line_span(known.lines.now(line)?);
            let text = document.source.slice(line);
            let shown = texts
                .iter()
                .take(2)
                .cloned()
                .collect::<Vec<_>>()
                .join(" | ");
            let more = if texts.len() > 2 { " | …" } else { "" };
            Some(Hint {
                place: place(&document.source, line.start + text.trim_end().len()),
                text: shown + more,
            })
        })
        .collect();
    found.sort_by_key(|hint| hint.place);
    found
}

fn hint(line: &DerivedLine, hints: Hints, formulas: &Formulas) -> Option<String> {
    let short = |text: String| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let blocks = || match &line.blocks.upper {
        Some(blocks) if blocks.is_zero() => None,
        Some(_) | None => Some(format!("q {}", short(formulas.quantity(&line.blocks)))),
    };
    match hints {
        Hints::Off => None,
        Hints::Blocks => blocks(),
        Hints::All => {
            let times = formulas.quantity(&line.executions);
            let times = (times != "1").then(|| format!("×{}", short(times)));
            let time = format!("t {}", short(formulas.quantity(&line.operations)));
            let parts = [times, Some(time), blocks()];
            Some(parts.into_iter().flatten().collect::<Vec<_>>().join("  "))
        }
    }
}

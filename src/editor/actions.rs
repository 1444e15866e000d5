//! The actions that an editor offers at a place: fixes of the findings there, and changes of the whole text.

use crate::check::mend;
use crate::count::Quantity;
use crate::diag::Diagnostic;
use crate::editor::document::Document;
use crate::editor::formatting::{TextEdit, spelt};
use crate::editor::position::{Range, place, range, span};
use crate::editor::requires::place_for_require;
use crate::report::formula::Formulas;
use crate::room::with_room;
use crate::syntax::Spelling;
use crate::syntax::signs::spelled;
use crate::text::{Source, Span};

/// The purpose of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Mends one finding.
    Fix,
    /// Mends every finding that has exactly one fix.
    FixAll,
    /// Respells the text or adds to it.
    Rewrite,
}

/// An action that a user can choose.
#[derive(Debug, Clone)]
pub struct Action {
    /// The menu's words.
    pub title: String,
    /// The purpose.
    pub kind: ActionKind,
    /// The changes.
    pub edits: Vec<TextEdit>,
    /// The finding that the action mends.
    pub mends: Option<Diagnostic>,
    /// True if this is the obvious choice.
    pub preferred: bool,
}

/// Returns all actions that a range offers.
pub fn actions(document: &Document, within: Range) -> Vec<Action> {
    let findings = document.diagnostics();
    let mut found = fixes_within(&document.source, &findings, within);
    // A `require` may prove such findings absent, so the missing ones are offered beside the findings' own
    // fixes.
    let is_safety = |finding: &Diagnostic| {
        let area = finding.code.short_name().split("::").next();
        matches!(area, Some("bounds" | "race" | "value" | "limit"))
    };
    if findings.iter().any(is_safety) {
        for condition in document.missing_requires() {
            let require = insert_require(document, condition);
            // A fix of the finding may say the same, with `|` for `∣`.
            let bar = |title: &str| title.replace('∣', "|");
            let is_new = |known: &Action| bar(&known.title) != bar(&require.title);
            if found.iter().all(is_new) {
                found.push(require);
            }
        }
    }
    found.extend(fix_all(document));
    found.extend(respell(
        document,
        Spelling::Unicode,
        "write signs: ⇐ for <=",
    ));
    found.extend(respell(document, Spelling::Ascii, "write ASCII: <= for ⇐"));
    found.extend(claims(document));
    found
}

/// Returns the fixes of the findings that a range touches, for any text.
pub fn fixes_within(source: &Source, findings: &[Diagnostic], within: Range) -> Vec<Action> {
    let selected = span(source, within);
    let line = |at: usize| source.line_of(at);
    // On its line is near enough: a menu is opened with a cursor, not with a selection.
    let touches = |finding: &&Diagnostic| {
        finding.primary().is_some_and(|label| {
            line(label.span.start) <= line(selected.end)
                && line(selected.start) <= line(label.span.end)
        })
    };
    let touched = findings.iter().filter(touches);
    touched.flat_map(|finding| fixes(source, finding)).collect()
}

fn fixes(source: &Source, finding: &Diagnostic) -> Vec<Action> {
    let fixes = finding.fixes.iter().map(|fix| Action {
        title: fix.title.clone(),
        kind: ActionKind::Fix,
        edits: fix
            .edits
            .iter()
            .map(|edit| TextEdit {
                range: range(source, edit.span),
                text: edit.text.clone(),
            })
            .collect(),
        mends: Some(finding.clone()),
        preferred: fix.preferred,
    });
    fixes.collect()
}

fn insert_require(document: &Document, condition: &str) -> Action {
    let source = &document.source;
    let condition = spelled(source, condition);
    Action {
        title: format!("add `require {condition}`"),
        kind: ActionKind::Fix,
        edits: vec![insertion(
            document,
            place_for_require(source),
            format!("  require {condition}\n"),
        )],
        mends: None,
        preferred: false,
    }
}

fn insertion(document: &Document, at: usize, text: String) -> TextEdit {
    let at = place(&document.source, at);
    TextEdit {
        range: Range { start: at, end: at },
        text,
    }
}

fn fix_all(document: &Document) -> Option<Action> {
    let source = &document.source;
    if !document
        .diagnostics()
        .iter()
        .any(|finding| finding.fixes.first().is_some_and(|fix| fix.preferred))
    {
        return None;
    }
    let mended = with_room(|| mend(source));
    (!mended.fixed.is_empty()).then(|| Action {
        title: "mend all that has one fix".to_owned(),
        kind: ActionKind::FixAll,
        edits: vec![TextEdit {
            range: range(source, Span::new(0, source.text().len())),
            text: mended.source.text().to_owned(),
        }],
        mends: None,
        preferred: false,
    })
}

fn respell(document: &Document, spelling: Spelling, title: &str) -> Option<Action> {
    let edits = spelt(document, spelling);
    let is_other = edits != spelt(document, Spelling::AsWritten);
    (is_other && !edits.is_empty()).then(|| Action {
        title: title.to_owned(),
        kind: ActionKind::Rewrite,
        edits,
        mends: None,
        preferred: false,
    })
}

/// Returns an action that claims the derived quantities without a claim, behind the header's last line.
fn claims(document: &Document) -> Option<Action> {
    let known = document.derived.as_ref()?;
    let derivation = &known.found.derivation;
    let source = &document.source;
    let program = &known.found.program;
    // After an edit the derivation is of an older text, and its formulas may be wrong for this one.
    if program.source.text() != source.text() {
        return None;
    }
    let formulas = Formulas::new(&derivation.let_names());
    let is_claimed = |which: Quantity| program.claims.iter().any(|claim| claim.quantity == which);
    let lines: Vec<String> = derivation
        .all()
        .filter(|(which, derived)| !is_claimed(*which) && derived.is_exact())
        .filter_map(|(which, derived)| {
            let upper = derived.upper.as_ref()?;
            let text = format!("  claim {} = {}\n", which.name(), formulas.text(upper));
            Some(spelled(source, &text))
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let tree = document.tree.as_ref()?;
    let spans = tree.header.iter().map(|item| match item {
        crate::syntax::ast::HeaderItem::Require(found)
        | crate::syntax::ast::HeaderItem::Ensure(found) => found.span,
        crate::syntax::ast::HeaderItem::Declaration(found) => found.span,
        crate::syntax::ast::HeaderItem::Let(found) => found.span,
        crate::syntax::ast::HeaderItem::Claim(found) => found.span,
    });
    let last = spans
        .map(|span| span.end)
        .max()
        .unwrap_or(tree.name.span.end);
    let behind = source.line_span(source.line_of(last) + 1).start;
    Some(Action {
        title: format!("claim what is derived ({} more)", lines.len()),
        kind: ActionKind::Rewrite,
        edits: vec![insertion(document, behind, lines.concat())],
        mends: None,
        preferred: false,
    })
}

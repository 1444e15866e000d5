//! What an editor offers to do at a place: the fixes of what is found there, and changes of the whole
//! text.

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

/// What an action is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Mends one finding.
    Fix,
    /// Mends all that has one fix.
    FixAll,
    /// Writes the same otherwise, or more.
    Rewrite,
}

/// Something to do.
#[derive(Debug, Clone)]
pub struct Action {
    /// What a menu shows.
    pub title: String,
    /// What it is for.
    pub kind: ActionKind,
    /// What it changes.
    pub edits: Vec<TextEdit>,
    /// What it mends.
    pub mends: Option<Diagnostic>,
    /// Whether it is the obvious one.
    pub preferred: bool,
}

/// All that could be done in a range.
///
/// ```
/// use atgpu::editor::{self, Document, Settings};
///
/// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
/// let mut document = Document::open(text, Settings::default());
/// document.finish();
/// let all = editor::actions(&document, editor::Range::default());
/// assert!(all.iter().any(|action| action.title.starts_with("claim what is derived")));
/// ```
pub fn actions(document: &Document, within: Range) -> Vec<Action> {
    let findings = document.diagnostics();
    let mut found = fixes_within(&document.source, &findings, within);
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

/// The fixes of what is found in a range, of any text.
///
/// ```
/// use atgpu::editor::{self, Place, Range};
/// use atgpu::text::Source;
///
/// let source = Source::new("t.atgpu", "algorithm T(n)\n  let k = ⌈n/b⌉\n  let m = 2·kx\n");
/// let found = atgpu::check::check_text(&source).diagnostics;
/// let third = Place { line: 2, character: 0 };
/// let fixes = editor::fixes_within(&source, &found, Range { start: third, end: third });
/// assert_eq!(fixes[0].title, "write `k`");
/// ```
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

/// The derived quantities that no claim speaks of, as claims behind the last line of the header.
fn claims(document: &Document) -> Option<Action> {
    let known = document.derived.as_ref()?;
    let derivation = &known.found.derivation;
    let source = &document.source;
    let program = &known.found.program;
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

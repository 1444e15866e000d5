//! Formatting of a text, or of some of its lines, as `fmt` does it.

use crate::editor::document::Document;
use crate::editor::position::{Place, Range, offset, range};
use crate::syntax::{self, Spelling};
use crate::text::Span;

/// A range and the text that takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The range that is replaced.
    pub range: Range,
    /// The new text.
    pub text: String,
}

/// Returns the edits that format the whole text; none if its syntax is faulty. Unchanged lines are not
/// touched, so that cursors keep their places.
pub fn format(document: &Document) -> Vec<TextEdit> {
    spelt(document, Spelling::AsWritten)
}

/// Like [`format()`], in a given spelling.
pub(super) fn spelt(document: &Document, spelling: Spelling) -> Vec<TextEdit> {
    let Ok(new) = syntax::format(&document.source, spelling) else {
        return Vec::new();
    };
    changes(document, &new)
}

/// Returns the formatting edits whose lines lie in a range. Where formatting moves lines, there is one edit
/// for all of them.
pub fn format_range(document: &Document, within: Range) -> Vec<TextEdit> {
    let mut edits = format(document);
    // A range that ends at the beginning of a line does not mean that line.
    let last = match within.end {
        Place { line, character: 0 } if line > within.start.line => line - 1,
        Place { line, .. } => line,
    };
    edits.retain(|edit| {
        let ends = match edit.range.end {
            Place { line, character: 0 } if line > edit.range.start.line => line - 1,
            Place { line, .. } => line,
        };
        within.start.line <= edit.range.start.line && ends <= last
    });
    edits
}

/// Returns an edit for each changed line if both texts have equally many lines. Otherwise one edit replaces
/// all lines between the equal ones above and below.
pub(super) fn changes(document: &Document, new: &str) -> Vec<TextEdit> {
    let source = &document.source;
    let old = source.text();
    if old == new {
        return Vec::new();
    }
    let (before, after): (Vec<&str>, Vec<&str>) = (
        old.split_inclusive('\n').collect(),
        new.split_inclusive('\n').collect(),
    );
    let edit = |first: usize, last: usize, text: String| {
        let start: usize = before[..first].iter().map(|line| line.len()).sum();
        let length: usize = before[first..last].iter().map(|line| line.len()).sum();
        TextEdit {
            range: range(source, Span::new(start, start + length)),
            text,
        }
    };
    if before.len() == after.len() {
        let changed = (0..before.len()).filter(|at| before[*at] != after[*at]);
        return changed
            .map(|at| edit(at, at + 1, after[at].to_owned()))
            .collect();
    }
    // The equal lines below are counted only behind the equal ones above: "a a" becoming "a" has 1 above
    // and 0 below, not the same line twice.
    let shorter = before.len().min(after.len());
    let above = (0..shorter)
        .take_while(|at| before[*at] == after[*at])
        .count();
    let below = (0..shorter - above)
        .take_while(|back| before[before.len() - 1 - back] == after[after.len() - 1 - back])
        .count();
    let text = after[above..after.len() - below].concat();
    vec![edit(above, before.len() - below, text)]
}

/// Makes edits in the text. They must not overlap.
pub(super) fn made(document: &Document, edits: &[TextEdit]) -> String {
    let source = &document.source;
    let edits: Vec<crate::diag::Edit> = edits
        .iter()
        .map(|edit| crate::diag::Edit {
            span: Span::new(
                offset(source, edit.range.start),
                offset(source, edit.range.end),
            ),
            text: edit.text.clone(),
        })
        .collect();
    crate::diag::edited(source.text(), &edits)
}

//! Laying out a text, or some lines of it, as `fmt` does.

use crate::editor::document::Document;
use crate::editor::position::{Place, Range, offset, range};
use crate::syntax::{self, Spelling};
use crate::text::Span;

/// A text in place of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What goes.
    pub range: Range,
    /// What comes.
    pub text: String,
}

/// The edits that lay out the whole text; none where its syntax is faulty. Unchanged lines stay
/// untouched, so that cursors do.
///
/// ```
/// use atgpu::editor::{self, Document, Settings};
///
/// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
/// let mut document = Document::open(text, Settings::default());
/// document.change(&text.replace("  a ⇚", "a   ⇚"));
/// assert_eq!(editor::format(&document)[0].text, "  a ⇚ A\n");
/// ```
pub fn format(document: &Document) -> Vec<TextEdit> {
    spelt(document, Spelling::AsWritten)
}

/// As [`format()`], in a spelling.
pub(super) fn spelt(document: &Document, spelling: Spelling) -> Vec<TextEdit> {
    let Ok(new) = syntax::format(&document.source, spelling) else {
        return Vec::new();
    };
    changes(document, &new)
}

/// The edits that lay out the lines of a range. Where laying out moves lines, it is all or none: the
/// edits are those whose lines lie in the range.
///
/// ```
/// use atgpu::editor::{self, Document, Settings};
///
/// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
/// let document = Document::open(text, Settings::default());
/// assert!(editor::format_range(&document, editor::Range::default()).is_empty());
/// ```
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

/// Line by line where both texts have as many, else one edit of what lies between the lines that are
/// the same above and below.
fn changes(document: &Document, new: &str) -> Vec<TextEdit> {
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

/// The text with edits made, which do not overlap.
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

//! Links to the page of a lint that a comment allows.

use crate::diag::Code;
use crate::editor::document::Document;
use crate::editor::position::{Range, range};

/// A place that a page explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where.
    pub range: Range,
    /// The code whose page it is.
    pub code: Code,
}

/// The lints named in `▷ allow` comments.
///
/// ```
/// use atgpu::editor::{self, Document, Settings};
///
/// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
/// let mut document = Document::open(text, Settings::default());
/// document.change(&text.replace("⇚ A", "⇚ A ▷ allow lint::unused"));
/// assert_eq!(editor::links(&document)[0].code.short_name(), "lint::unused");
/// ```
pub fn links(document: &Document) -> Vec<Link> {
    let allows = document.tree.iter().flat_map(|tree| &tree.allows);
    let link = |allow: &crate::syntax::ast::Allow| {
        Some(Link {
            range: range(&document.source, allow.span),
            code: Code::find(&format!("lint::{}", allow.lint))?,
        })
    };
    allows.filter_map(link).collect()
}

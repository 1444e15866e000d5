//! Links from a comment that allows a lint to that lint's page.

use crate::diag::Code;
use crate::editor::document::Document;
use crate::editor::position::{Range, range};

/// A place that a page explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The place.
    pub range: Range,
    /// The code that the page is about.
    pub code: Code,
}

/// Returns a link for each lint named in a comment `▷ allow`.
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

//! The help of a diagnostic as edits that a tool can make.

use crate::text::{Source, Span};

/// A stretch of the source and the text that takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The stretch that is replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A way to mend the source. Its edits do not overlap and stand in the order of the source.
///
/// ```
/// use atgpu::text::Source;
///
/// let source = Source::new("t.atgpu", "algorithm T(n)\n  let k = ⌈n/b⌉\n  let m = 2·kx\n");
/// let checked = atgpu::check::check_text(&source);
/// let fix = &checked.diagnostics[0].fixes[0];
/// assert_eq!(fix.title, "write `k`");
/// assert_eq!(fix.apply(source.text()), source.text().replace("kx", "k"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// A menu's words for it: ``write `k` ``.
    pub title: String,
    /// All changes of the fix.
    pub edits: Vec<Edit>,
    /// True if the fix does exactly what the help asks for: `check --fix` makes such fixes. A person must
    /// choose among the others: one of several readings, or a form that may mean something else.
    pub preferred: bool,
}

impl Fix {
    /// Builds a fix of one edit, titled after the text it writes.
    pub(crate) fn write(span: Span, text: impl Into<String>) -> Fix {
        let text = text.into();
        let title = format!("write `{}`", text.trim());
        Fix::titled(title, span, text)
    }

    /// Builds a fix of one edit.
    pub(crate) fn titled(title: impl Into<String>, span: Span, text: impl Into<String>) -> Fix {
        Fix {
            title: title.into(),
            edits: vec![Edit {
                span,
                text: text.into(),
            }],
            preferred: true,
        }
    }

    /// Adds a further edit.
    pub(crate) fn and(mut self, span: Span, text: impl Into<String>) -> Fix {
        self.edits.push(Edit {
            span,
            text: text.into(),
        });
        self.edits.sort_by_key(|edit| edit.span.start);
        self
    }

    /// Marks the fix as one that a person must choose.
    pub(crate) fn choice(mut self) -> Fix {
        self.preferred = false;
        self
    }

    /// Returns the text with this fix made. Edits that do not fit the text are left out.
    pub fn apply(&self, text: &str) -> String {
        edited(text, &self.edits)
    }

    /// Returns true if the two fixes change the same place, or places that touch.
    pub(crate) fn meets(&self, other: &Fix) -> bool {
        self.edits.iter().any(|mine| {
            let meets = |theirs: &Edit| {
                // Touching counts too: of two insertions at one offset, nobody could say which text comes
                // first.
                mine.span.start <= theirs.span.end && theirs.span.start <= mine.span.end
            };
            other.edits.iter().any(meets)
        })
    }
}

/// Makes edits in a text. They must not overlap; an edit that does not fit the text is left out.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut in_order: Vec<&Edit> = edits.iter().collect();
    in_order.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    // `get` gives `None` for a range that ends before it starts: the edit then overlaps the last one. It
    // also does for a range that lies beyond the text or cuts a character, as of a fix for another text.
    for edit in in_order {
        let kept = text.get(done..edit.span.start);
        let (Some(kept), Some(_)) = (kept, text.get(edit.span.start..edit.span.end)) else {
            continue;
        };
        out.push_str(kept);
        out.push_str(&edit.text);
        done = edit.span.end;
    }
    out.push_str(&text[done..]);
    out
}

/// An error that may know how to mend its place.
pub(crate) trait Mend: miette::Diagnostic {
    /// Returns the ways to mend the source that the error speaks of, the best first.
    fn fixes(&self, source: &Source) -> Vec<Fix>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: Span::new(start, end),
            text: text.into(),
        }
    }

    #[test]
    fn edits_are_made_in_the_order_of_the_text_and_strays_are_left_out() {
        let edits = [edit(4, 5, "z"), edit(0, 1, "xx"), edit(2, 2, "!")];
        assert_eq!(edited("a b c", &edits), "xx !b z");
        // Overlapping, behind the end, inside a character.
        for stray in [edit(0, 3, "?"), edit(4, 99, "?"), edit(5, 4, "?")] {
            assert_eq!(edited("a b c", &[edit(0, 1, "x"), stray]), "x b c");
        }
        assert_eq!(edited("⇐", &[edit(1, 3, "?")]), "⇐");
    }

    #[test]
    fn fixes_meet_where_they_touch() {
        let at = |start, end| Fix::write(Span::new(start, end), "x");
        assert!(at(0, 2).meets(&at(1, 3)));
        assert!(at(0, 2).meets(&at(2, 2)));
        assert!(!at(0, 2).meets(&at(3, 4)));
    }
}

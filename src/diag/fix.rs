//! What a help asks for, as edits a tool can make.

use crate::text::{Source, Span};

/// A text that takes the place of a stretch of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What goes; empty where something is inserted.
    pub span: Span,
    /// What comes.
    pub text: String,
}

/// A way to mend the text. Its edits do not overlap and stand in the order of the text.
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
    /// What it does, in the words of a menu: ``write `k` ``.
    pub title: String,
    /// All of what it changes.
    pub edits: Vec<Edit>,
    /// Whether it is what the help asks for: `check --fix` makes these. Others are for a person to
    /// choose: one of several readings, or a form that may mean something else.
    pub preferred: bool,
}

impl Fix {
    /// One edit, titled after what it writes.
    pub(crate) fn write(span: Span, text: impl Into<String>) -> Fix {
        let text = text.into();
        let title = format!("write `{}`", text.trim());
        Fix::titled(title, span, text)
    }

    /// One edit.
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

    /// The same with a further edit.
    pub(crate) fn and(mut self, span: Span, text: impl Into<String>) -> Fix {
        self.edits.push(Edit {
            span,
            text: text.into(),
        });
        self.edits.sort_by_key(|edit| edit.span.start);
        self
    }

    /// The same, for a person to choose.
    pub(crate) fn choice(mut self) -> Fix {
        self.preferred = false;
        self
    }

    /// The text with this fix made. Edits that do not fit the text are left out.
    ///
    /// ```
    /// use atgpu::diag::{Edit, Fix};
    /// use atgpu::text::Span;
    ///
    /// let edits = vec![Edit { span: Span::new(0, 1), text: "one".into() }];
    /// let fix = Fix { title: "write `one`".into(), edits, preferred: true };
    /// assert_eq!(fix.apply("1 + 2"), "one + 2");
    /// ```
    pub fn apply(&self, text: &str) -> String {
        edited(text, &self.edits)
    }

    /// Whether both change the same place.
    pub(crate) fn meets(&self, other: &Fix) -> bool {
        self.edits.iter().any(|mine| {
            let meets = |theirs: &Edit| {
                mine.span.start <= theirs.span.end && theirs.span.start <= mine.span.end
            };
            other.edits.iter().any(meets)
        })
    }
}

/// The text with edits made, which must not overlap; what does not fit the text is left out.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut in_order: Vec<&Edit> = edits.iter().collect();
    in_order.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
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

/// An error that may know how its place is mended.
pub(crate) trait Mend: miette::Diagnostic {
    /// The ways to mend it in the source it speaks of, the best first.
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

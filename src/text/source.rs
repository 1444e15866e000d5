//! One source file in memory, with its line index.

use std::fmt;
use std::sync::Arc;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::text::Span;

/// A place a person can find: line and column, both from 1, columns in characters; shown as `3:7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A named text and the offsets of its lines. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Arc<[usize]>,
}

impl Source {
    /// Takes a file's name (used in diagnostics only) and its text. Lines end with `\n`.
    ///
    /// ```
    /// use atgpu::text::Source;
    ///
    /// let source = Source::new("scan.atgpu", "algorithm Scan(n)\n");
    /// assert_eq!(source.position(10).to_string(), "1:11");
    /// ```
    pub fn new(name: &str, text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Source {
            name: name.into(),
            text: text.into(),
            line_starts: starts.collect(),
        }
    }

    /// The name given when the text was read.
    ///
    /// ```
    /// use atgpu::text::Source;
    ///
    /// assert_eq!(Source::new("scan.atgpu", "").name(), "scan.atgpu");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    ///
    /// ```
    /// use atgpu::text::Source;
    ///
    /// assert_eq!(Source::new("scan.atgpu", "shared _s[b]\n").text(), "shared _s[b]\n");
    /// ```
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text under a span; empty where the span does not fit the text.
    ///
    /// ```
    /// use atgpu::text::{Source, Span};
    ///
    /// let source = Source::new("scan.atgpu", "shared _s[b]\n");
    /// assert_eq!(source.slice(Span::new(7, 9)), "_s");
    /// assert_eq!(source.slice(Span::new(7, 99)), "");
    /// ```
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    /// Number of lines; at least 1.
    pub(crate) fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The line number (from 1) that holds a byte offset.
    ///
    /// ```
    /// use atgpu::text::Source;
    ///
    /// let source = Source::new("scan.atgpu", "a ⇐ b\nc ⇐ d\n");
    /// assert_eq!(source.line_of("a ⇐ b\nc".len()), 2);
    /// ```
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// The span of a line (numbered from 1) without its line end; empty behind the last line.
    ///
    /// ```
    /// use atgpu::text::{Source, Span};
    ///
    /// let source = Source::new("scan.atgpu", "first\nsecond\n");
    /// assert_eq!(source.slice(source.line_span(2)), "second");
    /// assert!(source.line_span(9).is_empty());
    /// ```
    pub fn line_span(&self, line: usize) -> Span {
        let Some(&start) = line.checked_sub(1).and_then(|at| self.line_starts.get(at)) else {
            return Span::new(self.text.len(), self.text.len());
        };
        let end = self
            .line_starts
            .get(line)
            .copied()
            .unwrap_or(self.text.len());
        let text = self.text[start..end].trim_end_matches(['\n', '\r']);
        Span::new(start, start + text.len())
    }

    /// Line and column of a byte offset; an offset inside a character counts as its start.
    ///
    /// ```
    /// use atgpu::text::Source;
    ///
    /// // Columns are counted in characters: `⇐` has three bytes.
    /// let source = Source::new("scan.atgpu", "x\na ⇐ b\n");
    /// let position = source.position("x\na ⇐ ".len());
    /// assert_eq!((position.line, position.column), (2, 5));
    /// ```
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1];
        let column = self.text[start..]
            .char_indices()
            .take_while(|(at, c)| start + at + c.len_utf8() <= offset)
            .count();
        Position {
            line,
            column: column + 1,
        }
    }
}

/// A text without a file of its own, named `program`.
impl From<&str> for Source {
    fn from(text: &str) -> Self {
        Source::new("program", text)
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Source {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&Source> for Source {
    fn from(source: &Source) -> Self {
        source.clone()
    }
}

/// So that miette's handlers can draw it. miette's own texts count columns in bytes; ours count
/// characters, as the JSON does.
impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // miette looks at all text before the span; the lines around it are enough.
        let skipped = self
            .line_of(span.offset())
            .saturating_sub(before.saturating_add(2));
        let start = self.line_starts[skipped];
        let last = self.line_of(span.offset().saturating_add(span.len()));
        let behind = last.saturating_add(after).saturating_add(1);
        let end = self.line_starts.get(behind).copied();
        let window = &self.text[start..end.unwrap_or(self.text.len())];
        let within = SourceSpan::from((span.offset() - start, span.len()));
        let found = window.read_span(&within, before, after)?;
        let offset = start + found.span().offset();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name().to_owned(),
            found.data(),
            SourceSpan::from((offset, found.span().len())),
            skipped + found.line(),
            self.position(offset).column - 1,
            skipped + found.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_shows_what_the_whole_text_would() {
        let text = "a\nbc ⇚ d\n\n  e\r\nf\n\nlonger line\nh";
        let source = Source::new("t", text);
        let edges = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
        for start in edges.clone() {
            for end in edges.clone().filter(|end| *end >= start) {
                for context in 0..4 {
                    let span = SourceSpan::from((start, end - start));
                    let ours = source.read_span(&span, context, context).expect("inside");
                    let whole = text.read_span(&span, context, context).expect("inside");
                    assert_eq!(ours.data(), whole.data(), "{start}..{end}");
                    assert_eq!(ours.span(), whole.span(), "{start}..{end}");
                    assert_eq!(ours.line(), whole.line(), "{start}..{end}");
                }
            }
        }
        let outside = SourceSpan::from((text.len() + 5, 1));
        assert!(source.read_span(&outside, 1, 1).is_err());
    }

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("t", "a ⇚ A\r\nb\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(
            source.position("a ⇚ ".len()),
            Position { line: 1, column: 5 }
        );
        assert_eq!(
            source.position(source.text().len()),
            Position { line: 3, column: 1 }
        );
        assert_eq!(source.slice(source.line_span(1)), "a ⇚ A");
        assert_eq!(source.slice(source.line_span(2)), "b");
        assert_eq!(source.line_count(), 3);
    }
}

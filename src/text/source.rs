//! One source file in memory, with its line index.

use std::fmt;
use std::sync::Arc;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::text::Span;

/// A place that a person can find: line and column, both from 1, columns in characters. It displays as `3:7`.
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
    /// Takes a file's name, which only diagnostics use, and its text. Lines end with `\n`.
    pub fn new(name: &str, text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Source {
            name: name.into(),
            text: text.into(),
            line_starts: starts.collect(),
        }
    }

    /// Returns the name given with the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text under a span; empty if the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    /// Returns the number of lines, at least 1.
    pub(crate) fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// Returns the number, from 1, of the line that holds a byte offset.
    pub fn line_of(&self, offset: usize) -> usize {
        // The number of lines that start at or before the offset is the number of its line: "a\nb" has
        // starts 0 and 2, and offset 1, the line end itself, is still in line 1.
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Returns the span of a line, numbered from 1, without its line end; empty behind the last line.
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

    /// Returns the line and column of a byte offset. An offset inside a character counts as the character's
    /// start.
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
        // A character counts once it ends at or before the offset: for "é|", 2 bytes and a bar, offset 1
        // gives column 1 and offset 2 gives column 2.
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

/// Makes a text without a file of its own, named `program`.
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

/// Lets miette's handlers draw the text. miette's own texts count columns in bytes; this one counts
/// characters, as the JSON does.
impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // miette searches all text before the span, which is slow late in a long file. So it is given a
        // window: the lines asked for, and one more on either side. Its answer is then moved back by the
        // skipped lines and bytes.
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

//! A stretch of source text, in bytes.

use miette::SourceSpan;

/// A half-open range of byte offsets `start..end` into one [`Source`](crate::text::Source).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// Builds the range `start..end`, in bytes.
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// Returns the smallest span that holds both.
    ///
    /// ```
    /// use atgpu::text::Span;
    ///
    /// assert_eq!(Span::new(3, 4).to(Span::new(8, 9)), Span::new(3, 9));
    /// ```
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the length in bytes.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns true if the span holds no byte.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

impl From<Span> for SourceSpan {
    fn from(span: Span) -> SourceSpan {
        SourceSpan::from((span.start, span.len()))
    }
}

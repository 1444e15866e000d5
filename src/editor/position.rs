//! Positions as editors give them: lines and UTF-16 units, both from 0. Only this module converts them.

use crate::text::{Source, Span};

/// A place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The line, from 0.
    pub line: u32,
    /// The UTF-16 units before it on its line.
    pub character: u32,
}

/// The stretch between two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Range {
    /// The place before the first character.
    pub start: Place,
    /// The place behind the last character.
    pub end: Place,
}

/// Returns the place of a byte offset. An offset inside a character counts as the character's start.
pub fn place(source: &Source, offset: usize) -> Place {
    let offset = offset.min(source.text().len());
    let line = source.line_of(offset);
    let start = source.line_span(line).start;
    let before = source.text()[start..]
        .char_indices()
        .take_while(|(at, c)| start + at + c.len_utf8() <= offset);
    let units: usize = before.map(|(_, c)| c.len_utf16()).sum();
    Place {
        line: line.saturating_sub(1) as u32,
        character: units as u32,
    }
}

/// Returns the range of a span.
pub fn range(source: &Source, span: Span) -> Range {
    Range {
        start: place(source, span.start),
        end: place(source, span.end.max(span.start)),
    }
}

/// Returns the byte offset of a place. A place beyond its line's end gives the end; a place beyond the last
/// line gives the end of the text. A place inside a character gives the character's start.
pub fn offset(source: &Source, place: Place) -> usize {
    let line = source.line_span(place.line as usize + 1);
    let mut left = place.character as usize;
    let mut at = line.start;
    for c in source.slice(line).chars() {
        let units = c.len_utf16();
        if left < units {
            break;
        }
        left -= units;
        at += c.len_utf8();
    }
    at
}

/// Returns the span of a range.
pub fn span(source: &Source, range: Range) -> Span {
    let (start, end) = (offset(source, range.start), offset(source, range.end));
    Span::new(start.min(end), end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every offset goes to a place and back, whatever the characters and line ends.
    #[test]
    fn places_and_offsets_are_inverse() {
        let text = "a ⇐ 𝔞[j]\r\n\n  é𝔟\nlast ⌈x⌉";
        let source = Source::new("t", text);
        for (at, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
            assert_eq!(offset(&source, place(&source, at)), at, "{at}");
        }
        let end = place(&source, text.len());
        assert_eq!((end.line, end.character), (3, 8));
        assert_eq!(offset(&source, end), text.len());
    }

    #[test]
    fn places_outside_are_the_nearest_inside() {
        let source = Source::new("t", "ab\n𝔞c\n");
        let at = |line, character| offset(&source, Place { line, character });
        assert_eq!((at(0, 99), at(1, 1), at(1, 2), at(99, 0)), (2, 3, 7, 9));
    }
}

//! Quoted lines of programs in colour: names and arrows by the memory that they reach, as in the book.
//!
//! Only a line is known here, often a faulty one, so the spelling decides: `_x` is shared, `A[…]` of the host, `a[…]`
//! global. A name without an index is a variable only beside a transfer.

use miette::SpanContents;
use miette::highlighters::{Highlighter, HighlighterState};
use owo_colors::{Style, Styled};

/// Colours for each memory.
pub struct ByMemory;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Host,
    Global,
    Shared,
}

/// The arrows. Longer ones come first: `<==` begins with `<=`.
const ARROWS: [(&str, Memory); 8] = [
    ("⇚", Memory::Host),
    ("<==", Memory::Host),
    ("⇐", Memory::Global),
    ("↔", Memory::Global),
    ("<->", Memory::Global),
    ("<=", Memory::Global),
    ("←", Memory::Shared),
    ("<-", Memory::Shared),
];

impl Highlighter for ByMemory {
    fn start_highlighter_state<'h>(
        &'h self,
        _: &dyn SpanContents<'_>,
    ) -> Box<dyn HighlighterState + 'h> {
        Box::new(ByMemory)
    }
}

impl HighlighterState for ByMemory {
    fn highlight_line<'s>(&mut self, line: &'s str) -> Vec<Styled<&'s str>> {
        let parts = parts(line).into_iter();
        parts.map(|(text, style)| style.style(text)).collect()
    }
}

/// The parts of a line, each in its colour. A comment has none.
fn parts(line: &str) -> Vec<(&str, Style)> {
    let mut found = Vec::new();
    let (mut at, mut plain) = (0, 0);
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        if rest.starts_with('▷') || rest.starts_with("//") {
            break;
        }
        let (length, style) = token(&line[..at], rest, first);
        if let Some(style) = style {
            found.push((&line[plain..at], Style::new()));
            found.push((&line[at..at + length], style));
            plain = at + length;
        }
        at += length;
    }
    found.push((&line[plain..], Style::new()));
    found.retain(|(text, _)| !text.is_empty());
    found
}

/// The length of what begins here, and its colour if it has one.
fn token(before: &str, rest: &str, first: char) -> (usize, Option<Style>) {
    if let Some((arrow, memory)) = ARROWS.iter().find(|(arrow, _)| rest.starts_with(arrow)) {
        // `<=` compares, unless only a place stands before it.
        let style = (*arrow != "<=" || is_place(before)).then(|| colour(*memory).bold());
        return (arrow.len(), style);
    }
    if !first.is_alphanumeric() && first != '_' {
        return (first.len_utf8(), None);
    }
    let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\'' | '′');
    let length = rest.find(is_end).unwrap_or(rest.len());
    (length, memory(before, rest, length).map(colour))
}

fn memory(before: &str, rest: &str, length: usize) -> Option<Memory> {
    let (name, after) = rest.split_at(length);
    let is_beside_transfer = ["⇚", "<=="]
        .iter()
        .any(|arrow| after.trim_start().starts_with(arrow) || before.trim_end().ends_with(arrow));
    match name.chars().next()? {
        '_' => Some(Memory::Shared),
        _ if name == "MP" || !(after.starts_with('[') || is_beside_transfer) => None,
        first if first.is_uppercase() => Some(Memory::Host),
        _ => Some(Memory::Global),
    }
}

fn is_place(before: &str) -> bool {
    let place = before.rsplit(':').next().unwrap_or(before).trim();
    let (name, index) = place.split_once('[').unwrap_or((place, "]"));
    let is_move = place.contains(['←', '<', '=']);
    !is_move && !name.trim().contains(char::is_whitespace) && index.ends_with(']')
}

fn colour(memory: Memory) -> Style {
    match memory {
        Memory::Host => Style::new().yellow(),
        Memory::Global => Style::new().green(),
        Memory::Shared => Style::new().bright_blue(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with `h:`, `g:` or `s:` before each part of a memory.
    fn told(line: &str) -> String {
        let name = |style: &Style| {
            let memories = [Memory::Host, Memory::Global, Memory::Shared];
            let mut known = memories.iter().zip(["h:", "g:", "s:"]);
            let found = known.find(|(memory, _)| {
                *style == colour(**memory) || *style == colour(**memory).bold()
            });
            found.map_or("", |(_, name)| name)
        };
        let parts = parts(line);
        let told = parts
            .iter()
            .map(|(text, style)| format!("{}{text}", name(style)));
        told.collect()
    }

    #[test]
    fn names_and_arrows_have_the_colour_of_their_memory() {
        for (line, expected) in [
            ("  a ⇚ A", "  g:a h:⇚ h:A"),
            ("  input A[n]", "  input h:A[n]"),
            (
                "    _x[j] ⇐ a[ib + j] ▷ a[i]",
                "    s:_x[j] g:⇐ g:a[ib + j] ▷ a[i]",
            ),
            ("3: _x[j] <= a[j]", "3: s:_x[j] g:<= g:a[j]"),
            ("if _x[j] <= 3 then", "if s:_x[j] <= 3 then"),
            (
                "_c <- select(_a[i] <= 3, 1, 0)",
                "s:_c s:<- select(s:_a[i] <= 3, 1, 0)",
            ),
            ("for all mp_i ∈ MP[mp_0, …]", "for all mp_i ∈ MP[mp_0, …]"),
        ] {
            assert_eq!(told(line), expected);
        }
    }
}

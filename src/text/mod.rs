//! Source text: positions in it, and the name that a misspelt one was probably meant to be.
//!
//! The module owns byte spans, the line index, nearest-name suggestions and letters that look alike. It knows nothing of the language.

mod lookalike;
mod source;
mod span;
mod suggest;

/// Returns true for a character that is not seen, or changes the order in which others are seen: controls of
/// bidirectional text, and characters without width.
#[doc(hidden)]
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

#[doc(hidden)]
pub use lookalike::{Lookalike, latin, lookalike};
pub use source::{Position, Source};
pub use span::Span;
pub use suggest::Known;
#[doc(hidden)]
pub use suggest::nearest;

//! Source text: where things stand in it, and which name was probably meant.
//!
//! Owns byte spans, the line index, and nearest-name suggestions. Knows nothing of the language.

mod source;
mod span;
mod suggest;

pub use source::{Position, Source};
pub use span::Span;
pub use suggest::Known;
#[doc(hidden)]
pub use suggest::nearest;

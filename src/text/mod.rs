//! Source text: positions in it, and the name that a misspelt one was probably meant to be.
//!
//! The module owns byte spans, the line index and nearest-name suggestions. It knows nothing of the language.

mod source;
mod span;
mod suggest;

pub use source::{Position, Source};
pub use span::Span;
pub use suggest::Known;
#[doc(hidden)]
pub use suggest::nearest;

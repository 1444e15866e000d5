//! The answers that an editor shows about a program: text and positions in, plain structs out.
//!
//! A [`Document`] is a text being edited. Every change parses and checks it. Deriving and judging are a
//! [`Job`] that runs elsewhere; its result is taken only while the text is still the same. Every question
//! has a function from a document and a place to an answer. No question starts an analysis.
//!
//! Places are lines and UTF-16 units from 0 ([`position`]), as editors have them. The module opens no file,
//! reads no clock and knows no protocol: `atgpu lsp` and a page in a browser are thin layers over it.
//!
//! ```
//! use atgpu::editor::{self, Document, Place, Settings};
//!
//! let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
//! let mut document = Document::open(text, Settings::default());
//! document.finish();
//! let a = Place { line: 3, character: 2 };
//! let hover = editor::hover(&document, a).expect("a name stands there");
//! assert!(hover.text.contains("global"), "{}", hover.text);
//! ```

mod actions;
#[cfg(feature = "study")]
mod advice;
#[cfg(feature = "study")]
mod advised;
mod completion;
mod document;
mod formatting;
mod hints;
mod hover;
mod lenses;
mod lines;
mod links;
mod names;
mod navigation;
pub mod position;
mod requires;
mod signature;
mod snippets;
mod structure;
mod tokens;

pub use actions::{Action, ActionKind, actions, fixes_within};
#[cfg(feature = "study")]
pub use advice::advice;
#[cfg(feature = "study")]
pub use advised::Advised;
pub use completion::{Completion, CompletionKind, completions};
pub use document::{Derived, Document, Hints, Job, Judged, Settings};
pub use formatting::{TextEdit, format, format_range};
pub use hints::{Hint, hints};
pub use hover::{Hover, hover};
pub use lenses::{Lens, lenses};
pub use links::{Link, links};
pub use names::{Names, Occurrence, Symbol, SymbolKind};
pub use navigation::{
    Highlight, NotRenamed, definition, highlights, references, renamable, rename,
};
pub use position::{Place, Range};
pub use signature::{Signature, signature};
pub use structure::{Fold, Outline, folds, outline, selections};
pub use tokens::{SemanticToken, TOKEN_MODIFIERS, TOKEN_TYPES, semantic_tokens};

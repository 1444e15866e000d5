//! The typed errors of checking: facts, from which message, labels and help are made.
//!
//! One file per area of the code table; `Diagnostic::of` gives them the shape users see.

mod access;
mod fixes;
mod lint;
mod name;
mod syntax;
mod types;

pub(super) use access::AccessError;
pub(super) use lint::CheckLint;
pub(super) use name::{NameError, NameKind};
pub(super) use syntax::SyntaxError;
pub(super) use types::TypeError;

use std::fmt;

use crate::program::Scope;
use crate::text::Lookalike;

/// The probable meaning of a misspelt name, as a help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Suggestion {
    /// A known name that differs by a slip.
    Nearest(String),
    /// A known name that looks the same, and the letter that differs.
    LooksLike(String, Lookalike),
    /// `O`, `Ω` or `Θ` after `=`, `≤` or `≥`.
    Class,
    /// The visible names, each quoted, if they are few.
    Known(Vec<String>),
    /// All existing names, if they are few.
    OneOf(&'static [&'static str]),
    /// The declaration that is missing, for a variable of this memory.
    Declare(Scope, String),
    /// A formal that is missing.
    Formal(String),
    /// A range for a name of an `ensure` or a `require`.
    Bind(String),
    /// A quantity of a claim, for a word that people say instead.
    Quantity(&'static str, &'static str),
    /// A word of another language, with its counterpart here.
    Foreign(&'static str),
    /// The one letter whose declaration would make the name a product.
    MissingLetter {
        /// The name, as the product it would be: `i·j·x`.
        product: String,
        /// The letter that is not declared.
        letter: String,
    },
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Suggestion::Nearest(name) => write!(f, "write `{name}` if that is meant"),
            Suggestion::LooksLike(name, letter) => {
                write!(f, "write `{name}` if that is meant: {letter}")
            }
            Suggestion::MissingLetter { product, letter } => {
                write!(f, "declare `{letter}` if the product `{product}` is meant")
            }
            Suggestion::Foreign(meaning) => f.write_str(meaning),
            Suggestion::Declare(scope, name) => {
                let size = match scope {
                    Scope::Shared => "b",
                    Scope::Global | Scope::Host => "n",
                };
                write!(
                    f,
                    "declare it in the header, such as `{scope} {name}[{size}]`"
                )
            }
            Suggestion::Formal(name) => {
                write!(
                    f,
                    "make it a formal, as in `algorithm Name({name})`, or give it a value by `let`"
                )
            }
            Suggestion::Bind(name) => {
                write!(f, "give it a range: `∀ {name} ∈ 0..n-1 : …`")
            }
            Suggestion::Quantity(quantity, meaning) => {
                write!(f, "write `{quantity}`: {meaning}")
            }
            Suggestion::Class => {
                f.write_str("write `∈ O(…)`, `∈ Ω(…)` or `∈ Θ(…)` for how a quantity grows")
            }
            Suggestion::Known(names) => write!(f, "known here: {}", names.join(", ")),
            Suggestion::OneOf(names) => write!(f, "write one of {}", names.join(", ")),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Host => "host",
            Scope::Global => "global",
            Scope::Shared => "shared",
        })
    }
}

/// A count with its noun: `1 index`, `2 indices`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    /// The count.
    pub count: usize,
    /// The noun for one.
    pub one: &'static str,
    /// The noun for none or several.
    pub many: &'static str,
}

impl Counted {
    /// Counts indices.
    pub(super) const fn indices(count: usize) -> Self {
        Counted {
            count,
            one: "index",
            many: "indices",
        }
    }

    /// Counts dimensions.
    pub(super) const fn dimensions(count: usize) -> Self {
        Counted {
            count,
            one: "dimension",
            many: "dimensions",
        }
    }

    /// Counts arguments.
    pub(super) const fn arguments(count: usize) -> Self {
        Counted {
            count,
            one: "argument",
            many: "arguments",
        }
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.count == 1 { self.one } else { self.many };
        match self.count {
            0 => write!(f, "no {noun}"),
            count => write!(f, "{count} {noun}"),
        }
    }
}

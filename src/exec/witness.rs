//! The verdict on an `ensure`, with the values that show why it fails. Data only.

use std::fmt;

/// The verdict on one `ensure`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnsureResult {
    /// The line as written, without the keyword.
    pub text: String,
    /// Its line in the source.
    pub line: usize,
    /// True if it holds.
    pub holds: bool,
    /// Values that show why it fails, as far as they can be told; empty if it holds.
    pub counterexample: Vec<Witness>,
}

/// A value that shows why a condition on data fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Witness {
    /// The value of a variable bound by ∀.
    Bound {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
    },
    /// The value of one side of the failing comparison.
    Operand {
        /// The side as written.
        text: String,
        /// Its value.
        value: String,
    },
    /// It has no truth: evaluating it met this fault.
    NoTruth {
        /// The fault's message.
        fault: String,
    },
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Witness::Bound { name, value } => write!(f, "{name} = {value}"),
            Witness::Operand { text, value } => write!(f, "{text} is {value}"),
            Witness::NoTruth { fault } => f.write_str(fault),
        }
    }
}

/// Joins witnesses by commas: `x = 599, C[x] is 599`.
pub(crate) fn listed(witnesses: &[Witness]) -> String {
    let texts: Vec<String> = witnesses.iter().map(Witness::to_string).collect();
    texts.join(", ")
}

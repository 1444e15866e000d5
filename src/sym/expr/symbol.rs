//! Symbols: their identity, and the order in which everything is kept and printed.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A named unknown: a parameter, a loop variable, or a letter of the cost functions.
#[derive(Clone)]
#[non_exhaustive]
pub struct Symbol {
    /// Distinguishes symbols; equal ids are equal symbols.
    pub id: SymbolId,
    /// How it prints.
    pub name: Arc<str>,
}

/// The identity of a symbol: its kind and its number, which also order it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SymbolId {
    /// The kind of thing that it stands for.
    pub kind: SymbolKind,
    /// The number within its kind.
    pub number: u32,
}

/// The kind of thing that a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SymbolKind {
    /// A parameter, numbered by the user of the algebra.
    Parameter,
    /// A name introduced on the way: the index of a loop, a part of a range.
    Local,
    /// A letter of the cost functions: α, k', ….
    Letter,
    /// A definition of the program that is folded back when an expression is written.
    Folded,
    /// The quotient of a divisibility, within one question.
    Quotient,
    /// The variable of a `Σ`, numbered by the depth of sums below it. So sums that differ only in
    /// the name of their variable are equal. Never free: opening a sum makes it `Open`.
    Bound,
    /// The variable of an opened `Σ`, numbered from the outermost.
    Open,
}

/// The suffix of a letter of the cost functions if the program uses the same name itself.
pub(crate) const OF_THE_MACHINE: &str = "_GPU";

/// Returns a letter's name without the suffix.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_suffix(OF_THE_MACHINE).unwrap_or(name)
}

impl Symbol {
    /// Returns a parameter. Its number is free to choose, and orders it.
    ///
    /// ```
    /// use atgpu::sym::{Expr, Symbol};
    ///
    /// assert_eq!(Expr::symbol(&Symbol::new(0, "n")).to_string(), "n");
    /// ```
    pub fn new(number: u32, name: &str) -> Self {
        Symbol::of(SymbolKind::Parameter, number, name)
    }

    /// Returns a symbol of any kind.
    pub(crate) fn of(kind: SymbolKind, number: u32, name: &str) -> Self {
        Symbol {
            id: SymbolId { kind, number },
            name: name.into(),
        }
    }

    /// Returns true if it is the variable of a `Σ`, opened or not.
    pub(crate) fn is_of_sum(&self) -> bool {
        matches!(self.id.kind, SymbolKind::Bound | SymbolKind::Open)
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use crate::sym::bare;

    #[test]
    fn a_formal_keeps_its_whole_name() {
        assert_eq!(bare("H_GPU"), "H");
        assert_eq!(bare("k'"), "k'");
        assert_eq!(bare("b_size"), "b_size");
    }
}

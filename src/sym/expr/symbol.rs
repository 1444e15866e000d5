//! Symbols: what tells them apart, and the order in which everything is kept and printed.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A named unknown: a parameter, a loop variable, or a letter of the cost functions.
#[derive(Clone)]
pub struct Symbol {
    /// Distinguishes symbols; equal ids are equal symbols.
    pub id: SymbolId,
    /// How it prints.
    pub name: Arc<str>,
}

/// What a symbol is, and which one of those. By kind first, then by number: so everything is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    /// What it stands for.
    pub kind: SymbolKind,
    /// Which one of its kind.
    pub number: u32,
}

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A parameter: whoever uses the algebra numbers them.
    Parameter,
    /// A name made up on the way: the index of a loop, a part of a range.
    Local,
    /// A letter of the cost functions: α, k', ….
    Letter,
    /// A definition of the program that is folded back when an expression is written.
    Folded,
    /// A quotient that a divisibility speaks of, within one question.
    Quotient,
    /// The variable of a `Σ`, numbered by how deep sums nest below it, so that sums that differ only in
    /// the name of their variable are equal. Never free: what looks into a sum makes it `Open`.
    Bound,
    /// The variable of a `Σ` that is being looked into, numbered from the outermost.
    Open,
}

/// Behind the name of a letter of the cost functions where the program calls something of its own so.
pub(crate) const OF_THE_MACHINE: &str = "_GPU";

/// A letter's name without what tells it from the program's.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_suffix(OF_THE_MACHINE).unwrap_or(name)
}

impl Symbol {
    /// A parameter; its number is free to choose, and orders it.
    ///
    /// ```
    /// use atgpu::sym::{Expr, Symbol};
    ///
    /// assert_eq!(Expr::symbol(&Symbol::new(0, "n")).to_string(), "n");
    /// ```
    pub fn new(number: u32, name: &str) -> Self {
        Symbol::of(SymbolKind::Parameter, number, name)
    }

    /// A symbol of any kind.
    pub(crate) fn of(kind: SymbolKind, number: u32, name: &str) -> Self {
        Symbol {
            id: SymbolId { kind, number },
            name: name.into(),
        }
    }

    /// Whether it is the variable of a `Σ`, looked into or not.
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

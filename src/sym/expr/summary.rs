//! The summary of an expression: the symbols that may occur in it, the kinds of atoms inside, its
//! length and its depth. It is kept with every expression, so that most questions about a long one are
//! answered at once.

use crate::sym::expr::symbol::Symbol;

/// The summary of an expression or a product, insides included.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Summary {
    /// A bit for every symbol inside. Different symbols may share a bit.
    names: u64,
    /// The number of atoms, nested ones included.
    length: u32,
    /// The nesting depth of atoms.
    levels: u8,
    /// The nesting depth of unsolved sums.
    sums: u16,
    /// A bit for every kind of atom inside.
    kinds: u8,
}

/// A kind of atom that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// ⌊x⌋
    Floor = 1,
    /// An exponent that is not a whole number.
    Power = 2,
    /// A logarithm.
    Log = 4,
    /// `[c]`
    Bracket = 8,
    /// Any other.
    Other = 16,
}

impl Summary {
    /// Returns the summary of one atom without its insides.
    pub(crate) fn of_kind(kind: Kind) -> Summary {
        Summary {
            names: 0,
            length: 1,
            levels: 0,
            sums: 0,
            kinds: kind as u8,
        }
    }

    /// Adds a symbol.
    pub(crate) fn name(&mut self, symbol: &Symbol) {
        self.names |= bit(symbol);
    }

    /// Sets the depth of sums to one more than the depth below.
    pub(crate) fn nest(&mut self, sums: u16) {
        self.sums = sums.saturating_add(1);
    }

    /// Adds a part.
    pub(crate) fn include(&mut self, part: Summary) {
        self.names |= part.names;
        self.kinds |= part.kinds;
        self.length = self.length.saturating_add(part.length);
        self.levels = self.levels.max(part.levels);
        self.sums = self.sums.max(part.sums);
    }

    /// Puts the parts so far into one atom.
    pub(crate) fn close(&mut self) {
        self.levels = self.levels.saturating_add(1);
    }

    /// Returns true if the symbol may be inside; `false` is certain.
    pub(crate) fn may_contain(self, symbol: &Symbol) -> bool {
        self.names & bit(symbol) != 0
    }

    /// Returns true if no symbol is inside.
    pub(crate) fn is_constant(self) -> bool {
        self.names == 0
    }

    /// Returns true if an atom of this kind is inside.
    pub(crate) fn has(self, kind: Kind) -> bool {
        self.kinds & kind as u8 != 0
    }

    /// Returns the nesting depth of unsolved sums; 0 without any.
    pub(crate) fn sums(self) -> u16 {
        self.sums
    }

    /// Returns the nesting depth of atoms, up to 255: 0 for a number, 1 for n, 2 for ⌊n/b⌋.
    pub(crate) fn levels(self) -> u8 {
        self.levels
    }

    /// Returns the number of atoms, nested ones included, up to 2^32 − 1.
    pub(crate) fn length(self) -> u32 {
        self.length
    }
}

/// The distance between the kinds, so that the first numbers of different kinds have different
/// bits.
const KINDS_APART: u32 = 11;

/// Returns the bit of a symbol. The symbols of one program have consecutive numbers, and mostly
/// different bits.
fn bit(symbol: &Symbol) -> u64 {
    // Multiplying by 2^32 divided by the golden ratio spreads consecutive numbers evenly
    // (Fibonacci hashing); the top six bits choose one of 64. A shared bit only costs a search
    // through the expression, never a wrong answer.
    let spread = symbol
        .id
        .number
        .wrapping_add(KINDS_APART * symbol.id.kind as u32);
    1 << (spread.wrapping_mul(0x9e37_79b1) >> 26)
}

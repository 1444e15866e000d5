//! What is known of an expression without looking into it: which symbols it may speak of, which
//! kinds of atoms are inside, how long it is. Kept with every expression, so that most questions of
//! a long one are answered at once.

use crate::sym::expr::symbol::Symbol;

/// Of an expression or a product, everything inside included.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Summary {
    /// A bit for every symbol inside; different symbols may have the same one.
    names: u64,
    /// How many atoms it has, written out.
    length: u32,
    /// How deep sums without a closed form nest inside.
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
    /// Of one atom but for what is inside.
    pub(crate) fn of_kind(kind: Kind) -> Summary {
        Summary {
            names: 0,
            length: 1,
            sums: 0,
            kinds: kind as u8,
        }
    }

    /// With a symbol inside.
    pub(crate) fn name(&mut self, symbol: &Symbol) {
        self.names |= bit(symbol);
    }

    /// With so many sums nested below.
    pub(crate) fn nest(&mut self, sums: u16) {
        self.sums = sums.saturating_add(1);
    }

    /// Takes in a part.
    pub(crate) fn include(&mut self, part: Summary) {
        self.names |= part.names;
        self.kinds |= part.kinds;
        self.length = self.length.saturating_add(part.length);
        self.sums = self.sums.max(part.sums);
    }

    /// Whether the symbol may be inside; `false` is certain.
    pub(crate) fn may_contain(self, symbol: &Symbol) -> bool {
        self.names & bit(symbol) != 0
    }

    /// Whether no symbol is inside; `true` is certain.
    pub(crate) fn is_constant(self) -> bool {
        self.names == 0
    }

    /// Whether an atom of this kind is inside.
    pub(crate) fn has(self, kind: Kind) -> bool {
        self.kinds & kind as u8 != 0
    }

    /// How deep sums without a closed form nest inside: 0 where there is none.
    pub(crate) fn sums(self) -> u16 {
        self.sums
    }

    /// How many atoms it has, written out; at most 2^32 − 1 are counted.
    pub(crate) fn length(self) -> u32 {
        self.length
    }
}

/// First numbers of different kinds are to have different bits.
const KINDS_APART: u32 = 11;

/// Numbers stand in a row: those of one program have different bits for the most part.
fn bit(symbol: &Symbol) -> u64 {
    let spread = symbol
        .id
        .number
        .wrapping_add(KINDS_APART * symbol.id.kind as u32);
    1 << (spread.wrapping_mul(0x9e37_79b1) >> 26)
}

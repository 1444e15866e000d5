//! What is known of an expression without looking into it: which symbols it may speak of, which
//! kinds of atoms are inside, how long it is. Kept with every expression, so that most questions of
//! a long one are answered at once.

use crate::sym::expr::atom::Atom;
use crate::sym::{Expr, Symbol};

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
    /// Of one atom.
    pub fn of(atom: &Atom) -> Summary {
        let mut summary = Summary {
            names: 0,
            length: 1,
            sums: 0,
            kinds: kind(atom) as u8,
        };
        match atom {
            Atom::Symbol(symbol) => summary.names = bit(symbol),
            Atom::Sum(sum) => {
                summary.names = bit(&sum.variable);
                summary.sums = sum.body.summary().sums.saturating_add(1);
            }
            _ => {}
        }
        atom.for_each_child(&mut |child| summary.include(child.summary()));
        summary
    }

    /// Takes in a part.
    pub fn include(&mut self, part: Summary) {
        self.names |= part.names;
        self.kinds |= part.kinds;
        self.length = self.length.saturating_add(part.length);
        self.sums = self.sums.max(part.sums);
    }

    /// Whether the symbol may be inside; `false` is certain.
    pub fn may_contain(self, symbol: &Symbol) -> bool {
        self.names & bit(symbol) != 0
    }

    /// Whether an atom of this kind is inside.
    pub fn has(self, kind: Kind) -> bool {
        self.kinds & kind as u8 != 0
    }

    /// How deep sums without a closed form nest inside: 0 where there is none.
    pub fn sums(self) -> u16 {
        self.sums
    }

    /// How many atoms it has, written out; at most 2^32 − 1 are counted.
    pub fn length(self) -> u32 {
        self.length
    }
}

fn kind(atom: &Atom) -> Kind {
    match atom {
        Atom::Floor(_) => Kind::Floor,
        Atom::Power(..) => Kind::Power,
        Atom::Log(..) => Kind::Log,
        Atom::Bracket(_) => Kind::Bracket,
        Atom::Symbol(_)
        | Atom::Min(_)
        | Atom::Max(_)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Sum(_)
        | Atom::Inverse(_) => Kind::Other,
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

/// Longer formulas than of so many atoms nobody reads: the longest of those that come with this crate
/// has some hundred.
const MOST_ATOMS: u32 = 4_000;

/// So many atoms may be written down for a product: some of them cancel or merge.
const MOST_ATOMS_OF_A_PRODUCT: u64 = 4 * MOST_ATOMS as u64;

/// Numbers of some 30,000 digits are written, longer ones come out of no formula that is meant.
const MOST_BITS_OF_A_PRODUCT: usize = 100_000;

/// Σ in Σ deeper than this says no more than the loops it came from.
const MOST_NESTED_SUMS: u16 = 8;

impl Expr {
    /// How many atoms it has, written out.
    pub(crate) fn length(&self) -> u32 {
        self.summary().length()
    }

    /// Whether it is too long, or its sums nest too deep, to be worth going on with.
    pub(crate) fn is_unwieldy(&self) -> bool {
        self.summary().length() > MOST_ATOMS || self.summary().sums() > MOST_NESTED_SUMS
    }

    /// Whether the product would be too long, or its numbers too large, to be worth going on with.
    pub(crate) fn is_unwieldy_times(&self, other: &Expr) -> bool {
        let length = |expr: &Expr| u64::from(expr.summary().length()) + 1;
        let terms = |expr: &Expr| expr.terms().len() as u64;
        let bits = |expr: &Expr| {
            let each = expr
                .terms()
                .iter()
                .map(|(_, number)| number.bits_beyond_words());
            each.max().unwrap_or_default()
        };
        let atoms = length(self)
            .saturating_mul(terms(other))
            .saturating_add(length(other).saturating_mul(terms(self)));
        atoms > MOST_ATOMS_OF_A_PRODUCT || bits(self) + bits(other) > MOST_BITS_OF_A_PRODUCT
    }

    /// Whether an atom of this kind is inside, at any depth.
    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.summary().has(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::{Cond, SymbolKind};

    fn symbol(id: u32, name: &str) -> Expr {
        Expr::symbol(&Symbol::new(id, name))
    }

    #[test]
    fn what_is_inside_is_seen_from_outside() {
        let (n, i) = (symbol(0, "n"), Symbol::new(1, "i"));
        let inner = Expr::symbol(&i).add(&n).div(&Expr::int(2)).expect("not 0");
        let sum = Expr::unsolved_sum(&i, &Expr::zero(), &n, &inner.floor());
        let guarded = sum.mul(&Expr::bracket(Cond::ge(&n, &Expr::one())));
        for (kind, expected) in [
            (Kind::Floor, true),
            (Kind::Bracket, true),
            (Kind::Log, false),
            (Kind::Power, false),
        ] {
            assert_eq!(guarded.has(kind), expected, "{kind:?}");
        }
        assert_eq!((guarded.summary().sums(), inner.summary().sums()), (1, 0));
        let outer = Expr::unsolved_sum(&Symbol::new(0, "n"), &Expr::zero(), &symbol(2, "m"), &sum);
        assert_eq!(outer.summary().sums(), 2);
        assert!(!sum.has(Kind::Bracket) && !inner.has(Kind::Floor));
        // Σ and its end n, ⌊…⌋ with its two symbols, […] with its one.
        assert_eq!(guarded.summary().length(), 7);
    }

    #[test]
    fn a_symbol_inside_is_never_overlooked() {
        for kind in [SymbolKind::Parameter, SymbolKind::Bound, SymbolKind::Open] {
            for number in (0..2_000).chain([u32::MAX, 1 << 31, 3 << 30]) {
                let symbol = Symbol::of(kind, number, "x");
                let inside = Expr::symbol(&symbol).add(&Expr::int(3)).floor();
                assert!(inside.contains(&symbol));
                assert!(!inside.contains(&Symbol::of(kind, number ^ 1, "y")));
                assert!(!inside.contains(&Symbol::of(SymbolKind::Letter, number, "x")));
            }
        }
    }
}

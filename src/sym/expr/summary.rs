//! The summary of an expression: the symbols that may occur in it, the kinds of atoms inside, its
//! length and its depth. It is kept with every expression, so that most questions about a long one are
//! answered at once.

use crate::sym::expr::symbol::Symbol;

/// The most atoms of a formula worth going on with. Formulas of real programs have some hundred.
/// A larger limit spends memory on formulas that nobody reads.
pub(super) const MOST_ATOMS: u32 = 4_000;

/// The deepest nesting of `Σ` in `Σ`. A deeper form says no more than the loops that it came
/// from.
const MOST_NESTED_SUMS: u16 = 8;

/// The deepest nesting of atoms. One expression of a program nests 128 deep in brackets. Chains of
/// `let`s give more, each with the one before in it: `let x2 = ⌊(x1 + 1)/2⌋`. All recursion on a
/// form is as deep as the form, so a larger limit takes more stack everywhere.
const MOST_LEVELS: u8 = 250;

/// The summary of an expression or a product, insides included.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Summary {
    /// A bit for every symbol inside. Different symbols may share a bit.
    names: u64,
    /// The number of atoms, nested ones included.
    length: u32,
    /// The nesting depth of atoms, up to 255: 0 for a number, 1 for n, 2 for ⌊n/b⌋.
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

    /// Returns the number of atoms, nested ones included, up to 2^32 − 1.
    pub(crate) fn length(self) -> u32 {
        self.length
    }

    /// Returns true if the form is too long, or nests too deep, to be worth going on with.
    pub(crate) fn is_unwieldy(self) -> bool {
        self.length > MOST_ATOMS || self.sums > MOST_NESTED_SUMS || self.levels > MOST_LEVELS
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::{Cond, Expr, SymbolKind};

    fn symbol(id: u32, name: &str) -> Expr {
        Expr::symbol(&Symbol::new(id, name))
    }

    #[test]
    fn what_is_inside_is_seen_from_outside() {
        let (n, i) = (symbol(0, "n"), Symbol::new(1, "i"));
        let inner = (Expr::symbol(&i) + &n).div(&Expr::int(2)).expect("not 0");
        let sum = Expr::unsolved_sum(&i, &Expr::zero(), &n, &inner.floor());
        let guarded = &sum * Expr::bracket(Cond::ge(&n, &Expr::one()));
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
        assert_eq!(
            (guarded.summary().levels, Expr::int(3).summary().levels),
            (3, 0)
        );
    }

    #[test]
    fn a_form_that_nests_too_deep_is_unwieldy() {
        let n = symbol(0, "n");
        let half = |x: &Expr| (x + &n).div(&Expr::int(3)).expect("not 0").floor();
        let nested = |levels: u8| (1..levels).fold(n.clone(), |x, _| half(&x));
        assert!(!nested(MOST_LEVELS).is_unwieldy());
        assert!(nested(MOST_LEVELS + 1).is_unwieldy());
        let deeper = (0..20).fold(nested(MOST_LEVELS), |x, _| half(&x));
        assert!(deeper.is_unwieldy(), "255 is the largest depth told");
    }

    #[test]
    fn a_symbol_inside_is_never_overlooked() {
        for kind in [SymbolKind::Parameter, SymbolKind::Bound, SymbolKind::Open] {
            for number in (0..2_000).chain([u32::MAX, 1 << 31, 3 << 30]) {
                let symbol = Symbol::of(kind, number, "x");
                let inside = (Expr::symbol(&symbol) + 3).floor();
                assert!(inside.contains(&symbol));
                assert!(!inside.contains(&Symbol::of(kind, number ^ 1, "y")));
                assert!(!inside.contains(&Symbol::of(SymbolKind::Letter, number, "x")));
            }
        }
    }
}

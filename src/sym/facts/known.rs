//! The knowledge behind [`Facts`](crate::sym::Facts): bounds, divisibilities and powers, with the
//! conclusions drawn from them so far. Data only.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Sum};
use crate::sym::facts::memo::Memo;
use crate::sym::facts::models::{AtPoints, Models};
use crate::sym::{Cond, Expr, Symbol};

/// The knowledge itself, with the conclusions drawn so far.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// Symbols that need not be whole; they are positive.
    pub(super) reals: BTreeSet<Symbol>,
    /// Polynomials that are ≥ 0 wherever the facts hold.
    pub bounds: Vec<Bound>,
    /// Divisor and multiple.
    pub divides: Vec<(Expr, Expr, Source)>,
    /// Pairs (x, y) with x a power of y.
    pub powers: Vec<(Expr, Expr, Source)>,
    /// All conditions as they were assumed.
    pub literals: Vec<(Cond, Source)>,
    /// One more than the highest number of an opened sum's variable in any fact.
    pub(super) open_sums: u32,
    /// Points that refute what cannot be proved.
    pub models: Models,
    /// Conclusions from all this, as far as somebody asked for them.
    pub memory: Memory,
}

/// Conclusions from some knowledge. A copy begins empty, because copies are made in order to
/// learn more.
#[derive(Default)]
pub(crate) struct Memory {
    /// Answers to conditions. A failure holds for the depth of nested proofs stored with it, and
    /// for deeper ones.
    pub proofs: Memo<Cond, (Option<bool>, u32)>,
    /// Answers to "is the value ≥ 0?" (or > 0 if the flag is set), with depths as in `proofs`.
    pub signs: Memo<(Expr, bool), (bool, u32)>,
    pub signs_of_atoms: Memo<Atom, bool>,
    /// Bounds of atoms, with the depth of nested proofs at which they were found.
    pub about_atoms: Memo<Atom, (Arc<[Measured]>, u32)>,
    pub prepared: OnceLock<Prepared>,
    pub forms: Memo<Expr, Expr>,
    /// Simplified forms of atoms without unsolved sums; `None` where they stay as they are.
    pub atoms: Memo<Atom, Option<Expr>>,
    /// Simplified forms of unsolved sums; `None` where they stay as they are.
    pub sums: Memo<Arc<Sum>, Option<Expr>>,
    /// This knowledge with one more condition supposed. Branches that suppose the same share
    /// conclusions.
    pub(super) extended: Memo<Cond, Arc<Known>>,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Memory::default()
    }
}

/// Least values of symbols, and the bounds measured from them.
pub(crate) struct Prepared {
    pub least: FxHashMap<Atom, (Rational, Source)>,
    pub bounds: Vec<Measured>,
    /// The values of measured atoms at the points that satisfy the facts.
    pub values: Memo<Atom, AtPoints>,
    /// The rounded logarithms in the bounds.
    pub logs: Vec<RoundedLog>,
}

/// A logarithm to base^degree that is rounded: log_base(argument)/degree.
#[derive(PartialEq)]
pub(crate) struct RoundedLog {
    pub base: Expr,
    pub argument: Expr,
    pub degree: Rational,
}

/// A bound on measured symbols with its values at the points.
pub(crate) struct Measured {
    pub value: Expr,
    pub source: Source,
    pub at_points: AtPoints,
    pub degree: i64,
}

/// The number of an assumption's text; `None` for a fact whose use is not reported.
pub(crate) type Source = Option<usize>;

/// value ≥ 0
#[derive(Clone)]
pub(crate) struct Bound {
    pub value: Expr,
    pub source: Source,
}

impl Known {
    /// Drops conclusions, which may be too weak after learning more.
    pub(super) fn forget(&mut self) {
        self.memory = Memory::default();
    }

    /// Returns the number of facts that a copy takes over.
    pub(super) fn size(&self) -> u64 {
        let facts = self.bounds.len() + self.literals.len() + self.models.learnt();
        u64::try_from(facts).unwrap_or(u64::MAX)
    }
}

//! What stands around a place of a kernel: its MPs, the cores and the loops, each a range that its
//! index runs through.

use crate::program::{Kernel, VarId};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::symbols;

/// One dimension of MPs, the cores, or a loop.
#[derive(Debug, Clone)]
pub(crate) struct Dimension {
    /// The index.
    pub(crate) symbol: Symbol,
    /// The first number.
    pub(crate) low: Expr,
    /// The last number.
    pub(crate) high: Expr,
}

/// The MPs, the cores and the loops around a place, and what is known outside all of them.
#[derive(Default)]
pub(crate) struct Around {
    /// What is known outside the kernel.
    pub(crate) facts: Facts,
    /// Symbols that are newer belong to the kernel.
    mark: u32,
    /// The kernel's shared variables that would be registers.
    pub(crate) registers: Vec<VarId>,
    /// The MPs of the kernel.
    pub(crate) mps: Vec<Dimension>,
    /// The cores of the core loop, by their own index.
    pub(crate) cores: Option<Dimension>,
    /// The loops around this place, outermost first.
    pub(crate) loops: Vec<Dimension>,
    /// How many of them go through rows of sorted arrays.
    pub(crate) in_rows: u32,
}

impl Around {
    /// Nothing yet but the host, where a kernel begins: symbols newer than the mark are its own.
    pub(crate) fn kernel(kernel: &Kernel, facts: Facts, mark: u32) -> Self {
        Around {
            facts,
            mark,
            registers: kernel.registers.clone(),
            ..Around::default()
        }
    }

    /// The cores, the MPs and the loops around.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = &Dimension> {
        self.cores.iter().chain(&self.mps).chain(&self.loops)
    }

    /// Whether a value is the same for all cores, MPs and iterations, and no data are in it.
    pub(crate) fn is_common(&self, value: &Expr) -> bool {
        let symbols = value.symbols();
        let mut around = self.all();
        !around.any(|turns| symbols.contains(&turns.symbol))
            && !symbols
                .iter()
                .any(|symbol| symbols::is_since(symbol, self.mark))
    }

    /// How many there are from `low` to `high`, where that is the same everywhere.
    pub(crate) fn common_length(&self, low: &Expr, high: &Expr) -> Option<Expr> {
        let length = self.facts.simplify(&(high - low + 1));
        self.is_common(&length)
            .then(|| at_least_zero(&self.facts, &length))
    }

    /// The largest value over all that is around.
    pub(crate) fn peak(&self, value: &Expr, facts: &Facts) -> Option<Expr> {
        let mut peak = value.clone();
        for turns in self.all().rev() {
            if peak.contains(&turns.symbol) {
                let (symbol, low, high) = (&turns.symbol, &turns.low, &turns.high);
                peak = facts
                    .maximum(symbol, low, high, &peak)
                    .or_else(|| facts.part_by_part(symbol, low, high, &peak))?;
            }
        }
        self.is_common(&peak).then_some(peak)
    }
}

/// Assumes `low ≤ symbol ≤ high` of a whole number.
pub(crate) fn suppose_range(facts: &mut Facts, symbol: &Symbol, low: &Expr, high: &Expr) {
    let value = Expr::symbol(symbol);
    facts.integer(symbol);
    facts.suppose(&Cond::ge(&value, low));
    facts.suppose(&Cond::le(&value, high));
}

/// A length that is 0 when it would be negative.
pub(crate) fn at_least_zero(facts: &Facts, length: &Expr) -> Expr {
    match facts.prove(&Cond::ge(length, &Expr::zero())) {
        Some(true) => length.clone(),
        Some(false) => Expr::zero(),
        None => Expr::max(vec![Expr::zero(), length.clone()]),
    }
}

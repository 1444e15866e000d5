//! What a derivation is: the shape of `derive`'s result, and no deriving.
//!
//! ```
//! # macro_rules! include_str { ($file:literal) => {
//! #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
//! # }}
//! use atgpu::derivation::Verdict;
//!
//! let derivation = atgpu::program(include_str!("vector_addition.atgpu"))?.derive()?;
//! let upper = derivation.totals.io.upper.as_ref().map(ToString::to_string);
//! assert_eq!(upper.as_deref(), Some("3n/b"));
//! assert!(derivation.totals.io.is_exact());
//! assert_eq!(derivation.classes["io"], "Θ(n/b)");
//!
//! // Each line of the kernel, and what it adds to the time of an MP.
//! let line = &derivation.rounds[0].lines[2];
//! assert_eq!(line.text, "_c[j] ← _a[j] + _b[j]");
//! assert!(derivation.claims.iter().all(|claim| matches!(claim.verdict, Verdict::Proved)));
//! # Ok::<(), atgpu::Error>(())
//! ```

pub mod evaluate;
pub(crate) mod formula;
pub(crate) mod letters;

use indexmap::IndexMap;

use crate::count::{ArrayBlocks, Charges, Inexact, Quantity as Which, Totals, Traffic};
use crate::sym::{Cond, Expr, Symbol};

/// A derived quantity: exact when both ends are the same expression.
#[derive(Debug, Clone, Default)]
pub struct Quantity {
    /// Never smaller than the true value; `None` when nothing could be derived.
    pub upper: Option<Expr>,
    /// Never larger than the true value; `None` when nothing could be derived.
    pub lower: Option<Expr>,
}

/// Why a quantity is only a bound, or missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The quantity's name in the JSON, such as `time` or `io`.
    pub quantity: String,
    /// The line that loses exactness.
    pub line: usize,
    /// What is lost there, and what would make it exact.
    pub why: Inexact,
}

/// A host loop around a round.
#[derive(Debug, Clone)]
pub struct LoopRange {
    /// The loop variable.
    pub symbol: Symbol,
    /// First value.
    pub from: Expr,
    /// Last value.
    pub to: Expr,
    /// Whether it counts down.
    pub down: bool,
}

/// One round, or all rounds of a host loop written in its variable.
#[derive(Debug, Clone)]
pub struct DerivedRound {
    /// The number of its first round.
    pub number: Option<Expr>,
    /// The parameters it is about, where some have other rounds.
    pub when: Option<Cond>,
    /// How many rounds it stands for.
    pub count: Quantity,
    /// The host `for` loops it stands for, outermost first.
    pub loops: Vec<LoopRange>,
    /// The host `while` it stands in: line and bound.
    pub within_while: Option<(usize, Expr)>,
    /// k
    pub launched_mps: Quantity,
    /// t
    pub time: Quantity,
    /// q
    pub io: Quantity,
    /// I and Î
    pub inward: Traffic<Quantity>,
    /// O and Ô
    pub outward: Traffic<Quantity>,
    /// m
    pub shared_words: Quantity,
    /// g
    pub global_words: Quantity,
    /// Σ (degree − 1)
    pub bank_conflicts: Quantity,
    /// ℓ = min(⌊M/m⌋, H), H when m = 0.
    pub occupancy: Quantity,
    /// q by array.
    pub arrays: IndexMap<String, ArrayBlocks<Quantity>>,
    /// The lines of its kernel.
    pub lines: Vec<DerivedLine>,
    /// What a machine charges for its kernel, where one was asked.
    pub charges: Option<Box<Charges<Quantity>>>,
}

/// What one line of a kernel contributes.
#[derive(Debug, Clone)]
pub struct DerivedLine {
    /// The line number.
    pub line: usize,
    /// The line of the `execute` that led here.
    pub from: Option<usize>,
    /// The source text, trimmed, without comment.
    pub text: String,
    /// How often the costliest MP executes it.
    pub executions: Quantity,
    /// Its contribution to that MP's t.
    pub operations: Quantity,
    /// Blocks, over all MPs and executions.
    pub blocks: Quantity,
    /// Σ (degree − 1), over all MPs and executions.
    pub conflicts: Quantity,
    /// How its blocks were counted: "unit stride, aligned".
    pub rule: Option<String>,
}

/// How a claim fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// By algebra.
    Proved,
    /// At this many points of a grid, without a counterexample.
    Tested(usize),
    /// Wrong at the given values.
    Refuted {
        /// `n = 4, b = 2`
        counterexample: String,
        /// What the two sides are there.
        values: String,
    },
    /// Neither proved nor testable, and why.
    Open(String),
}

/// A claim and its verdict.
#[derive(Debug, Clone)]
pub struct DerivedClaim {
    /// The claim as written, without the keyword.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// How it fared.
    pub verdict: Verdict,
}

/// The whole derivation of a program.
#[derive(Debug, Clone)]
pub struct Derivation {
    /// The algorithm's name.
    pub algorithm: String,
    /// The names of its formal parameters, in order.
    pub formals: Vec<String>,
    /// In order of execution.
    pub rounds: Vec<DerivedRound>,
    /// Over all rounds.
    pub totals: Totals<Quantity>,
    /// Σ T_I + T_O, in α and β.
    pub transfer_cost: Quantity,
    /// Expression (1) of paper 1.
    pub cost: Quantity,
    /// Expression (2) of paper 1.
    pub gpu_cost: Quantity,
    /// Asymptotic class of each total, such as `Θ(n/b)`, by name.
    pub classes: IndexMap<String, String>,
    /// The facts from `require` that were used.
    pub facts: Vec<String>,
    /// The claims with their verdicts.
    pub claims: Vec<DerivedClaim>,
    /// Why quantities are bounds or missing.
    pub bounds: Vec<Bound>,
    /// ℓ, where all rounds with a kernel share one; `gpu_cost` is written with the letter then.
    pub occupancy: Option<Expr>,
    /// The program's `let` names with their values, for printing.
    pub names: Vec<(String, Expr)>,
}

impl Derivation {
    /// All totals, then the costs.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Which, &Quantity)> {
        let costs = Which::COSTS.map(|which| (which, self.quantity(which)));
        self.totals.all().into_iter().chain(costs)
    }

    /// The derived quantity a claim speaks of.
    pub(crate) fn quantity(&self, which: Which) -> &Quantity {
        let t = &self.totals;
        match which {
            Which::Rounds => &t.rounds,
            Which::Time => &t.time,
            Which::TotalTime => &t.total_time,
            Which::Io => &t.io,
            Which::Inward => &t.inward,
            Which::Outward => &t.outward,
            Which::Transfer => &t.transfer,
            Which::Transactions => &t.transactions,
            Which::TransferCost => &self.transfer_cost,
            Which::Shared => &t.shared,
            Which::Global => &t.global,
            Which::BankConflicts => &t.bank_conflicts,
            Which::Cost => &self.cost,
            Which::GpuCost => &self.gpu_cost,
        }
    }
}

impl Quantity {
    /// An exactly known quantity.
    ///
    /// ```
    /// use atgpu::derivation::Quantity;
    /// use atgpu::sym::Expr;
    ///
    /// let three = Quantity::exact(Expr::int(3));
    /// assert_eq!(three.lower, three.upper);
    /// ```
    pub fn exact(value: Expr) -> Self {
        Quantity {
            upper: Some(value.clone()),
            lower: Some(value),
        }
    }

    /// Nothing known.
    ///
    /// ```
    /// # use atgpu::derivation::Quantity;
    /// assert_eq!(Quantity::unknown().upper, None);
    /// ```
    pub fn unknown() -> Self {
        Quantity::default()
    }

    /// Whether the value itself is known, not only bounds on it.
    ///
    /// ```
    /// # use atgpu::{derivation::Quantity, sym::Expr};
    /// let between = Quantity { lower: Some(Expr::int(3)), upper: Some(Expr::int(5)) };
    /// assert!(!between.is_exact());
    /// assert!(Quantity::exact(Expr::int(3)).is_exact());
    /// ```
    pub fn is_exact(&self) -> bool {
        self.upper.is_some() && self.upper == self.lower
    }

    /// Both ends changed alike.
    pub(crate) fn map(&self, change: impl Fn(&Expr) -> Expr) -> Self {
        Quantity {
            upper: self.upper.as_ref().map(&change),
            lower: self.lower.as_ref().map(&change),
        }
    }
}

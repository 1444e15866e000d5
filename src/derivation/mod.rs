//! What a derivation is: the shape of `derive`'s result, and no deriving.
//!
//! ```
//! # macro_rules! include_str { ($file:literal) => {
//! #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
//! # }}
//! use atgpu::count::Quantity;
//! use atgpu::derivation::Verdict;
//!
//! let derivation = atgpu::program(include_str!("vector_addition.atgpu"))?.derive()?;
//! let upper = derivation.totals.io.upper.as_ref().map(ToString::to_string);
//! assert_eq!(upper.as_deref(), Some("3n/b"));
//! assert!(derivation.totals.io.is_exact());
//! assert_eq!(derivation.classes[&Quantity::Io], "Θ(n/b)");
//!
//! // Each line of the kernel, and what it adds to the time of an MP.
//! let line = &derivation.rounds[0].lines[2];
//! assert_eq!(line.text, "_c[j] ← _a[j] + _b[j]");
//! assert!(derivation.claims.iter().all(|claim| matches!(claim.verdict, Verdict::Proved)));
//! # Ok::<(), atgpu::Error>(())
//! ```

pub mod contradiction;
pub mod evaluate;
pub(crate) mod formula;
pub(crate) mod letters;
pub(crate) mod rule;
pub(crate) mod shares;
mod sources;
pub mod verdict;

use indexmap::IndexMap;

use crate::count::{Charges, Inexact, Interval, Number, Quantity, Round, Totals, Traffic};
use crate::derivation::contradiction::Contradiction;
use crate::sym::{Cond, Expr, Facts, Symbol};

pub use formula::{Formula, NoFormula};
pub use rule::{BlockRule, Moves};
pub use shares::{Paid, Share};
pub use sources::{Part, Source, Sources};
pub use verdict::Verdict;

/// A derived number: exact where both ends are the same expression; without ends where nothing could
/// be derived.
pub type Derived = Interval<Option<Expr>>;

impl Derived {
    /// The one form it has; none where there are two, or nothing was derived.
    pub(crate) fn exact_form(&self) -> Option<Expr> {
        self.is_exact().then(|| self.upper.clone())?
    }
}

/// Why a quantity is only a bound, or missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// What is only a bound.
    pub quantity: Touched,
    /// The line that loses exactness.
    pub line: usize,
    /// What is lost there, and what would make it exact.
    pub why: Inexact,
}

/// What may be only a bound, or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Touched {
    /// A quantity of the program.
    Quantity(Quantity),
    /// How the operations of an MP are shared among its lines.
    Operations,
    /// What a machine charges.
    Charges,
}

impl Touched {
    /// Its name in the JSON.
    ///
    /// ```
    /// use atgpu::{count::Quantity, derivation::Touched};
    ///
    /// assert_eq!(Touched::Quantity(Quantity::Io).name(), "io");
    /// assert_eq!(Touched::Charges.name(), "charges");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Touched::Quantity(quantity) => quantity.name(),
            Touched::Operations => "operations",
            Touched::Charges => "charges",
        }
    }
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

impl LoopRange {
    /// Its least value and its largest.
    pub(crate) fn ends(&self) -> (&Expr, &Expr) {
        match self.down {
            true => (&self.to, &self.from),
            false => (&self.from, &self.to),
        }
    }
}

/// A round next to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// The one that follows.
    Next,
    /// The one before.
    Previous,
}

/// How transfers are part of another round: where a round goes on from one iteration of a host loop in
/// the next, or beyond a loop that data end, they stand by themselves.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Of which.
    pub with: Neighbour,
    /// Where they are a round all the same.
    pub alone: Cond,
    /// Whether that is certain; otherwise they are one at most there.
    pub is_exact: bool,
}

impl Joined {
    /// Where it is a round all the same, if it is for certain, and anywhere.
    pub(crate) fn told_alone(&self) -> Option<&Cond> {
        (self.is_exact && self.alone != Cond::False).then_some(&self.alone)
    }
}

/// One round, or all rounds of a host loop written in its variable.
#[derive(Debug, Clone)]
pub struct DerivedRound {
    /// The number of its first round; of no part of a round.
    pub number: Option<Expr>,
    /// Where it is transfers that may be part of another round.
    pub joined: Option<Joined>,
    /// The parameters it is about, where some have other rounds.
    pub when: Option<Cond>,
    /// How many rounds it stands for.
    pub count: Derived,
    /// The host `for` loops it stands for, outermost first.
    pub loops: Vec<LoopRange>,
    /// The innermost host `while` it stands in: its line, and how often it repeats at most, over all turns of
    /// those around it.
    pub within_while: Option<(usize, Expr)>,
    /// The line of the host `for` it stands in whose `until` may end that early.
    pub within_until: Option<usize>,
    /// What is counted of it.
    pub counts: Round<Derived>,
    /// ℓ = min(⌊M/m⌋, H), H when m = 0.
    pub occupancy: Derived,
    /// The line that opens its kernel, where it has one.
    pub opens: Option<usize>,
    /// The lines of its kernel.
    pub lines: Vec<DerivedLine>,
    /// Its transfers, in order.
    pub transfers: Vec<DerivedTransfer>,
    /// What a machine charges for its kernel, where one was asked.
    pub charges: Option<Box<Charges<Derived>>>,
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
    pub executions: Derived,
    /// Its contribution to that MP's t.
    pub operations: Derived,
    /// The operations of one execution: of each, where all have the same, otherwise the most of any.
    pub each: Option<Derived>,
    /// Blocks, over all MPs and executions.
    pub blocks: Derived,
    /// Σ (degree − 1), over all MPs and executions.
    pub conflicts: Derived,
    /// How its blocks were counted: "unit stride, aligned".
    pub rule: Option<BlockRule>,
}

impl DerivedLine {
    /// All that is derived of it, by name.
    pub(crate) fn all(&self) -> [(&'static str, &Derived); 4] {
        [
            ("executions", &self.executions),
            ("operations", &self.operations),
            ("blocks", &self.blocks),
            ("conflicts", &self.conflicts),
        ]
    }

    /// The same, to be changed.
    pub(crate) fn all_mut(&mut self) -> [&mut Derived; 4] {
        [
            &mut self.executions,
            &mut self.operations,
            &mut self.blocks,
            &mut self.conflicts,
        ]
    }
}

impl DerivedRound {
    /// What one round has, summed over the host loops it stands for by `sum`: of a variable from its least
    /// value to its largest.
    pub(crate) fn over_loops(
        &self,
        one: Expr,
        sum: impl Fn(&Symbol, &Expr, &Expr, &Expr) -> Expr,
    ) -> Expr {
        // An entry is about some parameters only, where others of its loop take turns with it.
        let one = match &self.when {
            Some(when) => Expr::bracket(when.clone()).mul(&one),
            None => one,
        };
        self.loops.iter().rev().fold(one, |inner, range| {
            let (low, high) = range.ends();
            sum(&range.symbol, low, high, &inner)
        })
    }
}

/// What one transfer statement moves in a round; all of a round together are its I, Î, O and Ô.
#[derive(Debug, Clone)]
pub struct DerivedTransfer {
    /// The line number.
    pub line: usize,
    /// Its words and transactions.
    pub traffic: Traffic<Derived>,
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
    /// Whether t has each shared operand with its degree, and not with 1 (language.md §4.2, on request).
    pub charges_conflicts: bool,
    /// In order of execution.
    pub rounds: Vec<DerivedRound>,
    /// Over all rounds.
    pub totals: Totals<Derived>,
    /// Σ T_I + T_O, in α and β.
    pub transfer_cost: Derived,
    /// Expression (1) of paper 1.
    pub cost: Derived,
    /// Expression (2) of paper 1.
    pub gpu_cost: Derived,
    /// Asymptotic class of each total, such as `Θ(n/b)`.
    pub classes: IndexMap<Quantity, String>,
    /// The facts from `require` that were used.
    pub facts: Vec<String>,
    /// The claims with their verdicts.
    pub claims: Vec<DerivedClaim>,
    /// Why quantities are bounds or missing.
    pub bounds: Vec<Bound>,
    /// Formulas that are kept back because counting contradicts them: our fault, to be reported.
    pub contradictions: Vec<Contradiction>,
    /// ℓ, where all rounds with a kernel share one; `gpu_cost` is written with the letter then.
    pub occupancy: Option<Expr>,
    /// The program's `let` names with their values, for printing.
    pub names: Vec<(String, Expr)>,
    /// Formulas too long to be read at a glance, each with a short one that it is nowhere above.
    pub plain: IndexMap<Expr, Expr>,
    /// What the program requires, for what is to be solved of its formulas later.
    pub(crate) known: Facts,
    /// What Σ q, the cost and the GPU-cost are never more than: so many blocks for each execution. At last the
    /// GPU-cost again, with a wave that is not full counted as one more.
    pub(crate) crude: [Option<Expr>; 4],
    /// No less than Σ t·k/(k'ℓ), all waves together but for one a round, and what the letter ℓ stands for in it.
    pub(crate) full_waves: Option<[Expr; 2]>,
}

impl Derivation {
    /// All totals, then the costs.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Quantity, &Derived)> {
        let costs = Quantity::COSTS.map(|which| (which, self.quantity(which)));
        self.totals.all().into_iter().chain(costs)
    }

    /// Whether a quantity has a class that says how it grows, not only what it grows no faster than.
    pub(crate) fn has_tight_class(&self, which: Quantity) -> bool {
        self.classes
            .get(&which)
            .is_some_and(|class| class.starts_with('Θ'))
    }

    /// The derived quantity a claim speaks of.
    pub(crate) fn quantity(&self, which: Quantity) -> &Derived {
        let t = &self.totals;
        match which {
            Quantity::Rounds => &t.rounds,
            Quantity::Time => &t.time,
            Quantity::TotalTime => &t.total_time,
            Quantity::Io => &t.io,
            Quantity::Inward => &t.inward,
            Quantity::Outward => &t.outward,
            Quantity::Transfer => &t.transfer,
            Quantity::Transactions => &t.transactions,
            Quantity::TransferCost => &self.transfer_cost,
            Quantity::Shared => &t.shared,
            Quantity::Global => &t.global,
            Quantity::BankConflicts => &t.bank_conflicts,
            Quantity::Cost => &self.cost,
            Quantity::GpuCost => &self.gpu_cost,
        }
    }
}

impl Number for Expr {
    fn is_zero(&self) -> bool {
        Expr::is_zero(self)
    }

    fn plus(&self, other: &Self) -> Self {
        self.add(other)
    }

    fn times(&self, factor: &Self) -> Self {
        self.mul(factor)
    }

    fn least(&self, other: &Self) -> Self {
        match self == other {
            true => self.clone(),
            false => Expr::min(vec![self.clone(), other.clone()]),
        }
    }

    fn most(&self, other: &Self) -> Self {
        match self == other {
            true => self.clone(),
            false => Expr::max(vec![self.clone(), other.clone()]),
        }
    }
}

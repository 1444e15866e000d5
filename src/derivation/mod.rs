//! The shape of a derivation. Nothing is derived here.
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

use crate::count::{Charges, Inexact, Number, Quantity, Round, Totals, Traffic};
use crate::derivation::contradiction::Contradiction;
use crate::sym::{Cond, Expr, Facts, Symbol};

pub use formula::{Formula, NoFormula};
pub use rule::{BlockRule, Moves};
pub use shares::{Paid, Share};
pub use sources::{Part, Source, Sources};
pub use verdict::Verdict;

/// A derived number. It is exact if both ends are the same expression; it has no ends if nothing was derived.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Derived {
    /// The lower end.
    pub lower: Option<Expr>,
    /// The upper end.
    pub upper: Option<Expr>,
    /// A short upper bound, if the upper end is longer than two lines or coarse.
    pub short: Option<Expr>,
}

impl Derived {
    /// The number with a known form.
    ///
    /// ```
    /// use atgpu::{derivation::Derived, sym::Expr};
    ///
    /// assert!(Derived::exact(Expr::int(3)).is_exact());
    /// ```
    pub fn exact(form: Expr) -> Derived {
        Derived {
            lower: Some(form.clone()),
            upper: Some(form),
            short: None,
        }
    }

    /// Returns true if both ends are known and equal.
    pub fn is_exact(&self) -> bool {
        self.upper.is_some() && self.upper == self.lower
    }

    /// The form to show: the short upper bound, otherwise the upper end.
    pub fn shown(&self) -> Option<&Expr> {
        self.short.as_ref().or(self.upper.as_ref())
    }

    /// The known ends, lower first.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &Expr> {
        self.lower.iter().chain(&self.upper)
    }

    /// Applies an increasing function to the ends and the short bound.
    pub(crate) fn map(&self, change: impl Fn(&Expr) -> Expr) -> Derived {
        // The change is made once where both ends are one form, so that the number stays exact.
        let upper = self.upper.as_ref().map(&change);
        Derived {
            lower: if self.is_exact() {
                upper.clone()
            } else {
                self.lower.as_ref().map(&change)
            },
            upper,
            short: self.short.as_ref().map(&change),
        }
    }

    /// The exact form, if the number is exact.
    pub(crate) fn exact_form(&self) -> Option<Expr> {
        self.is_exact().then(|| self.upper.clone())?
    }
}

/// The reason why a quantity is only a bound, or missing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// The quantity.
    pub quantity: Touched,
    /// The line that loses exactness.
    pub line: usize,
    /// The loss and its remedy.
    pub why: Inexact,
}

/// A quantity that may be only a bound, or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Touched {
    /// A quantity of the program.
    Quantity(Quantity),
    /// The share of each line in the operations of an MP.
    Operations,
    /// The charges of a machine.
    Charges,
}

impl Touched {
    /// The name in the JSON.
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
#[non_exhaustive]
pub struct LoopRange {
    /// The loop variable.
    pub symbol: Symbol,
    /// First value.
    pub from: Expr,
    /// Last value.
    pub to: Expr,
    /// True if it counts down.
    pub down: bool,
}

impl LoopRange {
    /// The least and the largest value of the loop variable.
    pub(crate) fn ends(&self) -> (&Expr, &Expr) {
        if self.down {
            (&self.to, &self.from)
        } else {
            (&self.from, &self.to)
        }
    }
}

/// A neighbour of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Neighbour {
    /// The one that follows.
    Next,
    /// The one before.
    Previous,
}

/// Transfers that are part of another round. They are listed on their own where a round continues in the
/// next iteration of a host loop, or beyond a loop that data end.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Joined {
    /// The neighbour that they are part of.
    pub with: Neighbour,
    /// The parameters at which they are a round of their own.
    pub alone: Cond,
    /// True if they certainly are a round there, false if they are at most one.
    pub is_exact: bool,
}

impl Joined {
    /// The condition under which they are a round of their own, if it is certain and can hold.
    pub(crate) fn told_alone(&self) -> Option<&Cond> {
        (self.is_exact && self.alone != Cond::False).then_some(&self.alone)
    }
}

/// One round, or all rounds of a host loop written in its variable.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DerivedRound {
    /// The number of its first round; `None` for a part of a round.
    pub number: Option<Expr>,
    /// Set if the entry is transfers that may be part of another round.
    pub joined: Option<Joined>,
    /// The condition on the parameters under which the entry applies, if it does not always apply.
    pub when: Option<Cond>,
    /// The number of rounds that the entry stands for.
    pub count: Derived,
    /// The host `for` loops it stands for, outermost first.
    pub loops: Vec<LoopRange>,
    /// The innermost host `while` around it: its line, and an upper bound on its iterations, multiplied
    /// over all `while`s around that one.
    pub within_while: Option<(usize, Expr)>,
    /// The line of the host `for` around it that an `until` may end early.
    pub within_until: Option<usize>,
    /// The counts of one round.
    pub counts: Round<Derived>,
    /// ℓ = min(⌊M/m⌋, H), H when m = 0.
    pub occupancy: Derived,
    /// The line that opens its kernel, where it has one.
    pub opens: Option<usize>,
    /// The lines of its kernel.
    pub lines: Vec<DerivedLine>,
    /// Its transfers, in order.
    pub transfers: Vec<DerivedTransfer>,
    /// The charges of a machine for its kernel, if a machine was given.
    pub charges: Option<Box<Charges<Derived>>>,
}

/// The contribution of one kernel line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DerivedLine {
    /// The line number.
    pub line: usize,
    /// The line of the `execute` that leads here.
    pub from: Option<usize>,
    /// The source text, trimmed, without comment.
    pub text: String,
    /// The number of its executions in the costliest MP.
    pub executions: Derived,
    /// Its contribution to that MP's t.
    pub operations: Derived,
    /// Operations of one execution: of each execution if all are equal, otherwise the maximum.
    pub each: Option<Derived>,
    /// Blocks, over all MPs and executions.
    pub blocks: Derived,
    /// Σ (degree − 1), over all MPs and executions.
    pub conflicts: Derived,
    /// The rule by which its blocks were counted, such as "unit stride, aligned".
    pub rule: Option<BlockRule>,
}

impl DerivedLine {
    /// The derived quantities of the line, by name.
    pub(crate) fn all(&self) -> [(&'static str, &Derived); 4] {
        [
            ("executions", &self.executions),
            ("operations", &self.operations),
            ("blocks", &self.blocks),
            ("conflicts", &self.conflicts),
        ]
    }

    /// The derived quantities of the line, mutably.
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
    /// Sums a quantity of one round over the host loops of the entry. `sum` gets each loop variable with
    /// its least and its largest value.
    pub(crate) fn over_loops(
        &self,
        one: Expr,
        sum: impl Fn(&Symbol, &Expr, &Expr, &Expr) -> Expr,
    ) -> Expr {
        // The entry applies only under its condition: a bracket, 1 or 0, as a factor, drops the other
        // iterations.
        let one = match &self.when {
            Some(when) => Expr::bracket(when.clone()) * &one,
            None => one,
        };
        self.loops.iter().rev().fold(one, |inner, range| {
            let (low, high) = range.ends();
            sum(&range.symbol, low, high, &inner)
        })
    }
}

/// The traffic of one transfer statement in a round. All transfers of a round add up to its I, Î, O and Ô.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DerivedTransfer {
    /// The line number.
    pub line: usize,
    /// Its words and transactions.
    pub traffic: Traffic<Derived>,
}

/// A claim and its verdict.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DerivedClaim {
    /// The claim as written, without the keyword.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// The whole derivation of a program.
#[derive(Debug, Clone)]
pub struct Derivation {
    /// The algorithm's name.
    pub algorithm: String,
    /// The names of its formal parameters, in order.
    pub formals: Vec<String>,
    /// True if t charges each shared operand with its degree instead of 1 (language.md §4.2, on request).
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
    /// The asymptotic class of each total, such as `Θ(n/b)`.
    pub classes: IndexMap<Quantity, String>,
    /// The facts from `require` that were used.
    pub facts: Vec<String>,
    /// The claims with their verdicts.
    pub claims: Vec<DerivedClaim>,
    /// The reasons why quantities are bounds or missing.
    pub bounds: Vec<Bound>,
    /// Formulas withheld because counting contradicts them. Each is a fault of this crate, to be reported.
    pub contradictions: Vec<Contradiction>,
    /// The totals and costs whose shown bound was far above what is counted at some point tried. Their rounds say more.
    pub loose: Vec<Quantity>,
    /// ℓ, if all rounds with a kernel share one value; then `gpu_cost` contains the letter.
    pub occupancy: Option<Expr>,
    /// The program's `let` names with their values, for printing.
    pub names: Vec<(String, Expr)>,
    /// The facts that the program requires, for later questions about its formulas.
    pub(crate) known: Facts,
    /// Coarse upper bounds on totals.
    pub(crate) coarse: Coarse<Option<Expr>>,
    /// An upper bound on Σ t·k/(k'ℓ), where waves are not rounded up, and the value of the letter ℓ in it.
    pub(crate) full_waves: Option<[Expr; 2]>,
}

/// Coarse upper bounds on totals, from the most blocks that one execution of a line can touch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coarse<N> {
    /// Bounds Σ q.
    pub(crate) io: N,
    /// Bounds the cost.
    pub(crate) cost: N,
    /// Bounds the GPU-cost.
    pub(crate) gpu_cost: N,
    /// Bounds the GPU-cost with ⌊k/(k'ℓ)⌋ + 1 waves in the place of ⌈k/(k'ℓ)⌉, so without a ceiling.
    pub(crate) gpu_cost_by_full_waves: N,
}

impl<N> Coarse<N> {
    pub(crate) fn map<M>(self, mut change: impl FnMut(N) -> M) -> Coarse<M> {
        Coarse {
            io: change(self.io),
            cost: change(self.cost),
            gpu_cost: change(self.gpu_cost),
            gpu_cost_by_full_waves: change(self.gpu_cost_by_full_waves),
        }
    }
}

impl Derivation {
    /// Iterates over all totals, then the costs.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Quantity, &Derived)> {
        let costs = Quantity::COSTS.map(|which| (which, self.quantity(which)));
        self.totals.all().into_iter().chain(costs)
    }

    /// Iterates over the quantities with a short bound: totals, costs, and those of rounds and their lines.
    pub fn with_short_bounds(&self) -> impl Iterator<Item = &Derived> {
        let of_rounds = self.rounds.iter().flat_map(|round| {
            let lines = round.lines.iter().flat_map(DerivedLine::all);
            let lines = lines.map(|(_, quantity)| quantity);
            let counts = round.counts.all().map(|(_, quantity)| quantity);
            counts.chain(lines).chain([&round.count])
        });
        let totals = self.all().map(|(_, quantity)| quantity);
        let all = totals.chain(of_rounds);
        all.filter(|quantity| quantity.short.is_some())
    }

    /// Changes all totals, then the costs.
    pub(crate) fn change_all(&mut self, mut change: impl FnMut(Quantity, &Derived) -> Derived) {
        self.totals = self.totals.map(&mut change);
        for which in Quantity::COSTS {
            *self.quantity_mut(which) = change(which, self.quantity(which));
        }
    }

    /// Forgets all short bounds, so that each quantity is shown by its upper end.
    pub fn forget_short_bounds(&mut self) {
        let long = |quantity: &Derived| Derived {
            short: None,
            ..quantity.clone()
        };
        self.change_all(|_, quantity| long(quantity));
        for round in &mut self.rounds {
            round.count.short = None;
            round.counts = round.counts.map(|_, quantity| long(quantity));
            for quantity in round.lines.iter_mut().flat_map(DerivedLine::all_mut) {
                quantity.short = None;
            }
            for transfer in &mut round.transfers {
                transfer.traffic.words.short = None;
                transfer.traffic.transactions.short = None;
            }
            if let Some(charges) = &mut round.charges {
                **charges = charges.map(long);
            }
        }
    }

    /// Returns true if the class of a quantity is tight (Θ), false if it is only an upper bound (O).
    pub(crate) fn has_tight_class(&self, which: Quantity) -> bool {
        self.classes
            .get(&which)
            .is_some_and(|class| class.starts_with('Θ'))
    }

    /// Returns the derived quantity of a claim.
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

    /// Returns the derived quantity of a claim, mutably.
    pub(crate) fn quantity_mut(&mut self, which: Quantity) -> &mut Derived {
        let t = &mut self.totals;
        match which {
            Quantity::Rounds => &mut t.rounds,
            Quantity::Time => &mut t.time,
            Quantity::TotalTime => &mut t.total_time,
            Quantity::Io => &mut t.io,
            Quantity::Inward => &mut t.inward,
            Quantity::Outward => &mut t.outward,
            Quantity::Transfer => &mut t.transfer,
            Quantity::Transactions => &mut t.transactions,
            Quantity::TransferCost => &mut self.transfer_cost,
            Quantity::Shared => &mut t.shared,
            Quantity::Global => &mut t.global,
            Quantity::BankConflicts => &mut t.bank_conflicts,
            Quantity::Cost => &mut self.cost,
            Quantity::GpuCost => &mut self.gpu_cost,
        }
    }
}

impl Number for Expr {
    fn is_zero(&self) -> bool {
        Expr::is_zero(self)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn times(&self, factor: &Self) -> Self {
        self * factor
    }

    fn least(&self, other: &Self) -> Self {
        if self == other {
            self.clone()
        } else {
            Expr::min(vec![self.clone(), other.clone()])
        }
    }

    fn most(&self, other: &Self) -> Self {
        if self == other {
            self.clone()
        } else {
            Expr::max(vec![self.clone(), other.clone()])
        }
    }
}

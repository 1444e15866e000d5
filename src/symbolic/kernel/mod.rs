//! One kernel: what each of its lines costs, and the kernel's t, q and conflicts (language.md §4.1
//! to §4.3), in the formal parameters and the host loops around it.
//!
//! A statement is counted in its own context, once per time it executes there; leaving an `if`
//! multiplies by the bracket of what could not be decided, leaving a loop sums over its variable,
//! leaving the wrapper takes the costliest MP for t and the sum over MPs for everything else.

mod charges;
mod contention;
pub(crate) mod counter;
pub(crate) mod cycles;
mod distinct;
pub(crate) mod footprint;
pub(crate) mod grid;
pub(crate) mod guard;
mod line;
pub(crate) mod loops;
mod mps;
pub(crate) mod operands;
pub(crate) mod stmt;
mod warp;

use indexmap::IndexMap;

use crate::count::{Charges, Inexact};
use crate::machine::CycleRules;
use crate::operations::{self, Operations};
use crate::program::{Kernel, VarId, WrapperStmt};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{Around, Dimension, at_least_zero};
use crate::symbolic::data::Known;
use crate::symbolic::data::provenance::Copies;
pub(crate) use crate::symbolic::kernel::line::{Access, LineCount};
use crate::symbolic::kernel::mps::Mps;
use crate::symbolic::symbols::Untranslatable;
use crate::text::Span;

/// Which quantities a loss of exactness touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Affected {
    /// Everything: which rounds there are is not known exactly.
    Rounds,
    /// t, q and conflicts: what is executed is not known exactly.
    Execution,
    /// q alone.
    Blocks,
    /// Conflicts alone.
    Conflicts,
    /// t alone.
    Time,
    /// No total: how t is shared among the lines is not known.
    Shares,
    /// No total: what the machine's own rules and weights make of it.
    Charges,
}

/// Where exactness is lost, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    /// What it touches.
    pub(crate) affected: Affected,
    /// Where.
    pub(crate) span: Span,
    /// Why.
    pub(crate) why: Inexact,
}

/// A kernel, counted.
#[derive(Debug, Clone)]
pub(crate) struct KernelCount {
    /// k
    pub(crate) launched: Amount,
    /// t
    pub(crate) time: Amount,
    /// q
    pub(crate) io: Amount,
    /// A coarse upper bound on q.
    pub(crate) coarse: Amount,
    /// Σ (degree − 1)
    pub(crate) conflicts: Amount,
    /// Blocks read and written, by global variable.
    pub(crate) arrays: IndexMap<VarId, (Amount, Amount)>,
    /// Its lines: executions and operations of the costliest MP, the rest over all MPs.
    pub(crate) lines: Vec<LineCount>,
    /// What a machine charges for it, where one is asked.
    pub(crate) charges: Option<Box<Charges<Amount>>>,
}

impl KernelCount {
    /// Of a kernel in which nothing was counted.
    pub(crate) fn nothing() -> Self {
        KernelCount {
            launched: Amount::zero(),
            time: Amount::zero(),
            io: Amount::zero(),
            coarse: Amount::zero(),
            conflicts: Amount::zero(),
            arrays: IndexMap::new(),
            lines: Vec::new(),
            charges: None,
        }
    }

    /// Every amount changed alike; the charges of a machine are left out.
    pub(crate) fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        let arrays = self.arrays.into_iter();
        let lines = self.lines.into_iter();
        KernelCount {
            launched: change(&self.launched),
            time: change(&self.time),
            io: change(&self.io),
            coarse: change(&self.coarse),
            conflicts: change(&self.conflicts),
            arrays: arrays
                .map(|(id, (read, write))| (id, (change(&read), change(&write))))
                .collect(),
            lines: lines.map(|line| line.map(&change)).collect(),
            charges: None,
        }
    }
}

/// What is charged besides operations.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Charging<'c> {
    /// Whether each shared operand costs its degree (language.md §4.2, on request).
    pub(crate) conflicts: bool,
    /// What a machine charges, where one is asked.
    pub(crate) cycle_rules: Option<&'c CycleRules>,
}

/// The walk over one kernel.
pub(crate) struct Walk<'w, 'p> {
    /// The program, and what is known of its values at this place.
    pub(crate) known: Known<'w, 'p>,
    /// The MPs, cores and loops around this place.
    pub(crate) around: Around,
    /// How many alternatives around it are being counted case by case.
    cases: u32,
    /// What a machine charges, where one is asked.
    pub(crate) cycle_rules: Option<&'w CycleRules>,
    /// Whether conflicts are paid for as operations are.
    charges_conflicts: bool,
    /// Where exactness was lost so far.
    pub(crate) losses: &'w mut Vec<Loss>,
    /// The statement before which all the work allowed was done.
    given_up_at: Option<Span>,
}

impl<'w, 'p> Walk<'w, 'p> {
    /// Before the first kernel.
    pub(crate) fn new(
        known: Known<'w, 'p>,
        charging: Charging<'w>,
        losses: &'w mut Vec<Loss>,
    ) -> Self {
        Walk {
            known,
            around: Around::default(),
            cases: 0,
            cycle_rules: charging.cycle_rules,
            charges_conflicts: charging.conflicts,
            losses,
            given_up_at: None,
        }
    }
}

/// Counts a kernel under what is known of the parameters and host loops around it.
pub(crate) fn count<'p>(
    walk: &mut Walk<'_, 'p>,
    kernel: &'p Kernel,
    facts: &Facts,
) -> Result<KernelCount, Untranslatable> {
    let mut mps = Mps::new(facts, kernel.span);
    let mark = walk.known.symbols.fresh("kernel").id.number;
    walk.around = Around::kernel(kernel, facts.clone(), mark);
    walk.known.copies = Copies::default();
    let mut launched = Expr::one();
    let mut inhabited = Vec::new();
    for dimension in &kernel.mps {
        let (low, high) = (
            walk.known.symbols.expr(&dimension.low)?,
            walk.known.symbols.expr(&dimension.high)?,
        );
        let (low, high) = (facts.simplify(&low), facts.simplify(&high));
        let length = facts.simplify(&(&high - &low + 1));
        launched = &launched * at_least_zero(facts, &length);
        let some = Cond::ge(&length, &Expr::one());
        if facts.prove(&some) != Some(true) {
            inhabited.push(some);
        }
        let symbol = walk.known.symbols.bind_symbol(dimension.parameter);
        walk.around.mps.push(Dimension {
            symbol: symbol.clone(),
            low: low.clone(),
            high: high.clone(),
        });
        mps.within(symbol, low, high);
    }
    let inner = mps.facts().clone();
    let mut lines = Vec::new();
    for statement in &kernel.body {
        match statement {
            WrapperStmt::Let(binding) => {
                let value = walk
                    .known
                    .symbols
                    .expr(&binding.value)
                    .map(|value| inner.simplify(&value));
                walk.known.symbols.bind(binding.parameter, value);
                let operations = operations::operations(&binding.value, &kernel.registers);
                lines.push(walk.line(binding.span, &operations));
            }
            WrapperStmt::Cores(cores) => lines.extend(walk.cores(cores, &inner)?),
        }
    }
    if let Some(span) = walk.given_up_at.take() {
        return Ok(walk.given_up(kernel, facts.simplify(&launched), span));
    }
    if walk.charges_conflicts {
        lines.iter_mut().for_each(LineCount::pay_for_conflicts);
    }
    let launch = Amount::exact(Expr::bracket(Cond::and(inhabited)));
    Ok(mps::all_mps(
        walk,
        lines,
        &mps,
        &launch,
        facts.simplify(&launched),
    ))
}

impl Walk<'_, '_> {
    /// A line executed once that costs these operations and touches no memory.
    pub(crate) fn line(&self, span: Span, operations: &Operations) -> LineCount {
        LineCount::of(span, operations, self.cycle_rules.is_some())
    }

    /// A kernel of which nothing but its MPs is known, for all the work allowed was done at this place.
    fn given_up(&mut self, kernel: &Kernel, launched: Expr, span: Span) -> KernelCount {
        self.lose(Affected::Execution, span, Inexact::GivenUp);
        let unknown = || (Amount::unknown(), Amount::unknown());
        let arrays = kernel.names_global.iter();
        let charges = self.cycle_rules.map(|cycle_rules| {
            let none = |_: &Amount| Amount::unknown();
            Box::new(cycles::of_kernel(
                cycle_rules,
                &[],
                launched.clone(),
                &none,
                &none,
            ))
        });
        KernelCount {
            launched: Amount::exact(launched),
            time: Amount::unknown(),
            io: Amount::unknown(),
            coarse: Amount::unknown(),
            conflicts: Amount::unknown(),
            arrays: arrays.map(|&variable| (variable, unknown())).collect(),
            lines: Vec::new(),
            charges,
        }
    }

    /// Leaves out formulas that are too long to go on with.
    pub(crate) fn forget_unwieldy(&mut self, lines: &mut [LineCount], facts: &Facts) {
        for line in lines {
            if line.is_unwieldy() {
                self.lose(Affected::Execution, line.span, Inexact::TooLong);
                *line = line.clone().map(|amount| amount.rounded_up(facts));
            }
        }
    }

    pub(crate) fn lose(&mut self, affected: Affected, span: Span, why: Inexact) {
        let loss = Loss {
            affected,
            span,
            why,
        };
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }
}

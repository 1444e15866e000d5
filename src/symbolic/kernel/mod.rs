//! One kernel: what each of its lines costs, and the kernel's t, q and conflicts (language.md §4.1
//! to §4.3), in the formal parameters and the host loops around it.
//!
//! A statement is counted in its own context, once per time it executes there; leaving an `if`
//! multiplies by the bracket of what could not be decided, leaving a loop sums over its variable,
//! leaving the wrapper takes the costliest MP for t and the sum over MPs for everything else.

pub(crate) mod counter;
pub(crate) mod cycles;
pub(crate) mod footprint;
pub(crate) mod guard;
pub(crate) mod loops;
pub(crate) mod operands;
pub(crate) mod stmt;

use indexmap::IndexMap;

use crate::count::{Charges, Inexact};
use crate::derivation::BlockRule;
use crate::machine::CycleRules;
use crate::operations::{self, Operations};
use crate::program::{Kernel, VarId, WrapperStmt};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{Around, Dimension, at_least_zero, suppose_range};
use crate::symbolic::data::Known;
use crate::symbolic::data::amortized::Joint;
use crate::symbolic::data::provenance::Copies;
use crate::symbolic::data::rows::RowLine;
use crate::symbolic::kernel::cycles::LineCharges;
use crate::symbolic::symbols::Untranslatable;
use crate::text::Span;

/// Which quantities a loss of exactness touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Affected {
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

/// How much of what a kernel is allowed may be tried for its sums over MPs: those that have a closed
/// form take less.
const WORK_OF_THE_SUMS: u64 = 60_000;

/// What one line contributes, in the context it was counted in.
#[derive(Debug, Clone)]
pub(crate) struct LineCount {
    /// The statement or opening line.
    pub(crate) span: Span,
    /// How often an MP executes it.
    pub(crate) executions: Amount,
    /// Operations.
    pub(crate) operations: Amount,
    /// Blocks.
    pub(crate) blocks: Amount,
    /// Σ (degree − 1).
    pub(crate) conflicts: Amount,
    /// How its blocks were counted.
    pub(crate) rule: Option<BlockRule>,
    /// The global variable it accesses, and whether it writes it.
    pub(crate) access: Option<(VarId, bool)>,
    /// Blocks and conflicts over all MPs of the last dimension together, where a loop and that
    /// dimension run through one range: t·w + i.
    pub(crate) together: Option<(Amount, Amount)>,
    /// How many of its shared operands may conflict, in a loop through rows.
    pub(crate) operands: u64,
    /// A bound over all MPs together that sorted data give.
    pub(crate) joint: Option<Box<Joint>>,
    /// What a machine charges for it, where one is asked.
    pub(crate) charges: Option<Box<LineCharges>>,
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
    /// Σ (degree − 1)
    pub(crate) conflicts: Amount,
    /// Blocks read and written, by global variable.
    pub(crate) arrays: IndexMap<VarId, (Amount, Amount)>,
    /// Its lines: executions and operations of the costliest MP, the rest over all MPs.
    pub(crate) lines: Vec<LineCount>,
    /// What a machine charges for it, where one is asked.
    pub(crate) charges: Option<Box<Charges<Amount>>>,
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
    /// Where exactness was lost so far.
    pub(crate) losses: &'w mut Vec<Loss>,
    /// The statement before which all the work allowed was done.
    given_up_at: Option<Span>,
}

impl<'w, 'p> Walk<'w, 'p> {
    /// Before the first kernel.
    pub(crate) fn new(
        known: Known<'w, 'p>,
        cycle_rules: Option<&'w CycleRules>,
        losses: &'w mut Vec<Loss>,
    ) -> Self {
        Walk {
            known,
            around: Around::default(),
            cases: 0,
            cycle_rules,
            losses,
            given_up_at: None,
        }
    }
}

/// The MPs of a kernel, dimension by dimension.
struct Mps {
    /// Index, first and last number.
    ranges: Vec<(Symbol, Expr, Expr)>,
    /// What is known outside each dimension, and at last inside all: a sum is taken under what is
    /// known outside its own dimension, so that an empty range stays empty.
    known: Vec<Facts>,
    /// The wrapper loop.
    span: Span,
}

impl Mps {
    fn within(&mut self, symbol: Symbol, low: Expr, high: Expr) {
        let mut inner = self.facts().clone();
        suppose_range(&mut inner, &symbol, &low, &high);
        self.known.push(inner);
        self.ranges.push((symbol, low, high));
    }

    /// What is known inside all dimensions.
    fn facts(&self) -> &Facts {
        self.known
            .last()
            .expect("starts with what is known outside")
    }

    /// The largest value over all MPs.
    fn most(&self, amount: &Amount) -> Amount {
        let mut amount = amount.clone();
        let mut is_loose = false;
        for (symbol, low, high) in self.ranges.iter().rev() {
            amount = match costliest_value(&amount, symbol, low, high, self.facts(), is_loose) {
                Costliest::Any => amount,
                Costliest::At(value) => amount.map(|end| end.substitute(symbol, &value)),
                Costliest::Worth(worth) => worth,
                Costliest::Below(worth) => {
                    is_loose = true;
                    worth
                }
                Costliest::Unknown => return Amount::unknown(),
            };
        }
        amount
    }

    fn sum(&self, amount: &Amount) -> Amount {
        self.sum_outer(amount, 0)
    }

    /// The sum over all dimensions but the last.
    fn sum_rest(&self, amount: &Amount) -> Amount {
        self.sum_outer(amount, 1)
    }

    fn sum_outer(&self, amount: &Amount, skipped: usize) -> Amount {
        let dimensions = self.ranges.iter().zip(&self.known).rev().skip(skipped);
        dimensions.fold(amount.clone(), |sum, ((symbol, low, high), known)| {
            sum.sum(known, symbol, low, high)
        })
    }
}

/// Counts a kernel under what is known of the parameters and host loops around it.
pub(crate) fn count<'p>(
    walk: &mut Walk<'_, 'p>,
    kernel: &'p Kernel,
    facts: &Facts,
) -> Result<KernelCount, Untranslatable> {
    let mut mps = Mps {
        ranges: Vec::new(),
        known: vec![facts.clone()],
        span: kernel.span,
    };
    let mark = walk.known.symbols.fresh("kernel").id.number;
    walk.around = Around::kernel(facts.clone(), mark);
    walk.known.copies = Copies::default();
    let mut launched = Expr::one();
    let mut inhabited = Vec::new();
    for dimension in &kernel.mps {
        let (low, high) = (
            walk.known.symbols.expr(&dimension.low)?,
            walk.known.symbols.expr(&dimension.high)?,
        );
        let (low, high) = (facts.simplify(&low), facts.simplify(&high));
        let length = facts.simplify(&high.sub(&low).add(&Expr::one()));
        launched = launched.mul(&at_least_zero(facts, &length));
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
                let operations = operations::operations(&binding.value);
                lines.push(walk.line(binding.span, &operations));
            }
            WrapperStmt::Cores(cores) => lines.extend(walk.cores(cores, &inner)?),
        }
    }
    if let Some(span) = walk.given_up_at.take() {
        return Ok(walk.given_up(kernel, facts.simplify(&launched), span));
    }
    let launch = Amount::exact(Expr::bracket(Cond::and(inhabited)));
    Ok(walk.over_mps(lines, &mps, &launch, facts.simplify(&launched)))
}

impl LineCount {
    /// Whether one of its formulas is too long to go on with.
    fn is_unwieldy(&self) -> bool {
        let together = self
            .together
            .iter()
            .flat_map(|(blocks, conflicts)| [blocks, conflicts]);
        let charges = self.charges.iter().flat_map(|charges| charges.amounts());
        [
            &self.executions,
            &self.operations,
            &self.blocks,
            &self.conflicts,
        ]
        .into_iter()
        .chain(together)
        .chain(charges)
        .any(Amount::is_unwieldy)
    }

    /// Adds what the same line costs in another case.
    pub(crate) fn add(&mut self, other: &LineCount) {
        self.executions = self.executions.plus(&other.executions);
        self.operations = self.operations.plus(&other.operations);
        self.blocks = self.blocks.plus(&other.blocks);
        self.conflicts = self.conflicts.plus(&other.conflicts);
        self.together = None;
        self.operands = self.operands.max(other.operands);
        self.joint = match (self.joint.take(), &other.joint) {
            (Some(joint), Some(more)) => Some(Box::new(joint.plus(more))),
            _ => None,
        };
        if let (Some(charges), Some(more)) = (&mut self.charges, &other.charges) {
            charges.add(more);
        }
        self.rule = match (self.rule.take(), &other.rule) {
            (Some(rule), Some(more)) => Some(rule.or(more)),
            (rule, _) => rule,
        };
    }

    /// As a bound over rows looks at it.
    pub(crate) fn row_line(&self) -> RowLine<'_> {
        RowLine {
            executions: &self.executions,
            blocks: &self.blocks,
            conflicts: &self.conflicts,
            operands: self.operands,
        }
    }

    /// Every amount changed alike.
    pub(crate) fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        LineCount {
            executions: change(&self.executions),
            operations: change(&self.operations),
            blocks: change(&self.blocks),
            conflicts: change(&self.conflicts),
            together: self
                .together
                .map(|(blocks, conflicts)| (change(&blocks), change(&conflicts))),
            joint: self.joint.map(|joint| Box::new(joint.map(&change))),
            charges: self.charges.map(|charges| Box::new(charges.map(&change))),
            ..self
        }
    }

    /// The same where what it was changed by differs between MPs.
    pub(crate) fn apart(self, differs: bool) -> Self {
        LineCount {
            together: self.together.filter(|_| !differs),
            ..self
        }
    }

    /// Notes how often its operations are paid for, and how many iterations besides.
    pub(crate) fn pay(&mut self, paid: Option<Amount>, iterations: Option<Amount>) {
        if let Some(charges) = &mut self.charges {
            charges.paid = paid.unwrap_or_else(|| charges.paid.clone());
            charges.iterations = iterations.unwrap_or_else(|| charges.iterations.clone());
        }
    }
}

impl Walk<'_, '_> {
    /// A line executed once that costs these operations and touches no memory.
    pub(crate) fn line(&self, span: Span, operations: &Operations) -> LineCount {
        let charged = self.cycle_rules.is_some();
        LineCount {
            span,
            executions: Amount::of(1),
            operations: Amount::of(operations.total()),
            blocks: Amount::zero(),
            conflicts: Amount::zero(),
            rule: None,
            access: None,
            together: None,
            operands: 0,
            joint: None,
            charges: charged.then(|| Box::new(LineCharges::of(operations))),
        }
    }

    /// From one MP to all of them: t is the costliest MP's, the rest are sums.
    fn over_mps(
        &mut self,
        lines: Vec<LineCount>,
        mps: &Mps,
        launch: &Amount,
        launched: Expr,
    ) -> KernelCount {
        let charges = self.cycle_rules.map(|cycle_rules| {
            let most = |amount: &Amount| mps.most(amount).times(launch);
            let simple = |amount: Amount| amount.map(|end| mps.known[0].simplify(end));
            Box::new(cycles::of_kernel(
                cycle_rules,
                &lines,
                launched.clone(),
                &|amount| simple(most(amount)),
                &|amount| simple(mps.sum(amount)),
            ))
        });
        let mut lines_charges = lines.iter().filter_map(|line| line.charges.as_deref());
        if let Some(charges) = &charges
            && !(charges.memory.is_exact() && charges.both.is_exact())
            && lines_charges.all(LineCharges::is_exact)
        {
            self.lose(Affected::Charges, mps.span, Inexact::CostliestForMemory);
        }
        let mut costliest = lines;
        let mut time = costliest
            .iter()
            .fold(Amount::zero(), |sum, line| sum.plus(&line.operations));
        let of_one: Vec<LineCount> = costliest.clone();
        let mut is_loose = false;
        // The time comes first: sums over MPs may take all the work that is allowed.
        for (symbol, low, high) in mps.ranges.iter().rev() {
            match costliest_value(&time, symbol, low, high, mps.facts(), is_loose) {
                Costliest::Any => {}
                Costliest::At(value) => {
                    let there = |end: &Expr| end.substitute(symbol, &value);
                    time = time.map(there);
                    let line_there = |line: LineCount| line.map(|amount| amount.map(there));
                    costliest = costliest.into_iter().map(line_there).collect();
                }
                Costliest::Worth(value) => {
                    self.lose(Affected::Shares, mps.span, Inexact::MpOfTime);
                    time = value;
                    costliest = costliest.into_iter().map(unattributed).collect();
                }
                Costliest::Below(value) => {
                    self.lose(Affected::Time, mps.span, Inexact::CostliestByParts);
                    time = value;
                    is_loose = true;
                    costliest = costliest.into_iter().map(unattributed).collect();
                }
                Costliest::Unknown => {
                    let why = match mps.facts().is_exhausted() {
                        true => Inexact::CostliestGivenUp,
                        false => Inexact::CostliestMp,
                    };
                    self.lose(Affected::Time, mps.span, why);
                    time = Amount::unknown();
                    costliest = costliest.into_iter().map(unattributed).collect();
                    break;
                }
            }
        }
        mps.facts().restrict(WORK_OF_THE_SUMS);
        let blocks: Vec<(Amount, Amount)> = of_one
            .iter()
            .map(|line| {
                let (blocks, conflicts) = match &line.together {
                    Some((blocks, conflicts)) => (mps.sum_rest(blocks), mps.sum_rest(conflicts)),
                    None => (mps.sum(&line.blocks), mps.sum(&line.conflicts)),
                };
                match &line.joint {
                    Some(joint) => joint.within(
                        (blocks, conflicts),
                        &|amount| mps.sum(amount),
                        launch,
                        &mps.known[0],
                    ),
                    None => (blocks, conflicts),
                }
            })
            .collect();
        let mut arrays: IndexMap<VarId, (Amount, Amount)> = IndexMap::new();
        let (mut io, mut conflicts) = (Amount::zero(), Amount::zero());
        for (line, (blocks, conflict)) in costliest.iter_mut().zip(blocks) {
            line.executions = line.executions.times(launch);
            line.operations = line.operations.times(launch);
            if let Some((variable, writes)) = line.access {
                let entry = arrays
                    .entry(variable)
                    .or_insert((Amount::zero(), Amount::zero()));
                let side = if writes { &mut entry.1 } else { &mut entry.0 };
                *side = side.plus(&blocks);
            }
            io = io.plus(&blocks);
            conflicts = conflicts.plus(&conflict);
            (line.blocks, line.conflicts) = (blocks, conflict);
        }
        let facts = &mps.known[0];
        let simple = |amount: Amount| amount.map(|end| facts.simplify(end));
        KernelCount {
            launched: Amount::exact(launched),
            time: simple(time.times(launch)),
            io: simple(io),
            conflicts: simple(conflicts),
            arrays: arrays
                .into_iter()
                .map(|(id, (read, write))| (id, (simple(read), simple(write))))
                .collect(),
            lines: costliest
                .into_iter()
                .map(|line| line.map(|amount| simple(amount.clone())))
                .collect(),
            charges,
        }
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
            conflicts: Amount::unknown(),
            arrays: arrays.map(|&variable| (variable, unknown())).collect(),
            lines: Vec::new(),
            charges,
        }
    }

    /// Leaves out formulas that are too long to go on with.
    pub(crate) fn forget_unwieldy(&mut self, lines: &mut [LineCount]) {
        for line in lines {
            if line.is_unwieldy() {
                self.lose(Affected::Execution, line.span, Inexact::TooLong);
                *line = line.clone().map(|_| Amount::unknown());
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

/// Which MP of one dimension costs most.
enum Costliest {
    /// All cost the same.
    Any,
    /// This one.
    At(Expr),
    /// Not known which, but it costs this.
    Worth(Amount),
    /// Not known which, but what it costs lies between these bounds.
    Below(Amount),
    /// Not known.
    Unknown,
}

fn costliest_value(
    time: &Amount,
    symbol: &Symbol,
    low: &Expr,
    high: &Expr,
    facts: &Facts,
    is_loose: bool,
) -> Costliest {
    if time.ends().all(|end| !end.contains(symbol)) {
        return Costliest::Any;
    }
    let all: Vec<&Expr> = time.ends().collect();
    if let Some(value) = facts.costliest(symbol, low, high, &all) {
        return Costliest::At(value);
    }
    let worst = |end: &Expr| match end.contains(symbol) {
        true => facts.maximum(symbol, low, high, end),
        false => Some(end.clone()),
    };
    let bound = |end: &Expr| facts.part_by_part(symbol, low, high, end);
    let Some(upper) = time.upper.as_ref().and_then(worst) else {
        let Some(upper) = time.upper.as_ref().and_then(bound) else {
            return Costliest::Unknown;
        };
        // No MP is costlier than the costliest.
        let there = [low, high].map(|at| facts.simplify(&time.lower.substitute(symbol, at)));
        return Costliest::Below(Amount::between(Expr::max(there.into()), upper));
    };
    if time.is_exact() {
        return Costliest::Worth(Amount::exact(upper));
    }
    let lower = worst(&time.lower).unwrap_or_else(Expr::zero);
    // Of a bound that is loose already, a shorter one says more.
    let shorter = time.upper.as_ref().filter(|_| is_loose).and_then(bound);
    let upper = match shorter {
        Some(shorter) if shorter.is_shorter_than(&upper) => shorter,
        Some(_) | None => upper,
    };
    Costliest::Worth(Amount::between(lower, upper))
}

/// A line whose share of t is not known because the costliest MP is not.
fn unattributed(line: LineCount) -> LineCount {
    LineCount {
        executions: Amount::unknown(),
        operations: Amount::unknown(),
        ..line
    }
}

//! From one MP of a kernel to all of them: t is the costliest MP's, everything else a sum.
//!
//! Takes the lines as one MP has them and gives the kernel. `costliest` finds t and the lines of the MP
//! that has it, `blocks` sums blocks and conflicts and picks an upper bound on the blocks of each line.

mod blocks;
mod costliest;

use crate::count::{Charges, Inexact};
use crate::derivation::letters::symbol_of;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::suppose_range;
use crate::symbolic::kernel::charges::LineCharges;
use crate::symbolic::kernel::cycles;
use crate::symbolic::kernel::mps::blocks::Touched;
use crate::symbolic::kernel::mps::costliest::{Costliest, Worth};
use crate::symbolic::kernel::{Affected, KernelCount, LineCount, Walk};
use crate::text::Span;

/// Work budget of the sums over MPs: those that have a closed form take less.
const WORK_OF_THE_SUMS: u64 = 60_000;

/// The MPs of a kernel, dimension by dimension.
pub(super) struct Mps {
    /// Index, first and last number.
    ranges: Vec<(Symbol, Expr, Expr)>,
    /// What is known outside each dimension, and at last inside all: a sum is taken under what is
    /// known outside its own dimension, so that an empty range stays empty.
    known: Vec<Facts>,
    /// The wrapper loop.
    span: Span,
}

impl Mps {
    /// None yet, under what is known outside the kernel.
    pub(super) fn new(facts: &Facts, span: Span) -> Mps {
        Mps {
            ranges: Vec::new(),
            known: vec![facts.clone()],
            span,
        }
    }

    pub(super) fn within(&mut self, symbol: Symbol, low: Expr, high: Expr) {
        let mut inner = self.facts().clone();
        suppose_range(&mut inner, &symbol, &low, &high);
        self.known.push(inner);
        self.ranges.push((symbol, low, high));
    }

    /// What is known inside all dimensions.
    pub(super) fn facts(&self) -> &Facts {
        self.known
            .last()
            .expect("starts with what is known outside")
    }

    /// Whether an expression is not the same for all MPs.
    fn is_of_mp(&self, expr: &Expr) -> bool {
        let mut ranges = self.ranges.iter();
        ranges.any(|(symbol, ..)| expr.contains(symbol))
    }

    /// The largest value over all MPs.
    fn most(&self, amount: &Amount) -> Amount {
        let mut amount = amount.clone();
        let mut is_loose = false;
        for (symbol, low, high) in self.ranges.iter().rev() {
            amount = match costliest::worth(&amount, (symbol, low, high), self.facts(), is_loose) {
                Worth::OfAny => amount,
                Worth::At(value) => amount.map(|end| end.substitute(symbol, &value)),
                Worth::Of(worth) => worth,
                Worth::Below(worth) | Worth::Plain(worth) => {
                    is_loose = true;
                    worth
                }
                Worth::Unknown => return Amount::unknown(),
            };
        }
        amount
    }

    fn sum(&self, amount: &Amount) -> Amount {
        self.sum_outer(amount, 0)
    }

    /// What there is in the last dimension, of which it was known that it has MPs, summed over all others.
    fn sum_rest(&self, amount: &Amount) -> Amount {
        let outside = self.known.iter().rev().nth(1).zip(self.ranges.last());
        let Some((outside, (_, low, high))) = outside else {
            return amount.clone();
        };
        let has_some = Cond::ge(high, low);
        if outside.proves(&has_some) {
            self.sum_outer(amount, 1)
        } else {
            let some = Amount::exact(Expr::bracket(outside.simplify_cond(&has_some)));
            self.sum_outer(&amount.times(&some), 1)
        }
    }

    fn sum_outer(&self, amount: &Amount, skipped: usize) -> Amount {
        let dimensions = self.ranges.iter().zip(&self.known).rev().skip(skipped);
        dimensions.fold(amount.clone(), |sum, ((symbol, low, high), known)| {
            sum.sum(known, symbol, low, high)
        })
    }
}

/// From one MP to all of them: t is the costliest MP's, the rest are sums.
pub(super) fn all_mps(
    walk: &mut Walk<'_, '_>,
    lines: Vec<LineCount>,
    mps: &Mps,
    launch: &Amount,
    launched: Expr,
) -> KernelCount {
    // A machine's charges come first and from the lines as one MP has them: they have a costliest MP of their own,
    // which need not be that of t. One MP may have most operations and another most memory transactions.
    let charges = charges_of_all(walk, &lines, mps, launch, &launched);
    let lines = with_operations_of_one(lines, mps);
    // Two questions part here. t is the time of one MP, the costliest; the lines that are shown are that MP's. So
    // the MP is looked for dimension by dimension, and its number is put into the lines. Blocks and conflicts are of
    // all MPs, so they are summed over the lines as one MP has them. In a triangular kernel, where MP i does i + 1
    // steps, t is the last MP's: k. The blocks are Σ i + 1: k(k + 1)/2.
    // The time comes first: sums over MPs may take all the work that is allowed.
    let Costliest { time, lines: shown } = costliest::find(walk, lines.clone(), mps);
    // What follows are sums over MPs, each with its own budget: one that does not close must not take from another
    // what that needs.
    mps.facts().restrict(WORK_OF_THE_SUMS);
    let touched = lines.iter().map(|line| blocks::touched(line, mps, launch));
    let touched: Vec<Touched> = touched.collect();
    let program = walk.known.program;
    let width = symbol_of(program, program.machine.b);
    let bounds = blocks::Bounds::new(mps, launch, &width);
    let coarse = lines.iter().zip(&touched);
    let coarse: Vec<Amount> = coarse
        .map(|(line, touched)| bounds.least(line, &touched.blocks))
        .collect();
    let mut kernel = KernelCount {
        launched: Amount::exact(launched),
        time: time.times(launch),
        ..KernelCount::nothing()
    };
    for ((line, touched), coarse) in shown.into_iter().zip(touched).zip(coarse) {
        kernel.push(line, touched, coarse, launch);
    }
    let facts = &mps.known[0];
    KernelCount {
        charges,
        ..kernel.map(|amount| amount.map(|end| facts.simplify(end)))
    }
}

/// The charges of a machine over all MPs, where one is asked.
fn charges_of_all(
    walk: &mut Walk<'_, '_>,
    lines: &[LineCount],
    mps: &Mps,
    launch: &Amount,
    launched: &Expr,
) -> Option<Box<Charges<Amount>>> {
    let most = |amount: &Amount| mps.most(amount).times(launch);
    let simple = |amount: Amount| amount.map(|end| mps.known[0].simplify(end));
    let charges = cycles::of_kernel(
        walk.cycle_rules?,
        lines,
        launched.clone(),
        &|amount| simple(most(amount)),
        &|amount| simple(mps.sum(amount)),
    );
    let mut each = lines.iter().filter_map(|line| line.charges.as_deref());
    let is_exact = charges.memory.is_exact() && charges.both.is_exact();
    if !is_exact && each.all(LineCharges::is_exact) {
        walk.lose(Affected::Charges, mps.span, Inexact::CostliestForMemory);
    }
    Some(Box::new(charges))
}

/// The lines, with the operations of one execution where all MPs and iterations have the same.
fn with_operations_of_one(mut lines: Vec<LineCount>, mps: &Mps) -> Vec<LineCount> {
    for line in &mut lines {
        if let Some(same) = of_one_execution(line, mps) {
            line.loose.of_one = Some(Amount::exact(same));
        }
    }
    lines
}

impl KernelCount {
    /// Adds a line: executions and operations of the costliest MP, blocks and conflicts of all.
    fn push(&mut self, mut line: LineCount, touched: Touched, coarse: Amount, launch: &Amount) {
        let Touched { blocks, conflicts } = touched;
        for amount in [
            &mut line.executions,
            &mut line.operations,
            &mut line.loose.executions,
            &mut line.loose.operations,
        ] {
            *amount = amount.times(launch);
        }
        // Conflicts are of shared memory; blocks are of an access alone.
        if let Some(access) = &mut line.access {
            let none = || (Amount::zero(), Amount::zero());
            let entry = self.arrays.entry(access.variable).or_insert_with(none);
            let side = if access.writes {
                &mut entry.1
            } else {
                &mut entry.0
            };
            *side = side.plus(&blocks);
            self.coarse = self.coarse.plus(&coarse);
            access.coarse = coarse;
        }
        self.io = self.io.plus(&blocks);
        self.conflicts = self.conflicts.plus(&conflicts);
        (line.blocks, line.conflicts) = (blocks, conflicts);
        self.lines.push(line);
    }
}

/// The operations of a line each time, the same in all MPs and iterations.
fn of_one_execution(line: &LineCount, mps: &Mps) -> Option<Expr> {
    let (operations, executions) = (
        line.operations.upper.as_ref()?,
        line.executions.upper.as_ref()?,
    );
    let each = match (operations.terms(), executions.terms()) {
        (_, [_]) => operations.div(executions)?,
        // A quotient of polynomials is tried as a number only: anything else takes long.
        ([(_, many), ..], [(_, once), ..]) => {
            let each = many / once;
            if executions.scale(&each) == *operations {
                Expr::rational(each)
            } else {
                return None;
            }
        }
        _ => return None,
    };
    let is_same = !mps.ranges.iter().any(|(symbol, ..)| each.contains(symbol));
    (is_same && each.is_plain()).then_some(each)
}

//! From one MP of a kernel to all of them: t is the costliest MP's, everything else a sum.

use indexmap::IndexMap;

use crate::count::Inexact;
use crate::derivation::letters::symbol_of;
use crate::program::VarId;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::{Amount, FarOut};
use crate::symbolic::around::suppose_range;
use crate::symbolic::kernel::cycles::{self, LineCharges};
use crate::symbolic::kernel::{Affected, KernelCount, LineCount, Walk};
use crate::text::Span;

/// How much of what a kernel is allowed may be tried for its sums over MPs: those that have a closed
/// form take less.
const WORK_OF_THE_SUMS: u64 = 60_000;
/// Work budget of coarse bounds, apart from all other work.
const WORK_ASIDE: u64 = 10_000;

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
            amount = match costliest_value(&amount, symbol, low, high, self.facts(), is_loose) {
                Costliest::Any => amount,
                Costliest::At(value) => amount.map(|end| end.substitute(symbol, &value)),
                Costliest::Worth(worth) => worth,
                Costliest::Below(worth) | Costliest::Plain(worth) => {
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

    /// The same MPs for sums that take nothing from the work of others.
    fn aside(&self) -> Mps {
        let known = self.known.iter();
        Mps {
            ranges: self.ranges.clone(),
            known: known.map(|facts| facts.with_work(WORK_ASIDE)).collect(),
            span: self.span,
        }
    }

    /// How often a line is executed at most: what was found, or where the extremes in that are bounded one by one the
    /// most that an MP executes it, as often as there are MPs, if that is less.
    fn if_all_were_longest(&self, line: &LineCount, found: Amount, width: &Symbol) -> Amount {
        if found.upper.as_ref().is_some_and(Expr::has_extremes) {
            let longest = self.most(&line.executions).times(&self.sum(&Amount::of(1)));
            self.smaller(found, longest, width)
        } else {
            found
        }
    }

    /// Of two bounds the one whose plain bound is the smaller where a problem is large.
    fn smaller(&self, one: Amount, other: Amount, width: &Symbol) -> Amount {
        let outside = &self.known[0];
        let plain = |amount: &Amount| outside.above(amount.upper.as_ref()?, Some(width));
        let plain = [plain(&one), plain(&other)];
        let all: Vec<&Expr> = plain.iter().flatten().collect();
        let far_out = FarOut::of(outside, &all, Some(width));
        let [size, smaller] = plain.each_ref().map(|plain| far_out.value(plain.as_ref()?));
        match (size, smaller) {
            (Some(size), Some(smaller)) if smaller < size => other.or_nothing(),
            (None, Some(_)) if !one.is_short() => other.or_nothing(),
            _ => one,
        }
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
    let charges = walk.cycle_rules.map(|cycle_rules| {
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
        walk.lose(Affected::Charges, mps.span, Inexact::CostliestForMemory);
    }
    // Two questions part here. t is the time of one MP, the costliest; the lines that are shown are that MP's. So
    // the MP is looked for dimension by dimension, and its number is put into the lines. Blocks and conflicts are of
    // all MPs, so they are summed over the lines as one MP has them (`of_one`). In a triangular kernel, where MP i does
    // i + 1 steps, t is the last MP's: k. The blocks are Σ i + 1: k(k + 1)/2.
    let mut costliest = lines;
    for line in &mut costliest {
        let same = of_one_execution(line, mps).map(Amount::exact);
        line.each = same.or_else(|| line.each.take());
    }
    let mut time = costliest
        .iter()
        .fold(Amount::zero(), |sum, line| sum.plus(&line.operations));
    let of_one: Vec<LineCount> = costliest.clone();
    let mut is_loose = false;
    // The time comes first: sums over MPs may take all the work that is allowed.
    for (symbol, low, high) in mps.ranges.iter().rev() {
        match costliest_value(&time, symbol, low, high, mps.facts(), is_loose) {
            Costliest::Any => {}
            // Of MPs 0..k − 1 the last goes through most rows, for example. Its lines are the ones to show, so its number is put
            // into all of them.
            Costliest::At(value) => {
                let there = |end: &Expr| end.substitute(symbol, &value);
                if !time.is_exact() {
                    // What bounds it is largest there; it may itself be larger elsewhere.
                    costliest = unattributed(costliest, mps);
                }
                time = time.map(there);
                let line_there = |line: LineCount| line.map(|amount| amount.map(there));
                costliest = costliest.into_iter().map(line_there).collect();
            }
            Costliest::Worth(value) => {
                walk.lose(Affected::Shares, mps.span, Inexact::MpOfTime);
                time = value;
                costliest = unattributed(costliest, mps);
            }
            Costliest::Below(value) => {
                walk.lose(Affected::Time, mps.span, Inexact::CostliestByParts);
                is_loose = true;
                costliest = unattributed(costliest, mps);
                time = line_by_line(value, &costliest, mps.facts());
            }
            Costliest::Plain(value) => {
                walk.lose(Affected::Time, mps.span, why_not_known(mps.facts()));
                is_loose = true;
                costliest = unattributed(costliest, mps);
                time = line_by_line(value, &costliest, mps.facts());
            }
            Costliest::Unknown => {
                walk.lose(Affected::Time, mps.span, why_not_known(mps.facts()));
                time = Amount::unknown();
                costliest = unattributed(costliest, mps);
                break;
            }
        }
    }
    // What follows are sums over MPs, each with its own budget: one that does not close must not take from another
    // what that needs.
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
    let aside = mps.aside();
    let program = walk.known.program;
    let width = symbol_of(program, program.machine.b);
    // Rival upper bounds on the blocks of a line. Each is true by itself and the smallest is kept: the blocks summed
    // as counted; the words that the cores touch, where each may have a block of its own; the executions of the busiest
    // MP times the cores that may be active; executions times the most blocks of one execution.
    let by_words = |line: &LineCount, blocks: Amount| {
        let aside = mps.aside();
        let tidy = |amount: Amount| amount.map(|end| aside.known[0].without_idle_brackets(end));
        let (least, is_plain) = match &line.words {
            Some(words) => {
                let words = tidy(aside.sum(words)).times(launch);
                let is_plain = |upper: &Expr| !upper.has_extremes() && !upper.has_brackets();
                let is_plain = words.is_short() && words.upper.as_ref().is_some_and(is_plain);
                (aside.smaller(blocks, words, &width), is_plain)
            }
            None => (blocks, false),
        };
        match line.crew.as_ref().filter(|_| !is_plain) {
            Some(crew) => {
                // One word for each of the cores, as often as any MP comes by.
                let aside = mps.aside();
                let often = aside.most(&line.executions).or_nothing();
                let each = often.times(&tidy(aside.sum(crew)));
                aside.smaller(least, each.times(launch), &width)
            }
            None => least,
        }
    };
    let by_executions = |line: &LineCount, most: &Expr| {
        let executions = aside.sum(&line.executions);
        // Guards left out is simpler, whatever was spent on others.
        // Guards make executions long: `if v < n ∧ v mod 3 = 1` gives a form with brackets and remainders. Without
        // the guards there are no less, and the form is mostly a product.
        let executions = if executions.is_short() {
            executions
        } else {
            Some(mps.aside().sum(&line.reached[0]))
                .filter(Amount::is_short)
                .unwrap_or(executions)
        };
        let executions = mps.aside().if_all_were_longest(line, executions, &width);
        let blocks = executions.or_nothing().times(&Amount::exact(most.clone()));
        blocks.times(launch)
    };
    let of_line = |(line, (blocks, _)): (&LineCount, &(Amount, Amount))| {
        let Some(most) = &line.most_each else {
            return Amount::zero();
        };
        let found = match (blocks.is_short(), blocks.is_exact()) {
            (true, true) => blocks.clone().or_nothing(),
            (true, false) => {
                let counted = blocks.clone().or_nothing();
                mps.aside()
                    .smaller(counted, by_executions(line, most), &width)
            }
            (false, _) => by_executions(line, most),
        };
        by_words(line, found)
    };
    let each_crude: Vec<Amount> = of_one.iter().zip(&blocks).map(of_line).collect();
    let crude = each_crude.iter();
    let crude = crude.fold(Amount::zero(), |sum, line| sum.plus(line));
    let mut arrays: IndexMap<VarId, (Amount, Amount)> = IndexMap::new();
    let (mut io, mut conflicts) = (Amount::zero(), Amount::zero());
    for ((line, (blocks, conflict)), crude) in costliest.iter_mut().zip(blocks).zip(each_crude) {
        line.crude = crude;
        line.executions = line.executions.times(launch);
        line.reached = line.reached.each_ref().map(|amount| amount.times(launch));
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
        crude: simple(crude),
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
    /// Not known which, and what it costs only by a plain bound.
    Plain(Amount),
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
    let worst = |end: &Expr| {
        if end.contains(symbol) {
            facts.maximum(symbol, low, high, end)
        } else {
            Some(end.clone())
        }
    };
    let bound = |end: &Expr| facts.part_by_part(symbol, low, high, end);
    let Some(upper) = time.upper.as_ref().and_then(worst) else {
        // No MP is costlier than the costliest.
        let there = [low, high].map(|at| facts.simplify(&time.lower.substitute(symbol, at)));
        let least = Expr::max(there.into());
        if let Some(upper) = time.upper.as_ref().and_then(bound) {
            return Costliest::Below(Amount::between(least, upper));
        }
        let plain = |end: &Expr| facts.above_all(symbol, [low, high], end);
        return match time.upper.as_ref().and_then(plain) {
            Some(upper) => Costliest::Plain(Amount::between(least, upper)),
            None => Costliest::Unknown,
        };
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

/// Why it is not known which MP costs most.
fn why_not_known(facts: &Facts) -> Inexact {
    if facts.is_exhausted() {
        Inexact::CostliestGivenUp
    } else {
        Inexact::CostliestMp
    }
}

/// Lines whose shares of t are not known because the costliest MP is not: no MP has more of any of them. What
/// is the same in all MPs stays.
fn unattributed(lines: Vec<LineCount>, mps: &Mps) -> Vec<LineCount> {
    let largest = |symbol: &Symbol, [low, high]: [&Expr; 2], end: Expr| match mps.facts().costliest(
        symbol,
        low,
        high,
        &[&end],
    ) {
        Some(value) => Some(end.substitute(symbol, &value)),
        None => mps.facts().above_all(symbol, [low, high], &end),
    };
    let most = |amount: &Amount, reached: Option<&Expr>| {
        if !amount.ends().any(|end| mps.is_of_mp(end)) {
            return amount.clone();
        }
        let mut upper = amount.upper.clone();
        for (symbol, low, high) in mps.ranges.iter().rev() {
            upper = upper.and_then(|end| {
                if end.contains(symbol) {
                    largest(symbol, [low, high], end)
                } else {
                    Some(end)
                }
            });
        }
        let upper = match (upper, reached.filter(|reached| !mps.is_of_mp(reached))) {
            (Some(upper), Some(reached)) if !reached.is_shorter_than(&upper) => Some(upper),
            (upper, reached) => reached.cloned().or(upper),
        };
        Amount {
            lower: Expr::zero(),
            upper,
        }
    };
    let each = lines.into_iter().map(|line| {
        let [executions, operations] = line.reached.each_ref();
        LineCount {
            executions: most(&line.executions, executions.upper.as_ref()),
            operations: most(&line.operations, operations.upper.as_ref()),
            reached: [most(executions, None), most(operations, None)],
            ..line
        }
    });
    each.collect()
}

/// A bound on t, or that of its lines together where it is provably no larger, and no longer to read.
fn line_by_line(time: Amount, lines: &[LineCount], facts: &Facts) -> Amount {
    let mut each = lines.iter().map(|line| line.operations.upper.as_ref());
    let sum = each.try_fold(Expr::zero(), |sum, line| Some(&sum + line?));
    let sum = sum.map(|sum| facts.simplify(&sum));
    match (&time.upper, sum) {
        (Some(known), Some(sum))
            if !known.is_shorter_than(&sum) && is_closer(&sum, known, facts) =>
        {
            Amount::between(time.lower, sum)
        }
        _ => time,
    }
}

/// Whether of two bounds the first is no larger: provably, or as far as a few points tell.
fn is_closer(one: &Expr, other: &Expr, facts: &Facts) -> bool {
    facts.less_at_points([one, other]) == Some(true) || facts.proves(&Cond::le(one, other))
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

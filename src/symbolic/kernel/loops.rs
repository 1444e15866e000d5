//! `for` and `while` in a kernel: sums over iterations (language.md §5: the k-th iterations of all
//! cores run together).

use crate::count::Inexact;
use crate::program::{Number, ParamId, Stmt};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::active::{Active, Narrowed};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{Dimension, at_least_zero, suppose_range};
use crate::symbolic::data::amortized::Joint;
use crate::symbolic::data::range::Range;
use crate::symbolic::data::rows::Rows;
use crate::symbolic::kernel::{Affected, LineCount, Walk, operands};
use crate::symbolic::symbols::Untranslatable;
use crate::text::Span;

/// The head of a `for` whose two ends have forms over symbols.
pub(crate) struct ForHead<'p> {
    /// The loop variable.
    pub(crate) variable: ParamId,
    /// Whether it counts down, from `high`.
    pub(crate) down: bool,
    /// The smaller end.
    pub(crate) low: Expr,
    /// The larger end.
    pub(crate) high: Expr,
    /// Both as written.
    pub(crate) numbers: (&'p Number, &'p Number),
}

/// A `for` with bounds that data decide.
pub(crate) struct BoundedLoop {
    /// The loop variable.
    pub(crate) variable: ParamId,
    /// Whether it counts down.
    pub(crate) down: bool,
    /// The first number, where that has a form.
    pub(crate) start: Option<Expr>,
    /// The range of the smaller end over the active cores.
    pub(crate) low: Range,
    /// The range of the larger end.
    pub(crate) high: Range,
    /// The range of the loop variable.
    pub(crate) values: Range,
    /// The rows of a sorted array that the iterations go through.
    pub(crate) rows: Option<Rows>,
    /// The most iterations of any core, where that is known without the ranges of the ends.
    pub(crate) most: Option<Expr>,
    /// Why the iterations are not known, where that is not for their bounds.
    pub(crate) reason: Option<Inexact>,
    /// Why the bounds have no form.
    pub(crate) why: Untranslatable,
}

/// How a `for` is counted.
enum Turns {
    /// As a sum over this symbol, from the first to the last value.
    Summed(Symbol, Expr, Expr),
    /// By bounds on its iterations.
    Bounded(Box<BoundedLoop>),
}

impl<'p> Walk<'_, 'p> {
    /// A `for` with symbolic bounds. Where they differ between cores the k-th iterations run
    /// together (language.md §5), so the loop is counted over k.
    pub(crate) fn counted_loop(
        &mut self,
        mut line: LineCount,
        counter: ForHead<'p>,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let facts = &active.facts;
        let mut inner = active.clone();
        inner.crew.is_open = false;
        let (symbol, first, last) = match self.turns(counter, line.span, active, &mut inner) {
            Turns::Summed(symbol, first, last) => (symbol, first, last),
            Turns::Bounded(counter) => {
                return self.spread_loop(line, *counter, body, active, lines);
            }
        };
        let iterations = Amount::exact(facts.sum(&symbol, &first, &last, &Expr::one()));
        line.change_operations(|operations| operations.plus(&iterations));
        line.pay(None, Some(iterations.clone()));
        lines.push(line);
        if iterations.is_zero() {
            return;
        }
        let bounds = Amount::between(first.clone(), last.clone());
        let differs = self.differs_between_mps(&bounds);
        self.around.loops.push(Dimension {
            symbol: symbol.clone(),
            low: first.clone(),
            high: last.clone(),
        });
        let inner_lines = self.block(body, &inner);
        let turns = self.around.loops.pop();
        for mut inner_line in inner_lines {
            // The bound of sorted data is over all MPs: it is summed over the loop by itself, before the line is.
            let joint = inner_line.joined.sorted.take();
            let together = if differs {
                None
            } else {
                self.summed_with_mps(&inner_line, facts, &symbol, &first, &last)
            };
            let mut line = inner_line
                .map(|amount| {
                    let speaks_of_mps = |end: &Expr| self.speaks_of_mps(end);
                    amount.sum_briefly(facts, (&symbol, &first, &last), speaks_of_mps)
                })
                .without_striding_if(differs);
            line.joined.striding = line.joined.striding.or(together);
            let summed = |amount: &Amount| amount.sum(facts, &symbol, &first, &last);
            let behind = |joint: Box<Joint>| joint.map(summed).behind(&self.around, turns.as_ref());
            line.joined.sorted = joint.and_then(behind).map(Box::new);
            lines.push(line);
        }
    }

    /// Binds the variable of a `for` in its body, whose active cores are `inner`, and says how the
    /// iterations are counted.
    ///
    /// Where the ends are the same for all cores, the loop is a sum over its variable. Where they
    /// differ, as in `for v = j → n - 1`, cores at one iteration have different values of v. Then the
    /// sum is over k, the k-th iteration of all that have one: v is j + k − 1, and core j takes part
    /// while k ≤ n − j.
    fn turns(
        &mut self,
        counter: ForHead<'p>,
        span: Span,
        active: &Active,
        inner: &mut Active,
    ) -> Turns {
        let facts = &active.facts;
        let ForHead { variable, down, .. } = counter;
        let (low, high) = (facts.simplify(&counter.low), facts.simplify(&counter.high));
        if !low.contains(&active.core) && !high.contains(&active.core) {
            let symbol = self.known.symbols.bind_symbol(variable);
            inner.suppose_range(&symbol, &low, &high);
            return Turns::Summed(symbol, low, high);
        }
        let length = facts.simplify(&(&high - &low + 1));
        let bounded = BoundedLoop {
            variable,
            down,
            start: (!down).then(|| low.clone()),
            values: Range::default(),
            low: Range::exact(Expr::one()),
            high: Range::default(),
            rows: None,
            most: None,
            reason: None,
            why: Untranslatable::Operation(span),
        };
        let Some(longest) = self.longest(&length, active) else {
            let [low, high] = [counter.numbers.0, counter.numbers.1]
                .map(|number| self.known.range(number, active));
            let is_open = low.lower.is_none() || high.upper.is_none();
            let plainly = || {
                let ends = [active.first(), active.last()];
                facts.above_all(&active.core, ends.each_ref(), &length)
            };
            let most = facts.without_variable(&active.core, &length);
            return Turns::Bounded(Box::new(BoundedLoop {
                values: Range {
                    lower: low.lower.clone(),
                    upper: high.upper.clone(),
                },
                low,
                high,
                most: most.or_else(|| is_open.then(plainly).flatten()),
                ..bounded
            }));
        };
        let turn = self.known.symbols.fresh_like(variable);
        let index = Expr::symbol(&turn);
        inner.suppose_range(&turn, &Expr::one(), &longest);
        let value = if down {
            &high - &index + 1
        } else {
            &low + &index - 1
        };
        self.known.symbols.bind(variable, Ok(value));
        // Cores without a k-th iteration drop out. Where it is not certain that one stays, the sum over k would
        // count iterations of nobody, so there are only bounds.
        if longest.is_zero() || stays_inhabited(inner, &(&length - &index)) {
            return Turns::Summed(turn, Expr::one(), longest);
        }
        let (least, _) = active.ends(&length).unwrap_or_default();
        Turns::Bounded(Box::new(BoundedLoop {
            high: Range::between(least, longest),
            ..bounded
        }))
    }

    /// Whether an amount is not the same for all MPs.
    pub(crate) fn differs_between_mps(&self, amount: &Amount) -> bool {
        amount.ends().any(|end| self.speaks_of_mps(end))
    }

    fn speaks_of_mps(&self, end: &Expr) -> bool {
        let mut mps = self.around.mps.iter();
        mps.any(|mp| end.contains(&mp.symbol))
    }

    /// The sum over a loop and over the MPs of the last dimension at once, if the line depends only on where both
    /// are together. Returns the blocks and the conflicts.
    ///
    /// Why: a grid-stride loop touches words by t·w + i, with iteration t and MP i of w MPs. Summed one after the
    /// other, forms such as min(b, n − b·(t·w + i)) seldom close. But t·w + i takes each number of one range exactly
    /// once. With 3 MPs and 4 iterations it runs through 0, 1, …, 11. So i is replaced by u − t·w. If t is gone then,
    /// one sum over u from 0 to 11 is the whole.
    ///
    /// The other order works alike: each MP has a stretch of its own, t + i·s, with s iterations. Then t is replaced.
    fn summed_with_mps(
        &mut self,
        line: &LineCount,
        facts: &Facts,
        turn: &Symbol,
        first: &Expr,
        last: &Expr,
    ) -> Option<(Amount, Amount)> {
        let mp = self.around.mps.last()?.clone();
        let both = |amount: &Amount| {
            let mut ends = amount.ends();
            ends.any(|end| end.contains(turn)) && amount.ends().any(|end| end.contains(&mp.symbol))
        };
        if line.joined.striding.is_some() || !both(&line.blocks) && !both(&line.conflicts) {
            return None;
        }
        let one = Expr::one();
        let mps = &mp.high - &mp.low + &one;
        let turns = last - first + &one;
        let is_some = |count: &Expr| facts.prove(&Cond::ge(count, &one)) == Some(true);
        if !is_some(&mps) || facts.prove(&Cond::ge(&turns, &Expr::zero())) != Some(true) {
            return None;
        }
        let unit = self.known.symbols.fresh(&mp.symbol.name);
        let at = Expr::symbol(&unit);
        let end = |steps: &Expr| steps - &one;
        let striding = (
            (&mp.symbol, &at - (Expr::symbol(turn) * &mps), turn),
            first * &mps + &mp.low,
        );
        let blocked = (
            (turn, &at - (Expr::symbol(&mp.symbol) * &turns), &mp.symbol),
            &mp.low * &turns + first,
        );
        let length = &mps * &turns;
        for ((symbol, value, gone), start) in [striding, blocked] {
            let mut outer = facts.clone();
            suppose_range(&mut outer, &unit, &start, &(&start + end(&length)));
            let summed = |amount: &Amount| {
                let reindexed = amount.map(|e| outer.simplify(&e.substitute(symbol, &value)));
                let is_free = reindexed
                    .ends()
                    .all(|e| !e.contains(gone) && !e.contains(symbol));
                is_free.then(|| reindexed.sum(facts, &unit, &start, &(&start + end(&length))))
            };
            if let (Some(blocks), Some(conflicts)) = (summed(&line.blocks), summed(&line.conflicts))
            {
                return Some((blocks, conflicts));
            }
        }
        None
    }

    /// The iterations of the longest-running active core.
    fn longest(&self, length: &Expr, active: &Active) -> Option<Expr> {
        let (_, longest) = active.ends(length)?;
        let reaches = |core: &Expr| {
            let there = length.substitute(&active.core, core);
            active.facts.prove(&Cond::ge(&there, &longest)) == Some(true)
        };
        let is_reached = match &active.thinned {
            None => true,
            Some(thinned) => thinned.members.iter().any(reaches),
        };
        is_reached.then(|| at_least_zero(&active.facts, &longest))
    }

    /// A `for` whose iterations are only bounded: at least as many as every core has, at most as
    /// many as any may have; which cores are active in one is not known.
    pub(crate) fn spread_loop(
        &mut self,
        mut line: LineCount,
        counter: BoundedLoop,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let facts = &active.facts;
        let iterations = iterations_between(&counter, facts);
        self.lose_iterations(&counter, iterations.upper.is_some());
        line.change_operations(|operations| operations.plus(&iterations));
        line.pay(None, Some(iterations.clone()));
        lines.push(line);
        if iterations.upper.as_ref().is_some_and(Expr::is_zero) {
            return;
        }
        let turn = self.known.symbols.fresh_like(counter.variable);
        let mut inner = active.clone();
        inner.crew.is_open = false;
        // Which cores have a k-th iteration is not known, so no core is said to be active in it.
        inner.blur();
        let turns = iterations.upper.clone().map(|most| Dimension {
            symbol: turn.clone(),
            low: Expr::one(),
            high: most,
        });
        if let Some(turns) = &turns {
            inner.suppose_range(&turn, &turns.low, &turns.high);
        }
        self.bind_spread(&counter, &turn, turns.is_some());
        let depth = self.around.loops.len();
        self.around.loops.extend(turns.clone());
        let goes_through_rows = u32::from(counter.rows.is_some());
        self.around.in_rows += goes_through_rows;
        let inner_lines = self.block(body, &inner);
        self.around.in_rows -= goes_through_rows;
        let repeated = |amount: &Amount| {
            if amount.is_zero() {
                return Amount::zero();
            }
            let sum = |last: &Expr, end: &Expr| facts.sum(&turn, &Expr::one(), last, end);
            match &iterations.upper {
                Some(most) => Amount {
                    lower: sum(&iterations.lower, &amount.lower),
                    upper: amount.upper.as_ref().map(|end| sum(most, end)),
                },
                None => Amount::unknown(),
            }
        };
        for mut line in inner_lines {
            let rows = counter.rows.as_ref().filter(|_| turns.is_some());
            let own =
                rows.and_then(|rows| rows.joint(&self.around, &line.row_line(), &inner, facts));
            let behind =
                |joint: Box<Joint>| joint.map(repeated).behind(&self.around, turns.as_ref());
            let joint = line.joined.sorted.take().and_then(behind);
            let mut line = line.map(repeated).without_striding_if(true);
            line.joined.sorted = match (own, joint) {
                (Some(own), Some(joint)) if joint.is_less_than(&own, &self.around.facts) => {
                    Some(joint)
                }
                (own, joint) => own.or(joint),
            }
            .map(Box::new);
            lines.push(line);
        }
        self.around.loops.truncate(depth);
    }

    /// Notes why the iterations of a `for` are only bounded.
    fn lose_iterations(&mut self, counter: &BoundedLoop, is_bounded: bool) {
        let of_bounds = match (counter.why, &counter.rows) {
            (Untranslatable::Data(_), _) if !is_bounded => Inexact::Iterations,
            (Untranslatable::Data(_), Some(rows)) => {
                Inexact::IterationsOfRows(self.known.program.variable(rows.input).name.clone())
            }
            (Untranslatable::Data(_), None) => Inexact::IterationsInRange,
            (Untranslatable::Operation(_), _) => Inexact::LongestCore,
        };
        let why = counter.reason.clone().unwrap_or(of_bounds);
        self.lose(Affected::Execution, counter.why.span(), why);
    }

    /// Binds the variable of a `for` whose iterations are only bounded, in iteration `turn`.
    fn bind_spread(&mut self, counter: &BoundedLoop, turn: &Symbol, is_bounded: bool) {
        let (index, one) = (Expr::symbol(turn), Expr::one());
        let after = |steps_from: &Expr| {
            if counter.down {
                steps_from - &index + &one
            } else {
                steps_from + &index - &one
            }
        };
        let start = counter.start.as_ref().filter(|_| is_bounded);
        let value = start.map(after).ok_or(counter.why);
        if value.is_err() {
            let values = counter.values.clone();
            self.known.ranges.insert(counter.variable, values);
        }
        self.known.symbols.bind(counter.variable, value);
        let rows = counter.rows.as_ref();
        let in_row = rows.map(|rows| {
            after(if counter.down {
                &rows.ends.1
            } else {
                &rows.ends.0
            })
        });
        self.known.copies.count(counter.variable, in_row);
    }

    pub(crate) fn while_loop(
        &mut self,
        statement: &Stmt,
        at_most: Option<&Number>,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        self.lose(Affected::Execution, statement.span, Inexact::While);
        let bound = at_most
            .and_then(|bound| self.known.range(bound, active).upper)
            .map(|bound| at_least_zero(&active.facts, &bound));
        let one = Expr::one();
        let tests = Amount {
            lower: one.clone(),
            upper: bound.as_ref().map(|bound| bound + &one),
        };
        let line = self.statement_line(statement, active);
        let mut line = line.map(|amount| amount.times(&tests));
        if let Some(at_most) = at_most {
            let mut words = Vec::new();
            operands::of_expr(at_most, &mut words);
            line.conflicts = line.conflicts.plus(&self.conflicts(&words, active));
        }
        lines.push(line);
        let repeated = Amount {
            lower: Expr::zero(),
            upper: bound,
        };
        let mut still = active.clone();
        still.crew.is_open = false;
        if self.cycle_rules.is_some() {
            still.blur();
        }
        let turns = repeated.upper.clone().map(|bound| Dimension {
            symbol: self.known.symbols.fresh("turn"),
            low: one.clone(),
            high: bound,
        });
        for mut inner in self.block(body, &still) {
            let times = |amount: &Amount| amount.times(&repeated);
            let behind = |joint: Box<Joint>| joint.map(times).behind(&self.around, turns.as_ref());
            let joint = inner.joined.sorted.take().and_then(behind);
            let mut line = inner.map(times).without_striding_if(true);
            line.joined.sorted = joint.map(Box::new);
            // A turn has no number that an index could have as a digit, so each comes to the words of the others again.
            if let Some(access) = &mut line.access {
                access.extent = None;
            }
            lines.push(line);
        }
    }
}

/// Bounds the iterations of a `for`. Ends that data decide have only ranges: of
/// `for v = P[i] → P[i + 1] - 1` with `0 ≤ P[x] ≤ m` no iteration is certain, and at most m are. Rows of a
/// sorted array say more: all MPs together go through its m words once.
fn iterations_between(counter: &BoundedLoop, facts: &Facts) -> Amount {
    let length = |low: &Option<Expr>, high: &Option<Expr>| {
        let (low, high) = (low.as_ref()?, high.as_ref()?);
        Some(at_least_zero(facts, &facts.simplify(&(high - low + 1))))
    };
    let rows = counter.rows.as_ref();
    let most = length(&counter.low.lower, &counter.high.upper);
    let most = most.or_else(|| rows.map(|rows| rows.most.clone()));
    let most = match (most, &counter.most) {
        (Some(most), Some(other)) => {
            let both = vec![most, at_least_zero(facts, other)];
            Some(facts.simplify(&Expr::min(both)))
        }
        (most, other) => most.or_else(|| other.clone()),
    };
    let least = length(&counter.low.upper, &counter.high.lower).unwrap_or_default();
    let least = match rows {
        Some(rows) if least.is_zero() => rows.least.clone(),
        _ => least,
    };
    Amount {
        lower: least,
        upper: most,
    }
}

/// Keeps the cores that have an iteration left, `remaining ≥ 0`; whether some certainly has. The
/// longest-running core is active in every iteration counted.
fn stays_inhabited(active: &mut Active, remaining: &Expr) -> bool {
    let kept = active
        .facts
        .simplify(remaining)
        .linear_in(&active.core)
        .and_then(|[constant, slope]| active.keep_non_negative(&constant, &slope));
    let kept = kept.unwrap_or_else(|| {
        let candidates = [active.first(), active.last()];
        active.thin(&Cond::ge(remaining, &Expr::zero()), &candidates, None)
    });
    matches!(kept, Narrowed::Inhabited | Narrowed::Provided(_))
}

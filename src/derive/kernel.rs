//! One kernel: what each of its lines costs, and the kernel's t, q and conflicts (language.md §4.1
//! to §4.3), in the formal parameters and the host loops around it.
//!
//! A statement is counted in its own context, once per time it executes there; leaving an `if`
//! multiplies by the bracket of what could not be decided, leaving a loop sums over its variable,
//! leaving the wrapper takes the costliest MP for t and the sum over MPs for everything else.

use indexmap::IndexMap;

use crate::check::program::{
    CoreLoop, Expr as Checked, ExprKind, Kernel, LetBinding, Program, Stmt, StmtKind, Type, VarId,
    Word, WrapperStmt,
};
use crate::derive::active::{Active, Narrowed};
use crate::derive::amount::Amount;
use crate::derive::ops;
use crate::derive::symbols::{Compared, Symbols, Untranslatable};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::syntax::ast::Comparison;
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
}

/// Where exactness is lost, and what would keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    /// What it touches.
    pub(crate) affected: Affected,
    /// Where.
    pub(crate) span: Span,
    /// What is lost.
    pub(crate) reason: String,
    /// What would make it exact.
    pub(crate) remedy: String,
}

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
    pub(crate) rule: Option<String>,
    /// The global variable it accesses, and whether it writes it.
    pub(crate) access: Option<(VarId, bool)>,
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
}

/// The walk over one kernel.
pub(crate) struct Walk<'w, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) symbols: &'w mut Symbols<'p>,
    pub(crate) losses: &'w mut Vec<Loss>,
}

/// Counts a kernel under what is known of the parameters and host loops around it.
pub(crate) fn count<'p>(
    walk: &mut Walk<'_, 'p>,
    kernel: &'p Kernel,
    facts: &Facts,
) -> Result<KernelCount, Untranslatable> {
    let mut inner = facts.clone();
    let mut ranges = Vec::new();
    let mut launched = Expr::one();
    let mut inhabited = Vec::new();
    for dimension in &kernel.mps {
        let (low, high) = (
            walk.symbols.expr(&dimension.low)?,
            walk.symbols.expr(&dimension.high)?,
        );
        let (low, high) = (facts.simplify(&low), facts.simplify(&high));
        let length = facts.simplify(&high.sub(&low).add(&Expr::one()));
        launched = launched.mul(&at_least_zero(facts, &length));
        let some = Cond::ge(&length, &Expr::one());
        if facts.prove(&some) != Some(true) {
            inhabited.push(some);
        }
        let symbol = walk.symbols.bind_symbol(dimension.parameter);
        suppose_range(&mut inner, &symbol, &low, &high);
        ranges.push((symbol, low, high));
    }
    let mut lines = Vec::new();
    for statement in &kernel.body {
        match statement {
            WrapperStmt::Let(binding) => {
                let value = walk
                    .symbols
                    .expr(&binding.value)
                    .map(|value| inner.simplify(&value));
                walk.symbols.bind(binding.parameter, value);
                let operations = ops::operations(&binding.value);
                lines.push(LineCount::of(binding.span, operations));
            }
            WrapperStmt::Cores(cores) => lines.extend(walk.cores(cores, &inner)?),
        }
    }
    let some_mp = Cond::and(inhabited);
    Ok(walk.over_mps(
        lines,
        &ranges,
        facts,
        &inner,
        some_mp,
        facts.simplify(&launched),
        kernel.span,
    ))
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

impl LineCount {
    /// A line executed once that costs this many operations and touches no memory.
    fn of(span: Span, operations: u64) -> Self {
        LineCount {
            span,
            executions: Amount::of(1),
            operations: Amount::of(operations),
            blocks: Amount::zero(),
            conflicts: Amount::zero(),
            rule: None,
            access: None,
        }
    }

    /// Every amount changed alike.
    fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        LineCount {
            executions: change(&self.executions),
            operations: change(&self.operations),
            blocks: change(&self.blocks),
            conflicts: change(&self.conflicts),
            ..self
        }
    }
}

impl<'p> Walk<'_, 'p> {
    fn cores(
        &mut self,
        cores: &'p CoreLoop,
        facts: &Facts,
    ) -> Result<Vec<LineCount>, Untranslatable> {
        let width = self.symbols.value(self.program.machine.b)?;
        let core = self.symbols.bind_symbol(cores.core);
        let active = Active::all(core, width, facts.clone());
        Ok(self.block(&cores.body, &active))
    }

    fn block(&mut self, statements: &'p [Stmt], active: &Active) -> Vec<LineCount> {
        let mut lines = Vec::new();
        let mut active = active.clone();
        for statement in statements {
            self.statement(statement, &mut active, &mut lines);
        }
        lines
    }

    fn statement(&mut self, statement: &'p Stmt, active: &mut Active, lines: &mut Vec<LineCount>) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Load { target, source } => {
                lines.push(self.access(span, target, source, false, active))
            }
            StmtKind::Store { target, source } => {
                lines.push(self.access(span, source, target, true, active))
            }
            StmtKind::Assign { target, value } => {
                let mut line = LineCount::of(span, ops::assign_operations(target, value));
                line.conflicts = self
                    .conflicts_of_expr(value, active)
                    .plus(&self.conflicts_of_word(target, active));
                lines.push(line);
            }
            StmtKind::Atomic {
                target, operands, ..
            } => {
                let mut line = LineCount::of(span, 0);
                let once = Amount::of(ops::atomic_operations(target, operands));
                line.operations = once.times(&self.contention(target, active));
                // The element on the right is an operand of its own, with the target's address.
                let element = self.conflicts_of_word(target, active);
                let reads = operands
                    .iter()
                    .map(|operand| self.conflicts_of_expr(&operand.value, active));
                let reads: Vec<Amount> = reads.collect();
                line.conflicts = reads
                    .iter()
                    .fold(element.plus(&element), |sum, read| sum.plus(read));
                lines.push(line);
            }
            StmtKind::Let(LetBinding {
                parameter, value, ..
            }) => {
                let mut line = LineCount::of(span, ops::operations(value));
                line.conflicts = self.conflicts_of_expr(value, active);
                lines.push(line);
                let translated = if value.ty == Type::Number {
                    self.symbols
                        .expr(value)
                        .map(|value| active.facts.simplify(&value))
                } else {
                    Err(Untranslatable::Data(value.span))
                };
                self.symbols.bind(*parameter, translated);
            }
            StmtKind::If { condition, body } => {
                self.conditional(span, condition, body, active, lines)
            }
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                let mut line = LineCount::of(span, ops::bound_operations(from, to));
                line.conflicts = self
                    .conflicts_of_expr(from, active)
                    .plus(&self.conflicts_of_expr(to, active));
                let (low, high) = if *down { (to, from) } else { (from, to) };
                let ends = self
                    .symbols
                    .expr(low)
                    .and_then(|low| Ok((low, self.symbols.expr(high)?)));
                match ends {
                    Ok((low, high)) => {
                        self.counted_loop(line, (*variable, *down), low, high, body, active, lines);
                    }
                    Err(why) => {
                        self.lose(
                            Affected::Execution,
                            why.span(),
                            why.reason("the number of iterations"),
                            "declare the range of the words it reads, or bound the loop by parameters",
                        );
                        self.symbols.bind(*variable, Err(why));
                        line.operations = Amount {
                            upper: None,
                            ..line.operations
                        };
                        lines.push(line);
                        let inner = self.block(body, active);
                        lines.extend(
                            inner
                                .into_iter()
                                .map(|line| line.map(|_| Amount::unknown())),
                        );
                    }
                }
            }
            StmtKind::While {
                condition,
                at_most,
                body,
            } => {
                self.while_loop(span, condition, at_most.as_ref(), body, active, lines);
            }
        }
    }

    /// `_x[…] ⇐ a[…]` or `a[…] ⇐ _x[…]`: 1 and the index operations of both sides.
    fn access(
        &mut self,
        span: Span,
        shared: &Word,
        global: &Word,
        writes: bool,
        active: &Active,
    ) -> LineCount {
        let mut line = LineCount::of(span, ops::access_operations(shared, global));
        line.conflicts = self.conflicts_of_word(shared, active);
        for index in &global.indices {
            line.conflicts = line.conflicts.plus(&self.conflicts_of_expr(index, active));
        }
        line.access = Some((global.variable, writes));
        let counted = match self.offset(global) {
            Ok(offset) => active.blocks(&offset).ok_or_else(|| {
                (
                    global.span,
                    "the index does not move with the core by a known stride".to_owned(),
                )
            }),
            Err(why) => Err((why.span(), why.reason("the index"))),
        };
        match counted {
            Ok((blocks, rule)) => {
                line.blocks = blocks;
                line.rule = Some(rule.to_owned());
            }
            Err((place, reason)) => {
                self.lose(
                    Affected::Blocks,
                    place,
                    reason,
                    "an index `A + s·core` with a known s is counted exactly",
                );
                line.blocks = Amount::between(Expr::one(), active.count());
                line.rule = Some("1 block to 1 a core".to_owned());
            }
        }
        line
    }

    /// The offset in words of one word, row-major.
    fn offset(&self, word: &Word) -> Result<Expr, Untranslatable> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let mut offset = Expr::zero();
        for (index, extent) in word.indices.iter().zip(dimensions) {
            offset = offset
                .mul(&self.symbols.expr(extent)?)
                .add(&self.symbols.expr(index)?);
        }
        Ok(offset)
    }

    /// Conflicts of a shared operand and of the shared reads in its index.
    fn conflicts_of_word(&mut self, word: &Word, active: &Active) -> Amount {
        let own = match self.offset(word) {
            Ok(offset) => active.conflicts(&offset).ok_or_else(|| {
                (
                    word.span,
                    "the index does not move with the core by a known stride".to_owned(),
                )
            }),
            Err(why) => Err((why.span(), why.reason("the bank"))),
        };
        let mut sum = own.unwrap_or_else(|(place, reason)| {
            self.lose(
                Affected::Conflicts,
                place,
                reason,
                "an index `A + s·core` with a known s is counted exactly",
            );
            Amount::between(Expr::zero(), active.count().sub(&Expr::one()))
        });
        for index in &word.indices {
            sum = sum.plus(&self.conflicts_of_expr(index, active));
        }
        sum
    }

    /// Conflicts of all shared operands of an expression.
    fn conflicts_of_expr(&mut self, expr: &Checked, active: &Active) -> Amount {
        let mut words = Vec::new();
        shared_reads(expr, &mut words);
        words.into_iter().fold(Amount::zero(), |sum, word| {
            sum.plus(&self.conflicts_of_word(word, active))
        })
    }

    fn contention(&mut self, target: &Word, active: &Active) -> Amount {
        let known = self
            .offset(target)
            .ok()
            .and_then(|offset| active.contention(&offset));
        match known {
            Some(cores) => Amount::exact(cores),
            None => {
                self.lose(
                    Affected::Time,
                    target.span,
                    "how many cores meet on one word depends on data".to_owned(),
                    "an index `A + s·core` with a known s has a known contention",
                );
                Amount::between(Expr::one(), active.count())
            }
        }
    }

    fn conditional(
        &mut self,
        span: Span,
        condition: &'p Checked,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let mut line = LineCount::of(span, ops::operations(condition));
        line.conflicts = self.conflicts_of_expr(condition, active);
        lines.push(line);
        let mut inner = active.clone();
        let mut open = Vec::new();
        let mut certain = true;
        let mut conjuncts = Vec::new();
        flatten(condition, &mut conjuncts);
        for conjunct in conjuncts {
            match self.guard(conjunct, &mut inner, &mut open) {
                Guard::Holds => {}
                Guard::Fails => return,
                Guard::Unknown(place, reason) => {
                    certain = false;
                    self.lose(
                        Affected::Execution,
                        place,
                        reason,
                        "a guard that compares `A + s·core` with parameters is counted exactly",
                    );
                }
            }
        }
        let executed = Amount::exact(Expr::bracket(Cond::and(open)));
        for line in self.block(body, &inner) {
            lines.push(line.map(|amount| {
                let amount = amount.times(&executed);
                if certain { amount } else { amount.or_nothing() }
            }));
        }
    }

    /// Narrows the active cores by one conjunct of a condition. What must hold for some core to
    /// stay active, and is not known to, goes to `open`: the body counts under its bracket.
    fn guard(&mut self, conjunct: &Checked, active: &mut Active, open: &mut Vec<Cond>) -> Guard {
        if !matches!(conjunct.kind, ExprKind::Compare { .. }) {
            return match self.symbols.condition(conjunct) {
                Ok(condition) => whole_guard(condition, conjunct.span, active, open),
                Err(why) => Guard::Unknown(why.span(), why.reason("which cores are active")),
            };
        }
        let links = match self.symbols.comparisons(conjunct) {
            Ok(links) => links,
            Err(why) => return Guard::Unknown(why.span(), why.reason("which cores are active")),
        };
        for link in links {
            match link_guard(&link, conjunct.span, active, open) {
                Guard::Holds => {}
                decided @ (Guard::Fails | Guard::Unknown(..)) => return decided,
            }
        }
        Guard::Holds
    }

    /// A `for` with symbolic bounds. Where they differ between cores the k-th iterations run
    /// together (language.md §5), so the loop is counted over k.
    fn counted_loop(
        &mut self,
        mut line: LineCount,
        (variable, down): (crate::check::program::ParamId, bool),
        low: Expr,
        high: Expr,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let facts = &active.facts;
        let (low, high) = (facts.simplify(&low), facts.simplify(&high));
        let mut inner = active.clone();
        let (symbol, first, last) = if low.contains(&active.core) || high.contains(&active.core) {
            let length = facts.simplify(&high.sub(&low).add(&Expr::one()));
            let Some(longest) = active.largest(&length) else {
                return self.uncounted_loop(line, variable, body, active, lines);
            };
            let longest = at_least_zero(facts, &longest);
            let turn = self.symbols.fresh("turn");
            let index = Expr::symbol(&turn);
            suppose_range(&mut inner.facts, &turn, &Expr::one(), &longest);
            let value = if down {
                high.sub(&index).add(&Expr::one())
            } else {
                low.add(&index).sub(&Expr::one())
            };
            self.symbols.bind(variable, Ok(value));
            let remaining = length.sub(&index);
            let kept = remaining
                .coefficients(&active.core)
                .and_then(|list| <[Expr; 2]>::try_from(list).ok())
                .and_then(|[constant, slope]| inner.keep_non_negative(&constant, &slope));
            // The longest-running core is active in every iteration counted.
            if !matches!(kept, Some(Narrowed::Inhabited | Narrowed::Provided(_)))
                && !longest.is_zero()
            {
                return self.uncounted_loop(line, variable, body, active, lines);
            }
            (turn, Expr::one(), longest)
        } else {
            let symbol = self.symbols.bind_symbol(variable);
            suppose_range(&mut inner.facts, &symbol, &low, &high);
            (symbol, low, high)
        };
        let iterations = Amount::exact(facts.sum(&symbol, &first, &last, &Expr::one()));
        line.operations = line.operations.plus(&iterations);
        lines.push(line);
        if iterations.is_zero() {
            return;
        }
        for inner_line in self.block(body, &inner) {
            lines.push(inner_line.map(|amount| amount.sum(facts, &symbol, &first, &last)));
        }
    }

    fn uncounted_loop(
        &mut self,
        mut line: LineCount,
        variable: crate::check::program::ParamId,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let why = Untranslatable::Operation(line.span);
        self.lose(
            Affected::Execution,
            line.span,
            "the longest-running core could not be singled out".to_owned(),
            "bounds `A + s·core` with s of a known sign are counted exactly",
        );
        self.symbols.bind(variable, Err(why));
        line.operations = Amount {
            upper: None,
            ..line.operations
        };
        lines.push(line);
        let inner = self.block(body, active);
        lines.extend(
            inner
                .into_iter()
                .map(|line| line.map(|_| Amount::unknown())),
        );
    }

    fn while_loop(
        &mut self,
        span: Span,
        condition: &'p Checked,
        at_most: Option<&Checked>,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        self.lose(
            Affected::Execution,
            span,
            "data decide how often the `while` repeats".to_owned(),
            "a `for` with bounds over parameters is counted exactly",
        );
        let bound = at_most
            .and_then(|bound| self.symbols.expr(bound).ok())
            .and_then(|bound| active.largest(&bound))
            .map(|bound| at_least_zero(&active.facts, &bound));
        let one = Expr::one();
        let tests = Amount {
            lower: one.clone(),
            upper: bound.as_ref().map(|bound| bound.add(&one)),
        };
        let mut line = LineCount::of(span, ops::operations(condition));
        line.conflicts = self.conflicts_of_expr(condition, active);
        let mut line = line.map(|amount| amount.times(&tests));
        if let Some(at_most) = at_most {
            line.conflicts = line
                .conflicts
                .plus(&self.conflicts_of_expr(at_most, active));
        }
        lines.push(line);
        let repeated = Amount {
            lower: Expr::zero(),
            upper: bound,
        };
        for inner in self.block(body, active) {
            lines.push(inner.map(|amount| amount.times(&repeated)));
        }
    }

    /// From one MP to all of them: t is the costliest MP's, the rest are sums.
    fn over_mps(
        &mut self,
        lines: Vec<LineCount>,
        ranges: &[(Symbol, Expr, Expr)],
        facts: &Facts,
        inner: &Facts,
        some_mp: Cond,
        launched: Expr,
        span: Span,
    ) -> KernelCount {
        let launch = Amount::exact(Expr::bracket(some_mp));
        // Each sum under what is known outside its own dimension, so that an empty range stays empty.
        let mut known = vec![facts.clone()];
        for (symbol, low, high) in ranges {
            let mut within = known.last().expect("starts with one").clone();
            suppose_range(&mut within, symbol, low, high);
            known.push(within);
        }
        let over_all = |amount: &Amount| {
            let dimensions = ranges.iter().zip(&known).rev();
            dimensions.fold(amount.clone(), |sum, ((symbol, low, high), known)| {
                sum.sum(known, symbol, low, high)
            })
        };
        let mut costliest = lines;
        let mut time = costliest
            .iter()
            .fold(Amount::zero(), |sum, line| sum.plus(&line.operations));
        let blocks: Vec<(Amount, Amount)> = costliest
            .iter()
            .map(|line| (over_all(&line.blocks), over_all(&line.conflicts)))
            .collect();
        for (symbol, low, high) in ranges.iter().rev() {
            match costliest_value(&time, symbol, low, high, inner) {
                Costliest::Any => {}
                Costliest::At(value) => {
                    let there = |amount: &Amount| amount.map(|end| end.substitute(symbol, &value));
                    time = there(&time);
                    costliest = costliest.into_iter().map(|line| line.map(there)).collect();
                }
                Costliest::Worth(value) => {
                    time = Amount::exact(value);
                    costliest = costliest.into_iter().map(unattributed).collect();
                }
                Costliest::Unknown => {
                    self.lose(
                        Affected::Time,
                        span,
                        "the costliest MP could not be singled out".to_owned(),
                        "counts that grow or fall with the MP's index have a known maximum",
                    );
                    time = Amount::unknown();
                    costliest = costliest.into_iter().map(unattributed).collect();
                    break;
                }
            }
        }
        let mut arrays: IndexMap<VarId, (Amount, Amount)> = IndexMap::new();
        let (mut io, mut conflicts) = (Amount::zero(), Amount::zero());
        for (line, (blocks, conflict)) in costliest.iter_mut().zip(blocks) {
            line.executions = line.executions.times(&launch);
            line.operations = line.operations.times(&launch);
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
        let time = time.times(&launch).map(|end| facts.simplify(end));
        let simple = |amount: Amount| amount.map(|end| facts.simplify(end));
        KernelCount {
            launched: Amount::exact(launched),
            time,
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
        }
    }

    fn lose(&mut self, affected: Affected, span: Span, reason: String, remedy: &str) {
        let loss = Loss {
            affected,
            span,
            reason,
            remedy: remedy.to_owned(),
        };
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }
}

/// What a guard does where it stands.
enum Guard {
    /// The active cores are now those that satisfy it.
    Holds,
    /// No active core does.
    Fails,
    /// Not known; the active cores stay a superset.
    Unknown(Span, String),
}

/// A condition taken as one: decided, or the same for all cores.
fn whole_guard(condition: Cond, span: Span, active: &mut Active, open: &mut Vec<Cond>) -> Guard {
    match active.facts.prove(&condition) {
        Some(true) => Guard::Holds,
        Some(false) => Guard::Fails,
        None if condition.symbols().contains(&active.core) => {
            Guard::Unknown(span, "the active cores are no interval".to_owned())
        }
        None => {
            active.facts.suppose(&condition);
            open.push(condition);
            Guard::Holds
        }
    }
}

/// One comparison: decided, the same for all cores, or a bound on the core's index.
fn link_guard(link: &Compared, span: Span, active: &mut Active, open: &mut Vec<Cond>) -> Guard {
    let condition = link.condition();
    match active.facts.prove(&condition) {
        Some(true) => return Guard::Holds,
        Some(false) => return Guard::Fails,
        None => {}
    }
    if !condition.symbols().contains(&active.core) {
        return whole_guard(condition, span, active, open);
    }
    let difference = active.facts.simplify(&link.right.sub(&link.left));
    let Some([constant, slope]) = difference
        .coefficients(&active.core)
        .and_then(|list| <[Expr; 2]>::try_from(list).ok())
    else {
        return Guard::Unknown(span, "the active cores are no interval".to_owned());
    };
    // Whole numbers: a < b is b − a − 1 ≥ 0. A fraction would need its own rounding.
    let whole = active.facts.is_integer(&difference);
    let one = Expr::one();
    let steps: Vec<(Expr, Expr)> = match link.operator {
        Comparison::AtMost => vec![(constant, slope)],
        Comparison::AtLeast => vec![(constant.neg(), slope.neg())],
        Comparison::Less if whole => vec![(constant.sub(&one), slope)],
        Comparison::Greater if whole => vec![(constant.neg().sub(&one), slope.neg())],
        Comparison::Equal if slope == one || slope.neg() == one => {
            vec![
                (constant.clone(), slope.clone()),
                (constant.neg(), slope.neg()),
            ]
        }
        Comparison::Less
        | Comparison::Greater
        | Comparison::Equal
        | Comparison::NotEqual
        | Comparison::Divides
        | Comparison::PowerOf => {
            return Guard::Unknown(span, "the active cores are no interval".to_owned());
        }
    };
    for (constant, slope) in steps {
        match active.keep_non_negative(&constant, &slope) {
            Some(Narrowed::Inhabited) => {}
            Some(Narrowed::Provided(condition)) => {
                active.facts.suppose(&condition);
                open.push(condition);
            }
            Some(Narrowed::Empty) => return Guard::Fails,
            None => {
                return Guard::Unknown(span, "the sign of the core's factor is unknown".to_owned());
            }
        }
    }
    Guard::Holds
}

/// Which MP of one dimension costs most.
enum Costliest {
    /// All cost the same.
    Any,
    /// This one.
    At(Expr),
    /// Not known which, but it costs this.
    Worth(Expr),
    /// Not known.
    Unknown,
}

fn costliest_value(
    time: &Amount,
    symbol: &Symbol,
    low: &Expr,
    high: &Expr,
    facts: &Facts,
) -> Costliest {
    let ends = || std::iter::once(&time.lower).chain(&time.upper);
    if ends().all(|end| !end.contains(symbol)) {
        return Costliest::Any;
    }
    for candidate in [high, low] {
        let wins = |end: &Expr| {
            facts.prove(&Cond::ge(&end.substitute(symbol, candidate), end)) == Some(true)
        };
        if ends().all(wins) {
            return Costliest::At(candidate.clone());
        }
    }
    match time
        .is_exact()
        .then(|| facts.maximum(symbol, low, high, &time.lower))
        .flatten()
    {
        Some(worth) => Costliest::Worth(worth),
        None => Costliest::Unknown,
    }
}

/// A line whose share of t is not known because the costliest MP is not.
fn unattributed(line: LineCount) -> LineCount {
    LineCount {
        executions: Amount::unknown(),
        operations: Amount::unknown(),
        ..line
    }
}

/// The conjuncts of a condition, from left to right.
fn flatten<'e>(condition: &'e Checked, conjuncts: &mut Vec<&'e Checked>) {
    match &condition.kind {
        ExprKind::And(left, right) => {
            flatten(left, conjuncts);
            flatten(right, conjuncts);
        }
        _ => conjuncts.push(condition),
    }
}

/// Every shared word an expression reads, but not those inside another one's index.
fn shared_reads<'e>(expr: &'e Checked, words: &mut Vec<&'e Word>) {
    match &expr.kind {
        ExprKind::Word(word) => words.push(word),
        kind => kind.operands(&mut |operand| shared_reads(operand, words)),
    }
}

//! `for` and `while` in a kernel: sums over iterations (language.md §5: the k-th iterations of all
//! cores run together).

use crate::check::program::{Expr as Checked, ParamId, Stmt};
use crate::derive::active::{Active, Narrowed};
use crate::derive::amount::Amount;
use crate::derive::kernel::{Affected, LineCount, Walk, at_least_zero, suppose_range};
use crate::derive::ops;
use crate::derive::symbols::Untranslatable;
use crate::sym::Expr;
use crate::text::Span;

/// The variable of a `for` and its bounds over symbols.
pub(crate) struct Counter {
    /// The loop variable.
    pub(crate) variable: ParamId,
    /// Whether it counts down, from `high`.
    pub(crate) down: bool,
    /// The smaller end.
    pub(crate) low: Expr,
    /// The larger end.
    pub(crate) high: Expr,
}

impl<'p> Walk<'_, 'p> {
    /// A `for` with symbolic bounds. Where they differ between cores the k-th iterations run
    /// together (language.md §5), so the loop is counted over k.
    pub(crate) fn counted_loop(
        &mut self,
        mut line: LineCount,
        counter: Counter,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let facts = &active.facts;
        let Counter {
            variable,
            down,
            low,
            high,
        } = counter;
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
        line.pay(None, Some(iterations.clone()));
        lines.push(line);
        if iterations.is_zero() {
            return;
        }
        for inner_line in self.block(body, &inner) {
            lines.push(inner_line.map(|amount| amount.sum(facts, &symbol, &first, &last)));
        }
    }

    pub(crate) fn uncounted_loop(
        &mut self,
        mut line: LineCount,
        variable: ParamId,
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
        line.pay(None, Some(Amount::unknown()));
        lines.push(line);
        let inner = self.block(body, active);
        lines.extend(
            inner
                .into_iter()
                .map(|line| line.map(|_| Amount::unknown())),
        );
    }

    pub(crate) fn while_loop(
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
        let mut line = self.line(span, &ops::operations(condition));
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
}

//! `if` in a kernel: which cores stay active, and what could not be decided.

use crate::check::program::{Expr as Checked, ExprKind, Stmt};
use crate::derive::active::{Active, Narrowed};
use crate::derive::amount::Amount;
use crate::derive::kernel::{Affected, LineCount, Walk};
use crate::derive::ops;
use crate::derive::symbols::Compared;
use crate::sym::{Cond, Expr};
use crate::syntax::ast::Comparison;
use crate::text::Span;

impl<'p> Walk<'_, 'p> {
    pub(crate) fn conditional(
        &mut self,
        span: Span,
        condition: &'p Checked,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        let mut line = self.line(span, &ops::operations(condition));
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

//! `until` of a `for`: after which iteration it ends the loop, as far as parameters decide that.
//!
//! Takes the condition over symbols and the range of the loop; proves and solves, and counts nothing.

mod stretch;

use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::around::suppose_range;
use crate::symbolic::until::stretch::stretches;

/// In so many iterations a condition is looked at one by one.
const MOST_TRIED: u32 = 256;

/// The iteration that a loop ends after.
pub(crate) enum Left {
    /// The last of its range: as if there were no `until`.
    Last,
    /// The first, which there is.
    First,
    /// That of this number: the last of its range where none ends it before, and so for an empty range.
    At(Expr),
    /// Any of them.
    Sometime,
}

/// The range of a loop: its variable, the smaller and the larger end, and whether it counts down.
pub(crate) type Range<'r> = (&'r Symbol, &'r Expr, &'r Expr, bool);

/// After which iteration a loop ends, whose condition has this form, if it has one.
pub(crate) fn left(condition: Option<&Cond>, range: Range<'_>, facts: &Facts) -> Left {
    let (symbol, low, high, down) = range;
    if facts.prove(&Cond::le(high, low)) == Some(true) {
        return Left::Last;
    }
    let Some(condition) = condition else {
        return Left::Sometime;
    };
    let one = Expr::one();
    let (first, from, to) = if down {
        (high, low + &one, high.clone())
    } else {
        (low, low.clone(), high - &one)
    };
    let mut before_last = facts.clone();
    suppose_range(&mut before_last, symbol, &from, &to);
    if before_last.prove(condition) == Some(false) {
        return Left::Last;
    }
    let runs = facts.prove(&Cond::ge(high, low)) == Some(true);
    if runs && facts.prove(&condition.substitute(symbol, first)) == Some(true) {
        return Left::First;
    }
    let solved = solved(condition, range, facts);
    match solved.or_else(|| one_by_one(condition, range, facts)) {
        Some(number) => Left::At(number),
        None => Left::Sometime,
    }
}

/// The number of the first iteration that satisfies a condition, solved for the variable.
fn solved(condition: &Cond, range: Range<'_>, facts: &Facts) -> Option<Expr> {
    let (symbol, low, high, down) = range;
    let mut within = facts.clone();
    suppose_range(&mut within, symbol, low, high);
    let condition = within.simplify_cond(condition);
    let stretches = stretches(&condition, symbol, facts, &within)?;
    let ends = stretches.iter().map(|stretch| stretch.entered(range));
    let number = if down {
        Expr::max([low.clone()].into_iter().chain(ends).collect())
    } else {
        Expr::min([high.clone()].into_iter().chain(ends).collect())
    };
    Some(facts.simplify(&number))
}

/// The same for a few iterations, in each of which the condition is decided.
fn one_by_one(condition: &Cond, range: Range<'_>, facts: &Facts) -> Option<Expr> {
    let (symbol, low, high, down) = range;
    let steps = facts.simplify(&(high - low)).as_integer()?;
    let steps = u32::try_from(&steps).ok().filter(|n| *n < MOST_TRIED)?;
    let number = |step: u32| {
        if down {
            high - Expr::int(step.into())
        } else {
            low + Expr::int(step.into())
        }
    };
    for step in 0..steps {
        let number = number(step);
        if facts.prove(&condition.substitute(symbol, &number))? {
            return Some(number);
        }
    }
    Some(number(steps))
}

//! `until` of a `for`: after which iteration it ends the loop, as far as parameters decide that.
//!
//! Takes the condition over symbols and the range of the loop; proves, and counts nothing.

use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::around::suppose_range;

/// The iteration that a loop ends after.
pub(crate) enum Left {
    /// The last of its range: as if there were no `until`.
    Last,
    /// The first, which there is.
    First,
    /// Any of them.
    Sometime,
}

/// The range of a loop: its variable, the smaller and the larger end, and whether it counts down.
pub(crate) type Range<'r> = (&'r Symbol, &'r Expr, &'r Expr, bool);

/// After which iteration a loop ends, whose condition has this form, if it has one.
pub(crate) fn left(
    condition: Option<&Cond>,
    (symbol, low, high, down): Range<'_>,
    facts: &Facts,
) -> Left {
    if facts.prove(&Cond::le(high, low)) == Some(true) {
        return Left::Last;
    }
    let Some(condition) = condition else {
        return Left::Sometime;
    };
    let one = Expr::one();
    let (first, from, to) = match down {
        true => (high, low.add(&one), high.clone()),
        false => (low, low.clone(), high.sub(&one)),
    };
    let mut before_last = facts.clone();
    suppose_range(&mut before_last, symbol, &from, &to);
    if before_last.prove(condition) == Some(false) {
        return Left::Last;
    }
    let runs = facts.prove(&Cond::ge(high, low)) == Some(true);
    match runs && facts.prove(&condition.substitute(symbol, first)) == Some(true) {
        true => Left::First,
        false => Left::Sometime,
    }
}

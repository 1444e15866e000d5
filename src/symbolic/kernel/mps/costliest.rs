//! The costliest MP of a kernel: t, and the lines of that MP.

use crate::count::Inexact;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::kernel::line::{LineCount, Loose};
use crate::symbolic::kernel::mps::Mps;
use crate::symbolic::kernel::{Affected, Walk};

/// The costliest MP.
pub(super) struct Costliest {
    /// Its operations, t.
    pub(super) time: Amount,
    /// Its lines.
    pub(super) lines: Vec<LineCount>,
}

/// Looks for the costliest MP dimension by dimension, from the lines as any MP has them.
pub(super) fn find(walk: &mut Walk<'_, '_>, lines: Vec<LineCount>, mps: &Mps) -> Costliest {
    let operations = lines.iter().map(|line| &line.operations);
    let mut time = operations.fold(Amount::zero(), |sum, operations| sum.plus(operations));
    let mut lines = lines;
    let mut is_loose = false;
    for (symbol, low, high) in mps.ranges.iter().rev() {
        let worth = worth(&time, (symbol, low, high), mps.facts(), is_loose);
        let lost = match &worth {
            Worth::OfAny | Worth::At(_) => None,
            Worth::Of(_) => Some((Affected::Shares, Inexact::MpOfTime)),
            Worth::Below(_) => Some((Affected::Time, Inexact::CostliestByParts)),
            Worth::Plain(_) | Worth::Unknown => Some((Affected::Time, why_not_known(mps.facts()))),
        };
        if let Some((affected, why)) = lost {
            walk.lose(affected, mps.span, why);
            lines = unattributed(lines, mps);
        }
        match worth {
            Worth::OfAny => {}
            // Of MPs 0..k − 1 the last goes through most rows, for example. Its lines are the ones to show, so its number is put
            // into all of them.
            Worth::At(value) => {
                let there = |end: &Expr| end.substitute(symbol, &value);
                if !time.is_exact() {
                    // What bounds it is largest there; it may itself be larger elsewhere.
                    lines = unattributed(lines, mps);
                }
                time = time.map(there);
                let line_there = |line: LineCount| line.map(|amount| amount.map(there));
                lines = lines.into_iter().map(line_there).collect();
            }
            Worth::Of(value) => time = value,
            Worth::Below(value) | Worth::Plain(value) => {
                is_loose = true;
                time = line_by_line(value, &lines, mps.facts());
            }
            Worth::Unknown => {
                time = Amount::unknown();
                break;
            }
        }
    }
    Costliest { time, lines }
}

/// The cost of the costliest MP of one dimension.
pub(super) enum Worth {
    /// All cost the same.
    OfAny,
    /// This one's.
    At(Expr),
    /// Not known which, but it costs this.
    Of(Amount),
    /// Not known which, but what it costs lies between these bounds.
    Below(Amount),
    /// Not known which, and what it costs only by a plain bound.
    Plain(Amount),
    /// Not known.
    Unknown,
}

/// Looks for the costliest MP of one dimension. Of an amount that is loose already a shorter bound
/// is taken.
pub(super) fn worth(
    time: &Amount,
    (symbol, low, high): (&Symbol, &Expr, &Expr),
    facts: &Facts,
    is_loose: bool,
) -> Worth {
    if time.ends().all(|end| !end.contains(symbol)) {
        return Worth::OfAny;
    }
    let all: Vec<&Expr> = time.ends().collect();
    if let Some(value) = facts.costliest(symbol, low, high, &all) {
        return Worth::At(value);
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
            return Worth::Below(Amount::between(least, upper));
        }
        let plain = |end: &Expr| facts.above_all(symbol, [low, high], end);
        return match time.upper.as_ref().and_then(plain) {
            Some(upper) => Worth::Plain(Amount::between(least, upper)),
            None => Worth::Unknown,
        };
    };
    if time.is_exact() {
        return Worth::Of(Amount::exact(upper));
    }
    let lower = worst(&time.lower).unwrap_or_else(Expr::zero);
    // Of a bound that is loose already, a shorter one says more.
    let shorter = time.upper.as_ref().filter(|_| is_loose).and_then(bound);
    let upper = match shorter {
        Some(shorter) if shorter.is_shorter_than(&upper) => shorter,
        Some(_) | None => upper,
    };
    Worth::Of(Amount::between(lower, upper))
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
    let most = |amount: &Amount, unguarded: Option<&Expr>| {
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
        let upper = match (upper, unguarded.filter(|other| !mps.is_of_mp(other))) {
            (Some(upper), Some(other)) if !other.is_shorter_than(&upper) => Some(upper),
            (upper, other) => other.cloned().or(upper),
        };
        Amount {
            lower: Expr::zero(),
            upper,
        }
    };
    let each = lines.into_iter().map(|line| {
        let loose = line.loose;
        LineCount {
            executions: most(&line.executions, loose.executions.upper.as_ref()),
            operations: most(&line.operations, loose.operations.upper.as_ref()),
            loose: Loose {
                executions: most(&loose.executions, None),
                operations: most(&loose.operations, None),
                ..loose
            },
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

//! What a `for` of a kernel runs through: bounds over symbols, or bounds on them, and what an `until`
//! at the end of its block makes of them.

use crate::count::Inexact;
use crate::program::{Number, ParamId, Stmt, StmtKind};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::Active;
use crate::symbolic::around::Around;
use crate::symbolic::data::Known;
use crate::symbolic::data::range::Range;
use crate::symbolic::data::rows::rows;
use crate::symbolic::kernel::loops::{BoundedLoop, ForHead};
use crate::symbolic::symbols::Untranslatable;
use crate::symbolic::until::{self, Left};

/// The iterations of a `for`.
pub(crate) enum Counts<'p> {
    /// So many, for each core.
    Known(ForHead<'p>),
    /// Some, between bounds.
    Bounded(Box<BoundedLoop>),
}

/// The iterations of a `for` from its first number to its second.
pub(crate) fn counts<'p>(
    (known, around): (&mut Known<'_, 'p>, &Around),
    (variable, down): (ParamId, bool),
    (from, to): (&'p Number, &'p Number),
    body: &'p [Stmt],
    active: &Active,
) -> Counts<'p> {
    let (low, high) = if down { (to, from) } else { (from, to) };
    let mut numbers = (low, high);
    let until = body.last().map(|last| &last.kind);
    let until = match until {
        Some(StmtKind::Until { condition }) => Some(condition),
        Some(_) | None => None,
    };
    let ends = known
        .expr(low, active)
        .and_then(|low| Ok((low, known.expr(high, active)?)));
    let (low, high) = match (ends, until) {
        (Ok((low, high)), None) => (low, high),
        (Ok((mut low, mut high)), Some(condition)) => {
            let symbol = known.symbols.bind_symbol(variable);
            let decided = known.condition(condition, active).ok();
            let range = (&symbol, &low, &high, down);
            let speaks_of_cores = |end: &Expr| end.contains(&active.core);
            match until::left(decided.as_ref(), range, &active.facts) {
                Left::Last => {}
                Left::First if down => (low, numbers.0) = (high.clone(), numbers.1),
                Left::First => (high, numbers.1) = (low.clone(), numbers.0),
                // All cores leave together.
                Left::At(number) if ![&low, &high, &number].into_iter().any(speaks_of_cores) => {
                    if down {
                        low = number
                    } else {
                        high = number
                    }
                }
                Left::At(_) | Left::Sometime => {
                    let ranges = (
                        known.range(numbers.0, active),
                        known.range(numbers.1, active),
                    );
                    return Counts::Bounded(Box::new(BoundedLoop {
                        start: Some(if down { high } else { low }),
                        reason: Some(Inexact::Until),
                        rows: None,
                        why: Untranslatable::Operation(condition.span),
                        ..left_early((variable, down), ranges, &active.facts)
                    }));
                }
            }
            (low, high)
        }
        (Err(why), until) => {
            let rows = rows(known, around, (low, high), active);
            let start = known.expr(low, active).ok().filter(|_| !down);
            let ranges = (known.range(low, active), known.range(high, active));
            return Counts::Bounded(Box::new(match until {
                None => BoundedLoop {
                    variable,
                    down,
                    start,
                    values: values(&ranges),
                    low: ranges.0,
                    high: ranges.1,
                    rows,
                    most: None,
                    reason: None,
                    why,
                },
                Some(_) => BoundedLoop {
                    start,
                    rows: None,
                    why,
                    ..left_early((variable, down), ranges, &active.facts)
                },
            }));
        }
    };
    Counts::Known(ForHead {
        variable,
        down,
        low,
        high,
        numbers,
    })
}

/// The values of a variable between its ends.
fn values((low, high): &(Range, Range)) -> Range {
    Range {
        lower: low.lower.clone(),
        upper: high.upper.clone(),
    }
}

/// A loop that may end after its first iteration.
fn left_early(
    (variable, down): (ParamId, bool),
    (low, mut high): (Range, Range),
    facts: &Facts,
) -> BoundedLoop {
    let values = values(&(low.clone(), high.clone()));
    high.lower = match (&low.upper, high.lower) {
        (Some(first), Some(last)) if facts.prove(&Cond::ge(&last, first)) == Some(true) => {
            Some(first.clone())
        }
        (Some(first), Some(last)) => Some(Expr::min(vec![first.clone(), last])),
        (_, _) => None,
    };
    BoundedLoop {
        variable,
        down,
        start: None,
        values,
        low,
        high,
        rows: None,
        most: None,
        reason: None,
        why: Untranslatable::Operation(Default::default()),
    }
}

//! Numbers of a program at a point, without data: from the closed forms where they are exact, else
//! by counting, else from the bounds that were derived.

use std::ops::ControlFlow;

use crate::check::program::Program;
use crate::count::{ArrayBlocks, Counts, Round, Totals, Traffic};
use crate::derive::derivation::{Bound, Derivation};
use crate::derive::evaluate::evaluate;
use crate::derive::steps::{self, Bounded, CountError, CountOptions};
use crate::number::BigInt;
use crate::value::Point;

/// Counts at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    /// The counts; upper bounds of the quantities that `bounds` names.
    pub counts: Counts<BigInt>,
    /// Why some counts are upper bounds only; empty when all are exact.
    pub bounds: Vec<Bound>,
    /// How they were found.
    pub method: Method,
}

/// How numbers without data were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the closed forms of a derivation.
    Derived,
    /// By counting step by step.
    Counted,
}

/// The numbers of a program at a point. Without a derivation, and where its forms are no exact
/// numbers, the program is counted, telling `progress` the core-steps done from time to time.
///
/// Conflicts that are to be charged are no part of the closed forms: give no derivation then.
///
/// # Errors
/// [`CountError`], but [`CountError::TooLong`] only where no bounds were derived either.
pub fn numbers(
    program: &Program,
    derivation: Option<&Derivation>,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Numbers, CountError> {
    let derived = derivation.and_then(|derivation| from_forms(program, derivation, point));
    let derived = match derived {
        Some(exact) if exact.bounds.is_empty() => return Ok(exact),
        other => other,
    };
    match (steps::count(program, point, options, progress), derived) {
        (Err(CountError::TooLong(_)), Some(bounds)) => Ok(bounds),
        (Err(error), _) => Err(error),
        (Ok(counted), _) => match counted.faults.into_iter().next() {
            Some(fault) => Err(CountError::Fault(fault)),
            None => Ok(Numbers {
                counts: upper(&counted.counts),
                bounds: counted.bounds,
                method: Method::Counted,
            }),
        },
    }
}

/// The derivation in numbers; none where it has none, or not all rounds of the many there are.
fn from_forms(program: &Program, derivation: &Derivation, point: &Point) -> Option<Numbers> {
    let evaluated = evaluate(program, derivation, point).ok()?;
    let is_whole = evaluated.omitted == BigInt::ZERO;
    is_whole.then(|| Numbers {
        bounds: bounds_at(&evaluated.counts, &derivation.bounds),
        counts: upper(&evaluated.counts),
        method: Method::Derived,
    })
}

/// The bounds that matter at a point: none where every number comes out exact.
fn bounds_at(counts: &Counts<Bounded>, bounds: &[Bound]) -> Vec<Bound> {
    let totals = counts.totals.named();
    let is_exact = totals.iter().all(|(_, total)| total.is_exact())
        && counts.rounds.iter().all(|(_, round)| {
            round.time.is_exact() && round.io.is_exact() && round.bank_conflicts.is_exact()
        });
    if is_exact {
        Vec::new()
    } else {
        bounds.to_vec()
    }
}

/// The upper ends of the counts; rounds that became equal are joined.
fn upper(counts: &Counts<Bounded>) -> Counts<BigInt> {
    let mut rounds: Vec<(u64, Round<BigInt>)> = Vec::new();
    for (repeated, round) in &counts.rounds {
        let round = upper_round(round);
        match rounds.last_mut() {
            Some((before, last)) if *last == round => *before += repeated,
            _ => rounds.push((*repeated, round)),
        }
    }
    let totals = &counts.totals;
    let of = |bounded: &Bounded| bounded.upper.clone();
    Counts {
        rounds,
        totals: Totals {
            rounds: of(&totals.rounds),
            time: of(&totals.time),
            total_time: of(&totals.total_time),
            io: of(&totals.io),
            inward: of(&totals.inward),
            outward: of(&totals.outward),
            transfer: of(&totals.transfer),
            transactions: of(&totals.transactions),
            shared: of(&totals.shared),
            global: of(&totals.global),
            bank_conflicts: of(&totals.bank_conflicts),
        },
    }
}

fn upper_round(round: &Round<Bounded>) -> Round<BigInt> {
    let of = |bounded: &Bounded| bounded.upper.clone();
    let traffic = |traffic: &Traffic<Bounded>| Traffic {
        words: of(&traffic.words),
        transactions: of(&traffic.transactions),
    };
    let blocks = |blocks: &ArrayBlocks<Bounded>| ArrayBlocks {
        read: of(&blocks.read),
        write: of(&blocks.write),
    };
    Round {
        launched_mps: of(&round.launched_mps),
        time: of(&round.time),
        io: of(&round.io),
        inward: traffic(&round.inward),
        outward: traffic(&round.outward),
        shared_words: of(&round.shared_words),
        global_words: of(&round.global_words),
        bank_conflicts: of(&round.bank_conflicts),
        arrays: round
            .arrays
            .iter()
            .map(|(name, array)| (name.clone(), blocks(array)))
            .collect(),
    }
}

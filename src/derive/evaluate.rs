//! A derivation at given parameters: closed forms into numbers.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::check::program::Program;
use crate::count::{ArrayBlocks, Counts, Round, Totals, Traffic};
use crate::derive::derivation::{Derivation, DerivedRound, Quantity};
use crate::derive::steps::Bounded;
use crate::number::Rational;
use crate::sym::{Expr, Symbol};
use crate::value::Point;

/// Rounds written out one by one before a listing stops; the totals do not need them.
pub const MOST_ROUNDS: usize = 10_000;

/// A derivation in numbers.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Rounds (at most [`MOST_ROUNDS`] entries) and totals.
    pub counts: Counts<Bounded>,
    /// Rounds that are not listed.
    pub omitted: BigInt,
}

/// Why a derivation gives no numbers at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoNumbers {
    /// Some quantity was not derived.
    #[error("`{0}` has no closed form")]
    Underived(&'static str),
    /// The algebra could not evaluate a form.
    #[error("`{quantity}` could not be evaluated: {reason}")]
    Unevaluated {
        /// The quantity.
        quantity: &'static str,
        /// What the algebra says.
        reason: String,
    },
}

/// Values of symbols: the point's parameters, and the loop variables around a round.
struct Values<'v> {
    program: &'v Program,
    point: &'v Point,
    loops: Vec<(Symbol, Rational)>,
}

impl Values<'_> {
    fn get(&self, symbol: &Symbol) -> Option<Rational> {
        let bound = self
            .loops
            .iter()
            .rev()
            .find(|(other, _)| other.id == symbol.id);
        bound.map(|(_, value)| value.clone()).or_else(|| {
            let parameter = self.program.parameters.get(symbol.id as usize)?;
            self.point
                .parameters
                .get(&parameter.name)
                .map(Rational::from)
        })
    }

    fn number(&self, name: &'static str, expr: &Expr) -> Result<BigInt, NoNumbers> {
        let failed = |reason: String| NoNumbers::Unevaluated {
            quantity: name,
            reason,
        };
        let value = expr
            .evaluate(&|symbol| self.get(symbol))
            .map_err(|why| failed(why.to_string()))?;
        value
            .to_integer()
            .ok_or_else(|| failed(format!("{value} is not a whole number")))
    }

    fn bounded(&self, name: &'static str, quantity: &Quantity) -> Result<Bounded, NoNumbers> {
        let (Some(lower), Some(upper)) = (&quantity.lower, &quantity.upper) else {
            return Err(NoNumbers::Underived(name));
        };
        let first = self.number(name, lower)?;
        if lower == upper {
            return Ok(Bounded {
                upper: first.clone(),
                lower: first,
            });
        }
        Ok(Bounded {
            lower: first,
            upper: self.number(name, upper)?,
        })
    }

    /// Whether the round exists for these parameters.
    fn is_about(&self, round: &DerivedRound) -> Result<bool, NoNumbers> {
        let Some(when) = &round.when else {
            return Ok(true);
        };
        let holds = when.evaluate(&|symbol| self.get(symbol));
        holds.map_err(|why| NoNumbers::Unevaluated {
            quantity: "rounds",
            reason: why.to_string(),
        })
    }

    fn round(&self, round: &DerivedRound) -> Result<Round<Bounded>, NoNumbers> {
        let traffic = |side: &Traffic<Quantity>, words, transactions| {
            Ok(Traffic {
                words: self.bounded(words, &side.words)?,
                transactions: self.bounded(transactions, &side.transactions)?,
            })
        };
        let arrays = round.arrays.iter().map(|(name, blocks)| {
            let read = self.bounded("blocks read", &blocks.read)?;
            Ok((
                name.clone(),
                ArrayBlocks {
                    read,
                    write: self.bounded("blocks written", &blocks.write)?,
                },
            ))
        });
        Ok(Round {
            launched_mps: self.bounded("k", &round.launched_mps)?,
            time: self.bounded("t", &round.time)?,
            io: self.bounded("q", &round.io)?,
            inward: traffic(&round.inward, "I", "Î")?,
            outward: traffic(&round.outward, "O", "Ô")?,
            shared_words: self.bounded("m", &round.shared_words)?,
            global_words: self.bounded("g", &round.global_words)?,
            bank_conflicts: self.bounded("bank_conflicts", &round.bank_conflicts)?,
            arrays: arrays.collect::<Result<_, _>>()?,
        })
    }
}

/// The numbers of a derivation at a point of its program.
///
/// # Errors
/// [`NoNumbers`] when a quantity was not derived, or a form has no value there.
pub fn evaluate(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Evaluated, NoNumbers> {
    let mut values = Values {
        program,
        point,
        loops: Vec::new(),
    };
    let t = &derivation.totals;
    let totals = Totals {
        rounds: values.bounded("rounds", &t.rounds)?,
        time: values.bounded("time", &t.time)?,
        total_time: values.bounded("total_time", &t.total_time)?,
        io: values.bounded("io", &t.io)?,
        inward: values.bounded("inward", &t.inward)?,
        outward: values.bounded("outward", &t.outward)?,
        transfer: values.bounded("transfer", &t.transfer)?,
        transactions: values.bounded("transactions", &t.transactions)?,
        shared: values.bounded("shared", &t.shared)?,
        global: values.bounded("global", &t.global)?,
        bank_conflicts: values.bounded("bank_conflicts", &t.bank_conflicts)?,
    };
    let mut listing = Listing {
        rounds: Vec::new(),
        listed: BigInt::zero(),
    };
    let mut here = Vec::new();
    for round in &derivation.rounds {
        if values.is_about(round)? {
            here.push(round);
        }
    }
    list(&here, 0, &mut values, &mut listing)?;
    let omitted = (&totals.rounds.upper - &listing.listed).max(BigInt::zero());
    Ok(Evaluated {
        counts: Counts {
            rounds: listing.rounds,
            totals,
        },
        omitted,
    })
}

struct Listing {
    rounds: Vec<(u64, Round<Bounded>)>,
    listed: BigInt,
}

impl Listing {
    /// Adds a round so many times; whether there was room.
    fn push(&mut self, round: Round<Bounded>, times: u64) -> bool {
        let full = self.rounds.len() == MOST_ROUNDS;
        match self.rounds.last_mut() {
            Some((count, last)) if *last == round => *count = count.saturating_add(times),
            Some(_) if full => return false,
            Some(_) | None => self.rounds.push((times, round)),
        }
        self.listed += BigInt::from(times);
        true
    }
}

/// Writes out the rounds of entries that share their first `depth` loops, iteration by iteration;
/// whether all of them found room.
fn list(
    rounds: &[&DerivedRound],
    depth: usize,
    values: &mut Values<'_>,
    listing: &mut Listing,
) -> Result<bool, NoNumbers> {
    let mut rest = rounds;
    while let Some(first) = rest.first() {
        let Some(repeated) = first.loops.get(depth) else {
            // A host `while` may repeat it as often as its bound says.
            let times = match &first.within_while {
                Some((_, at_most)) => values.number("the host loop", at_most)?,
                None => BigInt::one(),
            };
            let times = times
                .to_u64()
                .unwrap_or(if times.is_positive() { u64::MAX } else { 0 });
            if times > 0 && !listing.push(values.round(first)?, times) {
                return Ok(false);
            }
            rest = &rest[1..];
            continue;
        };
        let same = |round: &&&DerivedRound| {
            round
                .loops
                .get(depth)
                .is_some_and(|other| other.symbol.id == repeated.symbol.id)
        };
        let inside = &rest[..rest.iter().take_while(same).count()];
        rest = &rest[inside.len()..];
        let from = values.number("the host loop", &repeated.from)?;
        let to = values.number("the host loop", &repeated.to)?;
        let (step, length) = if repeated.down {
            (-1, &from - &to)
        } else {
            (1, &to - &from)
        };
        let iterations = (length + BigInt::one())
            .max(BigInt::zero())
            .to_u64()
            .unwrap_or(u64::MAX);
        let constant = inside
            .iter()
            .all(|round| !mentions(round, &repeated.symbol) && round.loops.len() == depth + 1);
        if constant && inside.len() == 1 && inside[0].within_while.is_none() && iterations > 0 {
            values
                .loops
                .push((repeated.symbol.clone(), Rational::from(&from)));
            let round = values.round(inside[0])?;
            values.loops.pop();
            if !listing.push(round, iterations) {
                return Ok(false);
            }
            continue;
        }
        let mut at = from;
        for _ in 0..iterations {
            values
                .loops
                .push((repeated.symbol.clone(), Rational::from(&at)));
            let room = list(inside, depth + 1, values, listing);
            values.loops.pop();
            if !room? {
                return Ok(false);
            }
            at += step;
        }
    }
    Ok(true)
}

/// Whether any quantity of a round is written in a symbol.
fn mentions(round: &DerivedRound, symbol: &Symbol) -> bool {
    let quantities = [
        &round.launched_mps,
        &round.time,
        &round.io,
        &round.inward.words,
        &round.inward.transactions,
        &round.outward.words,
        &round.outward.transactions,
        &round.shared_words,
        &round.global_words,
        &round.bank_conflicts,
    ];
    let arrays = round
        .arrays
        .values()
        .flat_map(|blocks| [&blocks.read, &blocks.write]);
    quantities.into_iter().chain(arrays).any(|quantity| {
        quantity
            .upper
            .iter()
            .chain(&quantity.lower)
            .any(|end| end.contains(symbol))
    })
}

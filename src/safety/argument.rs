//! The argument of a proof, for who reads it: the map from numbers to a word, and the facts without which it fails.
//!
//! Takes a touch of memory and the question that was proved of it, asks the question again of fewer and fewer facts,
//! and keeps those that cannot go. It costs many proofs, so it is made on request only.

use std::sync::Arc;

use crate::count::Parameters;
use crate::program::Program;
use crate::safety::site::{Place, Site};
use crate::safety::verdict::Argument;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic;

/// The most facts that an argument is looked for among.
const MOST_FACTS: usize = 64;

/// What is known before any statement.
pub(crate) struct Header {
    /// The parameters, without the `require`s.
    base: Facts,
    /// The `require`s.
    required: Vec<Cond>,
}

impl Header {
    pub(crate) fn of(program: &Program, given: &Parameters) -> Header {
        Header {
            base: symbolic::header::without_requires(program, given),
            required: symbolic::header::asked(program, given).0,
        }
    }

    /// The argument of what is proved of a touch; `None` where its words have no form.
    pub(crate) fn argument(
        &self,
        site: &Site,
        is_proved: &mut dyn FnMut(&Site) -> bool,
    ) -> Option<Argument> {
        let indices = site.offsets()?;
        let place = &site.place;
        let numbers = place.indices.iter().map(|index| index.symbol.clone());
        let speaks = |number: &Symbol| indices.iter().any(|index| index.contains(number));
        let numbers: Vec<Symbol> = numbers.filter(speaks).collect();
        Some(Argument {
            steps: steps(&numbers, &indices),
            facts: self.facts(site, is_proved),
            numbers,
            indices,
        })
    }

    /// The facts that cannot go, without the ranges of numbers.
    fn facts(&self, site: &Site, is_proved: &mut dyn FnMut(&Site) -> bool) -> Vec<Cond> {
        let place = &site.place;
        let mut all: Vec<Cond> = Vec::new();
        let known = place.guards.iter().chain(&self.required);
        for fact in known.chain(&place.truths) {
            if !all.contains(fact) {
                all.push(fact.clone());
            }
        }
        let mut holds = |facts: &[Cond]| is_proved(&self.knowing(site, facts));
        if all.len() > MOST_FACTS || !holds(&all) {
            return Vec::new();
        }
        let mut facts = least(&[], false, &all, &mut holds);
        facts.retain(|fact| !is_range(fact, place));
        facts
    }

    /// The touch with only these facts known.
    fn knowing(&self, site: &Site, facts: &[Cond]) -> Site {
        let mut place = (*site.place).clone();
        place.facts = self.base.clone();
        facts.iter().for_each(|fact| place.facts.suppose(fact));
        place.guards.retain(|guard| facts.contains(guard));
        place.truths.retain(|truth| facts.contains(truth));
        Site {
            place: Arc::new(place),
            ..site.clone()
        }
    }
}

/// True if a fact is an end of the range of a number.
fn is_range(fact: &Cond, place: &Place) -> bool {
    place.indices.iter().any(|index| {
        let number = Expr::symbol(&index.symbol);
        [
            Cond::ge(&number, &index.low),
            Cond::le(&number, &index.high),
        ]
        .contains(fact)
    })
}

/// The distances by which one index moves with each number; none where one of them has no fixed distance.
fn steps(numbers: &[Symbol], indices: &[Expr]) -> Vec<Expr> {
    let [index] = indices else {
        return Vec::new();
    };
    let steps = numbers.iter().map(|number| {
        let [_, step] = index.linear_in(number)?;
        let mut others = numbers.iter();
        (!others.any(|other| step.contains(other))).then_some(step)
    });
    steps.collect::<Option<_>>().unwrap_or_default()
}

/// Returns some of `all` that with `beside` make it hold, none of which can go, by halving. `is_new` tells that
/// `beside` has grown since it was last asked of.
fn least(
    beside: &[Cond],
    is_new: bool,
    all: &[Cond],
    holds: &mut dyn FnMut(&[Cond]) -> bool,
) -> Vec<Cond> {
    if is_new && holds(beside) {
        return Vec::new();
    }
    if let [] | [_] = all {
        return match all {
            [fact] if is_new || !holds(beside) => vec![fact.clone()],
            _ => Vec::new(),
        };
    }
    let (first, second) = all.split_at(all.len() / 2);
    let with_first = [beside, first].concat();
    let of_second = least(&with_first, !first.is_empty(), second, holds);
    let with_second = [beside, &of_second].concat();
    let mut found = least(&with_second, !of_second.is_empty(), first, holds);
    found.extend(of_second);
    found
}

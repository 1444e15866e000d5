//! Where a round goes on in the next statement.
//!
//! A round is a maximal run of inward transfers, one kernel, outward transfers. Concatenating two
//! stretches of host statements merges the round at the seam when the first has only come inward
//! or the second only goes outward; everything here follows from that one rule. What meets a loop's
//! first or last iteration from outside is added there under a bracket such as `[r = 1]`. Where no
//! bracket says it (data decide which iteration is the last, or a round goes on from one iteration in
//! the next), transfers stand by themselves, [`Joined`] to a neighbour.

use crate::count::{Inexact, Traffic};
use crate::derivation::Neighbour;
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::suppose_range;
use crate::symbolic::entry::{HostLoop, Item, Joined, NoRounds, Part};
use crate::text::Span;

/// What is known where rounds are put behind each other.
#[derive(Clone, Copy)]
pub(crate) struct Merge<'f> {
    /// What is known there.
    pub(crate) facts: &'f Facts,
    /// Whether the number of rounds may be a bound where it depends on loops that may not run at all.
    pub(crate) bounded: bool,
}

/// An end of a stretch of rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    First,
    Last,
}

/// Whether there is a round to merge with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbouring {
    /// There is.
    Certain,
    /// There is in the case that has most rounds: what data repeat may not happen at all.
    AtMost,
    /// There may be none in any case.
    Unknown,
}

impl Merge<'_> {
    /// Appends rounds, merging at the seam.
    pub(crate) fn push(self, items: &mut Vec<Item>, next: Item) -> Result<(), NoRounds> {
        let mut next = [next];
        let (Some((outer, before)), Some((inner, after))) =
            (edge(items, End::Last), edge(&next, End::First))
        else {
            items.extend(next);
            return Ok(());
        };
        let (goes_on, goes_out) = (before.only_inward(), after.only_outward());
        let precedes = || {
            let before_it = &items[..items.len() - 1];
            Ok(match self.neighbouring(&outer, after.span)? {
                // Where it does not run, what was before it precedes.
                Neighbouring::Unknown if before_it.iter().any(|item| self.happens(item)) => {
                    Neighbouring::AtMost
                }
                found => found,
            })
        };
        let follows = || self.neighbouring(&inner, before.span);
        let ends_by_data = outer.iter().any(|around| around.by_data.is_some());
        match (outer.is_empty(), inner.is_empty()) {
            _ if !goes_on && !goes_out => {}
            (true, true) => {
                let after = after.clone();
                edge_mut(items, End::Last).absorb(after);
                return Ok(());
            }
            (true, false) if goes_on => {
                let follows = follows()?;
                if follows == Neighbouring::Certain {
                    attach(&mut next, before.clone(), End::First);
                    items.pop();
                } else {
                    let joined = edge_mut(items, End::Last);
                    joined.join(Neighbour::Next, &Cond::False, follows, self.facts);
                }
            }
            (false, true) if goes_out && !ends_by_data => {
                let precedes = precedes()?;
                if precedes == Neighbouring::Certain {
                    attach(items, after.clone(), End::Last);
                    return Ok(());
                }
                let joined = edge_mut(&mut next, End::First);
                joined.join(Neighbour::Previous, &Cond::False, precedes, self.facts);
            }
            (_, _) if goes_on => {
                let (follows, precedes) = (follows()?, precedes()?);
                let still = at(&outer, End::Last).not();
                if goes_out && precedes != Neighbouring::Certain {
                    // Where it does not come in, the other goes out with what was before it.
                    edge_mut(&mut next, End::First).may_be_joined();
                }
                let joined = edge_mut(items, End::Last);
                joined.join(Neighbour::Next, &still, follows.and(precedes), self.facts);
            }
            (_, _) => {
                let meeting = precedes()?;
                let still = at(&inner, End::First).not();
                let joined = edge_mut(&mut next, End::First);
                joined.join(Neighbour::Previous, &still, meeting, self.facts);
            }
        }
        items.extend(next);
        Ok(())
    }

    /// Merges the last round of each iteration of a loop with the first of the next; what is known speaks
    /// of its variable.
    pub(crate) fn close(self, repeated: &HostLoop, items: &mut [Item]) -> Result<(), NoRounds> {
        let (Some((inner, first)), Some((outer, last))) =
            (edge(items, End::First), edge(items, End::Last))
        else {
            return Ok(());
        };
        // All iterations meet but that at the end, each with what is at that end of the loops inside.
        let still =
            |inside: &[&HostLoop], end| Cond::or(vec![at(&[repeated], end), at(inside, end).not()]);
        if last.only_inward() {
            let meeting = self.neighbouring(&inner, last.span)?;
            let still = still(&outer, End::Last);
            let may_meet_another = first.only_outward()
                && self.neighbouring(&outer, first.span)? != Neighbouring::Certain;
            if may_meet_another {
                edge_mut(items, End::First).may_be_joined();
            }
            let last = edge_mut(items, End::Last);
            last.join(Neighbour::Next, &still, meeting, self.facts);
        } else if first.only_outward() {
            let meeting = self.neighbouring(&outer, first.span)?;
            let still = still(&inner, End::First);
            let first = edge_mut(items, End::First);
            first.join(Neighbour::Previous, &still, meeting, self.facts);
        }
        Ok(())
    }

    /// Whether there certainly is a round in an item.
    fn happens(self, item: &Item) -> bool {
        match item {
            Item::Round(part) => part.joined.as_ref().is_none_or(|joined| joined.is_exact),
            Item::Loop(repeated, inside) => {
                !repeated.is_while() && repeated.does_run(self.facts) == Some(true) && {
                    inside.iter().any(|item| matches!(item, Item::Round(_)))
                }
            }
        }
    }

    /// Whether the loops around a round all run, the outermost first; a round of `span` would merge with it.
    fn neighbouring(self, loops: &[&HostLoop], span: Span) -> Result<Neighbouring, NoRounds> {
        let mut known = self.facts.clone();
        let mut found = Neighbouring::Certain;
        for repeated in loops {
            let is_while = repeated.is_while();
            if repeated.does_run(&known) != Some(true) {
                if is_while || self.bounded {
                    return Ok(Neighbouring::Unknown);
                }
                return Err(NoRounds {
                    undecided: Some(Box::new(repeated.runs.clone())),
                    span,
                    why: Inexact::LoopMayNotRun,
                });
            }
            if is_while {
                found = Neighbouring::AtMost;
            }
            suppose_range(&mut known, &repeated.symbol, &repeated.low, &repeated.high);
        }
        Ok(found)
    }
}

impl Neighbouring {
    /// Of two that are both needed.
    fn and(self, other: Neighbouring) -> Neighbouring {
        match (self, other) {
            (Neighbouring::Certain, Neighbouring::Certain) => Neighbouring::Certain,
            (Neighbouring::Unknown, _) | (_, Neighbouring::Unknown) => Neighbouring::Unknown,
            (_, _) => Neighbouring::AtMost,
        }
    }
}

/// The first or last part of a list, with the loops around it in the list, outermost first.
fn edge(items: &[Item], end: End) -> Option<(Vec<&HostLoop>, &Part)> {
    let mut loops = Vec::new();
    let mut items = items;
    loop {
        let item = match end {
            End::First => items.first(),
            End::Last => items.last(),
        };
        match item? {
            Item::Round(part) => return Some((loops, part)),
            Item::Loop(repeated, inside) => {
                loops.push(repeated);
                items = inside;
            }
        }
    }
}

/// The first or last part of a list that has one.
fn edge_mut(items: &mut [Item], end: End) -> &mut Part {
    let item = match end {
        End::First => items.first_mut(),
        End::Last => items.last_mut(),
    };
    match item.expect("neither a list nor a loop is without rounds") {
        Item::Round(part) => part,
        Item::Loop(_, inside) => edge_mut(inside, end),
    }
}

/// That all of these loops are at their first iteration, or at their last.
pub(crate) fn at(loops: &[&HostLoop], end: End) -> Cond {
    let each = loops.iter().map(|repeated| {
        let value = match end {
            End::First => repeated.first(),
            End::Last => repeated.last(),
        };
        Cond::eq(&Expr::symbol(&repeated.symbol), value)
    });
    Cond::and(each.collect())
}

/// Adds a round's transfers to the first or last round of a loop, in its first or last iteration.
fn attach(items: &mut [Item], outer: Part, end: End) {
    let Some((loops, _)) = edge(items, end) else {
        return;
    };
    let here = Amount::exact(Expr::bracket(at(&loops, end)));
    let pins: Vec<_> = loops
        .iter()
        .map(|repeated| (repeated.symbol.clone(), end == End::Last))
        .collect();
    let scaled = |side: &Traffic<Amount>| Traffic {
        words: side.words.times(&here),
        transactions: side.transactions.times(&here),
    };
    let transfers = outer.transfers.iter().map(|each| each.with(&scaled));
    let mut there = Part {
        inward: scaled(&outer.inward),
        outward: scaled(&outer.outward),
        transfers: transfers.collect(),
        ..outer
    };
    for touch in &mut there.touches {
        touch.pins.extend(pins.iter().cloned());
    }
    edge_mut(items, end).add_transfers(&there);
}

impl Part {
    pub(crate) fn empty(span: Span) -> Self {
        let nothing = || Traffic {
            words: Amount::zero(),
            transactions: Amount::zero(),
        };
        Part {
            inward: nothing(),
            outward: nothing(),
            transfers: Vec::new(),
            kernel: None,
            joined: None,
            touches: Vec::new(),
            span,
        }
    }

    /// Whether it has only come inward so far, so that anything may follow.
    pub(crate) fn only_inward(&self) -> bool {
        self.kernel.is_none() && self.outward.transactions.is_zero()
    }

    /// Whether it only goes outward, so that anything may precede.
    pub(crate) fn only_outward(&self) -> bool {
        self.kernel.is_none() && self.inward.transactions.is_zero()
    }

    /// Counts it as a round at most, if it is no kernel's.
    pub(crate) fn may_be_joined(&mut self) {
        if self.kernel.is_some() {
            return;
        }
        let with = if self.only_outward() {
            Neighbour::Previous
        } else {
            Neighbour::Next
        };
        let joined = self.joined.get_or_insert(Joined {
            with,
            alone: Cond::True,
            is_exact: true,
        });
        joined.is_exact = false;
    }

    /// Takes over what follows in the same round.
    fn absorb(&mut self, after: Part) {
        self.joined = match (self.only_inward(), after.only_outward()) {
            // What of it happens may be no round, or part of another.
            (true, true) => {
                let joined = self.joined.take().or(after.joined.clone());
                joined.map(|joined| Joined {
                    alone: Cond::True,
                    is_exact: false,
                    ..joined
                })
            }
            (true, false) => self.joined.take().filter(|_| after.joined.is_some()),
            (false, _) => self.joined.take(),
        };
        self.add_transfers(&after);
        self.kernel = self.kernel.take().or(after.kernel);
    }

    fn add_transfers(&mut self, other: &Part) {
        let add = |side: &mut Traffic<Amount>, more: &Traffic<Amount>| {
            side.words = side.words.plus(&more.words);
            side.transactions = side.transactions.plus(&more.transactions);
        };
        add(&mut self.inward, &other.inward);
        add(&mut self.outward, &other.outward);
        self.transfers.extend_from_slice(&other.transfers);
        self.touches.extend_from_slice(&other.touches);
    }

    /// Counts it as part of a neighbour's round, but for where `still`, as far as there is a neighbour.
    fn join(&mut self, with: Neighbour, still: &Cond, found: Neighbouring, facts: &Facts) {
        let (alone, was_exact) = match self.joined.take() {
            Some(joined) => (joined.alone, joined.is_exact),
            None => (Cond::True, true),
        };
        let alone = match found {
            Neighbouring::Certain | Neighbouring::AtMost => {
                let still = facts.with(&alone).simplify_cond(still);
                facts.simplify_cond(&Cond::and(vec![alone, still]))
            }
            Neighbouring::Unknown => alone,
        };
        self.joined = Some(Joined {
            with,
            alone,
            is_exact: was_exact && found == Neighbouring::Certain,
        });
    }
}

//! Where a round goes on in the next statement.
//!
//! A round is a maximal run of inward transfers, one kernel, outward transfers. Concatenating two
//! stretches of host statements merges the round at the seam when the first has only come inward
//! or the second only goes outward; everything here follows from that one rule. What meets a loop's
//! first or last iteration from outside is added there under a bracket such as `[r = 1]`.

use crate::count::{Inexact, Traffic};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::suppose_range;
use crate::symbolic::entry::{HostLoop, Item, NoRounds, Part};
use crate::text::Span;

/// Appends rounds, merging at the seam.
pub(crate) fn push(items: &mut Vec<Item>, next: Item, facts: &Facts) -> Result<(), NoRounds> {
    let Some(last) = items.last_mut() else {
        items.push(next);
        return Ok(());
    };
    if !meets(last, &next) {
        items.push(next);
        return Ok(());
    }
    match (last, next) {
        (Item::Round(before), Item::Round(after)) => before.absorb(*after),
        (Item::Round(before), Item::Loop(repeated, mut inside)) if before.only_inward() => {
            attach(&mut inside, before, &repeated, Seam::Front, facts)?;
            *items.last_mut().expect("there is a last item") = Item::Loop(repeated, inside);
        }
        (Item::Loop(repeated, inside), Item::Round(after)) if after.only_outward() => {
            let repeated = repeated.clone();
            attach(inside, &after, &repeated, Seam::Back, facts)?;
        }
        (Item::Round(_), next @ Item::Loop(..)) | (Item::Loop(..), next) => {
            return Err(NoRounds {
                span: first_of(&next).map_or(Span::default(), |part| part.span),
                why: Inexact::RoundOverEdge,
                undecided: None,
            });
        }
    }
    Ok(())
}

/// Appends rounds; what a loop stands before or behind stays a round of its own, so that there may be
/// more rounds than happen, and no fewer.
pub(crate) fn push_apart(items: &mut Vec<Item>, next: Item) {
    match (items.last_mut(), next) {
        (Some(Item::Round(before)), Item::Round(after))
            if before.only_inward() || after.only_outward() =>
        {
            before.absorb(*after);
        }
        (_, next) => items.push(next),
    }
}

/// Which end of a loop a round outside it meets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seam {
    Front,
    Back,
}

/// Adds a round's transfers to the first or last round of a loop, in its first or last iteration.
fn attach(
    inside: &mut [Item],
    outer: &Part,
    repeated: &HostLoop,
    seam: Seam,
    facts: &Facts,
) -> Result<(), NoRounds> {
    if facts.prove(&repeated.runs()) != Some(true) {
        return Err(NoRounds {
            undecided: Some(Box::new(repeated.runs())),
            span: outer.span,
            why: Inexact::LoopMayNotRun,
        });
    }
    let (end, item) = match seam {
        Seam::Front => (repeated.first(), inside.first_mut()),
        Seam::Back => (repeated.last(), inside.last_mut()),
    };
    let here = Amount::exact(Expr::bracket(Cond::eq(
        &Expr::symbol(&repeated.symbol),
        end,
    )));
    let scaled = |side: &Traffic<Amount>| Traffic {
        words: side.words.times(&here),
        transactions: side.transactions.times(&here),
    };
    let mut there = Part {
        inward: scaled(&outer.inward),
        outward: scaled(&outer.outward),
        transfers: outer
            .transfers
            .iter()
            .map(|each| each.with(&scaled))
            .collect(),
        ..outer.clone()
    };
    for touch in &mut there.touches {
        let pin = (repeated.symbol.clone(), seam == Seam::Back);
        touch.pins.push(pin);
    }
    match item.expect("a loop without rounds is no item") {
        Item::Round(part) => {
            part.add_transfers(&there);
            Ok(())
        }
        Item::Loop(inner, items) => {
            let inner = inner.clone();
            let mut known = facts.clone();
            suppose_range(&mut known, &repeated.symbol, &repeated.low, &repeated.high);
            attach(items, &there, &inner, seam, &known)
        }
    }
}

/// Whether the round at the end of one item goes on in the next. What a host `while` repeats never
/// does: whether it meets anything, data decide.
pub(crate) fn meets(before: &Item, after: &Item) -> bool {
    let (Some(before), Some(after)) = (last_of(before), first_of(after)) else {
        return false;
    };
    before.only_inward() || after.only_outward()
}

fn first_of(item: &Item) -> Option<&Part> {
    match item {
        Item::Round(part) => Some(part),
        Item::Loop(repeated, _) if repeated.by_data.is_some() => None,
        Item::Loop(_, items) => first_part(items),
    }
}

fn first_part(items: &[Item]) -> Option<&Part> {
    items.first().and_then(first_of)
}

fn last_of(item: &Item) -> Option<&Part> {
    match item {
        Item::Round(part) => Some(part),
        Item::Loop(repeated, _) if repeated.by_data.is_some() => None,
        Item::Loop(_, items) => items.last().and_then(last_of),
    }
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

    /// Takes over what follows in the same round.
    fn absorb(&mut self, after: Part) {
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
}

//! Which global memory is live in which round (language.md §4.3), where host loops make one entry
//! stand for many rounds.

use std::collections::BTreeSet;

use crate::check::program::VarId;
use crate::derive::amount::Amount;
use crate::derive::host::{HostWalk, is_about_parameters};
use crate::derive::rounds::{Entry, HostLoop, Touch, When};
use crate::derive::symbols::Untranslatable;
use crate::sym::{Cond, Expr, Facts, Symbol};

/// How many loops that may not run at all are told apart.
const MOST_CASES: u32 = 3;

/// The words of global memory live in each round (language.md §4.3): from the round that first
/// writes a variable to the last that touches it; the variables of a swap group are live together.
/// Where it depends on the parameters which rounds there are, each case by itself; a bound where a
/// host `while` decides.
pub(crate) fn live_words(walk: &HostWalk<'_, '_>, entries: &[Entry], facts: &Facts) -> Vec<Amount> {
    let mut words = Vec::new();
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let others = rest.iter().position(|entry| entry.when != first.when);
        let (case, behind) = rest.split_at(others.unwrap_or(rest.len()));
        let case: Vec<&Entry> = case.iter().collect();
        words.extend(live_by_cases(walk, &case, &first.case(facts), MOST_CASES));
        rest = behind;
    }
    words
}

/// Distinguishes whether a loop runs, as long as that is not known of all.
fn live_by_cases(
    walk: &HostWalk<'_, '_>,
    entries: &[&Entry],
    facts: &Facts,
    left: u32,
) -> Vec<Amount> {
    let Some(runs) = entries.iter().find_map(|entry| entry.may_not_run(facts)) else {
        return live_in_all(walk, entries, facts);
    };
    if left == 0 || !is_about_parameters(walk.program, &runs) {
        return vec![Amount::unknown(); entries.len()];
    }
    let mut words = vec![Amount::zero(); entries.len()];
    for case in [runs.clone(), runs.not()] {
        let mut inner = facts.clone();
        inner.suppose(&case);
        let here: Vec<usize> = (0..entries.len())
            .filter(|&at| !entries[at].never_runs(&inner))
            .collect();
        let list: Vec<&Entry> = here.iter().map(|&at| entries[at]).collect();
        let factor = Amount::exact(Expr::bracket(case));
        for (at, amount) in here
            .into_iter()
            .zip(live_by_cases(walk, &list, &inner, left - 1))
        {
            words[at] = words[at].plus(&amount.times(&factor));
        }
    }
    let simple = |amount: Amount| amount.map(|end| facts.simplify(end));
    words.into_iter().map(simple).collect()
}

/// The live words where every loop runs at least once.
fn live_in_all(walk: &HostWalk<'_, '_>, entries: &[&Entry], facts: &Facts) -> Vec<Amount> {
    let loops = entries.iter().flat_map(|entry| &entry.loops);
    let by_data: BTreeSet<Symbol> = loops
        .filter(|l| l.by_data.is_some())
        .map(|l| l.symbol.clone())
        .collect();
    let mut groups: Vec<Vec<VarId>> = walk.program.swap_groups.clone();
    let grouped: Vec<VarId> = groups.iter().flatten().copied().collect();
    let touched: Vec<VarId> = entries
        .iter()
        .flat_map(|entry| entry.part.touches.iter().map(|t| t.variable))
        .collect();
    for id in walk
        .program
        .variable_ids()
        .filter(|id| touched.contains(id) && !grouped.contains(id))
    {
        groups.push(vec![id]);
    }
    let mut words = vec![Some(Expr::zero()); entries.len()];
    for group in groups {
        let size = group.iter().try_fold(Expr::zero(), |sum, id| {
            Ok::<_, Untranslatable>(sum.add(&walk.size(*id)?))
        });
        let touches = || {
            entries.iter().enumerate().flat_map(|(at, entry)| {
                entry
                    .part
                    .touches
                    .iter()
                    .filter(|t| group.contains(&t.variable))
                    .map(move |t| (at, t))
            })
        };
        let earliest = |(at, touch): (usize, &Touch)| (at, touch.when == When::Last);
        let latest = |(at, touch): (usize, &Touch)| (at, touch.when != When::First);
        let Some(birth) = touches()
            .filter(|(_, touch)| touch.writes)
            .map(earliest)
            .min()
        else {
            continue;
        };
        // Within loops a later entry's first iteration may come before an earlier entry's last.
        let death = touches().map(latest).max_by(|a, b| {
            let (one, other) = (position(*a, entries), position(*b, entries));
            one.cmp(&other)
        });
        let death = death.expect("what is written is touched");
        for (at, slot) in words.iter_mut().enumerate() {
            let live = Cond::and(vec![
                ordered(entries, birth, at, true),
                ordered(entries, death, at, false),
            ]);
            // In which iteration of a host `while` a variable lives, data decide.
            let live = if live.symbols().is_disjoint(&by_data) {
                live
            } else {
                Cond::and(Vec::new())
            };
            *slot = match (slot.take(), &size) {
                (Some(sum), Ok(size)) => Some(sum.add(&size.mul(&Expr::bracket(live)))),
                (None, _) | (_, Err(_)) => None,
            };
        }
    }
    let amount = |sum: Option<Expr>| {
        let known = sum.map_or_else(Amount::unknown, |sum| Amount::exact(facts.simplify(&sum)));
        if by_data.is_empty() {
            known
        } else {
            known.or_nothing()
        }
    };
    words.into_iter().map(amount).collect()
}

/// Where a moment stands among others: entries of one outermost loop interleave, so a moment in a
/// loop's last iteration comes behind all moments of its first.
fn position((at, last): (usize, bool), entries: &[&Entry]) -> (usize, bool, usize) {
    let outermost = |index: usize| {
        entries[index]
            .loops
            .first()
            .map(|repeated| repeated.symbol.id)
    };
    let loop_start = (0..=at)
        .rev()
        .take_while(|&i| outermost(i).is_some() && outermost(i) == outermost(at))
        .last();
    match loop_start {
        Some(start) => (start, last, at),
        None => (at, false, at),
    }
}

/// When the round `at` comes not before (`after`) or not behind (otherwise) a moment: an entry in
/// its first iteration, or its last when the flag is set.
fn ordered(entries: &[&Entry], (moment, last): (usize, bool), at: usize, after: bool) -> Cond {
    let (here, there) = (&entries[at].loops, &entries[moment].loops);
    let common: Vec<&HostLoop> = here
        .iter()
        .zip(there)
        .take_while(|(a, b)| a.symbol.id == b.symbol.id)
        .map(|(a, _)| a)
        .collect();
    let at_end = |which: fn(&HostLoop) -> &Expr| {
        let pinned = common
            .iter()
            .map(|l| Cond::eq(&Expr::symbol(&l.symbol), which(l)));
        Cond::and(pinned.collect())
    };
    let constant = |truth: bool| {
        if truth {
            Cond::and(Vec::new())
        } else {
            Cond::or(Vec::new())
        }
    };
    // Loops of this entry that the moment's entry is not in run through all their values.
    match (after, last) {
        (true, false) if at >= moment => constant(true),
        (true, false) if common.is_empty() => constant(false),
        (true, false) => at_end(HostLoop::first).not(),
        (true, true) if common.is_empty() => constant(at >= moment),
        (true, true) if at >= moment => at_end(HostLoop::last),
        (true, true) => constant(false),
        (false, true) if at <= moment => constant(true),
        (false, true) if common.is_empty() => constant(false),
        (false, true) => at_end(HostLoop::last).not(),
        (false, false) if common.is_empty() => constant(at <= moment),
        (false, false) if at <= moment => at_end(HostLoop::first),
        (false, false) => constant(false),
    }
}

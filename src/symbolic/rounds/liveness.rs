//! Which global memory is live in which round (language.md §4.3), where host loops make one entry
//! stand for many rounds.

use std::collections::BTreeSet;

use crate::program::VarId;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::entry::{Entry, HostLoop, Touch};
use crate::symbolic::rounds::host::{HostWalk, is_about_parameters};
use crate::symbolic::symbols::Untranslatable;

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

/// From none to all words of all variables that any round touches.
fn all_words<'e>(walk: &HostWalk<'_, '_>, entries: impl Iterator<Item = &'e Entry>) -> Amount {
    let touches = entries.flat_map(|entry| entry.part.touches.iter().map(|touch| touch.variable));
    let mut variables: BTreeSet<VarId> = touches.collect();
    for group in &walk.program.swap_groups {
        if group.iter().any(|id| variables.contains(id)) {
            variables.extend(group);
        }
    }
    let sizes = variables.into_iter().map(|id| walk.size(id));
    let all = sizes.reduce(|sum, size| Ok(sum? + size?));
    Amount {
        lower: Expr::zero(),
        upper: all.unwrap_or(Ok(Expr::zero())).ok(),
    }
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
        return vec![all_words(walk, entries.iter().copied()); entries.len()];
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
    let happens = |entry: &Entry, touch: &Touch| {
        let mut needed = touch.only_if.iter();
        needed.all(|runs| entry.facts(facts).prove(runs) != Some(false))
    };
    let happening: Vec<(usize, &Touch)> = entries
        .iter()
        .enumerate()
        .flat_map(|(at, entry)| {
            let touches = entry.part.touches.iter();
            let happening = touches.filter(|touch| happens(entry, touch));
            happening.map(move |touch| (at, touch))
        })
        .collect();
    let mut words = vec![Some(Expr::zero()); entries.len()];
    for group in groups {
        let size = group.iter().try_fold(Expr::zero(), |sum, id| {
            Ok::<_, Untranslatable>(&sum + walk.size(*id)?)
        });
        let touches = || {
            let all = happening.iter();
            all.filter(|(_, touch)| group.contains(&touch.variable))
        };
        let births: Vec<Moment> = touches()
            .filter(|(_, touch)| touch.writes)
            .map(|(at, touch)| Moment::of(entries, *at, touch, false))
            .collect();
        let mut deaths: Vec<Moment> = touches()
            .map(|(at, touch)| Moment::of(entries, *at, touch, true))
            .collect();
        for &(at, _) in touches() {
            let part = &entries[at].part;
            if part.joined.is_some() && part.only_inward() {
                deaths.extend(Moment::behind(entries, at));
            }
        }
        if births.is_empty() {
            continue;
        }
        for (at, slot) in words.iter_mut().enumerate() {
            let live = Cond::and(vec![
                Cond::or(
                    births
                        .iter()
                        .map(|m| m.ordered(entries, at, true))
                        .collect(),
                ),
                Cond::or(
                    deaths
                        .iter()
                        .map(|m| m.ordered(entries, at, false))
                        .collect(),
                ),
            ]);
            // In which iteration of a host `while` a variable lives, data decide.
            let live = if live.symbols().is_disjoint(&by_data) {
                live
            } else {
                Cond::and(Vec::new())
            };
            *slot = match (slot.take(), &size) {
                (Some(sum), Ok(size)) => Some(&sum + (size * Expr::bracket(live))),
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

/// When a variable is touched: in a round, in the first or last iteration of each of its loops.
#[derive(Debug)]
struct Moment {
    /// Which entry the round is of.
    at: usize,
    /// For each of its loops, outermost first, whether the iteration is the last.
    last: Vec<bool>,
}

impl Moment {
    /// The first time of a touch, or the last.
    fn of(entries: &[&Entry], at: usize, touch: &Touch, last: bool) -> Moment {
        let pin = |repeated: &HostLoop| {
            let mut pins = touch.pins.iter();
            let pinned = pins.find(|(symbol, _)| symbol.id == repeated.symbol.id);
            pinned.map_or(last, |(_, last)| *last)
        };
        Moment {
            at,
            last: entries[at].loops.iter().map(pin).collect(),
        }
    }

    /// The first rounds behind an entry's last: what comes in with one of them lives in it. There are
    /// several where one goes on in the next itself, or data decide whether a loop runs at all.
    fn behind(entries: &[&Entry], at: usize) -> Vec<Moment> {
        let mut found = Vec::new();
        let mut next = at + 1;
        while let Some(entry) = entries.get(next) {
            let shared = entry.shared_loops(entries[at]);
            let depths = 0..entry.loops.len();
            found.push(Moment {
                at: next,
                last: depths.map(|depth| depth < shared).collect(),
            });
            if entry.part.joined.is_some() && entry.part.only_inward() {
                found.extend(Moment::behind(entries, next));
            }
            let mut own = entry.loops[shared..].iter();
            let Some(skipped) = own.find(|repeated| repeated.is_while()) else {
                break;
            };
            let is_inside = |entry: &&&Entry| {
                let mut loops = entry.loops.iter();
                loops.any(|repeated| repeated.symbol.id == skipped.symbol.id)
            };
            next += entries[next..].iter().take_while(is_inside).count();
        }
        found
    }

    /// When the round `at` comes not before (`after`) or not behind (otherwise) the moment.
    fn ordered(&self, entries: &[&Entry], at: usize, after: bool) -> Cond {
        let is_in_order = if after { at >= self.at } else { at <= self.at };
        let mut here = if is_in_order {
            Cond::and(Vec::new())
        } else {
            Cond::or(Vec::new())
        };
        // The loops around both decide first, the outermost before all others.
        let (loops, own) = (&entries[at].loops, &entries[self.at].loops);
        let common = (loops.iter().zip(own).zip(&self.last))
            .take_while(|((a, b), _)| a.symbol.id == b.symbol.id)
            .map(|((repeated, _), last)| (repeated, *last));
        let common: Vec<(&HostLoop, bool)> = common.collect();
        for (repeated, last) in common.into_iter().rev() {
            let end = if last {
                repeated.last()
            } else {
                repeated.first()
            };
            let is_there = Cond::eq(&Expr::symbol(&repeated.symbol), end);
            // What is not at an end is on its only other side.
            here = if last == after {
                Cond::and(vec![is_there, here])
            } else {
                Cond::or(vec![is_there.not(), here])
            };
        }
        here
    }
}

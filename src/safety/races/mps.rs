//! Races of MPs: takes the touches of a kernel, and judges each global array of it.

use std::collections::BTreeSet;

use crate::program::VarId;
use crate::safety::forms::Forms;
use crate::safety::races::apart::{apart_in_each_case, unequal};
use crate::safety::races::pair::{Pair, Way};
use crate::safety::races::renumbered::by_number;
use crate::safety::races::{has_word_of, keep_same_words, with_place};
use crate::safety::site::{Ask, Index, Place, Site, Usage};
use crate::safety::verdict::{Judged, Lack, Property, Reason, Rule, Subject, Verdict};
use crate::sym::{Expr, Symbol};
use crate::text::Span;

/// The most touches of an array that are asked if all of them write the same.
const MOST_AGREEING: usize = 16;

/// Judges the touches of the MPs of a kernel, array by array.
pub(crate) fn between_mps(
    sites: &[Site],
    kernel: u32,
    forms: &mut Forms<'_>,
    judged: &mut Vec<Judged>,
) {
    let mut arrays: Vec<VarId> = Vec::new();
    for site in sites {
        if !forms.is_shared(site.variable) && !arrays.contains(&site.variable) {
            arrays.push(site.variable);
        }
    }
    for array in arrays {
        let mut all = Vec::new();
        let mut touches: Vec<&Site> = Vec::new();
        for site in sites.iter().filter(|site| site.variable == array) {
            if !touches.iter().any(|known| is_again(known, site)) {
                touches.push(site);
            }
            all.push(site);
        }
        let Some(mut found) = of_touches(&touches, Asked::Where, kernel, forms) else {
            continue;
        };
        // Where they meet they may agree on what they write, which all that write have to.
        let is_only_written = all.iter().all(|site| site.usage == Usage::Write);
        if matches!(found.1, Verdict::Open(_)) && is_only_written && all.len() <= MOST_AGREEING {
            let agreed = of_touches(&all, Asked::What, kernel, forms);
            found = agreed
                .filter(|(_, verdict)| matches!(verdict, Verdict::Proved(_)))
                .unwrap_or(found);
        }
        let (span, verdict) = found;
        let subject = Subject::Array(array);
        judged.push(Judged::new(Property::Races, span, subject, verdict));
    }
}

/// The question asked of two MPs that write.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    /// Do they write different words?
    Where,
    /// Do they write different words, or the same value?
    What,
}

/// Judges the touches of an array, each write with all others. Returns where the first one stands that is not known to be
/// apart.
fn of_touches(
    touches: &[&Site],
    asked: Asked,
    kernel: u32,
    forms: &mut Forms<'_>,
) -> Option<(Span, Verdict)> {
    let writes: Vec<&Site> = touches
        .iter()
        .copied()
        .filter(|site| site.usage == Usage::Write)
        .collect();
    let first = writes.first().or(touches.first())?;
    let mut verdict = Verdict::Proved(Rule::OnlyRead);
    for (number, write) in writes.iter().enumerate() {
        for other in touches {
            // Two writes meet once.
            let is_later = writes[..number]
                .iter()
                .any(|earlier| std::ptr::eq(*earlier, *other));
            if is_later {
                continue;
            }
            match write
                .place
                .verdict_within_work(|| of_two(write, other, asked, kernel, forms))
            {
                Verdict::Proved(rule) => verdict = Verdict::Proved(rule),
                open => return Some((write.span, open)),
            }
        }
    }
    Some((first.span, verdict))
}

/// True if a touch is of the same words as an earlier one, under the same guards. A touch that is apart from the earlier
/// one is apart from this one.
fn is_again(earlier: &Site, site: &Site) -> bool {
    let (before, here) = (&earlier.place, &site.place);
    let numbers = |place: &Place| {
        place
            .indices
            .iter()
            .map(|index| index.symbol.id)
            .collect::<Vec<_>>()
    };
    earlier.usage == site.usage
        && earlier.indices == site.indices
        && before.guards == here.guards
        && before.scopes == here.scopes
        && numbers(before) == numbers(here)
        && site
            .offsets()
            .is_some_and(|offsets| !has_word_of(&offsets, here))
}

/// Judges a write and another touch of the same array by another MP.
fn of_two(write: &Site, other: &Site, asked: Asked, kernel: u32, forms: &mut Forms<'_>) -> Verdict {
    let (Some(first), Some(second)) = (write.offsets(), other.offsets()) else {
        return Verdict::Open(Reason::Data);
    };
    let numbers = [&first, &second].map(|indices| with_place(write.variable, indices, forms));
    // How many MPs there are in some dimension has no form.
    if write.place.doubts.contains(&kernel) {
        return Verdict::Open(Reason::Form);
    }
    let indices = write.place.indices.iter();
    let mps: Vec<&Index> = indices.filter(|index| index.scope == kernel).collect();
    let ways: &[Way] = if std::ptr::eq(write, other) {
        &[Way::Up]
    } else {
        &[Way::Up, Way::Down]
    };
    let two = Two {
        write,
        other,
        numbers,
        asked,
        is_in_line: mps.len() == 1,
    };
    // What stands outside the kernel is the same for both.
    let mut same = outside(&other.place, kernel);
    let mut rule = Rule::OneMp;
    for mp in mps {
        for &way in ways {
            match two.agree(mp, way, &same, forms) {
                Some(Rule::OneMp) => {}
                Some(found) => rule = found,
                None => {
                    let has_words =
                        has_word_of(&first, &write.place) || has_word_of(&second, &other.place);
                    return Verdict::Open(if has_words {
                        Reason::Data
                    } else {
                        Reason::Unproved(Lack::OfOneMp([first, second]))
                    });
                }
            }
        }
        // The MPs that agree in this number.
        same.insert(mp.symbol.clone());
    }
    Verdict::Proved(rule)
}

/// The indices of a place that stand around the kernel.
fn outside(place: &Place, kernel: u32) -> BTreeSet<Symbol> {
    let from = place.scopes.iter().position(|scope| scope.id == kernel);
    let inside = &place.scopes[from.unwrap_or(0)..];
    let is_inside = |index: &&Index| inside.iter().any(|scope| scope.id == index.scope);
    let indices = place.indices.iter().filter(|index| !is_inside(index));
    indices.map(|index| index.symbol.clone()).collect()
}

/// A write and another touch of the same array.
struct Two<'s> {
    write: &'s Site,
    other: &'s Site,
    /// The numbers that tell their words: the indices, and the place row by row.
    numbers: [Vec<Expr>; 2],
    asked: Asked,
    /// True if the MPs have one dimension.
    is_in_line: bool,
}

impl Two<'_> {
    /// Returns why two MPs that differ in a number do not disagree; [`Rule::OneMp`] if there are no two.
    fn agree(
        &self,
        mp: &Index,
        way: Way,
        same: &BTreeSet<Symbol>,
        forms: &mut Forms<'_>,
    ) -> Option<Rule> {
        let [write, other] = [&*self.write.place, &*self.other.place];
        let mut shared = same.clone();
        keep_same_words(other, &mut shared, forms, false);
        let mut pair = Pair::of(write, other, (mp, way), &shared, forms);
        if pair.is_impossible() {
            return Some(Rule::OneMp);
        }
        pair.order();
        pair.order_words(write, other, forms);
        // As for the cores of one instruction.
        write.begin(Ask::Question);
        if self.asked == Asked::What
            && let (Some(value), Some(other)) = (&self.write.value, &self.other.value)
            && pair.agree(value, other)
        {
            return Some(Rule::SameValue);
        }
        let unequal = unequal(&pair, write, other);
        let [first, second] = &self.numbers;
        let apart = apart_in_each_case(&pair, first, second, &unequal, forms);
        if apart.is_none() && self.is_in_line {
            return by_number(self.write, self.other, same, forms);
        }
        apart
    }
}

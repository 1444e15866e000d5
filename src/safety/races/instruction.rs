//! Races of cores: takes a touch, and judges whether two cores of an MP disagree in its instruction.

use std::collections::BTreeSet;

use crate::safety::bounds::never_negative;
use crate::safety::forms::Forms;
use crate::safety::races::apart::apart;
use crate::safety::races::pair::{Pair, Way};
use crate::safety::races::renumbered::{by_digits, by_number};
use crate::safety::races::{has_word, has_word_of, keep_same_words, with_place};
use crate::safety::site::{Ask, Index, Place, Scope, ScopeKind, Site};
use crate::safety::verdict::{Lack, Reason, Rule, Verdict};
use crate::sym::{Cond, Expr, Symbol};

/// Judges whether two active cores of an MP never write different values to one word in one instruction.
pub(crate) fn in_instruction(site: &Site, forms: &mut Forms<'_>) -> Verdict {
    let place = &site.place;
    if !place.is_in(&ScopeKind::Cores) {
        return Verdict::Proved(Rule::OneWriter);
    }
    let Some(core) = place.core() else {
        return Verdict::Open(Reason::Form);
    };
    let same = shared_by_cores(place, forms);
    let mut pair = Pair::of(place, place, (core, Way::Up), &same, forms);
    if pair.is_impossible() {
        return Verdict::Proved(Rule::OneWriter);
    }
    pair.order();
    pair.order_words(place, place, forms);
    // What it took to put both together leaves the question its own work.
    place.begin(Ask::Question);
    if let Some(value) = &site.value
        && pair.agree(value, value)
    {
        return Verdict::Proved(Rule::SameValue);
    }
    let Some(offsets) = site.offsets() else {
        return Verdict::Open(Reason::Data);
    };
    let numbers = with_place(site.variable, &offsets, forms);
    let rule = apart(&pair, &numbers, &numbers, forms)
        .or_else(|| by_number(site, site, &same, forms))
        .or_else(|| by_digits(site, core, &same, forms));
    match rule {
        Some(rule) => Verdict::Proved(rule),
        None if has_word_of(&offsets, place) => Verdict::Open(Reason::Data),
        None => Verdict::Open(Reason::Unproved(Lack::OfOneCore(offsets))),
    }
}

/// Returns the symbols that stand for one number in all cores of an MP.
fn shared_by_cores(place: &Place, forms: &Forms<'_>) -> BTreeSet<Symbol> {
    let is_own = |index: &Index| {
        let mut scopes = place.scopes.iter();
        let scope = scopes.find(|scope| scope.id == index.scope);
        scope.is_some_and(|scope| {
            matches!(
                scope.kind,
                ScopeKind::Cores | ScopeKind::Loop { is_common: false }
            )
        })
    };
    let indices = place.indices.iter().filter(|index| !is_own(index));
    let mut same = indices.map(|index| index.symbol.clone()).collect();
    keep_same_words(place, &mut same, forms, true);
    same
}

/// Returns a touch of the same words in the order of the cores. The b cores must touch b different words in a row, each
/// at a place that its number does not show: `_y[(5j + 3) mod b]` writes the words of `_y[j]`.
pub(crate) fn in_order(site: &Site, forms: &mut Forms<'_>) -> Option<Site> {
    let place = &site.place;
    let core = place.core()?;
    let own = Expr::symbol(&core.symbol);
    let offsets = site.offsets()?;
    let each = offsets.iter().enumerate();
    let mut moving = each.filter(|(_, offset)| offset.contains(&core.symbol));
    let (Some((at, offset)), None) = (moving.next(), moving.next()) else {
        return None;
    };
    let is_alike = |scope: &Scope| scope.kind != ScopeKind::Loop { is_common: false };
    let range = [Cond::ge(&own, &core.low), Cond::le(&own, &core.high)];
    let is_free = |guard: &Cond| {
        let is_of_data = || place.words.iter().any(|word| guard.contains(word));
        range.contains(guard) || !guard.contains(&core.symbol) && !is_of_data()
    };
    // All cores take part, in the same iteration of the same loops, whatever the data.
    let are_all = place.doubts.is_empty()
        && place.scopes.iter().all(is_alike)
        && place.guards.iter().all(is_free)
        && !has_word_of(&offsets, place);
    if offset.is_plain() || !are_all || !core.low.is_zero() {
        return None;
    }
    let base = [Expr::zero(), offset.without(&core.symbol)]
        .into_iter()
        .find(|base| {
            let within = offset - base;
            never_negative(&within, place) && never_negative(&(&core.high - &within), place)
        })?;
    let rule = match in_instruction(site, forms) {
        Verdict::Proved(rule) => rule,
        Verdict::Open(_) | Verdict::Refuted(_) => return None,
    };
    let mut ordered = site.clone();
    ordered.value = site
        .value
        .clone()
        .filter(|value| !value.contains(&core.symbol) && !has_word(value, place));
    ordered.indices[at] = Some(&base + &own);
    matches!(rule, Rule::Stride | Rule::MixedRadix).then_some(ordered)
}

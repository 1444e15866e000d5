//! Whether two cores, or two MPs, ever disagree about a word.
//!
//! Two of them are two copies of what stands around a touch of memory: what they share (host loops,
//! the MP, loops that all cores run through alike) keeps its symbols, everything else gets new ones.
//! No race is possible where the indices of the two copies provably differ.

use std::collections::BTreeSet;

use crate::program::VarId;
use crate::safety::bounds::{is_never_negative, never_negative};
use crate::safety::digits::{self, Digits};
use crate::safety::forms::{Forms, Placed};
use crate::safety::numbered::{Numbered, divides_number};
use crate::safety::site::{Ask, Index, Place, Scope, ScopeKind, Site, Usage};
use crate::safety::verdict::{Judged, Lack, Property, Reason, Rule, Subject, Verdict};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::text::Span;

/// Inequalities of guards that are taken case by case.
const MOST_UNEQUAL: usize = 3;

/// Remainders that guards of one are held against one of the other, at most.
const MOST_REMAINDERS: usize = 2;

/// So many touches of an array are asked whether all of them write the same.
const MOST_AGREEING: usize = 16;

/// Two copies of places, and what is known of both.
#[derive(Clone)]
struct Pair {
    facts: Facts,
    /// The ranges of the indices of both, outermost first.
    indices: Vec<Index>,
    /// What the symbols of the second copy stand for.
    renamed: Vec<(Symbol, Expr)>,
    /// By how much more than 1 the second's number is the larger.
    ahead: Symbol,
    /// What is 0 as both leave the same remainder, or each its own.
    remainders: Vec<Expr>,
}

impl Pair {
    fn second(&self, value: &Expr) -> Expr {
        let renamed = self.renamed_in(value.symbols());
        renamed.fold(value.clone(), |value, (symbol, form)| {
            value.substitute(symbol, form)
        })
    }

    fn second_cond(&self, cond: &Cond) -> Cond {
        let renamed = self.renamed_in(cond.symbols());
        renamed.fold(cond.clone(), |cond, (symbol, form)| {
            cond.substitute(symbol, form)
        })
    }

    /// What some symbols stand for, in order. No form has a symbol that is renamed behind it.
    fn renamed_in(&self, symbols: BTreeSet<Symbol>) -> impl Iterator<Item = &(Symbol, Expr)> {
        let renamed = self.renamed.iter();
        renamed.filter(move |(symbol, _)| symbols.contains(symbol))
    }

    /// Whether the first has the one value where the second has the other.
    fn agree(&self, first: &Expr, second: &Expr) -> bool {
        let apart = self.second(second) - first;
        self.facts.simplify(&apart).is_zero()
    }

    /// Whether there is no such pair.
    fn is_impossible(&self) -> bool {
        let ahead = Expr::symbol(&self.ahead);
        self.facts.proves(&Cond::le(&ahead, &Expr::one().neg()))
    }

    /// From here on the second is the one with the larger number.
    fn order(&mut self) {
        let ahead = Expr::symbol(&self.ahead);
        self.facts.suppose(&Cond::ge(&ahead, &Expr::zero()));
    }
}

/// Which way the second copy's number differs.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Up,
    Down,
}

/// Makes the pair of two sites whose index `differing` is another, with the indices in `same` shared
/// and all other symbols of the second told apart.
fn pair(
    first: &Place,
    second: &Place,
    differing: (&Index, Way),
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> Pair {
    let (index, way) = differing;
    let mut facts = first.facts.clone();
    let ahead = forms.ahead.clone();
    facts.integer(&ahead);
    let (one, gap) = (Expr::one(), Expr::symbol(&ahead));
    let own = Expr::symbol(&index.symbol);
    let other = match way {
        Way::Up => &own + &one + &gap,
        Way::Down => &own - &one - &gap,
    };
    // Two copies of one place. They share what is the same for both (host loops, the MP, loops that run in step) and
    // differ in the index that is asked about: core j and core j + 1 + ahead with ahead ≥ 0. For `x[2j]` and `x[2j + 1]`
    // the copies touch 2j and 2(j + 1 + ahead) + 1. Their difference is 3 + 2·ahead, which is never 0.
    let mut renamed = Vec::new();
    // All at once: new symbols are put in first, the shifted index last.
    for found in &second.indices {
        if found.symbol != index.symbol && !same.contains(&found.symbol) {
            let fresh = forms.twin(&found.symbol);
            facts.integer(&fresh);
            renamed.push((found.symbol.clone(), Expr::symbol(&fresh)));
        }
    }
    for word in &second.words {
        if !same.contains(word) {
            let fresh = forms.twin(word);
            facts.integer(&fresh);
            renamed.push((word.clone(), Expr::symbol(&fresh)));
        }
    }
    renamed.push((index.symbol.clone(), other));
    let most = match way {
        Way::Up => &index.high - &own - &one,
        Way::Down => &own - &index.low - &one,
    };
    let mut pair = Pair {
        facts,
        indices: Vec::new(),
        renamed,
        ahead: ahead.clone(),
        remainders: Vec::new(),
    };
    for cond in second.truths.iter().chain(&second.guards) {
        let cond = pair.second_cond(cond);
        pair.facts.suppose(&cond);
    }
    let [own, other] = [first, second].map(|place| {
        let guards = place.guards.iter().filter_map(remainder);
        guards.collect::<Vec<Expr>>()
    });
    for own in &own {
        pair.remainders.push(own.clone());
        let others = other.iter().map(|other| pair.second(other) - own);
        let others: Vec<Expr> = others.take(MOST_REMAINDERS).collect();
        pair.remainders.extend(others);
    }
    pair.indices.extend(first.indices.iter().cloned());
    pair.indices.push(Index {
        symbol: ahead,
        low: Expr::zero(),
        high: most,
        scope: index.scope,
    });
    for found in &second.indices {
        if let Some((_, form)) = pair
            .renamed
            .iter()
            .find(|(symbol, _)| *symbol == found.symbol)
            && let Some(fresh) = form.as_symbol()
        {
            let copy = Index {
                symbol: fresh.clone(),
                low: pair.second(&found.low),
                high: pair.second(&found.high),
                scope: found.scope,
            };
            pair.indices.push(copy);
        }
    }
    pair
}

/// What a guard says is 0, of a remainder: `v mod 2 = c`.
fn remainder(guard: &Cond) -> Option<Expr> {
    match guard {
        Cond::Zero(value) if !value.in_floors().is_empty() => Some(value.clone()),
        _ => None,
    }
}

/// Whether two active cores of an MP never write different values to one word in one instruction.
pub(crate) fn in_instruction(site: &Site, forms: &mut Forms<'_>) -> Verdict {
    let place = &site.place;
    if !place.is_in(&ScopeKind::Cores) {
        return Verdict::Proved(Rule::OneWriter);
    }
    let Some(core) = place.core() else {
        return Verdict::Open(Reason::Form);
    };
    let mut same: BTreeSet<Symbol> = BTreeSet::new();
    for index in &place.indices {
        let scope = place.scopes.iter().find(|scope| scope.id == index.scope);
        let is_own = scope.is_some_and(|scope| {
            matches!(
                scope.kind,
                ScopeKind::Cores | ScopeKind::Loop { is_common: false }
            )
        });
        if !is_own {
            same.insert(index.symbol.clone());
        }
    }
    keep_same_words(place, &mut same, forms, true);
    let core = core.clone();
    let mut pair = pair(place, place, (&core, Way::Up), &same, forms);
    if pair.is_impossible() {
        return Verdict::Proved(Rule::OneWriter);
    }
    pair.order();
    if let Some(value) = &site.value
        && pair.agree(value, value)
    {
        return Verdict::Proved(Rule::SameValue);
    }
    let Some(offsets) = site.offsets() else {
        return Verdict::Open(Reason::Data);
    };
    let numbers = with_place(site.variable, &offsets, forms);
    match apart(&pair, &numbers, &numbers, forms) {
        Some(rule) => Verdict::Proved(rule),
        None => {
            match by_number(site, site, &same, forms)
                .or_else(|| by_digits(site, &core, &same, forms))
            {
                Some(rule) => Verdict::Proved(rule),
                None => Verdict::Open(if has_word_of(&offsets, place) {
                    Reason::Data
                } else {
                    Reason::Unproved(Lack::OfOneCore(offsets))
                }),
            }
        }
    }
}

/// Indices, and behind them the place of the word row by row: `g[u div w, u mod w]` is at u.
fn with_place(array: VarId, indices: &[Expr], forms: &Forms<'_>) -> Vec<Expr> {
    let place = forms.place_by_rows(array, indices);
    indices.iter().cloned().chain(place).collect()
}

fn has_word(value: &Expr, place: &Place) -> bool {
    place.words.iter().any(|word| value.contains(word))
}

/// Words that both copies read at the same place are the same.
fn keep_same_words(place: &Place, same: &mut BTreeSet<Symbol>, forms: &Forms<'_>, one_mp: bool) {
    // A word may be read at the number another word holds, which was met before.
    for word in &place.words {
        let Some(placed) = forms.placed.get(word) else {
            continue;
        };
        let is_shared = forms.is_shared(placed.variable);
        let is_known = |symbol: &Symbol| {
            same.contains(symbol)
                || !place.indices.iter().any(|index| index.symbol == *symbol)
                    && !place.words.contains(symbol)
        };
        let stays = placed
            .indices
            .iter()
            .all(|index| index.symbols().iter().all(&is_known));
        if stays && (one_mp || !is_shared) {
            same.insert(word.clone());
        }
    }
}

/// As [`apart`], where need be in each case of what the guards say is not equal.
fn apart_in_each_case(
    pair: &Pair,
    first: &[Expr],
    second: &[Expr],
    unequal: &[Expr],
    forms: &Forms<'_>,
) -> Option<Rule> {
    if let Some(rule) = apart(pair, first, second, forms) {
        return Some(rule);
    }
    let (value, others) = unequal.split_first()?;
    let one = Expr::one();
    for side in [value.clone(), value.neg()] {
        let mut case = pair.clone();
        case.facts.suppose(&Cond::ge(&side, &one));
        if case.is_impossible() {
            continue;
        }
        apart_in_each_case(&case, first, second, others, forms)?;
    }
    Some(Rule::Disjoint)
}

/// What the guards around two touches say is not 0, of whole values.
fn unequal(pair: &Pair, first: &Place, second: &Place) -> Vec<Expr> {
    let of = |cond: &Cond| match cond {
        Cond::Not(inner) => match &**inner {
            Cond::Zero(value) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    };
    let own = first.guards.iter().filter_map(of);
    let other = second.guards.iter().filter_map(of);
    let other = other.map(|value| pair.second(&value));
    let mut values: Vec<Expr> = Vec::new();
    for value in own.chain(other) {
        if pair.facts.is_integer(&value) && !values.contains(&value) {
            values.push(value);
        }
    }
    values.truncate(MOST_UNEQUAL);
    values
}

/// Whether the words at two lists of indices are never the same, and why.
fn apart(pair: &Pair, first: &[Expr], second: &[Expr], forms: &Forms<'_>) -> Option<Rule> {
    let both = first.iter().zip(second);
    let differences = both.clone().map(|(first, second)| {
        let moved = pair.second(second);
        pair.facts.simplify(&(&moved - first))
    });
    let differences: Vec<Expr> = differences.collect();
    if leave_different_remainders(&differences, pair) {
        return Some(Rule::Residue);
    }
    both.zip(&differences)
        .find_map(|((first, second), difference)| {
            if is_positive(difference, pair) || is_positive(&difference.neg(), pair) {
                return Some(Rule::Stride);
            }
            if pair.facts.prove(&Cond::ne(difference, &Expr::zero())) == Some(true) {
                return Some(Rule::Stride);
            }
            if rises(difference, pair) || rises(&difference.neg(), pair) {
                return Some(Rule::MixedRadix);
            }
            // Different places of a permutation hold different numbers.
            let [one, other] = [first, second].map(|index| placed(index, forms));
            let (one, other) = (one?, other?);
            let is_same = one.permutation.is_some() && one.permutation == other.permutation;
            if is_same && apart(pair, &one.indices, &other.indices, forms).is_some() {
                return Some(Rule::Permutation);
            }
            None
        })
}

/// Whether a difference of indices is positive as they only grow: h⌊w/h⌋ + w of w = ib + j.
fn rises(difference: &Expr, pair: &Pair) -> bool {
    let is_never_negative = |value: &Expr| is_never_negative(value, &pair.indices, &pair.facts);
    let less = pair
        .facts
        .without_rising_floors(difference, &is_never_negative);
    less != *difference && is_positive(&less, pair)
}

/// Whether what a difference of indices would be where both are the same, or the sum or difference of two of
/// them, is no multiple of what divides it: in `a[v + 1]` and `a[v]` where v is even for both, in
/// `l[x, s - x]` and `l[x - 1, s - x]`, of which the sums differ by 1.
fn leave_different_remainders(differences: &[Expr], pair: &Pair) -> bool {
    let mut sums = differences.to_vec();
    for (at, one) in differences.iter().enumerate() {
        for other in &differences[at + 1..] {
            sums.extend([one + other, one - other]);
        }
    }
    let facts = &pair.facts;
    // What is 0 may be added and taken away.
    let mut nothing: Vec<Expr> = vec![Expr::zero()];
    nothing.extend(
        pair.remainders
            .iter()
            .flat_map(|zero| [zero.clone(), zero.neg()]),
    );
    sums.iter().any(|sum| {
        let mut shifts = nothing.iter();
        shifts.any(|shift| {
            facts
                .simplify(&(sum + shift))
                .has_a_remainder(&|value| facts.is_integer(value))
        })
    })
}

fn placed<'f>(index: &Expr, forms: &'f Forms<'_>) -> Option<&'f Placed> {
    forms.placed.get(index.as_symbol()?)
}

fn is_positive(value: &Expr, pair: &Pair) -> bool {
    is_never_negative(&(value - 1), &pair.indices, &pair.facts)
}

/// The same words in the order of the cores, where b cores touch b different ones in a row, each in a place
/// of its own that is not seen from its number: what `_y[(5j + 3) mod b]` writes is `_y[j]`.
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

/// What is touched at a place: what the indices of the word are, and the index by which two that touch it differ.
type Touch<'p> = (&'p Place, &'p [Expr], &'p Index);

/// Whether two touches are apart wherever an index of theirs differs in one of these ways.
fn are_apart(
    [first, second]: [(&Place, &[Expr]); 2],
    index: &Index,
    ways: &[Way],
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> bool {
    ways.iter().all(|&way| {
        let mut pair = pair(first.0, second.0, (index, way), same, forms);
        pair.is_impossible() || {
            pair.order();
            apart(&pair, first.1, second.1, forms).is_some()
        }
    })
}

/// Tells two touches apart by the digits of a number of theirs, w·q + r, where their indices speak of what it is over w:
/// they differ in q, or in r where q is the same; or the other way round.
fn are_apart_by_digits(
    touches: [Touch<'_>; 2],
    ways: &[Way],
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> Option<()> {
    let (place, indices, index) = touches[0];
    let width = digits::widths(indices, place, &index.symbol)
        .into_iter()
        .next()?;
    // The digits tell two apart only where both have the same width.
    let differs = |symbol: &Symbol| !same.contains(symbol) && width.contains(symbol);
    let own = place.indices.iter().map(|index| &index.symbol);
    if own.chain(&place.words).any(differs) {
        return None;
    }
    let names = [forms.fresh("digit"), forms.fresh("rest")];
    let told = |(place, indices, index): Touch<'_>| {
        let digits = Digits::new(place, index, &width, names.clone())?;
        let indices: Vec<Expr> = indices.iter().map(|index| digits.of(index)).collect();
        Some((digits, indices))
    };
    let (one, other) = (told(touches[0])?, told(touches[1])?);
    let both = [&one, &other].map(|(digits, indices)| (&digits.place, indices.as_slice()));
    let [higher, lower] = one.0.spans();
    let mut are_apart_by = |[first, then]: [&Index; 2]| {
        let mut within = same.clone();
        within.insert(first.symbol.clone());
        are_apart(both, first, ways, same, forms) && are_apart(both, then, ways, &within, forms)
    };
    (are_apart_by([higher, lower]) || are_apart_by([lower, higher])).then_some(())
}

/// Tells two cores apart by the digits of their numbers, where the indices speak of ⌊core/w⌋.
fn by_digits(
    site: &Site,
    core: &Index,
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> Option<Rule> {
    let offsets = site.offsets()?;
    let touch = (&*site.place, offsets.as_slice(), core);
    are_apart_by_digits([touch, touch], &[Way::Up], same, forms).map(|()| Rule::MixedRadix)
}

/// Tells any two cores of a kernel apart by their number through all MPs, or by its digits, where indices speak of what
/// that number is divided by.
fn by_number(
    first: &Site,
    second: &Site,
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> Option<Rule> {
    if !first
        .offsets()?
        .iter()
        .any(|index| divides_number(index, &first.place))
    {
        return None;
    }
    first.place.begin(Ask::Digits);
    let ways: &[Way] = if std::ptr::eq(first, second) {
        &[Way::Up]
    } else {
        &[Way::Up, Way::Down]
    };
    let number = forms.fresh("number");
    let told = |site: &Site| {
        let numbered = Numbered::new(&site.place, number.clone())?;
        let indices = site.offsets()?;
        let indices = indices.iter().map(|index| numbered.of(index));
        let indices: Vec<Expr> = indices.collect::<Option<_>>()?;
        let index = numbered.index()?.clone();
        Some((numbered.place, indices, index))
    };
    let told = [told(first)?, told(second)?];
    let [one, other] = told
        .each_ref()
        .map(|(place, indices, index)| (place, indices.as_slice(), index));
    let are_apart = are_apart(
        [(one.0, one.1), (other.0, other.1)],
        one.2,
        ways,
        same,
        forms,
    ) || are_apart_by_digits([one, other], ways, same, forms).is_some();
    are_apart.then_some(Rule::MixedRadix)
}

/// What the MPs of a kernel do to its global arrays, judged array by array.
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
        judged.push(Judged {
            property: Property::Races,
            span,
            subject: Subject::Array(array),
            verdict,
        });
    }
}

/// What is asked of two MPs that write.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    /// Whether they do to different words.
    Where,
    /// Whether they do, or write the same.
    What,
}

/// The touches of an array, each write with all others: where the first one stands that is not known to be apart.
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
                .asked(|| of_two(write, other, asked, kernel, forms))
            {
                Verdict::Proved(rule) => verdict = Verdict::Proved(rule),
                open => return Some((write.span, open)),
            }
        }
    }
    Some((first.span, verdict))
}

/// Whether a touch is of the same words as an earlier one, under the same guards: what is apart from that
/// is apart from this.
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

/// A write and another touch of the same array by another MP.
fn of_two(write: &Site, other: &Site, asked: Asked, kernel: u32, forms: &mut Forms<'_>) -> Verdict {
    let mps: Vec<Index> = write
        .place
        .indices
        .iter()
        .filter(|index| index.scope == kernel)
        .cloned()
        .collect();
    let (Some(first), Some(second)) = (write.offsets(), other.offsets()) else {
        return Verdict::Open(Reason::Data);
    };
    let [first_numbers, second_numbers] =
        [&first, &second].map(|indices| with_place(write.variable, indices, forms));
    // How many MPs there are in some dimension has no form.
    if write.place.doubts.contains(&kernel) {
        return Verdict::Open(Reason::Form);
    }
    // What stands outside the kernel is the same for both.
    let inside = |place: &Place| -> Vec<u32> {
        let from = place.scopes.iter().position(|scope| scope.id == kernel);
        let scopes = &place.scopes[from.unwrap_or(0)..];
        scopes.iter().map(|scope| scope.id).collect()
    };
    let own = inside(&other.place);
    let mut same: BTreeSet<Symbol> = other
        .place
        .indices
        .iter()
        .filter(|index| !own.contains(&index.scope))
        .map(|index| index.symbol.clone())
        .collect();
    let mut rule = Rule::OneMp;
    let ways: &[Way] = if std::ptr::eq(write, other) {
        &[Way::Up]
    } else {
        &[Way::Up, Way::Down]
    };
    for mp in &mps {
        for &way in ways {
            let mut shared = same.clone();
            keep_same_words(&other.place, &mut shared, forms, false);
            let mut pair = pair(&write.place, &other.place, (mp, way), &shared, forms);
            if pair.is_impossible() {
                continue;
            }
            pair.order();
            let values = (asked == Asked::What).then_some((&write.value, &other.value));
            if let Some((Some(value), Some(other))) = values
                && pair.agree(value, other)
            {
                rule = Rule::SameValue;
                continue;
            }
            let unequal = unequal(&pair, &write.place, &other.place);
            let is_alone = mps.len() == 1;
            match apart_in_each_case(&pair, &first_numbers, &second_numbers, &unequal, forms)
                .or_else(|| is_alone.then(|| by_number(write, other, &same, forms))?)
            {
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

fn has_word_of(offsets: &[Expr], place: &Place) -> bool {
    offsets.iter().any(|offset| has_word(offset, place))
}

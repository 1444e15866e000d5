//! Pairs with a number in another form: takes two touches, and tells them apart by the cores' numbers through all MPs or
//! by the digits of a number.

use std::collections::BTreeSet;

use crate::safety::digits::{self, Digits};
use crate::safety::forms::Forms;
use crate::safety::numbered::{Numbered, divides_number};
use crate::safety::races::apart::apart;
use crate::safety::races::pair::{Pair, Way};
use crate::safety::site::{Ask, Index, Place, Site};
use crate::safety::verdict::Rule;
use crate::sym::{Expr, Symbol};

/// A touch: its place, the indices of its word, and the index by which two that touch it differ.
type Touch<'p> = (&'p Place, &'p [Expr], &'p Index);

/// True if two touches are apart wherever an index of theirs differs in one of these ways.
fn are_apart(
    [first, second]: [(&Place, &[Expr]); 2],
    index: &Index,
    ways: &[Way],
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> bool {
    ways.iter().all(|&way| {
        let mut pair = Pair::of(first.0, second.0, (index, way), same, forms);
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
pub(super) fn by_digits(
    site: &Site,
    core: &Index,
    same: &BTreeSet<Symbol>,
    forms: &mut Forms<'_>,
) -> Option<Rule> {
    let offsets = site.offsets()?;
    site.place.begin(Ask::Digits);
    let touch = (&*site.place, offsets.as_slice(), core);
    are_apart_by_digits([touch, touch], &[Way::Up], same, forms).map(|()| Rule::MixedRadix)
}

/// Tells any two cores of a kernel apart by their number through all MPs, or by its digits, where indices speak of what
/// that number is divided by.
pub(super) fn by_number(
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

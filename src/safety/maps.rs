//! Maps of the numbers 0..n-1 to themselves that miss none: takes an index, and gives the number that a map takes there.
//!
//! A map of a finite set to itself that takes no two numbers to one misses none, and the reverse. Each has its theorem
//! beside it.

use crate::number::Rational;
use crate::safety::bounds::never_negative_as_it_stands;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::sym::{Cond, Expr, Facts, Symbol};

/// An index with a map around it.
pub(crate) struct Map {
    /// The number that the map takes to the index.
    pub(crate) inner: Expr,
    /// n - 1: any n whole numbers in a row are taken to all of 0..n-1, where the map says so; else 0..n-1 are.
    pub(crate) last: Expr,
}

/// A map: an index of an array of so many words, where these numbers are known.
type Found = fn(&Index<'_>, &Forms<'_>) -> Option<Map>;

/// An index that may have a map around it.
struct Index<'i> {
    offset: &'i Expr,
    extent: &'i Expr,
    place: &'i Place,
    /// The numbers of the writer that are known, each with its form.
    known: &'i [(Symbol, Expr)],
    /// The other symbols that are the writer's own.
    own: &'i [Symbol],
}

/// All maps.
const MAPS: [Found; 3] = [permutation, modulo, xor];

impl Map {
    /// Returns the map around an index, if there is one that reaches every word of its extent.
    pub(crate) fn around(
        offset: &Expr,
        extent: &Expr,
        place: &Place,
        (known, own): (&[(Symbol, Expr)], &[Symbol]),
        forms: &Forms<'_>,
    ) -> Option<Map> {
        let index = Index {
            offset,
            extent,
            place,
            known,
            own,
        };
        MAPS.iter().find_map(|map| map(&index, forms))
    }
}

/// `p[v]` of a permutation of n numbers. Theorem: each of 0..n-1 stands in it somewhere.
fn permutation(index: &Index<'_>, forms: &Forms<'_>) -> Option<Map> {
    let placed = forms.placed.get(index.offset.as_symbol()?)?;
    let [size] = &forms.extents(placed.permutation?)?[..] else {
        return None;
    };
    let [inner] = &placed.indices[..] else {
        return None;
    };
    index.is_at_most(index.extent, size).then(|| Map {
        inner: inner.clone(),
        last: size - 1,
    })
}

/// `(a·x + c) mod n`. Theorem: n whole numbers in a row leave each remainder of n once. So do their multiples by an odd
/// number where n is a power of 2, because that is a unit.
fn modulo(index: &Index<'_>, _: &Forms<'_>) -> Option<Map> {
    let facts = &index.place.facts;
    let [inner, size] = remainder(index.offset, facts)?;
    index.is_at_most(index.extent, &size).then(|| Map {
        inner: without_unit(&inner, &size, facts),
        last: &size - 1,
    })
}

/// Returns x and n of a value `x mod n`, with n a whole number from 1. `n - 1 - y mod n` is one too, of x = -y - 1: of
/// `(s + 1) mod 2` the algebra makes `1 - s mod 2`.
pub(crate) fn remainder(value: &Expr, facts: &Facts) -> Option<[Expr; 2]> {
    let atoms = value.atoms().into_iter().map(Expr::atom);
    let mut floors = atoms.filter_map(|atom| Some((atom.in_floor()?, atom)));
    let (inside, floor) = floors.next()?;
    let [rest, factor] = value.beside(floor.as_atom()?)?;
    let one = Expr::one();
    let forms = [
        (factor.neg(), rest.clone(), false),
        (factor.clone(), &factor - &one - rest, true),
    ];
    forms.into_iter().find_map(|(size, inner, is_mirrored)| {
        let is_remainder = facts.simplify(&(&inner - &size * &inside)).is_zero();
        let is_size = || facts.is_integer(&size) && facts.proves(&Cond::ge(&size, &one));
        let is_found = is_remainder && is_size();
        let inner = if is_mirrored {
            inner.neg() - &one
        } else {
            inner
        };
        is_found.then_some([inner, size])
    })
}

/// `bitxor(x, m)` with x and m below a power of 2. Theorem: xor with m is its own inverse, and sets no bit above both.
fn xor(index: &Index<'_>, forms: &Forms<'_>) -> Option<Map> {
    let facts = &index.place.facts;
    let sides = forms.xor_of(index.offset)?;
    let two = Expr::int(2);
    let size = index.extent;
    if !size.is_power_of_two() && !facts.proves(&Cond::power_of(size, &two)) {
        return None;
    }
    let [left, right] = sides;
    [(left, right), (right, left)]
        .into_iter()
        .find_map(|(fixed, inner)| {
            let known = index.known.iter();
            let fixed = known.fold(fixed.clone(), |value, (own, form)| {
                value.substitute(own, form)
            });
            let is_known = forms.words_in(&fixed).is_empty()
                && !index.own.iter().any(|own| fixed.contains(own));
            let is_within = is_known
                && never_negative_as_it_stands(&fixed, index.place)
                && index.is_at_most(&(&fixed + 1), size);
            is_within.then(|| Map {
                inner: inner.clone(),
                last: size - 1,
            })
        })
}

impl Index<'_> {
    fn is_at_most(&self, value: &Expr, most: &Expr) -> bool {
        never_negative_as_it_stands(&(most - value), self.place)
    }
}

/// Divides a number by an odd factor where it is held against multiples of a power of two.
///
/// Theorem: an odd number is a unit modulo 2^m. So 2^m divides 5x only if it divides x.
pub(crate) fn without_unit(value: &Expr, step: &Expr, facts: &Facts) -> Expr {
    let content = value.content();
    let is_odd = content.is_integer() && !(content.clone() / Rational::from(2)).is_integer();
    let two = Expr::int(2);
    let is_power = || step.is_power_of_two() || facts.proves(&Cond::power_of(step, &two));
    match Rational::ONE.checked_div(&content) {
        Some(part) if is_odd && content != Rational::ONE && is_power() => {
            let part = value.scale(&part);
            if facts.is_integer(&part) {
                part
            } else {
                value.clone()
            }
        }
        _ => value.clone(),
    }
}

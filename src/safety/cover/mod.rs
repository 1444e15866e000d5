//! Whether a word that is read was written before: what has been written so far, and the search for
//! who wrote it.
//!
//! A touch that wrote is kept with all that stood around it ([`written`]). It covers a read where numbers for its
//! own MPs, cores and loops can be found at which it wrote the very word, and at which everything
//! that decides whether it is executed provably holds ([`writer`]). Several may cover a read together: what the
//! first does not cover is left to the next. Where none of this helps, any word of the array is told by the digits of a
//! write ([`onto`]).

mod onto;
mod solve;
mod writer;
mod written;

pub(crate) use written::{Around, Turn, Written};

use std::borrow::Cow;
use std::sync::Arc;

use crate::program::VarId;
use crate::safety::bounds::{is_never_reached, never_negative, never_negative_as_it_stands};
use crate::safety::cover::onto::{Told, told};
use crate::safety::cover::solve::Digit;
use crate::safety::cover::writer::{Attempt, needed};
use crate::safety::cover::written::{Cases, Words};
use crate::safety::forms::Forms;
use crate::safety::site::{Ask, Place, Site, Usage};
use crate::safety::verdict::{Lack, Reason, Rule, Verdict};
use crate::sym::{Cond, Expr};
use crate::text::Span;

/// The most writes looked at for one read, the latest first.
const MOST_WRITES: usize = 12;

/// The most writes by whose digits a word is told.
const MOST_TELLERS: usize = 3;

/// The most parts of a read that are looked at one by one.
const MOST_PARTS: u32 = 24;

/// Judges whether a word that is read was written.
pub(crate) fn covered(written: &Written, read: &Site, forms: &mut Forms<'_>) -> Verdict {
    let Some(words) = written.of.get(&read.variable) else {
        return if is_never_reached(&read.place) {
            Verdict::Proved(Rule::Never)
        } else {
            Verdict::Open(Reason::Unproved(Lack::Written))
        };
    };
    let mut place = (*read.place).clone();
    let Some(offsets) = any_word(read, &mut place, forms) else {
        return Verdict::Open(Reason::Form);
    };
    if let Some(rule) = covered_by(words, &offsets, place, &[], forms) {
        return Verdict::Proved(rule);
    }
    if is_never_reached(&read.place) {
        return Verdict::Proved(Rule::Never);
    }
    match covered_wherever_data_point(words, read, forms) {
        Some(rule) => Verdict::Proved(rule),
        None => Verdict::Open(Reason::Unproved(Lack::Written)),
    }
}

/// As [`covered_by`], with any number in the place of an index that data are in.
fn covered_wherever_data_point(words: &Words, read: &Site, forms: &mut Forms<'_>) -> Option<Rule> {
    let is_of_data = |index: &Expr| {
        let mut data = read.place.words.iter();
        data.any(|word| index.contains(word))
    };
    if !read.indices.iter().flatten().any(is_of_data) {
        return None;
    }
    let indices = read.indices.iter().cloned();
    let indices = indices.map(|index| index.filter(|index| !is_of_data(index)));
    let read = Site {
        indices: indices.collect(),
        ..read.clone()
    };
    let mut place = (*read.place).clone();
    let offsets = any_word(&read, &mut place, forms)?;
    covered_by(words, &offsets, place, &[], forms)
}

/// True if every word of an array is written.
pub(crate) fn is_all(
    written: &Written,
    array: VarId,
    extents: &[Expr],
    outer: &Place,
    forms: &mut Forms<'_>,
) -> bool {
    let read = Site {
        span: Span::default(),
        variable: array,
        usage: Usage::Read,
        indices: vec![None; extents.len()],
        value: None,
        place: Arc::new(outer.clone()),
    };
    covered(written, &read, forms).is_proved()
}

/// Returns the indices of a read. In the place of an index without a form stands any number within the extent.
fn any_word(read: &Site, place: &mut Place, forms: &mut Forms<'_>) -> Option<Vec<Expr>> {
    let extents = forms.extents(read.variable)?;
    let indices = read.indices.iter().zip(&extents);
    let offsets = indices.map(|(index, extent)| match index {
        Some(index) => index.clone(),
        None => {
            let symbol = forms.fresh("word");
            place.range(&symbol, &Expr::zero(), &(extent - 1), 0);
            Expr::symbol(&symbol)
        }
    });
    Some(offsets.collect())
}

/// Returns why the words at some indices are written: a write covers them alone, or several do together. The words may be
/// told by digits.
fn covered_by(
    words: &Words,
    offsets: &[Expr],
    place: Place,
    digits: &[Digit],
    forms: &mut Forms<'_>,
) -> Option<Rule> {
    if words.is_whole {
        return Some(Rule::Transfer);
    }
    let attempts: &[Attempt] = if digits.is_empty() {
        &[Attempt::SameCore, Attempt::Solve, Attempt::SolveInner]
    } else {
        &[Attempt::Digits]
    };
    let mut ways: Vec<Way> = Vec::new();
    for candidate in candidates(words, offsets, forms) {
        let Candidate {
            writer,
            site,
            offsets,
        } = candidate;
        for &attempt in attempts {
            let Some(needs) = needed(&site, &offsets, &place, attempt, digits, forms) else {
                continue;
            };
            if ways.iter().any(|way| way.needs == needs) {
                continue;
            }
            let way = Way { writer, needs };
            let is_refuted = way.fails(&place).contains(&true);
            let is_no_less: fn(&Expr, &Place) -> bool = if site.is_plain() {
                never_negative
            } else {
                never_negative_as_it_stands
            };
            let holds = |need: &Cond| holds_by(need, &place, is_no_less);
            if !is_refuted && way.needs.iter().all(holds) {
                return Some(match attempt {
                    Attempt::SameCore => Rule::SameWord,
                    Attempt::Solve | Attempt::SolveInner => Rule::Cover,
                    Attempt::Digits => Rule::Onto,
                });
            }
            ways.push(way);
        }
    }
    let ways: Vec<&Way> = ways.iter().collect();
    place.begin(Ask::Parts);
    let mut parts = MOST_PARTS;
    if are_all_covered(&ways, &place, &mut parts) {
        return Some(Rule::Cover);
    }
    if !digits.is_empty() {
        return None;
    }
    if are_all_reached(words, &place, forms) {
        return Some(Rule::Onto);
    }
    covered_in_each_case(words.cases.as_deref()?, offsets, &place, forms)
}

/// True if the writes reach every word of their array.
fn are_all_reached(words: &Words, place: &Place, forms: &mut Forms<'_>) -> bool {
    let mut tellers: Vec<&Site> = Vec::new();
    for site in words.sites.iter().rev() {
        let is_new = !tellers.iter().any(|known| known.indices == site.indices);
        if is_new && tellers.len() < MOST_TELLERS {
            tellers.push(site);
        }
    }
    tellers.into_iter().any(|site| {
        place.begin(Ask::Onto);
        let Some(cases) = told(site, place, forms) else {
            return false;
        };
        let mut each = cases.iter();
        each.all(|case| !case.digits.is_empty() && is_reached(case, words, forms))
    })
}

/// True if the word that digits tell is written.
fn is_reached(told: &Told, words: &Words, forms: &mut Forms<'_>) -> bool {
    let Told {
        write,
        word,
        place,
        digits,
        ..
    } = told;
    let needs = needed(write, word, place, Attempt::Digits, digits, forms);
    let is_written = needs.is_some_and(|needs| needs.iter().all(|need| holds(need, place)));
    is_written
        || !told.is_mapped && covered_by(words, word, place.clone(), digits, forms).is_some()
        || is_contradictory(place)
}

/// As [`covered_by`], of words written by cases.
fn covered_in_each_case(
    cases: &Cases,
    offsets: &[Expr],
    place: &Place,
    forms: &mut Forms<'_>,
) -> Option<Rule> {
    // What this iteration has written may cover part of it, in either case.
    for (when, words) in [
        (cases.when.clone(), &cases.then),
        (cases.when.clone().not(), &cases.otherwise),
    ] {
        let mut place = place.clone();
        place.facts.suppose(&when);
        if place.facts.proves(&when.clone().not()) || is_contradictory(&place) {
            continue;
        }
        covered_by(words, offsets, place, &[], forms)?;
    }
    Some(Rule::Cover)
}

/// A write that may cover a read.
struct Candidate<'w> {
    /// The number of the write.
    writer: usize,
    site: Cow<'w, Site>,
    /// The indices of the read, in the form of those of the write.
    offsets: Cow<'w, [Expr]>,
}

/// Returns the latest writes as they are, then those with a folded index as places row by row.
fn candidates<'w>(words: &'w Words, offsets: &'w [Expr], forms: &Forms<'_>) -> Vec<Candidate<'w>> {
    let latest = words.sites.iter().rev().take(MOST_WRITES).enumerate();
    let mut writes: Vec<(usize, &Site)> = latest.collect();
    // What is written in order is found at once, and may be all.
    writes.sort_by_key(|(_, site)| !site.is_plain());
    let is_plain = offsets.iter().all(Expr::is_plain);
    let folded = writes
        .iter()
        .filter(|(_, site)| !is_plain || !site.is_plain());
    let in_rows = folded.filter_map(|&(writer, site)| {
        let row_by_row = |indices: &[Expr]| forms.place_by_rows(site.variable, indices);
        let written = row_by_row(&site.offsets()?)?;
        let read = row_by_row(offsets)?;
        Some(Candidate {
            writer,
            site: Cow::Owned(Site {
                indices: vec![Some(written)],
                ..site.clone()
            }),
            offsets: Cow::Owned(vec![read]),
        })
    });
    let as_they_are = writes.iter().map(|&(writer, site)| Candidate {
        writer,
        site: Cow::Borrowed(site),
        offsets: Cow::Borrowed(offsets),
    });
    as_they_are.chain(in_rows).collect()
}

/// A write that covers words of a read where all that it needs holds.
struct Way {
    /// The number of the write.
    writer: usize,
    /// The conditions under which it wrote the very word.
    needs: Vec<Cond>,
}

impl Way {
    /// Tests at a few points whether it clearly does not cover the read.
    fn fails(&self, place: &Place) -> Vec<bool> {
        let mut fails: Vec<bool> = Vec::new();
        for need in &self.needs {
            for (at, is_failing) in place.facts.fails(need).into_iter().enumerate() {
                match fails.get_mut(at) {
                    Some(known) => *known |= is_failing,
                    None => fails.push(is_failing),
                }
            }
        }
        fails
    }
}

/// True if some of these ways cover it together. What the first leaves open, part by part, must be covered by the
/// others.
fn are_all_covered(ways: &[&Way], place: &Place, parts: &mut u32) -> bool {
    if place.facts.is_exhausted() {
        return false;
    }
    // A point that none of them covers is covered by no proof.
    let fails: Vec<Vec<bool>> = ways.iter().map(|way| way.fails(place)).collect();
    let points = fails.iter().map(Vec::len).max().unwrap_or(0);
    let is_covered = |at: usize| fails.iter().any(|fails| fails.get(at) != Some(&true));
    if !(0..points).all(is_covered) {
        return false;
    }
    let mut left_open: Vec<(usize, Vec<Cond>)> = Vec::new();
    for way in ways {
        let needs = way.needs.iter().filter(|need| !holds(need, place));
        let left: Vec<Cond> = needs.cloned().collect();
        if left.is_empty() {
            return true;
        }
        left_open.push((way.writer, left));
    }
    // What never covers anything is no first part.
    let mut numbers = fails.iter();
    left_open.retain(|(_, left)| {
        let may_hold = numbers.next().is_some_and(|fails| fails.contains(&false));
        may_hold
            || !left
                .iter()
                .any(|need| place.facts.prove(need) == Some(false))
    });
    // Outside an equation there are two sides.
    left_open.sort_by_key(|(_, left)| {
        let equations = left.iter().filter(|need| matches!(need, Cond::Zero(_)));
        (equations.count(), left.len())
    });
    for (writer, left) in left_open {
        let Some(fewer) = parts.checked_sub(1) else {
            return false;
        };
        *parts = fewer;
        let others = ways.iter().filter(|way| way.writer != writer);
        let others: Vec<&Way> = others.copied().collect();
        if others.is_empty() {
            continue;
        }
        let mut so_far = place.clone();
        let is_covered = left.iter().all(|need| {
            let need = &place.facts.simplify_cond(need);
            let mut outsides = outside(need, place).into_iter();
            let is_covered = outsides.all(|out| {
                let mut outside = so_far.clone();
                outside.facts.suppose(&out);
                is_contradictory(&outside) || are_all_covered(&others, &outside, parts)
            });
            so_far.facts.suppose(need);
            is_covered
        });
        if is_covered {
            return true;
        }
    }
    false
}

/// The cases in which a condition does not hold: a whole number that is not 0 lies on either side of it.
fn outside(cond: &Cond, place: &Place) -> Vec<Cond> {
    match cond {
        Cond::Zero(value) if place.facts.is_integer(value) => {
            let (zero, one) = (Expr::zero(), Expr::one());
            vec![Cond::ge(value, &one), Cond::ge(&(&zero - value), &one)]
        }
        _ => vec![cond.clone().not()],
    }
}

fn holds(cond: &Cond, place: &Place) -> bool {
    holds_by(cond, place, never_negative_as_it_stands)
}

/// As [`holds`], with a test that a value is never negative.
fn holds_by(cond: &Cond, place: &Place, is_no_less: fn(&Expr, &Place) -> bool) -> bool {
    match cond {
        Cond::And(parts) => parts.iter().all(|part| holds_by(part, place, is_no_less)),
        _ => match place.facts.said_by(cond) {
            Some(value) => is_no_less(&value, place),
            None => place.facts.proves(cond),
        },
    }
}

/// True if nothing is left for the other writers, because the place is never reached.
fn is_contradictory(place: &Place) -> bool {
    if place.facts.are_met() {
        return false;
    }
    is_never_reached(place)
        || place.indices.iter().any(|index| {
            let value = Expr::symbol(&index.symbol);
            place.facts.prove(&Cond::ge(&value, &index.low)) == Some(false)
                || place.facts.prove(&Cond::le(&value, &index.high)) == Some(false)
        })
}

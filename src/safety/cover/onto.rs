//! Writes that reach every word: takes a write, and tells any word of its array by the numbers of the MP, the core and
//! the iterations that wrote it.
//!
//! The theorem is that an index reaches all that has a preimage: any word is named by digits of its own, one for each
//! number of the writer, and the writer with these numbers is asked whether it writes. `c[(s·m + i)·b + j]` writes word
//! w = m·b·q + b·r + t for s = q, i = r, j = t. Three ways lead from a word to its digits.
//!
//! - Division: for a whole c ≥ 1, w = c·q + t with 0 ≤ t < c.
//! - Windows: where f(low) ≤ w < f(high + 1), some d in low..high has f(d) ≤ w < f(d + 1). Rows of a packed triangle
//!   begin at f(d) = d(d + 1)/2.
//! - [`Map`]s, which take the numbers 0..n-1 to themselves and miss none.

use std::sync::Arc;

use crate::safety::bounds::never_negative_as_it_stands;
use crate::safety::cover::solve::Digit;
use crate::safety::cover::writer::own_numbers;
use crate::safety::digits::{self, Digits};
use crate::safety::forms::Forms;
use crate::safety::maps::Map;
use crate::safety::numbered::{Numbered, divides_number};
use crate::safety::site::{Index, Place, ScopeKind, Site};
use crate::sym::{Cond, Expr, Symbol};

/// The most words beside a digit that are told one by one: of `c[4v]` … `c[4v + 3]`.
const MOST_BESIDE: i64 = 4;

/// Any word of an array, told by the digits of a write.
pub(super) struct Told {
    /// The write. An index that a map is around is without it.
    pub(super) write: Site,
    /// The indices of the word, or the numbers that maps take there.
    pub(super) word: Vec<Expr>,
    /// The place of the read, with the digits.
    pub(super) place: Place,
    /// The digits, the highest of each index first.
    pub(super) digits: Vec<Digit>,
    /// True if a map is around some index: then no other write is told by these digits.
    pub(super) is_mapped: bool,
}

/// Tells any word of the array of a write by its digits, in several cases where the words beside the last digit are told
/// one by one. `None` where some index has no digits.
pub(super) fn told(write: &Site, read: &Place, forms: &mut Forms<'_>) -> Option<Vec<Told>> {
    let numbered = |forms: &mut Forms<'_>| numbered(write, forms);
    tell(write, read, forms)
        .or_else(|| tell(&numbered(forms)?, read, forms))
        .or_else(|| tell(&in_rows(write, read, forms)?, read, forms))
}

fn tell(write: &Site, read: &Place, forms: &mut Forms<'_>) -> Option<Vec<Told>> {
    let extents = forms.extents(write.variable)?;
    let offsets = write.offsets()?;
    let own = own_numbers(&write.place, read)?;
    let mut teller = Teller {
        words: write.place.words.clone(),
        write: Arc::clone(&write.place),
        own,
        known: Vec::new(),
        place: read.clone(),
        digits: Vec::new(),
        forms,
    };
    let mut indices = offsets.clone();
    let mut is_mapped = false;
    let mut cases = vec![(vec![Expr::zero(); offsets.len()], Vec::new())];
    // An index with one number tells it to the others: r to the second of `_t[r, (r + j) mod b]`.
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|at| match teller.own_in(&offsets[*at]).len() {
        0 => usize::MAX,
        numbers => numbers,
    });
    for at in order {
        let is_own = (&teller.known[..], &teller.unknown()[..]);
        let map = Map::around(
            &offsets[at],
            &extents[at],
            &teller.place,
            is_own,
            teller.forms,
        );
        is_mapped |= map.is_some();
        let values = match map {
            Some(map) => {
                indices[at] = map.inner;
                teller.values(&indices[at], &Span::Window(map.last))?
            }
            None => teller.values(&offsets[at], &Span::Words(&extents[at] - 1))?,
        };
        let anew = cases.iter().flat_map(|(word, conds)| {
            values.iter().map(|value| {
                let mut word: Vec<Expr> = word.clone();
                word[at] = value.number.clone();
                let conds: Vec<Cond> = conds.iter().chain(&value.conds).cloned().collect();
                (word, conds)
            })
        });
        cases = anew.collect();
    }
    let write = Site {
        indices: indices.into_iter().map(Some).collect(),
        ..write.clone()
    };
    let told = cases.into_iter().map(|(word, conds)| {
        let mut place = teller.place.clone();
        conds.iter().for_each(|cond| place.guard(cond));
        let digits = teller.digits.iter().map(|digit| Digit {
            own: digit.own.clone(),
            digit: digit.digit.clone(),
        });
        Told {
            write: write.clone(),
            word,
            place,
            digits: digits.collect(),
            is_mapped,
        }
    });
    Some(told.collect())
}

/// The numbers that an index must reach.
enum Span {
    /// All from 0 to a last one.
    Words(Expr),
    /// As many as from 0 to a last one, in a row, from anywhere.
    Window(Expr),
}

/// A number told by digits, and the conditions on them.
struct Value {
    number: Expr,
    conds: Vec<Cond>,
}

/// The digits found so far.
struct Teller<'t, 'p> {
    /// The numbers of the writer.
    own: Vec<Index>,
    /// Its numbers that have a digit, with it.
    known: Vec<(Symbol, Expr)>,
    /// The words of data that it met.
    words: Vec<Symbol>,
    /// The place of the write.
    write: Arc<Place>,
    /// The place of the read.
    place: Place,
    digits: Vec<Digit>,
    forms: &'t mut Forms<'p>,
}

impl Teller<'_, '_> {
    /// The numbers of the writer in an index that have no digit yet.
    fn own_in(&self, offset: &Expr) -> Vec<Index> {
        let is_known = |own: &Index| self.known.iter().any(|(known, _)| *known == own.symbol);
        let own = self.own.iter();
        let own = own.filter(|own| offset.contains(&own.symbol) && !is_known(own));
        own.cloned().collect()
    }

    /// What is the writer's own and has no digit: its other numbers, and the words that it met.
    fn unknown(&self) -> Vec<Symbol> {
        let own = self.own.iter().map(|own| &own.symbol);
        let is_known = |own: &&Symbol| self.known.iter().any(|(known, _)| known == *own);
        let numbers = own.filter(|own| !is_known(own));
        numbers.chain(&self.words).cloned().collect()
    }

    /// Tells every number that an index must reach.
    fn values(&mut self, offset: &Expr, span: &Span) -> Option<Vec<Value>> {
        let known = self.known.iter();
        let offset = known.fold(offset.clone(), |offset, (own, digit)| {
            offset.substitute(own, digit)
        });
        let is_of_words = self.words.iter().any(|word| offset.contains(word));
        if is_of_words || !self.forms.words_in(&offset).is_empty() {
            return None;
        }
        let own = self.own_in(&offset);
        // The words 2v and 2v + 1 are told by the same digits.
        let base = own
            .iter()
            .fold(offset.clone(), |base, own| base.without(&own.symbol));
        let rest = &offset - &base;
        let base = match span {
            Span::Words(_) if base.as_rational().is_some() => Expr::zero(),
            _ => base,
        };
        if !self.place.facts.is_integer(&base) {
            return None;
        }
        let is_falling = own.iter().any(|own| {
            let slope = rest.linear_in(&own.symbol);
            slope.is_some_and(|[_, slope]| self.is_at_least(&slope.neg(), &Expr::one()))
        });
        let rising = |value: Expr| if is_falling { value.neg() } else { value };
        let ends = match span {
            Span::Window(last) => [Expr::zero(), last.clone()],
            Span::Words(last) if is_falling => [&base - last, base.clone()],
            Span::Words(last) => [base.neg(), last - &base],
        };
        let mut values = self.digits(&rising(rest), &ends)?;
        for value in &mut values {
            if let Span::Window(last) = span {
                value.conds.push(Cond::ge(&value.number, &Expr::zero()));
                value.conds.push(Cond::le(&value.number, last));
            }
            value.number = &base + rising(std::mem::take(&mut value.number));
            if let Span::Words(last) = span {
                value.conds.push(Cond::ge(&value.number, &Expr::zero()));
                value.conds.push(Cond::le(&value.number, last));
            }
        }
        Some(values)
    }

    /// Tells every number between two ends by the digits of a form, the highest first.
    fn digits(&mut self, form: &Expr, [low, high]: &[Expr; 2]) -> Option<Vec<Value>> {
        let own = self.own_in(form);
        if own.is_empty() {
            return self.beside([low, high]);
        }
        let top = self.highest(form, &own)?;
        let others = form.without(&top.symbol);
        let begins = form - &others;
        let is_of_others = own
            .iter()
            .any(|other| other.symbol != top.symbol && begins.contains(&other.symbol));
        if is_of_others {
            return None;
        }
        let digit = self.forms.fresh(&top.symbol.name);
        let number = Expr::symbol(&digit);
        let at = |value: &Expr| begins.substitute(&top.symbol, value);
        let [here, next] = [at(&number), at(&(&number + 1))];
        let place = &self.place;
        let step = place.facts.simplify(&(next - &here));
        let range = if begins.linear_in(&top.symbol).is_some() {
            let is_step = place.facts.is_integer(&step) && self.is_at_least(&step, &Expr::one());
            let ends = [low.floor_div(&step)?, high.floor_div(&step)?];
            is_step.then_some(ends.map(|end| place.facts.simplify(&end)))?
        } else {
            let numbers = self.own.iter().map(|own| &own.symbol);
            let of_writer: Vec<&Symbol> = numbers.chain(&self.words).collect();
            let is_own = |end: &&Expr| of_writer.iter().any(|own| end.contains(own));
            // A guard may end the numbers before their range does.
            let guarded = digits::last_of(&self.write, &top.symbol);
            let guarded = guarded.into_iter().find(|end| !is_own(&end));
            let ends = [&top.low, guarded.as_ref().unwrap_or(&top.high)];
            let [first, end] = ends;
            let is_reached = self.is_at_least(low, &at(first))
                && self.is_at_least(&(at(&(end + 1)) - 1), high)
                && self.is_at_least(&(end + 1), first);
            if ends.iter().any(is_own) || !is_reached {
                return None;
            }
            ends.map(Expr::clone)
        };
        self.place.range(&digit, &range[0], &range[1], 0);
        if !self.place.facts.is_integer(&here) {
            return None;
        }
        self.known.push((top.symbol.clone(), number));
        let own = self.forms.twin(&top.symbol);
        self.digits.push(Digit { own, digit });
        let last = &step - 1;
        let zero = Expr::zero();
        let mut values = self.digits(&others, &[zero.clone(), last.clone()])?;
        for value in &mut values {
            let below = [
                Cond::ge(&value.number, &zero),
                Cond::le(&value.number, &last),
            ];
            value.conds.extend(below);
            value.number = &here + &value.number;
        }
        Some(values)
    }

    /// Tells the numbers between two ends without digits: one by one where they are few.
    fn beside(&mut self, [low, high]: [&Expr; 2]) -> Option<Vec<Value>> {
        let count = (high - low + 1)
            .as_integer()
            .and_then(|count| i64::try_from(count).ok());
        if let Some(count) = count.filter(|count| *count <= MOST_BESIDE) {
            let each = (0..count).map(|number| Value {
                number: low + Expr::int(number),
                conds: Vec::new(),
            });
            return Some(each.collect());
        }
        let symbol = self.forms.fresh("word");
        self.place.range(&symbol, low, high, 0);
        let any = Value {
            number: Expr::symbol(&symbol),
            conds: Vec::new(),
        };
        Some(vec![any])
    }

    /// The number with the greatest step in a form, or with one above all that the others add; one in which it is not
    /// linear before all others.
    fn highest(&self, form: &Expr, own: &[Index]) -> Option<Index> {
        let slope = |index: &Index| form.linear_in(&index.symbol).map(|[_, slope]| slope);
        if let Some(curved) = own.iter().find(|index| slope(index).is_none()) {
            return Some(curved.clone());
        }
        let is_highest = |index: &&Index| {
            own.iter().all(|other| match [slope(index), slope(other)] {
                [Some(step), Some(less)] => step == less || self.is_at_least(&step, &less),
                [_, _] => false,
            })
        };
        let is_above_others = |index: &&Index| {
            let others = form.without(&index.symbol);
            slope(index)
                .is_some_and(|step| never_negative_as_it_stands(&(step - 1 - others), &self.write))
        };
        let highest = own.iter().find(is_highest);
        highest
            .or_else(|| own.iter().find(is_above_others))
            .cloned()
    }

    fn is_at_least(&self, value: &Expr, least: &Expr) -> bool {
        never_negative_as_it_stands(&(value - least), &self.place)
    }
}

/// Returns a write with the number of its core through all MPs in the place of both: `c[v(v + 1)/2 + s]` of v = ib + j.
fn numbered(write: &Site, forms: &mut Forms<'_>) -> Option<Site> {
    let numbered = Numbered::new(&write.place, forms.fresh("number"))?;
    let offsets = write.offsets()?;
    let indices = offsets.iter().map(|offset| numbered.of(offset).map(Some));
    Some(Site {
        indices: indices.collect::<Option<_>>()?,
        place: Arc::new(numbered.place),
        ..write.clone()
    })
}

/// Returns a write with the number of its core, or of its core through all MPs, taken apart where its indices speak of
/// what that is divided by: `c[(v mod m)·k + v div m]`.
fn in_rows(write: &Site, read: &Place, forms: &mut Forms<'_>) -> Option<Site> {
    // The digits of a number belong to the scope of the cores. Where the reader is in it too, they would be taken for
    // its own.
    let is_shared = write
        .place
        .scopes
        .iter()
        .any(|scope| scope.kind == ScopeKind::Cores && read.scopes.contains(scope));
    let mut offsets = write.offsets()?;
    if write.is_plain() || is_shared {
        return None;
    }
    let mut place = (*write.place).clone();
    if offsets.iter().any(|offset| divides_number(offset, &place)) {
        let numbered = numbered(write, forms)?;
        offsets = numbered.offsets()?;
        place = (*numbered.place).clone();
    }
    let core = place.core()?.clone();
    let width = digits::widths(&offsets, &place, &core.symbol)
        .into_iter()
        .next()?;
    let names = [forms.fresh("digit"), forms.fresh("rest")];
    let digits = Digits::new(&place, &core, &width, names)?;
    let indices = offsets.iter().map(|offset| Some(digits.of(offset)));
    Some(Site {
        indices: indices.collect(),
        place: Arc::new(digits.place.clone()),
        ..write.clone()
    })
}

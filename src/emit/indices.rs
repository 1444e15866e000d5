//! Indices of 32 bits: which names have room in them, and where a term needs 64 bits all the same.
//!
//! A name is an `int` where all its values, over everything that has this name, lie within 32 bits; an index that is
//! not known to is a `whole`, of 64. C computes with ints as ints, so each sum, difference and product of two ints is
//! given between which values it lies: i·b + j with i < 2^20, b = 32 and j < 32 is below 2^25. One that may leave 32
//! bits gets a cast of its left side, `(whole)i * n`, and everything above it has 64 bits then. What data decide has
//! as many bits as its words, and is left alone.

use std::collections::{HashMap, HashSet};

use crate::emit::number::{Bounds, SHORT_ENDS as ENDS};
use crate::emit::term::Term;

/// The range of an unknown value, with room for sums.
const NOWHERE: Range = (i64::MIN / 4, i64::MAX / 4);
/// The values that any word of 32 bits may have.
const ALL: Range = (i32::MIN as i64, i32::MAX as i64);

pub(crate) type Range = (i64, i64);

/// The names of 32 bits.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Indices {
    /// The range of each of them.
    short: HashMap<String, Range>,
    /// Int arrays whose words have 32 bits, and registers that are such words.
    short_words: HashSet<String>,
    /// True where every index is within its array, and no array has more than 2^31 - 1 words.
    is_in_bounds: bool,
    /// True where `min` and `max` of ints are the language's own.
    has_least: bool,
}

impl Indices {
    /// All names that lie between known ends.
    pub(crate) fn of<'n>(
        ranges: impl Iterator<Item = (&'n str, Bounds)>,
        short_words: HashSet<String>,
        is_in_bounds: bool,
    ) -> Indices {
        let short = ranges.filter_map(|(name, bounds)| Some((name.to_owned(), bounds.short()?)));
        Indices {
            short: short.collect(),
            short_words,
            is_in_bounds,
            has_least: false,
        }
    }

    /// The same where `min` and `max` of ints are the language's own.
    pub(crate) fn with_least(&self) -> Indices {
        Indices {
            has_least: true,
            ..self.clone()
        }
    }

    /// Returns true if terms rely on every index lying within its array, and on no array being too large for indices of
    /// 32 bits.
    pub(crate) fn is_in_bounds(&self) -> bool {
        self.is_in_bounds
    }

    /// Returns true if a name has 32 bits.
    pub(crate) fn is_short(&self, name: &str) -> bool {
        self.short.contains_key(name)
    }

    /// The type of a name that stands for a whole number.
    pub(crate) fn type_of(&self, name: &str) -> &'static str {
        if self.is_short(name) { "int" } else { "whole" }
    }

    /// Returns the range of a term of 32 bits; `None` for other terms.
    pub(crate) fn range(&self, term: &Term) -> Option<Range> {
        self.widened(term, Wraps::Never).1
    }

    /// Returns the term that is written to a place. A sum that is too large for a word of 32 bits wraps there.
    pub(crate) fn assigned(&self, place: &Term, value: &Term) -> Term {
        match place {
            Term::Word(name, _) | Term::Register(name) if self.short_words.contains(name) => {
                self.widened(value, Wraps::InSums).0
            }
            _ => self.fitting(value),
        }
    }

    /// Returns the term with as many bits as its values need.
    pub(crate) fn fitting(&self, term: &Term) -> Term {
        self.widened(term, Wraps::Never).0
    }

    /// Returns the term with casts, and its range if C takes it for an int.
    fn widened(&self, term: &Term, wraps: Wraps) -> (Term, Option<Range>) {
        let inner = |term: &Term| self.widened(term, Wraps::Never);
        match term {
            Term::Whole(value) => {
                let range = (*value, *value);
                (term.clone(), is_within(range, ALL).then_some(range))
            }
            Term::Real(_) | Term::Text(_) => (term.clone(), None),
            // An array's name is no word of it.
            Term::Name(name) => (term.clone(), self.short.get(name).copied()),
            Term::Register(name) => (term.clone(), self.range_of(name)),
            Term::Word(name, place) => {
                let place = if self.is_in_bounds {
                    self.within(place, (0, ENDS.1)).0
                } else {
                    inner(place).0
                };
                (
                    Term::Word(name.clone(), Box::new(place)),
                    self.range_of(name),
                )
            }
            Term::Prefix("-", of) => negated(self.widened(of, wraps), wraps),
            Term::Prefix(operator, of) => {
                let range = (*operator == "!").then_some((0, 1));
                (Term::Prefix(operator, Box::new(inner(of).0)), range)
            }
            Term::Cast(to, of) => (Term::cast(to, inner(of).0), None),
            Term::Infix(operator @ ("+" | "-" | "*"), left, right) => {
                let sides = (self.widened(left, wraps), self.widened(right, wraps));
                infix(operator, sides, wraps)
            }
            Term::Infix(operator, left, right) => {
                infix(operator, (inner(left), inner(right)), Wraps::Never)
            }
            Term::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                let ((then, x), (otherwise, y)) = (inner(then), inner(otherwise));
                let range = x.zip(y).map(|(x, y)| hull([x, y]));
                let parts = [inner(condition).0, then, otherwise];
                (Term::Choice(Box::new(parts)), range)
            }
            Term::Call(function, arguments) => {
                called(function, arguments.iter().map(inner), self.has_least)
            }
        }
    }

    /// The same for a term that is known to lie between two ends, as a place in an array does. If y·c + j lies in
    /// 0..2^31 - 1 and 0 ≤ j < 2^20, then y·c lies in -2^20..2^31 - 1, whatever y and c may be elsewhere.
    fn within(&self, term: &Term, ends: Range) -> (Term, Option<Range>) {
        let (widened, range) = match term {
            Term::Infix(operator @ ("+" | "-"), left, right) => {
                let (right, by) = self.widened(right, Wraps::Never);
                let of_left = by.map_or(NOWHERE, |by| match *operator {
                    "+" => (ends.0 - by.1, ends.1 - by.0),
                    _ => (ends.0 + by.0, ends.1 + by.1),
                });
                let (left, of) = self.within(left, of_left);
                if of.is_none() || by.is_none() {
                    return infix(operator, ((left, of), (right, by)), Wraps::Never);
                }
                (Term::infix(operator, left, right), None)
            }
            Term::Infix("*", left, right) => {
                let sides = [left, right].map(|side| self.widened(side, Wraps::Never));
                let [(left, Some(_)), (right, Some(_))] = sides else {
                    return self.widened(term, Wraps::Never);
                };
                (Term::infix("*", left, right), None)
            }
            _ => return self.widened(term, Wraps::Never),
        };
        if is_within(ends, ALL) {
            (widened, range.or(Some(ends)))
        } else {
            self.widened(term, Wraps::Never)
        }
    }

    /// Returns the range of a name of 32 bits.
    pub(crate) fn range_of(&self, name: &str) -> Option<Range> {
        let is_word = self.short_words.contains(name);
        self.short.get(name).copied().or(is_word.then_some(ALL))
    }
}

/// Says which terms may leave 32 bits: those whose value wraps into a word of 32 bits anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wraps {
    Never,
    InSums,
}

type Widened = (Term, Option<Range>);

fn negated((of, range): Widened, wraps: Wraps) -> Widened {
    let negated = range.map(|(low, high)| (-high, -low));
    match negated {
        Some(range) if is_within(range, ALL) => (Term::prefix("-", of), Some(range)),
        Some(_) if wraps == Wraps::InSums => (Term::prefix("-", of), Some(ALL)),
        Some(_) => (Term::prefix("-", of.into_whole()), None),
        None => (Term::prefix("-", of), None),
    }
}

/// Joins both sides by an operator. The left one is cast if the result may leave 32 bits.
fn infix(operator: &'static str, (left, right): (Widened, Widened), wraps: Wraps) -> Widened {
    let ((left, x), (right, y)) = (left, right);
    let term = |left, right| Term::infix(operator, left, right);
    if matches!(
        operator,
        "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||"
    ) {
        return (term(left, right), Some((0, 1)));
    }
    // A shift has the bits of its left side alone.
    let (x, y) = match (operator, x, y) {
        (">>" | "<<", Some(x), y) => (x, y.unwrap_or((0, 63))),
        (_, Some(x), Some(y)) => (x, y),
        _ => return (term(left, right), None),
    };
    match computed(operator, x, y).filter(|range| is_within(*range, ALL)) {
        Some(range) => (term(left, right), Some(range)),
        None if wraps == Wraps::InSums => (term(left, right), Some(ALL)),
        None => (term(left.into_whole(), right), None),
    }
}

/// Returns the range of a result; `None` if 32 bits may not be enough on the way.
fn computed(operator: &str, x: Range, y: Range) -> Option<Range> {
    let corners = |of: fn(i64, i64) -> i64| {
        let all = [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)];
        hull(all.map(|(x, y)| (of(x, y), of(x, y))))
    };
    let size = |range: Range| range.0.abs().max(range.1.abs());
    // The least number over -1 is no int.
    let is_safe = x.0 > ALL.0 || y.0 > 0;
    match operator {
        "+" => Some((x.0 + y.0, x.1 + y.1)),
        "-" => Some((x.0 - y.1, x.1 - y.0)),
        "*" => Some(corners(|x, y| x * y)),
        "/" if y.0 > 0 => Some(corners(|x, y| x / y)),
        "/" => is_safe.then_some((-size(x), size(x))),
        "%" if y.0 > 0 && x.0 >= 0 => Some((0, x.1.min(y.1 - 1))),
        "%" => is_safe.then_some((-size(y), size(y))),
        "&" if x.0 >= 0 && y.0 >= 0 => Some((0, x.1.min(y.1))),
        "&" | "|" | "^" if x.0 < 0 || y.0 < 0 => Some(ALL),
        "&" | "|" | "^" => Some((0, (x.1.max(y.1) as u64 + 1).next_power_of_two() as i64 - 1)),
        "<<" if y.0 >= 0 && y.1 < 31 => Some(corners(|x, y| x << y)),
        ">>" if y.0 >= 0 && y.1 < 32 => Some(corners(|x, y| x >> y)),
        _ => None,
    }
}

/// Writes a call, or the operator that does the same.
fn called(
    function: &'static str,
    arguments: impl Iterator<Item = Widened>,
    has_least: bool,
) -> Widened {
    let (terms, ranges): (Vec<Term>, Vec<Option<Range>>) = arguments.unzip();
    if let ([x, y], [_, Some(by)]) = (&terms[..], &ranges[..])
        && by.0 >= 0
        && by.1 <= 62
        && let Some(operator) = match function {
            "shift_left" => Some("<<"),
            "shift_right" => Some(">>"),
            _ => None,
        }
    {
        let sides = ((x.clone(), ranges[0]), (y.clone(), ranges[1]));
        return infix(operator, sides, Wraps::Never);
    }
    let known: Option<Vec<Range>> = ranges.into_iter().collect();
    let range = known.and_then(|known| of_call(function, &known));
    let own = match function {
        "least" => Some("min"),
        "greatest" => Some("max"),
        _ => None,
    };
    if let (Some(own), Some(range), true) = (own, range, has_least) {
        return (Term::call(own, terms), Some(range));
    }
    if let ("least" | "greatest", [x, y]) = (function, &terms[..])
        && x.is_leaf()
        && y.is_leaf()
    {
        let order = if function == "least" { "<" } else { ">" };
        let is_better = Term::infix(order, x.clone(), y.clone());
        let parts = [is_better, x.clone(), y.clone()];
        return (Term::Choice(Box::new(parts)), range);
    }
    let call = Term::call(function, terms);
    match range {
        Some(_) if is_truth(function) => (call, range),
        Some(range) if is_within(range, ALL) => (Term::cast("int", call), Some(range)),
        _ => (call, None),
    }
}

fn is_truth(function: &str) -> bool {
    matches!(
        function,
        "divides" | "is_power_of" | "order_of_ratios" | "any_core"
    )
}

/// Returns the range of a function of ints.
fn of_call(function: &str, of: &[Range]) -> Option<Range> {
    let size = |range: Range| range.0.abs().max(range.1.abs());
    Some(match (function, of) {
        ("least", [x, y]) => (x.0.min(y.0), x.1.min(y.1)),
        ("greatest", [x, y]) => (x.0.max(y.0), x.1.max(y.1)),
        ("absolute", [x]) => (0, size(*x)),
        ("floor_div" | "ceil_div", [x, _]) => (-size(*x), size(*x)),
        ("floor_mod", [_, y]) => (-size(*y), size(*y)),
        ("floor_log2" | "ceil_log2", [_]) => (0, 64),
        ("divides" | "is_power_of", _) => (0, 1),
        ("order_of_ratios", _) => (-1, 1),
        _ => return None,
    })
}

fn is_within(range: Range, ends: Range) -> bool {
    ends.0 <= range.0 && range.1 <= ends.1
}

fn hull<const N: usize>(ranges: [Range; N]) -> Range {
    let low = ranges.iter().map(|range| range.0).min();
    let high = ranges.iter().map(|range| range.1).max();
    (low.unwrap_or(0), high.unwrap_or(0))
}

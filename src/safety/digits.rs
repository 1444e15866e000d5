//! An index as two digits, x = w·q + r with 0 ≤ r < w: what speaks of ⌊x/w⌋ and x mod w is plain in q
//! and r. Thread blocks in two dimensions, the two halves of a butterfly, the partner that differs in
//! one bit.

use crate::safety::site::{Index, Place};
use crate::sym::{Cond, Expr, Symbol};

/// Widths that are tried for an index.
const MOST_WIDTHS: usize = 3;

/// A place where an index is two digits.
pub(crate) struct Digits {
    /// The place, with the digits as indices of their own.
    pub(crate) place: Place,
    /// q
    higher: Symbol,
    /// r
    lower: Symbol,
    index: Symbol,
    width: Expr,
    spans: [Index; 2],
}

impl Digits {
    /// Takes an index of a place apart, with two symbols that nothing speaks of; `None` where w is not known
    /// to be whole and positive.
    pub(crate) fn new(
        place: &Place,
        index: &Index,
        width: &Expr,
        [higher, lower]: [Symbol; 2],
    ) -> Option<Digits> {
        let facts = &place.facts;
        if !facts.is_integer(width) || !facts.proves(&Cond::ge(width, &Expr::one())) {
            return None;
        }
        let spans = spans(place, index, width, [&higher, &lower])?;
        let mut digits = Digits {
            place: place.clone(),
            spans,
            index: index.symbol.clone(),
            width: width.clone(),
            higher,
            lower,
        };
        digits.replace_index(place);
        // All that is asked before anything is learnt is concluded from the same.
        let anew = digits.guards_anew(place, index)?;
        for guard in &anew {
            for symbol in [digits.higher.clone(), digits.lower.clone()] {
                for (end, side) in ends_of(guard, &symbol, &digits.place) {
                    digits.narrow(&symbol, end, side);
                }
            }
        }
        let known = digits.spans.each_ref();
        let known = known.map(|span| Cond::ge(&Expr::symbol(&span.symbol), &span.low));
        for guard in anew.iter().filter(|guard| !known.contains(guard)) {
            digits.place.guard(guard);
        }
        Some(digits)
    }

    /// Puts the digits in the place of the index, and leaves out the guards that speak of it.
    fn replace_index(&mut self, place: &Place) {
        self.place.indices = Vec::new();
        let guards = &mut self.place.guards;
        guards.retain(|guard| !guard.contains(&self.index));
        for own in &place.indices {
            if own.symbol == self.index {
                for digit in &self.spans {
                    let Index {
                        symbol,
                        low,
                        high,
                        scope,
                    } = digit;
                    self.place.range(symbol, low, high, *scope);
                }
                continue;
            }
            let (low, high) = (self.of(&own.low), self.of(&own.high));
            self.place.indices.push(Index {
                low,
                high,
                ..own.clone()
            });
        }
    }

    /// Returns the guards that speak of the index, in terms of the digits, but for those that the ranges of the digits
    /// imply.
    fn guards_anew(&self, place: &Place, index: &Index) -> Option<Vec<Cond>> {
        let [one, own] = [Expr::one(), Expr::symbol(&index.symbol)];
        let quotient = Expr::symbol(&self.higher);
        let is_whole = self.spans[0].high == (&index.high + &one).div(&self.width)? - &one;
        let mut anew: Vec<Cond> = Vec::new();
        let guards = place.guards.iter();
        for guard in guards.filter(|guard| guard.contains(&index.symbol)) {
            let is_implied = *guard == Cond::ge(&own, &index.low) && index.low.is_zero()
                || *guard == Cond::le(&own, &index.high) && is_whole;
            if is_implied {
                continue;
            }
            // The rest is less than w: q is bounded by what bounds x, over w and rounded.
            for (end, side) in ends_of(guard, &index.symbol, place) {
                let rounded = rounded(&end, &self.width, place);
                anew.extend(rounded.map(|end| side.of(&quotient, &end)));
            }
            anew.push(guard.map(&|value| self.of(value)));
        }
        Some(anew)
    }

    /// Gives a digit another last number, if it is less.
    fn narrow(&mut self, symbol: &Symbol, end: Expr, side: Side) {
        let mut indices = self.place.indices.iter_mut();
        let Some(index) = indices.find(|index| index.symbol == *symbol) else {
            return;
        };
        // Both are ends; a rounded one tells little.
        let is_plainer = end.in_floors().is_empty() && !index.high.in_floors().is_empty();
        let is_closer = matches!(side, Side::Most)
            && (is_plainer || self.place.facts.proves(&Cond::lt(&end, &index.high)));
        if is_closer {
            index.high = end;
        }
    }

    /// The two digits as they run for every number, q first: what a guard says of the digits of this place alone is left
    /// out, so that another place with the same number has the same.
    pub(crate) fn spans(&self) -> [&Index; 2] {
        [&self.spans[0], &self.spans[1]]
    }

    /// A value in terms of the digits.
    pub(crate) fn of(&self, value: &Expr) -> Expr {
        if !value.contains(&self.index) {
            return value.clone();
        }
        let [higher, lower] = [&self.higher, &self.lower].map(Expr::symbol);
        let number = &self.width * &higher + &lower;
        let facts = &self.place.facts;
        let value = facts.simplify(&value.substitute(&self.index, &number));
        facts.simplify(&facts.without_digit(&value, &self.lower, &self.width))
    }
}

/// Returns ⌊end/w⌋, which is (end + 1)/w - 1 where w divides end + 1.
fn rounded(end: &Expr, width: &Expr, place: &Place) -> Option<Expr> {
    let next = place.facts.simplify(&(end + 1).div(width)?);
    if next.in_floors().is_empty() && place.facts.is_integer(&next) {
        return Some(next - 1);
    }
    Some(place.facts.simplify(&end.floor_div(width)?))
}

/// Returns the ranges of both digits of an index.
fn spans(
    place: &Place,
    index: &Index,
    width: &Expr,
    [higher, lower]: [&Symbol; 2],
) -> Option<[Index; 2]> {
    let span = |symbol: &Symbol, low: Expr, high: Expr| Index {
        symbol: symbol.clone(),
        low,
        high,
        scope: index.scope,
    };
    let [least, most] = [&index.low, &index.high].map(|end| rounded(end, width, place));
    Some([
        span(higher, least?, most?),
        span(lower, Expr::zero(), width - 1),
    ])
}

/// The end that a guard gives to an index.
#[derive(Clone, Copy)]
enum Side {
    Least,
    Most,
}

impl Side {
    fn of(self, value: &Expr, end: &Expr) -> Cond {
        match self {
            Side::Least => Cond::ge(value, end),
            Side::Most => Cond::le(value, end),
        }
    }
}

/// The ends that a guard gives to an index.
fn ends_of(guard: &Cond, symbol: &Symbol, place: &Place) -> Vec<(Expr, Side)> {
    let linear = |value: &Expr| {
        let [rest, slope] = value.linear_in(symbol)?;
        let is_negative = match slope.as_rational() {
            Some(slope) => slope.is_negative(),
            None if place.facts.is_positive(&slope) => false,
            None if place.facts.is_positive(&slope.neg()) => true,
            None => return None,
        };
        Some((rest.neg().div(&slope)?, is_negative))
    };
    let of = |value: &Expr| {
        let (end, is_negative) = linear(value)?;
        let side = if is_negative { Side::Most } else { Side::Least };
        Some((end, side))
    };
    match guard {
        Cond::Zero(value) => match (linear(value), value.in_floor()) {
            (Some((end, _)), _) => vec![(end.clone(), Side::Least), (end, Side::Most)],
            // ⌊x⌋ = 0 as x < 1
            (None, Some(inner)) => {
                let below = Expr::one() - &inner;
                match linear(&below) {
                    Some((end, true)) if place.facts.is_integer(&end) => {
                        vec![(&end - 1, Side::Most)]
                    }
                    _ => Vec::new(),
                }
            }
            (None, None) => Vec::new(),
        },
        _ => {
            let said = place.facts.said_by(guard);
            said.and_then(|value| of(&value)).into_iter().collect()
        }
    }
}

/// The last numbers that guards give to an index.
pub(crate) fn last_of(place: &Place, symbol: &Symbol) -> Vec<Expr> {
    let guards = place.guards.iter();
    let ends = guards.flat_map(|guard| ends_of(guard, symbol, place));
    let last = ends.filter(|(_, side)| matches!(side, Side::Most));
    last.map(|(end, _)| end).collect()
}

/// The w of which values speak as ⌊x/w⌋, and after them the guards around.
pub(crate) fn widths(values: &[Expr], place: &Place, symbol: &Symbol) -> Vec<Expr> {
    let mut widths = Vec::new();
    let mut add = |value: &Expr| {
        for inner in value.in_floors() {
            if widths.len() < MOST_WIDTHS
                && let Some([_, slope]) = inner.linear_in(symbol)
                && !slope.is_zero()
                && let Some(width) = Expr::one().div(&slope)
                && !widths.contains(&width)
            {
                widths.push(width);
            }
        }
    };
    values.iter().for_each(&mut add);
    for guard in place.guards.iter().filter(|guard| guard.contains(symbol)) {
        guard.for_each_expr(&mut add);
    }
    widths
}

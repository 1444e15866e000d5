//! Points at which all facts hold. A condition that fails at one of them cannot be proved, so no
//! search is spent on it. Having no point is no obstacle: then every condition is searched for.

use std::sync::Arc;

use crate::sym::evaluate::approximate;
use crate::sym::expr::types::Atom;
use crate::sym::{Cond, Expr, Symbol, SymbolId, SymbolKind};

/// How many points are kept.
pub(crate) const MODELS: usize = 10;

/// A value at each point; what has no value there, or no point, is not a number.
pub(crate) type AtPoints = [f64; MODELS];
/// Points whose symbols are of one size. At the others one symbol is far larger than all products of
/// the rest: most of what cannot be proved compares a size with others.
const LEVEL: usize = 6;
/// How much larger.
const FAR: f64 = 1024.0;
/// Where larger candidates begin.
const MIDDLE: usize = 6;
/// Symbols that are known before all others: parameters, not letters or loop variables.
const FIRST_SYMBOLS: usize = 4;
/// With as many left, none is moved for a condition about known symbols.
const FEW: usize = 8;
/// Values tried for a symbol; each point starts at another place of the list.
const CANDIDATES: [f64; 22] = [
    1.0, 2.0, 7.0, 3.0, 0.0, 5.0, 16.0, 4.0, 9.0, 6.0, 8.0, 64.0, 27.0, 10.0, 12.0, 25.0, 32.0,
    81.0, 100.0, 31.0, 256.0, 1000.0,
];
/// Tried after those: most symbols turn out to be sizes and indexes.
const NEGATIVE: [f64; 2] = [-1.0, -3.0];
/// Values tried for a second symbol, when moving one alone breaks what is known.
const BESIDE: [f64; 6] = [64.0, 1000.0, 7.0, 2.0, 1.0, 0.0];
/// Values tried for the first one then.
const MOVED: usize = 8;

/// Among more conditions than this no points are looked for.
const MOST_LEARNT: usize = 400;

/// A few points that satisfy everything learnt so far.
#[derive(Clone)]
pub(crate) struct Models {
    points: Vec<Point>,
    learnt: Vec<Learnt>,
}

/// A condition with the symbols it speaks of, in order.
#[derive(Clone)]
struct Learnt {
    cond: Cond,
    symbols: Arc<[Symbol]>,
}

#[derive(Clone)]
struct Point {
    seed: usize,
    /// In the order of the symbols; shared by copies until one of them moves.
    values: Arc<Vec<(SymbolId, f64)>>,
}

impl Default for Models {
    fn default() -> Self {
        let point = |seed| Point {
            seed,
            values: Arc::default(),
        };
        Models {
            points: (0..MODELS).map(point).collect(),
            learnt: Vec::new(),
        }
    }
}

impl Models {
    /// Keeps the points that satisfy one more condition, moving others until they do.
    pub(crate) fn learn(&mut self, cond: &Cond) {
        if self.learnt.len() > MOST_LEARNT {
            return self.forget();
        }
        let symbols: Arc<[Symbol]> = cond.symbols().into_iter().collect();
        self.learnt.push(Learnt {
            cond: cond.clone(),
            symbols: symbols.clone(),
        });
        let points = std::mem::take(&mut self.points);
        // Moving a point is worth it for a new symbol, or when no other is left.
        let adapts = |point: &Point| symbols.iter().any(|symbol| point.place(symbol).is_err());
        let mut kept: Vec<Point> = points
            .iter()
            .filter(|point| !adapts(point) && point.satisfies(cond))
            .cloned()
            .collect();
        for point in &points {
            let is_kept = !adapts(point) && point.satisfies(cond);
            if !is_kept
                && (adapts(point) || kept.len() < FEW)
                && let Some(moved) = self.adapted(point.clone(), cond, &symbols)
            {
                kept.push(moved);
            }
        }
        self.points = match kept.is_empty() {
            false => kept,
            true => points
                .into_iter()
                .take(2)
                .filter_map(|point| {
                    let moved = self.adapted(point.clone(), cond, &symbols);
                    moved.or_else(|| self.repaired(point, cond, &symbols))
                })
                .collect(),
        };
    }

    /// Gives all points up.
    pub(crate) fn forget(&mut self) {
        self.points.clear();
    }

    /// How many conditions were learnt.
    pub(crate) fn learnt(&self) -> usize {
        self.learnt.len()
    }

    /// Whether some point is known, so that the facts do not contradict each other.
    pub(crate) fn is_met(&self) -> bool {
        !self.points.is_empty()
    }

    /// Whether the condition clearly fails, at each point.
    pub(crate) fn fails(&self, cond: &Cond) -> Vec<bool> {
        let fails =
            |point: &Point| approximate::holds(cond, &|symbol| point.value(symbol)) == Some(false);
        self.points.iter().map(fails).collect()
    }

    fn adapted(&self, mut point: Point, cond: &Cond, symbols: &[Symbol]) -> Option<Point> {
        for symbol in symbols {
            let value = point.value(symbol);
            point.set(symbol, value);
        }
        if point.satisfies(cond) {
            return Some(point);
        }
        // The symbols of the newest bindings first: a loop variable moves more easily than n.
        for values in [&CANDIDATES[..], &NEGATIVE] {
            for (back, symbol) in symbols.iter().rev().enumerate() {
                let before = point.values[point.place(symbol).ok()?].1;
                let touched: Vec<&Cond> = self.speaking_of(symbol).collect();
                let fits = |point: &Point| {
                    point.satisfies(cond) && touched.iter().all(|known| point.satisfies(known))
                };
                let start = match (point.is_steep(), back) {
                    (false, _) => point.seed * 3,
                    (true, 0) => 0,
                    (true, _) => MIDDLE,
                };
                for step in 0..values.len() {
                    let candidate = values[(start + step) % values.len()];
                    point.set(symbol, candidate);
                    if fits(&point) {
                        return Some(point);
                    }
                }
                point.set(symbol, before);
            }
        }
        None
    }

    /// What was learnt of a symbol: all else holds wherever it is moved to.
    fn speaking_of(&self, symbol: &Symbol) -> impl Iterator<Item = &Cond> {
        let learnt = self.learnt.iter();
        let speaking = learnt.filter(move |known| known.symbols.contains(symbol));
        speaking.map(|known| &known.cond)
    }

    /// One symbol of the condition moved, and another that what was known before asks for then: for
    /// u ≥ 1 after ⌈n/b⌉ ≥ u + 1, n as well.
    fn repaired(&self, mut point: Point, cond: &Cond, symbols: &[Symbol]) -> Option<Point> {
        for symbol in symbols.iter().rev() {
            let before = point.value(symbol);
            for candidate in &CANDIDATES[..MOVED] {
                point.set(symbol, *candidate);
                if !point.satisfies(cond) {
                    continue;
                }
                let holds = |known: &Learnt, point: &Point| point.satisfies(&known.cond);
                let Some(broken) = self.learnt.iter().find(|known| !holds(known, &point)) else {
                    return Some(point);
                };
                for other in broken.symbols.iter().rev() {
                    if other == symbol {
                        continue;
                    }
                    let kept = point.value(other);
                    for beside in BESIDE {
                        point.set(other, beside);
                        if holds(broken, &point)
                            && self.learnt.iter().all(|known| holds(known, &point))
                        {
                            return Some(point);
                        }
                    }
                    point.set(other, kept);
                }
            }
            point.set(symbol, before);
        }
        None
    }

    /// Whether the value is below 0 (or 0, when it is to be positive) at some point.
    pub(crate) fn refute_sign(&self, value: &Expr, strictly: bool) -> bool {
        self.points.iter().any(|point| {
            let value = approximate::value(value, &|symbol| point.value(symbol));
            value.is_some_and(|value| match strictly {
                true => approximate::is_not_positive(value),
                false => approximate::is_negative(value),
            })
        })
    }

    /// About the values of an atom.
    pub(crate) fn values(&self, atom: &Atom) -> AtPoints {
        let mut values = [f64::NAN; MODELS];
        for (value, point) in values.iter_mut().zip(&self.points) {
            let found = approximate::value_of_atom(atom, &|symbol| point.value(symbol));
            *value = found.unwrap_or(f64::NAN);
        }
        values
    }

    /// Whether the value is not whole at some point.
    pub(crate) fn refute_whole(&self, value: &Expr) -> bool {
        self.points.iter().any(|point| {
            approximate::value(value, &|symbol| point.value(symbol))
                .is_some_and(|value| !approximate::is_whole(value))
        })
    }
}

impl Point {
    fn satisfies(&self, cond: &Cond) -> bool {
        approximate::holds(cond, &|symbol| self.value(symbol)) == Some(true)
    }

    /// Some points have large parameters and everything else at 1, where they may.
    fn is_steep(&self) -> bool {
        (LEVEL / 2..LEVEL).contains(&self.seed)
    }

    fn set(&mut self, symbol: &Symbol, value: f64) {
        let place = self.place(symbol);
        let values = Arc::make_mut(&mut self.values);
        match place {
            Ok(at) => values[at].1 = value,
            Err(at) => values.insert(at, (symbol.id, value)),
        }
    }

    /// Where the value of a symbol stands, or would stand.
    fn place(&self, symbol: &Symbol) -> Result<usize, usize> {
        self.values.binary_search_by_key(&symbol.id, |(id, _)| *id)
    }

    /// What no fact mentions may be anything.
    fn value(&self, symbol: &Symbol) -> f64 {
        if let Ok(at) = self.place(symbol) {
            return self.values[at].1;
        }
        if self.is_steep() && self.values.len() > FIRST_SYMBOLS {
            return 1.0;
        }
        if let Some(favoured) = self.seed.checked_sub(LEVEL) {
            let is_favoured = symbol.id.number as usize % (MODELS - LEVEL) == favoured;
            return if is_favoured { FAR } else { 2.0 };
        }
        let at = self.seed * 5 + (symbol.id.number as usize + first_of(symbol.id.kind)) % 7;
        CANDIDATES[at % CANDIDATES.len()]
    }
}

/// Where in the candidates a kind begins: first symbols of different kinds are to differ.
fn first_of(kind: SymbolKind) -> usize {
    match kind {
        SymbolKind::Parameter => 0,
        SymbolKind::Local | SymbolKind::Letter => 1,
        SymbolKind::Bound => 2,
        SymbolKind::Quotient | SymbolKind::Open => 3,
        SymbolKind::Folded => 4,
    }
}

//! Points at which all facts hold. A condition that fails at one of them cannot be proved, so no
//! search is spent on it. Points are an optimisation only: without any, every condition is
//! searched for.

use std::cell::Cell;
use std::sync::Arc;

use crate::sym::evaluate::approximate;
use crate::sym::expr::types::Atom;
use crate::sym::{Cond, Expr, Symbol, SymbolId, SymbolKind};

/// The number of points kept. More points refute more before a search, and cost an evaluation per
/// question.
pub(crate) const MODELS: usize = 10;

/// A value at each point; not a number where the value or the point is missing.
pub(crate) type AtPoints = [f64; MODELS];
/// The number of points whose symbols are of similar size. At each further point one group of
/// symbols is far larger than products of the rest. Those refute most false comparisons of two
/// sizes.
const LEVEL: usize = 6;
/// The value of the larger symbols there, beside 2 for the rest.
const FAR: f64 = 1024.0;
/// The index in [`CANDIDATES`] from which larger values are common.
const MIDDLE: usize = 6;
/// The number of symbols of a steep point that get a size of their own. The first symbols are
/// parameters; later ones are letters or loop variables.
const FIRST_SYMBOLS: usize = 4;
/// With this many points left, none is moved for a condition about known symbols. Moving costs
/// evaluations of every condition on the moved symbol.
const FEW: usize = 8;
/// The values tried for a symbol. Each point starts at another place of the list, so that the
/// points differ.
const CANDIDATES: [f64; 22] = [
    1.0, 2.0, 7.0, 3.0, 0.0, 5.0, 16.0, 4.0, 9.0, 6.0, 8.0, 64.0, 27.0, 10.0, 12.0, 25.0, 32.0,
    81.0, 100.0, 31.0, 256.0, 1000.0,
];
/// Values tried last, since most symbols are sizes and indexes.
const NEGATIVE: [f64; 2] = [-1.0, -3.0];
/// The values tried for a second symbol if moving one alone breaks a known condition.
const BESIDE: [f64; 6] = [64.0, 1000.0, 7.0, 2.0, 1.0, 0.0];
/// The number of values tried for the first symbol in that case.
const MOVED: usize = 8;

/// The most conditions under which points are kept. Each new condition may re-check all others,
/// so the work is quadratic in them.
const MOST_LEARNT: usize = 400;

/// A few points that satisfy everything learnt so far.
#[derive(Clone)]
pub(crate) struct Models {
    points: Vec<Point>,
    learnt: Vec<Learnt>,
}

/// A condition with its symbols, in order.
#[derive(Clone)]
struct Learnt {
    cond: Cond,
    symbols: Arc<[Symbol]>,
}

#[derive(Clone)]
struct Point {
    seed: usize,
    /// Values in the order of their symbols; shared by copies until one of them moves.
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
        // Invariant: every kept point satisfies every learnt condition. Points without a value
        // for some symbol of the condition get one; the others are kept as they are if they
        // satisfy it. If no point survives, two of the old ones may move two symbols at once.
        // Dropping points is always sound, since they only refute.
        if self.learnt.len() > MOST_LEARNT {
            return self.forget();
        }
        let symbols: Arc<[Symbol]> = cond.symbols().into_iter().collect();
        self.learnt.push(Learnt {
            cond: cond.clone(),
            symbols: symbols.clone(),
        });
        let points = std::mem::take(&mut self.points);
        // Moving a point pays for a new symbol, or if few other points are left.
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
        self.points = if kept.is_empty() {
            points
                .into_iter()
                .take(2)
                .filter_map(|point| {
                    let moved = self.adapted(point.clone(), cond, &symbols);
                    moved.or_else(|| self.repaired(point, cond, &symbols))
                })
                .collect()
        } else {
            kept
        };
    }

    /// Drops all points.
    pub(crate) fn forget(&mut self) {
        self.points.clear();
    }

    /// Returns the number of learnt conditions.
    pub(crate) fn learnt(&self) -> usize {
        self.learnt.len()
    }

    /// Returns true if some point is known, so that the facts do not contradict each other.
    pub(crate) fn is_met(&self) -> bool {
        !self.points.is_empty()
    }

    /// Returns a flag for each point, true if the condition clearly fails there.
    pub(crate) fn fails(&self, cond: &Cond) -> Vec<bool> {
        let fails =
            |point: &Point| approximate::holds(cond, &|symbol| point.value(symbol)) == Some(false);
        self.points.iter().map(fails).collect()
    }

    fn adapted(&self, mut point: Point, cond: &Cond, symbols: &[Symbol]) -> Option<Point> {
        // One symbol is moved through the candidates until the new condition and all earlier ones
        // about this symbol hold. Conditions without the symbol keep their truth, so they are not
        // re-checked. Example: n = 7, i = 9 under a new i ≤ n. The newer i is tried first and
        // moves to a candidate up to 7, while n stays.
        for symbol in symbols {
            let value = point.value(symbol);
            point.set(symbol, value);
        }
        if point.satisfies(cond) {
            return Some(point);
        }
        // The newest symbols first: a loop variable has fewer conditions on it than n.
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

    /// Returns the learnt conditions on a symbol. All others hold wherever the symbol is moved.
    fn speaking_of(&self, symbol: &Symbol) -> impl Iterator<Item = &Cond> {
        let learnt = self.learnt.iter();
        let speaking = learnt.filter(move |known| known.symbols.contains(symbol));
        speaking.map(|known| &known.cond)
    }

    /// Moves one symbol of the condition, then a second one that repairs the first condition
    /// broken by it. Example: u ≥ 1 after ⌈n/b⌉ ≥ u + 1 moves n as well.
    fn repaired(&self, mut point: Point, cond: &Cond, symbols: &[Symbol]) -> Option<Point> {
        // Two nested lists of 8 and 6 values, and only one broken condition is repaired: a
        // bounded attempt that keeps some point alive where moving a single symbol cannot.
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

    /// Returns true if all conditions still hold at some point after symbols move. Each symbol comes with true if it
    /// must move to one of the values, and with false if it may also stay. At most so many moves are `tried`.
    pub(crate) fn moves_to(&self, symbols: &[(&Symbol, bool)], values: &[f64], tried: u32) -> bool {
        let left = Cell::new(tried);
        let mut points = self.points.iter();
        points.any(|point| self.moves(&mut point.clone(), symbols, values, &left))
    }

    fn moves(
        &self,
        point: &mut Point,
        symbols: &[(&Symbol, bool)],
        values: &[f64],
        left: &Cell<u32>,
    ) -> bool {
        let Some(((symbol, must_move), others)) = symbols.split_first() else {
            return true;
        };
        // A condition is asked once all its symbols have moved: n ≥ m + 1 waits for both.
        let touched = self.speaking_of(symbol);
        let settled: Vec<&Cond> = touched
            .filter(|cond| !others.iter().any(|(other, _)| cond.contains(other)))
            .collect();
        let own = (!must_move).then(|| point.value(symbol));
        own.iter().chain(values).any(|value| {
            let Some(less) = left.get().checked_sub(1) else {
                return false;
            };
            left.set(less);
            point.set(symbol, *value);
            settled.iter().all(|cond| point.satisfies(cond))
                && self.moves(point, others, values, left)
        })
    }

    /// Returns true if the value is below 0 at some point, or is 0 there if `strictly`.
    pub(crate) fn refute_sign(&self, value: &Expr, strictly: bool) -> bool {
        self.points.iter().any(|point| {
            let value = approximate::value(value, &|symbol| point.value(symbol));
            value.is_some_and(|value| {
                if strictly {
                    approximate::is_not_positive(value)
                } else {
                    approximate::is_negative(value)
                }
            })
        })
    }

    /// Returns approximate values of an atom at the points.
    pub(crate) fn values(&self, atom: &Atom) -> AtPoints {
        let mut values = [f64::NAN; MODELS];
        for (value, point) in values.iter_mut().zip(&self.points) {
            let found = approximate::value_of_atom(atom, &|symbol| point.value(symbol));
            *value = found.unwrap_or(f64::NAN);
        }
        values
    }

    /// Returns true if the value is not whole at some point.
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

    /// Returns true for points with large parameters and everything else at 1, where the facts
    /// allow it.
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

    /// Returns the index of a symbol's value, or of the place where it would stand.
    fn place(&self, symbol: &Symbol) -> Result<usize, usize> {
        self.values.binary_search_by_key(&symbol.id, |(id, _)| *id)
    }

    /// Returns the value of a symbol; one that no fact mentions gets a default that depends on
    /// the point.
    fn value(&self, symbol: &Symbol) -> f64 {
        // Three kinds of points by their seed. 0–2 start each symbol at another candidate. 3–5
        // are steep: symbols after the first few are 1. 6–9 favour a quarter of the symbols with
        // 1024 against 2, so that n is far above b·m at one point and far below it at another.
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

/// Returns the offset of a kind in the candidates, so that the first symbols of different kinds
/// differ.
fn first_of(kind: SymbolKind) -> usize {
    match kind {
        SymbolKind::Parameter => 0,
        SymbolKind::Local | SymbolKind::Letter => 1,
        SymbolKind::Bound => 2,
        SymbolKind::Quotient | SymbolKind::Open => 3,
        SymbolKind::Folded => 4,
    }
}

//! Points at which all facts hold. A condition that fails at one of them cannot be proved, so no
//! search is spent on it. Having no point is no obstacle: then every condition is searched for.

use std::collections::BTreeMap;

use super::{Cond, Expr, Symbol};
use crate::number::Rational;

/// How many points are kept.
const MODELS: usize = 6;
/// Terms of unsolved sums added up at a point.
const MOST_TERMS: u64 = 1000;
/// Values tried for a symbol; each point starts at another place of the list.
const CANDIDATES: [i64; 24] = [
    1, 2, 7, 3, 0, 5, 16, 4, 9, 6, 8, 64, 27, 10, 12, 25, 32, 81, 100, 31, 256, 1000, -1, -3,
];

/// A few points that satisfy everything learnt so far.
#[derive(Clone)]
pub(super) struct Models {
    points: Vec<Point>,
    learnt: Vec<Cond>,
}

#[derive(Clone)]
struct Point {
    seed: usize,
    values: BTreeMap<Symbol, Rational>,
}

impl Default for Models {
    fn default() -> Self {
        let point = |seed| Point {
            seed,
            values: BTreeMap::new(),
        };
        Models {
            points: (0..MODELS).map(point).collect(),
            learnt: Vec::new(),
        }
    }
}

impl Models {
    /// Keeps the points that satisfy one more condition, moving others until they do.
    pub fn learn(&mut self, cond: &Cond) {
        self.learnt.push(cond.clone());
        let symbols: Vec<Symbol> = cond.symbols().into_iter().collect();
        let points = std::mem::take(&mut self.points);
        self.points = points
            .into_iter()
            .filter_map(|point| self.adapted(point, cond, &symbols))
            .collect();
    }

    fn adapted(&self, mut point: Point, cond: &Cond, symbols: &[Symbol]) -> Option<Point> {
        for symbol in symbols {
            let value = point.value(symbol);
            point.values.entry(symbol.clone()).or_insert(value);
        }
        if point.satisfies(cond) {
            return Some(point);
        }
        let fits = |point: &Point| {
            point.satisfies(cond) && self.learnt.iter().all(|known| point.satisfies(known))
        };
        // The symbols of the newest bindings first: a loop variable moves more easily than n.
        for symbol in symbols.iter().rev() {
            let before = point.values.get(symbol).cloned()?;
            for step in 0..CANDIDATES.len() {
                let candidate = CANDIDATES[(point.seed * 3 + step) % CANDIDATES.len()];
                point.values.insert(symbol.clone(), candidate.into());
                if fits(&point) {
                    return Some(point);
                }
            }
            point.values.insert(symbol.clone(), before);
        }
        None
    }

    /// Whether the value is below 0 (or 0, when `strictly` is asked for) at some point.
    pub fn refute_sign(&self, value: &Expr, strictly: bool) -> bool {
        self.points.iter().any(|point| {
            value
                .evaluate_within(&|symbol| Some(point.value(symbol)), MOST_TERMS)
                .is_ok_and(|value| value.is_negative() || strictly && value.is_zero())
        })
    }

    /// Whether the value is not whole at some point.
    pub fn refute_whole(&self, value: &Expr) -> bool {
        self.points.iter().any(|point| {
            value
                .evaluate_within(&|symbol| Some(point.value(symbol)), MOST_TERMS)
                .is_ok_and(|value| !value.is_integer())
        })
    }
}

impl Point {
    fn satisfies(&self, cond: &Cond) -> bool {
        cond.evaluate(&|symbol| Some(self.value(symbol))) == Ok(true)
    }

    /// What no fact mentions may be anything.
    fn value(&self, symbol: &Symbol) -> Rational {
        self.values.get(symbol).cloned().unwrap_or_else(|| {
            let at = self.seed * 5 + symbol.id as usize % 7;
            CANDIDATES[at % CANDIDATES.len()].into()
        })
    }
}

//! The best values of free parameters: every choice is costed, and the cheapest ones are kept.
//!
//! Takes a sweep over choices, perhaps at several sizes, and gives for each size the best choices, how flat the cost is
//! around them, and the cost along each parameter. Two choices that are best at different sizes are compared for all
//! sizes by `duel`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::cost::HEADLINE;
use crate::diag::Diagnostic;
use crate::number::Rational;
use crate::study::{Figures, Finished, Sweep};

/// The choices that are told of each size.
const MOST_TOLD: usize = 10;

/// The excess over the best cost within which a choice is close to it, in percent.
pub const CLOSE: [u32; 2] = [1, 5];

/// The best choices at every size.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// The results by size, in the order given; one without a size where none varies.
    pub sizes: Vec<Tuned>,
    /// The choices without a cost, by reason.
    pub finished: Finished,
}

/// The best choices at one size.
#[derive(Debug, Clone, Default)]
pub struct Tuned {
    /// The value of the varied size.
    pub size: Option<Rational>,
    /// Choices with a cost.
    pub admitted: usize,
    /// The cheapest choices, the best one first; of equal ones the first in the order given.
    pub best: Vec<Choice>,
    /// The choices that cost at most so many percent more than the best, for each of [`CLOSE`].
    pub close: [usize; 2],
    /// For each parameter its values, each with the least cost that it allows.
    pub curves: Vec<Vec<(Rational, f64)>>,
}

/// Values of the parameters that are tuned.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The values, in the order of the parameters.
    pub values: Vec<Rational>,
    /// The cost in ms.
    pub cost: f64,
    /// True if the cost is exact, false if it is an upper bound.
    pub is_exact: bool,
}

/// A choice at a size, as a thread finds it.
struct Point {
    size: Option<Rational>,
    choice: Choice,
}

/// Costs every choice of the parameters `over`, at every value of `size`. The sweep has one program, one machine and one
/// model.
///
/// # Errors
/// Like [`Sweep::table`].
pub fn tune(
    sweep: &Sweep<'_>,
    over: &[String],
    size: Option<&str>,
    progress: &mut dyn FnMut(u64),
) -> Result<Tuning, Vec<Diagnostic>> {
    let column = |name: &str| sweep.columns().iter().position(|column| column == name);
    let columns: Vec<usize> = over.iter().filter_map(|name| column(name)).collect();
    let size = size.and_then(column);
    let render = |figures: &Figures<'_>, found: &mut Vec<Point>| {
        let row = figures.rows.first();
        let Some((row, cost)) = row.and_then(|row| Some((row, row.value.to_f64()?))) else {
            return;
        };
        let value = |column: &usize| figures.values[*column].clone();
        let values = columns.iter().filter_map(value);
        found.push(Point {
            size: size.and_then(|column| value(&column)),
            choice: Choice {
                values: values.collect(),
                cost,
                is_exact: row.is_exact,
            },
        });
    };
    let mut sizes: Vec<Gathered> = Vec::new();
    let mut deliver = |done: u64, found: Vec<Point>| {
        progress(done);
        for Point { size, choice } in found {
            let last = sizes.last().is_some_and(|last| last.size == size);
            if !last {
                sizes.push(Gathered::at(size, columns.len()));
            }
            if let Some(here) = sizes.last_mut() {
                here.add(choice);
            }
        }
        ControlFlow::Continue(())
    };
    let finished = sweep.table(&[HEADLINE.to_owned()], &render, &mut deliver)?;
    let sizes = sizes.into_iter().map(Gathered::tuned).collect();
    Ok(Tuning { sizes, finished })
}

/// The choices of one size so far.
struct Gathered {
    size: Option<Rational>,
    costs: Vec<f64>,
    best: Vec<Choice>,
    curves: Vec<BTreeMap<Rational, f64>>,
}

impl Gathered {
    fn at(size: Option<Rational>, parameters: usize) -> Gathered {
        Gathered {
            size,
            costs: Vec::new(),
            best: Vec::new(),
            curves: vec![BTreeMap::new(); parameters],
        }
    }

    fn add(&mut self, choice: Choice) {
        self.costs.push(choice.cost);
        for (curve, value) in self.curves.iter_mut().zip(&choice.values) {
            match curve.get_mut(value) {
                Some(least) => *least = least.min(choice.cost),
                None => {
                    curve.insert(value.clone(), choice.cost);
                }
            }
        }
        // Equal costs keep the order in which they came.
        let at = self
            .best
            .partition_point(|better| better.cost <= choice.cost);
        if at < MOST_TOLD {
            self.best.insert(at, choice);
            self.best.truncate(MOST_TOLD);
        }
    }

    fn tuned(self) -> Tuned {
        let least = self.best.first().map_or(0.0, |best| best.cost);
        let within = |percent: u32| {
            let most = least * (1.0 + f64::from(percent) / 100.0);
            self.costs.iter().filter(|cost| **cost <= most).count()
        };
        Tuned {
            size: self.size,
            admitted: self.costs.len(),
            close: CLOSE.map(within),
            best: self.best,
            curves: self
                .curves
                .into_iter()
                .map(|curve| curve.into_iter().collect())
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(values: [i64; 2], cost: f64) -> Choice {
        Choice {
            values: values.map(Rational::from).to_vec(),
            cost,
            is_exact: true,
        }
    }

    #[test]
    fn the_cheapest_choices_come_first_and_equal_ones_in_order() {
        let mut gathered = Gathered::at(None, 2);
        for (at, cost) in [5.0, 3.0, 4.0, 3.0, 3.02].into_iter().enumerate() {
            let at = at as i64;
            gathered.add(choice([at, at % 2], cost));
        }
        let tuned = gathered.tuned();
        let firsts: Vec<f64> = tuned
            .best
            .iter()
            .map(|best| best.values[0].to_f64())
            .collect();
        assert_eq!(firsts, [1.0, 3.0, 4.0, 2.0, 0.0]);
        assert_eq!((tuned.admitted, tuned.close), (5, [3, 3]));
        // Along the second parameter: the least of choices 0, 2, 4 and of 1, 3.
        assert_eq!(tuned.curves[1], [(0.into(), 3.02), (1.into(), 3.0)]);
    }
}

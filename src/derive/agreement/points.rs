//! The small points that formulas are held against, and what is counted there without data.

use std::ops::ControlFlow;

use crate::count::Parameters;
use crate::interval::{self, CountError, CountOptions, Counted};
use crate::meaning::{Allowance, Point, widths};
use crate::number::Rational;
use crate::program::{ParamId, Program};

/// Values of b, where none is given.
const WIDTHS: [i64; 5] = [2, 4, 3, 1, 8];
/// Points for each b.
const POINTS: usize = 5;
/// Core-steps that may be counted for each b, and at one point before it is left out.
const WORK: (u64, u64) = (3_000, 1_500);
/// Of these values of b the edges are looked at, so many points for each.
const WIDTHS_AT_EDGES: usize = 3;
const POINTS_AT_EDGES: usize = 8;
/// Values of b of large points, and their sizes as multiples of b.
const WIDTHS_OF_LARGE: [i64; 2] = [2, 32];
const LARGE_MPS: [i64; 4] = [1 << 13, 1 << 10, 10_000, 33];
/// Large points for each b.
const POINTS_OF_LARGE: usize = 6;
/// As [`WORK`], at edges.
const WORK_AT_EDGES: (u64, u64) = (1_000, 400);

/// Visits the small points at which a program runs, with what is counted there without data and by these
/// options, as far as the work goes.
pub(crate) fn each_counted(
    program: &Program,
    given: &Parameters,
    options: &CountOptions,
    allowance: &Allowance,
    mut visit: impl FnMut(&Point, Counted),
) {
    for width in widths(program, given, &WIDTHS) {
        let points = points(program, given, width, allowance);
        count_each(program, points, (WORK, options), allowance, &mut visit);
    }
}

/// As [`each_counted`], where a form is most likely to have no value: formals of 0 and 1, beside b, and multiples of
/// small numbers.
pub(crate) fn each_counted_at_edges(
    program: &Program,
    given: &Parameters,
    options: &CountOptions,
    allowance: &Allowance,
    mut visit: impl FnMut(&Point, Counted),
) {
    let usual = widths(program, given, &WIDTHS).into_iter();
    for width in usual.take(WIDTHS_AT_EDGES) {
        let sizes = [0, 1, width - 1, width + 1, 3, 6, 4, 12];
        let of = Sizes {
            sizes: &sizes,
            others: &[2, 0],
            most: POINTS_AT_EDGES,
        };
        let points = of.points(program, given, width, allowance);
        count_each(
            program,
            points,
            (WORK_AT_EDGES, options),
            allowance,
            &mut visit,
        );
    }
}

/// Visits points too large to count at, up to thousands of MPs, as far as the values of their sums go.
pub(crate) fn each_large(
    program: &Program,
    given: &Parameters,
    allowance: &Allowance,
    mut visit: impl FnMut(&Point),
) {
    for width in widths(program, given, &WIDTHS_OF_LARGE) {
        let sizes = LARGE_MPS.map(|mps| mps * width);
        let of = Sizes {
            sizes: &sizes,
            others: &[width, 2],
            most: POINTS_OF_LARGE,
        };
        let points = of.points(program, given, width, allowance);
        points.iter().for_each(&mut visit);
    }
}

/// Counts at points of one b, one after the other, with so much work in all and for each.
fn count_each(
    program: &Program,
    points: Vec<Point>,
    ((mut left, each), options): ((u64, u64), &CountOptions),
    allowance: &Allowance,
    visit: &mut dyn FnMut(&Point, Counted),
) {
    for point in points {
        let options = CountOptions {
            work_limit: Some(left.min(each)),
            ..options.clone()
        };
        let going = |_| ControlFlow::Continue(());
        let counted = interval::count_within(program, &point, &options, &going, allowance);
        match counted {
            Ok(counted) => {
                left = left.saturating_sub(counted.work);
                if counted.faults.is_empty() {
                    visit(&point, counted);
                }
            }
            Err(CountError::TooLong(done)) => left = left.saturating_sub(done),
            Err(CountError::Fault(_) | CountError::Interrupted | CountError::TooLarge(_)) => {}
        }
    }
}

/// Small points for one b: formals around multiples and powers of it, together and each of them alone.
pub(crate) fn points(
    program: &Program,
    given: &Parameters,
    width: i64,
    allowance: &Allowance,
) -> Vec<Point> {
    let square = width.saturating_mul(width);
    let sizes = [
        2 * width + 1,
        width,
        3 * width - 1,
        2 * width,
        1,
        square,
        square.saturating_mul(width),
        16,
        64,
    ];
    let of = Sizes {
        sizes: &sizes,
        others: &[2],
        most: POINTS,
    };
    of.points(program, given, width, allowance)
}

/// Sizes of formals.
struct Sizes<'s> {
    /// Of all of them together, and of each alone.
    sizes: &'s [i64],
    /// Of the others, where one stands alone.
    others: &'s [i64],
    /// Points that are enough.
    most: usize,
}

impl Sizes<'_> {
    fn points(
        &self,
        program: &Program,
        given: &Parameters,
        width: i64,
        allowance: &Allowance,
    ) -> Vec<Point> {
        let fixed = |name: &str, other| given.get(name).and_then(Rational::to_i64).unwrap_or(other);
        let machine = [
            fixed("p", 384),
            width,
            fixed("M", 1 << 20),
            fixed("G", 1 << 40),
        ];
        let name = |id: &ParamId| program.parameter(*id).name.as_str();
        let free: Vec<&str> = program
            .formals
            .iter()
            .map(name)
            .filter(|name| given.get(name).is_none())
            .collect();
        let mut found: Vec<Point> = Vec::new();
        let mut tried: Vec<Vec<i64>> = Vec::new();
        for size in self.sizes {
            for values in self.choices(*size, free.len()) {
                if found.len() == self.most {
                    return found;
                }
                if tried.contains(&values) {
                    continue;
                }
                let mut all = given.clone();
                for (name, value) in free.iter().zip(&values) {
                    all.set(name, *value);
                }
                found.extend(Point::within(program, machine, &all, allowance).ok());
                tried.push(values);
            }
        }
        found
    }

    /// All formals of one size, then each of them alone.
    fn choices(&self, size: i64, formals: usize) -> Vec<Vec<i64>> {
        let mut choices = vec![vec![size; formals]];
        for other in self.others.iter().filter(|_| formals > 1) {
            let alone = (0..formals).map(|at| {
                let of = |place| if place == at { size } else { *other };
                (0..formals).map(of).collect()
            });
            choices.extend(alone);
        }
        choices
    }
}

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
        let mut left = WORK.0;
        for point in points(program, given, width, allowance) {
            let options = CountOptions {
                work_limit: Some(left.min(WORK.1)),
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
}

/// Small points for one b: formals around multiples and powers of it, together and each of them alone.
pub(crate) fn points(
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
    let mut found: Vec<Point> = Vec::new();
    let mut tried: Vec<Vec<i64>> = Vec::new();
    for size in sizes {
        let together = vec![size; free.len()];
        let alone = (0..free.len()).map(|at| {
            let of = |other| if other == at { size } else { 2 };
            (0..free.len()).map(of).collect()
        });
        let alone: Vec<Vec<i64>> = alone.filter(|_| free.len() > 1).collect();
        for values in [vec![together], alone].concat() {
            if found.len() == POINTS {
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

//! A small point to speak of where the user gives no values.

use crate::check::program::Program;
use crate::count::Parameters;
use crate::value::{Point, admissible_points};

/// Choices tried before the smallest admissible point is taken.
const MOST_TRIES: usize = 3000;

/// A point that shows what a program does: some MPs with all their cores, if the `require`s admit
/// it; values given are kept. `None` when a bounded search finds no admissible point.
pub(super) fn point(program: &Program, machine: [i64; 4], given: &Parameters) -> Option<Point> {
    let names: Vec<&str> = program
        .formals
        .iter()
        .map(|id| program.parameter(*id).name.as_str())
        .filter(|name| given.get(name).is_none())
        .collect();
    let b = machine[1];
    let small = |value: i64| (value <= 1 << 20).then_some(value);
    let mut candidates: Vec<i64> = [
        b.checked_mul(4),
        b.checked_mul(2),
        Some(b),
        b.checked_mul(8),
        Some(16),
        Some(8),
        Some(4),
        Some(3),
        Some(2),
        Some(1),
        Some(0),
        b.checked_mul(b),
        Some(10),
        Some(100),
        Some(1024),
        Some(4096),
    ]
    .into_iter()
    .flatten()
    .filter_map(small)
    .collect();
    let mut seen = std::collections::HashSet::new();
    candidates.retain(|value| seen.insert(*value));
    // All formals alike first, then every mix of the first few candidates.
    let alike = candidates.iter().map(|value| vec![*value; names.len()]);
    let width = candidates.len();
    let mixes = (0..MOST_TRIES).map(|number| {
        let mut rest = number;
        let mut mix = Vec::with_capacity(names.len());
        for _ in &names {
            mix.push(candidates[rest % width]);
            rest /= width;
        }
        mix
    });
    for choice in alike.chain(mixes) {
        let mut values = given.clone();
        for (name, value) in names.iter().zip(&choice) {
            values.set(name, *value);
        }
        if let Ok(point) = Point::new(program, machine, &values) {
            return Some(point);
        }
    }
    let values = admissible_points(program, machine, given, 1).pop()?;
    Point::new(program, machine, &values).ok()
}

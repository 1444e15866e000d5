//! The smallest parameters that a program admits.

use crate::check::program::Program;
use crate::count::Parameters;
use crate::value::Point;

/// Choices of the formals tried before the search ends.
const MOST_TRIES: usize = 60_000;

/// The smallest points, by the sum of the formals and then in lexicographic order, that the
/// data-free `require`s admit and at which all `let`s and extents have a value. Formals are whole
/// numbers from 0; those `given` are kept. At most `count` points; fewer when a bounded search
/// finds no more.
pub fn admissible_points(
    program: &Program,
    machine: [i64; 4],
    given: &Parameters,
    count: usize,
) -> Vec<Parameters> {
    let names = program
        .formals
        .iter()
        .map(|formal| program.parameter(*formal).name.as_str());
    let free: Vec<&str> = names.filter(|name| given.get(name).is_none()).collect();
    let mut found = Vec::new();
    let mut tries = 0;
    let mut sum = 0;
    while found.len() < count && tries < MOST_TRIES {
        let mut parts = vec![0; free.len()];
        each_split(sum, &mut parts, 0, &mut |parts| {
            tries += 1;
            let mut values = given.clone();
            for (name, part) in free.iter().zip(parts) {
                values.set(name, *part);
            }
            if found.len() < count && Point::new(program, machine, &values).is_ok() {
                found.push(values);
            }
            found.len() < count && tries < MOST_TRIES
        });
        if free.is_empty() {
            break;
        }
        sum += 1;
    }
    found
}

/// Calls `visit` with every way to write `sum` as a sum of the parts from `at` on, in
/// lexicographic order, until it answers false.
fn each_split(
    sum: i64,
    parts: &mut [i64],
    at: usize,
    visit: &mut dyn FnMut(&[i64]) -> bool,
) -> bool {
    match parts.len() - at {
        0 => sum != 0 || visit(parts),
        1 => {
            parts[at] = sum;
            visit(parts)
        }
        _ => (0..=sum).all(|part| {
            parts[at] = part;
            each_split(sum - part, parts, at + 1, visit)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_come_in_order() {
        let mut seen = Vec::new();
        let mut parts = [0; 2];
        each_split(2, &mut parts, 0, &mut |parts| {
            seen.push(parts.to_vec());
            true
        });
        assert_eq!(seen, [[0, 2], [1, 1], [2, 0]]);
    }
}

//! Sizes to speak of where the user gives none: one that shows what a program does, and some that
//! are as different from each other as a few can be. Nothing is proved by them.

use crate::count::Parameters;
use crate::meaning::{Allowance, Point, admissible_within};
use crate::number::BigInt;
use crate::program::Program;

/// A program, and what may be spent on finding points of it.
type Tried<'a> = (&'a Program, &'a Allowance);

/// Choices tried before the smallest admissible point is taken.
const MOST_TRIES: usize = 3000;

/// Points taken where candidates are hardly admitted.
const FEW: usize = 4;

/// Numbers of the text that are tried.
const MOST_NUMBERS: usize = 8;

/// Points that show what a program does, the best one first: behind it smaller ones, for programs
/// that take long there. Empty when a bounded search finds no admissible point.
pub(crate) fn points(tried: Tried<'_>, machine: [i64; 4], given: &Parameters) -> Vec<Point> {
    let Some(best) = point(tried, machine, given) else {
        return Vec::new();
    };
    let names = open_formals(tried.0, given);
    let b = machine[1];
    let values = names.iter().filter_map(|name| best.parameters.get(*name));
    let least = values.min().cloned();
    let smaller = |value: &i64| {
        least
            .as_ref()
            .is_some_and(|least| BigInt::from(*value) < *least)
    };
    let times_two = b.checked_mul(2).into_iter();
    // With fewer words than cores hardly anything is as it is elsewhere.
    let candidates = times_two.chain([b]).filter(smaller);
    let candidates = distinct(candidates);
    let others = alike(&candidates, names.len());
    let others: Vec<Point> = others
        .filter_map(|choice| at(tried, machine, given, &names, &choice))
        .collect();
    [vec![best], others].concat()
}

/// A point that shows what a program does: some MPs with all their cores, if the `require`s admit
/// it; values given are kept. `None` when a bounded search finds no admissible point.
fn point(tried: Tried<'_>, machine: [i64; 4], given: &Parameters) -> Option<Point> {
    let (program, allowance) = tried;
    let names = open_formals(program, given);
    let b = machine[1];
    let times = |factor: i64| b.checked_mul(factor);
    let small = [times(4), times(2), Some(b), times(8), Some(16), Some(8)];
    let small = small.into_iter().flatten().chain([4, 3, 2, 1, 0]);
    let large = [times(b), Some(10), Some(100), Some(1024), Some(4096)];
    let small = distinct(small);
    let large = distinct(large.into_iter().flatten());
    // Large values last: a `require` with quantifiers may take long to test there.
    let choices = alike(&small, names.len())
        .chain(mixes(&small, names.len()))
        .chain(alike(&large, names.len()))
        .chain(mixes(&large, names.len()));
    let at = |choice: Vec<i64>| at(tried, machine, given, &names, &choice);
    // The text is looked through only where none of the usual sizes will do.
    let of_text = || {
        let named = numbers_in(program);
        let mut choices = alike(&named, names.len()).chain(mixes(&named, names.len()));
        choices.find_map(at)
    };
    if let Some(point) = choices.into_iter().find_map(at).or_else(of_text) {
        return Some(point);
    }
    let values = admissible_within(program, machine, given, 1, allowance)
        .points
        .pop()?;
    Point::within(program, machine, &values, allowance).ok()
}

/// Further points, as different from each other as a few can be: what is met at all of them is no
/// matter of an odd choice.
pub(crate) fn others(tried: Tried<'_>, machine: [i64; 4], given: &Parameters) -> Vec<Point> {
    let (program, allowance) = tried;
    let names = open_formals(program, given);
    let b = machine[1];
    let times = |factor: i64| b.checked_mul(factor).unwrap_or(b);
    let candidates = distinct([times(2), 3, b, 16, times(8), 5].into_iter());
    let at = |choice: Vec<i64>| at(tried, machine, given, &names, &choice);
    let alike: Vec<Point> = alike(&candidates, names.len())
        .filter_map(at)
        .take(4)
        .collect();
    let uneven = mixes(&candidates, names.len())
        .filter(|choice| choice.windows(2).any(|pair| pair[0] != pair[1]));
    let growing = |choice: &Vec<i64>| choice.is_sorted();
    let (up, down): (Vec<_>, Vec<_>) = uneven.partition(growing);
    let up = up.into_iter().filter_map(at).take(3);
    let down = down.into_iter().filter_map(at).take(3);
    let points: Vec<Point> = alike.into_iter().chain(up).chain(down).collect();
    if points.len() > 1 {
        return points;
    }
    let smallest = admissible_within(program, machine, given, FEW, allowance).points;
    let points = smallest.iter();
    points
        .filter_map(|values| Point::within(program, machine, values, allowance).ok())
        .collect()
}

/// The whole numbers in the program's text, up to 2^20, without the least; the largest first.
fn numbers_in(program: &Program) -> Vec<i64> {
    let text = program.source.text();
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let numbers = words.filter_map(|word| word.replace('_', "").parse().ok());
    let mut numbers = distinct(numbers.filter(|number| *number > 1));
    numbers.sort_unstable_by(|left, right| right.cmp(left));
    numbers.truncate(MOST_NUMBERS);
    numbers
}

fn open_formals<'p>(program: &'p Program, given: &Parameters) -> Vec<&'p str> {
    let formals = program.formals.iter();
    let names = formals.map(|id| program.parameter(*id).name.as_str());
    names.filter(|name| given.get(name).is_none()).collect()
}

/// The point of a choice, if the `require`s admit it.
fn at(
    (program, allowance): Tried<'_>,
    machine: [i64; 4],
    given: &Parameters,
    names: &[&str],
    choice: &[i64],
) -> Option<Point> {
    let mut values = given.clone();
    for (name, value) in names.iter().zip(choice) {
        values.set(name, *value);
    }
    Point::within(program, machine, &values, allowance).ok()
}

fn distinct(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut seen = std::collections::HashSet::new();
    values
        .filter(|value| *value <= 1 << 20 && seen.insert(*value))
        .collect()
}

/// All formals alike, for each candidate.
fn alike(candidates: &[i64], formals: usize) -> impl Iterator<Item = Vec<i64>> + '_ {
    candidates.iter().map(move |value| vec![*value; formals])
}

/// Mixes of candidates, the first formal varying fastest.
fn mixes(candidates: &[i64], formals: usize) -> impl Iterator<Item = Vec<i64>> + '_ {
    let all = candidates
        .len()
        .saturating_pow(u32::try_from(formals).unwrap_or(u32::MAX));
    (0..all.min(MOST_TRIES)).map(move |number| {
        let mut rest = number;
        let mut mix = Vec::with_capacity(formals);
        for _ in 0..formals {
            mix.push(candidates[rest % candidates.len()]);
            rest /= candidates.len();
        }
        mix
    })
}

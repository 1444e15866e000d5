//! Classes tried along rays, on which parameters grow: whether the ratio of two forms stays bounded there, as far as is
//! looked. Nothing here proves anything.

use std::collections::BTreeSet;

use crate::count::Parameters;
use crate::derive::claims::letters::letter_named;
use crate::derive::claims::probe::parameter;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::program::Program;
use crate::sym::{Expr, Symbol};

/// Exponents of 2 along a ray.
const RAY: std::ops::RangeInclusive<u32> = 2..=15;
/// Where a ray begins: an exponent of 2.
const START: u32 = 5;
/// Formals along a ray on which they grow with b: 2b, 4b.
const FEW: [u32; 2] = [1, 2];
/// By how much the second half of a ray may exceed the first before it counts as growing.
const SLACK: f64 = 1.25;
/// Points of a ray that a program must admit for the ray to say something.
const ENOUGH: usize = 6;

/// At how many points the ratio of two forms was looked at, when it stays bounded along every ray;
/// `None` when it grows on some, or too few points are admitted. `claimed` is what the claim speaks of.
pub(crate) fn stays_bounded(
    program: &Program,
    left: &Expr,
    right: &Expr,
    (growing, claimed): (&[Symbol], &BTreeSet<Symbol>),
) -> Option<usize> {
    if !left.is_closed() || !right.is_closed() {
        return None;
    }
    let letters: Vec<Symbol> = left
        .symbols()
        .union(&right.symbols())
        .filter(|symbol| parameter(program, symbol).is_none())
        .cloned()
        .collect();
    let all: Vec<&Symbol> = growing.iter().chain(&letters).collect();
    let b = all.iter().position(|symbol| *symbol.name == *"b");
    // Exponents for a step: those that grow, and how fast.
    let mut rays: Vec<Vec<u32>> = Vec::new();
    for alone in 0..all.len() {
        rays.push((0..all.len()).map(|at| u32::from(at == alone)).collect());
        rays.push(
            (0..all.len())
                .map(|at| if at == alone { 3 } else { 1 })
                .collect(),
        );
    }
    rays.push(
        (0..all.len())
            .map(|at| u32::from(Some(at) != b && at < growing.len()))
            .collect(),
    );
    rays.push(
        (0..all.len())
            .map(|at| if Some(at) == b { 1 } else { 2 })
            .collect(),
    );
    // Each with where b and where all else begins.
    let mut families: Vec<(Vec<u32>, [u32; 2])> =
        rays.into_iter().map(|ray| (ray, [START; 2])).collect();
    // Formals that stay a few times b however large b is.
    if b.is_some() {
        let together: Vec<u32> = (0..all.len())
            .map(|at| u32::from(at < growing.len()))
            .collect();
        families.extend(FEW.map(|times| (together.clone(), [START, START + times])));
    }
    let mut looked = 0;
    // Along powers of 2, and beside them: formals may be told by what divides them.
    let apart = families
        .iter()
        .flat_map(|family| [(family, 0), (family, 1)]);
    for ((ray, [start_of_b, start]), beside) in apart {
        // Formals that the claim does not speak of may have to be less than others.
        let along = |halved: u32| -> Vec<f64> {
            let ratios = RAY.filter_map(|step| {
                let value = |at: usize| {
                    let start = if Some(at) == b { start_of_b } else { start };
                    let is_formal = Some(at) != b && at < growing.len();
                    let is_unnamed = is_formal && !claimed.contains(all[at]);
                    let start = start - if is_unnamed { halved } else { 0 };
                    let power = BigInt::from(1) << (start + 2 * step * ray[at]);
                    power + if is_formal { beside } else { 0 }
                };
                ratio(program, left, right, &all, &value)
            });
            ratios.collect()
        };
        let mut ratios = along(0);
        if ratios.len() < ENOUGH {
            ratios = along(1);
        }
        if ratios.iter().any(|ratio| !ratio.is_finite()) {
            return None;
        }
        if ratios.len() < ENOUGH {
            continue;
        }
        let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
        let (first, second) = ratios.split_at(ratios.len() / 2);
        let is_tame = most(second) <= SLACK * most(first);
        if !is_tame {
            return None;
        }
        looked += ratios.len();
    }
    (looked >= 2 * ENOUGH).then_some(looked)
}

fn ratio(
    program: &Program,
    left: &Expr,
    right: &Expr,
    all: &[&Symbol],
    value: &dyn Fn(usize) -> BigInt,
) -> Option<f64> {
    let named = |name: &str| {
        all.iter()
            .position(|symbol| *symbol.name == *name)
            .map(value)
    };
    let mut machine = [384, 32, 1 << 40, 1 << 62];
    for (at, name) in ["p", "b", "M", "G"].into_iter().enumerate() {
        if let Some(grown) = named(name) {
            machine[at] = i64::try_from(&grown).ok()?;
        }
    }
    let mut values = Parameters::new();
    for id in &program.formals {
        let name = &program.parameter(*id).name;
        values.set(name, Rational::from(&named(name)?));
    }
    let point = Point::tried(program, machine, &values)?;
    let at = |symbol: &Symbol| match parameter(program, symbol) {
        Some(name) => point.parameters.get(name).map(Rational::from),
        None => named(&symbol.name)
            .map(|grown| Rational::from(&grown))
            .or_else(|| letter_named(&symbol.name)),
    };
    let (left, right) = (left.evaluate(&at).ok()?, right.evaluate(&at).ok()?);
    match left.checked_div(&right) {
        Some(ratio) => Some(ratio.to_f64()),
        None if left.is_zero() => Some(0.0),
        None => Some(f64::INFINITY),
    }
}

//! The smallest parameters that a program admits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::point::require_holds;
use super::{Environment, Point, read_parameters};
use crate::check::program::{Expr, ExprKind, ParamId, Program};
use crate::count::Parameters;

/// Values of one formal that are tried one after the other.
const MOST_CONSECUTIVE: i64 = 8192;

/// Beyond those only powers are tried, up to this.
const MOST_POWER: i64 = 1 << 20;

/// Choices of all formals together that are tried before the search ends.
const MOST_TRIES: usize = 20_000;

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
    let name = |id: &ParamId| program.parameter(*id).name.as_str();
    let formals = program.formals.iter().copied();
    let free: Vec<ParamId> = formals.filter(|id| given.get(name(id)).is_none()).collect();
    let mut environment = Environment::new(program);
    let ids = &program.machine;
    for (id, value) in [ids.p, ids.b, ids.m, ids.g].into_iter().zip(machine) {
        environment.bind(id, value);
    }
    for id in &program.formals {
        if let Some(value) = given.get(name(id)) {
            environment.bind(*id, value.clone());
        }
    }
    let conjuncts = conjuncts(program);
    let candidates: Vec<Vec<i64>> = free
        .iter()
        .map(|id| {
            let others: Vec<ParamId> = free.iter().copied().filter(|other| other != id).collect();
            let own: Vec<&Expr> = conjuncts
                .iter()
                .filter(|(_, reads)| !reads.iter().any(|id| others.contains(id)))
                .map(|(condition, _)| *condition)
                .collect();
            admitted(program, &mut environment, *id, &own, machine[1], count)
        })
        .collect();
    let mut found = Vec::new();
    for choice in by_sum(&candidates).take(MOST_TRIES) {
        let mut values = given.clone();
        for (id, value) in free.iter().zip(choice) {
            values.set(name(id), value);
        }
        if Point::new(program, machine, &values).is_ok() {
            found.push(values);
        }
        if found.len() >= count {
            break;
        }
    }
    found
}

/// The parts of the data-free `require`s that must all hold, each with the parameters it reads,
/// those of its `let`s included.
fn conjuncts(program: &Program) -> Vec<(&Expr, Vec<ParamId>)> {
    let data_free = program.requires.iter().filter(|one| !one.reads_data);
    let mut open: Vec<&Expr> = data_free.map(|require| &require.condition).collect();
    let mut found = Vec::new();
    while let Some(condition) = open.pop() {
        if let ExprKind::And(left, right) = &condition.kind {
            open.extend([&**left, &**right]);
            continue;
        }
        let mut reads = read_parameters(condition);
        for binding in program.lets.iter().rev() {
            if reads.contains(&binding.parameter) {
                reads.extend(read_parameters(&binding.value));
            }
        }
        found.push((condition, reads.into_iter().collect()));
    }
    found
}

/// The smallest values of one formal that satisfy the conditions on it alone, ascending.
fn admitted(
    program: &Program,
    environment: &mut Environment,
    formal: ParamId,
    conditions: &[&Expr],
    b: i64,
    count: usize,
) -> Vec<i64> {
    let mut powers: Vec<i64> = Vec::new();
    for base in [2, b.max(2)] {
        let next = |power: &i64| power.checked_mul(base).filter(|power| *power <= MOST_POWER);
        powers.extend(std::iter::successors(Some(base), next));
    }
    powers.retain(|power| *power > MOST_CONSECUTIVE);
    powers.sort_unstable();
    powers.dedup();
    let mut values = Vec::new();
    for value in (0..=MOST_CONSECUTIVE).chain(powers) {
        environment.bind(formal, value);
        let holds = |condition: &&Expr| {
            require_holds(program, environment, condition).is_ok_and(|holds| holds)
        };
        if conditions.iter().all(holds) {
            values.push(value);
        }
        if values.len() >= count.max(1).saturating_mul(2) {
            break;
        }
    }
    values
}

/// All choices of one candidate from each list, by their sum, then in lexicographic order.
fn by_sum(candidates: &[Vec<i64>]) -> impl Iterator<Item = Vec<i64>> + '_ {
    let values = move |places: &[usize]| -> Vec<i64> {
        let chosen = places.iter().zip(candidates);
        chosen.map(|(place, list)| list[*place]).collect()
    };
    let mut open = BinaryHeap::new();
    if candidates.iter().all(|list| !list.is_empty()) {
        let first = vec![0; candidates.len()];
        let chosen = values(&first);
        open.push(Reverse((chosen.iter().sum::<i64>(), chosen, first, 0)));
    }
    std::iter::from_fn(move || {
        let Reverse((_, chosen, places, moved)) = open.pop()?;
        // Each choice has one parent: the one with its last moved place moved back.
        for at in moved..places.len() {
            if places[at] + 1 < candidates[at].len() {
                let mut next = places.clone();
                next[at] += 1;
                let following = values(&next);
                open.push(Reverse((following.iter().sum(), following, next, at)));
            }
        }
        Some(chosen)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_come_by_their_sum() {
        let candidates = [vec![1, 2, 4], vec![0, 2]];
        let all: Vec<Vec<i64>> = by_sum(&candidates).collect();
        assert_eq!(all, [[1, 0], [2, 0], [1, 2], [2, 2], [4, 0], [4, 2]]);
        assert_eq!(by_sum(&[]).count(), 1);
        assert_eq!(by_sum(&[vec![], vec![1]]).count(), 0);
    }
}

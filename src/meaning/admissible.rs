//! The smallest parameters that a program admits.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::meaning::point::{holds_at, number_at, require_holds};
use crate::meaning::{Allowance, Environment, Point, read_parameters};

use crate::number::Rational;
use crate::program::{
    Condition, ConditionKind, Formula, FormulaCondition, Number, ParamId, Program,
};

/// The widest MPs that a program is tried with, where its `require`s refuse the usual ones.
const WIDEST: i64 = 1024;

/// How many of the least of those are taken, besides the first that is so many times the least: what holds at
/// 32 and 64 may fail at 96 alone.
const LEAST_WIDTHS: usize = 3;
const TIMES_THE_LEAST: i64 = 3;

/// Values of one formal that are tried one after the other.
const MOST_CONSECUTIVE: i64 = 8192;

/// Beyond those only powers are tried, up to this, and so many values from where a comparison turns, if it does
/// so within so many bits.
const MOST_POWER: i64 = 1 << 20;
const MOST_BITS: u32 = 48;
/// Values one after the other of which one lets all `let`s have a value.
const MOST_WITHOUT_VALUE: i64 = 64;

/// Choices of all formals together that are tried before the search ends.
const MOST_TRIES: usize = 20_000;

/// Values of formals that are written down for all choices together: with very many formals fewer
/// choices are tried.
const MOST_VALUES: usize = 10_000_000;

/// Values that the quantifiers of all conditions may run through in all.
pub(super) const VALUES_OF_QUANTIFIERS: u64 = 10_000_000;

/// Points left out that are named.
const MOST_NAMED: usize = 3;

/// Choices in a row at which a number grows beyond all measure, after which no larger ones are tried.
const MOST_BEYOND_MEASURE: usize = 50;

/// The smallest points, by the sum of the formals and then in lexicographic order, that the
/// data-free `require`s admit and at which all `let`s and extents have a value. Formals are whole
/// numbers from 0; those `given` are kept. At most `count` points; fewer when a bounded search
/// finds no more.
///
/// ```
/// use atgpu::meaning::admissible_points;
///
/// let program = atgpu::examples::vector_addition();
/// let machine = [384, 32, 12288, 1 << 28]; // p, b, M, G
/// let points = admissible_points(&program, machine, &().into(), 3);
/// let sizes: Vec<_> = points.iter().filter_map(|point| point.get("n")?.to_i64()).collect();
/// assert_eq!(sizes, [32, 64, 96]); // n ≥ 1 and b | n
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn admissible_points(
    program: &Program,
    machine: [i64; 4],
    given: &Parameters,
    count: usize,
) -> Vec<Parameters> {
    admissible(program, machine, given, count).points
}

/// Values of b to try a program with: the one given, else the usual ones; where its `require`s on b alone
/// refuse all of these, the smallest that they admit, up to 1024, one of them three times the least if there
/// is one.
///
/// ```
/// use atgpu::meaning::widths;
///
/// let program = atgpu::program("algorithm T(n)\n  require 256 | b\n")?;
/// assert_eq!(widths(&program, &().into(), &[4, 32]), [256, 512, 768]);
/// assert_eq!(widths(&program, &[("b", 1024)].into(), &[4, 32]), [1024]);
/// let program = atgpu::examples::vector_addition();
/// assert_eq!(widths(&program, &().into(), &[4, 32]), [4, 32]);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn widths(program: &Program, given: &Parameters, usual: &[i64]) -> Vec<i64> {
    if let Some(width) = given.get("b").and_then(Rational::to_i64) {
        return vec![width];
    }
    let allowance = Allowance::of(VALUES_OF_QUANTIFIERS);
    let mut environment = with_formals(program, given);
    let b = program.machine.b;
    let conjuncts = conjuncts(program);
    let is_let = |id: &ParamId| program.lets.iter().any(|one| one.parameter == *id);
    let is_decided = |id: &ParamId| *id == b || is_let(id) || environment.get(*id).is_some();
    let decided = conjuncts
        .iter()
        .filter(|(_, reads)| reads.contains(&b) && reads.iter().all(is_decided));
    let decided: Vec<_> = decided.map(|(condition, _)| *condition).collect();
    let mut admits = |width: i64| {
        environment.bind(b, width);
        let mut each = decided.iter();
        each.all(|condition| {
            require_holds(program, &environment, condition, &allowance).is_ok_and(|holds| holds)
        })
    };
    if usual.iter().copied().any(&mut admits) {
        return usual.to_vec();
    }
    let mut others = (1..=WIDEST).filter(|width| admits(*width));
    let mut found: Vec<i64> = others.by_ref().take(LEAST_WIDTHS).collect();
    if let (Some(least), Some(last)) = (found.first(), found.last()) {
        let wide = TIMES_THE_LEAST * least;
        if *last < wide {
            found.extend(others.find(|width| *width >= wide));
        }
    }
    found
}

/// The smallest points of a program, and those between them that the `require`s admit as well but at
/// which a `let` or an extent has no value.
#[derive(Debug, Clone, Default)]
pub struct Admissible {
    /// As [`admissible_points`] gives them.
    pub points: Vec<Parameters>,
    /// How many there are besides.
    pub left_out: usize,
    /// The first of these, with what is wrong there.
    pub first_left_out: Vec<(Parameters, Diagnostic)>,
}

/// As [`admissible_points`], with what was left out.
///
/// ```
/// use atgpu::meaning::admissible;
///
/// // Every n ≥ 1 is admitted, but only multiples of b have a whole k.
/// let program = atgpu::program("algorithm T(n)\n  require n ≥ 1\n  let k = n/b\n")?;
/// let found = admissible(&program, [384, 4, 12288, 1 << 28], &().into(), 2); // p, b, M, G
/// assert_eq!(found.points.len(), 2); // n = 4, n = 8
/// assert_eq!(found.left_out, 6); // n = 1, 2, 3, 5, 6, 7
/// assert_eq!(found.first_left_out[0].1.code.short_name(), "value::not-integral");
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn admissible(
    program: &Program,
    machine: [i64; 4],
    given: &Parameters,
    count: usize,
) -> Admissible {
    let allowance = Allowance::of(VALUES_OF_QUANTIFIERS);
    admissible_within(program, machine, given, count, &allowance)
}

/// As [`admissible`], within an allowance.
pub(crate) fn admissible_within(
    program: &Program,
    machine: [i64; 4],
    given: &Parameters,
    count: usize,
    allowance: &Allowance,
) -> Admissible {
    let name = |id: &ParamId| program.parameter(*id).name.as_str();
    let formals = program.formals.iter().copied();
    let free: Vec<ParamId> = formals.filter(|id| given.get(name(id)).is_none()).collect();
    let mut environment = with_formals(program, given);
    let ids = &program.machine;
    for (id, value) in [ids.p, ids.b, ids.m, ids.g].into_iter().zip(machine) {
        environment.bind(id, value);
    }
    let conjuncts = conjuncts(program);
    let lets = program.lets.iter().map(|binding| binding.parameter);
    let lets: Vec<ParamId> = lets.collect();
    let names_lets = |reads: &[ParamId]| reads.iter().any(|id| lets.contains(id));
    // What no free formal decides is asked once.
    let is_settled = |reads: &[ParamId]| !reads.iter().any(|id| free.contains(id));
    let settled = conjuncts.iter().filter(|(_, reads)| is_settled(reads));
    let holds = |condition| {
        require_holds(program, &environment, condition, allowance).is_ok_and(|holds| holds)
    };
    if !settled.into_iter().all(|(condition, _)| holds(condition)) {
        return Admissible::default();
    }
    let is_of = |formal: ParamId, reads: &[ParamId]| {
        let mut of_free = reads.iter().filter(|id| free.contains(id)).peekable();
        of_free.peek().is_some() && of_free.all(|id| *id == formal)
    };
    let mut candidates: Vec<Candidates<'_>> = free
        .iter()
        .map(|id| {
            let own = conjuncts.iter().filter(|(_, reads)| is_of(*id, reads));
            Candidates {
                program,
                allowance,
                environment: environment.clone(),
                formal: *id,
                conditions: own
                    .map(|(condition, reads)| (*condition, names_lets(reads)))
                    .collect(),
                width: machine[1],
                untried: (0..=MOST_CONSECUTIVE).collect::<Vec<i64>>().into_iter(),
                is_far: false,
                admitted: Vec::new(),
            }
        })
        .collect();
    let mut found = Admissible::default();
    let mut open = BySum::new(&mut candidates);
    let values_of_a_choice = free.len().saturating_mul(free.len()).max(1);
    let mut beyond_measure = 0;
    for _ in 0..MOST_TRIES.min(1 + MOST_VALUES / values_of_a_choice) {
        let Some(choice) = open.next(&mut candidates) else {
            break;
        };
        let mut values = given.clone();
        for (id, value) in free.iter().zip(choice) {
            values.set(name(id), value);
        }
        match Point::within(program, machine, &values, allowance) {
            Ok(_) => found.points.push(values),
            Err(faults) => {
                found.leave_out(values, &faults);
                let is_beyond = |fault: &Diagnostic| fault.code.short_name() == "value::overflow";
                if faults.iter().any(is_beyond) {
                    beyond_measure += 1
                } else {
                    beyond_measure = 0
                }
            }
        }
        if found.points.len() >= count || beyond_measure > MOST_BEYOND_MEASURE {
            break;
        }
    }
    found
}

impl Admissible {
    /// Notes a point that no `require` refuses.
    fn leave_out(&mut self, values: Parameters, faults: &[Diagnostic]) {
        let is_refusal = |fault: &Diagnostic| fault.code.short_name() == "require::violated";
        let Some(fault) = faults.first().filter(|_| !faults.iter().any(is_refusal)) else {
            return;
        };
        self.left_out += 1;
        if self.first_left_out.len() < MOST_NAMED {
            self.first_left_out.push((values, fault.clone()));
        }
    }
}

/// The formals that are given, bound; the machine is not.
fn with_formals(program: &Program, given: &Parameters) -> Environment {
    let mut environment = Environment::new(program);
    for id in &program.formals {
        if let Some(value) = given.get(&program.parameter(*id).name) {
            environment.bind(*id, value.clone());
        }
    }
    environment
}

/// The parts of the data-free `require`s that must all hold, each with the parameters it reads,
/// those of its `let`s included.
fn conjuncts(program: &Program) -> Vec<(&Condition<Formula>, Vec<ParamId>)> {
    let data_free = program.requires.iter().filter(|one| !one.reads_data);
    let mut open: Vec<&Condition<Formula>> = data_free.map(|require| &require.condition).collect();
    let mut found = Vec::new();
    while let Some(condition) = open.pop() {
        if let ConditionKind::And(left, right) = &condition.kind {
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

/// The values of one formal that satisfy the conditions on it alone, found as they are asked for.
struct Candidates<'a> {
    program: &'a Program,
    allowance: &'a Allowance,
    environment: Environment,
    formal: ParamId,
    /// Each with whether it names a `let`.
    conditions: Vec<(&'a Condition<Formula>, bool)>,
    width: i64,
    untried: std::vec::IntoIter<i64>,
    /// Whether the small ones are through.
    is_far: bool,
    admitted: Vec<i64>,
}

impl Candidates<'_> {
    /// Values beyond the small ones, ascending: powers of 2 and of b, and those from where a condition comes to hold.
    fn far(&self) -> Vec<i64> {
        let mut values = Vec::new();
        for base in [2, self.width.max(2)] {
            let next = |power: &i64| power.checked_mul(base).filter(|power| *power <= MOST_POWER);
            values.extend(std::iter::successors(Some(base), next));
        }
        let mut pairs = Vec::new();
        for (condition, _) in &self.conditions {
            compared(condition, &mut pairs);
        }
        for pair in pairs {
            for turn in self.turns(pair) {
                let first = turn - MOST_WITHOUT_VALUE;
                values.extend(first..=first + MOST_CONSECUTIVE);
            }
        }
        values.retain(|value| *value > MOST_CONSECUTIVE);
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Where one number comes to be less than the other, equal, or more: n = 10000, 4n ≥ b·1000, n^2 > 10^9.
    fn turns(&self, pair: [&Number<Formula>; 2]) -> Vec<i64> {
        let first = MOST_CONSECUTIVE.ilog2();
        let doubled = (first..=MOST_BITS).map(|bits| 1_i64 << bits);
        let doubled: Vec<i64> = doubled.collect();
        let mut turns = Vec::new();
        for ends in doubled.windows(2) {
            let (mut before, mut behind) = (ends[0], ends[1]);
            let order = self.order(pair, before);
            if order.is_none() || order == self.order(pair, behind) {
                continue;
            }
            while behind - before > 1 {
                let middle = before + (behind - before) / 2;
                if self.order(pair, middle) == order {
                    before = middle
                } else {
                    behind = middle
                }
            }
            turns.push(behind);
        }
        turns
    }

    /// How two numbers compare at a value, or at the next one where both have a value.
    fn order(&self, [left, right]: [&Number<Formula>; 2], at: i64) -> Option<Ordering> {
        let mut environment = self.environment.clone();
        let mut values = (at..at + MOST_WITHOUT_VALUE).take_while(|_| !self.allowance.is_spent());
        values.find_map(|value| {
            environment.bind(self.formal, value);
            let number = |number| number_at(self.program, &environment, number, self.allowance);
            Some(number(left)?.compare(&number(right)?))
        })
    }
}

/// The numbers that a condition compares, whatever else it says of them.
fn compared<'c>(condition: &'c Condition<Formula>, pairs: &mut Vec<[&'c Number<Formula>; 2]>) {
    match &condition.kind {
        ConditionKind::Compare { operands, .. } => {
            pairs.extend(operands.windows(2).map(|pair| [&pair[0], &pair[1]]));
        }
        ConditionKind::And(left, right) | ConditionKind::Or(left, right) => {
            compared(left, pairs);
            compared(right, pairs);
        }
        ConditionKind::Not(inner) => compared(inner, pairs),
        ConditionKind::Only(FormulaCondition::Implies(left, right)) => {
            compared(left, pairs);
            compared(right, pairs);
        }
        // What a quantifier says has variables of its own.
        ConditionKind::Only(_) => {}
    }
}

impl Ascending for Candidates<'_> {
    fn get(&mut self, place: usize) -> Option<i64> {
        while self.admitted.len() <= place {
            if self.allowance.is_spent() {
                return None;
            }
            let value = match self.untried.next() {
                Some(value) => value,
                None if self.is_far => return None,
                None => {
                    self.is_far = true;
                    self.untried = self.far().into_iter();
                    continue;
                }
            };
            self.environment.bind(self.formal, value);
            let (program, environment) = (self.program, &self.environment);
            let allowance = self.allowance;
            let holds = |(condition, names_lets): &(&Condition<Formula>, bool)| {
                if *names_lets {
                    require_holds(program, environment, condition, allowance)
                        .is_ok_and(|holds| holds)
                } else {
                    holds_at(program, environment, condition, allowance)
                }
            };
            if self.conditions.iter().all(holds) {
                self.admitted.push(value);
            }
        }
        self.admitted.as_slice().get(place).copied()
    }
}

/// A list of values in ascending order, known only as far as it is asked for.
trait Ascending {
    fn get(&mut self, place: usize) -> Option<i64>;
}

/// A choice of one value from each list: sum, values, their places, and the place moved last.
type Choice = (i64, Vec<i64>, Vec<usize>, usize);

/// All choices of one value from each list, by their sum, then in lexicographic order.
struct BySum {
    open: BinaryHeap<Reverse<Choice>>,
    /// The choice given last: its places, and the place moved last. What follows it is looked for when it is asked for.
    last: Option<(Vec<usize>, usize)>,
}

impl BySum {
    fn new(lists: &mut [impl Ascending]) -> BySum {
        let mut open = BinaryHeap::new();
        let places = vec![0; lists.len()];
        if let Some(values) = choose(lists, &places) {
            open.push(Reverse((values.iter().sum(), values, places, 0)));
        }
        BySum { open, last: None }
    }

    fn next(&mut self, lists: &mut [impl Ascending]) -> Option<Vec<i64>> {
        if let Some((places, moved)) = self.last.take() {
            // Each choice has one parent: the one with its last moved place moved back.
            for at in moved..places.len() {
                let mut next = places.clone();
                next[at] += 1;
                if let Some(values) = choose(lists, &next) {
                    self.open
                        .push(Reverse((values.iter().sum(), values, next, at)));
                }
            }
        }
        let Reverse((_, chosen, places, moved)) = self.open.pop()?;
        self.last = Some((places, moved));
        Some(chosen)
    }
}

fn choose(lists: &mut [impl Ascending], places: &[usize]) -> Option<Vec<i64>> {
    let pairs = lists.iter_mut().zip(places);
    pairs.map(|(list, place)| list.get(*place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ascending for Vec<i64> {
        fn get(&mut self, place: usize) -> Option<i64> {
            self.as_slice().get(place).copied()
        }
    }

    fn all(mut lists: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
        let mut open = BySum::new(&mut lists);
        std::iter::from_fn(|| open.next(&mut lists)).collect()
    }

    #[test]
    fn choices_come_by_their_sum() {
        let expected = [[1, 0], [2, 0], [1, 2], [2, 2], [4, 0], [4, 2]];
        assert_eq!(all(vec![vec![1, 2, 4], vec![0, 2]]), expected);
        assert_eq!(all(vec![]), [[0i64; 0]]);
        assert!(all(vec![vec![], vec![1]]).is_empty());
    }
}

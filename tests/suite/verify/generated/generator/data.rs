//! Data for sorted inputs and those that a `require ∀` speaks of: also such as chance hardly makes.

use crate::support::engines::Random;
use atgpu::exec::{Array, Data, Input};
use atgpu::meaning::{Point, evaluate};
use atgpu::program::Program;
use atgpu::program::{
    ConditionKind, Formula, FormulaCondition, Number, NumberKind, Role, VarId, Variable,
};
use atgpu::syntax::ast::Property;

/// Whether an input is sorted.
pub fn has_sorted(program: &Program) -> bool {
    program.variables().iter().any(is_sorted)
}

fn is_sorted(variable: &Variable) -> bool {
    variable.role == Role::Input && variable.property == Some(Property::Sorted)
}

/// The data of these inputs at a point.
pub fn inputs(program: &Program, point: &Point, seed: u64) -> Vec<(String, Input)> {
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    for (at, variable) in program.variables().iter().enumerate() {
        if variable.role != Role::Input {
            continue;
        }
        let required = required(program, VarId(at as u32));
        if !is_sorted(variable) && required.is_none() {
            continue;
        }
        let environment = &point.environment;
        let declared = variable.range.as_ref().map(|(low, high)| {
            let low = evaluate(program, low, environment);
            (low, evaluate(program, high, environment))
        });
        let required = required.map(|(low, high)| {
            let low = evaluate(program, low, environment);
            (low, evaluate(program, high, environment))
        });
        let ends = [declared, required].into_iter().flatten();
        let ends = ends.map(|(low, high)| {
            let small = |end| i64::try_from(end).expect("it is small");
            let (low, high) = (low.ok()?.to_integer()?, high.ok()?.to_integer()?);
            Some((small(low), small(high)))
        });
        let within = ends.reduce(|x, y| Some((x?.0.max(y?.0), x?.1.min(y?.1))));
        let Some((low, high)) = within.unwrap_or(Some((0, 1))) else {
            continue;
        };
        if low > high {
            continue;
        }
        let extents = point.extents[at].iter();
        let shape: Vec<usize> = extents
            .map(|extent| usize::try_from(extent).expect("arrays are small"))
            .collect();
        let width = i64::try_from(&point.parameters["b"]).expect("b is small");
        let words = shape.iter().product();
        let data = if is_sorted(variable) {
            sorted(&mut random, words, (low, high), width)
        } else {
            (0..words)
                .map(|_| between(&mut random, low, high))
                .collect()
        };
        let data = Data::Int(data);
        found.push((variable.name.clone(), Input::Given(Array { shape, data })));
    }
    found
}

/// The ends that `require ∀ x ∈ … : low ≤ A[x] ≤ high` gives to the words of an input.
fn required(program: &Program, input: VarId) -> Option<(&Number<Formula>, &Number<Formula>)> {
    program.requires().iter().find_map(|require| {
        let ConditionKind::Only(FormulaCondition::ForAll(over)) = &require.condition.kind else {
            return None;
        };
        let ConditionKind::Compare { operands, .. } = &over.body.kind else {
            return None;
        };
        match &operands[..] {
            [low, word, high] => match &word.kind {
                NumberKind::Word(word) if word.variable == input => Some((low, high)),
                _ => None,
            },
            _ => None,
        }
    })
}

fn between(random: &mut Random, low: i64, high: i64) -> i64 {
    low + random.below((high - low) as u64 + 1) as i64
}

/// Ascending words: equal, with one step, dense, with jumps between blocks, in pairs, or any.
fn sorted(random: &mut Random, words: usize, (low, high): (i64, i64), width: i64) -> Vec<i64> {
    let place = random.below(words as u64 + 1) as i64;
    let scale = 1 + random.below(3) as i64;
    let few = between(random, low, high);
    let reach = high - low;
    let last = (words as i64 - 1).max(1);
    let kind = random.below(12);
    let mut data: Vec<i64> = (0..words as i64)
        .map(|at| match kind {
            0 => low,
            1 => high,
            2 if at < place => low,
            2 => high,
            3 => low + (at * scale).min(reach),
            4 => high - ((last - at) * scale).clamp(0, reach),
            5 => low + (at / width * scale * width).min(reach),
            6 => low + ((at + place) / width * scale).min(reach),
            7 => low + (at / 2 * scale).min(reach),
            8 => low + reach * at / last,
            9 => [low, few, high][random.below(3) as usize],
            _ => between(random, low, high),
        })
        .collect();
    data.sort_unstable();
    data
}

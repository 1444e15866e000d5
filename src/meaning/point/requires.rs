//! The `require`s without data at a point: takes formals and machine as bound, and says which hold, or why one has no
//! truth.

use std::collections::HashMap;

use crate::diag::Diagnostic;
use crate::meaning::error::PointError;
use crate::meaning::eval::Connectives;
use crate::meaning::eval::parameters::{Evaluator, Failure};
use crate::meaning::point::lets::{let_value, with_lets};
use crate::meaning::{Allowance, Environment, read_parameters};
use crate::program::{
    Comparison, Condition, ConditionKind, Formula, Number, ParamId, Program, Requirement,
};

/// Tests the `require`s without data, evaluating only the `let`s they name. A `require` without a value is told only
/// where all others hold: with `let k = n/b`, the point that `require b ∣ n` refuses has no k, and `require k > 1`
/// no answer.
pub(super) fn test_requires(
    program: &Program,
    environment: &Environment,
    allowance: &Allowance,
) -> Result<(), Vec<Diagnostic>> {
    let (mut violated, mut valueless) = (Vec::new(), Vec::new());
    for require in program.requires.iter().filter(|one| !one.reads_data) {
        match require_holds(program, environment, &require.condition, allowance) {
            Ok(true) => {}
            Ok(false) => violated.push(violation(program, environment, require, None, allowance)),
            Err(fault) => valueless.push(fault),
        }
    }
    match (violated.is_empty(), valueless.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(valueless),
        (false, _) => Err(violated),
    }
}

/// Tests the parts of `require`s of which all values are bound. Returns the first refusal of each, or why parts have no
/// truth if none refuses.
pub(super) fn refusals_of_some(
    program: &Program,
    environment: &Environment,
    allowance: &Allowance,
) -> Vec<Diagnostic> {
    let is_decided = |part: &Condition<Formula>| {
        let mut reads = read_parameters(part);
        for binding in program.lets.iter().rev() {
            if reads.shift_remove(&binding.parameter) {
                reads.extend(read_parameters(&binding.value));
            }
        }
        reads.iter().all(|id| environment.get(*id).is_some())
    };
    let (mut violated, mut valueless) = (Vec::new(), Vec::new());
    for require in program.requires.iter().filter(|one| !one.reads_data) {
        let parts = parts_of(&require.condition);
        for part in parts.iter().filter(|part| is_decided(part)) {
            match require_holds(program, environment, part, allowance) {
                Ok(true) => continue,
                Ok(false) => {
                    let part = Some(part);
                    violated.push(violation(program, environment, require, part, allowance));
                }
                Err(fault) => valueless.push(fault),
            }
            break;
        }
    }
    if violated.is_empty() {
        valueless
    } else {
        violated
    }
}

/// As [`test_requires`], without faults where one does not hold.
pub(super) fn admits(
    program: &Program,
    environment: &Environment,
    allowance: &Allowance,
) -> Result<(), Vec<Diagnostic>> {
    let mut valueless = Vec::new();
    for require in program.requires.iter().filter(|one| !one.reads_data) {
        match require_holds(program, environment, &require.condition, allowance) {
            Ok(true) => {}
            Ok(false) => return Err(Vec::new()),
            Err(fault) => valueless.push(fault),
        }
    }
    if valueless.is_empty() {
        Ok(())
    } else {
        Err(valueless)
    }
}

/// Tests a data-free condition of the header where formals and machine are bound, with only the `let`s that it names. A
/// condition without a value does not hold where a part of it does not: `k > 1 ∧ b ∣ n` with `let k = n/b`.
pub(in crate::meaning) fn require_holds(
    program: &Program,
    environment: &Environment,
    condition: &Condition<Formula>,
    allowance: &Allowance,
) -> Result<bool, Diagnostic> {
    let reads = read_parameters(condition);
    let (environment, failures) = with_lets(program, environment, reads, allowance);
    // With `let k = n/b`, n = 5 and b = 2, k has no value, and so has `k > 1`. But `b ∣ n` has one, and it refuses the
    // point. A part that has no value therefore waits for those that have.
    let holds = |condition| truth(program, &environment, &failures, condition, allowance);
    let whole = holds(condition);
    if whole.is_err()
        && parts_of(condition)
            .iter()
            .any(|part| holds(part) == Ok(false))
    {
        return Ok(false);
    }
    whole
}

/// As [`require_holds`], where all that the condition reads is bound.
pub(in crate::meaning) fn holds_at(
    program: &Program,
    environment: &Environment,
    condition: &Condition<Formula>,
    allowance: &Allowance,
) -> bool {
    let holds = truth(program, environment, &HashMap::new(), condition, allowance);
    holds.is_ok_and(|holds| holds)
}

/// Takes a condition apart: `1 ≤ w ≤ b ∧ b | n` has three parts.
fn parts_of(condition: &Condition<Formula>) -> Vec<Condition<Formula>> {
    match &condition.kind {
        ConditionKind::And(left, right) => [parts_of(left), parts_of(right)].concat(),
        ConditionKind::Compare {
            operands,
            operators,
        } => {
            let links = operands.windows(2).zip(operators);
            let link = |(pair, operator): (&[Number<Formula>], &Comparison)| Condition {
                kind: ConditionKind::Compare {
                    operands: pair.to_vec(),
                    operators: vec![*operator],
                },
                span: condition.span,
            };
            links.map(link).collect()
        }
        _ => vec![condition.clone()],
    }
}

/// Returns `require::violated`, of a part of a `require` or of all of it.
fn violation(
    program: &Program,
    environment: &Environment,
    require: &Requirement,
    part: Option<&Condition<Formula>>,
    allowance: &Allowance,
) -> Diagnostic {
    let part = part.unwrap_or(&require.condition);
    let values = read_parameters(&require.condition)
        .iter()
        .filter_map(|id| {
            let value = match environment.get(*id) {
                Some(value) => value.clone(),
                None => let_value(program, environment, *id, allowance)?.into(),
            };
            Some((program.parameter(*id).name.clone(), value))
        })
        .collect();
    PointError::Violated {
        text: program.clause(require.span).to_owned(),
        values,
        fixes_width: is_equality(part) && read_parameters(part).contains(&program.machine.b),
        span: require.span,
    }
    .into()
}

fn is_equality(condition: &Condition<Formula>) -> bool {
    match &condition.kind {
        ConditionKind::Compare { operators, .. } => operators.contains(&Comparison::Equal),
        _ => false,
    }
}

fn truth(
    program: &Program,
    environment: &Environment,
    failures: &HashMap<ParamId, Diagnostic>,
    condition: &Condition<Formula>,
    allowance: &Allowance,
) -> Result<bool, Diagnostic> {
    let holds = Evaluator::new(program, environment, allowance)
        .with_failures(failures)
        .connected(Connectives::ShortCircuit)
        .condition(condition);
    match holds {
        Ok(holds) => Ok(holds),
        Err(Failure::Fault(fault)) => Err(fault),
        // Letters of the cost functions stand in claims only.
        Err(Failure::NoLetter) => Ok(true),
    }
}

//! The `let`s of the header: takes formals and machine as bound, and evaluates the `let`s that an expression names.

use std::collections::HashMap;

use indexmap::IndexSet;

use crate::diag::Diagnostic;
use crate::meaning::eval::parameters::{Evaluator, Failure};
use crate::meaning::{Allowance, Environment, read_parameters};
use crate::number::{BigInt, Real};
use crate::program::{Formula, Number, ParamId, Program};

/// Evaluates a number of the header where formals and machine are bound, with only the `let`s that it names.
pub(in crate::meaning) fn number_at(
    program: &Program,
    environment: &Environment,
    number: &Number<Formula>,
    allowance: &Allowance,
) -> Option<Real> {
    let reads = read_parameters(number);
    let (environment, failures) = with_lets(program, environment, reads, allowance);
    let mut evaluator = Evaluator::new(program, &environment, allowance).with_failures(&failures);
    evaluator.number(number).ok()
}

/// Returns the value of a `let`, if it has one.
pub(super) fn let_value(
    program: &Program,
    environment: &Environment,
    id: ParamId,
    allowance: &Allowance,
) -> Option<BigInt> {
    let (environment, _) = with_lets(program, environment, IndexSet::from([id]), allowance);
    environment.get(id)?.to_integer()
}

/// Adds the `let`s of some parameters to an environment, and those they name in turn. Returns beside it why others have
/// no value.
pub(super) fn with_lets(
    program: &Program,
    environment: &Environment,
    mut needed: IndexSet<ParamId>,
    allowance: &Allowance,
) -> (Environment, HashMap<ParamId, Diagnostic>) {
    // Definitions stand before their uses.
    for binding in program.lets.iter().rev() {
        if needed.contains(&binding.parameter) {
            needed.extend(read_parameters(&binding.value));
        }
    }
    let mut environment = environment.clone();
    let mut failures = HashMap::new();
    for binding in &program.lets {
        if !needed.contains(&binding.parameter) {
            continue;
        }
        let value = Evaluator::new(program, &environment, allowance)
            .with_failures(&failures)
            .integer(&binding.value);
        match value {
            Ok(value) => environment.bind(binding.parameter, value),
            Err(Failure::Fault(fault)) => {
                failures.insert(binding.parameter, fault);
            }
            Err(Failure::NoLetter) => {}
        }
    }
    (environment, failures)
}

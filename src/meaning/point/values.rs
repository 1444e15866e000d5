//! The values that a user gives: takes them by name, and gives those of formals, or the fault of a name or a value.

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::meaning::error::PointError;
use crate::number::{BigInt, legible};
use crate::program::{ParamId, ParameterKind, Program};
use crate::text::nearest;

/// The names for which cost models take values. No program is at fault for not knowing them.
const COST_PARAMETERS: [&str; 11] = ["p", "b", "M", "G", "α", "β", "γ", "λ", "σ", "H", "k'"];

/// Returns the fault of every name that is neither a formal parameter nor one of the machine's.
pub(super) fn check_names(program: &Program, values: &Parameters) -> Vec<Diagnostic> {
    let formals = || {
        let formals = program.formals.iter();
        formals.map(|id| program.parameter(*id).name.as_str())
    };
    let mut faults = Vec::new();
    for (name, _) in values.iter() {
        if formals().any(|formal| formal == name) || COST_PARAMETERS.contains(&name) {
            continue;
        }
        let binding = program
            .parameters
            .iter()
            .find(|parameter| parameter.kind == ParameterKind::HeaderLet && parameter.name == name);
        let fault = match binding {
            Some(binding) => PointError::OfLet {
                name: name.to_owned(),
                formals: formals().map(str::to_owned).collect(),
                span: binding.span,
            },
            None => PointError::Unknown {
                name: name.to_owned(),
                near: nearest(name, formals().chain(COST_PARAMETERS)).map(str::to_owned),
                formals: formals().map(str::to_owned).collect(),
            },
        };
        faults.push(fault.into());
    }
    faults
}

/// Returns the value of a formal parameter, which must be whole.
pub(super) fn formal_value(
    program: &Program,
    formal: ParamId,
    values: &Parameters,
) -> Result<BigInt, PointError> {
    let parameter = program.parameter(formal);
    let (name, span) = (|| parameter.name.clone(), parameter.span);
    let Some(value) = values.get(&parameter.name) else {
        return Err(PointError::Missing { name: name(), span });
    };
    value.to_integer().ok_or_else(|| PointError::Fraction {
        name: name(),
        value: legible(value),
        floor: value.floor().to_string(),
        span,
    })
}

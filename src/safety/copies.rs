//! Copies of inputs: takes a global array, and finds the input of which it is a copy, word by word, from its transfer on.

use crate::program::sources::sources_in;
use crate::program::{Direction, HostStmt, Program, Role, VarId, nested_on_host};
use crate::syntax::ast::Property;

/// Returns the input with a property that an array is: itself, or the one of which it is a whole copy that nothing else
/// writes.
pub(crate) fn input_as(property: Property, program: &Program, variable: VarId) -> Option<VarId> {
    let is_such = |input: &VarId| {
        program.variable(*input).property == Some(property)
            && sources_in(&program.body, &[*input]).is_empty()
    };
    if program.variable(variable).role == Role::Input {
        return Some(variable).filter(is_such);
    }
    if !program.swapped_with(variable).is_empty() {
        return None;
    }
    whole_copy_of(program, variable).filter(is_such)
}

/// Returns the input that an array is a whole copy of: one transfer is all that ever writes it, and nothing writes the
/// input.
fn whole_copy_of(program: &Program, array: VarId) -> Option<VarId> {
    let [_] = &sources_in(&program.body, &[array])[..] else {
        return None;
    };
    let input = nested_on_host(&program.body).find_map(|statement| match statement {
        HostStmt::Transfer(transfer)
            if transfer.direction == Direction::Inward
                && transfer.global.variable == array
                && transfer.host.is_whole()
                && transfer.global.is_whole() =>
        {
            Some(transfer.host.variable)
        }
        _ => None,
    })?;
    let is_input = program.variable(input).role == Role::Input;
    (is_input && sources_in(&program.body, &[input]).is_empty()).then_some(input)
}

//! Which input a global array is a copy of, word by word, from its transfer on.

use crate::program::{Direction, HostStmt, Program, Role, VarId, nested_on_host};
use crate::symbolic::data::sources::sources_in;

/// The input that an array is a whole copy of, if one transfer is all that ever writes it and nothing
/// writes the input.
pub(crate) fn whole_copy_of(program: &Program, array: VarId) -> Option<VarId> {
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

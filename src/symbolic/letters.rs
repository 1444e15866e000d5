//! The letters of the cost functions in a derivation: values where some are given, other names where
//! the program uses theirs.

use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derivation::letters::{letter, letter_name};
use crate::program::{CostSymbol, Program};
use crate::sym::{Expr, Symbol};

/// Letters of the cost functions that are given, with their value; and those that the program calls something
/// of its own by, with what they are told from that by.
pub(super) fn settled_letters(program: &Program, given: &Parameters) -> Vec<(Symbol, Expr)> {
    let settled = |which| {
        let symbol = letter(which);
        let name = letter_name(program, which);
        let value = match given.get(&name) {
            Some(value) if which != CostSymbol::Occupancy => Expr::rational(value.clone()),
            _ if name == which.name() => return None,
            _ => Expr::symbol(&Symbol::of(symbol.id.kind, symbol.id.number, &name)),
        };
        Some((symbol, value))
    };
    CostSymbol::ALL.into_iter().filter_map(settled).collect()
}

/// An expression with its letters settled.
pub(super) fn settle(letters: &[(Symbol, Expr)], expr: &Expr) -> Expr {
    letters.iter().fold(expr.clone(), |expr, (letter, value)| {
        expr.substitute(letter, value)
    })
}

/// Settles the letters of all that is a cost.
pub(super) fn settle_letters(letters: &[(Symbol, Expr)], derivation: &mut Derivation) {
    let coarse = std::mem::take(&mut derivation.coarse);
    derivation.coarse = coarse.map(|bound| bound.map(|bound| settle(letters, &bound)));
    let costs = [
        &mut derivation.transfer_cost,
        &mut derivation.cost,
        &mut derivation.gpu_cost,
    ];
    let rounds = derivation.rounds.iter_mut();
    for cost in costs
        .into_iter()
        .chain(rounds.map(|round| &mut round.occupancy))
    {
        *cost = cost.map(|end| settle(letters, end));
    }
}

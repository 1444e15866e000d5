//! The contents of variables that the program writes itself: ends between which all their words lie, as they are
//! supposed and held against every write ([`induction`](super::induction)).

use std::collections::HashMap;

use crate::program::{Program, VarId};
use crate::safety::bounds::never_negative;
use crate::safety::site::Place;
use crate::sym::{Cond, Expr};

/// The ends of the words of some variables.
#[derive(Clone, Default)]
pub(crate) struct Contents {
    /// By the variable that [`key`] gives.
    pub(super) ends: HashMap<VarId, Vec<End>>,
    /// True once an end was let go.
    pub(super) is_changed: bool,
}

/// An end of words.
#[derive(Clone, PartialEq)]
pub(crate) enum End {
    /// No word is less.
    Least(Expr),
    /// No word is more.
    Most(Expr),
}

impl End {
    /// The condition on a word.
    pub(crate) fn of(&self, word: &Expr) -> Cond {
        match self {
            End::Least(least) => Cond::ge(word, least),
            End::Most(most) => Cond::le(word, most),
        }
    }

    fn is_kept(&self, value: &Expr, place: &Place) -> bool {
        let left = match self {
            End::Least(least) => value - least,
            End::Most(most) => most - value,
        };
        never_negative(&left, place)
    }
}

impl Contents {
    /// The ends of the words of a variable.
    pub(crate) fn of(&self, program: &Program, variable: VarId) -> &[End] {
        let ends = self.ends.get(&key(program, variable));
        ends.map_or(&[], Vec::as_slice)
    }

    /// Lets go the ends of a variable that a value may pass.
    pub(crate) fn hold(
        &mut self,
        program: &Program,
        variable: VarId,
        value: Option<&Expr>,
        place: &Place,
    ) {
        let Some(ends) = self.ends.get_mut(&key(program, variable)) else {
            return;
        };
        let before = ends.len();
        ends.retain(|end| {
            value.is_some_and(|value| place.within_work(|| end.is_kept(value, place)))
        });
        self.is_changed |= ends.len() < before;
    }

    /// True if no end is left.
    pub(super) fn is_empty(&self) -> bool {
        self.ends.values().all(Vec::is_empty)
    }
}

/// The variable by which the contents of one are kept: arrays that change names have them together.
pub(super) fn key(program: &Program, variable: VarId) -> VarId {
    group(program, variable)[0]
}

/// The variables that change names with one, itself included.
pub(super) fn group(program: &Program, variable: VarId) -> Vec<VarId> {
    match program.swapped_with(variable) {
        [] => vec![variable],
        group => group.to_vec(),
    }
}

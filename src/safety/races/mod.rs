//! Whether two cores, or two MPs, ever disagree about a word.
//!
//! Two of them are two copies of what stands around a touch of memory ([`pair`]): what they share (host loops,
//! the MP, loops that all cores run through alike) keeps its symbols, everything else gets new ones.
//! No race is possible where the indices of the two copies provably differ ([`apart`]), as they are or with a number
//! in another form ([`renumbered`]).

mod apart;
mod instruction;
mod mps;
mod pair;
mod renumbered;

pub(crate) use instruction::{in_instruction, in_order};
pub(crate) use mps::between_mps;

use std::collections::BTreeSet;

use crate::program::VarId;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::sym::{Expr, Symbol};

/// Returns indices, and behind them the place of the word row by row: `g[u div w, u mod w]` is at u.
fn with_place(array: VarId, indices: &[Expr], forms: &Forms<'_>) -> Vec<Expr> {
    let place = forms.place_by_rows(array, indices);
    indices.iter().cloned().chain(place).collect()
}

/// True if a word of data is in a value.
fn has_word(value: &Expr, place: &Place) -> bool {
    place.words.iter().any(|word| value.contains(word))
}

/// True if an index has a word of data in it.
fn has_word_of(offsets: &[Expr], place: &Place) -> bool {
    offsets.iter().any(|offset| has_word(offset, place))
}

/// Adds the words that both copies read at the same place, which are the same.
fn keep_same_words(place: &Place, same: &mut BTreeSet<Symbol>, forms: &Forms<'_>, one_mp: bool) {
    // A word may be read at the number another word holds, which was met before.
    for word in &place.words {
        let Some(placed) = forms.placed.get(word) else {
            continue;
        };
        let is_shared = forms.is_shared(placed.variable);
        let is_known = |symbol: &Symbol| {
            same.contains(symbol)
                || !place.indices.iter().any(|index| index.symbol == *symbol)
                    && !place.words.contains(symbol)
        };
        let stays = placed
            .indices
            .iter()
            .all(|index| index.symbols().iter().all(&is_known));
        if stays && (one_mp || !is_shared) {
            same.insert(word.clone());
        }
    }
}

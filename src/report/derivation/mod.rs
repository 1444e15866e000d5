//! The forms of a derivation: text, JSON, LaTeX, functions of other languages, and explanations of totals.
//!
//! Takes a derivation and its program; gives text. Derives nothing.

pub mod claims;
pub mod cycles;
pub mod explanation;
pub mod functions;
pub(crate) mod json;
mod latex;
pub mod models;
mod text;

use crate::derivation::{DerivedRound, Joined, Neighbour};
use crate::sym::Cond;

pub use json::json;
pub use latex::{TABLE, latex, latex_table};
pub use text::{closing_text, text};

/// The start of a round's heading: its number, or the round that it is part of.
fn opening(round: &DerivedRound, number: Option<String>) -> String {
    let Some(joined) = &round.joined else {
        return number.map_or("a round".to_owned(), |number| format!("round {number}"));
    };
    let other = match joined.with {
        Neighbour::Next => "the next round",
        Neighbour::Previous => "the round before",
    };
    if joined.is_exact || joined.alone == Cond::False {
        format!("with {other}")
    } else {
        format!("alone or with {other}")
    }
}

/// The end of the heading: the condition under which transfers are a round of their own.
fn ending(round: &DerivedRound, written: impl Fn(&Cond) -> String) -> String {
    let alone = round.joined.as_ref().and_then(Joined::told_alone);
    alone.map_or_else(String::new, |alone| {
        format!(", but alone where {}", written(alone))
    })
}

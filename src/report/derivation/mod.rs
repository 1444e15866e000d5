//! The forms of a derivation: text, JSON, LaTeX, functions of other languages, and explanations of totals.
//!
//! Takes a derivation and its program; gives text. Derives nothing.

mod by_rounds;
pub mod claims;
pub mod cycles;
pub mod explanation;
pub mod functions;
pub(crate) mod json;
mod latex;
pub mod models;
mod text;

use crate::derivation::{DerivedRound, Joined, Neighbour};
use crate::report::formula::Formulas;
use crate::sym::Cond;

pub use json::json;
pub use latex::{TABLE, latex, latex_table};
pub use text::{closing_text, quantities_text, splitting_text, text};

/// The heading of a round, or of the rounds of a host loop, as text.
fn heading(round: &DerivedRound, formulas: &Formulas) -> String {
    let number = round.number.as_ref().map(|number| formulas.text(number));
    let mut heading = opening(round, number);
    if let Some(when) = &round.when {
        heading.push_str(&format!(", where {}", formulas.cond(when)));
    }
    for range in &round.loops {
        let [from, to] = [&range.from, &range.to].map(|end| formulas.text(end));
        let way = if range.down { "downto" } else { "to" };
        let name = &range.symbol.name;
        heading.push_str(&format!(", {name} = {from} {way} {to}"));
    }
    if let Some((line, at_most)) = &round.within_while {
        let at_most = formulas.text(at_most);
        heading.push_str(&format!(
            ", at most {at_most} times by the while of line {line}"
        ));
    }
    if let Some(line) = round.within_until {
        heading.push_str(&format!(", or fewer by the until of line {line}"));
    }
    heading.push_str(&ending(round, |cond| formulas.cond(cond)));
    heading
}

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

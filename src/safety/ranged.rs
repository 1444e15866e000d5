//! The missing range: a declaration of what a shared word may hold, under which a place that data decide is proved.
//!
//! Takes places that are open because of data, writes the program with a range declared, and proves that. A range is
//! proposed where the place is proved under it and nothing else is less safe: whatever is written to the word must be
//! within it, which is proved too.

use crate::check::check_text;
use crate::count::Parameters;
use crate::program::{Expr, Program, Scope, VarId, WordType};
use crate::safety::guarded::{access, unproved};
use crate::safety::proofs;
use crate::safety::verdict::{Judged, Reason, Verdict};
use crate::syntax::signs::spelled;
use crate::text::Source;

/// Programs with a range in them that are proved.
const MOST_PROOFS: usize = 6;

/// Gives places that data decide the range that proves them, where one will do.
pub(crate) fn propose(program: &Program, given: &Parameters, judged: &mut [Judged]) {
    let mut proofs_left = MOST_PROOFS;
    let before = unproved(judged);
    for at in 0..judged.len() {
        for range in candidates(program, &judged[at]) {
            if proofs_left == 0 {
                return;
            }
            proofs_left -= 1;
            let Some(anew) = range.proofs(program, given) else {
                continue;
            };
            let after = unproved(&anew);
            let is_no_worse = before
                .iter()
                .zip(&after)
                .all(|(before, after)| after <= before);
            if !is_no_worse || !range.proves(&judged[at], &anew) {
                continue;
            }
            for place in judged.iter_mut() {
                if is_open_by_data(place) && range.proves(place, &anew) {
                    place.verdict = Verdict::Open(Reason::Declare(range.told.clone()));
                }
            }
            break;
        }
    }
}

fn is_open_by_data(place: &Judged) -> bool {
    matches!(place.verdict, Verdict::Open(Reason::Data))
}

/// Ranges declared in the header.
struct Range {
    /// As they are told: `_w[b] in 0..b - 1`.
    told: String,
    /// The text with them.
    text: String,
    /// By how much places of the kernels have moved.
    moved: usize,
}

impl Range {
    /// What is proved of the program with the ranges; nothing where that is no program.
    fn proofs(&self, program: &Program, given: &Parameters) -> Option<Vec<Judged>> {
        let source = Source::new(program.source.name(), &self.text);
        let ranged = check_text(&source).program?;
        Some(proofs(&ranged, given))
    }

    fn proves(&self, place: &Judged, anew: &[Judged]) -> bool {
        let start = place.span.start + self.moved;
        let is_same =
            |other: &&Judged| other.property == place.property && other.span.start == start;
        let mut found = anew.iter().filter(is_same).peekable();
        found.peek().is_some() && found.all(|other| other.verdict.is_proved())
    }
}

/// Ranges that may do for a place: of all the words in its indices, the extents of the array and b.
fn candidates(program: &Program, place: &Judged) -> Vec<Range> {
    if !is_open_by_data(place) {
        return Vec::new();
    }
    let Some((_, word)) = access(program, place.span) else {
        return Vec::new();
    };
    let mut words = Vec::new();
    for index in &word.indices {
        Expr::from(index).words(&mut words);
    }
    let mut read: Vec<VarId> = words.iter().map(|word| word.variable).collect();
    read.sort_unstable();
    read.dedup();
    read.retain(|id| {
        let variable = program.variable(*id);
        variable.scope == Scope::Shared
            && variable.range.is_none()
            && variable.word_type == WordType::Int
    });
    if read.is_empty() {
        return Vec::new();
    }
    let dimensions = &program.variable(word.variable).dimensions;
    let extents = dimensions
        .iter()
        .map(|extent| program.source.slice(extent.span).trim());
    let mut extents: Vec<&str> = extents.collect();
    extents.push("b");
    extents.dedup();
    let last = extents
        .iter()
        .map(|extent| match extent.strip_suffix(" + 1") {
            Some(less) => less.to_owned(),
            None => format!("{extent} - 1"),
        });
    last.map(|last| declared(program, &read, &last)).collect()
}

/// The program with these variables declared to hold 0 to `last`.
fn declared(program: &Program, variables: &[VarId], last: &str) -> Range {
    let source = &program.source;
    let range = spelled(source, &format!(" in 0..{last}"));
    let mut text = source.text().to_owned();
    let mut told = Vec::new();
    let mut spans: Vec<_> = variables
        .iter()
        .map(|id| program.variable(*id).span)
        .collect();
    spans.sort_by_key(|span| span.start);
    // From the last to the first, so that places before stay.
    for span in spans.iter().rev() {
        text.insert_str(span.end, &range);
        told.insert(0, format!("{}{range}", source.slice(*span).trim()));
    }
    Range {
        told: told.join(", "),
        moved: range.len() * spans.len(),
        text,
    }
}

//! Advice on a text as actions: the changes that the last search found, until the text changes.

use crate::editor::actions::{Action, ActionKind};
use crate::editor::document::Document;
use crate::editor::formatting::changes;
use crate::report::advice::in_a_line;

/// The most proposals that are offered.
const MOST_OFFERED: usize = 5;

/// Returns the changes that were found for the present text, the best one first.
pub fn advice(document: &Document) -> Vec<Action> {
    let proposals = document.advised().map(|found| found.proposals.iter());
    let offered = proposals.into_iter().flatten().take(MOST_OFFERED);
    let actions = offered.map(|proposal| Action {
        title: in_a_line(proposal),
        kind: ActionKind::Rewrite,
        edits: changes(document, &proposal.text),
        mends: None,
        preferred: false,
    });
    actions.collect()
}

//! `merge-guards`: two neighbouring blocks with one condition become one block.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{all_in, blocks_in, names_in, span_of, target_of};
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::syntax::ast::{CoreStmt, Stmt};

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for block in blocks_in(&cores.of.body) {
            let pairs = block.windows(2);
            drafts.extend(pairs.filter_map(|pair| merged(subject, &pair[0], &pair[1])));
        }
    }
    drafts
}

fn merged(subject: &Subject<'_>, first: &Stmt, second: &Stmt) -> Option<Draft> {
    let (Stmt::Core(CoreStmt::If(one)), Stmt::Core(CoreStmt::If(other))) = (first, second) else {
        return None;
    };
    let is_same = subject.slice(one.condition.span) == subject.slice(other.condition.span);
    let names = names_in(&one.condition);
    let mut targets = all_in(&one.body).into_iter().filter_map(target_of);
    let is_changed = targets.any(|target| names.iter().any(|name| name.text == target.name.text));
    if !is_same || is_changed {
        return None;
    }
    let removed = |span| Edit {
        span,
        text: String::new(),
    };
    Some(Draft {
        edits: vec![
            removed(subject.end_line(first)),
            removed(subject.lines(span_of(second))),
        ],
        at: span_of(second),
        why: "the first block changes nothing in the condition, so the same cores run the second"
            .to_owned(),
        keeps: Keeps::Values,
    })
}

//! `merge-kernels`: two neighbouring kernels over the same MPs become one, which saves a round.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{blocks_in, span_of};
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::syntax::ast::Stmt;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let kernels = subject.tree.kernels.iter().map(|kernel| &kernel.body);
    let bodies = kernels.chain([&subject.tree.body]);
    let mut drafts = Vec::new();
    for block in bodies.flat_map(|body| blocks_in(body)) {
        for pair in block.windows(2) {
            if let [first @ Stmt::Wrapper(one), second @ Stmt::Wrapper(other)] = pair {
                let bodies = [&one.body, &other.body];
                drafts.extend(merged(subject, [first, second], bodies));
            }
        }
    }
    drafts
}

fn merged(subject: &Subject<'_>, kernels: [&Stmt; 2], bodies: [&Vec<Stmt>; 2]) -> Option<Draft> {
    let heading = |stmt: &Stmt| subject.slice(span_of(stmt)).trim();
    if heading(kernels[0]) != heading(kernels[1]) {
        return None;
    }
    let removed = |span| Edit {
        span,
        text: String::new(),
    };
    let mut edits = vec![
        removed(subject.end_line(kernels[0])),
        removed(subject.lines(span_of(kernels[1]))),
    ];
    // The core loops join too where they are all there is.
    if let [[one @ Stmt::CoreLoop(_)], [other @ Stmt::CoreLoop(_)]] =
        bodies.map(|body| body.as_slice())
        && heading(one) == heading(other)
    {
        edits.push(removed(subject.end_line(one)));
        edits.push(removed(subject.lines(span_of(other))));
    }
    edits.sort_by_key(|edit| edit.span.start);
    Some(Draft {
        edits,
        at: span_of(kernels[1]),
        why: "no MP of the second kernel needs a word of another MP of the first, or there would be a race"
            .to_owned(),
        keeps: Keeps::Results,
    })
}

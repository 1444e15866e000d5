//! `hoist`: a load, a computation or a guard that a loop repeats without change moves in front of it.

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{
    all_in, body_of, bound_in, loops_in, names_in, names_of_one, span_of, writes,
};
use crate::advise::subject::{Cores, Subject, is_shared};
use crate::diag::Edit;
use crate::syntax::ast::{Arrow, CoreStmt, For, Move, Name, Source, Stmt};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for (stmt, repeated) in loops_in(&cores.of.body) {
            let moved = (0..repeated.body.len())
                .filter_map(|at| statement(subject, cores, (stmt, repeated), at));
            drafts.extend(moved);
            drafts.extend(guard(subject, stmt, repeated));
        }
    }
    drafts
}

/// Moves one statement of the loop's block in front of the loop.
fn statement(
    subject: &Subject<'_>,
    cores: Cores<'_>,
    (stmt, repeated): (&Stmt, &For),
    at: usize,
) -> Option<Draft> {
    let (inner, others) = (
        &repeated.body[at],
        [&repeated.body[..at], &repeated.body[at + 1..]],
    );
    let names = names_of_one(inner);
    let is_moved = match inner {
        Stmt::Let(_) => !subject.reads_shared(&names),
        Stmt::Move(moved) => is_same_every_time(subject, cores, moved, &names, others, stmt),
        _ => false,
    };
    if !is_moved || subject.mentions(&names, &changing(repeated)) {
        return None;
    }
    let lines = subject.whole(inner);
    let mut pen = Pen::at(subject, stmt);
    pen.copy(subject.slice(lines));
    let before = subject.lines(span_of(stmt)).start;
    let edits = vec![
        pen.instead_of(Span::new(before, before)),
        Edit {
            span: lines,
            text: String::new(),
        },
    ];
    Some(Draft {
        edits,
        at: span_of(inner),
        why: format!(
            "nothing in the loop over {} changes it, so once is as good as every time",
            repeated.variable.text
        ),
        keeps: Keeps::Values,
    })
}

/// The names that change from one iteration to the next.
fn changing(repeated: &For) -> Vec<&str> {
    let mut names = bound_in(&repeated.body);
    names.push(&repeated.variable.text);
    names
}

/// True if a move writes the same word with the same value in every iteration, and nobody sees that it does so earlier.
fn is_same_every_time(
    subject: &Subject<'_>,
    cores: Cores<'_>,
    moved: &Move,
    names: &[&Name],
    [before, after]: [&[Stmt]; 2],
    stmt: &Stmt,
) -> bool {
    let target = moved.target.name.text.as_str();
    let reads = |stmts: &[Stmt]| {
        let stmts = all_in(stmts).into_iter();
        let mut names = stmts.flat_map(names_of_one);
        names.any(|name| name.text == target)
    };
    let sources_stay = names.iter().skip(1).all(|name| {
        name.text != target && !writes(before, &name.text) && !writes(after, &name.text)
    });
    let source_stays = match (&moved.source, moved.arrow) {
        (Source::Place(source), Arrow::Global) => cores.only_reads(&source.name.text),
        (Source::Expr(_), Arrow::Shared) => true,
        _ => false,
    };
    is_shared(target)
        && source_stays
        && sources_stay
        && !reads(before)
        && !writes(after, target)
        && !subject.is_named_outside(target, subject.whole(stmt))
}

/// Exchanges a loop and the guard that is all of its block.
fn guard(subject: &Subject<'_>, stmt: &Stmt, repeated: &For) -> Option<Draft> {
    let [inner @ Stmt::Core(CoreStmt::If(guarded))] = repeated.body.as_slice() else {
        return None;
    };
    let names = names_in(&guarded.condition);
    let is_own = repeated.until.is_some() || subject.mentions(&names, &changing(repeated));
    if is_own || subject.reads_shared(&names) || body_of(inner).is_empty() {
        return None;
    }
    let mut pen = Pen::at(subject, stmt);
    pen.open(subject.slice(span_of(inner)));
    pen.open(subject.slice(span_of(stmt)));
    pen.copy(subject.slice(subject.inside(inner)));
    pen.close("for");
    pen.close("if");
    Some(Draft {
        edits: vec![pen.instead_of(subject.whole(stmt))],
        at: span_of(inner),
        why: format!(
            "the condition is the same in every iteration over {}",
            repeated.variable.text
        ),
        keeps: Keeps::Values,
    })
}

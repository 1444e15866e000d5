//! `load-once`: a core that has loaded a word takes it from shared memory instead of loading it again.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{all_in, blocks_in, names_of_one, span_of, target_of, writes};
use crate::advise::subject::{Cores, Subject, is_shared};
use crate::diag::Edit;
use crate::syntax::ast::{Arrow, Move, Place, Source, Stmt};

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for block in blocks_in(&cores.of.body) {
            for (at, first) in block.iter().enumerate() {
                let later = block[at + 1..].iter().enumerate();
                drafts.extend(later.filter_map(|(between, second)| {
                    again(
                        subject,
                        cores,
                        (first, second),
                        &block[at + 1..at + 1 + between],
                    )
                }));
            }
        }
    }
    drafts
}

/// A load of a global word: the move, and the place read.
fn load(stmt: &Stmt) -> Option<(&Move, &Place)> {
    match stmt {
        Stmt::Move(moved) if moved.arrow == Arrow::Global => match &moved.source {
            Source::Place(place) if is_shared(&moved.target.name.text) => Some((moved, place)),
            Source::Place(_) | Source::Expr(_) => None,
        },
        _ => None,
    }
}

fn again(
    subject: &Subject<'_>,
    cores: Cores<'_>,
    (first, second): (&Stmt, &Stmt),
    between: &[Stmt],
) -> Option<Draft> {
    let ((kept, from), (repeated, again)) = (load(first)?, load(second)?);
    let register = &kept.target.name.text;
    let indices = names_of_one(second);
    let indices: Vec<_> = indices
        .into_iter()
        .filter(|name| is_shared(&name.text))
        .collect();
    let is_same = subject.place(from) == subject.place(again)
        && cores.only_reads(&from.name.text)
        && indices.len() == 1
        && is_own(cores, &kept.target)
        && !writes(between, register)
        && all_in(between).iter().all(|stmt| {
            let target = target_of(stmt);
            target.is_none_or(|target| target.name.text != from.name.text)
        });
    if !is_same {
        return None;
    }
    let is_register = subject.place(&kept.target) == subject.place(&repeated.target);
    let (span, text) = if is_register {
        (subject.lines(span_of(second)), String::new())
    } else {
        let [target, source] = [&repeated.target, &kept.target].map(|it| subject.place(it));
        (
            repeated.span,
            subject.spelled(&format!("{target} ← {source}")),
        )
    };
    Some(Draft {
        edits: vec![Edit { span, text }],
        at: span_of(second),
        why: format!(
            "nobody writes `{}` in this kernel, and `{}` still holds the word",
            from.name.text,
            subject.place(&kept.target)
        ),
        keeps: Keeps::Values,
    })
}

/// True if each core has a word of its own here, or all have one: `_x[j]`, `_x`.
fn is_own(cores: Cores<'_>, place: &Place) -> bool {
    let names = match place.subscripts.as_slice() {
        [] => return true,
        [crate::syntax::ast::Subscript::At(index)] => index,
        _ => return false,
    };
    crate::advise::subject::is_name(names, cores.core())
}

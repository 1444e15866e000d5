//! `send-part`: a transfer to the device sends the words below m alone, where every load of the array is under a guard
//! `v < m`. That no other word is read is proved with the rest: a word that was never sent has no value.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{all_in, body_of, names_in};
use crate::advise::subject::{Subject, bare, is_shared};
use crate::diag::Edit;
use crate::syntax::ast::{
    Arrow, BinaryOperator, Comparison, CoreStmt, Expr, ExprKind, HeaderItem, HostStmt, Move,
    Relation, Source, Stmt, Subscript,
};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let transfers = all_in(&subject.tree.body).into_iter();
    let transfers = transfers.filter_map(whole_inward);
    transfers
        .filter_map(|moved| sent_in_part(subject, moved))
        .collect()
}

/// A transfer of a whole array to the device: `a ⇚ A`.
fn whole_inward(stmt: &Stmt) -> Option<&Move> {
    let Stmt::Move(moved) = stmt else {
        return None;
    };
    let Source::Place(source) = &moved.source else {
        return None;
    };
    let is_whole = source.subscripts.is_empty() && moved.target.subscripts.is_empty();
    let is_inward = source.name.text.starts_with(char::is_uppercase);
    (moved.arrow == Arrow::Transfer && is_inward && is_whole).then_some(moved)
}

fn sent_in_part(subject: &Subject<'_>, moved: &Move) -> Option<Draft> {
    let Source::Place(source) = &moved.source else {
        return None;
    };
    let (array, host) = (moved.target.name.text.as_str(), source.name.text.as_str());
    let extent = |name: &str| {
        let header = subject.tree.header.iter();
        let mut declared = header.filter_map(|item| match item {
            HeaderItem::Declaration(found) if found.name.text == name => Some(found),
            _ => None,
        });
        match declared.next()?.dimensions.as_slice() {
            [one] => Some(subject.slice(one.span)),
            _ => None,
        }
    };
    let (whole, sent) = (extent(array)?, extent(host)?);
    // An `execute` gives the array another name.
    let everything = all_in(&subject.tree.body);
    let is_passed = everything.iter().any(|stmt| match stmt {
        Stmt::Host(HostStmt::Execute(execute)) => {
            let mut names = execute.arguments.iter().flat_map(names_in);
            names.any(|name| name.text == array)
        }
        _ => false,
    });
    let mut bounds = Vec::new();
    for cores in subject.cores() {
        bounds_of(subject, &cores.of.body, array, &mut Vec::new(), &mut bounds);
    }
    let bound = (*bounds.first()?)?;
    let is_one = bounds.iter().all(|other| *other == Some(bound));
    if is_passed || !is_one || whole != sent || bound == whole {
        return None;
    }
    let part = subject.spelled(&format!("[0..{bound} - 1]"));
    let behind = |at: usize| Edit {
        span: Span::new(at, at),
        text: part.clone(),
    };
    Some(Draft {
        edits: vec![behind(moved.target.span.end), behind(source.span.end)],
        at: moved.span,
        why: format!("every load of `{array}` is of a word below {bound}"),
        keeps: Keeps::Values,
    })
}

/// For each load of an array the bound that a guard around it puts to its index, if there is one.
fn bounds_of<'p>(
    subject: &Subject<'p>,
    block: &'p [Stmt],
    array: &str,
    guards: &mut Vec<(&'p str, &'p str)>,
    bounds: &mut Vec<Option<&'p str>>,
) {
    for stmt in block {
        if let Stmt::Move(moved) = stmt
            && moved.arrow == Arrow::Global
            && is_shared(&moved.target.name.text)
            && let Source::Place(place) = &moved.source
            && place.name.text == array
        {
            let index = match place.subscripts.as_slice() {
                [Subscript::At(index)] => Some(subject.slice(index.span)),
                _ => None,
            };
            let guard = guards.iter().rev().find(|(left, _)| Some(*left) == index);
            bounds.push(guard.map(|(_, bound)| *bound));
        }
        let before = guards.len();
        if let Stmt::Core(CoreStmt::If(guard)) = stmt {
            below(subject, &guard.condition, guards);
        }
        bounds_of(subject, body_of(stmt), array, guards, bounds);
        guards.truncate(before);
    }
}

/// Collects `v < m` of a condition, as texts.
fn below<'p>(subject: &Subject<'p>, condition: &'p Expr, found: &mut Vec<(&'p str, &'p str)>) {
    match &bare(condition).kind {
        ExprKind::Compare {
            operands,
            relations,
        } => {
            let pairs = operands.windows(2).zip(relations);
            found.extend(pairs.filter_map(|(pair, relation)| {
                let is_less = matches!(relation, Relation::Exact(Comparison::Less));
                let [left, right] = [&pair[0], &pair[1]].map(|it| subject.slice(it.span));
                is_less.then_some((left, right))
            }));
        }
        ExprKind::Binary {
            operator: BinaryOperator::And,
            left,
            right,
        } => {
            below(subject, left, found);
            below(subject, right, found);
        }
        _ => {}
    }
}

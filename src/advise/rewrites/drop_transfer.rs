//! `drop-transfer`: a transfer that nobody reads is left out, and one that a loop repeats without change is done once.

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{
    all_in, blocks_in, bound_in, names_of, names_of_one, span_of, target_of,
};
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::program::{HostStmt as Checked, Role, Scope, nested_on_host};
use crate::syntax::ast::{Arrow, For, HostStmt, Move, Stmt};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let body = &subject.tree.body;
    let mut drafts: Vec<Draft> = all_in(body)
        .into_iter()
        .filter_map(|stmt| unread(subject, stmt))
        .collect();
    for stmt in blocks_in(body).into_iter().flatten() {
        if let Stmt::For(repeated) = stmt {
            let each = 0..repeated.body.len();
            drafts.extend(each.filter_map(|at| once(subject, (stmt, repeated), at)));
        }
    }
    drafts
}

fn transfer(stmt: &Stmt) -> Option<&Move> {
    match stmt {
        Stmt::Move(moved) if moved.arrow == Arrow::Transfer => Some(moved),
        _ => None,
    }
}

/// Leaves out a transfer into a variable that nothing reads.
fn unread(subject: &Subject<'_>, stmt: &Stmt) -> Option<Draft> {
    let moved = transfer(stmt)?;
    let program = subject.program;
    let name = moved.target.name.text.as_str();
    let id = program
        .variable_ids()
        .find(|id| program.variable(*id).name == name)?;
    let variable = program.variable(id);
    let is_read = match variable.scope {
        Scope::Global => nested_on_host(&program.body).any(|stmt| match stmt {
            Checked::Kernel(kernel) => kernel.names_global.contains(&id),
            Checked::Transfer(transfer) => {
                transfer.global.variable == id && transfer.span != moved.span
            }
            Checked::Swap(swap) => [swap.left, swap.right].contains(&id),
            Checked::For(_) | Checked::While(_) | Checked::Let(_) | Checked::Execute(_) => false,
        }),
        Scope::Host | Scope::Shared => true,
    };
    if is_read || variable.role != Role::None {
        return None;
    }
    Some(Draft {
        edits: vec![Edit {
            span: subject.lines(moved.span),
            text: String::new(),
        }],
        at: moved.span,
        why: format!("nothing reads `{name}`"),
        keeps: Keeps::Values,
    })
}

/// Moves a transfer to the device in front of the host loop that repeats it.
fn once(subject: &Subject<'_>, (stmt, repeated): (&Stmt, &For), at: usize) -> Option<Draft> {
    let inner = &repeated.body[at];
    let moved = transfer(inner)?;
    let names = names_of_one(inner);
    let [target, source] = [names.first()?, names.get(1)?];
    let is_inward = source.text.starts_with(char::is_uppercase);
    let mut changing = bound_in(&repeated.body);
    changing.push(&repeated.variable.text);
    let others = || {
        let body = all_in(&repeated.body).into_iter();
        body.filter(|other| span_of(other) != moved.span)
    };
    // A kernel may write any array that it or its `execute` names, so only its reads of whole arrays are let through.
    let written = |name: &str| {
        others().any(|other| {
            let is_target = target_of(other).is_some_and(|target| target.name.text == name);
            let is_passed = matches!(other, Stmt::Host(HostStmt::Execute(_) | HostStmt::Swap(_)));
            let named = names_of_one(other);
            is_target || is_passed && named.iter().any(|it| it.text == name)
        })
    };
    let before = &repeated.body[..at];
    let is_read_before = names_of(before).iter().any(|name| name.text == target.text);
    let is_whole = subject.whole(stmt);
    if !is_inward
        || subject.mentions(&names[1..], &changing)
        || written(&target.text)
        || written(&source.text)
        || is_read_before
        || subject.is_named_outside(&target.text, is_whole)
    {
        return None;
    }
    let lines = subject.lines(moved.span);
    let mut pen = Pen::at(subject, stmt);
    pen.copy(subject.slice(lines));
    let start = subject.lines(span_of(stmt)).start;
    Some(Draft {
        edits: vec![
            pen.instead_of(Span::new(start, start)),
            Edit {
                span: lines,
                text: String::new(),
            },
        ],
        at: moved.span,
        why: format!(
            "neither `{}` nor `{}` changes in the loop over {}",
            target.text, source.text, repeated.variable.text
        ),
        keeps: Keeps::Values,
    })
}

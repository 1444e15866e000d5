//! `side-by-side`: `if v mod d = 0 then` over v = 0, 1, 2, … becomes `v < N` over v = 0, d, 2d, …, so that the active
//! cores are the first ones.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{all_in, blocks_in, names_of, target_of};
use crate::advise::subject::{Subject, bare, is_number};
use crate::diag::Edit;
use crate::syntax::ast::{
    BinaryOperator, Comparison, CoreStmt, Expr, ExprKind, If, Let, Relation, Stmt, Subscript,
};

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for block in blocks_in(&cores.of.body) {
            for (at, stmt) in block.iter().enumerate() {
                if let Stmt::Let(number) = stmt {
                    drafts.extend(compacted(subject, number, &block[at + 1..]));
                }
            }
        }
    }
    drafts
}

/// The condition `v mod d = 0`: v and d.
pub(super) fn divided(condition: &Expr) -> Option<(&str, &Expr)> {
    let ExprKind::Compare {
        operands,
        relations,
    } = &bare(condition).kind
    else {
        return None;
    };
    let ([left, right], [Relation::Exact(Comparison::Equal)]) =
        (operands.as_slice(), relations.as_slice())
    else {
        return None;
    };
    match &bare(left).kind {
        ExprKind::Binary {
            operator: BinaryOperator::Modulo,
            left,
            right: divisor,
        } if is_number(right, 0) => match &bare(left).kind {
            ExprKind::Name(name) => Some((&name.text, divisor)),
            _ => None,
        },
        _ => None,
    }
}

/// The first index of an array that a block writes, where it has one: `_x[v]`.
pub(super) fn written_at(block: &[Stmt]) -> Option<(&str, &Expr)> {
    let mut targets = all_in(block).into_iter().filter_map(target_of);
    targets.find_map(|target| match target.subscripts.as_slice() {
        [Subscript::At(index)] => Some((target.name.text.as_str(), index)),
        _ => None,
    })
}

fn compacted(subject: &Subject<'_>, number: &Let, behind: &[Stmt]) -> Option<Draft> {
    let [Stmt::Core(CoreStmt::If(guarded)), others @ ..] = behind else {
        return None;
    };
    let If {
        condition, body, ..
    } = guarded;
    let (name, divisor) = divided(condition)?;
    let is_own =
        name == number.name.text && !names_of(others).iter().any(|other| other.text == name);
    let (array, index) = written_at(body)?;
    let is_index = matches!(&index.kind, ExprKind::Name(it) if it.text == name);
    let declared = subject.shared_named(array)?;
    let [extent] = declared.dimensions.as_slice() else {
        return None;
    };
    if !is_own || !is_index {
        return None;
    }
    let (value, extent) = (subject.slice(number.value.span), subject.slice(extent.span));
    let step = subject.slice(divisor.span);
    let (step, value) = match &divisor.kind {
        ExprKind::Name(_) | ExprKind::Integer(_) | ExprKind::Paren(_) => (step, value),
        ExprKind::Binary {
            operator: BinaryOperator::Power,
            ..
        } => (step, value),
        _ => return None,
    };
    Some(Draft {
        edits: vec![
            Edit {
                span: number.value.span,
                text: subject.spelled(&format!("{step}·({value})")),
            },
            Edit {
                span: condition.span,
                text: subject.spelled(&format!("{name} < {extent}")),
            },
        ],
        at: number.span,
        why: format!(
            "the multiples of {step} below {extent} are the same words; now the first cores have them"
        ),
        keeps: Keeps::Results,
    })
}

//! `sequential`: a tree that adds words 1, 2, 4, … apart becomes one that adds words half the array apart, then a quarter:
//! the words of a step lie side by side.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{all_in, blocks_in, body_of, loops_in, span_of};
use crate::advise::rewrites::side_by_side::divided;
use crate::advise::subject::{Subject, bare, is_name, is_number};
use crate::diag::Edit;
use crate::syntax::ast::{
    BinaryOperator, CoreStmt, Expr, ExprKind, For, If, Let, Move, Source, Stmt, Subscript,
};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for (stmt, steps) in loops_in(&cores.of.body) {
            drafts.extend(tree(subject, stmt, steps));
        }
    }
    drafts
}

fn tree(subject: &Subject<'_>, stmt: &Stmt, steps: &For) -> Option<Draft> {
    if !is_number(&steps.from, 1) || steps.down || steps.until.is_some() {
        return None;
    }
    let step = steps.variable.text.as_str();
    let (guarded, sum) = guarded_sum(&steps.body)?;
    let adds = Sum::of(sum)?;
    let (_, distance) = adds.pair(subject)?;
    if !is_power(distance, step, 1) {
        return None;
    }
    let declared = subject.shared_named(adds.array)?;
    let [extent] = declared.dimensions.as_slice() else {
        return None;
    };
    let extent = subject.slice(extent.span);
    let number = number_of(&steps.body, adds.index_name()?);
    // The words v that take part: the multiples of 2^s, by a guard or by the number itself.
    let mut edits = Vec::new();
    if divided(&guarded.condition).is_none_or(|(_, divisor)| !is_power(divisor, step, 0)) {
        let number = number?;
        let (factor, rest) = product(&number.value)?;
        if !is_power(factor, step, 0) {
            return None;
        }
        edits.push(Edit {
            span: number.value.span,
            text: subject.slice(bare(rest).span).to_owned(),
        });
    }
    let [half] = subject.fresh([&["h", "d", "e"]]);
    let index = adds.index_name()?;
    let first = steps.body.first()?;
    let line = subject.lines(span_of(first)).start;
    let indent = subject.indent(span_of(first));
    let total = match extent.chars().all(char::is_alphanumeric) {
        _ if extent.contains(['+', '-', '/']) => format!("({extent})"),
        _ => extent.to_owned(),
    };
    edits.push(Edit {
        span: Span::new(line, line),
        text: format!("{indent}let {half} = {total}/2^{step}\n"),
    });
    edits.push(Edit {
        span: guarded.condition.span,
        text: format!("{index} < {half}"),
    });
    edits.push(Edit {
        span: distance.span,
        text: half.clone(),
    });
    edits.sort_by_key(|edit| edit.span.start);
    Some(Draft {
        edits,
        at: span_of(stmt),
        why: format!(
            "each step still adds half of the words that are left to the other half, in another order; {half} is the half"
        ),
        keeps: Keeps::Sums,
    })
}

/// The only guard among nested statements, and the only sum in it.
pub(super) fn guarded_sum(body: &[Stmt]) -> Option<(&If, &Move)> {
    let moves = all_in(body).into_iter();
    let mut moves = moves.filter(|stmt| matches!(stmt, Stmt::Move(_)));
    let (Some(_), None) = (moves.next(), moves.next()) else {
        return None;
    };
    let blocks = all_in(body).into_iter();
    let mut guards = blocks.filter_map(|stmt| match stmt {
        Stmt::Core(CoreStmt::If(guarded)) => Some((guarded, body_of(stmt))),
        _ => None,
    });
    let (found, None) = (guards.next()?, guards.next()) else {
        return None;
    };
    match found {
        (guarded, [Stmt::Move(sum)]) => Some((guarded, sum)),
        _ => None,
    }
}

/// `_x[v] ← _x[v] + _x[v + d]`.
pub(super) struct Sum<'t> {
    pub(super) array: &'t str,
    index: &'t Expr,
    other: &'t Expr,
}

impl<'t> Sum<'t> {
    pub(super) fn of(moved: &'t Move) -> Option<Self> {
        let Source::Expr(value) = &moved.source else {
            return None;
        };
        let [Subscript::At(index)] = moved.target.subscripts.as_slice() else {
            return None;
        };
        let ExprKind::Binary {
            operator: BinaryOperator::Add,
            left,
            right,
        } = &value.kind
        else {
            return None;
        };
        let (ExprKind::Word { name: one, .. }, ExprKind::Word { name, indices }) =
            (&left.kind, &right.kind)
        else {
            return None;
        };
        let [other] = indices.as_slice() else {
            return None;
        };
        let array = moved.target.name.text.as_str();
        (one.text == array && name.text == array).then_some(Sum {
            array,
            index,
            other,
        })
    }

    /// The index of the word that is added to, if it is a name.
    pub(super) fn index_name(&self) -> Option<&'t str> {
        match &self.index.kind {
            ExprKind::Name(name) => Some(&name.text),
            _ => None,
        }
    }

    /// `v` and `d` of the index `v + d`.
    pub(super) fn pair(&self, subject: &Subject<'_>) -> Option<(&'t Expr, &'t Expr)> {
        match &self.other.kind {
            ExprKind::Binary {
                operator: BinaryOperator::Add,
                left,
                right,
            } if subject.slice(left.span) == subject.slice(self.index.span) => Some((left, right)),
            _ => None,
        }
    }
}

/// The `let` of a name in nested blocks.
pub(super) fn number_of<'t>(body: &'t [Stmt], name: &str) -> Option<&'t Let> {
    let blocks = blocks_in(body).into_iter().flatten();
    let mut numbers = blocks.filter_map(|stmt| match stmt {
        Stmt::Let(number) if number.name.text == name => Some(number),
        _ => None,
    });
    numbers.next()
}

/// True for `2^s`, or `2^(s - 1)` where one less is wanted.
fn is_power(expr: &Expr, step: &str, less: i64) -> bool {
    let ExprKind::Binary {
        operator: BinaryOperator::Power,
        left,
        right,
    } = &bare(expr).kind
    else {
        return false;
    };
    let exponent = match &bare(right).kind {
        ExprKind::Binary {
            operator: BinaryOperator::Subtract,
            left,
            right,
        } => less > 0 && is_name(left, step) && is_number(right, less),
        _ => less == 0 && is_name(right, step),
    };
    is_number(left, 2) && exponent
}

/// The factors of a product.
fn product(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &bare(expr).kind {
        ExprKind::Binary {
            operator: BinaryOperator::Multiply | BinaryOperator::Juxtapose,
            left,
            right,
        } => Some((left, right)),
        _ => None,
    }
}

//! `private-copies`: cores that update one array, as in `atomic _h[e] ← _h[e] + v`, wait for each other where they meet
//! in a word. Each core gets a copy of its own, `_p[e, j]`, in a bank of its own; the copies are added to the array
//! behind the statement that updates it.
//!
//! The array keeps its words and all its other uses, so that nothing must be known of its first values.

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{all_in, names_of};
use crate::advise::rewrites::tile_rows::product;
use crate::advise::subject::{Cores, Subject, bare, enclosed};
use crate::diag::{Edit, edited};
use crate::syntax::ast::{
    Atomic, BinaryOperator, CoreStmt, Declaration, Expr, ExprKind, Function, Stmt, Subscript,
};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for stmt in &cores.of.body {
            let copied = subject
                .shared()
                .filter_map(|declared| Updates::of(subject, cores, stmt, declared)?.draft());
            drafts.extend(copied);
        }
    }
    drafts
}

/// The operator of an update.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Update {
    Add,
    Multiply,
    Min,
    Max,
}

/// A statement of a core loop that updates an array and has no other use for it.
struct Updates<'s, 'p> {
    subject: &'s Subject<'p>,
    core: &'p str,
    stmt: &'p Stmt,
    declared: &'p Declaration,
    /// The updates, each with its own read of the word.
    atomics: Vec<(&'p Atomic, &'p Expr)>,
    update: Update,
}

impl<'s, 'p> Updates<'s, 'p> {
    fn of(
        subject: &'s Subject<'p>,
        cores: Cores<'p>,
        stmt: &'p Stmt,
        declared: &'p Declaration,
    ) -> Option<Self> {
        let array = declared.name.text.as_str();
        let all = all_in(std::slice::from_ref(stmt)).into_iter();
        let atomics: Vec<&Atomic> = all
            .filter_map(|stmt| match stmt {
                Stmt::Core(CoreStmt::Atomic(atomic)) if atomic.target.name.text == array => {
                    Some(atomic)
                }
                _ => None,
            })
            .collect();
        // Each update names the array twice. Another use would see the copies' values missing.
        let names = names_of([stmt]).into_iter();
        let is_updated_only = names.filter(|name| name.text == array).count() == 2 * atomics.len();
        let taken = atomics.iter().map(|atomic| operands(&atomic.value));
        let taken: Vec<(Update, &Expr)> = taken.collect::<Option<_>>()?;
        let (update, _) = *taken.first()?;
        let is_one = taken.iter().all(|(other, _)| *other == update);
        // The words of a copy lie in no range that holds for whole sums.
        let is_free = declared.range.is_none() && declared.dimensions.len() <= 1;
        let own = taken.iter().map(|(_, own)| *own);
        (is_updated_only && is_one && is_free).then(|| Updates {
            subject,
            core: cores.core(),
            stmt,
            declared,
            atomics: atomics.iter().copied().zip(own).collect(),
            update,
        })
    }

    fn draft(&self) -> Option<Draft> {
        let (subject, core) = (self.subject, self.core);
        let array = self.declared.name.text.as_str();
        let [copies, chunk, word, copy] = subject.fresh([
            &["_p", "_q", "_copies"],
            &["u", "t", "q"],
            &["v", "g", "w"],
            &["r", "s", "z"],
        ]);
        let extent = self.declared.dimensions.first();
        let extent = extent.map(|extent| subject.slice(extent.span));
        let mut pen = Pen::at(subject, self.stmt);
        match extent {
            Some(extent) => {
                let first = self.first(&format!("{array}[{word}]"));
                pen.open(&format!("for {word} = 0 → {extent} - 1 do"));
                pen.line(&format!("{copies}[{word}, {core}] ← {first}"));
                pen.close("for");
            }
            None => pen.line(&format!("{copies}[{core}] ← {}", self.first(array))),
        }
        pen.copy(&self.updated(&copies));
        match extent {
            Some(extent) => {
                let whole = enclosed(extent);
                pen.open(&format!("for {chunk} = 0 → ⌈{whole}/b⌉ - 1 do"));
                pen.line(&format!("let {word} = {} + {core}", product(&chunk)));
                pen.open(&format!("if {word} < {extent} then"));
                pen.open(&format!("for {copy} = 0 → b - 1 do"));
                // Each core begins at its own bank.
                let own = format!("{copies}[{word}, ({core} + {copy}) mod b]");
                pen.line(&self.joined(&format!("{array}[{word}]"), &own));
                pen.close("for");
                pen.close("if");
                pen.close("for");
            }
            None => {
                pen.open(&format!("if {core} = 0 then"));
                pen.open(&format!("for {copy} = 0 → b - 1 do"));
                pen.line(&self.joined(array, &format!("{copies}[{copy}]")));
                pen.close("for");
                pen.close("if");
            }
        }
        let extents = extent.map_or_else(|| "[b]".to_owned(), |it| format!("[{it}, b]"));
        let mut edits = vec![pen.instead_of(subject.whole(self.stmt))];
        edits.extend(subject.declare(&copies, &extents, self.declared.word_type));
        edits.sort_by_key(|edit| edit.span.start);
        Some(Draft {
            edits,
            at: self.atomics.first()?.0.span,
            why: format!(
                "each core updates a copy of `{array}` of its own, and waits for no other; behind, `{array}` takes in all \
                 copies"
            ),
            keeps: Keeps::Sums,
        })
    }

    /// The first value of a copy: one that changes nothing.
    fn first(&self, word: &str) -> String {
        match self.update {
            Update::Add => "0".to_owned(),
            Update::Multiply => "1".to_owned(),
            Update::Min | Update::Max => word.to_owned(),
        }
    }

    /// The statement that takes a word of a copy into the array.
    fn joined(&self, word: &str, own: &str) -> String {
        match self.update {
            Update::Add => format!("{word} ← {word} + {own}"),
            Update::Multiply => format!("{word} ← {word}·{own}"),
            Update::Min => format!("{word} ← min({word}, {own})"),
            Update::Max => format!("{word} ← max({word}, {own})"),
        }
    }

    /// The lines of the statement, with each update made in the core's copy.
    fn updated(&self, copies: &str) -> String {
        let subject = self.subject;
        let lines = subject.whole(self.stmt);
        let within =
            |span: Span, outer: Span| Span::new(span.start - outer.start, span.end - outer.start);
        let edits = self.atomics.iter().map(|(atomic, own)| {
            let place = match atomic.target.subscripts.as_slice() {
                [Subscript::At(index)] => {
                    format!("{copies}[{}, {}]", subject.slice(index.span), self.core)
                }
                _ => format!("{copies}[{}]", self.core),
            };
            let edit = Edit {
                span: within(own.span, atomic.value.span),
                text: place.clone(),
            };
            let value = edited(subject.slice(atomic.value.span), &[edit]);
            Edit {
                span: within(atomic.span, lines),
                text: subject.spelled(&format!("{place} ← {value}")),
            }
        });
        let edits: Vec<Edit> = edits.collect();
        edited(subject.slice(lines), &edits)
    }
}

/// The operator of an update, and its read of the word: the first operand.
fn operands(value: &Expr) -> Option<(Update, &Expr)> {
    match &value.kind {
        ExprKind::Binary {
            operator,
            left,
            right: _,
        } => match &bare(left).kind {
            // In `_x[e] + u - v` the first operator is the innermost one.
            ExprKind::Binary { .. } => operands(left),
            _ => {
                let update = match operator {
                    BinaryOperator::Add => Update::Add,
                    BinaryOperator::Multiply => Update::Multiply,
                    _ => return None,
                };
                Some((update, left))
            }
        },
        ExprKind::Call {
            function,
            arguments,
        } => {
            let update = match function {
                Function::Min => Update::Min,
                Function::Max => Update::Max,
                _ => return None,
            };
            Some((update, arguments.first()?))
        }
        _ => None,
    }
}

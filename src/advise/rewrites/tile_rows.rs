//! `tile-rows`: each core walks along a row of its own, `a[ib + j, u]` for u = 0, 1, 2, …, so that the words of a step lie
//! a row apart. The MP takes in b columns of its rows at a time, along the rows, and each core reads its row of the tile.

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{bound_in, loops_in, names_in, names_of, names_of_one, span_of, writes};
use crate::advise::subject::{Cores, Subject, bare, is_name, is_number, is_shared};
use crate::diag::{Edit, edited};
use crate::syntax::ast::{
    Arrow, BinaryOperator, CoreStmt, Expr, ExprKind, For, If, Move, Name, Place, Source, Stmt,
    Subscript,
};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for outer in &cores.of.body {
            let (guard, block) = match outer {
                Stmt::Core(CoreStmt::If(guard)) => (Some(guard), guard.body.as_slice()),
                Stmt::For(_) => (None, std::slice::from_ref(outer)),
                _ => continue,
            };
            for (at, stmt) in block.iter().enumerate() {
                let Stmt::For(repeated) = stmt else {
                    continue;
                };
                let walk = Walk {
                    subject,
                    cores,
                    outer,
                    guard,
                    around: [&block[..at], &block[at + 1..]],
                    stmt,
                    repeated,
                };
                let loads = repeated.body.iter();
                drafts.extend(loads.filter_map(|load| walk.draft(load)));
            }
        }
    }
    drafts
}

/// A loop in which cores walk along rows, with the guard around it.
struct Walk<'s, 'p> {
    subject: &'s Subject<'p>,
    cores: Cores<'p>,
    outer: &'p Stmt,
    guard: Option<&'p If>,
    /// The statements before and behind the loop under the guard.
    around: [&'p [Stmt]; 2],
    stmt: &'p Stmt,
    repeated: &'p For,
}

impl Walk<'_, '_> {
    fn draft(&self, load: &Stmt) -> Option<Draft> {
        let (subject, repeated) = (self.subject, self.repeated);
        let (step, core) = (repeated.variable.text.as_str(), self.cores.core());
        let Stmt::Move(moved) = load else {
            return None;
        };
        let (register, array, row) = self.load_along_a_row(moved)?;
        let is_plain = is_number(&repeated.from, 0) && !repeated.down && repeated.until.is_none();
        let others = || {
            repeated
                .body
                .iter()
                .filter(|other| span_of(other) != span_of(load))
        };
        let is_kept =
            others().all(|other| !writes(std::slice::from_ref(other), &register.name.text));
        let is_local = !subject.is_named_outside(&register.name.text, subject.whole(self.stmt));
        // Nothing below may be nested: a core loop inside would need all cores.
        let is_flat = loops_in(&repeated.body).is_empty();
        if !is_plain || !is_kept || !is_local || !is_flat {
            return None;
        }
        let [tile, chunk, place] =
            subject.fresh([&["_t", "_tile"], &["t", "q", "p"], &["s", "r", "z"]]);
        let to_row = |factor: &str| (factor == core).then(|| place.clone());
        let row_of = subject.replaced(row.span, &names_in(row), &to_row);
        let count = count(subject, &repeated.to);
        let whole_count = if count.chars().all(|c| c.is_alphanumeric() || c == '\'') {
            count.clone()
        } else {
            format!("({count})")
        };
        let column = product(&chunk);
        let mut pen = Pen::at(subject, self.outer);
        self.part(&mut pen, self.around[0]);
        pen.open(&format!("for {chunk} = 0 → ⌈{whole_count}/b⌉ - 1 do"));
        pen.open(&format!("for {place} = 0 → b - 1 do"));
        let of_row = self.guard.map(|guard| {
            let condition = &guard.condition;
            let text = subject.replaced(condition.span, &names_in(condition), &to_row);
            format!("{text} ∧ ")
        });
        let of_row = of_row.unwrap_or_default();
        pen.open(&format!("if {of_row}{column} + {core} < {count} then"));
        let array_name = &array.name.text;
        pen.line(&format!(
            "{tile}[{place}, {core}] ⇐ {array_name}[{row_of}, {column} + {core}]"
        ));
        pen.close("if");
        pen.close("for");
        if let Some(guard) = self.guard {
            pen.open(subject.slice(guard.span));
        }
        pen.open(&format!(
            "for {place} = 0 → min(b, {count} - {column}) - 1 do"
        ));
        let rest: Vec<&Name> = others().flat_map(names_of_one).collect();
        if subject.mentions(&rest, &[step]) {
            pen.line(&format!("let {step} = {column} + {place}"));
        }
        pen.copy(&self.body(load, register, &format!("{tile}[{core}, {place}]")));
        pen.close("for");
        if self.guard.is_some() {
            pen.close("if");
        }
        pen.close("for");
        self.part(&mut pen, self.around[1]);
        let word_type = subject.shared_named(&register.name.text)?.word_type;
        let mut edits = vec![pen.instead_of(subject.whole(self.outer))];
        edits.extend(subject.declare(&tile, "[b, b]", word_type));
        Some(Draft {
            edits,
            at: moved.span,
            why: format!(
                "each core meets the words of its row in the same order; the MP loads b columns of all its rows into \
                 `{tile}` before"
            ),
            keeps: Keeps::Values,
        })
    }

    /// The register, the array and the row of `_a[j] ⇐ a[row, u]`, if the row moves with the core and not with the step.
    fn load_along_a_row<'m>(&self, moved: &'m Move) -> Option<(&'m Place, &'m Place, &'m Expr)> {
        let subject = self.subject;
        let (step, core) = (self.repeated.variable.text.as_str(), self.cores.core());
        let Source::Place(array) = &moved.source else {
            return None;
        };
        let [Subscript::At(row), Subscript::At(column)] = array.subscripts.as_slice() else {
            return None;
        };
        let names = names_in(row);
        let bound = bound_in(&self.cores.of.body);
        let is_row = subject.mentions(&names, &[core])
            && !subject.mentions(&names, &bound)
            && !subject.reads_shared(&names);
        let is_load = moved.arrow == Arrow::Global
            && is_shared(&moved.target.name.text)
            && self.cores.only_reads(&array.name.text)
            && self.is_always_the_same(&moved.target)
            && is_name(column, step);
        (is_row && is_load).then_some((&moved.target, array, row))
    }

    /// True if the block names the register's own word of each core, `_a[j]`, and no other word of it.
    fn is_always_the_same(&self, register: &Place) -> bool {
        let text = self.subject.place(register);
        let is_own = match register.subscripts.as_slice() {
            [Subscript::At(index)] => is_name(index, self.cores.core()),
            _ => false,
        };
        let source = self.subject.program.source.text();
        let names = names_of(&self.repeated.body).into_iter();
        let mut words = names.filter(|name| name.text == register.name.text);
        is_own && words.all(|name| source[name.span.start..].starts_with(text))
    }

    /// Statements under the guard, if there are any.
    fn part(&self, pen: &mut Pen<'_, '_>, stmts: &[Stmt]) {
        let subject = self.subject;
        let (Some(guard), [first, ..]) = (self.guard, stmts) else {
            return;
        };
        let last = stmts.last().unwrap_or(first);
        pen.open(subject.slice(guard.span));
        pen.copy(subject.slice(subject.whole(first).to(subject.whole(last))));
        pen.close("if");
    }

    /// The block of the loop without the load, its register read from the tile.
    fn body(&self, load: &Stmt, register: &Place, word: &str) -> String {
        let subject = self.subject;
        let lines = subject.inside(self.stmt);
        let at = |span: Span| Span::new(span.start - lines.start, span.end - lines.start);
        let mut edits = vec![Edit {
            span: at(subject.whole(load)),
            text: String::new(),
        }];
        let text = subject.place(register);
        let names = names_of(&self.repeated.body).into_iter();
        let words = names.filter(|name| {
            name.text == register.name.text && name.span.start != register.span.start
        });
        edits.extend(words.map(|name| Edit {
            span: at(Span::new(name.span.start, name.span.start + text.len())),
            text: word.to_owned(),
        }));
        edited(subject.slice(lines), &edits)
    }
}

/// A letter times b, as one word.
pub(super) fn product(letter: &str) -> String {
    match letter.chars().count() {
        1 => format!("{letter}b"),
        _ => format!("{letter}·b"),
    }
}

/// The number of iterations from 0 to a last one: `m` of `m - 1`.
fn count(subject: &Subject<'_>, last: &Expr) -> String {
    match &bare(last).kind {
        ExprKind::Binary {
            operator: BinaryOperator::Subtract,
            left,
            right,
        } if is_number(right, 1) => subject.slice(left.span).to_owned(),
        _ => format!("{} + 1", subject.slice(last.span)),
    }
}

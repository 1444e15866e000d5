//! `several-rows`: an MP does the work of w neighbours in one dimension. A word that all of them load is then loaded once:
//! the loop over the w rows moves inside, around the statements that depend on the row.

use std::collections::BTreeSet;

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{all_in, body_of, names_of, names_of_one, span_of, target_of};
use crate::advise::subject::{Cores, Subject, bare, is_number, is_shared};
use crate::diag::{Edit, edited};
use crate::syntax::ast::{Arrow, BinaryOperator, CoreStmt, Expr, ExprKind, Name, Source, Stmt};
use crate::text::Span;

/// The numbers of rows that are tried.
const ROWS: [u32; 2] = [4, 16];

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for dimension in 0..cores.wrapper.indices.len() {
            let each = ROWS.iter();
            drafts
                .extend(each.filter_map(|rows| Rows::of(subject, cores, dimension)?.draft(*rows)));
        }
    }
    drafts
}

/// A kernel with one of its dimensions.
struct Rows<'s, 'p> {
    subject: &'s Subject<'p>,
    cores: Cores<'p>,
    /// The name of the dimension's index.
    row: &'p str,
    last: &'p Expr,
    /// The names that depend on the row: shared variables and `let`s.
    dependent: BTreeSet<&'p str>,
}

impl<'s, 'p> Rows<'s, 'p> {
    fn of(subject: &'s Subject<'p>, cores: Cores<'p>, dimension: usize) -> Option<Self> {
        let (first, last) = cores.wrapper.ranges.get(dimension)?;
        let is_alone = matches!(cores.wrapper.body.as_slice(), [Stmt::CoreLoop(_)]);
        if !is_number(first, 0) || !is_alone {
            return None;
        }
        let mut rows = Rows {
            subject,
            cores,
            row: &cores.wrapper.indices[dimension].text,
            last,
            dependent: BTreeSet::new(),
        };
        rows.spread();
        // Without a load for all rows there is nothing to save, and the order of a loop over rows may not change.
        let body = all_in(&cores.of.body);
        let saves = body.iter().any(|stmt| is_load(stmt) && !rows.depends(stmt));
        let is_plain = body.iter().all(|stmt| match stmt {
            Stmt::For(repeated) => repeated.until.is_none() && !rows.depends(stmt),
            Stmt::While(_) | Stmt::Core(CoreStmt::Atomic(_)) => false,
            Stmt::Let(_) => !rows.depends(stmt),
            _ => true,
        });
        (saves && is_plain).then_some(rows)
    }

    /// Finds everything that depends on the row.
    fn spread(&mut self) {
        let body = all_in(&self.cores.of.body);
        loop {
            let before = self.dependent.len();
            for stmt in &body {
                if !self.depends(stmt) {
                    continue;
                }
                let inner = all_in(body_of(stmt)).into_iter().chain([*stmt]);
                let targets = inner.filter_map(target_of).map(|place| &place.name.text);
                let shared = targets.filter(|name| is_shared(name));
                self.dependent.extend(shared.map(String::as_str));
            }
            if self.dependent.len() == before {
                return;
            }
        }
    }

    /// True if a statement, without its block, depends on the row.
    fn depends(&self, stmt: &Stmt) -> bool {
        let names = names_of_one(stmt);
        self.subject.mentions(&names, &[self.row])
            || names
                .iter()
                .any(|name| self.dependent.contains(name.text.as_str()))
    }

    /// True if all of a statement belongs into a loop over the rows.
    fn is_of_rows(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::For(_) => false,
            Stmt::Core(CoreStmt::If(_)) => {
                self.depends(stmt) || body_of(stmt).iter().all(|it| self.is_of_rows(it))
            }
            _ => self.depends(stmt),
        }
    }

    fn draft(&self, rows: u32) -> Option<Draft> {
        let subject = self.subject;
        let [step, height] = subject.fresh([&["s", "r", "z"], &["h", "w", "e"]]);
        let count = match &bare(self.last).kind {
            ExprKind::Binary {
                operator: BinaryOperator::Subtract,
                left,
                right,
            } if is_number(right, 1) => subject.slice(left.span).to_owned(),
            _ => return None,
        };
        if self.is_named_elsewhere() {
            return None;
        }
        let wide = self.kept_by_rows();
        let written = Written {
            rows: self,
            step: &step,
            height: &height,
            factor: rows,
            wide: &wide,
        };
        let core_loop = self.cores.wrapper.body.first()?;
        let mut pen = Pen::at(subject, core_loop);
        pen.line(&format!(
            "let {height} = min({rows}, {count} - {rows}{})",
            self.row
        ));
        pen.open(subject.slice(span_of(core_loop)));
        written.block(&mut pen, &self.cores.of.body);
        pen.close("for");
        let mut edits = vec![
            pen.instead_of(subject.whole(core_loop)),
            Edit {
                span: self.last.span,
                text: subject.spelled(&match count.chars().all(char::is_alphanumeric) {
                    true => format!("⌈{count}/{rows}⌉-1"),
                    false => format!("⌈({count})/{rows}⌉-1"),
                }),
            },
        ];
        for name in &wide {
            let declared = subject.shared_named(name)?;
            let (at, text) = match declared.dimensions.first() {
                Some(first) => (first.span.start, format!("{rows}, ")),
                None => (declared.name.span.end, format!("[{rows}]")),
            };
            edits.push(Edit {
                span: Span::new(at, at),
                text,
            });
        }
        edits.sort_by_key(|edit| edit.span.start);
        Some(Draft {
            edits,
            at: self.last.span,
            why: format!(
                "an MP does {rows} neighbours in {} one after the other; each of them takes the steps it took before, and \
                 words that do not depend on {} are loaded once",
                self.row, self.row
            ),
            keeps: Keeps::Values,
        })
    }

    /// True if another core loop names one of the dependent variables, whose shape may change.
    fn is_named_elsewhere(&self) -> bool {
        let of = self.cores.of.span;
        let others = self
            .subject
            .cores()
            .into_iter()
            .filter(|other| other.of.span != of);
        let elsewhere = others.flat_map(|other| names_of(&other.of.body));
        let mut names = elsewhere.map(|name| name.text.as_str());
        names.any(|name| self.dependent.contains(name))
    }

    /// The dependent variables of which each row needs words of its own: all but those that one group of statements
    /// writes before it reads them, and no other group names.
    fn kept_by_rows(&self) -> BTreeSet<&'p str> {
        let mut groups = Vec::new();
        self.groups(&self.cores.of.body, &mut groups);
        let is_kept = |name: &&str| {
            let names = |group: &&Vec<&Stmt>| is_named(group, name);
            let naming: Vec<&Vec<&Stmt>> = groups.iter().filter(names).collect();
            match naming.as_slice() {
                [one] => !is_written_first(one, name),
                _ => true,
            }
        };
        self.dependent.iter().copied().filter(is_kept).collect()
    }

    /// The groups of neighbouring statements that stand in one loop over the rows.
    fn groups<'t>(&self, block: &'t [Stmt], groups: &mut Vec<Vec<&'t Stmt>>) {
        let mut group = Vec::new();
        for stmt in self.ordered(block) {
            if self.is_of_rows(stmt) {
                group.push(stmt);
            } else {
                groups.push(std::mem::take(&mut group));
                self.groups(body_of(stmt), groups);
            }
        }
        groups.push(group);
    }

    /// The statements of a block, with loads that do not depend on the row in front where nothing before needs them there.
    fn ordered<'t>(&self, block: &'t [Stmt]) -> Vec<&'t Stmt> {
        let mut ordered: Vec<&Stmt> = Vec::new();
        for stmt in block {
            let target = target_of(stmt).map(|target| target.name.text.as_str());
            let behind = ordered.iter().rev().take_while(|before| {
                let names = names_of([**before]);
                let is_free = target.is_some_and(|it| !names.iter().any(|name| name.text == it));
                is_load(stmt) && !self.depends(stmt) && self.is_of_rows(before) && is_free
            });
            let at = ordered.len() - behind.count();
            ordered.insert(at, stmt);
        }
        ordered
    }
}

/// True if statements, nested ones included, name a variable.
fn is_named(stmts: &[&Stmt], variable: &str) -> bool {
    let names = names_of(stmts.iter().copied());
    names.iter().any(|name| name.text == variable)
}

/// True if the first statement that names a variable gives it a value without reading it, before all others.
fn is_written_first(stmts: &[&Stmt], variable: &str) -> bool {
    let naming = stmts.iter().filter(|stmt| is_named(&[**stmt], variable));
    let naming: Vec<&Stmt> = naming.copied().collect();
    match naming.as_slice() {
        [Stmt::Move(moved), ..] => {
            let names = names_of_one(naming[0]);
            let own = names.iter().filter(|name| name.text == variable);
            moved.target.name.text == variable && own.count() == 1
        }
        // All of it under one condition.
        [Stmt::Core(CoreStmt::If(guarded))] => {
            let inner: Vec<&Stmt> = guarded.body.iter().collect();
            is_written_first(&inner, variable)
        }
        _ => false,
    }
}

fn is_load(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Move(moved) if moved.arrow == Arrow::Global && is_shared(&moved.target.name.text)
        && matches!(moved.source, Source::Place(_)))
}

/// The new text of a kernel's block.
struct Written<'r, 's, 'p> {
    rows: &'r Rows<'s, 'p>,
    step: &'r str,
    height: &'r str,
    factor: u32,
    wide: &'r BTreeSet<&'p str>,
}

impl Written<'_, '_, '_> {
    fn block(&self, pen: &mut Pen<'_, '_>, block: &[Stmt]) {
        let rows = self.rows;
        let mut is_open = false;
        for stmt in rows.ordered(block) {
            let is_of_rows = rows.is_of_rows(stmt);
            if is_of_rows && !is_open {
                pen.open(&format!("for {} = 0 → {} - 1 do", self.step, self.height));
            } else if is_open && !is_of_rows {
                pen.close("for");
            }
            is_open = is_of_rows;
            if is_of_rows {
                pen.copy(&self.of_row(stmt));
            } else if body_of(stmt).is_empty() {
                pen.copy(rows.subject.slice(rows.subject.whole(stmt)));
            } else {
                pen.open(rows.subject.slice(span_of(stmt)));
                self.block(pen, body_of(stmt));
                pen.close(match stmt {
                    Stmt::For(_) => "for",
                    _ => "if",
                });
            }
        }
        if is_open {
            pen.close("for");
        }
    }

    /// The lines of a statement, for row wy + s.
    fn of_row(&self, stmt: &Stmt) -> String {
        let subject = self.rows.subject;
        let lines = subject.whole(stmt);
        let names = names_of([stmt]);
        let text = subject.slice(lines);
        let mut edits: Vec<Edit> = Vec::new();
        for name in &names {
            let at = Span::new(name.span.start - lines.start, name.span.end - lines.start);
            let is_wide = self.wide.contains(name.text.as_str());
            if is_wide {
                let behind = &text[at.end..];
                let (end, added) = match behind.starts_with('[') {
                    true => (at.end + 1, format!("[{}, ", self.step)),
                    false => (at.end, format!("[{}]", self.step)),
                };
                edits.push(Edit {
                    span: Span::new(at.end, end),
                    text: added,
                });
            }
            let row = |factor: &str| {
                let number = format!("{}{} + {}", self.factor, self.rows.row, self.step);
                (factor == self.rows.row).then_some(number)
            };
            let own: [&Name; 1] = [name];
            let new = subject.replaced(name.span, &own, &row);
            if new != subject.slice(name.span) {
                edits.push(Edit {
                    span: at,
                    text: new,
                });
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        edited(text, &edits)
    }
}

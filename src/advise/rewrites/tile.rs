//! `tile`: a loop that moves one row of a square a step goes through a tile of shared memory. Core j takes in word
//! (s, j) and gives out word (j, s), so that both global accesses run along rows.

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{loops_in, names_of_one, span_of};
use crate::advise::subject::{Cores, Subject, bare, is_name, is_number, is_shared};
use crate::diag::Edit;
use crate::syntax::ast::{
    Arrow, BinaryOperator, CoreStmt, ExprKind, For, Move, Place, Source, Stmt,
};

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for (stmt, repeated) in loops_in(&cores.of.body) {
            if let Some(square) = Square::of(subject, cores, stmt, repeated) {
                drafts.extend(square.draft(Turned::Store));
                drafts.extend(square.draft(Turned::Load));
            }
        }
    }
    drafts
}

/// The access that changes the roles of core and step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turned {
    Load,
    Store,
}

/// A loop of b steps by b cores that loads a word and stores it.
struct Square<'s, 'p> {
    subject: &'s Subject<'p>,
    stmt: &'p Stmt,
    step: &'p str,
    core: &'p str,
    /// `let`s and guards around the two moves.
    around: Vec<&'p Stmt>,
    load: &'p Stmt,
    loaded: &'p Move,
    store: &'p Stmt,
    stored: &'p Move,
}

impl<'s, 'p> Square<'s, 'p> {
    fn of(
        subject: &'s Subject<'p>,
        cores: Cores<'p>,
        stmt: &'p Stmt,
        repeated: &'p For,
    ) -> Option<Self> {
        let is_square = is_number(&repeated.from, 0) && is_b_less_one(&repeated.to);
        if !is_square || repeated.down || repeated.until.is_some() {
            return None;
        }
        let (around, moves) = chain(&repeated.body);
        let [load @ Stmt::Move(loaded), store @ Stmt::Move(stored)] = moves else {
            return None;
        };
        let (read, register) = (place_of(loaded)?, place_of(stored)?);
        let is_copy = loaded.arrow == Arrow::Global
            && stored.arrow == Arrow::Global
            && is_shared(&loaded.target.name.text)
            && !is_shared(&read.name.text)
            && !is_shared(&stored.target.name.text)
            && subject.place(register) == subject.place(&loaded.target);
        let whole = subject.whole(stmt);
        let is_local = !subject.is_named_outside(&register.name.text, whole);
        (is_copy && is_local && cores.only_reads(&read.name.text)).then_some(Square {
            subject,
            stmt,
            step: &repeated.variable.text,
            core: cores.core(),
            around,
            load,
            loaded,
            store,
            stored,
        })
    }

    fn draft(&self, turned: Turned) -> Option<Draft> {
        let subject = self.subject;
        let [tile] = subject.fresh([&["_t", "_tile"]]);
        let (step, core) = (self.step, self.core);
        let names = names_of_one(self.load);
        let source = place_of(self.loaded)?;
        let word_type = subject
            .shared_named(&self.loaded.target.name.text)?
            .word_type;
        let source = match turned {
            Turned::Store => subject.place(source).to_owned(),
            Turned::Load => {
                let of_source = |name: &&&_| source.span.start <= name_start(name);
                let names: Vec<_> = names.iter().filter(of_source).copied().collect();
                subject.replaced(source.span, &names, &self.swap())
            }
        };
        let target = &self.stored.target;
        let target = match turned {
            Turned::Load => subject.place(target).to_owned(),
            Turned::Store => {
                let names = names_of_one(self.store);
                let of_target = |name: &&&_| name_start(name) < target.span.end;
                let names: Vec<_> = names.iter().filter(of_target).copied().collect();
                subject.replaced(target.span, &names, &self.swap())
            }
        };
        let mut pen = Pen::at(subject, self.stmt);
        let moves = [
            (
                turned == Turned::Load,
                format!("{tile}[{step}, {core}] ⇐ {source}"),
            ),
            (
                turned == Turned::Store,
                format!("{target} ⇐ {tile}[{core}, {step}]"),
            ),
        ];
        for (is_turned, moved) in moves {
            pen.open(subject.slice(span_of(self.stmt)));
            let mut guards = 0;
            for stmt in &self.around {
                let span = span_of(stmt);
                let names = names_of_one(stmt);
                let text = match is_turned {
                    true => subject.replaced(span, &names, &self.swap()),
                    false => subject.slice(span).to_owned(),
                };
                if let Stmt::Core(CoreStmt::If(_)) = stmt {
                    pen.open(&text);
                    guards += 1;
                } else {
                    pen.line(&text);
                }
            }
            pen.line(&moved);
            (0..guards).for_each(|_| pen.close("if"));
            pen.close("for");
        }
        let mut edits: Vec<Edit> = vec![pen.instead_of(subject.whole(self.stmt))];
        edits.extend(subject.declare(&tile, "[b, b]", word_type));
        Some(Draft {
            edits,
            at: span_of(self.stmt),
            why: format!(
                "steps {step} and cores {core} make a square of b × b words; each word goes through `{tile}` to the \
                 place that it went to before"
            ),
            keeps: Keeps::Values,
        })
    }

    /// Exchanges the step and the core.
    fn swap(&self) -> impl Fn(&str) -> Option<String> + use<'_, 's, 'p> {
        |factor| match factor {
            it if it == self.step => Some(self.core.to_owned()),
            it if it == self.core => Some(self.step.to_owned()),
            _ => None,
        }
    }
}

fn name_start(name: &crate::syntax::ast::Name) -> usize {
    name.span.start
}

/// The `let`s and guards around the innermost statements.
fn chain(body: &[Stmt]) -> (Vec<&Stmt>, &[Stmt]) {
    let mut around = Vec::new();
    let mut rest = body;
    loop {
        match rest {
            [stmt @ Stmt::Let(_), others @ ..] => {
                around.push(stmt);
                rest = others;
            }
            [stmt @ Stmt::Core(CoreStmt::If(guarded))] => {
                around.push(stmt);
                rest = &guarded.body;
            }
            _ => return (around, rest),
        }
    }
}

/// The place that a move reads.
fn place_of(moved: &Move) -> Option<&Place> {
    match &moved.source {
        Source::Place(place) => Some(place),
        Source::Expr(_) => None,
    }
}

/// True for `b - 1`.
fn is_b_less_one(expr: &crate::syntax::ast::Expr) -> bool {
    match &bare(expr).kind {
        ExprKind::Binary {
            operator: BinaryOperator::Subtract,
            left,
            right,
        } => is_name(left, "b") && is_number(right, 1),
        _ => false,
    }
}

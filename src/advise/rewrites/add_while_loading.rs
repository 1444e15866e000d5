//! `add-while-loading`: an MP that loads several words a core and then adds them up in a tree adds them as they arrive.
//! Each core keeps one sum, and the tree has b words.

use crate::advise::draft::{Draft, Keeps, Pen};
use crate::advise::names::{all_in, names_of, names_of_one, span_of, target_of};
use crate::advise::rewrites::sequential::{Sum, guarded_sum, number_of};
use crate::advise::subject::{Cores, Subject, bare, is_name, is_number};
use crate::diag::{Edit, edited};
use crate::syntax::ast::{BinaryOperator, Expr, ExprKind, For, Place, Source, Stmt, Subscript};
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for cores in subject.cores() {
        for pair in cores.of.body.windows(2) {
            if let [loading @ Stmt::For(load), adding @ Stmt::For(add)] = pair {
                drafts.extend(draft(subject, cores, (loading, load), (adding, add)));
            }
        }
    }
    drafts
}

fn draft(
    subject: &Subject<'_>,
    cores: Cores<'_>,
    (loading, load): (&Stmt, &For),
    (adding, add): (&Stmt, &For),
) -> Option<Draft> {
    let is_plain = |it: &For| !it.down && it.until.is_none();
    if !is_plain(load) || !is_plain(add) || !is_number(&load.from, 0) || !is_number(&add.from, 1) {
        return None;
    }
    let (_, sum) = guarded_sum(&add.body)?;
    let adds = Sum::of(sum)?;
    let (array, index) = (adds.array, adds.index_name()?);
    adds.pair(subject)?;
    let declared = subject.shared_named(array)?;
    let [extent] = declared.dimensions.as_slice() else {
        return None;
    };
    let core = cores.core();
    let both = subject.whole(loading).to(subject.whole(adding));
    if !is_unread_elsewhere(subject, cores, both, array)
        || !loads_chunks(subject, load, array, core)
        || !adds_chunks(subject, load, add, index, core)
    {
        return None;
    }
    let (joined, more) = joined_loops(subject, core, array, (loading, load), (adding, add));
    let mut edits = vec![
        joined,
        Edit {
            span: extent.span,
            text: "b".to_owned(),
        },
    ];
    edits.extend(subject.declare(&more, "[b]", declared.word_type));
    edits.sort_by_key(|edit| edit.span.start);
    Some(Draft {
        edits,
        at: span_of(loading),
        why: format!(
            "the same words are added; each core begins while it loads, and `{array}` keeps a word a core"
        ),
        keeps: Keeps::Sums,
    })
}

/// True if no other core loop names the array, and this one reads its first word only outside `both`: the other words
/// may go.
fn is_unread_elsewhere(subject: &Subject<'_>, cores: Cores<'_>, both: Span, array: &str) -> bool {
    let is_first = |stmt: &&Stmt| {
        let span = span_of(stmt);
        let is_inside = both.start <= span.start && span.end <= both.end;
        is_inside || reads_first_word_only(stmt, array)
    };
    let is_only_here = subject.cores().iter().all(|other| {
        let is_this = other.of.span == cores.of.span;
        let names = names_of(&other.of.body);
        is_this || !names.iter().any(|name| name.text == array)
    });
    is_only_here && all_in(&cores.of.body).iter().all(is_first)
}

/// True if the loop writes words `ub + j`, one of them a core, and nothing else.
fn loads_chunks(subject: &Subject<'_>, load: &For, array: &str, core: &str) -> bool {
    let chunk = load.variable.text.as_str();
    let is_chunk = |target: &Place| match target.subscripts.as_slice() {
        [Subscript::At(at)] if target.name.text == array => {
            let of_name = match &at.kind {
                ExprKind::Name(name) => number_of(&load.body, &name.text).map(|it| &it.value),
                _ => None,
            };
            is_word_of_chunk(subject, of_name.unwrap_or(at), chunk, core)
        }
        _ => false,
    };
    let mut writes = all_in(&load.body).into_iter().filter_map(target_of);
    writes.all(is_chunk)
}

/// True if each step of the tree adds words `index = ub + j` of as many chunks as were loaded.
fn adds_chunks(subject: &Subject<'_>, load: &For, add: &For, index: &str, core: &str) -> bool {
    let (Some(number), Some(inner)) = (number_of(&add.body, index), inner_loop(&add.body)) else {
        return false;
    };
    let same_chunks = subject.slice(inner.to.span) == subject.slice(load.to.span);
    same_chunks && is_word_of_chunk(subject, &number.value, &inner.variable.text, core)
}

/// The lines instead of both loops, and the name of the array of b words that they load into.
fn joined_loops(
    subject: &Subject<'_>,
    core: &str,
    array: &str,
    (loading, load): (&Stmt, &For),
    (adding, add): (&Stmt, &For),
) -> (Edit, String) {
    let [more, half] = subject.fresh([&["_y", "_z", "_w"], &["h", "d", "e"]]);
    let word = format!("{more}[{core}]");
    let mut pen = Pen::at(subject, loading);
    pen.line(&format!("{array}[{core}] ← 0"));
    pen.open(subject.slice(span_of(loading)));
    pen.copy(&words_renamed(subject, load, array, &word, loading));
    pen.line(&format!("{array}[{core}] ← {array}[{core}] + {word}"));
    pen.close("for");
    let step = add.variable.text.as_str();
    pen.open(&format!("for {step} = 1 → log2 b do"));
    pen.line(&format!("let {half} = b/2^{step}"));
    pen.open(&format!("if {core} < {half} then"));
    pen.line(&format!(
        "{array}[{core}] ← {array}[{core}] + {array}[{core} + {half}]"
    ));
    pen.close("if");
    pen.close("for");
    let both = subject.whole(loading).to(subject.whole(adding));
    (pen.instead_of(both), more)
}

/// The loop over chunks in the step of a tree.
fn inner_loop(body: &[Stmt]) -> Option<&For> {
    let mut loops = body.iter().filter_map(|stmt| match stmt {
        Stmt::For(inner) => Some(inner),
        _ => None,
    });
    loops.next().filter(|inner| is_number(&inner.from, 0))
}

/// True if a statement reads no word of the array but the first.
fn reads_first_word_only(stmt: &Stmt, array: &str) -> bool {
    let Stmt::Move(moved) = stmt else {
        let names = names_of_one(stmt);
        return !names.iter().any(|name| name.text == array);
    };
    let Source::Place(place) = &moved.source else {
        return !names_of_one(stmt).iter().any(|name| name.text == array);
    };
    match place.subscripts.as_slice() {
        [Subscript::At(index)] if place.name.text == array => is_number(index, 0),
        _ => !names_of_one(stmt).iter().any(|name| name.text == array),
    }
}

/// True for `ub + j`.
fn is_word_of_chunk(subject: &Subject<'_>, expr: &Expr, chunk: &str, core: &str) -> bool {
    match &bare(expr).kind {
        ExprKind::Binary {
            operator: BinaryOperator::Add,
            left,
            right,
        } => {
            let is_product = match &bare(left).kind {
                ExprKind::Name(name) => subject.factors(&name.text) == [chunk, "b"],
                ExprKind::Binary {
                    operator: BinaryOperator::Multiply | BinaryOperator::Juxtapose,
                    left,
                    right,
                } => is_name(left, chunk) && is_name(right, "b"),
                _ => false,
            };
            is_product && is_name(right, core)
        }
        _ => false,
    }
}

/// The lines of a loop's block, with each word of an array under another name.
fn words_renamed(
    subject: &Subject<'_>,
    load: &For,
    array: &str,
    word: &str,
    loading: &Stmt,
) -> String {
    let lines = subject.inside(loading);
    let targets = all_in(&load.body).into_iter().filter_map(target_of);
    let edits: Vec<Edit> = targets
        .filter(|target| target.name.text == array)
        .map(|target| Edit {
            span: Span::new(
                target.span.start - lines.start,
                target.span.end - lines.start,
            ),
            text: word.to_owned(),
        })
        .collect();
    edited(subject.slice(lines), &edits)
}

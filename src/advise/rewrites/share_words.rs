//! `share-words`: a shared array is put into the words of one that is not needed any more.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::{blocks_in, names_of, names_of_one};
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::syntax::ast::{Declaration, Name, Stmt};

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let arrays: Vec<&Declaration> = subject.shared().collect();
    let mut drafts = Vec::new();
    for (at, dead) in arrays.iter().enumerate() {
        let others = arrays.iter().enumerate().filter(|(other, _)| *other != at);
        drafts.extend(others.filter_map(|(_, born)| shared(subject, dead, born)));
    }
    drafts
}

/// Puts `born` into the words of `dead`.
fn shared(subject: &Subject<'_>, dead: &Declaration, born: &Declaration) -> Option<Draft> {
    let extents = |array: &Declaration| -> Vec<&str> {
        let extents = array.dimensions.iter();
        extents.map(|extent| subject.slice(extent.span)).collect()
    };
    let is_alike = extents(dead) == extents(born)
        && dead.word_type == born.word_type
        && dead.range.is_none()
        && born.range.is_none()
        && !dead.dimensions.is_empty();
    let [first, second] = [dead, born].map(|array| array.name.text.as_str());
    let is_apart = |stmts: &[Stmt]| {
        let names = |stmt: &Stmt| -> Vec<String> {
            let names = names_of([stmt]).into_iter().chain(names_of_one(stmt));
            names.map(|name| name.text.clone()).collect()
        };
        let has = |stmt: &Stmt, wanted: &str| names(stmt).iter().any(|name| name == wanted);
        let last_use = stmts.iter().rposition(|stmt| has(stmt, first));
        let first_use = stmts.iter().position(|stmt| has(stmt, second));
        match (last_use, first_use) {
            (Some(last), Some(first)) => last < first,
            _ => true,
        }
    };
    let cores = subject.cores();
    let mut bodies = cores.iter().map(|cores| cores.of.body.as_slice());
    let both_apart = bodies.all(is_apart);
    if !is_alike || !both_apart {
        return None;
    }
    let kernels = subject.tree.kernels.iter().map(|kernel| &kernel.body);
    let bodies = kernels.chain([&subject.tree.body]);
    let named: Vec<&Name> = bodies.flat_map(names_of).collect();
    let named = named.into_iter().filter(|name| name.text == second);
    let edits: Vec<Edit> = named
        .map(|name| Edit {
            span: name.span,
            text: first.to_owned(),
        })
        .collect();
    let wrappers = subject.cores();
    // In a kernel of several core loops the order of the loops counts, too.
    let is_simple = wrappers
        .iter()
        .all(|cores| blocks_in(&cores.wrapper.body).len() > 1);
    (!edits.is_empty() && is_simple).then(|| Draft {
        edits,
        at: born.span,
        why: format!("`{second}` is first written when `{first}` was read for the last time"),
        keeps: Keeps::Results,
    })
}

//! Navigation from a name to its declaration and its uses, and renaming.

use crate::check::check_text;
use crate::diag::Diagnostic;
use crate::editor::document::Document;
use crate::editor::formatting::{TextEdit, made};
use crate::editor::names::{Names, SymbolKind, letters};
use crate::editor::position::{Place, Range, offset, range};
use crate::room::with_room;
use crate::syntax::ast::DeclarationKind;
use crate::syntax::parse;
use crate::syntax::tokens::blocks;
use crate::text::{Source, Span};

/// Returns the declaration of the name at a place.
pub fn definition(document: &Document, place: Place) -> Option<Range> {
    let found = document.names.at(offset(&document.source, place))?;
    let symbol = &document.names.symbols[found.symbol];
    Some(range(&document.source, symbol.span))
}

/// A place with the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highlight {
    /// The range.
    pub range: Range,
    /// True if the statement writes it.
    pub writes: bool,
}

/// Returns all places of the name at a place, its declaration among them. On a word that opens or ends a
/// block, returns both ends of the block.
pub fn highlights(document: &Document, place: Place) -> Vec<Highlight> {
    let source = &document.source;
    let at = offset(source, place);
    if let Some(found) = document.names.at(at) {
        return document
            .names
            .places(found.symbol)
            .map(|place| Highlight {
                range: range(source, place.span),
                writes: place.writes,
            })
            .collect();
    }
    let line = source.line_of(at);
    let Some((opened, end)) = document
        .blocks
        .iter()
        .find(|(opened, end)| *opened == line || *end == line)
    else {
        return Vec::new();
    };
    let word = |line: usize| {
        let span = source.line_span(line);
        let text = source.slice(span);
        let start = span.start + text.len() - text.trim_start().len();
        let text = source.slice(Span::new(start, span.end));
        let words = text.strip_prefix("end ").map_or(0, |rest| {
            4 + rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len())
        });
        let first = text
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(text.len());
        Span::new(start, start + words.max(first))
    };
    let (opening, ending) = (word(*opened), word(*end));
    let touches = |span: Span| span.start <= at && at <= span.end;
    if !touches(opening) && !touches(ending) {
        return Vec::new();
    }
    [opening, ending]
        .map(|span| Highlight {
            range: range(source, span),
            writes: false,
        })
        .to_vec()
}

/// Returns all places of the name at a place, with or without its declaration.
pub fn references(document: &Document, place: Place, with_declaration: bool) -> Vec<Range> {
    let source = &document.source;
    let Some(found) = document.names.at(offset(source, place)) else {
        return Vec::new();
    };
    let declared = document.names.symbols[found.symbol].span;
    let places = document.names.places(found.symbol);
    places
        .filter(|place| with_declaration || place.span != declared)
        .map(|place| range(source, place.span))
        .collect()
}

/// Returns the range of the name that would be renamed.
pub fn renamable(document: &Document, place: Place) -> Option<Range> {
    let found = document.names.at(offset(&document.source, place))?;
    Some(range(&document.source, found.span))
}

/// The reason why a name cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRenamed {
    /// The place holds nothing that the text declares.
    #[error("nothing is declared here that could be renamed")]
    Nothing,
    /// The text is faulty, so not all uses are known.
    #[error("mend the text first: while it has errors not all uses are known")]
    Faulty,
    /// The first letter of the new name stands for another memory.
    #[error("`{name}` is {was}, and `{new}` would be {becomes}: {rule}")]
    Scope {
        /// The old name.
        name: String,
        /// The new name.
        new: String,
        /// The memory of the old name, such as `shared`.
        was: &'static str,
        /// The memory that the new name would be in, such as `global`.
        becomes: &'static str,
        /// The rule for the first letter.
        rule: &'static str,
    },
    /// The text would change its meaning, or lose it.
    #[error("`{new}` cannot be the name: {problem}")]
    Meaning {
        /// The new name.
        new: String,
        /// The fault that it causes.
        problem: String,
    },
}

/// Returns the edits that rename the name at a place everywhere, also as a letter of a product such as
/// `ib`. Refused if anything would change its meaning.
///
/// # Errors
/// [`NotRenamed`]
pub fn rename(document: &Document, place: Place, new: &str) -> Result<Vec<TextEdit>, NotRenamed> {
    let source = &document.source;
    let names = &document.names;
    let found = names.at(offset(source, place)).ok_or(NotRenamed::Nothing)?;
    let has_errors = |source: &Source| {
        let found = with_room(|| check_text(source)).diagnostics;
        found.into_iter().find(Diagnostic::is_error)
    };
    // The rules of shadowing and splitting are not repeated here. The text is renamed, checked, and its
    // names are compared with the old ones: any capture shows as another symbol at the same place.
    if has_errors(source).is_some() {
        return Err(NotRenamed::Faulty);
    }
    let symbol = &names.symbols[found.symbol];
    keeps_scope(symbol.kind, &symbol.name, new)?;
    let mut edits: Vec<(Span, String)> = Vec::new();
    for place in names.places(found.symbol) {
        let Some(word) = place.word else {
            edits.push((place.span, new.to_owned()));
            continue;
        };
        if edits.iter().all(|(span, _)| *span != word) {
            edits.push((word, product(document, word, found.symbol, new)));
        }
    }
    edits.sort_by_key(|(span, _)| *span);
    let edits: Vec<TextEdit> = edits
        .into_iter()
        .map(|(span, text)| TextEdit {
            range: range(source, span),
            text,
        })
        .collect();
    let renamed = Source::new("program", &made(document, &edits));
    let refuse = |problem: String| NotRenamed::Meaning {
        new: new.to_owned(),
        problem,
    };
    if let Some(fault) = has_errors(&renamed) {
        return Err(refuse(fault.message.to_string()));
    }
    if same_meaning(names, &renamed) {
        Ok(edits)
    } else {
        Err(refuse("another name in sight is called so".to_owned()))
    }
}

/// Returns a product of letters with one of them renamed.
fn product(document: &Document, word: Span, renamed: usize, new: &str) -> String {
    let names = &document.names;
    let all = letters(&document.source, word);
    let is_renamed = |span: &Span| {
        let mut places = names.places(renamed);
        places.any(|place| place.span == *span && place.word == Some(word))
    };
    let factors: Vec<String> = all
        .into_iter()
        .map(|(letter, span)| {
            if is_renamed(&span) {
                new.to_owned()
            } else {
                letter
            }
        })
        .collect();
    // `ib` with i as k stays `kb`; with i as row it becomes `(row·b)`, since only letters may be run
    // together.
    let is_letter = |name: &String| name.trim_end_matches('\'').chars().count() == 1;
    if factors.iter().all(is_letter) {
        factors.concat()
    } else {
        format!(
            "({})",
            factors.join(&crate::syntax::signs::spelled(&document.source, "·"))
        )
    }
}

fn keeps_scope(kind: SymbolKind, name: &str, new: &str) -> Result<(), NotRenamed> {
    let refuse = |was, becomes, rule| NotRenamed::Scope {
        name: name.to_owned(),
        new: new.to_owned(),
        was,
        becomes,
        rule,
    };
    const SHARED: &str = "names in shared memory begin with an underscore";
    const HOST: &str = "names on the host begin with a capital";
    const GLOBAL: &str = "names in global memory begin with a small letter";
    let becomes = match new.chars().next() {
        Some('_') => "shared",
        Some(first) if first.is_uppercase() => "on the host",
        Some(_) | None => "global",
    };
    let (was, rule) = match kind {
        SymbolKind::Variable(DeclarationKind::Shared) => ("shared", SHARED),
        SymbolKind::Variable(DeclarationKind::Global) | SymbolKind::KernelArray => {
            ("global", GLOBAL)
        }
        SymbolKind::Variable(
            DeclarationKind::Input | DeclarationKind::Output | DeclarationKind::Host,
        ) => ("on the host", HOST),
        SymbolKind::Algorithm
        | SymbolKind::Formal
        | SymbolKind::Let
        | SymbolKind::Kernel
        | SymbolKind::KernelNumber
        | SymbolKind::Mp
        | SymbolKind::Core
        | SymbolKind::Loop
        | SymbolKind::Binder => return Ok(()),
    };
    if was == becomes {
        Ok(())
    } else {
        Err(refuse(was, becomes, rule))
    }
}

/// Returns true if every name of the renamed text means the same as before.
fn same_meaning(before: &Names, renamed: &Source) -> bool {
    let tree = parse(renamed).algorithm;
    let after = Names::of(renamed, tree.as_ref(), &blocks(renamed));
    let meanings = |names: &Names| -> Vec<usize> {
        names.occurrences.iter().map(|found| found.symbol).collect()
    };
    before.symbols.len() == after.symbols.len() && meanings(before) == meanings(&after)
}

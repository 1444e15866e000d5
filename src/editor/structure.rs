//! The structure of a text: its outline, its folds, and the steps by which a selection grows.

use crate::editor::document::Document;
use crate::editor::names::SymbolKind;
use crate::editor::position::{Place, Range, offset, range};
use crate::syntax::without_comment;
use crate::text::Span;

/// A name in the outline, with the names inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The name.
    pub name: String,
    /// The text behind the name: `[n]`, `(global x, w)`.
    pub detail: String,
    /// The kind of declaration.
    pub kind: SymbolKind,
    /// The range of the whole declaration.
    pub range: Range,
    /// The range of the name in it.
    pub selection: Range,
    /// The names inside it.
    pub children: Vec<Outline>,
}

/// Returns the algorithm with its parameters, variables and kernels.
pub fn outline(document: &Document) -> Vec<Outline> {
    let source = &document.source;
    let entry = |symbol: &crate::editor::names::Symbol| {
        let rest = Span::new(symbol.span.end, symbol.declaration.end.max(symbol.span.end));
        let whole = Span::new(
            symbol.declaration.start.min(symbol.span.start),
            symbol.declaration.end.max(symbol.span.end),
        );
        Outline {
            name: symbol.name.clone(),
            detail: source.slice(rest).trim().to_owned(),
            kind: symbol.kind,
            range: range(source, whole),
            selection: range(source, symbol.span),
            children: Vec::new(),
        }
    };
    let mut all = document.names.symbols.iter();
    let Some(algorithm) = all.next() else {
        return Vec::new();
    };
    let mut root = entry(algorithm);
    root.range = range(source, Span::new(0, source.text().len()));
    let is_shown = |kind: SymbolKind| {
        matches!(
            kind,
            SymbolKind::Formal | SymbolKind::Let | SymbolKind::Variable(_) | SymbolKind::Kernel
        )
    };
    let header = all.filter(|symbol| is_shown(symbol.kind) && symbol.reach.start == 0);
    root.children = header.map(entry).collect();
    root.children.sort_by_key(|child| child.selection.start);
    vec![root]
}

/// Lines that fold into the line above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// The line that stays visible, from 0.
    pub first: u32,
    /// The last line that is hidden.
    pub last: u32,
    /// True if the lines are comments.
    pub is_comment: bool,
}

/// Returns a fold for each block and for each comment of several lines.
pub fn folds(document: &Document) -> Vec<Fold> {
    let source = &document.source;
    let mut found = Vec::new();
    for (opened, end) in &document.blocks {
        // The `end` stays visible: a block of lines 3 to 7 hides lines 4 to 6, which are 3 to 5 from 0.
        if *end > opened + 1 {
            found.push(Fold {
                first: *opened as u32 - 1,
                last: *end as u32 - 2,
                is_comment: false,
            });
        }
    }
    let is_comment = |line: usize| {
        let text = source.slice(source.line_span(line));
        !text.trim().is_empty() && without_comment(text).trim().is_empty()
    };
    let mut line = 1;
    while line <= source.line_count() {
        let last = (line..=source.line_count())
            .take_while(|line| is_comment(*line))
            .last();
        if let Some(last) = last.filter(|last| *last > line) {
            found.push(Fold {
                first: line as u32 - 1,
                last: last as u32 - 1,
                is_comment: true,
            });
        }
        line = last.unwrap_or(line) + 1;
    }
    found.sort_by_key(|fold| (fold.first, fold.last));
    found
}

/// Returns the selections that grow from a place: the word, the statement, the blocks around it, the text.
/// Each lies inside the next.
pub fn selections(document: &Document, place: Place) -> Vec<Range> {
    let source = &document.source;
    let at = offset(source, place);
    let mut spans = Vec::new();
    let word = crate::syntax::code_words(source);
    spans.extend(
        word.into_iter()
            .find(|word| word.start <= at && at <= word.end),
    );
    let line = source.line_span(source.line_of(at));
    let text = source.slice(line);
    let code = without_comment(text);
    let start = line.start + code.len() - code.trim_start().len();
    spans.push(Span::new(
        start,
        (line.start + code.trim_end().len()).max(start),
    ));
    spans.push(line);
    for (opened, end) in &document.blocks {
        let first = source.line_span(*opened);
        let text = source.slice(first);
        let start = first.start + text.len() - text.trim_start().len();
        spans.push(Span::new(start, source.line_span(*end).end));
    }
    spans.push(Span::new(0, source.text().len()));
    spans.retain(|span| span.start <= at && at <= span.end && !span.is_empty());
    spans.sort_by_key(|span| span.len());
    spans.dedup();
    // Two spans around a place may overlap without one holding the other. Such a span is left out, as an
    // editor needs each selection to hold the last.
    let mut nested: Vec<Span> = Vec::new();
    for span in spans {
        let holds = |inner: &Span| span.start <= inner.start && inner.end <= span.end;
        if nested.last().is_none_or(holds) {
            nested.push(span);
        }
    }
    nested.into_iter().map(|span| range(source, span)).collect()
}

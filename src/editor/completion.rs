//! The texts that could be written at a place.
//!
//! The words come from the grammar: those that may follow the text before the cursor. A piece of program is
//! offered where the text with it has no more faults than without.

use crate::count::Quantity;
use crate::diag::CODES;
use crate::editor::document::Document;
use crate::editor::names::{Symbol, SymbolKind};
use crate::editor::position::{Place, Range, offset, range};
use crate::editor::snippets::{SNIPPETS, plain};
use crate::report::formula::Formulas;
use crate::room::with_room;
use crate::syntax::ast::DeclarationKind;
use crate::syntax::expected::{Continuation, continuation};
use crate::syntax::functions::FUNCTIONS;
use crate::syntax::signs::{SIGNS, letters, spelled};
use crate::syntax::{parse, without_comment};
use crate::text::{Source, Span};

/// A text that could be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The list's entry, which is also typed to find it.
    pub label: String,
    /// The text that it replaces.
    pub range: Range,
    /// The new text; with places to fill in where `is_snippet`.
    pub text: String,
    /// True if `$1` and the like are places to fill in.
    pub is_snippet: bool,
    /// The kind of text.
    pub kind: CompletionKind,
    /// A few words about it.
    pub detail: String,
}

/// The kind of a text that could be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A word of the language.
    Keyword,
    /// A piece of program.
    Snippet,
    /// A sign that no keyboard has.
    Sign,
    /// A function.
    Function,
    /// A quantity of a claim.
    Quantity,
    /// A number of the program.
    Parameter,
    /// A variable in memory.
    Variable,
    /// A named kernel.
    Kernel,
    /// A lint.
    Lint,
    /// A machine, a model, or a word of a setting.
    Choice,
}

/// Returns the texts that could be written at a place, in the order to offer them.
pub fn completions(document: &Document, place: Place) -> Vec<Completion> {
    // The narrowest context first. Behind a backslash only signs make sense, in a comment only lints.
    // Everything else depends on the grammar, which reads the line up to the word begun.
    let source = &document.source;
    let at = offset(source, place);
    let line = source.line_span(source.line_of(at));
    let before = source.slice(Span::new(line.start, at));
    if let Some(typed) = backslash(before) {
        return signs(document, Span::new(at - typed.len(), at), line.end);
    }
    let code = without_comment(before);
    if code.len() < before.len() {
        return lints(document, &before[code.len()..], at);
    }
    let typed = before
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '′')))
        .map_or(before, |end| {
            &before[end + before[end..].chars().next().map_or(1, char::len_utf8)..]
        });
    let here = Here {
        document,
        at,
        typed: Span::new(at - typed.len(), at),
        line,
    };
    let beginning = &before[..before.len() - typed.len()];
    let Some(fits) = continuation(beginning) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if fits.quantity {
        found.extend(here.quantities());
        return found;
    }
    found.extend(here.names(beginning, &fits));
    if fits.statement {
        found.extend(here.snippets());
    }
    found.extend(here.keywords(&fits));
    if fits.operand {
        found.extend(here.functions());
    }
    found
}

/// Returns `\lef` at the end of a text.
fn backslash(before: &str) -> Option<&str> {
    let start = before.rfind('\\')?;
    let name = &before[start + 1..];
    name.chars()
        .all(|c| c.is_ascii_alphanumeric())
        .then_some(&before[start..])
}

fn signs(document: &Document, typed: Span, line_end: usize) -> Vec<Completion> {
    let source = &document.source;
    let range = range(source, typed);
    let name = source.slice(typed).trim_start_matches('\\');
    let _ = line_end;
    let mut found: Vec<Completion> = Vec::new();
    let mut add = |written: &str, sign: &str, detail: &str| {
        if written.starts_with(name) {
            found.push(Completion {
                label: format!("\\{written}"),
                range,
                text: sign.to_owned(),
                is_snippet: false,
                kind: CompletionKind::Sign,
                detail: format!("{sign}  {detail}"),
            });
        }
    };
    for sign in &SIGNS {
        for written in sign.names {
            add(written, sign.sign, sign.meaning);
        }
    }
    for (alias, letter) in letters() {
        add(alias, letter, "a letter of the cost functions");
    }
    for (name, letter) in GREEK {
        add(name, letter, "a letter for names");
    }
    found.sort_by_key(|one| one.label.len());
    found
}

/// Greek letters without a meaning of their own.
const GREEK: [(&str, &str); 13] = [
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("kappa", "κ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("tau", "τ"),
    ("omega", "ω"),
];

/// Returns the lints that a comment `▷ allow` may name.
fn lints(document: &Document, comment: &str, at: usize) -> Vec<Completion> {
    let words = comment.trim_start_matches(['▷', '/']).trim_start();
    if !words.starts_with("allow ") {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | ':');
    let typed = comment
        .rfind(|c: char| !is_part(c))
        .map_or("", |end| &comment[end + 1..]);
    let range = range(&document.source, Span::new(at - typed.len(), at));
    let lints = CODES
        .iter()
        .filter(|code| code.short_name().starts_with("lint::"));
    lints
        .map(|code| Completion {
            label: code.short_name().to_owned(),
            range,
            text: code.short_name().to_owned(),
            is_snippet: false,
            kind: CompletionKind::Lint,
            detail: code.summary().to_owned(),
        })
        .collect()
}

/// The place where a text is to be written.
struct Here<'d> {
    document: &'d Document,
    at: usize,
    /// The word begun.
    typed: Span,
    line: Span,
}

impl Here<'_> {
    fn completion(
        &self,
        label: &str,
        kind: CompletionKind,
        detail: impl Into<String>,
    ) -> Completion {
        Completion {
            label: label.to_owned(),
            range: range(&self.document.source, self.typed),
            text: spelled(&self.document.source, label),
            is_snippet: false,
            kind,
            detail: detail.into(),
        }
    }

    fn quantities(&self) -> Vec<Completion> {
        let known = self.document.derived.as_ref();
        let detail = |quantity: Quantity| {
            let derivation = &known?.found.derivation;
            let formulas = Formulas::new(&derivation.let_names());
            Some(formulas.quantity(derivation.quantity(quantity)))
        };
        Quantity::ALL
            .into_iter()
            .map(|quantity| {
                let derived = detail(quantity).unwrap_or_default();
                self.completion(quantity.name(), CompletionKind::Quantity, derived)
            })
            .collect()
    }

    fn keywords(&self, fits: &Continuation) -> Vec<Completion> {
        // The first words of statements come with their statements.
        let has_snippet = |word: &str| {
            fits.statement
                && SNIPPETS
                    .iter()
                    .any(|it| it.word.split(' ').next() == Some(word))
        };
        let is_function = |word: &str| FUNCTIONS.iter().any(|form| form.name == word);
        let words = fits.keywords.iter().map(String::as_str);
        let mut words: Vec<&str> = words
            // The language has no `else`; it is read to say so.
            .filter(|word| !has_snippet(word) && !is_function(word) && *word != "else")
            .collect();
        words.sort_unstable();
        words.dedup();
        words
            .into_iter()
            .map(|word| self.completion(word, CompletionKind::Keyword, ""))
            .collect()
    }

    fn functions(&self) -> Vec<Completion> {
        let typed = self.document.source.slice(self.line).trim_start();
        let is_claim = typed.starts_with("claim");
        FUNCTIONS
            .iter()
            .filter(|form| is_claim || form.function.is_reserved())
            .map(|form| Completion {
                text: format!("{}($1)", form.name),
                is_snippet: true,
                ..self.completion(form.name, CompletionKind::Function, form.call)
            })
            .collect()
    }

    /// Returns the declared names that fit here. The choice depends on the line, host or core, and on the
    /// words before.
    fn names(&self, beginning: &str, fits: &Continuation) -> Vec<Completion> {
        let names = &self.document.names;
        let in_core = names
            .visible(self.at)
            .any(|symbol| symbol.kind == SymbolKind::Core);
        let words: Vec<&str> = beginning.split_whitespace().collect();
        let first = words.first().copied().unwrap_or("");
        if first == "execute" && words.len() == 1 {
            let kernels = names
                .visible(self.at)
                .filter(|it| it.kind == SymbolKind::Kernel);
            return kernels.map(|it| self.name(it)).collect();
        }
        // A declaration names something new until its `[`; inside the brackets old names are meant.
        let declares = matches!(
            first,
            "input" | "output" | "host" | "global" | "shared" | "algorithm"
        );
        if declares && !beginning.contains('[') || !(fits.statement || fits.operand || fits.name) {
            return Vec::new();
        }
        let is_speech = matches!(first, "require" | "ensure" | "claim");
        let mut seen: Vec<(&str, bool)> = Vec::new();
        let mut found = Vec::new();
        for symbol in names.visible(self.at) {
            let fits = match symbol.kind {
                SymbolKind::Algorithm | SymbolKind::Kernel => false,
                SymbolKind::Variable(kind) => match kind {
                    DeclarationKind::Shared => in_core,
                    DeclarationKind::Global => !is_speech || first == "ensure",
                    DeclarationKind::Input | DeclarationKind::Output | DeclarationKind::Host => {
                        !in_core && first != "claim"
                    }
                },
                SymbolKind::KernelArray => true,
                // A statement begins with memory.
                SymbolKind::Formal
                | SymbolKind::Let
                | SymbolKind::KernelNumber
                | SymbolKind::Mp
                | SymbolKind::Core
                | SymbolKind::Loop
                | SymbolKind::Binder => !fits.statement,
            };
            let key = (symbol.name.as_str(), symbol.kind.is_memory());
            if fits && !seen.contains(&key) {
                seen.push(key);
                found.push(self.name(symbol));
            }
        }
        found
    }

    fn name(&self, symbol: &Symbol) -> Completion {
        let source = &self.document.source;
        let kind = match symbol.kind {
            SymbolKind::Variable(_) | SymbolKind::KernelArray => CompletionKind::Variable,
            SymbolKind::Kernel => CompletionKind::Kernel,
            _ => CompletionKind::Parameter,
        };
        let line = source.line_span(source.line_of(symbol.span.start));
        let detail = match kind {
            CompletionKind::Variable => source.slice(symbol.declaration),
            _ => source.slice(line),
        };
        Completion {
            text: symbol.name.clone(),
            ..self.completion(&symbol.name, kind, detail.trim())
        }
    }

    /// Returns the pieces of program that add no fault to the text.
    fn snippets(&self) -> Vec<Completion> {
        let source = &self.document.source;
        let text = source.text();
        let code = source.slice(self.line);
        let indent = &code[..code.len() - code.trim_start().len()];
        // Faults are counted without the rest of the line and then with the piece instead. A text with
        // other faults can still take a piece; only new faults refuse it.
        let without = format!("{}{}", &text[..self.typed.start], &text[self.line.end..]);
        let faults = |text: &str| {
            let parsed = with_room(|| parse(&Source::new("program", text)));
            parsed.diagnostics.len()
        };
        let before = faults(&without);
        let fits = |piece: &str| {
            let text = format!(
                "{}{piece}{}",
                &text[..self.typed.start],
                &text[self.line.end..]
            );
            faults(&text) <= before
        };
        SNIPPETS
            .iter()
            .filter(|snippet| fits(&plain(snippet.text)))
            .map(|snippet| Completion {
                text: spelled(source, &snippet.text.replace('\n', &format!("\n{indent}"))),
                is_snippet: true,
                ..self.completion(snippet.word, CompletionKind::Snippet, snippet.detail)
            })
            .collect()
    }
}

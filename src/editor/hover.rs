//! Markdown about the thing at a place: a name, a quantity, a claim or a line.

use crate::count::Quantity;
use crate::derivation::{DerivedClaim, DerivedLine};
use crate::diag::Code;
use crate::editor::Derived;
use crate::editor::document::{Document, Known};
use crate::editor::lenses::verdict;
use crate::editor::names::{Symbol, SymbolKind};
use crate::editor::position::{Place, Range, offset, range};
use crate::report::formula::Formulas;
use crate::syntax::ast::DeclarationKind;
use crate::syntax::{code_words, functions};
use crate::text::Span;

/// A text about a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The range.
    pub range: Range,
    /// The text, in Markdown.
    pub text: String,
}

/// Describes the thing at a place: the meaning of a name, or else the cost of the line.
pub fn hover(document: &Document, place: Place) -> Option<Hover> {
    let source = &document.source;
    let at = offset(source, place);
    if document.is_too_large() {
        let line = source.line_span(source.line_of(at));
        return Some(Hover {
            range: range(source, line),
            text: document.too_large(),
        });
    }
    // The most specific answer first: a declared name, then a word of the language, then an allowed lint,
    // and the line's cost where nothing else is known.
    let word = code_words(source)
        .into_iter()
        .find(|word| word.start <= at && at < word.end);
    let about = |span: Span, text: String| Hover {
        range: range(source, span),
        text,
    };
    if let Some(found) = document.names.at(at).filter(|found| at < found.span.end) {
        let symbol = &document.names.symbols[found.symbol];
        return Some(about(found.span, of_symbol(document, symbol)));
    }
    if let Some(word) = word
        && let Some(text) = of_word(document, source.slice(word), word)
    {
        return Some(about(word, text));
    }
    let allows = document.tree.iter().flat_map(|tree| &tree.allows);
    if let Some(allow) = allows
        .into_iter()
        .find(|it| it.span.start <= at && at <= it.span.end)
    {
        let code = Code::find(&format!("lint::{}", allow.lint))?;
        return Some(about(allow.span, format!("`{code}`: {}", code.summary())));
    }
    let line = source.line_of(at);
    of_line(document, line).map(|text| about(source.line_span(line), text))
}

fn code(text: &str) -> String {
    format!("```atgpu\n{text}\n```")
}

fn of_symbol(document: &Document, symbol: &Symbol) -> String {
    let source = &document.source;
    let declared = source.slice(symbol.declaration);
    let (what, shown) = match symbol.kind {
        SymbolKind::Algorithm => ("the algorithm", symbol.name.clone()),
        SymbolKind::Formal => (
            "formal parameter: a whole number from 0",
            symbol.name.clone(),
        ),
        SymbolKind::Let => ("name of a value", declared.to_owned()),
        SymbolKind::Variable(kind) => {
            let word = keyword(kind);
            (memory(kind), format!("{word} {declared}"))
        }
        SymbolKind::Kernel => ("named kernel", declared.to_owned()),
        SymbolKind::KernelNumber => ("number given by `execute`", symbol.name.clone()),
        SymbolKind::KernelArray => (
            "global array given by `execute`",
            format!("global {}", symbol.name),
        ),
        SymbolKind::Mp => ("number of the MP", declared.to_owned()),
        SymbolKind::Core => (
            "number of the core in its MP: 0 to b − 1",
            declared.to_owned(),
        ),
        SymbolKind::Loop => ("variable of a loop", declared.to_owned()),
        SymbolKind::Binder => ("bound variable", symbol.name.clone()),
    };
    let mut text = format!("{}\n{what}", code(&shown));
    if matches!(symbol.kind, SymbolKind::Algorithm)
        && let Some(known) = &document.derived
    {
        text.push_str(&totals(known));
    }
    if let Some(known) = &document.derived
        && let Some(value) = value_of(known, symbol)
    {
        text.push_str(&format!(", here {value}"));
    }
    text
}

/// Returns a header `let`'s value in the formals, such as `⌈n/b⌉`, if the derivation has it.
fn value_of(known: &Known<Derived>, symbol: &Symbol) -> Option<String> {
    let names = &known.found.derivation.names;
    let (_, value) = names.iter().find(|(name, _)| *name == symbol.name)?;
    let text = value.to_string();
    (symbol.kind == SymbolKind::Let && symbol.reach.start == 0).then_some(format!("`{text}`"))
}

fn totals(known: &Known<Derived>) -> String {
    let derivation = &known.found.derivation;
    let formulas = Formulas::new(&derivation.let_names());
    let mut rows = String::from("\n\n| | | |\n|---|---|---|\n");
    for (quantity, derived) in derivation.all() {
        let class = derivation.classes.get(&quantity);
        rows.push_str(&format!(
            "| {} | `{}` | {} |\n",
            quantity.name(),
            formulas.quantity(derived),
            class.map_or("", String::as_str),
        ));
    }
    rows
}

fn keyword(kind: DeclarationKind) -> &'static str {
    match kind {
        DeclarationKind::Input => "input",
        DeclarationKind::Output => "output",
        DeclarationKind::Host => "host",
        DeclarationKind::Global => "global",
        DeclarationKind::Shared => "shared",
    }
}

fn memory(kind: DeclarationKind) -> &'static str {
    match kind {
        DeclarationKind::Input => "in host memory, given",
        DeclarationKind::Output => "in host memory, the result",
        DeclarationKind::Host => "in host memory",
        DeclarationKind::Global => "in global memory: kernels reach it with `⇐`",
        DeclarationKind::Shared => "in the shared memory of each MP, for one kernel",
    }
}

/// Describes a word that the text does not declare: a quantity, a letter of the machine, or a function.
fn of_word(document: &Document, word: &str, span: Span) -> Option<String> {
    let source = &document.source;
    let line = source.slice(source.line_span(source.line_of(span.start)));
    let is_claim = line.trim_start().starts_with("claim");
    if let Some(quantity) = Quantity::named(word).filter(|_| is_claim) {
        return Some(of_quantity(document, quantity));
    }
    if let Some(form) = functions::named(word) {
        return Some(code(form.call));
    }
    let letter = crate::syntax::signs::letters().find(|(alias, _)| *alias == word);
    let letter = letter.map_or(word, |(_, letter)| letter).replace('′', "'");
    let meaning = machine_letter(&letter)?;
    let figures = document.settings.machine.parameters();
    let figure = figures.get(&letter).map(|value| {
        let text = value.to_f64();
        format!("; {} on {}", text, document.settings.machine.name)
    });
    Some(format!(
        "{}\n{meaning}{}",
        code(&letter),
        figure.unwrap_or_default()
    ))
}

/// Returns the meaning of a letter of the machine or of the cost functions (language.md §4.4).
fn machine_letter(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "p" => "cores of the machine",
        "b" => "cores of an MP, words of a block, banks of shared memory",
        "M" => "words of an MP's shared memory",
        "G" => "words of global memory",
        "α" => "milliseconds for each transfer",
        "β" => "milliseconds for each word transferred",
        "γ" => "cycles in a millisecond",
        "λ" => "cycles for each block",
        "σ" => "milliseconds for each round",
        "k'" => "MPs of the real machine",
        "H" => "the most MPs that are resident on one real MP",
        "ℓ" => "MPs resident on one real MP: the occupancy",
        _ => return None,
    })
}

fn of_quantity(document: &Document, quantity: Quantity) -> String {
    let heading = format!("**{}**", quantity.name());
    let Some(known) = &document.derived else {
        return heading;
    };
    let derivation = &known.found.derivation;
    let formulas = Formulas::new(&derivation.let_names());
    let derived = derivation.quantity(quantity);
    let mut text = format!("{heading} = `{}`", formulas.quantity(derived));
    if let Some(upper) = &derived.upper {
        let expanded = upper.to_string();
        if !text.contains(&expanded) {
            text.push_str(&format!("\n\n= `{expanded}`"));
        }
    }
    if let Some(class) = derivation.classes.get(&quantity) {
        text.push_str(&format!("\n\n{class}"));
    }
    text
}

fn of_line(document: &Document, line: usize) -> Option<String> {
    let known = document.derived.as_ref()?;
    let then = known.lines.then(line)?;
    let derivation = &known.found.derivation;
    let claim = derivation.claims.iter().find(|claim| claim.line == then);
    if let Some(claim) = claim {
        return Some(of_claim(claim));
    }
    let formulas = Formulas::new(&derivation.let_names());
    let rounds = derivation.rounds.iter();
    let lines = rounds.flat_map(|round| round.lines.iter().map(move |line| (round, line)));
    // A kernel executed in several rounds often costs the same in each: equal neighbours are shown once,
    // under the first one's number.
    let mut texts: Vec<String> = Vec::new();
    for (round, line) in lines.filter(|(_, found)| found.line == then) {
        let round = round.number.as_ref().map(|number| formulas.text(number));
        let text = of_derived(line, &formulas);
        match texts.last() {
            Some(last) if last.ends_with(&text) => {}
            Some(_) | None => {
                let heading = format!("round {}", round.unwrap_or_else(|| "?".to_owned()));
                texts.push(format!("{heading}\n\n{text}"));
            }
        }
    }
    match texts.len() {
        0 => None,
        // One round needs no heading.
        1 => Some(texts[0].split_once("\n\n")?.1.to_owned()),
        _ => Some(texts.join("\n\n---\n\n")),
    }
}

fn of_claim(claim: &DerivedClaim) -> String {
    format!("claim `{}`: {}", claim.text, verdict(&claim.verdict))
}

fn of_derived(line: &DerivedLine, formulas: &Formulas) -> String {
    let rows = [
        ("executed", &line.executions, "times by the costliest MP"),
        ("operations", &line.operations, "of that MP's t"),
        ("blocks", &line.blocks, "of q"),
        ("conflicts", &line.conflicts, ""),
    ];
    let mut text = String::from("| | | |\n|---|---|---|\n");
    for (name, derived, of) in rows {
        let shown = formulas.quantity(derived);
        if shown != "0" || name == "blocks" {
            text.push_str(&format!("| {name} | `{shown}` | {of} |\n"));
        }
    }
    if let Some(rule) = &line.rule {
        text.push_str(&format!("\n{rule}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Parameter, ParameterKind};

    /// Every parameter that every program has, and every letter of the costs, has its words.
    #[test]
    fn all_letters_of_machines_are_known() {
        let program = crate::examples::vector_addition();
        let is_machine = |found: &&Parameter| found.kind == ParameterKind::Machine;
        for parameter in program.parameters.iter().filter(is_machine) {
            assert!(
                machine_letter(&parameter.name).is_some(),
                "{}",
                parameter.name
            );
        }
        for (_, letter) in crate::syntax::signs::letters() {
            assert!(machine_letter(letter).is_some(), "{letter}");
        }
    }
}

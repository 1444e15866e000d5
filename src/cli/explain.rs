//! `atgpu explain`: the page of a diagnostic code, or a word of the glossary.

use atgpu::diag::{CODES, Code, Diagnostic};
use atgpu::text::Known;
use serde_json::{Value, json};

use crate::cli::args::{ExplainArgs, Format};
use crate::cli::error::UsageError;
use crate::cli::glossary::{self, Word};
use crate::cli::remedy::Remedy;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{page, pages};

/// Prints one page, the entries of a word, or the list of all codes and words.
pub fn explain(args: &ExplainArgs) -> Reply {
    let is_json = args.format == Format::Json;
    let name = args.name.join(" ");
    if name.is_empty() {
        return answer(is_json, list_json, || Body::Text(list()));
    }
    if let Some(code) = Code::find(&name) {
        return answer(
            is_json,
            || code_json(code),
            || markdown(page_of(code), str::to_owned),
        );
    }
    let words = glossary::find(&name);
    if words.is_empty() {
        return Reply::faults(vec![Finding::bare(unknown(&name))], is_json);
    }
    let codes = codes_of(&words);
    answer(
        is_json,
        || json!({ "words": words.iter().map(word_json).collect::<Vec<_>>(), "codes": codes }),
        || markdown(entry(&words, &codes), page::plain),
    )
}

fn answer(is_json: bool, object: impl FnOnce() -> Value, text: impl FnOnce() -> Body) -> Reply {
    Reply::from(if is_json {
        Body::Json(Some(object()))
    } else {
        text()
    })
}

fn markdown(markdown: String, plain: fn(&str) -> String) -> Body {
    let plain = plain(&markdown);
    Body::Page { markdown, plain }
}

/// The fault of a name that is neither a code nor a word.
fn unknown(name: &str) -> Diagnostic {
    let lower = name.to_lowercase();
    let short = lower.strip_prefix("atgpu::").unwrap_or(&lower);
    let alike = codes_with(short);
    let remedy = if alike.is_empty() {
        let words: Vec<String> = glossary::words()
            .iter()
            .flat_map(|word| word.names.iter().chain(&word.symbols))
            .map(|name| glossary::folded(name))
            .collect();
        let codes = CODES.iter().map(|code| code.short_name());
        let known = codes.chain(words.iter().map(String::as_str));
        Remedy::Codes(Known::beside(&glossary::folded(short), known))
    } else {
        Remedy::CodesWith(alike.into_iter().map(str::to_owned).collect())
    };
    Diagnostic::of(&UsageError::Name {
        option: "explain",
        name: name.to_owned(),
        problem: "no such code or word",
        remedy,
    })
}

/// The codes that have a name of the words as a part: `lint::low-occupancy` for `Occupancy`.
fn codes_of(words: &[Word]) -> Vec<&'static str> {
    let names = words
        .iter()
        .flat_map(|word| word.names.iter().chain(&word.symbols));
    let mut codes: Vec<&str> = names
        .flat_map(|name| codes_with(&glossary::folded(name)))
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The codes with a part of this name: `limit::shared` for `shared`, `lint::bank-conflict` for `bank`.
fn codes_with(name: &str) -> Vec<&'static str> {
    let is_part = |code: &&str| code.split("::").any(|part| part == name);
    let is_word = |code: &&str| code.split([':', '-']).any(|part| part == name);
    let codes = || CODES.iter().map(|code| code.short_name());
    let found: Vec<&str> = codes().filter(is_part).collect();
    if found.is_empty() {
        codes().filter(is_word).collect()
    } else {
        found
    }
}

fn page_of(code: Code) -> String {
    match pages::of_code(code) {
        Some(page) => readable(page),
        None => format!("{code}: {}\n", code.summary()),
    }
}

/// A page for a terminal: marks for the tests are replaced by the commands they run.
fn readable(page: &str) -> String {
    let lines = page.lines().filter_map(|line| {
        let Some(mark) = line.strip_prefix("<!--") else {
            return Some(format!("{line}\n"));
        };
        let mut words = mark
            .trim_end_matches("-->")
            .trim()
            .strip_prefix("run: ")?
            .split(' ');
        let command = words.next()?;
        let options: String = words.map(|word| format!(" {word}")).collect();
        Some(format!("$ atgpu {command} FILE{options}\n"))
    });
    lines.collect()
}

/// The paragraphs of a word, and the codes that have it in their names.
fn entry(words: &[Word], codes: &[&str]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let mut out = texts.join("\n\n") + "\n";
    if !codes.is_empty() {
        let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
        out.push_str(&format!("\nSee also {}.\n", codes.join(", ")));
    }
    out
}

fn list() -> String {
    let width = CODES.iter().map(|code| code.short_name().len()).max();
    let codes = CODES.iter().map(|code| {
        let name = code.short_name();
        let width = width.unwrap_or(0);
        format!("  {name:width$}  {}\n", code.summary())
    });
    let words: Vec<&str> = glossary::words().iter().map(|word| word.names[0]).collect();
    let words = format!("and the words of the glossary: {}\n", words.join(", "));
    codes.collect::<String>() + &page::filled(&words)
}

fn list_json() -> Value {
    let words = glossary::words();
    let words: Vec<&str> = words.iter().flat_map(|word| word.names.clone()).collect();
    json!({ "codes": CODES.iter().map(|code| summary_json(*code)).collect::<Vec<_>>(), "words": words })
}

fn summary_json(code: Code) -> Value {
    json!({
        "code": code.to_string(),
        "severity": code.severity().word(),
        "summary": code.summary(),
    })
}

fn code_json(code: Code) -> Value {
    let mut object = summary_json(code);
    object["page"] = page_of(code).into();
    object
}

fn word_json(word: &Word) -> Value {
    json!({
        "names": word.names,
        "symbols": word.symbols,
        "section": word.section,
        "text": word.text.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_by_its_own_page() {
        for code in CODES {
            let page = pages::of_code(*code).unwrap_or_else(|| panic!("{code} has no page"));
            let heading = format!("# `{code}`");
            assert_eq!(page.lines().next(), Some(heading.as_str()));
        }
    }

    #[test]
    fn a_slip_is_told_with_the_nearest_code_or_word() {
        let help = |name: &str| unknown(name).help.unwrap_or_default();
        for (name, near) in [
            ("ocupancy", "did you mean `occupancy`?"),
            ("banks", "did you mean `bank`?"),
            ("race::shred", "did you mean `race::shared`?"),
            ("else-branch", "did you mean `syntax::else-branch`?"),
            ("zebra", "`atgpu explain` lists all codes and words"),
        ] {
            assert_eq!(help(name), near, "{name}");
        }
    }
}

//! The English of README and docs: no long sentence, and short ones as a rule.

use std::fs;
use std::path::PathBuf;

use super::{pages, root};

/// Words of the longest sentence. A reader of a longer one begins it again.
const LONGEST: usize = 40;

/// Words of a page's middle sentence.
const MEDIAN: f64 = 16.0;

/// Made from the comments of the source, which `thresholds.rs` holds.
const GENERATED: &str = "docs/lab/thresholds.md";

#[test]
fn sentences_are_short() {
    let mut faults = Vec::new();
    let mut count = 0;
    for page in documents() {
        let text = fs::read_to_string(&page).expect("a page is text");
        let name = page.strip_prefix(root()).expect("inside").display();
        let mut lengths = Vec::new();
        for (sentence, is_prose) in sentences(&text) {
            let words = sentence.split_whitespace().count();
            if words > LONGEST {
                faults.push(format!("{name}: {words} words: {sentence}"));
            }
            if is_prose && words > 2 {
                lengths.push(words);
            }
        }
        lengths.sort_unstable();
        count += lengths.len();
        let median = median(&lengths);
        if median > MEDIAN {
            faults.push(format!(
                "{name}: half of its sentences have {median} words or more"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 2500, "only {count} sentences are found");
}

/// The middle of sorted lengths, or half of the sum of the two in the middle.
fn median(lengths: &[usize]) -> f64 {
    let at = |place: usize| lengths.get(place).map_or(0.0, |words| *words as f64);
    f64::midpoint(
        at(lengths.len().saturating_sub(1) / 2),
        at(lengths.len() / 2),
    )
}

fn documents() -> Vec<PathBuf> {
    let mut documents = pages(&root().join("docs"));
    documents.retain(|page| !page.ends_with(GENERATED));
    documents.push(root().join("README.md"));
    documents
}

/// The sentences of a page, each with whether it is prose and no cell of a table. Code between backticks is one word,
/// an address none, and headings are no sentences.
fn sentences(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    for line in prose(text).lines().chain([""]) {
        let trimmed = line.trim();
        let begins_anew = trimmed.is_empty()
            || trimmed.starts_with(['#', '|', '<'])
            || trimmed.starts_with("- ")
            || trimmed.starts_with("* ")
            || is_numbered(trimmed);
        if begins_anew {
            cut(&std::mem::take(&mut paragraph), true, &mut found);
        }
        let is_indented_code = line.starts_with("    ") && paragraph.is_empty();
        if trimmed.starts_with('|') {
            let cells = trimmed.split('|');
            cells.for_each(|cell| cut(cell.trim(), false, &mut found));
        } else if !trimmed.starts_with('#') && !is_indented_code {
            let numbered = trimmed.find(". ").filter(|_| is_numbered(trimmed));
            let item = numbered.map_or(trimmed, |at| &trimmed[at + 1..]);
            paragraph.push_str(item.trim_start_matches(['-', '*']));
            paragraph.push(' ');
        }
    }
    found
}

/// `1. ` and the like.
fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(". ")
}

/// Cuts behind every full stop, question mark and exclamation mark with a space behind it.
fn cut(paragraph: &str, is_prose: bool, found: &mut Vec<(String, bool)>) {
    let mut sentence = Vec::new();
    for word in paragraph.split_whitespace() {
        sentence.push(word);
        let bare = word.trim_end_matches(['*', ')', '"', '_']);
        if bare.ends_with(['.', '!', '?']) {
            found.push((std::mem::take(&mut sentence).join(" "), is_prose));
        }
    }
    if !sentence.is_empty() {
        found.push((sentence.join(" "), is_prose));
    }
}

/// The text without blocks of code, comments and addresses, each piece of code in it as the one word `code`.
fn prose(text: &str) -> String {
    let outside: String = text.split("```").step_by(2).collect();
    let mut shown = String::new();
    for (number, part) in outside.split("<!--").enumerate() {
        let rest = part.split_once("-->").map_or("", |(_, rest)| rest);
        shown.push_str(if number == 0 { part } else { rest });
    }
    let pieces = shown.split('`').enumerate();
    let words: String = pieces
        .map(|(number, piece)| if number % 2 == 0 { piece } else { "code" })
        .collect();
    let mut plain = String::new();
    for (number, part) in words.split("](").enumerate() {
        let rest = part.split_once(')').map_or("", |(_, rest)| rest);
        plain.push_str(if number == 0 { part } else { rest });
    }
    plain
}

#[test]
fn sentences_are_found() {
    let text = "# A title of no sentence\n\nOne `a b c` two. Three [four](five six)!\n- An item\n  goes on.\n\
        \n| a cell. Another | third |\n\n```text\nno sentence at all\n```\n<!-- nor this -->\n2. Last one.\n";
    let found: Vec<String> = sentences(text).into_iter().map(|(text, _)| text).collect();
    let expected = [
        "One code two.",
        "Three [four!",
        "An item goes on.",
        "a cell.",
        "Another",
        "third",
        "Last one.",
    ];
    assert_eq!(found, expected);
}

//! The words of docs/glossary.md, embedded in the command: found by name or symbol.
//!
//! An entry is a paragraph that begins with its name in bold. Its names are all its bold words; its symbols stand in
//! brackets behind the name, or in brackets and backticks anywhere: `**Occupancy** (ℓ, `occupancy`). The number of …`

use atgpu::count::Parameters;

const GLOSSARY: &str = include_str!("../../docs/glossary.md");

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its names, such as `Inward` and `outward`.
    pub names: Vec<&'static str>,
    /// Its symbols and keys, such as `ℓ` and `occupancy`.
    pub symbols: Vec<&'static str>,
    /// The heading that it stands under.
    pub section: &'static str,
    /// The paragraph.
    pub text: &'static str,
}

/// All entries, in the order of the page.
pub fn words() -> Vec<Word> {
    let mut section = "";
    let mut words = Vec::new();
    for paragraph in GLOSSARY.split("\n\n") {
        let text = paragraph.trim();
        if let Some(heading) = text.strip_prefix("## ") {
            section = heading;
        } else if text.starts_with("**") {
            words.push(Word {
                names: names(text),
                symbols: symbols(text),
                section,
                text,
            });
        }
    }
    words
}

fn names(text: &'static str) -> Vec<&'static str> {
    let bold = text.split("**").skip(1).step_by(2);
    bold.flat_map(|names| names.split(", ")).collect()
}

fn symbols(text: &'static str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('(') {
        let Some(inside) = inside(&text[at..]) else {
            continue;
        };
        // `**Bank** (x mod b)`, `**Machine**, `ATGPU(p, b, M, G)``: brackets of the name itself.
        let is_of_name = text[..at].ends_with("** ") || text[..at].ends_with("**, `ATGPU");
        let is_quoted = inside.starts_with('`') && inside.ends_with('`');
        if is_of_name || is_quoted {
            let symbols = inside.split(", ").map(|symbol| symbol.trim_matches('`'));
            found.extend(symbols);
        }
    }
    found
}

/// The text between a bracket, which the text begins with, and its partner.
fn inside(text: &'static str) -> Option<&'static str> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(&text[1..at]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The entries of a name or symbol. `M` is not `m`, so one written just so counts before one in other letters.
pub fn find(name: &str) -> Vec<Word> {
    let (symbol, folded_name) = (symbol(name), folded(name));
    let exact = having(|known| known == symbol);
    if exact.is_empty() {
        having(|known| folded(known) == folded_name)
    } else {
        exact
    }
}

fn having(is_it: impl Fn(&str) -> bool) -> Vec<Word> {
    let mut found = words();
    found.retain(|word| {
        word.names
            .iter()
            .chain(&word.symbols)
            .any(|known| is_it(known))
    });
    found
}

/// A symbol as the page writes it: `lambda` is `λ`, and `k'` is `k′`.
fn symbol(name: &str) -> String {
    let values: Parameters = [(name, 0)].into_iter().collect();
    let known = values.iter().next().map(|(name, _)| name.to_owned());
    known.unwrap_or_else(|| name.to_owned()).replace('\'', "′")
}

/// A name without what a reader may write either way: `GPU-cost`, `gpu cost` and `gpu_cost` are one.
pub fn folded(name: &str) -> String {
    let small = name.trim().to_lowercase();
    small.replace([' ', '_'], "-").replace('\'', "′")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(name: &str) -> Vec<&'static str> {
        find(name).iter().map(|word| word.names[0]).collect()
    }

    #[test]
    fn words_are_found_by_name_symbol_and_key_in_any_case() {
        for (name, first) in [
            ("ℓ", "Occupancy"),
            ("ell", "Occupancy"),
            ("occupancy", "Occupancy"),
            ("OCCUPANCY", "Occupancy"),
            ("bank", "Bank"),
            ("x mod b", "Bank"),
            ("bank_conflicts", "Degree"),
            ("gpu cost", "GPU-cost"),
            ("gpu_cost", "GPU-cost"),
            ("GPU-cost", "GPU-cost"),
            ("lambda", "γ"),
            ("H", "γ"),
            ("k", "MP"),
            ("k'", "MP"),
            ("k′", "MP"),
            ("M", "Machine"),
            ("m", "Shared"),
            ("G", "Machine"),
            ("g", "Global"),
            ("Î", "Transaction"),
            ("⇚", "Transfer"),
            ("I/O", "I/O"),
            ("Θ", "Class"),
            ("named kernel", "Kernel"),
            ("counterexample", "Witness"),
        ] {
            assert_eq!(sections(name).first(), Some(&first), "{name}");
        }
        assert_eq!(sections("cost"), ["Cost"]);
        assert_eq!(sections("COST"), ["Cost", "Cost"]);
        assert_eq!(sections("banks"), [""; 0]);
    }

    /// A paragraph that is no entry would never be found.
    #[test]
    fn every_bold_paragraph_is_an_entry_with_names_that_find_it() {
        let words = words();
        assert!(words.len() > 60, "{}", words.len());
        for word in &words {
            assert!(!word.section.is_empty(), "{}", word.text);
            for name in word.names.iter().chain(&word.symbols) {
                assert!(find(name).contains(word), "{name}");
            }
        }
    }
}

//! What to write instead, for the slips that people make.

use crate::syntax::expected::fitting::{END_OF_LINE, Fitting};
use crate::syntax::expected::token as token_at;
use crate::syntax::functions;
use crate::syntax::limits::{abbreviated, is_word, without_label};
use crate::text::nearest;

/// Whether the grammar keeps a word for itself.
pub(super) fn is_reserved(word: &str) -> bool {
    word.starts_with("log_")
        || FIRST_WORDS.contains(&word)
        || OTHER_WORDS.contains(&word)
        || functions::is_reserved(word)
}

/// The reserved words of language.md §5 that a line begins with.
const FIRST_WORDS: [&str; 19] = [
    "algorithm",
    "require",
    "input",
    "output",
    "host",
    "global",
    "shared",
    "let",
    "ensure",
    "claim",
    "kernel",
    "execute",
    "end",
    "for",
    "while",
    "if",
    "swap",
    "atomic",
    "else",
];

/// All others, but for functions and those that begin with `log_`.
const OTHER_WORDS: [&str; 23] = [
    "then", "do", "in", "to", "divides", "and", "or", "not", "implies", "forall", "exists", "sum",
    "mod", "div", "ceil", "floor", "log", "log2", "is", "at", "as", "downto", "until",
];

/// A character that never stands in code, with what to write for those people try.
pub(super) fn strange(token: &str) -> Option<(String, Option<&'static str>)> {
    let first = token.chars().next()?;
    let help = match first {
        _ if is_word(first) && token.is_ascii() => return None,
        _ if first.is_alphanumeric() => match first {
            '²' | '³' | '¹' | '⁰'..='⁹' => Some("write a power with `^`, such as `n^2`"),
            '₀'..='₉' => Some("write an index as `x_0` or, of an array, as `x[0]`"),
            _ => return None,
        },
        '=' | '<' | '>' | '!' | '+' | '-' | '*' | '/' | '^' | '|' | '(' | ')' | '[' | ']' | '{'
        | '}' | ',' | ':' | '.' | '\'' | '_' => return None,
        '≤' | '≥' | '≠' | '≈' | '∧' | '∨' | '¬' | '·' | '⋅' | '×' | '∗' | '∀' | '∃' | 'Σ' | '∑'
        | 'Θ' | '⇒' | '∈' | '→' | '…' | '↔' | '⇚' | '⇐' | '←' | '⌈' | '⌉' | '⌊' | '⌋' | '∣'
        | '−' | '▷' | '′' => return None,
        ';' => Some("statements end with the line: put the next one on a line of its own"),
        '#' => Some("a comment starts with `▷` or `//`"),
        '&' => Some("write `∧` or `and`"),
        '%' => Some("write `mod` for the remainder of a division"),
        '"' | '\u{201c}' | '\u{201d}' => Some("programs have no strings"),
        '~' if token == "~=" => return None,
        '~' => Some("write `¬` or `not`"),
        '÷' => Some("write `/`"),
        '–' | '—' | '‐' | '‑' => Some("write `-` for minus"),
        '’' | '‘' | '`' => Some("write `'` for a prime"),
        '∞' => Some("there is no infinite number"),
        '⟵' | '⇽' => Some("write `←` or `<-`"),
        '⟸' => Some("write `⇐` or `<=`"),
        '⟶' | '↦' => Some("write `→` or `to`"),
        _ => None,
    };
    let character = if first.is_control() || first.is_whitespace() {
        format!("U+{:04X}", u32::from(first))
    } else {
        format!("`{first}`")
    };
    Some((character, help))
}

/// What to write instead, for the slips that people make.
pub(super) fn hint(before: &str, token: &str, rest: &str, fitting: &Fitting) -> Option<String> {
    const ARROWS: [&str; 6] = ["⇚", "⇐", "←", "<==", "→", "↔"];
    let first = match token_at(without_label(before).trim_start()) {
        "" => token,
        first => first,
    };
    let is_assignment = matches!(token, "=" | ":") && fitting.has("`←`");
    if is_assignment {
        return Some(
            "write `←` to compute in shared memory, `⇐` to access global memory, `⇚` to transfer, `let` for a parameter"
                .to_owned(),
        );
    }
    if let Some(help) = borrowed(before, token, rest) {
        return Some(help.to_owned());
    }
    match first {
        "endif" => return Some("write `end if`".to_owned()),
        "endfor" => return Some("write `end for`".to_owned()),
        "endwhile" => return Some("write `end while`".to_owned()),
        "endkernel" => return Some("write `end kernel`".to_owned()),
        "elseif" | "elif" | "elsif" => {
            return Some("write a second `if` with a condition of its own".to_owned());
        }
        _ => {}
    }
    if (fitting.statement || fitting.has("`←`"))
        && (3..20).contains(&first.len())
        && let Some(keyword) = nearest(first, FIRST_WORDS)
    {
        return Some(format!("did you mean `{keyword}`?"));
    }
    if fitting.operator {
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(format!(
                "a number never follows a factor: write `·{}` for a product",
                abbreviated(token)
            ));
        }
        if token == "[" {
            return Some("write `·[…]` to multiply by a bracket of Iverson".to_owned());
        }
        if matches!(token, ".." | "..." | "…") {
            return Some("a range stands in transfers, declarations and `MP[…]` only".to_owned());
        }
        if fitting.has(END_OF_LINE) && ARROWS.contains(&token) {
            return Some("put the second statement on a line of its own".to_owned());
        }
        let next = rest.trim_start();
        if before.ends_with(']') && (next.starts_with(is_word) || next.starts_with('(')) {
            return Some("write `·` to multiply".to_owned());
        }
    }
    if token == "=" && (before.ends_with('<') || before.ends_with("<=")) {
        return Some("write `≤` or `<=` to compare, `⇚` or `<==` to transfer".to_owned());
    }
    if token.is_empty() && fitting.has("`then`") && first == "if" {
        return Some("write `then` at the end of the line".to_owned());
    }
    if token.is_empty() && fitting.has("`do`") && matches!(first, "for" | "while") {
        return Some("write `do` at the end of the line".to_owned());
    }
    if fitting.has("`most`") {
        return Some("write `at most e`".to_owned());
    }
    if first == "for" && before.ends_with(" all") {
        return Some(
            "write `for all mp_i ∈ MP[0..k-1] in parallel do`, and inside it `for all c_{i,j} ∈ C_i in parallel do`"
                .to_owned(),
        );
    }
    match (first, before.contains(" all "), token) {
        ("for", true, "do") if fitting.has("`in`") => {
            Some("write `in parallel do` behind the set".to_owned())
        }
        ("for", true, "do") if before.contains(" c_") => {
            Some("write `for all c_{i,j} ∈ C_i in parallel do`".to_owned())
        }
        ("for", true, _) if fitting.has("the cores `C_i`") => {
            Some("the cores of MP i are `C_i`, each of them `c_{i,j}`".to_owned())
        }
        ("for", false, "in" | "∈") => {
            Some("write `for v = lo → hi do`, or `hi downto lo`".to_owned())
        }
        ("for", true, ",") if before.ends_with(is_word) && fitting.has("`∈`") => {
            Some("write several indices in braces, such as `c_{i,j}`".to_owned())
        }
        ("for", true, ",") if fitting.has("`..`") => {
            Some("write `mp_0, …, mp_{k-1}`, or `0..k-1`".to_owned())
        }
        _ => None,
    }
}

/// Notation of other languages, and of papers.
fn borrowed(before: &str, token: &str, rest: &str) -> Option<&'static str> {
    let rest = rest.trim_start();
    if ["+=", "-=", "*=", "/=", "++"]
        .iter()
        .any(|mark| rest.starts_with(mark))
    {
        return Some("write `_x[j] ← _x[j] + e`");
    }
    let is_claim = before.trim_start().starts_with("claim ");
    if is_claim && matches!(token, ">" | "<" | "o") {
        return Some("a claim is `= e`, `≤ e`, `≥ e`, `∈ O(e)`, `∈ Ω(e)` or `∈ Θ(e)`");
    }
    if token == "{" && ["Σ_", "∑_", "sum_"].iter().any(|sum| before.ends_with(sum)) {
        return Some("write `Σ x ∈ 0..n-1 : e`");
    }
    if token == ")" && before.contains("MP[") {
        return Some("write `MP[0..k-1]`: both ends belong to the range");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::functions::FUNCTIONS;
    use crate::syntax::parse;
    use crate::text::Source;

    fn message(line: &str) -> String {
        let source = Source::new("test", &format!("algorithm T(n)\n{line}\n"));
        match parse(&source).diagnostics.as_slice() {
            [] => String::new(),
            [only] => only.message.to_string(),
            several => panic!("{several:?}"),
        }
    }

    #[test]
    fn the_reserved_words_are_those_of_the_grammar() {
        let functions = FUNCTIONS.iter().map(|form| form.name);
        let reserved = functions.filter(|name| functions::is_reserved(name));
        for word in FIRST_WORDS.into_iter().chain(OTHER_WORDS).chain(reserved) {
            let found = message(&format!("let {word} = 1"));
            assert!(found.contains("is a reserved word"), "{word}: {found}");
        }
        for word in [
            "a", "of", "power", "most", "all", "parallel", "time", "int", "float",
        ] {
            assert_eq!(message(&format!("let {word} = 1")), "", "{word}");
        }
        for word in [
            "sorted",
            "permutation",
            "list",
            "ends",
            "forx",
            "log3",
            "endif",
            "MP",
        ] {
            assert_eq!(message(&format!("let {word} = 1")), "", "{word}");
        }
    }
}

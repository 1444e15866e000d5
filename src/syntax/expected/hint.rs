//! Advice for the slips that people make.

use crate::syntax::ast::FIRST_WORDS;
use crate::syntax::expected::advice::{Hint, Remedy, follow};
use crate::syntax::expected::fitting::{END_OF_LINE, Fitting};
use crate::syntax::expected::foreign;
use crate::syntax::expected::rewritten;
use crate::syntax::expected::token as token_at;
use crate::syntax::foreign::{POWER, meaning as foreign_meaning};
use crate::syntax::functions;
use crate::syntax::limits::{abbreviated, goes_on, is_word, without_label};
use crate::text::{latin, nearest};

/// Returns true if the grammar reserves a word.
pub(in crate::syntax) fn is_reserved(word: &str) -> bool {
    word.starts_with("log_")
        || first_words().any(|first| first == word)
        || OTHER_WORDS.contains(&word)
        || functions::is_reserved(word)
}

/// The reserved words of language.md §5 that begin a line without a statement.
const LINE_WORDS: [&str; 12] = [
    "algorithm",
    "require",
    "input",
    "output",
    "host",
    "global",
    "shared",
    "ensure",
    "claim",
    "kernel",
    "end",
    "else",
];

/// Iterates over the reserved words that begin a line.
fn first_words() -> impl Iterator<Item = &'static str> {
    LINE_WORDS.into_iter().chain(FIRST_WORDS)
}

/// All other reserved words, except functions and words that begin with `log_`.
const OTHER_WORDS: [&str; 23] = [
    "then", "do", "in", "to", "divides", "and", "or", "not", "implies", "forall", "exists", "sum",
    "mod", "div", "ceil", "floor", "log", "log2", "is", "at", "as", "downto", "until",
];

/// The way to combine the bits of two numbers.
const BITS: &str = "write `bitand(x, y)` for the bits that two numbers share";

/// Words that a condition follows.
const ASKING: [&str; 6] = ["if", "while", "until", "require", "ensure", "select"];

/// Returns true if a condition may stand there.
fn asks(before: &str) -> bool {
    let mut words = before.split(|c| !is_word(c));
    words.any(|word| ASKING.contains(&word))
}

/// Returns true if something is compared: then an `&` behind it joins conditions, not bits.
fn compares(before: &str) -> bool {
    before.contains(['=', '<', '>', '≤', '≥', '≠'])
}

/// Returns a character that never stands in code, with advice on the ones that people try. `before` is the beginning of
/// the line.
pub(super) fn strange(token: &str, before: &str, rest: &str) -> Option<(String, Option<Hint>)> {
    let first = token.chars().next()?;
    let help = match first {
        _ if is_word(first) && token.is_ascii() => return None,
        _ if first.is_alphanumeric() => match first {
            '²' => follow(POWER, Remedy::Token("^2")),
            '³' => follow(POWER, Remedy::Token("^3")),
            '¹' | '⁰'..='ⁿ' => Some(POWER.into()),
            '₀'..='₉' => Some("write an index as `x_0` or, of an array, as `x[0]`".into()),
            _ => return None,
        },
        '=' | '<' | '>' | '!' | '+' | '-' | '*' | '/' | '^' | '|' | '(' | ')' | '[' | ']' | '{'
        | '}' | ',' | ':' | '.' | '\'' | '_' => return None,
        '≤' | '≥' | '≠' | '≈' | '∧' | '∨' | '¬' | '·' | '⋅' | '×' | '∗' | '∀' | '∃' | 'Σ' | '∑'
        | 'Θ' | '⇒' | '∈' | '→' | '…' | '↔' | '⇚' | '⇐' | '←' | '⌈' | '⌉' | '⌊' | '⌋' | '∣'
        | '−' | '▷' | '′' => return None,
        ';' => Some("statements end with the line: put the next one on a line of its own".into()),
        '#' => follow("a comment starts with `▷` or `//`", Remedy::Token("▷")),
        '&' if !asks(before) || !rest.starts_with("&&") && !compares(before) => Some(BITS.into()),
        '&' => follow("write `∧` or `and`", Remedy::Token("∧")),
        '%' => follow(
            "write `mod` for the remainder of a division",
            Remedy::Token("mod"),
        ),
        '"' | '\u{201c}' | '\u{201d}' => {
            Some("programs have no strings: write names without quotes".into())
        }
        '~' if token == "~=" => return None,
        '~' => follow("write `¬` or `not`", Remedy::Token("¬")),
        '÷' => follow("write `/`", Remedy::Token("/")),
        '–' | '—' | '‐' | '‑' => follow("write `-` for minus", Remedy::Token("-")),
        '’' | '‘' | '`' => follow("write `'` for a prime", Remedy::Token("'")),
        '?' => Some("write `select(c, x, y)` for x where c holds, and y elsewhere".into()),
        '⁺'..='⁾' => Some(POWER.into()),
        '⩾' | '≧' => follow("write `≥` or `>=`", Remedy::Token("≥")),
        '⩽' | '≦' => follow("write `≤` or `<=`", Remedy::Token("≤")),
        '⇛' | '⟹' | '⇨' => Some("the target stands on the left, as in `a ⇚ A`".into()),
        '\u{ff01}'..='\u{ff5e}' => {
            let (_, alike) = latin(first.encode_utf8(&mut [0; 4]))?;
            // One fullwidth sign is hardly alone on its line.
            let code = format!("{}{rest}", without_label(before));
            let plain = code.chars().map(|c| match c {
                '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
                _ => c,
            });
            let plain: String = plain.collect();
            follow(alike.to_string(), Remedy::Code(plain.trim().to_owned()))
        }
        '∞' => Some("there is no infinite number".into()),
        '⟵' | '⇽' => follow("write `←` or `<-`", Remedy::Token("←")),
        '⟸' => follow("write `⇐` or `<=`", Remedy::Token("⇐")),
        '⟶' | '↦' => follow("write `→` or `to`", Remedy::Token("→")),
        _ => latin(first.encode_utf8(&mut [0; 4])).map(|(_, alike)| alike.to_string().into()),
    };
    let character = if first.is_control() || first.is_whitespace() {
        format!("U+{:04X}", u32::from(first))
    } else {
        format!("`{first}`")
    };
    Some((character, help))
}

/// Returns advice on the first word of a line that would be a reserved one, had it no letter of another alphabet.
pub(super) fn foreign_letter(code: &str) -> Option<Hint> {
    let words = code.split(|c| !is_word(c));
    let mut foreign = words.filter_map(|word| Some((latin(word)?, word)));
    let ((latin, letter), word) = foreign.find(|((latin, _), _)| is_reserved(latin))?;
    Some(format!("`{word}` is not `{latin}`: {letter}").into())
}

/// The operators that no expression has.
const ARROWS: [&str; 6] = ["⇚", "⇐", "←", "<==", "→", "↔"];

/// Returns advice for the slips that people make.
pub(super) fn hint(
    (code, before): (&str, &str),
    token: &str,
    rest: &str,
    fitting: &Fitting,
) -> Option<Hint> {
    let first = match token_at(without_label(before).trim_start()) {
        "" => token,
        first => first,
    };
    let line = foreign::Line {
        code: without_label(code),
        before,
        token,
        rest: rest.trim_start(),
    };
    // From the surest to the vaguest: a misused `=`, notation of other languages, a misspelt keyword, then guesses from
    // the fitting constructs. The first advice wins.
    misused(first, &line, fitting)
        .or_else(|| borrowed(&line, fitting))
        .or_else(|| foreign::hint(&line, fitting))
        .or_else(|| misspelt(first, fitting))
        .or_else(|| behind_factor(&line, fitting))
        .or_else(|| unfinished(first, &line, fitting))
        .or_else(|| for_head(first, before, token, fitting))
}

/// Recognises tokens with a meaning elsewhere: `=` for an assignment, an arrow in a `let`, `if` in an expression.
fn misused(first: &str, line: &foreign::Line<'_>, fitting: &Fitting) -> Option<Hint> {
    let token = line.token;
    let code = line.code.trim();
    if fitting.has("`←`")
        && let Some(text) = rewritten::turned(code)
    {
        let help = format!("the target stands on the left: write `{text}`");
        return follow(help, Remedy::Code(text));
    }
    if matches!(token, "=" | ":") && fitting.has("`←`") {
        if let Some(text) = rewritten::assigned(code) {
            return follow(format!("write `{text}`"), Remedy::Code(text));
        }
        const ALL: &[&str] = &["←", "⇐", "⇚"];
        return follow(
            "write `←` to compute in shared memory, `⇐` to access global memory, `⇚` to transfer, `let` for a number that never changes",
            Remedy::OneOf(ALL),
        );
    }
    if first == "let" && fitting.has("`=`") && ARROWS.contains(&token) {
        let help = "a `let` names a number that never changes: write `=`";
        return follow(help, Remedy::Token("="));
    }
    if token == "if" && fitting.operand && !fitting.statement {
        return Some("write `select(c, x, y)` for x where c holds, and y elsewhere".into());
    }
    None
}

/// Recognises a keyword of another language, or a misspelt one, at the beginning of a line.
fn misspelt(first: &str, fitting: &Fitting) -> Option<Hint> {
    match first {
        "endif" => return follow("write `end if`", Remedy::First("end if")),
        "endfor" => return follow("write `end for`", Remedy::First("end for")),
        "endwhile" => return follow("write `end while`", Remedy::First("end while")),
        "endkernel" => return follow("write `end kernel`", Remedy::First("end kernel")),
        "elseif" | "elif" | "elsif" => {
            return Some("write a second `if` with a condition of its own".into());
        }
        _ => {}
    }
    if (fitting.statement || fitting.has("`←`"))
        && (3..20).contains(&first.len())
        && let Some(keyword) = nearest(first, first_words())
    {
        return follow(format!("did you mean `{keyword}`?"), Remedy::First(keyword));
    }
    None
}

/// Guesses from what stands behind a factor.
fn behind_factor(line: &foreign::Line<'_>, fitting: &Fitting) -> Option<Hint> {
    if !fitting.operator {
        return None;
    }
    let &foreign::Line {
        before,
        token,
        rest,
        ..
    } = line;
    if token.starts_with(|c: char| c.is_ascii_digit()) {
        let help = format!(
            "a number never follows a factor: write `·{}` for a product",
            abbreviated(token)
        );
        return follow(help, Remedy::Before("·"));
    }
    if token == "[" {
        return follow(
            "write `·[…]` to multiply by a bracket of Iverson",
            Remedy::Before("·"),
        );
    }
    if matches!(token, ".." | "..." | "…") && fitting.has("`→`") {
        return follow("write `→` or `to`", Remedy::Token("→"));
    }
    if matches!(token, ".." | "..." | "…") {
        return Some("a range stands in transfers, declarations and `MP[…]` only".into());
    }
    if fitting.has(END_OF_LINE) && ARROWS.contains(&token) {
        return Some("put the second statement on a line of its own".into());
    }
    if before.ends_with(']') && (rest.starts_with(is_word) || rest.starts_with('(')) {
        return follow("write `·` to multiply", Remedy::Before("·"));
    }
    None
}

/// Guesses from a comparison cut in two, and from the words that are missing.
fn unfinished(first: &str, line: &foreign::Line<'_>, fitting: &Fitting) -> Option<Hint> {
    let &foreign::Line { before, token, .. } = line;
    if token == "="
        && let Some(mark) = ["<=", "<"].iter().find(|mark| before.ends_with(**mark))
    {
        return follow(
            "write `≤` or `<=` to compare, `⇚` or `<==` to transfer",
            Remedy::Around(mark.len(), &["≤", "⇚"]),
        );
    }
    if token == ">" && before.ends_with('=') {
        return follow(
            "write `⇒` or `implies`, or `≥` to compare",
            Remedy::Around(1, &["⇒", "≥"]),
        );
    }
    if token.is_empty() && first == "if" && before.ends_with(" return") {
        return foreign_meaning("return").map(Hint::from);
    }
    let &foreign::Line { code, rest, .. } = line;
    if before.ends_with(" then") || before.ends_with(" do") {
        return foreign_meaning(token)
            .map(Hint::from)
            .or_else(|| divided(before, rest));
    }
    if token.is_empty() && code.trim() == "end" {
        return Some("write `end for`, `end if` or `end while`, by the block it closes".into());
    }
    if token.is_empty() && goes_on(code) {
        return Some("a statement is one line: write the rest of it here".into());
    }
    if token.is_empty() && fitting.has("`then`") && first == "if" {
        return follow(
            "write `then` at the end of the line",
            Remedy::Before("then"),
        );
    }
    if token.is_empty() && fitting.has("`do`") && matches!(first, "for" | "while") {
        return follow("write `do` at the end of the line", Remedy::Before("do"));
    }
    if fitting.has("`most`") {
        return Some("write `at most e`".into());
    }
    None
}

/// Puts the body of `if c then … end if` on a line of its own.
fn divided(before: &str, rest: &str) -> Option<Hint> {
    let help = "put each statement, and the `end`, on a line of its own";
    let ends = ["end if", "end for", "end while"];
    let end = ends.into_iter().find(|end| rest.trim_end().ends_with(end));
    let lines = end.map(|end| {
        let body = rest.trim_end().strip_suffix(end).unwrap_or(rest);
        vec![
            before.to_owned(),
            format!("  {}", body.trim()),
            end.to_owned(),
        ]
    });
    follow(help, lines.map_or(Remedy::None, Remedy::Lines))
}

/// Guesses from the head of a `for`.
fn for_head(first: &str, before: &str, token: &str, fitting: &Fitting) -> Option<Hint> {
    if first == "for" && before.ends_with(" all") {
        return Some(
            "write `for all mp_i ∈ MP[0..k-1] in parallel do`, and inside it `for all c_{i,j} ∈ C_i in parallel do`"
                .into(),
        );
    }
    match (first, before.contains(" all "), token) {
        ("for", true, "do") if fitting.has("`in`") => follow(
            "write `in parallel do` behind the set",
            Remedy::Before("in parallel"),
        ),
        ("for", true, "parallel") if fitting.has("`in`") => follow(
            "write `in parallel do` behind the set",
            Remedy::Before("in"),
        ),
        ("for", true, "do") if before.contains(" c_") => {
            Some("write `for all c_{i,j} ∈ C_i in parallel do`".into())
        }
        ("for", true, _) if fitting.has("the cores `C_i`") => {
            Some("the cores of MP i are `C_i`, each of them `c_{i,j}`".into())
        }
        ("for", false, "in" | "∈") => {
            Some("write `for v = lo → hi do`, or `hi downto lo`".into())
        }
        ("for", true, ",") if before.ends_with(is_word) && fitting.has("`∈`") => {
            Some("write several indices in braces, such as `c_{i,j}`".into())
        }
        ("for", true, ",") if fitting.has("`..`") => {
            Some("write `mp_0, …, mp_{k-1}`, or `0..k-1`".into())
        }
        _ => None,
    }
}

/// The text behind the last `ceil(` or `floor(`, while that is open.
fn rounded(before: &str) -> Option<&str> {
    let opened = ["ceil(", "floor("].iter();
    let found = opened
        .filter_map(|word| Some(before.rfind(word)? + word.len()))
        .max()?;
    let number = &before[found..];
    (!number.contains(')')).then_some(number)
}

/// The signs and words of quantifiers.
const QUANTIFIERS: [&str; 7] = ["∀", "∃", "Σ", "∑", "forall", "exists", "sum"];

/// Recognises notation of other languages and of papers.
fn borrowed(line: &foreign::Line<'_>, fitting: &Fitting) -> Option<Hint> {
    let &foreign::Line {
        before,
        token,
        rest,
        ..
    } = line;
    let marks = ["+=", "-=", "*=", "/=", "++", "--"];
    if fitting.has("`←`")
        && marks.iter().any(|mark| rest.starts_with(mark))
        && let Some(text) = rewritten::update(line.code.trim())
    {
        return follow(format!("write `{text}`"), Remedy::Code(text));
    }
    if fitting.has("a name")
        && let Some(sign) = QUANTIFIERS.iter().find(|sign| before.ends_with(**sign))
    {
        return Some(
            format!("write `{sign} x ∈ 0..n-1 : …`, with a variable and its range").into(),
        );
    }
    if token == "," && ["∈ [", "in ["].iter().any(|set| before.contains(set)) {
        return Some("write a range as `lo..hi`, such as `0..n-1`".into());
    }
    if token == ":" && before.ends_with('[') {
        let all = line.code.trim().replace("[:]", "");
        return follow(
            "write a variable without brackets for all of it",
            Remedy::Code(all),
        );
    }
    if token == ":" && fitting.has("`..`") {
        return Some("write a slice as `a[lo..hi]`: both ends belong to it".into());
    }
    if token == "[" && before.ends_with(']') {
        let help = "write all indexes in one pair of brackets, as in `a[i, j]`";
        return follow(help, Remedy::Around(1, &[", "]));
    }
    let arrows = |c| "⇚⇐←".contains(c) || c == '<';
    if token == "(" && fitting.has("`←`") && rest.contains(arrows) {
        return Some(format!("write an index in brackets: `{before}[…]`").into());
    }
    if token == ","
        && let Some(number) = rounded(before)
    {
        let help = "`ceil` and `floor` take one number: write `ceil(x/y)`";
        let is_name = number.chars().all(is_word);
        return follow(
            help,
            if is_name {
                Remedy::Token("/")
            } else {
                Remedy::None
            },
        );
    }
    let is_claim = before.trim_start().starts_with("claim ");
    if is_claim && matches!(token, ">" | "<" | "o") {
        return Some("a claim is `= e`, `≤ e`, `≥ e`, `∈ O(e)`, `∈ Ω(e)` or `∈ Θ(e)`".into());
    }
    if token == "{" && ["Σ_", "∑_", "sum_"].iter().any(|sum| before.ends_with(sum)) {
        return Some("write `Σ x ∈ 0..n-1 : e`".into());
    }
    if token == ")" && before.contains("MP[") {
        return Some("write `MP[0..k-1]`: both ends belong to the range".into());
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
        for word in first_words().chain(OTHER_WORDS).chain(reserved) {
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

//! Expressions of the language in LaTeX's mathematics mode.
//!
//! Works on the tokens of a canonical Unicode text. So every construct of the language has a form here,
//! also constructs outside the algebra: slices, quantifiers, properties.

use crate::report::latex::text::{code, symbol};
use crate::sym;
use crate::syntax::functions::{self, Latex};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A name or a word of the language.
    Word(String),
    Number(String),
    /// Anything else, one character; `…` for two dots.
    Sign(char),
}

/// Words of declarations, claims and loops, set upright with spaces around.
const PROSE: [&str; 13] = [
    "in",
    "as",
    "sorted",
    "permutation",
    "list",
    "int",
    "float",
    "is",
    "at",
    "most",
    "downto",
    "global",
    "to",
];

fn operator(word: &str) -> String {
    format!("\\operatorname{{{}}}", word.replace('_', "\\_"))
}

/// Renders a text in mathematics mode, without the dollars.
pub(crate) fn math(text: &str) -> String {
    all(&tokens(text))
}

fn all(tokens: &[Token]) -> String {
    let mut at = 0;
    let mut parts = Vec::new();
    while at < tokens.len() {
        parts.push(one(tokens, &mut at));
    }
    parts.join(" ")
}

/// Replaces letters without a LaTeX glyph by commands.
pub(crate) fn plain(latex: &str) -> String {
    let mut out = String::new();
    for letter in latex.chars() {
        match letter {
            _ if letter.is_ascii() => out.push(letter),
            _ => {
                out.push_str(&sign(letter));
                out.push(' ');
            }
        }
    }
    out
}

fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let is_tail = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '′');
    while at < letters.len() {
        let letter = letters[at];
        let start = at;
        at += 1;
        if letter.is_whitespace() {
            continue;
        }
        if letter.is_ascii_digit() {
            // A dot belongs to the number only before a digit, so `0..9` is 0, two dots and 9.
            while at < letters.len() {
                let next = letters.get(at + 1).copied().unwrap_or(' ');
                let goes_on = letters[at].is_ascii_digit()
                    || matches!(letters[at], '_' | '.') && next.is_ascii_digit()
                    || letters[at] == 'e' && (next.is_ascii_digit() || next == '-');
                if !goes_on {
                    break;
                }
                at += if letters[at] == 'e' { 2 } else { 1 };
            }
            let number: String = letters[start..at].iter().filter(|c| **c != '_').collect();
            found.push(Token::Number(number));
        } else if (letter.is_alphabetic() || letter == '_') && !matches!(letter, 'Σ' | 'Θ') {
            // Σ and Θ are letters to Unicode, but signs here.
            while at < letters.len() && is_tail(letters[at]) {
                at += 1;
            }
            found.push(Token::Word(letters[start..at].iter().collect()));
        } else if letter == '.' && letters.get(at) == Some(&'.') {
            at += 1;
            found.push(Token::Sign('…'));
        } else {
            found.push(Token::Sign(letter));
        }
    }
    found
}

/// Renders one token, or the few tokens of one construct.
fn one(tokens: &[Token], at: &mut usize) -> String {
    let token = &tokens[*at];
    *at += 1;
    match token {
        Token::Number(number) => match number.split_once('e') {
            Some((digits, exponent)) => format!("{digits} \\cdot 10^{{{exponent}}}"),
            None => number.clone(),
        },
        Token::Word(word) => crate::report::latex::math::word(word, tokens, at),
        Token::Sign('^') => format!("^{{{}}}", raised(tokens, at)),
        Token::Sign('Σ') => summed(tokens, at).unwrap_or_else(|| sign('Σ')),
        Token::Sign(letter) => sign(*letter),
    }
}

/// Renders `Σ v ∈ low..high :` with its limits below and above; `None` for a sum in another form.
fn summed(tokens: &[Token], at: &mut usize) -> Option<String> {
    let (Token::Word(variable), Token::Sign('∈')) = (tokens.get(*at)?, tokens.get(*at + 1)?)
    else {
        return None;
    };
    let low = *at + 2;
    let dots = next_outside(tokens, low, '…')?;
    let colon = next_outside(tokens, dots + 1, ':')?;
    let [low, high] = [&tokens[low..dots], &tokens[dots + 1..colon]].map(all);
    *at = colon + 1;
    Some(format!("\\sum_{{{} = {low}}}^{{{high}}}", name(variable)))
}

/// The next position of a sign outside all brackets.
fn next_outside(tokens: &[Token], from: usize, wanted: char) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Sign(sign) if depth == 0 && *sign == wanted => return Some(at),
            Token::Sign('(' | '[' | '{' | '⌈' | '⌊') => depth += 1,
            Token::Sign(')' | ']' | '}' | '⌉' | '⌋') => depth -= 1,
            Token::Sign(_) | Token::Word(_) | Token::Number(_) => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Renders an exponent: one operand, with its sign and its own exponent.
fn raised(tokens: &[Token], at: &mut usize) -> String {
    let mut parts = Vec::new();
    while let Some(Token::Sign('-' | '−')) = tokens.get(*at) {
        parts.push("-".to_owned());
        *at += 1;
    }
    match tokens.get(*at) {
        Some(Token::Sign('(')) => {
            parts.push(one(tokens, at));
            parts.push(up_to_closing(tokens, at));
            parts.extend((*at < tokens.len()).then(|| one(tokens, at)));
        }
        Some(_) => parts.push(one(tokens, at)),
        None => {}
    }
    if tokens.get(*at) == Some(&Token::Sign('^')) {
        parts.push(one(tokens, at));
    }
    parts.join(" ")
}

/// Renders the contents of an open bracket, up to its closing bracket.
fn up_to_closing(tokens: &[Token], at: &mut usize) -> String {
    let (mut depth, mut parts) = (1, Vec::new());
    while let Some(token) = tokens.get(*at) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Sign(_) | Token::Word(_) | Token::Number(_) => {}
        }
        if depth == 0 {
            break;
        }
        parts.push(one(tokens, at));
    }
    parts.join(" ")
}

fn word(word: &str, tokens: &[Token], at: &mut usize) -> String {
    match word {
        "mod" => return "\\bmod".to_owned(),
        "div" => return "\\mathbin{\\mathrm{div}}".to_owned(),
        "log" => return "\\log".to_owned(),
        "log2" => return "\\log_{2}".to_owned(),
        "sqrt" if tokens.get(*at) == Some(&Token::Sign('(')) => {
            *at += 1;
            let inside = up_to_closing(tokens, at);
            *at += 1;
            return format!("\\sqrt{{{inside}}}");
        }
        "is" if tokens.get(*at) == Some(&Token::Word("a".to_owned())) => {
            // The words `a power of` follow.
            *at += 3;
            return "\\text{ is a power of }".to_owned();
        }
        _ => {}
    }
    // An index stands behind the head directly, as in `mp_i`, or in braces, as in `c_{i,j}`.
    for (head, shown) in [
        ("log_", "\\log"),
        ("mp_", "\\mathit{mp}"),
        ("c_", "c"),
        ("C_", "C"),
    ] {
        let Some(rest) = word.strip_prefix(head) else {
            continue;
        };
        if !rest.is_empty() {
            return format!("{shown}_{{{}}}", name(rest));
        }
        if tokens.get(*at) == Some(&Token::Sign('{')) {
            *at += 1;
            let mut inner = Vec::new();
            while *at < tokens.len() && tokens[*at] != Token::Sign('}') {
                inner.push(one(tokens, at));
            }
            *at += 1;
            return format!("{shown}_{{{}}}", inner.join(" "));
        }
    }
    match functions::named(word).map(|form| form.latex) {
        Some(Latex::Command) => return format!("\\{word}"),
        Some(Latex::Operator) => return operator(word),
        None if word == "ceil" => return operator(word),
        None => {}
    }
    if PROSE.contains(&word) {
        return format!("\\text{{ {word} }}");
    }
    name(word)
}

/// Renders a name: a single letter as is, a word in italics, primes last.
fn name(word: &str) -> String {
    let letter = sym::bare(word);
    if letter != word {
        return format!("{}_{{\\mathrm{{GPU}}}}", name(letter));
    }
    // Primes inside a word stay where they are: x''_y is not x_y''.
    let word = word.replace('′', "'");
    let stem = word.trim_end_matches('\'');
    let primes = &word[stem.len()..];
    let letters: Vec<char> = stem.chars().collect();
    let shown = match letters.as_slice() {
        [one] if one.is_ascii_alphanumeric() => one.to_string(),
        [one] => sign(*one),
        all if all.iter().all(char::is_ascii) => {
            let text: String = all.iter().collect();
            format!("\\mathit{{{}}}", text.replace('_', "\\_"))
        }
        // A product of letters: each letter keeps its own primes.
        _ => {
            let shown = word.chars().map(|letter| match letter {
                '_' => " \\_".to_owned(),
                '\'' => "'".to_owned(),
                ascii if ascii.is_ascii() => format!(" {ascii}"),
                other => format!(" {}", sign(other)),
            });
            return shown.collect::<String>().trim_start().to_owned();
        }
    };
    shown + primes
}

fn sign(letter: char) -> String {
    match letter {
        '*' => "\\cdot".to_owned(),
        '|' => "\\mid".to_owned(),
        '−' => "-".to_owned(),
        '{' => "\\{".to_owned(),
        '}' => "\\}".to_owned(),
        '_' => "\\_".to_owned(),
        '#' | '$' | '%' | '&' => format!("\\{letter}"),
        '\\' => "\\backslash".to_owned(),
        '~' => "\\sim".to_owned(),
        ':' => "\\colon".to_owned(),
        'Σ' => "\\sum".to_owned(),
        ascii if ascii.is_ascii() => ascii.to_string(),
        other => match symbol(other) {
            Some(command) => command.to_owned(),
            None => format!("\\text{{{}}}", code(other)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_its_form() {
        for (text, latex) in [
            ("ib + j", "\\mathit{ib} + j"),
            (
                "_x[j] ← 2·_x[j]",
                "\\mathit{\\_x} [ j ] \\leftarrow 2 \\cdot \\mathit{\\_x} [ j ]",
            ),
            ("n/b^(r - 1)", "n / b ^{( r - 1 )}"),
            ("2^-s^t", "2 ^{- s ^{t}}"),
            ("⌈log_b n⌉", "\\lceil \\log_{b} n \\rceil"),
            ("log_{b + 1} n", "\\log_{b + 1} n"),
            ("x is a power of 2", "x \\text{ is a power of } 2"),
            ("A[0..n-1]", "A [ 0 \\ldots n - 1 ]"),
            (
                "2·(Σ i ∈ 1..k - 1 : (Σ r ∈ f(0..2)..i : r))",
                "2 \\cdot ( \\sum_{i = 1}^{k - 1} ( \\sum_{r = f ( 0 \\ldots 2 )}^{i} r ) )",
            ),
            ("Σ of all", "\\sum \\mathit{of} \\mathit{all}"),
            ("1e-9 · 2.5", "1 \\cdot 10^{-9} \\cdot 2.5"),
            ("1_000", "1000"),
            ("mp_{k-1}", "\\mathit{mp}_{k - 1}"),
            ("c_{i,j} ∈ C_i", "c_{i , j} \\in C_{i}"),
            ("k'ℓ mod λ", "k' \\ell \\bmod \\lambda"),
            ("tk·λ_GPU", "\\mathit{tk} \\cdot \\lambda_{\\mathrm{GPU}}"),
            ("Θ(α + βn)", "\\Theta ( \\alpha + \\beta n )"),
            ("row_sum ∣ n", "\\mathit{row\\_sum} \\mid n"),
            (
                "2·sqrt((n - 1)·m) + 1",
                "2 \\cdot \\sqrt{( n - 1 ) \\cdot m} + 1",
            ),
            (
                "min(x, digit_sum(y, 2))",
                "\\min ( x , \\operatorname{digit\\_sum} ( y , 2 ) )",
            ),
        ] {
            let found = math(text);
            assert!(found.is_ascii(), "{found}");
            if !text.contains('β') {
                assert_eq!(found, latex, "{text}");
            }
        }
        assert!(math("日本 + é'").is_ascii());
    }
}

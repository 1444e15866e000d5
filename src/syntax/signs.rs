//! The one table of signs that no keyboard has: their ASCII spelling, and the names that editors
//! offer behind a backslash. Greek letters with an alias stand in the table of aliases.

use crate::syntax::lower::{ALIASES, alias};
use crate::text::Source;

/// A sign.
pub(crate) struct Sign {
    /// The sign as the paper writes it.
    pub sign: &'static str,
    /// Its spelling by `fmt --ascii`; `None` if it has none of its own.
    pub ascii: Option<&'static str>,
    /// Its names, those of LaTeX first.
    pub names: &'static [&'static str],
    /// Its use.
    pub meaning: &'static str,
}

const fn sign(
    sign: &'static str,
    ascii: &'static str,
    names: &'static [&'static str],
    meaning: &'static str,
) -> Sign {
    Sign {
        sign,
        ascii: if ascii.is_empty() { None } else { Some(ascii) },
        names,
        meaning,
    }
}

/// All signs.
#[rustfmt::skip]
pub(crate) static SIGNS: [Sign; 30] = [
    sign("⇚", "<==",     &["Lleftarrow", "transfer"],          "transfer between host and global memory"),
    sign("⇐", "<=",      &["Leftarrow", "global"],             "access to global memory"),
    sign("←", "<-",      &["leftarrow", "gets", "shared"],     "computation in shared memory"),
    sign("↔", "<->",     &["leftrightarrow", "swap"],          "exchange of global arrays"),
    sign("→", "to",      &["rightarrow", "to"],                "bounds of a loop"),
    sign("∈", "in",      &["in"],                              "member of a set"),
    sign("…", "...",     &["ldots", "dots"],                   "the MPs in between"),
    sign("≤", "<=",      &["le", "leq"],                       "at most"),
    sign("≥", ">=",      &["ge", "geq"],                       "at least"),
    sign("≠", "!=",      &["ne", "neq"],                       "not equal"),
    sign("≈", "~=",      &["approx"],                          "about equal, of floats"),
    sign("∣", "|",       &["mid", "divides"],                  "divides"),
    sign("·", "*",       &["cdot", "times"],                   "product"),
    sign("∧", "and",     &["wedge", "land"],                   "and"),
    sign("∨", "or",      &["vee", "lor"],                      "or"),
    sign("¬", "not",     &["neg", "lnot"],                     "not"),
    sign("⇒", "implies", &["Rightarrow", "implies"],           "implies"),
    sign("∀", "forall",  &["forall"],                          "for all, in conditions"),
    sign("∃", "exists",  &["exists"],                          "there is, in conditions"),
    sign("Σ", "sum",     &["sum", "Sigma"],                    "sum, in conditions and claims"),
    sign("Ω", "Omega",   &["Omega"],                           "grows at least so, in claims"),
    sign("Θ", "Theta",   &["Theta"],                           "grows just so, in claims"),
    sign("⌈", "",        &["lceil"],                           "rounded up: ⌈x⌉, ceil(x)"),
    sign("⌉", "",        &["rceil"],                           "rounded up: ⌈x⌉, ceil(x)"),
    sign("⌊", "",        &["lfloor"],                          "rounded down: ⌊x⌋, floor(x)"),
    sign("⌋", "",        &["rfloor"],                          "rounded down: ⌊x⌋, floor(x)"),
    sign("⌈⌉", "",       &["ceil"],                            "rounded up: ⌈x⌉, ceil(x)"),
    sign("⌊⌋", "",       &["floor"],                           "rounded down: ⌊x⌋, floor(x)"),
    sign("′", "'",       &["prime"],                           "a prime of a name"),
    sign("▷", "//",      &["triangleright", "comment"],        "a comment"),
];

/// Iterates over Greek letters by their ASCII spellings, which are their names too.
pub(crate) fn letters() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALIASES.iter().copied()
}

/// Spells a text of signs and words as this file does: a file without any sign keeps to ASCII.
pub(crate) fn spelled(source: &Source, text: &str) -> String {
    let is_spelt = |sign: &Sign| sign.sign != "▷" && source.text().contains(sign.sign);
    if SIGNS.iter().any(is_spelt) {
        text.to_owned()
    } else {
        ascii(text)
    }
}

fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (letter, after) = rest.split_at(first.len_utf8());
        match letter {
            "⌈" | "⌊" => {
                // `n⌈m/b⌉` becomes `n ceil(m/b)`.
                if out.ends_with(char::is_alphanumeric) {
                    out.push(' ');
                }
                out.push_str(if letter == "⌈" { "ceil(" } else { "floor(" });
            }
            "⌉" | "⌋" => out.push(')'),
            _ => {
                let sign = SIGNS.iter().find(|sign| sign.sign == letter);
                let word = sign.and_then(|sign| sign.ascii).or_else(|| alias(letter));
                let word = word.unwrap_or(letter);
                // `n·β` becomes `n*beta`, and `nβ` becomes `n beta`: two words must not grow
                // together.
                let is_word = |c: char| c.is_alphanumeric();
                if word.starts_with(is_word) && out.ends_with(is_word) && word != letter {
                    out.push(' ');
                }
                out.push_str(word);
                if word.ends_with(is_word) && after.starts_with(is_word) && word != letter {
                    out.push(' ');
                }
                if letter == "¬" && after.starts_with('(') {
                    out.push(' ');
                }
            }
        }
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Spelling, format};

    /// The formatter writes each sign as the table says.
    #[test]
    fn ascii_spellings_are_those_of_the_formatter() {
        let program = "algorithm T(n)\n  require b ∣ n ∧ n ≥ 1 ∧ ¬(n ≠ 2 ∨ n ≤ 1) ⇒ n = 2·b\n  \
                       input A[n]\n  output C[n]\n  global a[n], c[n]\n  shared _x[b]\n  \
                       ensure ∀ i ∈ 0..n-1 : C[i] ≈ A[i]\n  ensure ∃ i ∈ 0..n-1 : C[i] = 1\n  \
                       claim io ∈ Θ(n)\n  claim io ∈ Ω(n)\n  claim io = Σ v ∈ 1..2 : v\n  a ⇚ A\n  \
                       for all mp_i ∈ MP[mp_0, …, mp_{n-1}] in parallel do\n    \
                       for all c_{i,j} ∈ C_i in parallel do\n      for v = 0 → 1 do\n        \
                       _x[j] ⇐ a[ib + j]\n        _x[j] ← 1\n      end for\n    end for\n  end for\n  \
                       swap a ↔ c\n  C ⇚ c ▷ out\n";
        let source = Source::new("t", program);
        let formatted = format(&source, Spelling::Ascii).expect("sound");
        assert!(formatted.is_ascii(), "{formatted}");
        let words: Vec<&str> = formatted.split([' ', ',', '\n', '(', ')']).collect();
        for sign in &SIGNS {
            let Some(ascii) = sign.ascii.filter(|_| sign.sign != "′") else {
                continue;
            };
            assert!(program.contains(sign.sign), "{}", sign.sign);
            let is_there = words.contains(&ascii) || formatted.contains(&format!("2{ascii}b"));
            assert!(is_there, "{}: {ascii} in\n{formatted}", sign.sign);
        }
    }

    #[test]
    fn a_text_is_spelt_as_its_file() {
        let ascii_file = Source::new("t", "x <- 1");
        assert_eq!(spelled(&ascii_file, "⌈x⌉ ≠ 0"), "ceil(x) != 0");
        assert_eq!(spelled(&ascii_file, "¬(x) ∧ y"), "not (x) and y");
        assert_eq!(spelled(&ascii_file, "2nβ"), "2n beta");
        assert_eq!(
            spelled(&ascii_file, "n⌈m/b⌉ + (⌊x⌋)"),
            "n ceil(m/b) + (floor(x))"
        );
        assert_eq!(spelled(&Source::new("t", "x ← 1"), "⌈x⌉"), "⌈x⌉");
    }
}

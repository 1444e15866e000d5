//! Texts for LaTeX outside of mathematics: special characters are escaped, and letters without a glyph
//! become commands.

/// Escapes a text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            // Closing quotation marks exist in every LaTeX font.
            '"' => out.push_str("''"),
            '−' => out.push_str("$-$"),
            other if other.is_ascii() => out.push(other),
            other => match symbol(other) {
                Some(command) => {
                    out.push('$');
                    out.push_str(command);
                    out.push('$');
                }
                None => out.push_str(&code(other)),
            },
        }
    }
    out
}

/// The command in mathematics mode for a sign or a Greek letter.
pub(crate) fn symbol(letter: char) -> Option<&'static str> {
    Some(match letter {
        'α' => "\\alpha",
        'β' => "\\beta",
        'γ' => "\\gamma",
        'δ' => "\\delta",
        'ε' => "\\varepsilon",
        'ζ' => "\\zeta",
        'η' => "\\eta",
        'θ' => "\\theta",
        'ι' => "\\iota",
        'κ' => "\\kappa",
        'λ' => "\\lambda",
        'μ' | 'µ' => "\\mu",
        'ν' => "\\nu",
        'ξ' => "\\xi",
        'π' => "\\pi",
        'ρ' => "\\rho",
        'σ' => "\\sigma",
        'ς' => "\\varsigma",
        'τ' => "\\tau",
        'υ' => "\\upsilon",
        'φ' => "\\varphi",
        'χ' => "\\chi",
        'ψ' => "\\psi",
        'ω' => "\\omega",
        'Γ' => "\\Gamma",
        'Δ' => "\\Delta",
        'Θ' => "\\Theta",
        'Λ' => "\\Lambda",
        'Ξ' => "\\Xi",
        'Π' => "\\Pi",
        'Σ' | '∑' => "\\Sigma",
        'Φ' => "\\Phi",
        'Ψ' => "\\Psi",
        'Ω' => "\\Omega",
        'ℓ' => "\\ell",
        '⇚' => "\\Lleftarrow",
        '⇐' => "\\Leftarrow",
        '⇒' => "\\Rightarrow",
        '←' => "\\leftarrow",
        '→' => "\\rightarrow",
        '↔' => "\\leftrightarrow",
        '∈' => "\\in",
        '≤' => "\\leq",
        '≥' => "\\geq",
        '≠' => "\\neq",
        '≈' => "\\approx",
        '∧' => "\\land",
        '∨' => "\\lor",
        '¬' => "\\neg",
        '∀' => "\\forall",
        '∃' => "\\exists",
        '∣' => "\\mid",
        '·' => "\\cdot",
        '×' => "\\times",
        '…' => "\\ldots",
        '⌈' => "\\lceil",
        '⌉' => "\\rceil",
        '⌊' => "\\lfloor",
        '⌋' => "\\rfloor",
        '⊕' => "\\oplus",
        '∞' => "\\infty",
        '√' => "\\surd",
        '′' => "{}'",
        '▷' => "\\triangleright",
        '⁰' => "^0",
        '¹' => "^1",
        '²' => "^2",
        '³' => "^3",
        '⁴' => "^4",
        '⁵' => "^5",
        '⁶' => "^6",
        '⁷' => "^7",
        '⁸' => "^8",
        '⁹' => "^9",
        '⁻' => "^-",
        _ => return None,
    })
}

/// Returns an accent command for a letter that has one, otherwise the code point.
pub(crate) fn code(letter: char) -> String {
    let accented = match letter {
        'ä' => "\\\"a",
        'ö' => "\\\"o",
        'ü' => "\\\"u",
        'Ä' => "\\\"A",
        'Ö' => "\\\"O",
        'Ü' => "\\\"U",
        'ß' => "\\ss{}",
        'é' => "\\'e",
        'è' => "\\`e",
        'á' => "\\'a",
        'à' => "\\`a",
        'ó' => "\\'o",
        'í' => "\\'i",
        'ú' => "\\'u",
        'ñ' => "\\~n",
        'ç' => "\\c{c}",
        'ô' => "\\^o",
        'ê' => "\\^e",
        'â' => "\\^a",
        'ø' => "\\o{}",
        'å' => "\\aa{}",
        'æ' => "\\ae{}",
        '\u{a0}' => "~",
        '–' => "--",
        '—' => "---",
        '‘' => "`",
        '’' => "'",
        '“' => "``",
        '”' => "''",
        _ => return format!("\\texttt{{U+{:04X}}}", u32::from(letter)),
    };
    accented.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_latex_lacks_is_left() {
        assert_eq!(escaped("50% of a_b & {c}"), "50\\% of a\\_b \\& \\{c\\}");
        assert_eq!(
            escaped("λ ≤ 2^k"),
            "$\\lambda$ $\\leq$ 2\\textasciicircum{}k"
        );
        // `\textquotedbl` is none of the fonts LaTeX begins with.
        assert_eq!(escaped("a \"b\""), "a ''b''");
        assert_eq!(escaped("n (×10⁶)"), "n ($\\times$10$^6$)");
        for text in ["Müller — “x”", "日本", "\\~|<>\"", "∀∃Σ⌈⌉ℓ′"] {
            assert!(escaped(text).is_ascii(), "{text}");
        }
    }
}

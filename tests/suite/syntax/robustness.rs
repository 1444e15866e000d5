//! No text, however broken or large, makes the parser panic, hang or exhaust the stack.

use atgpu::syntax::{Parsed, Spelling, format, parse};
use atgpu::text::Source;
use proptest::prelude::*;

fn read(text: &str) -> Parsed {
    parse(&Source::new("test", text))
}

fn codes(text: &str) -> Vec<&'static str> {
    let diagnostics = read(text).diagnostics;
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.short_name())
        .collect()
}

/// A program whose header holds the given `let`.
fn with_value(value: &str) -> String {
    format!("algorithm T(n)\n  let k = {value}\n")
}

fn with_condition(condition: &str) -> String {
    format!("algorithm T(n)\n  require {condition}\n")
}

fn nested(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn sixty_four_levels_of_everything_parse() {
    for (open, close) in [
        ("(", ")"),
        ("⌈", "⌉"),
        ("floor(", ")"),
        ("(1 + 2·", ")"),
        ("min(n, ", ")"),
        ("abs(-", ")"),
        ("2(", ")"),
        ("log_{2} (", ")"),
    ] {
        assert_eq!(
            codes(&with_value(&nested(open, "n", close, 64))),
            [""; 0],
            "{open}"
        );
    }
    assert_eq!(
        codes(&with_condition(&nested("[1 = ", "n", "]", 64))),
        [""; 0]
    );
    assert_eq!(
        codes(&with_condition(&nested("¬(", "n = 1", ")", 64))),
        [""; 0]
    );
    assert_eq!(codes(&with_value(&nested("-", "n", "", 64))), [""; 0]);
    assert_eq!(codes(&with_value(&nested("n^", "n", "", 64))), [""; 0]);
    assert_eq!(codes(&with_value(&nested("n + ", "n", "", 200))), [""; 0]);
    assert_eq!(
        codes(&with_condition(&nested("∀ x ∈ 0..1 : ", "n = n", "", 64))),
        [""; 0]
    );
    let blocks = nested("  if n = 1 then\n", "", "  end if\n", 64);
    assert_eq!(codes(&in_core_loop(&blocks)), [""; 0]);
}

fn in_core_loop(body: &str) -> String {
    format!(
        "algorithm T(n)\n  for all mp_i ∈ MP[0..1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n{body}    end for\n  end for\n"
    )
}

#[test]
fn thousands_of_levels_are_too_deep_once() {
    const TOO_DEEP: [&str; 1] = ["syntax::too-deep"];
    for levels in [300, 10_000] {
        for (open, close) in [
            ("(", ")"),
            ("(", ""),
            ("⌈", "⌉"),
            ("min(n, ", ")"),
            ("a[", "]"),
            ("log_{", "} 2"),
            ("-", ""),
            ("log2 ", ""),
            ("n^", ""),
            ("n + ", ""),
            ("n ", ""),
            ("2·", ""),
        ] {
            let text = with_value(&nested(open, "n", close, levels));
            assert_eq!(codes(&text), TOO_DEEP, "{levels} times `{open}`");
        }
        for open in [
            "not ",
            "¬",
            "n = 1 ⇒ ",
            "n = 1 ∧ ",
            "∀ x ∈ 0..1 : ",
            "[",
            "1 = Σ x ∈ 0..",
        ] {
            let text = with_condition(&nested(open, "n = 1", "", levels));
            assert_eq!(codes(&text), TOO_DEEP, "{levels} times `{open}`");
        }
        let blocks = nested("if n = 1 then\n", "", "end if\n", levels);
        assert_eq!(codes(&in_core_loop(&blocks)), TOO_DEEP);
        let blocks = nested("for x = 0 → 1 do\n", "", "end for\n", levels);
        assert_eq!(codes(&format!("algorithm T\n{blocks}")), TOO_DEEP);
    }
}

#[test]
fn long_files_are_read_to_the_end() {
    const LINES: usize = 20_000;
    let lines = |line: &str| read(&format!("algorithm T(n)\n{}", line.repeat(LINES)));
    assert!(lines("\n").diagnostics.is_empty());
    assert!(lines("▷ nothing\n").diagnostics.is_empty());
    let transfers = lines("  a ⇚ A\n");
    assert!(transfers.diagnostics.is_empty());
    assert_eq!(
        transfers.algorithm.map(|algorithm| algorithm.body.len()),
        Some(LINES)
    );
    assert_eq!(lines("  a ⇚\n").diagnostics.len(), LINES);
    // All in a block that is never closed: one fault, however many lines cannot stand in it.
    let misplaced = format!(
        "for all mp_i ∈ MP[0..1] in parallel do\n{}",
        "swap a ↔ c\n".repeat(LINES)
    );
    assert_eq!(
        codes(&format!("algorithm T(n)\n{misplaced}")),
        ["syntax::unexpected"]
    );
}

#[test]
fn long_lines_are_refused_or_read() {
    let long = 10 << 20;
    for piece in [
        "a", " ", "1", "a ", "a+", "(", ")", "-", "A[n],", "\0", "é", "∀", "a[", ".", "_", "'",
    ] {
        let line = piece.repeat(long / piece.len());
        let text = format!("algorithm T(n)\n  let x = {line}\n  input {line}\n");
        assert_eq!(read(&text).diagnostics.len(), 2, "{piece:?}");
    }
    let comment = format!("algorithm T ▷ {}\n", "(".repeat(long));
    assert!(read(&comment).diagnostics.is_empty());
    // Long, but not too long.
    let declarations = format!("algorithm T(n)\n  input {}A", "A[n], ".repeat(5_000));
    assert!(read(&declarations).diagnostics.is_empty());
    let huge = format!("algorithm T(n)\n  let k = {}", "7".repeat(100_000));
    assert_eq!(codes(&huge), ["syntax::unexpected"]);
    let word = format!("algorithm T(n)\n  {}", "seven".repeat(100_000));
    assert!(read(&word).diagnostics[0].message.len() < 200);
}

#[test]
fn odd_files_are_reported() {
    for text in [
        "",
        "\n",
        "\u{feff}",
        "▷ only a comment",
        "\r\n\r\n",
        "12:",
        " \t ",
    ] {
        assert_eq!(codes(text), ["syntax::unexpected"], "{text:?}");
        assert!(read(text).algorithm.is_none());
        assert!(format(&Source::new("test", text), Spelling::Ascii).is_err());
    }
    assert_eq!(codes("algorithm T\0"), ["syntax::unexpected"]);
    assert_eq!(codes("algorithm T\n\0\n"), ["syntax::unexpected"]);
}

const PIECES: [&str; 92] = [
    "algorithm",
    "T",
    "(",
    "n",
    ")",
    "\n",
    "require",
    "ensure",
    "input",
    "output",
    "global",
    "shared",
    "let",
    "claim",
    "kernel",
    "end",
    "for",
    "all",
    "mp_i",
    "mp_{",
    "∈",
    "MP[",
    "mp_0",
    "…",
    "]",
    "in",
    "parallel",
    "do",
    "c_{i,j}",
    "C_i",
    "C_{",
    "}",
    "if",
    "then",
    "else",
    "while",
    "at",
    "most",
    "execute",
    "swap",
    "↔",
    "atomic",
    "_x[",
    "a[",
    "A",
    "⇚",
    "⇐",
    "←",
    "<==",
    "<=",
    "<-",
    "+",
    "-",
    "*",
    "·",
    "/",
    "^",
    "mod",
    "div",
    "=",
    "≤",
    "|",
    "is a power of",
    "∧",
    "¬",
    "∀",
    "Σ",
    "min",
    "min(",
    "⌈",
    "⌉",
    "log2",
    "log_",
    "log_{",
    "select(",
    ",",
    ":",
    "..",
    "1",
    "2.5",
    "1e-9",
    "2_0",
    "_s",
    "α",
    "beta",
    "▷ c",
    "// d",
    "12:",
    "[",
    "⇒",
    "\r\n",
    "\u{a0}",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        20 => proptest::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    let blank = prop_oneof![3 => Just(" "), 1 => Just(""), 1 => Just("\n")];
    prop::collection::vec((piece, blank), 0..60).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, blank)| piece + blank)
            .collect()
    })
}

proptest! {
    #[test]
    fn token_soup_never_panics(text in soup()) {
        let source = Source::new("test", &text);
        let parsed = parse(&source);
        for label in parsed.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            prop_assert!(label.span.start <= label.span.end && label.span.end <= text.len());
            prop_assert!(text.is_char_boundary(label.span.start));
            prop_assert!(text.is_char_boundary(label.span.end));
        }
        let formatted = format(&source, Spelling::Unicode);
        prop_assert_eq!(formatted.is_ok(), parsed.diagnostics.is_empty());
    }

    #[test]
    fn any_text_never_panics(text in any::<String>()) {
        let _ = parse(&Source::new("test", &text));
    }
}

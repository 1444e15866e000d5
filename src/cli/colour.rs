//! Whether a stream takes colour, and the marks for it: verdicts, and pages for reading.
//!
//! The text of a report has no marks. They are added here, last of all, and only for a stream that takes them.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;

use crate::cli::args::Colour;

/// The choice of the command line, once it is read.
static CHOSEN: OnceLock<Colour> = OnceLock::new();

/// Takes the choice from the arguments, before they are parsed: a fault of parsing is coloured too.
pub fn choose(arguments: &[OsString]) -> Colour {
    let arguments: Vec<_> = arguments.iter().map(|it| it.to_string_lossy()).collect();
    let attached = arguments
        .iter()
        .filter_map(|it| it.strip_prefix("--color="));
    let pairs = arguments.windows(2).filter(|pair| pair[0] == "--color");
    let given = attached.chain(pairs.map(|pair| &*pair[1])).last();
    let chosen = given.and_then(|given| Colour::from_str(given, false).ok());
    *CHOSEN.get_or_init(|| chosen.unwrap_or(Colour::Auto))
}

/// Returns true if standard output takes colour.
pub fn on_output() -> bool {
    is_wanted(std::io::stdout().is_terminal())
}

/// Returns true if standard error takes colour.
pub fn on_error() -> bool {
    is_wanted(std::io::stderr().is_terminal())
}

fn is_wanted(is_terminal: bool) -> bool {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let environment = ["NO_COLOR", "CLICOLOR_FORCE", "TERM"].map(variable);
    decide(
        CHOSEN.get().copied().unwrap_or(Colour::Auto),
        environment.each_ref().map(String::as_str),
        is_terminal,
    )
}

/// The option decides first, then `NO_COLOR`, then `CLICOLOR_FORCE`, then the stream.
fn decide(chosen: Colour, [no_color, force, term]: [&str; 3], is_terminal: bool) -> bool {
    match chosen {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if !no_color.is_empty() => false,
        Colour::Auto if !force.is_empty() && force != "0" => true,
        Colour::Auto => is_terminal && term != "dumb",
    }
}

/// A mark of the terminal, ended by [`PLAIN`].
pub const BOLD: &str = "\u{1b}[1m";
/// Slanted letters.
pub const SLANTED: &str = "\u{1b}[3m";
/// The colour of code.
pub const CODE: &str = "\u{1b}[36m";
/// The end of all marks.
pub const PLAIN: &str = "\u{1b}[0m";

const RED: &str = "\u{1b}[1;31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";

/// The words of a verdict. The longer ones come first: `not safe` holds `safe`.
const VERDICTS: [(&str, &str); 12] = [
    ("not safe", RED),
    ("not decided", YELLOW),
    ("nothing to complain about", GREEN),
    ("safe", GREEN),
    ("proved", GREEN),
    ("holds", GREEN),
    ("refuted", RED),
    ("REFUTED", RED),
    ("FAILS", RED),
    ("fails", RED),
    ("FAULT", RED),
    ("open", YELLOW),
];

/// Colours the verdicts in a report.
///
/// A verdict stands before the line that it is about, as in `  proved  line 9: …`, and never in backticks. So the
/// program's own words, which are quoted or come behind `line`, keep their colour.
pub fn verdicts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.find("  line ").unwrap_or(line.len());
        let (told, rest) = line.split_at(end);
        for (number, part) in told.split('`').enumerate() {
            if number > 0 {
                out.push('`');
            }
            if number % 2 == 0 {
                paint(part, &mut out);
            } else {
                out.push_str(part);
            }
        }
        out.push_str(rest);
    }
    out
}

fn paint(text: &str, out: &mut String) {
    let mut rest = text;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let is_word = |(word, _): &&(&str, &str)| {
            let after = rest.strip_prefix(word).map(|after| after.chars().next());
            after.is_some_and(|after| after.is_none_or(|c| " \n,;:)".contains(c)))
        };
        let found = VERDICTS.iter().find(is_word);
        match found.filter(|_| " (".contains(before)) {
            Some((word, colour)) => {
                out.push_str(&format!("{colour}{word}{PLAIN}"));
                rest = &rest[word.len()..];
                before = 'x';
            }
            None => {
                out.push(letter);
                rest = &rest[letter.len_utf8()..];
                before = letter;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_decides_before_the_variables_and_these_before_the_terminal() {
        let none = ["", "", ""];
        assert!(decide(Colour::Auto, none, true));
        assert!(!decide(Colour::Auto, none, false));
        assert!(!decide(Colour::Auto, ["", "", "dumb"], true));
        assert!(!decide(Colour::Auto, ["1", "1", ""], true));
        assert!(decide(Colour::Auto, ["", "1", ""], false));
        assert!(!decide(Colour::Auto, ["", "0", ""], false));
        assert!(decide(Colour::Always, ["1", "", ""], false));
        assert!(!decide(Colour::Never, ["", "1", ""], true));
    }

    #[test]
    fn verdicts_have_colours_and_the_programs_words_have_none() {
        let marked = |text: &str| {
            let text = verdicts(text);
            text.replace(RED, "<r>")
                .replace(GREEN, "<g>")
                .replace(YELLOW, "<y>")
                .replace(PLAIN, "</>")
        };
        for (text, coloured) in [
            (
                "open.atgpu is safe for all n\n",
                "open.atgpu is <g>safe</> for all n\n",
            ),
            (
                "x is not safe: it fails at n = 1",
                "x is <r>not safe</>: it <r>fails</> at n = 1",
            ),
            (
                "  bounds  1 access open, 2 accesses proved",
                "  bounds  1 access <y>open</>, 2 accesses <g>proved</>",
            ),
            (
                "  proved  line 9: open = proved\n",
                "  <g>proved</>  line 9: open = proved\n",
            ),
            (
                "  REFUTED  line 9: safe ≤ 1\n",
                "  <r>REFUTED</>  line 9: safe ≤ 1\n",
            ),
            (
                "  open: line 4, bounds of `proved`: x",
                "  <y>open</>: line 4, bounds of `proved`: x",
            ),
            ("unproved, proved_by", "unproved, proved_by"),
            ("a; 2 places not decided", "a; 2 places <y>not decided</>"),
        ] {
            assert_eq!(marked(text), coloured);
        }
    }
}

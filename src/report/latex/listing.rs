//! A program as an algorithm listing for LaTeX (algpseudocode).
//!
//! Statements are numbered from 1, as in a paper, and [`Listing::number`] tells the number of a line of the file. Of
//! the comment before the algorithm the first sentence is the caption.

use crate::report::latex::layout::breakable;
use crate::report::latex::math::math;
use crate::report::latex::text::escaped;
use crate::syntax::{Spelling, format};
use crate::text::Source;

/// The listing of a program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    /// The LaTeX.
    pub(crate) text: String,
    /// The lines of the file that have a number: the first one has 1.
    lines: Vec<usize>,
}

impl Listing {
    /// The number of a line of the file, if it has one.
    pub(crate) fn number(&self, line: usize) -> Option<usize> {
        let at = self.lines.iter().position(|other| *other == line)?;
        Some(at + 1)
    }
}

/// Renders the listing; empty for a text that does not parse. A checked program's text always parses.
pub(crate) fn listing(source: &Source) -> Listing {
    let Ok(text) = format(source, Spelling::Unicode) else {
        return Listing::default();
    };
    // Formatting keeps the order of non-blank lines, so the lines of both texts correspond one to one.
    let numbers = source.text().lines().enumerate();
    let numbers = numbers.filter(|(_, line)| !is_blank(line));
    let lines = text.lines().filter(|line| !is_blank(line));
    let mut caption = String::new();
    let mut body = String::new();
    let mut numbered = Vec::new();
    for ((number, _), line) in numbers.zip(lines) {
        let (code, comment) = split(line);
        if let Some(head) = code.strip_prefix("algorithm ") {
            caption = titled(head);
            if let Some(about) = first_sentence(&text) {
                caption.push_str(&format!(": {}", escaped(&about)));
            }
            continue;
        }
        // Text before the algorithm is about the file.
        if caption.is_empty() || (code.is_empty() && comment.is_empty()) {
            continue;
        }
        let Some(shown) = statement(code) else {
            continue;
        };
        let takes_number = [
            "\\State ",
            "\\For",
            "\\If",
            "\\While",
            "\\Procedure",
            "\\End",
        ];
        if takes_number.iter().any(|head| shown.starts_with(head)) {
            numbered.push(number + 1);
        }
        body.push_str(&shown);
        if !comment.is_empty() {
            body.push_str(&if code.is_empty() {
                format!("$\\triangleright$ {}", escaped(comment))
            } else {
                format!(" \\Comment{{{}}}", escaped(comment))
            });
        }
        body.push('\n');
    }
    // It is no float: slides have none, and a long listing continues on the next page.
    let text = format!(
        "\\par\\medskip\\noindent\\rule{{\\linewidth}}{{0.8pt}}\\\\*\n\
         \\textbf{{Algorithm}} {caption}\\\\*[-0.6\\baselineskip]\n\\rule{{\\linewidth}}{{0.4pt}}\n\
         \\begin{{algorithmic}}[1]\\raggedright\n{body}\\end{{algorithmic}}\n\
         \\noindent\\rule{{\\linewidth}}{{0.4pt}}\\par\\medskip\n"
    );
    Listing {
        text,
        lines: numbered,
    }
}

/// The first sentence of the comment before the algorithm, without its stop.
fn first_sentence(text: &str) -> Option<String> {
    let comments = text.lines().map_while(|line| line.trim().strip_prefix('▷'));
    let paragraph: Vec<&str> = comments
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let sentence = paragraph.split(". ").next().unwrap_or_default();
    let sentence = sentence.trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Splits a line into the code without its label, and the comment without its mark.
fn split(line: &str) -> (&str, &str) {
    let (code, comment) = line.split_once('▷').unwrap_or((line, ""));
    let code = code.trim();
    let digits = code.len() - code.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let code = match code[digits..].trim_start().strip_prefix(':') {
        Some(rest) if digits > 0 => rest.trim_start(),
        Some(_) | None => code,
    };
    (code, comment.trim())
}

/// Renders `Reduction(n)` as a name with its formals.
fn titled(head: &str) -> String {
    match head.split_once('(') {
        Some((name, rest)) => {
            let formals = rest.trim_end().trim_end_matches(')');
            format!("\\textsc{{{}}}$({})$", escaped(name.trim()), math(formals))
        }
        None => format!("\\textsc{{{}}}", escaped(head.trim())),
    }
}

/// Renders one statement; `None` if the layout of the listing implies it.
fn statement(code: &str) -> Option<String> {
    let (first, rest) = code.split_once(' ').unwrap_or((code, ""));
    Some(match (first, rest) {
        ("", _) => "\\Statex ".to_owned(),
        ("end", "algorithm") => return None,
        ("end", "if") => "\\EndIf".to_owned(),
        ("end", "while") => "\\EndWhile".to_owned(),
        ("end", "kernel") => "\\EndProcedure".to_owned(),
        ("end", _) => "\\EndFor".to_owned(),
        ("require", _) => format!("\\Require ${}$", breakable(rest)),
        ("ensure", _) => format!("\\Ensure ${}$", breakable(rest)),
        // Claims appear with their verdicts instead.
        ("claim", _) => return None,
        ("input" | "output" | "host" | "global" | "shared", _) => {
            format!("\\Statex \\textbf{{{first}}} ${}$", math(rest))
        }
        ("let" | "swap" | "atomic", _) => format!("\\State \\textbf{{{first}}} ${}$", math(rest)),
        ("kernel", _) => kernel(rest),
        ("execute", _) => {
            let (name, arguments) = rest.split_once('(').unwrap_or((rest, ")"));
            format!(
                "\\State \\textbf{{execute}} \\textsc{{{}}}$({}$",
                escaped(name.trim()),
                math(arguments)
            )
        }
        ("if", _) => format!("\\If{{${}$}}", math(without(rest, "then"))),
        ("while", _) => {
            let condition = without(rest, "do");
            match condition.split_once(" at most ") {
                Some((condition, bound)) => format!(
                    "\\While{{${}$ \\textbf{{at most}} ${}$}}",
                    math(condition),
                    math(bound)
                ),
                None => format!("\\While{{${}$}}", math(condition)),
            }
        }
        ("for", _) => match rest.strip_prefix("all ") {
            Some(set) => {
                let set = without(without(set, "do"), "parallel");
                format!(
                    "\\ForAll{{${}$ \\textbf{{in parallel}}}}",
                    math(without(set, "in"))
                )
            }
            None => counted(without(rest, "do")),
        },
        (_, _) => format!("\\State ${}$", math(code)),
    })
}

fn kernel(head: &str) -> String {
    let (name, formals) = head.split_once('(').unwrap_or((head, ")"));
    let formals: Vec<String> = formals
        .trim_end()
        .trim_end_matches(')')
        .split(',')
        .map(|formal| match formal.trim().strip_prefix("global ") {
            Some(array) => format!("\\textbf{{global}} ${}$", math(array)),
            None => format!("${}$", math(formal)),
        })
        .collect();
    let formals = formals.join(", ");
    let formals = if formals == "$$" { "" } else { &formals };
    format!("\\Procedure{{{}}}{{{formals}}}", escaped(name.trim()))
}

/// Renders `v = 1 → n` or `v = n downto 1`, with an optional `until`.
fn counted(range: &str) -> String {
    let (range, until) = match range.split_once(" until ") {
        Some((range, until)) => (range, format!(" \\textbf{{until}} ${}$", math(until))),
        None => (range, String::new()),
    };
    match range.split_once(" downto ") {
        Some((from, to)) => format!(
            "\\For{{${}$ \\textbf{{downto}} ${}${until}}}",
            math(from),
            math(to)
        ),
        None => format!("\\For{{${}${until}}}", math(range)),
    }
}

/// Removes a trailing word.
fn without<'t>(text: &'t str, word: &str) -> &'t str {
    let text = text.trim_end();
    text.strip_suffix(word).unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_their_commands() {
        for (code, latex) in [
            (
                "for all mp_i ∈ MP[0..k-1] in parallel do",
                "\\ForAll{$\\mathit{mp}_{i} \\in \\mathit{MP} [ 0 \\ldots k - 1 ]$ \\textbf{in parallel}}",
            ),
            (
                "for v = n downto 1 do",
                "\\For{$v = n$ \\textbf{downto} $1$}",
            ),
            (
                "for s = 1 → log2 b do",
                "\\For{$s = 1 \\rightarrow \\log_{2} b$}",
            ),
            (
                "while _x[0] > 0 at most n do",
                "\\While{$\\mathit{\\_x} [ 0 ] > 0$ \\textbf{at most} $n$}",
            ),
            (
                "for s = 1 → n until _x[j] = 0 do",
                "\\For{$s = 1 \\rightarrow n$ \\textbf{until} $\\mathit{\\_x} [ j ] = 0$}",
            ),
            ("if j < n then", "\\If{$j < n$}"),
            (
                "execute Sum(a, n)",
                "\\State \\textbf{execute} \\textsc{Sum}$(a , n )$",
            ),
            (
                "kernel Sum(global x, w)",
                "\\Procedure{Sum}{\\textbf{global} $x$, $w$}",
            ),
            ("kernel Go()", "\\Procedure{Go}{}"),
            (
                "swap a ↔ c",
                "\\State \\textbf{swap} $a \\leftrightarrow c$",
            ),
            ("a ⇚ A", "\\State $a \\Lleftarrow A$"),
            ("end kernel", "\\EndProcedure"),
        ] {
            assert_eq!(statement(code).as_deref(), Some(latex), "{code}");
        }
        let sentence = |text: &str| first_sentence(text);
        assert_eq!(
            sentence("▷ A sum, Ans = A[0] + …,\n▷ as Paper 1 (IV.B) has it. More.\n▷\n▷ Other.\nalgorithm T()\n").as_deref(),
            Some("A sum, Ans = A[0] + …, as Paper 1 (IV.B) has it")
        );
        assert_eq!(sentence("algorithm T()\n▷ Inside.\n"), None);
        assert_eq!(statement("end algorithm"), None);
        assert_eq!(split("12: a ⇚ A  ▷ words in"), ("a ⇚ A", "words in"));
        assert_eq!(titled("Sum(n, m)"), "\\textsc{Sum}$(n , m)$");
    }
}

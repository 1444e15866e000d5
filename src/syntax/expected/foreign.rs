//! Lines of CUDA, OpenCL and C: advice in the user's terms.

use crate::syntax::expected::advice::{Hint, Remedy, follow};
use crate::syntax::expected::fitting::Fitting;
use crate::syntax::expected::rewritten;
use crate::syntax::expected::token as token_at;
use crate::syntax::foreign::{POWER, is_barrier, is_type, meaning, own_type};
use crate::syntax::limits::is_word;

/// The place that stopped the grammar, seen as a line of another language: the code, the text
/// before
/// the token, the token, and the text from the token on.
pub(super) struct Line<'l> {
    pub code: &'l str,
    pub before: &'l str,
    pub token: &'l str,
    pub rest: &'l str,
}

/// Returns advice, if the line belongs to another language.
pub(super) fn hint(line: &Line<'_>, fitting: &Fitting) -> Option<Hint> {
    let first = token_at(line.code.trim_start());
    of_statement(line, first)
        .or_else(|| of_header(line, fitting))
        .or_else(|| of_expression(line, fitting))
}

/// Recognises whole statements by their first word.
fn of_statement(line: &Line<'_>, first: &str) -> Option<Hint> {
    let code = line.code.trim();
    if is_barrier(first) {
        return follow(meaning(first)?, Remedy::Delete);
    }
    if let Some((_, launch)) = code.split_once("<<<") {
        let mps = launch.split([',', '>']).next().unwrap_or("k").trim();
        let last = if mps.chars().all(is_word) {
            format!("{mps}-1")
        } else {
            format!("({mps})-1")
        };
        let help = format!(
            "launch MPs by a loop over them: `for all mp_i ∈ MP[0..{last}] in parallel do`; each has `b` cores"
        );
        return Some(help.into());
    }
    if first == "for" && matches!(line.token, "in" | "∈") {
        let instead = rewritten::range_loop(code)?;
        return follow(format!("write `{instead}`"), Remedy::Code(instead));
    }
    if first == "parallel" {
        return Some("launch MPs by `for all mp_i ∈ MP[0..k-1] in parallel do`".into());
    }
    if matches!(first, "__shared__" | "__local") {
        let help = "write `shared`; declarations stand in the header";
        return follow(help, Remedy::First("shared"));
    }
    if let Some(text) = rewritten::atomic(first, code) {
        return follow(format!("write `{text}`"), Remedy::Code(text));
    }
    if first == "for" && line.token == "(" {
        let instead = counting_loop(code);
        let help = match &instead {
            Some(text) => format!("write `{text}` … `end for`"),
            None => "write `for v = lo → hi do` … `end for`: v counts by 1".to_owned(),
        };
        return follow(help, instead.map_or(Remedy::None, Remedy::Code));
    }
    if line.token == "{" && matches!(first, "if" | "while" | "for") {
        let (word, end) = match first {
            "if" => ("then", "end if"),
            "while" => ("do", "end while"),
            _ => ("do", "end for"),
        };
        let help = format!("write `{word}`, and `{end}` where the block ends");
        return follow(help, Remedy::Token(word));
    }
    if line.before.is_empty() && line.token == "}" {
        return Some("a block ends with `end if`, `end for` or `end while`".into());
    }
    let next = code[first.len()..].trim_start();
    if is_type(first) && next.starts_with(is_word) {
        if is_global_number(code) {
            return Some(GLOBAL_NUMBER.into());
        }
        let help = "a core's own number is `let y = e`; a variable is declared in the header, such as `shared _y[b]`";
        let name = token_at(next);
        let is_let = next[name.len()..].trim_start().starts_with('=');
        let remedy = if is_let && !is_type(name) {
            Remedy::First("let")
        } else {
            Remedy::None
        };
        return follow(help, remedy);
    }
    // Names without a meaning here, as the first word of a line that is no statement.
    let is_operator = ["by", "step", "xor"].contains(&first);
    let is_use = next.is_empty() || next.starts_with(is_word) || next.starts_with(['(', ';']);
    meaning(first)
        .filter(|_| is_use && !is_operator)
        .map(Hint::from)
}

/// The number of a core among all, as CUDA computes it.
fn is_global_number(code: &str) -> bool {
    code.contains("threadIdx") && code.contains("blockIdx")
}

const GLOBAL_NUMBER: &str = "core `j` of MP `i` is number `ib + j` of all: write that in its place";

/// Translates `for (int i = lo; i < hi; i++)` to `for i = lo → hi - 1 do`.
fn counting_loop(code: &str) -> Option<String> {
    // Only loops that count by 1 have a translation: `i += 2` gives `None` and general advice.
    let (_, head) = code.split_once('(')?;
    let mut parts = head.splitn(3, ';');
    let (start, test, step) = (parts.next()?, parts.next()?, parts.next()?);
    let (name, low) = start.split_once('=')?;
    let name = name.split_whitespace().last()?;
    let step: String = step.chars().filter(|c| !c.is_whitespace()).collect();
    let counts_up = [
        format!("{name}++"),
        format!("++{name}"),
        format!("{name}+=1"),
    ];
    let counts_down = [
        format!("{name}--"),
        format!("--{name}"),
        format!("{name}-=1"),
    ];
    let begins = |list: &[String]| list.iter().any(|text| step.starts_with(text.as_str()));
    let test = test.trim().strip_prefix(name)?.trim_start();
    let (low, name) = (low.trim(), name.trim());
    if begins(&counts_up) {
        let high = match test.strip_prefix("<=") {
            Some(high) => high.trim().to_owned(),
            None => format!("{} - 1", test.strip_prefix('<')?.trim()),
        };
        return Some(format!("for {name} = {low} → {high} do"));
    }
    if begins(&counts_down) {
        let last = match test.strip_prefix(">=") {
            Some(last) => last.trim().to_owned(),
            None => format!("{} + 1", test.strip_prefix('>')?.trim()),
        };
        return Some(format!("for {name} = {low} downto {last} do"));
    }
    None
}

/// Recognises types in declarations.
fn of_header(line: &Line<'_>, fitting: &Fitting) -> Option<Hint> {
    let help = "a word is an `int` or a `float`, both of 64 bits";
    if let Some(own) = own_type(line.token)
        && fitting.has("`int` or `float`")
    {
        return follow(help, Remedy::Token(own));
    }
    let first = token_at(line.before);
    let last = last_word(line.before);
    let declares = ["input", "output", "host", "global", "shared"].contains(&first);
    if declares && line.token == "*" {
        return Some(
            "an array is declared by its sizes, such as `A[n]`: there are no pointers".into(),
        );
    }
    if declares && own_type(last).is_none() && is_type(last) && line.token.starts_with(is_word) {
        let name = token_at(line.rest);
        return Some(format!("a type stands behind its variable: `{name}[…] : {last}`").into());
    }
    if let Some(own) = own_type(last)
        && declares
        && line.token.starts_with(is_word)
    {
        return follow(help, Remedy::Behind(last.len(), own));
    }
    None
}

/// Recognises operators and names within expressions.
fn of_expression(line: &Line<'_>, fitting: &Fitting) -> Option<Hint> {
    let (before, token) = (line.before, line.token);
    if token == "." {
        if is_global_number(line.code) {
            return Some(GLOBAL_NUMBER.into());
        }
        let module = last_word(before);
        let help = meaning(module)?;
        let alone = rewritten::without_module(before, module, line.rest);
        return follow(help, alone.map_or(Remedy::None, Remedy::Code));
    }
    if matches!(token, "mod" | "div") {
        let text = rewritten::between(before, token, line.rest)?;
        return follow(format!("write `x {token} y`"), Remedy::Code(text));
    }
    if line.rest.starts_with("/*") || before.ends_with('/') && token == "*" {
        return Some("a comment goes from `▷` or `//` to the end of the line".into());
    }
    let is_start = fitting.operand && !fitting.operator;
    match (before.chars().last(), token) {
        (Some('>'), ">") => return Some("write `shr(x, y)` for a shift to the right".into()),
        (Some('<'), "<") => return Some("write `shl(x, y)` for a shift to the left".into()),
        (Some('*'), "*") => return follow(POWER, Remedy::Around(1, &["^"])),
        (Some('|'), "|") => return follow("write `∨` or `or`", Remedy::Around(1, &["∨"])),
        (Some('<'), ">") => return follow("write `≠` or `!=`", Remedy::Around(1, &["≠"])),
        (_, "|") if is_start => return Some("write `abs(x)` for an absolute value".into()),
        (_, "!") => return follow("write `¬` or `not`", Remedy::Token("¬")),
        _ => {}
    }
    let last = last_word(before);
    let is_number = token.starts_with(|c: char| c.is_ascii_digit());
    match last {
        "xor" | "step" | "by" if is_number => meaning(last).map(Hint::from),
        _ => None,
    }
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_word(*c))
        .last();
    start.map_or("", |(start, _)| &text[start..])
}

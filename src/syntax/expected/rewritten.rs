//! Statements as other languages write them, rewritten: loops over a range, updates, calls, assignments.
//!
//! Takes the text of a line, and gives the text to write where there is one reading only. Nothing is
//! known of declarations: the first character of a name tells its memory.

use crate::syntax::functions;
use crate::syntax::limits::is_word;

/// The arguments of a call, and the text behind it.
pub(super) struct Call<'t> {
    pub arguments: Vec<&'t str>,
    pub behind: &'t str,
}

/// Reads the call whose `(` begins a text, or the indices whose `[` does; `None` if nothing closes it.
pub(super) fn call(text: &str) -> Option<Call<'_>> {
    if !text.starts_with(['(', '[']) {
        return None;
    }
    let (mut depth, mut start) = (0_usize, 1);
    let mut arguments = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 1 => {
                arguments.push(text[start..at].trim());
                let behind = &text[at + 1..];
                return Some(Call { arguments, behind });
            }
            ')' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 1 => {
                arguments.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Translates `for s in range(lo, hi):` and `for s in lo..hi do` to `for s = lo → hi - 1 do`.
pub(super) fn range_loop(code: &str) -> Option<String> {
    let (name, range) = code.strip_prefix("for ")?.split_once(" in ")?;
    let name = name.trim();
    if !name.chars().all(is_word) {
        return None;
    }
    let range = range.trim().trim_end_matches([':', '{']);
    if let Some((low, high)) = range.split_once("..") {
        let high = high.trim().trim_end_matches(" do");
        return Some(format!("for {name} = {} → {} do", low.trim(), high.trim()));
    }
    let (low, high) = match call(range.strip_prefix("range")?)?.arguments.as_slice() {
        [high] => ("0", *high),
        [low, high] => (*low, *high),
        _ => return None,
    };
    Some(format!("for {name} = {low} → {high} - 1 do"))
}

/// Translates `x += e` and `x++` to `x ← x + e`. Where data tell the word, several cores may mean one: then the
/// update is `atomic`.
pub(super) fn update(code: &str) -> Option<String> {
    let marks = ["+=", "-=", "*=", "/=", "++", "--"];
    let found = marks
        .iter()
        .filter_map(|mark| Some((code.find(mark)?, *mark)));
    let (at, mark) = found.min()?;
    let target = code[..at].trim();
    let value = match mark {
        "++" | "--" => "1",
        _ => code[at + mark.len()..].trim(),
    };
    if target.is_empty() || value.is_empty() {
        return None;
    }
    let operator = &mark[..1];
    let by_data = target.matches('[').count() > 1 && matches!(operator, "+" | "*");
    let atomic = if by_data { "atomic " } else { "" };
    Some(format!(
        "{atomic}{target} ← {target} {operator} {}",
        factor(value)
    ))
}

/// Translates `atomicAdd(&x, e)` to `atomic x ← x + e`.
pub(super) fn atomic(first: &str, code: &str) -> Option<String> {
    let read = call(code.strip_prefix(first)?.trim_start())?;
    let [target, value] = read.arguments.as_slice() else {
        return None;
    };
    let target = target.trim_start_matches('&').trim();
    let name = first.to_lowercase();
    let combined = match ["add", "max", "min"]
        .into_iter()
        .find(|kind| name.ends_with(kind))?
    {
        "add" => format!("{target} + {}", factor(value)),
        function => format!("{function}({target}, {value})"),
    };
    Some(format!("atomic {target} ← {combined}"))
}

/// Translates `mod(x, y)` to `(x mod y)`.
pub(super) fn between(before: &str, operator: &str, rest: &str) -> Option<String> {
    let read = call(rest.strip_prefix(operator)?)?;
    let [x, y] = read.arguments.as_slice() else {
        return None;
    };
    let (x, y, behind) = (factor(x), factor(y), read.behind);
    let gap = if before.ends_with(['[', '(', '·']) {
        ""
    } else {
        " "
    };
    Some(format!("{before}{gap}({x} {operator} {y}){behind}"))
}

/// Leaves out the module of `math.ceil(x)`.
pub(super) fn without_module(before: &str, module: &str, rest: &str) -> Option<String> {
    let function = rest.strip_prefix('.')?;
    let name = function.split(|c| !is_word(c)).next()?;
    let before = before.strip_suffix(module)?;
    let is_known = functions::is_reserved(name) || ["ceil", "floor", "log", "log2"].contains(&name);
    is_known.then(|| format!("{before}{function}"))
}

/// Translates `A ==> a` to `a ⇚ A`.
pub(super) fn turned(code: &str) -> Option<String> {
    let marks = ["==>", "-->", "⇒", "=>", "→", "->"];
    let (value, target) = marks.iter().find_map(|mark| code.split_once(mark))?;
    let (value, target) = (value.trim(), target.trim());
    let arrow = arrow(target, value)?;
    Some(format!("{target} {arrow} {value}"))
}

/// Translates `x = e`: to an arrow, or to `let k = e`.
pub(super) fn assigned(code: &str) -> Option<String> {
    let (target, value) = code.split_once(":=").or_else(|| code.split_once('='))?;
    let (target, value) = (target.trim(), value.trim());
    let is_name = target.starts_with(char::is_lowercase) && target.chars().all(is_word);
    match arrow(target, value) {
        Some(arrow) => Some(format!("{target} {arrow} {value}")),
        None if is_name && !is_place(value) => Some(format!("let {target} = {value}")),
        None => None,
    }
}

/// The arrow between two sides, if their first characters tell it.
fn arrow(target: &str, value: &str) -> Option<&'static str> {
    let is = |text: &str, kind: fn(char) -> bool| text.starts_with(kind);
    let is_host = |text: &str| is_place(text) && is(text, char::is_uppercase);
    let is_global = |text: &str| is_place(text) && is(text, char::is_lowercase);
    let is_shared = |text: &str| is_place(text) && text.starts_with('_');
    if is_shared(target) {
        let is_load = is_global(value) && value.ends_with(']');
        return (!is_host(value)).then_some(if is_load { "⇐" } else { "←" });
    }
    if is_global(target) && is_shared(value) {
        return Some("⇐");
    }
    (is_global(target) && is_host(value) || is_host(target) && is_global(value)).then_some("⇚")
}

/// True for a name, with or without one pair of brackets behind it.
fn is_place(text: &str) -> bool {
    let name = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let behind = &text[name..];
    let closes = |text: &str| call(text).is_some_and(|read| read.behind.is_empty());
    name > 0 && (behind.is_empty() || behind.starts_with('[') && closes(behind))
}

/// A value as an operand: in parentheses, unless it is a name, a number or a word of an array.
fn factor(value: &str) -> String {
    if is_place(value) {
        value.to_owned()
    } else {
        format!("({value})")
    }
}

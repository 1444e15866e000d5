//! Removes declarations that nobody reads, and helper functions that nobody calls.

use std::collections::HashMap;

use crate::emit::write::mentions;

/// The beginnings of lines that declare a name and have no other effect.
const DECLARING: [&str; 10] = [
    "const int ",
    "const whole ",
    "const size_t ",
    "int ",
    "whole ",
    "word ",
    "real ",
    "bool ",
    "static int ",
    "static whole ",
];
const DECLARING_ARRAYS: [&str; 3] = ["static bool ", "static real ", "static word "];

/// A text without lines that declare what no other line mentions.
pub(super) fn without_unused(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut mentioned: HashMap<&str, usize> = HashMap::new();
    for name in lines.iter().flat_map(|line| names_read(line)) {
        *mentioned.entry(name).or_default() += 1;
    }
    loop {
        let many = lines.len();
        let mut gone = Vec::new();
        lines.retain(|line| {
            let is_used = |name| mentioned.get(name).is_some_and(|many| *many > 0);
            let stays = declared(line).is_none_or(is_used);
            if !stays {
                gone.extend(names_read(line));
            }
            stays
        });
        for name in gone {
            mentioned.entry(name).and_modify(|many| *many -= 1);
        }
        if lines.len() == many {
            break;
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The names in a line, but the one that it declares.
fn names_read(line: &str) -> impl Iterator<Item = &str> {
    let own = declared(line);
    let code = line.split("//").next().unwrap_or("");
    let names = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    names.filter(move |name| !name.is_empty() && Some(*name) != own)
}

/// The name that a line declares, and does nothing else.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let begins = DECLARING.iter().chain(&DECLARING_ARRAYS);
    let rest = begins.filter_map(|begin| code.strip_prefix(begin)).next()?;
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    let is_declaration = rest[end..].starts_with(" = ") || rest[end..].starts_with('[');
    (is_declaration && code.ends_with(';')).then(|| &rest[..end])
}

/// The functions and macros of a text that another one mentions, and those that they mention.
pub(super) fn pieces_used(text: &str, by: &str) -> String {
    let mut pieces: Vec<String> = Vec::new();
    let mut above = String::new();
    for line in text.lines() {
        let is_new = ["static ", "FUNCTION ", "#define "]
            .iter()
            .any(|it| line.starts_with(it));
        if is_new {
            pieces.push(std::mem::take(&mut above));
        } else if line.is_empty() || line.starts_with("//") {
            above += line;
            above.push('\n');
            continue;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(line);
            piece.push('\n');
        }
    }
    let mut used = String::new();
    for piece in pieces.iter().rev() {
        let name = name_of(piece);
        if mentions(by, name) || mentions(&used, name) {
            used.insert_str(0, piece.trim_start_matches('\n'));
        }
    }
    if used.is_empty() { used } else { used + "\n" }
}

/// The name before the first bracket of the first line that is no comment.
fn name_of(piece: &str) -> &str {
    let mut lines = piece.lines();
    let head = lines.find(|line| !line.is_empty() && !line.starts_with("//"));
    let head = head.and_then(|line| line.split('(').next()).unwrap_or("");
    head.rsplit([' ', '*']).next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_is_not_declared() {
        let text = "{\n    const int k = n / b;\n    const int h = k + 1;\n    bool on = false;\n    f(n);\n}\n";
        assert_eq!(without_unused(text), "{\n    f(n);\n}\n");
        let text = "{\n    const int k = n / b;\n    static whole v[b];\n    v[0] = k;\n}\n";
        assert_eq!(without_unused(text), text);
    }

    #[test]
    fn functions_that_nobody_calls_are_not_lent() {
        let text = "\n// One.\nstatic void one(int x)\n{\n    two(x);\n}\n\n#define two(x) (x)\nstatic void three(void) { }\n";
        let used = "// One.\nstatic void one(int x)\n{\n    two(x);\n}\n#define two(x) (x)\n\n";
        // A macro stands before its use, or behind.
        assert_eq!(
            pieces_used(text, "one(3);"),
            used.replace("#define two(x) (x)\n", "")
        );
        assert_eq!(pieces_used(text, "one(3); two(4);"), used);
        assert_eq!(pieces_used(text, "four(3);"), "");
    }
}

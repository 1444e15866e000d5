//! A page of Markdown for a terminal: headings and names in bold, code in colour, no marks.

use crate::cli::colour::{BOLD, CODE, PLAIN, SLANTED};

/// Columns of a paragraph.
const WIDTH: usize = 100;

/// Renders a page.
pub fn rendered(markdown: &str) -> String {
    let mut out = String::new();
    let mut is_code = false;
    let mut prose = String::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            out.push_str(&marked(&std::mem::take(&mut prose)));
            is_code = !is_code;
        } else if is_code && line.is_empty() {
            out.push('\n');
        } else if is_code {
            out.push_str(&format!("    {CODE}{line}{PLAIN}\n"));
        } else if let Some(heading) = line.strip_prefix('#') {
            out.push_str(&marked(&std::mem::take(&mut prose)));
            let heading = heading.trim_start_matches('#').trim().replace('`', "");
            out.push_str(&format!("{BOLD}{heading}{PLAIN}\n"));
        } else {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    out + &marked(&prose)
}

/// Prose with its marks carried out. A mark may begin on one line and end on the next.
fn marked(prose: &str) -> String {
    let mut out = String::new();
    let mut rest = prose;
    while let Some(letter) = rest.chars().next() {
        let stands_alone = out.ends_with(|c: char| !c.is_alphanumeric()) || out.is_empty();
        let link = || link(rest);
        let found = between(rest, "`", CODE)
            .or_else(|| between(rest, "**", BOLD))
            .or_else(|| stands_alone.then(|| between(rest, "*", SLANTED))?)
            .or_else(link);
        match found {
            Some((text, after)) => {
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    out
}

/// The text between two marks at the beginning, in this style, and the rest.
fn between<'t>(text: &'t str, mark: &str, style: &str) -> Option<(String, &'t str)> {
    let (inside, after) = text.strip_prefix(mark)?.split_once(mark)?;
    let is_text = !inside.is_empty() && !inside.starts_with(' ') && !inside.contains("\n\n");
    is_text.then(|| (format!("{style}{inside}{PLAIN}"), after))
}

/// `[the page](page.md)` at the beginning, as its words, and the rest.
fn link(text: &str) -> Option<(String, &str)> {
    let (words, after) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = after.split_once(')')?;
    let is_link = !words.contains(['[', ']']);
    is_link.then(|| (marked(words), after))
}

/// Prose without the marks for bold letters, for a reader without a terminal.
pub fn plain(prose: &str) -> String {
    prose.replace("**", "")
}

/// A paragraph in lines of at most 100 columns.
pub fn filled(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> String {
        let text = rendered(markdown).replace(BOLD, "<b>").replace(CODE, "<c>");
        text.replace(SLANTED, "<i>").replace(PLAIN, "</>")
    }

    #[test]
    fn marks_become_styles() {
        for (markdown, text) in [
            ("# `atgpu::race::shared`\n", "<b>atgpu::race::shared</>\n"),
            ("**MP** (mp_i). A `k`.\n", "<b>MP</> (mp_i). A <c>k</>.\n"),
            (
                "see [the *page*](x.md#y) `a\nb`\n",
                "see the <i>page</> <c>a\nb</>\n",
            ),
            (
                "2*3 * 4*5 and *Thread block*\n",
                "2*3 * 4*5 and <i>Thread block</>\n",
            ),
            (
                "a\n```atgpu\n# x `y`\n\n**z**\n```\nb\n",
                "a\n    <c># x `y`</>\n\n    <c>**z**</>\nb\n",
            ),
            ("a[i] and (b)\n", "a[i] and (b)\n"),
        ] {
            assert_eq!(shown(markdown), text);
        }
    }
}

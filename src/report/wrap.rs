//! Wraps long formulas and sentences: before a `+` or `−` outside all brackets if possible, otherwise
//! between words.

/// Columns of a report.
pub(super) const WIDTH: usize = 100;

/// Limit on the lines of a text that should have as few lines as possible. A longer one is not read at a
/// glance.
const FEW_LINES: usize = 4;
/// In narrower columns a good break is worth another line.
const WIDE: usize = 60;

/// Wraps a text at `room` characters, as far as it has places to break. A short text in a wide column gets
/// the fewest lines possible.
pub(super) fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > room {
        let is_short = room >= WIDE && rest.len() <= FEW_LINES * room;
        let most_left = is_short.then(|| fewest_lines(&rest, room).saturating_sub(1));
        let Some(at) = best_break(&rest, room, most_left) else {
            break;
        };
        lines.push(rest[..at].iter().collect());
        rest.drain(..=at);
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// A text after a label; further lines are indented to its start.
pub(super) fn labelled(label: &str, text: &str) -> String {
    let indent = label.chars().count();
    let lines = wrapped(text, WIDTH.saturating_sub(indent).max(1));
    format!(
        "{label}{}\n",
        lines.join(&format!("\n{}", " ".repeat(indent)))
    )
}

/// A list with commas, filled line by line; empty for no items.
pub(super) fn listed(indent: &str, items: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + item.chars().count() <= WIDTH => {
                line.push_str(&format!(", {item}"));
            }
            Some(line) => {
                line.push(',');
                lines.push(format!("{indent}{item}"));
            }
            None => lines.push(format!("{indent}{item}")),
        }
    }
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    within_width(&lines)
}

/// Wraps the long lines of a report; continuation lines are indented further.
pub(super) fn within_width(report: &str) -> String {
    let mut out = String::new();
    for line in report.lines() {
        let start = line.len() - line.trim_start().len();
        let lines = wrapped(line, WIDTH.saturating_sub(start + 4).max(1));
        let indent = format!("\n{}", " ".repeat(start + 4));
        if line.chars().count() <= WIDTH {
            out.push_str(line)
        } else {
            out.push_str(&lines.join(&indent))
        }
        out.push('\n');
    }
    out
}

/// The length of the longest unbreakable piece of a text.
pub(super) fn longest_word(text: &str) -> usize {
    let words = text.split(' ').map(|word| word.chars().count());
    words.max().unwrap_or(0)
}

/// The number of lines if every line is broken as late as possible, before an operator if there is one.
fn fewest_lines(text: &[char], room: usize) -> usize {
    let (mut lines, mut rest) = (1, text);
    while rest.len() > room {
        let late = |may: fn(&[char], usize) -> bool| (1..=room).rev().find(|at| may(rest, *at));
        let within = late(is_before_operator).or_else(|| late(may_break));
        let Some(at) = within.or_else(|| beyond(rest, room)) else {
            break;
        };
        rest = &rest[at + 1..];
        lines += 1;
    }
    lines
}

/// Returns true at a space that does not follow an operator: an operator stays with its operand.
fn may_break(text: &[char], at: usize) -> bool {
    at > 0 && text[at] == ' ' && !matches!(text[at - 1], '+' | '-' | '=')
}

fn is_before_operator(text: &[char], at: usize) -> bool {
    text[at] == ' '
        && matches!(text.get(at + 1), Some('+' | '-' | '='))
        && text.get(at + 2) == Some(&' ')
}

/// The first space after the room, if there is none within.
fn beyond(text: &[char], room: usize) -> Option<usize> {
    let found = text.iter().skip(room + 1).position(|letter| *letter == ' ');
    found.map(|at| at + room + 1)
}

/// Chooses the space to break at. The best one leaves at most `most_left` lines. Ties go to a line at least
/// half full, then to few brackets around the space, then to an operator after it, then to the rightmost.
fn best_break(text: &[char], room: usize, most_left: Option<usize>) -> Option<usize> {
    let mut depth = 0_usize;
    let mut best: Option<((bool, bool, usize, bool), usize)> = None;
    for (at, letter) in text.iter().enumerate().take(room + 1) {
        match letter {
            '(' | '[' | '⌈' | '⌊' => depth += 1,
            ')' | ']' | '⌉' | '⌋' => depth = depth.saturating_sub(1),
            ' ' if at > 0 => {
                let is_operator = is_before_operator(text, at);
                let left = || fewest_lines(&text[at + 1..], room);
                let is_late = most_left.is_none_or(|most| left() <= most);
                let is_half = at >= room / 2 && may_break(text, at);
                let rank = (!is_late, !is_half, depth, !is_operator);
                if best.as_ref().is_none_or(|(least, _)| rank <= *least) {
                    best = Some((rank, at));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at).or_else(|| beyond(text, room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_stand_before_operators_outside_brackets() {
        assert_eq!(
            wrapped("aa + bb·(cc + dd) + ee", 18),
            ["aa + bb·(cc + dd)", "+ ee"]
        );
        assert_eq!(wrapped("(aa + bb + cc)", 11), ["(aa + bb", "+ cc)"]);
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        // Two lines rather than three, where they are wide, if within brackets.
        let [outer, inner] = [["aaa"; 8], ["bb + cc"; 8]].map(|part| part.join(" + "));
        let lines = wrapped(&format!("{outer} + ({inner}) + d"), 70);
        assert_eq!(lines.len(), 2, "{lines:#?}");
    }

    #[test]
    fn every_word_comes_back() {
        let text = "unaligned by n - b⌈n/b⌉ + b - 1: from the first core's block to the last's";
        for room in 1..90 {
            assert_eq!(wrapped(text, room).join(" "), text);
        }
    }
}

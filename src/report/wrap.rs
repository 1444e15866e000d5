//! Long formulas and sentences on several lines, broken where a person would: before a `+` or `−`
//! outside all brackets rather than inside, else between words.

/// Columns of a report.
pub(super) const WIDTH: usize = 100;

/// The text in lines of at most `room` characters, as far as it has places to break.
pub(super) fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > room {
        let Some(at) = best_break(&rest, room) else {
            break;
        };
        lines.push(rest[..at].iter().collect());
        rest.drain(..=at);
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// A text behind a label: its further lines start below its first.
pub(super) fn labelled(label: &str, text: &str) -> String {
    let indent = label.chars().count();
    let lines = wrapped(text, WIDTH.saturating_sub(indent).max(1));
    format!(
        "{label}{}\n",
        lines.join(&format!("\n{}", " ".repeat(indent)))
    )
}

/// Items with commas between them, as many on a line as fit; nothing when there are none.
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

/// A report with its long lines broken; what goes on is indented a little more.
pub(super) fn within_width(report: &str) -> String {
    let mut out = String::new();
    for line in report.lines() {
        let start = line.len() - line.trim_start().len();
        let lines = wrapped(line, WIDTH.saturating_sub(start + 4).max(1));
        let indent = format!("\n{}", " ".repeat(start + 4));
        match line.chars().count() <= WIDTH {
            true => out.push_str(line),
            false => out.push_str(&lines.join(&indent)),
        }
        out.push('\n');
    }
    out
}

/// The longest piece of a text that cannot be broken.
pub(super) fn longest_word(text: &str) -> usize {
    let words = text.split(' ').map(|word| word.chars().count());
    words.max().unwrap_or(0)
}

/// The space to break at: of those that leave a line at least half full the one in the fewest
/// brackets, before an operator if there is one, as far to the right as possible.
fn best_break(text: &[char], room: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut best: Option<((bool, usize, bool), usize)> = None;
    for (at, letter) in text.iter().enumerate().take(room + 1) {
        match letter {
            '(' | '[' | '⌈' | '⌊' => depth += 1,
            ')' | ']' | '⌉' | '⌋' => depth = depth.saturating_sub(1),
            ' ' if at > 0 => {
                let is_operator = matches!(text.get(at + 1), Some('+' | '-' | '='))
                    && text.get(at + 2) == Some(&' ');
                // What follows an operator stays with it.
                let follows = matches!(text[at - 1], '+' | '-' | '=');
                let rank = (at < room / 2 || follows, depth, !is_operator);
                if best.as_ref().is_none_or(|(least, _)| rank <= *least) {
                    best = Some((rank, at));
                }
            }
            _ => {}
        }
    }
    // Beyond the room when there is no place within it.
    best.map(|(_, at)| at).or_else(|| {
        let beyond = text.iter().skip(room + 1).position(|letter| *letter == ' ');
        beyond.map(|at| at + room + 1)
    })
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
    }

    #[test]
    fn every_word_comes_back() {
        let text = "unaligned by n - b⌈n/b⌉ + b - 1: from the first core's block to the last's";
        for room in 1..90 {
            assert_eq!(wrapped(text, room).join(" "), text);
        }
    }
}

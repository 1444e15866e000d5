//! The differences between two texts, line by line, in the format of `diff -u`.

use std::ops::Range;

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Limit on the pairs of lines that are compared. In larger texts all lines count as changed.
const MOST_PAIRS: usize = 16_000_000;

/// Returns the changes from `old` to `new`, as `patch` accepts them; empty if the texts are equal. `made`
/// describes the origin of the new text.
pub fn unified(name: &str, made: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let (old, new) = (lines(old), lines(new));
    let mut out = format!("--- {name}\n+++ {name}\t{made}\n");
    let parts = if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        vec![DiffOp::Replace {
            old_index: 0,
            old_len: old.len(),
            new_index: 0,
            new_len: new.len(),
        }]
    } else {
        capture_diff_slices(Algorithm::Myers, &old, &new)
    };
    for hunk in group_diff_ops(parts, CONTEXT) {
        let around = |range: fn(&DiffOp) -> Range<usize>| {
            let start = range(&hunk[0]).start;
            let end = hunk.last().map_or(start, |last| range(last).end);
            // An empty range is written with the number of the line before it.
            match end - start {
                0 => format!("{start},0"),
                1 => (start + 1).to_string(),
                count => format!("{},{count}", start + 1),
            }
        };
        let (before, after) = (around(DiffOp::old_range), around(DiffOp::new_range));
        out.push_str(&format!("@@ -{before} +{after} @@\n"));
        for change in hunk.iter().flat_map(|part| part.iter_changes(&old, &new)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = change.value();
            let end = if line.ends_with('\n') {
                ""
            } else {
                "\n\\ No newline at end of file\n"
            };
            out.push_str(&format!("{mark}{line}{end}"));
        }
    }
    out
}

/// The lines with their line ends. So a last line without a line end differs from one with it.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changed_lines_with_their_surroundings() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n";
        assert_eq!(
            unified("t", "fixed", old, new),
            "--- t\n+++ t\tfixed\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+ten\n"
        );
        assert_eq!(unified("t", "fixed", old, old), "");
    }

    #[test]
    fn ends_of_texts_are_lines_ends_too() {
        assert_eq!(
            unified("t", "fixed", "a", "a\n"),
            "--- t\n+++ t\tfixed\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
        );
        assert_eq!(
            unified("t", "fixed", "", "a\n"),
            "--- t\n+++ t\tfixed\n@@ -0,0 +1 @@\n+a\n"
        );
    }
}

//! What changes between two texts, line by line, in the manner of `diff -u`.

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Above this many pairs of lines, common ones are not searched for, and all lines count as changed.
const MOST_PAIRS: usize = 16_000_000;

/// The changes from `old` to `new`, or nothing when they are equal.
pub fn unified(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = format!("--- {name}\n+++ {name}, formatted\n");
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
        let (old_line, new_line) = (hunk[0].old_range().start + 1, hunk[0].new_range().start + 1);
        out.push_str(&format!("@@ -{old_line} +{new_line} @@\n"));
        for change in hunk.iter().flat_map(|part| part.iter_changes(&old, &new)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            out.push_str(&format!("{mark}{}\n", change.value()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changed_lines_with_their_surroundings() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n";
        assert_eq!(
            unified("t", old, new),
            "--- t\n+++ t, formatted\n@@ -2 +2 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+ten\n"
        );
        assert_eq!(unified("t", old, old), "");
    }
}

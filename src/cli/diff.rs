//! What changes between two texts, line by line, in the manner of `diff -u`.

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Above this many cells the table of common lines is not built, and all lines count as changed.
const MOST_CELLS: usize = 16_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    Removed,
    Added,
}

/// The changes from `old` to `new`, or nothing when they are equal.
pub fn unified(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let lines = changes(&old, &new);
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        let to = (at + CONTEXT + 1).min(lines.len());
        lines[from..to]
            .iter()
            .any(|(change, _)| *change != Change::Same)
    };
    let mut out = format!("--- {name}\n+++ {name}, formatted\n");
    let (mut old_line, mut new_line, mut inside) = (1, 1, false);
    for (at, (change, text)) in lines.iter().enumerate() {
        if near(at) {
            if !inside {
                out.push_str(&format!("@@ -{old_line} +{new_line} @@\n"));
            }
            let mark = match change {
                Change::Same => ' ',
                Change::Removed => '-',
                Change::Added => '+',
            };
            out.push_str(&format!("{mark}{text}\n"));
        }
        inside = near(at);
        old_line += usize::from(*change != Change::Added);
        new_line += usize::from(*change != Change::Removed);
    }
    out
}

/// Every line of either text with what becomes of it, by their longest common subsequence.
fn changes<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Change, &'a str)> {
    let (rows, columns) = (old.len() + 1, new.len() + 1);
    let removed = old.iter().map(|line| (Change::Removed, *line));
    let added = new.iter().map(|line| (Change::Added, *line));
    if rows.saturating_mul(columns) > MOST_CELLS {
        return removed.chain(added).collect();
    }
    // common[i][j]: lines that old[i..] and new[j..] have in common.
    let mut common = vec![0_u32; rows * columns];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * columns + j] = if old[i] == new[j] {
                common[(i + 1) * columns + j + 1] + 1
            } else {
                common[(i + 1) * columns + j].max(common[i * columns + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((Change::Same, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || i < old.len() && common[(i + 1) * columns + j] >= common[i * columns + j + 1]
        {
            lines.push((Change::Removed, old[i]));
            i += 1;
        } else {
            lines.push((Change::Added, new[j]));
            j += 1;
        }
    }
    lines
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

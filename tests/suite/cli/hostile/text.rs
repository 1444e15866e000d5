//! Texts that nobody wrote, or nobody should.

use crate::cli::hostile::{ONE_MORE, atgpu, folder_with, status, told};

/// A build without optimisation takes some twenty times as long.
const SCALE: usize = if cfg!(debug_assertions) { 10 } else { 1 };

fn answers(text: &[u8], expected: i32, code: &str) {
    let folder = folder_with(&[("x.atgpu", text)]);
    for args in [
        &["check", "x.atgpu"][..],
        &["fmt", "--check", "x.atgpu"],
        &["derive", "x.atgpu"],
        &["cost", "x.atgpu", "-D", "n=8"],
        &["run", "x.atgpu", "-D", "n=8"],
    ] {
        let found = atgpu(folder.path(), args);
        let is_layout = args[0] == "fmt" && expected == 0;
        if !is_layout {
            assert_eq!(status(&found), expected, "{args:?}: {}", told(&found));
        }
        assert!(told(&found).contains(code), "{args:?}: {}", told(&found));
    }
}

#[test]
fn files_that_are_no_programs_are_told_with_their_code() {
    answers(b"", 1, "syntax::unexpected");
    answers(b"\n\r\n \t\n", 1, "syntax::unexpected");
    answers(b"\xef\xbb\xbf", 1, "syntax::unexpected");
    answers(b"algorithm T(n)\n\0\n", 1, "syntax::unexpected");
    answers(
        b"algorithm T\0(n)\n  let k = 1\0\n",
        1,
        "syntax::unexpected",
    );
    answers(b"algorithm T(n)\n \xff\xfe\n", 2, "file::unreadable");
    answers(b"\xff\xfea\0l\0g\0", 2, "file::unreadable");
    // A mark that turns the direction of writing is no name and no blank.
    let turned = "algorithm T(n)\n  \u{202e}let k = n\n";
    answers(turned.as_bytes(), 1, "syntax::unexpected");
}

#[test]
fn a_byte_order_mark_and_other_line_ends_change_nothing() {
    let marked = format!("\u{feff}{ONE_MORE}");
    let ended = ONE_MORE.replace('\n', "\r\n");
    let plain = folder_with(&[("x.atgpu", ONE_MORE.as_bytes())]);
    let plain = told(&atgpu(plain.path(), &["derive", "x.atgpu"]));
    for text in [marked, ended] {
        let folder = folder_with(&[("x.atgpu", text.as_bytes())]);
        let found = atgpu(folder.path(), &["derive", "x.atgpu"]);
        assert_eq!((status(&found), told(&found)), (0, plain.clone()));
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_end_is_refused() {
    let folder = folder_with(&[]);
    for command in ["check", "derive", "fmt"] {
        let found = atgpu(folder.path(), &[command, "/dev/zero"]);
        assert_eq!(status(&found), 2, "{command}: {}", told(&found));
        assert!(told(&found).contains("/dev/zero is longer than 256 MiB"));
    }
}

#[test]
fn huge_files_and_lines_are_refused_at_once() {
    let one_word = vec![b'x'; 100_000_000 / SCALE];
    answers_briefly(&one_word, "syntax::too-deep");
    let sum = format!("algorithm T(n)\n  let k = {}n\n", "n + ".repeat(2_500_000));
    answers_briefly(sum.as_bytes(), "syntax::too-deep");
    let name = format!("algorithm T(n)\n  let k = {}\n", "x".repeat(10_000_000));
    answers_briefly(name.as_bytes(), "syntax::too-deep");
}

/// Refused by `check` and `fmt`, in words that do not repeat the file.
fn answers_briefly(text: &[u8], code: &str) {
    let folder = folder_with(&[("x.atgpu", text)]);
    for args in [&["check", "x.atgpu"][..], &["fmt", "x.atgpu"]] {
        let found = atgpu(folder.path(), args);
        assert_eq!(status(&found), 1, "{args:?}");
        let told = told(&found);
        assert!(
            told.contains(code) && told.len() < 2_000,
            "{args:?}: {told}"
        );
    }
}

#[test]
fn ten_thousand_levels_are_too_deep() {
    let levels = 10_000;
    let blocks = ONE_MORE.replace(
        "        _x[j] ← _x[j] + 1\n",
        &format!(
            "{}_x[j] ← 1\n{}",
            "if j < n then\n".repeat(levels),
            "end if\n".repeat(levels)
        ),
    );
    answers_briefly(blocks.as_bytes(), "syntax::too-deep");
    for (open, close) in [("(", ")"), ("-", ""), ("2^", ""), ("⌈", "⌉"), ("(", "")] {
        let value = format!("{}1{}", open.repeat(levels), close.repeat(levels));
        let text = ONE_MORE.replace("_x[j] + 1", &value);
        answers_briefly(text.as_bytes(), "syntax::too-deep");
    }
}

#[test]
fn a_hundred_thousand_statements_are_checked_and_laid_out() {
    let many = 100_000 / SCALE;
    let text = ONE_MORE.replace("  a ⇚ A\n", &"  a ⇚ A\n".repeat(many));
    let folder = folder_with(&[("x.atgpu", text.as_bytes())]);
    for args in [&["check", "x.atgpu"][..], &["fmt", "--check", "x.atgpu"]] {
        let found = atgpu(folder.path(), args);
        assert_eq!(status(&found), 0, "{args:?}: {}", told(&found));
    }
}

/// Each fault is drawn with the lines around it, without reading all before them again.
#[test]
fn thousands_of_faults_are_all_told() {
    let many = 20_000 / SCALE;
    let text = format!(
        "algorithm T(n)\n  let k = n\n{}",
        "  let k = n\n".repeat(many)
    );
    let folder = folder_with(&[("x.atgpu", text.as_bytes())]);
    let found = atgpu(folder.path(), &["check", "x.atgpu"]);
    assert_eq!(status(&found), 1);
    // A reader gets the first, and how many there are; a tool gets all.
    let drawn = told(&found);
    assert_eq!(drawn.matches("atgpu::name::duplicate").count(), 20);
    assert!(drawn.contains(&format!("and {} more", many - 20)));
    let found = atgpu(folder.path(), &["check", "x.atgpu", "--format", "json"]);
    let json = String::from_utf8_lossy(&found.stdout);
    assert_eq!(json.matches("atgpu::name::duplicate").count(), many);
    let last = format!("\"line\":{}", many + 2);
    assert!(json.contains(&last), "the last line");
}

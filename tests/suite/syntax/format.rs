//! Every file of `format/` in canonical layout, in its own spelling, in ASCII and in Unicode.

use crate::support::snapshots;
use atgpu::syntax::{Spelling, format, parse};
use atgpu::text::Source;

fn laid_out(text: &str, spelling: Spelling) -> String {
    match format(&Source::new("test", text), spelling) {
        Ok(text) => text,
        Err(diagnostics) => panic!("{diagnostics:#?}\n{text}"),
    }
}

/// The tree as text without its spans.
fn tree(text: &str) -> String {
    let parsed = parse(&Source::new("test", text));
    let shown = format!("{:?}", parsed.algorithm.expect("an algorithm"));
    shown
        .split("Span { start: ")
        .map(|piece| match piece.split_once('}') {
            Some((span, rest)) if span.contains("end: ") => rest,
            _ => piece,
        })
        .collect()
}

/// What must hold of every program: nothing changes but layout and spelling.
fn check_laws(text: &str) -> [String; 3] {
    let [written, ascii, unicode] =
        [Spelling::AsWritten, Spelling::Ascii, Spelling::Unicode].map(|spelling| {
            let once = laid_out(text, spelling);
            assert_eq!(
                laid_out(&once, spelling),
                once,
                "twice is once: {spelling:?}"
            );
            once
        });
    assert_eq!(laid_out(&ascii, Spelling::Unicode), unicode);
    assert_eq!(laid_out(&written, Spelling::Unicode), unicode);
    assert_eq!(tree(&ascii), tree(&unicode));
    // A `⇐` that is a transfer comes out as one, and `nβ` as a product in ASCII and Unicode.
    let as_read = |tree: String| tree.replace("arrow: Global", "arrow: Transfer");
    assert_eq!(as_read(tree(&written)), as_read(tree(text)));
    [written, ascii, unicode]
}

#[test]
fn layout_and_spellings() {
    snapshots::each("syntax/format", "atgpu", |path| {
        let text = std::fs::read_to_string(path).expect("the file is there");
        let [written, ascii, unicode] = check_laws(&text);
        insta::assert_snapshot!(format!(
            "{text}──── as written\n{written}──── ascii\n{ascii}──── unicode\n{unicode}"
        ));
    });
}

#[test]
fn programs_that_users_copy_obey_the_laws() {
    let mut folders = vec![std::path::PathBuf::from("programs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "atgpu")
            {
                check_laws(&std::fs::read_to_string(&path).expect("the file is there"));
            }
        }
    }
}

#[test]
fn line_ends_and_byte_order_marks_go() {
    let text = "\u{feff}algorithm T\r\n\r\n\r\nlet\u{a0}k\t=\u{2009}1 ▷ c \r\n";
    let expected = "algorithm T\n\n  let k = 1  ▷ c\n";
    assert_eq!(laid_out(text, Spelling::AsWritten), expected);
    assert_eq!(laid_out("algorithm T", Spelling::Ascii), "algorithm T\n");
}

#[test]
fn faulty_programs_are_not_laid_out() {
    let source = Source::new("test", "algorithm T\n  let k = \n");
    let diagnostics = format(&source, Spelling::Unicode).expect_err("faulty");
    assert_eq!(diagnostics.len(), 1);
}

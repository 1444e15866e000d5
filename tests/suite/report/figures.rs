//! The pictures of docs/figures.md and docs/cookbook are what their commands draw, byte for byte;
//! and what every figure has to be.
//!
//! `ATGPU_DRAW=1 cargo test --test suite figures` draws them anew. Look at them before they are committed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents with pictures.
fn documents() -> Vec<PathBuf> {
    let pages = fs::read_dir(root().join("docs/cookbook")).expect("the folder is there");
    let pages = pages.map(|entry| entry.expect("listed").path());
    let mut documents: Vec<_> = pages.chain([root().join("docs/figures.md")]).collect();
    documents.sort();
    documents
}

/// The commands of the documents, with the picture each makes.
fn commands() -> Vec<(Vec<String>, String)> {
    let documents = documents();
    let commands = documents.iter().flat_map(|document| commands_of(document));
    commands.collect()
}

fn commands_of(document: &Path) -> Vec<(Vec<String>, String)> {
    let text = fs::read_to_string(document).expect("the document is there");
    // A command may go on behind a backslash.
    let text = text.replace("\\\n", " ");
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("$ atgpu plot "))
        .filter_map(|line| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let at = words.iter().position(|word| word == "-o")?;
            let picture = words.get(at + 1)?.clone();
            picture
                .starts_with("docs/figures/")
                .then_some((words, picture))
        })
        .collect()
}

fn draw(words: &[String], to: &Path) -> Vec<u8> {
    let mut words = words.to_vec();
    let at = words
        .iter()
        .position(|word| word == "-o")
        .expect("filtered");
    words[at + 1] = to.display().to_string();
    let output = command::atgpu(root())
        .arg("plot")
        .args(&words)
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}\n{said}");
    assert!(output.stdout.is_empty());
    fs::read(to).expect("written")
}

/// Draws a picture and compares it with the one that is shipped.
fn held((words, picture): &(Vec<String>, String), folder: &Path) {
    let name = Path::new(picture).file_name().expect("a file");
    let drawn = draw(words, &folder.join(name));
    let shipped = root().join(picture);
    if std::env::var_os("ATGPU_DRAW").is_some() {
        let beside = shipped.parent().expect("a folder");
        fs::create_dir_all(beside).expect("a folder");
        fs::write(&shipped, &drawn).expect("writable");
    }
    let held = fs::read(&shipped).unwrap_or_default();
    assert!(
        held == drawn,
        "{picture} is not what `atgpu plot {}` draws",
        words.join(" ")
    );
}

#[test]
fn pictures_are_what_their_commands_draw() {
    let folder = tempfile::tempdir().expect("a folder");
    let commands = commands();
    assert!(
        commands.len() >= 5,
        "only {} commands found",
        commands.len()
    );
    let half = commands.len().div_ceil(2);
    std::thread::scope(|scope| {
        for part in commands.chunks(half) {
            scope.spawn(|| part.iter().for_each(|command| held(command, folder.path())));
        }
    });
    let shipped: BTreeSet<String> = ["docs/figures", "docs/figures/cookbook"]
        .iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).expect("the folder is there"))
        .map(|entry| entry.expect("listed").path())
        .filter(|path| path.is_file())
        .map(|path| {
            let within = path.strip_prefix(root()).expect("below the root");
            within.to_string_lossy().into_owned()
        })
        .collect();
    let made = commands.iter().map(|(_, picture)| picture.clone());
    assert_eq!(
        shipped,
        made.collect(),
        "a picture without a command, or the reverse"
    );
}

/// All texts lie within the picture, and no two tick labels of an axis overlap.
#[test]
fn texts_lie_inside_and_apart() {
    for (_, picture) in commands() {
        let svg = fs::read_to_string(root().join(picture)).expect("it is shipped");
        let number = |line: &str, key: &str| -> f64 {
            let rest = line.split(&format!(" {key}=\"")).nth(1).expect(key);
            rest.split('"')
                .next()
                .and_then(|text| text.parse().ok())
                .expect(key)
        };
        let width = number(svg.lines().next().expect("a line"), "width");
        let height = number(svg.lines().next().expect("a line"), "height");
        let mut rows: Vec<(f64, f64, f64)> = Vec::new();
        for line in svg.lines().filter(|line| line.starts_with("<text")) {
            let (x, y) = (number(line, "x"), number(line, "y"));
            let size = number(line, "font-size");
            let text = line
                .split('>')
                .nth(1)
                .and_then(|rest| rest.split('<').next())
                .expect("text");
            assert!(
                (0.0..=width).contains(&x) && (size * 0.7..=height).contains(&y),
                "{line}"
            );
            if line.contains("rotate") || line.contains("anchor") {
                continue;
            }
            // A generous guess of the width: most letters take less than 0.7 of the size.
            let end = x + text.chars().count() as f64 * size * 0.6;
            assert!(end <= width + size, "{line}");
            rows.push((y, x, end));
        }
        rows.sort_by(|one, other| {
            (one.0, one.1)
                .partial_cmp(&(other.0, other.1))
                .expect("numbers")
        });
        for pair in rows.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert!(pair[1].1 > pair[0].1, "{pair:?}");
        }
    }
}

#[cfg(feature = "png")]
#[test]
fn a_png_is_one_and_always_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (words, _) = commands().into_iter().next().expect("some command");
    let first = draw(&words, &folder.path().join("a.png"));
    assert!(first.starts_with(b"\x89PNG\r\n\x1a\n"));
    // Width and height stand in the header: 4 by 3 inches at 288 pixels.
    let number = |at: usize| u32::from_be_bytes(first[at..at + 4].try_into().expect("four"));
    assert_eq!((number(16), number(20)), (1152, 864));
    assert_eq!(first, draw(&words, &folder.path().join("b.png")));
}

#[cfg(feature = "png")]
#[test]
fn a_pdf_is_one_page_of_paths_and_always_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (words, _) = commands().into_iter().next().expect("some command");
    let first = draw(&words, &folder.path().join("a.pdf"));
    let text = String::from_utf8(first.clone()).expect("operators are text");
    assert!(text.starts_with("%PDF-1.4\n") && text.ends_with("%%EOF\n"));
    // 4 by 3 inches at 72 points, and no font.
    assert!(text.contains("/MediaBox [0 0 288 216]") && !text.contains("/Font"));
    assert_eq!(first, draw(&words, &folder.path().join("b.pdf")));
}

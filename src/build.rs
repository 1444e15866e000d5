//! For build scripts: programs checked with the crate that embeds them.
//!
//! The one module of the library that reads files, and prints: it speaks Cargo's protocol of build
//! scripts, which is standard output, about files that only the user's `build.rs` can name. It is
//! called by nothing else.
//!
//! ```toml
//! [build-dependencies]
//! atgpu = { version = "0.1", default-features = false }
//! ```
//!
//! ```no_run
//! // In the main function of build.rs:
//! atgpu::build::check("programs");
//! ```
//!
//! Then `cargo build` stops with
//!
//! ```text
//! error: my-crate@0.1.0: programs/scan.atgpu:3:7: no variable is called `A` [atgpu::name::unknown]
//! ```

// What the rest of the library may not do is this module's whole purpose.
#![allow(
    clippy::disallowed_methods,
    clippy::exit,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::diag::Severity;
use crate::embed::{Error, Findings, program};
use crate::machine::{BUILT_IN, Machine};
use crate::text::Source;

/// The first Rust whose Cargo takes `cargo::error`, and its place among the minor versions.
const SINCE: u32 = 84;

/// Checks every `.atgpu` file in a folder (or one file) on the machine `gtx650`, as `atgpu check`
/// does: errors fail the build, warnings are Cargo's warnings, each with file, line and column.
/// Cargo runs the check again when anything in the folder changes.
///
/// The path is relative to the package, where Cargo runs build scripts. Never panics.
///
/// ```
/// // In build.rs, of a folder or of one file; the paths are the package's own.
/// atgpu::build::check("programs/paper1/vector_addition.atgpu");
/// ```
pub fn check(path: impl AsRef<Path>) {
    let (_, text) = BUILT_IN[0];
    match Machine::from_toml(text) {
        Ok(machine) => check_on(path, &machine),
        Err(faults) => tell_error(&Error::from(faults).to_string()),
    }
}

/// As [`check`], on a machine of your own.
///
/// ```
/// use atgpu::machine::Machine;
///
/// let narrow = Machine::built_in("gtx650").expect("built in").with([("b", 8)]).expect("in range");
/// // Prints what Cargo reads: here what to watch, since nothing is wrong.
/// atgpu::build::check_on("programs/paper1/vector_addition.atgpu", &narrow);
/// ```
pub fn check_on(path: impl AsRef<Path>, machine: &Machine) {
    each(path.as_ref(), |source| program(source)?.check(machine, ()));
}

/// As [`check`], and derives every program: a refuted claim fails the build too. Lints are not
/// looked for.
///
/// ```
/// // Every claim of the file holds, so that Cargo is told nothing but what to watch.
/// atgpu::build::prove("programs/paper1/vector_addition.atgpu");
/// ```
pub fn prove(path: impl AsRef<Path>) {
    each(path.as_ref(), |source| {
        program(source)?.prove()?;
        Ok(Findings::default())
    });
}

/// Judges every program under a path and tells Cargo.
fn each(path: &Path, judge: impl Fn(&Source) -> Result<Findings, Error>) {
    println!("cargo::rerun-if-changed={}", path.display());
    let files = match programs_under(path) {
        Ok(files) if files.is_empty() => {
            let place = path.display();
            return tell_error(&format!("{place}: no .atgpu file there"));
        }
        Ok(files) => files,
        Err(fault) => return tell_error(&fault),
    };
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => {
                let source = Source::new(&file.display().to_string(), &text);
                match judge(&source) {
                    Ok(findings) => tell(&findings),
                    Err(error) => tell(error.findings()),
                }
            }
            Err(error) => tell_error(&format!("{}: {error}", file.display())),
        }
    }
}

fn tell(findings: &Findings) {
    for finding in findings.iter() {
        match finding.severity() {
            Severity::Error => tell_error(&finding.line()),
            Severity::Warning => println!("cargo::warning={}", finding.line()),
            Severity::Note => {}
        }
    }
}

/// An error of the build. A package that declares an older Rust may not use `cargo::error`: then
/// it is told on standard error, which Cargo shows of a script that fails, and the script fails.
fn tell_error(line: &str) {
    if takes_errors(std::env::var("CARGO_PKG_RUST_VERSION").ok().as_deref()) {
        for line in line.lines() {
            println!("cargo::error={line}");
        }
    } else {
        eprintln!("error: {line}");
        std::process::exit(1);
    }
}

/// Whether a package that declares this Rust may use `cargo::error`.
fn takes_errors(declared: Option<&str>) -> bool {
    let mut numbers = declared.unwrap_or_default().split('.');
    match (numbers.next(), numbers.next().map(str::parse::<u32>)) {
        (Some("1"), Some(Ok(minor))) => minor >= SINCE,
        (Some("1"), None) => false,
        _ => true,
    }
}

/// All programs under a path, sorted; hidden folders are left out.
fn programs_under(path: &Path) -> Result<Vec<PathBuf>, String> {
    let mut programs = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(place) = open.pop() {
        if !place.is_dir() {
            programs.push(place);
            continue;
        }
        let told = |error: std::io::Error| format!("{}: {error}", place.display());
        for entry in fs::read_dir(&place).map_err(told)? {
            let entry = entry.map_err(told)?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let path = entry.path();
            // Links to folders are not followed: they may lead in circles.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_program = path.extension().is_some_and(|ending| ending == "atgpu");
            if !hidden && (is_folder || is_program && !path.is_dir()) {
                open.push(path);
            }
        }
    }
    programs.sort();
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_an_older_rust_get_no_new_syntax() {
        for new in [
            None,
            Some(""),
            Some("1.84"),
            Some("1.88.0"),
            Some("2.0"),
            Some("2"),
        ] {
            assert!(takes_errors(new), "{new:?}");
        }
        for old in ["1.83", "1.56.1", "1"] {
            assert!(!takes_errors(Some(old)), "{old}");
        }
    }

    #[test]
    fn programs_are_found_in_order_and_links_do_not_lead_in_circles() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("b/.hidden")).expect("a folder");
        for name in ["z.atgpu", "b/a.atgpu", "b/a.txt", "b/.hidden/c.atgpu"] {
            fs::write(at(name), "").expect("writable");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), at("b/circle")).expect("a link");
        let found = programs_under(folder.path()).expect("readable");
        assert_eq!(found, [at("b/a.atgpu"), at("z.atgpu")]);
        assert_eq!(programs_under(&at("z.atgpu")), Ok(vec![at("z.atgpu")]));
        let missing = programs_under(&at("none")).expect("taken for a file");
        assert_eq!(missing, [at("none")]);
    }
}

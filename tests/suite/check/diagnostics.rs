//! Every file of `diagnostics/{name,access,type,lint}` against a snapshot of its static diagnostics.

use std::fmt::Write;
use std::path::Path;

use crate::support::{programs, snapshots};
use atgpu::check::check;
use atgpu::diag::Diagnostic;
use atgpu::syntax::parse;
use atgpu::text::Source;

#[test]
fn programs_give_their_diagnostics() {
    snapshots::each("check/diagnostics", "atgpu", |path| {
        let text = std::fs::read_to_string(path).expect("a file of the suite is readable");
        insta::assert_snapshot!(report(&text));
    });
}

/// Every code that checking can give is shown by some snapshot.
#[test]
fn every_static_code_is_shown() {
    const CODES: [&str; 17] = [
        "syntax::unexpected",
        "syntax::ambiguous-product",
        "name::unknown",
        "name::duplicate",
        "name::scope",
        "access::operator",
        "access::not-moved",
        "access::host-in-kernel",
        "access::shared-on-host",
        "access::rank",
        "access::shape",
        "type::mismatch",
        "lint::comment",
        "lint::core-set",
        "lint::unused",
        "nothing to say",
        "executed here",
    ];
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/check/diagnostics/snapshots");
    let snapshots: String = std::fs::read_dir(folder)
        .expect("the suite has snapshots")
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok())
        .collect();
    for code in CODES {
        assert!(snapshots.contains(code), "no snapshot shows {code}");
    }
}

/// The deepest text that parses is checked without exhausting the stack of a test's thread.
#[test]
fn depth_is_no_danger() {
    let text = programs::deepest();
    let source = Source::new("deep.atgpu", &text);
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics, []);
    let algorithm = parsed.algorithm.expect("a text without faults has a tree");
    assert!(check(&source, &algorithm).program.is_some());
}

/// The text, then each diagnostic: place, code and message, further labels, help.
fn report(text: &str) -> String {
    let source = Source::new("program.atgpu", text);
    let parsed = parse(&source);
    let mut diagnostics = parsed.diagnostics;
    let mut is_program = false;
    if let Some(algorithm) = parsed.algorithm.filter(|_| diagnostics.is_empty()) {
        let checked = check(&source, &algorithm);
        is_program = checked.program.is_some();
        diagnostics = checked.diagnostics;
    }
    let mut out = format!("{}\n\n", text.trim_end());
    for diagnostic in &diagnostics {
        describe(&mut out, &source, diagnostic).expect("a string takes all text");
    }
    let errors = diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(
        is_program, !errors,
        "a program exactly when nothing is wrong"
    );
    if diagnostics.is_empty() {
        out.push_str("nothing to say\n");
    }
    out
}

fn describe(out: &mut String, source: &Source, diagnostic: &Diagnostic) -> std::fmt::Result {
    for label in &diagnostic.labels {
        let at = source.position(label.span.start);
        let marked = source.slice(label.span);
        if label.primary {
            let code = diagnostic.code.short_name();
            let severity = diagnostic.severity.word();
            writeln!(
                out,
                "{}:{} {severity} {code}: {}",
                at.line, at.column, diagnostic.message
            )?;
        }
        writeln!(
            out,
            "    {}:{} `{marked}` {}",
            at.line, at.column, label.text
        )?;
    }
    match &diagnostic.help {
        Some(help) => writeln!(out, "    help: {help}"),
        None => Ok(()),
    }
}

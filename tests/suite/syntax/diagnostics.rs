//! Every file of `diagnostics/` with what is wrong with its syntax, a line each.

use std::fmt::Write as _;

use crate::support::snapshots;
use atgpu::diag::Diagnostic;
use atgpu::syntax::parse;
use atgpu::text::Source;

#[test]
fn faults_are_named_where_they_stand() {
    snapshots::each("syntax/diagnostics", "atgpu", |path| {
        let text = std::fs::read_to_string(path).expect("the file is there");
        let source = Source::new("test", &text);
        let mut shown = text.clone();
        shown.push_str("────\n");
        for diagnostic in parse(&source).diagnostics {
            show(&source, &diagnostic, &mut shown);
        }
        insta::assert_snapshot!(shown);
    });
}

/// `line:column code: message`, then the labels with what they point at, then the help.
fn show(source: &Source, diagnostic: &Diagnostic, shown: &mut String) {
    let place = |offset| {
        let position = source.position(offset);
        format!("{}:{}", position.line, position.column)
    };
    let start = diagnostic.primary().map_or(0, |label| label.span.start);
    let code = diagnostic.code.short_name();
    let _ = writeln!(shown, "{} {code}: {}", place(start), diagnostic.message);
    for label in &diagnostic.labels {
        let text: String = source.slice(label.span).chars().take(60).collect();
        let at = place(label.span.start);
        let _ = writeln!(shown, "  {at} `{text}` {}", label.text);
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(shown, "  help: {help}");
    }
}

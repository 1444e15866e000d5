//! Every file of `diagnostics/{limit,bounds,race,value,loop,costly}` against a snapshot of what
//! counting without data finds. The first line says at which values: `// at n=8 b=4 M=100`.

use std::fmt::Write;

use crate::support::{programs, snapshots};
use atgpu::check::check;
use atgpu::count::Parameters;
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::syntax::parse;
use atgpu::text::Source;

#[test]
fn programs_give_what_counting_finds() {
    snapshots::each("lint/diagnostics", "atgpu", |path| {
        let text = std::fs::read_to_string(path).expect("a file of the suite is readable");
        insta::assert_snapshot!(report(&text));
    });
}

/// The deepest text that parses is counted without exhausting the stack of a test's thread.
#[test]
fn depth_is_no_danger() {
    let text = programs::deepest();
    assert!(!report(&text).contains("error"));
}

/// The values of the first line, and the machine with its own among them.
fn given(text: &str) -> (Parameters, Machine) {
    let mut values = Parameters::new();
    let mut machine = Machine::built_in("gtx650").expect("a built-in machine");
    let line = text.lines().next().unwrap_or_default();
    for word in line.split_whitespace() {
        let Some((name, value)) = word.split_once('=') else {
            continue;
        };
        let value: i64 = value
            .trim_end_matches(':')
            .parse()
            .expect("values of the suite are whole");
        match name {
            "b" => machine.atgpu.cores_per_mp = value,
            "M" => machine.atgpu.shared_words = value,
            "G" => machine.atgpu.global_words = value,
            _ => values.set(name, value),
        }
    }
    (values, machine)
}

fn report(text: &str) -> String {
    let source = Source::new("program.atgpu", text);
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics, [], "the suite's programs parse");
    let algorithm = parsed.algorithm.expect("a text without faults has a tree");
    let checked = check(&source, &algorithm);
    let program = checked.program.expect("the suite's programs check");
    let (values, machine) = given(text);
    let mut out = format!("{}\n\n", text.trim_end());
    for finding in lint::lint(&program, &values, &machine) {
        let severity = finding.severity.word();
        writeln!(out, "{severity} {}: {}", finding.code, finding.message).expect("a string");
        for label in &finding.labels {
            let place = source.position(label.span.start);
            let mark = if label.primary { ">" } else { " " };
            let text = source.slice(label.span);
            let (line, column) = (place.line, place.column);
            writeln!(out, "  {mark} {line}:{column} `{text}` {}", label.text).expect("a string");
        }
        if let Some(help) = &finding.help {
            writeln!(out, "  help: {help}").expect("a string");
        }
    }
    out
}

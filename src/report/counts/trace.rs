//! The statements of one MP as text, JSON and HTML: the loops around each, its active cores, and the words written to
//! the variables asked for.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::exec::{Met, TraceLine};
use crate::report::table::{Align, Table};

/// Limit on the characters of a statement.
const MOST_OF_A_STATEMENT: usize = 44;

/// Limit on the words shown of one statement.
const MOST_WORDS: usize = 16;

/// Limit on the cores drawn one by one.
const MOST_CORES: usize = 64;

/// What a trace is shown by.
#[derive(Debug, Clone, Copy)]
pub struct TraceReport<'t> {
    /// The statements, in the order of execution.
    pub lines: &'t [TraceLine],
    /// The cores of the MP, b.
    pub cores: usize,
    /// The variables whose words are shown.
    pub shown: &'t [String],
}

/// Renders the statements, each with its counts, and below it the loops, the mask and the words.
pub fn trace_text(report: &TraceReport<'_>) -> String {
    let mut table = Table::new(&[
        ("round", Align::Right),
        ("line", Align::Right),
        ("", Align::Left),
        ("active", Align::Right),
        ("operations", Align::Right),
        ("blocks", Align::Right),
        ("conflicts", Align::Right),
        ("", Align::Left),
    ])
    .with_notes();
    for line in report.lines {
        table.row([
            line.round.to_string(),
            line.line.to_string(),
            cut(&line.text),
            line.active.to_string(),
            line.operations.to_string(),
            line.blocks.to_string(),
            line.conflicts.to_string(),
            note(report, line),
        ]);
    }
    table.render()
}

/// `s = 2; cores ××··; _x[0..1] = 3, 7`
fn note(report: &TraceReport<'_>, line: &TraceLine) -> String {
    let mut parts: Vec<String> = line.loops.iter().map(value).collect();
    if !line.cores.is_empty() && line.cores.len() < report.cores {
        parts.push(format!("cores {}", mask(report.cores, &line.cores)));
    }
    parts.extend(words(report, line));
    parts.join("; ")
}

fn value((name, value): &(String, String)) -> String {
    format!("{name} = {value}")
}

/// The active cores: a cross each, a dot for the others; as a list of ranges if they are many.
fn mask(all: usize, active: &[usize]) -> String {
    if all > MOST_CORES {
        return ranges(active);
    }
    let sign = |core| if active.contains(&core) { '×' } else { '·' };
    (0..all).map(sign).collect()
}

/// `0..15, 20`
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let told: Vec<String> = runs
        .map(|run| match run {
            [one] => one.to_string(),
            _ => format!("{}..{}", run[0], run[run.len() - 1]),
        })
        .collect();
    told.join(", ")
}

/// The words that a line wrote to the variables asked for.
fn words(report: &TraceReport<'_>, line: &TraceLine) -> Vec<String> {
    let is_shown = |met: &&Met| met.is_written && report.shown.contains(&met.variable);
    let told = |met: &Met| {
        let mut words: Vec<&str> = met.words.iter().map(String::as_str).collect();
        let left = words.len().saturating_sub(MOST_WORDS);
        words.truncate(MOST_WORDS);
        let more = if left > 0 {
            format!(", … {left} more")
        } else {
            String::new()
        };
        let places = ranges(&met.offsets);
        format!("{}[{places}] = {}{more}", met.variable, words.join(", "))
    };
    line.met.iter().filter(is_shown).map(told).collect()
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(MOST_OF_A_STATEMENT).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// Renders the trace as JSON.
pub fn trace_json(report: &TraceReport<'_>) -> Value {
    report
        .lines
        .iter()
        .map(|line| {
            let mut object = Map::new();
            object.insert("round".to_owned(), line.round.into());
            object.insert("line".to_owned(), line.line.into());
            object.insert("text".to_owned(), line.text.as_str().into());
            object.insert("active".to_owned(), line.active.into());
            object.insert("operations".to_owned(), line.operations.into());
            object.insert("blocks".to_owned(), line.blocks.into());
            object.insert("conflicts".to_owned(), line.conflicts.into());
            let loops = line.loops.iter();
            let loops: Map<_, _> = loops
                .map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect();
            object.insert("loops".to_owned(), loops.into());
            object.insert("cores".to_owned(), ranges(&line.cores).into());
            let is_shown = |met: &&Met| met.is_written && report.shown.contains(&met.variable);
            let written = line.met.iter().filter(is_shown).map(
                |met| json!({ "variable": met.variable, "at": met.offsets, "words": met.words }),
            );
            let written: Vec<Value> = written.collect();
            if !written.is_empty() {
                object.insert("written".to_owned(), written.into());
            }
            Value::Object(object)
        })
        .collect()
}

/// The head of the page. It needs no other file, so that a slide or a mail can hold it.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n";

const STYLE: &str = "<style>\n\
body { font: 16px/1.4 sans-serif; margin: 2em; }\n\
table { border-collapse: collapse; }\n\
th, td { padding: 2px 10px; text-align: left; vertical-align: baseline; }\n\
th { border-bottom: 1px solid; font-weight: 600; }\n\
td.n { text-align: right; color: #666; }\n\
code { font: 15px monospace; white-space: pre; }\n\
i { display: inline-block; width: 9px; height: 9px; margin-right: 2px; border: 1px solid #0072b2; }\n\
i.on { background: #0072b2; }\n\
</style>\n";

// Writing to a string cannot fail, so the results of `write!` are dropped throughout.
/// Renders the trace as one HTML page under a title: a row a statement, a square a core.
pub fn trace_html(report: &TraceReport<'_>, title: &str) -> String {
    let title = escaped(title);
    let mut out = format!("{HEAD}<title>{title}</title>\n{STYLE}<h1>{title}</h1>\n<table>\n");
    out.push_str("<tr><th>line<th>statement<th>loops<th>cores<th>writes\n");
    for line in report.lines {
        let loops: Vec<String> = line.loops.iter().map(value).collect();
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}<td><code>{}</code><td>{}<td>{}<td><code>{}</code>",
            line.line,
            escaped(&line.text),
            escaped(&loops.join(", ")),
            squares(report.cores, line),
            escaped(&words(report, line).join("\n"))
        );
    }
    out.push_str("</table>\n</html>\n");
    out
}

fn squares(all: usize, line: &TraceLine) -> String {
    if all > MOST_CORES || line.cores.is_empty() {
        return match line.cores.as_slice() {
            [] => line.active.to_string(),
            cores => ranges(cores),
        };
    }
    let square = |core| match line.cores.contains(&core) {
        true => "<i class=\"on\"></i>",
        false => "<i></i>",
    };
    (0..all).map(square).collect()
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace(|letter: char| letter.is_control() && letter != '\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> TraceLine {
        TraceLine {
            round: 1,
            line: 9,
            text: "if j < h then".to_owned(),
            active: 2,
            operations: 1,
            blocks: 0,
            conflicts: 0,
            loops: vec![("s".to_owned(), "2".to_owned())],
            cores: vec![0, 1],
            met: vec![Met {
                variable: "_x".to_owned(),
                is_global: false,
                is_written: true,
                offsets: vec![0, 1],
                words: vec!["3".to_owned(), "7".to_owned()],
            }],
        }
    }

    #[test]
    fn a_line_tells_loops_cores_and_words() {
        let (lines, shown) = ([line()], ["_x".to_owned()]);
        let report = TraceReport {
            lines: &lines,
            cores: 4,
            shown: &shown,
        };
        assert_eq!(
            note(&report, &lines[0]),
            "s = 2; cores ××··; _x[0..1] = 3, 7"
        );
        let silent = TraceReport {
            shown: &[],
            cores: 2,
            ..report
        };
        assert_eq!(note(&silent, &lines[0]), "s = 2");
        assert_eq!(ranges(&[0, 1, 2, 5]), "0..2, 5");
        let page = trace_html(&report, "Sum <1>");
        assert!(page.contains("<title>Sum &lt;1></title>"), "{page}");
        assert!(page.contains("<code>if j &lt; h then</code><td>s = 2<td>"));
        assert_eq!(page.matches("<i class=\"on\">").count(), 2);
        assert_eq!(page.matches("<i></i>").count(), 2);
        let json = trace_json(&report);
        assert_eq!(json[0]["loops"]["s"], "2");
        assert_eq!(json[0]["cores"], "0..1");
        assert_eq!(json[0]["written"][0]["words"][1], "7");
    }
}

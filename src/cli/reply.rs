//! The answer of a command, and its delivery. Standard output carries the result and nothing else;
//! diagnostics go to standard error or into the JSON.

use std::io::IsTerminal;
use std::process::ExitCode;

use atgpu::diag::{Diagnostic, Severity};
use atgpu::report::diagnostics;
use atgpu::report::json;
use atgpu::text::Source;
use serde_json::Value;

use crate::cli::{colour, draw, files, page};

/// Exit status: success.
const FINE: u8 = 0;
/// Exit status: a fault of the program, a claim or a check.
const AT_FAULT: u8 = 1;
/// Exit status: a fault of the command line, a file or a machine, or one of atgpu itself.
const MISUSED: u8 = 2;

/// The result of a command in the requested form.
#[derive(Debug)]
pub enum Body {
    /// No result.
    Nothing,
    /// The result was written already, in JSON with its findings.
    Written {
        /// True if the findings have yet to be drawn.
        draw: bool,
    },
    /// Text.
    Text(String),
    /// Text with verdicts, coloured where there is colour.
    Judged(String),
    /// A page for reading, rendered where there is colour.
    Page {
        /// The page.
        markdown: String,
        /// The page where there is no colour.
        plain: String,
    },
    /// The keys of the JSON object; `None` for an object without a result.
    Json(Option<Value>),
    /// Findings as SARIF: refuted places as errors, open places as notes, independent of the exit status.
    Sarif(Vec<Finding>),
    /// The findings themselves, as annotations of GitHub Actions.
    Annotations,
}

/// The complete answer of a command.
#[derive(Debug)]
pub struct Reply {
    /// The result.
    pub body: Body,
    /// Diagnostics, with the source they point into.
    pub findings: Vec<Finding>,
    /// True if several files were given, so that each finding names its file.
    pub several_files: bool,
    /// True for a fault without a diagnostic, such as a file that is not canonical.
    pub refused: bool,
    /// Text for standard error, because standard output is taken.
    pub aside: String,
}

/// A diagnostic and its source.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The source; `None` for a fault without one.
    pub source: Option<Source>,
    /// The diagnostic.
    pub diagnostic: Diagnostic,
}

impl Finding {
    /// A finding without a source.
    pub fn bare(diagnostic: Diagnostic) -> Self {
        Finding {
            source: None,
            diagnostic,
        }
    }

    /// Findings without a source.
    pub fn all_bare(list: impl IntoIterator<Item = Diagnostic>) -> Vec<Finding> {
        list.into_iter().map(Finding::bare).collect()
    }

    /// The findings of one source.
    pub fn all(source: &Source, list: impl IntoIterator<Item = Diagnostic>) -> Vec<Finding> {
        list.into_iter()
            .map(|diagnostic| Finding {
                source: Some(source.clone()),
                diagnostic,
            })
            .collect()
    }

    fn status(&self) -> u8 {
        if self.diagnostic.severity != Severity::Error {
            return FINE;
        }
        let area = self.diagnostic.code.short_name().split("::").next();
        match area {
            Some("file" | "data" | "machine" | "usage" | "resource" | "measure" | "internal") => {
                MISUSED
            }
            _ => AT_FAULT,
        }
    }
}

impl From<Body> for Reply {
    fn from(body: Body) -> Self {
        Reply::with(body, Vec::new())
    }
}

impl Reply {
    /// A result without findings.
    pub fn text(text: impl Into<String>) -> Self {
        Reply {
            body: Body::Text(text.into()),
            findings: Vec::new(),
            several_files: false,
            refused: false,
            aside: String::new(),
        }
    }

    /// A result with findings.
    pub fn with(body: Body, findings: Vec<Finding>) -> Self {
        Reply {
            body,
            findings,
            several_files: false,
            refused: false,
            aside: String::new(),
        }
    }

    /// Findings without a result, in the requested form.
    pub fn faults(findings: Vec<Finding>, as_json: bool) -> Self {
        Reply {
            body: if as_json {
                Body::Json(None)
            } else {
                Body::Nothing
            },
            findings,
            several_files: false,
            refused: false,
            aside: String::new(),
        }
    }

    /// The answer of a command with its findings; or, in the requested form, the faults that prevent an
    /// answer.
    pub fn of(
        answer: Result<impl Into<Reply>, Vec<Finding>>,
        mut findings: Vec<Finding>,
        as_json: bool,
    ) -> Self {
        match answer {
            Ok(answer) => Reply {
                findings,
                ..answer.into()
            },
            Err(faults) => {
                findings.extend(faults);
                Reply::faults(findings, as_json)
            }
        }
    }

    /// Sets the files of the answer. With several files each finding names its own.
    pub fn about(self, files: &[String]) -> Self {
        Reply {
            several_files: files.len() > 1,
            ..self
        }
    }

    /// A single fault without a source.
    pub fn fault(diagnostic: Diagnostic) -> Self {
        Reply::faults(vec![Finding::bare(diagnostic)], false)
    }

    /// Writes all parts to their streams and returns the exit status.
    pub fn deliver(self) -> ExitCode {
        // One text goes to standard output. Findings go to standard error, unless the body holds them
        // already.
        let mut status = self.status();
        files::print_error(&judged(self.aside, colour::on_error()));
        let text = match self.body {
            Body::Json(result) => {
                let findings = json_findings(&self.findings, self.several_files);
                let mut text = json::document(result, findings).to_string();
                text.push('\n');
                text
            }
            Body::Sarif(findings) => {
                let findings = findings.iter();
                let log = diagnostics::sarif(
                    findings.map(|found| (found.source.as_ref(), &found.diagnostic)),
                );
                format!("{log:#}\n")
            }
            Body::Annotations => self
                .findings
                .iter()
                .map(|found| diagnostics::annotation(found.source.as_ref(), &found.diagnostic))
                .collect(),
            Body::Text(text) => {
                files::print_error(&draw_findings(&self.findings));
                visible(text)
            }
            Body::Judged(text) => {
                files::print_error(&draw_findings(&self.findings));
                judged(visible(text), colour::on_output())
            }
            Body::Page { markdown, plain } => {
                files::print_error(&draw_findings(&self.findings));
                if colour::on_output() {
                    page::rendered(&markdown)
                } else {
                    plain
                }
            }
            Body::Written { draw: false } => String::new(),
            Body::Nothing | Body::Written { draw: true } => {
                files::print_error(&draw_findings(&self.findings));
                String::new()
            }
        };
        if let Err(fault) = files::print(&text) {
            files::print_error(&draw::diagnostics(None, [&fault], colour::on_error()));
            status = MISUSED;
        }
        ExitCode::from(status)
    }

    fn status(&self) -> u8 {
        let worst = self.findings.iter().map(Finding::status).max();
        let refused = if self.refused { AT_FAULT } else { FINE };
        worst.unwrap_or(FINE).max(refused)
    }
}

/// A result as standard output shows it. Off a terminal it may be a program, which stays as it is.
fn visible(text: String) -> String {
    if std::io::stdout().is_terminal() {
        draw::visible(&text).into_owned()
    } else {
        text
    }
}

fn judged(text: String, is_coloured: bool) -> String {
    if is_coloured {
        colour::verdicts(&text)
    } else {
        text
    }
}

pub(super) fn json_findings(findings: &[Finding], several_files: bool) -> Vec<Value> {
    findings
        .iter()
        .flat_map(|finding| {
            let source = finding.source.as_ref();
            let file = source.filter(|_| several_files).map(Source::name);
            diagnostics::json(source, file, [&finding.diagnostic])
        })
        .collect()
}

/// Limit on the drawn findings of a file.
const MOST_DRAWN: usize = 20;

fn draw_findings(findings: &[Finding]) -> String {
    let colour = colour::on_error();
    let mut out = String::new();
    let name = |finding: &Finding| finding.source.as_ref().map(|it| it.name().to_owned());
    for of_file in findings.chunk_by(|one, other| name(one) == name(other)) {
        // Errors come first where not all are drawn.
        let mut shown: Vec<&Finding> = of_file.iter().collect();
        if shown.len() > MOST_DRAWN {
            let mut order: Vec<usize> = (0..shown.len()).collect();
            order.sort_by_key(|at| of_file[*at].diagnostic.severity);
            order.truncate(MOST_DRAWN);
            order.sort_unstable();
            shown = order.into_iter().map(|at| &of_file[at]).collect();
        }
        for finding in &shown {
            let source = finding.source.as_ref();
            out.push_str(&draw::diagnostics(source, [&finding.diagnostic], colour));
        }
        match of_file.len() - shown.len() {
            0 => {}
            more => out.push_str(&format!("… and {more} more\n\n")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use atgpu::diag::{Code, Message};

    fn finding(code: &str) -> Finding {
        let code = Code::find(code).expect("in the table");
        Finding::bare(Diagnostic::new(code, Message::default()))
    }

    #[test]
    fn the_status_says_whose_fault_it_is() {
        let status = |codes: &[&str]| {
            let findings = codes.iter().map(|code| finding(code)).collect();
            Reply::faults(findings, false).status()
        };
        assert_eq!(status(&[]), 0);
        assert_eq!(status(&["lint::unused"]), 0);
        assert_eq!(status(&["value::range", "lint::unused"]), 1);
        assert_eq!(status(&["name::unknown", "file::unreadable"]), 2);
        for code in [
            "data::malformed",
            "machine::key",
            "usage::value",
            "resource::memory",
            "internal::panic",
        ] {
            assert_eq!(status(&[code]), 2, "{code}");
        }
    }
}

//! `atgpu explain`: the page of a diagnostic code.

use atgpu::diag::{CODES, Code, Diagnostic};
use atgpu::text::Known;

use crate::cli::args::ExplainArgs;
use crate::cli::error::UsageError;
use crate::cli::pages;
use crate::cli::remedy::Remedy;
use crate::cli::reply::Reply;

/// Prints one page, or the list of all codes.
pub fn explain(args: &ExplainArgs) -> Reply {
    let Some(name) = &args.code else {
        return Reply::text(list());
    };
    match Code::find(name) {
        Some(code) => Reply::text(page(code)),
        None => {
            let lower = name.to_lowercase();
            let short = lower.strip_prefix("atgpu::").unwrap_or(&lower);
            let known = CODES.iter().map(|code| code.short_name());
            let part = |code: &&str| code.split("::").any(|part| part == short);
            let alike: Vec<String> = known.clone().filter(part).map(str::to_owned).collect();
            let remedy = if alike.is_empty() {
                Remedy::Codes(Known::beside(short, known))
            } else {
                Remedy::CodesWith(alike)
            };
            Reply::fault(Diagnostic::of(&UsageError::Name {
                option: "explain",
                name: name.clone(),
                problem: "no such code",
                remedy,
            }))
        }
    }
}

fn page(code: Code) -> String {
    match pages::of_code(code) {
        Some(page) => readable(page),
        None => format!("{code}: {}\n", code.summary()),
    }
}

/// A page for a terminal: marks for the tests are replaced by the commands they run.
fn readable(page: &str) -> String {
    let lines = page.lines().filter_map(|line| {
        let Some(mark) = line.strip_prefix("<!--") else {
            return Some(format!("{line}\n"));
        };
        let mut words = mark
            .trim_end_matches("-->")
            .trim()
            .strip_prefix("run: ")?
            .split(' ');
        let command = words.next()?;
        let options: String = words.map(|word| format!(" {word}")).collect();
        Some(format!("$ atgpu {command} FILE{options}\n"))
    });
    lines.collect()
}

fn list() -> String {
    let width = CODES.iter().map(|code| code.short_name().len()).max();
    CODES
        .iter()
        .map(|code| {
            let name = code.short_name();
            let width = width.unwrap_or(0);
            format!("  {name:width$}  {}\n", code.summary())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_by_its_own_page() {
        for code in CODES {
            let page = pages::of_code(*code).unwrap_or_else(|| panic!("{code} has no page"));
            let heading = format!("# `{code}`");
            assert_eq!(page.lines().next(), Some(heading.as_str()));
        }
    }
}

//! What is derived for `programs/cookbook/`: which totals are formulas, how its claims fare, and that
//! the pages of `docs/cookbook` show code and figures as they are. `every.rs` runs the programs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::support::programs::{load_file, name, path, programs};
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derivation::Verdict;
use atgpu::derive::derive;
use atgpu::program::Program;
use atgpu::report::safety::open;
use atgpu::sym::print::Names;
use serde_json::Value;

/// The totals of the table, in order.
const TOTALS: [&str; 11] = [
    "rounds",
    "time",
    "total_time",
    "io",
    "inward",
    "outward",
    "transfer",
    "transactions",
    "shared",
    "global",
    "bank_conflicts",
];

/// The totals that the document shows.
const SHOWN: [&str; 7] = [
    "rounds",
    "time",
    "io",
    "transfer",
    "shared",
    "global",
    "bank_conflicts",
];

/// Characters of a formula that are shown.
const LONGEST: usize = 160;

/// Set, the pages are written anew instead of compared.
const WRITE: &str = "ATGPU_WRITE_COOKBOOK";

/// One test, so that every program is derived once: what is derived, with the claims that were not
/// proved, and the same figures in the document.
#[test]
fn derivations_are_as_worked_out_by_hand_and_as_documented() {
    let mut table = String::new();
    let mut figures = Vec::new();
    let mut closed = 0;
    let files = programs("programs/cookbook");
    assert!(files.len() >= 30);
    for file in &files {
        let program = load_file(file).0;
        let derivation = derive(&program, &Parameters::new());
        let totals = totals(&derivation);
        let is_closed = totals.iter().all(|total| total.is_closed);
        closed += usize::from(is_closed);
        let what = if is_closed { "closed" } else { "not closed" };
        writeln!(table, "{}: {what}", name(file)).expect("a string grows");
        for total in &totals {
            let text = shortened(&total.text);
            writeln!(table, "  {:14} {text}", total.name).expect("a string grows");
        }
        for claim in &derivation.claims {
            match &claim.verdict {
                Verdict::Proved => {}
                Verdict::Tested(_) => {
                    writeln!(table, "  tested: {}", claim.text).expect("a string grows");
                }
                Verdict::Refuted(why) => panic!("{}: `{}` {why}", name(file), claim.text),
                Verdict::Open(why) => panic!("{}: `{}`: {why}", name(file), claim.text),
            }
        }
        figures.push((
            name(file),
            documented(&derivation, &totals, &safety_of(&program)),
        ));
    }
    writeln!(table, "{closed} of {} closed", files.len()).expect("a string grows");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("cookbook", table);
    });
    assert_documented(&figures);
}

/// A total as it is shown.
struct Total {
    name: &'static str,
    /// `3k`, `≤ 3k` or `?`
    text: String,
    /// Exact, and no `Σ` remains.
    is_closed: bool,
}

fn totals(derivation: &Derivation) -> Vec<Total> {
    let names = Names {
        definitions: derivation.names.clone(),
    };
    let derived = atgpu::report::derivation::json(derivation, &names);
    let total = |name: &'static str| {
        let quantity = &derived["totals"][name];
        let is_exact = quantity["exact"] == Value::Bool(true);
        let text = quantity["text"].as_str();
        Total {
            name,
            text: text.map_or("?".to_owned(), |text| {
                format!("{}{text}", if is_exact { "" } else { "≤ " })
            }),
            is_closed: is_exact && quantity["closed"] == Value::Bool(true),
        }
    };
    TOTALS.map(total).into()
}

/// What is far from a formula, as its beginning.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start} …")
}

/// The lines of a program in the document: what is derived where that is a formula, else what its
/// first claim says, and how far that is certain.
fn documented(derivation: &Derivation, totals: &[Total], safety: &str) -> String {
    let mut lines = String::new();
    for total in totals.iter().filter(|total| SHOWN.contains(&total.name)) {
        let claims = derivation.claims.iter();
        let claimed = claims.into_iter().find_map(|claim| {
            let said = claim.text.strip_prefix(total.name)?.trim_start();
            let value = said.strip_prefix("= ").unwrap_or(said);
            let how = match claim.verdict {
                Verdict::Proved => "",
                Verdict::Tested(_) => "   (tested)",
                Verdict::Refuted(_) | Verdict::Open(_) => return None,
            };
            (!said.starts_with('∈')).then(|| format!("{value}{how}"))
        });
        let is_formula = total.is_closed && total.text.chars().count() <= LONGEST;
        let text = match claimed {
            Some(claimed) if !is_formula => claimed,
            _ => shortened(&total.text),
        };
        writeln!(lines, "{:14} {text}", total.name).expect("a string grows");
    }
    writeln!(lines, "{:14} {safety}", "safety").expect("a string grows");
    lines
}

/// Whether everything is proved for every size, else how much is open and why.
fn safety_of(program: &Program) -> String {
    let safety = program.safety();
    let notes = open(&safety, program);
    assert!(!safety.is_refuted(), "{}: not safe", program.name());
    let Some(first) = notes.first() else {
        return "proved".to_owned();
    };
    let why = first.help.as_deref().unwrap_or_default();
    let why = why.split(" (no fault").next().unwrap_or_default();
    let why = why.split(": ").next().unwrap_or_default();
    let (open, all) = (notes.len(), safety.judged.len());
    format!("{open} of {all} places open ({why})")
}

/// What stands before the name of a program in a page.
const MARK: &str = "\n<!-- program: ";

/// Every program has its place in a page, with its code and its figures in the blocks below.
fn assert_documented(figures: &[(String, String)]) {
    let folder = fs::read_dir(path("docs/cookbook")).expect("the folder is there");
    let mut pages: Vec<_> = folder.map(|entry| entry.expect("listed").path()).collect();
    pages.sort();
    let mut found = Vec::new();
    for page in &pages {
        assert_page(page, figures, &mut found);
    }
    for (program, _) in figures {
        let times = found.iter().filter(|of| *of == program).count();
        assert_eq!(times, 1, "docs/cookbook: {program}");
    }
}

/// Compares a page with what it has to show, or writes it anew; the programs it shows go to `found`.
fn assert_page(page: &Path, figures: &[(String, String)], found: &mut Vec<String>) {
    let text = fs::read_to_string(page).expect("a page is text");
    let mut sections = text.split_inclusive(MARK);
    let mut written = sections.next().unwrap_or_default().to_owned();
    for section in sections {
        let of = section.split(" -->").next().unwrap_or_default();
        let (_, lines) = figures
            .iter()
            .find(|(program, _)| program == of)
            .unwrap_or_else(|| panic!("{}: no program {of}", page.display()));
        let section = with_block(section, "atgpu", &code(of));
        written.push_str(&with_block(&section, "text", lines));
        found.push(of.to_owned());
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(page, written).expect("the page can be written");
    } else {
        assert!(
            written == text,
            "{} shows other code or figures: run this test with {WRITE}=1 and read what changes",
            page.display()
        );
    }
}

/// A program as a page shows it: without its head comment, and without claims, whose figures stand below.
fn code(program: &str) -> String {
    let file = path("programs/cookbook").join(format!("{program}.atgpu"));
    let text = fs::read_to_string(file).expect("the program is there");
    text.lines()
        .skip_while(|line| !line.starts_with("algorithm "))
        .filter(|line| !line.trim_start().starts_with("claim "))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The section with other lines in its first block of a language.
fn with_block(section: &str, language: &str, lines: &str) -> String {
    let opening = format!("```{language}\n");
    let (before, rest) = section
        .split_once(&opening)
        .unwrap_or_else(|| panic!("a section without a block of {language}:\n{section}"));
    let (_, after) = rest.split_once("```\n").expect("a block ends");
    format!("{before}{opening}{lines}```\n{after}")
}

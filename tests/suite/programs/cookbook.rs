//! What is derived for `programs/cookbook/`: which totals are formulas, how its claims fare, and that
//! `docs/cookbook.md` shows them as they are. `every.rs` runs the programs.

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

/// Set, the document is written anew instead of compared.
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
    let mut lines = String::from("```text\n");
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
    lines + "```\n"
}

/// Whether everything is proved for every size, else how much is open and why.
fn safety_of(program: &Program) -> String {
    let safety = program.safety();
    let notes = open(&safety, program);
    assert!(!safety.is_refuted(), "{}: not safe", program.name);
    let Some(first) = notes.first() else {
        return "proved".to_owned();
    };
    let why = first.help.as_deref().unwrap_or_default();
    let why = why.split(" (no fault").next().unwrap_or_default();
    let why = why.split(": ").next().unwrap_or_default();
    let (open, all) = (notes.len(), safety.judged.len());
    format!("{open} of {all} places open ({why})")
}

/// Every program has its heading in the document, with its figures in the block below.
fn assert_documented(figures: &[(String, String)]) {
    let place = path("docs/cookbook.md");
    let text = fs::read_to_string(&place).expect("the document is there");
    let mut written = String::new();
    let mut sections = text.split_inclusive("\n### ");
    written.push_str(sections.next().unwrap_or_default());
    let mut found = Vec::new();
    for section in sections {
        let of = section.lines().next().unwrap_or_default().trim_matches('`');
        let (_, lines) = figures
            .iter()
            .find(|(program, _)| program == of)
            .unwrap_or_else(|| panic!("{}: no program {of}", shown(&place)));
        let (before, rest) = section
            .split_once("```text\n")
            .unwrap_or_else(|| panic!("{}: {of} has no figures", shown(&place)));
        let (_, after) = rest.split_once("```\n").expect("a block ends");
        written.push_str(&format!("{before}{lines}{after}"));
        found.push(of.to_owned());
    }
    for (program, _) in figures {
        assert!(found.contains(program), "{}: no {program}", shown(&place));
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(&place, written).expect("the document can be written");
    } else {
        assert!(
            written == text,
            "{} shows other figures: run this test with {WRITE}=1 and read what changes",
            shown(&place)
        );
    }
}

fn shown(place: &Path) -> String {
    place.display().to_string()
}

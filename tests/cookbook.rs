//! What is derived for `programs/cookbook/`: which totals are formulas, how its claims fare, and that
//! `docs/cookbook.md` shows the formulas as they are. `tests/programs.rs` runs the programs.

mod engines;

use std::fmt::Write;

use atgpu::count::Parameters;
use atgpu::derive::derivation::Verdict;
use atgpu::derive::{Derivation, derive};
use atgpu::report::json;
use atgpu::sym::print::Names;
use engines::{load_file, name, programs};
use serde_json::Value;

/// The totals shown, in order.
const SHOWN: [&str; 11] = [
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

/// Characters of a formula that the table shows.
const LONGEST: usize = 160;

#[test]
fn the_library_is_there() {
    assert!(programs("programs/cookbook").len() > 10);
}

/// A program an entry: whether it is closed, its totals, and the claims that were not proved.
#[test]
fn derivations_are_as_worked_out_by_hand() {
    let mut table = String::new();
    let mut closed = 0;
    let files = programs("programs/cookbook");
    for file in &files {
        let derivation = derivation(file);
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
            let verdict = match &claim.verdict {
                Verdict::Proved => continue,
                Verdict::Tested(_) => "tested",
                Verdict::Refuted { counterexample, .. } => {
                    panic!("{}: `{}` at {counterexample}", name(file), claim.text)
                }
                Verdict::Open(why) => panic!("{}: `{}`: {why}", name(file), claim.text),
            };
            writeln!(table, "  {verdict}: {}", claim.text).expect("a string grows");
        }
    }
    writeln!(table, "{closed} of {} closed", files.len()).expect("a string grows");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("cookbook", table);
    });
}

/// What is far from a formula, as its beginning.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start} …")
}

fn derivation(file: &std::path::Path) -> Derivation {
    derive(&load_file(file).0, &Parameters::new())
}

/// A total as the document and the snapshot show it.
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
    let derived = json::derivation(derivation, &names);
    let total = |name: &'static str| {
        let quantity = &derived["totals"][name];
        let text = quantity["text"].as_str();
        let is_exact = quantity["exact"] == Value::Bool(true);
        Total {
            name,
            text: text.map_or("?".to_owned(), |text| {
                format!("{}{text}", if is_exact { "" } else { "≤ " })
            }),
            is_closed: is_exact && quantity["closed"] == Value::Bool(true),
        }
    };
    SHOWN.map(total).into()
}

//! Advice against public times (`study/accuracy/measured.csv`): where a proposal's formulas are those of another
//! measured program, that program is the faster one in nine of ten pairs.

use std::collections::BTreeMap;

use atgpu::program::Program;

use crate::advise::advice;
use crate::support::programs::{load_file, path};

/// Families of which several versions were measured, the naive one first.
const FAMILY: [&str; 3] = [
    "measured/reduction_1_interleaved",
    "measured/reduction_2_adjacent",
    "measured/reduction_3_sequential",
];

/// The measured times of a program: by its sizes and its threads, one a card.
type Times = BTreeMap<(String, String), Vec<f64>>;

fn times(program: &str) -> Times {
    let table = std::fs::read_to_string(path("tests/suite/study/accuracy/measured.csv"));
    let table = table.expect("the table is there");
    let rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let rows = rows.filter(|row| row.len() == 12 && row[4] == program);
    rows.map(|row| {
        let times = row[8..].iter().map(|time| time.parse().expect("a number"));
        ((row[2].to_owned(), row[5].to_owned()), times.collect())
    })
    .collect()
}

/// The formulas that tell the versions apart.
fn formulas(program: &Program) -> [String; 2] {
    let derivation = program.derive().expect("its loops are bounded");
    ["total_time", "io"].map(|name| derivation.formula(name).expect("derived").to_string())
}

#[test]
fn the_preferred_version_is_the_faster_one() {
    let family = FAMILY.map(|name| load_file(&path(&format!("programs/{name}.atgpu"))).0);
    let known = family.each_ref().map(formulas);
    let (mut pairs, mut right, mut preferred) = (0, 0, Vec::new());
    for (name, program) in FAMILY.into_iter().zip(&family) {
        let advice = advice(program, ()).expect("it has a cost");
        for proposal in &advice.proposals {
            let (rewritten, _) = crate::support::programs::load(name, &proposal.text);
            let made = formulas(&rewritten);
            let same = FAMILY.iter().zip(&known).find(|(_, known)| **known == made);
            let same = same.map(|(other, _)| other);
            let Some(other) = same else {
                continue;
            };
            preferred.push((name, *other));
            let (slow, fast) = (times(name), times(other));
            for (at, slow) in &slow {
                let Some(fast) = fast.get(at) else {
                    continue;
                };
                for (slow, fast) in slow.iter().zip(fast) {
                    pairs += 1;
                    right += usize::from(fast < slow);
                }
            }
        }
    }
    assert!(
        preferred.contains(&(FAMILY[0], FAMILY[2])) && preferred.contains(&(FAMILY[1], FAMILY[2])),
        "{preferred:?}"
    );
    assert!(pairs > 100, "{pairs}");
    assert!(right * 10 >= pairs * 9, "{right} of {pairs}: {preferred:?}");
}

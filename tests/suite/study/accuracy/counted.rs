//! What is counted of a program at a point, as a line of text: rounds, and what the cards charge.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use crate::study::accuracy::folder;
use crate::study::accuracy::points::Point;
use crate::support::programs::{load_file, path};
use atgpu::count::{ArrayBlocks, ByKind, Charged, Charges, Counts, Kind, Round};
use atgpu::interval::{self, CountOptions};
use atgpu::number::{BigInt, Rational};

/// Counts and charges: what the models look at.
#[derive(Debug, Clone)]
pub struct Counted {
    /// Core-steps that counting took.
    pub work: u64,
    pub counts: Counts<BigInt>,
    pub charged: Charged,
}

const HEAD: &str = "# What the programs of measured.csv count at its points; made by the tests beside it.
# rounds: times k t q m g read/written of each array; charges: times k compute transactions bytes conflicts, kinds
program,values,bytes,work,rounds,charges
";

/// Counts without data. The cards charge alike: sectors, a bank a core.
pub fn count(point: &Point) -> Counted {
    let machine = point.machine("rtx2060");
    let (program, _) = load_file(&path("programs").join(format!("{}.atgpu", point.program)));
    let at = atgpu::meaning::Point::new(&program, machine.atgpu.numbers(), &point.formals());
    let at = at.expect("the program admits it");
    let options = CountOptions {
        cycle_rules: Some(machine.rules()),
        ..CountOptions::default()
    };
    let going = |_| ControlFlow::Continue(());
    let counted = interval::count(&program, &at, &options, &going).expect("countable");
    assert!(counted.bounds.is_empty(), "{}: a bound", point.key());
    let mut counts = Counts::default();
    for (times, round) in &counted.counts.rounds {
        let arrays = round.arrays.iter().map(|(name, blocks)| {
            let blocks = ArrayBlocks {
                read: blocks.read.upper.clone(),
                write: blocks.write.upper.clone(),
            };
            (name.clone(), blocks)
        });
        counts.totals.io += &(round.io.upper.clone() * BigInt::from(*times));
        counts.rounds.push((
            *times,
            Round {
                launched_mps: round.launched_mps.upper.clone(),
                time: round.time.upper.clone(),
                io: round.io.upper.clone(),
                shared_words: round.shared_words.upper.clone(),
                global_words: round.global_words.upper.clone(),
                arrays: arrays.collect(),
                ..Round::default()
            },
        ));
    }
    Counted {
        work: counted.work,
        counts,
        charged: counted.charges.expect("asked for"),
    }
}

impl Counted {
    /// The part of its line that says what was counted.
    pub fn text(&self) -> String {
        let rounds = self.counts.rounds.iter().map(|(times, round)| {
            let mut text = format!(
                "{times} {} {} {} {} {}",
                round.launched_mps, round.time, round.io, round.shared_words, round.global_words
            );
            for blocks in round.arrays.values() {
                write!(text, " {}/{}", blocks.read, blocks.write).expect("a string grows");
            }
            text
        });
        let charges = self.charged.rounds.iter().map(|(times, round)| {
            let bytes = round.memory_bytes.as_ref().expect("sectors tell bytes");
            let mut text = format!(
                "{times} {} {} {} {bytes} {}",
                round.launched_mps, round.compute, round.memory_transactions, round.bank_conflicts
            );
            for (_, number) in round.kinds.iter() {
                write!(text, " {number}").expect("a string grows");
            }
            text
        });
        let joined = |parts: Vec<String>| parts.join("; ");
        format!("{},{}", joined(rounds.collect()), joined(charges.collect()))
    }
}

/// What is kept, by what it depends on.
pub fn read() -> BTreeMap<String, Counted> {
    let text = std::fs::read_to_string(folder().join("counted.csv")).expect("it is there");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(line).collect()
}

fn line(line: &str) -> (String, Counted) {
    let cells: Vec<&str> = line.split(',').collect();
    let [program, values, bytes, work, rounds, charges] = cells[..] else {
        panic!("{line}");
    };
    let whole = |text: &str| text.parse::<BigInt>().expect("whole");
    let number = |text: &str| Rational::from(whole(text));
    let times = |text: &str| text.parse::<u64>().expect("times");
    let mut counts = Counts::default();
    for round in rounds.split("; ") {
        let parts: Vec<&str> = round.split(' ').collect();
        let arrays = parts[6..].iter().enumerate().map(|(at, pair)| {
            let (read, write) = pair.split_once('/').expect("two numbers");
            let blocks = ArrayBlocks {
                read: whole(read),
                write: whole(write),
            };
            (at.to_string(), blocks)
        });
        counts.totals.io += &(whole(parts[3]) * whole(parts[0]));
        counts.rounds.push((
            times(parts[0]),
            Round {
                launched_mps: whole(parts[1]),
                time: whole(parts[2]),
                io: whole(parts[3]),
                shared_words: whole(parts[4]),
                global_words: whole(parts[5]),
                arrays: arrays.collect(),
                ..Round::default()
            },
        ));
    }
    let charge = |round: &str| {
        let parts: Vec<&str> = round.split(' ').collect();
        let charges = Charges {
            launched_mps: number(parts[1]),
            compute: number(parts[2]),
            memory_transactions: number(parts[3]),
            memory_bytes: Some(number(parts[4])),
            bank_conflicts: number(parts[5]),
            kinds: ByKind::from_fn(|kind| number(parts[6 + place(kind)])),
            ..Charges::default()
        };
        (times(parts[0]), charges)
    };
    let counted = Counted {
        work: work.parse().expect("core-steps"),
        counts,
        charged: Charged {
            rounds: charges.split("; ").map(charge).collect(),
            is_exact: true,
        },
    };
    (format!("{program},{values},{bytes}"), counted)
}

fn place(kind: Kind) -> usize {
    let mut all = Kind::ALL.iter();
    all.position(|other| *other == kind).expect("listed")
}

/// Counts all points anew, but those that are kept.
pub fn write(points: &[Point], kept: &BTreeMap<String, Counted>) {
    let mut lines = BTreeMap::new();
    for point in points.iter().filter(|point| !point.program.is_empty()) {
        lines.entry(point.key()).or_insert_with(|| {
            let counted = kept.get(&point.key()).cloned();
            let counted = counted.unwrap_or_else(|| count(point));
            format!("{},{}", counted.work, counted.text())
        });
    }
    let mut text = HEAD.to_owned();
    for (key, line) in lines {
        writeln!(text, "{key},{line}").expect("a string grows");
    }
    std::fs::write(folder().join("counted.csv"), text).expect("writable");
}

//! What a GPU's own counters say of launches, beside what is counted of them here: blocks, sectors, conflicts of
//! banks. `counters.csv` holds them, with how they were taken.

use std::collections::BTreeMap;

use crate::study::accuracy::folder;
use crate::support::programs::{load_file, path};
use atgpu::count::Parameters;
use atgpu::exec::{Execution, Options, Unwatched};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::Rational;

/// Bytes of a sector.
const SECTOR: i64 = 32;

/// Kernels of which the counter has fewer conflicts than the program: compilers keep a word in a register that the
/// program reads again; and of atomics on shared memory another counter tells.
const FEWER_CONFLICTS: [&str; 4] = [
    "cookbook/odd_even_transposition_sort",
    "cookbook/scan_blelloch",
    "measured/histogram_shared",
    "paper2/partial_histograms",
];

/// A launch: its sectors, its blocks where they were asked for, its conflicts.
type Launch = (Rational, Option<Rational>, Rational);

/// The launches that were counted, by program and values.
fn counted_there() -> BTreeMap<(String, String), Vec<Launch>> {
    let text = std::fs::read_to_string(folder().join("counters.csv")).expect("it is there");
    let mut all: BTreeMap<_, Vec<Launch>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [program, values, _, sectors, lines, conflicts] = cells[..] else {
            panic!("{line}");
        };
        let number = |cell: &str| cell.parse::<i64>().ok().map(Rational::from);
        let launch = (
            number(sectors).expect("counted"),
            number(lines),
            number(conflicts).expect("counted"),
        );
        let of = (program.to_owned(), values.to_owned());
        all.entry(of).or_default().push(launch);
    }
    all
}

/// The launches as the interpreter counts them: sectors, blocks, conflicts.
fn counted_here(program: &str, values: &str) -> Vec<[Rational; 3]> {
    let card = Machine::built_in("h100").expect("built in");
    let (program, _) = load_file(&path("programs").join(format!("{program}.atgpu")));
    let pairs = values.split(' ').map(|pair| {
        let (name, value) = pair.split_once('=').expect("a value");
        (name, value.parse::<i64>().expect("whole"))
    });
    let formals: Parameters = pairs.collect();
    let at = Point::new(&program, card.atgpu.numbers(), &formals).expect("admitted");
    let options = Options {
        cycle_rules: Some(card.rules()),
        skip_ensures: true,
        ..Options::default()
    };
    let run = Execution::prepare(&program, &at, &options).and_then(|mut it| it.run(&Unwatched));
    let outcome = run.expect("it runs");
    let blocks = outcome.counts.rounds.iter().flat_map(|(times, round)| {
        let launches = Rational::from(&round.launched_mps).signum() > 0;
        std::iter::repeat_n(
            Rational::from(&round.io),
            *times as usize * usize::from(launches),
        )
    });
    let charges = outcome.charges.expect("asked for").rounds;
    let charges = charges.into_iter().flat_map(|(times, round)| {
        let bytes = round.memory_bytes.unwrap_or_default();
        let sectors = bytes.checked_div(&SECTOR.into()).expect("32 is not 0");
        let launches = round.launched_mps.signum() > 0;
        let both = (sectors, round.bank_conflicts);
        std::iter::repeat_n(both, times as usize * usize::from(launches))
    });
    let all = blocks.zip(charges);
    all.map(|(blocks, (sectors, conflicts))| [sectors, blocks, conflicts])
        .collect()
}

/// What a GPU counts of its launches is what is counted here: sectors and blocks of all, conflicts of all but four.
#[test]
fn counters_of_a_gpu_are_what_is_counted() {
    let all = counted_there();
    let (mut launches, mut blocks_too, mut conflicts_too) = (0, 0, 0);
    for ((program, values), there) in &all {
        let here = counted_here(program, values);
        assert!(here.len() >= there.len(), "{program} {values}");
        for (at, (mine, (sectors, blocks, conflicts))) in here.iter().zip(there).enumerate() {
            let what = format!("{program} {values}, launch {at}");
            assert_eq!(&mine[0], sectors, "sectors of {what}");
            if let Some(blocks) = blocks {
                assert_eq!(&mine[1], blocks, "blocks of {what}");
                blocks_too += 1;
            }
            if FEWER_CONFLICTS.contains(&program.as_str()) {
                assert!(&mine[2] >= conflicts, "conflicts of {what}")
            } else {
                assert_eq!(&mine[2], conflicts, "conflicts of {what}")
            }
            conflicts_too += usize::from(&mine[2] == conflicts);
            launches += 1;
        }
    }
    assert_eq!(
        (all.len(), launches, blocks_too, conflicts_too),
        (83, 191, 83, 187)
    );
}

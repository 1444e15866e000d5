//! A machine fitted to one family's measured times and asked for another's: rows of docs/accuracy.md.

use crate::study::accuracy::CARDS;
use crate::study::accuracy::points::Point;
use crate::support::programs::{load_file, path};
use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::machine::Machine;
use atgpu::study::{Calibration, Counting, Prepared, Weights, calibrate, observations};

/// Programs that move their words through memory once, each the plainest of its family.
const STREAMING: [&str; 2] = ["measured/addition_by_rows", "measured/reduction_6_unrolled"];

/// Milliseconds from which a time is more than launches.
const LONG: f64 = 0.2;

/// A card's calibration from its own times.
pub fn fitted(card: &str) -> Calibration {
    let at = CARDS
        .iter()
        .position(|known| *known == card)
        .expect("listed");
    let points = Point::all();
    let (mut programs, mut observed) = (Vec::new(), Vec::new());
    for file in STREAMING {
        let (program, _) = load_file(&path("programs").join(format!("{file}.atgpu")));
        let names = program
            .formals
            .iter()
            .map(|formal| &program.parameter(*formal).name);
        let names: Vec<&String> = names.collect();
        let mut text = String::from("program,kernel_ms");
        names.iter().for_each(|name| text += &format!(",{name}"));
        let mine = points.iter().filter(|point| point.program == file);
        for point in mine.filter(|point| point.measured[at] >= LONG) {
            text += &format!("\n{},{}", program.name, point.measured[at]);
            let formals = point.formals();
            let values = names.iter().map(|name| formals.get(name).expect("given"));
            values.for_each(|value| text += &format!(",{value}"));
        }
        observed.extend(observations(&text).expect("well formed"));
        programs.push(program);
    }
    let derivations: Vec<_> = programs
        .iter()
        .map(|program| derive(program, &Parameters::new()))
        .collect();
    let prepared: Vec<_> = programs
        .iter()
        .zip(&derivations)
        .map(|(program, derivation)| Prepared::new(program, Some(derivation)))
        .collect();
    let machine = Machine::built_in(card).expect("built in");
    let found = calibrate(
        &prepared,
        &machine,
        &Parameters::new(),
        &observed,
        Weights::Relative,
        Counting::Briefly,
    );
    found.unwrap_or_else(|faults| panic!("{card}: {faults:?}"))
}

/// What was fitted says of its own times at least what it says of those left out, on real times too.
#[test]
fn times_left_out_are_no_nearer_than_those_fitted() {
    for card in CARDS {
        let found = fitted(card);
        assert!(found.is_fitted(), "{card}");
        let (left_out, _) = found.left_out.expect("there are enough");
        assert!(left_out >= found.error.0 * 0.99, "{card}: {left_out}");
        assert_eq!(found.programs.len(), STREAMING.len());
    }
}

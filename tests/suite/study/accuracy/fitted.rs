//! A machine fitted to one family's measured times and asked for another's: rows of docs/lab/kernels.md.

use std::sync::OnceLock;

use crate::study::accuracy::CARDS;
use crate::study::accuracy::points::Point;
use crate::support::programs::{load_file, path};
use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::study::{Calibration, Counting, Prepared, Weights, calibrate, observations};

/// Programs that move their words through memory once, each the plainest of its family.
const STREAMING: [&str; 2] = ["measured/addition_by_rows", "measured/reduction_6_unrolled"];

/// Milliseconds from which a time is more than launches.
const LONG: f64 = 0.2;

/// Times that a fit needs.
const ENOUGH: usize = 4;

/// Each card's calibration from its own times, once for all tests.
pub fn fitted() -> &'static [(&'static str, Calibration)] {
    static FITTED: OnceLock<Vec<(&'static str, Calibration)>> = OnceLock::new();
    FITTED.get_or_init(|| {
        let file = |name: &str| load_file(&path("programs").join(format!("{name}.atgpu"))).0;
        let programs = STREAMING.map(file);
        let derived = |program| derive(program, &Parameters::new());
        let derivations = programs.each_ref().map(derived);
        let both = programs.iter().zip(&derivations);
        let prepared: Vec<Prepared<'_>> = both
            .map(|(program, derivation)| Prepared::new(program, Some(derivation)))
            .collect();
        let points = Point::all();
        let is_enough = |at: usize| {
            let is_of = |point: &&Point| STREAMING.contains(&point.program.as_str());
            let of_fit = points.iter().filter(is_of);
            of_fit.filter(|point| point.measured[at] >= LONG).count() >= ENOUGH
        };
        // A card may be through with all sizes before that.
        let cards = CARDS
            .into_iter()
            .enumerate()
            .filter(|(at, _)| is_enough(*at));
        cards
            .map(|(at, card)| (card, of_card(&programs, &prepared, card, at)))
            .collect()
    })
}

/// From the times in the column of a card.
fn of_card(programs: &[Program], prepared: &[Prepared<'_>], card: &str, at: usize) -> Calibration {
    let points = Point::all();
    let mut observed = Vec::new();
    for (file, program) in STREAMING.iter().zip(programs) {
        let names = program.formals().iter();
        let names: Vec<&String> = names
            .map(|formal| &program.parameter(*formal).name)
            .collect();
        let mut text = String::from("program,kernel_ms");
        names.iter().for_each(|name| text += &format!(",{name}"));
        let mine = points.iter().filter(|point| point.program == *file);
        for point in mine.filter(|point| point.measured[at] >= LONG) {
            text += &format!("\n{},{}", program.name(), point.measured[at]);
            let formals = point.formals();
            let values = names.iter().map(|name| formals.get(name).expect("given"));
            values.for_each(|value| text += &format!(",{value}"));
        }
        observed.extend(observations(&text).expect("well formed"));
    }
    let found = calibrate(
        prepared,
        &Machine::built_in(card).expect("built in"),
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
    assert_eq!(fitted().len(), 3);
    for (card, found) in fitted() {
        assert!(found.is_fitted(), "{card}");
        let (left_out, _) = found.left_out.expect("there are enough");
        assert!(left_out >= found.error.0 * 0.99, "{card}: {left_out}");
        assert_eq!(found.programs.len(), STREAMING.len());
    }
}

//! Random programs: for each, what is derived, what is counted without data and what is counted
//! while running agree at several points; the counts depend on neither spelling nor threads; and an
//! `if` around a kernel costs its condition.
//!
//! `ATGPU_GENERATED=20000 cargo test --release --test generated` tries more than the usual number
//! of programs, `ATGPU_GENERATED_SEED=7` others, `ATGPU_GENERATED_SORTED=100` only such as may have sorted
//! inputs, `ATGPU_GENERATED_CURVED=60` with so many in a hundred terms of indexes that are squares, products, packed
//! triangles, quotients or remainders; `ATGPU_GENERATED_SLOW=2` prints those whose derivation takes 2 seconds or more.

mod generator;
mod rewrites;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::support::engines::{self, Choice, Random};
use crate::support::programs::load;
use crate::verify::generated::generator::charges::charged_otherwise;
use crate::verify::generated::generator::counts::{Seen, disagreement};
use crate::verify::generated::generator::reduce::reduce;
use crate::verify::generated::generator::safe::{Tried, wrongly_judged, wrongly_judged_slips};
use crate::verify::generated::generator::{Choices, data};
use atgpu::count::Parameters;
use atgpu::derivation::Verdict as DerivedVerdict;
use atgpu::exec::{Execution, Options, Outcome, Unwatched};
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::syntax::{Spelling, format};
use atgpu::text::Source;
use atgpu::verify::{self, Verdict};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Programs tried where no other number is asked for: a build without optimisation takes some
/// twenty times as long for each.
const PROGRAMS: u32 = if cfg!(debug_assertions) { 200 } else { 4000 };
/// Of a hundred, those that may have sorted inputs.
const SORTED: u32 = 40;
/// Points of each.
const POINTS: usize = 5;
/// Core-steps after which a point takes a test too long.
const WORK: u64 = 60_000;
/// The most words of one variable.
const WORDS: i64 = 6_000;

#[test]
fn derivation_counting_and_execution_agree_on_generated_programs() {
    let seen = RefCell::new(Seen::default());
    for_programs(PROGRAMS, |text, seed| {
        let mut tally = seen.borrow().clone();
        let found = disagreement(text, seed, &mut tally);
        *seen.borrow_mut() = tally;
        found
    });
    let seen = seen.into_inner();
    println!("{seen:#?}\n{}", seen.slowest.1);
    assert!(seen.compared * 2 > seen.points, "{seen:?}");
    assert!(seen.faulty * 20 < seen.points, "{seen:?}");
    let [sorted, bounded, smaller] = seen.sorted;
    assert!(sorted * 5 > seen.programs, "{seen:?}");
    assert!(bounded * 4 > sorted && smaller * 8 > sorted, "{seen:?}");
}

/// Draws programs, each with a seed for all that is random about it, until one has a fault: that
/// one is reduced and shown.
fn for_programs(many: u32, fault: impl Fn(&str, u64) -> Option<String>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let cases = number("ATGPU_GENERATED").map_or(many, |all: u32| all * many / PROGRAMS);
    let seed: u32 = number("ATGPU_GENERATED_SEED").unwrap_or(0);
    let sorted = number("ATGPU_GENERATED_SORTED").unwrap_or(SORTED) as usize;
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 0,
        ..Config::default()
    };
    let mut bytes = [0x5A; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, random);
    let strategy = (vec(any::<u16>(), 10..160), any::<u64>());
    let verdict = runner.run(&strategy, |(choices, seed)| {
        let text = generator::program(&mut Choices::new(&choices), sorted);
        if let Some(first) = fault(&text, seed) {
            let kind = kind_of(&first);
            let same = |text: &str| {
                is_sound(text) && fault(text, seed).is_some_and(|why| kind_of(&why) == kind)
            };
            let small = reduce(&text, &same);
            let why = fault(&small, seed).unwrap_or(first);
            return Err(TestCaseError::fail(format!(
                "{why}\n\n{small}\nfrom\n\n{text}"
            )));
        }
        Ok(())
    });
    if let Err(failure) = verdict {
        let text = failure.to_string();
        panic!(
            "{}",
            text.split("minimal failing input").next().unwrap_or(&text)
        );
    }
}

/// The part of a fault that stays while a program gets smaller.
fn kind_of(why: &str) -> &str {
    why.split(':').next().unwrap_or(why)
}

fn is_sound(text: &str) -> bool {
    let source = Source::new("generated", text);
    let parsed = atgpu::syntax::parse(&source);
    let Some(algorithm) = parsed.algorithm.filter(|_| parsed.diagnostics.is_empty()) else {
        return false;
    };
    atgpu::check::check(&source, &algorithm).program.is_some()
}

/// Points with small parameters, drawn from a seed.
fn points(program: &Program, seed: u64) -> Vec<Choice> {
    let mut random = Random::new(seed);
    let mut found: Vec<Choice> = Vec::new();
    for _ in 0..POINTS * 12 {
        if found.len() == POINTS {
            break;
        }
        let width = [1, 2, 3, 4, 5, 7, 8, 2, 3, 4][random.below(10) as usize];
        let values: Vec<(String, i64)> = program
            .formals()
            .iter()
            .map(|formal| {
                let name = program.parameter(*formal).name.clone();
                let value = match (name.as_str(), random.below(4)) {
                    ("n", 0 | 1) => width * (random.below(4) as i64 + 1),
                    ("n", _) => random.below(20) as i64,
                    _ => random.below(6) as i64,
                };
                (name, value)
            })
            .collect();
        let fresh = found
            .iter()
            .all(|choice| choice.values != values || choice.machine[1] != width);
        if fresh && let Some(choice) = engines::choice(program, width, values) {
            let words = choice.point.extents.iter().map(|extents| {
                let one = BigInt::from(1);
                extents.iter().fold(one, |words, extent| words * extent)
            });
            if words.max().unwrap_or_default() <= BigInt::from(WORDS) {
                found.push(choice);
            }
        }
    }
    found
}

/// Prints a program that took at least the seconds of `ATGPU_GENERATED_SLOW` to derive.
fn tell_if_slow(took: Duration, text: &str) {
    let seconds = std::env::var("ATGPU_GENERATED_SLOW").ok();
    let slow = seconds.and_then(|seconds| seconds.parse().ok());
    if slow.is_some_and(|slow: f64| took.as_secs_f64() >= slow) {
        println!("{took:?} to derive\n{text}");
    }
}

fn run(program: &Program, choice: &Choice, seed: u64, threads: usize) -> Result<Outcome, String> {
    let options = Options {
        inputs: data::inputs(program, &choice.point, seed)
            .into_iter()
            .collect(),
        seed,
        threads,
        ..Options::default()
    };
    Execution::prepare(program, &choice.point, &options)
        .and_then(|mut execution| execution.run(&Unwatched))
        .map_err(|faults| faults[0].message.to_string())
}

/// What `check` calls proved of a program, or of the same with a slip in it, no run contradicts; what
/// it refutes faults there.
#[test]
fn no_run_contradicts_what_is_proved_of_a_generated_program() {
    let tried = RefCell::new(Tried::default());
    for_programs(PROGRAMS / 10, |text, seed| {
        let mut tally = *tried.borrow();
        let found = wrongly_judged(text, seed, &mut tally);
        *tried.borrow_mut() = tally;
        found
    });
    assert_tried(tried.into_inner());
}

/// The same of the programs of the crate with one to three slips in each. `ATGPU_SLIPS=100000` tries
/// more of them, for as long as `ATGPU_SLIPS_SECONDS` says, `ATGPU_GENERATED_SEED=7` others.
#[test]
fn no_run_contradicts_what_is_proved_of_a_program_with_slips() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let programs: u64 = number("ATGPU_SLIPS").unwrap_or(u64::from(PROGRAMS / 4));
    let seed: u64 = number("ATGPU_GENERATED_SEED").unwrap_or(0);
    let end = number("ATGPU_SLIPS_SECONDS").map(Duration::from_secs);
    let begin = Instant::now();
    let mut tried = Tried::default();
    for number in 0..programs {
        if end.is_some_and(|end| begin.elapsed() >= end) {
            break;
        }
        let seed = (seed << 32 | number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if let Some(why) = wrongly_judged_slips(seed, &mut tried) {
            panic!("{why}\nafter {tried:?}");
        }
        if number % 1000 == 999 {
            println!("{tried:?}");
        }
    }
    assert_tried(tried);
}

fn assert_tried(tried: Tried) {
    println!("{tried:?}");
    assert!(tried.proved > 2 * tried.programs, "{tried:?}");
    assert!(tried.faulty * 50 > tried.runs, "{tried:?}");
    assert!(tried.refuted * 20 > tried.programs, "{tried:?}");
}

/// What machines charge: from closed forms, by counting and by running alike, where the first two say
/// they are exact; never less where they are bounds.
#[test]
fn charges_of_generated_programs_agree() {
    let seen = RefCell::new((0, 0, 0));
    for_programs(PROGRAMS / 4, |text, seed| {
        let mut tally = *seen.borrow();
        let found = charged_otherwise(text, seed, &mut tally);
        *seen.borrow_mut() = tally;
        found
    });
    let (points, derived, counted) = seen.into_inner();
    println!("{points} points, {derived} derived exactly, {counted} counted exactly");
    assert!(derived * 8 > points && counted * 4 > points);
}

#[test]
fn the_spelling_and_the_threads_change_no_count_of_a_generated_program() {
    for_programs(PROGRAMS / 10, |text, seed| {
        let (program, _) = load("generated", text);
        let spell = |text: &str, spelling| {
            format(&Source::new("spelt", text), spelling).expect("it parses")
        };
        let ascii = spell(text, Spelling::Ascii);
        let unicode = spell(&ascii, Spelling::Unicode);
        if unicode != spell(text, Spelling::Unicode) {
            return Some("spelling: ASCII and back is another program".to_owned());
        }
        let spelt = [ascii, unicode].map(|text| load("spelt", &text).0);
        for choice in points(&program, seed).iter().take(2) {
            let Ok(plain) = run(&program, choice, seed, 1) else {
                continue;
            };
            let same = |other: Result<Outcome, String>| {
                other.is_ok_and(|other| {
                    other.counts == plain.counts && other.lane_operations == plain.lane_operations
                })
            };
            if !same(run(&program, choice, seed, 2)) {
                return Some(format!("threads: at {}", choice.label));
            }
            for spelt in &spelt {
                let again = engines::choice(spelt, choice.machine[1], choice.values.clone());
                let again = again.expect("what one spelling admits, the other does");
                if !same(run(spelt, &again, seed, 1)) {
                    return Some(format!("spelling: at {}", choice.label));
                }
            }
        }
        None
    });
}

/// In a kernel of which a core loop is wrapped so, every MP does one operation more.
#[test]
fn an_if_that_always_holds_costs_its_condition() {
    for_programs(PROGRAMS / 10, |text, seed| {
        let wrapped = wrapped(text);
        let [plain, more] = [text, &wrapped].map(|text| load("wrapped", text).0);
        let derivation = atgpu::derive::derive(&more, &Parameters::new());
        for choice in points(&plain, seed).iter().take(2) {
            let Ok(before) = run(&plain, choice, seed, 1) else {
                continue;
            };
            let again = engines::choice(&more, choice.machine[1], choice.values.clone());
            let again = again.expect("the header is the same");
            let Ok(after) = run(&more, &again, seed, 1) else {
                return Some(format!("wrapped: at {}: a fault", choice.label));
            };
            let mut expected = engines::unrolled(&before.counts.rounds);
            for round in &mut expected {
                if round.launched_mps > BigInt::from(0) {
                    round.time += 1;
                }
            }
            if engines::unrolled(&after.counts.rounds) != expected {
                return Some(format!("wrapped: at {}", choice.label));
            }
            let verdict = verify::verify(&more, &derivation, &again.point, &after.counts);
            if let Verdict::Differs(list) = verdict {
                return Some(format!(
                    "wrapped and derived: at {}: {}",
                    choice.label, list[0]
                ));
            }
        }
        None
    });
}

/// The program with the first core loop of every kernel in an `if` that always holds.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut open: Option<usize> = None;
    let mut is_done = false;
    for line in text.lines() {
        let opens = line.ends_with(" do") || line.ends_with(" then");
        if opens {
            depth += 1;
        }
        if line.starts_with("for all mp_") {
            is_done = false;
        }
        if line.starts_with("end ") && line != "end kernel" {
            if open == Some(depth) {
                lines.push("end if".to_owned());
                open = None;
            }
            depth -= 1;
        }
        lines.push(line.to_owned());
        if line.starts_with("for all c_") && !is_done {
            lines.push("if j ≥ 0 then".to_owned());
            open = Some(depth);
            is_done = true;
        }
    }
    lines.join("\n") + "\n"
}

/// Any exact closed form can be pasted into a claim, where it is proved; one more is not.
#[test]
fn the_derived_formulas_of_a_generated_program_are_proved_as_claims() {
    for_programs(PROGRAMS / 10, |text, seed| {
        let (program, _) = load("generated", text);
        let derivation = atgpu::derive::derive(&program, &Parameters::new());
        let named = derivation.totals.named();
        let closed = named.iter().filter_map(|(name, total)| {
            let form = total.upper.as_ref().filter(|form| form.is_closed())?;
            total.is_exact().then(|| (name, form.to_string()))
        });
        let mut lines = Vec::new();
        let closed: Vec<_> = closed.collect();
        // One a program: false claims are tried at many points.
        for (name, form) in closed.iter().cycle().skip(seed as usize % 11).take(1) {
            lines.push((true, format!("claim {name} = {form}")));
            lines.push((true, format!("claim {name} ≤ {form}")));
            lines.push((false, format!("claim {name} = {form} + 1")));
            lines.push((false, format!("claim {name} ≤ {form} - 1")));
        }
        let claims: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        let (head, rest) = text.split_once('\n').expect("the first line is the head");
        let claiming = format!("{head}\n{}\n{rest}", claims.join("\n"));
        if !is_sound(&claiming) {
            return Some(format!("no claim: {}", claims.join("; ")));
        }
        let (claiming, _) = load("claiming", &claiming);
        let judged = atgpu::derive::derive(&claiming, &Parameters::new()).claims;
        lines
            .iter()
            .zip(judged)
            .find_map(|((is_true, line), claim)| {
                let is_proved = claim.verdict == DerivedVerdict::Proved;
                (is_proved != *is_true).then(|| format!("verdict: {line}: {:?}", claim.verdict))
            })
    });
}

//! Bounds are close: no total or cost that a report shows is far above what is counted.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::support::engines::{Choice, Random, choice, numbers};
use crate::support::programs::{DerivedFile, derived_file, name, path, programs};
use atgpu::count::{Counts, Interval, Quantity};
use atgpu::derivation::Derivation;
use atgpu::interval::{CountOptions, count};
use atgpu::number::{BigInt, Rational};
use atgpu::program::Program;
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::{Expr, Symbol};

use super::total::value;

/// The blocks that programs are tried with.
const WIDTHS: [i64; 3] = [2, 3, 8];

/// Core-steps that one point may take.
const WORK: u64 = 10_000;

/// Points that each width is tried at.
const POINTS: usize = 4;

/// Sizes around multiples of b, up to 10,000 MPs.
fn size(random: &mut Random, width: i64) -> i64 {
    let times = [1, 1, 2, 2, 3, 4, 7, 8, 16];
    let times = times[random.below(times.len() as u64) as usize];
    let near = [-1, 0, 0, 0, 1][random.below(5) as usize];
    match random.below(6) {
        0 => 1 + random.below(4) as i64,
        1 => 1 << random.below(7),
        2 => width.saturating_pow(1 + random.below(3) as u32),
        _ => (width * times + near).max(1),
    }
}

/// The points of a program, by width.
fn points(program: &Program) -> Vec<Choice> {
    let mut random = Random::new(5);
    let mut found: Vec<Choice> = Vec::new();
    for width in WIDTHS {
        let before = found.len();
        for _ in 0..POINTS * 40 {
            let values = program.formals().iter().map(|id| {
                let value = size(&mut random, width);
                (program.parameter(*id).name.clone(), value)
            });
            let values: Vec<(String, i64)> = values.collect();
            let is_new = found[before..].iter().all(|other| other.values != values);
            if is_new {
                found.extend(choice(program, width, values));
            }
            if found.len() - before == POINTS {
                break;
            }
        }
    }
    found
}

/// The counts at a point: of exact forms, or by counting.
fn counted(
    program: &Program,
    derivation: &Derivation,
    choice: &Choice,
) -> Option<Counts<Interval>> {
    let options = CountOptions {
        work_limit: Some(WORK),
        ..CountOptions::default()
    };
    let going = |_| ControlFlow::Continue(());
    if let Some(known) = numbers(program, derivation, choice)
        && known.is_exact()
    {
        return Some(known);
    }
    let counted = count(program, &choice.point, &options, &going).ok()?;
    (counted.faults.is_empty() && counted.counts.is_exact()).then_some(counted.counts)
}

/// What the letters are: first a card where operations and blocks weigh, then one where transfers do.
const LETTERS: [[i64; 7]; 2] = [[0, 0, 1, 100, 0, 4, 16], [1000, 1, 1, 10, 1000, 4, 16]];

struct Point<'c> {
    choice: &'c Choice,
    letters: [i64; 7],
}

impl Point<'_> {
    fn value(&self, symbol: &Symbol) -> Option<f64> {
        let names = ["α", "β", "γ", "λ", "σ", "k'", "H"];
        let own = self.choice.values.iter();
        let own = own.map(|(name, value)| (name.as_str(), *value));
        let machine = ["p", "b", "M", "G"].into_iter().zip(self.choice.machine);
        let letters = names.into_iter().zip(self.letters);
        let mut all = own.chain(machine).chain(letters);
        let found = all.find(|(name, _)| **name == *symbol.name);
        found.map(|(_, value)| value as f64)
    }

    fn of(&self, derivation: &Derivation, expr: &Expr) -> Option<f64> {
        let printer = Printer::new(&Names::default());
        let at = |symbol: &Symbol| {
            let parameter = |symbol: &Symbol| self.value(symbol).unwrap_or(f64::NAN);
            match (&*symbol.name, &derivation.occupancy) {
                ("ℓ", Some(form)) => value(&printer.shape(form), &parameter).unwrap_or(f64::NAN),
                _ => parameter(symbol),
            }
        };
        let value = value(&printer.shape(expr), &at)?;
        value.is_finite().then_some(value)
    }

    /// Expressions (1) and (2) of counts.
    fn cost(&self, counts: &Counts<Interval>, in_waves: bool) -> Rational {
        let [alpha, beta, gamma, lambda, sigma, mps, most] = self.letters.map(BigInt::from);
        let room = BigInt::from(self.choice.machine[2]);
        let mut sum = BigInt::from(0);
        for (times, round) in &counts.rounds {
            let words = &round.inward.words.upper + &round.outward.words.upper;
            let starts = &round.inward.transactions.upper + &round.outward.transactions.upper;
            let shared = &round.shared_words.upper;
            let resident = if *shared == BigInt::from(0) {
                most.clone()
            } else {
                most.clone().min(&room / shared)
            };
            let at_once = &mps * &resident;
            let waves = (&round.launched_mps.upper + &at_once - BigInt::from(1)) / &at_once;
            let waves = if in_waves { waves } else { BigInt::from(1) };
            let one = &alpha * &starts
                + &beta * &words
                + (&waves * &round.time.upper + &lambda * &round.io.upper) / &gamma
                + &sigma;
            sum += &one * BigInt::from(*times);
        }
        Rational::from(sum)
    }
}

/// A bound that a report shows, with the largest multiple of a count that it is.
struct Shown {
    place: String,
    form: String,
    most: f64,
    at: String,
}

/// Whether a report shows a quantity in one line: a total or cost of several rounds that is not close is shown by rounds.
fn is_in_one_line(derivation: &Derivation, which: Quantity) -> bool {
    let rounds = derivation.totals.rounds.upper.as_ref();
    let rounds = rounds.and_then(|rounds| rounds.as_rational());
    let is_one = rounds.is_some_and(|rounds| rounds <= 1.into());
    let is_cost = matches!(which, Quantity::Cost | Quantity::GpuCost);
    is_one && !is_cost || !derivation.loose.contains(&which)
}

/// The totals and costs that are shown of a program by a bound, none of which data decide.
fn shown_of(file: &Path) -> Vec<Shown> {
    let DerivedFile {
        program,
        derivation,
    } = derived_file(file);
    let reasons = derivation.bounds.iter().map(|bound| bound.why.reason());
    if reasons.into_iter().any(|reason| reason.contains("data")) {
        return Vec::new();
    }
    let totals = derivation.totals.all().into_iter();
    let costs = [
        (Quantity::Cost, &derivation.cost),
        (Quantity::GpuCost, &derivation.gpu_cost),
    ];
    let bounds = totals.chain(costs).filter(|(which, quantity)| {
        let is_bound = quantity.short.is_some() || !quantity.is_exact();
        is_bound && is_in_one_line(derivation, *which)
    });
    let mut found: Vec<(Quantity, &Expr, Shown)> = bounds
        .filter_map(|(which, quantity)| {
            let form = quantity.shown()?;
            let shown = Shown {
                place: format!("{} {}", name(file), which.name()),
                form: form.to_string(),
                most: 0.0,
                at: String::new(),
            };
            Some((which, form, shown))
        })
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    for choice in &points(program) {
        let Some(counts) = counted(program, derivation, choice) else {
            continue;
        };
        for letters in LETTERS {
            let point = Point { choice, letters };
            for (which, form, shown) in &mut found {
                let totals = counts.totals.all();
                let total = totals.iter().find(|(of, _)| of == which);
                let number = match total {
                    Some((_, number)) => Rational::from(number.upper.clone()),
                    None => point.cost(&counts, *which == Quantity::GpuCost),
                };
                let Some(bound) = point.of(derivation, form) else {
                    continue;
                };
                let times = bound / number.to_f64().max(1.0);
                if times > shown.most {
                    shown.most = times;
                    shown.at.clone_from(&choice.label);
                }
            }
        }
    }
    found.into_iter().map(|(_, _, shown)| shown).collect()
}

/// How close bounds were when they were last made closer: the median, nine of ten, all of them. Bounds may get closer;
/// what makes one looser has to be worth it.
const CLOSE: [f64; 3] = [1.02, 4.2, 10_900.0];

#[test]
fn bounds_in_one_line_are_close_to_what_is_counted() {
    let folders = ["programs", "tests/suite/derive/constructs"];
    let files = folders.iter().flat_map(|folder| programs(folder));
    let mut all: Vec<Shown> = files.flat_map(|file| shown_of(&file)).collect();
    all.sort_by(|one, other| one.most.total_cmp(&other.most));
    for Shown {
        place,
        form,
        most,
        at,
    } in all.iter().rev().take(40)
    {
        println!("{most:9.2} times {place} at {at}: {form}");
    }
    let at = |share: usize| all[(all.len() - 1) * share / 100].most;
    let found = [50, 90, 100].map(at);
    println!("{} bounds: {found:?}", all.len());
    assert!(all.len() > 50, "only {} bounds", all.len());
    for (found, known) in found.into_iter().zip(CLOSE) {
        assert!(found <= known, "{found} times what is counted, not {known}");
    }
    assert_none_is_looser(&all);
}

/// Each bound with the largest multiple of a count that it was when the table was last written.
const FROZEN: &str = "tests/suite/derive/close.csv";

/// A bound that got looser fails here even where the shares of all bounds do not move, and one that is new or gone has
/// to be written down.
fn assert_none_is_looser(all: &[Shown]) {
    let mut lines: Vec<String> = all
        .iter()
        .map(|shown| format!("{},{:.3}", shown.place, shown.most))
        .collect();
    lines.sort();
    if std::env::var_os("UPDATE").is_some() {
        let text = format!("bound,times\n{}\n", lines.join("\n"));
        fs::write(path(FROZEN), text).expect("writable");
    }
    let text = fs::read_to_string(path(FROZEN)).expect("the table is there");
    let known = text.lines().skip(1).map(|line| {
        let (place, times) = line.rsplit_once(',').expect("two columns");
        (place, times.parse().expect("a number"))
    });
    let mut known: BTreeMap<&str, f64> = known.collect();
    let mut other = Vec::new();
    for Shown { place, most, .. } in all {
        match known.remove(place.as_str()) {
            None => other.push(format!("{place} is new: {most:.3}")),
            Some(times) if *most > times * 1.001 => {
                other.push(format!("{place} was {times}, is {most:.3}"));
            }
            Some(_) => {}
        }
    }
    other.extend(known.keys().map(|place| format!("{place} is gone")));
    assert!(
        other.is_empty(),
        "{}\n`UPDATE=1 cargo test --test suite derive::close` writes {FROZEN} anew",
        other.join("\n")
    );
}

/// What λ is multiplied by in a cost is the total of blocks, α and β what they are in the cost of transfers, σ the
/// rounds.
#[test]
fn a_cost_is_made_of_the_totals_beside_it() {
    let mut other: Vec<String> = Vec::new();
    for file in ["programs", "tests/suite/derive/constructs"]
        .iter()
        .flat_map(|folder| programs(folder))
    {
        let DerivedFile {
            program,
            derivation,
        } = derived_file(&file);
        if !is_in_one_line(derivation, Quantity::Cost) {
            continue;
        }
        let totals = &derivation.totals;
        let parts = [
            ("λ", 3, &totals.io),
            ("γ", 2, &totals.total_time),
            ("σ", 4, &totals.rounds),
        ];
        for (letter, place, total) in parts {
            let (Some(cost), Some(total)) = (derivation.cost.shown(), total.shown()) else {
                continue;
            };
            for choice in points(program).iter().take(6) {
                let mut letters = [0, 0, 1, 0, 0, 4, 16];
                let mut none = letters;
                none[2] = 1 << 40;
                if letter != "γ" {
                    letters[place] = 1;
                    none[2] = 1;
                }
                let with = Point { choice, letters }.of(derivation, cost);
                let without = Point {
                    choice,
                    letters: none,
                }
                .of(derivation, cost);
                let number = Point { choice, letters }.of(derivation, total);
                let (Some(with), Some(without), Some(number)) = (with, without, number) else {
                    continue;
                };
                if (with - without - number).abs() > 1e-6 * number.abs().max(1.0) {
                    other.push(format!("{} {letter}: {total} but {cost}", name(&file)));
                    break;
                }
            }
        }
    }
    assert!(other.is_empty(), "{} {other:#?}", other.len());
}

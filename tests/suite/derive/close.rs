//! Bounds are close: no total or cost that a report shows is far above what is counted.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::support::engines::{Choice, Random, choice, numbers};
use crate::support::programs::{load_file, name, programs};
use atgpu::count::{Counts, Interval, Parameters, Quantity};
use atgpu::derivation::Derivation;
use atgpu::derive::derive;
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
            let values = program.formals.iter().map(|id| {
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

struct Ratio {
    program: String,
    quantity: Quantity,
    at: String,
    ratio: f64,
    form: String,
    is_exact: bool,
}

/// Totals and costs shown of one program, each with its largest ratio to what is counted.
fn ratios(file: &PathBuf) -> Vec<Ratio> {
    let (program, _) = load_file(file);
    let derivation = derive(&program, &Parameters::new());
    let choices = points(&program);
    let mut worst: Vec<Ratio> = Vec::new();
    for choice in &choices {
        let Some(counts) = counted(&program, &derivation, choice) else {
            continue;
        };
        for letters in LETTERS {
            let point = Point { choice, letters };
            let totals = counts.totals.all();
            let totals =
                totals.map(|(which, number)| (which, Rational::from(number.upper.clone())));
            let costs = [(Quantity::Cost, false), (Quantity::GpuCost, true)];
            let costs = costs.map(|(which, waves)| (which, point.cost(&counts, waves)));
            for (which, number) in totals.into_iter().chain(costs) {
                let quantity = match which {
                    Quantity::Cost => &derivation.cost,
                    Quantity::GpuCost => &derivation.gpu_cost,
                    which => {
                        derivation
                            .totals
                            .all()
                            .into_iter()
                            .find(|(of, _)| *of == which)
                            .expect("a total")
                            .1
                    }
                };
                let Some(shown) = quantity.shown() else {
                    continue;
                };
                let Some(value) = point.of(&derivation, shown) else {
                    continue;
                };
                let number = number.to_f64();
                let ratio = if number == 0.0 {
                    1.0 + value
                } else {
                    value / number
                };
                let form = shown.to_string();
                match worst.iter_mut().find(|known| known.quantity == which) {
                    Some(known) if known.ratio >= ratio => {}
                    known => {
                        let new = Ratio {
                            program: name(file),
                            quantity: which,
                            at: choice.label.clone(),
                            ratio,
                            form,
                            is_exact: quantity.is_exact() && quantity.short.is_none(),
                        };
                        match known {
                            Some(known) => *known = new,
                            None => worst.push(new),
                        }
                    }
                }
            }
        }
    }
    worst
}

#[test]
fn shown_bounds_are_close() {
    let folders = std::env::var("CLOSE").unwrap_or("programs tests/suite/derive/constructs".into());
    let mut all: Vec<Ratio> = Vec::new();
    for folder in folders.split(' ') {
        for file in programs(folder) {
            let start = std::time::Instant::now();
            all.extend(ratios(&file));
            println!("TIME {} {:?}", name(&file), start.elapsed());
        }
    }
    all.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let wrong: Vec<_> = all
        .iter()
        .filter(|one| one.is_exact && (one.ratio - 1.0).abs() > 1e-6)
        .collect();
    for one in &wrong {
        println!(
            "EXACT? {} {} {} {} {}",
            one.program,
            one.quantity.name(),
            one.ratio,
            one.at,
            one.form
        );
    }
    let bounds: Vec<_> = all.iter().filter(|one| !one.is_exact).collect();
    for one in bounds.iter().rev().take(200) {
        println!(
            "{:10.2} {} {} at {}: {}",
            one.ratio,
            one.program,
            one.quantity.name(),
            one.at,
            one.form
        );
    }
    let at = |share: usize| bounds[(bounds.len() - 1) * share / 100].ratio;
    println!(
        "{} bounds of {}: median {:.2}, 90 % {:.2}, most {:.2}",
        bounds.len(),
        all.len(),
        at(50),
        at(90),
        at(100)
    );
}

//! The papers' figures, one row a test (docs/published.md). Plain assertions; what a figure is and
//! where it stands is in the test's comment.

mod pages;
mod paper2;
mod paper3;
mod paper4;
mod paper5;
mod rows;
mod support;

use crate::support::engines::{choice, execute};
use crate::support::programs::{load_file, path};
use atgpu::cost::{Item, MODELS};
use atgpu::count::Parameters;
use atgpu::derivation::Verdict;
use atgpu::derivation::{Derivation, Derived};
use atgpu::number::Rational;
use atgpu::program::Program;

/// Values for every letter a derived formula may hold: odd fractions, so that no coincidence makes
/// two formulas equal.
struct Letters {
    n: i64,
    b: i64,
    /// k'
    real_mps: i64,
    /// ℓ; M and H are such that every kernel of these programs has it.
    occupancy: i64,
}

const ALPHA: (i64, i64) = (3, 7);
const BETA: (i64, i64) = (5, 11);
const GAMMA: (i64, i64) = (13, 3);
const LAMBDA: (i64, i64) = (17, 2);
const SIGMA: (i64, i64) = (19, 5);

fn ratio((numerator, denominator): (i64, i64)) -> Rational {
    Rational::new(numerator, denominator).expect("no zero")
}

impl Letters {
    fn get(&self, name: &str) -> Option<Rational> {
        Some(match name {
            "n" => self.n.into(),
            "b" => self.b.into(),
            "k'" => self.real_mps.into(),
            "ℓ" | "H" => self.occupancy.into(),
            "M" => (1_i64 << 40).into(),
            "α" => ratio(ALPHA),
            "β" => ratio(BETA),
            "γ" => ratio(GAMMA),
            "λ" => ratio(LAMBDA),
            "σ" => ratio(SIGMA),
            _ => return None,
        })
    }

    /// The value of an exactly derived quantity.
    fn value(&self, what: &str, quantity: &Derived) -> Rational {
        let expr = quantity.upper.as_ref().expect("it was derived");
        assert_eq!(
            Some(expr),
            quantity.lower.as_ref(),
            "{what} is only a bound"
        );
        expr.evaluate(&|symbol| self.get(&symbol.name))
            .unwrap_or_else(|why| panic!("{what} = {expr}: {why:?}"))
    }

    /// Expressions (1) and (2) of paper 1, from rounds given as (k, t, q) and transfers as
    /// (transactions, words).
    fn costs(&self, rounds: &[(i64, i64, i64)], transfers: (i64, i64)) -> [Rational; 2] {
        let resident = self.real_mps * self.occupancy;
        [None, Some(resident)].map(|resident| {
            let mut cost = &ratio(ALPHA) * &transfers.0.into();
            cost = &cost + &(&ratio(BETA) * &transfers.1.into());
            for (k, t, q) in rounds {
                let waves = resident.map_or(1, |resident| (k + resident - 1) / resident);
                let cycles = &Rational::from(waves * t) + &(&ratio(LAMBDA) * &(*q).into());
                let kernel = cycles.checked_div(&ratio(GAMMA)).expect("γ is not 0");
                cost = &(&cost + &kernel) + &ratio(SIGMA);
            }
            cost
        })
    }
}

fn derived(file: &str) -> (Program, Derivation) {
    let (program, _) = load_file(&path("programs/paper1").join(file));
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    (program, derivation)
}

/// The totals of a derivation against numbers, and its costs against Expressions (1) and (2).
#[track_caller]
fn assert_totals(
    derivation: &Derivation,
    at: &Letters,
    numbers: &[(&str, i64)],
    rounds: &[(i64, i64, i64)],
    transfers: (i64, i64),
) {
    let place = format!("n = {}, b = {}", at.n, at.b);
    for (name, number) in numbers {
        let quantity = derivation.totals.named().into_iter();
        let (_, quantity) = quantity
            .into_iter()
            .find(|(key, _)| key == name)
            .expect("a total has this name");
        assert_eq!(
            at.value(name, quantity),
            (*number).into(),
            "{name} at {place}"
        );
    }
    let [cost, gpu_cost] = at.costs(rounds, transfers);
    assert_eq!(
        at.value("cost", &derivation.cost),
        cost,
        "Expression (1) at {place}"
    );
    assert_eq!(
        at.value("gpu_cost", &derivation.gpu_cost),
        gpu_cost,
        "Expression (2) at {place}"
    );
}

/// The published classes, claimed in the program, are proved.
#[track_caller]
fn assert_proved(derivation: &Derivation, claims: &[&str]) {
    for wanted in claims {
        let claim = derivation
            .claims
            .iter()
            .find(|claim| claim.text == *wanted)
            .unwrap_or_else(|| panic!("no claim `{wanted}`"));
        assert_eq!(claim.verdict, Verdict::Proved, "{wanted}");
    }
}

/// Paper 1, section IV.A: one round, 13 operations, 3k blocks, three transactions of n words,
/// cost 3α + 3nβ + (13 + 3kλ)/γ + σ.
#[test]
fn vector_addition_of_paper_1() {
    let (_, derivation) = derived("vector_addition.atgpu");
    for (n, b) in [(32, 32), (128, 32), (1_000_000, 32), (15, 5), (7, 1)] {
        let k = n / b;
        for (real_mps, occupancy) in [(2, 16), (1, 1), (3, 5)] {
            let at = Letters {
                n,
                b,
                real_mps,
                occupancy,
            };
            let numbers = [
                ("rounds", 1),
                ("time", 13),
                ("io", 3 * k),
                ("transactions", 3),
                ("transfer", 3 * n),
                ("inward", 2 * n),
                ("shared", 3 * b),
                ("global", 3 * n),
            ];
            assert_totals(&derivation, &at, &numbers, &[(k, 13, 3 * k)], (3, 3 * n));
        }
    }
    assert_proved(
        &derivation,
        &[
            "time ∈ O(1)",
            "io ∈ O(k)",
            "shared ∈ O(b)",
            "global ∈ O(n)",
            "transfer_cost ∈ O(α + βn)",
        ],
    );
    let texts = [
        (&derivation.totals.time, "13"),
        (&derivation.totals.transactions, "3"),
        (&derivation.totals.transfer, "3n"),
    ];
    for (quantity, text) in texts {
        let expr = quantity.upper.as_ref().expect("it was derived");
        assert_eq!(expr.to_string(), text);
    }
}

/// Paper 1, section IV.A, GPU-cost: as printed it multiplies 3λk by the waves too, against
/// Expression (2); with k = 1000, k'ℓ = 32, λ = 400 that is 32·(13 + 1,200,000) cycles for
/// 32·13 + 1,200,000.
#[test]
fn only_t_is_multiplied_by_the_waves() {
    let (_, derivation) = derived("vector_addition.atgpu");
    let gpu_cost = derivation.gpu_cost.upper.expect("it was derived");
    let cycles = gpu_cost
        .evaluate(&|symbol| {
            Some(Rational::from(match &*symbol.name {
                "n" => 32_000,
                "b" => 32,
                "k'" => 2,
                "H" | "ℓ" => 16,
                "M" => 1_i64 << 40,
                "γ" => 1,
                "λ" => 400,
                "α" | "β" | "σ" => 0,
                _ => return None,
            }))
        })
        .expect("it has a value");
    assert_eq!(cycles, (32 * 13 + 1_200_000).into());
    assert_ne!(cycles, (32 * (13 + 1_200_000)).into());
}

/// Paper 1, section IV.B: log_b n rounds of O(log b); blocks (n/b)(1 − b^−R)/(1 − 1/b) = (n − 1)/(b − 1)
/// read, 21 for b = 4, R = 3 and 33 for b = 32, R = 2, and as many written.
#[test]
fn reduction_of_paper_1() {
    let (_, derivation) = derived("reduction.atgpu");
    for (b, log2_b, exponent, sum) in [
        (4, 2, 3, 21),
        (32, 5, 2, 33),
        (2, 1, 1, 1),
        (2, 1, 5, 31),
        (8, 3, 4, 585),
    ] {
        let n = i64::pow(b, exponent);
        let time = 6 + 9 * log2_b;
        let rounds: Vec<_> = (1..=exponent)
            .map(|r| n / i64::pow(b, r))
            .map(|k| (k, time, 2 * k))
            .collect();
        let numbers = [
            ("rounds", i64::from(exponent)),
            ("time", time),
            ("total_time", time * i64::from(exponent)),
            ("io", 2 * sum),
            ("inward", n),
            ("outward", 1),
            ("transactions", 2),
            ("shared", b),
            ("global", 2 * n),
        ];
        for (real_mps, occupancy) in [(2, 16), (1, 3)] {
            let at = Letters {
                n,
                b,
                real_mps,
                occupancy,
            };
            assert_totals(&derivation, &at, &numbers, &rounds, (2, n + 1));
            // The published cost, O(α + βn + (log b log n + λ(n − 1)/(b − 1))/γ + σ log n), with the
            // constant 15 (6 of R ≤ log b log n and 9 of log n ≤ log b log n).
            let log_n = log2_b * i64::from(exponent);
            let blocks = &ratio(LAMBDA) * &sum.into();
            let kernel = (&Rational::from(log2_b * log_n) + &blocks).checked_div(&ratio(GAMMA));
            let transfer = &ratio(ALPHA) + &(&ratio(BETA) * &n.into());
            let published = &transfer + &kernel.expect("γ is not 0");
            let published = &published + &(&ratio(SIGMA) * &log_n.into());
            let bound = &published * &15.into();
            assert!(at.value("cost", &derivation.cost) <= bound);
        }
    }
    assert_proved(
        &derivation,
        &[
            "rounds ∈ O(log n)",
            "time ∈ O(log b)",
            "io ∈ O((n/b)(1 - b^(-R))/(1 - 1/b))",
            "shared ∈ O(b)",
            "global ∈ O(n)",
            "transfer_cost ∈ O(α + βn)",
            "cost ∈ O(α + βn + (log b·log n + λ(n - 1)/(b - 1))/γ + σ·log n)",
        ],
    );
}

/// Paper 1, section IV.B, GPU-cost: the printed product of ceilings, ⌈n/(b k'ℓ)⌉·⌈(1 − b^−log n)/(1 − 1/b)⌉,
/// is 2 for b = 2, n = 32, k'ℓ = 32, where the five rounds take a wave each.
#[test]
fn the_waves_of_the_reduction_are_a_sum() {
    let (_, derivation) = derived("reduction.atgpu");
    let gpu_cost = derivation.gpu_cost.upper.expect("it was derived");
    let cycles = gpu_cost
        .evaluate(&|symbol| {
            Some(Rational::from(match &*symbol.name {
                "n" => 32,
                "b" | "k'" => 2,
                "H" | "ℓ" => 16,
                "M" => 1_i64 << 40,
                "γ" => 1,
                "α" | "β" | "λ" | "σ" => 0,
                _ => return None,
            }))
        })
        .expect("it has a value");
    assert_eq!(cycles, (5 * (6 + 9)).into());
}

/// Paper 1, section IV.C: one round, O(nb), exactly (n/b)²(2n + b) blocks for tiles loaded by rows,
/// 3n² words of global memory, O(b²) of shared, transfer cost O(α + βn²).
#[test]
fn matrix_multiplication_of_paper_1() {
    let (program, derivation) = derived("matrix_multiplication.atgpu");
    for (n, b) in [(16, 4), (24, 8), (32, 32), (5, 1), (1024, 32)] {
        let r = n / b;
        let io = r * r * (2 * n + b);
        let time = 15 * n * b + 21 * n + 3 * r + 14 * b + 3;
        let numbers = [
            ("rounds", 1),
            ("time", time),
            ("io", io),
            ("transactions", 3),
            ("transfer", 3 * n * n),
            ("shared", 3 * b * b),
            ("global", 3 * n * n),
        ];
        let at = Letters {
            n,
            b,
            real_mps: 2,
            occupancy: 4,
        };
        assert_totals(
            &derivation,
            &at,
            &numbers,
            &[(r * r, time, io)],
            (3, 3 * n * n),
        );
    }
    let small = choice(&program, 4, vec![("n".to_owned(), 16)]).expect("4 divides 16");
    let executed = execute(&program, &small, 0).counts.totals;
    assert_eq!((executed.time, executed.io), (1367.into(), 576.into()));
    assert_proved(
        &derivation,
        &[
            "time ∈ Θ(nb)",
            "io ∈ O((n/b)^2·(n + b))",
            "shared ∈ O(b^2)",
            "global ∈ O(n^2)",
            "transfer_cost ∈ O(α + β·n^2)",
            "cost ∈ O(α + β·n^2 + (nb + λ·(n^2/b)(n + b))/γ + σ)",
        ],
    );
}

/// Paper 1, Table I: which model has which of nine items. Marks in the order AGPU, SWGPU, ATGPU.
#[test]
fn table_1_of_paper_1() {
    let published = [
        (Item::Pseudocode, [true, false, true]),
        (Item::TimeComplexity, [true, true, true]),
        (Item::IoComplexity, [true, true, true]),
        (Item::SpaceComplexity, [true, false, true]),
        (Item::SharedMemoryLimit, [true, false, true]),
        (Item::Synchronisation, [false, true, true]),
        (Item::CostFunction, [false, true, true]),
        (Item::GlobalMemoryLimit, [false, false, true]),
        (Item::Transfer, [false, false, true]),
    ];
    for (column, name) in ["agpu", "swgpu", "atgpu"].into_iter().enumerate() {
        let model = MODELS
            .iter()
            .find(|model| model.name() == name)
            .expect("the model is there");
        for (item, marks) in published {
            assert_eq!(
                model.items().contains(&item),
                marks[column],
                "{name}: {item}"
            );
        }
    }
}

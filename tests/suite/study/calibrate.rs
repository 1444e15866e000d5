//! `study::calibrate` on data made from known parameters: it finds them, says what the data leave
//! open, and gives the transfer shares of published.md again.

use crate::support::engines::Random;
use crate::support::programs::{load_file, path};
use atgpu::cost::{MODELS, Subject};
use atgpu::count::{Parameters, parse_number};
use atgpu::derive::derive;
use atgpu::diag::Diagnostic;
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::report::calibration::machine_file;
use atgpu::study::{
    Calibration, Certainty, Counting, Observation, Origin, Prepared, Reason, Unknown, Weights,
    calibrate, observations,
};

/// λ = 2.46, σ = 0.61 ms, α = 9.4 µs (published.md), and β as the card of paper 1 has it.
const TRUE: [(&str, &str); 4] = [
    ("alpha", "0.0094"),
    ("beta", "6.98e-7"),
    ("lambda", "2.46"),
    ("sigma", "0.61"),
];

fn program(file: &str) -> Program {
    load_file(&path(&format!("programs/paper1/{file}.atgpu"))).0
}

fn gtx650() -> Machine {
    Machine::built_in("gtx650").expect("built in")
}

fn given(pairs: &[(&str, &str)]) -> Parameters {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| (*name, parse_number(value).expect(value)))
        .collect()
}

/// The true machine.
fn truth() -> Machine {
    let (machine, _) = gtx650()
        .with_overrides(&given(&TRUE), |_| false)
        .expect("fits");
    machine
}

/// Total and kernel times of a program at n, by the models.
fn times(program: &Program, machine: &Machine, n: i64) -> (f64, f64) {
    let n: Parameters = [("n", n)].into_iter().collect();
    let point = Point::new(program, machine.atgpu.numbers(), &n).expect("admitted");
    let derivation = derive(program, &Parameters::new());
    let found =
        atgpu::derivation::evaluate::evaluate(program, &derivation, &point).expect("closed");
    let counts = found.counts.upper();
    let of = |name: &str| {
        let model = MODELS
            .iter()
            .find(|model| model.name() == name)
            .expect("listed");
        let estimate = model
            .estimate(&Subject::of(&counts), machine)
            .expect("complete");
        estimate.headline().expect("a cost").to_f64()
    };
    (of("atgpu"), of("swgpu"))
}

/// Measurements with relative noise, the same on every run.
fn measured(programs: &[(&Program, &[i64])], noise: f64, columns: &str) -> Vec<Observation> {
    let machine = truth();
    let mut random = Random::new(7);
    // Twelve uniform numbers make a fair bell.
    let mut factor = || {
        let sum: u64 = (0..12).map(|_| random.below(1_000_001)).sum();
        1.0 + noise * (sum as f64 / 1e6 - 6.0)
    };
    let mut text = format!("program,n,{columns}\n");
    for (program, sizes) in programs {
        for n in *sizes {
            let (total, kernel) = times(program, &machine, *n);
            let kernel_seen = kernel * factor();
            let total_seen = kernel_seen + (total - kernel) * factor();
            text.push_str(&format!("{},{n}", program.name()));
            for column in columns.split(',') {
                let time = if column == "total_ms" {
                    total_seen
                } else {
                    kernel_seen
                };
                text.push_str(&format!(",{time}"));
            }
            text.push('\n');
        }
    }
    observations(&text).expect("well formed")
}

fn fit(
    programs: &[&Program],
    observed: &[Observation],
    fixed: &[(&str, &str)],
) -> Result<Calibration, Vec<Diagnostic>> {
    let derivations: Vec<_> = programs
        .iter()
        .map(|program| derive(program, &Parameters::new()))
        .collect();
    let prepared: Vec<Prepared<'_>> = programs
        .iter()
        .zip(&derivations)
        .map(|(program, derivation)| Prepared::new(program, Some(derivation)))
        .collect();
    calibrate(
        &prepared,
        &gtx650(),
        &given(fixed),
        observed,
        Weights::Relative,
        Counting::Briefly,
    )
}

fn value(found: &Calibration, unknown: Unknown) -> f64 {
    let figure = found
        .figures
        .iter()
        .find(|figure| figure.unknown == unknown);
    figure.expect("all five").value
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs() / expected;
    assert!(error <= tolerance, "{what}: {found} for {expected}");
}

const VECTORS: [i64; 10] = [
    1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000, 6_000_000, 7_000_000, 8_000_000,
    9_000_000, 10_000_000,
];
const SMALL: [i64; 12] = [
    32, 1024, 4096, 16_384, 65_536, 131_072, 262_144, 524_288, 1_048_576, 2_097_152, 4_194_304,
    8_388_608,
];

#[test]
fn known_parameters_are_found_again() {
    let addition = program("vector_addition");
    for (noise, tolerance) in [(0.0, 1e-6), (0.01, 0.05)] {
        let observed = measured(&[(&addition, &SMALL)], noise, "total_ms,kernel_ms");
        let found = fit(&[&addition], &observed, &[]).expect("fits");
        assert_near(value(&found, Unknown::Alpha), 0.0094, tolerance, "α");
        assert_near(value(&found, Unknown::Beta), 6.98e-7, tolerance, "β");
        assert_near(value(&found, Unknown::Sigma), 0.61, tolerance, "σ");
        // γ is the machine's own: operations and blocks grow together.
        assert_near(value(&found, Unknown::Gamma), 1_058_000.0, 1e-9, "γ");
        assert_near(
            value(&found, Unknown::Lambda),
            2.46,
            tolerance.max(1e-4),
            "λ",
        );
        assert!(found.error.0 <= noise * 1.5 + 1e-6, "{:?}", found.error);
        let (mean, largest) = found.left_out.expect("twelve are enough");
        // Exact times too: γ and λ are apart by the shortest time alone, whose prediction without it is off
        // by 3.5e-4, which is 1.0e-4 of all.
        assert!(
            mean <= noise * 3.0 + 1.5e-4 && largest <= noise * 10.0 + 1e-3,
            "{mean} {largest}"
        );
        assert_eq!(found.group, 1);
    }
}

/// With λ given in cycles blocks follow the clock: γ is what makes operations and blocks take that long together.
#[test]
fn a_given_latency_ties_blocks_to_the_clock() {
    let addition = program("vector_addition");
    let observed = measured(&[(&addition, &SMALL)], 0.0, "total_ms,kernel_ms");
    let whole = |latency: f64| 13.0 + 3.0 * 32.0 * latency;
    for latency in ["2.46", "1.8", "3"] {
        let found = fit(&[&addition], &observed, &[("lambda", latency)]).expect("fits");
        assert!(found.error.0 < 1e-3, "{latency}: {:?}", found.error);
        let latency: f64 = latency.parse().expect("a number");
        assert_near(value(&found, Unknown::Lambda), latency, 1e-9, "λ");
        let gamma = value(&found, Unknown::Gamma);
        let held: Vec<f64> = found
            .rows
            .iter()
            .filter_map(|row| Some(row.kernel?.1))
            .collect();
        assert_eq!(held.len(), SMALL.len());
        // Slower blocks take a quicker clock.
        assert_eq!(
            gamma > 1_058_000.0,
            whole(latency) > whole(2.46),
            "{latency}: {gamma}"
        );
    }
}

/// Kernels that are shorter than their operations at this clock say nothing of launches either.
#[test]
fn kernels_shorter_than_their_operations_fit_nothing() {
    let addition = program("vector_addition");
    let lines = SMALL.map(|n| format!("{n},{}\n", n as f64 * 1e-9));
    let text = format!("n,kernel_ms\n{}", lines.concat());
    let observed = observations(&text).expect("well formed");
    let found = fit(&[&addition], &observed, &[]).expect("fits");
    assert!(!found.is_fitted(), "{:?}", found.figures);
    for unknown in [Unknown::Sigma, Unknown::Lambda] {
        let mut figures = found.figures.iter();
        let figure = figures.find(|figure| figure.unknown == unknown);
        let origin = &figure.expect("all five").origin;
        let is_told = matches!(origin, Origin::Open(Reason::Shorter(_)));
        assert!(is_told, "{unknown:?}: {origin:?}");
    }
}

/// With totals alone, 3α + σ is one constant and β and λ are one slope: said, and the figures of a
/// bus kept.
#[test]
fn what_the_data_leave_open_is_said_and_kept() {
    let addition = program("vector_addition");
    let observed = measured(&[(&addition, &SMALL)], 0.0, "total_ms");
    let found = fit(
        &[&addition],
        &observed,
        &[("beta", "6.98e-7"), ("gamma", "1058000")],
    )
    .expect("fits");
    let origin = |unknown| {
        let figure = found
            .figures
            .iter()
            .find(|figure| figure.unknown == unknown);
        figure.expect("all five").origin.clone()
    };
    assert_eq!(
        origin(Unknown::Alpha),
        Origin::Together(vec![Unknown::Sigma])
    );
    assert_eq!(origin(Unknown::Beta), Origin::Given);
    assert_eq!(origin(Unknown::Gamma), Origin::Given);
    assert!(matches!(origin(Unknown::Sigma), Origin::Fitted(_)));
    // The card's own α are 9.420 and 9.023 µs, two in and one out: the rest of 3·9.4 µs is σ's.
    let expected = 0.61 + 3.0 * 0.0094 - (2.0 * 0.009_420 + 0.009_023);
    assert_near(value(&found, Unknown::Sigma), expected, 1e-6, "σ");
    assert!(found.error.1 < 1e-4, "{:?}", found.error);
    let free = fit(&[&addition], &observed, &[]).expect("fits");
    let kept = free
        .figures
        .iter()
        .filter(|figure| matches!(figure.origin, Origin::Together(_)));
    // α with σ, β with λ; γ shows in the steps of ⌈k/(k'ℓ)⌉, which exact times resolve.
    assert_eq!(kept.count(), 2, "{:?}", free.figures);
}

/// published.md: 83.8 % of vector addition (n = 10⁶ … 10⁷) and 35.0 % of the reduction
/// (n = 2^16 … 2^26) are transfers, and 4–7 % of matrix multiplication (side 32 … 1024), from a λ
/// that is fitted.
#[test]
fn the_published_transfer_shares_follow_from_the_fitted_machine() {
    let (addition, reduction) = (program("vector_addition"), program("reduction"));
    // b = 32: the powers of b among 2^16 … 2^26.
    let powers = [1024_i64, 32_768, 1_048_576, 33_554_432];
    let observed = measured(
        &[(&addition, &VECTORS), (&reduction, &powers)],
        0.01,
        "total_ms,kernel_ms",
    );
    let found = fit(&[&addition, &reduction], &observed, &[]).expect("fits");
    assert_near(value(&found, Unknown::Lambda), 2.46, 0.05, "λ");
    assert_near(value(&found, Unknown::Sigma), 0.61, 0.05, "σ");
    let share = |program: &Program, n: i64| {
        let (total, kernel) = times(program, &found.machine, n);
        1.0 - kernel / total
    };
    let mean = |program: &Program, sizes: &[i64]| {
        sizes.iter().map(|n| share(program, *n)).sum::<f64>() / sizes.len() as f64
    };
    assert!((mean(&addition, &VECTORS) - 0.838).abs() < 0.01);
    let any = program("reduction_any_n");
    let sizes: Vec<i64> = (16..=26).map(|power| 1 << power).collect();
    let reduced = mean(&any, &sizes);
    assert!((reduced - 0.35).abs() < 0.015, "{reduced}");
    let multiplication = program("matrix_multiplication");
    let sides: Vec<i64> = (5..=10).map(|power| 1 << power).collect();
    let multiplied = mean(&multiplication, &sides);
    assert!((0.03..0.08).contains(&multiplied), "{multiplied}");
}

/// One point measured again and again is one equation: every figure can be traded for every other, and
/// only one of them is fitted.
#[test]
fn what_one_equation_leaves_open_is_said_of_each() {
    use Unknown::{Alpha, Beta, Gamma, Lambda, Sigma};
    let addition = program("vector_addition");
    let observed = measured(&[(&addition, &[1_000_000; 6])], 0.01, "total_ms");
    let found = fit(&[&addition], &observed, &[]).expect("fits");
    let origins: Vec<(Unknown, Origin)> = found
        .figures
        .iter()
        .map(|figure| (figure.unknown, figure.origin.clone()))
        .collect();
    let together = |others: &[Unknown]| Origin::Together(others.to_vec());
    assert_eq!(
        origins[..4],
        [
            (Gamma, together(&[Alpha, Beta, Sigma, Lambda])),
            (Alpha, together(&[Beta, Sigma, Lambda])),
            (Beta, together(&[Sigma, Lambda])),
            (Sigma, together(&[Lambda])),
        ]
    );
    // λ takes what is left, if all of them are right: nothing of its own is told.
    let (Lambda, Origin::Fitted(Certainty::If { kept, error })) = &origins[4] else {
        panic!("{:?}", origins[4]);
    };
    assert_eq!(kept, &[Gamma, Alpha, Beta, Sigma]);
    assert!(error.is_some());
}

/// A figure's error stands beside it in the figure's own unit: GHz and ms a byte, not cycles a ms and
/// ms a word.
#[test]
fn errors_in_the_machine_file_have_the_units_of_their_figures() {
    let reduction = program("reduction_any_n");
    let sizes: Vec<i64> = (8..=24).map(|power| 1 << power).collect();
    let observed = measured(&[(&reduction, &sizes)], 0.01, "total_ms,kernel_ms");
    let found = fit(&[&reduction], &observed, &[]).expect("fits");
    let file = machine_file("", &found, "mine", "timings.csv");
    let mut seen = 0;
    for (unknown, key, unit) in [
        (Unknown::Gamma, "clock_ghz", 1e6),
        (Unknown::Beta, "beta_ms_per_byte", 4.0),
        (Unknown::Sigma, "sync_ms", 1.0),
    ] {
        let mut figures = found.figures.iter();
        let figure = figures.find(|figure| figure.unknown == unknown);
        let origin = &figure.expect("all five").origin;
        let Origin::Fitted(Certainty::Told { error, .. }) = origin else {
            continue;
        };
        let mut lines = file.lines();
        let line = lines.find(|line| line.starts_with(key)).expect(key);
        let (_, shown) = line.split_once("± ").expect("an error");
        let shown: f64 = shown
            .split([':', ' '])
            .next()
            .unwrap_or(shown)
            .parse()
            .expect(line);
        assert_near(shown, error / unit, 0.05, key);
        seen += 1;
    }
    assert!(seen >= 2, "{file}");
}

/// The machine file is the base's, with the fitted figures in their places, and reads back to them.
#[test]
fn the_machine_file_reads_back() {
    let addition = program("vector_addition");
    let observed = measured(&[(&addition, &SMALL)], 0.01, "total_ms,kernel_ms");
    let found = fit(&[&addition], &observed, &[]).expect("fits");
    let (_, base) = atgpu::machine::BUILT_IN
        .iter()
        .find(|(name, _)| *name == "gtx650")
        .expect("built in");
    let bare =
        "name = \"bare\"\n[atgpu]\np = 384\nb = 32\nM = 12288\nG = 268435456\nword_bytes = 4\n";
    for base in [*base, bare] {
        let file = machine_file(base, &found, "mine", "timings.csv");
        let machine =
            Machine::from_toml(&file).unwrap_or_else(|faults| panic!("{faults:?}\n{file}"));
        assert_eq!(&*machine.name, "mine");
        assert!(
            file.starts_with("# Fitted by `atgpu calibrate` to 12 measurements (timings.csv).")
        );
        let near = |found: f64, unknown, what| {
            assert_near(
                found,
                value(
                    &self::fit(&[&addition], &observed, &[]).expect("fits"),
                    unknown,
                ),
                1e-5,
                what,
            );
        };
        near(
            machine.alpha().expect("written").inward.to_f64(),
            Unknown::Alpha,
            "α",
        );
        near(
            machine.beta().expect("written").outward.to_f64(),
            Unknown::Beta,
            "β",
        );
        near(
            machine.synchronisation().expect("written").to_f64(),
            Unknown::Sigma,
            "σ",
        );
        near(
            machine.latency().expect("written").to_f64(),
            Unknown::Lambda,
            "λ",
        );
    }
}

/// Whatever was given with `-D`, the file's machine predicts what the report says.
#[test]
fn what_is_written_is_what_was_reported() {
    let addition = program("vector_addition");
    let observed = measured(&[(&addition, &SMALL)], 0.01, "total_ms,kernel_ms");
    let (_, base) = atgpu::machine::BUILT_IN[0];
    let given: [&[(&str, &str)]; 6] = [
        &[],
        &[("gamma", "6e6")],
        &[("alpha", "0.0123456789")],
        &[("lambda", "4"), ("beta", "1e-6")],
        &[("sigma", "0.1"), ("k'", "3"), ("H", "5")],
        &[
            ("alpha", "0.01"),
            ("beta", "1e-6"),
            ("sigma", "0.1"),
            ("gamma", "2e6"),
        ],
    ];
    for fixed in given {
        let found = fit(&[&addition], &observed, fixed).expect("fits");
        assert!(found.is_fitted(), "{fixed:?}");
        let file = machine_file(base, &found, "mine", "timings.csv");
        let machine = Machine::from_toml(&file).unwrap_or_else(|faults| panic!("{faults:?}"));
        assert!(file.contains("[source.transfer]") && file.contains("how = \"fitted\""));
        for row in &found.rows {
            let n = i64::try_from(&row.parameters["n"]).expect("small");
            let (total, kernel) = times(&addition, &machine, n);
            let (_, predicted_total) = row.total.expect("measured");
            let (_, predicted_kernel) = row.kernel.expect("measured");
            assert_near(total, predicted_total, 1e-9, &format!("{fixed:?}: {n}"));
            assert_near(kernel, predicted_kernel, 1e-9, &format!("{fixed:?}: {n}"));
        }
        for figure in &found.figures {
            let of = |machine: &Machine| {
                let of_machine = machine.parameters();
                let letter = ["γ", "α", "β", "σ", "λ"][Unknown::ALL
                    .iter()
                    .position(|one| *one == figure.unknown)
                    .expect("listed")];
                of_machine.get(letter).map(|value| value.to_f64())
            };
            if let Some(written) = of(&machine) {
                assert_near(
                    figure.value,
                    written,
                    1e-9,
                    &format!("{fixed:?}: {figure:?}"),
                );
            }
        }
    }
}

/// Kernels shorter than their operations say nothing of λ; transfers say all of α and β.
#[test]
fn transfers_are_fitted_where_kernels_are_not() {
    let addition = program("vector_addition");
    let mut text = String::from("n,total_ms,kernel_ms\n");
    for n in &SMALL[1..] {
        let transfers = 3.0 * 0.0094 + 3.0 * 6.98e-7 * (*n as f64);
        let kernel = 1e-9 * (*n as f64);
        text.push_str(&format!("{n},{},{kernel}\n", transfers + kernel));
    }
    let observed = observations(&text).expect("well formed");
    let found = fit(&[&addition], &observed, &[("gamma", "1058000")]).expect("fits");
    assert_near(value(&found, Unknown::Alpha), 0.0094, 1e-4, "α");
    assert_near(value(&found, Unknown::Beta), 6.98e-7, 1e-4, "β");
    let figure = |unknown| {
        let mut figures = found.figures.iter();
        figures
            .find(|figure| figure.unknown == unknown)
            .expect("all five")
    };
    assert!(matches!(
        figure(Unknown::Alpha).origin,
        Origin::Fitted(Certainty::Told { .. })
    ));
    assert_eq!(
        figure(Unknown::Lambda).origin,
        Origin::Open(Reason::Shorter(1_058_000.0))
    );
    assert_near(figure(Unknown::Lambda).value, 2.46, 1e-9, "λ is the card's");
}

/// Blocks cannot move faster than the memory: 1.2 cycles are less than 1.69.
#[test]
fn a_lambda_beyond_the_peak_is_kept() {
    let addition = program("vector_addition");
    let fast = gtx650().with([("sigma", 1)]).expect("in range");
    let mut text = String::from("n,total_ms,kernel_ms\n");
    for n in SMALL {
        let (total, kernel) = times(&addition, &fast, n);
        let saved = (n as f64) * 3.0 / 32.0 * 1.26 / 1_058_000.0;
        text.push_str(&format!("{n},{},{}\n", total - saved, kernel - saved));
    }
    let observed = observations(&text).expect("well formed");
    let found = fit(&[&addition], &observed, &[("gamma", "1058000")]).expect("fits");
    let lambda = &found.figures[4];
    assert_eq!(lambda.origin, Origin::Open(Reason::BeyondPeak));
    assert_near(lambda.value, 2.46, 1e-9, "λ");
}

#[test]
fn measurements_that_fit_no_program_are_refused() {
    let (addition, reduction) = (program("vector_addition"), program("reduction"));
    let code = |text: &str, programs: &[&Program]| {
        let observed = observations(text).expect("well formed");
        fit(programs, &observed, &[]).expect_err(text)[0]
            .code
            .short_name()
    };
    let both = [&addition, &reduction];
    assert_eq!(code("n,total\n32,1\n", &both), "usage::value");
    assert_eq!(code("program,n,total\nSum,32,1\n", &both), "usage::value");
    assert_eq!(code("m,total\n32,1\n", &both[..1]), "usage::value");
    assert_eq!(code("n,total\n33,1\n", &both[..1]), "require::violated");
    assert_eq!(code("b,total\n32,1\n", &both[..1]), "usage::value");
    // What is fitted is no column, whatever its rows say.
    let said = |text: &str| {
        let observed = observations(text).expect("well formed");
        let faults = fit(&both[..1], &observed, &[]).expect_err(text);
        faults[0].message.to_string()
    };
    assert_eq!(
        said("n,lambda,total\n32,8,1\n"),
        "line 2 of the measurements gives `λ`, which is fitted to them"
    );
}

/// Rows by event of a machine with different directions, in the form of `measure`.
fn events() -> String {
    const PROGRAMS: [(&str, i64, i32); 3] =
        [("Stream", 3, 13), ("Chain", 1, 4000), ("Mixed", 2, 900)];
    noisy_events(&PROGRAMS, &[1 << 10, 1 << 14, 1 << 18, 1 << 20], || 1.0)
}

/// The rows of [`events`] for programs (name, blocks of an MP, operations), each time multiplied by a factor.
fn noisy_events(
    programs: &[(&str, i64, i32)],
    sizes: &[i64],
    mut factor: impl FnMut() -> f64,
) -> String {
    let machine = truth();
    let (clock, latency) = (
        machine.clock().expect("known"),
        machine.latency().expect("known"),
    );
    let (clock, latency) = (clock.to_f64(), latency.to_f64());
    let mut text =
        String::from("program,n,event,line,amount,blocks,operations,shared,word_bytes,ms\n");
    for (program, blocks_each, operations) in programs {
        for n in sizes {
            let mps = n / 32;
            let (inward, outward) = (0.01 + 3e-7 * *n as f64, 0.02 + 5e-7 * *n as f64);
            let (inward, outward) = (inward * factor(), outward * factor());
            text += &format!("{program},{n},inward,3,{n},,,,4,{inward}\n");
            let waves = (mps as f64 / (2.0 * 16.0)).ceil();
            let kernel = 0.61
                + (waves * f64::from(*operations) + latency * (mps * blocks_each) as f64) / clock;
            let kernel = kernel * factor();
            text += &format!(
                "{program},{n},launch,9,{mps},{},{operations},96,4,{kernel}\n",
                mps * blocks_each
            );
            text += &format!("{program},{n},outward,12,{n},,,,4,{outward}\n");
        }
    }
    text
}

/// γ is fitted apart from λ and σ where operations and blocks are in no fixed ratio; each direction has figures
/// of its own; programs whose rows are left out are predicted from the others'.
#[test]
fn rows_by_event_determine_each_direction_and_cross_validate_by_program() {
    let observed = atgpu::study::measurements(&events()).expect("well formed");
    let found = fit(&[], &observed, &[]).expect("fits");
    assert_near(value(&found, Unknown::AlphaInward), 0.01, 1e-5, "α inward");
    assert_near(
        value(&found, Unknown::AlphaOutward),
        0.02,
        1e-5,
        "α outward",
    );
    assert_near(value(&found, Unknown::BetaInward), 3e-7, 1e-5, "β inward");
    assert_near(value(&found, Unknown::BetaOutward), 5e-7, 1e-5, "β outward");
    assert_near(value(&found, Unknown::Lambda), 2.46, 1e-3, "λ");
    assert_near(value(&found, Unknown::Sigma), 0.61, 1e-3, "σ");
    let names: Vec<&str> = found
        .programs
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["Chain", "Mixed", "Stream"]);
    assert!(
        found
            .programs
            .iter()
            .all(|(_, (_, largest))| *largest < 0.01),
        "{:?}",
        found.programs
    );
    // What each row tells: of the longest copies nearly all is words.
    let longest = found
        .rows
        .iter()
        .rev()
        .find(|row| row.total.is_some())
        .expect("a copy");
    let (mostly, share) = longest.mostly.expect("it takes time");
    assert_eq!(mostly, Unknown::BetaOutward);
    assert!(share > 0.95, "{share}");
    let (_, base) = atgpu::machine::BUILT_IN[0];
    let file = machine_file(base, &found, "mine", "events.csv");
    let written = Machine::from_toml(&file).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!(
        written.alpha().expect("fitted").outward,
        found.machine.alpha().expect("fitted").outward
    );
    assert!(file.contains("{ inward = "), "{file}");
}

/// How often the told interval of each figure holds the truth, over made-up data sets with relative noise.
/// Returns (held, told) of each figure.
fn coverage(
    programs: &[(&str, i64, i32)],
    sizes: &[i64],
    noise: f64,
    sets: u64,
) -> Vec<(Unknown, usize, usize)> {
    let machine = truth();
    let clock = machine.clock().expect("known").to_f64();
    let latency = machine.latency().expect("known").to_f64();
    let truths = [
        (Unknown::Gamma, clock),
        (Unknown::AlphaInward, 0.01),
        (Unknown::BetaInward, 3e-7),
        (Unknown::Sigma, 0.61),
        (Unknown::Lambda, latency),
        (Unknown::AlphaOutward, 0.02),
        (Unknown::BetaOutward, 5e-7),
    ];
    let mut counted = truths.map(|(unknown, _)| (unknown, 0, 0));
    for seed in 0..sets {
        let mut random = Random::new(seed);
        let text = noisy_events(programs, sizes, || {
            let sum: u64 = (0..12).map(|_| random.below(1_000_001)).sum();
            1.0 + noise * (sum as f64 / 1e6 - 6.0)
        });
        let observed = atgpu::study::measurements(&text).expect("well formed");
        let Ok(found) = fit(&[], &observed, &[]) else {
            continue;
        };
        for figure in &found.figures {
            let Origin::Fitted(Certainty::Told { interval, .. }) = &figure.origin else {
                continue;
            };
            let at = truths
                .iter()
                .position(|(unknown, _)| *unknown == figure.unknown)
                .expect("one of the seven");
            let holds =
                interval.is_none_or(|[low, high]| low <= truths[at].1 && truths[at].1 <= high);
            counted[at].1 += usize::from(holds);
            counted[at].2 += 1;
        }
    }
    counted.to_vec()
}

/// An interval of 95 % holds the truth 19 times out of 20; over 400 sets the standard deviation is 1.1 %.
/// The error of λ, which is λ/γ times γ, contains the error of γ.
#[test]
fn told_intervals_hold_the_truth_as_often_as_they_say() {
    let programs = [("Stream", 3, 13), ("Chain", 1, 4000), ("Mixed", 2, 900)];
    let sizes = [1 << 10, 1 << 14, 1 << 17, 1 << 18, 1 << 19, 1 << 20];
    for (unknown, held, told) in coverage(&programs, &sizes, 0.01, 400) {
        assert!(told > 300, "{unknown:?} was told {told} times");
        let share = held as f64 / told as f64;
        assert!(
            (0.91..=0.985).contains(&share),
            "{unknown:?}: {held} of {told}"
        );
    }
}

/// Two programs of nearly one ratio of operations to blocks, few sizes, more noise: an interval may be wide or
/// absent, never falsely narrow.
#[test]
fn poor_data_make_no_narrow_intervals() {
    const SETS: u64 = 150;
    let mut all = 0;
    for (programs, sizes, noise) in [
        (
            vec![("Stream", 3, 13), ("Copy", 2, 9)],
            vec![1 << 14, 1 << 20],
            0.05,
        ),
        (
            vec![("Stream", 3, 13)],
            vec![1 << 12, 1 << 16, 1 << 20],
            0.05,
        ),
        (
            vec![("Chain", 1, 4000), ("Mixed", 2, 900)],
            vec![1 << 16, 1 << 17],
            0.1,
        ),
    ] {
        for (unknown, held, told) in coverage(&programs, &sizes, noise, SETS) {
            all += told;
            // Sets that leave a figure open tell no interval, so the misses are shares of all sets.
            assert!(
                (told - held) * 100 <= 11 * SETS as usize,
                "{programs:?}, {unknown:?}: {held} of {told}"
            );
        }
    }
    assert!(all > 500, "only {all} intervals");
}

/// The data of a public report: the error of λ was told without that of γ, as ± 0.29 for 74.10, where 77.40 is true.
#[test]
fn the_error_of_lambda_contains_that_of_gamma() {
    let programs = [("P16", 3, 16), ("P200", 1, 200), ("P900", 9, 900)];
    let sizes = [100 * 32, 1000 * 32, 5000 * 32, 20_000 * 32];
    let mut random = Random::new(1);
    let text = noisy_events(&programs, &sizes, || {
        let sum: u64 = (0..12).map(|_| random.below(1_000_001)).sum();
        1.0 + 0.02 * (sum as f64 / 1e6 - 6.0)
    });
    let observed = atgpu::study::measurements(&text).expect("well formed");
    let found = fit(&[], &observed, &[]).expect("fits");
    let relative = |unknown: Unknown| {
        let mut figures = found.figures.iter();
        let figure = figures
            .find(|figure| figure.unknown == unknown)
            .expect("all");
        let Origin::Fitted(Certainty::Told { error, .. }) = figure.origin else {
            panic!("{:?}", figure.origin);
        };
        error / figure.value
    };
    // Blocks decide these times, so the quotient λ/γ is known well, and γ alone is not.
    assert!(relative(Unknown::Lambda) > relative(Unknown::Gamma) / 2.0);
}

#[test]
fn events_that_say_too_little_or_have_other_words_are_refused() {
    let refusal = |text: &str| {
        let observed = atgpu::study::measurements(text).expect("well formed");
        fit(&[], &observed, &[]).expect_err("it is refused")[0]
            .message
            .to_string()
    };
    let bare = refusal("program,event,amount,ms\nT,launch,4,1\n");
    assert!(
        bare.contains("does not say what its launch takes"),
        "{bare}"
    );
    let wide = refusal("program,event,amount,word_bytes,ms\nT,inward,4,8,1\n");
    assert!(
        wide.contains("words of 8 bytes, the machine of 4"),
        "{wide}"
    );
}

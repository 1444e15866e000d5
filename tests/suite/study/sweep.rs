//! `study::Sweep`: every number is the one that counting without data and the model give at that
//! point, or a closer bound that was derived, in order, whatever the batches.

use std::ops::ControlFlow;

use crate::support::cases;
use crate::support::engines::{self, choices};
use crate::support::programs::{DerivedFile, derived_file, load, load_file, path, programs};
use atgpu::cost::{Estimate, Exact, MODELS, Model, Subject, Value};
use atgpu::count::Interval;
use atgpu::count::{Counts, Parameters, Totals, parse_number};
use atgpu::derivation::Derivation;
use atgpu::derivation::evaluate::evaluate;
use atgpu::diag::{Diagnostic, Severity};
use atgpu::interval::{self, CountOptions};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::report::sweep::csv;
use atgpu::study::{Axis, Case, Counting, Finished, Prepared, StudyError, Sweep};

/// What a case says, by value.
type Row = (String, Counts<BigInt>, Vec<(&'static str, Estimate)>, bool);

fn axis(text: &str) -> Axis {
    Axis::parse(text, &|_| true).expect(text)
}

/// The models that look at counts alone.
fn plain_models() -> Vec<&'static dyn Model> {
    let models = MODELS.iter().copied();
    models.filter(|model| !model.needs_charges()).collect()
}

fn gtx650() -> Machine {
    Machine::built_in("gtx650").expect("built in")
}

fn fixed(given: &[(&str, &str)]) -> Parameters {
    given
        .iter()
        .map(|(name, value)| (*name, parse_number(value).expect(value)))
        .collect()
}

fn derived(program: &Program) -> Prepared<'_> {
    let derivation = atgpu::derive::derive(program, &Parameters::new());
    Prepared::new(program, Some(&derivation))
}

/// All rows, with the values of the first column.
fn run(sweep: &Sweep<'_>) -> Result<(Vec<Row>, Finished), Vec<Diagnostic>> {
    let mut all = Vec::new();
    let finished = sweep.run(
        &|case, rows: &mut Vec<Row>| {
            let first = case.values.first().cloned().flatten();
            let first = first.as_ref().map(ToString::to_string);
            rows.push((
                first.unwrap_or_default(),
                case.counts.clone(),
                case.estimates.to_vec(),
                case.exact.all(),
            ));
        },
        &mut |_, rows| {
            all.extend(rows);
            ControlFlow::Continue(())
        },
    )?;
    Ok((all, finished))
}

/// Counts without data, by the other engine of `derive`.
fn counted(program: &Program, given: &Parameters) -> Option<Counts<Interval>> {
    let point = Point::new(program, gtx650().atgpu.numbers(), given).ok()?;
    let going = |_| ControlFlow::Continue(());
    let counted = interval::count(program, &point, &CountOptions::default(), &going).ok()?;
    assert!(counted.faults.is_empty());
    Some(counted.counts)
}

/// The totals that were counted, but for blocks that are derived to be fewer; and whether all are exact.
fn closest(
    program: &Program,
    derivation: &Derivation,
    given: &Parameters,
) -> Option<(Totals<BigInt>, bool)> {
    let counted = counted(program, given)?;
    let mut totals = counted.upper().totals;
    if counted.is_exact() {
        return Some((totals, true));
    }
    let point = Point::new(program, gtx650().atgpu.numbers(), given).ok()?;
    let Ok(derived) = evaluate(program, derivation, &point) else {
        return Some((totals, false));
    };
    let (blocks, derived) = (&counted.totals.io, derived.counts.totals.io);
    totals.io = totals.io.min(derived.upper);
    let others = counted.totals.named();
    let mut others = others.iter().filter(|(name, _)| *name != "io");
    let is_exact = totals.io == blocks.lower.clone().max(derived.lower)
        && others.all(|(_, total)| total.is_exact());
    Some((totals, is_exact))
}

#[test]
fn every_row_is_what_counting_and_the_model_say() {
    let mut rows = 0;
    for folder in ["programs/paper1", "tests/suite/derive/constructs"] {
        for file in programs(folder).into_iter().step_by(cases::every(4)) {
            let DerivedFile {
                program,
                derivation,
            } = derived_file(&file);
            let axes: Vec<Axis> = program
                .formals()
                .iter()
                .map(|id| {
                    axis(&format!(
                        "{}=1,2,31,32,64,96,128",
                        program.parameter(*id).name
                    ))
                })
                .take(2)
                .collect();
            let others = program.formals().iter().skip(2);
            let others: Parameters = others
                .map(|id| (program.parameter(*id).name.clone(), 32))
                .collect();
            let sweep = Sweep::new(
                vec![Prepared::new(program, Some(derivation))],
                vec![gtx650()],
                plain_models(),
                axes,
                others,
                Counting::Briefly,
            );
            let sweep = sweep.unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
            let (found, finished) = run(&sweep).unwrap_or_else(|f| panic!("{file:?}: {f:?}"));
            let mut found = found.into_iter();
            let mut skipped = 0;
            for place in 0..sweep.places() {
                let given = sweep.given(place);
                let Some((totals, is_exact)) = closest(program, derivation, &given) else {
                    skipped += 1;
                    continue;
                };
                let (_, ours, estimates, exact) = found.next().expect("a row for every point");
                assert_eq!(ours.totals, totals, "{file:?} {given:?}");
                assert_eq!(exact, is_exact, "{file:?} {given:?}");
                for (model, (name, estimate)) in plain_models().iter().zip(&estimates) {
                    assert_eq!(model.name(), *name);
                    let expected = model.estimate(&Subject::of(&ours), &gtx650());
                    assert_eq!(Ok(estimate), expected.as_ref(), "{file:?} {given:?}");
                }
                rows += 1;
            }
            assert!(found.next().is_none());
            let said: u64 = finished.skipped.iter().map(|skipped| skipped.points).sum();
            assert_eq!(said, skipped, "{file:?}");
        }
    }
    assert!(
        rows > 300 / cases::every(4),
        "only {rows} rows: does nothing fit?"
    );
}

fn vector_addition() -> Program {
    load_file(&path("programs/paper1/vector_addition.atgpu")).0
}

fn sweep<'p>(
    program: &'p Program,
    axes: &[&str],
    given: &[(&str, &str)],
) -> Result<Sweep<'p>, StudyError> {
    let atgpu: Vec<&'static dyn Model> = vec![MODELS[0]];
    Sweep::new(
        vec![derived(program)],
        vec![gtx650()],
        atgpu,
        axes.iter().map(|text| axis(text)).collect(),
        fixed(given),
        Counting::Briefly,
    )
}

/// More points than two deliveries hold, all in order.
#[test]
fn rows_come_in_order_over_all_batches() {
    let program = vector_addition();
    let sweep = sweep(&program, &["n=32..1600000:+32"], &[]).expect("fine");
    let (rows, finished) = run(&sweep).expect("all fit");
    assert_eq!((rows.len(), finished.points), (50_000, 50_000));
    for (place, (n, counts, ..)) in rows.iter().enumerate() {
        let expected = 32 * (place + 1);
        assert_eq!(*n, expected.to_string());
        assert_eq!(counts.totals.inward, (2 * expected).into());
    }
    let mut deliveries = 0;
    let broken = sweep.run(&|_, count: &mut u64| *count += 1, &mut |done, points| {
        deliveries += 1;
        assert!(points <= done);
        ControlFlow::Break(())
    });
    assert_eq!(deliveries, 1);
    assert!(broken.expect("all fit").points < 50_000);
}

/// The last axis runs fastest, and machine parameters vary like others.
#[test]
fn grids_run_over_machine_parameters_too() {
    let program = vector_addition();
    let sweep = sweep(
        &program,
        &["n=64,128", "b=16,32", "lambda=0,2"],
        &[("sigma", "0")],
    );
    let sweep = sweep.expect("fine");
    assert_eq!(sweep.columns(), ["n", "b", "λ", "σ"]);
    let (rows, _) = run(&sweep).expect("all fit");
    let io: Vec<String> = rows.iter().map(|row| row.1.totals.io.to_string()).collect();
    assert_eq!(io, ["12", "12", "6", "6", "24", "24", "12", "12"]);
    let cost = |at: usize| rows[at].2[0].1.headline().expect("a cost").to_f64();
    // λ = 2 charges 12 blocks twice at 1.058 GHz.
    let difference = cost(1) - cost(0);
    assert!(
        (difference - 24.0 / 1_058_000.0).abs() < 1e-12,
        "{difference}"
    );
}

#[test]
fn points_that_do_not_fit_are_skipped_and_said() {
    let program = vector_addition();
    let sweep = sweep(&program, &["n=1..2^40:x2"], &[]).expect("fine");
    let (rows, finished) = run(&sweep).expect("some fit");
    // b ∣ n from 2^5 on, and 3n ≤ G = 2^28 up to 2^26.
    assert_eq!(rows.len(), 26 - 5 + 1);
    let said: Vec<(&str, u64)> = finished
        .skipped
        .iter()
        .map(|skipped| (skipped.first.code.short_name(), skipped.points))
        .collect();
    assert_eq!(said, [("require::violated", 5), ("limit::global", 14)]);
    for skipped in &finished.skipped {
        assert_eq!(skipped.first.severity, Severity::Note);
        assert_eq!(skipped.out_of, 41);
    }
}

/// What a program requires and how much memory it needs is judged at every point, not at the ends: n a
/// multiple of 7, 2(n(196 - n) + b) shared words beyond M in the middle alone, 2n² global words beyond G
/// at the end; by closed forms and by counting alike.
#[test]
fn every_point_is_judged_by_itself() {
    let text = "algorithm T(n)\n  require 7 | n\n  require n ≥ 7\n  input A[n·n]\n  output C[n·n]\n  \
        global a[n·n], c[n·n]\n  shared _x[n(196 - n) + b], _y[n(196 - n) + b]\n  a ⇚ A\n  \
        for all mp_i ∈ MP[0..0] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
        _x[j] ⇐ a[j]\n      _y[j] ← _x[j]\n      c[j] ⇐ _y[j]\n    end for\n  end for\n  C ⇚ c\n";
    let (program, _) = load("t.atgpu", text);
    let (most_shared, most_global) = (12_288, 60_000);
    let fits = |n: &i64| {
        let shared = 2 * (n * (196 - n) + 32);
        n % 7 == 0 && shared <= most_shared && 2 * n * n <= most_global
    };
    let expected: Vec<String> = (1..=196).filter(fits).map(|n| n.to_string()).collect();
    assert_eq!(expected.first().map(String::as_str), Some("7"));
    assert!(!expected.contains(&"98".to_owned()) && expected.contains(&"168".to_owned()));
    assert!(!expected.contains(&"196".to_owned()));
    for prepared in [derived(&program), Prepared::new(&program, None)] {
        let sweep = Sweep::new(
            vec![prepared],
            vec![gtx650()],
            vec![MODELS[0]],
            vec![axis("n=1..196:+1")],
            fixed(&[("G", "60000")]),
            Counting::Briefly,
        );
        let (rows, finished) = run(&sweep.expect("fine")).expect("some fit");
        let found: Vec<String> = rows.into_iter().map(|(n, ..)| n).collect();
        assert_eq!(found, expected);
        let said = finished.skipped.iter();
        let mut said: Vec<(&str, u64)> = said
            .map(|skipped| (skipped.first.code.short_name(), skipped.points))
            .collect();
        said.sort_unstable();
        let count = |fails: &dyn Fn(i64) -> bool| (1..=196).filter(|n| fails(*n)).count() as u64;
        let too_much = |n: i64| 2 * (n * (196 - n) + 32) > most_shared;
        let expected = [
            (
                "limit::global",
                count(&|n| n % 7 == 0 && !too_much(n) && 2 * n * n > most_global),
            ),
            ("limit::shared", count(&|n| n % 7 == 0 && too_much(n))),
            ("require::violated", count(&|n| n % 7 != 0)),
        ];
        assert_eq!(said, expected);
    }
}

/// A machine without figures for a model has no rows of that model; others have.
#[test]
fn models_are_left_out_machine_by_machine() {
    let program = vector_addition();
    let gtx280 = Machine::built_in("gtx280").expect("built in");
    let mut sweep = Sweep::new(
        vec![derived(&program)],
        vec![gtx650(), gtx280],
        MODELS.to_vec(),
        vec![axis("n=64")],
        Parameters::new(),
        Counting::Briefly,
    )
    .expect("fine");
    let fault = sweep.charge(&[]).expect_err("no [kothapalli]");
    assert_eq!(fault.code.short_name(), "machine::key");
    sweep.leave_out(vec![vec!["kothapalli-max", "kothapalli-sum"], Vec::new()]);
    sweep.charge(&[]).expect("nobody asks gtx650");
    let (rows, _) = run(&sweep).expect("all fit");
    let models: Vec<usize> = rows.iter().map(|row| row.2.len()).collect();
    assert_eq!(models, [MODELS.len() - 2, MODELS.len()]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let program = vector_addition();
    let refused = |axes: &[&str], given: &[(&str, &str)]| {
        let fault = sweep(&program, axes, given).err().expect("refused");
        let code = Diagnostic::of(&fault).code.short_name();
        assert_eq!(code, "usage::value");
        fault
    };
    assert!(matches!(
        refused(&["m=1,2"], &[]),
        StudyError::Stranger { .. }
    ));
    assert!(matches!(
        refused(&["n=1,2"], &[("n", "3")]),
        StudyError::Twice { .. }
    ));
    assert!(matches!(
        refused(&["α=1,2", "alpha=3"], &[("n", "3")]),
        StudyError::Twice { .. }
    ));
    let endless = &["n=1..1e12:+1", "b=1..1e12:+1"];
    assert!(matches!(refused(endless, &[]), StudyError::TooManyPoints));
    for (axes, given) in [
        (&["b=32"], &[][..]),
        (&["n=0.5"], &[]),
        (&["n=64"], &[("b", "0")]),
    ] {
        let sweep = sweep(&program, axes, given).expect("the names are fine");
        let faults = run(&sweep).expect_err("no point has a value");
        assert_eq!(faults[0].code.short_name(), "usage::value");
    }
}

/// Data decide how often the loop runs: counted, as upper bounds; and refused when that takes long.
#[test]
fn what_has_no_exact_form_is_counted_or_refused() {
    let text = "algorithm T(n)\n  input A[n]\n  output C[n]\n  global a[n], c[n]\n  shared _x[b]\n  a ⇚ A\n  \
        for all mp_i ∈ MP[0..n-1] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
        for v = 1 → n·(n mod 7)^2 do\n        _x[j] ⇐ a[(v·j·j + i·i) mod n]\n      end for\n      \
        if j = 0 then\n        c[i] ⇐ _x[0]\n      end if\n    end for\n  end for\n  C ⇚ c\n";
    let (program, _) = load("t.atgpu", text);
    let without = |axes: &[&str], counting| {
        Sweep::new(
            vec![Prepared::new(&program, None)],
            vec![gtx650()],
            vec![MODELS[0]],
            axes.iter().map(|text| axis(text)).collect(),
            Parameters::new(),
            counting,
        )
        .expect("fine")
    };
    let (rows, _) = run(&without(&["n=2..5:+1"], Counting::Briefly)).expect("few");
    assert_eq!(rows.len(), 4);
    for (n, counts, ..) in rows {
        let given = fixed(&[("n", &n)]);
        assert_eq!(
            Some(counts),
            counted(&program, &given).map(|found| found.upper())
        );
    }
    let faults = run(&without(&["n=2,20001"], Counting::Briefly)).expect_err("long");
    assert_eq!(faults[0].code.short_name(), "resource::memory");
    assert!(
        faults[0]
            .help
            .as_deref()
            .is_some_and(|help| help.contains("--count"))
    );
}

/// Where there is no time to count, bounds have to do, and how many points have them is told; where there is, none has.
#[test]
fn bounds_for_want_of_time_are_told() {
    let text = "algorithm T(n)\n  require n ≥ 1\n  input A[n·b]\n  output C[n·b]\n  global a[n·b]\n  \
        shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    \
        for all c_{i,j} ∈ C_i in parallel do\n      _x[j] ⇐ a[(j·j mod 3)·b + i·i·i mod b]\n      \
        a[i·b + j] ⇐ _x[j]\n    end for\n  end for\n  C ⇚ a\n";
    let (program, _) = load("t.atgpu", text);
    let swept = |counting| {
        let sweep = Sweep::new(
            vec![derived(&program)],
            vec![gtx650()],
            vec![MODELS[0]],
            vec![axis("n=3..9:+1")],
            Parameters::new(),
            counting,
        );
        run(&sweep.expect("fine")).expect("there are bounds")
    };
    let (bounds, finished) = swept(Counting::Never);
    let told = finished.cut_short.iter();
    let told: Vec<(u64, u64)> = told.map(|short| (short.points, short.out_of)).collect();
    assert_eq!(told, [(7, 7)]);
    let (exact, finished) = swept(Counting::Briefly);
    assert_eq!((exact.len(), finished.cut_short), (7, vec![]));
    let io = |rows: &[Row]| -> Vec<BigInt> {
        rows.iter()
            .map(|(_, counts, ..)| counts.totals.io.clone())
            .collect()
    };
    let pairs = io(&bounds).into_iter().zip(io(&exact));
    assert!(pairs.clone().all(|(bound, exact)| bound >= exact));
    assert!(pairs.clone().any(|(bound, exact)| bound > exact));
}

/// What is said to be exact among bounds is what every execution gives: totals, and the figures of the
/// models; the others are no less than what it gives.
#[test]
fn what_is_exact_among_bounds_is_what_happens() {
    let machine = gtx650();
    let (mut exact_among_bounds, mut bounds) = (0, 0);
    for folder in ["tests/suite/derive/constructs", "programs/cookbook"] {
        for file in programs(folder) {
            let (program, _) = load_file(&file);
            let derivation = atgpu::derive::derive(&program, &Parameters::new());
            for choice in choices(&program, 3, 11) {
                let counted = engines::count(&program, &choice);
                let derived = engines::numbers(&program, &derivation, &choice);
                for found in derived.into_iter().chain([counted]) {
                    if found.is_exact() {
                        continue;
                    }
                    let (upper, lower) = (found.upper(), found.lower());
                    let models = plain_models();
                    let of = |counts: &Counts<BigInt>| -> Vec<Estimate> {
                        let of = |model: &&dyn Model| {
                            let estimate = model.estimate(&Subject::of(counts), &machine);
                            estimate.expect("complete")
                        };
                        models.iter().map(of).collect()
                    };
                    let estimates = of(&upper);
                    let pairs = models.iter().copied().zip(&estimates);
                    let exact = Exact::of(&Subject::of(&upper), Some(&lower), pairs, &machine);
                    for seed in 0..2 {
                        let what = format!("{} at {}, seed {seed}", program.name(), choice.label);
                        let happened = engines::execute(&program, &choice, seed).counts;
                        let totals = upper.totals.all().into_iter();
                        for ((which, bound), (_, number)) in totals.zip(happened.totals.all()) {
                            let name = which.name();
                            assert!(number <= bound, "{what}: {name}");
                            if exact.total(which) {
                                assert_eq!(number, bound, "{what}: {name}");
                            }
                        }
                        for ((model, most), seen) in
                            models.iter().zip(&estimates).zip(of(&happened))
                        {
                            for (most, seen) in most.figures.iter().zip(&seen.figures) {
                                let name = most.name;
                                let what = format!("{what}: {} by {}", most.name, model.name());
                                if exact.figure(model.name(), most.name) {
                                    assert_eq!(seen.value, most.value, "{what}");
                                    exact_among_bounds += 1;
                                    continue;
                                }
                                bounds += 1;
                                if let (Value::Time(seen), Value::Time(most)) =
                                    (&seen.value, &most.value)
                                {
                                    assert!(seen <= most, "{what}");
                                    let least = exact.least(model.name(), name);
                                    assert!(least.is_none_or(|least| least <= seen), "{what}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(
        exact_among_bounds > 100 && bounds > 100,
        "{exact_among_bounds} {bounds}"
    );
}

/// The lines of a table without the units, written from what every point says.
fn lines_of_cases(sweep: &Sweep<'_>, wanted: &[String]) -> (String, Finished) {
    let mut all = String::new();
    let line = |case: &Case<'_>, (model, name): (&str, &str), (value, is_exact): (String, bool)| {
        let values = case.values.iter().map(|value| match value {
            Some(value) => format!("{},", value.to_f64()),
            None => ",".to_owned(),
        });
        let values: String = values.collect();
        let point = format!("{},{},{model},{values}", case.program, case.machine);
        format!("{point}{name},{value},{is_exact}\n")
    };
    let render = |case: &Case<'_>, out: &mut String| {
        for (model, estimate) in case.estimates {
            for figure in &estimate.figures {
                let value = match &figure.value {
                    Value::Share(None) => String::new(),
                    Value::Time(number) | Value::Share(Some(number)) => number.to_f64().to_string(),
                    _ => panic!("{} has none", figure.name),
                };
                if wanted.iter().any(|wanted| wanted == figure.name) {
                    let is_exact = case.exact.figure(model, figure.name);
                    *out += &line(case, (model, figure.name), (value, is_exact));
                }
            }
        }
        for (which, total) in case.counts.totals.all() {
            if wanted.iter().any(|wanted| wanted == which.name()) {
                let value = (total.to_string(), case.exact.total(which));
                *out += &line(case, ("", which.name()), value);
            }
        }
    };
    let finished = sweep.run(&render, &mut |_, rows: String| {
        all += &rows;
        ControlFlow::Continue(())
    });
    (all, finished.expect("every point is judged by itself"))
}

/// By closed forms alone where there are some, and with the same points skipped for the same reasons.
#[test]
fn a_table_shows_what_every_point_says() {
    let wanted = [
        "cost",
        "gpu_cost",
        "transfer_share",
        "time",
        "io",
        "rounds",
        "transfer",
    ];
    let wanted = wanted.map(str::to_owned);
    let (mut rows, mut skipped) = (0, 0);
    for folder in [
        "programs/paper1",
        "programs/cookbook",
        "tests/suite/derive/constructs",
    ] {
        for file in programs(folder).into_iter().step_by(cases::every(4)) {
            let DerivedFile {
                program,
                derivation,
            } = derived_file(&file);
            let mut names = program
                .formals()
                .iter()
                .map(|id| &program.parameter(*id).name);
            let Some(first) = names.next() else {
                continue;
            };
            let sizes = axis(&format!("{first}=0..70:+1"));
            let others: Parameters = names.map(|name| (name.clone(), 8)).collect();
            let others_too = [axis("beta=0.001,1e-7"), axis("b=4,32")];
            for axes in [
                vec![sizes.clone()],
                [vec![sizes], others_too.to_vec()].concat(),
            ] {
                let sweep = Sweep::new(
                    vec![Prepared::new(program, Some(derivation))],
                    vec![gtx650()],
                    vec![MODELS[0], MODELS[1]],
                    axes,
                    others.clone(),
                    Counting::Briefly,
                );
                let sweep = sweep.expect("the program has these parameters");
                let (expected, of_cases) = lines_of_cases(&sweep, &wanted);
                let mut table = String::new();
                let of_table = sweep.table(
                    &wanted,
                    &|figures, out: &mut String| csv::rows(figures, out),
                    &mut |_, lines| {
                        table += &lines;
                        ControlFlow::Continue(())
                    },
                );
                let of_table = of_table.expect("as its points");
                let without_unit = |line: &str| {
                    let mut cells: Vec<&str> = line.split(',').collect();
                    cells.remove(cells.len() - 2);
                    format!("{}\n", cells.join(","))
                };
                let table: String = table.lines().map(without_unit).collect();
                assert_eq!(table, expected, "{}", file.display());
                let said = |finished: &Finished| format!("{:?}", finished.skipped);
                assert_eq!(said(&of_table), said(&of_cases), "{}", file.display());
                rows += of_table.points;
                skipped += of_table.skipped.len();
            }
        }
    }
    assert!(
        rows > 3000 / cases::every(4) as u64 && skipped > 20 / cases::every(4),
        "{rows} rows, {skipped} reasons"
    );
}

/// `atgpu sweep` of two programs over a grid.
fn swept(more: &[&str]) -> String {
    let folder = path("programs/paper1");
    let mut command = crate::support::command::atgpu(&folder);
    command.args(["sweep", "vector_addition.atgpu", "reduction_any_n.atgpu"]);
    command.args(["--vary", "n=32..4096", "--vary", "sigma=0.1,0.2"]);
    command.args(["--quantity", "gpu_cost", "--quantity", "io"]);
    let output = command.args(more).output().expect("the command starts");
    assert!(output.status.success(), "{more:?}");
    String::from_utf8(output.stdout).expect("rows are text")
}

#[test]
fn parts_one_behind_the_other_are_the_whole() {
    let whole = swept(&["--wide"]);
    assert_eq!(whole.lines().count(), 1 + 2 * 8 * 2);
    let mut together = String::new();
    for part in ["1/5", "2/5", "3/5", "4/5", "5/5"] {
        let rows = swept(&["--wide", "--part", part]);
        let (header, rows) = rows.split_once('\n').expect("it has a header");
        if together.is_empty() {
            together = format!("{header}\n");
        }
        together.push_str(rows);
    }
    assert_eq!(together, whole);
}

#[test]
fn a_wide_row_says_what_its_rows_say() {
    let (wide, tidy) = (swept(&["--wide"]), swept(&[]));
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
    let header = cells(wide.lines().next().expect("a header"));
    assert_eq!(
        header[..4],
        ["program", "machine", "n", "σ"].map(str::to_owned)
    );
    let mut found = Vec::new();
    for line in wide.lines().skip(1).map(cells) {
        for (column, value) in header.iter().zip(&line).skip(4) {
            let (model, quantity) = match column.split_once('_') {
                Some((model, quantity)) => (model, quantity),
                None => ("", column.as_str()),
            };
            if column != "exact" && !value.is_empty() {
                let [of, on, n, sigma] = [0, 1, 2, 3].map(|at| line[at].as_str());
                let row = [of, on, model, n, sigma, quantity, value.as_str()];
                found.push(row.join(","));
            }
        }
    }
    let mut wanted: Vec<String> = tidy
        .lines()
        .skip(1)
        .map(|line| cells(line)[..7].join(","))
        .collect();
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted);
}

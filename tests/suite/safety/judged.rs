//! Small programs, each about one rule, in folders by what is found of them: `safe`, `faulty`, `open`.
//!
//! Two engines judge each: the prover, and runs at small points. A file of `open/` that is safe says
//! so in a comment: the prover may learn it.

use std::path::Path;

use crate::support::programs::{load, load_file, programs};
use crate::support::snapshots;
use atgpu::count::Parameters;
use atgpu::exec::Options;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report::safety::{SafetyReport, findings, text};
use atgpu::room::with_room;
use atgpu::safety::{Property, Safety, Verdict, refuted, safety};

/// Widths of the small points.
const WIDTHS: [i64; 4] = [1, 2, 3, 4];

/// Values of the formals: of one, of two, of more.
const VALUES: [&[i64]; 3] = [&[0, 1, 2, 3, 4, 5, 6, 8, 9], &[0, 1, 2, 3, 5], &[1, 2, 3]];

/// What a run is refused for: no point that is admitted.
const NOT_ADMITTED: &str = "require::violated";

/// A program with what is found of it.
pub(super) struct Found {
    pub(super) program: Program,
    pub(super) safety: Safety,
}

#[test]
fn what_is_proved_never_faults() {
    snapshots::each("safety/safe", "atgpu", |file| {
        let found = judged(file);
        assert!(found.safety.is_safe(), "not proved: {}", report(&found));
        assert_eq!(first_fault(&found.program), None);
        insta::assert_snapshot!(report(&found));
    });
}

#[test]
fn what_is_refuted_faults_at_its_witness() {
    snapshots::each("safety/faulty", "atgpu", |file| {
        let found = judged(file);
        let refuted = found
            .safety
            .judged
            .iter()
            .filter_map(|one| match &one.verdict {
                Verdict::Refuted(witness) => Some(witness),
                Verdict::Proved(_) | Verdict::Open(_) => None,
            });
        let mut witnesses = 0;
        for witness in refuted {
            witnesses += 1;
            let code = witness.fault.code.short_name();
            let line = witness
                .fault
                .primary()
                .map(|label| found.program.line(label.span));
            let options = Options {
                inputs: witness.inputs.iter().cloned().collect(),
                ..Options::default()
            };
            let faults = faults_at(&found.program, &witness.values, &options);
            assert!(
                faults
                    .iter()
                    .any(|fault| fault.code == code && fault.line == line),
                "{code} in line {line:?} at {:?}, but {faults:?}",
                witness.values
            );
        }
        assert!(witnesses > 0, "not refuted: {}", report(&found));
        assert_requires_suffice(file, &found);
        insta::assert_snapshot!(report(&found));
    });
}

#[test]
fn what_is_open_is_neither_proved_nor_faulty() {
    snapshots::each("safety/open", "atgpu", |file| {
        let found = judged(file);
        let mut verdicts = found.safety.judged.iter().map(|one| &one.verdict);
        assert!(verdicts.any(|verdict| matches!(verdict, Verdict::Open(_))));
        assert_eq!(first_fault(&found.program), None);
        insta::assert_snapshot!(report(&found));
    });
}

/// With the `require` written that is said to be missing, the line it is about is proved.
fn assert_requires_suffice(file: &Path, found: &Found) {
    let text = std::fs::read_to_string(file).expect("a file of the suite is readable");
    for place in &found.safety.judged {
        let Verdict::Refuted(witness) = &place.verdict else {
            continue;
        };
        let Some(require) = &witness.require else {
            continue;
        };
        let require = &require.text;
        let finding = findings(&found.safety, &found.program);
        let title = format!("add `require {require}`");
        let fix = finding
            .iter()
            .flat_map(|finding| &finding.fixes)
            .find(|fix| fix.title == title)
            .expect("what is missing is offered as a fix");
        let mended = judged_text(&fix.apply(&text));
        let line = found.program.line(place.span) + 1;
        let mut left = mended.safety.of(place.property).filter(|other| {
            mended.program.line(other.span) == line && other.subject == place.subject
        });
        assert!(
            left.all(|other| other.verdict.is_proved()),
            "{require} does not suffice: {}",
            report(&mended)
        );
    }
}

/// Accesses of the same words over and over are compared once; another one is still found among them.
#[test]
fn a_body_of_thousands_of_accesses_is_judged() {
    let body = |last: &str| {
        let step =
            "        _x[j] ⇐ a[ib + j]\n        _x[j] ← 2·_x[j]\n        c[ib + j] ⇐ _x[j]\n";
        format!(
            "algorithm Many(n)\n  require n ≥ 1\n  input A[n]\n  output C[n]\n  global a[n], c[n]\n  shared _x[b]\n  \
             a ⇚ A\n  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do\n    \
             for all c_{{i,j}} ∈ C_i in parallel do\n      if ib + j < n then\n{}{last}      end if\n    end for\n  \
             end for\n  C ⇚ c\n",
            step.repeat(1000)
        )
    };
    let found = judged_text(&body(""));
    assert!(found.safety.is_safe(), "not proved: {}", report(&found));
    let racing = judged_text(&body("        c[0] ⇐ _x[j]\n"));
    let raced =
        racing.safety.judged.iter().find(|one| {
            one.property == Property::Races && !matches!(one.verdict, Verdict::Proved(_))
        });
    assert!(raced.is_some(), "{}", report(&racing));
}

pub(super) fn judged(file: &Path) -> Found {
    let text = std::fs::read_to_string(file).expect("a file of the suite is readable");
    judged_text(&text)
}

fn judged_text(text: &str) -> Found {
    let (program, _) = load("program", text);
    let safety = program.safety();
    // Told with fewer proofs.
    let told = with_room(|| refuted(&program, &().into(), &card()));
    assert_eq!(told.is_some(), safety.is_refuted(), "{text}");
    Found { program, safety }
}

fn report(found: &Found) -> String {
    text::text(&SafetyReport {
        file: "program",
        program: &found.program,
        given: &().into(),
        machine: &card(),
        safety: &found.safety,
    })
}

fn card() -> Machine {
    Machine::built_in("gtx650").expect("built in")
}

/// A fault of a run.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) code: String,
    line: Option<usize>,
}

/// The faults of the run at a point; none where it is not admitted.
fn faults_at(program: &Program, values: &Parameters, options: &Options) -> Vec<Fault> {
    let options = Options {
        threads: 1,
        ..options.clone()
    };
    let Err(error) = program.run(&card(), values.clone(), &options) else {
        return Vec::new();
    };
    let faults: Vec<Fault> = error
        .findings()
        .iter()
        .filter(|found| found.diagnostic.is_error())
        .map(|found| Fault {
            code: found.code().short_name().to_owned(),
            line: found
                .diagnostic
                .primary()
                .map(|label| program.line(label.span)),
        })
        .collect();
    if faults.iter().any(|fault| fault.code == NOT_ADMITTED) {
        Vec::new()
    } else {
        faults
    }
}

/// The first fault at any small point.
fn first_fault(program: &Program) -> Option<(Parameters, Vec<Fault>)> {
    faults_over(program, &Options::default())
}

/// The first fault at any small point of runs with these options.
pub(super) fn faults_over(
    program: &Program,
    options: &Options,
) -> Option<(Parameters, Vec<Fault>)> {
    let names: Vec<&str> = program
        .formals()
        .iter()
        .map(|formal| program.parameter(*formal).name.as_str())
        .collect();
    let values = VALUES[names.len().clamp(1, VALUES.len()) - 1];
    let mut points: Vec<Parameters> = WIDTHS
        .iter()
        .map(|width| [("b", *width)].into_iter().collect())
        .collect();
    for name in names {
        points = points
            .iter()
            .flat_map(|point| {
                values.iter().map(|value| {
                    let mut point = point.clone();
                    point.set(name, *value);
                    point
                })
            })
            .collect();
    }
    points.into_iter().find_map(|point| {
        let faults = faults_at(program, &point, options);
        (!faults.is_empty()).then_some((point, faults))
    })
}

/// A value takes no proof away: what is proved of all b is proved of 32.
#[test]
fn what_is_proved_is_proved_with_a_value_too() {
    let card = Machine::built_in("gtx650").expect("built in");
    for file in programs("programs/paper1") {
        let (program, _) = load_file(&file);
        if !safety(&program, &().into(), &card).is_safe() {
            continue;
        }
        for width in [2, 32] {
            let given = [("b", width)].into();
            assert!(
                safety(&program, &given, &card).is_safe(),
                "{} at b = {width}",
                program.name()
            );
        }
    }
}

//! The keys that interface.md promises, in their order.

use crate::count::{ArrayBlocks, Counts};
use crate::machine::Machine;
use crate::number::BigInt;
use crate::report::counts::EnsureOutcome;
use crate::report::counts::json::*;

fn report_of(counts: &Counts<BigInt>, method: Method) -> Value {
    let machine = Machine::built_in("gtx650").expect("built in");
    let parameters = [("n".to_owned(), BigInt::from(1000))].into_iter().collect();
    let models = ["atgpu", "agpu"].map(|name| {
        let model = cost::find(name).expect("listed");
        (
            model.name(),
            model
                .estimate(&cost::Subject::of(counts), &machine)
                .expect("complete"),
        )
    });
    json(&CountsReport {
        algorithm: "T",
        machine: &machine,
        parameters: &parameters,
        method,
        contention: None,
        counts,
        bounds: &[],
        charges: None,
        estimates: &models,
        exact: &Default::default(),
    })
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

/// Two rounds alike that read or write an array, and an empty one.
fn counts() -> Counts<BigInt> {
    let mut round = Round {
        launched_mps: 32.into(),
        shared_words: 96.into(),
        ..Round::default()
    };
    round.arrays.insert("a".into(), ArrayBlocks::default());
    Counts {
        rounds: vec![(2, round.clone()), (1, Round::default())],
        ..Counts::default()
    }
}

/// The keys, in the order of interface.md.
#[test]
fn has_the_promised_shape() {
    let counts = counts();
    let cost = report_of(&counts, Method::Derived);
    assert_eq!(
        keys(&cost),
        [
            "algorithm",
            "machine",
            "parameters",
            "method",
            "exact",
            "rounds",
            "totals",
            "models",
            "bounds"
        ]
    );
    assert_eq!(
        keys(&cost["rounds"][0]),
        [
            "round",
            "count",
            "k",
            "t",
            "q",
            "inward",
            "outward",
            "shared",
            "global",
            "bank_conflicts",
            "occupancy",
            "arrays"
        ]
    );
    assert_eq!(cost["rounds"][0]["occupancy"], 16);
    assert_eq!(cost["rounds"][1]["round"], 3);
    assert_eq!(
        keys(&cost["models"]["atgpu"]),
        ["cost", "gpu_cost", "transfer_share", "unit", "accuracy"]
    );
    assert_eq!(
        keys(&cost["models"]["agpu"]),
        ["time", "io", "shared", "global", "occupancy"]
    );
    assert_eq!(cost["rounds"][0]["arrays"]["a"]["read_blocks"], 0);
}

#[test]
fn a_run_has_no_method_and_tells_its_seconds() {
    let counts = counts();
    let run = report_of(
        &counts,
        Method::Run(RunReport {
            ensures: vec![EnsureOutcome {
                text: "C[0] = 1".into(),
                line: 9,
                holds: true,
            }],
            matches_derivation: Some(true),
            seconds: vec![0.25, 0.5, 0.125],
            ensure_seconds: 1.5,
            lane_operations: 16072.into(),
        }),
    );
    assert_eq!(run.get("method"), None);
    assert_eq!(
        run["run"].to_string(),
        concat!(
            r#"{"ensures":[{"text":"C[0] = 1","line":9,"holds":true}],"#,
            r#""matches_derivation":true,"seconds":0.25,"seconds_min":0.125,"#,
            r#""seconds_max":0.5,"ensure_seconds":1.5,"lane_operations":16072}"#
        )
    );
}

#[test]
fn more_rounds_than_anybody_reads_are_told_as_a_number() {
    let rounds = (0..10_002_i64).map(|at| {
        let round = Round {
            time: at.into(),
            ..Round::default()
        };
        (3, round)
    });
    let counts = Counts {
        rounds: rounds.collect(),
        ..Counts::default()
    };
    let found = report_of(&counts, Method::Counted);
    assert_eq!(found["rounds"].as_array().map(Vec::len), Some(10_000));
    assert_eq!(found["rounds"][9_999]["round"], 29_998);
    assert_eq!(found["rounds_omitted"], 6);
}

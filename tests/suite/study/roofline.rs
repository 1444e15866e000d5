//! `roofline` by formulas and by runs: bounds lie above, and what is exact is the same.

use std::path::Path;

use serde_json::Value;

use crate::support::command::atgpu;

/// The GPU-cost that `cost` or `run` prints, in ms.
fn headline(command: &str, program: &str, arguments: &[&str]) -> f64 {
    let output = atgpu(Path::new(env!("CARGO_MANIFEST_DIR")))
        .args([command, program, "--model", "roofline", "--format", "json"])
        .args(arguments)
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let found: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let time = found["models"]["roofline"]["gpu_cost"].as_f64();
    time.unwrap_or_else(|| panic!("{text}"))
}

/// Every built-in card has all figures that the bounds need.
#[test]
fn every_card_has_its_bounds() {
    for (card, _) in atgpu::machine::BUILT_IN {
        let arguments = ["-D", "n=2^22", "--machine", card];
        let time = headline("cost", "programs/paper1/vector_addition.atgpu", &arguments);
        // 48 MiB at the bandwidth of an H200 take 0.01 ms; two multiprocessors of a GTX 650 are twice as long
        // as its memory.
        assert!((0.01..2.0).contains(&time), "{card}: {time}");
    }
}

/// `derive --model roofline` says what `cost` says, at any size: the cost and each bound.
#[test]
fn formulas_of_bounds_are_the_bounds() {
    let program = "programs/paper1/vector_addition.atgpu";
    let run = |arguments: &[&str]| -> Value {
        let output = atgpu(Path::new(env!("CARGO_MANIFEST_DIR")))
            .args(arguments)
            .args([
                "--format",
                "json",
                "--machine",
                "rtx3060",
                "--model",
                "roofline",
            ])
            .output()
            .expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let forms = &run(&["derive", program])["models"]["roofline"];
    assert_eq!(forms["b"], 32);
    for n in [32, 1 << 12, 1 << 22] {
        let costs = &run(&["cost", program, "-D", &format!("n={n}")])["models"]["roofline"];
        for name in ["gpu_cost", "work", "span", "shared", "l1", "l2", "dram"] {
            let text = forms[name]["expanded"].as_str().expect("a formula");
            let at = run(&["derive", program, "-D", &format!("n={n}")]);
            let at = at["models"]["roofline"][name]["text"]
                .as_str()
                .expect("a number")
                .to_owned();
            let number = atgpu::count::parse_number(&at).map_or_else(
                |_| {
                    let parts = at.split_once('/').expect("a quotient");
                    let part = |text: &str| text.parse::<f64>().expect("a number");
                    part(parts.0) / part(parts.1)
                },
                |number| number.to_f64(),
            );
            let cost = costs[name].as_f64().expect("a time");
            assert!(
                (number - cost).abs() <= 1e-12 * cost.abs(),
                "{name} at {n}: {number}, {cost}"
            );
            assert!(text.contains('n') || text == at, "{name}: {text}");
        }
    }
}

/// Where data decide addresses a formula bounds how many bytes move, and more of them must not make the wait
/// for each shorter.
#[test]
fn no_run_takes_longer_than_its_bound() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "programs/cookbook/mandelbrot.atgpu",
            &["-D", "n=31", "-D", "T=16"],
        ),
        (
            "programs/cookbook/merge.atgpu",
            &["-D", "n=100", "-D", "m=70"],
        ),
        (
            "programs/cookbook/sparse_matrix_vector.atgpu",
            &["-D", "n=40", "-D", "m=30", "-D", "z=200"],
        ),
        (
            "programs/cookbook/list_ranking_pointer_jumping.atgpu",
            &["-D", "n=1000"],
        ),
    ];
    for (program, parameters) in cases {
        for card in ["gtx480", "gtx650", "rtx3060"] {
            let arguments = [parameters, &["--machine", card]].concat();
            let [bound, run] = ["cost", "run"].map(|it| headline(it, program, &arguments));
            assert!(
                run <= bound * (1.0 + 1e-12),
                "{program} on {card}: {run} ms, at most {bound} ms"
            );
        }
    }
}

/// Half-warps of a guarded access load segments of 32 to 128 bytes, as many as its words lie in.
#[test]
fn segments_that_shrink_are_never_taken_as_whole_ones() {
    let programs = ["paper1/vector_addition_guarded", "cookbook/saxpy"];
    for program in programs.map(|name| format!("programs/{name}.atgpu")) {
        for card in ["gtx280", "gtx8800"] {
            let arguments = ["-D", "n=100000", "--machine", card];
            let [cost, run] = ["cost", "run"].map(|it| headline(it, &program, &arguments));
            let is_same = (cost / run - 1.0).abs() < 1e-12;
            assert!(is_same, "{program} on {card}: {cost} ms, {run} ms");
        }
    }
}

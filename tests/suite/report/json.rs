//! The JSON of `cost`, `run` and `derive` on vector addition: the figures of interface.md.

use crate::support::command;
use serde_json::{Value, json};

/// Vector addition, guarded, as language.md §2 shows it.
const VECTOR_ADDITION: &str = "\
algorithm VectorAddition(n)
  require n ≥ 1
  input  A[n], B[n]
  output C[n]
  global a[n], b[n], c[n]
  shared _a[b], _b[b], _c[b]
  let k = ⌈n/b⌉
  ensure ∀ x ∈ 0..n-1 : C[x] = A[x] + B[x]
  claim time = 16

  a ⇚ A                                      ▷ host to device
  b ⇚ B
  for all mp_i ∈ MP[mp_0, …, mp_{k-1}] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _a[j] ⇐ a[ib + j]                    ▷ global to shared
        _b[j] ⇐ b[ib + j]
        _c[j] ← _a[j] + _b[j]                ▷ shared memory
        c[ib + j] ⇐ _c[j]
      end if
    end for
  end for
  C ⇚ c                                      ▷ device to host
end algorithm
";

fn answer(args: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("vector_addition.atgpu");
    std::fs::write(&file, VECTOR_ADDITION).expect("writable");
    let output = command::atgpu(folder.path())
        .args([args[0], "vector_addition.atgpu", "--format", "json"])
        .args(&args[1..])
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    serde_json::from_slice(&output.stdout).expect("one object")
}

/// n = 1000 on 32-core MPs: k = ⌈1000/32⌉ = 32, t = 3 + 13, q = 3·32 and 16 MPs resident.
fn rounds() -> Value {
    json!([{
        "round": 1, "count": 1, "k": 32, "t": 16, "q": 96,
        "inward": {"words": 2000, "transactions": 2},
        "outward": {"words": 1000, "transactions": 1},
        "shared": 96, "global": 3000, "bank_conflicts": 0, "occupancy": 16,
        "arrays": {
            "a": {"read_blocks": 32, "write_blocks": 0},
            "b": {"read_blocks": 32, "write_blocks": 0},
            "c": {"read_blocks": 0, "write_blocks": 32}
        }
    }])
}

fn totals() -> Value {
    json!({
        "rounds": 1, "time": 16, "total_time": 16, "io": 96, "inward": 2000, "outward": 1000,
        "transfer": 3000, "transactions": 3, "shared": 96, "global": 3000, "bank_conflicts": 0
    })
}

#[test]
fn cost_and_count_give_the_same_numbers() {
    for (args, method) in [
        (&["cost", "-D", "n=1000"][..], "derived"),
        (&["cost", "-D", "n=1000", "--count"], "counted"),
    ] {
        let found = answer(args);
        assert_eq!(found["algorithm"], "VectorAddition");
        assert_eq!(found["machine"], "gtx650");
        assert_eq!(found["method"], method);
        assert_eq!(found["exact"], true);
        assert_eq!(found["rounds"], rounds());
        assert_eq!(found["totals"], totals());
        assert_eq!(found["bounds"], json!([]));
        assert_eq!(found["diagnostics"], json!([]));
        let parameters = json!({"n": 1000, "p": 384, "b": 32, "M": 12288, "G": 1 << 28});
        assert_eq!(found["parameters"], parameters);
        assert!(found.get("run").is_none());
    }
}

/// Expressions (1) and (2) by hand, with round figures: α = 5, β = 2, γ = 4, λ = 100, σ = 7.
/// Transfers 3·5 + 3000·2 = 6015; ⌈32/(2·16)⌉ = 1 wave, so (16 + 100·96)/4 = 2404 either way; with
/// H = 4 there are ⌈32/8⌉ = 4 waves: (64 + 9600)/4 = 2416.
#[test]
fn models_are_the_published_expressions() {
    let letters = [
        "-D",
        "alpha=5",
        "-D",
        "beta=2",
        "-D",
        "gamma=4",
        "-D",
        "lambda=100",
    ];
    let mut args = vec!["cost", "-D", "n=1000", "-D", "sigma=7", "--model", "all"];
    args.extend(letters);
    let found = answer(&args);
    assert_eq!(found["models"]["atgpu"]["cost"], 8426.0);
    assert_eq!(found["models"]["atgpu"]["gpu_cost"], 8426.0);
    assert_eq!(found["models"]["atgpu"]["unit"], "ms");
    assert_eq!(found["models"]["atgpu"]["transfer_share"], 6015.0 / 8426.0);
    assert_eq!(found["models"]["swgpu"]["gpu_cost"], 2411.0);
    assert_eq!(found["models"]["swgpu"].get("transfer_share"), None);
    let agpu = json!({
        "time": 16, "io": 96, "shared": 96, "global": 3000, "occupancy": 16,
        "time_class": "Θ(1)", "io_class": "Θ(n/b + 1)", "shared_class": "Θ(b)", "global_class": "Θ(n)",
    });
    assert_eq!(found["models"]["agpu"], agpu);
    args.extend(["-D", "H=4"]);
    assert_eq!(answer(&args)["models"]["atgpu"]["gpu_cost"], 8438.0);
}

#[test]
fn a_run_counts_what_was_derived() {
    let found = answer(&["run", "-D", "n=1000", "--repeat", "3", "--threads", "2"]);
    assert_eq!(found["rounds"], rounds());
    assert_eq!(found["totals"], totals());
    let run = &found["run"];
    let ensures = json!([{"text": "∀ x ∈ 0..n-1 : C[x] = A[x] + B[x]", "line": 8, "holds": true}]);
    assert_eq!(run["ensures"], ensures);
    assert_eq!(run["matches_derivation"], true);
    // Σ operations × active cores: 3 of the `if` on 1024 cores, 13 on the 1000 inside it.
    assert_eq!(run["lane_operations"], 3 * 1024 + 13 * 1000);
    let seconds = |key: &str| run[key].as_f64().expect("a number");
    assert!(seconds("seconds_min") <= seconds("seconds"));
    assert!(seconds("seconds") <= seconds("seconds_max"));
    assert!(found.get("method").is_none());
}

#[test]
fn numbers_no_double_holds_are_digits() {
    let found = answer(&["cost", "-D", "n=2^60", "-D", "G=2^62"]);
    assert_eq!(found["parameters"]["n"], "1152921504606846976");
    assert_eq!(found["totals"]["transfer"], "3458764513820540928");
    assert_eq!(found["totals"]["transactions"], 3);
}

#[test]
fn a_derivation_is_the_same_tree_in_symbols() {
    let found = answer(&["derive"]);
    let round = &found["rounds"][0];
    let k = json!({"text": "k", "expanded": "⌈n/b⌉", "latex": "k", "exact": true, "closed": true});
    assert_eq!(round["k"], k);
    assert_eq!(round["t"]["text"], "16");
    assert_eq!(round["q"]["expanded"], "3⌈n/b⌉");
    assert_eq!(round["inward"]["words"]["text"], "2n");
    assert_eq!(found["totals"]["io"]["text"], "3k");
    assert_eq!(found["claims"][0]["verdict"], "proved");
    assert_eq!(found["classes"]["io"], "Θ(n/b + 1)");
    let lines = found["lines"].as_array().expect("a list");
    let text: Vec<&Value> = lines.iter().map(|line| &line["text"]).collect();
    assert_eq!(text[0], "if ib + j < n then");
    assert_eq!(lines[0]["line"], 15);
    let expanded = answer(&["derive", "--expand"]);
    assert_eq!(expanded["totals"]["io"]["text"], "3⌈n/b⌉");
    let given = answer(&["derive", "-D", "b=32"]);
    assert_eq!(given["totals"]["shared"]["text"], "96");
}

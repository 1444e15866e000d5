//! What machines charge by rules and weights of their own, and which points of a sweep have rows: the
//! command from outside.

use std::path::Path;
use std::process::Output;

use crate::support::command;
use serde_json::Value;
use tempfile::TempDir;

/// Words s apart; nothing but `[atgpu]`, weights and a rule is known of the machine.
const GATHER: &str = "\
algorithm Gather(n, s)
  require n ≥ 1 ∧ s ≥ 1
  input A[n*s*b]
  output C[n*b]
  global a[n*s*b], c[n*b]
  shared _x[b]
  a ⇚ A
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ⇐ a[(i*b + j)*s]
      c[i*b + j] ⇐ _x[j]
    end for
  end for
  C ⇚ c
";

const MINE: &str = "\
name = \"mine\"
[atgpu]
p = 64
b = 8
M = 512
G = 65536
[coalescing]
rule = \"half-warp\"
[operations]
mul = 3
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    write("gather.atgpu", GATHER);
    write("mine.toml", MINE);
    folder
}

fn atgpu(folder: &Path, line: &str) -> Output {
    let mut command = command::atgpu(folder);
    command
        .args(line.split_whitespace())
        .output()
        .expect("starts")
}

fn out(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&out(output)).expect("one object")
}

fn program(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/programs/{name}.atgpu")
}

/// Words of 8 bytes, 16 to a segment. An MP's 8 words, 3 apart, span 22 words from a multiple of 8:
/// two segments; its 8 neighbours lie in one. Products weigh 3, sums 1: (3 + 1 + 3) and (3 + 1).
#[test]
fn rules_are_seen_by_every_command_without_any_model() {
    let folder = folder();
    for command in ["run", "cost"] {
        let line = format!("{command} gather.atgpu --machine mine.toml -D n=10 -D s=3");
        let found = json(&atgpu(folder.path(), &format!("{line} --format json")));
        let charges = &found["charges"];
        assert_eq!(charges["exact"], true, "{command}");
        assert_eq!(charges["memory_transactions"], 30, "{command}");
        let round = &charges["rounds"][0];
        assert_eq!(round["compute_cycles"], 11);
        assert_eq!(round["operations"]["mul"], 3);
        // Nothing says how long an access takes.
        assert_eq!(round["memory_cycles"], Value::Null);
        // Nor how long a transfer takes; counts need no model.
        assert_eq!(found["models"], Value::Object(Default::default()));
        assert_eq!(found["totals"]["io"], 40);
        let text = out(&atgpu(folder.path(), &line));
        assert!(text.contains("charged by the rules of mine"), "{text}");
        assert!(!text.contains("memory cycles"), "{text}");
    }
    let asked = atgpu(
        folder.path(),
        "cost gather.atgpu --machine mine.toml -D n=10 -D s=3 --model atgpu",
    );
    assert_eq!(asked.status.code(), Some(2));
    let derived = "derive gather.atgpu --machine mine.toml";
    assert!(out(&atgpu(folder.path(), derived)).contains("compute cycles"));
    let paper = out(&atgpu(
        folder.path(),
        "cost gather.atgpu --machine gtx650 -D n=10 -D s=3",
    ));
    assert!(!paper.contains("charged"), "{paper}");
}

/// 16 transactions of a half-warp at stride 1, 8, 4, 2, 1 and 1: as rows of a sweep, all exact.
#[test]
fn a_sweep_over_strides_is_exact() {
    let folder = folder();
    let line = format!(
        "sweep {} --machine gtx280 --vary s=1..32 -D k=2 -D e=32 --quantity memory_transactions",
        program("paper4/stride_benchmark")
    );
    let rows = out(&atgpu(folder.path(), &line));
    let expected = [16, 8, 4, 2, 1, 1].map(|each| {
        let all = 2 * 2 * 32 * 2 * each;
        format!("memory_transactions,{all},memory transactions,true")
    });
    for (row, end) in rows.lines().skip(1).zip(&expected) {
        assert!(row.ends_with(end), "{row}");
    }
    assert_eq!(rows.lines().count(), 7);
}

/// Charged conflicts cost the same in `cost`, in a row of `compare`, at a point of `sweep`; the tiled
/// transposition costs more than the padded one then, and formulas say of which sizes it does: the padded
/// one needs more shared memory, and at some another wave.
#[test]
fn conflicts_are_charged_by_every_command_that_compares() {
    let folder = folder();
    let [tiled, padded] =
        ["tiled", "padded"].map(|name| program(&format!("cookbook/transpose_{name}")));
    let run = |line: &str| atgpu(folder.path(), &format!("{line} --model swgpu"));
    for way in ["ignore", "charge"] {
        let charge = format!("--bank-conflicts {way}");
        let mut times = Vec::new();
        for file in [&tiled, &padded] {
            let cost = json(&run(&format!(
                "cost {file} -D n=64 -D m=64 {charge} --format json"
            )));
            let cost = cost["models"]["swgpu"]["gpu_cost"]
                .as_f64()
                .expect("a cost");
            let rows = out(&run(&format!(
                "sweep {file} --vary n=64 -D m=64 --quantity gpu_cost {charge}"
            )));
            let row = rows.lines().nth(1).expect("a row");
            let swept = row.split(',').find_map(|field| {
                let value: f64 = field.parse().ok()?;
                (value - cost).abs().le(&(cost * 1e-12)).then_some(value)
            });
            assert!(swept.is_some(), "{cost} in {row}");
            times.push(cost);
        }
        let line = format!("compare {tiled} {padded} -D n=64 -D m=64 --format csv {charge}");
        let table = out(&run(&line));
        for cost in &times {
            let mut fields = table.split([',', '\n']);
            let found = fields.any(|field| {
                field
                    .parse::<f64>()
                    .is_ok_and(|value| (value - cost).abs() <= cost * 1e-12)
            });
            assert!(found, "{cost} in {table}");
        }
        assert_eq!(times[0] > times[1], way == "charge", "{times:?}");
    }
    let open = |way: &str| {
        let line = format!("compare {tiled} {padded} -D m=64 --bank-conflicts {way}");
        out(&run(&line))
    };
    let charged = open("charge");
    for said in [
        "b = 32, bank conflicts charged",
        "TransposeTiled beats TransposePadded for 353 ≤ n ≤ 384",
        "TransposePadded beats TransposeTiled for n ≥ 385",
        "proved for all values",
    ] {
        assert!(charged.contains(said), "{said}: {charged}");
    }
    for (n, padded_wins) in [(352, true), (353, false), (384, false), (385, true)] {
        let [tiled, padded] = [&tiled, &padded].map(|file| {
            let line =
                format!("cost {file} -D n={n} -D m=64 --bank-conflicts charge --format json");
            json(&run(&line))["models"]["swgpu"]["gpu_cost"]
                .as_f64()
                .expect("a cost")
        });
        assert_eq!(padded < tiled, padded_wins, "n = {n}");
    }
    assert!(!open("ignore").contains("TransposePadded beats"));
}

/// Shared words s apart, all those of one MP.
const STRIDED: &str = "\
algorithm Strided(n, s)
  require n ≥ 1 ∧ s ≥ 0 ∧ s ≤ 8
  output C[n*b]
  global c[n*b]
  shared _x[9*b], _y[b]
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[s*j] ← 1
      _y[j] ← 0
      c[i*b + j] ⇐ _y[j]
    end for
  end for
  C ⇚ c
";

/// A GTX 280 has 16 banks of 32 bits for each half-warp. Words of 8 bytes s apart are 2s of them apart, so
/// gcd(2s, 16) meet, and neighbours are two-way conflicts; all at one word wait for nobody. By formulas, by
/// counting without data and on data it is the same. Other cards have banks of a word, or halve the warp.
#[test]
fn words_of_eight_bytes_conflict_on_banks_of_four() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    write("strided.atgpu", STRIDED);
    for (card, conflicts) in [("gtx280", [0, 1, 3, 7, 15]), ("k20", [0, 0, 1, 3, 7])] {
        let text = atgpu::machine::BUILT_IN
            .iter()
            .find(|(name, _)| *name == card)
            .map(|(_, text)| *text)
            .expect("built in");
        let old = "word_bytes = 4";
        assert!(text.contains(old));
        write("wide.toml", &text.replacen(old, "word_bytes = 8", 1));
        for (power, met) in conflicts.into_iter().enumerate() {
            let s = if power == 0 { 0 } else { 1 << (power - 1) };
            // Of each half-warp, three MPs; `_y` has neighbouring words, twice.
            let expected = match card {
                "gtx280" => 3 * 2 * (met + 2),
                _ => 3 * met,
            };
            for way in ["cost", "cost --count", "run"] {
                let line = format!(
                    "{way} strided.atgpu -D n=3 -D s={s} --machine wide.toml --model roofline --format json"
                );
                let found = json(&atgpu(folder.path(), &line));
                let found = &found["charges"]["rounds"][0]["bank_conflicts"];
                assert_eq!(found.as_i64(), Some(expected), "{card}, {way}, s = {s}");
            }
        }
    }
}

/// A machine without rules of its own has those of paper 1: its transactions are its blocks. Kepler moves
/// sectors of 8 words, each word from 8 apart on one of its own, and shows charges to who asks only.
#[test]
fn charges_are_quantities_on_any_machine() {
    let folder = folder();
    let bare = MINE.split("[coalescing]").next().expect("a part");
    std::fs::write(folder.path().join("bare.toml"), bare).expect("writable");
    let counted = "sweep gather.atgpu --vary n=3 --vary s=1..40:+13 --machine bare.toml";
    let of = |quantity: &str| {
        let line = format!("{counted} --quantity {quantity}");
        let rows = out(&atgpu(folder.path(), &line));
        let values = rows.lines().skip(1).map(|row| {
            let fields: Vec<&str> = row.split(',').collect();
            (fields[4].to_owned(), fields[6].to_owned())
        });
        values.collect::<Vec<_>>()
    };
    assert_eq!(of("memory_transactions"), of("io"));
    let silent = atgpu(
        folder.path(),
        &format!("{counted} --quantity memory_cycles"),
    );
    assert_eq!(silent.status.code(), Some(2));
    for (card, s, transactions) in [
        ("gtx650", 1, 3 * (4 + 4)),
        ("gtx480", 13, 3 * (32 + 4)),
        ("k20", 40, 3 * (32 + 4)),
    ] {
        let line = format!("cost gather.atgpu -D n=3 -D s={s} --machine {card} --format json");
        let paper1 = json(&atgpu(folder.path(), &format!("{line} --model atgpu")));
        assert!(paper1.get("charges").is_none());
        let asked = json(&atgpu(folder.path(), &format!("{line} --model roofline")));
        let round = &asked["charges"]["rounds"][0];
        assert_eq!(round["memory_transactions"], transactions, "{card}");
        assert_eq!(round["memory_bytes"], 32 * transactions, "{card}");
    }
}

/// Shared memory of 32 + 32h words in M = 4096: no row from h = 128 on, although times are bounds.
#[test]
fn points_that_do_not_fit_have_no_row_where_times_are_bounds() {
    let folder = folder();
    let line = format!(
        "sweep {} --machine gtx280 --vary h=32..512 -D k=2 -D e=2 --quantity gpu_cost",
        program("paper2/partial_histograms")
    );
    let output = atgpu(folder.path(), &line);
    let rows = out(&output);
    assert!(rows.contains(",64,gpu_cost"), "{rows}");
    for too_many in ["128", "256", "512"] {
        assert!(!rows.contains(&format!(",{too_many},gpu_cost")), "{rows}");
    }
    assert!(rows.lines().skip(1).all(|row| row.ends_with(",false")));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("limit::shared"), "{said}");
}

/// A fault at n = 5 alone is found although neither the first nor the last point has it.
#[test]
fn a_fault_between_the_ends_refuses_the_sweep() {
    let folder = folder();
    let text = GATHER
        .replace("Gather(n, s)", "Between(n, s)")
        .replace("a[(i*b + j)*s]", "a[(i*b + j)*s + max(0, s - abs(n - 5))]");
    std::fs::write(folder.path().join("between.atgpu"), text).expect("writable");
    let sweep = |values: &str| {
        let line = format!("sweep between.atgpu --vary n={values} -D s=1");
        atgpu(folder.path(), &line)
    };
    assert!(sweep("6..12:+1").status.success());
    let refused = sweep("1..12:+1");
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("bounds::global"), "{said}");
}

/// A bound on charges is no bound on the counts: each model says for itself whether it is exact.
#[test]
fn comparisons_are_exact_model_by_model() {
    let folder = folder();
    let text = "\
algorithm Pick(n)
  input A[n] in 0..n-1
  output C[n]
  global a[n], c[n]
  shared _x[b] in 0..n-1, _y[b]
  a ⇚ A
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ⇐ a[i]
      _y[j] ⇐ a[_x[j]]
      c[i] ⇐ _y[0]
    end for
  end for
  C ⇚ c
";
    std::fs::write(folder.path().join("pick.atgpu"), text).expect("writable");
    // One block holds both words of a, whichever the two cores pick.
    let line = "compare pick.atgpu --machine gtx280 -D b=2 -D n=2 --model all --format csv";
    let rows = out(&atgpu(folder.path(), line));
    let exact = |model: &str| {
        let row = rows
            .lines()
            .find(|row| row.contains(&format!(",{model},")) && row.contains(",gpu_cost,"));
        row.map(|row| row.ends_with(",true"))
    };
    assert_eq!(exact("atgpu"), Some(true), "{rows}");
    assert_eq!(exact("kothapalli-max"), Some(false), "{rows}");
}

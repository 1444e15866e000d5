//! Thread blocks of several warps: what the model counts by b, and what a card does warp by warp.

use std::path::Path;

use crate::support::command;
use serde_json::Value;
use tempfile::TempDir;

/// A tile of 32 × 32 words for an MP of 1024 cores; `33` for `32` pads its rows.
const TRANSPOSITION: &str = "\
algorithm Transposition(n)
  require 32 ∣ n ∧ b = 1024
  input A[n, n]
  output C[n, n]
  global a[n, n], c[n, n]
  shared _t[32, 32]
  ensure ∀ u ∈ 0..n-1, v ∈ 0..n-1 : C[v, u] = A[u, v]
  a ⇚ A
  for all mp_{u,v} ∈ MP[0..n/32 - 1, 0..n/32 - 1] in parallel do
    for all c_{u,v,j} ∈ C_{u,v} in parallel do
      let r = ⌊j/32⌋
      let s = j mod 32
      _t[r, s] ⇐ a[32u + r, 32v + s]
      c[32v + r, 32u + s] ⇐ _t[s, r]
    end for
  end for
  C ⇚ c
";

/// Tiles of 32 × 32 words for an MP of 1024 cores.
const MULTIPLICATION: &str = "\
algorithm Multiplication(n)
  require 32 ∣ n ∧ b = 1024
  input A[n, n], B[n, n]
  output C[n, n]
  global a[n, n], d[n, n], c[n, n]
  shared _a[32, 32], _b[32, 32], _c[b]
  a ⇚ A
  d ⇚ B
  for all mp_{y,x} ∈ MP[0..n/32 - 1, 0..n/32 - 1] in parallel do
    for all c_{y,x,j} ∈ C_{y,x} in parallel do
      let r = ⌊j/32⌋
      let s = j mod 32
      _c[j] ← 0
      for t = 0 → n/32 - 1 do
        _a[r, s] ⇐ a[32y + r, 32t + s]
        _b[r, s] ⇐ d[32t + r, 32x + s]
        for u = 0 → 31 do
          _c[j] ← _c[j] + _a[r, u]·_b[u, s]
        end for
      end for
      c[32y + r, 32x + s] ⇐ _c[j]
    end for
  end for
  C ⇚ c
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    write("tiled.atgpu", TRANSPOSITION);
    write(
        "padded.atgpu",
        &TRANSPOSITION.replace("_t[32, 32]", "_t[32, 33]"),
    );
    write("product.atgpu", MULTIPLICATION);
    folder
}

fn said(folder: &Path, line: &str) -> String {
    let mut command = command::atgpu(folder);
    let output = command
        .args(line.split_whitespace())
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&said(folder, &format!("{line} --format json"))).expect("one object")
}

fn program(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/programs/{name}.atgpu")
}

/// By hand: a warp reads a column of 32 words. Unpadded they are in one bank of 32, 31 conflicts for each of 32
/// warps and (n/32)² MPs; of 1024 banks none is asked twice. Padded, word s of row r is at 33s + r: 32 banks,
/// and of 1024 banks two are asked twice, once by each of the last 2 columns.
#[test]
fn a_warp_meets_in_the_banks_of_the_card() {
    let folder = folder();
    for (name, card, model) in [("tiled", 31 * 32 * 4, 0), ("padded", 0, 4 * 2)] {
        for command in ["cost", "run"] {
            let line = format!("{command} {name}.atgpu -D n=64 -D b=1024 --machine rtx4090");
            let found = json(folder.path(), &line);
            assert_eq!(found["charges"]["bank_conflicts"], card, "{command} {name}");
            assert_eq!(found["charges"]["exact"], true, "{command} {name}");
            assert!(
                found["totals"]["bank_conflicts"]
                    .as_i64()
                    .is_some_and(|met| met <= model)
            );
        }
    }
    let line = "cost tiled.atgpu -D n=4096 -D b=1024 --machine rtx4090";
    let text = said(folder.path(), line);
    let told =
        "bank conflicts: 0 by the model's 1024 banks; 16_252_928 on rtx4090: 32 banks, warps of 32";
    assert!(text.contains(told), "{text}");
}

/// The store of a column waits for the worst warp: 31 more, of 30 operations. With padding nobody waits.
#[test]
fn conflicts_are_charged_warp_by_warp() {
    let folder = folder();
    let time = |name: &str, way: &str| {
        let line = format!("cost {name}.atgpu -D n=64 -D b=1024 --machine rtx4090 {way}");
        json(folder.path(), &line)["totals"]["time"]
            .as_i64()
            .expect("whole")
    };
    for (name, more) in [("tiled", 31), ("padded", 0)] {
        let [plain, charged] = ["", "--bank-conflicts charge"].map(|way| time(name, way));
        assert_eq!(charged - plain, more, "{name}");
        let line = format!(
            "sweep {name}.atgpu --vary n=64 -D b=1024 --machine rtx4090 --bank-conflicts charge --quantity time"
        );
        let rows = said(folder.path(), &line);
        assert!(rows.contains(&format!(",time,{charged},")), "{rows}");
    }
}

/// A thread block of 1024 threads is 32 of 48 warps: one is resident, where the model's M and H admit 24. `check`
/// warns, of the conflicts in the store too.
#[test]
fn the_figure_that_limits_residents_is_named() {
    let folder = folder();
    let line = "cost tiled.atgpu -D n=64 -D b=1024 --machine rtx4090";
    let round = &json(folder.path(), line)["rounds"][0];
    assert_eq!(round["occupancy"], 24);
    let residents = serde_json::json!({ "thread_blocks": 1, "warps": 32, "limit": "warps" });
    assert_eq!(round["residents"], residents);
    let line = "check tiled.atgpu -D n=64 -D b=1024 --machine rtx4090";
    let mut command = command::atgpu(folder.path());
    let output = command
        .args(line.split_whitespace())
        .output()
        .expect("starts");
    let warned = String::from_utf8_lossy(&output.stderr);
    for part in [
        "only 32 of the 48 warps",
        "degree 32 on rtx4090, in warps of 32 over 32 banks",
    ] {
        assert!(warned.contains(part), "{warned}");
    }
    // An MP of one warp has nothing to tell apart.
    let narrow = program("cookbook/transpose_tiled");
    let line = format!("cost {narrow} -D n=64 -D m=64 --machine rtx4090");
    let narrow = json(folder.path(), &line);
    assert_eq!(narrow["rounds"][0].get("residents"), None);
}

/// A tile for an MP of 1024 cores with its warps side by side, and one for 32 warps in turn: by `roofline` within
/// 1.3 of each other. In step, by which `cost` does not leave a word out, it takes longer.
#[test]
fn ways_of_writing_a_thread_block_agree() {
    let folder = folder();
    let time = |line: &str| {
        let line = format!("cost {line} -D n=1024 --machine rtx4090 --model roofline");
        let found = json(folder.path(), &line);
        found["models"]["roofline"]["gpu_cost"]
            .as_f64()
            .expect("a time")
    };
    let tiled = program("cookbook/transpose_tiled");
    let product = program("paper1/matrix_multiplication");
    for (wide, turns) in [
        ("tiled.atgpu", format!("{tiled} -D m=1024")),
        ("product.atgpu", product),
    ] {
        let factor = time(&format!("{wide} -D b=1024 -D W=32")) / time(&format!("{turns} -D W=32"));
        assert!((1.0 / 1.3..=1.3).contains(&factor), "{wide}: {factor}");
        let in_step = time(&format!("{wide} -D b=1024")) / time(&format!("{turns} -D W=32"));
        assert!(in_step > factor, "{wide}: {in_step}");
    }
}

/// `W` moves with b, and the rows are those of single costs.
#[test]
fn a_sweep_ties_a_parameter_to_another() {
    let folder = folder();
    let addition = program("paper1/vector_addition_guarded");
    let line = format!(
        "sweep {addition} --vary b=32..128 --vary W=b/16 --vary Z=b*1 -D n=100000 --machine rtx4090 --model roofline --quantity gpu_cost"
    );
    let rows = said(folder.path(), &line);
    let mut rows = rows.lines();
    let header: Vec<&str> = rows.next().expect("a header").split(',').collect();
    let column = |name: &str| {
        header
            .iter()
            .position(|column| *column == name)
            .expect(name)
    };
    let (b, w, z, value) = (column("b"), column("W"), column("Z"), column("value"));
    let mut seen = 0;
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let line = format!(
            "cost {addition} -D n=100000 -D b={} -D W={} -D Z={} --machine rtx4090 --model roofline",
            cells[b], cells[w], cells[z]
        );
        let alone = json(folder.path(), &line);
        let alone = alone["models"]["roofline"]["gpu_cost"]
            .as_f64()
            .expect("a time");
        let swept: f64 = cells[value].parse().expect("a number");
        assert!((swept / alone - 1.0).abs() < 1e-12, "{row}: {alone}");
        seen += 1;
    }
    assert_eq!(seen, 3);
    let mut command = command::atgpu(folder.path());
    let line = format!("sweep {addition} --vary n=1..8 --vary W=b");
    let output = command
        .args(line.split_whitespace())
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`b` does not vary"));
}

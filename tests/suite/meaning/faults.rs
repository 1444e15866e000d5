//! A fault that `check` finds without data is the one that `run` meets: of the same word, value,
//! core and place, which two engines find each in its own way.

use std::path::Path;

use crate::support::command;
use serde_json::Value;

/// A kernel of two MPs of four cores with this header and this body, and what it transfers before.
fn program(header: &str, body: &str) -> String {
    format!(
        "algorithm T(n)\n  input A[n]\n  output C[n]\n  global a[n], c[n]\n  shared _x[b]\n{header}  \
         a ⇚ A\n  for all mp_i ∈ MP[0..1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n{body}      c[ib + j] ⇐ _x[j]\n    end for\n  \
         end for\n  C ⇚ c\n"
    )
}

/// The short code, the header and the body.
const KERNELS: &[(&str, &str, &str)] = &[
    ("bounds::global", "", "      _x[j] ⇐ a[ib + j + 5]\n"),
    (
        "bounds::shared",
        "",
        "      _x[j] ← 1\n      _x[j + 1] ← 2\n",
    ),
    (
        "bounds::shared",
        "  shared _m[2, b]\n",
        "      _x[j] ← 1\n      _m[2, j] ← 2\n",
    ),
    ("race::shared", "", "      _x[j] ← 0\n      _x[0] ← j\n"),
    (
        "race::shared",
        "  shared _m[2, b]\n",
        "      _x[j] ← 0\n      _m[1, j div 2] ← j\n",
    ),
    (
        "value::uninitialised",
        "  shared _y[b]\n",
        "      _x[j] ← _y[j] + 1\n",
    ),
    (
        "value::division-by-zero",
        "",
        "      _x[j] ← 0\n      _x[j] ← 1 div _x[j]\n",
    ),
    (
        "value::division-by-zero",
        "",
        "      _x[j] ← 8 div (j - 1)\n",
    ),
    (
        "value::not-integral",
        "",
        "      _x[j] ← 3\n      _x[j] ← _x[j]/2\n",
    ),
    ("value::not-integral", "", "      _x[j] ← (2j + 1)/2\n"),
    (
        "value::range",
        "",
        "      _x[j] ← -1\n      _x[j] ← bitand(_x[j], 1)\n",
    ),
    (
        "value::range",
        "  shared _y in 0..3\n",
        "      _y ← 4\n      _x[j] ← 1\n",
    ),
    (
        "loop::bound-exceeded",
        "",
        "      _x[j] ← 9\n      while _x[j] > 0 at most 3 do\n        _x[j] ← _x[j] - 1\n      end while\n",
    ),
    (
        "value::overflow",
        "",
        "      _x[j] ← 2^62\n      _x[j] ← _x[j]*4\n",
    ),
];

/// The short code and what stands between the header and the kernel.
const HOSTS: &[(&str, &str)] = &[
    ("bounds::host", "  a ⇚ A[1..n]\n"),
    ("bounds::global", "  a[1..n] ⇚ A\n"),
    ("access::shape", "  a[0..1] ⇚ A[0..2]\n"),
    ("access::shape", "  global d[3]\n  swap a ↔ d\n"),
];

#[test]
fn check_and_run_meet_one_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = KERNELS.iter();
    let kernels = kernels.map(|(code, header, body)| (code, program(header, body)));
    let hosts = HOSTS.iter();
    let hosts = hosts.map(|(code, lines)| (code, program(lines, "      _x[j] ⇐ a[ib + j]\n")));
    let mut apart = Vec::new();
    for (code, text) in kernels.chain(hosts) {
        let checked = first_fault(folder.path(), "check", &text);
        let run = first_fault(folder.path(), "run", &text);
        let name = format!("atgpu::{code}");
        if run["code"] != name.as_str() || checked != run {
            apart.push(format!("{code}\n  check {checked}\n  run   {run}\n{text}"));
        }
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
}

fn first_fault(folder: &Path, command: &str, text: &str) -> Value {
    let file = folder.join("t.atgpu");
    std::fs::write(&file, text).expect("writable");
    let output = command::atgpu(folder)
        .args([command, "t.atgpu", "-Dn=8", "-Db=4", "--format", "json"])
        .output()
        .expect("the command starts");
    let result: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let list = result["diagnostics"].as_array().expect("always there");
    let errors = list.iter().find(|found| found["severity"] == "error");
    errors.cloned().unwrap_or_default()
}

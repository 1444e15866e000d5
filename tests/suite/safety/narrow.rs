//! `--word int32`: words and indices of 32 bits, proved by `check` and watched by `run`.

use std::path::Path;

use crate::support::command;

/// Of words from 0 to `most`, twice their sums.
fn doubled(most: &str) -> String {
    format!(
        "\
algorithm Twice(n)
  require n ≥ 1
  input A[n*b] in 0..{most}
  output C[n*b]
  global a[n*b] in 0..{most}, c[n*b]
  shared _x[b] in 0..{most}, _y[b]
  a ⇚ A
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{{i,j}} ∈ C_i in parallel do
      _x[j] ⇐ a[i*b + j]
      _y[j] ← 2·_x[j]
      c[i*b + j] ⇐ _y[j]
    end for
  end for
  C ⇚ c
"
    )
}

fn atgpu(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = command::atgpu(folder);
    let output = command
        .args(line.split_whitespace())
        .output()
        .expect("starts");
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    (output.status.code(), said.concat())
}

/// Twice 2^30 - 1 is below 2^31, twice 2^30 is not: proved of all sizes, or refuted by a run. Indices fit where all
/// arrays have 2^31 words: on a card of 6·10^9 words two of n·32 each, n ≤ 2^25.
#[test]
fn words_of_32_bits_are_proved_or_refuted() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, most: &str| {
        std::fs::write(folder.path().join(name), doubled(most)).expect("writable");
    };
    write("fits.atgpu", "2^30 - 1");
    write("beyond.atgpu", "2^30");
    let (status, said) = atgpu(
        folder.path(),
        "check fits.atgpu --word int32 --machine rtx4090 -D b=32",
    );
    assert!(said.contains("is safe for"), "{said}");
    assert!(said.contains("n ≤ 33_554_432"), "{said}");
    assert_eq!(status, Some(0), "{said}");
    let (_, said) = atgpu(folder.path(), "check beyond.atgpu --word int32");
    assert!(!said.contains("is safe for"), "{said}");
    let (status, said) = atgpu(folder.path(), "check beyond.atgpu");
    assert!(status == Some(0) && said.contains("is safe for"), "{said}");
}

/// A run of 64 bits holds 2^31; one of 32 bits stops at the line that computes it.
#[test]
fn a_run_finds_the_word_that_leaves_32_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("beyond.atgpu"), doubled("2^30")).expect("writable");
    let line = "run beyond.atgpu -D n=2 -D b=4 --input A=1073741824";
    assert_eq!(atgpu(folder.path(), line).0, Some(0));
    let (status, said) = atgpu(folder.path(), &format!("{line} --word int32"));
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("value::range") && said.contains("2147483648"),
        "{said}"
    );
    let fits = "run beyond.atgpu -D n=2 -D b=4 --input A=1073741823 --word int32";
    assert_eq!(atgpu(folder.path(), fits).0, Some(0));
}

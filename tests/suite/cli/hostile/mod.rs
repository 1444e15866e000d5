//! Whatever a file, a value, a disk or an impatient user does, the command answers with a code and
//! status 1 or 2, or does what was asked; it never panics, and leaves no partial file.

mod data;
#[cfg(target_os = "linux")]
mod memory;
mod places;
mod programs;
mod text;
mod values;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::command;

/// Adds one to every word.
const ONE_MORE: &str = "\
algorithm OneMore(n)
  require n ≥ 0
  input A[n]
  output C[n]
  global a[n], c[n]
  shared _x[b]
  a ⇚ A
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _x[j] ⇐ a[ib + j]
        _x[j] ← _x[j] + 1
        c[ib + j] ⇐ _x[j]
      end if
    end for
  end for
  C ⇚ c
";

/// A folder of files.
fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("writable");
    }
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = command::atgpu(folder);
    command.args(args);
    command.stdin(Stdio::null());
    command
}

fn atgpu(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("starts")
}

/// The exit status; a panic is 2 as well, and says so.
fn status(output: &Output) -> i32 {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!told.contains("fault of atgpu itself"), "{told}");
    output.status.code().expect("ended by itself")
}

/// Both streams, so that a code is found wherever it is told.
fn told(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).expect("text")
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.expect("readable").file_name();
        name.to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

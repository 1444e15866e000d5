//! Little address space: the command takes a smaller stack, or none, and says what it always says.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::cli::hostile::{ONE_MORE, atgpu, folder_with, status};

/// KiB of address space: too little for the largest stacks, each in another way.
const LITTLE: [u32; 5] = [120_000, 200_000, 300_000, 450_000, 700_000];

/// Far too little for the program below, and enough to start.
const TOO_LITTLE: u32 = 100_000;

#[test]
fn memory_that_fails_is_status_2_and_told() {
    let lets: String = (0..100_000)
        .map(|at| format!("  let a{at} = n + {at}\n"))
        .collect();
    let heavy = ONE_MORE.replace("  input A[n]\n", &format!("{lets}  input A[n]\n"));
    let folder = folder_with(&[("heavy.atgpu", heavy.as_bytes())]);
    for command in ["check", "derive"] {
        let failed = within(TOO_LITTLE, folder.path(), &[command, "heavy.atgpu"]);
        let told = String::from_utf8_lossy(&failed.stderr);
        assert_eq!(status(&failed), 2, "{command}: {told}");
        assert!(told.contains("memory allocation of"), "{command}: {told}");
    }
}

#[test]
fn little_address_space_changes_no_answer() {
    let folder = folder_with(&[("one_more.atgpu", ONE_MORE.as_bytes())]);
    for args in [&["check"][..], &["derive"], &["test"]] {
        let args: Vec<&str> = args.iter().copied().chain(["one_more.atgpu"]).collect();
        let usual = atgpu(folder.path(), &args);
        for kib in LITTLE {
            let limited = within(kib, folder.path(), &args);
            let told = |output: &Output| {
                let text = String::from_utf8_lossy(&output.stdout);
                (status(output), text.into_owned())
            };
            assert_eq!(told(&limited), told(&usual), "{args:?} in {kib} KiB");
        }
    }
}

/// The command in so little address space, in KiB.
fn within(kib: u32, folder: &Path, args: &[&str]) -> Output {
    Command::new("sh")
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("ATGPU_PATIENCE", "3600")
        .env_remove("COLUMNS")
        .arg("-c")
        .arg(format!("ulimit -v {kib} && exec \"$0\" \"$@\""))
        .arg(env!("CARGO_BIN_EXE_atgpu"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("a shell starts")
}

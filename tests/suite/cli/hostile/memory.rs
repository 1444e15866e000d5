//! Little address space: the command takes a smaller stack, or none, and says what it always says.

use std::process::{Command, Output, Stdio};

use crate::cli::hostile::{ONE_MORE, atgpu, folder_with, status};

/// KiB of address space: too little for the largest stacks, each in another way.
const LITTLE: [u32; 5] = [120_000, 200_000, 300_000, 450_000, 700_000];

#[test]
fn little_address_space_changes_no_answer() {
    let folder = folder_with(&[("one_more.atgpu", ONE_MORE.as_bytes())]);
    for args in [&["check"][..], &["derive"], &["test"]] {
        let args: Vec<&str> = args.iter().copied().chain(["one_more.atgpu"]).collect();
        let usual = atgpu(folder.path(), &args);
        for kib in LITTLE {
            let limited = Command::new("sh")
                .current_dir(folder.path())
                .env("NO_COLOR", "1")
                .env("ATGPU_PATIENCE", "3600")
                .env_remove("COLUMNS")
                .arg("-c")
                .arg(format!("ulimit -v {kib} && exec \"$0\" \"$@\""))
                .arg(env!("CARGO_BIN_EXE_atgpu"))
                .args(&args)
                .stdin(Stdio::null())
                .output()
                .expect("a shell starts");
            let told = |output: &Output| {
                let text = String::from_utf8_lossy(&output.stdout);
                (status(output), text.into_owned())
            };
            assert_eq!(told(&limited), told(&usual), "{args:?} in {kib} KiB");
        }
    }
}

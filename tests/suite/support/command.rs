//! The command as a person calls it in a folder.

use std::path::Path;
use std::process::Command;

/// `atgpu` in this folder, without colours and as wide as it is by itself.
pub fn atgpu(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atgpu"));
    command.current_dir(folder);
    command.env("NO_COLOR", "1").env_remove("COLUMNS");
    command
}

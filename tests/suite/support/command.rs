//! The command as a person calls it in a folder.

use std::path::Path;
use std::process::Command;

/// `atgpu` in this folder, without colours and as wide as it is by itself.
pub fn atgpu(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atgpu"));
    command.current_dir(folder);
    command.env("NO_COLOR", "1").env_remove("COLUMNS");
    // On a busy machine a test may take longer than a person waits without a word.
    command.env("ATGPU_PATIENCE", "3600");
    command
}

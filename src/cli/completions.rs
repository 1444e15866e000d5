//! `atgpu completions`: a script for a shell, generated from the command line definition.

use crate::cli::args::{self, CompletionsArgs};
use crate::cli::reply::Reply;

/// Prints the script.
pub fn completions(args: &CompletionsArgs) -> Reply {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "atgpu", &mut script);
    Reply::text(String::from_utf8_lossy(&script))
}

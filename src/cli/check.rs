//! `atgpu check`: all diagnostics of programs.
use crate::cli::args::CheckArgs;
use crate::cli::reply::Reply;
/// Checks programs.
pub fn check(_args: &CheckArgs) -> Reply {
    Reply::text("")
}

//! `atgpu fmt`: the canonical layout of programs.
use crate::cli::args::FmtArgs;
use crate::cli::reply::Reply;
/// Formats programs.
pub fn fmt(_args: &FmtArgs) -> Reply {
    Reply::text("")
}

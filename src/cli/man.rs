//! `atgpu man`: manual pages, generated from the command line definition.

use atgpu::diag::Diagnostic;
use atgpu::text::Known;

use crate::cli::args::{self, ManArgs};
use crate::cli::error::UsageError;
use crate::cli::remedy::Remedy;
use crate::cli::reply::Reply;

/// Prints the page of the program, or of one of its commands, in roff.
pub fn man(args: &ManArgs) -> Reply {
    let mut program = args::command();
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => {
            let Some(command) = program.find_subcommand(name) else {
                let names = program.get_subcommands().map(clap::Command::get_name);
                return Reply::fault(Diagnostic::of(&UsageError::Name {
                    option: "man",
                    name: name.clone(),
                    problem: "no such command",
                    remedy: Remedy::Known(Known::beside(name, names)),
                }));
            };
            command.clone()
        }
    };
    let mut roff = Vec::new();
    // Writing to memory cannot fail.
    let _ = clap_mangen::Man::new(page).render(&mut roff);
    Reply::text(String::from_utf8_lossy(&roff))
}

//! The command: arguments in, one phase after another, an answer out.
//!
//! Every command is a file with a function from its arguments to a [`reply::Reply`]. Only `files` and
//! `reply` touch the outside. Exit statuses: 0 success; 1 a fault of the program; 2 a fault of the command
//! line, a file or a machine; 130 after Ctrl-C, 143 after SIGTERM.

mod advise;
mod alone;
mod args;
mod calibrate;
mod check;
mod colour;
mod compare;
mod completions;
mod config;
mod cost;
mod derive;
mod diff;
mod draw;
mod emit;
mod error;
mod explain;
mod files;
mod fmt;
mod glossary;
mod hints;
mod inputs;
mod interrupt;
mod lsp;
mod machines;
mod man;
mod measure;
mod models;
mod new;
mod options;
mod overlap;
mod page;
mod pages;
mod plot;
mod program;
mod progress;
mod quoted;
mod remedy;
mod reply;
mod roofs;
mod run;
mod stacked;
mod study;
mod sweep;
mod test;
mod threads;
mod tune;
mod watch;
mod whole;

use std::process::ExitCode;

use atgpu::diag::Diagnostic;
use atgpu::room::with_room;
use clap::FromArgMatches;
use clap::error::ErrorKind;

use crate::cli::args::{Cli, Command};
use crate::cli::error::UsageError;
use crate::cli::reply::{Finding, Reply};

/// The entry point of the command.
pub fn main() -> ExitCode {
    interrupt::install();
    std::panic::set_hook(Box::new(|panic| {
        files::print_error(&format!(
            "this is a fault of atgpu itself; please report it with the program: {panic}\n"
        ));
    }));
    // A panic gives status 2, so that Rust's status 101 never appears.
    std::panic::catch_unwind(|| with_room(answer)).unwrap_or(ExitCode::from(2))
}

fn answer() -> ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    let colour = colour::choose(&given);
    let parsed = args::command()
        .color(colour.of_parser())
        .try_get_matches_from(&given);
    match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => match &cli.command {
            Command::Check(args) if args.watch => {
                watch::watch(&args.files, &args.options, || check::check(args))
            }
            Command::Derive(args) if args.watch => {
                watch::watch(&args.files, &args.options, || derive::derive(args))
            }
            Command::Lsp(_) => perform(cli.command).deliver(),
            _ => {
                let patience = progress::Patience::start();
                let reply = perform(cli.command);
                drop(patience);
                reply.deliver()
            }
        },
        Err(error) => {
            let given = given
                .iter()
                .map(|argument| argument.to_string_lossy().into_owned());
            refuse(&hints::with_hint(error, &given.collect::<Vec<_>>()))
        }
    }
}

fn perform(command: Command) -> Reply {
    match command {
        Command::Advise(args) => advise::advise(&args),
        Command::Check(args) => check::check(&args),
        Command::Cost(args) => cost::cost(&args),
        Command::Emit(args) => emit::emit(&args),
        Command::Measure(args) => match &args.study {
            Some(folder) => whole::study(&args, folder),
            None => measure::measure(&args),
        },
        Command::Overlap(args) => overlap::overlap(&args),
        Command::Run(args) => run::run(&args),
        Command::New(args) => new::new(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Machines(args) => machines::machines(&args),
        Command::Models(args) => models::models(&args),
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => man::man(&args),
        Command::Lsp(args) => lsp::lsp(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Derive(args) => derive::derive(&args),
        Command::Test(args) => test::test(&args),
        Command::Tune(args) => tune::tune(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Calibrate(args) => calibrate::calibrate(&args),
        Command::Plot(args) => plot::plot(&args),
        Command::Sweep(args) => sweep::sweep(&args),
    }
}

/// Help and version are results. Any other error is a fault of the command line, in JSON if JSON was
/// requested.
fn refuse(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        return Reply::text(error.render().to_string()).deliver();
    }
    if asks_for_json() {
        let rendered = error.render().to_string();
        let lines = rendered.lines().take_while(|line| !line.is_empty());
        let text = lines.map(str::trim).collect::<Vec<_>>().join(" ");
        let problem = text.strip_prefix("error: ").unwrap_or(&text).to_owned();
        let fault = Diagnostic::of(&UsageError::CommandLine { problem });
        return Reply::faults(vec![Finding::bare(fault)], true).deliver();
    }
    let _ = error.print();
    ExitCode::from(2)
}

fn asks_for_json() -> bool {
    let given: Vec<_> = std::env::args_os().collect();
    let pair = given
        .windows(2)
        .any(|pair| pair[0] == "--format" && pair[1] == "json");
    pair || given.iter().any(|argument| argument == "--format=json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        args::command().debug_assert();
    }
}

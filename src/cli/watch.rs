//! `--watch`: repeats a command whenever one of its files changes, until Ctrl-C (status 130).
//!
//! Files are read several times a second and compared. So every way of saving is noticed, on any system and
//! file system, and saving without a change is not.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use atgpu::diag::Diagnostic;

use crate::cli::args::ProgramOptions;
use crate::cli::error::UsageError;
use crate::cli::reply::{Finding, Reply};
use crate::cli::{config, files};

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(150);

/// Looks for which a file may be missing before this counts as a change: editors delete and rewrite files.
const GONE_FOR: u32 = 8;

/// The bytes of each file; `None` if it cannot be read.
type State = Vec<Option<Vec<u8>>>;

/// Answers now, and after every change of the programs or the machine file.
pub fn watch(
    programs: &[String],
    options: &ProgramOptions,
    answer: impl Fn() -> Reply,
) -> ExitCode {
    if programs.iter().any(|file| file == "-") || options.machine.as_deref() == Some("-") {
        let fault = Diagnostic::of(&UsageError::WatchOfStandardInput);
        return Reply::faults(vec![Finding::bare(fault)], false).deliver();
    }
    let mut watched: Vec<&str> = programs.iter().map(String::as_str).collect();
    let is_file = |machine: &&String| machine.contains(['.', '/', '\\']);
    watched.extend(options.machine.iter().filter(is_file).map(String::as_str));
    // The `atgpu.toml` beside them counts too, and may appear or disappear.
    let beside: Vec<String> = programs
        .iter()
        .map(|file| config::path_beside(file))
        .collect();
    let looked_at: Vec<&str> = watched
        .iter()
        .copied()
        .chain(beside.iter().map(String::as_str))
        .collect();
    loop {
        let seen = state(&looked_at);
        if std::io::stdout().is_terminal() {
            // Moves to the upper left and clears the screen and the scrollback.
            if let Err(fault) = files::print("\u{1b}[H\u{1b}[2J\u{1b}[3J") {
                return Reply::fault(fault).deliver();
            }
        }
        answer().deliver();
        files::print_error(&match watched.as_slice() {
            [one] => format!("watching {one}; Ctrl-C ends\n"),
            many => format!("watching {} files; Ctrl-C ends\n", many.len()),
        });
        wait_for_change(&looked_at, &seen);
    }
}

/// Returns once the files differ from `seen` and have stopped changing.
fn wait_for_change(watched: &[&str], seen: &State) {
    let mut before = seen.clone();
    let mut gone_for = 0;
    loop {
        sleep(PAUSE);
        let now = state(watched);
        let is_at_rest = now == before;
        let vanished = now
            .iter()
            .zip(seen)
            .any(|(now, seen)| now.is_none() && seen.is_some());
        gone_for = if vanished { gone_for + 1 } else { 0 };
        if now != *seen && is_at_rest && (!vanished || gone_for > GONE_FOR) {
            return;
        }
        before = now;
    }
}

fn state(watched: &[&str]) -> State {
    watched
        .iter()
        .map(|file| files::read_bytes(file).ok())
        .collect()
}

//! `--watch`: repeats a command whenever one of its files changes, until Ctrl-C (status 130).
//!
//! Files are read several times a second and compared. So every way of saving is noticed, on any system and
//! file system, and saving without a change is not.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use atgpu::diag::Diagnostic;

use crate::cli::args::ProgramOptions;
use crate::cli::error::UsageError;
use crate::cli::reply::{Finding, Reply};
use crate::cli::{config, files, program};

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(150);

/// Looks for which a file may be missing before this counts as a change: editors delete and rewrite files.
const GONE_FOR: u32 = 8;

/// The bytes of each file; `None` if it cannot be read. New files of a folder are in the next look's state.
type State = BTreeMap<String, Option<Vec<u8>>>;

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
    let is_file = |machine: &&String| machine.contains(['.', '/', '\\']);
    let machine = options.machine.iter().filter(is_file);
    let watched: Vec<&str> = programs.iter().chain(machine).map(String::as_str).collect();
    let look = || state(programs, options);
    loop {
        let seen = look();
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
        wait_for_change(&look, &seen);
    }
}

/// Returns once the files differ from `seen` and have stopped changing.
fn wait_for_change(look: &dyn Fn() -> State, seen: &State) {
    let mut before = seen.clone();
    let mut gone_for = 0;
    loop {
        sleep(PAUSE);
        let now = look();
        let is_at_rest = now == before;
        let vanished = seen.iter().any(|(file, bytes)| {
            bytes.is_some() && now.get(file).is_none_or(|bytes| bytes.is_none())
        });
        gone_for = if vanished { gone_for + 1 } else { 0 };
        if now != *seen && is_at_rest && (!vanished || gone_for > GONE_FOR) {
            return;
        }
        before = now;
    }
}

/// Reads all that the arguments mean at this moment: programs, those of folders, a machine file, and the `atgpu.toml`
/// beside or above each, which may appear or disappear.
fn state(programs: &[String], options: &ProgramOptions) -> State {
    // A folder that is empty or gone for a while has no files; the next look may find some.
    let meant = programs.iter().flat_map(|path| {
        let meant = program::meant(std::slice::from_ref(path));
        meant.unwrap_or_else(|_| vec![path.clone()])
    });
    let programs: Vec<String> = meant.collect();
    let beside = programs.iter().flat_map(|file| config::paths(file));
    let machine = options.machine.iter().cloned();
    let all: BTreeSet<String> = beside.chain(machine).collect();
    let read = |file: String| {
        let bytes = files::read_bytes(&file).ok();
        (file, bytes)
    };
    all.into_iter().chain(programs).map(read).collect()
}

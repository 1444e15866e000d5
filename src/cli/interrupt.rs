//! Ctrl-C and termination (SIGTERM, SIGHUP): exits at once, and leaves no half-written file and no running process.
//! The status is 128 and the number of the signal, as shells have it: 130 after Ctrl-C, 143 after SIGTERM, 129 after
//! SIGHUP. Where memory fails, the standard library says how much it wanted and aborts, which ends with status 2.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};
use std::sync::{Mutex, PoisonError};

/// Files being written at this moment, and temporary folders of the command.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Started processes that have not ended.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// The stack of the thread that waits for signals, in bytes. It starts `kill` and removes folders.
#[cfg(unix)]
const STACK: usize = 256 << 10;

/// Installs the handler. If that fails, the system's own handling stays, which also stops the process.
#[cfg(unix)]
pub fn install() {
    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // No thread could answer an abort: the process ends in the handler.
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, always);
    let (sender, waiting) = std::sync::mpsc::channel::<Signals>();
    let waits = std::thread::Builder::new().stack_size(STACK);
    let waits = waits.spawn(move || {
        let mut signals = waiting.recv().ok();
        let first = signals
            .as_mut()
            .and_then(|signals| signals.forever().next());
        if let Some(signal) = first {
            end(128 + signal);
        }
    });
    // Signals are taken over only where somebody waits for them: else they would be lost.
    if waits.is_ok()
        && let Ok(signals) = Signals::new([SIGINT, SIGTERM, SIGHUP])
    {
        let _ = sender.send(signals);
    }
}

/// Installs the handler. If that fails, the system's own handling stays, which also stops the process.
#[cfg(not(unix))]
pub fn install() {
    let _ = ctrlc::set_handler(|| end(130));
}

/// Stops what was started, removes what is not finished, and exits.
fn end(status: i32) -> ! {
    // The lock is held until the exit. A thread that finds its process stopped waits on it and reports
    // nothing.
    let running = RUNNING.lock();
    for id in running.iter().flat_map(|running| running.iter()) {
        stop_group(*id);
    }
    let unfinished = UNFINISHED.lock();
    for path in unfinished.iter().flat_map(|paths| paths.iter()) {
        let _ = if path.is_dir() {
            std::fs::remove_dir_all(path)
        } else {
            std::fs::remove_file(path)
        };
    }
    std::process::exit(status)
}

/// Removes the file or folder on Ctrl-C while the returned guard is alive.
pub fn remove_on_interrupt(path: &Path) -> Unfinished {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        unfinished.push(path.to_owned());
    }
    Unfinished(path.to_owned())
}

/// The guard of an unfinished file or folder.
pub struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.retain(|path| *path != self.0);
        }
    }
}

/// Starts a process in a group of its own. It and its children are stopped on Ctrl-C while the guard is alive.
pub fn start(command: &mut Command) -> std::io::Result<(Child, Running)> {
    in_own_group(command);
    // Between the start of a process and its place in the list, a signal would leave it running. With the lock held
    // from before, a signal finds it there, or it is never started.
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    running.push(child.id());
    let guard = Running(child.id());
    Ok((child, guard))
}

/// The guard of a running process.
pub struct Running(u32);

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut running) = RUNNING.lock() {
            running.retain(|id| *id != self.0);
        }
    }
}

/// Puts a started command into a process group of its own, so that it can be stopped with its children.
fn in_own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Stops a process started [`in_own_group`], with its children.
pub fn stop_group(id: u32) {
    if cfg!(unix) {
        let _ = Command::new("kill")
            .args(["-KILL", "--", &format!("-{id}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

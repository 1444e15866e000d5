//! Ctrl-C, and being told to end (SIGTERM, SIGHUP): stop at once, with status 130, and leave no half-written file and no
//! process running.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Files that are being written at this moment, and folders that are there for as long as a command runs.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Processes that were started and have not ended.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Installs the handler. Where that fails the system's own handling stays, which also stops.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        // Held to the end: whoever finds a process stopped here waits for this exit, and says nothing.
        let running = RUNNING.lock();
        for id in running.iter().flat_map(|running| running.iter()) {
            stop_group(*id);
        }
        let unfinished = UNFINISHED.lock();
        for path in unfinished.iter().flat_map(|paths| paths.iter()) {
            let _ = match path.is_dir() {
                true => std::fs::remove_dir_all(path),
                false => std::fs::remove_file(path),
            };
        }
        std::process::exit(130);
    });
}

/// Removes the file or the folder on Ctrl-C as long as the returned guard lives.
pub fn remove_on_interrupt(path: &Path) -> Unfinished {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        unfinished.push(path.to_owned());
    }
    Unfinished(path.to_owned())
}

/// While it lives, a file is unfinished.
pub struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.retain(|path| *path != self.0);
        }
    }
}

/// Stops the process and those that it started, on Ctrl-C as long as the returned guard lives.
pub fn stop_on_interrupt(id: u32) -> Running {
    if let Ok(mut running) = RUNNING.lock() {
        running.push(id);
    }
    Running(id)
}

/// While it lives, a process may be running.
pub struct Running(u32);

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut running) = RUNNING.lock() {
            running.retain(|id| *id != self.0);
        }
    }
}

/// Makes what a command starts a group of its own, so that all of it can be stopped.
pub fn in_own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Stops a process that was started [`in_own_group`], with those that it started.
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

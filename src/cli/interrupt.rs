//! Ctrl-C: stop at once, with status 130, and leave no half-written file.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The file being written at this moment.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Installs the handler. Where that fails the system's own handling stays, which also stops.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if let Ok(mut unfinished) = UNFINISHED.lock()
            && let Some(path) = unfinished.take()
        {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(130);
    });
}

/// Removes the file on Ctrl-C as long as the returned guard lives.
pub fn remove_on_interrupt(path: &Path) -> Unfinished {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        *unfinished = Some(path.to_owned());
    }
    Unfinished(())
}

/// While it lives, a file is unfinished.
pub struct Unfinished(());

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            *unfinished = None;
        }
    }
}

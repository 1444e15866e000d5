//! Progress on a terminal, for work over a second.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use atgpu::exec::{Progress, Work};

use crate::cli::files;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two lines.
const PAUSE: Duration = Duration::from_millis(200);

/// One line on standard error that keeps telling how far the work is; gone when dropped.
pub struct ProgressLine {
    is_shown: bool,
    next: Mutex<Instant>,
    written: Mutex<bool>,
}

impl ProgressLine {
    /// Starts the clock.
    pub fn start() -> Self {
        ProgressLine {
            is_shown: std::io::stderr().is_terminal(),
            next: Mutex::new(Instant::now() + PATIENCE),
            written: Mutex::new(false),
        }
    }

    /// Shows a line, when it is time to.
    pub fn tell(&self, line: impl FnOnce() -> String) {
        if !self.is_shown {
            return;
        }
        // Whoever finds the clock taken leaves the telling to the other.
        let Ok(mut next) = self.next.try_lock() else {
            return;
        };
        let now = Instant::now();
        if now < *next {
            return;
        }
        *next = now + PAUSE;
        if let Ok(mut written) = self.written.lock() {
            *written = true;
        }
        files::print_error(&format!("\r\u{1b}[K{}", line()));
    }
}

impl Progress for ProgressLine {
    fn advance(&self, done: Work) -> ControlFlow<()> {
        self.tell(|| {
            format!(
                "round {}: {} of {} MPs",
                done.round, done.mps_done, done.mps
            )
        });
        ControlFlow::Continue(())
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.written.lock().is_ok_and(|written| *written) {
            files::print_error("\r\u{1b}[K");
        }
    }
}

//! Progress on a terminal, for work of more than a second.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use atgpu::exec::{Progress, Work};

use crate::cli::files;

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two updates.
const PAUSE: Duration = Duration::from_millis(200);

/// A progress line on standard error, removed when dropped.
pub struct ProgressLine {
    is_shown: bool,
    next: Mutex<Instant>,
    written: Mutex<bool>,
    /// The current round, and the time of its first report.
    round: Mutex<(u64, Instant)>,
    /// What the work is about, shown before how far it is.
    subject: Mutex<String>,
}

impl ProgressLine {
    /// Starts the clock.
    pub fn start() -> Self {
        ProgressLine {
            is_shown: std::io::stderr().is_terminal(),
            next: Mutex::new(Instant::now() + PATIENCE),
            written: Mutex::new(false),
            round: Mutex::new((0, Instant::now())),
            subject: Mutex::default(),
        }
    }

    /// Says what the work is about from now on: `point 12 of 200 (n = 64, b = 32): `.
    pub fn about(&self, subject: String) {
        if let Ok(mut about) = self.subject.lock() {
            *about = subject;
        }
    }

    /// Shows a line, if it is time for an update.
    pub fn tell(&self, line: impl FnOnce() -> String) {
        if !self.is_shown {
            return;
        }
        // If another thread holds the clock, it shows the line.
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
        if self.is_shown {
            let begun = match self.round.try_lock() {
                Ok(mut round) => {
                    if round.0 != done.round {
                        *round = (done.round, Instant::now());
                    }
                    round.1
                }
                Err(_) => return ControlFlow::Continue(()),
            };
            self.tell(|| {
                let subject = self.subject.lock();
                let subject = subject.map_or_else(|_| String::new(), |it| it.clone());
                subject + &line(done, begun.elapsed())
            });
        }
        ControlFlow::Continue(())
    }
}

/// `round 2: 1200 of 4800 MPs (25 %), 600 MPs/s, 6 s left`
fn line(done: Work, elapsed: Duration) -> String {
    let Work {
        round,
        mps_done,
        mps,
    } = done;
    if mps == 0 {
        return match round {
            0 => "working".to_owned(),
            round => format!("round {round}"),
        };
    }
    let percent = u128::from(mps_done) * 100 / u128::from(mps);
    let so_far = format!("round {round}: {mps_done} of {mps} MPs ({percent} %)");
    let seconds = elapsed.as_secs_f64();
    if mps_done == 0 || seconds <= 0.0 {
        return so_far;
    }
    let rate = mps_done as f64 / seconds;
    let left = (mps.saturating_sub(mps_done) as f64 / rate).ceil();
    format!("{so_far}, {rate:.0} MPs/s, {left:.0} s left")
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.written.lock().is_ok_and(|written| *written) {
            files::print_error("\r\u{1b}[K");
        }
    }
}

/// A progress line for work that only knows how many of its parts are done. A thread updates it, and it is
/// removed when dropped.
pub struct AtWork {
    done: Arc<AtomicUsize>,
    teller: Option<(Sender<()>, JoinHandle<()>)>,
}

impl AtWork {
    /// Starts a line for `all` parts.
    pub fn on_each(all: usize) -> Self {
        let done: Arc<AtomicUsize> = Arc::default();
        let teller = std::io::stderr().is_terminal().then(|| {
            let (end, ended) = channel();
            let (done, begun) = (done.clone(), Instant::now());
            let tell = move || {
                let mut pause = PATIENCE;
                while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    pause = PAUSE;
                    let line = line_of(done.load(Ordering::Relaxed), all, begun.elapsed());
                    files::print_error(&format!("\r\u{1b}[K{line}"));
                }
                if pause == PAUSE {
                    files::print_error("\r\u{1b}[K");
                }
            };
            (end, std::thread::spawn(tell))
        });
        AtWork { done, teller }
    }

    /// Counts one part as done.
    pub fn done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        if let Some((end, teller)) = self.teller.take() {
            drop(end);
            // A failure to show the line is no fault of the work.
            let _ = teller.join();
        }
    }
}

/// `12 of 82 programs, 3 s`
fn line_of(done: usize, all: usize, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match all {
        1 => format!("working, {seconds} s"),
        _ => format!("{done} of {all} programs, {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_several_programs_tells_how_many_are_done() {
        let told = |done, all| line_of(done, all, Duration::from_millis(3200));
        assert_eq!(told(12, 82), "12 of 82 programs, 3 s");
        assert_eq!(told(0, 1), "working, 3 s");
    }

    #[test]
    fn lines_tell_rate_and_time_left() {
        let work = |mps_done, mps| Work {
            round: 2,
            mps_done,
            mps,
        };
        let told = |work| line(work, Duration::from_secs(2));
        assert_eq!(
            told(work(1200, 4800)),
            "round 2: 1200 of 4800 MPs (25 %), 600 MPs/s, 6 s left"
        );
        assert_eq!(told(work(0, 10)), "round 2: 0 of 10 MPs (0 %)");
        assert_eq!(told(work(0, 0)), "round 2");
        assert_eq!(told(Work::default()), "working");
    }
}

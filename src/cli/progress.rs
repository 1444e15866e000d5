//! Progress on a terminal, for work of more than a second.

use std::collections::VecDeque;
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

/// Limit on the marks by which a pace is judged.
const MOST_MARKS: usize = 16;

/// The pace of work in parts: when how many were done, the latest last.
///
/// Parts often grow, as the points of a test do. So the last marks decide and not the whole time: 4 parts done in
/// the last 2 s, and 10 left, are 5 s.
struct Pace {
    marks: VecDeque<(Instant, u64)>,
}

impl Pace {
    fn from(begun: Instant) -> Pace {
        Pace {
            marks: VecDeque::from([(begun, 0)]),
        }
    }

    /// Notes how many parts are done; the time left, once any are.
    fn left(&mut self, now: Instant, done: u64, all: u64) -> Option<Duration> {
        let (_, last) = *self.marks.back()?;
        if done > last {
            self.marks.push_back((now, done));
            if self.marks.len() > MOST_MARKS {
                self.marks.pop_front();
            }
        }
        let (begun, first) = *self.marks.front()?;
        let seconds = now.saturating_duration_since(begun).as_secs_f64();
        let done_since = done.checked_sub(first).filter(|since| *since > 0)?;
        let left = seconds / done_since as f64 * all.saturating_sub(done) as f64;
        Duration::try_from_secs_f64(left).ok()
    }
}

/// `, about 8 s left`, `, about 3 min left`; nothing where the time is not known.
fn left_text(left: Option<Duration>) -> String {
    let Some(left) = left else {
        return String::new();
    };
    match left.as_secs_f64().ceil() {
        seconds if seconds < 120.0 => format!(", about {seconds:.0} s left"),
        seconds if seconds < 7200.0 => format!(", about {:.0} min left", seconds / 60.0),
        seconds => format!(", about {:.0} h left", seconds / 3600.0),
    }
}

/// A progress line on standard error, removed when dropped.
pub struct ProgressLine {
    is_shown: bool,
    next: Mutex<Instant>,
    written: Mutex<bool>,
    /// The current round, and the time of its first report.
    round: Mutex<(u64, Instant)>,
    /// What the work is about, shown before how far it is.
    subject: Mutex<String>,
    pace: Mutex<Pace>,
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
            pace: Mutex::new(Pace::from(Instant::now())),
        }
    }

    /// Says which part of the work begins: `point 12 of 200, about 8 s left (n = 64, b = 32): `.
    pub fn about(&self, (number, all): (usize, usize), place: &str) {
        let left = self.left(number.saturating_sub(1) as u64, all as u64);
        if let Ok(mut about) = self.subject.lock() {
            *about = format!("point {number} of {all}{left} ({place}): ");
        }
    }

    /// Shows how many parts are done and the time left: `12 of 64 points, about 8 s left`.
    pub fn parts(&self, done: u64, all: u64, what: &str) {
        let left = self.left(done, all);
        self.tell(|| format!("{done} of {all} {what}{left}"));
    }

    fn left(&self, done: u64, all: u64) -> String {
        let pace = self.pace.lock();
        let left = pace.map_or(None, |mut pace| pace.left(Instant::now(), done, all));
        left_text(left)
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
        ..
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

/// The seconds after which work that nobody sees is told of, where this variable does not say otherwise.
const UNSEEN: u64 = 5;
const PATIENCE_VARIABLE: &str = "ATGPU_PATIENCE";

/// Says once that a command is still at work, where standard error is no terminal and so nobody sees a line that moves.
/// It waits on a thread of its own, until it is dropped.
pub struct Patience {
    _end: Option<Sender<()>>,
}

impl Patience {
    /// Starts the clock.
    pub fn start() -> Self {
        let given = std::env::var(PATIENCE_VARIABLE).ok();
        let seconds = given.and_then(|given| given.parse().ok()).unwrap_or(UNSEEN);
        let (end, ended) = channel::<()>();
        let tell = move || {
            let waited = ended.recv_timeout(Duration::from_secs(seconds));
            if waited == Err(RecvTimeoutError::Timeout) {
                files::print_error(&format!("atgpu is still at work after {seconds} s\n"));
            }
        };
        let is_seen = std::io::stderr().is_terminal();
        // Without the thread nothing is said, and all else is as it is.
        let teller = std::thread::Builder::new().stack_size(STACK_OF_A_TELLER);
        let is_told = !is_seen && teller.spawn(tell).is_ok();
        Patience {
            _end: is_told.then_some(end),
        }
    }
}

/// The stack of a thread that prints one line, in bytes.
const STACK_OF_A_TELLER: usize = 64 << 10;

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
                let mut pace = Pace::from(begun);
                while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    pause = PAUSE;
                    let done = done.load(Ordering::Relaxed);
                    let left = pace.left(Instant::now(), done as u64, all as u64);
                    let line = line_of(done, all, begun.elapsed()) + &left_text(left);
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

    /// The latest parts decide: 3 took 1 s each, then 16 took 2 s each, and 5 are left.
    #[test]
    fn time_left_follows_the_latest_pace() {
        let begun = Instant::now();
        let mut pace = Pace::from(begun);
        let mut now = begun;
        assert_eq!(pace.left(now, 0, 24), None);
        for done in 1..=3 {
            now += Duration::from_secs(1);
            let left = pace.left(now, done, 24);
            assert_eq!(left, Some(Duration::from_secs(24 - done)), "{done}");
        }
        for done in 4..=19 {
            now += Duration::from_secs(2);
            pace.left(now, done, 24);
        }
        assert_eq!(pace.left(now, 19, 24), Some(Duration::from_secs(10)));
        assert_eq!(pace.left(now, 24, 24), Some(Duration::ZERO));
        let told = |seconds| left_text(Some(Duration::from_secs(seconds)));
        assert_eq!(told(8), ", about 8 s left");
        assert_eq!(told(600), ", about 10 min left");
        assert_eq!(told(7200), ", about 2 h left");
        assert_eq!(left_text(None), "");
    }

    #[test]
    fn lines_tell_rate_and_time_left() {
        let work = |mps_done, mps| {
            let mut work = Work::default();
            (work.round, work.mps_done, work.mps) = (2, mps_done, mps);
            work
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

//! The threads that derive, judge and advise, one text at a time, the newest first.
//!
//! A text that comes later interrupts the one under way between two steps, which goes on when nothing newer waits. Work
//! on a text that has changed since is stopped. A step of a heavy text may take seconds: the second thread then takes
//! what waits, so that the costs of other texts do not.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use atgpu::diag::Diagnostic;
use atgpu::editor::{Advised, Derived, Job, Judged};
use atgpu::room::with_room;

use crate::cli::alone;
use crate::cli::lsp::Event;

/// How many texts are worked on at once, and how long the one before must have taken by then: with light texts
/// there is one at a time.
const THREADS: usize = 2;
const PATIENCE: Duration = Duration::from_millis(500);

/// A request about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    /// Changes that save something; done when nothing else waits.
    Advice,
    /// Costs and judgements.
    Costs,
}

/// A text to analyse.
pub(super) struct Task {
    uri: String,
    job: Job,
    wanted: Wanted,
    /// Stops it once the text has changed; the results are then unwanted.
    is_stale: Stop,
    /// Its place among all tasks.
    number: u64,
    /// True once its costs were told. They are not derived again where it was interrupted since.
    is_derived: bool,
}

/// A result for a text.
pub(super) enum Found {
    Derived(String, Box<Derived>),
    Judged(String, Judged),
    Advised(String, Box<Advised>),
    /// No result, by a fault of ours.
    Fault(Box<Diagnostic>),
    /// No more results for this text.
    Done(String),
}

/// Ends work that nobody wants any more: what looks at it between two steps goes no further.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the work.
    pub(super) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once the work is stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The work that waits and the work under way.
pub(super) struct Work(Arc<Queue>);

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    /// Rung when something has changed.
    bell: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Task>,
    under_way: Vec<UnderWay>,
    /// The number of tasks so far.
    tasks: u64,
    is_over: bool,
}

/// A task that a thread is at.
struct UnderWay {
    number: u64,
    began: Instant,
    /// Interrupts it.
    interrupt: Stop,
}

impl Work {
    /// Starts the threads, which end with this value.
    pub(super) fn start(found: Sender<Event>) -> Work {
        let queue: Arc<Queue> = Arc::default();
        for _ in 0..THREADS {
            let (queue, found) = (queue.clone(), found.clone());
            thread::spawn(move || {
                while let Some((task, interrupt)) = queue.next() {
                    let number = task.number;
                    queue.end(number, done(task, &interrupt, &found));
                }
            });
        }
        Work(queue)
    }

    /// Takes a task, before all others of its kind.
    pub(super) fn begin(&self, uri: String, job: Job, is_stale: Stop, wanted: Wanted) {
        let mut state = self.0.state();
        state.tasks += 1;
        let task = Task {
            uri,
            job,
            wanted,
            is_stale,
            number: state.tasks,
            is_derived: false,
        };
        state.waiting.push(task);
        if wanted == Wanted::Costs {
            state.interrupt();
        }
        self.0.bell.notify_all();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_over = true;
        state.interrupt();
        self.0.bell.notify_all();
    }
}

impl State {
    /// Interrupts every task under way.
    fn interrupt(&self) {
        for one in &self.under_way {
            one.interrupt.stop();
        }
    }

    /// How long a task has to wait for those under way.
    fn pause(&self) -> Duration {
        let left = |one: &UnderWay| PATIENCE.saturating_sub(one.began.elapsed());
        self.under_way.iter().map(left).max().unwrap_or_default()
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a task, the newest first; `None` at the end of the session.
    fn next(&self) -> Option<(Task, Stop)> {
        let mut state = self.state();
        loop {
            if state.is_over {
                return None;
            }
            let rank = |task: &Task| (task.wanted, task.number);
            let newest = (0..state.waiting.len()).max_by_key(|at| rank(&state.waiting[*at]));
            let pause = state.pause();
            state = match newest {
                None => self
                    .bell
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(_) if !pause.is_zero() => {
                    let rung = self.bell.wait_timeout(state, pause);
                    rung.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(at) => {
                    let task = state.waiting.swap_remove(at);
                    let interrupt = Stop::default();
                    state.under_way.push(UnderWay {
                        number: task.number,
                        began: Instant::now(),
                        interrupt: interrupt.clone(),
                    });
                    return Some((task, interrupt));
                }
            };
        }
    }

    /// Notes that a thread has left a task, which waits again if it was interrupted.
    fn end(&self, number: u64, interrupted: Option<Task>) {
        let mut state = self.state();
        state.under_way.retain(|one| one.number != number);
        state.waiting.extend(interrupted);
        self.bell.notify_all();
    }
}

/// Works on a task and tells what was found. Returns it if it was interrupted.
fn done(mut task: Task, interrupt: &Stop, found: &Sender<Event>) -> Option<Task> {
    let uri = task.uri.clone();
    let tell = |found_of_it| {
        let _ = found.send(Event::Found(Box::new(found_of_it)));
    };
    let is_stale = task.is_stale.clone();
    // A panic loses this answer, but the server goes on.
    let answered = alone::caught(&uri, || with_room(|| work(&mut task, interrupt, &tell)));
    match answered {
        Ok(()) if interrupt.is_stopped() && !is_stale.is_stopped() => return Some(task),
        Ok(()) => {}
        Err(fault) => tell(Found::Fault(Box::new(fault))),
    }
    tell(Found::Done(uri));
    None
}

/// Derives and reports, then judges and reports, until it is stopped.
fn work(task: &mut Task, interrupt: &Stop, tell: &impl Fn(Found)) {
    let is_stale = task.is_stale.clone();
    let going = |_| {
        if is_stale.is_stopped() || interrupt.is_stopped() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    if going(0).is_break() {
        return;
    }
    if task.wanted == Wanted::Advice {
        let advised = task.job.advise(&|| going(0));
        if let Some(advised) = advised {
            tell(Found::Advised(task.uri.clone(), Box::new(advised)));
        }
        return;
    }
    if !task.is_derived {
        let derived = task.job.derive(&going);
        task.is_derived = derived.is_some() || going(0).is_continue();
        if let Some(derived) = derived {
            tell(Found::Derived(task.uri.clone(), Box::new(derived)));
        }
    }
    if going(0).is_continue()
        && let Some(judged) = task.job.judge(&going)
    {
        tell(Found::Judged(task.uri.clone(), judged));
    }
}

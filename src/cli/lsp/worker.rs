//! The thread that derives and judges, one text at a time, the newest first.
//!
//! A text that comes later interrupts the one under way between two steps, which goes on when nothing newer waits. Work
//! on a text that has changed since is stopped.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use atgpu::diag::Diagnostic;
use atgpu::editor::{Derived, Job, Judged};
use atgpu::room::with_room;

use crate::cli::alone;
use crate::cli::lsp::Event;

/// A text to analyse.
pub(super) struct Task {
    uri: String,
    job: Job,
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
    /// Interrupts the task under way.
    under_way: Stop,
    /// The number of tasks so far.
    tasks: u64,
    is_over: bool,
}

impl Work {
    /// Starts the thread, which ends with this value.
    pub(super) fn start(found: Sender<Event>) -> Work {
        let queue: Arc<Queue> = Arc::default();
        let work = Work(queue.clone());
        thread::spawn(move || {
            while let Some((task, interrupt)) = queue.next() {
                if let Some(task) = done(task, &interrupt, &found) {
                    queue.state().waiting.push(task);
                }
            }
        });
        work
    }

    /// Takes a task, before all others.
    pub(super) fn begin(&self, uri: String, job: Job, is_stale: Stop) {
        let mut state = self.0.state();
        state.tasks += 1;
        let task = Task {
            uri,
            job,
            is_stale,
            number: state.tasks,
            is_derived: false,
        };
        state.waiting.push(task);
        state.under_way.stop();
        self.0.bell.notify_one();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_over = true;
        state.under_way.stop();
        self.0.bell.notify_one();
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
            let newest = (0..state.waiting.len()).max_by_key(|at| state.waiting[*at].number);
            if let Some(at) = newest {
                state.under_way = Stop::default();
                let interrupt = state.under_way.clone();
                return Some((state.waiting.swap_remove(at), interrupt));
            }
            state = self
                .bell
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
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

//! The thread that derives and judges, one text at a time.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use atgpu::diag::Diagnostic;
use atgpu::editor::{Derived, Job, Judged};
use atgpu::room::with_room;

use crate::cli::alone;
use crate::cli::lsp::Event;

/// A text to analyse.
pub(super) struct Task {
    pub uri: String,
    pub job: Job,
    /// Set once the text has changed; the results are then unwanted.
    pub is_stale: Arc<AtomicBool>,
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

/// Starts the thread, which ends with the session. A task is derived and reported, then judged and reported.
pub(super) fn start(found: Sender<Event>) -> Sender<Task> {
    let (sender, tasks) = channel::<Task>();
    thread::spawn(move || {
        for task in tasks {
            // A panic loses this answer, but the server goes on.
            let answered = alone::caught(&task.uri, || with_room(|| work(&task, &found)));
            if let Err(fault) = answered {
                let _ = found.send(Event::Found(Box::new(Found::Fault(Box::new(fault)))));
            }
            let _ = found.send(Event::Found(Box::new(Found::Done(task.uri))));
        }
    });
    sender
}

fn work(task: &Task, sender: &Sender<Event>) {
    let going = |_| {
        if task.is_stale.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    if going(0).is_break() {
        return;
    }
    let tell = |found| {
        let _ = sender.send(Event::Found(Box::new(found)));
    };
    if let Some(derived) = task.job.derive(&going) {
        tell(Found::Derived(task.uri.clone(), Box::new(derived)));
    }
    if going(0).is_break() {
        return;
    }
    if let Some(judged) = task.job.judge(&going) {
        tell(Found::Judged(task.uri.clone(), judged));
    }
}

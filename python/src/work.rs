//! Long work beside the interpreter: other threads of Python go on, progress is shown, and an interrupt ends it.
//!
//! The work runs on a thread of its own. The calling thread waits without the interpreter's lock, and asks for
//! signals many times a second. An interrupt tells the work to stop and leaves at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use atgpu::exec::{Progress, Work};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two looks at the signals.
const LOOK: Duration = Duration::from_millis(25);

/// Looks before the first word on progress, and between two of them: a second, and a quarter.
const SILENT: u32 = 40;
const BETWEEN: u32 = 10;

/// The tie between the work and those who wait for it.
#[derive(Default)]
pub(crate) struct Watch {
    is_over: AtomicBool,
    done: AtomicU64,
    all: AtomicU64,
}

impl Watch {
    /// Says how much is done, of how much (0 if unknown), and hears whether to go on.
    pub(crate) fn tell(&self, done: u64, all: u64) -> ControlFlow<()> {
        self.done.store(done, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
        match self.is_over.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Progress for Watch {
    fn advance(&self, work: Work) -> ControlFlow<()> {
        self.tell(work.mps_done, work.mps)
    }
}

/// Does the work, and gives what it gives.
pub(crate) fn away<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let (sender, receiver) = channel();
    let watched = Arc::clone(&watch);
    thread::spawn(move || sender.send(work(&watched)));
    let receiver = Mutex::new(receiver);
    // Only this thread locks, and nothing inside panics.
    let wait = || receiver.lock().expect("never poisoned").recv_timeout(LOOK);
    for look in 1.. {
        match py.detach(wait) {
            Ok(result) => {
                if look > SILENT {
                    shown(py, "end", ())?;
                }
                return Ok(result);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if let Err(interrupt) = py.check_signals() {
            watch.is_over.store(true, Ordering::Relaxed);
            if look > SILENT {
                shown(py, "end", ())?;
            }
            return Err(interrupt);
        }
        if look >= SILENT && look % BETWEEN == 0 {
            let done = watch.done.load(Ordering::Relaxed);
            shown(py, "tell", (done, watch.all.load(Ordering::Relaxed)))?;
        }
    }
    Err(PyRuntimeError::new_err(
        "the library panicked; this is a bug of atgpu",
    ))
}

fn shown<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<()> {
    py.import("atgpu._progress")?
        .call_method1(name, arguments)?;
    Ok(())
}

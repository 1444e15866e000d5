//! Settings of an execution: its engine, its threads, and what is traced.

use std::cell::OnceCell;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exec::{Engine, Options};
use crate::machine::CycleRules;
use crate::room::STACK_OF_A_THREAD;

/// Settings of an execution.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The engine for kernels.
    pub engine: Engine,
    /// A machine's own rules, where charges are asked for.
    pub cycle_rules: Option<CycleRules>,
    /// True if `ensure`s are left untested.
    pub skips_ensures: bool,
    /// The MP to trace.
    pub traced: Option<Vec<i64>>,
    /// True if its words are recorded too.
    pub traces_words: bool,
    threads: usize,
    /// Threads for MPs, started by the first kernel with enough work.
    pool: OnceCell<Option<ThreadPool>>,
}

impl Settings {
    /// Takes the caller's options.
    pub(super) fn new(options: &Options) -> Settings {
        Settings {
            engine: Engine::Batches,
            cycle_rules: options.cycle_rules.clone(),
            skips_ensures: options.skip_ensures,
            traced: options.trace.clone(),
            traces_words: options.trace_words,
            threads: options.threads,
            pool: OnceCell::new(),
        }
    }

    /// Returns the thread pool; without one everything runs on the caller's thread.
    pub(super) fn pool(&self) -> Option<&ThreadPool> {
        let threads = match self.threads {
            1 => return None,
            threads => threads,
        };
        let pool = || {
            let threads = ThreadPoolBuilder::new().num_threads(threads);
            threads.stack_size(STACK_OF_A_THREAD).build().ok()
        };
        self.pool.get_or_init(pool).as_ref()
    }
}

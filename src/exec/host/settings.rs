//! How an execution runs: its engine, its threads, and what is watched.

use std::cell::OnceCell;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exec::{Engine, Options};
use crate::machine::CycleRules;

/// How an execution runs.
#[derive(Debug)]
pub(crate) struct Settings {
    /// How kernels are executed.
    pub engine: Engine,
    /// What a machine charges, where one is asked.
    pub cycle_rules: Option<CycleRules>,
    /// Whether `ensure`s are left untested.
    pub skips_ensures: bool,
    /// The MP to trace.
    pub traced: Option<Vec<i64>>,
    /// Whether its words are recorded too.
    pub traces_words: bool,
    threads: usize,
    /// For MPs at the same time, once a kernel has several.
    pool: OnceCell<Option<ThreadPool>>,
}

impl Settings {
    /// As the caller wants it.
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

    /// Where MPs run at the same time; without a pool everything runs on the caller's thread.
    pub(super) fn pool(&self) -> Option<&ThreadPool> {
        let threads = match self.threads {
            1 => return None,
            threads => threads,
        };
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build().ok();
        self.pool.get_or_init(pool).as_ref()
    }
}

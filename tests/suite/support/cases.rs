//! The cases that a property is tried on, and how many of them.

use proptest::test_runner::{Config, RngSeed};

/// The same cases every time, unless asked for others: `CASES=100000 SEED=7 cargo test`.
pub fn config(cases: u32) -> Config {
    let asked = |name| std::env::var(name).ok()?.parse::<u32>().ok();
    Config {
        cases: asked("CASES").unwrap_or(cases),
        rng_seed: RngSeed::Fixed(asked("SEED").unwrap_or(1).into()),
        failure_persistence: None,
        ..Config::default()
    }
}

/// The step through what a long search goes through: 1 where `ATGPU_SEARCH=all` asks for all of it, as `.ci/run` does,
/// and else as many as given, so that a test by hand takes minutes.
pub fn every(nth: usize) -> usize {
    let asked = std::env::var("ATGPU_SEARCH");
    if asked.is_ok_and(|asked| asked == "all") {
        1
    } else {
        nth
    }
}

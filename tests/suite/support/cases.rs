//! The cases that a property is tried on.

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

//! What several suites need.

pub mod cases;
pub mod command;
pub mod engines;
pub mod programs;
pub mod snapshots;

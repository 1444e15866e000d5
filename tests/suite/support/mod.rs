//! What several suites need.

pub mod cases;
pub mod engines;

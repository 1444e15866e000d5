//! Many costs side by side: where one program becomes cheaper than another.
//!
//! Everything here is a plain function of checked programs, machines and models.

pub mod crossover;

pub use crossover::{Contender, Crossover, Range, crossover};

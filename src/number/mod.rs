//! Exact numbers: rationals of any size, the reals that logarithms and roots of parameters give, and their
//! number theory.
//!
//! Nothing here rounds. Floating point appears only in [`Rational::to_f64`] and
//! [`Real::to_f64`], for the last step of a cost in milliseconds.

mod grouped;
mod rational;
mod real;
pub(crate) mod theory;

/// Limit on the bits of a number: no count of a program is that large.
pub(crate) const MOST_BITS: u64 = 1 << 16;

pub(crate) use grouped::{grouped, legible};
pub use num_bigint::BigInt;
pub use rational::Rational;
pub(crate) use rational::{nearest, nearest_of_long};
pub use real::Real;

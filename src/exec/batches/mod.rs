//! Many MPs at the same time: a kernel whose MPs provably cannot meet is planned once per launch
//! ([`plan`]), and a batch of MPs executes each statement of the plan together, as rows of words
//! ([`run`]).
//!
//! Takes the compiled form of a kernel; gives what its MPs did, or leaves everything as it was where
//! a kernel, or what it meets, does not fit. Describes no fault.

pub(crate) mod plan;
pub(crate) mod run;

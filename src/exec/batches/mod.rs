//! Many MPs at the same time. A kernel whose MPs provably cannot meet is planned once per launch
//! ([`plan`]). A batch of MPs then executes each statement of the plan together, as rows of words
//! ([`run`]).
//!
//! Takes the compiled form of a kernel; gives the counts of its MPs, or leaves everything as it was
//! where the kernel or its data do not fit. Describes no fault.

pub(crate) mod plan;
pub(crate) mod run;

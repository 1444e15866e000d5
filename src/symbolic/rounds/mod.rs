//! The host over symbols: its statements in order become rounds (language.md §4.3).
//!
//! [`host`] walks transfers, kernels, loops and named kernels and gives entries, a round in the
//! variables of the loops around it each; [`merge`] says where a round goes on in the next
//! statement; [`nested`] which iterations make no rounds; [`liveness`] which global memory is live in
//! which; [`parity`] tells kernels apart that do something else in every second round.
//!
//! Counts nothing inside a kernel: that is `kernel`'s.

pub(crate) mod host;
pub(crate) mod liveness;
pub(crate) mod merge;
mod nested;
pub(crate) mod parity;
pub(crate) mod whole;

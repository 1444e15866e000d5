//! The value of an expression at given numbers: exactly, of any size ([`exact`]); exactly, at very
//! many points ([`compiled`]); or about, to see that a proof is not worth trying ([`approximate`]).
//!
//! In come an expression or a condition and a value for each symbol; out comes a number, or why
//! there is none. The exact ways always agree, errors included. No fact is used here, and no
//! approximate value ever becomes a result.

pub(crate) mod approximate;
pub(crate) mod compiled;
pub(crate) mod exact;

//! The value of an expression at given numbers: exactly at any size ([`exact`]), exactly at very
//! many points ([`compiled`]), or approximately, to see that a proof is not worth trying
//! ([`approximate`]).
//!
//! Takes an expression or a condition and a value for each symbol. Gives a number, or the reason
//! why there is none. Both exact ways always agree, errors included. Uses no facts, and no
//! approximate value ever becomes a result.

pub(crate) mod approximate;
pub(crate) mod compiled;
pub(crate) mod exact;

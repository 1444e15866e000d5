//! The abstract interpreter: the checked program over symbols gives counts as closed forms.
//!
//! Shares no counting code with `exec`. What it cannot derive it says, with line and reason.

pub mod derivation;
pub mod ops;
pub mod steps;

pub use derivation::{Bound, Derivation};

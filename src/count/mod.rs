//! The shape of a count and its units. No counting happens here.
//!
//! Derivation fills [`Counts`] with expressions; execution and counting without data fill it with numbers.
//! JSON keys and the table of quantities come from here alone.

mod counts;
mod inexact;
mod interval;
mod kinds;
mod parameters;
mod quantity;

pub(crate) use counts::side_by_side;
pub use counts::{ArrayBlocks, Counts, Round, Totals, Traffic};
pub use inexact::{Address, Addressed, Formless, HostPart, Inexact};
pub use interval::Interval;
pub(crate) use interval::Number;
pub use kinds::{ByKind, Charged, Charges, Kind, OfAll};
pub(crate) use parameters::canonical;
pub use parameters::{Parameters, ParseNumber, parse_number};
pub use quantity::{OfRound, Quantity};

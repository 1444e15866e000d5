//! Results in the forms that people and tools read: one file per form.
//!
//! Values in, text out; nothing is printed here. The command draws diagnostics, as it has a terminal; their
//! JSON is here. Modules used only by the command's tables and drawings are hidden from the documentation.

#[cfg(feature = "study")]
#[doc(hidden)]
pub mod advice;
#[cfg(feature = "emit")]
pub mod barriers;
#[cfg(feature = "study")]
#[doc(hidden)]
pub mod calibration;
mod causes;
#[cfg(feature = "study")]
#[doc(hidden)]
pub mod comparison;
pub mod counts;
pub mod derivation;
pub mod diagnostics;
#[cfg(feature = "figures")]
#[doc(hidden)]
pub mod figure;
pub(crate) mod formula;
pub mod json;
pub(crate) mod latex;
#[doc(hidden)]
pub mod machines;
#[doc(hidden)]
pub mod models;
mod numbers;
#[doc(hidden)]
pub mod overlap;
#[doc(hidden)]
pub mod safety;
#[cfg(feature = "study")]
#[doc(hidden)]
pub mod sweep;
mod table;
#[doc(hidden)]
pub mod test_run;
#[cfg(feature = "study")]
#[doc(hidden)]
pub mod tuning;
mod wrap;

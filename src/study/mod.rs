//! Many costs side by side: sweeps over parameters, and fitting a machine to measured times.
//!
//! Everything here is a plain function of checked programs, machines and models. What takes long
//! hands its results on piece by piece, and asks whether to go on.

mod axis;
mod counting;
mod error;
mod prepared;
mod sweep;

pub use axis::Axis;
pub use counting::Counting;
pub use error::{BadAxis, StudyError};
pub use prepared::Prepared;
pub use sweep::{Case, Finished, Skipped, Sweep, unit_of, unit_of_count};

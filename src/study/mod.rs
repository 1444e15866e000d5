//! Many costs side by side: sweeps over parameters, crossovers between programs, and machines fitted to
//! measured times.
//!
//! Everything here is a plain function of checked programs, machines and models. Long computations deliver
//! their results piece by piece, and ask the caller whether to continue.

mod axis;
mod calibrate;
mod cost_form;
mod counting;
pub mod crossover;
mod curves;
mod duel;
mod error;
mod events;
mod least_squares;
mod microbenchmarks;
mod observed;
mod prepared;
mod sizes;
mod sweep;
mod tie;
mod tune;

pub use crate::program::Direction;
pub use axis::Axis;
#[doc(hidden)]
pub use axis::refuse_twice;
pub use calibrate::{
    Calibration, Certainty, Compared, Figure as FittedFigure, Nearness, Origin, Reason, Unknown,
    Weights, calibrate, held,
};
pub use cost_form::{CostMismatch, cost_form};
pub use counting::Counting;
pub use crossover::{Contender, Crossover, Range, crossover};
pub use curves::{Curve, STREAMS, curves, stream_curves};
#[doc(hidden)]
pub use duel::one_of_everything;
pub use duel::{Side, duel};
pub use error::{AxisProblem, BadAxis, CalibrateError, StrayMeasurement, StudyError};
#[doc(hidden)]
pub use events::EVENT_COLUMNS;
pub use events::{measurements, observations};
pub use microbenchmarks::{
    CardAnswer, CardFigure, Microbenchmark, Unmeasured, card_figures, is_of_fit, microbenchmarks,
    tells_clock, words_beyond,
};
pub use observed::{Event, EventKind, Observation};
pub use prepared::Prepared;
pub use sizes::sizes;
pub use sweep::{Case, CutShort, Figures, Finished, Part, Skipped, Sweep, is_charge, vet};
pub(crate) use sweep::{Cell, Heading, Row, unit_of, unit_of_count};
pub use tie::Tie;
#[doc(hidden)]
pub use tune::{CLOSE, Choice, Tuned, Tuning, tune};

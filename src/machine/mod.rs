//! Machines: `ATGPU(p, b, M, G)`, the figures of the cost functions, and the TOML that holds them.
//!
//! Takes the text of a machine file (or the name of a built-in one) and gives a [`Machine`] whose
//! figures are exact and in range. Overrides such as `-D b=8` are applied here too. What a figure
//! means for a cost is in `cost`; here are only figures, their units, and the named conversions.

mod atgpu;
mod bounds;
mod built_in;
mod direction;
mod error;
mod figures;
mod file;
mod limit;
mod memory_rules;
mod overrides;
mod profile;
mod reader;
mod residents;
mod roofline;
mod sections;
mod source;
mod units;

pub use atgpu::Atgpu;
pub use built_in::BUILT_IN;
pub use direction::PerDirection;
pub use error::{MissingFigure, OverrideError};
pub(crate) use limit::{Exceeded, Memory};
pub(crate) use memory_rules::HALF_WARP;
pub use memory_rules::{Banks, Coalescing, Warps};
pub use overrides::OVERRIDABLE;
pub use profile::{Device, Machine, Transfer};
pub use residents::{Limiting, Residents};
pub use roofline::Roofline;
pub use sections::{CycleRules, Kothapalli, Overlap, Units, Weights};
pub use source::{How, Source};
pub use units::{
    Blocks, Bytes, Cycles, CyclesPerBlock, CyclesPerMilli, Millis, MillisPerByte, MillisPerWord,
    Ops, Transactions, Words,
};

//! What a user of the library writes: programs in files beside the code, embedded, checked by
//! `build.rs`, and their derivations held by snapshots.

use atgpu::cost::{Estimate, Figure, Item, Model, Value};
use atgpu::count::Counts;
use atgpu::machine::{Machine, MissingFigure};
use atgpu::number::{BigInt, Rational};

/// A program of this crate.
pub const SCALE: &str = include_str!("../programs/scale.atgpu");

/// A cost model of one's own: a dollar a block.
pub struct DollarPerBlock;

impl Model for DollarPerBlock {
    fn name(&self) -> &'static str {
        "dollars"
    }

    fn summary(&self) -> &'static str {
        "a dollar a block"
    }

    fn items(&self) -> &'static [Item] {
        &[Item::IoComplexity, Item::CostFunction]
    }

    fn estimate(
        &self,
        counts: &Counts<BigInt>,
        _machine: &Machine,
    ) -> Result<Estimate, MissingFigure> {
        Ok(Estimate {
            figures: vec![Figure {
                name: "gpu_cost",
                value: Value::Time(Rational::from(&counts.totals.io)),
            }],
            unit: Some("dollars"),
            note: None,
        })
    }
}

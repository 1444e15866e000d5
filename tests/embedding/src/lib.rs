//! What a user of the library writes: programs in files beside the code, embedded, checked by
//! `build.rs`, and their derivations held by snapshots.

use atgpu::cost::{Estimate, Figure, Item, Missing, Model, Sheet, Subject, Value};
use atgpu::machine::Machine;
use atgpu::number::Rational;

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

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: "q dollars",
            inputs: &[("q", "blocks of global memory")],
            source: "us",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &[("gpu_cost", "dollars")]
    }

    fn estimate(&self, subject: &Subject<'_>, _machine: &Machine) -> Result<Estimate, Missing> {
        Ok(Estimate {
            figures: vec![Figure {
                name: "gpu_cost",
                value: Value::Time(Rational::from(&subject.counts.totals.io)),
            }],
            unit: Some("dollars"),
            note: None,
        })
    }
}

//! What costing a program gives.

use std::fmt;

use indexmap::IndexMap;
use serde::{Serialize, Serializer};

use crate::cost::{self, Estimate, Model, Subject};
use crate::count::Counts;
use crate::derive::Bound;
use crate::derive::numbers::{Method, Numbers};
use crate::diag::Diagnostic;
use crate::embed::Error;
use crate::machine::Machine;
use crate::number::BigInt;
use crate::report::counts::CountsReport;
use crate::report::{json, text};

/// Counts and costs of a program on a machine at one choice of parameters.
///
/// Shown as text it is what `atgpu cost` prints, serialised the JSON without `diagnostics`; both
/// for the models atgpu and swgpu, as far as the machine has the figures they need.
#[derive(Debug, Clone)]
pub struct Costs {
    algorithm: String,
    machine: Machine,
    parameters: IndexMap<String, BigInt>,
    numbers: Numbers,
    estimates: Vec<(&'static str, Estimate)>,
}

impl Costs {
    pub(super) fn new(
        algorithm: &str,
        machine: Machine,
        parameters: IndexMap<String, BigInt>,
        numbers: Numbers,
    ) -> Self {
        let estimates = estimates(&numbers.counts, &machine);
        Costs {
            algorithm: algorithm.to_owned(),
            machine,
            parameters,
            numbers,
            estimates,
        }
    }

    /// The counts; upper bounds where [`Costs::bounds`] names the quantity.
    pub fn counts(&self) -> &Counts<BigInt> {
        &self.numbers.counts
    }

    /// Why some counts are upper bounds only; empty when all are exact.
    pub fn bounds(&self) -> &[Bound] {
        &self.numbers.bounds
    }

    /// How the counts were found.
    pub fn method(&self) -> Method {
        self.numbers.method
    }

    /// Expression (2) of paper 1 in ms; none where the machine lacks a figure it needs.
    pub fn gpu_cost(&self) -> Option<f64> {
        let (_, estimate) = self.estimates.iter().find(|(name, _)| *name == "atgpu")?;
        Some(estimate.headline()?.to_f64())
    }

    /// What a model says, one of [`MODELS`](crate::cost::MODELS) or your own.
    ///
    /// # Errors
    /// `machine::key` when the machine lacks a figure the model needs.
    pub fn estimate(&self, model: &dyn Model) -> Result<Estimate, Error> {
        let subject = Subject {
            charges: self.numbers.charges.as_ref(),
            ..Subject::of(&self.numbers.counts)
        };
        let estimate = model.estimate(&subject, &self.machine);
        estimate.map_err(|missing| Diagnostic::of(&missing).into())
    }

    fn report(&self) -> CountsReport<'_> {
        CountsReport {
            algorithm: &self.algorithm,
            machine: &self.machine,
            parameters: &self.parameters,
            method: self.numbers.method.into(),
            counts: &self.numbers.counts,
            charges: self.numbers.charges.as_ref(),
            bounds: &self.numbers.bounds,
            estimates: &self.estimates,
        }
    }
}

/// Of the models shown unless others are asked for, those the machine has figures for.
pub(super) fn estimates(
    counts: &Counts<BigInt>,
    machine: &Machine,
) -> Vec<(&'static str, Estimate)> {
    let models = ["atgpu", "swgpu"].into_iter().filter_map(cost::find);
    models
        .filter_map(|model| {
            Some((
                model.name(),
                model.estimate(&Subject::of(counts), machine).ok()?,
            ))
        })
        .collect()
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::counts(&self.report()))
    }
}

impl Serialize for Costs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::counts(&self.report()).serialize(serializer)
    }
}

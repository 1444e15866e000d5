//! The result of costing a program.

use std::fmt;
use std::num::NonZeroU64;

use indexmap::IndexMap;
use serde::{Serialize, Serializer};

use crate::cost::{self, Estimate, Exact, Model, Subject};
use crate::count::Counts;
use crate::derivation::Bound;
use crate::derive::numbers::{Method, Numbers};
use crate::diag::Diagnostic;
use crate::embed::Error;
use crate::machine::Machine;
use crate::number::BigInt;
use crate::program::Program;
use crate::report::counts::{self, CountsReport};

/// The counts and costs of a program on a machine at one choice of parameters.
///
/// As text it is the output of `atgpu cost --model atgpu --model swgpu`; serialised it is the JSON without
/// `diagnostics`. A model for which the machine lacks a figure is left out.
#[derive(Debug, Clone)]
pub struct Costs {
    algorithm: String,
    contention: Option<NonZeroU64>,
    machine: Machine,
    parameters: IndexMap<String, BigInt>,
    numbers: Numbers,
    estimates: Vec<(&'static str, Estimate)>,
    exact: Exact,
}

impl Costs {
    pub(super) fn new(
        program: &Program,
        machine: Machine,
        parameters: IndexMap<String, BigInt>,
        numbers: Numbers,
    ) -> Self {
        let estimates = estimates(&numbers.counts, &machine);
        let subject = Subject {
            charges: numbers.charges.as_ref(),
            ..Subject::of(&numbers.counts)
        };
        let judged = estimates
            .iter()
            .filter_map(|(name, estimate)| Some((cost::find(name)?, estimate)));
        let exact = Exact::of(&subject, numbers.least.as_ref(), judged, &machine);
        Costs {
            algorithm: program.name().to_owned(),
            contention: program.assumed_contention(),
            machine,
            parameters,
            numbers,
            estimates,
            exact,
        }
    }

    /// Returns the counts; upper bounds for the quantities that [`Costs::bounds`] names.
    pub fn counts(&self) -> &Counts<BigInt> {
        &self.numbers.counts
    }

    /// Returns the reasons why some counts are upper bounds only; empty if all are exact.
    pub fn bounds(&self) -> &[Bound] {
        &self.numbers.bounds
    }

    /// Returns the method by which the counts were found.
    pub fn method(&self) -> Method {
        self.numbers.method
    }

    /// Returns expression (2) of paper 1 in ms.
    ///
    /// # Errors
    /// `machine::key` if the machine lacks a figure that the expression needs.
    pub fn gpu_cost(&self) -> Result<f64, Error> {
        let estimate = self.estimate(cost::find("atgpu").expect("listed"))?;
        let cost = estimate
            .headline()
            .expect("the model of paper 1 tells a time");
        Ok(cost.to_f64())
    }

    /// Returns a model's estimate: one of [`MODELS`](crate::cost::MODELS) or your own.
    ///
    /// ```
    /// use atgpu::cost::find;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let estimate = costs.estimate(find("swgpu").expect("listed"))?;
    /// // Transfers are not seen.
    /// assert!(estimate.headline().is_some_and(|ms| ms.to_f64() < costs.gpu_cost().unwrap()));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `machine::key` if the machine lacks a figure the model needs. `loop::unbounded` for a model that
    /// [needs charges](Model::needs_charges), which are not counted here. Give such a model a [`Subject`]
    /// with the charges of [`evaluate::charged`](crate::derivation::evaluate::charged).
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
            contention: self.contention,
            counts: &self.numbers.counts,
            charges: self.numbers.charges.as_ref(),
            bounds: &self.numbers.bounds,
            estimates: &self.estimates,
            exact: &self.exact,
        }
    }
}

/// Returns the estimates of the models shown by default, as far as the machine has figures for them.
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
        f.write_str(&counts::text(&self.report()))
    }
}

impl Serialize for Costs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        counts::json(&self.report()).serialize(serializer)
    }
}

//! What costing a program gives.

use std::fmt;

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
use crate::report::counts::{self, CountsReport};

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
    exact: Exact,
}

impl Costs {
    pub(super) fn new(
        algorithm: &str,
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
            algorithm: algorithm.to_owned(),
            machine,
            parameters,
            numbers,
            estimates,
            exact,
        }
    }

    /// The counts; upper bounds where [`Costs::bounds`] names the quantity.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// assert_eq!(costs.counts().totals.io, 96.into());
    /// assert_eq!(costs.counts().rounds[0].1.launched_mps, 32.into());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn counts(&self) -> &Counts<BigInt> {
        &self.numbers.counts
    }

    /// Why some counts are upper bounds only; empty when all are exact.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// assert!(costs.bounds().is_empty());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn bounds(&self) -> &[Bound] {
        &self.numbers.bounds
    }

    /// How the counts were found.
    ///
    /// ```
    /// use atgpu::derive::numbers::Method;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// assert_eq!(costs.method(), Method::Derived);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn method(&self) -> Method {
        self.numbers.method
    }

    /// Expression (2) of paper 1 in ms; none where the machine lacks a figure it needs.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let ms = costs.gpu_cost().expect("the card is complete");
    /// assert_eq!(format!("{ms:.4}"), "0.0351");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn gpu_cost(&self) -> Option<f64> {
        let (_, estimate) = self.estimates.iter().find(|(name, _)| *name == "atgpu")?;
        Some(estimate.headline()?.to_f64())
    }

    /// What a model says, one of [`MODELS`](crate::cost::MODELS) or your own.
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
    /// assert!(estimate.headline().map(|ms| ms.to_f64()) < costs.gpu_cost());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `machine::key` when the machine lacks a figure the model needs; `loop::unbounded` for a
    /// model that [needs charges](Model::needs_charges), which are not counted here: give it a
    /// [`Subject`] with those of [`evaluate::charged`](crate::derivation::evaluate::charged).
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
            exact: &self.exact,
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
        f.write_str(&counts::text(&self.report()))
    }
}

impl Serialize for Costs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        counts::json(&self.report()).serialize(serializer)
    }
}

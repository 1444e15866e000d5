//! Cost models: counts and a machine in, figures out.
//!
//! A model is a name, the items it looks at (Table I of paper 1), a sheet that explains it, and an
//! estimate. The list [`MODELS`] is the only place that knows all models. A new one is one file and one
//! line.

pub mod accuracy;
mod agpu;
mod atgpu;
mod combined;
mod exact;
mod expressions;
pub mod kothapalli;
pub mod overlap;
mod roofline;
mod swgpu;

pub use exact::Exact;
pub use roofline::{Picture, Placed};

use std::fmt;

use miette::Diagnostic;
use thiserror::Error;

use crate::count::{Charged, Counts, Quantity};
use crate::derivation::Derivation;
use crate::machine::{CycleRules, Machine, Millis, MissingFigure};
use crate::number::{BigInt, Rational};
use crate::sym::Expr;

/// The model of the first line of `cost`, for machines that have its figures.
pub const FIRST: &str = combined::NAME;

/// The headline figure, for models that have one.
pub(crate) const HEADLINE: &str = Quantity::GpuCost.name();

/// The figure of models that separate transfers from kernels: the fraction of the GPU-cost spent on
/// transfers.
pub const TRANSFER_SHARE: &str = "transfer_share";

/// The figure of models with shared memory: the minimum of the resident MPs over all rounds with a kernel.
pub(crate) const OCCUPANCY: &str = "occupancy";

/// All models, paper 1's first.
pub const MODELS: &[&dyn Model] = &[
    &atgpu::Atgpu,
    &swgpu::Swgpu,
    &agpu::Agpu,
    &kothapalli::Kothapalli(kothapalli::Hiding::Max),
    &kothapalli::Kothapalli(kothapalli::Hiding::Sum),
    &roofline::Roofline,
    &combined::Combined,
];

/// A cost model: judges a program by its counts.
///
/// ```
/// use atgpu::cost::{Estimate, Figure, Item, Missing, Model, Sheet, Subject, Value};
/// use atgpu::machine::{Blocks, Machine};
/// use atgpu::number::Rational;
///
/// /// A card that nothing but its memory slows down.
/// struct MemoryBound;
///
/// impl Model for MemoryBound {
///     fn name(&self) -> &'static str {
///         "memory-bound"
///     }
///     fn summary(&self) -> &'static str {
///         "the time of the blocks of global memory alone"
///     }
///     fn items(&self) -> &'static [Item] {
///         &[Item::IoComplexity, Item::CostFunction]
///     }
///     fn sheet(&self) -> Sheet {
///         let inputs = &[("λ", "cycles a block"), ("q", "blocks"), ("γ", "cycles a ms")];
///         Sheet { formula: "λq/γ", inputs, source: "ours" }
///     }
///     fn figures(&self) -> &'static [(&'static str, &'static str)] {
///         &[("gpu_cost", "ms")]
///     }
///     fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
///         let cycles = machine.access_cycles(&Blocks::from(&subject.counts.totals.io))?;
///         let time = Value::Time(machine.kernel_time(&cycles)?.value().clone());
///         let figures = vec![Figure { name: "gpu_cost", value: time }];
///         Ok(Estimate { figures, unit: Some("ms"), note: None })
///     }
/// }
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1024)])?;
/// // 96 blocks at λ = 2.46 cycles, γ = 1.058 million cycles a ms.
/// let ms = Rational::new(96 * 246, 105_800_000);
/// assert_eq!(costs.estimate(&MemoryBound)?.headline(), ms.as_ref());
/// # Ok::<(), atgpu::Error>(())
/// ```
pub trait Model: Sync {
    /// The name on the command line and in the JSON.
    fn name(&self) -> &'static str;

    /// A summary in one line: the model and its origin.
    fn summary(&self) -> &'static str;

    /// The items the model can express: its column of Table I.
    fn items(&self) -> &'static [Item];

    /// The formula of the model, its inputs, and its source.
    fn sheet(&self) -> Sheet;

    /// The figures of its estimates, in their order, each with its unit: of a time, of what is counted, or 1 for
    /// a share. An estimate may lack some of them where there is nothing to say, and has no others but classes.
    fn figures(&self) -> &'static [(&'static str, &'static str)];

    /// Returns true if it needs charges by the machine's own weights and memory rules.
    fn needs_charges(&self) -> bool {
        false
    }

    /// Returns the rules by which the machine charges for this model, if it [needs
    /// charges](Model::needs_charges).
    ///
    /// # Errors
    /// The machine lacks a figure for the rules.
    fn charges_by(&self, machine: &Machine) -> Result<CycleRules, MissingFigure> {
        Ok(machine.rules())
    }

    /// Estimates a program on a machine. Upper bounds as inputs give upper bounds as figures, except
    /// shares: a quotient of two upper bounds is no bound.
    ///
    /// # Errors
    /// The machine lacks a figure that the model needs, or the subject lacks the charges.
    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing>;

    /// Returns the time of the kernels in its `gpu_cost`, without synchronisation and transfers: t_E of
    /// papers 3 and 5. `None` if the model has no cost, or does not separate that time.
    ///
    /// # Errors
    /// Like [`Model::estimate`].
    fn kernel_time(
        &self,
        _subject: &Subject<'_>,
        _machine: &Machine,
    ) -> Result<Option<Millis>, Missing> {
        Ok(None)
    }

    /// The `gpu_cost` in ms as an expression of the formal and abstract machine parameters, with the
    /// machine's other figures as numbers. `None` if the model has no cost, or the derivation no exact
    /// form. A model that needs charges takes a derivation under the machine's `cycle_rules`.
    fn symbolic(&self, _derivation: &Derivation, _machine: &Machine) -> Option<Expr> {
        None
    }

    /// The figures with an exact form, as for [`Model::symbolic`], with their names.
    fn closed(&self, derivation: &Derivation, machine: &Machine) -> Vec<(&'static str, Closed)> {
        let cost = self.symbolic(derivation, machine);
        cost.map(|cost| (HEADLINE, Closed::Time(cost)))
            .into_iter()
            .collect()
    }
}

/// The input of a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The counts of language.md §4.
    pub counts: &'a Counts<BigInt>,
    /// The charges by the machine's own weights and memory rules.
    pub charges: Option<&'a Charged>,
    /// The derivation of the counts, for models that report classes.
    pub derivation: Option<&'a Derivation>,
}

impl<'a> Subject<'a> {
    /// A subject of counts alone.
    pub fn of(counts: &'a Counts<BigInt>) -> Self {
        Subject {
            counts,
            charges: None,
            derivation: None,
        }
    }

    /// Adds charges, if there are any.
    #[must_use]
    pub fn with_charges(self, charges: impl Into<Option<&'a Charged>>) -> Self {
        Subject {
            charges: charges.into(),
            ..self
        }
    }

    /// Adds the derivation, if there is one.
    #[must_use]
    pub fn with_derivation(self, derivation: impl Into<Option<&'a Derivation>>) -> Self {
        Subject {
            derivation: derivation.into(),
            ..self
        }
    }
}

/// The reason why a model has no figures.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[non_exhaustive]
pub enum Missing {
    /// The machine lacks a figure.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Figure(#[from] MissingFigure),
    /// The charges of the machine were not counted.
    #[error(
        "`{model}` needs operations by kind and memory transactions, and these have no bound here"
    )]
    #[diagnostic(
        code("atgpu::loop::unbounded"),
        help("`run` counts them for any program")
    )]
    Charges {
        /// The model.
        model: &'static str,
    },
}

/// An explanation of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// The formula it computes.
    pub formula: &'static str,
    /// Each letter of the formula, with its meaning.
    pub inputs: &'static [(&'static str, &'static str)],
    /// The paper and its equations.
    pub source: &'static str,
}

/// The estimate of a model for one program on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The figures, in the order they are shown.
    pub figures: Vec<Figure>,
    /// The unit of the figures that are times.
    pub unit: Option<&'static str>,
    /// A remark on the things that the model deliberately leaves out.
    pub note: Option<&'static str>,
}

/// One figure of an estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its key in the JSON.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
}

/// The value of a figure.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A time in the estimate's unit, exact.
    Time(Rational),
    /// A part of a whole, from 0 to 1; `None` if the whole is 0.
    Share(Option<Rational>),
    /// A count; `None` if there is nothing to count.
    Count(Option<BigInt>),
    /// An asymptotic class such as `Θ(n/b)`; `None` if unknown.
    Class(Option<String>),
}

/// A figure as an expression of the formal and abstract machine parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Closed {
    /// A time in ms.
    Time(Expr),
    /// A part and its whole; the share has no value where the whole is 0.
    Share([Expr; 2]),
}

impl Estimate {
    /// Returns the exact time of this name.
    pub fn time(&self, name: &str) -> Option<&Rational> {
        self.figures.iter().find_map(|figure| match &figure.value {
            Value::Time(time) if figure.name == name => Some(time),
            Value::Time(_) | Value::Share(_) | Value::Count(_) | Value::Class(_) => None,
        })
    }

    /// Returns the headline time: the GPU-cost, for models that have one.
    pub fn headline(&self) -> Option<&Rational> {
        self.time(HEADLINE)
    }
}

/// Returns the model of this name.
///
/// ```
/// use atgpu::cost::find;
///
/// let model = find("agpu").expect("listed");
/// assert_eq!(model.summary(), "time, I/O, space and occupancy side by side; has no cost function");
/// assert!(find("agpus").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().copied().find(|model| model.name() == name)
}

/// A row of Table I of paper 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Item {
    /// Its paper gives a notation for algorithms.
    Pseudocode,
    /// t.
    TimeComplexity,
    /// q.
    IoComplexity,
    /// m and g.
    SpaceComplexity,
    /// m ≤ M.
    SharedMemoryLimit,
    /// σ, rounds.
    Synchronisation,
    /// A number in milliseconds.
    CostFunction,
    /// g ≤ G.
    GlobalMemoryLimit,
    /// I and O, α and β.
    Transfer,
}

impl Item {
    /// All rows, in the order of the paper.
    pub const ALL: [Item; 9] = [
        Item::Pseudocode,
        Item::TimeComplexity,
        Item::IoComplexity,
        Item::SpaceComplexity,
        Item::SharedMemoryLimit,
        Item::Synchronisation,
        Item::CostFunction,
        Item::GlobalMemoryLimit,
        Item::Transfer,
    ];
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Item::Pseudocode => "pseudocode",
            Item::TimeComplexity => "time complexity",
            Item::IoComplexity => "I/O complexity",
            Item::SpaceComplexity => "space complexity",
            Item::SharedMemoryLimit => "shared memory limit",
            Item::Synchronisation => "synchronisation",
            Item::CostFunction => "cost function",
            Item::GlobalMemoryLimit => "global memory limit",
            Item::Transfer => "host/device data transfer",
        })
    }
}

#[cfg(test)]
mod tests;

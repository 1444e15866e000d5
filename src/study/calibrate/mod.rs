//! A machine fitted to measured times: α, β, λ, σ and γ by least squares.
//!
//! Expression (2) of paper 1 is linear in them. With S transactions, W words, Q blocks, R rounds and T = Σ
//! ⌈k/(k′ℓ)⌉ t operations, the total is S α + W β + Q λ/γ + R σ + T/γ. A kernel timer sees the same without
//! the first two terms. Each equation is divided by its measured time, unless absolute weights are chosen.
//! No unknown may be negative, and figures that the data leave open keep the value of the given machine. If
//! each transfer and each launch is measured on its own, every one is an equation, and each direction has
//! its own α and β.
//!
//! This file has the interface: `row` counts the parts of a measurement, `equations` builds the equations,
//! `fit` solves them. The result holds exactly the figures of the machine that comes with it.

mod doubt;
mod equations;
mod fit;
mod nearness;
mod row;

use indexmap::IndexMap;

use crate::count::Parameters;
use crate::derivation::evaluate::Workplace;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::calibrate::fit::Start;
pub use crate::study::calibrate::nearness::Nearness;
use crate::study::calibrate::nearness::nearness;
use crate::study::calibrate::row::{Row, program_of, row, row_of};
use crate::study::counting::{Budget, Counting};
use crate::study::observed::{EventKind, Observation};
use crate::study::prepared::Prepared;

/// Limit on the unknowns of a fit.
const MOST: usize = 7;

/// The indices of 1/γ, σ and λ/γ among them.
const OPERATIONS: usize = 0;
const LAUNCHES: usize = 3;
const BLOCKS: usize = 4;

/// The values of the linear unknowns: 1/γ, α, β, σ, λ/γ; then outward α and β, if directions are separate.
type Values = [f64; MOST];

/// Limit on the measurements that are left out one at a time; more are left out a tenth at a time.
const MOST_SINGLE: usize = 100;

/// A fitted figure. If the data leave several open, earlier ones are kept first: a clock and a bus have
/// data sheets, the effective cost of a block has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unknown {
    /// γ: operations a ms.
    Gamma,
    /// α: ms a transaction.
    Alpha,
    /// β: ms a word.
    Beta,
    /// σ: ms a round.
    Sigma,
    /// λ: cycles a block.
    Lambda,
    /// α of transfers inward.
    AlphaInward,
    /// β of transfers inward.
    BetaInward,
    /// α of transfers outward.
    AlphaOutward,
    /// β of transfers outward.
    BetaOutward,
}

impl Unknown {
    /// All figures, if both directions share one bus.
    pub const ALL: [Unknown; 5] = [
        Unknown::Gamma,
        Unknown::Alpha,
        Unknown::Beta,
        Unknown::Sigma,
        Unknown::Lambda,
    ];

    /// All figures, if each direction is measured on its own.
    pub const APART: [Unknown; MOST] = [
        Unknown::Gamma,
        Unknown::AlphaInward,
        Unknown::BetaInward,
        Unknown::Sigma,
        Unknown::Lambda,
        Unknown::AlphaOutward,
        Unknown::BetaOutward,
    ];

    /// Its letter in the paper.
    pub(crate) const fn letter(self) -> &'static str {
        match self {
            Unknown::Gamma => "γ",
            Unknown::Alpha | Unknown::AlphaInward | Unknown::AlphaOutward => "α",
            Unknown::Beta | Unknown::BetaInward | Unknown::BetaOutward => "β",
            Unknown::Sigma => "σ",
            Unknown::Lambda => "λ",
        }
    }

    /// Its letter, with its direction.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Unknown::AlphaInward => "α inward",
            Unknown::AlphaOutward => "α outward",
            Unknown::BetaInward => "β inward",
            Unknown::BetaOutward => "β outward",
            Unknown::Gamma | Unknown::Alpha | Unknown::Beta | Unknown::Sigma | Unknown::Lambda => {
                self.letter()
            }
        }
    }

    /// Its unit.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Unknown::Gamma => "cycles/ms",
            Unknown::Alpha | Unknown::AlphaInward | Unknown::AlphaOutward | Unknown::Sigma => "ms",
            Unknown::Beta | Unknown::BetaInward | Unknown::BetaOutward => "ms/word",
            Unknown::Lambda => "cycles/block",
        }
    }

    /// The size of the file's unit in its own unit: GHz in cycles a ms, ms a byte in ms a word.
    pub(crate) fn unit_in_files(self, machine: &Machine) -> Rational {
        match self {
            Unknown::Gamma => 1_000_000.into(),
            Unknown::Beta | Unknown::BetaInward | Unknown::BetaOutward => machine.word_bytes.into(),
            Unknown::Alpha
            | Unknown::AlphaInward
            | Unknown::AlphaOutward
            | Unknown::Sigma
            | Unknown::Lambda => 1.into(),
        }
    }
}

/// The weights of the equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weights {
    /// Each equation is divided by its time: an error of 1% counts the same everywhere.
    Relative,
    /// No weights: the longest times dominate.
    Absolute,
}

/// The origin of a figure.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Origin {
    /// Fitted to the data, with its certainty.
    Fitted(Certainty),
    /// Kept: the data determine it only together with these figures.
    Together(Vec<Unknown>),
    /// Kept: the data leave it open on its own.
    Open(Reason),
    /// Kept: no measurement depends on it.
    Absent,
    /// Given with `-D`.
    Given,
}

/// The probability that an interval holds the true value.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// The certainty of a fitted figure, from the measurements alone: figures kept from the machine add none.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Certainty {
    /// Unknown, for lack of spare measurements.
    Unknown,
    /// Determined on its own.
    Told {
        /// The standard error.
        error: f64,
        /// An interval that holds the true value 19 times out of 20; `None` if the data leave it without an end.
        interval: Option<[f64; 2]>,
    },
    /// Right only if some kept figures are, which the data determine only together with this one.
    If {
        /// The kept figures.
        kept: Vec<Unknown>,
        /// The standard error if they are right; `None` without spare measurements.
        error: Option<f64>,
    },
}

/// The reason why data leave a figure open.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The data scatter too much: the error exceeds half the value.
    Noise,
    /// Kernels are shorter than their operations at this γ, in cycles a ms.
    Shorter(f64),
    /// Blocks would move faster than the peak of the memory.
    BeyondPeak,
}

/// A figure of a calibration.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// The unknown.
    pub unknown: Unknown,
    /// Its value, in its unit.
    pub value: f64,
    /// Its origin.
    pub origin: Origin,
}

impl Figure {
    /// Returns true if the data determine it, with an error of at most half its value.
    pub(crate) fn is_determined(&self) -> bool {
        match &self.origin {
            Origin::Fitted(Certainty::Told { error, interval }) => {
                *error <= self.value / 2.0 && interval.is_some()
            }
            Origin::Fitted(Certainty::Unknown) => true,
            Origin::Fitted(Certainty::If { .. })
            | Origin::Together(_)
            | Origin::Open(_)
            | Origin::Absent
            | Origin::Given => false,
        }
    }
}

/// A measurement and its prediction, in ms.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Compared {
    /// Its line in the file.
    pub line: u64,
    /// The algorithm, if the file names it.
    pub program: Option<String>,
    /// The transfer or launch, if the measurement is a single one.
    pub event: Option<EventKind>,
    /// The figure that causes most of the predicted time, and its fraction.
    pub mostly: Option<(Unknown, f64)>,
    /// The formal parameters of the measurement.
    pub parameters: IndexMap<String, BigInt>,
    /// Measured and predicted total.
    pub total: Option<(f64, f64)>,
    /// Measured and predicted time of the kernels.
    pub kernel: Option<(f64, f64)>,
}

impl Calibration {
    /// The accuracy at each program.
    pub fn nearness(&self) -> Vec<Nearness> {
        nearness(&self.rows)
    }

    /// Returns true if the data determined any figure. Otherwise the machine is the given one.
    pub fn is_fitted(&self) -> bool {
        let mut origins = self.figures.iter().map(|figure| &figure.origin);
        origins.any(|origin| matches!(origin, Origin::Fitted(_)))
    }
}

/// A fitted machine and the quality of the fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// γ, α, β, σ, λ.
    pub figures: Vec<Figure>,
    /// Every measurement.
    pub rows: Vec<Compared>,
    /// Relative errors: root mean square, and the largest.
    pub error: (f64, f64),
    /// The same at measurements left out of the fit, if there are enough of them.
    pub left_out: Option<(f64, f64)>,
    /// The number left out at a time.
    pub group: usize,
    /// The same at each program when all its measurements are left out, if there are several programs.
    pub programs: Vec<(String, (f64, f64))>,
    /// The machine with the figures.
    pub machine: Machine,
}

/// Fits a machine. `given` holds every `-D`; figures among them are kept.
///
/// ```
/// use atgpu::study::{Counting, Prepared, Unknown, Weights, calibrate, observations};
/// use atgpu::{count::Parameters, machine::Machine};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// // Measured on a card whose blocks cost 4 cycles and whose rounds synchronise for 1 ms.
/// let measured = card.with([("lambda", 4), ("sigma", 1)]).expect("in range");
/// let mut csv = String::from("n,total_ms\n");
/// for n in [1 << 10, 1 << 16, 1 << 20, 1 << 22] {
///     let total = program.cost(&measured, [("n", n)])?.gpu_cost().expect("complete");
///     csv += &format!("{n},{total}\n");
/// }
/// let observed = observations(&csv).expect("well formed");
/// // What is given stays as it is on the card; the rest is fitted.
/// let given = card.parameters();
/// let alpha = atgpu::number::Rational::from_f64(0.0092).expect("finite");
/// let given = Parameters::from([("γ", given.get("γ").expect("known").clone())]).with([("α", alpha)]);
/// let prepared = [Prepared::new(&program, Some(&program.derive()?))];
/// let fitted = calibrate(
///     &prepared, &card, &given, &observed, Weights::Relative, Counting::Briefly,
/// )?;
/// let lambda = fitted.figures.iter().find(|figure| figure.unknown == Unknown::Lambda);
/// assert!(lambda.is_some_and(|figure| (figure.value - 4.0).abs() < 0.5));
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// The faults of the points (`usage::value`, `require::violated`, …). `machine::key` if the machine lacks
/// k′ or H, or a figure that the data leave open. `usage::value` for ambiguous programs, and for parameters
/// missing in the file.
pub fn calibrate(
    programs: &[Prepared<'_>],
    machine: &Machine,
    given: &Parameters,
    observed: &[Observation],
    weights: Weights,
    counting: Counting,
) -> Result<Calibration, Vec<Diagnostic>> {
    let (mut rows, unknowns) = rows_of(programs, machine, given, observed, counting)?;
    let start = Start {
        machine,
        given,
        weights,
        unknowns,
    };
    let origins = start.origins(&rows.iter().collect::<Vec<_>>())?;
    start.settle(&mut rows, &origins);
    let (values, origins) = start.fit(&rows.iter().collect::<Vec<_>>(), origins)?;
    let left_out = |group| start.left_out(&rows, &origins, group);
    let (machine, values) = start.fitted(&values, &origins);
    let figures = figures(unknowns, &origins, &values);
    let compared = rows.iter().map(|row| row.compared(&values, unknowns));
    let compared: Vec<Compared> = compared.collect();
    // Few rows are left out one by one, many in ten groups: each group costs a fit.
    let group = if rows.len() <= MOST_SINGLE {
        1
    } else {
        rows.len().div_ceil(10)
    };
    Ok(Calibration {
        error: errors(&compared),
        left_out: left_out(group),
        group,
        programs: start.without_each_program(&rows),
        machine,
        figures,
        rows: compared,
    })
}

/// Compares a machine, with everything in `given`, with measurements. Fits nothing.
///
/// # Errors
/// The errors of [`calibrate()`].
pub fn held(
    programs: &[Prepared<'_>],
    machine: &Machine,
    given: &Parameters,
    observed: &[Observation],
    counting: Counting,
) -> Result<Calibration, Vec<Diagnostic>> {
    let (mut rows, unknowns) = rows_of(programs, machine, given, observed, counting)?;
    let start = Start {
        machine,
        given,
        weights: Weights::Relative,
        unknowns,
    };
    let uses = |at: usize| rows.iter().any(|row| row.coefficients[at] != 0.0);
    let origin = |at| {
        if uses(at) {
            Origin::Given
        } else {
            Origin::Absent
        }
    };
    let origins: Vec<Origin> = (0..unknowns.len()).map(origin).collect();
    start.settle(&mut rows, &origins);
    let values = start.kept(&origins)?;
    let (machine, values) = start.fitted(&values, &origins);
    let rows: Vec<Compared> = rows
        .iter()
        .map(|row| row.compared(&values, unknowns))
        .collect();
    Ok(Calibration {
        figures: figures(unknowns, &origins, &values),
        error: errors(&rows),
        left_out: None,
        group: 0,
        programs: Vec::new(),
        machine,
        rows,
    })
}

/// Each unknown with its value and origin.
fn figures(unknowns: &[Unknown], origins: &[Origin], values: &Values) -> Vec<Figure> {
    let figure = |(at, (unknown, origin)): (usize, (&Unknown, &Origin))| Figure {
        unknown: *unknown,
        value: figure_of(at, values),
        origin: origin.clone(),
    };
    let pairs = unknowns.iter().zip(origins);
    pairs.enumerate().map(figure).collect()
}

/// The rows of the measurements, and the unknowns of their equations.
fn rows_of(
    programs: &[Prepared<'_>],
    machine: &Machine,
    given: &Parameters,
    observed: &[Observation],
    counting: Counting,
) -> Result<(Vec<Row>, &'static [Unknown]), Vec<Diagnostic>> {
    // A formal may share its name with a machine parameter.
    let is_formal = |name: &str| {
        programs
            .iter()
            .any(|program| program.program.has_formal(name))
    };
    let (settled, _) = machine.with_overrides(given, is_formal)?;
    let mut rows = Vec::new();
    let mut budget = Budget::new(counting);
    let mut places: Vec<Option<Workplace>> = programs
        .iter()
        .map(|program| program.evaluation.as_ref().map(|forms| forms.workplace()))
        .collect();
    for observation in observed {
        if let Some(event) = &observation.event {
            rows.extend(row_of(event, observation, &settled)?);
            continue;
        }
        let at = program_of(programs, observation)?;
        let place = places[at].as_mut();
        rows.push(row(
            &programs[at],
            machine,
            given,
            observation,
            place,
            &mut budget,
        )?);
    }
    if !observed.iter().all(|one| one.event.is_some()) {
        return Ok((rows, &Unknown::ALL));
    }
    rows.iter_mut().for_each(Row::part);
    Ok((rows, &Unknown::APART))
}

/// Converts a linear unknown to its figure.
fn figure_of(at: usize, values: &Values) -> f64 {
    match Unknown::APART[at] {
        Unknown::Gamma => 1.0 / values[at],
        Unknown::Lambda => values[at] / values[0],
        _ => values[at],
    }
}

/// Relative errors over all times: root mean square, and the largest.
fn errors(rows: &[Compared]) -> (f64, f64) {
    let times = rows
        .iter()
        .flat_map(|row| row.total.into_iter().chain(row.kernel));
    let errors: Vec<f64> = times
        .map(|(measured, predicted)| (predicted - measured) / measured)
        .collect();
    let largest = errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return (0.0, 0.0);
    }
    // Divided by the largest error, since its square may overflow.
    let parts = errors.iter().map(|error| error / largest);
    let squares: f64 = parts.map(|part| part * part).sum();
    (largest * (squares / errors.len() as f64).sqrt(), largest)
}

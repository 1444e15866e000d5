//! A machine fitted to measured times: α, β, λ, σ and γ by least squares.
//!
//! Expression (2) of paper 1 is linear in them: with S transactions, W words, Q blocks, R rounds
//! and T = Σ ⌈k/(k′ℓ)⌉ t operations, the total is S α + W β + Q λ/γ + R σ + T/γ, and what a kernel
//! timer sees is the same without the first two. Each equation is divided by its measured time
//! (or not, as asked), none of them may be negative, and what the data leave open keeps the
//! figure of the machine that was given. Where each transfer and each launch is measured by itself,
//! every one is an equation, and both directions have an α and a β of their own.
//!
//! This file holds what is asked and answered; `row` counts what a measurement is made of, `equations`
//! holds what the unknowns have to satisfy, `fit` solves it. What is answered is what the machine says
//! that comes with it.

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

/// The most unknowns of a fit.
const MOST: usize = 7;

/// Where 1/γ, σ and λ/γ stand among them.
const OPERATIONS: usize = 0;
const LAUNCHES: usize = 3;
const BLOCKS: usize = 4;

/// The values of the linear unknowns: 1/γ, α, β, σ, λ/γ, and outward α and β where they are apart.
type Values = [f64; MOST];

/// Measurements that are left out one by one; more are left out a tenth at a time.
const MOST_SINGLE: usize = 100;

/// What is fitted. In the order in which figures are kept where the data leave several open: a
/// clock and a bus have data sheets, the effective cost of a block has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// All of them, where both directions share a bus that is alike.
    pub const ALL: [Unknown; 5] = [
        Unknown::Gamma,
        Unknown::Alpha,
        Unknown::Beta,
        Unknown::Sigma,
        Unknown::Lambda,
    ];

    /// All of them, where each direction is measured by itself.
    pub const APART: [Unknown; MOST] = [
        Unknown::Gamma,
        Unknown::AlphaInward,
        Unknown::BetaInward,
        Unknown::Sigma,
        Unknown::Lambda,
        Unknown::AlphaOutward,
        Unknown::BetaOutward,
    ];

    /// Its letter.
    pub(crate) const fn letter(self) -> &'static str {
        match self {
            Unknown::Gamma => "γ",
            Unknown::Alpha | Unknown::AlphaInward | Unknown::AlphaOutward => "α",
            Unknown::Beta | Unknown::BetaInward | Unknown::BetaOutward => "β",
            Unknown::Sigma => "σ",
            Unknown::Lambda => "λ",
        }
    }

    /// Its letter, and the direction it is of.
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

    /// How much of its own unit is one in a machine file: cycles a ms in GHz, ms a word in ms a byte.
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

/// How equations weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Each divided by its time: an error of 1% weighs the same everywhere.
    Relative,
    /// As they are: the longest times decide.
    Absolute,
}

/// Where a figure comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// From the data, with its standard error where there are measurements to spare.
    Fitted(Option<f64>),
    /// Kept: the data determine it only together with these.
    Together(Vec<Unknown>),
    /// Kept: the data leave it open by itself.
    Open(Reason),
    /// Kept: no measurement depends on it.
    Absent,
    /// Given with `-D`.
    Given,
}

/// Why data leave a figure open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// They scatter too much: its error is beyond half of it.
    Noise,
    /// Kernels are shorter than their operations take at this γ, in cycles a ms.
    Shorter(f64),
    /// Blocks would move faster than the memory does.
    BeyondPeak,
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Which.
    pub unknown: Unknown,
    /// Its value, in its unit.
    pub value: f64,
    /// Where it comes from.
    pub origin: Origin,
}

impl Figure {
    /// Whether the data determine it, to half of its value at least.
    pub(crate) fn is_determined(&self) -> bool {
        match self.origin {
            Origin::Fitted(Some(error)) => error <= self.value / 2.0,
            Origin::Fitted(None) => true,
            Origin::Together(_) | Origin::Open(_) | Origin::Absent | Origin::Given => false,
        }
    }
}

/// One measurement against its prediction, in ms.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Its line in the file.
    pub line: u64,
    /// The algorithm, where the file says.
    pub program: Option<String>,
    /// The transfer or launch, where it is of one.
    pub event: Option<EventKind>,
    /// What most of the predicted time goes to, and which part of it.
    pub mostly: Option<(Unknown, f64)>,
    /// The formal parameters there.
    pub parameters: IndexMap<String, BigInt>,
    /// Measured and predicted total.
    pub total: Option<(f64, f64)>,
    /// Measured and predicted time of the kernels.
    pub kernel: Option<(f64, f64)>,
}

impl Calibration {
    /// How near it comes at each program.
    ///
    /// ```
    /// let near = atgpu::examples::calibration().nearness();
    /// assert!(near.iter().all(|program| program.whole.0 >= 1.0));
    /// ```
    pub fn nearness(&self) -> Vec<Nearness> {
        nearness(&self.rows)
    }

    /// Whether the data determined any figure; the machine is the given one otherwise.
    ///
    /// ```
    /// assert!(atgpu::examples::calibration().is_fitted());
    /// ```
    pub fn is_fitted(&self) -> bool {
        let mut origins = self.figures.iter().map(|figure| &figure.origin);
        origins.any(|origin| matches!(origin, Origin::Fitted(_)))
    }
}

/// A fitted machine and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// γ, α, β, σ, λ.
    pub figures: Vec<Figure>,
    /// Every measurement.
    pub rows: Vec<Compared>,
    /// Relative errors: root of the mean square, and the largest.
    pub error: (f64, f64),
    /// The same of measurements that were left out of the fit, where there are enough of them.
    pub left_out: Option<(f64, f64)>,
    /// How many were left out at a time.
    pub group: usize,
    /// The same of each program whose measurements were all left out, where there are several.
    pub programs: Vec<(String, (f64, f64))>,
    /// The machine with the figures.
    pub machine: Machine,
}

/// Fits a machine. `given` holds every `-D`; the figures among them are kept.
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
/// Those of the points (`usage::value`, `require::violated`, …); `machine::key` where the machine
/// lacks k′ or H, or a figure that the data leave open; `usage::value` for programs that are not
/// told apart and for parameters that the file does not give.
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

/// Fits nothing: holds a machine, with all that is `given`, against what was measured.
///
/// ```
/// use atgpu::machine::Machine;
/// use atgpu::study::{Counting, held, measurements};
///
/// // α = 0.00942 ms and β = 6.96786e-7 ms a word inward predict 1 ms of so many words.
/// let rows = measurements("program,n,event,line,amount,ms\nT,1421641,inward,3,1421641,0.5\n")?;
/// let card = Machine::built_in("gtx650").expect("built in");
/// let found = held(&[], &card, &().into(), &rows, Counting::Briefly).expect("it has α and β");
/// let near = found.nearness();
/// assert!((near[0].whole.0 - 2.0).abs() < 0.01 && !found.is_fitted(), "{near:?}");
/// # Ok::<(), atgpu::array::Problem>(())
/// ```
///
/// # Errors
/// Those of [`calibrate()`].
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
    let origin = |at| match uses(at) {
        true => Origin::Given,
        false => Origin::Absent,
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

/// Each unknown with its value, and where that is from.
fn figures(unknowns: &[Unknown], origins: &[Origin], values: &Values) -> Vec<Figure> {
    let figure = |(at, (unknown, origin)): (usize, (&Unknown, &Origin))| Figure {
        unknown: *unknown,
        value: figure_of(at, values),
        origin: origin.clone(),
    };
    let pairs = unknowns.iter().zip(origins);
    pairs.enumerate().map(figure).collect()
}

/// What the measurements are made of, and which unknowns they are equations of.
fn rows_of(
    programs: &[Prepared<'_>],
    machine: &Machine,
    given: &Parameters,
    observed: &[Observation],
    counting: Counting,
) -> Result<(Vec<Row>, &'static [Unknown]), Vec<Diagnostic>> {
    // Formals may have the names of a machine's parameters.
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

/// A figure from the values of the linear unknowns.
fn figure_of(at: usize, values: &Values) -> f64 {
    match Unknown::APART[at] {
        Unknown::Gamma => 1.0 / values[at],
        Unknown::Lambda => values[at] / values[0],
        _ => values[at],
    }
}

/// Relative errors over all times: root of the mean square, and the largest.
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
    // As parts of the largest, whose square may be beyond all floats.
    let parts = errors.iter().map(|error| error / largest);
    let squares: f64 = parts.map(|part| part * part).sum();
    (largest * (squares / errors.len() as f64).sqrt(), largest)
}

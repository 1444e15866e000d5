//! A machine fitted to measured times: α, β, λ, σ and γ by least squares.
//!
//! Expression (2) of paper 1 is linear in them: with S transactions, W words, Q blocks, R rounds
//! and T = Σ ⌈k/(k′ℓ)⌉ t operations, the total is S α + W β + Q λ/γ + R σ + T/γ, and what a kernel
//! timer sees is the same without the first two. Each equation is divided by its measured time
//! (or not, as asked), none of the five may be negative, and what the data leave open keeps the
//! figure of the machine that was given.

use indexmap::IndexMap;

use crate::count::{Counts, Parameters};
use crate::derive::evaluate::Workplace;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::counting::{Budget, Charging, Counting, NoCounts, counts};
use crate::study::error::CalibrateError;
use crate::study::least_squares::{non_negative, residuals, singular, standard_errors};
use crate::study::observed::Observation;
use crate::study::prepared::Prepared;
use crate::value::Point;

/// Measurements that are left out one by one; more are left out a tenth at a time.
const MOST_SINGLE: usize = 100;

/// Below this part of the largest singular value, columns count as dependent.
const DEPENDENT: f64 = 1e-7;

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
}

impl Unknown {
    /// All of them.
    pub const ALL: [Unknown; 5] = [
        Unknown::Gamma,
        Unknown::Alpha,
        Unknown::Beta,
        Unknown::Sigma,
        Unknown::Lambda,
    ];

    /// Its letter.
    ///
    /// ```
    /// # use atgpu::study::Unknown;
    /// assert_eq!(Unknown::Lambda.letter(), "λ");
    /// ```
    pub const fn letter(self) -> &'static str {
        match self {
            Unknown::Gamma => "γ",
            Unknown::Alpha => "α",
            Unknown::Beta => "β",
            Unknown::Sigma => "σ",
            Unknown::Lambda => "λ",
        }
    }

    /// Its unit.
    ///
    /// ```
    /// # use atgpu::study::Unknown;
    /// assert_eq!(Unknown::Lambda.unit(), "cycles/block");
    /// ```
    pub const fn unit(self) -> &'static str {
        match self {
            Unknown::Gamma => "cycles/ms",
            Unknown::Alpha => "ms",
            Unknown::Beta => "ms/word",
            Unknown::Sigma => "ms",
            Unknown::Lambda => "cycles/block",
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
    /// Kept: no measurement depends on it.
    Absent,
    /// Given with `-D`.
    Given,
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
    ///
    /// ```
    /// # use atgpu::study::{FittedFigure, Origin, Unknown};
    /// let figure = |error| FittedFigure {
    ///     unknown: Unknown::Lambda,
    ///     value: 1.25,
    ///     origin: Origin::Fitted(Some(error)),
    /// };
    /// assert!(figure(0.1).is_determined());
    /// assert!(!figure(1.0).is_determined());
    /// ```
    pub fn is_determined(&self) -> bool {
        match self.origin {
            Origin::Fitted(Some(error)) => error <= self.value / 2.0,
            Origin::Fitted(None) => true,
            Origin::Together(_) | Origin::Absent | Origin::Given => false,
        }
    }
}

/// One measurement against its prediction, in ms.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Its line in the file.
    pub line: u64,
    /// The formal parameters there.
    pub parameters: IndexMap<String, BigInt>,
    /// Measured and predicted total.
    pub total: Option<(f64, f64)>,
    /// Measured and predicted time of the kernels.
    pub kernel: Option<(f64, f64)>,
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
    /// The machine with the figures.
    pub machine: Machine,
}

/// One measurement in numbers.
struct Row {
    line: u64,
    parameters: IndexMap<String, BigInt>,
    /// Coefficients of 1/γ, α, β, σ, λ/γ.
    coefficients: [f64; 5],
    /// Transactions in and out, words in and out.
    directions: [[f64; 2]; 2],
    total: Option<f64>,
    kernel: Option<f64>,
}

/// The equations of some rows.
struct Equations {
    columns: Vec<Vec<f64>>,
    right: Vec<f64>,
}

/// Fits a machine. `given` holds every `-D`; the figures among them are kept.
///
/// ```
/// use atgpu::study::{Counting, Prepared, Unknown, Weights, calibrate, observations};
/// # use atgpu::{count::Parameters, machine::Machine};
///
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
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
/// # let alpha = atgpu::number::Rational::from_f64(0.0092).expect("finite");
/// # let given = Parameters::from([("γ", given.get("γ").expect("known").clone())]).with([("α", alpha)]);
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
    let mut rows = Vec::new();
    let mut budget = Budget::new(counting);
    let mut places: Vec<Option<Workplace>> = programs
        .iter()
        .map(|program| program.evaluation.as_ref().map(|forms| forms.workplace()))
        .collect();
    for observation in observed {
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
    let start = Start {
        machine,
        given,
        weights,
    };
    let origins = start.origins(&rows.iter().collect::<Vec<_>>())?;
    start.settle(&mut rows, &origins);
    let (values, origins) = start.fit(&rows.iter().collect::<Vec<_>>(), origins)?;
    let figures: Vec<Figure> = Unknown::ALL
        .iter()
        .zip(&origins)
        .map(|(unknown, origin)| Figure {
            unknown: *unknown,
            value: figure_of(*unknown, &values),
            origin: origin.clone(),
        })
        .collect();
    let compared: Vec<Compared> = rows.iter().map(|row| row.compared(&values)).collect();
    let group = if rows.len() <= MOST_SINGLE {
        1
    } else {
        rows.len().div_ceil(10)
    };
    Ok(Calibration {
        error: errors(&compared),
        left_out: start.left_out(&rows, &origins, group),
        group,
        machine: start.fitted(&figures),
        figures,
        rows: compared,
    })
}

fn program_of(
    programs: &[Prepared<'_>],
    observation: &Observation,
) -> Result<usize, Vec<Diagnostic>> {
    let line = observation.line;
    let error = match &observation.program {
        Some(name) => {
            let found = programs.iter().position(|one| one.program.name == *name);
            let names: Vec<&str> = programs.iter().map(|one| &*one.program.name).collect();
            match found {
                Some(at) => return Ok(at),
                None => CalibrateError::Stranger {
                    line,
                    name: name.clone(),
                    help: format!("the files hold {}", names.join(", ")),
                },
            }
        }
        None if programs.len() == 1 => return Ok(0),
        None => CalibrateError::WhichProgram { line },
    };
    Err(vec![Diagnostic::of(&error)])
}

/// What is counted at a measurement's point.
fn row(
    program: &Prepared<'_>,
    machine: &Machine,
    given: &Parameters,
    observation: &Observation,
    place: Option<&mut Workplace>,
    budget: &mut Budget,
) -> Result<Row, Vec<Diagnostic>> {
    let mut all = given.clone();
    for (name, value) in observation.parameters.iter() {
        if !program.has_formal(name) && !crate::machine::OVERRIDABLE.contains(&name) {
            let line = observation.line;
            let name = name.to_owned();
            return Err(vec![Diagnostic::of(&CalibrateError::Parameter {
                line,
                name,
            })]);
        }
        all.set(name, value.clone());
    }
    let (machine, formals) = machine.with_overrides(&all, |name| program.has_formal(name))?;
    let point = Point::new(program.program, machine.atgpu.numbers(), &formals)?;
    let found = counts(program, &point, place, Charging::default(), budget);
    let found = found.map_err(|no| match no {
        NoCounts::Fault(fault) => vec![*fault],
        NoCounts::TooLong => vec![Diagnostic::of(&CalibrateError::TooLong {
            program: program.program.name.clone(),
        })],
    })?;
    if !found.is_exact {
        let program = program.program.name.clone();
        return Err(vec![Diagnostic::of(&CalibrateError::OnlyBounds {
            program,
        })]);
    }
    let coefficients = coefficients(&found.counts, &machine);
    let directions = directions(&found.counts);
    let formals = program.program.formals.iter();
    let names = formals.map(|id| program.program.parameter(*id).name.clone());
    Ok(Row {
        line: observation.line,
        parameters: names
            .filter_map(|name| Some((name.clone(), point.parameters.get(&name)?.clone())))
            .collect(),
        coefficients: coefficients.map_err(|missing| vec![Diagnostic::of(&missing)])?,
        directions,
        total: observation.total,
        kernel: observation.kernel,
    })
}

/// Transactions in and out, words in and out.
fn directions(counts: &Counts<BigInt>) -> [[f64; 2]; 2] {
    let total = |of: &dyn Fn(&crate::count::Round<BigInt>) -> &BigInt| {
        let rounds = counts.rounds.iter();
        let sum = rounds.map(|(times, round)| of(round) * BigInt::from(*times));
        Rational::from(sum.sum::<BigInt>()).to_f64()
    };
    [
        [
            total(&|round| &round.inward.transactions),
            total(&|round| &round.outward.transactions),
        ],
        [
            total(&|round| &round.inward.words),
            total(&|round| &round.outward.words),
        ],
    ]
}

/// T, S, W, R, Q.
fn coefficients(
    counts: &Counts<BigInt>,
    machine: &Machine,
) -> Result<[f64; 5], crate::machine::MissingFigure> {
    let mut sums = [Rational::ZERO; 5];
    for (repeated, round) in &counts.rounds {
        let times = Rational::from(BigInt::from(*repeated));
        let occupancy = machine.occupancy(&round.shared_words)?;
        let waves = machine.waves(&round.launched_mps, &occupancy)?;
        let transactions = &round.inward.transactions + &round.outward.transactions;
        let words = &round.inward.words + &round.outward.words;
        let of_round = [
            waves * &round.time,
            transactions,
            words,
            BigInt::from(1),
            round.io.clone(),
        ];
        for (sum, value) in sums.iter_mut().zip(of_round) {
            *sum += &(&times * &Rational::from(value));
        }
    }
    Ok(sums.map(|sum| sum.to_f64()))
}

/// A figure from the values of the linear unknowns 1/γ, α, β, σ, λ/γ.
fn figure_of(unknown: Unknown, values: &[f64; 5]) -> f64 {
    match unknown {
        Unknown::Gamma => 1.0 / values[0],
        Unknown::Alpha => values[1],
        Unknown::Beta => values[2],
        Unknown::Sigma => values[3],
        Unknown::Lambda => values[4] / values[0],
    }
}

impl Row {
    fn kernel_of(&self, values: &[f64; 5]) -> f64 {
        let c = &self.coefficients;
        c[0] * values[0] + c[3] * values[3] + c[4] * values[4]
    }

    fn total_of(&self, values: &[f64; 5]) -> f64 {
        let c = &self.coefficients;
        self.kernel_of(values) + c[1] * values[1] + c[2] * values[2]
    }

    fn compared(&self, values: &[f64; 5]) -> Compared {
        Compared {
            line: self.line,
            parameters: self.parameters.clone(),
            total: self.total.map(|total| (total, self.total_of(values))),
            kernel: self.kernel.map(|kernel| (kernel, self.kernel_of(values))),
        }
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
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let largest = errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
    ((squares / errors.len().max(1) as f64).sqrt(), largest)
}

/// What a fit starts from.
struct Start<'s> {
    machine: &'s Machine,
    given: &'s Parameters,
    weights: Weights,
}

impl Start<'_> {
    /// Which unknowns are fitted, and why the others are not.
    fn origins(&self, rows: &[&Row]) -> Result<Vec<Origin>, Vec<Diagnostic>> {
        let mut origins: Vec<Origin> = Unknown::ALL
            .iter()
            .map(|unknown| match self.given.get(unknown.letter()) {
                Some(_) => Origin::Given,
                None => Origin::Fitted(None),
            })
            .collect();
        let all = self.equations(rows, &[0.0; 5]);
        for (at, origin) in origins.iter_mut().enumerate() {
            if *origin == Origin::Fitted(None) && all.columns[at].iter().all(|value| *value == 0.0)
            {
                *origin = Origin::Absent;
            }
        }
        // What depends on the others is kept, one after the other, until the rest is determined.
        loop {
            let free = free(&origins);
            let columns: Vec<Vec<f64>> = free.iter().map(|at| all.columns[*at].clone()).collect();
            let parts = singular(&columns);
            let Some((weakest, combination)) = parts.first() else {
                break;
            };
            let largest = parts.last().map_or(1.0, |(value, _)| *value);
            let too_few = columns.len() > all.right.len();
            if *weakest > DEPENDENT * largest && !too_few && !self.is_open(&free, rows, &origins)? {
                break;
            }
            let involved: Vec<usize> = free
                .iter()
                .zip(combination)
                .filter(|(_, part)| part.abs() > 0.1)
                .map(|(at, _)| *at)
                .collect();
            let Some(kept) = involved.first().copied() else {
                break;
            };
            let others = involved[1..].iter().map(|at| Unknown::ALL[*at]).collect();
            origins[kept] = Origin::Together(others);
        }
        Ok(origins)
    }

    /// Where α or β is kept, each direction has its own: the coefficient becomes what the mean of
    /// both has to be multiplied by.
    fn settle(&self, rows: &mut [Row], origins: &[Origin]) {
        let overridden = self.machine.with_overrides(self.given, |_| false);
        let Ok((machine, _)) = overridden else {
            return;
        };
        let ways = |at: usize| match at {
            1 => machine
                .alpha()
                .ok()
                .map(|a| [a.inward.to_f64(), a.outward.to_f64()]),
            _ => machine
                .beta()
                .ok()
                .map(|b| [b.inward.to_f64(), b.outward.to_f64()]),
        };
        for at in [1, 2] {
            if matches!(origins[at], Origin::Fitted(_)) {
                continue;
            }
            let Some([inward, outward]) = ways(at) else {
                continue;
            };
            let mean = (inward + outward) / 2.0;
            for row in rows.iter_mut().filter(|_| mean > 0.0) {
                let [into, out] = row.directions[at - 1];
                row.coefficients[at] = (into * inward + out * outward) / mean;
            }
        }
    }

    /// The values of the five linear unknowns, and where each comes from, with its error.
    fn fit(
        &self,
        rows: &[&Row],
        mut origins: Vec<Origin>,
    ) -> Result<([f64; 5], Vec<Origin>), Vec<Diagnostic>> {
        let all = self.equations(rows, &[0.0; 5]);
        let values = self.solve(rows, &origins)?;
        let free = free(&origins);
        let columns: Vec<Vec<f64>> = free.iter().map(|at| all.columns[*at].clone()).collect();
        let kept = self.kept(&origins)?;
        let rest = self.equations(rows, &kept).right;
        let solution: Vec<f64> = free.iter().map(|at| values[*at]).collect();
        let errors = standard_errors(&columns, &residuals(&columns, &rest, &solution));
        for (at, error) in free.iter().zip(errors.into_iter().flatten()) {
            // An error of 1/γ as one of γ, and one of λ/γ as one of λ.
            let scale = match Unknown::ALL[*at] {
                Unknown::Gamma => 1.0 / (values[0] * values[0]),
                Unknown::Lambda => 1.0 / values[0],
                Unknown::Alpha | Unknown::Beta | Unknown::Sigma => 1.0,
            };
            origins[*at] = Origin::Fitted(Some(error * scale));
        }
        Ok((values, origins))
    }

    /// Whether noise leaves a figure open although its column is independent: its error is beyond
    /// half of it, and moves times by more than a twentieth.
    fn is_open(
        &self,
        free: &[usize],
        rows: &[&Row],
        origins: &[Origin],
    ) -> Result<bool, Vec<Diagnostic>> {
        let Ok(kept) = self.kept(origins) else {
            return Ok(false);
        };
        let equations = self.equations(rows, &kept);
        let columns: Vec<Vec<f64>> = free
            .iter()
            .map(|at| equations.columns[*at].clone())
            .collect();
        let Some(solution) = non_negative(&columns, &equations.right) else {
            return Ok(true);
        };
        let rest = residuals(&columns, &equations.right, &solution);
        let Some(errors) = standard_errors(&columns, &rest) else {
            return Ok(false);
        };
        let mean = |column: &[f64]| {
            let squares: f64 = column.iter().map(|value| value * value).sum();
            (squares / column.len().max(1) as f64).sqrt()
        };
        let scale = mean(&equations.right).max(f64::MIN_POSITIVE);
        let mut open = errors.iter().zip(&solution).zip(&columns);
        Ok(open.any(|((error, value), column)| {
            *error > value / 2.0 && error * mean(column) > 0.05 * scale
        }))
    }

    /// The linear unknowns that are not fitted, 0 for the others.
    fn kept(&self, origins: &[Origin]) -> Result<[f64; 5], Vec<Diagnostic>> {
        let mut kept = [0.0; 5];
        let gamma_is_kept = !matches!(origins[0], Origin::Fitted(_));
        for (at, origin) in origins.iter().enumerate() {
            let is_needed = match origin {
                Origin::Fitted(_) => false,
                // A figure that no measurement depends on may be missing.
                Origin::Absent => at == 0,
                Origin::Together(_) | Origin::Given => true,
            };
            if !is_needed {
                continue;
            }
            let value = self.linear(Unknown::ALL[at]);
            kept[at] = value.map_err(|missing| vec![Diagnostic::of(&missing)])?;
        }
        if !gamma_is_kept && !matches!(origins[4], Origin::Fitted(_)) {
            // λ/γ needs some γ: that of the machine.
            kept[4] = self.linear(Unknown::Lambda).unwrap_or(0.0);
        }
        Ok(kept)
    }

    /// The machine's own figure as a linear unknown; directions are averaged.
    fn linear(&self, unknown: Unknown) -> Result<f64, crate::machine::MissingFigure> {
        let (machine, _) = self
            .machine
            .with_overrides(self.given, |_| false)
            .unwrap_or_else(|_| (self.machine.clone(), Parameters::new()));
        let gamma = || machine.clock().map(|clock| clock.to_f64());
        Ok(match unknown {
            Unknown::Gamma => 1.0 / gamma()?,
            Unknown::Alpha => {
                let alpha = machine.alpha()?;
                (alpha.inward.to_f64() + alpha.outward.to_f64()) / 2.0
            }
            Unknown::Beta => {
                let beta = machine.beta()?;
                (beta.inward.to_f64() + beta.outward.to_f64()) / 2.0
            }
            Unknown::Sigma => machine.synchronisation()?.to_f64(),
            Unknown::Lambda => machine.latency()?.to_f64() / gamma()?,
        })
    }

    fn solve(&self, rows: &[&Row], origins: &[Origin]) -> Result<[f64; 5], Vec<Diagnostic>> {
        let mut values = self.kept(origins)?;
        let equations = self.equations(rows, &values);
        let free = free(origins);
        let columns: Vec<Vec<f64>> = free
            .iter()
            .map(|at| equations.columns[*at].clone())
            .collect();
        let solution = non_negative(&columns, &equations.right).unwrap_or_default();
        for (at, value) in free.iter().zip(solution) {
            values[*at] = value;
        }
        if values[0] == 0.0 {
            // No operation was measured, or it takes no time beside the blocks.
            values[0] = self
                .linear(Unknown::Gamma)
                .map_err(|missing| vec![Diagnostic::of(&missing)])?;
        }
        Ok(values)
    }

    /// One equation for each time that was measured: kernels and transfers apart where both are
    /// known. What is kept is taken off the right side.
    fn equations(&self, rows: &[&Row], kept: &[f64; 5]) -> Equations {
        let mut equations = Equations {
            columns: vec![Vec::new(); 5],
            right: Vec::new(),
        };
        let mut add = |uses: [bool; 5], row: &Row, time: f64, size: f64| {
            let weight = match self.weights {
                Weights::Relative => 1.0 / size,
                Weights::Absolute => 1.0,
            };
            let mut right = time;
            for (at, is_used) in uses.iter().enumerate() {
                let coefficient = if *is_used { row.coefficients[at] } else { 0.0 };
                right -= coefficient * kept[at];
                equations.columns[at].push(coefficient * weight);
            }
            equations.right.push(right * weight);
        };
        let kernels = [true, false, false, true, true];
        for row in rows {
            if let Some(kernel) = row.kernel {
                add(kernels, row, kernel, kernel);
            }
            match (row.total, row.kernel) {
                (Some(total), Some(kernel)) => {
                    add(kernels.map(|uses| !uses), row, total - kernel, total);
                }
                (Some(total), None) => add([true; 5], row, total, total),
                (None, _) => {}
            }
        }
        equations
    }

    /// The errors at measurements that a fit did not see.
    fn left_out(&self, rows: &[Row], origins: &[Origin], group: usize) -> Option<(f64, f64)> {
        let unknowns = free(origins).len();
        if rows.len() < unknowns + 2 {
            return None;
        }
        let mut seen = Vec::new();
        for start in (0..rows.len()).step_by(group) {
            let out = start..(start + group).min(rows.len());
            let rest: Vec<&Row> = rows
                .iter()
                .enumerate()
                .filter(|(at, _)| !out.contains(at))
                .map(|(_, row)| row)
                .collect();
            let values = self.solve(&rest, origins).ok()?;
            seen.extend(rows[out].iter().map(|row| row.compared(&values)));
        }
        Some(errors(&seen))
    }

    /// The machine with the fitted figures.
    fn fitted(&self, figures: &[Figure]) -> Machine {
        let mut given = self.given.clone();
        for figure in figures {
            let is_new = matches!(figure.origin, Origin::Fitted(_));
            // Six figures are more than any measurement has.
            if let Some(value) = is_new.then(|| rounded(figure.value)).flatten() {
                given.set(figure.unknown.letter(), value);
            }
        }
        match self.machine.with_overrides(&given, |_| false) {
            Ok((machine, _)) => machine,
            Err(_) => self.machine.clone(),
        }
    }
}

fn free(origins: &[Origin]) -> Vec<usize> {
    let fitted = |at: &usize| matches!(origins[*at], Origin::Fitted(_));
    (0..origins.len()).filter(fitted).collect()
}

/// A number to six significant figures, as a decimal.
fn rounded(value: f64) -> Option<Rational> {
    crate::count::parse_number(&format!("{value:.5e}")).ok()
}

//! The parts of a measurement: the coefficients of the unknowns at its point.

use indexmap::IndexMap;

use crate::count::{Counts, Parameters};
use crate::derivation::evaluate::Workplace;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::program::Direction;
use crate::study::calibrate::{Compared, MOST, Unknown, Values};
use crate::study::counting::{Budget, Charging, NoCounts, counts};
use crate::study::error::CalibrateError;
use crate::study::observed::{Event, EventKind, Observation};
use crate::study::prepared::Prepared;

/// The indices of the transfer unknowns: α and β (inward, if directions are separate), then outward α and β.
const OF_TRANSFERS: [usize; 4] = [1, 2, 5, 6];

/// One measurement as numbers.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) parameters: IndexMap<String, BigInt>,
    /// The algorithm, if the file names it.
    pub(super) program: Option<String>,
    /// The transfer or launch, if the measurement is a single one.
    pub(super) event: Option<EventKind>,
    /// Coefficients of the linear unknowns.
    pub(super) coefficients: Values,
    /// Transactions in and out, words in and out.
    pub(super) directions: [[f64; 2]; 2],
    pub(super) total: Option<f64>,
    pub(super) kernel: Option<f64>,
}

impl Row {
    fn kernel_of(&self, values: &Values) -> f64 {
        let c = &self.coefficients;
        c[0] * values[0] + c[3] * values[3] + c[4] * values[4]
    }

    fn total_of(&self, values: &Values) -> f64 {
        let c = &self.coefficients;
        self.kernel_of(values)
            + OF_TRANSFERS
                .map(|at| c[at] * values[at])
                .iter()
                .sum::<f64>()
    }

    /// Compares the measurement with the prediction of the unknowns.
    pub(super) fn compared(&self, values: &Values, unknowns: &[Unknown]) -> Compared {
        let whole = match self.total {
            Some(_) => self.total_of(values),
            None => self.kernel_of(values),
        };
        let parts = unknowns.iter().zip(self.coefficients.iter().zip(values));
        let parts = parts.map(|(unknown, (many, each))| (*unknown, many * each / whole));
        let most = parts.max_by(|one, other| one.1.total_cmp(&other.1));
        Compared {
            line: self.line,
            program: self.program.clone(),
            event: self.event,
            mostly: most.filter(|(_, part)| part.is_finite() && *part > 0.0),
            parameters: self.parameters.clone(),
            total: self.total.map(|total| (total, self.total_of(values))),
            kernel: self.kernel.map(|kernel| (kernel, self.kernel_of(values))),
        }
    }

    /// Separates the directions.
    pub(super) fn part(&mut self) {
        let [[transactions_in, transactions_out], [words_in, words_out]] = self.directions;
        let values = [transactions_in, words_in, transactions_out, words_out];
        for (at, value) in OF_TRANSFERS.into_iter().zip(values) {
            self.coefficients[at] = value;
        }
    }
}

/// Builds the row of a transfer or a launch, on a machine with everything in `-D`. `None` if it took no
/// measurable time.
pub(super) fn row_of(
    event: &Event,
    observation: &Observation,
    machine: &Machine,
) -> Result<Option<Row>, Vec<Diagnostic>> {
    let refused = |fault: CalibrateError| vec![Diagnostic::of(&fault)];
    let Some(ms) = observation.total.filter(|ms| *ms > 0.0) else {
        return Ok(None);
    };
    if let Some(measured) = event
        .word_bytes
        .filter(|bytes| *bytes != machine.word_bytes)
    {
        let (line, own) = (observation.line, machine.word_bytes);
        return Err(refused(CalibrateError::Width {
            line,
            measured,
            own,
        }));
    }
    let float = |count: &BigInt| Rational::from(count).to_f64();
    let (mut coefficients, mut directions) = ([0.0; MOST], [[0.0; 2]; 2]);
    match event.kind {
        EventKind::Transfer(direction) => {
            let words = float(&event.amount);
            let at = match direction {
                Direction::Inward => 0,
                Direction::Outward => 1,
            };
            (directions[0][at], directions[1][at]) = (1.0, words);
            (coefficients[1], coefficients[2]) = (1.0, words);
        }
        EventKind::Launch => {
            let line = observation.line;
            let counted = (&event.blocks, &event.operations, &event.shared);
            let (Some(blocks), Some(operations), Some(shared)) = counted else {
                return Err(refused(CalibrateError::Uncounted { line }));
            };
            let waves = machine.occupancy(shared).and_then(|occupancy| {
                let waves = machine.waves(&event.amount, &occupancy)?;
                Ok(waves * operations)
            });
            let waves = waves.map_err(|missing| vec![Diagnostic::of(&missing)])?;
            (coefficients[0], coefficients[3], coefficients[4]) =
                (float(&waves), 1.0, float(blocks));
        }
    }
    let is_launch = event.kind == EventKind::Launch;
    let whole = |(name, value): (&str, &Rational)| Some((name.to_owned(), value.to_integer()?));
    Ok(Some(Row {
        line: observation.line,
        program: observation.program.clone(),
        event: Some(event.kind),
        parameters: observation.parameters.iter().filter_map(whole).collect(),
        coefficients,
        directions,
        total: (!is_launch).then_some(ms),
        kernel: is_launch.then_some(ms),
    }))
}

/// Returns the index of a measurement's program.
pub(super) fn program_of(
    programs: &[Prepared<'_>],
    observation: &Observation,
) -> Result<usize, Vec<Diagnostic>> {
    let line = observation.line;
    let error = match &observation.program {
        Some(name) => {
            let found = programs.iter().position(|one| one.program.name == *name);
            let names = programs.iter().map(|one| one.program.name.clone());
            match found {
                Some(at) => return Ok(at),
                None => CalibrateError::Stranger {
                    line,
                    name: name.clone(),
                    programs: names.collect(),
                },
            }
        }
        None if programs.len() == 1 => return Ok(0),
        None => CalibrateError::WhichProgram { line },
    };
    Err(vec![Diagnostic::of(&error)])
}

/// Counts the program at a measurement's point.
pub(super) fn row(
    program: &Prepared<'_>,
    machine: &Machine,
    given: &Parameters,
    observation: &Observation,
    place: Option<&mut Workplace>,
    budget: &mut Budget,
) -> Result<Row, Vec<Diagnostic>> {
    let mut all = given.clone();
    for (name, value) in observation.parameters.iter() {
        let line = observation.line;
        let refused = |fault: CalibrateError| Err(vec![Diagnostic::of(&fault)]);
        if !program.program.has_formal(name) {
            let name = name.to_owned();
            if Unknown::ALL.iter().any(|unknown| unknown.letter() == name) {
                return refused(CalibrateError::Fitted { line, name });
            }
            if !crate::machine::OVERRIDABLE.contains(&name.as_str()) {
                return refused(CalibrateError::Parameter { line, name });
            }
        }
        all.set(name, value.clone());
    }
    let (machine, formals) =
        machine.with_overrides(&all, |name| program.program.has_formal(name))?;
    let point = Point::new(program.program, machine.atgpu.numbers(), &formals)?;
    let found = counts(program, &point, place, Charging::default(), budget);
    let found = found.map_err(|no| match no {
        NoCounts::Fault(fault) => vec![*fault],
        NoCounts::TooLong => vec![Diagnostic::of(&CalibrateError::TooLong {
            program: program.program.name.clone(),
        })],
    })?;
    // An equation needs exact counts: the fit would take a bound for the truth.
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
        program: Some(program.program.name.clone()),
        event: None,
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

/// Returns the coefficients T, S, W, R, Q.
fn coefficients(
    counts: &Counts<BigInt>,
    machine: &Machine,
) -> Result<Values, crate::machine::MissingFigure> {
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
    let [time, transactions, words, rounds, blocks] = sums.map(|sum| sum.to_f64());
    Ok([time, transactions, words, rounds, blocks, 0.0, 0.0])
}

//! What a measurement is made of: the coefficients of the unknowns at its point.

use indexmap::IndexMap;

use crate::count::{Counts, Parameters};
use crate::derivation::evaluate::Workplace;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::study::calibrate::{Compared, Unknown};
use crate::study::counting::{Budget, Charging, NoCounts, counts};
use crate::study::error::CalibrateError;
use crate::study::observed::Observation;
use crate::study::prepared::Prepared;

/// One measurement in numbers.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) parameters: IndexMap<String, BigInt>,
    /// Coefficients of 1/γ, α, β, σ, λ/γ.
    pub(super) coefficients: [f64; 5],
    /// Transactions in and out, words in and out.
    pub(super) directions: [[f64; 2]; 2],
    pub(super) total: Option<f64>,
    pub(super) kernel: Option<f64>,
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

    /// Against what the unknowns predict.
    pub(super) fn compared(&self, values: &[f64; 5]) -> Compared {
        Compared {
            line: self.line,
            parameters: self.parameters.clone(),
            total: self.total.map(|total| (total, self.total_of(values))),
            kernel: self.kernel.map(|kernel| (kernel, self.kernel_of(values))),
        }
    }
}

/// Which program a measurement is of.
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

/// What is counted at a measurement's point.
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
        if !program.has_formal(name) {
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

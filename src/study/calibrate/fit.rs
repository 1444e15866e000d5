//! The equations of all measurements, which unknowns they determine, and their solution.

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::number::Rational;
use crate::study::calibrate::row::Row;
use crate::study::calibrate::{Figure, Origin, Unknown, Weights, errors};
use crate::study::least_squares::{non_negative, residuals, singular, standard_errors};

/// Below this part of the largest singular value, columns count as dependent.
const DEPENDENT: f64 = 1e-7;

/// What a fit starts from.
pub(super) struct Start<'s> {
    pub(super) machine: &'s Machine,
    pub(super) given: &'s Parameters,
    pub(super) weights: Weights,
}

/// The equations of some rows.
struct Equations {
    columns: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl Start<'_> {
    /// Which unknowns are fitted, and why the others are not.
    pub(super) fn origins(&self, rows: &[&Row]) -> Result<Vec<Origin>, Vec<Diagnostic>> {
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
    pub(super) fn settle(&self, rows: &mut [Row], origins: &[Origin]) {
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
    pub(super) fn fit(
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
    pub(super) fn left_out(
        &self,
        rows: &[Row],
        origins: &[Origin],
        group: usize,
    ) -> Option<(f64, f64)> {
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
    pub(super) fn fitted(&self, figures: &[Figure]) -> Machine {
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

//! The equations of a fit: one for each measured time.

use crate::study::calibrate::row::Row;
use crate::study::calibrate::{BLOCKS, MOST, OPERATIONS, Values, Weights};
use crate::study::least_squares::{residuals, standard_errors};

/// The equations of some rows: a column for each unknown, and the right side.
pub(super) struct Equations {
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) right: Vec<f64>,
}

impl Equations {
    /// Builds the equations. Kernels and transfers are separate equations where both times are known. Kept
    /// figures are moved to the right side. With a given λ, blocks count as additional operations.
    pub(super) fn of(
        rows: &[&Row],
        kept: &Values,
        weights: Weights,
        latency: Option<f64>,
    ) -> Equations {
        let mut equations = Equations {
            columns: vec![Vec::new(); MOST],
            right: Vec::new(),
        };
        let mut add = |uses: [bool; MOST], row: &Row, time: f64, size: f64| {
            let weight = match weights {
                Weights::Relative => 1.0 / size,
                Weights::Absolute => 1.0,
            };
            let mut right = time;
            for (at, is_used) in uses.iter().enumerate() {
                let coefficient = match (*is_used, at, latency) {
                    (false, _, _) | (true, BLOCKS, Some(_)) => 0.0,
                    (true, OPERATIONS, Some(latency)) => {
                        row.coefficients[at] + latency * row.coefficients[BLOCKS]
                    }
                    (true, _, _) => row.coefficients[at],
                };
                right -= coefficient * kept[at];
                equations.columns[at].push(coefficient * weight);
            }
            equations.right.push(right * weight);
        };
        let kernels = [true, false, false, true, true, false, false];
        for row in rows {
            if let Some(kernel) = row.kernel {
                add(kernels, row, kernel, kernel);
            }
            // If both times are known, the rest of the total is an equation of the other unknowns alone, so
            // an error of the kernels does not reach them.
            match (row.total, row.kernel) {
                (Some(total), Some(kernel)) => {
                    add(kernels.map(|uses| !uses), row, total - kernel, total);
                }
                (Some(total), None) => add([true; MOST], row, total, total),
                (None, _) => {}
            }
        }
        equations
    }

    /// Partitions the `free` unknowns into groups that share no equation. An open figure in one group says
    /// nothing about another group.
    pub(super) fn groups(&self, free: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for at in free {
            let meets = |group: &Vec<usize>| {
                group.iter().any(|other| {
                    let mut both = self.columns[*at].iter().zip(&self.columns[*other]);
                    both.any(|(one, other)| *one != 0.0 && *other != 0.0)
                })
            };
            let (mut tied, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(meets);
            let mut group: Vec<usize> = tied.drain(..).flatten().chain([*at]).collect();
            group.sort_unstable();
            groups = apart;
            groups.push(group);
        }
        groups.sort_unstable();
        groups
    }

    /// The equations that contain any of these unknowns, with only their columns.
    pub(super) fn only(&self, unknowns: &[usize]) -> Equations {
        let holds = |row: &usize| unknowns.iter().any(|at| self.columns[*at][*row] != 0.0);
        let rows: Vec<usize> = (0..self.right.len()).filter(holds).collect();
        let pick = |column: &Vec<f64>| rows.iter().map(|row| column[*row]).collect();
        Equations {
            columns: unknowns.iter().map(|at| pick(&self.columns[*at])).collect(),
            right: pick(&self.right),
        }
    }

    /// The standard errors of a solution, if there are more equations than unknowns.
    pub(super) fn errors(&self, solution: &[f64]) -> Option<Vec<f64>> {
        let rest = residuals(&self.columns, &self.right, solution);
        standard_errors(&self.columns, &rest)
    }
}

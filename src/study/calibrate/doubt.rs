//! The uncertainty of fitted figures.
//!
//! A figure kept from the machine file moves the fitted ones: a wrong σ in the file gives a wrong γ, however well
//! the rest fits. So the error of a figure comes from a second fit. It frees every unknown that is not given, without
//! bounds, and so holds only the information in the measurements. The error is widened by the distance between both
//! fits, which covers kept figures and figures held at 0.
//!
//! If the measurements determine some figures only together, one of them is kept. The others are right only if it is
//! right, and the result says so instead of an error.
//!
//! With the unknowns x = 1/γ and y = λ/γ, γ is 1/x and λ is y/x. Their errors follow by the delta method from the
//! covariance of x and y. The ends of their intervals are exact (Fieller); they are absent if x may be 0.

use crate::study::calibrate::equations::Equations;
use crate::study::calibrate::{
    BLOCKS, CONFIDENCE, Certainty, MOST, OPERATIONS, Origin, Unknown, Values,
};
use crate::study::least_squares::{Rank, student};

/// A figure has no part in an undetermined direction if its share is below this.
const APART: f64 = 1e-8;

/// The fit of all unknowns that are not given.
pub(super) struct Doubt {
    /// Their values.
    alone: Values,
    covariance: [Values; MOST],
    /// The projection on undetermined directions; 0 for unknowns that are determined on their own.
    open: [Values; MOST],
    /// Rows beyond the number that the unknowns of the same group need.
    spare: [usize; MOST],
    /// The unknowns that are fitted.
    free: Vec<usize>,
}

impl Doubt {
    /// Fits equations from which all given figures are subtracted.
    pub(super) fn of(equations: &Equations, free: Vec<usize>) -> Doubt {
        let mut doubt = Doubt {
            alone: [0.0; MOST],
            covariance: [[0.0; MOST]; MOST],
            open: [[0.0; MOST]; MOST],
            spare: [0; MOST],
            free,
        };
        for group in equations.groups(&doubt.free) {
            let own = equations.only(&group);
            let rank = Rank::of(&own.columns, &own.right);
            for (one, at) in group.iter().enumerate() {
                doubt.alone[*at] = rank.solution[one];
                doubt.spare[*at] = rank.spare;
                for (other, beside) in group.iter().enumerate() {
                    doubt.covariance[*at][*beside] = rank.covariance[one][other];
                    doubt.open[*at][*beside] = rank.open[one][other];
                }
            }
        }
        doubt
    }

    /// Returns the certainty of a fitted figure. `values` are the fitted and kept values, `error` is the error of
    /// the linear unknown by the fit's own equations.
    pub(super) fn certainty(
        &self,
        at: usize,
        unknowns: &[Unknown],
        origins: &[Origin],
        values: &Values,
        error: Option<f64>,
    ) -> Certainty {
        // λ in cycles is as good as γ.
        let rests_on_clock = at == BLOCKS && origins[OPERATIONS] != Origin::Given;
        let parts: &[usize] = if rests_on_clock {
            &[OPERATIONS, BLOCKS]
        } else {
            &[at]
        };
        let kept = self.kept(parts, origins);
        let scale = match at {
            OPERATIONS => 1.0 / (values[OPERATIONS] * values[OPERATIONS]),
            BLOCKS => 1.0 / values[OPERATIONS],
            _ => 1.0,
        };
        if !kept.is_empty() {
            return Certainty::If {
                kept: kept.into_iter().map(|at| unknowns[at]).collect(),
                error: error.map(|error| error * scale),
            };
        }
        if parts
            .iter()
            .any(|part| self.is_free(*part) && self.spare[*part] == 0)
        {
            return Certainty::Unknown;
        }
        let spare = parts.iter().filter(|part| self.is_free(**part));
        let spare = spare.map(|part| self.spare[*part]).min().unwrap_or(0);
        let reach = student(CONFIDENCE, spare);
        let (error, interval) = match at {
            OPERATIONS => self.inverse(values, reach),
            BLOCKS if rests_on_clock => self.quotient(values, reach),
            _ => {
                let error = self.variance(at, at, values).sqrt() * scale;
                let value = values[at] * scale;
                let low = (value - reach * error).max(0.0);
                (error, Some([low, value + reach * error]))
            }
        };
        Certainty::Told { error, interval }
    }

    fn is_free(&self, at: usize) -> bool {
        self.free.contains(&at)
    }

    /// Returns the kept figures on which some of these depend.
    fn kept(&self, parts: &[usize], origins: &[Origin]) -> Vec<usize> {
        let is_kept = |at: usize| match origins[at] {
            Origin::Together(_) | Origin::Open(_) | Origin::Absent => true,
            Origin::Fitted(_) | Origin::Given => false,
        };
        let is_tied = |at: &usize| {
            parts.iter().any(|part| {
                let is_open = self.open[*part][*at].abs() > APART;
                // A clock that no measurement depends on.
                let is_absent = part == at && origins[*at] == Origin::Absent;
                is_open || is_absent
            })
        };
        (0..origins.len())
            .filter(|at| is_kept(*at))
            .filter(is_tied)
            .collect()
    }

    /// The covariance of two unknowns about the fitted values.
    fn variance(&self, one: usize, other: usize, values: &Values) -> f64 {
        let distance = |at: usize| {
            if self.is_free(at) {
                values[at] - self.alone[at]
            } else {
                0.0
            }
        };
        self.covariance[one][other] + distance(one) * distance(other)
    }

    /// Returns the error and interval of γ.
    fn inverse(&self, values: &Values, reach: f64) -> (f64, Option<[f64; 2]>) {
        let x = values[OPERATIONS];
        let error = self.variance(OPERATIONS, OPERATIONS, values).sqrt();
        let low = x - reach * error;
        let interval = (low > 0.0).then(|| [1.0 / (x + reach * error), 1.0 / low]);
        (error / (x * x), interval)
    }

    /// Returns the error and interval of λ: all r for which y − r x may be 0.
    fn quotient(&self, values: &Values, reach: f64) -> (f64, Option<[f64; 2]>) {
        let (x, y) = (values[OPERATIONS], values[BLOCKS]);
        let of = |one, other| self.variance(one, other, values);
        let (xx, xy, yy) = (
            of(OPERATIONS, OPERATIONS),
            of(OPERATIONS, BLOCKS),
            of(BLOCKS, BLOCKS),
        );
        let ratio = y / x;
        let error = (yy - 2.0 * ratio * xy + ratio * ratio * xx).max(0.0).sqrt() / x;
        // (y − r x)² = reach² (yy − 2 r xy + r² xx), for r.
        let square = reach * reach;
        let (a, b, c) = (
            x * x - square * xx,
            x * y - square * xy,
            y * y - square * yy,
        );
        let interval = (a > 0.0).then(|| {
            let root = (b * b - a * c).max(0.0).sqrt();
            [((b - root) / a).max(0.0), (b + root) / a]
        });
        (error, interval)
    }
}

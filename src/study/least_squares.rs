//! Least squares for a few unknowns: by QR, also for non-negative unknowns, with singular values to find
//! unknowns that the data leave open.
//!
//! A matrix is a list of columns. There are at most [`MOST_UNKNOWNS`], so the best non-negative solution is
//! found by trying every subset of unknowns that are 0.

/// Limit on the columns.
const MOST_UNKNOWNS: usize = 7;

/// Solves least squares; `None` if columns are dependent.
pub(super) fn solve(columns: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let rows = right.len();
    if columns.len() > rows {
        return None;
    }
    let scales: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
    if scales.contains(&0.0) {
        return None;
    }
    // Columns are scaled to length 1. So the tolerance below does not depend on the units of the unknowns.
    let mut a: Vec<Vec<f64>> = columns
        .iter()
        .zip(&scales)
        .map(|(column, scale)| column.iter().map(|value| value / scale).collect())
        .collect();
    let mut b = right.to_vec();
    // Householder QR: each reflection maps the rest of a column onto its first entry.
    for at in 0..a.len() {
        let size = norm(&a[at][at..]);
        if size < 1e-10 {
            return None;
        }
        let sign = if a[at][at] < 0.0 { -1.0 } else { 1.0 };
        let mut mirror = a[at][at..].to_vec();
        mirror[0] += sign * size;
        let square: f64 = mirror.iter().map(|value| value * value).sum();
        let reflect = |column: &mut [f64]| {
            let dot: f64 = mirror.iter().zip(column.iter()).map(|(x, y)| x * y).sum();
            for (value, part) in column.iter_mut().zip(&mirror) {
                *value -= 2.0 * dot / square * part;
            }
        };
        for column in &mut a[at..] {
            reflect(&mut column[at..]);
        }
        reflect(&mut b[at..]);
    }
    let mut solution = vec![0.0; a.len()];
    for at in (0..a.len()).rev() {
        let known: f64 = (at + 1..a.len())
            .map(|other| a[other][at] * solution[other])
            .sum();
        solution[at] = (b[at] - known) / a[at][at];
    }
    let unscaled = solution
        .iter()
        .zip(&scales)
        .map(|(value, scale)| value / scale);
    Some(unscaled.collect())
}

/// Solves least squares for non-negative unknowns; `None` if columns are dependent in every subset.
pub(super) fn non_negative(columns: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    // The optimum has some unknowns at 0, and is the unconstrained optimum of the others. So the best
    // feasible subset is the solution. There are at most 2^7 = 128 subsets.
    let mut best: Option<(f64, Vec<f64>)> = None;
    for choice in 0..1_u32 << columns.len().min(MOST_UNKNOWNS) {
        let chosen: Vec<usize> = (0..columns.len())
            .filter(|at| choice >> at & 1 == 1)
            .collect();
        let some: Vec<Vec<f64>> = chosen.iter().map(|at| columns[*at].clone()).collect();
        let Some(part) = solve(&some, right) else {
            continue;
        };
        if part.iter().any(|value| *value < 0.0) {
            continue;
        }
        let mut whole = vec![0.0; columns.len()];
        for (at, value) in chosen.iter().zip(part) {
            whole[*at] = value;
        }
        let error = norm(&residuals(columns, right, &whole));
        // Among equal errors the larger subset wins: a fitted 0 is better than an assumed one.
        if best.as_ref().is_none_or(|(least, _)| error <= *least) {
            best = Some((error, whole));
        }
    }
    best.map(|(_, solution)| solution)
}

/// right − columns · solution.
pub(super) fn residuals(columns: &[Vec<f64>], right: &[f64], solution: &[f64]) -> Vec<f64> {
    let predicted = |row: usize| -> f64 {
        let terms = columns.iter().zip(solution);
        terms.map(|(column, value)| column[row] * value).sum()
    };
    (0..right.len())
        .map(|row| right[row] - predicted(row))
        .collect()
}

/// The singular values of the columns, each scaled to length 1, in ascending order, with their combinations
/// of columns. Computed by one-sided Jacobi rotations.
pub(super) fn singular(columns: &[Vec<f64>]) -> Vec<(f64, Vec<f64>)> {
    let count = columns.len();
    let mut a: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let size = norm(column).max(f64::MIN_POSITIVE);
            column.iter().map(|value| value / size).collect()
        })
        .collect();
    let mut v: Vec<Vec<f64>> = (0..count)
        .map(|at| {
            (0..count)
                .map(|row| f64::from(u8::from(row == at)))
                .collect()
        })
        .collect();
    // Each rotation makes two columns orthogonal. Once all are, their lengths are the singular values, and
    // the accumulated rotations are the combinations.
    for _ in 0..60 {
        let mut is_settled = true;
        for one in 0..count {
            for other in one + 1..count {
                let (p, q) = (dot(&a[one], &a[one]), dot(&a[other], &a[other]));
                let r = dot(&a[one], &a[other]);
                if r.abs() <= 1e-15 * (p * q).sqrt() {
                    continue;
                }
                is_settled = false;
                let zeta = (q - p) / (2.0 * r);
                let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let tangent = if zeta == 0.0 { 1.0 } else { tangent };
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let sine = cosine * tangent;
                for list in [&mut a, &mut v] {
                    for row in 0..list[one].len() {
                        let (x, y) = (list[one][row], list[other][row]);
                        list[one][row] = cosine * x - sine * y;
                        list[other][row] = sine * x + cosine * y;
                    }
                }
            }
        }
        if is_settled {
            break;
        }
    }
    let mut found: Vec<(f64, Vec<f64>)> = a.iter().map(|column| norm(column)).zip(v).collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found
}

/// Columns count as dependent below this fraction of the largest singular value.
pub(super) const DEPENDENT: f64 = 1e-7;

/// The shortest least-squares solution of columns that may be dependent, with its covariance.
pub(super) struct Rank {
    /// The shortest solution, in columns of length 1.
    pub(super) solution: Vec<f64>,
    /// The covariance if the residuals are noise; 0 without spare rows.
    pub(super) covariance: Vec<Vec<f64>>,
    /// The projection on the combinations of unit columns that vanish.
    pub(super) open: Vec<Vec<f64>>,
    /// Rows beyond the number that the columns need.
    pub(super) spare: usize,
}

impl Rank {
    pub(super) fn of(columns: &[Vec<f64>], right: &[f64]) -> Rank {
        let count = columns.len();
        let sizes = columns
            .iter()
            .map(|column| norm(column).max(f64::MIN_POSITIVE));
        let sizes: Vec<f64> = sizes.collect();
        let parts = singular(columns);
        let largest = parts.last().map_or(0.0, |(value, _)| *value);
        let (open, shut): (Vec<_>, Vec<_>) = parts
            .iter()
            .partition(|(value, _)| *value <= DEPENDENT * largest);
        let mut solution = vec![0.0; count];
        let mut inverse = vec![vec![0.0; count]; count];
        for (value, combination) in shut {
            // A v has length s. The coefficient of v is (A v · right)/s².
            let image = (0..right.len()).map(|row| {
                let terms = columns.iter().zip(&sizes).zip(combination);
                terms
                    .map(|((column, size), part)| column[row] / size * part)
                    .sum()
            });
            let image: Vec<f64> = image.collect();
            let share = dot(&image, right) / (value * value);
            for one in 0..count {
                solution[one] += combination[one] * share / sizes[one];
                for other in 0..count {
                    inverse[one][other] += combination[one] / (value * sizes[one])
                        * (combination[other] / (value * sizes[other]));
                }
            }
        }
        let projection = |one: usize, other: usize| {
            let parts = open.iter();
            parts
                .map(|(_, combination)| combination[one] * combination[other])
                .sum()
        };
        let square = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            let row = |one| (0..count).map(|other| of(one, other)).collect();
            (0..count).map(row).collect()
        };
        let spare = right.len().saturating_sub(count - open.len());
        let rest = residuals(columns, right, &solution);
        let variance = match spare {
            0 => 0.0,
            _ => dot(&rest, &rest) / spare as f64,
        };
        Rank {
            covariance: square(&|one, other| variance * inverse[one][other]),
            open: square(&projection),
            solution,
            spare,
        }
    }
}

/// Returns the half-width, in standard errors, of an interval that holds the truth with this probability
/// (Student's t with `spare` degrees of freedom).
///
/// For a whole number of rows the probability is a finite sum of sines and cosines of θ = atan(t/√ν) (Abramowitz & Stegun,
/// 26.7.3 and 26.7.4); t is found by halving. With one row to spare 95% take 12.7 errors, with many 1.96.
pub(super) fn student(probability: f64, spare: usize) -> f64 {
    if spare == 0 {
        return f64::INFINITY;
    }
    let within = |t: f64| {
        let angle = libm::atan(t / (spare as f64).sqrt());
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let mut term = sine;
        if spare % 2 == 1 {
            term *= cosine;
        }
        let mut sum = if spare == 1 { 0.0 } else { term };
        for power in (2 + spare % 2..spare.saturating_sub(1)).step_by(2) {
            term *= cosine * cosine * (power - 1) as f64 / power as f64;
            sum += term;
        }
        if spare.is_multiple_of(2) {
            sum
        } else {
            2.0 / std::f64::consts::PI * (angle + sum)
        }
    };
    let mut high = 1.0;
    while within(high) < probability {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if within(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The standard error of every unknown, if the residuals are noise. `None` without spare rows.
pub(super) fn standard_errors(columns: &[Vec<f64>], residuals: &[f64]) -> Option<Vec<f64>> {
    let spare = residuals.len().checked_sub(columns.len())?;
    if spare == 0 {
        return None;
    }
    let variance = dot(residuals, residuals) / spare as f64;
    let parts = singular(columns);
    let errors = (0..columns.len()).map(|at| {
        let sum: f64 = parts
            .iter()
            .map(|(value, combination)| {
                let part = combination[at] / value.max(1e-300);
                part * part
            })
            .sum();
        (variance * sum).sqrt() / norm(&columns[at]).max(f64::MIN_POSITIVE)
    });
    Some(errors.collect())
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

fn norm(column: &[f64]) -> f64 {
    dot(column, column).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: &[f64], other: &[f64]) -> bool {
        one.len() == other.len()
            && one
                .iter()
                .zip(other)
                .all(|(x, y)| (x - y).abs() < 1e-9 * (1.0 + y.abs()))
    }

    #[test]
    fn a_line_is_found_and_so_is_its_noise() {
        let x = vec![1.0, 2.0, 3.0, 4.0];
        let one = vec![1.0; 4];
        let columns = [one, x];
        let exact = [5.0, 7.0, 9.0, 11.0];
        let found = solve(&columns, &exact).expect("independent");
        assert!(close(&found, &[3.0, 2.0]), "{found:?}");
        // By hand: 1, 2, 2, 3 over 1 … 4 is 0.5 + 0.6 x, residuals −0.1, 0.3, −0.3, 0.1, so
        // s² = 0.2/2, and the errors √(0.1·(1/4 + 2.5²/5)) and √(0.1/5).
        let noisy = [1.0, 2.0, 2.0, 3.0];
        let found = solve(&columns, &noisy).expect("independent");
        assert!(close(&found, &[0.5, 0.6]), "{found:?}");
        let errors = standard_errors(&columns, &residuals(&columns, &noisy, &found));
        let expected = [(0.1_f64 * 1.5).sqrt(), (0.1_f64 / 5.0).sqrt()];
        assert!(close(&errors.expect("two rows to spare"), &expected));
    }

    /// The tables of Student's distribution.
    #[test]
    fn few_rows_to_spare_make_wide_intervals() {
        for (spare, reach) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (10, 2.228),
            (30, 2.042),
            (1001, 1.962),
        ] {
            assert!((student(0.95, spare) - reach).abs() < 1e-3, "{spare}");
        }
        assert!((student(0.6827, 100_000) - 1.0).abs() < 1e-3);
        assert!((student(0.5, 1) - 1.0).abs() < 1e-9 && student(0.95, 0).is_infinite());
    }

    /// By hand as below: the covariance of constant and slope is −2.5·0.1/5. What depends is left open, and the
    /// rest determined as if it were not there.
    #[test]
    fn what_is_determined_is_told_from_what_is_not() {
        let x = vec![1.0, 2.0, 3.0, 4.0];
        let noisy = [1.0, 2.0, 2.0, 3.0];
        let found = Rank::of(&[vec![1.0; 4], x.clone()], &noisy);
        assert!(close(&found.solution, &[0.5, 0.6]), "{:?}", found.solution);
        assert!(
            close(&found.covariance[0], &[0.15, -0.05]),
            "{:?}",
            found.covariance
        );
        assert!(
            close(&found.covariance[1], &[-0.05, 0.02]),
            "{:?}",
            found.covariance
        );
        assert!(found.open.concat().iter().all(|part| part.abs() < 1e-12));
        assert_eq!(found.spare, 2);

        let twice = vec![2.0; 4];
        let found = Rank::of(&[vec![1.0; 4], x.clone(), twice], &noisy);
        // 0.5 of the constant, half of it from each of both columns of length 1.
        assert!(
            close(&found.solution, &[0.25, 0.6, 0.125]),
            "{:?}",
            found.solution
        );
        assert!((found.covariance[1][1] - 0.02).abs() < 1e-9 && found.spare == 2);
        let tied = found.open[0][0];
        assert!((tied - 0.5).abs() < 1e-9 && (found.open[0][2] + 0.5).abs() < 1e-9);
        assert!(found.open[1].iter().all(|part| part.abs() < 1e-9));

        let short = Rank::of(&[vec![1.0], vec![3.0]], &[2.0]);
        assert_eq!(short.spare, 0);
        assert!(short.open[0][0] > 0.1 && short.covariance[0][0] == 0.0);
    }

    #[test]
    fn nothing_becomes_negative() {
        let columns = [vec![1.0; 3], vec![1.0, 2.0, 3.0]];
        // The line is 4 − x; without negative numbers the constant 2 is best.
        let found = non_negative(&columns, &[3.0, 2.0, 1.0]).expect("a constant");
        assert!(close(&found, &[2.0, 0.0]), "{found:?}");
        assert_eq!(
            non_negative(&columns, &[-1.0, -1.0, -1.0]),
            Some(vec![0.0, 0.0])
        );
    }

    #[test]
    fn what_depends_is_seen() {
        let x = vec![1.0, 2.0, 3.0];
        let twice = vec![2.0, 4.0, 6.0];
        assert_eq!(solve(&[x.clone(), twice.clone()], &[1.0, 2.0, 3.0]), None);
        assert_eq!(solve(&[vec![0.0; 3]], &[1.0, 2.0, 3.0]), None);
        assert_eq!(solve(&[x.clone(), x.clone()], &[1.0]), None);
        let parts = singular(&[x.clone(), vec![1.0, 0.0, -1.0], twice]);
        assert!(parts[0].0 < 1e-12 && parts[1].0 > 0.1, "{parts:?}");
        let combination = &parts[0].1;
        assert!((combination[0].abs() - combination[2].abs()).abs() < 1e-9);
        assert!(combination[1].abs() < 1e-9);
        // Lengths of sums of squares: 3 columns of length 1 have singular values of square sum 3.
        let squares: f64 = parts.iter().map(|(value, _)| value * value).sum();
        assert!((squares - 3.0).abs() < 1e-12);
    }
}

//! Vectors of values modulo a prime: whether one is a combination of others, and of which.

use num_traits::ToPrimitive;

use crate::number::{BigInt, Rational};

/// A prime so large that what differs hardly ever looks the same: 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// A number modulo the prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Residue(u64);

impl Residue {
    pub(super) const ZERO: Residue = Residue(0);
    pub(super) const ONE: Residue = Residue(1);

    /// None where the prime divides the denominator.
    pub(super) fn of(value: &Rational) -> Option<Residue> {
        let whole = |number: BigInt| {
            let rest = number % BigInt::from(PRIME);
            let rest = rest.to_i64().expect("below the prime");
            Residue(rest.rem_euclid(PRIME.cast_signed()).cast_unsigned())
        };
        let under = whole(value.denominator());
        (!under.is_zero()).then(|| whole(value.numerator()).times(under.inverse()))
    }

    pub(super) fn is_zero(self) -> bool {
        self == Residue::ZERO
    }

    pub(super) fn plus(self, other: Residue) -> Residue {
        Residue((self.0 + other.0) % PRIME)
    }

    pub(super) fn minus(self, other: Residue) -> Residue {
        Residue((self.0 + PRIME - other.0) % PRIME)
    }

    fn times(self, other: Residue) -> Residue {
        let product = u128::from(self.0) * u128::from(other.0) % u128::from(PRIME);
        Residue(u64::try_from(product).expect("below the prime"))
    }

    /// Of what is not 0.
    fn inverse(self) -> Residue {
        let (mut power, mut result) = (self, Residue::ONE);
        let mut exponent = PRIME - 2;
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = result.times(power);
            }
            power = power.times(power);
            exponent /= 2;
        }
        result
    }

    /// The fraction of small numbers that it stands for.
    pub(super) fn to_f64(self) -> Option<f64> {
        const SMALL: i64 = 1 << 30;
        let (mut above, mut rest) = (PRIME.cast_signed(), self.0.cast_signed());
        let (mut under_above, mut under) = (0_i64, 1_i64);
        while rest >= SMALL {
            let times = above / rest;
            (above, rest) = (rest, above - times * rest);
            (under_above, under) = (under, under_above - times * under);
        }
        let is_small = under.abs() < SMALL;
        is_small.then(|| rest as f64 / under as f64)
    }
}

/// Values at points.
pub(super) type Vector = Vec<Residue>;

/// Adds so many times another vector.
pub(super) fn add(vector: &mut Vector, times: Residue, other: &[Residue]) {
    if vector.len() < other.len() {
        vector.resize(other.len(), Residue::ZERO);
    }
    for (value, other) in vector.iter_mut().zip(other) {
        *value = value.plus(times.times(*other));
    }
}

/// Vectors of which none is a combination of the others.
#[derive(Debug, Default)]
pub(super) struct Independent {
    rows: Vec<Row>,
    /// How many vectors were looked at.
    seen: usize,
}

#[derive(Debug)]
struct Row {
    /// Where it is 1, and all rows behind it are 0.
    pivot: usize,
    values: Vector,
    /// Of which vectors looked at it is made.
    made_of: Vector,
}

impl Independent {
    /// What of a vector is no combination of these, and the combination that the rest is: how many times
    /// each vector looked at.
    pub(super) fn apart(&self, vector: &[Residue]) -> (Vector, Vector) {
        let (mut rest, mut combination) = (vector.to_vec(), Vector::new());
        for row in &self.rows {
            let times = rest[row.pivot];
            if !times.is_zero() {
                add(&mut rest, Residue::ZERO.minus(times), &row.values);
                add(&mut combination, times, &row.made_of);
            }
        }
        combination.resize(self.seen, Residue::ZERO);
        (rest, combination)
    }

    /// Takes a vector in; where it is a combination of those before, which, and it stays outside.
    pub(super) fn take(&mut self, vector: &[Residue]) -> Option<Vector> {
        let (rest, combination) = self.apart(vector);
        let at = self.seen;
        self.seen += 1;
        let Some(pivot) = rest.iter().position(|value| !value.is_zero()) else {
            return Some(combination);
        };
        let scale = rest[pivot].inverse();
        let (mut values, mut made_of) = (Vector::new(), Vector::new());
        add(&mut values, scale, &rest);
        add(&mut made_of, Residue::ZERO.minus(scale), &combination);
        made_of.resize(at, Residue::ZERO);
        made_of.push(scale);
        self.rows.push(Row {
            pivot,
            values,
            made_of,
        });
        None
    }
}

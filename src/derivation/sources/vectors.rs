//! Vectors of values modulo a prime: linear dependence, and the coefficients of a combination.

use num_traits::ToPrimitive;

use crate::number::{BigInt, Rational};

/// The modulus 2^61 − 1. It is so large that different values rarely have the same residue.
const PRIME: u64 = (1 << 61) - 1;

/// A number modulo the prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Residue(u64);

impl Residue {
    pub(super) const ZERO: Residue = Residue(0);
    pub(super) const ONE: Residue = Residue(1);

    /// Returns `None` if the prime divides the denominator.
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

    /// The inverse of a number other than 0.
    fn inverse(self) -> Residue {
        // Fermat: x^(P − 2) · x = 1 modulo a prime P. The power is computed by repeated squaring.
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

    /// Returns the fraction of small numbers with this residue, if one exists.
    pub(super) fn to_f64(self) -> Option<f64> {
        const SMALL: i64 = 1 << 30;
        // Rational reconstruction: the extended Euclidean algorithm keeps rest ≡ under · self modulo the
        // prime. It stops at the first rest below 2^30. If the denominator is small as well, rest/under is
        // the fraction.
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

/// Values at points, one each.
pub(super) type Vector = Vec<Residue>;

/// Adds `times` times another vector.
pub(super) fn add(vector: &mut Vector, times: Residue, other: &[Residue]) {
    if vector.len() < other.len() {
        vector.resize(other.len(), Residue::ZERO);
    }
    for (value, other) in vector.iter_mut().zip(other) {
        *value = value.plus(times.times(*other));
    }
}

/// A set of linearly independent vectors, in echelon form.
#[derive(Debug, Default)]
pub(super) struct Independent {
    rows: Vec<Row>,
    /// The number of vectors offered so far.
    seen: usize,
}

#[derive(Debug)]
struct Row {
    /// The position of its first non-zero value, which is 1. All later rows are 0 there.
    pivot: usize,
    values: Vector,
    /// The coefficients of this row in the vectors offered.
    made_of: Vector,
}

impl Independent {
    /// Splits a vector into a rest outside the span and a combination of the vectors offered, by coefficient.
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

    /// Offers a vector. If it depends on earlier vectors, it is left out and its coefficients are returned.
    pub(super) fn take(&mut self, vector: &[Residue]) -> Option<Vector> {
        let (rest, combination) = self.apart(vector);
        let at = self.seen;
        self.seen += 1;
        let Some(pivot) = rest.iter().position(|value| !value.is_zero()) else {
            return Some(combination);
        };
        // values = scale · rest, and rest = vector − combination. So the row is scale · vector − scale ·
        // combination.
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

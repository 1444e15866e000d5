//! Intervals in binary fixed point: enclosures of `ln`, `exp`, roots and arithmetic to any precision. Every
//! rounding goes outwards.

use std::sync::OnceLock;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::number::{MOST_BITS, Rational};

/// The extra bits of inner computations; they cover the roundings of thousands of series terms.
const GUARD: u64 = 64;

/// All reals x with `low ≤ x·2^precision ≤ high`.
#[derive(Debug, Clone)]
pub(super) struct Interval {
    pub(super) low: BigInt,
    pub(super) high: BigInt,
    precision: u64,
}

impl Interval {
    pub(super) fn rational(value: &Rational, precision: u64) -> Interval {
        let scaled = value.numerator() << precision;
        let (low, rest) = scaled.div_mod_floor(&value.denominator());
        let high = if rest.is_zero() {
            low.clone()
        } else {
            &low + 1
        };
        Interval {
            low,
            high,
            precision,
        }
    }

    pub(super) fn add(&self, other: &Interval) -> Interval {
        Interval {
            low: &self.low + &other.low,
            high: &self.high + &other.high,
            precision: self.precision,
        }
    }

    pub(super) fn negate(&self) -> Interval {
        Interval {
            low: -&self.high,
            high: -&self.low,
            precision: self.precision,
        }
    }

    pub(super) fn multiply(&self, other: &Interval) -> Interval {
        let products = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let low = products.iter().min().expect("four products");
        let high = products.iter().max().expect("four products");
        Interval {
            low: low >> self.precision,
            high: shift_up(high, self.precision),
            precision: self.precision,
        }
    }

    /// Returns 1/x; `None` if the interval does not exclude 0.
    pub(super) fn recip(&self) -> Option<Interval> {
        if !self.low.is_positive() && !self.high.is_negative() {
            return None;
        }
        // With x = h/2^p, 1/x·2^p is 2^(2p)/h. The larger end gives the lower bound.
        let one = BigInt::one() << (2 * self.precision);
        Some(Interval {
            low: one.div_floor(&self.high),
            high: one.div_ceil(&self.low),
            precision: self.precision,
        })
    }

    /// Returns √x; `None` if the interval reaches below 0.
    pub(super) fn sqrt(&self) -> Option<Interval> {
        if self.low.is_negative() {
            return None;
        }
        // With x = h/2^p, √x·2^p is √(h·2^p).
        let high = &self.high << self.precision;
        let root = high.sqrt();
        let exact = &root * &root == high;
        Some(Interval {
            low: (&self.low << self.precision).sqrt(),
            high: if exact { root } else { root + 1 },
            precision: self.precision,
        })
    }

    /// Returns ln x; `None` if the interval does not exclude 0.
    pub(super) fn ln(&self) -> Option<Interval> {
        if !self.low.is_positive() {
            return None;
        }
        let (low, _) = ln_scaled(&self.low, self.precision, self.precision);
        let (_, high) = ln_scaled(&self.high, self.precision, self.precision);
        Some(Interval {
            low,
            high,
            precision: self.precision,
        })
    }

    /// Returns ln of a positive whole number, however large.
    pub(super) fn ln_integer(value: &BigInt, precision: u64) -> Interval {
        let (low, high) = ln_scaled(value, 0, precision);
        Interval {
            low,
            high,
            precision,
        }
    }

    /// Returns eˣ; `None` if it is too large.
    pub(super) fn exp(&self) -> Option<Interval> {
        let (low, _) = exp_scaled(&self.low, self.precision)?;
        let (_, high) = exp_scaled(&self.high, self.precision)?;
        Some(Interval {
            low,
            high,
            precision: self.precision,
        })
    }

    /// Returns the same reals at another precision, rounded outwards.
    pub(super) fn at_precision(&self, precision: u64) -> Interval {
        let (low, high) = if precision >= self.precision {
            let more = precision - self.precision;
            (&self.low << more, &self.high << more)
        } else {
            let less = self.precision - precision;
            (&self.low >> less, shift_up(&self.high, less))
        };
        Interval {
            low,
            high,
            precision,
        }
    }

    /// Returns the number of bits behind the binary point.
    pub(super) fn precision(&self) -> u64 {
        self.precision
    }

    /// Returns ⌊x⌋ of the lower and of the upper end.
    pub(super) fn floors(&self) -> (BigInt, BigInt) {
        (&self.low >> self.precision, &self.high >> self.precision)
    }

    /// Returns the bits of the larger end before the binary point.
    pub(super) fn magnitude(&self) -> u64 {
        // `bits` is of the absolute value, so it serves negative ends too.
        let bits = self.low.bits().max(self.high.bits());
        bits.saturating_sub(self.precision)
    }

    /// Returns the bits by which the two ends differ, in units of the last place.
    pub(super) fn width_bits(&self) -> u64 {
        (&self.high - &self.low).bits()
    }

    /// Returns the middle as an exact rational.
    pub(super) fn middle(&self) -> Rational {
        Rational::new(
            &self.low + &self.high,
            BigInt::one() << (self.precision + 1),
        )
        .expect("a power of two is not zero")
    }
}

/// Shifts right and rounds up; a plain shift rounds down.
fn shift_up(value: &BigInt, bits: u64) -> BigInt {
    -((-value) >> bits)
}

/// Returns lower and upper bounds of `ln(value / 2^scale)·2^precision` for a positive value.
///
/// Uses ln x = k ln 2 + 2 artanh((m − 1)/(m + 1)) with x = m·2^k and 1 ≤ m < 2.
fn ln_scaled(value: &BigInt, scale: u64, precision: u64) -> (BigInt, BigInt) {
    // With m in [1, 2) the series' argument is at most 1/3, so each term adds at least 3 bits. For value =
    // 8 and scale = 0: k = 3, m = 1, the series is 0 and the result is 3 ln 2.
    let work = precision + GUARD;
    let exponent = value.bits() as i64 - 1 - scale as i64;
    let shift = value.bits() as i64 - 1 - work as i64;
    let mantissa = if shift >= 0 {
        value >> shift as u64
    } else {
        value << (-shift) as u64
    };
    let one = BigInt::one() << work;
    let ratio = ((&mantissa - &one) << work) / (&mantissa + &one);
    let sum: BigInt = (artanh(&ratio, work) << 1u32) + ln_two(work) * exponent;
    // All roundings above stay below 2^40 units of the working precision for exponents below 2^32.
    let slack = BigInt::one() << 40u32;
    ((&sum - &slack) >> GUARD, shift_up(&(&sum + &slack), GUARD))
}

/// The precisions at which ln 2 is kept: nearly all requests are for these.
const KEPT: [u64; 4] = [64 + GUARD, 256 + GUARD, 1024 + GUARD, 2048 + GUARD];

/// Returns ln 2 in fixed point.
fn ln_two(work: u64) -> BigInt {
    static LN_TWO: [OnceLock<BigInt>; KEPT.len()] = [const { OnceLock::new() }; KEPT.len()];
    // ln 2 = 2 artanh(1/3), since (1 + 1/3)/(1 − 1/3) = 2. A longer kept value is cut to a shorter request.
    let computed = |work: u64| artanh(&((BigInt::one() << work) / 3), work) << 1u32;
    match KEPT.iter().position(|kept| work <= *kept) {
        Some(at) => LN_TWO[at].get_or_init(|| computed(KEPT[at])) >> (KEPT[at] - work),
        None => computed(work),
    }
}

/// Returns Σ x^(2i+1)/(2i+1) in fixed point, for 0 ≤ x ≤ 1/3.
fn artanh(x: &BigInt, work: u64) -> BigInt {
    let square: BigInt = (x * x) >> work;
    let (mut power, mut sum, mut odd) = (x.clone(), BigInt::zero(), 1u32);
    while !power.is_zero() {
        sum += &power / odd;
        power = (power * &square) >> work;
        odd += 2;
    }
    sum
}

/// Returns lower and upper bounds of `exp(value / 2^precision)·2^precision`.
///
/// Uses eˣ = 2^k·(e^(r/2^8))^(2^8) with r = x − k ln 2. The series then converges fast, and 8 squarings
/// undo the division.
fn exp_scaled(value: &BigInt, precision: u64) -> Option<(BigInt, BigInt)> {
    const HALVINGS: u32 = 8;
    let whole = (value >> precision).to_i64()?;
    if whole > MOST_BITS as i64 {
        return None;
    }
    // Here eˣ is less than one unit of the last place.
    if whole < -2 * (precision as i64 + 2) {
        return Some((BigInt::zero(), BigInt::one()));
    }
    // eˣ has about 1.44 x bits before the point; 2 x extra bits keep them all exact.
    let work = precision + 2 * whole.max(0) as u64 + GUARD;
    let scaled: BigInt = value << (work - precision);
    let two = ln_two(work);
    let (exponent, rest) = scaled.div_mod_floor(&two);
    let exponent = exponent.to_i64()?;
    let reduced: BigInt = rest >> HALVINGS;
    let (mut term, mut sum, mut count) = (BigInt::one() << work, BigInt::zero(), 1u32);
    while !term.is_zero() {
        sum += &term;
        term = ((term * &reduced) >> work) / count;
        count += 1;
    }
    for _ in 0..HALVINGS {
        sum = (&sum * &sum) >> work;
    }
    let slack = BigInt::one() << 44u32;
    let shift = (work - precision) as i64 - exponent;
    let down = |bits: BigInt| {
        if shift >= 0 {
            bits >> shift as u64
        } else {
            bits << (-shift) as u64
        }
    };
    Some((down(&sum - &slack), down(&sum + &slack) + 1))
}

//! The number theory that canonical forms rest on: roots and logarithms that are rational, sums of
//! digits, sums of floors.

use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::number::{BigInt, Rational};

/// The least root of a number > 1 and the power it has: 64 is 2^6.
pub(crate) fn perfect_root(value: &BigInt) -> (BigInt, u32) {
    let bits = value.bits() as u32;
    for degree in (2..bits.max(2)).rev() {
        let root = value.nth_root(degree);
        if root > BigInt::one() && root.pow(degree) == *value {
            return (root, degree);
        }
    }
    (value.clone(), 1)
}

/// log_base value, where it is rational; both positive, the base not 1.
pub(crate) fn rational_log(base: &Rational, value: &Rational) -> Option<Rational> {
    if value.is_one() {
        return Some(Rational::ZERO);
    }
    if *base <= Rational::ZERO || *value <= Rational::ZERO || base.is_one() {
        return None;
    }
    // base = g^p and value = g^q for one rational g > 1 exactly when the logarithm is q/p. The
    // search for g follows Euclid's algorithm on the exponents.
    let mut flip = Rational::ONE;
    let mut above_one = |x: &Rational| -> Option<Rational> {
        if *x < Rational::ONE {
            flip = -&flip;
            return x.recip();
        }
        Some(x.clone())
    };
    let (mut large, mut small) = (above_one(value)?, above_one(base)?);
    // Columns of the Euclidean recursion: large = base^a·value^b and so on are not needed, only
    // the continued fraction of the logarithm.
    let mut quotients: Vec<BigInt> = Vec::new();
    const MOST_QUOTIENTS: usize = 24;
    while quotients.len() < MOST_QUOTIENTS {
        let mut count = BigInt::zero();
        while large >= small {
            // Take out the largest repeated square first, so that 2^1000 over 2 is quick.
            let (mut power, mut step) = (small.clone(), BigInt::one());
            loop {
                let square = &power * &power;
                if square > large {
                    break;
                }
                power = square;
                step *= 2;
            }
            large = large.checked_div(&power)?;
            count += step;
        }
        quotients.push(count);
        if large.is_one() {
            let mut value = Rational::from(quotients.pop()?);
            while let Some(quotient) = quotients.pop() {
                value = &Rational::from(quotient) + &value.recip()?;
            }
            return Some(&value * &flip);
        }
        // Numbers of very different shape leave a long remainder early: not a rational power.
        if !shares_primes(&large, &small) {
            return None;
        }
        std::mem::swap(&mut large, &mut small);
    }
    None
}

/// A cheap necessary condition for both to be powers of one number.
fn shares_primes(x: &Rational, y: &Rational) -> bool {
    let related = |a: &BigInt, b: &BigInt| {
        a.is_one() == b.is_one() && (a.is_one() || a.gcd(b) > BigInt::one())
    };
    related(&x.numerator(), &y.numerator()) && related(&x.denominator(), &y.denominator())
}

/// The sum of the base-b digits of x ≥ 0; `None` outside that domain.
pub(crate) fn digit_sum(x: &BigInt, base: &BigInt) -> Option<BigInt> {
    if x.is_negative() || *base < BigInt::from(2) {
        return None;
    }
    let (mut rest, mut sum) = (x.clone(), BigInt::zero());
    while !rest.is_zero() {
        let (quotient, digit) = rest.div_rem(base);
        sum += digit;
        rest = quotient;
    }
    Some(sum)
}

/// Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋ in as many steps as Euclid's algorithm on a and m takes;
/// `None` for m = 0.
pub(crate) fn floor_sum(n: BigInt, a: BigInt, c: BigInt, m: BigInt) -> Option<BigInt> {
    if m.is_zero() {
        return None;
    }
    let (mut n, mut a, mut c, mut m) = match m.is_negative() {
        true => (n, -a, -c, -m),
        false => (n, a, c, m),
    };
    let mut sum = BigInt::zero();
    while n.is_positive() {
        let (slope, rest) = a.div_mod_floor(&m);
        let (start, offset) = c.div_mod_floor(&m);
        sum += slope * &n * (&n - 1) / 2 + start * &n;
        (a, c) = (rest, offset);
        let top = &a * &n + &c;
        if top < m {
            break;
        }
        // Count lattice points column by column instead of row by row.
        let (height, remainder) = top.div_mod_floor(&m);
        (n, c, m, a) = (height, remainder, a, m);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_sums_agree_with_adding_up() {
        for n in 0..9i64 {
            for a in -7..8i64 {
                for c in -9..10i64 {
                    for m in [-5i64, -1, 1, 2, 3, 7] {
                        let slow: i64 = (0..n).map(|v| Integer::div_floor(&(a * v + c), &m)).sum();
                        let fast = floor_sum(n.into(), a.into(), c.into(), m.into());
                        assert_eq!(fast, Some(slow.into()), "{n} {a} {c} {m}");
                    }
                }
            }
        }
        assert_eq!(floor_sum(3.into(), 1.into(), 1.into(), 0.into()), None);
    }

    #[test]
    fn logarithms_of_numbers_are_exact() {
        let log = |b: i64, x: i64| rational_log(&b.into(), &x.into());
        assert_eq!(log(2, 1 << 40), Some(40.into()));
        assert_eq!(log(4, 8), Rational::new(3, 2));
        assert_eq!(log(8, 4), Rational::new(2, 3));
        assert_eq!(log(2, 3), None);
        assert_eq!(log(6, 12), None);
        assert_eq!(log(12, 1), Some(0.into()));
        let half = Rational::new(1, 2);
        assert_eq!(
            half.and_then(|h| rational_log(&2.into(), &h)),
            Some((-1).into())
        );
    }

    #[test]
    fn roots_and_digits() {
        assert_eq!(perfect_root(&64.into()), (2.into(), 6));
        assert_eq!(perfect_root(&12.into()), (12.into(), 1));
        assert_eq!(digit_sum(&255.into(), &16.into()), Some(30.into()));
        assert_eq!(digit_sum(&255.into(), &1.into()), None);
    }
}

//! Number theory of whole numbers: divisors, powers, digits and sums.
//!
//! There is one definition of each function, on numbers of any size. Floor division also exists on machine
//! words, for loops over many numbers. Nothing here rounds or panics; `None` stands for an undefined value.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::number::Rational;

/// Returns true if `x | y`, signs ignored; 0 divides 0 alone.
pub(crate) fn divides(x: &BigInt, y: &BigInt) -> bool {
    if x.is_zero() {
        y.is_zero()
    } else {
        y.is_multiple_of(x)
    }
}

/// Returns true if x is y^k for some whole k ≥ 0. No x below 1 is.
pub(crate) fn is_power_of(x: &BigInt, y: &BigInt) -> bool {
    let one = BigInt::one();
    if *x <= one || y.abs() <= one {
        return x.is_one();
    }
    if let (Ok(mut x), Ok(y)) = (i128::try_from(x), i128::try_from(y)) {
        // Sizes of programs are small, and asked about often.
        while x % y == 0 {
            x /= y;
        }
        return x == 1;
    }
    let left = without_factor(&x.into(), &y.into());
    left.is_some_and(|(_, rest)| rest.is_one())
}

/// Returns ⌊x/y⌋ if it exists and fits a word.
#[inline]
pub(crate) fn floor_quotient(x: i64, y: i64) -> Option<i64> {
    // Division truncates towards 0, so a negative quotient with a rest is 1 too large: −7/2 gives −3, and
    // the floor is −4.
    let quotient = x.checked_div(y)?;
    let exact = quotient.wrapping_mul(y) == x;
    Some(quotient - i64::from(!exact && (x < 0) != (y < 0)))
}

/// Returns x − y·⌊x/y⌋ if it exists; it has the sign of y.
#[inline]
pub(crate) fn floor_remainder(x: i64, y: i64) -> Option<i64> {
    if y == 0 {
        return None;
    }
    let remainder = x.wrapping_rem(y);
    let crosses = remainder != 0 && (remainder < 0) != (y < 0);
    Some(if crosses { remainder + y } else { remainder })
}

/// Returns the sum of the base-b digits of x; `None` for x < 0 or b < 2.
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

/// Returns Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋ in as many steps as Euclid's algorithm on a and m takes; `None` for
/// m = 0.
pub(crate) fn floor_sum(n: BigInt, a: BigInt, c: BigInt, m: BigInt) -> Option<BigInt> {
    if m.is_zero() {
        return None;
    }
    // The sum counts the lattice points under a line. Whole parts of slope and offset are summed at once;
    // what is left has 0 ≤ a, c < m. Then rows and columns change places, which swaps a and m as in
    // Euclid's algorithm.
    // n = 4, a = 2, c = 1, m = 3: the terms are 0, 1, 1, 2. The first swap gives n = 3, a = 3, c = 0, m =
    // 2, with the terms 0, 1, 3, the same sum 4.
    let (mut n, mut a, mut c, mut m) = if m.is_negative() {
        (n, -a, -c, -m)
    } else {
        (n, a, c, m)
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

/// Returns the least root of a number above 1 and its exponent: 64 is 2^6.
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

/// Returns the exact root of a non-negative rational if it is rational.
pub(crate) fn exact_root(value: &Rational, degree: &BigInt) -> Option<Rational> {
    let degree = degree.to_u32()?;
    let part = |whole: BigInt| {
        let root = whole.nth_root(degree);
        (num_traits::Pow::pow(&root, degree) == whole).then_some(root)
    };
    Rational::new(part(value.numerator())?, part(value.denominator())?)
}

/// Returns the logarithm of a rational to a rational base if it is rational. Both must be positive, and the
/// base must not be 1.
///
/// Two numbers above 1 have a rational logarithm exactly if both are powers c^i and c^j of one rational c.
/// Euclid's algorithm on i and j then runs by exact divisions alone.
pub(crate) fn rational_log(argument: &Rational, base: &Rational) -> Option<Rational> {
    if argument.signum() <= 0 || base.signum() <= 0 || base.is_one() {
        return None;
    }
    if argument.is_one() {
        return Some(Rational::ZERO);
    }
    if let (Some(argument), Some(base)) = (argument.to_i64(), base.to_i64()) {
        return log_in_words(argument.unsigned_abs(), base.unsigned_abs());
    }
    log_by_division(argument, base)
}

/// Returns the same for any positive numbers but 1.
fn log_by_division(argument: &Rational, base: &Rational) -> Option<Rational> {
    // Numbers below 1 are inverted, which only changes the sign of the logarithm.
    let above_one = |value: &Rational| -> Option<(Rational, bool)> {
        if value < &Rational::ONE {
            Some((value.recip()?, true))
        } else {
            Some((value.clone(), false))
        }
    };
    let (mut large, argument_inverted) = above_one(argument)?;
    let (mut small, base_inverted) = above_one(base)?;
    // The partial quotients of the continued fraction of log_small large.
    let mut quotients: Vec<BigInt> = Vec::new();
    loop {
        if large < small {
            quotients.push(BigInt::zero());
        } else {
            let (count, rest) = without_factor(&large, &small)?;
            quotients.push(count.into());
            if rest.is_one() {
                break;
            }
            if rest < Rational::ONE || rest >= small {
                return None;
            }
            large = rest;
        }
        std::mem::swap(&mut large, &mut small);
    }
    let mut value = Rational::from(quotients.pop()?);
    while let Some(quotient) = quotients.pop() {
        value = &Rational::from(quotient) + &value.recip()?;
    }
    Some(if argument_inverted == base_inverted {
        value
    } else {
        -value
    })
}

/// Returns the same for whole numbers above 1 in machine words. One remainder decides most of them.
fn log_in_words(mut large: u64, mut small: u64) -> Option<Rational> {
    // log_4 8: 8/4 = 2 once, then 4/2 and 2/2, twice. The partial quotients 1 and 2 give 1 + 1/2 = 3/2.
    let mut quotients: Vec<u32> = Vec::new();
    loop {
        let mut count = 0;
        while large.is_multiple_of(small) {
            large /= small;
            count += 1;
        }
        quotients.push(count);
        if large == 1 {
            break;
        }
        if large > small {
            return None;
        }
        std::mem::swap(&mut large, &mut small);
    }
    let mut value = Rational::ZERO;
    for quotient in quotients.into_iter().rev() {
        let rest = value.recip().unwrap_or(Rational::ZERO);
        value = &Rational::from(i64::from(quotient)) + &rest;
    }
    Some(value)
}

/// Returns how many times `factor` divides `value`, at least once, and the rest.
fn without_factor(value: &Rational, factor: &Rational) -> Option<(u64, Rational)> {
    let (mut numerator, mut denominator) = (value.numerator(), value.denominator());
    // The powers factor^1, factor^2, factor^4, … are tried from the largest down, so the count is found bit
    // by bit. With 96 and 2: 16 divides (4 times), 4 does not, 2 does (once), so the count is 5 and 3 is left.
    let mut powers = vec![(factor.numerator(), factor.denominator())];
    while powers[powers.len() - 1].0.bits() * 2 <= numerator.bits() + 1 {
        let (top, bottom) = &powers[powers.len() - 1];
        let square = (top * top, bottom * bottom);
        powers.push(square);
    }
    let mut count = 0u64;
    for (at, (top, bottom)) in powers.iter().enumerate().rev() {
        let (quotient, rest) = numerator.div_rem(top);
        if !rest.is_zero() {
            continue;
        }
        let (below, rest) = denominator.div_rem(bottom);
        if !rest.is_zero() {
            continue;
        }
        (numerator, denominator) = (quotient, below);
        count += 1 << at;
    }
    if count == 0 || !numerator.is_positive() || denominator < BigInt::one() {
        return None;
    }
    Some((count, Rational::new(numerator, denominator)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let log = |b: i64, x: i64| rational_log(&x.into(), &b.into());
        assert_eq!(log(2, 1 << 40), Some(40.into()));
        assert_eq!(log(4, 8), Rational::new(3, 2));
        assert_eq!(log(8, 4), Rational::new(2, 3));
        assert_eq!(log(2, 3), None);
        assert_eq!(log(6, 12), None);
        assert_eq!(log(12, 1), Some(0.into()));
        let half = Rational::new(1, 2);
        assert_eq!(
            half.and_then(|h| rational_log(&h, &2.into())),
            Some((-1).into())
        );
    }

    #[test]
    fn logarithms_in_words_are_those_of_any_size() {
        for (x, base) in (2..700).flat_map(|x| (2..90).map(move |base| (x, base))) {
            let long = log_by_division(&i64::from(x).into(), &i64::from(base).into());
            assert_eq!(log_in_words(x as u64, base as u64), long, "log_{base} {x}");
        }
        for (x, base) in [
            (1 << 62, 1 << 31),
            (1 << 61, 8),
            (3_i64.pow(39), 3_i64.pow(26)),
        ] {
            let long = log_by_division(&x.into(), &base.into());
            assert_eq!(log_in_words(x as u64, base as u64), long, "log_{base} {x}");
            assert!(long.is_some());
        }
    }

    #[test]
    fn roots_and_digits() {
        assert_eq!(perfect_root(&64.into()), (2.into(), 6));
        assert_eq!(perfect_root(&12.into()), (12.into(), 1));
        assert_eq!(digit_sum(&255.into(), &16.into()), Some(30.into()));
        assert_eq!(digit_sum(&255.into(), &1.into()), None);
    }

    #[test]
    fn division_and_powers_of_small_numbers() {
        let divides = |x: i64, y: i64| divides(&x.into(), &y.into());
        assert!(divides(0, 0) && divides(-3, 9) && divides(3, -9) && divides(1, 0));
        assert!(!divides(0, 3) && !divides(4, 6));
        let power = |x: i64, y: i64| is_power_of(&x.into(), &y.into());
        assert!(power(1, 0) && power(1, 1) && power(9, 3) && power(1, 7) && power(1, -1));
        assert!(!power(0, 2) && !power(-8, -2) && !power(2, 1) && !power(6, 2) && !power(5, 0));
    }

    #[test]
    fn floor_division_follows_the_divisor() {
        for (x, y) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (i64::MIN, 1)] {
            let quotient = floor_quotient(x, y).unwrap();
            let remainder = floor_remainder(x, y).unwrap();
            assert_eq!(quotient * y + remainder, x, "{x} {y}");
            assert!(remainder == 0 || (remainder < 0) == (y < 0), "{x} {y}");
            assert!(remainder.abs() < y.abs());
        }
        assert_eq!(floor_quotient(1, 0), None);
        assert_eq!(floor_quotient(i64::MIN, -1), None);
        assert_eq!(floor_remainder(i64::MIN, -1), Some(0));
    }

    /// Numbers around and far beyond a word.
    fn number() -> impl Strategy<Value = BigInt> {
        let word = any::<i64>().prop_map(BigInt::from);
        let long = (any::<i64>(), any::<i64>()).prop_map(|(x, y)| BigInt::from(x) * y * y);
        let small = (-20i64..20).prop_map(BigInt::from);
        prop_oneof![small, word, long]
    }

    proptest! {
        #[test]
        fn words_divide_as_numbers_of_any_size(x in any::<i64>(), y in any::<i64>(), small in -9i64..9) {
            for y in [y, small, i64::MIN, -1] {
                let whole = (y != 0).then(|| BigInt::from(x).div_mod_floor(&y.into()));
                let word = |value: BigInt| value.to_i64();
                prop_assert_eq!(floor_quotient(x, y), whole.clone().and_then(|both| word(both.0)));
                prop_assert_eq!(floor_remainder(x, y), whole.and_then(|both| word(both.1)));
            }
        }

        #[test]
        fn what_is_multiplied_is_divided(x in number(), y in number(), rest in number()) {
            let product = &x * &y;
            prop_assert!(divides(&x, &product) || x.is_zero());
            let is_multiple = x.is_zero() && rest.is_zero() || !x.is_zero() && (&rest % &x).is_zero();
            prop_assert_eq!(divides(&x, &(product + &rest)), is_multiple);
        }

        #[test]
        fn powers_are_found_and_their_neighbours_are_not(base in number(), exponent in 0u32..40) {
            let power = base.pow(exponent);
            prop_assert_eq!(is_power_of(&power, &base), power.is_positive());
            if base.abs() > BigInt::from(2) && exponent > 0 && power.is_positive() {
                prop_assert!(!is_power_of(&(&power + 1), &base));
                prop_assert!(!is_power_of(&(&power * 2), &base) || base.abs() == 4.into());
            }
        }

        #[test]
        fn digits_add_up(digits in prop::collection::vec(0u32..97, 0..40), base in 97u32..2000) {
            let base = BigInt::from(base);
            let number = digits.iter().fold(BigInt::zero(), |number, digit| number * &base + digit);
            let sum: u32 = digits.iter().sum();
            prop_assert_eq!(digit_sum(&number, &base), Some(sum.into()));
        }

        #[test]
        fn floor_sums_of_large_numbers_agree_with_adding_up(
            n in 0i64..60, a in number(), c in number(), m in number(),
        ) {
            let plain = (!m.is_zero())
                .then(|| (0..n).map(|v| (&a * v + &c).div_floor(&m)).sum::<BigInt>());
            prop_assert_eq!(floor_sum(n.into(), a, c, m), plain);
        }

        #[test]
        fn logarithms_undo_powers(root in 2i64..40, i in -9i32..9, j in 1i32..9) {
            let power = |exponent| Rational::from(root).pow(exponent).expect("not 0");
            let log = rational_log(&power(i), &power(j));
            prop_assert_eq!(log, Rational::new(i, j));
        }
    }
}

//! The double nearest to a quotient of whole numbers, in machine words: what a figure in milliseconds and a
//! float of a program are rounded to. Ties go to the even double, as IEEE 754 wants.

/// Whole numbers up to here are doubles, and the quotient of two doubles is rounded to the nearest double.
pub(super) const EXACT: u64 = 1 << 53;

/// Returns the double nearest to a quotient, ties to even; the quotient need not be in lowest terms. `None`
/// if the denominator is not from 1 to 2^64 − 1.
pub(crate) fn nearest(numerator: i128, denominator: i128) -> Option<f64> {
    let divisor = u128::from(u64::try_from(denominator).ok().filter(|it| *it > 0)?);
    let size = numerator.unsigned_abs();
    let quotient = if size == 0 || size.max(divisor) <= u128::from(EXACT) {
        size as f64 / divisor as f64
    } else {
        // The scaled numerator is at least 2^127 and the divisor below 2^64, so the quotient has at least
        // 64 bits. Its last bit also stands for all bits that are cut off: a tie in the first 53 bits is
        // then told from a value just above it, and rounding goes the right way.
        let shift = size.leading_zeros();
        let scaled = size << shift;
        let bits = (scaled / divisor) | u128::from(!scaled.is_multiple_of(divisor));
        bits as f64 / (1_u128 << shift) as f64
    };
    Some(if numerator < 0 { -quotient } else { quotient })
}

/// Returns the same double for any denominator above 0, by dividing some bits at a time.
pub(crate) fn nearest_of_long(numerator: i128, denominator: i128) -> Option<f64> {
    let divisor = u128::try_from(denominator).ok().filter(|it| *it > 0)?;
    let size = numerator.unsigned_abs();
    // Invariant: size / divisor = (bits + rest / divisor) / 2^exponent.
    let (mut bits, mut rest) = (size / divisor, size % divisor);
    let mut exponent = 0_u64;
    while rest != 0 && bits < 1 << 64 {
        let shift = rest.leading_zeros().min(63);
        rest <<= shift;
        bits = (bits << shift) | (rest / divisor);
        rest %= divisor;
        exponent += u64::from(shift);
    }
    // As in `nearest`, the last bit stands for all that are cut off.
    bits |= u128::from(rest != 0);
    // A double's own bits: 2^exponent, which is at most 2^254.
    let power = f64::from_bits((1023 + exponent) << 52);
    let quotient = bits as f64 / power;
    Some(if numerator < 0 { -quotient } else { quotient })
}

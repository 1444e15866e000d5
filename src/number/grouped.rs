//! Whole numbers in a readable form.

use std::fmt::Display;

use crate::number::BigInt;

/// A number of at least this many digits is too long to read; 2^128 has 39.
const LONG: usize = 41;
/// The digits kept at either end of such a number.
const KEPT: usize = 4;

/// Returns a number for a sentence. A number too long to read keeps its first and last digits and shows how
/// many it has: `7746…0128 (121 digits)`. The parts of a fraction are cut separately.
pub(crate) fn legible(number: &impl Display) -> String {
    let text = number.to_string();
    if text.len() < LONG {
        return text;
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let is_digit = |c: char| c.is_ascii_digit() || c == '_';
        let end = number.find(|c| !is_digit(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let digits: String = number.chars().filter(char::is_ascii_digit).collect();
        out.push_str(before);
        // A float's digits are its precision: only whole numbers are cut.
        if digits.len() < LONG || before.ends_with('.') {
            out.push_str(number);
        } else {
            let (first, last) = (&digits[..KEPT], &digits[digits.len() - KEPT..]);
            out.push_str(&format!("{first}…{last} ({} digits)", digits.len()));
        }
        rest = after;
    }
    out + rest
}

/// Returns the digits in groups of three, as the language itself allows: `1_048_576`. Numbers of up to four
/// digits stay whole.
pub(crate) fn grouped(number: &BigInt) -> String {
    let text = number.to_string();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    if digits.len() <= 4 {
        return text;
    }
    // The first group takes the digits that no full group holds, 1 to 3: 7 digits give (7 − 1) mod 3 + 1 = 1.
    let first = (digits.len() - 1) % 3 + 1;
    let mut out = format!("{sign}{}", &digits[..first]);
    for start in (first..digits.len()).step_by(3) {
        out.push('_');
        out.push_str(&digits[start..start + 3]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Rational;

    #[test]
    fn digits_stand_in_threes() {
        let shown = |number: i64| grouped(&number.into());
        assert_eq!(shown(0), "0");
        assert_eq!(shown(9999), "9999");
        assert_eq!(shown(10_000), "10_000");
        assert_eq!(shown(-1_234_567), "-1_234_567");
        assert_eq!(shown(123_456), "123_456");
    }

    #[test]
    fn numbers_too_long_to_read_keep_their_ends() {
        let far: BigInt = format!("-1{}2345", "0".repeat(96)).parse().expect("digits");
        assert_eq!(legible(&far), "-1000…2345 (101 digits)");
        assert_eq!(legible(&grouped(&far)), "-1000…2345 (101 digits)");
        let half = Rational::new(far, 2).expect("not zero");
        assert_eq!(legible(&half), "-1000…2345 (101 digits)/2");
        for kept in [BigInt::from(u128::MAX), (-5).into()] {
            assert_eq!(legible(&kept), kept.to_string());
        }
        assert_eq!(legible(&0.1_f64.powi(40)), 0.1_f64.powi(40).to_string());
    }
}

//! Whole numbers as a person reads them.

use crate::number::BigInt;

/// Digits in groups of three, as the language itself allows: `1_048_576`. Numbers of up to four
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

    #[test]
    fn digits_stand_in_threes() {
        let shown = |number: i64| grouped(&number.into());
        assert_eq!(shown(0), "0");
        assert_eq!(shown(9999), "9999");
        assert_eq!(shown(10_000), "10_000");
        assert_eq!(shown(-1_234_567), "-1_234_567");
        assert_eq!(shown(123_456), "123_456");
    }
}

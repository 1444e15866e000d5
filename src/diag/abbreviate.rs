//! Numbers too long to read, in the texts of diagnostics.

/// From so many digits on a number is shortened; 2^128 has 39.
const LONG: usize = 41;
/// Digits that stay at either end.
const KEPT: usize = 4;

/// The text with far numbers as their first and last digits and how many there are:
/// `7746…0128 (121 digits)`. What stands between backticks is to be pasted and stays whole.
pub(super) fn shortened(text: String) -> String {
    if text.len() < LONG {
        return text;
    }
    let mut parts = text.split('`');
    let mut out = shorten(parts.next().unwrap_or_default());
    let mut is_quoted = true;
    for part in parts {
        out.push('`');
        match is_quoted {
            true => out.push_str(part),
            false => out.push_str(&shorten(part)),
        }
        is_quoted = !is_quoted;
    }
    out
}

fn shorten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let is_digit = |c: char| c.is_ascii_digit() || c == '_';
        let end = number.find(|c| !is_digit(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let digits: String = number.chars().filter(char::is_ascii_digit).collect();
        out.push_str(before);
        if digits.len() < LONG {
            out.push_str(number);
        } else {
            let (first, last) = (&digits[..KEPT], &digits[digits.len() - KEPT..]);
            out.push_str(&format!("{first}…{last} ({} digits)", digits.len()));
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_numbers_are_shortened() {
        let far = format!("1{}2345", "0".repeat(96));
        let shown = |text: String| shortened(text);
        assert_eq!(
            shown(format!("`b | n` does not hold for n = -{far}, b = 32")),
            "`b | n` does not hold for n = -1000…2345 (101 digits), b = 32"
        );
        assert_eq!(
            shown(format!("needs 10{}7 words", "_000".repeat(13))),
            "needs 1000…0007 (42 digits) words"
        );
        for kept in [
            format!("write `-D n={far}`, say"),
            "2^64 is 18_446_744_073_709_551_616 and no more than that".to_owned(),
            "x12 0.5 _ 7_".repeat(9),
        ] {
            assert_eq!(shown(kept.clone()), kept);
        }
    }
}

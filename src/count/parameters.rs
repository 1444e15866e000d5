//! Numbers a user gives by name: formal parameters and overrides of the machine's.

use std::borrow::Cow;

use indexmap::IndexMap;
use num_bigint::BigInt;

use crate::number::Rational;

/// Values by name, as `-D n=2^20 -D b=32` gives them, in the order given. The last value of a name wins.
/// Machine and cost parameters may be fractions (`alpha=0.01`).
///
/// ```
/// use atgpu::count::{Parameters, parse_number};
///
/// let mut parameters = Parameters::from([("n", 1 << 20), ("b", 32)]);
/// parameters.set("alpha", parse_number("0.01")?);
/// assert_eq!(parameters.get("α").map(ToString::to_string), Some("1/100".into()));
/// # Ok::<(), atgpu::count::ParseNumber>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    values: IndexMap<String, Rational>,
}

impl Parameters {
    /// Creates an empty set of values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a value. A name such as `alpha` means its Greek letter `α`.
    pub fn set(&mut self, name: &str, value: impl Into<Rational>) {
        self.values
            .insert(canonical(name).into_owned(), value.into());
    }

    /// Returns these values overridden by those of `other`.
    ///
    /// ```
    /// use atgpu::count::Parameters;
    ///
    /// let parameters = Parameters::from([("n", 64), ("b", 32)]).with([("b", 8)]);
    /// assert_eq!(parameters, Parameters::from([("n", 64), ("b", 8)]));
    /// ```
    #[must_use]
    pub fn with(mut self, other: impl Into<Parameters>) -> Self {
        self.values.extend(other.into().values);
        self
    }

    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&Rational> {
        self.values.get(canonical(name).as_ref())
    }

    /// Removes the value of a name.
    pub fn remove(&mut self, name: &str) {
        self.values.shift_remove(canonical(name).as_ref());
    }

    /// Keeps only the names for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.values.retain(|name, _| keep(name));
    }

    /// Iterates over all names and values, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Rational)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }
}

/// `[("n", 1000), ("w", 32)]`
impl<S: AsRef<str>, V: Into<Rational>, const N: usize> From<[(S, V); N]> for Parameters {
    fn from(pairs: [(S, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

/// No values.
impl From<()> for Parameters {
    fn from((): ()) -> Self {
        Parameters::new()
    }
}

impl From<&Parameters> for Parameters {
    fn from(parameters: &Parameters) -> Self {
        parameters.clone()
    }
}

impl<S: AsRef<str>, V: Into<Rational>> FromIterator<(S, V)> for Parameters {
    fn from_iter<T: IntoIterator<Item = (S, V)>>(pairs: T) -> Self {
        let mut parameters = Parameters::new();
        for (name, value) in pairs {
            parameters.set(name.as_ref(), value);
        }
        parameters
    }
}

/// Normalises a parameter's name: `alpha` becomes `α`, and a prime `′` becomes `'`.
pub(crate) fn canonical(name: &str) -> Cow<'_, str> {
    match name {
        "alpha" => "α".into(),
        "beta" => "β".into(),
        "gamma" => "γ".into(),
        "lambda" => "λ".into(),
        "sigma" => "σ".into(),
        "ell" => "ℓ".into(),
        primed if primed.contains('′') => primed.replace('′', "'").into(),
        other => other.into(),
    }
}

/// The reason why a text is not read as a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseNumber {
    /// Not of the form `12`, `1_000`, `1e6`, `0.5` or `2^20`.
    #[error("`{0}` is not a number such as 1000000, 1_000, 1e6, 0.5 or 2^20")]
    Malformed(String),
    /// A number with more than 10,000 digits.
    #[error("`{0}` has more than 10000 digits")]
    TooLarge(String),
}

/// Reads `1000000`, `1_000`, `1e6`, `2.5e-3`, `0.5`, `-7` or `2^20`, exactly.
///
/// ```
/// use atgpu::count::parse_number;
///
/// assert_eq!(parse_number("2^20"), Ok(1_048_576.into()));
/// assert_eq!(parse_number("2.5e-1").map(|x| x.to_string()), Ok("1/4".into()));
/// assert!(parse_number("twelve").is_err());
/// ```
///
/// [`ParseNumber`] if the text has none of these forms, or the number would have more than 10,000 digits.
pub fn parse_number(text: &str) -> Result<Rational, ParseNumber> {
    // The length is checked before the digits are read: parsing a huge decimal takes quadratic time. One
    // more character than digits is a sign or a point.
    let trimmed = text.trim();
    if trimmed.len() > MOST_DIGITS as usize + 1 {
        return Err(ParseNumber::TooLarge(text.chars().take(20).collect()));
    }
    number(trimmed).map_err(|why| why(text.to_owned()))
}

/// Limit on the digits of a numerator or a denominator.
const MOST_DIGITS: u32 = 10_000;

/// Builds the error from the whole text.
type Wrong = fn(String) -> ParseNumber;

fn number(text: &str) -> Result<Rational, Wrong> {
    let malformed: Wrong = ParseNumber::Malformed;
    let Some((base, exponent)) = text.split_once('^') else {
        return decimal(text);
    };
    // As in a program, -2^2 is -(2^2).
    if let Some(positive) = text.strip_prefix('-')
        && base != "-"
        && !positive.starts_with('-')
    {
        return number(positive).map(|value| -value);
    }
    let base = decimal(base)?;
    let exponent = decimal(exponent)?.to_i64().ok_or(malformed)?;
    // The power has about bits × exponent bits. Twice the limit leaves room for this estimate; `writable`
    // then counts the digits exactly.
    let bits = base.numerator().bits().max(base.denominator().bits());
    if bits.saturating_mul(exponent.unsigned_abs()) > 2 * BITS_OF_MOST_DIGITS {
        return Err(ParseNumber::TooLarge);
    }
    writable(base.pow(exponent as i32).ok_or(malformed)?)
}

/// A number with at most this many bits has at most [`MOST_DIGITS`] digits: ⌊10,000 · log₂ 10⌋.
const BITS_OF_MOST_DIGITS: u64 = 33_219;

/// Returns the number if its printed form is short enough to be read again.
fn writable(number: Rational) -> Result<Rational, Wrong> {
    // Only the few numbers near the limit are printed to count their digits: that is slow.
    let is_long = |part: &BigInt| {
        part.bits() > BITS_OF_MOST_DIGITS
            && part.magnitude().to_string().len() > MOST_DIGITS as usize
    };
    if is_long(&number.numerator()) || is_long(&number.denominator()) {
        Err(ParseNumber::TooLarge)
    } else {
        Ok(number)
    }
}

/// Parses a decimal number with an optional fraction and exponent.
fn decimal(text: &str) -> Result<Rational, Wrong> {
    let malformed: Wrong = ParseNumber::Malformed;
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().or(Err(malformed))?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = digits(whole).ok_or(malformed)?;
    let fraction = match fraction {
        "" => String::new(),
        some => digits(some).ok_or(malformed)?,
    };
    if exponent.unsigned_abs() > MOST_DIGITS {
        return Err(ParseNumber::TooLarge);
    }
    // Example: `2.5e-3` has digits 25 and exponent −3 − 1 = −4, so 25 · 10⁻⁴ = 1/400.
    let number: BigInt = format!("{whole}{fraction}").parse().or(Err(malformed))?;
    let exponent = exponent - fraction.len() as i32;
    let value = if exponent < 0 {
        Rational::decimal(number, exponent.unsigned_abs())
    } else {
        let power = Rational::from(10).pow(exponent).ok_or(malformed)?;
        &Rational::from(number) * &power
    };
    writable(if negative { -value } else { value })
}

/// Returns the digits of `1_000`. Underscores stand alone and between digits only.
fn digits(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('_').collect();
    let fine = parts
        .iter()
        .all(|part| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit()));
    fine.then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_type() {
        let read = |text: &str| parse_number(text).map(|value| value.to_string());
        assert_eq!(read("1_000").as_deref(), Ok("1000"));
        assert_eq!(read("1e6").as_deref(), Ok("1000000"));
        assert_eq!(read("2^20").as_deref(), Ok("1048576"));
        assert_eq!(read("-2^2").as_deref(), Ok("-4"));
        assert!(read("--2^2").is_err() && read("-^2").is_err());
        assert_eq!(read("0.5").as_deref(), Ok("1/2"));
        assert_eq!(read("-7").as_deref(), Ok("-7"));
        assert_eq!(read("2.5e-3").as_deref(), Ok("1/400"));
        for bad in ["", "n", "1__0", "_1", "1e", "0x10", "1/2", "--1", "."] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(matches!(
            parse_number("2^1000000"),
            Err(ParseNumber::TooLarge(_))
        ));
        // What is read can be read again as it is printed.
        for large in [
            "10e9999",
            "-1e10000",
            "010005e10000",
            "1e99999",
            "2^33220",
            "1e-10000",
        ] {
            let read = parse_number(large);
            assert!(matches!(read, Err(ParseNumber::TooLarge(_))), "{large}");
        }
        for fits in ["-9.9e9999", "2^33219", "-1e9999", "1e-9999"] {
            let shown = read(fits).expect("at most 10,000 digits");
            let whole = shown.split('/').next_back().expect("a part");
            assert!(read(whole).is_ok(), "{fits}");
        }
        // Refused before its digits are looked at: they would take seconds.
        let long = format!("0.{}1", "0".repeat(60_000));
        for text in [format!("{long}^1"), format!("2^{long}"), long] {
            let read = parse_number(&text);
            assert!(matches!(read, Err(ParseNumber::TooLarge(_))), "{read:?}");
        }
    }
}

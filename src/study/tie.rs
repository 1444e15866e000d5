//! A parameter that moves with a varied one: `--vary b=32..1024 --vary W=b/32`.

use crate::count::{Parameters, parse_number};
use crate::number::Rational;

/// A parameter that is a multiple of a varied one.
#[derive(Debug, Clone, PartialEq)]
pub struct Tie {
    /// The parameter.
    pub name: String,
    /// The varied one.
    pub to: String,
    /// The multiple.
    pub factor: Rational,
}

impl Tie {
    /// Parses `W=b`, `W=b/32`, `n=b*1024`. `None` for anything else, such as values.
    pub fn parse(given: &str) -> Option<Tie> {
        let (name, value) = given.split_once('=')?;
        let (to, number) = match value.find(['*', '·', '/']) {
            Some(at) => value.split_at(at),
            None => (value, ""),
        };
        let is_name = |name: &str| name.starts_with(|first: char| first.is_alphabetic());
        let to = Some(to.trim()).filter(|to| is_name(to))?;
        let name = Some(name.trim()).filter(|name| !name.is_empty())?;
        let factor = match number.strip_prefix('/') {
            Some(divisor) => parse_number(divisor.trim()).ok()?.recip()?,
            None if number.is_empty() => Rational::ONE,
            None => parse_number(number.trim_start_matches(['*', '·']).trim()).ok()?,
        };
        Some(Tie {
            name: name.to_owned(),
            to: to.to_owned(),
            factor,
        })
    }

    /// The value where the varied one has this.
    pub fn value(&self, of: &Rational) -> Rational {
        of * &self.factor
    }

    /// The tie with the names that values have: `alpha` is α.
    pub(super) fn canonical(&self) -> Tie {
        let canonical = |name: &str| {
            let named: Parameters = [(name, 0)].into_iter().collect();
            let mut names = named.iter().map(|(name, _)| name.to_owned());
            names.next().unwrap_or_default()
        };
        Tie {
            name: canonical(&self.name),
            to: canonical(&self.to),
            factor: self.factor.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_a_multiple_of_a_name() {
        let of_64 = |given| Tie::parse(given).map(|tie: Tie| tie.value(&64.into()));
        assert_eq!(of_64("W=b/32"), Some(2.into()));
        assert_eq!(of_64("n = b * 1024"), Some(65536.into()));
        assert_eq!(of_64("W=b"), Some(64.into()));
        for values in ["W=8", "n=2^10..2^20", "W=b/0", "W=b/", "=b", "W"] {
            assert_eq!(of_64(values), None, "{values}");
        }
    }
}

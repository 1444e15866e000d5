//! The values of one varied parameter: `n=2^16..2^26:x2`.

use std::ops::Range;

use crate::count::{Parameters, parse_number};
use crate::number::{BigInt, Rational};
use crate::study::error::{AxisProblem, BadAxis, StudyError};

/// Limit on the values given by factors, which are stored. Values given by steps are not stored, and may be
/// more.
const MOST_FACTORS: usize = 20_000;
/// Limit on the bits of a number in a range of factors. Larger numbers cannot be drawn, and 20,000
/// multiplications of them take long.
const MOST_BITS: u64 = 1024;

/// A parameter with its values, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    values: Values,
}

/// Refuses two axes of one parameter, and an axis of a parameter with a fixed value.
///
/// # Errors
/// `usage::value` with the parameter.
#[doc(hidden)]
pub fn refuse_twice(axes: &[Axis], fixed: &Parameters) -> Result<(), StudyError> {
    let twice = axes.iter().enumerate().find(|(at, axis)| {
        let before = axes[..*at].iter().any(|other| other.name == axis.name);
        before || fixed.get(&axis.name).is_some()
    });
    match twice {
        Some((_, axis)) => Err(StudyError::Twice {
            name: axis.name.clone(),
        }),
        None => Ok(()),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    Listed(Vec<Rational>),
    /// `count` values from `first` on.
    Stepped {
        first: Rational,
        step: Rational,
        count: u64,
    },
}

impl Axis {
    /// Parses `n=2^16..2^26` (by factors of 2), `n=1..1e6:x10`, `n=0..64:+8` or `n=1,10,100`. Both ends are
    /// included, the upper one if a step meets it. For a parameter that `is_whole`, fractional values are
    /// rounded down, and equal neighbours are merged.
    ///
    /// ```
    /// use atgpu::study::Axis;
    ///
    /// let axis = Axis::parse("n=1..100:x10", &|name| name == "n").expect("a range");
    /// let values: Vec<String> = (0..axis.len()).map(|at| axis.value(at).to_string()).collect();
    /// assert_eq!(values, ["1", "10", "100"]);
    ///
    /// let error = Axis::parse("n=8..4", &|_| true).expect_err("nothing in between");
    /// assert_eq!(error.problem.to_string(), "there is nothing from 8 to 4");
    /// ```
    ///
    /// # Errors
    /// [`BadAxis`] for any other form, and for a range without a value.
    pub fn parse(given: &str, is_whole: &dyn Fn(&str) -> bool) -> Result<Axis, BadAxis> {
        let bad = |problem: AxisProblem| BadAxis {
            given: given.to_owned(),
            problem,
        };
        let (name, values) = given
            .split_once('=')
            .filter(|(name, _)| !name.trim().is_empty())
            .ok_or_else(|| {
                if given.contains('=') {
                    bad(AxisProblem::NoName)
                } else {
                    bad(AxisProblem::NoValues)
                }
            })?;
        let name = name.trim();
        let number = |text: &str| parse_number(text).map_err(|why| bad(AxisProblem::Number(why)));
        let Some((low, rest)) = values.split_once("..") else {
            let listed = values.split(',').map(number).collect::<Result<_, _>>()?;
            return Ok(Axis {
                name: name.to_owned(),
                values: Values::Listed(listed),
            });
        };
        // A range without a step doubles: 8..64 is 8, 16, 32, 64.
        let (high, step) = match rest.split_once(':') {
            Some((high, step)) => (high, step.trim()),
            None => (rest, "x2"),
        };
        let (low, high) = (number(low)?, number(high)?);
        if high < low {
            return Err(bad(AxisProblem::Empty { low, high }));
        }
        let values = match (step.strip_prefix(['x', '×', '*']), step.strip_prefix('+')) {
            (Some(factor), _) => {
                let factor = number(factor)?;
                if factor <= Rational::ONE || low <= Rational::ZERO {
                    return Err(bad(AxisProblem::Factor));
                }
                for number in [&low, &high, &factor] {
                    if number.numerator().bits().max(number.denominator().bits()) > MOST_BITS {
                        return Err(bad(AxisProblem::FarFactors));
                    }
                }
                let most = MOST_FACTORS;
                let listed = powers(&low, &high, &factor, is_whole(name))
                    .ok_or_else(|| bad(AxisProblem::ManyFactors { most }))?;
                Values::Listed(listed)
            }
            (None, Some(step)) => stepped(low, &high, number(step)?).map_err(bad)?,
            (None, None) => {
                let step = step.to_owned();
                return Err(bad(AxisProblem::NoStep { step }));
            }
        };
        Ok(Axis {
            name: name.to_owned(),
            values,
        })
    }

    /// The axis with its name changed by `rename`.
    pub(super) fn renamed(self, rename: impl Fn(&str) -> String) -> Axis {
        Axis {
            name: rename(&self.name),
            values: self.values,
        }
    }

    /// The number of values; at least 1.
    pub fn len(&self) -> u64 {
        match &self.values {
            Values::Listed(values) => values.len() as u64,
            Values::Stepped { count, .. } => *count,
        }
    }

    /// Always false: an axis without values cannot be made.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at an index below [`Axis::len`].
    pub fn value(&self, place: u64) -> Rational {
        match &self.values {
            Values::Listed(values) => values[place as usize].clone(),
            Values::Stepped { first, step, .. } => {
                let place = i64::try_from(place)
                    .map_or_else(|_| BigInt::from(place).into(), Rational::from);
                first + &(step * &place)
            }
        }
    }

    /// The values at consecutive places of a grid. Each value repeats `times` times, and the whole axis
    /// repeats without end. `None` if a value is no whole number of 64 bits.
    pub(super) fn words(&self, places: Range<u64>, times: u64) -> Option<Vec<i64>> {
        let at = |place: u64| place / times % self.len();
        match &self.values {
            Values::Listed(values) => {
                let values = places.map(|place| values[at(place) as usize].to_i64());
                values.collect()
            }
            Values::Stepped { first, step, count } => {
                let (first, step) = (first.to_i64()?, step.to_i64()?);
                let last = i64::try_from(count - 1).ok()?;
                // All values lie between the first and the last, so no sum in between overflows.
                last.checked_mul(step)?.checked_add(first)?;
                let values = places.map(|place| first + step * at(place) as i64);
                Some(values.collect())
            }
        }
    }

    /// Returns true if the values are stored in a list and span a factor of at least 16, so that a drawing
    /// wants a log scale.
    pub fn is_geometric(&self) -> bool {
        match &self.values {
            Values::Listed(values) => match values.as_slice() {
                [first, .., last] => {
                    first > &Rational::ZERO && *last >= first * &Rational::from(16)
                }
                [_] | [] => false,
            },
            Values::Stepped { .. } => false,
        }
    }
}

fn powers(
    low: &Rational,
    high: &Rational,
    factor: &Rational,
    is_whole: bool,
) -> Option<Vec<Rational>> {
    let mut found: Vec<Rational> = Vec::new();
    let mut at = low.clone();
    for step in 0.. {
        if at > *high {
            break;
        }
        // Many steps may round down to one value, so the steps are limited, not the values.
        if step == MOST_FACTORS {
            return None;
        }
        let value = if is_whole && low.is_integer() {
            Rational::from(at.floor())
        } else {
            at.clone()
        };
        if found.last() != Some(&value) {
            found.push(value);
        }
        at = &at * factor;
        // A factor such as 1.0001 makes the fraction longer with every step. 256 binary places are more
        // than any value needs.
        if at.denominator().bits() > 512 {
            let scaled = (&at * &Rational::from(2).pow(256)?).floor();
            at = Rational::from(scaled).checked_div(&Rational::from(2).pow(256)?)?;
        }
    }
    Some(found)
}

fn stepped(first: Rational, high: &Rational, step: Rational) -> Result<Values, AxisProblem> {
    if step <= Rational::ZERO {
        return Err(AxisProblem::NoProgress);
    }
    let steps = (high - &first).checked_div(&step).map(|n| n.floor());
    let steps = steps.and_then(|steps| u64::try_from(steps).ok());
    match steps {
        Some(steps) if steps < 1 << 53 => Ok(Values::Stepped {
            first,
            step,
            count: steps + 1,
        }),
        Some(_) | None => Err(AxisProblem::ManyValues),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(given: &str) -> Vec<String> {
        let axis = Axis::parse(given, &|name| name != "λ").expect(given);
        (0..axis.len())
            .map(|at| axis.value(at).to_string())
            .collect()
    }

    #[test]
    fn ranges_step_by_factors_and_by_sums() {
        assert_eq!(values("n=4..32"), ["4", "8", "16", "32"]);
        assert_eq!(values("n=4..33"), ["4", "8", "16", "32"]);
        assert_eq!(values("n = 1..1e3:x10"), ["1", "10", "100", "1000"]);
        assert_eq!(values("n=0..20:+8"), ["0", "8", "16"]);
        assert_eq!(values("n=-1..1:+1"), ["-1", "0", "1"]);
        assert_eq!(values("n=3,1,2^4"), ["3", "1", "16"]);
        assert_eq!(values("n=7"), ["7"]);
        assert_eq!(values("n=7..7"), ["7"]);
        // 1, 1.5, 2.25, 3.375, 5.0625: rounded down, the second 1 dropped.
        assert_eq!(values("n=1..6:x1.5"), ["1", "2", "3", "5"]);
        assert_eq!(values("n=1..1e308:x1e100").len(), 4);
        assert_eq!(values("λ=1..2:x1.5"), ["1", "3/2"]);
        assert_eq!(values("b=0.5..1:+0.25"), ["1/2", "3/4", "1"]);
    }

    #[test]
    fn what_has_no_values_is_refused() {
        for bad in [
            "n",
            "n=",
            "=1..2",
            "n=..",
            "n=2..",
            "n=..2",
            "n=2..1",
            "n=1..2:",
            "n=1..2:3",
            "n=1..2:x1",
            "n=1..2:x0.5",
            "n=0..4",
            "n=-1..4",
            "n=1..2:+0",
            "n=1..2:+-1",
            "n=1..2:xn",
            "n=1,,2",
            "n=a..b",
            "n=1..2..3",
            "n=1..1e30:+1",
            "n=1..2^1000:x1.000001",
            "n=1..2^9000",
            "n=92233720368547758072^311..1e8000",
            "n=1e-400..1:x10",
        ] {
            assert!(Axis::parse(bad, &|_| true).is_err(), "{bad}");
        }
    }

    #[test]
    fn long_ranges_take_no_room() {
        let axis = Axis::parse("n=1..1e12:+1", &|_| true).expect("stepped");
        assert_eq!(axis.len(), 1_000_000_000_000);
        assert_eq!(axis.value(999_999_999_999).to_string(), "1000000000000");
    }
}

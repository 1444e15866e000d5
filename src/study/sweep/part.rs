//! A part of a sweep, so that several computers can share it. The partition depends on nothing else.

use std::ops::Range;

use crate::study::error::StudyError;

/// One of several consecutive parts that together are all points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    number: u64,
    of: u64,
}

impl Part {
    /// All points.
    pub(super) const ALL: Part = Part { number: 1, of: 1 };

    /// Parses `3/64`, the third of 64.
    ///
    /// # Errors
    /// `usage::value` for an invalid part.
    pub fn parse(given: &str) -> Result<Part, StudyError> {
        let bad = || StudyError::Part {
            given: given.to_owned(),
        };
        let (number, of) = given.split_once('/').ok_or_else(bad)?;
        let whole = |text: &str| text.trim().parse::<u64>().map_err(|_| bad());
        let (number, of) = (whole(number)?, whole(of)?);
        if 1 <= number && number <= of {
            Ok(Part { number, of })
        } else {
            Err(bad())
        }
    }

    /// The range of points (from 0) in this part.
    pub(super) fn of_all(self, points: u64) -> Range<u64> {
        // Part i of n ends at ⌊points · i/n⌋, so neighbours meet exactly. Example: 10 points in 3 parts are
        // 0..3, 3..6, 6..10.
        let until =
            |parts: u64| (u128::from(points) * u128::from(parts) / u128::from(self.of)) as u64;
        until(self.number - 1)..until(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_points_in_order() {
        for points in [0, 1, 7, 64, 1000, 1 << 53] {
            for of in [1, 2, 3, 64, 1001] {
                let mut at = 0;
                for number in 1..=of {
                    let part = Part { number, of }.of_all(points);
                    assert_eq!(part.start, at);
                    assert!(part.end - part.start <= points / of + 1);
                    at = part.end;
                }
                assert_eq!(at, points);
            }
        }
    }
}

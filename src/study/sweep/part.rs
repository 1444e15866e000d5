//! A part of a sweep, so that several computers share it: the same points whoever asks.

use std::ops::Range;

use crate::study::error::StudyError;

/// One of several parts of all points, which one behind the other are all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    number: u64,
    of: u64,
}

impl Part {
    /// All points.
    pub(super) const ALL: Part = Part { number: 1, of: 1 };

    /// From `3/64`, the third of 64.
    ///
    /// ```
    /// use atgpu::study::Part;
    ///
    /// assert!(Part::parse("3/64").is_ok());
    /// assert!(Part::parse("0/64").is_err() && Part::parse("65/64").is_err());
    /// ```
    ///
    /// # Errors
    /// `usage::value` where that is no part.
    pub fn parse(given: &str) -> Result<Part, StudyError> {
        let bad = || StudyError::Part {
            given: given.to_owned(),
        };
        let (number, of) = given.split_once('/').ok_or_else(bad)?;
        let whole = |text: &str| text.trim().parse::<u64>().map_err(|_| bad());
        let (number, of) = (whole(number)?, whole(of)?);
        match 1 <= number && number <= of {
            true => Ok(Part { number, of }),
            false => Err(bad()),
        }
    }

    /// Which of so many points, numbered from 0, are in it.
    pub(super) fn of_all(self, points: u64) -> Range<u64> {
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

//! A set of numbers that is emptied by counting on: the distinct blocks of one access, MP by MP.

/// Largest bound for which every number gets a place of its own in [`Seen`]: so many places stay in
/// the cache.
const FEW: usize = 1 << 13;

/// A set of numbers that is emptied by counting on, without clearing it.
#[derive(Debug)]
pub(super) struct Seen {
    /// For each number, the count that met it last; used while all numbers are small.
    own: Vec<u64>,
    /// Upper bound on the numbers.
    most: usize,
    /// For each place, the count that used it last, and its number. Empty until needed.
    places: Vec<(u64, u64)>,
    /// Number of places, a power of two.
    spread: usize,
    count: u64,
}

impl Seen {
    /// Holds at most `at_once` numbers at a time, in eight times as many places.
    pub(super) fn new(at_once: usize) -> Seen {
        Seen {
            own: Vec::new(),
            most: usize::MAX,
            places: Vec::new(),
            spread: (8 * at_once).next_power_of_two(),
            count: 0,
        }
    }

    /// Declares that the following numbers are below `most`.
    pub(super) fn at_most(&mut self, most: usize) {
        self.most = most;
        if most <= FEW && self.own.len() < most {
            self.own.resize(most, 0);
        }
    }

    /// Counts the distinct numbers of these offsets.
    #[inline(always)]
    pub(super) fn count(&mut self, offsets: &[i64], number: impl Fn(u64) -> u64) -> u64 {
        self.count += 1;
        let numbers = offsets.iter().map(|&offset| number(offset as u64));
        if self.most <= FEW {
            let of = self.count;
            let is_new = |number: u64| std::mem::replace(&mut self.own[number as usize], of) != of;
            numbers.map(is_new).map(u64::from).sum()
        } else {
            self.places.resize(self.spread, (0, 0));
            numbers.map(|number| u64::from(self.insert(number))).sum()
        }
    }

    /// Adds a number; returns true if it is new.
    #[inline]
    fn insert(&mut self, number: u64) -> bool {
        // A hash table with open addressing: places of former counts are free.
        let last = self.places.len() - 1;
        let mut at = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & last;
        loop {
            let place = &mut self.places[at];
            if place.0 != self.count {
                *place = (self.count, number);
                return true;
            }
            if place.1 == number {
                return false;
            }
            at = (at + 1) & last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_numbers_are_counted_however_many_there_may_be() {
        for most in [17, usize::MAX] {
            let mut seen = Seen::new(4);
            seen.at_most(most);
            for _ in 0..3 {
                assert_eq!(seen.count(&[8, 0, 8, 16], |offset| offset), 3);
                assert_eq!(seen.count(&[8, 0, 9, 16], |offset| offset / 8), 3);
            }
        }
    }
}

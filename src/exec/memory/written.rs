//! The words of an array that were ever written: one bit a word, and no bits at all before the
//! first
//! is written.

/// The words of an array that were ever written.
#[derive(Debug, Default)]
pub struct Written {
    words: usize,
    left: usize,
    /// A bit per word, the lowest first. Empty until the first word is written, and meaningless
    /// once
    /// all are. Bits beyond the last word are 0.
    bits: Vec<u64>,
}

const BITS: usize = 64;

impl Written {
    /// Starts with no word of so many written.
    pub(crate) fn none(words: usize) -> Written {
        Written {
            words,
            left: words,
            bits: Vec::new(),
        }
    }

    /// Starts with every word of so many written.
    pub(crate) const fn all(words: usize) -> Written {
        Written {
            words,
            left: 0,
            bits: Vec::new(),
        }
    }

    /// Number of words, written or not.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Number of words never written.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Returns true if the word at an offset was written; false beyond the end.
    ///
    /// ```
    /// let run = atgpu::examples::run();
    /// let written = &run.outcome().host["C"].written;
    /// assert!(written.get(63));
    /// assert!(!written.get(64));
    /// ```
    #[inline]
    pub fn get(&self, at: usize) -> bool {
        if self.left == 0 {
            return at < self.words;
        }
        let bits = self.bits.get(at / BITS).copied().unwrap_or(0);
        bits >> (at % BITS) & 1 == 1
    }

    /// Forgets that anything was written.
    pub(crate) fn clear(&mut self) {
        self.bits.fill(0);
        self.left = self.words;
    }

    /// Records that every word was written.
    pub(crate) fn fill(&mut self) {
        self.left = 0;
    }

    /// Records that a stretch of words was written.
    #[inline]
    pub(crate) fn mark(&mut self, at: usize, words: usize) {
        if self.left == 0 || words == 0 {
            return;
        }
        if words == self.words {
            return self.fill();
        }
        if self.bits.is_empty() {
            self.bits = vec![0; self.words.div_ceil(BITS)];
        } else if self.left == self.words {
            // The bits are meaningless since all words were written once.
            self.bits.fill(0);
        }
        let (first, last) = (at / BITS, (at + words - 1) / BITS);
        for (number, bits) in (first..).zip(&mut self.bits[first..=last]) {
            let new = mask(number, at, at + words) & !*bits;
            *bits |= new;
            self.left -= new.count_ones() as usize;
        }
    }

    /// Records that a word was written.
    #[inline]
    pub(crate) fn mark_word(&mut self, at: usize) {
        if self.left == 0 {
            return;
        }
        if self.left == self.words {
            // Bits are missing, or old ones must be forgotten.
            return self.mark(at, 1);
        }
        let (bits, bit) = (&mut self.bits[at / BITS], 1 << (at % BITS));
        self.left -= usize::from(*bits & bit == 0);
        *bits |= bit;
    }

    /// Returns the first word of a stretch that was never written.
    #[inline]
    pub(crate) fn first_unwritten(&self, at: usize, words: usize) -> Option<usize> {
        if self.left == 0 || words == 0 {
            return None;
        }
        if self.left == self.words {
            return Some(at);
        }
        let (first, last) = (at / BITS, (at + words - 1) / BITS);
        for (number, bits) in (first..).zip(&self.bits[first..=last]) {
            let missing = mask(number, at, at + words) & !bits;
            if missing != 0 {
                return Some(number * BITS + missing.trailing_zeros() as usize);
            }
        }
        None
    }
}

/// Returns the bits of a stretch within the 64 words with this number.
#[inline]
fn mask(number: usize, from: usize, to: usize) -> u64 {
    // The words 62 to 65 are the bits 62 and 63 of number 0, and the bits 0 and 1 of number 1.
    let start = number * BITS;
    let low = from.saturating_sub(start);
    let high = (to - start).min(BITS);
    (u64::MAX >> (BITS - (high - low))) << low
}

impl FromIterator<bool> for Written {
    fn from_iter<I: IntoIterator<Item = bool>>(flags: I) -> Written {
        let flags: Vec<bool> = flags.into_iter().collect();
        let mut written = Written::none(flags.len());
        for (at, flag) in flags.into_iter().enumerate() {
            if flag {
                written.mark(at, 1);
            }
        }
        written
    }
}

impl Clone for Written {
    fn clone(&self) -> Written {
        let has_meaning = self.left > 0 && self.left < self.words;
        Written {
            words: self.words,
            left: self.left,
            bits: if has_meaning {
                self.bits.clone()
            } else {
                Vec::new()
            },
        }
    }
}

impl PartialEq for Written {
    fn eq(&self, other: &Written) -> bool {
        self.words == other.words
            && self.left == other.left
            && (self.left == 0 || self.left == self.words || self.bits == other.bits)
    }
}

impl Eq for Written {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Stretches by bits are stretches of flags.
        #[test]
        fn bits_are_flags(words in 1usize..300, stretches in prop::collection::vec((0usize..300, prop_oneof![Just(1), 0usize..200]), 0..12)) {
            let mut flags = vec![false; words];
            let mut written = Written::none(words);
            for (at, length) in stretches {
                let (at, length) = (at % words, length.min(words - at % words));
                let expected = (at..at + length).find(|&at| !flags[at]);
                prop_assert_eq!(written.first_unwritten(at, length), expected);
                flags[at..at + length].fill(true);
                match length {
                    1 => written.mark_word(at),
                    length => written.mark(at, length),
                }
                prop_assert_eq!(written.left(), flags.iter().filter(|flag| !**flag).count());
                prop_assert!((0..words).all(|at| written.get(at) == flags[at]));
            }
            prop_assert_eq!(&written, &flags.iter().copied().collect::<Written>());
            prop_assert!(!written.get(words + 64));
            written.clear();
            prop_assert_eq!(written, Written::none(words));
        }
    }

    #[test]
    fn bits_of_an_earlier_life_are_forgotten() {
        let mut written = Written::none(70);
        written.mark(0, 69);
        written.fill();
        written.clear();
        assert!(!written.get(3));
        written.mark(5, 1);
        assert_eq!(written.left(), 69);
        assert_eq!(written.first_unwritten(5, 2), Some(6));
    }
}

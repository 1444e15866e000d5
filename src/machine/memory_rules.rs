//! The memory rules of a card, `[coalescing]` and `[banks]`: how the words of one access become transactions
//! and bank steps.

use crate::machine::reader::Section;

/// The rule by which the words of one global access become memory transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Coalescing {
    /// Paper 1: one transaction for each block of b words that the warp touches.
    #[default]
    Blocks,
    /// Compute capability 2.0 and later: one transaction for each aligned sector of 32 bytes that
    /// the warp touches.
    Sectors,
    /// Paper 4, section III (GTX 280): by half-warps of 16 cores, one transaction for each aligned
    /// segment of [`segment_bytes`](Coalescing::segment_bytes), shrunk to its used half.
    HalfWarp,
}

/// The rule by which the words of one shared access meet in banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Banks {
    /// Language.md §4.2: b banks for the whole warp; the degree is the most distinct words in one.
    #[default]
    Warp,
    /// Paper 4, section III (GTX 280): 16 banks of 32 bits for each half-warp; a step serves all cores
    /// at the word of the lowest core still waiting, and one core of each other bank. A wider word lies
    /// in [`bank_words`](Banks::bank_words) banks, one after the other.
    HalfWarpBroadcast,
}

/// The warps of a card, for MPs that are wider than one: each warp meets in the banks for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warps {
    /// Threads of a warp.
    pub size: i64,
    /// Banks of shared memory.
    pub banks: i64,
}

/// Cores served together, and banks, under the rules of paper 4.
pub(crate) const HALF_WARP: usize = 16;

/// Bytes of a sector, the least that device memory moves.
const SECTOR: i64 = 32;

/// Bytes of a bank's word on compute capability 1.x.
const BANK: i64 = 4;

impl Coalescing {
    const NAMES: &'static [(&'static str, Coalescing)] = &[
        ("blocks", Coalescing::Blocks),
        ("sectors", Coalescing::Sectors),
        ("half-warp", Coalescing::HalfWarp),
    ];

    /// Its name in a machine file.
    ///
    /// ```
    /// use atgpu::machine::Coalescing;
    ///
    /// assert_eq!(Coalescing::HalfWarp.name(), "half-warp");
    /// ```
    pub fn name(self) -> &'static str {
        name_of(self, Self::NAMES)
    }

    /// Bytes of a segment for words of this size: 32, 64 or 128 for 8-, 16- or wider words.
    pub(crate) const fn segment_bytes(word_bytes: i64) -> i64 {
        match word_bytes {
            ..=1 => 32,
            2..=3 => 64,
            _ => 128,
        }
    }

    /// Bytes of a sector, at least those of a word.
    pub(crate) const fn sector_bytes(word_bytes: i64) -> i64 {
        if word_bytes > SECTOR {
            word_bytes
        } else {
            SECTOR
        }
    }

    /// Words of a sector, at least 1.
    pub(crate) const fn sector_words(word_bytes: i64) -> i64 {
        Self::sector_bytes(word_bytes) / word_bytes
    }

    /// Words of a segment, at least 1.
    pub(crate) const fn segment_words(word_bytes: i64) -> i64 {
        let words = Self::segment_bytes(word_bytes) / word_bytes;
        if words < 1 { 1 } else { words }
    }

    pub(super) fn read(mut section: Section<'_, '_>) -> Option<Coalescing> {
        let rule = section.choice(
            "rule",
            Self::NAMES,
            "\"blocks\", \"sectors\" or \"half-warp\"",
        );
        section.need("rule", "rule = \"blocks\"");
        section.finish();
        rule
    }
}

impl Banks {
    /// 32-bit words of a word of so many bytes, from 1 to all 16 banks. CUDA C Programming Guide,
    /// compute capability 1.x: what is larger is compiled into as many requests of 32 bits, each with
    /// the stride of the whole words, so that neighbouring words of 64 bits meet in two-way conflicts.
    pub(crate) const fn bank_words(word_bytes: i64) -> i64 {
        // Once around the banks is where it was.
        (word_bytes - 1) / BANK % HALF_WARP as i64 + 1
    }

    const NAMES: &'static [(&'static str, Banks)] = &[
        ("warp", Banks::Warp),
        ("half-warp-broadcast", Banks::HalfWarpBroadcast),
    ];

    /// Its name in a machine file.
    ///
    /// ```
    /// use atgpu::machine::Banks;
    ///
    /// assert_eq!(Banks::HalfWarpBroadcast.name(), "half-warp-broadcast");
    /// ```
    pub fn name(self) -> &'static str {
        name_of(self, Self::NAMES)
    }

    pub(super) fn read(mut section: Section<'_, '_>) -> Option<Banks> {
        let rule = section.choice("rule", Self::NAMES, "\"warp\" or \"half-warp-broadcast\"");
        section.need("rule", "rule = \"warp\"");
        section.finish();
        rule
    }
}

fn name_of<T: Copy + PartialEq>(value: T, names: &[(&'static str, T)]) -> &'static str {
    let found = names.iter().find(|(_, known)| *known == value);
    found.map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper 4, section III: 32 bytes for 8-bit words, 64 for 16, 128 for 32, 64 and 128.
    #[test]
    fn segments_by_the_size_of_words() {
        let bytes = [1, 2, 4, 8, 16].map(Coalescing::segment_bytes);
        assert_eq!(bytes, [32, 64, 128, 128, 128]);
        assert_eq!(
            [1, 2, 4, 8, 16].map(Coalescing::segment_words),
            [32, 32, 32, 16, 8]
        );
        assert_eq!(Coalescing::segment_words(1000), 1);
    }

    /// Banks of 32 bits: words of up to 4 bytes lie in one, of 8 in two.
    #[test]
    fn banks_by_the_size_of_words() {
        assert_eq!(
            [1, 2, 4, 5, 8, 16].map(Banks::bank_words),
            [1, 1, 1, 2, 2, 4]
        );
        assert_eq!([64, 68, i64::MAX].map(Banks::bank_words), [16, 1, 16]);
    }
}

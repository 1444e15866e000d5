//! Half-warps of a card of compute capability 1.x (paper 4): its memory transactions and bank steps.

use crate::exec::lanes::Mask;
use crate::machine::{Coalescing, HALF_WARP};

/// Groups the words of the active cores by half-warp.
pub(super) fn half_warps(mask: &Mask, words: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    served_together(mask, words, HALF_WARP)
}

/// Groups the words of the active cores by so many neighbouring cores.
pub(super) fn served_together(
    mask: &Mask,
    words: impl Iterator<Item = usize>,
    size: usize,
) -> Vec<Vec<usize>> {
    let mut parts: Vec<(usize, Vec<usize>)> = Vec::new();
    for (core, word) in mask.iter().zip(words) {
        let part = core / size;
        match parts.last_mut() {
            Some((last, list)) if *last == part => list.push(word),
            _ => parts.push((part, vec![word])),
        }
    }
    parts.into_iter().map(|(_, words)| words).collect()
}

/// Returns the words served by each memory transaction, by paper 4's protocol. As long as a core
/// waits, the segment of the lowest waiting core is transferred and serves all cores in it.
pub(super) fn segments(words: &[usize], segment: usize) -> Vec<Vec<usize>> {
    // Segments of 32 words: the words 0, 40, 1 of three cores give [0, 1] and [40].
    let mut waiting = words.to_vec();
    let mut transactions = Vec::new();
    while let Some(lowest) = waiting.first() {
        let place = lowest / segment;
        let (served, left) = waiting.iter().partition(|word| *word / segment == place);
        transactions.push(served);
        waiting = left;
    }
    transactions
}

/// Returns the bytes of a transaction for these words of one segment: 128 become 64, and 64
/// become 32, where only the lower or the upper half is used.
pub(super) fn shrunk(words: &[usize], segment: usize, word_bytes: i64) -> i64 {
    // Eight words of 4 bytes at the start of a segment end at byte 32: 128 shrinks to 64 and to 32.
    // Words 15 and 16 lie on both sides of the middle, byte 64, so 128 stays 128.
    let bytes = |word: &usize| (word % segment) as i64 * word_bytes;
    let low = words.iter().map(bytes).min().unwrap_or(0);
    let high = words.iter().map(bytes).max().unwrap_or(0) + word_bytes;
    let (mut start, mut size) = (0, Coalescing::segment_bytes(word_bytes));
    while size > 32 {
        let half = size / 2;
        if high <= start + half {
            size = half;
        } else if low >= start + half {
            (start, size) = (start + half, half);
        } else {
            break;
        }
    }
    size
}

/// Returns the bank steps of a half-warp by paper 4. A step serves every core at the word of the
/// lowest waiting core, and in each other bank the lowest waiting core.
pub(super) fn steps(words: &[usize]) -> u64 {
    // The words 0, 16, 32 all lie in bank 0 and take 3 steps; the words 0, 0, 1 take one.
    let mut waiting = words.to_vec();
    let mut steps = 0;
    while let Some(&broadcast) = waiting.first() {
        let mut served = [false; HALF_WARP];
        served[broadcast % HALF_WARP] = true;
        waiting.retain(|&word| {
            if word == broadcast {
                return false;
            }
            let bank = &mut served[word % HALF_WARP];
            std::mem::replace(bank, true)
        });
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A half-warp at stride s: ⌈16 s/32⌉ segments of 32 words up to one a core.
    #[test]
    fn a_half_warp_at_a_stride() {
        let at = |stride: usize| -> Vec<usize> { (0..16).map(|core| core * stride).collect() };
        let strides = [0, 1, 2, 3, 4, 8, 16, 32, 64];
        let transactions = strides.map(|stride| segments(&at(stride), 32).len());
        assert_eq!(transactions, [1, 1, 1, 2, 2, 4, 8, 16, 16]);
        // Not aligned: one more.
        let shifted: Vec<usize> = (24..40).collect();
        assert_eq!(segments(&shifted, 32).len(), 2);
    }

    #[test]
    fn segments_shrink_to_their_used_half() {
        let of_4 = |words: &[usize]| shrunk(words, 32, 4);
        assert_eq!(of_4(&[0, 31]), 128);
        assert_eq!(of_4(&[0, 15]), 64);
        assert_eq!(of_4(&[16, 31]), 64);
        assert_eq!(of_4(&[5]), 32);
        assert_eq!(of_4(&[7, 8]), 64);
        assert_eq!(of_4(&[15, 16]), 128);
        assert_eq!(of_4(&[24 + 32, 31 + 32]), 32);
        // 16-bit words start at 64 bytes, 8-bit ones at 32 and stay there.
        let narrow = [
            shrunk(&[0, 31], 32, 2),
            shrunk(&[0, 15], 32, 2),
            shrunk(&[3], 32, 1),
        ];
        assert_eq!(narrow, [64, 32, 32]);
        assert_eq!(shrunk(&[0, 1], 8, 16), 32);
    }

    /// gcd(s, 16) steps at stride s; a broadcast is one; the same word twice in another bank is two,
    /// which language.md's rule would count once.
    #[test]
    fn bank_steps() {
        for stride in 1..=16_usize {
            let words: Vec<usize> = (0..16).map(|core| core * stride).collect();
            let gcd = num_integer::gcd(stride, 16) as u64;
            assert_eq!(steps(&words), gcd, "{stride}");
        }
        assert_eq!(steps(&[7; 16]), 1);
        assert_eq!(steps(&[0, 1, 1]), 2);
        // The broadcast word's bank waits for the others of it, all else goes along.
        assert_eq!(steps(&[0, 0, 16, 1]), 2);
        assert_eq!(steps(&[]), 0);
    }

    #[test]
    fn half_warps_hold_their_active_cores() {
        let mask = Mask::Range(14, 18);
        assert_eq!(half_warps(&mask, 1..5), [vec![1, 2], vec![3, 4]]);
    }
}

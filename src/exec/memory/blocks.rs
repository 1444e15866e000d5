//! From offsets in global memory to the blocks they touch.

use crate::exec::lanes::{Ints, Mask};

/// Counts the distinct blocks that the active cores touch.
pub(crate) fn blocks(offsets: &Ints, mask: &Mask, block: usize) -> u64 {
    let block_of = |core: usize| offsets.at(core) / block as i64;
    match (offsets, mask) {
        (Ints::Uniform(_), _) => 1,
        (Ints::Affine { stride, .. }, _) if stride.unsigned_abs() >= block as u64 => {
            mask.count() as u64
        }
        // Steps of less than a block leave no block out: the words 30, 32, 34 lie in blocks 0 and 1
        // of
        // 32 words.
        (Ints::Affine { .. }, Mask::Range(low, high)) => {
            block_of(*low).abs_diff(block_of(high - 1)) + 1
        }
        (Ints::Affine { .. } | Ints::Lanes(_), _) => {
            count_blocks(mask.iter().map(|core| offsets.at(core) as usize), block)
        }
    }
}

/// Counts the distinct blocks of any offsets.
pub(crate) fn count_blocks(offsets: impl Iterator<Item = usize>, block: usize) -> u64 {
    // Neighbours in one block are dropped at once. Ascending blocks, the usual case, need no
    // sorting.
    let mut touched: Vec<usize> = Vec::new();
    let mut is_sorted = true;
    for offset in offsets {
        let number = offset / block;
        match touched.last() {
            Some(&last) if last == number => {}
            Some(&last) => {
                is_sorted &= last < number;
                touched.push(number);
            }
            None => touched.push(number),
        }
    }
    if !is_sorted {
        touched.sort_unstable();
        touched.dedup();
    }
    touched.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_in_closed_form(
            base in 80i64..200,
            stride in -9i64..10,
            block in 1usize..9,
            low in 0usize..4,
            count in 1usize..8,
        ) {
            let offsets = if stride == 0 {
                Ints::Uniform(base)
            } else {
                Ints::Affine { base, stride }
            };
            let mask = Mask::Range(low, low + count);
            let each = mask.iter().map(|core| offsets.at(core) as usize);
            prop_assert_eq!(blocks(&offsets, &mask, block), count_blocks(each, block));
        }
    }
}

//! Blocks of words, copied between host and device.
//!
//! Takes the ends of two blocks. Copies them, or gives the fault of the first word that is outside,
//! never written or not admitted. Counts nothing.

use num_traits::Signed;

use crate::exec::error::{Error, Result};
use crate::exec::host::arrays::Arrays;
use crate::exec::host::instance::Instance;
use crate::exec::memory::{Store, out_of_bounds, strides, within, word_name};
use crate::exec::{Data, Progress, Work};
use crate::meaning::fault::{Fault, Place};
use crate::number::BigInt;
use crate::program::{Direction, Extent, Region, Transfer};
use crate::text::Span;

/// Words of a transfer between two looks at the progress callback.
const WORDS_BETWEEN_LOOKS: usize = 1 << 20;

/// First index and length of each dimension.
type Block = Vec<(usize, usize)>;

/// Checks a region against its array; an empty block is `None` and is in bounds anywhere.
pub(super) fn within_bounds(
    instance: &Instance<'_>,
    region: &Region,
    ranges: Ranges,
) -> Result<Option<Block>> {
    if ranges.is_empty() {
        return Ok(None);
    }
    let shape = &instance.extents[region.variable.0 as usize];
    let mut inside = Vec::with_capacity(shape.len());
    for (dimension, (low, high)) in ranges.0.iter().enumerate() {
        let (first, last) = match &region.extents[dimension] {
            Extent::All => (region.span, region.span),
            Extent::At(index) => (index.span, index.span),
            Extent::Range(low, high) => (low.span, high.span),
        };
        let place = |index: &BigInt, span: Span| {
            within(index, shape[dimension]).ok_or_else(|| {
                out_of_bounds(
                    instance.program,
                    region.variable,
                    shape,
                    (dimension, index),
                    Place::default(),
                    span,
                )
            })
        };
        let (low, high) = (place(low, first)?, place(high, last)?);
        inside.push((low, high - low + 1));
    }
    Ok(Some(inside))
}

/// Copies a block to another of as many words.
pub(super) fn copy(
    (instance, arrays): (&Instance<'_>, &mut Arrays),
    progress: &dyn Progress,
    transfer: &Transfer,
    (target, to): (&Region, Option<Block>),
    (source, from): (&Region, Option<Block>),
) -> Result<()> {
    let (Some(to), Some(from)) = (to, from) else {
        return Ok(());
    };
    let (target_id, source_id) = (target.variable.0 as usize, source.variable.0 as usize);
    let (hosts, globals) = (&mut arrays.host, &mut arrays.global.stores);
    let (target_store, source_store) = match transfer.direction {
        Direction::Inward => (&mut globals[target_id], &mut hosts[source_id]),
        Direction::Outward => (&mut hosts[target_id], &mut globals[source_id]),
    };
    let (Some(target_store), Some(source_store)) = (target_store, source_store) else {
        unreachable!("checked: a transfer joins a host and a global variable");
    };
    // A whole array that may hold any word is shared, and copied only when one side is written.
    let is_whole = |region: &[(usize, usize)], shape: &[usize]| {
        region.iter().map(|(_, length)| length).eq(shape)
    };
    if is_whole(&to, &target_store.shape)
        && is_whole(&from, &source_store.shape)
        && target_store.may_hold(source_store)
        && source_store.written.left() == 0
        && instance.admitted[target_id].is_none()
    {
        target_store.hold(source_store.share());
        return Ok(());
    }
    let source_store = &*source_store;
    let mut to = Runs::new(&target_store.shape, &to);
    let mut from = Runs::new(&source_store.shape, &from);
    loop {
        // A piece is one run of neighbours on both sides. Its length is the shorter rest of the
        // two present runs, at most what is copied between two looks.
        let most = to.left_in_run().min(from.left_in_run());
        let words = most.min(WORDS_BETWEEN_LOOKS);
        if words == 0 {
            return Ok(());
        }
        let (to_offset, from_offset) = (to.take(words), from.take(words));
        check(
            instance,
            transfer,
            (target, target_store, to_offset),
            (source, source_store, from_offset),
            words,
        )?;
        target_store.copy(to_offset, source_store, from_offset, words);
        if words == WORDS_BETWEEN_LOOKS && progress.advance(Work::default()).is_break() {
            return Err(Box::new(Error::Stopped));
        }
    }
}

/// Checks a piece before it is copied: all words were written, and the target admits them.
fn check(
    instance: &Instance<'_>,
    transfer: &Transfer,
    (target, target_store, to_offset): (&Region, &Store, usize),
    (source, source_store, from_offset): (&Region, &Store, usize),
    words: usize,
) -> Result<()> {
    if let Some(at) = source_store.written.first_unwritten(from_offset, words) {
        let shape = &source_store.shape;
        return Err(Error::of(Fault::Unwritten {
            inward: instance.program.inward_instead(target, source),
            word: word_name(instance.program, source.variable, shape, at),
            place: Place::default(),
            span: source.span,
        }));
    }
    let Some(range) = &instance.admitted[target.variable.0 as usize] else {
        return Ok(());
    };
    let outside = (0..words).find(|at| {
        let value = source_store.get(from_offset + at);
        match target_store.data() {
            Data::Int(_) => !range.admits(&value),
            Data::Float(_) => !range.admits_float(value.to_float()),
        }
    });
    match outside {
        None => Ok(()),
        Some(at) => Err(Error::of(Fault::OutsideDeclared {
            word: word_name(
                instance.program,
                target.variable,
                &target_store.shape,
                to_offset + at,
            ),
            value: source_store.get(from_offset + at).to_string(),
            low: range.low.to_string(),
            high: range.high.to_string(),
            place: Place::default(),
            span: transfer.span,
            declaration: instance.program.variable(target.variable).span,
        })),
    }
}

/// First and last index of each dimension of a block.
pub(super) struct Ranges(pub Vec<(BigInt, BigInt)>);

impl Ranges {
    fn is_empty(&self) -> bool {
        self.0.iter().any(|(low, high)| high < low)
    }

    /// Returns the number of words.
    pub(super) fn words(&self) -> BigInt {
        if self.is_empty() {
            return BigInt::from(0);
        }
        let lengths = self.0.iter().map(|(low, high)| high - low + 1);
        let words: BigInt = lengths.product();
        debug_assert!(words.is_positive());
        words
    }
}

/// The words of a block in row-major order, as runs of neighbours.
struct Runs {
    /// Words in each run.
    length: usize,
    /// Words of the current run already taken.
    taken: usize,
    /// The outer dimensions: index in the block, length, words between two neighbours.
    outer: Vec<(usize, usize, usize)>,
    /// Offset at which the current run starts.
    start: usize,
    is_done: bool,
}

impl Runs {
    /// Starts at the first word of a block that is not empty.
    fn new(shape: &[usize], block: &[(usize, usize)]) -> Runs {
        let strides = strides(shape);
        let start = block
            .iter()
            .zip(&strides)
            .map(|((low, _), stride)| low * stride)
            .sum();
        // Full inner dimensions make one run with the dimension around them. In a 4 × 8 array the
        // block of rows 1..2 is one run of 16 words, the columns 0..3 of it are two runs of 4.
        let mut inner = block.len();
        let mut length = 1;
        while inner > 0 {
            inner -= 1;
            length *= block[inner].1;
            if block[inner].1 != shape[inner] {
                break;
            }
        }
        let outer = (0..inner).map(|dimension| (0, block[dimension].1, strides[dimension]));
        Runs {
            length,
            taken: 0,
            outer: outer.collect(),
            start,
            is_done: false,
        }
    }

    /// Returns the number of neighbours that come next; 0 at the end.
    fn left_in_run(&self) -> usize {
        if self.is_done {
            0
        } else {
            self.length - self.taken
        }
    }

    /// Takes the next words, and returns their offset.
    fn take(&mut self, words: usize) -> usize {
        let offset = self.start + self.taken;
        self.taken += words;
        if self.taken == self.length {
            self.taken = 0;
            self.next_run();
        }
        offset
    }

    fn next_run(&mut self) {
        for (index, length, stride) in self.outer.iter_mut().rev() {
            *index += 1;
            self.start += *stride;
            if *index < *length {
                return;
            }
            self.start -= *stride * *length;
            *index = 0;
        }
        self.is_done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(shape: &[usize], block: &[(usize, usize)], at_once: usize) -> Vec<usize> {
        let mut runs = Runs::new(shape, block);
        let mut offsets = Vec::new();
        while runs.left_in_run() > 0 {
            let words = runs.left_in_run().min(at_once);
            let offset = runs.take(words);
            offsets.extend(offset..offset + words);
        }
        offsets
    }

    #[test]
    fn blocks_are_taken_in_row_major_order() {
        assert_eq!(offsets(&[], &[], 9), [0]);
        assert_eq!(offsets(&[4], &[(1, 3)], 2), [1, 2, 3]);
        assert_eq!(
            offsets(&[3, 4], &[(1, 2), (0, 4)], 99),
            [4, 5, 6, 7, 8, 9, 10, 11]
        );
        assert_eq!(offsets(&[3, 4], &[(0, 3), (1, 2)], 99), [1, 2, 5, 6, 9, 10]);
        assert_eq!(
            offsets(&[2, 2, 3], &[(0, 2), (1, 1), (0, 2)], 1),
            [3, 4, 9, 10]
        );
    }
}

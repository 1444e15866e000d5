//! Words of one array for all active cores at once, read or written at an offset per core.
//!
//! The offsets lie inside the array for every active core. Reads of words never written give
//! `None`;
//! races and declared ranges are checked by the caller.

use crate::exec::Data;
use crate::exec::lanes::{Buffers, Floats, Ints, Mask};
use crate::exec::memory::Store;
use crate::exec::memory::written::Written;
use crate::program::VarId;

/// The memory that expressions read.
pub(crate) trait Words {
    /// Returns degree − 1 of an operand; 0 if there are no banks.
    fn conflict(&mut self, variable: VarId, offsets: &Ints, mask: &Mask) -> u64;

    /// Returns the array of a variable; `None` if it cannot be read.
    fn readable(&self, variable: VarId) -> Option<&Store>;

    /// Reads an int per active core; `None` if one was never written.
    #[inline]
    fn read_ints(
        &self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        buffers: &mut Buffers,
    ) -> Option<Ints> {
        let store = self.readable(variable)?;
        let Data::Int(words) = store.data() else {
            unreachable!("compiled as ints");
        };
        if !all_written(&store.written, offsets, mask) {
            return None;
        }
        if let Some(at) = same_word(offsets, mask) {
            return Some(Ints::Uniform(words[at]));
        }
        let mut lanes = buffers.ints();
        gather(words, offsets, mask, &mut lanes);
        Some(Ints::Lanes(lanes))
    }

    /// Reads a float per active core; `None` if one was never written.
    #[inline]
    fn read_floats(
        &self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        buffers: &mut Buffers,
    ) -> Option<Floats> {
        let store = self.readable(variable)?;
        let Data::Float(words) = store.data() else {
            unreachable!("compiled as floats");
        };
        if !all_written(&store.written, offsets, mask) {
            return None;
        }
        if let Some(at) = same_word(offsets, mask) {
            return Some(Floats::Uniform(words[at]));
        }
        let mut lanes = buffers.floats();
        gather(words, offsets, mask, &mut lanes);
        Some(Floats::Lanes(lanes))
    }
}

/// Returns the word that all cores read. Without active cores there is none, and the offset is
/// arbitrary.
#[inline]
fn same_word(offsets: &Ints, mask: &Mask) -> Option<usize> {
    match offsets {
        Ints::Uniform(offset) if !mask.is_empty() => Some(*offset as usize),
        Ints::Uniform(_) | Ints::Affine { .. } | Ints::Lanes(_) => None,
    }
}

/// Returns true if every word at the offsets was written.
#[inline]
pub(crate) fn all_written(written: &Written, offsets: &Ints, mask: &Mask) -> bool {
    if written.left() == 0 {
        return true;
    }
    match (offsets, mask) {
        (Ints::Uniform(offset), _) => mask.is_empty() || written.get(*offset as usize),
        (Ints::Affine { base, stride: 1 }, Mask::Range(low, high)) => {
            let at = (base + *low as i64) as usize;
            written.first_unwritten(at, high - low).is_none()
        }
        _ => mask.all(|core| written.get(offsets.at(core) as usize)),
    }
}

/// Records that the words were written.
#[inline]
pub(crate) fn mark_written(written: &mut Written, offsets: &Ints, mask: &Mask) {
    if written.left() == 0 {
        return;
    }
    match (offsets, mask) {
        (Ints::Uniform(offset), _) => written.mark(*offset as usize, 1),
        (Ints::Affine { base, stride: 1 }, Mask::Range(low, high)) => {
            written.mark((base + *low as i64) as usize, high - low);
        }
        _ => mask.each(|core| written.mark(offsets.at(core) as usize, 1)),
    }
}

/// Copies the words at the offsets to their cores.
#[inline]
pub(crate) fn gather<T: Copy>(words: &[T], offsets: &Ints, mask: &Mask, lanes: &mut [T]) {
    // The usual access, `a[ib + j]`, is a stretch of neighbours and is copied as one.
    match (offsets, mask) {
        (Ints::Affine { base, stride: 1 }, Mask::Range(low, high)) => {
            let at = (base + *low as i64) as usize;
            lanes[*low..*high].copy_from_slice(&words[at..at + (high - low)]);
        }
        (Ints::Affine { base, stride }, Mask::Range(low, high)) => {
            let mut at = base + stride * *low as i64;
            for lane in &mut lanes[*low..*high] {
                *lane = words[at as usize];
                at = at.wrapping_add(*stride);
            }
        }
        _ => mask.each(|core| lanes[core] = words[offsets.at(core) as usize]),
    }
}

/// Copies the values of the cores to the words at the offsets.
#[inline]
pub(crate) fn scatter<T: Copy>(words: &mut [T], offsets: &Ints, mask: &Mask, lanes: &[T]) {
    match (offsets, mask) {
        (Ints::Affine { base, stride: 1 }, Mask::Range(low, high)) => {
            let at = (base + *low as i64) as usize;
            words[at..at + (high - low)].copy_from_slice(&lanes[*low..*high]);
        }
        _ => mask.each(|core| words[offsets.at(core) as usize] = lanes[core]),
    }
}

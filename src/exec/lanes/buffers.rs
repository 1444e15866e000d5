//! Reusable room for intermediate words, so that the fast form allocates little while a kernel
//! runs.

use crate::exec::lanes::{Floats, Ints};

/// Free buffers of one word per core.
#[derive(Debug)]
pub(in crate::exec) struct Buffers {
    /// b
    pub(super) cores: usize,
    pub(super) ints: Vec<Vec<i64>>,
    pub(super) floats: Vec<Vec<f64>>,
}

impl Buffers {
    /// Starts without buffers, for MPs of b cores.
    pub(in crate::exec) fn new(cores: usize) -> Buffers {
        Buffers {
            cores,
            ints: Vec::new(),
            floats: Vec::new(),
        }
    }

    /// Returns a buffer of arbitrary ints.
    #[inline]
    pub(in crate::exec) fn ints(&mut self) -> Vec<i64> {
        self.ints.pop().unwrap_or_else(|| vec![0; self.cores])
    }

    /// Returns a buffer of arbitrary floats.
    #[inline]
    pub(in crate::exec) fn floats(&mut self) -> Vec<f64> {
        self.floats.pop().unwrap_or_else(|| vec![0.0; self.cores])
    }

    /// Takes back the buffer of a value, if it has one.
    #[inline]
    pub(in crate::exec) fn free(&mut self, ints: Ints) {
        if let Ints::Lanes(lanes) = ints {
            self.ints.push(lanes);
        }
    }

    /// Takes back the buffer of a value, if it has one.
    #[inline]
    pub(in crate::exec) fn free_floats(&mut self, floats: Floats) {
        if let Floats::Lanes(lanes) = floats {
            self.floats.push(lanes);
        }
    }

    /// Writes a value out as one word per core, whatever its form.
    pub(super) fn spread(&mut self, ints: Ints) -> Vec<i64> {
        match ints {
            Ints::Lanes(lanes) => lanes,
            Ints::Uniform(value) => {
                let mut lanes = self.ints();
                lanes.fill(value);
                lanes
            }
            Ints::Affine { base, stride } => {
                let mut lanes = self.ints();
                let mut value = base;
                for lane in &mut lanes {
                    *lane = value;
                    value = value.wrapping_add(stride);
                }
                lanes
            }
        }
    }

    /// Returns base + stride · core, if that fits a word for every core.
    #[inline]
    pub(in crate::exec) fn affine(&self, base: i64, stride: i64) -> Option<Ints> {
        if stride == 0 {
            return Some(Ints::Uniform(base));
        }
        // A line is monotone, so it fits everywhere if it fits at the first and the last core.
        let last = stride.checked_mul(self.cores as i64 - 1)?;
        base.checked_add(last)?;
        Some(Ints::Affine { base, stride })
    }
}

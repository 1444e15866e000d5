//! Words of either type, as arrays hold them.

use crate::exec::Data;
use crate::meaning::value::same_bits;

/// A word of either type.
pub(crate) trait Word: Copy {
    /// Returns the words of an array, if it has this type.
    fn words_mut(data: &mut Data) -> Option<&mut [Self]>;
    /// Returns true if the bits are equal.
    fn same(self, other: Self) -> bool;
}

impl Word for i64 {
    fn words_mut(data: &mut Data) -> Option<&mut [i64]> {
        match data {
            Data::Int(words) => Some(words),
            Data::Float(_) => None,
        }
    }

    fn same(self, other: i64) -> bool {
        self == other
    }
}

impl Word for f64 {
    fn words_mut(data: &mut Data) -> Option<&mut [f64]> {
        match data {
            Data::Float(words) => Some(words),
            Data::Int(_) => None,
        }
    }

    fn same(self, other: f64) -> bool {
        same_bits(self, other)
    }
}

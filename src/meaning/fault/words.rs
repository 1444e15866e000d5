//! The words of faults: takes places of a run, indices and extents, and writes them as every message does.

use std::fmt;

use crate::number::{BigInt, legible};

/// A place in the machine; the host has neither MP nor core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The MP's numbers, one per dimension.
    pub mp: Vec<i64>,
    /// The core, 0 … b−1.
    pub core: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mp.as_slice() {
            [] => return f.write_str("the host"),
            [number] => write!(f, "MP {number}")?,
            numbers => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                write!(f, "MP ({})", numbers.join(", "))?;
            }
        }
        match self.core {
            Some(core) => write!(f, ", core {core}"),
            None => Ok(()),
        }
    }
}

/// An index outside its dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutOfBounds {
    /// The variable.
    pub variable: String,
    /// The index, from 0.
    pub dimension: usize,
    /// The number of dimensions.
    pub dimensions: usize,
    /// The value of the index.
    pub index: String,
    /// The extent.
    pub extent: BigInt,
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutOfBounds {
            variable,
            index,
            extent,
            ..
        } = self;
        if self.dimensions > 1 {
            write!(f, "index {} of `{variable}`", self.dimension + 1)?;
        } else {
            write!(f, "the index of `{variable}`")?;
        }
        if *extent == BigInt::ZERO {
            write!(f, " is {index}, but its extent is 0")
        } else {
            write!(f, " is {index}, outside 0..{}", legible(&(extent - 1)))
        }
    }
}

/// The word of an array at an offset, as a program writes it: `a[3, 4]`.
pub(crate) fn word_name<E>(variable: &str, extents: &[E], offset: u64) -> String
where
    E: Copy + TryInto<u64>,
{
    let mut rest = offset;
    let mut indices: Vec<String> = Vec::new();
    for extent in extents.iter().rev() {
        let extent = (*extent).try_into().map_or(1, |extent| extent.max(1));
        indices.push((rest % extent).to_string());
        rest /= extent;
    }
    indices.reverse();
    if indices.is_empty() {
        variable.to_owned()
    } else {
        format!("{variable}[{}]", indices.join(", "))
    }
}

/// The shape of an array: `2 × 3`; `one word`.
pub(crate) fn shape_text<E: fmt::Display>(extents: &[E]) -> String {
    if extents.is_empty() {
        return "one word".into();
    }
    let extents: Vec<String> = extents.iter().map(legible).collect();
    extents.join(" × ")
}

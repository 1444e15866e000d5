//! Where the cores of an MP must wait for each other: between an access to a word and a later one
//! of another core, unless it is proved that no two cores meet there.
//!
//! Each access is known by its array, the cores that may take part, and in each dimension its index
//! as something common to all cores plus a known offset of each. Two accesses meet unless a
//! dimension in which both are known so, with a known difference between what is common, keeps
//! all pairs of different cores apart; also where that difference is known but for a multiple of b, as
//! between rows of b words. What is not known may always meet.

use std::collections::HashMap;

use num_traits::Zero;

use crate::program::VarId;
use crate::sym::{Expr, Symbol};

/// The index of an access in one dimension.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Index {
    /// What is common to all cores.
    pub common: Expr,
    /// What each core adds.
    pub offsets: Vec<i64>,
    /// Whether a multiple of b that nobody knows is added: then two indices may only be compared modulo b.
    pub is_row: bool,
}

/// An access of the cores of an MP.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Access {
    pub array: VarId,
    pub is_write: bool,
    /// None where it is not known.
    pub indices: Vec<Option<Index>>,
    /// Which cores may take part.
    pub cores: Vec<bool>,
}

impl Access {
    /// Whether two different cores may touch the same word, one of them writing.
    fn meets(&self, other: &Access) -> bool {
        if self.array != other.array || !(self.is_write || other.is_write) {
            return false;
        }
        let cores = self.cores.len() as i64;
        let mut keys: Vec<Key<'_>> = Vec::new();
        for pair in self.indices.iter().zip(&other.indices) {
            let (Some(one), Some(two)) = pair else {
                continue;
            };
            let apart = &two.common - &one.common;
            let (apart, modulus) = if one.is_row || two.is_row {
                let within = without_rows(&apart, &apart.symbols(), cores);
                let within = within.and_then(|within| within.as_integer());
                (within.map(|it| it % cores), Some(cores))
            } else {
                (apart.as_integer(), None)
            };
            let Some(apart) = apart else {
                continue;
            };
            match i64::try_from(&apart) {
                Ok(apart) => keys.push(Key {
                    one,
                    two,
                    apart,
                    modulus,
                }),
                // Further apart than cores can make up for.
                Err(_) => return false,
            }
        }
        // Of each word the first core that may touch it, and whether there is another.
        let mut touched: HashMap<Vec<i64>, (usize, bool)> = HashMap::new();
        for core in active(&self.cores) {
            let key = keys.iter().map(|key| key.of_one(core)).collect();
            let entry = touched.entry(key).or_insert((core, false));
            entry.1 |= entry.0 != core;
        }
        active(&other.cores).any(|core| {
            let key: Vec<i64> = keys.iter().map(|key| key.of_two(core)).collect();
            touched
                .get(&key)
                .is_some_and(|(first, are_more)| *are_more || *first != core)
        })
    }

    /// The same access once a symbol has taken another value.
    fn without(&self, symbols: &[Symbol]) -> Access {
        let cores = self.cores.len() as i64;
        let indices = self.indices.iter().map(|index| {
            let mut index = index.clone()?;
            if symbols.iter().any(|symbol| index.common.contains(symbol)) {
                index.common = without_rows(&index.common, symbols, cores)?;
                index.is_row = true;
            }
            Some(index)
        });
        Access {
            indices: indices.collect(),
            ..self.clone()
        }
    }
}

/// A number without these symbols, which are whole, where they have multiples of so many cores before them.
fn without_rows<'s>(
    number: &Expr,
    symbols: impl IntoIterator<Item = &'s Symbol>,
    cores: i64,
) -> Option<Expr> {
    let mut left = number.clone();
    for symbol in symbols {
        if left.contains(symbol) {
            let [rest, slope] = left.linear_in(symbol)?;
            let is_row = (slope.as_integer()? % cores).is_zero();
            left = is_row.then_some(rest)?;
        }
    }
    Some(left)
}

/// Indices of two accesses in a dimension where they are known to be so far apart.
struct Key<'i> {
    one: &'i Index,
    two: &'i Index,
    apart: i64,
    /// What they are compared modulo.
    modulus: Option<i64>,
}

impl Key<'_> {
    fn of_one(&self, core: usize) -> i64 {
        self.compared(self.one.offsets[core])
    }

    fn of_two(&self, core: usize) -> i64 {
        self.compared(self.two.offsets[core].wrapping_add(self.apart))
    }

    fn compared(&self, offset: i64) -> i64 {
        match self.modulus {
            Some(modulus) => offset.rem_euclid(modulus),
            None => offset,
        }
    }
}

fn active(cores: &[bool]) -> impl Iterator<Item = usize> {
    let cores = cores.iter().enumerate();
    cores
        .filter(|(_, is_active)| **is_active)
        .map(|(core, _)| core)
}

/// The accesses since all cores last waited for each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pending(Vec<Access>);

impl Pending {
    /// Whether some core must wait before these accesses.
    pub(crate) fn needs_barrier(&self, next: &[Access]) -> bool {
        let mut pending = self.0.iter();
        pending.any(|access| next.iter().any(|next| access.meets(next)))
    }

    /// Whether accesses that follow one another in one statement meet.
    pub(crate) fn meet(first: &[Access], then: &[Access]) -> bool {
        first
            .iter()
            .any(|one| then.iter().any(|two| one.meets(two)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn add(&mut self, accesses: &[Access]) {
        for access in accesses {
            if !self.0.contains(access) {
                self.0.push(access.clone());
            }
        }
    }

    /// What is pending when a loop begins again and these symbols have taken other values.
    pub(crate) fn stale(&self, symbols: &[Symbol]) -> Pending {
        let mut stale = Pending::default();
        for access in &self.0 {
            stale.add(&[access.without(symbols)]);
        }
        stale
    }

    pub(crate) fn join(&mut self, other: &Pending) {
        self.add(&other.0);
    }
}

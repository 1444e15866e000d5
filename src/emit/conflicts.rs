//! Where the cores of an MP must wait for each other: between an access to a word and a later one
//! of another core, unless it is proved that no two cores meet there.
//!
//! Each access is known by its array, the cores that may take part, and in each dimension its index
//! as something common to all cores plus a known offset of each. Two accesses meet unless a
//! dimension in which both are known so, with a known difference between what is common, keeps
//! all pairs of different cores apart. What is not known may always meet.

use std::collections::HashMap;

use crate::program::VarId;
use crate::sym::{Expr, Symbol};

/// The index of an access in one dimension.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Index {
    /// What is common to all cores.
    pub common: Expr,
    /// What each core adds.
    pub offsets: Vec<i64>,
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
        let mut keys: Vec<(&Index, &Index, i64)> = Vec::new();
        for pair in self.indices.iter().zip(&other.indices) {
            if let (Some(one), Some(two)) = pair
                && let Some(apart) = two.common.sub(&one.common).as_integer()
            {
                match i64::try_from(&apart) {
                    Ok(apart) => keys.push((one, two, apart)),
                    // Further apart than cores can make up for.
                    Err(_) => return false,
                }
            }
        }
        // Of each word the first core that may touch it, and whether there is another.
        let mut touched: HashMap<Vec<i64>, (usize, bool)> = HashMap::new();
        for core in active(&self.cores) {
            let key = keys.iter().map(|(one, _, _)| one.offsets[core]).collect();
            let entry = touched.entry(key).or_insert((core, false));
            entry.1 |= entry.0 != core;
        }
        active(&other.cores).any(|core| {
            let offset =
                |(_, two, apart): &(&Index, &Index, i64)| two.offsets[core].wrapping_add(*apart);
            let key: Vec<i64> = keys.iter().map(offset).collect();
            touched
                .get(&key)
                .is_some_and(|(first, are_more)| *are_more || *first != core)
        })
    }

    /// The same access once a symbol has taken another value.
    fn without(&self, symbols: &[Symbol]) -> Access {
        let indices = self.indices.iter().map(|index| {
            let index = index.as_ref()?;
            let is_stale = symbols.iter().any(|symbol| index.common.contains(symbol));
            (!is_stale).then(|| index.clone())
        });
        Access {
            indices: indices.collect(),
            ..self.clone()
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

//! Values of all cores of one MP at once: the arithmetic of the fast form.
//!
//! A quantity that is the same for all cores is one word ([`Ints::Uniform`]). One that grows evenly
//! from core to core, as an index usually does, is two ([`Ints::Affine`]). Everything else is one
//! word per core. An operation is exact in 64 bits or not done at all: it gives `None` when a
//! result of an active core overflows, is no whole number or does not exist. The caller then falls
//! back on the reference form. Values of inactive cores are arbitrary.
//!
//! The forms themselves stand here; operations of `ints`, `floats` and `truths` have a file each,
//! all on the same `buffers`. No memory is read here, and nothing is counted.

mod buffers;
mod floats;
mod ints;
#[cfg(test)]
mod tests;
mod truths;

pub(super) use buffers::Buffers;

/// The active cores: never empty while a statement executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mask {
    /// The cores from the first to before the second.
    Range(usize, usize),
    /// These, ascending, and not a range.
    List(Vec<u32>),
}

impl Mask {
    /// Returns the number of active cores.
    pub(super) fn count(&self) -> usize {
        match self {
            Mask::Range(low, high) => high - low,
            Mask::List(cores) => cores.len(),
        }
    }

    /// Returns the first active core.
    pub(super) fn first(&self) -> usize {
        match self {
            Mask::Range(low, _) => *low,
            Mask::List(cores) => cores[0] as usize,
        }
    }

    /// Returns the last active core.
    pub(super) fn last(&self) -> usize {
        match self {
            Mask::Range(_, high) => high - 1,
            Mask::List(cores) => cores[cores.len() - 1] as usize,
        }
    }

    /// Iterates over the active cores, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let (range, list): (_, &[u32]) = match self {
            Mask::Range(low, high) => (*low..*high, &[]),
            Mask::List(cores) => (0..0, cores),
        };
        range.chain(list.iter().map(|&core| core as usize))
    }

    /// Calls `visit` with every active core, ascending; quicker than [`iter`](Self::iter).
    #[inline(always)]
    pub(super) fn each(&self, mut visit: impl FnMut(usize)) {
        match self {
            Mask::Range(low, high) => (*low..*high).for_each(visit),
            Mask::List(cores) => cores.iter().for_each(|&core| visit(core as usize)),
        }
    }

    /// Returns true if something holds for every active core.
    #[inline(always)]
    pub(super) fn all(&self, mut holds: impl FnMut(usize) -> bool) -> bool {
        match self {
            Mask::Range(low, high) => (*low..*high).all(holds),
            Mask::List(cores) => cores.iter().all(|&core| holds(core as usize)),
        }
    }

    /// Builds the mask of these cores, given ascending; no cores give an empty range.
    pub(super) fn of(cores: Vec<u32>) -> Mask {
        match (cores.first(), cores.last()) {
            (Some(&first), Some(&last)) if (last - first) as usize + 1 == cores.len() => {
                Mask::Range(first as usize, last as usize + 1)
            }
            (Some(_), Some(_)) => Mask::List(cores),
            _ => Mask::Range(0, 0),
        }
    }

    /// Returns the active cores for which a condition holds.
    pub(super) fn narrow(&self, truths: &Truths) -> Mask {
        // Ranges stay ranges where possible, because loops over them need no list of cores: 0..8
        // narrowed to 4..12 is 4..8.
        match (self, truths) {
            (_, Truths::Uniform(true)) => self.clone(),
            (_, Truths::Uniform(false)) => Mask::Range(0, 0),
            (Mask::Range(low, high), Truths::Range(from, to)) => {
                let (low, high) = (*low.max(from), *high.min(to));
                Mask::Range(low.min(high), high)
            }
            (Mask::List(cores), Truths::Range(from, to)) => {
                let inside = cores
                    .iter()
                    .filter(|&&core| (*from..*to).contains(&(core as usize)));
                Mask::of(inside.copied().collect())
            }
            (_, Truths::Lanes(truths)) => {
                let mut cores = Vec::with_capacity(self.count());
                self.each(|core| {
                    if truths[core] {
                        cores.push(core as u32);
                    }
                });
                Mask::of(cores)
            }
        }
    }

    /// Returns true if no core is active.
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

/// A whole number per core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ints {
    /// The same for all.
    Uniform(i64),
    /// base + stride · core; fits for every core of the MP, stride ≠ 0.
    Affine { base: i64, stride: i64 },
    /// One each.
    Lanes(Vec<i64>),
}

impl Ints {
    /// Returns the value of one core.
    #[inline(always)]
    pub(super) fn at(&self, core: usize) -> i64 {
        match self {
            Ints::Uniform(value) => *value,
            Ints::Affine { base, stride } => base.wrapping_add(stride.wrapping_mul(core as i64)),
            Ints::Lanes(lanes) => lanes[core],
        }
    }

    /// Returns base and stride, unless every core has a value of its own.
    #[inline]
    pub(super) fn line(&self) -> Option<(i64, i64)> {
        match self {
            Ints::Uniform(value) => Some((*value, 0)),
            Ints::Affine { base, stride } => Some((*base, *stride)),
            Ints::Lanes(_) => None,
        }
    }
}

/// A float per core.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Floats {
    /// The same for all.
    Uniform(f64),
    /// One each.
    Lanes(Vec<f64>),
}

impl Floats {
    /// Returns the value of one core.
    #[inline(always)]
    pub(super) fn at(&self, core: usize) -> f64 {
        match self {
            Floats::Uniform(value) => *value,
            Floats::Lanes(lanes) => lanes[core],
        }
    }
}

/// A condition per core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truths {
    /// The same for all.
    Uniform(bool),
    /// True from the first core to before the second, false elsewhere.
    Range(usize, usize),
    /// One each.
    Lanes(Vec<bool>),
}

impl Truths {
    /// Returns the truth for one core.
    #[inline(always)]
    pub(super) fn at(&self, core: usize) -> bool {
        match self {
            Truths::Uniform(truth) => *truth,
            Truths::Range(from, to) => (*from..*to).contains(&core),
            Truths::Lanes(truths) => truths[core],
        }
    }
}

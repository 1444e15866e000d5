//! One value, one condition or one bit for each core of an MP, and the MPs counted together.

use crate::interval::value::{Truth, Value};
use crate::syntax::ast::Comparison;

/// A set of cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mask {
    bits: Vec<u64>,
}

impl Mask {
    pub(super) fn all(cores: usize) -> Mask {
        let mut bits = vec![u64::MAX; cores.div_ceil(64)];
        if let (Some(last), true) = (bits.last_mut(), !cores.is_multiple_of(64)) {
            *last = (1 << (cores % 64)) - 1;
        }
        Mask { bits }
    }

    pub(super) fn none(cores: usize) -> Mask {
        Mask {
            bits: vec![0; cores.div_ceil(64)],
        }
    }

    pub(super) fn contains(&self, core: usize) -> bool {
        self.bits[core / 64] >> (core % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, core: usize) {
        self.bits[core / 64] |= 1 << (core % 64);
    }

    pub(super) fn remove(&mut self, core: usize) {
        self.bits[core / 64] &= !(1 << (core % 64));
    }

    /// The cores from `low` on, below `high`.
    pub(super) fn between(&self, low: usize, high: usize) -> Mask {
        let mut part = Mask {
            bits: vec![0; self.bits.len()],
        };
        for core in (low..high.min(64 * self.bits.len())).filter(|core| self.contains(*core)) {
            part.insert(core);
        }
        part
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bits.iter().all(|bits| *bits == 0)
    }

    pub(super) fn count(&self) -> u64 {
        self.bits
            .iter()
            .map(|bits| u64::from(bits.count_ones()))
            .sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().flat_map(|(at, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }
}

/// The cores that execute an instruction: `must` certainly do, and only `may` can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Active {
    pub(super) must: Mask,
    pub(super) may: Mask,
}

impl Active {
    pub(super) fn all(cores: usize) -> Active {
        Active {
            must: Mask::all(cores),
            may: Mask::all(cores),
        }
    }

    pub(super) fn is_certain(&self) -> bool {
        self.must == self.may
    }

    /// Returns the cores for which a condition holds too.
    pub(super) fn and(&self, truths: &Truths) -> Active {
        match truths {
            Truths::Same(Truth::True) => self.clone(),
            Truths::Same(Truth::False) => {
                let cores = self.may.bits.len() * 64;
                Active {
                    must: Mask::none(cores),
                    may: Mask::none(cores),
                }
            }
            Truths::Same(Truth::Maybe) => Active {
                must: Mask::none(self.may.bits.len() * 64),
                may: self.may.clone(),
            },
            Truths::Each(truths) => {
                let mut result = self.clone();
                for core in self.may.iter() {
                    match truths[core] {
                        Truth::True => {}
                        Truth::Maybe => result.must.remove(core),
                        Truth::False => {
                            result.must.remove(core);
                            result.may.remove(core);
                        }
                    }
                }
                result
            }
        }
    }
}

/// One condition per core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Truths {
    Same(Truth),
    Each(Vec<Truth>),
}

impl Truths {
    pub(super) fn get(&self, core: usize) -> Truth {
        match self {
            Truths::Same(truth) => *truth,
            Truths::Each(truths) => truths[core],
        }
    }

    pub(super) fn zip(&self, other: &Truths, f: impl Fn(Truth, Truth) -> Truth) -> Truths {
        match (self, other) {
            (Truths::Same(x), Truths::Same(y)) => Truths::Same(f(*x, *y)),
            (Truths::Each(truths), _) => Truths::Each(
                truths
                    .iter()
                    .enumerate()
                    .map(|(core, truth)| f(*truth, other.get(core)))
                    .collect(),
            ),
            (Truths::Same(truth), Truths::Each(others)) => {
                Truths::Each(others.iter().map(|other| f(*truth, *other)).collect())
            }
        }
    }

    pub(super) fn not(&self) -> Truths {
        match self {
            Truths::Same(truth) => Truths::Same(truth.not()),
            Truths::Each(truths) => Truths::Each(truths.iter().map(|truth| truth.not()).collect()),
        }
    }
}

/// Number of dimensions of MPs.
pub(super) const MP_DIMENSIONS: usize = 3;

/// Dimensions of MPs, and one for each nested loop whose iterations are counted together.
pub(super) const DIMENSIONS: usize = MP_DIMENSIONS + 3;

/// The growth of a value per step of each MP dimension, and of each loop counted together.
pub(crate) type Slope = [i64; DIMENSIONS];

/// No growth.
pub(super) const FLAT: Slope = [0; DIMENSIONS];

/// One whole number per core.
#[derive(Debug, Clone)]
pub(crate) enum Base {
    Same(i64),
    Each(Vec<i64>),
}

impl Base {
    pub(super) fn get(&self, core: usize) -> i64 {
        match self {
            Base::Same(value) => *value,
            Base::Each(values) => values[core],
        }
    }
}

/// One value per core.
#[derive(Debug, Clone)]
pub(crate) enum Lanes {
    /// Known whole numbers: a base per core, plus the slope times the MP's numbers.
    Known { base: Base, slope: Slope },
    /// One range for every core; no [`Value::Int`].
    Same(Value),
    /// Anything else.
    Each(Vec<Value>),
}

impl Lanes {
    pub(super) fn same(value: Value) -> Lanes {
        match value {
            Value::Int(value) => Lanes::Known {
                base: Base::Same(value),
                slope: FLAT,
            },
            Value::Range(..)
            | Value::Exact(_)
            | Value::Float(_)
            | Value::Floats(..)
            | Value::AnyFloat => Lanes::Same(value),
        }
    }

    pub(super) fn whole(values: Vec<i64>) -> Lanes {
        Lanes::Known {
            base: Base::Each(values),
            slope: FLAT,
        }
    }

    /// Packs values into their simplest form.
    pub(super) fn each(values: Vec<Value>) -> Lanes {
        let whole = |value: &Value| match value {
            Value::Int(value) => Some(*value),
            _ => None,
        };
        match values.iter().map(whole).collect::<Option<Vec<i64>>>() {
            Some(values) => Lanes::whole(values),
            None => Lanes::Each(values),
        }
    }

    pub(super) fn slope(&self) -> Slope {
        match self {
            Lanes::Known { slope, .. } => *slope,
            Lanes::Same(_) | Lanes::Each(_) => FLAT,
        }
    }

    /// Returns the value of a core, for lanes without a slope.
    pub(super) fn get(&self, core: usize) -> Value {
        match self {
            Lanes::Known { base, .. } => Value::Int(base.get(core)),
            Lanes::Same(value) => value.clone(),
            Lanes::Each(values) => values[core].clone(),
        }
    }

    pub(super) fn agrees(&self, other: &Lanes) -> bool {
        match (self, other) {
            (Lanes::Known { base, slope }, Lanes::Known { base: b, slope: s }) => {
                slope == s
                    && match (base, b) {
                        (Base::Same(x), Base::Same(y)) => x == y,
                        (Base::Each(x), Base::Each(y)) => x == y,
                        (Base::Same(_), Base::Each(_)) | (Base::Each(_), Base::Same(_)) => false,
                    }
            }
            (Lanes::Same(x), Lanes::Same(y)) => x.same(y),
            (Lanes::Each(x), Lanes::Each(y)) => x.iter().zip(y).all(|(x, y)| x.same(y)),
            (Lanes::Known { .. } | Lanes::Same(_) | Lanes::Each(_), _) => false,
        }
    }
}

/// The reason why a group of MPs cannot be counted together, or at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bail {
    /// The behaviour is not affine in the MP's number of these dimensions (a set of bits): count
    /// them one by one.
    Separate(u8),
    /// The behaviour differs between the MPs of this dimension: try its halves.
    Halve(usize),
    /// The caller's budget of work is spent.
    Budget,
    /// The caller wants to stop.
    Interrupted,
    /// A loop without an upper bound, by its line index.
    Unbounded(usize),
    /// A count of one MP beyond 64 bits.
    TooLarge,
}

impl Bail {
    /// Returns true if the behaviour differs along this dimension.
    pub(super) fn is_about(self, dimension: usize) -> bool {
        match self {
            Bail::Separate(set) => set & (1 << dimension) != 0,
            Bail::Halve(halved) => halved == dimension,
            _ => false,
        }
    }
}

/// Most residues that are looked at one by one.
const MOST_RESIDUES: i64 = 64;

/// Most distances that are looked at one by one.
const MOST_DISTANCES: i64 = 1 << 20;

/// A box of MPs, and of iterations of the loops around, that are counted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(super) low: Slope,
    pub(super) high: Slope,
}

impl Group {
    pub(super) fn is_single(&self, dimension: usize) -> bool {
        self.low[dimension] == self.high[dimension]
    }

    /// Returns the number of MPs, times the iterations counted together.
    pub(super) fn count(&self) -> u128 {
        (0..DIMENSIONS)
            .map(|d| (i128::from(self.high[d]) - i128::from(self.low[d]) + 1) as u128)
            .product()
    }

    /// Returns how far a slope moves a value from its place on the first MP and in the first
    /// iteration.
    /// Each distance occurs once, in ascending order. `None` if there are too many.
    pub(super) fn distances(&self, slope: &Slope) -> Option<Vec<i64>> {
        // The distances of one dimension are added to all of those before: slopes 1 and 10 over 3
        // and 2
        // values give 0 1 2 10 11 12.
        let mut distances = vec![0i64];
        for d in (0..DIMENSIONS).filter(|d| slope[*d] != 0) {
            let steps = self.high[d].checked_sub(self.low[d])?;
            let most = steps.checked_add(1)?.checked_mul(distances.len() as i64)?;
            if most > MOST_DISTANCES {
                return None;
            }
            let farther = |from: &i64, step: i64| from.checked_add(step.checked_mul(slope[d])?);
            distances = (0..=steps)
                .flat_map(|step| distances.iter().map(move |from| farther(from, step)))
                .collect::<Option<_>>()?;
            distances.sort_unstable();
            distances.dedup();
        }
        Some(distances)
    }

    /// Returns the distances that a slope makes, modulo a number, from the first; `None` if they are many.
    pub(super) fn residues(&self, slope: &Slope, modulus: i64) -> Option<Vec<i64>> {
        let mut residues = vec![0i64];
        for d in (0..DIMENSIONS).filter(|d| slope[*d] != 0) {
            // Whatever the number of MPs, a slope of 32 words modulo 1024 has 32 distances.
            let period = modulus / num_integer::gcd(slope[d], modulus);
            let steps = self.high[d].checked_sub(self.low[d])?.min(period - 1);
            if steps.checked_add(1)?.checked_mul(residues.len() as i64)? > MOST_RESIDUES {
                return None;
            }
            residues = (0..=steps)
                .flat_map(|step| residues.iter().map(move |from| from + step * slope[d]))
                .map(|distance| distance.rem_euclid(modulus))
                .collect();
        }
        Some(residues)
    }

    /// Returns the set of dimensions in which a slope makes values differ.
    pub(super) fn spread(&self, slope: &Slope) -> u8 {
        (0..DIMENSIONS)
            .filter(|d| slope[*d] != 0 && !self.is_single(*d))
            .fold(0, |set, d| set | 1 << d)
    }

    /// Returns the least and the most that a slope adds to a base.
    pub(super) fn extremes(&self, slope: &Slope) -> (i128, i128) {
        let (mut least, mut most) = (0i128, 0i128);
        for ((low, high), step) in self.low.iter().zip(&self.high).zip(slope) {
            if *step == 0 {
                continue;
            }
            let ends = [low, high].map(|end| i128::from(*end) * i128::from(*step));
            least += ends[0].min(ends[1]);
            most += ends[0].max(ends[1]);
        }
        (least, most)
    }

    /// Returns the addition of a slope to a base on the first MP.
    pub(super) fn at_first(&self, slope: &Slope) -> i128 {
        (0..DIMENSIONS)
            .filter(|d| slope[*d] != 0)
            .map(|d| i128::from(self.low[d]) * i128::from(slope[d]))
            .sum()
    }

    /// Compares `base + slope·MP` with 0 on all MPs; `None` if they differ.
    pub(super) fn compare_zero(
        &self,
        operator: Comparison,
        base: i128,
        slope: &Slope,
    ) -> Option<bool> {
        let (least, most) = self.extremes(slope);
        let truth = crate::interval::value::compare_intervals(
            operator,
            (base + least, base + most),
            (0, 0),
        );
        match truth {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Maybe => None,
        }
    }

    /// Returns the request to halve the longest dimension in which a slope differs. Repeated, it
    /// makes
    /// the values of all MPs in a group agree.
    pub(super) fn halve(&self, slope: &Slope) -> Bail {
        let longest = (0..DIMENSIONS)
            .filter(|d| slope[*d] != 0)
            .max_by_key(|d| self.high[*d] - self.low[*d]);
        Bail::Halve(longest.unwrap_or(0))
    }
}

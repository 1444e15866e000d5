//! Random data for inputs, the same on every platform and for every order of the inputs; and data at the ends of the
//! ranges that random data have.
//!
//! The same seed and name give the same words. What an emitted program draws is the same data.

use crate::exec::error::{Error, Result};
use crate::exec::memory::Admitted;
use crate::exec::{Data, Input};
use crate::program::Variable;
use crate::syntax::ast::{Property, WordType};

/// Draws the words of an input, within its range and as its property says, or takes them from the ends of that range.
pub(super) fn words(
    variable: &Variable,
    words: usize,
    admitted: Option<&Admitted>,
    input: &Input,
    seed: u64,
) -> Result<Data> {
    let mut generator = Generator::new(seed, &variable.name);
    Ok(match (variable.word_type, variable.property) {
        (WordType::Int, Some(property @ (Property::Permutation | Property::List))) => {
            let order = order(words, input, &mut generator);
            let ints = match property {
                Property::List => successors(&order),
                Property::Permutation | Property::Sorted => order,
            };
            check_ints(variable, &ints, admitted)?;
            Data::Int(ints)
        }
        (WordType::Int, property) => {
            let ends = admitted.map_or((-100, 100), |range| range.ints);
            refuse_empty(variable, words, ends, admitted)?;
            let (low, high) = ends;
            let rising = |at| between(low, high, at, words);
            let mut ints = spread(words, input, ends, rising, || generator.int(low, high));
            if property.is_some() {
                ints.sort_unstable();
            }
            Data::Int(ints)
        }
        (WordType::Float, property) => {
            let ends = admitted.map_or((0.0, 1.0), |range| range.floats);
            refuse_empty(variable, words, ends, admitted)?;
            let (low, high) = ends;
            let part = |at: usize| at as f64 / words.saturating_sub(1).max(1) as f64;
            let rising = |at| weighted(low, high, part(at));
            let mut floats = spread(words, input, ends, rising, || generator.float(low, high));
            if property.is_some() {
                floats.sort_unstable_by(f64::total_cmp);
            }
            Data::Float(floats)
        }
    })
}

/// An order of 0 … `words` − 1: as they are, from the last down, or drawn.
fn order(words: usize, input: &Input, generator: &mut Generator) -> Vec<i64> {
    match input {
        Input::Least | Input::Rising => (0..words as i64).collect(),
        Input::Most => (0..words as i64).rev().collect(),
        _ => generator.permutation(words),
    }
}

/// Words of a range: all at one of its ends, from one end to the other, or drawn.
fn spread<T: Copy>(
    words: usize,
    input: &Input,
    (low, high): (T, T),
    rising: impl Fn(usize) -> T,
    mut draw: impl FnMut() -> T,
) -> Vec<T> {
    match input {
        Input::Least => vec![low; words],
        Input::Most => vec![high; words],
        Input::Rising => (0..words).map(rising).collect(),
        _ => (0..words).map(|_| draw()).collect(),
    }
}

/// Fails where a word is wanted of a declared range that admits none. Ends that cannot be compared admit none.
fn refuse_empty<T: PartialOrd>(
    variable: &Variable,
    words: usize,
    (low, high): (T, T),
    admitted: Option<&Admitted>,
) -> Result<()> {
    match admitted {
        Some(range)
            if words > 0 && !matches!(low.partial_cmp(&high), Some(order) if order.is_le()) =>
        {
            Err(Box::new(Error::EmptyRange {
                variable: variable.name.clone(),
                low: range.low.to_string(),
                high: range.high.to_string(),
                span: variable.span,
            }))
        }
        _ => Ok(()),
    }
}

/// The number at a place of so many from `low` to `high`.
fn between(low: i64, high: i64, at: usize, words: usize) -> i64 {
    let last = words.saturating_sub(1).max(1) as i128;
    let width = i128::from(high) - i128::from(low);
    (i128::from(low) + width * at as i128 / last) as i64
}

/// The number at a part, from 0 to 1, of the way from `low` to `high`. Weighted, so that a range as wide as all floats
/// does not overflow.
fn weighted(low: f64, high: f64, part: f64) -> f64 {
    (low * (1.0 - part) + high * part).clamp(low, high)
}

/// Fails at the first int that the declared range leaves out: a permutation has all of 0 … n − 1.
fn check_ints(variable: &Variable, ints: &[i64], admitted: Option<&Admitted>) -> Result<()> {
    let Some(range) = admitted else {
        return Ok(());
    };
    match ints.iter().copied().find(|&int| !range.admits_int(int)) {
        None => Ok(()),
        Some(int) => Err(Box::new(Error::InputOutside {
            word: variable.name.clone(),
            value: int.to_string(),
            low: range.low.to_string(),
            high: range.high.to_string(),
            span: variable.span,
        })),
    }
}

/// Returns the successor array of the list that visits elements in this order.
pub(super) fn successors(order: &[i64]) -> Vec<i64> {
    // The order 2, 0, 1 gives next[2] = 0, next[0] = 1 and next[1] = 1: the last points to itself.
    let mut next = vec![0; order.len()];
    for pair in order.windows(2) {
        next[pair[0] as usize] = pair[1];
    }
    if let Some(&last) = order.last() {
        next[last as usize] = last;
    }
    next
}

/// The generator SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every platform.
pub(super) struct Generator {
    state: u64,
}

impl Generator {
    pub(super) fn new(seed: u64, name: &str) -> Generator {
        // The name is mixed into the seed, so that each input has its own sequence and adding an
        // input changes no other.
        let mut generator = Generator { state: seed };
        for byte in name.bytes() {
            generator.state = generator.next() ^ u64::from(byte);
        }
        generator
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws an int of `low..=high`; the bias of the scaling is below 2^-64 times the range.
    pub(super) fn int(&mut self, low: i64, high: i64) -> i64 {
        let values = (i128::from(high) - i128::from(low) + 1) as u128;
        let scaled = match values.checked_mul(u128::from(self.next())) {
            Some(product) => product >> 64,
            // All 2^64 values.
            None => u128::from(self.next()),
        };
        (i128::from(low) + scaled as i128) as i64
    }

    /// Draws a float of `low..=high`.
    pub(super) fn float(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        weighted(low, high, unit)
    }

    pub(super) fn permutation(&mut self, words: usize) -> Vec<i64> {
        // Fisher and Yates: each place from the last down swaps with one at or below it.
        let mut order: Vec<i64> = (0..words as i64).collect();
        for at in (1..words).rev() {
            let other = self.int(0, at as i64) as usize;
            order.swap(at, other);
        }
        order
    }
}

//! Input data: drawn at random, made by rule, or given; and checked against their declarations.

use num_traits::ToPrimitive;

use crate::exec::error::{Breach, Error, Result};
use crate::exec::memory::{Admitted, word_name};
use crate::exec::{Array, Data, Input};
use crate::meaning::fault::{Fault, shape_text};
use crate::meaning::value::Value;
use crate::number::{Rational, legible};
use crate::program::{Program, VarId, Variable};
use crate::syntax::ast::{Property, WordType};

/// Makes the words of an input: of the variable's type, within its range, and as its property says.
pub(crate) fn words(
    program: &Program,
    id: VarId,
    shape: &[usize],
    admitted: Option<&Admitted>,
    input: &Input,
    seed: u64,
) -> Result<Data> {
    let variable = program.variable(id);
    let words = shape.iter().product();
    let data = match input {
        Input::Given(array) => return given(program, id, shape, admitted, array),
        Input::Random => return random(variable, words, admitted, seed),
        Input::Iota => by_rule(variable, words, |at| Rational::from(at as i64))?,
        Input::Zeros => by_rule(variable, words, |_| Rational::ZERO)?,
        Input::Ones => by_rule(variable, words, |_| Rational::ONE)?,
        Input::Fill(value) => by_rule(variable, words, |_| value.clone())?,
    };
    check(program, id, shape, admitted, &data)?;
    Ok(data)
}

fn by_rule(variable: &Variable, words: usize, rule: impl Fn(usize) -> Rational) -> Result<Data> {
    Ok(match variable.word_type {
        WordType::Float => Data::Float((0..words).map(|at| rule(at).to_f64()).collect()),
        WordType::Int => {
            let ints = (0..words).map(|at| {
                let value = rule(at);
                if !value.is_integer() {
                    return Err(Box::new(Error::InputType {
                        variable: variable.name.clone(),
                        span: variable.span,
                    }));
                }
                value.to_i64().ok_or_else(|| {
                    Error::of(Fault::Overflow {
                        value: legible(&value),
                        place: Default::default(),
                        span: variable.span,
                    })
                })
            });
            Data::Int(ints.collect::<Result<_>>()?)
        }
    })
}

/// Checks and converts given data. They fit if they have the declared shape, or are flat and have
/// as many words.
fn given(
    program: &Program,
    id: VarId,
    shape: &[usize],
    admitted: Option<&Admitted>,
    array: &Array,
) -> Result<Data> {
    let variable = program.variable(id);
    let words: usize = shape.iter().product();
    let fits = array.data.len() == words
        && (array.shape == shape || array.shape.len() <= 1 || shape.is_empty());
    if !fits {
        return Err(Box::new(Error::InputShape {
            variable: variable.name.clone(),
            given: shape_text(&array.shape),
            declared: shape_text(shape),
            fitting: fitting(program, variable, shape, &array.shape),
            span: variable.span,
        }));
    }
    let data = match (variable.word_type, &array.data) {
        (WordType::Int, Data::Float(_)) => {
            return Err(Box::new(Error::InputType {
                variable: variable.name.clone(),
                span: variable.span,
            }));
        }
        (WordType::Float, Data::Int(ints)) => {
            Data::Float(ints.iter().map(|&int| int as f64).collect())
        }
        (WordType::Int, data @ Data::Int(_)) | (WordType::Float, data @ Data::Float(_)) => {
            data.clone()
        }
    };
    check(program, id, shape, admitted, &data)?;
    Ok(data)
}

/// Returns the formals that stand alone as an extent in which the data differ, with the extent of
/// the data.
fn fitting(
    program: &Program,
    variable: &Variable,
    declared: &[usize],
    found: &[usize],
) -> Vec<(String, usize)> {
    if declared.len() != found.len() {
        return Vec::new();
    }
    let extents = declared
        .iter()
        .zip(found)
        .zip(program.lone_formals(variable));
    extents
        .filter(|((declared, found), _)| declared != found)
        .filter_map(|((_, found), formal)| Some((formal?.to_owned(), *found)))
        .collect()
}

fn check(
    program: &Program,
    id: VarId,
    shape: &[usize],
    admitted: Option<&Admitted>,
    data: &Data,
) -> Result<()> {
    let variable = program.variable(id);
    if let Some(range) = admitted {
        let outside = match data {
            Data::Int(ints) => ints.iter().position(|&int| !range.admits_int(int)),
            Data::Float(floats) => floats.iter().position(|&float| !range.admits_float(float)),
        };
        if let Some(at) = outside {
            return Err(Box::new(Error::InputOutside {
                word: word_name(program, id, shape, at),
                value: word(data, at).to_string(),
                low: range.low.to_string(),
                high: range.high.to_string(),
                span: variable.span,
            }));
        }
    }
    let Some(property) = variable.property else {
        return Ok(());
    };
    let name = |at: usize| word_name(program, id, shape, at);
    let breach = match (property, data) {
        (Property::Sorted, data) => unsorted(data, name),
        (Property::Permutation, Data::Int(ints)) => no_permutation(ints, name),
        (Property::List, Data::Int(ints)) => no_list(ints, name),
        (Property::Permutation | Property::List, Data::Float(_)) => {
            unreachable!("checked: floats are no permutation and no list")
        }
    };
    match breach {
        None => Ok(()),
        Some(breach) => Err(Box::new(Error::Property {
            variable: variable.name.clone(),
            property,
            breach,
            span: variable.span,
        })),
    }
}

fn word(data: &Data, at: usize) -> Value {
    match data {
        Data::Int(ints) => Value::Whole(ints[at]),
        Data::Float(floats) => Value::Float(floats[at]),
    }
}

fn unsorted(data: &Data, name: impl Fn(usize) -> String) -> Option<Breach> {
    let descent = match data {
        Data::Int(ints) => ints.windows(2).position(|pair| pair[0] > pair[1]),
        // Written so that a NaN is out of order, also a single one.
        Data::Float(floats) => match floats.as_slice() {
            [only] if only.is_nan() => Some(0),
            _ => floats
                .windows(2)
                .position(|pair| !matches!(pair, [a, b] if a <= b)),
        },
    }?;
    let next = (descent + 1).min(data.len() - 1);
    Some(Breach::Descent(
        [descent, next].map(|at| (name(at), word(data, at))),
    ))
}

fn no_permutation(ints: &[i64], name: impl Fn(usize) -> String) -> Option<Breach> {
    let mut seen: Vec<Option<usize>> = vec![None; ints.len()];
    for (at, &int) in ints.iter().enumerate() {
        let Some(slot) = int.to_usize().and_then(|int| seen.get_mut(int)) else {
            return Some(outside(name(at), int, ints));
        };
        if let Some(earlier) = slot.replace(at) {
            let words = [name(earlier), name(at)];
            return Some(Breach::Same { words, value: int });
        }
    }
    None
}

fn outside(word: String, value: i64, ints: &[i64]) -> Breach {
    let last = ints.len() - 1;
    Breach::Outside { word, value, last }
}

fn no_list(ints: &[i64], name: impl Fn(usize) -> String) -> Option<Breach> {
    let words = ints.len();
    // `follows[x]` is the element that points to x.
    let mut follows: Vec<Option<usize>> = vec![None; words];
    let mut last = None;
    for (at, &int) in ints.iter().enumerate() {
        let Some(next) = int.to_usize().filter(|&next| next < words) else {
            return Some(outside(name(at), int, ints));
        };
        if next == at {
            if let Some(other) = last.replace(at) {
                return Some(Breach::Ends([name(other), name(at)]));
            }
        } else if let Some(other) = follows[next].replace(at) {
            let words = [name(other), name(at)];
            return Some(Breach::Same { words, value: int });
        }
    }
    let Some(last) = last else {
        return (words > 0).then_some(Breach::NoEnd);
    };
    // No two elements share a successor, so walking back from the end meets every element of the
    // list once; whatever it misses lies on a cycle.
    let mut met = 1;
    let mut at = last;
    while let Some(before) = follows[at] {
        met += 1;
        at = before;
    }
    (met < words).then(|| Breach::Short {
        met,
        words,
        end: name(last),
    })
}

fn random(
    variable: &Variable,
    words: usize,
    admitted: Option<&Admitted>,
    seed: u64,
) -> Result<Data> {
    let mut generator = Generator::new(seed, &variable.name);
    let empty = |range: &Admitted| {
        Box::new(Error::EmptyRange {
            variable: variable.name.clone(),
            low: range.low.to_string(),
            high: range.high.to_string(),
            span: variable.span,
        })
    };
    let ints_outside = |ints: &[i64]| match admitted {
        Some(range) => ints.iter().copied().find(|&int| !range.admits_int(int)),
        None => None,
    };
    let data = match (variable.word_type, variable.property) {
        (WordType::Int, Some(property @ (Property::Permutation | Property::List))) => {
            let order = generator.permutation(words);
            let ints = match property {
                Property::List => successors(&order),
                Property::Permutation | Property::Sorted => order,
            };
            if let (Some(int), Some(range)) = (ints_outside(&ints), admitted) {
                return Err(Box::new(Error::InputOutside {
                    word: variable.name.clone(),
                    value: int.to_string(),
                    low: range.low.to_string(),
                    high: range.high.to_string(),
                    span: variable.span,
                }));
            }
            Data::Int(ints)
        }
        (WordType::Int, property) => {
            let (low, high) = admitted.map_or((-100, 100), |range| range.ints);
            if words > 0 && low > high {
                return Err(empty(admitted.expect("the default range is not empty")));
            }
            let mut ints: Vec<i64> = (0..words).map(|_| generator.int(low, high)).collect();
            if property.is_some() {
                ints.sort_unstable();
            }
            Data::Int(ints)
        }
        (WordType::Float, property) => {
            let (low, high) = admitted.map_or((0.0, 1.0), |range| range.floats);
            if words > 0 && !matches!(low.partial_cmp(&high), Some(order) if order.is_le()) {
                return Err(empty(admitted.expect("the default range is not empty")));
            }
            let mut floats: Vec<f64> = (0..words).map(|_| generator.float(low, high)).collect();
            if property.is_some() {
                floats.sort_unstable_by(f64::total_cmp);
            }
            Data::Float(floats)
        }
    };
    Ok(data)
}

/// Returns the successor array of the list that visits elements in this order.
fn successors(order: &[i64]) -> Vec<i64> {
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
struct Generator {
    state: u64,
}

impl Generator {
    fn new(seed: u64, name: &str) -> Generator {
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
    fn int(&mut self, low: i64, high: i64) -> i64 {
        let values = (i128::from(high) - i128::from(low) + 1) as u128;
        let scaled = match values.checked_mul(u128::from(self.next())) {
            Some(product) => product >> 64,
            // All 2^64 values.
            None => u128::from(self.next()),
        };
        (i128::from(low) + scaled as i128) as i64
    }

    /// Draws a float of `low..=high`.
    fn float(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        // Weighted, so that a range as wide as all floats does not overflow.
        (low * (1.0 - unit) + high * unit).clamp(low, high)
    }

    fn permutation(&mut self, words: usize) -> Vec<i64> {
        // Fisher and Yates: each place from the last down swaps with one at or below it.
        let mut order: Vec<i64> = (0..words as i64).collect();
        for at in (1..words).rev() {
            let other = self.int(0, at as i64) as usize;
            order.swap(at, other);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_data_are_what_they_are_called() {
        for words in [0, 1, 2, 7, 100] {
            let mut generator = Generator::new(3, "P");
            let order = generator.permutation(words);
            assert!(no_permutation(&order, |at| at.to_string()).is_none());
            assert!(no_list(&successors(&order), |at| at.to_string()).is_none());
        }
        let mut generator = Generator::new(0, "A");
        for _ in 0..1000 {
            assert!((-3..=4).contains(&generator.int(-3, 4)));
            let float = generator.float(f64::MIN, f64::MAX);
            assert!(float.is_finite());
        }
        generator.int(i64::MIN, i64::MAX);
    }

    #[test]
    fn faulty_lists_are_told_apart() {
        let list =
            |ints: &[i64]| no_list(ints, |at| format!("S[{at}]")).map(|breach| breach.to_string());
        assert_eq!(list(&[1, 2, 2]), None);
        assert!(list(&[1, 0, 2]).unwrap().contains("only 1 of its 3"));
        assert!(list(&[0, 1]).unwrap().contains("both point"));
        assert!(list(&[1, 2, 0]).unwrap().contains("no element"));
        assert!(list(&[2, 2, 2]).unwrap().contains("both 2"));
        assert!(list(&[3]).unwrap().contains("outside"));
        assert_eq!(list(&[]), None);
    }

    #[test]
    fn sorted_floats_admit_no_nan() {
        let sorted = |floats: &[f64]| unsorted(&Data::Float(floats.to_vec()), |at| at.to_string());
        assert!(sorted(&[0.0, 0.0, 1.0]).is_none());
        assert!(sorted(&[0.0, f64::NAN]).is_some());
        assert!(sorted(&[f64::NAN]).is_some());
        assert!(sorted(&[]).is_none());
    }
}

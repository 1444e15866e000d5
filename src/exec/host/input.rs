//! Input data: drawn at random, made by rule, or given; and checked against their declarations.

use num_traits::ToPrimitive;

use crate::exec::error::{Breach, Error, Result};
use crate::exec::host::random;
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
        Input::Random | Input::Least | Input::Most | Input::Rising => {
            return random::words(variable, words, admitted, input, seed);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::host::random::{Generator, successors};

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

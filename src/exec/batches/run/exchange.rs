//! Compare-and-exchange steps: both words are read once and written once.

use crate::exec::Data;
use crate::exec::batches::plan::{Exchange, Place};
use crate::exec::batches::run::conditions::Truth;
use crate::exec::batches::run::dense::Word;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, Operand, Rows};
use crate::exec::batches::run::stop::Result;
use crate::meaning::arithmetic;

/// Executes an exchange as one step; `false` if it must go statement by statement.
pub(super) fn exchange(part: &mut Part<'_, '_>, step: &Exchange, active: &Active) -> Result<bool> {
    let places = [&step.one, &step.other];
    let [Some(one), Some(other)] = [
        part.read_rows(places[0], active)?,
        part.read_rows(places[1], active)?,
    ] else {
        return Ok(false);
    };
    let shape = part.batch.shape(active).expect("rows have even cores");
    let is_one_array = places[0].array == places[1].array;
    if is_one_array && !rows::are_apart([one, other], shape)
        || !places.iter().all(|place| part.fixed.admits_all(place))
    {
        return Ok(false);
    }
    let truth = match &step.condition {
        Some(condition) => part.truths(condition, active)?,
        None => Truth::Same(true),
    };
    let mut rises = match truth {
        Truth::Same(truth) => Err(truth == step.rises),
        Truth::Lanes(truths) => Ok(truths),
    };
    if let (Ok(truths), false) = (&mut rises, step.rises) {
        truths.iter_mut().for_each(|truth| *truth = !*truth);
    }
    let directions = rises.as_deref().map_err(|rises| *rises);
    for place in places {
        part.settle(place.array);
    }
    if part.shared[places[0].array].is_int() {
        let extremes = (i64::min, i64::max);
        exchange_rows(part, places, [one, other], directions, extremes, active);
    } else {
        let extremes = (arithmetic::float_minimum, arithmetic::float_maximum);
        exchange_rows(part, places, [one, other], directions, extremes, active);
    }
    if let Ok(truths) = rises {
        part.spare.bools.push(truths);
    }
    for place in places {
        part.shared[place.array].changes();
        // Each place is read twice, for the minimum and the maximum, and written once.
        (0..3).for_each(|_| part.counted.conflicts(&part.batch, place, active));
    }
    Ok(true)
}

fn exchange_rows<T: Word>(
    part: &mut Part<'_, '_>,
    places: [&Place; 2],
    rows: [Rows; 2],
    rises: Operand<'_, bool>,
    (least, most): (impl Fn(T, T) -> T + Copy, impl Fn(T, T) -> T + Copy),
    active: &Active,
) {
    let shape = part.batch.shape(active).expect("rows have even cores");
    let [one, other] = places.map(|place| place.array);
    let mut data = std::mem::replace(part.shared[one].data_mut(), Data::Int(Vec::new()));
    let words = T::words_mut(&mut data).expect("checked: written as what it is");
    let others = (one != other).then(|| {
        let others = T::words_mut(part.shared[other].data_mut());
        others.expect("checked: written as what it is")
    });
    let exchange = rows::Exchange {
        words,
        others,
        rows,
        rises,
        least,
        most,
    };
    exchange.run(shape);
    *part.shared[one].data_mut() = data;
}

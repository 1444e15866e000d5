//! Compare-and-exchange steps: both words are read once and written once.

use crate::exec::Data;
use crate::exec::batches::plan::{Exchange, Place};
use crate::exec::batches::run::dense::Word;
use crate::exec::batches::run::masks::{Active, Truth};
use crate::exec::batches::run::rows::{self, Operand, Rows};
use crate::exec::batches::run::{Part, Stop};
use crate::exec::value;

type Result<T> = std::result::Result<T, Stop>;

impl Part<'_, '_> {
    /// An exchange as one step; `false` where it has to go statement by statement.
    pub(super) fn exchange(&mut self, step: &Exchange, active: &Active) -> Result<bool> {
        let places = [&step.one, &step.other];
        let [Some(one), Some(other)] = [
            self.read_rows(places[0], active)?,
            self.read_rows(places[1], active)?,
        ] else {
            return Ok(false);
        };
        let shape = self.shape(active).expect("rows have even cores");
        let is_one_array = places[0].array == places[1].array;
        if is_one_array && !rows::are_apart([one, other], shape)
            || !places.iter().all(|place| self.admits_all(place))
        {
            return Ok(false);
        }
        let truth = match &step.condition {
            Some(condition) => self.truths(condition, active)?,
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
        match &self.shared[places[0].array].data {
            Data::Int(_) => {
                let extremes = (i64::min, i64::max);
                self.exchange_rows(places, [one, other], directions, extremes, active);
            }
            Data::Float(_) => {
                let extremes = (value::float_minimum, value::float_maximum);
                self.exchange_rows(places, [one, other], directions, extremes, active);
            }
        }
        if let Ok(truths) = rises {
            self.bools.push(truths);
        }
        for place in places {
            self.shared[place.array].magnitude = None;
            // Read for the least and for the most, and written.
            (0..3).for_each(|_| self.conflicts(place, active));
        }
        Ok(true)
    }

    fn exchange_rows<T: Word>(
        &mut self,
        places: [&Place; 2],
        rows: [Rows; 2],
        rises: Operand<'_, bool>,
        (least, most): (impl Fn(T, T) -> T + Copy, impl Fn(T, T) -> T + Copy),
        active: &Active,
    ) {
        let shape = self.shape(active).expect("rows have even cores");
        let [one, other] = places.map(|place| place.array);
        let mut data = std::mem::replace(&mut self.shared[one].data, Data::Int(Vec::new()));
        let words = T::words_mut(&mut data).expect("checked: written as what it is");
        let others = (one != other).then(|| {
            let others = T::words_mut(&mut self.shared[other].data);
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
        self.shared[one].data = data;
    }
}

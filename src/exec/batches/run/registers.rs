//! `let`s of data.
//!
//! A `let` keeps one word per core that was active where it stands. Most often it is read under
//! the same mask, and then nothing is copied; under another one, inside an `if`, it is spread over
//! all cores once.

use std::sync::Arc;

use crate::exec::batches::plan::Value;
use crate::exec::batches::run::dense::{Dense, Word};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::{Part, Stop};

type Result<T> = std::result::Result<T, Stop>;

/// What a `let` holds.
#[derive(Debug)]
pub(super) enum Register {
    Ints(Held<i64>),
    Floats(Held<f64>),
}

/// A quantity of cores, and which they are.
#[derive(Debug)]
pub(super) struct Held<T> {
    value: Dense<T>,
    active: Active,
}

impl<T: Word> Held<T> {
    fn new(value: Dense<T>, active: &Active) -> Held<T> {
        let value = match value {
            Dense::Lanes(lanes) => Dense::Held(Arc::new(lanes)),
            value => value,
        };
        Held {
            value,
            active: active.clone(),
        }
    }
}

impl Part<'_, '_> {
    /// Executes a `let` of data.
    pub(super) fn bind(&mut self, register: usize, value: &Value, active: &Active) -> Result<()> {
        let bound = match value {
            Value::Ints(value) => {
                let value = self.ints(value, active)?;
                Register::Ints(Held::new(self.apart(value, active), active))
            }
            Value::Floats(value) => {
                let value = self.floats(value, active)?;
                Register::Floats(Held::new(self.apart(value, active), active))
            }
        };
        match self.registers[register].replace(bound) {
            Some(Register::Ints(held)) => self.release(held.value),
            Some(Register::Floats(held)) => self.release(held.value),
            None => {}
        }
        Ok(())
    }

    /// What a `let` holds, of the active cores.
    pub(super) fn bound<T: Word>(&mut self, register: usize, active: &Active) -> Result<Dense<T>> {
        let taken = self.registers[register].take().and_then(T::held);
        let mut held = taken.ok_or(Stop::Bail)?;
        let mut value = held.value.shared();
        if !matches!(value, Dense::Same(_)) && held.active != *active {
            if !self.is_everyone(&held.active) {
                let everyone = Active::Range(0, self.cores);
                let spread = self.spread(held.value, &held.active);
                held = Held::new(Dense::Lanes(spread), &everyone);
            }
            let words = held.value.as_slice(&self.shared).unwrap_or(&[]);
            value = Dense::Lanes(self.gather(words, active));
        }
        self.registers[register] = Some(T::register(held));
        Ok(value)
    }

    /// Of a word for every core of the batch those of the active ones.
    fn gather<T: Word>(&self, words: &[T], active: &Active) -> Vec<T> {
        let cores = self.cores;
        let mut lanes = Vec::with_capacity(self.lanes(active));
        match (self.shape(active), active.even()) {
            (Some(shape), Some(runs)) => {
                let steps = [self.row * cores, cores, runs.apart, 1];
                let from = Rows {
                    first: runs.first,
                    steps: steps.map(|step| step as isize),
                };
                lanes.resize(self.lanes(active), T::default());
                rows::copy(&mut lanes, Rows::dense(shape), words, from, shape);
            }
            _ => self.each(active, |mp, core| lanes.push(words[mp * cores + core])),
        }
        lanes
    }
}

//! What a batch is executed with: what is fixed for a launch, which MPs go together, the memory
//! they read and write, and what is counted.
//!
//! Every step takes all of it, and each question is asked of the one that knows. How the values of
//! expressions come about is in [`values`](crate::exec::batches::run::values),
//! [`conditions`](crate::exec::batches::run::conditions) and
//! [`places`](crate::exec::batches::run::places).

use crate::exec::batches::plan::{Place, Plan};
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::counted::Counted;
use crate::exec::batches::run::dense::{Dense, Register, Spare, Word};
use crate::exec::batches::run::globals::GlobalView;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::Rows;
use crate::exec::batches::run::shared::SharedRows;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::launch::Launch;

/// What stays as it is while a kernel runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed<'a> {
    pub launch: &'a Launch<'a>,
    pub plan: &'a Plan,
}

impl Fixed<'_> {
    /// Whether every value may be written to a variable.
    pub(super) fn admits_all(self, place: &Place) -> bool {
        self.launch.known.admitted(place.variable).is_none()
    }
}

/// MPs executing together on one thread.
pub(super) struct Part<'a, 'g> {
    pub fixed: Fixed<'a>,
    pub batch: Batch,
    pub globals: Vec<GlobalView<'g>>,
    pub shared: Vec<SharedRows>,
    pub registers: Vec<Option<Register>>,
    pub counted: Counted,
    /// Lanes to spare.
    pub spare: Spare,
}

impl<'a, 'g> Part<'a, 'g> {
    /// For batches of at most so many MPs.
    pub(super) fn new(
        fixed: Fixed<'a>,
        globals: Vec<GlobalView<'g>>,
        widest: usize,
    ) -> Part<'a, 'g> {
        let Fixed { launch, plan } = fixed;
        let cores = launch.known.cores;
        let shared =
            (plan.shared.iter()).map(|array| SharedRows::new(array.word_type, array.words, widest));
        Part {
            fixed,
            batch: Batch {
                slots: vec![0; plan.slots],
                dimensions: plan.dimensions,
                first: 0,
                width: 1,
                row: 1,
                outer: 1,
                cores,
            },
            globals,
            shared: shared.collect(),
            registers: (0..plan.registers).map(|_| None).collect(),
            counted: Counted::new(cores, plan.global.len()),
            spare: Spare::new(cores),
        }
    }

    /// Notes work done, and asks now and then whether to go on.
    pub(super) fn spend(&mut self, work: i64) -> Result<()> {
        let went_on = (self.counted.pace).spend(work, &self.fixed.launch.watch);
        went_on.map_err(Stop::Halt)
    }

    /// Rows of shared words that are about to be read and were all written.
    #[inline]
    pub(super) fn read_rows(&mut self, place: &Place, active: &Active) -> Result<Option<Rows>> {
        let Some(from) = self.batch.rows(place, active)? else {
            return Ok(None);
        };
        if !self.shared[place.array].are_rows_written(&self.batch, place, from, active) {
            return Err(Stop::Bail);
        }
        Ok(Some(from))
    }

    /// One word per active core, whatever the form was.
    pub(super) fn lanes_of<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Vec<T> {
        match value {
            Dense::Lanes(lanes) => lanes,
            Dense::Same(value) => {
                let mut lanes = self.spare.empty();
                lanes.resize(self.batch.lanes(active), value);
                lanes
            }
            Dense::Held(_) | Dense::Words { .. } => {
                let mut lanes = self.spare.empty();
                lanes.extend_from_slice(value.as_slice(&self.shared).unwrap_or(&[]));
                lanes
            }
        }
    }

    /// The same, of no shared array: what is kept while something is written.
    pub(super) fn apart<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Dense<T> {
        match value {
            Dense::Words { .. } => Dense::Lanes(self.lanes_of(value, active)),
            value => value,
        }
    }

    /// One word for every core of the batch; those of inactive cores are arbitrary.
    pub(super) fn spread<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Vec<T> {
        if self.batch.is_everyone(active) {
            return self.lanes_of(value, active);
        }
        let mut spread = self.spare.empty();
        spread.resize(self.batch.width * self.batch.cores, T::default());
        let cores = self.batch.cores;
        match value.as_slice(&self.shared) {
            Err(value) => spread.fill(value),
            Ok(lanes) => {
                let mut at = 0;
                self.batch.each(active, |mp, core| {
                    spread[mp * cores + core] = lanes[at];
                    at += 1;
                });
            }
        }
        self.spare.release(value);
        spread
    }
}

//! The state of a batch: everything fixed for a launch, its MPs, the memory that they read and
//! write, and its counts.
//!
//! Every step takes all of it, and each part answers its own questions. The values of
//! expressions come from [`values`](crate::exec::batches::run::values),
//! [`conditions`](crate::exec::batches::run::conditions) and
//! [`places`](crate::exec::batches::run::places).

use crate::exec::Data;
use crate::exec::batches::plan::{At, Floats, Ints, Place, Plan, Value};
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::counted::Counted;
use crate::exec::batches::run::dense::{Dense, Register, Spare, Word};
use crate::exec::batches::run::globals::{GlobalView, Words};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::{self, Rows, Shape};
use crate::exec::batches::run::shared::{Pending, SharedRows};
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::launch::Launch;
use crate::meaning::value::Value as Known;

/// The parts that do not change while a kernel runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed<'a> {
    pub launch: &'a Launch<'a>,
    pub plan: &'a Plan,
}

impl Fixed<'_> {
    /// Returns true if a variable has no declared range.
    pub(super) fn admits_all(self, place: &Place) -> bool {
        self.launch.known.admitted(place.variable).is_none()
    }
}

/// MPs that execute together on one thread.
pub(super) struct Part<'a, 'g> {
    pub fixed: Fixed<'a>,
    pub batch: Batch,
    pub globals: Vec<GlobalView<'g>>,
    pub shared: Vec<SharedRows>,
    pub registers: Vec<Option<Register>>,
    pub counted: Counted,
    /// Vectors that are free to be used again.
    pub spare: Spare,
}

impl<'a, 'g> Part<'a, 'g> {
    /// Creates the state for batches of at most `widest` MPs.
    pub(super) fn new(
        fixed: Fixed<'a>,
        globals: Vec<GlobalView<'g>>,
        widest: usize,
    ) -> Part<'a, 'g> {
        let Fixed { launch, plan } = fixed;
        let cores = launch.known.cores;
        let mut slots = vec![0; plan.slots];
        for &(parameter, slot) in &plan.open {
            if let Some(Known::Whole(value)) = &launch.known.values[parameter.0 as usize] {
                slots[slot] = *value;
            }
        }
        let shared =
            (plan.shared.iter()).map(|array| SharedRows::new(array.word_type, array.words, widest));
        Part {
            fixed,
            batch: Batch {
                slots,
                dimensions: plan.dimensions,
                first: 0,
                row: 1,
                outer: 1,
                cores,
                alike: vec![true; plan.shared.len()],
            },
            globals,
            shared: shared.collect(),
            registers: (0..plan.registers).map(|_| None).collect(),
            counted: Counted::new(cores, plan.global.len()),
            spare: Spare::new(cores),
        }
    }

    /// Records work, and looks at the watcher once the budget is spent.
    pub(super) fn spend(&mut self, work: i64) -> Result<()> {
        let went_on = (self.counted.pace).spend(work, &self.fixed.launch.watch);
        went_on.map_err(Stop::Halt)
    }

    /// Forgets the shared memory of the batch before.
    pub(super) fn forget(&mut self) {
        self.shared.iter_mut().for_each(SharedRows::forget);
        self.batch.alike.fill(true);
    }

    /// Executes a step for one MP because it is the same for all, and counts it for all of them.
    fn once(&mut self, step: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        // The batch poses as one MP for the time of the step. Conflicts and blocks are counted from
        // 0
        // and multiplied by the number of MPs afterwards.
        let (width, outer, row) = (self.batch.width(), self.batch.outer, self.batch.row);
        let conflicts = std::mem::take(&mut self.counted.counts.conflicts);
        let Counted {
            counts, own_blocks, ..
        } = &mut self.counted;
        std::mem::swap(&mut counts.blocks, own_blocks);
        (self.batch.outer, self.batch.row) = (1, 1);
        let done = step(self);
        (self.batch.outer, self.batch.row) = (outer, row);
        let Counted {
            counts, own_blocks, ..
        } = &mut self.counted;
        counts.conflicts = conflicts + counts.conflicts * width as u64;
        std::mem::swap(&mut counts.blocks, own_blocks);
        for (all, own) in counts.blocks.iter_mut().zip(own_blocks) {
            let own = std::mem::take(own);
            all.0 += own.0 * width as u64;
            all.1 += own.1 * width as u64;
        }
        done
    }

    /// Writes to a shared array. If all MPs hold the same before and after, the write is done once;
    /// otherwise each MP gets its own array first. `is_alike` says if they write the same values.
    pub(super) fn once_or_apart(
        &mut self,
        (target, active): (&Place, &Active),
        is_alike: impl FnOnce(&Self) -> bool,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if self.may_be_alike(target, active) && is_alike(self) {
            self.once(write)
        } else {
            self.tell_apart(target.array);
            write(self)
        }
    }

    /// Brings pending words into memory, before words of the array are read or some of them
    /// written.
    #[inline(always)]
    pub(super) fn settle(&mut self, array: usize) {
        let array = &mut self.shared[array];
        array.loaded = None;
        if let Some(Pending {
            source,
            from,
            to,
            shape,
        }) = array.pending.take()
        {
            let is_done = copy_rows(array, to, &self.globals[source].words, from, shape);
            debug_assert!(is_done, "of one type");
        }
    }

    /// Gives each MP its own array, before MPs write different words.
    pub(super) fn tell_apart(&mut self, array: usize) {
        if std::mem::take(&mut self.batch.alike[array]) {
            self.settle(array);
            self.shared[array].tell_apart(self.batch.width());
        }
    }

    /// Returns true if all MPs hold the same array and write the same words of it.
    fn may_be_alike(&self, target: &Place, active: &Active) -> bool {
        self.batch.width() > 1
            && self.batch.alike[target.array]
            && !matches!(active, Active::Each(_))
            && self.has_one_place(target)
    }

    /// Returns true if all MPs of the batch use the same words of a global array, or the same
    /// places
    /// in their shared arrays.
    pub(super) fn has_one_place(&self, place: &Place) -> bool {
        match &place.at {
            At::Line { .. } => self.batch.is_alike(place),
            At::Each(indices) => indices.iter().all(|(index, ..)| self.are_ints_alike(index)),
        }
    }

    /// Returns true if a word of a shared array is the same in all MPs of the batch.
    pub(super) fn is_read_alike(&self, place: &Place) -> bool {
        self.batch.alike[place.array] && self.has_one_place(place)
    }

    /// Returns true if a quantity is known to be the same in all MPs of the batch.
    pub(super) fn is_alike(&self, value: &Value) -> bool {
        match value {
            Value::Ints(ints) => self.are_ints_alike(ints),
            Value::Floats(floats) => self.are_floats_alike(floats),
        }
    }

    fn are_ints_alike(&self, ints: &Ints) -> bool {
        match ints {
            Ints::Form(form) => self.batch.is_one(form),
            Ints::Table(_) => true,
            Ints::Read(place) => self.is_read_alike(place),
            Ints::Absolute(of) => self.are_ints_alike(of),
            Ints::Binary(_, left, right)
            | Ints::CeilQuotient(left, right)
            | Ints::Bits(_, left, right) => self.are_ints_alike(left) && self.are_ints_alike(right),
            Ints::Minimum(nodes) | Ints::Maximum(nodes) => {
                nodes.iter().all(|node| self.are_ints_alike(node))
            }
            // A `let` holds a word for every MP, without knowing if they are the same.
            Ints::Register(_)
            | Ints::Select(..)
            | Ints::Bracket(_)
            | Ints::FloorOf(_)
            | Ints::CeilOf(_) => false,
        }
    }

    fn are_floats_alike(&self, floats: &Floats) -> bool {
        match floats {
            Floats::Constant(_) => true,
            Floats::Read(place) => self.is_read_alike(place),
            Floats::OfInts(ints) => self.are_ints_alike(ints),
            Floats::Quotient(left, right) => {
                self.are_ints_alike(left) && self.are_ints_alike(right)
            }
            Floats::Negate(of) | Floats::Absolute(of) | Floats::Math(_, of) => {
                self.are_floats_alike(of)
            }
            Floats::Binary(_, left, right) | Floats::Log(left, right) => {
                self.are_floats_alike(left) && self.are_floats_alike(right)
            }
            Floats::Minimum(nodes) | Floats::Maximum(nodes) => {
                nodes.iter().all(|node| self.are_floats_alike(node))
            }
            Floats::Register(_) | Floats::Select(..) => false,
        }
    }

    /// Returns the rows of shared words to be read; all of them must have been written.
    #[inline(always)]
    pub(super) fn read_rows(&mut self, place: &Place, active: &Active) -> Result<Option<Rows>> {
        let Some(from) = self.batch.rows(place, active)? else {
            return Ok(None);
        };
        if !self.shared[place.array].are_rows_written(&self.batch, place, from, active) {
            return Err(Stop::Bail);
        }
        Ok(Some(from))
    }

    /// Returns one word per active core, whatever the form was.
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

    /// Copies a quantity out of its shared array, so that it survives a write there.
    pub(super) fn apart<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Dense<T> {
        match value {
            Dense::Words { .. } => Dense::Lanes(self.lanes_of(value, active)),
            value => value,
        }
    }

    /// Returns one word for every core of the batch; words of inactive cores are arbitrary.
    pub(super) fn spread<T: Word>(&mut self, value: Dense<T>, active: &Active) -> Vec<T> {
        if self.batch.is_everyone(active) {
            return self.lanes_of(value, active);
        }
        let mut spread = self.spare.empty();
        spread.resize(self.batch.width() * self.batch.cores, T::default());
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

/// Copies rows of a global array to a shared one; `false` if their types differ.
pub(super) fn copy_rows(
    array: &mut SharedRows,
    to: Rows,
    source: &Words<'_>,
    from: Rows,
    shape: Shape,
) -> bool {
    match (array.data_mut(), source) {
        (Data::Int(words), Words::Read(Data::Int(source))) => {
            rows::copy(words, to, source, from, shape);
        }
        (Data::Int(words), Words::Ints(start, source)) => {
            rows::copy(words, to, source, from.back(*start), shape);
        }
        (Data::Float(words), Words::Read(Data::Float(source))) => {
            rows::copy(words, to, source, from, shape);
        }
        (Data::Float(words), Words::Floats(start, source)) => {
            rows::copy(words, to, source, from.back(*start), shape);
        }
        (Data::Int(_) | Data::Float(_), _) => return false,
    }
    true
}

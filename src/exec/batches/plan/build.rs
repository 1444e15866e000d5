//! From the compiled form to the plan, or to `None` where a kernel does not fit.

use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::races;
use crate::exec::batches::plan::scope::{Bound, LARGEST, Launched, OPEN, Ranges, Scope};
use crate::exec::batches::plan::traces::{InProgress, Traces, ascending};
use crate::exec::batches::plan::{Block, GlobalArray, Plan, SharedArray, Slot};
use crate::exec::lanes::{self, Buffers, Mask};
use crate::exec::memory::Store;
use crate::exec::memory::words::Words;
use crate::exec::mp::{Cores, Register};
use crate::exec::statements::typed::Code;
use crate::meaning::eval::Connectives;
use crate::program::{ParamId, VarId};

/// Words of shared memory that the MPs of a batch may take together.
const BATCH_WORDS: usize = 3 << 10;
/// The same where cores leave loops at different times: fewer and fewer words share the fixed cost
/// of a statement, so batches are larger.
const WALKING_BATCH_WORDS: usize = 6 << 10;
/// The same for batches of at most [`FEW`] MPs, where the fixed cost of statements would show.
const FEW_BATCH_WORDS: usize = 16 << 10;
/// A batch of few MPs.
const FEW: usize = 16;
/// Most MPs in a batch.
const WIDEST: usize = 64;

/// Plans a kernel, if it fits.
pub(crate) fn plan(launched: &Launched<'_>, code: &Code<'_>) -> Option<Plan> {
    let mut builder = Builder::of(launched);
    builder.bind_mps()?;
    let open = builder.bind_open();
    let mut body = Block::default();
    for step in &code.body {
        builder.wrapper_step(step, &mut body)?;
    }
    builder.find_races()?;
    for (at, array) in builder.shared.iter_mut().enumerate() {
        array.is_passing = builder.traces.passing.is_passing(at);
    }
    Some(Plan {
        operations: body.estimate(&builder.scope.ranges.slots),
        effort: builder.effort,
        body,
        dimensions: launched.mps.len(),
        open,
        slots: builder.scope.ranges.slots.len(),
        registers: builder.traces.uses.len(),
        widest: builder.widest(),
        is_flat: builder.traces.together.is_flat,
        accesses: builder.traces.accesses,
        cuts: ascending(builder.traces.together.cuts),
        shared: builder.shared,
        global: builder.global,
    })
}

/// Builds a plan, statement by statement.
pub(super) struct Builder<'a> {
    pub scope: Scope<'a>,
    pub shared: Vec<SharedArray>,
    pub global: Vec<GlobalArray>,
    /// Evaluates expressions that are the same in all MPs.
    pub known: Cores<'a, NoWords>,
    pub traces: Traces,
    /// Statements examined, including those that were taken back.
    pub effort: u32,
    pub step: InProgress,
}

impl<'a> Builder<'a> {
    /// Begins a plan, with nothing bound.
    fn of(launched: &'a Launched<'a>) -> Builder<'a> {
        let program = launched.known.program;
        let shared = (launched.kernel.names_shared.iter())
            .map(|&variable| SharedArray {
                variable,
                word_type: program.variable(variable).word_type,
                words: launched.known.extents[variable.0 as usize].iter().product(),
                is_passing: false,
            })
            .collect();
        Builder {
            scope: Scope {
                launched,
                bound: vec![Bound::Nothing; program.parameters.len()],
                ranges: Ranges {
                    active: (0, launched.known.cores as i64 - 1),
                    slots: Vec::new(),
                    except: Vec::new(),
                },
                long: Vec::new(),
            },
            shared,
            global: Vec::new(),
            known: Cores {
                registers: vec![Register::Unset; program.parameters.len()],
                values: launched.known.values,
                words: NoWords,
                buffers: Buffers::new(launched.known.cores),
                conflicts: 0,
                steps: None,
                connectives: Connectives::BothSides,
            },
            traces: Traces::default(),
            effort: 0,
            step: InProgress::default(),
        }
    }

    /// Gives the indices of the MPs the first slots.
    fn bind_mps(&mut self) -> Option<()> {
        let launched = self.scope.launched;
        for (range, &(first, length)) in launched.kernel.mps.iter().zip(launched.mps) {
            let last = i128::from(first) + i128::from(length) - 1;
            if length == 0 || last.abs() > LARGEST || i128::from(first).abs() > LARGEST {
                return None;
            }
            let slot = self.scope.ranges.slots.len();
            self.scope.ranges.slots.push((first, last as i64));
            self.bind(range.parameter, Bound::Form(Form::slot(slot)));
        }
        Some(())
    }

    /// Gives a slot to each parameter that launches may change.
    fn bind_open(&mut self) -> Vec<(ParamId, Slot)> {
        let mut open = Vec::new();
        for &parameter in self.scope.launched.open {
            let slot = self.scope.ranges.slots.len();
            self.scope.ranges.slots.push((*OPEN.start(), *OPEN.end()));
            self.bind(parameter, Bound::Form(Form::slot(slot)));
            open.push((parameter, slot));
        }
        open
    }

    /// Notes the arrays on which MPs may meet; `None` if the kernel reads one of them.
    fn find_races(&mut self) -> Option<()> {
        let mps = self.scope.launched.mps;
        let lengths: Vec<u64> = mps.iter().map(|(_, length)| *length).collect();
        for array in races::possible(&self.traces.accesses, &lengths) {
            let array = &mut self.global[array];
            if array.is_read {
                return None;
            }
            array.may_race = true;
        }
        Some(())
    }

    /// Returns the most MPs of a batch.
    fn widest(&self) -> usize {
        if self.traces.together.is_narrow {
            return 1;
        }
        // 3072 words of batch memory: a kernel with 96 shared words has batches of 32 MPs. A kernel
        // with 1024 gets 3 by that, but 16 by the rule for few MPs.
        let words: usize = self.shared.iter().map(|array| array.words).sum();
        let words = words.max(1);
        let batch_words = if self.traces.walks {
            WALKING_BATCH_WORDS
        } else {
            BATCH_WORDS
        };
        let widest = (batch_words / words).max(FEW.min(FEW_BATCH_WORDS / words));
        widest.clamp(1, WIDEST)
    }

    /// Returns all cores of an MP.
    pub(super) fn everyone(&self) -> Mask {
        Mask::Range(0, self.scope.launched.known.cores)
    }

    pub(super) fn bind(&mut self, parameter: ParamId, bound: Bound) {
        let register = match &bound {
            Bound::Form(form) if form.terms.is_empty() => self
                .known
                .buffers
                .affine(form.constant, form.core)
                .map_or(Register::Unset, Register::Ints),
            Bound::Table(table) => Register::Ints(lanes::Ints::Lanes(table.clone())),
            Bound::Nothing | Bound::Form(_) | Bound::Ints(_) | Bound::Floats(_) => Register::Unset,
        };
        self.known.set(parameter, register);
        self.scope.bound[parameter.0 as usize] = bound;
    }
}

/// Memory for expressions that the plan evaluates itself: they read none.
pub(super) struct NoWords;

impl Words for NoWords {
    fn conflict(&mut self, _variable: VarId, _offsets: &lanes::Ints, _mask: &Mask) -> u64 {
        0
    }

    fn readable(&self, _variable: VarId) -> Option<&Store> {
        None
    }
}

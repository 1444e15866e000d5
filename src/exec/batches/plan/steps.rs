//! Statements of a plan, and how many operations a block of them takes at most.
//!
//! Data with its estimates. `run` executes them; nothing here knows the words of a launch.

use crate::exec::batches::plan::form::{Form, Slot};
use crate::exec::batches::plan::operands::{Ints, Place, Truths, Value};
use crate::program::AtomicOperator;

/// Statements that the same cores execute one after the other.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Operations of all its statements each time, without those of blocks inside.
    pub operations: u64,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// Assumed number of iterations where data decide.
const TRIPS_OF_DATA: u64 = 32;

impl Block {
    /// Estimates the operations of a core, with the slots between these ends.
    pub(super) fn estimate(&self, slots: &[(i64, i64)]) -> u64 {
        let steps = self.steps.iter().map(|step| match step {
            Step::If { body, .. } => body.estimate(slots),
            Step::Loop(frame) => frame.estimate(slots),
            Step::Accumulate(step) => step.frame.estimate(slots),
            Step::Walk(walk) => TRIPS_OF_DATA.saturating_mul(walk.body.estimate(slots)),
            Step::While { body, .. } => TRIPS_OF_DATA.saturating_mul(body.estimate(slots)),
            Step::Atomic { operations, .. } => *operations,
            Step::Load { .. }
            | Step::Store { .. }
            | Step::Assign { .. }
            | Step::Let { .. }
            | Step::Number { .. }
            | Step::Exchange(_) => 0,
        });
        steps.fold(self.operations, u64::saturating_add)
    }
}

/// A statement of a plan. Rare large variants are boxed: plans are made often, and a few steps
/// should fit into the small blocks that allocators hold ready.
#[derive(Debug)]
pub(crate) enum Step {
    /// Global to shared.
    Load { target: Place, source: Place },
    /// Shared to global.
    Store { target: Place, source: Place },
    /// A value to shared memory.
    Assign { target: Place, value: Value },
    /// `atomic`, with its price per core on the most contended word.
    Atomic {
        target: Place,
        operator: AtomicOperator,
        operands: Vec<(bool, Value)>,
        operations: u64,
    },
    /// `let` of data.
    Let { register: usize, value: Value },
    /// `if`
    If { condition: Truths, body: Block },
    /// `for` with the same bounds for all cores.
    Loop(Loop),
    /// `for` that each core leaves after its own last number, or when `until` holds for it.
    Walk(Box<Walk>),
    /// A number that loops decide, the same for all MPs and cores; it fills its slot.
    Number { slot: Slot, value: Ints },
    /// `while`; each test costs `operations`.
    While {
        condition: Truths,
        operations: u64,
        at_most: Option<Ints>,
        body: Block,
    },
    /// A loop over `target ← target + left · right` (or just `+ left`) with a target that does not
    /// move.
    Accumulate(Box<Accumulate>),
    /// Two words put in order.
    Exchange(Box<Exchange>),
}

/// A counted loop.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The slot of its variable.
    pub slot: Slot,
    /// The first bound as written.
    pub from: Form,
    /// The second bound.
    pub to: Form,
    /// True if it counts down.
    pub down: bool,
    /// The block; its operations include the 1 of each iteration.
    pub body: Block,
    /// The shared words that it meets, if its iterations are independent wherever they write
    /// different words.
    pub together: Option<Vec<Place>>,
}

/// The iterations of a loop, once its bounds are numbers.
pub(crate) struct Trips {
    /// The first bound as written.
    pub from: i64,
    /// The second bound.
    pub to: i64,
    /// The step from a number to the next, 1 or −1.
    pub rise: i64,
    /// Number of iterations; none if not above 0.
    pub count: i64,
}

impl Loop {
    /// Estimates the operations of a core, with the slots between these ends.
    fn estimate(&self, slots: &[(i64, i64)]) -> u64 {
        let [from, to] = [&self.from, &self.to].map(|end| end.interval((0, 0), slots));
        let most = if self.down {
            from.1 - to.0
        } else {
            to.1 - from.0
        } + 1;
        let trips = u64::try_from(most.max(0)).unwrap_or(u64::MAX);
        trips.saturating_mul(self.body.estimate(slots))
    }

    /// Returns its iterations, with these numbers in the slots.
    pub(crate) fn trips(&self, slots: &[i64]) -> Trips {
        let (from, to) = (self.from.at(slots), self.to.at(slots));
        let rise = if self.down { -1 } else { 1 };
        Trips {
            from,
            to,
            rise,
            count: (to - from) * rise + 1,
        }
    }
}

/// A counted loop with bounds of its own for every core.
#[derive(Debug)]
pub(crate) struct Walk {
    /// The register of its variable.
    pub register: usize,
    /// The first bound as written.
    pub from: Ints,
    /// The second bound.
    pub to: Ints,
    /// True if it counts down.
    pub down: bool,
    /// The block; its operations include the 1 of each iteration.
    pub body: Block,
    /// The condition by which cores leave at the end of an iteration, and the operations of a test.
    pub until: Option<(Truths, u64)>,
}

/// An accumulating loop, executed for all iterations at once.
#[derive(Debug)]
pub(crate) struct Accumulate {
    /// The loop as written.
    pub frame: Loop,
    /// A shared word, the same in all iterations.
    pub target: Place,
    /// A shared word of another array.
    pub left: Place,
    /// A shared word of another array, multiplied with the left one.
    pub right: Option<Place>,
}

/// Two shared words put in order: the smaller at one place, the larger at the other.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// A shared place with another word for every core.
    pub one: Place,
    /// The second place, likewise.
    pub other: Place,
    /// The condition that decides which place gets the smaller word; it reads no memory.
    pub condition: Option<Truths>,
    /// True if `one` gets the smaller word where the condition holds, or where there is none.
    pub rises: bool,
    /// The statements as written.
    pub written: Vec<Step>,
}

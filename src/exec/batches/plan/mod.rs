//! The plan of a kernel: its statements, prepared for many MPs at the same time.
//!
//! Made from the compiled form for a launch, and reused by all launches with the same known values.
//! The kernel's control flow must be the same for all MPs but for guards, bounds of loops and data.
//! Everything that the launch decides is gone from the plan: constant conditions, masks that depend
//! on the core alone, and loops written out because a quantity does not grow evenly with their
//! variable. The rest is typed and flat:
//!
//! - every index is a [`Form`], so that a statement is a few strided rows, and its bounds, blocks
//!   and
//!   conflicts follow from the ends of the rows ([`Place`]);
//! - operations are added up per block of statements ([`Block`]), not per statement;
//! - a loop whose only statement accumulates is one step ([`Step::Accumulate`]), and so are the
//!   four
//!   statements that put two words in order ([`Step::Exchange`]);
//! - a loop with independent iterations is known as such ([`Loop::together`]), and one with bounds
//!   that differ between cores is a step of its own ([`Step::Walk`]);
//! - the kernel is known to be free of races between MPs ([`races`]), so nobody keeps stamps. The
//!   exception are arrays that it only writes, where data may decide.
//!
//! A kernel that does not fit is executed statement by statement
//! ([`statements`](crate::exec::statements)). So is any batch of MPs in which something unusual
//! happens.

pub(crate) mod build;
pub(crate) mod exchange;
pub(crate) mod expressions;
pub(crate) mod form;
pub(crate) mod fuse;
pub(crate) mod independent;
pub(crate) mod loops;
pub(crate) mod passing;
pub(crate) mod places;
pub(crate) mod races;
pub(crate) mod scope;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use build::plan;
pub(crate) use form::{Form, Interval, Slot};
pub(crate) use scope::{Launched, may_stay_open};

use crate::exec::lanes;
use crate::program::{Arithmetic, AtomicOperator, BitFunction, MathFunction, ParamId, VarId};
use crate::syntax::ast::{Comparison, WordType};

/// A kernel prepared for batches of MPs.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Shared arrays that the kernel names.
    pub shared: Vec<SharedArray>,
    /// Global arrays that its statements access.
    pub global: Vec<GlobalArray>,
    /// The statements of every MP.
    pub body: Block,
    /// Number of dimensions of MPs; their indices are the first slots.
    pub dimensions: usize,
    /// Parameters that get their slots filled at every launch.
    pub open: Vec<(ParamId, Slot)>,
    /// Number of slots.
    pub slots: usize,
    /// Number of registers, which hold `let`s of data.
    pub registers: usize,
    /// Most MPs in a batch.
    pub widest: usize,
    /// True if MPs of one batch may differ in their last dimension only.
    pub is_flat: bool,
    /// Every access to a global array that the kernel writes.
    pub accesses: Vec<Reach>,
    /// Numbers of the last dimension of MPs at which a condition turns; ascending. MPs on either
    /// side
    /// of one run in different batches.
    pub cuts: Vec<i64>,
    /// Statements examined to make the plan.
    pub effort: u32,
    /// Estimated operations of a core; an upper bound if no data decide.
    pub operations: u64,
}

/// A shared array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedArray {
    /// The variable.
    pub variable: VarId,
    /// int or float.
    pub word_type: WordType,
    /// Words of one MP.
    pub words: usize,
    /// True if its words only pass: read by the statements right behind their writer, at the same
    /// place and by the same cores. Nothing sees them once others are written there or the active
    /// cores change.
    pub is_passing: bool,
}

/// A global array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GlobalArray {
    /// The variable.
    pub variable: VarId,
    /// True if some statement reads it.
    pub is_read: bool,
    /// True if some statement writes it.
    pub is_written: bool,
    /// True if several MPs may write a word of it. Writes are then stamped, and no MP reads it.
    pub may_race: bool,
}

/// The factors of the MP indices in an index, and the interval of everything else in it.
pub(crate) type Index = (Vec<i64>, Interval);

/// An access to a global array that is written: the MPs that get there, and the words they meet.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// Index among the plan's global arrays.
    pub array: usize,
    /// True if it writes.
    pub writes: bool,
    /// The array's indices, each where it is known to be of this form.
    pub indices: Vec<Option<Index>>,
    /// The offset; `None` if data decide it.
    pub offset: Option<Form>,
    /// First and last core that may be active.
    pub cores: (i64, i64),
    /// First and last value of each slot, those of the MPs first.
    pub slots: Vec<(i64, i64)>,
    /// Values that slots do not take there.
    pub except: Vec<(Slot, i64)>,
}

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
    fn estimate(&self, slots: &[(i64, i64)]) -> u64 {
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

/// The location of a word per core.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Index among the plan's shared (or global) arrays.
    pub array: usize,
    /// Its variable.
    pub variable: VarId,
    /// The offsets.
    pub at: At,
}

impl Place {
    /// Returns true if no two different words of it lie in one of so many banks.
    pub(crate) fn has_no_conflicts(&self, banks: usize) -> bool {
        match &self.at {
            At::Line { period, offset, .. } => *period == banks || offset.core == 0,
            At::Each(_) => false,
        }
    }

    /// Returns true if all cores of an MP are known to have the same word.
    pub(crate) fn is_one(&self) -> bool {
        matches!(&self.at, At::Line { offset, .. } if offset.core == 0)
    }

    /// Returns true if any two cores of an MP are known to have different words.
    pub(crate) fn tells_cores_apart(&self) -> bool {
        match &self.at {
            At::Line { offset, .. } => offset.core != 0,
            At::Each(indices) => (indices.iter())
                .any(|(index, ..)| matches!(index, Ints::Form(form) if form.core != 0)),
        }
    }
}

/// The offsets of a [`Place`].
#[derive(Debug, Clone)]
pub(crate) enum At {
    /// Evenly spaced.
    Line {
        /// The offset in the array of one MP.
        offset: Form,
        /// The factors of the last two dimensions of the MPs; the first is 0 if there is just one.
        steps: [i64; 2],
        /// Words between the arrays of two neighbouring MPs: shared arrays of a batch lie one after
        /// the other. 0 in global memory.
        apart: i64,
        /// Indices that must be checked, with their extents: for some core, MP or iteration they
        /// could
        /// lie outside.
        checked: Vec<(Form, i64)>,
        /// Active cores this far apart share a bank.
        period: usize,
    },
    /// Each index with its extent and its stride in words.
    Each(Vec<(Ints, i64, i64)>),
}

/// A number of either kind.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Ints(Ints),
    Floats(Floats),
}

/// A whole number per core.
#[derive(Debug, Clone)]
pub(crate) enum Ints {
    /// A quantity of parameters that grows evenly.
    Form(Form),
    /// One number per core, the same in all MPs.
    Table(Vec<i64>),
    Read(Box<Place>),
    Register(usize),
    Absolute(Box<Ints>),
    Binary(Arithmetic, Box<Ints>, Box<Ints>),
    /// `⌈x/y⌉`
    CeilQuotient(Box<Ints>, Box<Ints>),
    Minimum(Vec<Ints>),
    Maximum(Vec<Ints>),
    Select(Box<Truths>, Box<Ints>, Box<Ints>),
    Bits(BitFunction, Box<Ints>, Box<Ints>),
    Bracket(Box<Truths>),
    FloorOf(Box<Floats>),
    CeilOf(Box<Floats>),
}

/// A float per core.
#[derive(Debug, Clone)]
pub(crate) enum Floats {
    Constant(f64),
    Read(Box<Place>),
    Register(usize),
    OfInts(Ints),
    /// A quotient of whole numbers, rounded once.
    Quotient(Box<Ints>, Box<Ints>),
    Negate(Box<Floats>),
    Absolute(Box<Floats>),
    Binary(Arithmetic, Box<Floats>, Box<Floats>),
    Minimum(Vec<Floats>),
    Maximum(Vec<Floats>),
    Select(Box<Truths>, Box<Floats>, Box<Floats>),
    Math(MathFunction, Box<Floats>),
    Log(Box<Floats>, Box<Floats>),
}

/// A truth per core.
#[derive(Debug, Clone)]
pub(crate) enum Truths {
    /// One truth per core, the same in all MPs.
    Cores(lanes::Truths),
    /// A comparison of parameters.
    Order(Comparison, Form, Form),
    /// A comparison of data.
    Ints(Comparison, Ints, Ints),
    /// A comparison of data.
    Floats(Comparison, Floats, Floats),
    Connect {
        and: bool,
        left: Box<Truths>,
        right: Box<Truths>,
    },
    Not(Box<Truths>),
}

impl Truths {
    /// Returns true if shared words decide it.
    pub(crate) fn reads_data(&self) -> bool {
        match self {
            Truths::Cores(_) | Truths::Order(..) => false,
            Truths::Ints(..) | Truths::Floats(..) => true,
            Truths::Connect { left, right, .. } => left.reads_data() || right.reads_data(),
            Truths::Not(of) => of.reads_data(),
        }
    }
}

//! The plan of a kernel: what its statements do to many MPs at the same time.
//!
//! Made from the compiled form for a launch, and for all launches that know the same, when the kernel's control flow is the same for all
//! MPs but for guards, bounds of loops and data. What the launch decides is gone from it: constant conditions,
//! masks that depend on the core alone, loops that had to be written out because a quantity does
//! not grow evenly with their variable. What is left is typed and flat:
//!
//! - every index is a [`Form`], so that a statement is a few strided rows and its bounds, blocks and
//!   conflicts follow from the ends of the rows ([`Place`]);
//! - operations are added up per block of statements ([`Block`]), not per statement;
//! - a loop whose only statement accumulates is one step ([`Step::Accumulate`]), and so are the four
//!   statements that exchange two words by their order ([`Step::Exchange`]);
//! - a loop whose iterations do not see each other is known as such ([`Loop::together`]), and one with
//!   bounds that differ between cores is a step of its own ([`Step::Walk`]);
//! - the kernel is known to be free of races between MPs ([`races`]), so nobody keeps stamps; but for
//!   arrays that it only writes, where data may decide.
//!
//! A kernel that does not fit is executed statement by statement as before
//! ([`warp`](crate::exec::statements)); so is any batch of MPs in which something unusual happens.

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

/// A kernel made ready for batches of MPs.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The shared arrays it names.
    pub shared: Vec<SharedArray>,
    /// The global arrays its statements access.
    pub global: Vec<GlobalArray>,
    /// What every MP does.
    pub body: Block,
    /// Dimensions of MPs; their indices are the first slots.
    pub dimensions: usize,
    /// Parameters whose values are put into slots at every launch.
    pub open: Vec<(ParamId, Slot)>,
    /// Slots in use.
    pub slots: usize,
    /// `let`s that hold data.
    pub registers: usize,
    /// Most MPs in a batch.
    pub widest: usize,
    /// Whether MPs of one batch may differ in their last dimension only.
    pub is_flat: bool,
    /// Every access to a global array that the kernel writes.
    pub accesses: Vec<Reach>,
    /// Numbers of the last dimension of MPs at which a condition turns; ascending. MPs on either
    /// side do not go together.
    pub cuts: Vec<i64>,
    /// Statements looked at to make it.
    pub effort: u32,
    /// About how many operations a core takes: at most so many where no data decide.
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
    /// Whether words are read only by the statements behind the one that wrote them, at the same place and by
    /// the same cores: nobody sees them once others are written there, or these cores part.
    pub is_passing: bool,
}

/// A global array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GlobalArray {
    /// The variable.
    pub variable: VarId,
    /// Whether some statement reads it.
    pub is_read: bool,
    /// Whether some statement writes it.
    pub is_written: bool,
    /// Whether several MPs may write a word of it, so that writes are stamped; none reads it then.
    pub may_race: bool,
}

/// The factor of each dimension of the MPs in an index, and what the rest of it may be.
pub(crate) type Index = (Vec<i64>, Interval);

/// An access to a global array that is written: who gets there, and which words it may meet.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// Which of the plan's global arrays.
    pub array: usize,
    /// Whether it writes.
    pub writes: bool,
    /// For each index of the array, where it is known to be of this form.
    pub indices: Vec<Option<Index>>,
    /// The offset; `None` where data decide.
    pub offset: Option<Form>,
    /// First and last core that may be active.
    pub cores: (i64, i64),
    /// First and last value of each slot, those of the MPs first.
    pub slots: Vec<(i64, i64)>,
    /// Values that slots do not have there.
    pub except: Vec<(Slot, i64)>,
}

/// Statements that are executed together, by the same cores.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// What all its statements cost each time, blocks inside not included.
    pub operations: u64,
    /// In order.
    pub steps: Vec<Step>,
}

/// Iterations that a loop is taken to have where data decide.
const TRIPS_OF_DATA: u64 = 32;

impl Block {
    /// About how many operations it costs a core, with the slots between these ends.
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

/// What a statement does. What is rare and large is on the heap: plans are made often, and a few steps then fit
/// in what allocators hold ready.
#[derive(Debug)]
pub(crate) enum Step {
    /// Global to shared.
    Load { target: Place, source: Place },
    /// Shared to global.
    Store { target: Place, source: Place },
    /// A value to shared memory.
    Assign { target: Place, value: Value },
    /// `atomic`, and what it costs per core on the most contended word.
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
    /// `for` that every core leaves when its own numbers are through, or its `until` says so.
    Walk(Box<Walk>),
    /// A number that loops decide, the same for all MPs and cores, put into its slot.
    Number { slot: Slot, value: Ints },
    /// `while`, tested at the price of `operations`.
    While {
        condition: Truths,
        operations: u64,
        at_most: Option<Ints>,
        body: Block,
    },
    /// A loop over `target ← target + left · right` (or just `+ left`) whose target stays where
    /// it is.
    Accumulate(Box<Accumulate>),
    /// Two words put in order.
    Exchange(Box<Exchange>),
}

/// A counted loop.
#[derive(Debug)]
pub(crate) struct Loop {
    /// Where its variable is.
    pub slot: Slot,
    /// The first number written.
    pub from: Form,
    /// The second.
    pub to: Form,
    /// Whether it counts down.
    pub down: bool,
    /// The block; its operations include the 1 of each iteration.
    pub body: Block,
    /// The shared words that it meets, where its iterations may go together as far as they write
    /// different ones.
    pub together: Option<Vec<Place>>,
}

/// The iterations of a loop, once its bounds are numbers.
pub(crate) struct Trips {
    /// The first number written.
    pub from: i64,
    /// The second.
    pub to: i64,
    /// From a number to the next.
    pub rise: i64,
    /// How many there are; none where not above 0.
    pub count: i64,
}

impl Loop {
    /// About how many operations it costs a core, with the slots between these ends.
    fn estimate(&self, slots: &[(i64, i64)]) -> u64 {
        let [from, to] = [&self.from, &self.to].map(|end| end.interval((0, 0), slots));
        let most = match self.down {
            true => from.1 - to.0,
            false => to.1 - from.0,
        } + 1;
        let trips = u64::try_from(most.max(0)).unwrap_or(u64::MAX);
        trips.saturating_mul(self.body.estimate(slots))
    }

    /// Its iterations, with these numbers in the slots.
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
    /// What holds its variable.
    pub register: usize,
    /// The first number written.
    pub from: Ints,
    /// The second.
    pub to: Ints,
    /// Whether it counts down.
    pub down: bool,
    /// The block; its operations include the 1 of each iteration.
    pub body: Block,
    /// What cores leave by at the end of an iteration, and what asking costs.
    pub until: Option<(Truths, u64)>,
}

/// An accumulating loop: all iterations at once.
#[derive(Debug)]
pub(crate) struct Accumulate {
    /// The loop as written.
    pub frame: Loop,
    /// Shared, the same in all iterations.
    pub target: Place,
    /// Shared, not of the target's array.
    pub left: Place,
    /// Shared, not of the target's array; multiplied with the left one.
    pub right: Option<Place>,
}

/// Two shared words exchanged so that the least comes to one place and the most to the other.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Shared, another word for every core.
    pub one: Place,
    /// The same.
    pub other: Place,
    /// What decides which of them gets the least; it reads no memory.
    pub condition: Option<Truths>,
    /// What the condition is (or nothing) where that is the first of them.
    pub rises: bool,
    /// The statements as written.
    pub written: Vec<Step>,
}

/// Where a word per core is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Which of the plan's shared (or global) arrays.
    pub array: usize,
    /// Its variable.
    pub variable: VarId,
    /// How the words are found.
    pub at: At,
}

impl Place {
    /// Whether its words are lines that meet no bank twice but for the same word, of so many banks.
    pub(crate) fn has_no_conflicts(&self, banks: usize) -> bool {
        match &self.at {
            At::Line { period, offset, .. } => *period == banks || offset.core == 0,
            At::Each(_) => false,
        }
    }

    /// Whether all cores of an MP are known to have the same word.
    pub(crate) fn is_one(&self) -> bool {
        matches!(&self.at, At::Line { offset, .. } if offset.core == 0)
    }

    /// Whether any two cores of an MP are known to have different words.
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
        /// What one more in each of the last two dimensions of the MPs adds; 0 for the first of
        /// them where there is just one.
        steps: [i64; 2],
        /// Words from an MP's array to that of the next one in the batch: shared arrays of a batch
        /// lie one after the other. 0 in global memory.
        apart: i64,
        /// Indices that have to be looked at, with their extents: those that some core, MP or
        /// iteration could have outside.
        checked: Vec<(Form, i64)>,
        /// Active cores this far apart share a bank.
        period: usize,
    },
    /// Each index with its extent and the words between two neighbours.
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
    /// Of parameters, evenly growing.
    Form(Form),
    /// The same in all MPs: one for each core.
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
    /// Of whole numbers, rounded once.
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
    /// The same in all MPs.
    Cores(lanes::Truths),
    /// Of parameters.
    Order(Comparison, Form, Form),
    /// Of data.
    Ints(Comparison, Ints, Ints),
    /// Of data.
    Floats(Comparison, Floats, Floats),
    Connect {
        and: bool,
        left: Box<Truths>,
        right: Box<Truths>,
    },
    Not(Box<Truths>),
}

impl Truths {
    /// Whether shared words decide it.
    pub(crate) fn reads_data(&self) -> bool {
        match self {
            Truths::Cores(_) | Truths::Order(..) => false,
            Truths::Ints(..) | Truths::Floats(..) => true,
            Truths::Connect { left, right, .. } => left.reads_data() || right.reads_data(),
            Truths::Not(of) => of.reads_data(),
        }
    }
}

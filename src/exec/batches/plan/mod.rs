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
pub(crate) mod numbers;
pub(crate) mod operands;
pub(crate) mod passing;
pub(crate) mod places;
pub(crate) mod races;
pub(crate) mod scope;
pub(crate) mod statements;
pub(crate) mod steps;
pub(crate) mod traces;

pub(crate) use build::plan;
pub(crate) use form::{Form, Interval, Slot};
pub(crate) use operands::{At, Floats, Ints, Place, Truths, Value};
pub(crate) use scope::{Launched, may_stay_open};
pub(crate) use steps::{Accumulate, Block, Exchange, Loop, Step, Trips, Walk};

use crate::program::{ParamId, VarId};
use crate::syntax::ast::WordType;

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

#[cfg(test)]
pub(crate) mod tests;

//! The fast form of a kernel: every expression typed as ints, floats or truths, every index list with
//! its extents and strides.
//!
//! Data only: [`compile`](crate::exec::statements::compile) makes it, once a launch;
//! [`vector`](crate::exec::statements::vector) and [`single`](crate::exec::statements::single) execute
//! it, and the plan of [`batches`](crate::exec::batches) is made from it.

use crate::program::{
    Arithmetic, AtomicOperator, BitFunction, CoreLoop, LetBinding, MathFunction, ParamId, Stmt,
    VarId,
};
use crate::syntax::ast::{Comparison, WordType};

/// A kernel ready to be executed by any MP.
#[derive(Debug)]
pub(crate) struct Code<'p> {
    /// In text order.
    pub body: Vec<WrapperStep<'p>>,
}

/// A statement directly inside the wrapper loop.
#[derive(Debug)]
pub(crate) enum WrapperStep<'p> {
    /// A `let` of the MP.
    Let {
        /// Its reference form.
        binding: &'p LetBinding,
        /// op(e)
        operations: u64,
        /// Its fast form.
        value: Operand,
    },
    /// A core loop.
    Cores {
        /// Its reference form.
        cores: &'p CoreLoop,
        /// What the cores do.
        body: Vec<Step<'p>>,
    },
}

/// A statement of a core loop in both forms.
#[derive(Debug)]
pub(crate) struct Step<'p> {
    /// The reference form.
    pub stmt: &'p Stmt,
    /// What [`of_stmt`](crate::exec::ops::of_stmt) says it costs.
    pub operations: u64,
    /// The fast form.
    pub action: Action<'p>,
}

/// What a statement does.
#[derive(Debug)]
pub(crate) enum Action<'p> {
    /// Global to shared.
    Load {
        /// Shared.
        target: Access,
        /// Global.
        source: Access,
    },
    /// Shared to global.
    Store {
        /// Global.
        target: Access,
        /// Shared.
        source: Access,
    },
    /// An int to shared memory.
    AssignInts {
        /// Shared, of ints.
        target: Access,
        /// What is written.
        value: Ints,
    },
    /// A float to shared memory.
    AssignFloats {
        /// Shared, of floats.
        target: Access,
        /// What is written.
        value: Floats,
    },
    /// `atomic`.
    Atomic {
        /// The words updated.
        target: Access,
        /// ⊕
        operator: AtomicOperator,
        /// What is combined with them: the operand of each core, and whether it is subtracted.
        operands: Vec<(bool, Operand)>,
    },
    /// `let` of a whole number.
    LetInts(ParamId, Ints),
    /// `let` of a float.
    LetFloats(ParamId, Floats),
    /// `if`
    If {
        /// Which cores go on.
        condition: Truths,
        /// The block.
        body: Vec<Step<'p>>,
    },
    /// `for`
    For {
        /// The loop variable.
        variable: ParamId,
        /// The first number written.
        from: Ints,
        /// The second.
        to: Ints,
        /// Whether it counts down.
        down: bool,
        /// The block.
        body: Vec<Step<'p>>,
    },
    /// `until`, the last step of a `for`.
    Until {
        /// Which cores leave.
        condition: Truths,
    },
    /// `while`
    While {
        /// Which cores go on.
        condition: Truths,
        /// The bound of `at most`.
        at_most: Option<Ints>,
        /// The block.
        body: Vec<Step<'p>>,
    },
}

/// The place of a word per core.
#[derive(Debug)]
pub(crate) struct Access {
    /// The variable.
    pub variable: VarId,
    /// The type of its words.
    pub word_type: WordType,
    /// Index, extent and stride of each dimension.
    pub dimensions: Vec<(Ints, i64, i64)>,
}

/// An expression that gives a whole number per core.
#[derive(Debug)]
pub(crate) enum Ints {
    Constant(i64),
    Register(ParamId),
    /// Of constants and registers only, and a number, not data: quick while no register holds a
    /// value of its own for every core.
    Straight(Box<Ints>),
    /// constant + Σ factor · register, of numbers; beside it the expression as written, for
    /// registers that hold a value of its own for every core.
    Linear {
        constant: i64,
        terms: Vec<(i64, ParamId)>,
        written: Box<Ints>,
    },
    Read(Access),
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
    /// Only the reference form can tell.
    Opaque,
}

/// An expression that gives a float per core.
#[derive(Debug)]
pub(crate) enum Floats {
    Constant(f64),
    Register(ParamId),
    Read(Access),
    OfInts(Ints),
    /// A quotient of numbers, on its way to a float.
    Quotient(Ints, Ints),
    Negate(Box<Floats>),
    Absolute(Box<Floats>),
    Binary(Arithmetic, Box<Floats>, Box<Floats>),
    Minimum(Vec<Floats>),
    Maximum(Vec<Floats>),
    Select(Box<Truths>, Box<Floats>, Box<Floats>),
    Math(MathFunction, Box<Floats>),
    Log(Box<Floats>, Box<Floats>),
}

/// An expression that gives a truth per core.
#[derive(Debug)]
pub(crate) enum Truths {
    Constant(bool),
    /// One comparison of ints.
    Order(Comparison, Ints, Ints),
    /// Each operand evaluated once.
    Chain(Vec<Operand>, Vec<Comparison>),
    Connect {
        and: bool,
        left: Box<Truths>,
        right: Box<Truths>,
    },
    Not(Box<Truths>),
}

/// A number of either kind.
#[derive(Debug)]
pub(crate) enum Operand {
    Ints(Ints),
    Floats(Floats),
}

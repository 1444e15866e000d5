//! The fast form of a kernel: every expression typed as ints, floats or truths, every index list
//! with its extents and strides.
//!
//! Data only. [`compile`](crate::exec::statements::compile) makes it and
//! [`prepared`](crate::exec::prepared) keeps it; [`vector`](crate::exec::statements::vector) and
//! [`single`](crate::exec::statements::single) execute it, and [`batches`](crate::exec::batches)
//! plan
//! from it.

use crate::program::{
    Arithmetic, AtomicOperator, BitFunction, CoreLoop, LetBinding, MathFunction, ParamId, Stmt,
    VarId,
};
use crate::syntax::ast::{Comparison, WordType};

/// A kernel in fast form, for any MP.
#[derive(Debug)]
pub(crate) struct Code<'p> {
    /// Its statements, in text order.
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
        /// The statements of the cores.
        body: Vec<Step<'p>>,
    },
}

/// A statement of a core loop in both forms.
#[derive(Debug)]
pub(crate) struct Step<'p> {
    /// The reference form.
    pub stmt: &'p Stmt,
    /// Its operations, by [`of_stmt`](crate::exec::ops::of_stmt).
    pub operations: u64,
    /// The fast form.
    pub action: Action<'p>,
}

/// The fast form of a statement.
#[derive(Debug)]
pub(crate) enum Action<'p> {
    /// Global to shared.
    Load {
        /// A shared word.
        target: Access,
        /// A global word.
        source: Access,
    },
    /// Shared to global.
    Store {
        /// A global word.
        target: Access,
        /// A shared word.
        source: Access,
    },
    /// An int to shared memory.
    AssignInts {
        /// A shared word, an int.
        target: Access,
        /// The value to write.
        value: Ints,
    },
    /// A float to shared memory.
    AssignFloats {
        /// A shared word, a float.
        target: Access,
        /// The value to write.
        value: Floats,
    },
    /// `atomic`.
    Atomic {
        /// The words to update.
        target: Access,
        /// ⊕
        operator: AtomicOperator,
        /// The operands of each core, with true for those that are subtracted.
        operands: Vec<(bool, Operand)>,
    },
    /// `let` of a whole number.
    LetInts(ParamId, Ints),
    /// `let` of a float.
    LetFloats(ParamId, Floats),
    /// `if`
    If {
        /// True for the cores that go on.
        condition: Truths,
        /// The block.
        body: Vec<Step<'p>>,
    },
    /// `for`
    For {
        /// The loop variable.
        variable: ParamId,
        /// The first bound as written.
        from: Ints,
        /// The second bound.
        to: Ints,
        /// True if it counts down.
        down: bool,
        /// The block.
        body: Vec<Step<'p>>,
    },
    /// `until`, the last step of a `for`.
    Until {
        /// True for the cores that leave.
        condition: Truths,
    },
    /// `while`
    While {
        /// True for the cores that go on.
        condition: Truths,
        /// The bound of `at most`.
        at_most: Option<Ints>,
        /// The block.
        body: Vec<Step<'p>>,
    },
}

/// The location of a word per core.
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
    /// A number of constants and registers only, not data. Quick to evaluate as long as no register
    /// holds separate values for the cores.
    Straight(Box<Ints>),
    /// constant + Σ factor · register, of numbers. Beside it stands the expression as written, for
    /// registers that hold separate values for the cores.
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
    /// Left to the reference form.
    Opaque,
}

/// An expression that gives a float per core.
#[derive(Debug)]
pub(crate) enum Floats {
    Constant(f64),
    Register(ParamId),
    Read(Access),
    OfInts(Ints),
    /// A quotient of numbers that becomes a float.
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
    /// A chain; each operand is evaluated once.
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

//! Operands of a plan: places in memory, numbers and truths, one per core.

use crate::exec::batches::plan::form::Form;
use crate::exec::lanes;
use crate::program::{Arithmetic, BitFunction, MathFunction, VarId};
use crate::syntax::ast::Comparison;

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

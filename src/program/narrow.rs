//! A program whose int words have 32 bits: each variable with the range that such a word holds.

use crate::number::BigInt;
use crate::program::{Extreme, Number, NumberKind, Program, Role, Type, Variable, WordType};

/// The most words for which every index is below 2^31.
const MOST_INDEXED: i64 = 1 << 31;

/// The variables that get a range of 32 bits although they declare none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undeclared {
    /// All of them: what is proved holds for any data of 32 bits.
    All,
    /// All but inputs, whose data are as for words of 64 bits.
    NoInputs,
}

impl Program {
    /// The program with every int variable `in -2^31..2^31 - 1`, or in what of that it declares. A word that
    /// leaves this range is a `value::range` then, to proofs and to runs.
    pub fn with_int32(mut self, undeclared: Undeclared) -> Program {
        let ints = self.variables.iter_mut().filter(|variable| {
            let is_kept = undeclared == Undeclared::NoInputs && variable.role == Role::Input;
            variable.word_type == WordType::Int && !(is_kept && variable.range.is_none())
        });
        ints.for_each(narrow);
        self
    }

    /// The words of global memory, of so many, that indices of 32 bits tell apart.
    pub fn indexed_by_int32(global_words: i64) -> i64 {
        global_words.min(MOST_INDEXED)
    }
}

fn narrow(variable: &mut Variable) {
    let span = variable.span;
    let number = |kind| Number {
        kind,
        ty: Type::Number,
        span,
    };
    let extreme = |extreme, arguments: [Number; 2]| NumberKind::Extreme {
        extreme,
        arguments: arguments.into(),
    };
    let end = |value: i32| number(NumberKind::Integer(BigInt::from(value)));
    variable.range = Some(match variable.range.take() {
        None => (end(i32::MIN), end(i32::MAX)),
        Some((low, high)) => (
            number(extreme(Extreme::Max, [low, end(i32::MIN)])),
            number(extreme(Extreme::Min, [high, end(i32::MAX)])),
        ),
    });
}

//! What can go wrong while a program runs: every fault once, with its code, its words and its help.
//!
//! The counters that look at values (`exec`, and `interval` where known values make a fault
//! certain) say which fault, where and of what; how it is worded is decided here alone. What only
//! data, a machine or a user's parameters can do wrong is not here.

mod no_value;
pub(crate) mod parameters;
mod words;

pub(crate) use no_value::{Extreme, NoValue, Operand};
pub(crate) use words::{OutOfBounds, Place, shape_text, word_name};

use std::fmt;

use crate::diag::Diagnostic as Finding;
use crate::text::Span;

/// A fault of a program as it runs.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
pub(crate) enum Fault {
    /// A word read before anything wrote it.
    #[error("`{word}` is read before it is written")]
    #[diagnostic(code("atgpu::value::uninitialised"), help("{}", written_first(word)))]
    Uninitialised {
        word: String,
        place: Place,
        #[label(primary, "never written")]
        span: Span,
    },

    /// A transfer or a condition of the host that reads a word nothing has written.
    #[error("`{word}` is read before it is written")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help("{}", sent_first(inward.as_deref()))
    )]
    Unwritten {
        word: String,
        /// The transfer with its sides exchanged, if it is into an input.
        inward: Option<String>,
        place: Place,
        #[label(primary, "never written")]
        span: Span,
    },

    /// A transfer from an array that nothing has written at all.
    #[error("`{array}` is read before any of it is written")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help("{}", sent_first(inward.as_deref()))
    )]
    UnwrittenArray {
        array: String,
        /// The transfer with its sides exchanged, if it is into an input.
        inward: Option<String>,
        #[label(primary, "never written")]
        span: Span,
    },

    /// An int beyond 64 bits.
    #[error("{value} does not fit a 64-bit int")]
    #[diagnostic(
        code("atgpu::value::overflow"),
        help("an int lies in -2^63 .. 2^63 - 1; use float, or reduce the value first")
    )]
    Overflow {
        value: String,
        place: Place,
        #[label(primary, "overflows")]
        span: Span,
    },

    /// A division by zero.
    #[error("division by zero")]
    #[diagnostic(
        code("atgpu::value::division-by-zero"),
        help(
            "`∧`, `∨` and `select` evaluate all their operands: guard the division by an `if` around it"
        )
    )]
    DivisionByZero {
        place: Place,
        #[label(primary, "the divisor is 0")]
        span: Span,
    },

    /// A fraction where a whole number is needed.
    #[error("{value} is not a whole number")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("round it with `⌈…⌉` or `⌊…⌋`, or use `div`")
    )]
    NotIntegral {
        value: String,
        place: Place,
        #[label(primary, "must be whole here")]
        span: Span,
    },

    /// A logarithm, root or power that does not exist, or is beyond all measure.
    #[error("{what} has no value")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("keep what is inside in the range where it has a value, with an `if` or a `require`")
    )]
    Undefined {
        what: String,
        place: Place,
        #[label(primary, "undefined")]
        span: Span,
    },

    /// A bit function of a negative number.
    #[error("a bit function of {value}, which is negative")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("bit functions take whole numbers from 0 to 2^63 - 1")
    )]
    NegativeBits {
        value: String,
        place: Place,
        #[label(primary, "negative")]
        span: Span,
    },

    /// `min` or `max` over nothing.
    #[error("`min` or `max` over an empty range")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("guard it, or `require` that the range has a value")
    )]
    EmptyExtreme {
        place: Place,
        #[label(primary, "no value to choose from")]
        span: Span,
    },

    /// A written value outside `in lo..hi`.
    #[error("{value} is written to `{word}`, declared in {low}..{high}")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("widen the declared range, or keep the value inside it")
    )]
    OutsideDeclared {
        word: String,
        value: String,
        low: String,
        high: String,
        place: Place,
        #[label(primary, "outside the declared range")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Outside a host array.
    #[error("{fact}")]
    #[diagnostic(
        code("atgpu::bounds::host"),
        help("shorten the slice, or declare the array larger")
    )]
    BoundsHost {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Outside a host array, in a condition on data.
    #[error("{fact}")]
    #[diagnostic(code("atgpu::bounds::host"), help("{}", in_formula(fact, *in_select)))]
    BoundsFormula {
        fact: OutOfBounds,
        /// True if it is read by an argument of `select`.
        in_select: bool,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// A transfer from or to words outside a global array.
    #[error("{fact}")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("shorten the slice, or declare the array larger")
    )]
    BoundsTransfer {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Outside a global array.
    #[error("{fact}")]
    #[diagnostic(code("atgpu::bounds::global"), help("{}", guarded(fact)))]
    BoundsGlobal {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Outside a shared array.
    #[error("{fact}")]
    #[diagnostic(code("atgpu::bounds::shared"), help("{}", guarded(fact)))]
    BoundsShared {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Two cores, one shared word, two values.
    #[error(
        "cores {first} and {second} write {first_value} and {second_value} to `{word}` in one instruction"
    )]
    #[diagnostic(
        code("atgpu::race::shared"),
        help("let one core write, or combine the values with `atomic`")
    )]
    RaceShared {
        word: String,
        first: usize,
        second: usize,
        first_value: String,
        second_value: String,
        place: Place,
        #[label(primary, "both write here")]
        span: Span,
    },

    /// Two cores of one MP, one global word, two values.
    #[error(
        "cores {first} and {second} write {first_value} and {second_value} to `{word}` in one instruction"
    )]
    #[diagnostic(code("atgpu::race::global"), help("let one core write"))]
    RaceCores {
        word: String,
        first: usize,
        second: usize,
        first_value: String,
        second_value: String,
        place: Place,
        #[label(primary, "both write here")]
        span: Span,
    },

    /// Two MPs meet on a global word.
    #[error(
        "{other} `{word}`, and {place} {} it in the same kernel, where MPs run in no order",
        meeting(*writes, other.writes)
    )]
    #[diagnostic(
        code("atgpu::race::global"),
        help("split the work into two kernels, or write to another array")
    )]
    RaceMps {
        word: String,
        place: Place,
        /// True if that MP writes it, false if it reads it.
        writes: bool,
        other: OtherMps,
        #[label(primary, "this access")]
        span: Span,
        #[label("and this one")]
        other_span: Option<Span>,
    },

    /// `at most` passed.
    #[error("iteration {iteration} begins, but the loop was to take at most {bound}")]
    #[diagnostic(
        code("atgpu::loop::bound-exceeded"),
        help("raise the bound behind `at most`")
    )]
    BoundExceeded {
        iteration: String,
        bound: String,
        place: Place,
        #[label(primary, "passes its bound")]
        span: Span,
    },

    /// The two sides of a transfer differ in words.
    #[error("the left side has {left} words, the right side {right}")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("both sides of `⇚` have the same number of words")
    )]
    TransferShape {
        left: String,
        right: String,
        #[label(primary, "different numbers of words")]
        span: Span,
    },

    /// Swapped arrays differ in shape.
    #[error("`{left}` is {left_shape} and `{right}` is {right_shape}: only equal shapes swap")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("declare both with the same dimensions")
    )]
    SwapShape {
        left: String,
        right: String,
        left_shape: String,
        right_shape: String,
        #[label(primary, "different shapes")]
        span: Span,
    },
}

/// The help for an index outside its array in a condition on data.
fn in_formula(fact: &OutOfBounds, in_select: bool) -> &'static str {
    if in_select {
        "`select` evaluates all its arguments: write a condition for each case, `c ⇒ …` and `¬ c ⇒ …`"
    } else if fact.index.starts_with('-') {
        "words are counted from 0: the last of n is number n - 1; let ∀ or ∃ run over less, or put `c ⇒` before it"
    } else {
        "let ∀ or ∃ run over less, or put `c ⇒` before it"
    }
}

/// The MPs that met a word before; reads as the beginning of a sentence.
#[derive(Debug, Clone)]
pub(crate) struct OtherMps {
    /// The MP; none in particular where there were several.
    pub(crate) place: Option<Place>,
    /// True if they wrote it, false if they read it.
    pub(crate) writes: bool,
}

impl fmt::Display for OtherMps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place, self.writes) {
            (Some(place), true) => write!(f, "{place} writes"),
            (Some(place), false) => write!(f, "{place} reads"),
            (None, true) => f.write_str("several MPs write"),
            (None, false) => f.write_str("several MPs read"),
        }
    }
}

/// The verb for an MP and a word that others have written, or read.
fn meeting(writes: bool, others_write: bool) -> &'static str {
    match (writes, others_write) {
        (true, true) => "writes another value to",
        (true, false) => "writes",
        (false, _) => "reads",
    }
}

impl Fault {
    /// The place where it is met; none where its own words tell, or nobody in particular meets it.
    fn place(&self) -> Option<Place> {
        match self {
            Fault::Uninitialised { place, .. }
            | Fault::Unwritten { place, .. }
            | Fault::Overflow { place, .. }
            | Fault::DivisionByZero { place, .. }
            | Fault::NotIntegral { place, .. }
            | Fault::Undefined { place, .. }
            | Fault::NegativeBits { place, .. }
            | Fault::EmptyExtreme { place, .. }
            | Fault::OutsideDeclared { place, .. }
            | Fault::BoundsHost { place, .. }
            | Fault::BoundsFormula { place, .. }
            | Fault::BoundsTransfer { place, .. }
            | Fault::BoundsGlobal { place, .. }
            | Fault::BoundsShared { place, .. }
            | Fault::RaceShared { place, .. }
            | Fault::RaceCores { place, .. }
            | Fault::BoundExceeded { place, .. } => Some(place.clone()),
            Fault::UnwrittenArray { .. } => Some(Place::default()),
            Fault::RaceMps { .. } | Fault::TransferShape { .. } | Fault::SwapShape { .. } => None,
        }
    }
}

impl From<Fault> for Finding {
    fn from(fault: Fault) -> Finding {
        let finding = Finding::of(&fault);
        match fault.place() {
            Some(place) => Finding {
                message: finding.message.at_place(&place),
                ..finding
            },
            None => finding,
        }
    }
}

/// The remedy for a word that a kernel reads unwritten. The names of shared variables begin with `_`.
fn written_first(word: &str) -> String {
    if word.starts_with('_') {
        "write the word first; shared memory is undefined at the start of every kernel on every MP"
            .to_owned()
    } else {
        let array = word.split('[').next().unwrap_or(word);
        format!(
            "nothing has written it: transfer an input to `{array}` before the kernel (`{array} ⇚ …`), or let an earlier kernel write it"
        )
    }
}

/// The remedy for a word that a transfer or the host reads unwritten.
fn sent_first(inward: Option<&str>) -> String {
    match inward {
        Some(inward) => format!("an input has its words already: write `{inward}` to bring them in"),
        None => "no transfer and no kernel has written it: launch MPs for all words, as in `MP[0..⌈n/b⌉-1]` with a guard, or transfer fewer words".to_owned(),
    }
}

/// The guard for an index outside.
fn guarded(fact: &OutOfBounds) -> &'static str {
    if fact.index.starts_with('-') {
        "guard the access by `if index ≥ 0 then`: no array has words before its first"
    } else {
        "guard the access by `if index < extent then`, or declare the array larger"
    }
}

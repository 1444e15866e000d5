//! What is found of a program's safety: per property the places it is about, each with a verdict.
//! Data only; `report::safety` has the words of a page, [`fmt::Display`] those of a rule.

use std::fmt;

use crate::count::Parameters;
use crate::diag::{Diagnostic, Fix};
use crate::exec::Input;
use crate::program::VarId;
use crate::sym::{Cond, Expr, Symbol};
use crate::text::Span;

/// The five properties of a safe program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Property {
    /// Every index and slice lies in its extent.
    Bounds,
    /// No two cores, no two MPs disagree about a word.
    Races,
    /// No word is read before it is written.
    Initialised,
    /// Everything evaluated has a value, whole where one is needed.
    Defined,
    /// Shared and global memory suffice.
    Fits,
}

impl Property {
    /// All of them, in the order they are told.
    pub const ALL: [Property; 5] = [
        Property::Bounds,
        Property::Races,
        Property::Initialised,
        Property::Defined,
        Property::Fits,
    ];

    /// `bounds`, `races`, ….
    ///
    /// ```
    /// use atgpu::safety::Property;
    ///
    /// assert_eq!(Property::Initialised.name(), "initialised");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Property::Bounds => "bounds",
            Property::Races => "races",
            Property::Initialised => "initialised",
            Property::Defined => "defined",
            Property::Fits => "fits",
        }
    }

    /// The property that a fault of a run belongs to, by its code; none for what is `run`'s alone
    /// (overflow, `ensure`s, declared ranges).
    pub(crate) fn of_code(code: &str) -> Option<Property> {
        match code {
            "bounds::host" | "bounds::global" | "bounds::shared" | "access::shape" => {
                Some(Property::Bounds)
            }
            "race::shared" | "race::global" => Some(Property::Races),
            "value::uninitialised" => Some(Property::Initialised),
            "value::division-by-zero"
            | "value::not-integral"
            | "value::range"
            | "loop::bound-exceeded" => Some(Property::Defined),
            "limit::shared" | "limit::global" => Some(Property::Fits),
            _ => None,
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why something always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// The index lies in its extent over the whole ranges of MPs, cores and loops.
    AffineRange,
    /// An `if` around it says so.
    Guard,
    /// What is declared or required of the data says so.
    DeclaredRange,
    /// All that is ever written there lies between two ends.
    Contents,
    /// The word moves with the core, or with the MP, and never comes back.
    Stride,
    /// The digits of an index (`y·w + x` with `0 ≤ x < w`) tell who writes.
    MixedRadix,
    /// The indices, or a sum or difference of two of them, leave different remainders.
    Residue,
    /// What is read and what is written never overlap.
    Disjoint,
    /// All who write a word write the same value.
    SameValue,
    /// A guard leaves one writer.
    OneWriter,
    /// Partners by `bitxor` are partners of each other.
    Involution,
    /// Only one MP is launched.
    OneMp,
    /// Different places of a permutation hold different numbers.
    Permutation,
    /// Nothing in the kernel writes the array.
    OnlyRead,
    /// `atomic` never races with itself.
    Atomic,
    /// The same word was written just before, under a weaker guard.
    SameWord,
    /// What is read is part of what was written.
    Cover,
    /// The indices written reach every word.
    Onto,
    /// Inputs are written whole.
    Input,
    /// A whole array was transferred.
    Transfer,
    /// It follows from the `require`s and the form of the expression.
    Value,
    /// The place is never reached.
    Never,
}

impl Rule {
    /// The name in reports.
    ///
    /// ```
    /// use atgpu::safety::Rule;
    ///
    /// assert_eq!(Rule::MixedRadix.name(), "mixed radix");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Rule::AffineRange => "affine range",
            Rule::Guard => "guard",
            Rule::DeclaredRange => "declared range",
            Rule::Contents => "contents",
            Rule::Stride => "stride",
            Rule::MixedRadix => "mixed radix",
            Rule::Residue => "residue",
            Rule::Disjoint => "disjoint ranges",
            Rule::SameValue => "same value",
            Rule::OneWriter => "one writer",
            Rule::Involution => "involution",
            Rule::OneMp => "one MP",
            Rule::Permutation => "permutation",
            Rule::OnlyRead => "only read",
            Rule::Atomic => "atomic",
            Rule::SameWord => "same word",
            Rule::Cover => "cover",
            Rule::Onto => "onto",
            Rule::Input => "input",
            Rule::Transfer => "transfer",
            Rule::Value => "value",
            Rule::Never => "never reached",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What of a program is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// A word read.
    Read(VarId),
    /// A word written.
    Write(VarId),
    /// A word updated by an `atomic`.
    Update(VarId),
    /// A whole array, over all that a kernel does to it.
    Array(VarId),
    /// A divisor.
    Divisor,
    /// The base or the argument of a logarithm, a power or a root.
    Domain,
    /// The operand of a bit function.
    Bits,
    /// A number that must be whole.
    Whole,
    /// A size.
    Size(VarId),
    /// The bound of a `while`.
    Iterations,
    /// A value written to a variable with a declared range.
    Range(VarId),
    /// Whatever a run met here.
    Run,
}

/// Why something is not decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// No rule proves this, and no run failed.
    Unproved(Lack),
    /// It reads data whose range is not declared.
    Data,
    /// The words of this array are transferred, and its own range is not declared.
    Transferred(VarId),
    /// It is no expression that can be reasoned about.
    Form,
    /// The work allowed was done before this was proved.
    Work(Lack),
    /// Only a run knows how often the loop runs.
    Unbounded,
}

/// What is not known to hold at a place, in what stands around it: the fact that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lack {
    /// This condition.
    Condition(Cond),
    /// That the first value is at most the second.
    Order([Expr; 2]),
    /// That this is a whole number.
    Whole(Expr),
    /// That these indices of an array are no two cores' at once.
    OfOneCore(Vec<Expr>),
    /// That the first indices in one MP are never the second in another.
    OfOneMp([Vec<Expr>; 2]),
    /// That the word was written before.
    Written,
}

/// A run that fails.
#[derive(Debug, Clone)]
pub struct Witness {
    /// The formals, and b.
    pub values: Parameters,
    /// The data of the inputs, where they are not drawn: as `--input` names them.
    pub inputs: Vec<(String, Input)>,
    /// What the run says.
    pub fault: Diagnostic,
    /// A condition under which the place is proved: the `require` that is missing.
    pub require: Option<Missing>,
    /// An `if` under which the place is proved: the guard that is missing.
    pub guard: Option<Guard>,
    /// How many points had been tried before: smaller ones are tried first.
    pub(crate) found: usize,
}

/// A `require` under which a place is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// `b | n`
    pub text: String,
    /// True if it admits no size at which a kernel has several MPs, and the program does: then it hides the fault and
    /// mends nothing.
    pub one_mp: bool,
    /// True if it admits the machine's b alone, at which nothing failed: the text has that number in the place of b.
    pub one_width: bool,
}

/// An `if` that keeps indices inside.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Guard {
    /// `if ib + j < n then`
    pub text: String,
    /// The text with it around what it guards.
    pub fix: Fix,
}

/// Whether something always holds.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// For all admitted values.
    Proved(Rule),
    /// Not at this point, as a run has shown.
    Refuted(Box<Witness>),
    /// Not decided.
    Open(Reason),
}

impl Verdict {
    /// `proved`, `refuted` or `open`.
    ///
    /// ```
    /// use atgpu::safety::{Rule, Verdict};
    ///
    /// assert_eq!(Verdict::Proved(Rule::Guard).name(), "proved");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved(_) => "proved",
            Verdict::Refuted(_) => "refuted",
            Verdict::Open(_) => "open",
        }
    }

    /// Whether it holds for all admitted values.
    ///
    /// ```
    /// use atgpu::safety::{Reason, Verdict};
    ///
    /// assert!(!Verdict::Open(Reason::Data).is_proved());
    /// ```
    pub fn is_proved(&self) -> bool {
        matches!(self, Verdict::Proved(_))
    }
}

/// The argument of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The numbers of loops, MPs and cores that decide the word, outermost first.
    pub numbers: Vec<Symbol>,
    /// The word that they are taken to.
    pub indices: Vec<Expr>,
    /// How far the word moves as each number grows by one, where that is the same everywhere. Of one index only.
    pub steps: Vec<Expr>,
    /// The `require`s and guards that the proof needs, beside the ranges of the numbers.
    pub facts: Vec<Cond>,
}

/// One place, judged.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judged {
    /// What it is about.
    pub property: Property,
    /// The place.
    pub span: Span,
    /// What is judged there.
    pub subject: Subject,
    /// How.
    pub verdict: Verdict,
    /// The argument of a proof, where it was asked for.
    pub argument: Option<Box<Argument>>,
    /// A point at which the place fails, if what is known around it is all there is: the formals, and b.
    pub(crate) aim: Option<Parameters>,
}

impl Judged {
    /// A place with its verdict.
    pub(crate) fn new(
        property: Property,
        span: Span,
        subject: Subject,
        verdict: Verdict,
    ) -> Judged {
        Judged {
            property,
            span,
            subject,
            verdict,
            argument: None,
            aim: None,
        }
    }
}

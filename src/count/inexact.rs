//! The reasons why a count is only a bound or has no closed form. Each reason carries its facts; its
//! wording is written here and nowhere else.
//!
//! The symbolic and interval counters produce the facts; a report asks for the words.

use std::borrow::Cow;

/// The reason why a count is only a bound, has no closed form, or is missing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Inexact {
    /// The words that an access touches are unknown.
    Access {
        /// The unknown part of its address.
        address: Address,
        /// The sorted array that its index is read from.
        sorted: Option<String>,
    },
    /// The number of cores that meet on one word is unknown.
    Contention(Address),
    /// The charges of an access under the machine's memory rules are unknown.
    MemoryRules,
    /// Data decide the number of iterations, without any bound.
    Iterations,
    /// Data decide the number of iterations, within their declared range.
    IterationsInRange,
    /// Data decide the number of iterations: the length of a row of this sorted array.
    IterationsOfRows(String),
    /// The core with the most iterations is unknown.
    LongestCore,
    /// Data decide the number of iterations of a kernel's `while`.
    While,
    /// The iteration after which an `until` ends a kernel's `for` is unknown.
    Until,
    /// Data decide the number of iterations of a host `while`.
    HostWhile,
    /// The iteration after which an `until` ends a host `for` is unknown.
    HostUntil,
    /// A guard has no form.
    Guard(Formless),
    /// It is unknown if a guard leaves any core active.
    AnyCore,
    /// The costliest MP is unknown.
    CostliestMp,
    /// The costliest MP is unknown; the bound takes every part of t at its largest.
    CostliestByParts,
    /// The search for the costliest MP exceeded its budget.
    CostliestGivenUp,
    /// The largest t is known, the MP that attains it is not.
    MpOfTime,
    /// The MP with the costliest memory accesses is unknown.
    CostliestForMemory,
    /// The work budget was spent.
    GivenUp,
    /// A formula grew too long.
    TooLong,
    /// A sum has no known closed form.
    OpenSum,
    /// The search for the closed form of a sum exceeded its budget.
    OpenSumGivenUp,
    /// Counting contradicts the formula that was found.
    Contradicted,
    /// The largest round is unknown.
    LargestRound,
    /// A part of the host has no form.
    Host(HostPart, Formless),
    /// A loop of transfers alone may not run at all.
    LoopMayNotTransfer,
    /// A host loop may not run at all, although a round outside it continues in it.
    LoopMayNotRun,
    /// At given parameters: data decide the number of executions of a line.
    DataExecutions,
    /// At given parameters: data decide the words that a line touches.
    DataWords,
    /// At given parameters: data decide the words of an access, or its cores.
    DataAccess,
    /// At given parameters: data decide if a kernel is launched.
    DataLaunch,
    /// At given parameters: data decide how many times the host repeats a round.
    DataRepetitions,
    /// At given parameters: data decide the costliest MP.
    DataCostliestMp,
}

/// The reason why an expression has no form in symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Formless {
    /// It reads data.
    Data,
    /// The algebra has no such operation.
    Operation,
}

/// The unknown part of the words that cores touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// The stride: the distance between the words of neighbouring cores.
    Stride,
    /// The active cores within an interval.
    Cores,
    /// The start of each row of cores within a block, or the rows that share a block.
    Rows,
    /// The address itself.
    Formless(Addressed, Formless),
}

/// The thing that an address selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Addressed {
    /// Blocks of global memory.
    Blocks,
    /// A bank of shared memory.
    Bank,
    /// One word.
    Word,
}

/// A part of the host program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostPart {
    /// A transfer's size.
    Transfer,
    /// A kernel's MPs or memory.
    Kernel,
    /// The range of a `for`.
    For,
    /// The bound of a `while`.
    While,
}

const KNOWN_STRIDE: &str = "an index `A + s·core` with a known s is counted exactly";
const KNOWN_ROWS: &str =
    "rows of cores, `core div h`, over rows of words that b divides are counted exactly";
const KNOWN_GUARD: &str =
    "a guard that compares `A + s·core`, or a remainder of it, with parameters is counted exactly";
const KNOWN_ITERATIONS: &str = "bounds over parameters and the core's index are counted exactly";
const KNOWN_FOR: &str = "a `for` with bounds over parameters is counted exactly";
const KNOWN_UNTIL: &str = "one that parameters alone decide is counted exactly: a bound on the loop's variable, a number, a remainder";
const MONOTONE_MPS: &str = "counts that grow or fall with the MP's index have a known maximum";
const SMALLER: &str = "fewer loops inside each other have a closed form; values for the parameters \
                       (`-D n=64`) are counted one by one";
const ADDED_UP: &str = "it is exact all the same: the sum is added up term by term";
const RUNS: &str = "add a `require` that makes the loop run at least once";
const RANGE_OR_RUN: &str = "declare the range of the data it depends on, or count a run";
const ANY_DATA: &str = "`run` counts them for any data";

impl Inexact {
    /// Returns true if data decide the count, at all sizes.
    pub(crate) fn is_about_data(&self) -> bool {
        match self {
            Inexact::Access { address, .. } | Inexact::Contention(address) => {
                matches!(address, Address::Formless(_, Formless::Data))
            }
            Inexact::Guard(why) | Inexact::Host(_, why) => *why == Formless::Data,
            Inexact::Iterations
            | Inexact::IterationsInRange
            | Inexact::IterationsOfRows(_)
            | Inexact::While
            | Inexact::HostWhile
            | Inexact::DataExecutions
            | Inexact::DataWords
            | Inexact::DataAccess
            | Inexact::DataLaunch
            | Inexact::DataRepetitions
            | Inexact::DataCostliestMp => true,
            Inexact::MemoryRules
            | Inexact::LongestCore
            | Inexact::Until
            | Inexact::HostUntil
            | Inexact::AnyCore
            | Inexact::CostliestMp
            | Inexact::CostliestByParts
            | Inexact::CostliestGivenUp
            | Inexact::MpOfTime
            | Inexact::CostliestForMemory
            | Inexact::GivenUp
            | Inexact::TooLong
            | Inexact::OpenSum
            | Inexact::OpenSumGivenUp
            | Inexact::Contradicted
            | Inexact::LargestRound
            | Inexact::LoopMayNotTransfer
            | Inexact::LoopMayNotRun => false,
        }
    }

    /// The loss, in words.
    pub fn reason(&self) -> Cow<'static, str> {
        self.words().0
    }

    /// The remedy: a change that would make the count exact.
    ///
    /// ```
    /// use atgpu::count::Inexact;
    ///
    /// assert_eq!(Inexact::While.remedy(), "a `for` with bounds over parameters is counted exactly");
    /// ```
    pub fn remedy(&self) -> &'static str {
        self.words().1
    }

    /// The table of words: the loss and its remedy. No two variants have the same words.
    fn words(&self) -> (Cow<'static, str>, &'static str) {
        let (reason, remedy) = match self {
            Inexact::Access { address, sorted } => {
                return address.words_of_access(sorted.as_deref());
            }
            Inexact::Contention(address) => return address.words_of_contention(),
            Inexact::IterationsOfRows(array) => return (words_of_rows(array), KNOWN_ITERATIONS),
            Inexact::Guard(why) => return (why.said_of("which cores are active"), KNOWN_GUARD),
            Inexact::Host(part, why) => {
                let remedy = "sizes, ranges and bounds over parameters have a closed form";
                return (why.said_of(part.named()), remedy);
            }
            Inexact::MemoryRules => (
                "what the machine's memory rules make of the access is not known",
                "an index `A + s·core` with a known s, and a known b, are counted exactly; `run` counts any",
            ),
            Inexact::Iterations => (
                "the number of iterations depends on data",
                "declare the range of the words it reads, or bound the loop by parameters",
            ),
            Inexact::IterationsInRange => (
                "data decide the number of iterations, within their declared range",
                KNOWN_ITERATIONS,
            ),
            Inexact::LongestCore => (
                "the longest-running core could not be singled out",
                "bounds `A + s·core` with s of a known sign are counted exactly",
            ),
            Inexact::While => ("data decide how often the `while` repeats", KNOWN_FOR),
            Inexact::Until => (
                "which iteration the `until` ends the loop after is not known",
                KNOWN_UNTIL,
            ),
            Inexact::HostUntil => (
                "which iteration the `until` ends the host loop after is not known",
                KNOWN_UNTIL,
            ),
            Inexact::HostWhile => ("data decide how often the host `while` repeats", KNOWN_FOR),
            Inexact::AnyCore => ("whether some core is active is not known", KNOWN_GUARD),
            Inexact::CostliestMp => ("the costliest MP could not be singled out", MONOTONE_MPS),
            Inexact::CostliestByParts => (
                "the costliest MP could not be singled out; the bound takes every part of t at its largest",
                MONOTONE_MPS,
            ),
            Inexact::CostliestGivenUp => (
                "the search for the costliest MP was given up after the most steps allowed",
                MONOTONE_MPS,
            ),
            Inexact::MpOfTime => (
                "t is known, but not which MP it is the time of",
                MONOTONE_MPS,
            ),
            Inexact::CostliestForMemory => (
                "no MP is known to be the costliest for its memory accesses",
                "the bound takes each access alone; `run` counts any",
            ),
            Inexact::GivenUp => ("not derived: gave up after the most steps allowed", SMALLER),
            Inexact::TooLong => (
                "not derived: the formula grew longer than anybody reads",
                SMALLER,
            ),
            Inexact::OpenSum => ("no closed form of a sum was found", ADDED_UP),
            Inexact::OpenSumGivenUp => (
                "the search for a closed form of a sum was given up after the most steps allowed",
                ADDED_UP,
            ),
            Inexact::Contradicted => (
                "no formula is shown, as counting contradicts the one that was found",
                "counts at given values are right; please report the program",
            ),
            Inexact::LargestRound => (
                "no largest value over the rounds could be singled out",
                "counts that grow or fall with the round have a known maximum",
            ),
            Inexact::LoopMayNotTransfer => (
                "whether this loop transfers anything at all depends on the parameters",
                RUNS,
            ),
            Inexact::LoopMayNotRun => (
                "whether the host loop here runs at all depends on the parameters",
                RUNS,
            ),
            Inexact::DataExecutions => ("data decide how often it is executed", RANGE_OR_RUN),
            Inexact::DataWords => ("data decide which words its cores touch", RANGE_OR_RUN),
            Inexact::DataAccess => (
                "data decide which words its cores touch, or which of them are active",
                ANY_DATA,
            ),
            Inexact::DataLaunch => ("data decide whether it is launched", ANY_DATA),
            Inexact::DataRepetitions => (
                "data decide how often the host repeats it",
                "none: the bound follows from `at most`; count a run",
            ),
            Inexact::DataCostliestMp => ("data decide which MP is the costliest", "count a run"),
        };
        (reason.into(), remedy)
    }
}

fn words_of_rows(array: &str) -> Cow<'static, str> {
    let sorted = format!("{array} is sorted, so all rows together share its range");
    format!("data decide the number of iterations; {sorted}").into()
}

impl Address {
    fn words_of_access(self, sorted: Option<&str>) -> (Cow<'static, str>, &'static str) {
        let reason = match sorted {
            None => self.words(),
            Some(array) => {
                let address = self.words();
                let sorted = format!("{array} is sorted, so all MPs together share its range");
                format!("{address}; {sorted}").into()
            }
        };
        let remedy = match self {
            Address::Rows => KNOWN_ROWS,
            Address::Cores => KNOWN_GUARD,
            Address::Stride | Address::Formless(..) => KNOWN_STRIDE,
        };
        (reason, remedy)
    }

    fn words_of_contention(self) -> (Cow<'static, str>, &'static str) {
        let address = self.words();
        let reason = format!("how many cores meet on one word is not known: {address}");
        let remedy = "an index `A + s·core` with a known s has a known contention; `--contention N` assumes a bound";
        (reason.into(), remedy)
    }

    fn words(self) -> Cow<'static, str> {
        match self {
            Address::Stride => "the index does not move with the core by a known stride".into(),
            Address::Rows => "where in a block each row of cores begins is not known".into(),
            Address::Cores => "only some cores of the interval are active".into(),
            Address::Formless(addressed, why) => why.said_of(match addressed {
                Addressed::Blocks => "the index",
                Addressed::Bank => "the bank",
                Addressed::Word => "the word",
            }),
        }
    }
}

impl HostPart {
    fn named(self) -> &'static str {
        match self {
            HostPart::Transfer => "a transfer",
            HostPart::Kernel => "a kernel",
            HostPart::For => "a host loop",
            HostPart::While => "the bound of a host loop",
        }
    }
}

impl Formless {
    fn said_of(self, what: &str) -> Cow<'static, str> {
        let why = match self {
            Formless::Data => "depends on data",
            Formless::Operation => "has no closed form",
        };
        format!("{what} {why}").into()
    }
}

//! The form between a program and the texts written of it: host statements, kernels as steps of
//! all cores, and where cores must wait for each other. Data only; every target is written from it.

use indexmap::IndexMap;

use crate::emit::indices::Indices;
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::program::{AtomicOperator, Direction, Property, VarId, WordType};

/// What a register holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number of parameters, or an int word: 64 bits.
    Whole,
    /// A float.
    Real,
    /// A truth.
    Truth,
    /// An int word.
    Word,
}

/// A program.
#[derive(Debug)]
pub(crate) struct Form {
    /// Formal parameters without a fixed value.
    pub formals: Vec<Formal>,
    /// The names with one value in all of the text: p, b, M, G, and formals and `let`s that are fixed.
    pub constants: Vec<(String, i64)>,
    /// The program's name.
    pub name: String,
    /// `b`
    pub cores: i64,
    /// MPs that are one thread block, each a warp of it.
    pub thread_block: i64,
    /// Header `let`s.
    pub lets: Vec<(String, Term)>,
    /// `require`s as written, each with what it comes to where that can be tested.
    pub requires: Vec<(String, Option<Term>)>,
    pub arrays: Vec<Array>,
    pub kernels: Vec<Kernel>,
    pub body: Vec<HostStep>,
    /// The names of 32 bits.
    pub indices: Indices,
    /// Names of whole numbers that no data decide, each with its line in the program.
    pub numbers: IndexMap<String, usize>,
}

/// A formal parameter.
#[derive(Debug)]
pub(crate) struct Formal {
    /// In the program.
    pub written: String,
    pub name: String,
    pub default: Option<i64>,
    /// The most that it is where indices have 32 bits, beside what the `require`s say.
    pub most: Option<i64>,
}

/// The most that a size of a whole program is where its indices have 32 bits. Then i·b + j has room in them, too, as it
/// is less than n + b.
pub(crate) const MOST_SIZE: i64 = 1 << 30;

/// The most words of an array that ints tell apart.
pub(crate) const MOST_WORDS: i64 = i32::MAX as i64;

impl Form {
    /// The numbers of words that must be at most [`MOST_WORDS`], each with an array as the program names it: where
    /// indices rely on it, and the sizes do not say so. Each product is asked for before the next, so that none leaves
    /// 64 bits.
    pub(crate) fn sizes_to_ask(&self) -> Vec<(&str, Term)> {
        let mut asked: Vec<(&str, Term)> = Vec::new();
        let mut ask = |array, words: Term| {
            let is_known = self.indices.range(&words).is_some();
            if !is_known && !asked.iter().any(|(_, known)| *known == words) {
                asked.push((array, words));
            }
        };
        if self.indices.is_in_bounds() {
            for array in self.arrays.iter().filter(|array| !array.is_host) {
                let mut words = Term::Whole(1);
                for extent in &array.extents {
                    words = Term::infix("*", words, extent.clone());
                    ask(&array.written, words.clone());
                }
            }
            let shared = self.kernels.iter().flat_map(|kernel| &kernel.shared);
            for array in shared.filter(|shared| shared.known.is_none()) {
                ask(&array.name, array.words.clone());
            }
        }
        asked
    }

    /// Barriers kept in all kernels, and those that would stand if nothing were proved.
    pub(crate) fn barriers(&self) -> (usize, usize) {
        let barriers = self.kernels.iter().map(|kernel| kernel.barriers);
        barriers.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

/// A host or global array.
#[derive(Debug)]
pub(crate) struct Array {
    /// In the program.
    pub written: String,
    pub name: String,
    pub is_host: bool,
    pub is_input: bool,
    pub is_output: bool,
    pub word_type: WordType,
    pub extents: Vec<Term>,
    /// `in lo..hi`: the first and the last word admitted.
    pub range: Option<(Term, Term)>,
    pub property: Option<Property>,
}

/// A statement of the host.
#[derive(Debug)]
pub(crate) enum HostStep {
    /// A line of the program.
    Line(String),
    Let(String, Term),
    /// Statements with names of their own: a named kernel's.
    Scope(Vec<HostStep>),
    Launch {
        kernel: usize,
        line: usize,
        /// The first and the last MP in each dimension.
        ranges: Vec<(Term, Term)>,
    },
    Transfer {
        direction: Direction,
        line: usize,
        host: Side,
        global: Side,
    },
    For {
        head: Loop,
        until: Option<Term>,
        body: Vec<HostStep>,
    },
    While {
        condition: Term,
        at_most: Term,
        line: usize,
        body: Vec<HostStep>,
    },
    Swap(String, String, WordType),
}

/// What a loop runs through: whole numbers, both ends included.
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub variable: String,
    pub from: Term,
    pub to: Term,
    /// The name that the last value has, where it is not to be found again each time.
    pub last: Option<String>,
    pub down: bool,
}

/// A side of a transfer.
#[derive(Debug)]
pub(crate) struct Side {
    pub array: String,
    pub word_type: WordType,
    pub part: Part,
}

/// What of an array is moved.
#[derive(Debug)]
pub(crate) enum Part {
    /// Words in a row: the first, and how many.
    Row(Term, Term),
    /// A block: extents of the array, first and last index in each dimension.
    Block(Vec<Term>, Vec<(Term, Term)>),
}

/// A kernel: what one MP does.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub name: String,
    /// The opening line.
    pub line: String,
    /// The MP's indices.
    pub mps: Vec<String>,
    /// Numbers it takes.
    pub numbers: Vec<String>,
    /// Global arrays it takes; whether it writes them. They are different arrays.
    pub globals: Vec<(String, WordType, bool)>,
    pub shared: Vec<Shared>,
    /// What every core has of its own.
    pub registers: Vec<(String, Kind)>,
    pub body: Vec<KernelPart>,
    /// Barriers kept, and barriers that stand if nothing is proved: two around every write.
    pub barriers: (usize, usize),
    /// Why each of the former is kept.
    pub reasons: Vec<Reason>,
}

/// Two accesses of different cores to one word, the second of which waits for the first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reason {
    pub first: Touch,
    pub then: Touch,
    /// Whether the first is of an earlier iteration of a loop around.
    pub is_again: bool,
    /// Whether all cores that may meet are of one warp.
    pub is_of_warp: bool,
}

/// An access: its line, its array, and whether it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    pub line: usize,
    pub array: VarId,
    pub is_write: bool,
}

/// Words of shared memory that a CUDA kernel may declare, of 8 bytes each: 48 KiB.
const MOST_DECLARED: i64 = 6 * 1024;

impl Kernel {
    /// The loops at whose every turn all cores wait for each other, to ask whether one is left.
    pub(crate) fn asking_loops(&self) -> usize {
        let parts = self.body.iter();
        let loops = parts.map(|part| match part {
            KernelPart::Cores { body, .. } => asking_loops(body),
            KernelPart::Line(_) | KernelPart::Let(..) => 0,
        });
        loops.sum()
    }

    /// The shared arrays that have their size from the launch, and those that declare it, where so many MPs are
    /// one thread block.
    pub(crate) fn shared(&self, target: Target, thread_block: i64) -> (Vec<&Shared>, Vec<&Shared>) {
        let known = self.shared.iter().map(|shared| shared.known.unwrap_or(0));
        let known = known.fold(0, i64::saturating_add);
        let is_unknown = self.shared.iter().any(|shared| shared.known.is_none());
        let is_large = known.saturating_mul(thread_block) > MOST_DECLARED
            // How many MPs have room in a thread block is known at the launch.
            || thread_block > 1 && is_unknown;
        let is_told =
            |shared: &&Shared| shared.known.is_none() || target == Target::Cuda && is_large;
        self.shared.iter().partition(is_told)
    }
}

fn asking_loops(steps: &[Step]) -> usize {
    let loops = steps.iter().map(|step| match step {
        Step::WhileAny { body, .. } => 1 + asking_loops(body),
        Step::For { body, .. } | Step::Scope(body) => asking_loops(body),
        Step::Line(_) | Step::Act { .. } | Step::Let(..) | Step::Barrier => 0,
    });
    loops.sum()
}

/// A shared array.
#[derive(Debug)]
pub(crate) struct Shared {
    pub name: String,
    pub word_type: WordType,
    pub words: Term,
    /// Its words, where the machine's parameters alone decide them.
    pub known: Option<i64>,
    /// Whether some core reads it: compilers complain of what is only written.
    pub is_read: bool,
}

/// A statement directly inside a wrapper loop.
#[derive(Debug)]
pub(crate) enum KernelPart {
    Line(String),
    Let(String, Term),
    Cores { core: String, body: Vec<Step> },
}

/// A step of the cores of an MP.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A line of the program.
    Line(String),
    /// Every core for which the mask holds does something on its own.
    Act { mask: Option<String>, act: Act },
    /// A number that is the same for all cores.
    Let(String, Term),
    /// All cores wait for each other.
    Barrier,
    /// Steps with names of their own.
    Scope(Vec<Step>),
    /// A loop that all cores run alike.
    For { head: Loop, body: Vec<Step> },
    /// A loop until the mask holds for no core; all wait for each other at its head.
    WhileAny { mask: String, body: Vec<Step> },
}

/// What a core does on its own.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// A register takes a value.
    Set(String, Term),
    /// A mask takes a condition, false where the mask around it is.
    Mask(String, Term),
    /// A word takes a value.
    Write(Term, Term),
    /// A word is updated with one value after the other, core by core.
    Update {
        word: Term,
        operator: AtomicOperator,
        /// Whether a value or an index reads the array of the word.
        reads_itself: bool,
        values: Vec<Term>,
        word_type: WordType,
    },
}

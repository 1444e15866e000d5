//! `access::…`: operators that do not fit, words that were not moved, ranks and shapes.

use miette::Diagnostic;
use thiserror::Error;

use crate::check::error::Counted;
use crate::program::Scope;
use crate::text::Span;

/// A fault of an access.
#[derive(Debug, Clone, Error, Diagnostic)]
pub(crate) enum AccessError {
    /// Another arrow joins these two scopes.
    #[error("`{written}` does not move a word from {from} to {to} memory")]
    #[diagnostic(
        code("atgpu::access::operator"),
        help("write `{target} {right} {value}`")
    )]
    WrongArrow {
        /// The arrow as written.
        written: &'static str,
        /// The arrow that fits.
        right: &'static str,
        /// Scope of the left side.
        to: Scope,
        /// Scope of the right side.
        from: Scope,
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// The arrow.
        #[label(primary, "`{right}` does")]
        span: Span,
        /// The left side.
        #[label("{to}")]
        target_span: Span,
        /// The right side.
        #[label("{from}")]
        value_span: Span,
    },
    /// `_c[j] ⇐ _a[j] + _b[j]`
    #[error("no operand of this `{written}` is global")]
    #[diagnostic(code("atgpu::access::operator"), help("write `{target} ← {value}`"))]
    NoGlobalOperand {
        /// The arrow as written.
        written: &'static str,
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// The arrow.
        #[label(primary, "`←` works on shared memory")]
        span: Span,
    },
    /// `a[j] ⇐ a[j + 1]`
    #[error("`{written}` does not move a word from global to global memory")]
    #[diagnostic(
        code("atgpu::access::operator"),
        help("write `{staging} ⇐ {value}`, then `{target} ⇐ {staging}`")
    )]
    GlobalToGlobal {
        /// The arrow as written.
        written: &'static str,
        /// A shared word to go by.
        staging: String,
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// The arrow.
        #[label(primary, "one side must be shared")]
        span: Span,
    },
    /// `c[j] ← _a[j] + 1`
    #[error("`←` writes shared memory, and `{name}` is global")]
    #[diagnostic(
        code("atgpu::access::operator"),
        help("write `{staging} ← {value}`, then `{target} ⇐ {staging}`")
    )]
    ComputedIntoGlobal {
        /// The global variable.
        name: String,
        /// A shared word to go by.
        staging: String,
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// The arrow.
        #[label(primary, "writes shared memory only")]
        span: Span,
        /// The left side.
        #[label("global")]
        target_span: Span,
    },
    /// `_x[0..1] ⇚ a[0..1]`
    #[error(
        "a transfer joins host and global memory, and a kernel names neither host memory nor blocks"
    )]
    #[diagnostic(
        code("atgpu::access::operator"),
        help("let each core move its own word: `{target} ⇐ {value}` with one index each")
    )]
    TransferInKernel {
        /// The variable on the left.
        target: String,
        /// The variable on the right.
        value: String,
        /// The arrow.
        #[label(primary, "stands on the host only")]
        span: Span,
    },
    /// Both sides of a transfer on the host, or both in global memory.
    #[error("a transfer joins host and global memory, and both sides are {scope}")]
    #[diagnostic(code("atgpu::access::operator"), help("{}", same_side_remedy(*scope, target, value)))]
    OneSidedTransfer {
        /// The scope of both sides.
        scope: Scope,
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// The arrow.
        #[label(primary, "from {scope} to {scope} memory")]
        span: Span,
        /// The left side.
        #[label("{scope}")]
        target_span: Span,
        /// The right side.
        #[label("{scope}")]
        value_span: Span,
    },
    /// `A ← a + 1` on the host.
    #[error("the host computes nothing: `←` stands in kernels only")]
    #[diagnostic(
        code("atgpu::access::operator"),
        help("compute in shared memory, and write `⇚` between host and global memory")
    )]
    ComputedOnHost {
        /// The arrow.
        #[label(primary, "writes shared memory only")]
        span: Span,
    },
    /// `atomic` on a global word.
    #[error("`atomic` updates shared memory, and `{name}` is global")]
    #[diagnostic(
        code("atgpu::access::operator"),
        help(
            "let each MP update a shared word and write it to a word of its own, as in `s[i] ⇐ _x`; a second kernel, of one MP, adds those to `{target}`"
        )
    )]
    AtomicOnGlobal {
        /// The variable.
        name: String,
        /// The element.
        target: String,
        /// The element.
        #[label(primary, "global")]
        span: Span,
    },
    /// `swap` of something that is not global.
    #[error("`swap` exchanges global arrays, and `{name}` is {scope}")]
    #[diagnostic(code("atgpu::access::operator"), help("name two global arrays"))]
    SwapOfNonGlobal {
        /// The variable.
        name: String,
        /// Its scope.
        scope: Scope,
        /// The name.
        #[label(primary, "{scope}")]
        span: Span,
    },
    /// A global word in an expression of a kernel.
    #[error("the global word `{word}` is read outside a `⇐`")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help("write `{staging} ⇐ {word}` first, and read `{staging}` here")
    )]
    NotMoved {
        /// The word as written.
        word: String,
        /// A shared word to move it to.
        staging: String,
        /// The word.
        #[label(primary, "global: move it to shared memory first")]
        span: Span,
    },
    /// `s ← s + _x[0]` of a global `s`.
    #[error("`{word}` is global, and a kernel computes in shared memory only")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help("{}", added_up(word, staging, *by_one_mp))
    )]
    UpdateOfGlobal {
        /// The word as written.
        word: String,
        /// A shared word to add in.
        staging: String,
        /// True if its index names the MP, so that no other MP updates it.
        by_one_mp: bool,
        /// The left side.
        #[label(primary, "updated where it lies")]
        span: Span,
    },
    /// `c[j] ⇐ 3`
    #[error("a `⇐` moves a word of memory, and `{value}` is none")]
    #[diagnostic(
        code("atgpu::access::operator"),
        help("write `{staging} ← {value}`, then `{target} ⇐ {staging}`")
    )]
    StoreOfNumber {
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// A shared word to go by.
        staging: String,
        /// The right side.
        #[label(primary, "one shared word expected")]
        span: Span,
    },
    /// `c[j] ⇐ _a[j] + 1`
    #[error("a `⇐` moves one word and computes nothing")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help("write `{staging} ← {value}`, then `{target} ⇐ {staging}`")
    )]
    StoreOfExpression {
        /// The left side.
        target: String,
        /// The right side.
        value: String,
        /// A shared word to go by.
        staging: String,
        /// The right side.
        #[label(primary, "one shared word expected")]
        span: Span,
    },
    /// `_x[j] ⇐ a[j] + 1`
    #[error("a `⇐` moves one word and computes nothing")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help("write `{staging} ⇐ {word}`, then compute with `{staging}` and `←`")
    )]
    LoadOfExpression {
        /// The first global word of the right side.
        word: String,
        /// A shared word to move it to.
        staging: String,
        /// The right side.
        #[label(primary, "one global word expected")]
        span: Span,
        /// The word.
        #[label("move this word alone")]
        word_span: Span,
    },
    /// Data where only parameters may stand.
    #[error("`{word}` is data, and {place} is over parameters only")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help("write it with formal parameters, p, b, M, G, `let`s and loop variables")
    )]
    DataInFixed {
        /// The word as written.
        word: String,
        /// Its place: `a size`, `a loop bound of the host`.
        place: &'static str,
        /// The word.
        #[label(primary, "data")]
        span: Span,
    },
    /// A `require` of something that is not given.
    #[error("a `require` reads inputs only, and `{name}` is {given}")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help("say it of an input, or write an `ensure`")
    )]
    RequireOfNonInput {
        /// The variable.
        name: String,
        /// `global`, `an output` …
        given: &'static str,
        /// The word.
        #[label(primary, "not given")]
        span: Span,
    },
    /// A global word in the condition of a host `while`.
    #[error("the host tests the global word `{word}` without having moved it")]
    #[diagnostic(
        code("atgpu::access::not-moved"),
        help(
            "write `{staging} ⇚ {word}` before the loop and at the end of its block, and test `{staging}`"
        )
    )]
    HostTestsGlobal {
        /// The word as written.
        word: String,
        /// A host variable to move it to.
        staging: String,
        /// The word.
        #[label(primary, "global")]
        span: Span,
    },
    /// A host variable in a kernel.
    #[error("the host variable `{name}` stands in a kernel")]
    #[diagnostic(
        code("atgpu::access::host-in-kernel"),
        help("{}", moved_by_transfer(name, global, *is_written))
    )]
    HostInKernel {
        /// The variable.
        name: String,
        /// A global variable to move it to.
        global: String,
        /// True if the kernel writes it.
        is_written: bool,
        /// Its place.
        #[label(primary, "on the host")]
        span: Span,
        /// Its declaration.
        #[label("declared here")]
        declared: Span,
    },
    /// A shared variable on the host, or in a `let` of a wrapper loop.
    #[error("the shared variable `{name}` stands outside the core loops")]
    #[diagnostic(
        code("atgpu::access::shared-on-host"),
        help("shared memory lives within one kernel: move the word to a global variable there")
    )]
    SharedOnHost {
        /// The variable.
        name: String,
        /// Its place.
        #[label(primary, "shared")]
        span: Span,
        /// Its declaration.
        #[label("declared here")]
        declared: Span,
    },
    /// A wrong number of indices.
    #[error("`{name}` has {expected} and stands here with {given}")]
    #[diagnostic(code("atgpu::access::rank"), help("{}", rank_remedy(name, form, *expected, *given)))]
    Rank {
        /// The variable.
        name: String,
        /// Its dimensions.
        expected: Counted,
        /// The indices written.
        given: Counted,
        /// `a[…, …]`
        form: String,
        /// The place.
        #[label(primary, "{given}")]
        span: Span,
        /// Its declaration.
        #[label("{expected}")]
        declared: Span,
    },
    /// Two sides of a transfer that can never have equal words.
    #[error("the two sides of this transfer differ: {target_words} and {value_words} words")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("move equally many words: take a slice of the longer side")
    )]
    TransferWords {
        /// Words on the left.
        target_words: String,
        /// Words on the right.
        value_words: String,
        /// The statement.
        #[label(primary, "differ")]
        span: Span,
        /// The left side.
        #[label("{target_words} words")]
        target_span: Span,
        /// The right side.
        #[label("{value_words} words")]
        value_span: Span,
    },
    /// Two swapped arrays of different shapes.
    #[error("`swap` exchanges arrays of one shape, and `{left}` and `{right}` differ")]
    #[diagnostic(code("atgpu::access::shape"), help("declare both with the same sizes"))]
    SwapShape {
        /// One array.
        left: String,
        /// The other.
        right: String,
        /// The statement.
        #[label(primary, "different shapes")]
        span: Span,
        /// Declaration of the one.
        #[label("one shape")]
        left_declared: Span,
        /// Declaration of the other.
        #[label("another")]
        right_declared: Span,
    },
    /// A wrong number of arguments of an `execute`.
    #[error("the kernel `{kernel}` takes {expected} and has {given} here")]
    #[diagnostic(code("atgpu::access::shape"), help("write `{form}`"))]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Its formals.
        expected: Counted,
        /// The arguments.
        given: Counted,
        /// `execute Sum(global x, w)`
        form: String,
        /// The `execute`.
        #[label(primary, "{given}")]
        span: Span,
        /// The kernel's opening line.
        #[label("{expected}")]
        declared: Span,
    },
    /// A number, or a variable that is not global, for an array formal.
    #[error(
        "`{formal}` of the kernel `{kernel}` stands for a global array, and `{argument}` is {given}"
    )]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("write the name of a global variable")
    )]
    ArrayExpected {
        /// The kernel.
        kernel: String,
        /// The formal.
        formal: String,
        /// The argument.
        argument: String,
        /// `a number`, `a host variable` …
        given: &'static str,
        /// The argument.
        #[label(primary, "{given}")]
        span: Span,
        /// The formal.
        #[label("a global array")]
        declared: Span,
    },
    /// An array for a number formal.
    #[error("`{formal}` of the kernel `{kernel}` is a number, and `{argument}` is a variable")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("write a number, or declare the formal as `global {formal}`")
    )]
    NumberExpected {
        /// The kernel.
        kernel: String,
        /// The formal.
        formal: String,
        /// The argument.
        argument: String,
        /// The argument.
        #[label(primary, "a variable")]
        span: Span,
        /// The formal.
        #[label("a number")]
        declared: Span,
    },
}

/// A variable of one word that has an index was to be an array.
fn rank_remedy(name: &str, form: &str, expected: Counted, given: Counted) -> String {
    if given.count == 0 && name.starts_with(char::is_uppercase) {
        return format!(
            "write `{form}`, with a range for its index: `∀ x ∈ 0..n-1 : … {name}[x] …`"
        );
    }
    if expected.count > 0 {
        return format!("write `{form}`");
    }
    let sizes = if name.starts_with('_') { "b" } else { "n" };
    let sizes = vec![sizes; given.count].join(", ");
    format!("declare it as an array, such as `{name}[{sizes}]`, or write `{form}`")
}

fn same_side_remedy(scope: Scope, target: &str, value: &str) -> String {
    match scope {
        Scope::Host => {
            format!("go by way of a global variable: `v ⇚ {value}`, then `{target} ⇚ v`")
        }
        Scope::Global | Scope::Shared => format!(
            "copy in a kernel, exchange with `swap`, or go by way of the host: `V ⇚ {value}`, then `{target} ⇚ V`"
        ),
    }
}

/// The way to add up into a global word: all MPs at once would race.
fn added_up(word: &str, staging: &str, by_one_mp: bool) -> String {
    if by_one_mp {
        format!("add up in `{staging}`, and write `{word} ⇐ {staging}` once at the end")
    } else {
        format!(
            "let each MP add up in `{staging}` and write it to a word of its own, as in `t[i] ⇐ {staging}`; a second kernel, of one MP, adds those to `{word}`"
        )
    }
}

/// The transfer for a host variable that stands in a kernel.
fn moved_by_transfer(name: &str, global: &str, is_written: bool) -> String {
    if is_written {
        format!(
            "write words of `{global}` with `⇐`: `{name} ⇚ {global}` behind the kernel brings them to the host"
        )
    } else {
        format!(
            "read words of `{global}` with `⇐`: `{global} ⇚ {name}` before the kernel brings them there"
        )
    }
}

//! Faults in the text of a program, as facts.

use miette::Diagnostic;
use thiserror::Error;

use crate::diag::Fix;
use crate::text::Span;

/// A fault that shows without any declaration.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub(super) enum SyntaxError {
    /// The grammar gave up inside a line.
    #[error("expected {expected}, found {found}")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    Unexpected {
        /// The constructs that would have fitted, in the user's words.
        expected: String,
        /// The text found there.
        found: String,
        /// The way to write it, if known.
        #[help]
        help: Option<String>,
        /// The same as edits.
        fixes: Vec<Fix>,
        /// The token at fault.
        #[label(primary, "expected {expected}")]
        span: Span,
    },

    /// A keyword where a name is needed.
    #[error("`{word}` is a reserved word and cannot be a name")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    ReservedWord {
        /// The word.
        word: String,
        /// The remedy.
        #[help]
        help: &'static str,
        /// The same as edits.
        fixes: Vec<Fix>,
        /// Where.
        #[label(primary, "reserved")]
        span: Span,
    },

    /// The ASCII spelling of a Greek letter declared as a name.
    #[error("`{word}` is the ASCII spelling of `{letter}` and cannot be declared")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write the letter `{letter}` itself, or choose another name")
    )]
    ReservedAlias {
        /// The word.
        word: String,
        /// Its letter.
        letter: String,
        /// Where.
        #[label(primary, "reserved")]
        span: Span,
    },

    /// A character that no program contains.
    #[error("the character {character} has no meaning here")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    StrangeCharacter {
        /// The character, quoted or by number.
        character: String,
        /// The text to write, if known.
        #[help]
        help: Option<String>,
        /// The same as edits.
        fixes: Vec<Fix>,
        /// Where.
        #[label(primary, "not part of the language")]
        span: Span,
    },

    /// No `algorithm` at the start.
    #[error("a file starts with `algorithm Name(…)`, found {found}")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help(
            "begin with the name and the formal parameters, such as `algorithm VectorAddition(n)`"
        )
    )]
    NoAlgorithm {
        /// The text found instead.
        found: String,
        /// Where.
        #[label(primary, "`algorithm` should stand before this")]
        span: Span,
    },

    /// A second `algorithm`.
    #[error("a file holds one algorithm, this is a second")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("move it to a file of its own")
    )]
    SecondAlgorithm {
        /// The second.
        #[label(primary, "second")]
        span: Span,
        /// The first.
        #[label("first")]
        first: Span,
    },

    /// Something behind `end algorithm`.
    #[error("nothing may follow `end algorithm`")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    AfterEnd {
        /// The first line behind it.
        #[label(primary, "left over")]
        span: Span,
        /// `end algorithm`
        #[label("the algorithm ends here")]
        end: Span,
    },

    /// A statement where its kind cannot stand.
    #[error("{what} cannot stand {place}")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    Misplaced {
        /// The statement, with its article.
        what: &'static str,
        /// Where it was found: `among the host statements` and the like.
        place: &'static str,
        /// Where it belongs.
        #[help]
        help: &'static str,
        /// The statement.
        #[label(primary, "cannot stand here")]
        span: Span,
        /// The block it stands in.
        #[label("inside this block")]
        block: Option<Span>,
    },

    /// A header line behind a kernel or a statement.
    #[error("header lines come first, this `{keyword}` stands behind {behind}")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("move the line up, before the first kernel and the first statement")
    )]
    LateHeader {
        /// The line's keyword.
        keyword: String,
        /// `a kernel` or `a statement`.
        behind: &'static str,
        /// The line.
        #[label(primary, "too late")]
        span: Span,
        /// The line that ended the header.
        #[label("the header ended here")]
        first: Span,
    },

    /// A `kernel` behind a statement.
    #[error("named kernels come before the first statement")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("move the kernel up, between the header and the first statement")
    )]
    LateKernel {
        /// The line.
        #[label(primary, "too late")]
        span: Span,
        /// The first statement.
        #[label("the first statement")]
        first: Span,
    },

    /// `end for` where another block is innermost.
    #[error("`{found}` cannot close this `{open}`")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("write `{wanted}` {before}"))]
    WrongEnd {
        /// The line.
        found: &'static str,
        /// The opening word of the innermost block.
        open: &'static str,
        /// The end it needs.
        wanted: &'static str,
        /// `instead` or `before this line`.
        before: &'static str,
        /// The end.
        #[label(primary, "`{wanted}` is missing")]
        span: Span,
        /// The innermost block's opening line.
        #[label("opened here")]
        opened: Span,
    },

    /// An end without a beginning.
    #[error("`{found}` closes nothing")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("delete the line, or open the block above")
    )]
    StrayEnd {
        /// The line.
        found: &'static str,
        /// Where.
        #[label(primary, "no open block to close")]
        span: Span,
    },

    /// The file ends inside blocks.
    #[error("the file ends before `{wanted}`")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("close the block with `{wanted}`")
    )]
    MissingEnd {
        /// The end that the innermost open block needs.
        wanted: &'static str,
        /// Its opening line.
        #[label(primary, "opened here and never closed")]
        span: Span,
        /// The first line that cannot stand in an open block.
        #[label("this cannot stand inside, so the block should have ended above")]
        noticed: Option<Span>,
        /// The blocks around it that are open too.
        #[label(collection, "open as well")]
        outer: Vec<miette::LabeledSpan>,
        /// The end of the algorithm.
        end: Span,
    },

    /// `else`
    #[error("there is no `else`: the model has one conditional block at a time")]
    #[diagnostic(
        code("atgpu::syntax::else-branch"),
        help("{}", two_ifs(conditions.as_ref()))
    )]
    ElseBranch {
        /// The conditions of the two `if`s that do the same, where the first is known.
        conditions: Option<[String; 2]>,
        /// The `else`.
        #[label(primary, "a second block needs an `if` of its own")]
        span: Span,
        /// The `if` it would belong to.
        #[label("its `if`")]
        opened: Option<Span>,
    },

    /// `n/2b`
    #[error("`{written}` can be read in two ways")]
    #[diagnostic(
        code("atgpu::syntax::ambiguous-product"),
        help(
            "write `{whole}` to divide by the whole product, `{first}` to divide by the first factor only"
        )
    )]
    AmbiguousProduct {
        /// The quotient as written.
        written: String,
        /// One reading.
        whole: String,
        /// The other.
        first: String,
        /// The product's first factor.
        factor: Span,
        /// The product behind the `/`.
        #[label(primary, "all of this, or only its first factor?")]
        span: Span,
    },

    /// Nesting beyond the fixed depth.
    #[error("{what} nest more than {limit} deep")]
    #[diagnostic(code("atgpu::syntax::too-deep"))]
    TooDeep {
        /// A way to need fewer levels.
        #[help]
        help: &'static str,
        /// `blocks`, `brackets` or `operators`.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// Where the limit is passed.
        #[label(primary, "too deep from here")]
        span: Span,
    },

    /// A line beyond the fixed length.
    #[error("a line of {length} bytes; at most {limit} can be read")]
    #[diagnostic(code("atgpu::syntax::too-deep"))]
    TooLong {
        /// Bytes without the comment.
        length: usize,
        /// The limit.
        limit: usize,
        /// Its beginning.
        #[label(primary, "this line")]
        span: Span,
    },

    /// `c_{k,j}` under `mp_i`.
    #[error("the core's indices must repeat those of its MP before its own, found `{found}`")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("write `{wanted}`"))]
    CoreIndices {
        /// As written.
        found: String,
        /// With the MP's indices.
        wanted: String,
        /// The core's indices.
        #[label(primary, "should be `{wanted}`")]
        span: Span,
        /// The MP's indices.
        #[label("the MP's indices")]
        mp: Span,
    },

    /// A wrapper loop without a core loop.
    #[error("this wrapper loop has no core loop")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("put `for all {core} ∈ {set} in parallel do … end for` inside")
    )]
    NoCoreLoop {
        /// `c_{i,j}`
        core: String,
        /// `C_i`
        set: String,
        /// The opening line.
        #[label(primary, "only `let`s inside")]
        span: Span,
    },

    /// More than three dimensions of MPs.
    #[error("MPs have one, two or three dimensions, found {found}")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("number the MPs in fewer dimensions and compute the indices with `div` and `mod`")
    )]
    MpDimensions {
        /// Number of dimensions found.
        found: usize,
        /// The indices.
        #[label(primary, "{found} dimensions")]
        span: Span,
    },

    /// `mp_{y,x} ∈ MP[0..3]`
    #[error("`{index}` has {indices}, its range {ranges}")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("give the range as many dimensions as the index")
    )]
    MpRank {
        /// As written.
        index: String,
        /// `1 dimension`, `2 dimensions`.
        indices: String,
        /// Likewise.
        ranges: String,
        /// The range.
        #[label(primary, "{ranges}")]
        span: Span,
        /// The index.
        #[label("{indices}")]
        index_span: Span,
    },

    /// A slice in `⇐` or `←`.
    #[error("a slice can only be transferred with `⇚`")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("access one word for each core: write an index instead of the range")
    )]
    Slice {
        /// The range.
        #[label(primary, "more than one word")]
        span: Span,
    },

    /// `a ⇚ A + 1`
    #[error("a transfer moves words as they are, found an expression")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("transfer the variable, and compute on shared memory in a kernel")
    )]
    TransferOfExpression {
        /// The right side.
        #[label(primary, "not a variable, a word or a slice")]
        span: Span,
    },

    /// Something that only some clauses may contain.
    #[error("{what} can only stand in {place}")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    OnlyIn {
        /// `Σ`, `⇒` and the like.
        what: String,
        /// `require`, `ensure` or `claim`.
        place: &'static str,
        /// The remedy.
        #[help]
        help: Option<String>,
        /// Where.
        #[label(primary, "not here")]
        span: Span,
    },

    /// `f(x, y)` where `f` is no function.
    #[error("{name} is not a function that takes several arguments")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    NotAFunction {
        /// The name before the parentheses.
        name: String,
        /// The nearest function.
        #[help]
        help: Option<String>,
        /// The place of the name, and the function it stands for.
        slip: Option<(Span, &'static str)>,
        /// The comma.
        #[label(primary, "a second argument")]
        span: Span,
    },

    /// A wrong number of arguments for `gcd` and its like.
    #[error("`{name}` takes {wanted} arguments, found {found}")]
    #[diagnostic(code("atgpu::syntax::unexpected"))]
    Arguments {
        /// The function.
        name: String,
        /// Number of arguments it takes.
        wanted: usize,
        /// Number of arguments found.
        found: usize,
        /// The call.
        #[label(primary, "{found} arguments")]
        span: Span,
    },

    /// A host `while` without `at most`.
    #[error("a `while` on the host needs `at most`")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write `while {condition} at most e do`, e being a bound on its iterations")
    )]
    UnboundedHostWhile {
        /// The condition as written.
        condition: String,
        /// The line.
        #[label(primary, "nothing bounds its iterations")]
        span: Span,
    },

    /// A number of absurdly many digits, or a float beyond the doubles.
    #[error("a number that is too large to be read: {digits} characters")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write it as a power, such as `10^100`")
    )]
    HugeNumber {
        /// Its length.
        digits: usize,
        /// Where.
        #[label(primary, "too large")]
        span: Span,
    },
}

/// Returns the two `if`s to write for an `else`.
fn two_ifs(conditions: Option<&[String; 2]>) -> String {
    match conditions {
        Some([first, second]) => {
            format!("write two blocks: `if {first} then … end if` and `if {second} then … end if`")
        }
        None => "write a second `if` with the opposite condition".to_owned(),
    }
}

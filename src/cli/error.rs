//! Faults of the command line and of files: status 2.

use atgpu::count::ParseNumber;
use atgpu::study::{AxisProblem, StrayMeasurement};
use atgpu::text::{Known, Span};
use miette::Diagnostic;
use thiserror::Error;

use crate::cli::remedy::Remedy;

/// A fault of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum UsageError {
    /// `-D` without an equals sign.
    #[error("`-D {given}` gives no value")]
    #[diagnostic(code("atgpu::usage::value"), help("write `-D name=value`"))]
    Definition {
        /// As given.
        given: String,
    },
    /// Words of two widths, where costs are by the word.
    #[error("{program} would have words of 4 and of 8 bytes, and costs are by the word")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give `--word int32 --word float`, or `--word int64 --word double`")
    )]
    MixedWords {
        /// The algorithm.
        program: String,
    },
    /// A parameter named as a column of `measure`'s rows.
    #[error("`{name}` is a parameter of {program} and a column of the rows")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("rename the parameter: the rows have {columns}")
    )]
    NamedAsColumn {
        /// The parameter.
        name: String,
        /// The algorithm.
        program: String,
        /// The columns that rows always have.
        columns: String,
    },
    /// An option of `measure` for another target.
    #[error("`{option}` is for {wanted}, and this is measured as {target}")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("leave it out, or add `--target {wanted}`")
    )]
    OfTarget {
        /// As on the command line.
        option: &'static str,
        /// The target that knows it.
        wanted: &'static str,
        /// The target asked for.
        target: &'static str,
    },
    /// No admitted size of a program is small and quick enough.
    #[error("no size of {program} of up to {most} words is both admitted and quick enough")]
    #[diagnostic(code("atgpu::usage::value"), help("say sizes: `--vary NAME=RANGE`"))]
    NoSizes {
        /// The algorithm.
        program: String,
        /// The limit on words.
        most: i64,
    },
    /// `-D` with a range or a list.
    #[error("`-D {name}={given}`: one value is wanted here")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("`sweep` and `plot` take several: `--vary {name}={given}`")
    )]
    SeveralValues {
        /// The parameter.
        name: String,
        /// As given.
        given: String,
    },
    /// A second size with several values, where the best choice at each size is wanted.
    #[error("`-D {given}`: another parameter has several values already")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give it one value, or try its values too: `--over {given}`")
    )]
    TwoSizes {
        /// As given.
        given: String,
    },
    /// `-D` with several parameters in one.
    #[error("`-D {given}`: one parameter is wanted here")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give each a `-D` of its own: `{}`", .parts.iter().map(|part| format!("-D {part}")).collect::<Vec<_>>().join(" "))
    )]
    SeveralParameters {
        /// As given.
        given: String,
        /// Each of them.
        parts: Vec<String>,
    },
    /// `-D` with a value that is no number.
    #[error("`-D {name}=…`: {problem}")]
    #[diagnostic(code("atgpu::usage::value"))]
    Number {
        /// The parameter.
        name: String,
        /// The reason.
        problem: ParseNumber,
    },
    /// `--input` or `--output` not of the form NAME=….
    #[error("`{option} {given}` does not name a variable")]
    #[diagnostic(code("atgpu::usage::value"), help("write `{option} {example}`"))]
    Assignment {
        /// The option.
        option: &'static str,
        /// As given.
        given: String,
        /// An example.
        example: &'static str,
    },
    /// An input that is no file, no generator and no number.
    #[error("`--input {name}={given}`: no such source of data")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help(
            "give a .npy or .csv file, random, iota, zeros, ones, least, most, rising, or a number"
        )
    )]
    Source {
        /// The variable.
        name: String,
        /// As given.
        given: String,
    },
    /// An output file of an unknown form.
    #[error("`--output {name}={given}`: unknown form of file")]
    #[diagnostic(code("atgpu::usage::value"), help("name a .npy or .csv file, or `-`"))]
    Sink {
        /// The variable.
        name: String,
        /// As given.
        given: String,
    },
    /// Two outputs for standard output.
    #[error("`--output …=-` and {other} both want standard output")]
    #[diagnostic(code("atgpu::usage::value"), help("write one of them to a file"))]
    StandardOutput {
        /// The other.
        other: &'static str,
    },
    /// Two outputs for one file.
    #[error("two `--output`s are for {path}")]
    #[diagnostic(code("atgpu::usage::value"), help("name a file for each"))]
    OneFile {
        /// The file, as it was named last.
        path: String,
    },
    /// Two sources for one input.
    #[error("two `--input`s are for {name}")]
    #[diagnostic(code("atgpu::usage::value"), help("give one"))]
    InputTwice {
        /// The input.
        name: String,
    },
    /// Data that give no size, because their number of dimensions differs.
    #[error(
        "`{formal}` has no value, and the data for `{variable}` do not tell it: they have shape {shape} in {file}, \
         and `{variable}` has {rank} dimension{}",
        if *rank == 1 { "" } else { "s" }
    )]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("give data of as many dimensions, or `-D {formal}=…`")
    )]
    RankOfData {
        /// The formal.
        formal: String,
        /// The input.
        variable: String,
        /// Its dimensions.
        rank: usize,
        /// The file.
        file: String,
        /// The shape of its data.
        shape: String,
    },
    /// Two widths for words of one type.
    #[error("`--word {}` and `--word {}` are both for {words} words", names[0], names[1])]
    #[diagnostic(code("atgpu::usage::value"), help("give one"))]
    WordTwice {
        /// As on the command line.
        names: [String; 2],
        /// The type of the words.
        words: &'static str,
    },
    /// `measure --vary` of a name that is no formal.
    #[error(
        "`--vary {name}`: {name} is no formal parameter, and what is emitted has one value of it"
    )]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("measure for each value by itself, with `-D {name}=…`")
    )]
    VariesMachine {
        /// The parameter.
        name: String,
    },
    /// A name that the option does not accept.
    #[error("`{option} {name}`: {problem}")]
    #[diagnostic(code("atgpu::usage::value"), help("{remedy}"))]
    Name {
        /// The option or command.
        option: &'static str,
        /// As given.
        name: String,
        /// The reason.
        problem: &'static str,
        /// A name to use instead.
        remedy: Remedy,
    },
    /// `--trace` not of the form mp=3.
    #[error("`--trace {given}` names no MP")]
    #[diagnostic(code("atgpu::usage::value"), help("write `--trace mp=3`"))]
    Trace {
        /// As given.
        given: String,
    },
    /// `--trace` of an MP that executes nothing.
    #[error("`--trace {given}`: no kernel has such an MP, or it executes nothing")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help(
            "`atgpu cost` shows how many MPs each round launches; mp=1,2 where they have two numbers"
        )
    )]
    NothingTraced {
        /// As given.
        given: String,
    },
    /// Parameters without a value, more than one of them.
    #[error("no value for {}", .names.join(", "))]
    #[diagnostic(code("atgpu::usage::value"), help("{remedy}"))]
    Free {
        /// Their names.
        names: Vec<String>,
        /// The values to give.
        remedy: Remedy,
    },
    /// The number of `--label`s differs from the number of programs.
    #[error("`--label` is given {labels} times, and the number of programs is {programs}")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give one for each program, in the order of the files, or none")
    )]
    Labels {
        /// The number given.
        labels: usize,
        /// The number wanted.
        programs: usize,
    },
    /// `--stacked` with several curves to stack.
    #[error("`--stacked` draws one program on one machine over one parameter")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give one file, one `--machine` and one `--vary`")
    )]
    StackedAlone,
    /// A figure of an unknown form.
    #[error("`-o {given}`: unknown form of figure")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("name a .svg, .pdf, .png or .tex file")
    )]
    FigureForm {
        /// As given.
        given: String,
    },
    /// A figure as PNG, from a command built without it.
    #[cfg(not(feature = "png"))]
    #[error("`-o {given}`: this command was built without PNG and PDF")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("name a .svg or .tex file, or build it with the feature `png`")
    )]
    NoPng {
        /// As given.
        given: String,
    },
    /// A text that is no figure size.
    #[error("`--size {given}` is no size")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("write `--size 4x3`: inches, each from 1 to 40")
    )]
    FigureSize {
        /// As given.
        given: String,
    },
    /// A logarithmic scale over numbers without a logarithm.
    #[error("a logarithmic scale needs numbers above 0")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("leave the scale to the command, or choose `linear`")
    )]
    NoLogarithm,
    /// Measured times over a figure of another quantity.
    #[error("`--observed` holds times, and `{quantity}` is none")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("overlay measurements on `gpu_cost`, `cost`, or the shares of `--share`")
    )]
    MeasuredCount {
        /// The quantity drawn.
        quantity: String,
    },
    /// Measurements that are not drawn in a figure.
    #[error("{file}: {strays} of {of} measurements are not drawn; the first: {first}")]
    #[diagnostic(code("atgpu::usage::value"))]
    StrayMeasurements {
        /// The file.
        file: String,
        /// The number of measurements not drawn.
        strays: usize,
        /// The number of all measurements.
        of: usize,
        /// The reason for the first of them.
        first: StrayMeasurement,
    },
    /// Points that are bounds since other points took the time there is for counting.
    #[error(
        "{points} of {out_of} points of {program} on {machine} are upper bounds that counting might come below: counting \
         so many takes over 10 seconds"
    )]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help(
            "add `--count` to count however long it takes, or choose fewer values: one alone may be exact"
        )
    )]
    CutShort {
        /// The algorithm.
        program: String,
        /// The machine.
        machine: String,
        /// How many points.
        points: u64,
        /// Out of how many.
        out_of: u64,
    },
    /// A figure without a number.
    #[error("no point has a number for `{quantity}`")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help(
            "machine files may lack the figures for it: `sweep --quantity {quantity}` shows every point"
        )
    )]
    NothingDrawn {
        /// What was to be drawn.
        quantity: String,
    },
    /// A count whose name a model has given to a figure of its own.
    #[error("`{quantity}` means what is counted, whatever models are asked for")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("the figure of that name of a model is {others}")
    )]
    CountedName {
        /// The name.
        quantity: String,
        /// The names of the models' figures, each in its quotes.
        others: String,
    },
    /// Numbers of streams and something that is not their time.
    #[error("`--vary streams=…` draws times, and neither shares nor counts")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("leave out `--share` and `--quantity`")
    )]
    StreamsAlone,
    /// A machine file that cannot be rewritten line by line.
    #[error("the machine file {given} is not laid out a key a line")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("write `key = value` on lines of their own, under `[section]` headers")
    )]
    MachineLayout {
        /// The file.
        given: String,
    },
    /// Standard input requested twice.
    #[error("standard input can be read only once")]
    #[diagnostic(code("atgpu::usage::value"))]
    StandardInputTwice,
    /// `--watch` of standard input, which never changes.
    #[error("`--watch` needs files: standard input does not change")]
    #[diagnostic(code("atgpu::usage::value"), help("name the file"))]
    WatchOfStandardInput,
    /// A place without programs.
    #[error("no .atgpu file in {place}")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("name a program or another folder; `atgpu new NAME` writes a program to begin with")
    )]
    NoPrograms {
        /// The place.
        place: String,
    },
    /// A `--over`, or a `-D` of several values, without valid values.
    #[error("`{option} {given}`: {problem}")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help(
            "write `{option} n=2^16..2^26`, with `:x10` or `:+1000` behind it for other steps, or `{option} n=1,10,100`"
        )
    )]
    BadChoice {
        /// The option.
        option: &'static str,
        /// As given.
        given: String,
        /// The problem.
        problem: AxisProblem,
    },
    /// A parameter with two ranges.
    #[error("`{name}` is given more than one set of values")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give it by one `--over` or one `-D`")
    )]
    ChosenTwice {
        /// The parameter.
        name: String,
    },
    /// A program without a cost, so that no change of it can be judged.
    #[error(
        "the cost of this program by {model} on {machine} is not known exactly at this size, and a run takes long"
    )]
    #[diagnostic(
        code("atgpu::usage::value"),
        help(
            "changes are judged by exact costs, or by runs on data: give a smaller size with -D, or another model with --model"
        )
    )]
    NoExactCost {
        /// The model.
        model: &'static str,
        /// The machine.
        machine: String,
    },
    /// A number that no proposal has.
    #[error("there is no proposal {number}: {}", match found {
        0 => "nothing was found".to_owned(),
        1 => "1 was found".to_owned(),
        many => format!("{many} were found"),
    })]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("`atgpu advise` without --apply lists the proposals with their numbers")
    )]
    NoProposal {
        /// The number given.
        number: usize,
        /// The proposals there are.
        found: usize,
    },
    /// Programs of several folders with different `atgpu.toml`s.
    #[error("the files `atgpu.toml` beside {first} and {second} choose different things")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("look at them one by one, or copy the programs into one folder")
    )]
    SettingsDiffer {
        /// A program.
        first: String,
        /// Another.
        second: String,
    },
    /// Functions, or one JSON object, of several programs.
    #[error("{files} programs, and this format is of one")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give one program at a time, or `--format ndjson`: a line for each")
    )]
    SeveralPrograms {
        /// The number of programs given.
        files: usize,
    },
    /// A fault found by clap.
    #[error("{problem}")]
    #[diagnostic(code("atgpu::usage::value"))]
    CommandLine {
        /// The first line of clap's message.
        problem: String,
    },
}

/// A fault of `atgpu.toml`, on the exact key or value.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum SettingError {
    /// The text is no TOML.
    #[error("`atgpu.toml` is TOML, and this is not: {message}")]
    #[diagnostic(code("atgpu::usage::setting"))]
    NotToml {
        /// The message of the TOML parser.
        message: String,
        #[label(primary)]
        /// The place.
        span: Span,
    },
    /// An unknown key.
    #[error("unknown key `{key}`")]
    #[diagnostic(code("atgpu::usage::setting"), help("{}", .known.or_else(|all| format!("known keys: {all}"))))]
    Key {
        /// As written.
        key: String,
        /// The known keys.
        known: Known,
        #[label(primary)]
        /// The key.
        span: Span,
    },
    /// A value of the wrong kind.
    #[error("`{key}` is {found}, but must be {expected}")]
    #[diagnostic(code("atgpu::usage::setting"))]
    Value {
        /// The key.
        key: String,
        /// The kind of value found.
        found: &'static str,
        /// The kind of value expected.
        expected: &'static str,
        #[label(primary)]
        /// The value.
        span: Span,
    },
    /// An unknown name.
    #[error("`{key} = \"{name}\"`: {problem}")]
    #[diagnostic(code("atgpu::usage::setting"), help("{remedy}"))]
    Name {
        /// The key.
        key: &'static str,
        /// As written.
        name: String,
        /// The reason.
        problem: &'static str,
        /// A name to use instead.
        remedy: Remedy,
        #[label(primary)]
        /// The value.
        span: Span,
    },
    /// A value that is no number.
    #[error("`{name}`: {problem}")]
    #[diagnostic(code("atgpu::usage::setting"))]
    Number {
        /// The parameter.
        name: String,
        /// The reason.
        problem: ParseNumber,
        #[label(primary)]
        /// The value.
        span: Span,
    },
}

/// A file that cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum FileError {
    /// The system refuses access.
    #[error("{path} cannot be {action}: {reason}")]
    #[diagnostic(code("atgpu::file::unreadable"))]
    System {
        /// The file.
        path: String,
        /// `read` or `written`.
        action: &'static str,
        /// The system's words.
        reason: String,
    },
    /// A folder where a file is wanted.
    #[error("{path} is a folder")]
    #[diagnostic(
        code("atgpu::file::unreadable"),
        help("name the files in it, as in `{pattern}`; `atgpu test` takes folders too")
    )]
    Folder {
        /// The folder.
        path: String,
        /// Its programs, as a shell finds them.
        pattern: String,
    },
    /// Bytes that are not UTF-8.
    #[error("{path} is no text: line {line} has a byte that is not UTF-8 (offset {offset})")]
    #[diagnostic(code("atgpu::file::unreadable"), help("save it as UTF-8"))]
    NotText {
        /// The file.
        path: String,
        /// The line of the first such byte.
        line: usize,
        /// Its offset.
        offset: usize,
    },
    /// A file that is too long to read.
    #[error("{path} is longer than {most} MiB, and is not read")]
    #[diagnostic(
        code("atgpu::file::unreadable"),
        help(
            "a text has at most 256 MiB, data at most what their sizes ask for and half of the memory that is free"
        )
    )]
    TooLong {
        /// The file.
        path: String,
        /// The limit in MiB.
        most: u64,
    },
    /// A result file that would overwrite a user's file.
    #[error("{path} holds {what} and is not overwritten")]
    #[diagnostic(code("atgpu::file::unreadable"), help("choose another name"))]
    Kept {
        /// The file.
        path: String,
        /// The content that would be lost.
        what: &'static str,
    },
    /// A file that somebody saved while it was rewritten.
    #[error("{path} changed meanwhile and is not overwritten")]
    #[diagnostic(code("atgpu::file::unreadable"), help("run the command again"))]
    Changed {
        /// The file.
        path: String,
    },
    /// `new` over an existing file.
    #[error("{path} is already there and is not overwritten")]
    #[diagnostic(code("atgpu::file::unreadable"), help("choose another name"))]
    Exists {
        /// The file.
        path: String,
    },
}

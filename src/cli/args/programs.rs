//! The options of the commands on programs: check, derive, cost, overlap, run, test, emit, fmt.

use std::num::NonZeroU64;

use clap::{Args, ValueEnum};

use crate::cli::args::{BankConflicts, Format, ProgramOptions};

/// The form of what `check` finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For a person
    Text,
    /// One JSON object
    Json,
    /// A log in SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// The form of a derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeriveFormat {
    /// For a person
    Text,
    /// One JSON object
    Json,
    /// One JSON object a program, a line each
    Ndjson,
    /// For a paper
    Latex,
    /// Functions of Python, exact
    Python,
    /// Functions of NumPy arrays
    Numpy,
    /// Expressions of SymPy
    Sympy,
    /// Functions of C
    C,
    /// Functions of Rust
    Rust,
    /// Macros of DuckDB
    Sql,
    /// Functions of Julia
    Julia,
    /// Names of Excel
    Excel,
}

/// `atgpu check`
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Programs and folders of programs; `-` is standard input
    #[arg(required = true, value_name = "DIR|FILE")]
    pub files: Vec<String>,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: CheckFormat,
    /// Fail at warnings too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<Denied>,
    /// Check that words have room in so many bits: int32 proves that no int word leaves 32 bits, and that all
    /// indices fit, or says up to which size they do
    #[arg(long, value_enum, value_name = "WIDTH")]
    pub word: Option<NarrowWord>,
    /// List every access with the rule that proves it, the map from loops and cores to its word, and
    /// the facts that the proof needs
    #[arg(long)]
    pub explain: bool,
    /// Do N times the usual work for proofs and runs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub effort: u32,
    /// Check again whenever a file changes
    #[arg(long)]
    pub watch: bool,
    /// Make every fix that is not a choice between several, and write the files (`-`: to standard
    /// output)
    #[arg(long, conflicts_with_all = ["watch", "diff"])]
    pub fix: bool,
    /// Show what --fix would change, and change nothing
    #[arg(long, conflicts_with_all = ["watch", "explain", "format"])]
    pub diff: bool,
}

/// Words narrower than those of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NarrowWord {
    /// Ints of 32 bits.
    Int32,
}

/// Findings that fail `check`, beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Denied {
    /// Warnings.
    Warnings,
}

/// `atgpu derive`
#[derive(Debug, Args)]
pub struct DeriveArgs {
    /// Programs and folders of programs; `-` is standard input
    #[arg(required = true, value_name = "DIR|FILE")]
    pub files: Vec<String>,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// Replace `let` names by their definitions
    #[arg(long)]
    pub expand: bool,
    /// Show forms of more than two lines whole, not a short upper bound
    #[arg(long)]
    pub exact: bool,
    /// Show where totals come from, line by line: --explain, or --explain=io for one of them
    #[arg(long, value_name = "QUANTITY", num_args = 0..=1, require_equals = true)]
    pub explain: Option<Option<String>>,
    /// Assume that at most so many cores meet on one word of an `atomic`, where data decide how many do
    #[arg(long, value_name = "N")]
    pub contention: Option<NonZeroU64>,
    /// Show the times of this cost model as formulas with the machine's figures in them (again for more,
    /// or all), such as roofline with its bounds
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Show this quantity only (again for more, or io,time): its formula as text, its function in
    /// python to excel, its column in a latex table of several programs; JSON has all anyway
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub quantity: Vec<String>,
    /// How to print the result; python to excel write the formulas as functions
    #[arg(long, value_enum, default_value = "text")]
    pub format: DeriveFormat,
    /// Derive again whenever a file changes
    #[arg(long)]
    pub watch: bool,
}

/// A language to emit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmitTarget {
    /// C: cores take turns, one step after the other
    C,
    /// CUDA C++: an MP is a thread block, a core a thread
    Cuda,
    /// OpenCL: an MP is a work-group, a core a work-item
    Opencl,
}

/// How wide words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WordWidth {
    /// Ints of 32 bits
    Int32,
    /// Ints of 64 bits
    Int64,
    /// Floats of single precision
    Float,
    /// Floats of double precision
    Double,
}

impl WordWidth {
    /// As on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// `atgpu emit`
#[derive(Debug, Args)]
pub struct EmitArgs {
    /// What to write
    #[arg(value_enum)]
    pub target: EmitTarget,
    /// The program; `-` is standard input
    pub file: String,
    /// Parameters and machine: p, b, M and G are fixed in what is written, values of formal
    /// parameters are its defaults.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// Only the kernels and functions that launch them, to be called from other code; values of formal
    /// parameters are fixed too
    #[arg(long)]
    pub kernel_only: bool,
    /// Other words than int64 and double (again for both)
    #[arg(long, value_enum, value_name = "WIDTH")]
    pub word: Vec<WordWidth>,
    /// Emit a program whose safety is not proved
    #[arg(long)]
    pub unchecked: bool,
    /// Write to a file
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// `atgpu cost`
#[derive(Debug, Args)]
pub struct CostArgs {
    /// The program; `-` is standard input
    pub file: String,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// A cost model (again for more), or `all`; atgpu and swgpu when not given, and before them combined (transfers as
    /// in atgpu, kernels as in roofline) where the machine has its figures
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Count step by step, however long it takes
    #[arg(long)]
    pub count: bool,
    /// Assume that at most so many cores meet on one word of an `atomic`, where data decide how many do
    #[arg(long, value_name = "N")]
    pub contention: Option<NonZeroU64>,
    /// Whether a shared access costs its degree in operations
    #[arg(long, value_enum, default_value = "ignore")]
    pub bank_conflicts: BankConflicts,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// `atgpu advise`
#[derive(Debug, Args)]
pub struct AdviseArgs {
    /// The program; `-` is standard input
    pub file: String,
    /// Parameters and machine; a formal without a value gets one that shows what the program does.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// The cost model that decides; atgpu when not given
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Whether a shared access costs its degree in every proposal; where conflicts are the point, it does anyway
    #[arg(long, value_enum, default_value = "ignore")]
    pub bank_conflicts: BankConflicts,
    /// Write the proposal of this number into the file, and show it alone
    #[arg(long, value_name = "N")]
    pub apply: Option<usize>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// The model whose kernel time streams hide in a plot, where none is named.
pub const KERNEL_MODEL: &str = "atgpu";

/// `atgpu overlap`
#[derive(Debug, Args)]
pub struct OverlapArgs {
    /// The program; `-` is standard input
    pub file: String,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// The time of the kernels in milliseconds, instead of a model's
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub kernel_ms: Option<f64>,
    /// The model whose kernel time it takes; roofline when not given, or atgpu where the machine lacks a figure for
    /// it or the program has no bound on what it charges
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// An input that is on the device before, and does not move (again for more)
    #[arg(long, value_name = "NAME")]
    pub resident: Vec<String>,
    /// The most streams
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub streams: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// `atgpu run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The program; `-` is standard input
    pub file: String,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// Data of an input variable (again for more): a .npy or .csv file (a first line without any
    /// number is a header), random, iota, zeros, ones, least, most,
    /// rising (by its range), or a number
    #[arg(long, value_name = "NAME=SOURCE")]
    pub input: Vec<String>,
    /// Write a host variable to a .npy or .csv file, or `-` for CSV on standard output
    #[arg(long, value_name = "NAME=FILE")]
    pub output: Vec<String>,
    /// Stop where an int word leaves so many bits
    #[arg(long, value_enum, value_name = "WIDTH")]
    pub word: Option<NarrowWord>,
    /// Leave the ensures untested
    #[arg(long)]
    pub no_ensure: bool,
    /// What random data depend on
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Threads that execute MPs; 0 is as many as the computer has
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=1024))]
    pub threads: u64,
    /// Run so often, for the time it takes
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: u32,
    /// Show a host or global variable at the end (again for more); with --trace, the words that each
    /// line writes to it, of a shared variable too
    #[arg(long, value_name = "NAME")]
    pub show: Vec<String>,
    /// Show the statements one MP executes: mp=3, or mp=1,2 where MPs have two numbers
    #[arg(long, value_name = "mp=NUMBER")]
    pub trace: Option<String>,
    /// Write the trace as a page for a browser or a slide
    #[arg(long, value_name = "FILE.html", requires = "trace")]
    pub trace_html: Option<String>,
    /// A cost model (again for more), or `all`; atgpu and swgpu when not given
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// `atgpu test`
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Programs and folders of programs; this folder when not given
    #[arg(value_name = "DIR|FILE")]
    pub paths: Vec<String>,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// Run each program at no more points than these; 200 when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub points: Option<u16>,
    /// Begin no further run of a program after so many seconds
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: Option<u64>,
    /// Fail where a program was run at too few points to tell much
    #[arg(long)]
    pub strict: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// `atgpu fmt`
#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Programs and folders of programs, formatted in place; `-` is standard input to standard output
    #[arg(required = true, value_name = "DIR|FILE")]
    pub files: Vec<String>,
    /// Write ASCII spellings
    #[arg(long, conflicts_with = "unicode")]
    pub ascii: bool,
    /// Write Unicode spellings
    #[arg(long)]
    pub unicode: bool,
    /// Change nothing; status 1 when a file is not canonical
    #[arg(long)]
    pub check: bool,
    /// Change nothing; show what would change
    #[arg(long)]
    pub diff: bool,
}

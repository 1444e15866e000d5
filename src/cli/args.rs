//! The command line: every command and option, with the help a user reads.

use atgpu::count::Quantity;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Design GPU algorithms on paper: check, derive, cost and run ATGPU pseudocode.
#[derive(Debug, Parser)]
#[command(
    name = "atgpu",
    version = concat!(env!("CARGO_PKG_VERSION"), env!("ATGPU_REVISION")),
    max_term_width = 100,
    subcommand_required = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One command each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find faults: syntax, names, scopes, types, limits, bounds and races; and what is slow
    Check(CheckArgs),
    /// Derive rounds, time, I/O, transfer and cost as formulas, and prove the claims
    Derive(DeriveArgs),
    /// Count and cost a program at given parameters, without data
    Cost(CostArgs),
    /// Predict how transfers overlap with kernels, and the best number of streams
    Overlap(OverlapArgs),
    /// Execute a program on data, checking and counting everything
    Run(RunArgs),
    /// Check every claim and ensure of programs or folders of them
    Test(TestArgs),
    /// Put programs, machines and models side by side, and say from which n one beats another
    Compare(CompareArgs),
    /// Cost programs over ranges of parameters, a row a value
    Sweep(SweepArgs),
    /// Draw costs over ranges of parameters, as the papers do: SVG, PNG, LaTeX or in the terminal
    Plot(PlotArgs),
    /// Fit a machine to measured times
    Calibrate(CalibrateArgs),
    /// Write a program as one C, CUDA or OpenCL file with its own main
    Emit(EmitArgs),
    /// Emit, compile and run programs, and write what each transfer and launch took
    Measure(MeasureArgs),
    /// Lay programs out canonically, or convert between ASCII and Unicode
    Fmt(FmtArgs),
    /// Write a commented skeleton NAME.atgpu
    New(NewArgs),
    /// Explain a diagnostic code
    Explain(ExplainArgs),
    /// List machines, show one, or compare two
    Machines(MachinesArgs),
    /// List cost models, or explain one
    Models(ModelsArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print a manual page: `atgpu man | man -l -`
    Man(ManArgs),
    /// Serve an editor on standard input and output: diagnostics, costs, completion, renaming
    Lsp(LspArgs),
}

/// What every command that takes a program takes.
#[derive(Debug, Clone, Args)]
pub struct ProgramOptions {
    /// Give a parameter its value (again for more): n=1000000, n=1e6, n=2^20; machine parameters
    /// p b M G alpha beta gamma lambda sigma H k' too
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// A built-in machine, or a machine file; that of atgpu.toml beside the program, else gtx650,
    /// when not given
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub machine: Option<String>,
}

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person
    Text,
    /// One JSON object
    Json,
}

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

/// What bank conflicts cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BankConflicts {
    /// Nothing, as in the model; they are reported
    Ignore,
    /// Each shared operand costs its degree
    Charge,
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
    /// List every access with the rule that proves it
    #[arg(long)]
    pub explain: bool,
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
    /// Show the times of this cost model as formulas with the machine's figures in them (again for more,
    /// or all), such as roofline with its bounds
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Write this quantity's function only (again for more), such as io or gpu_cost; with latex, these
    /// columns of a table of several programs
    #[arg(long, value_name = "NAME")]
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

/// `atgpu measure`
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Programs; `-` is standard input
    #[arg(
        required_unless_present_any = ["machine_file", "study"],
        conflicts_with = "machine_file"
    )]
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Vary a formal parameter (again for a grid): n=2^10..2^20 by factors of 2, n=1,10,100; each program at sizes
    /// of our own choice when not given
    #[arg(long, conflicts_with_all = ["machine_file", "study"])]
    #[arg(value_name = "NAME=RANGE")]
    pub vary: Vec<String>,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// How it is compiled and run.
    #[command(flatten)]
    pub how: MeasureOptions,
    /// Measure the device by the programs of `programs/machine/`, and write it as a machine file; what they do not
    /// tell stays as `--machine` has it
    #[arg(long, value_name = "NAME.toml")]
    pub machine_file: Option<String>,
    /// All in one: the machine file, the files and the figures of paper 1 measured and predicted, in this folder
    #[arg(long, conflicts_with_all = ["machine_file", "output"], value_name = "FOLDER")]
    pub study: Option<String>,
    /// The largest array with which a machine is measured, and the most words of a program at sizes of our own choice
    ///
    /// 4194304 when not given; a machine's arrays are four times the cache that a card says it has.
    #[arg(long, value_parser = clap::value_parser!(i64).range(1 << 10..=1 << 32), value_name = "WORDS")]
    pub most_words: Option<i64>,
    /// Write the rows to a file, for `plot --observed` and `calibrate`; standard output when not
    /// given
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// How programs are compiled and run to be measured.
#[derive(Debug, Clone, Args)]
pub struct MeasureOptions {
    /// What to measure it as
    #[arg(long, value_enum, default_value = "c")]
    pub target: EmitTarget,
    /// The compiler; cc, for CUDA nvcc
    #[arg(long, value_name = "COMMAND")]
    pub compiler: Option<String>,
    /// Words of other than the machine's width (again for both)
    #[arg(long, value_enum, value_name = "WIDTH")]
    pub word: Vec<WordWidth>,
    /// Transfer from and to page-locked memory (CUDA)
    #[arg(long)]
    pub pinned: bool,
    /// Repetitions, of which the median and the least count
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: u32,
    /// Repetitions before those
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub warm_up: u32,
    /// Run where an OpenCL device has this in its name; a GPU, where there is one, when not given
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Compare outputs with those of `run` only up to so many words of a program; all when not given, with
    /// --machine-file 2^25
    #[arg(long, value_name = "WORDS")]
    pub compare_up_to: Option<u64>,
    /// Go on behind a program that cannot be measured, and write the rows of the others
    #[arg(long)]
    pub keep_going: bool,
    /// Seconds after which a compiler or a program is stopped
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub time_limit: u64,
    /// Measure programs whose safety is not proved
    #[arg(long)]
    pub unchecked: bool,
}

/// `atgpu cost`
#[derive(Debug, Args)]
pub struct CostArgs {
    /// The program; `-` is standard input
    pub file: String,
    /// Parameters and machine.
    #[command(flatten)]
    pub options: ProgramOptions,
    /// A cost model (again for more), or `all`; atgpu and swgpu when not given
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Count step by step, however long it takes
    #[arg(long)]
    pub count: bool,
    /// Whether a shared access costs its degree in operations
    #[arg(long, value_enum, default_value = "ignore")]
    pub bank_conflicts: BankConflicts,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// The model whose kernel time streams hide, where none is named.
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
    /// The model whose kernel time it takes
    #[arg(long, value_name = "NAME", default_value = KERNEL_MODEL)]
    pub model: String,
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

/// `atgpu sweep`
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// What to vary and how.
    #[command(flatten)]
    pub study: StudyOptions,
    /// A figure to show (again for more), such as gpu_cost, time or io, or roofline_shared of one
    /// model; all of the models' when not given
    #[arg(long, value_name = "NAME")]
    pub quantity: Vec<String>,
    /// One row a point, a column a figure
    #[arg(long)]
    pub wide: bool,
    /// Go through one part of the points only: `--part 3/64` is the third of 64, and the rows of
    /// all parts, each below its own header, are those of the whole
    #[arg(long, value_name = "I/N", allow_hyphen_values = true)]
    pub part: Option<String>,
    /// Write to a file; standard output when not given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "csv")]
    pub format: RowFormat,
}

/// What commands take that look at many points.
#[derive(Debug, Clone, Args)]
pub struct StudyOptions {
    /// Vary a parameter (again for a grid): n=2^16..2^26 by factors of 2, n=1..1e6:x10,
    /// n=0..64:+8, n=1,10,100; machine parameters too
    #[arg(long, required = true, value_name = "NAME=RANGE")]
    pub vary: Vec<String>,
    /// Give a parameter its value (again for more): n=1000000, n=1e6, n=2^20; machine parameters
    /// p b M G alpha beta gamma lambda sigma H k' too
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// A built-in machine, or a machine file (again for more); that of atgpu.toml beside the
    /// programs, else gtx650, when not given
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub machine: Vec<String>,
    /// A cost model (again for more), or `all`; atgpu and swgpu when not given
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Count what has no closed form step by step, however long it takes
    #[arg(long)]
    pub count: bool,
    /// Whether bank conflicts cost; charged, they are counted at every point
    #[arg(long, value_enum, default_value = "ignore")]
    pub bank_conflicts: BankConflicts,
}

/// `atgpu plot`
#[derive(Debug, Args)]
// A picture of roofs varies nothing.
#[command(mut_arg("vary", |vary| vary.required(false).required_unless_present("roofline")))]
pub struct PlotArgs {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// What to vary and how; the first parameter runs along the bottom. `streams=1..64:+1` draws
    /// times over the number of streams, by atgpu where no model is given.
    #[command(flatten)]
    pub study: StudyOptions,
    /// The figure to draw, such as gpu_cost, cost, time or io; roofline_shared is the `shared` of one
    /// model
    #[arg(
        long,
        value_name = "NAME",
        default_value = Quantity::GpuCost.name(),
        conflicts_with = "share"
    )]
    pub quantity: String,
    /// Draw kernels below the roofs of the cards: operations a byte against operations a second, at the
    /// values of -D
    #[arg(
        long,
        conflicts_with_all = ["vary", "share", "normalise", "observed", "quantity", "bank_conflicts"]
    )]
    pub roofline: bool,
    /// Draw the share of transfers in the GPU-cost
    #[arg(long, conflicts_with = "normalise")]
    pub share: bool,
    /// Draw times as parts of the longest, from 0 to 1
    #[arg(long)]
    pub normalise: bool,
    /// Overlay measured times: a CSV with columns n, total_ms, kernel_ms (again for more)
    #[arg(long, value_name = "TIMINGS.csv")]
    pub observed: Vec<String>,
    /// Write FIG.svg, FIG.png, or FIG.tex with FIG.csv; in the terminal when not given
    #[arg(short, long, value_name = "FIG")]
    pub output: Option<String>,
    /// How the parameter is laid along the bottom
    #[arg(long, value_enum, value_name = "SCALE")]
    pub x_scale: Option<PlotScale>,
    /// How the figure is laid along the side
    #[arg(long, value_enum, value_name = "SCALE")]
    pub y_scale: Option<PlotScale>,
    /// What the legend calls a program, in the order of the files (again for more); its name when
    /// not given
    #[arg(long, value_name = "TEXT")]
    pub label: Vec<String>,
    /// What stands above it
    #[arg(long)]
    pub title: Option<String>,
    /// Width and height in inches
    #[arg(
        long,
        value_name = "WIDTHxHEIGHT",
        default_value = "4x3",
        allow_hyphen_values = true
    )]
    pub size: String,
}

/// `atgpu calibrate`
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Programs; `-` is standard input. Rows that `measure` wrote need none
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Measured times: rows of `measure`, or a CSV with columns n, total_ms, kernel_ms (again for more)
    #[arg(long, required = true, value_name = "TIMINGS.csv")]
    pub observed: Vec<String>,
    /// Give a parameter its value (again for more); alpha, beta, gamma, lambda and sigma given here
    /// are not fitted
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// The machine to begin with: a built-in one, or a machine file; that of atgpu.toml beside the
    /// programs, else gtx650, when not given
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub machine: Option<String>,
    /// Fit nothing: hold the machine as it is against what was measured
    #[arg(long, conflicts_with_all = ["output", "name", "weights"])]
    pub keep: bool,
    /// How measurements weigh
    #[arg(long, value_enum, default_value = "relative")]
    pub weights: CalibrateWeights,
    /// The name of the fitted machine
    #[arg(long)]
    pub name: Option<String>,
    /// Write the machine file; on standard output when not given
    #[arg(short, long, value_name = "FILE.toml")]
    pub output: Option<String>,
    /// Count what has no closed form step by step, however long it takes
    #[arg(long)]
    pub count: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// How measurements weigh in a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CalibrateWeights {
    /// An error of 1% weighs the same at every time
    Relative,
    /// An error of 1 ms does
    Absolute,
}

/// How numbers are laid along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotScale {
    /// Evenly
    Linear,
    /// By powers of 2
    Log2,
    /// By powers of 10
    Log10,
}

/// The form of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Comma-separated values, a line a value
    Csv,
    /// One JSON object
    Json,
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
    /// number is a header), random, iota, zeros, ones, or a number
    #[arg(long, value_name = "NAME=SOURCE")]
    pub input: Vec<String>,
    /// Write a host variable to a .npy or .csv file, or `-` for CSV on standard output
    #[arg(long, value_name = "NAME=FILE")]
    pub output: Vec<String>,
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
    /// Show a host or global variable at the end (again for more)
    #[arg(long, value_name = "NAME")]
    pub show: Vec<String>,
    /// Show the statements one MP executes: mp=3, or mp=1,2 where MPs have two numbers
    #[arg(long, value_name = "mp=NUMBER")]
    pub trace: Option<String>,
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

/// `atgpu compare`
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Give a parameter its value (again for more); with one left over, the values of it are
    /// found at which one program beats another
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// The parameter to leave over
    #[arg(long, value_name = "NAME")]
    pub vary: Option<String>,
    /// Take one program's parameter for another's (again for more): w=n
    #[arg(long, value_name = "NAME=NAME")]
    pub alias: Vec<String>,
    /// A built-in machine, or a machine file (again for more); that of atgpu.toml beside the
    /// programs, else gtx650, when not given
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub machine: Vec<String>,
    /// A cost model (again for more), or `all`; atgpu and swgpu when not given
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Whether bank conflicts cost; charged, they are counted, with every parameter given
    #[arg(long, value_enum, default_value = "ignore")]
    pub bank_conflicts: BankConflicts,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: CompareFormat,
}

/// The form of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For a person
    Text,
    /// One JSON object
    Json,
    /// Comma-separated values, a line a value
    Csv,
    /// For a document
    Markdown,
    /// The table of a paper
    Latex,
}

/// `atgpu fmt`
#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Programs, formatted in place; `-` is standard input to standard output
    #[arg(required = true, value_name = "FILE")]
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

/// `atgpu new`
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The algorithm's name
    pub name: String,
}

/// `atgpu explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code such as limit::shared; all codes when not given
    pub code: Option<String>,
}

/// `atgpu machines`
#[derive(Debug, Args)]
pub struct MachinesArgs {
    /// A machine to show: a built-in name or a file
    pub name: Option<String>,
    /// Another to compare it with
    pub other: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// `atgpu models`
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// A model to explain
    pub name: Option<String>,
}

/// `atgpu completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// `atgpu man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command; the program itself when not given
    pub command: Option<String>,
}

/// `atgpu lsp`
#[derive(Debug, Args)]
pub struct LspArgs {
    /// Editors give it; standard input and output are used anyway
    #[arg(long, hide = true)]
    pub stdio: bool,
}

//! The options of the commands on many points: compare, sweep, plot, calibrate, measure.

use atgpu::count::Quantity;
use clap::{Args, ValueEnum};

use crate::cli::args::{BankConflicts, EmitTarget, Format, ProgramOptions, WordWidth};

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
    /// n=0..64:+8, n=1,10,100; machine parameters too; W=b or W=b/32 moves with another that varies
    #[arg(long, required = true, value_name = "NAME=RANGE")]
    pub vary: Vec<String>,
    /// Give a parameter its value (again for more): n=1000000, n=1e6, n=2^20; machine parameters
    /// p b M G alpha beta gamma lambda sigma H k' too, and of a launch Z, the MPs of a thread block, and
    /// W, the warps that an MP stands for
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

/// `atgpu tune`
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// The program; `-` is standard input
    pub file: String,
    /// Try these values of a parameter (again for all combinations): w=1..64 by factors of 2, w=1..64:+1, W=8,16,32;
    /// machine parameters too
    #[arg(long, required = true, value_name = "NAME=RANGE")]
    pub over: Vec<String>,
    /// Give a parameter its value (again for more); one of them may have several, n=2^10..2^24, and the best choice is
    /// found at each. Machine parameters too, and of a launch Z, the MPs of a thread block, and W, the warps that an MP
    /// stands for
    #[arg(short = 'D', value_name = "NAME=VALUE|RANGE")]
    pub define: Vec<String>,
    /// A built-in machine, or a machine file; that of atgpu.toml beside the program, else gtx650, when not given
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub machine: Option<String>,
    /// The cost model that decides; atgpu when not given
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Whether bank conflicts cost; charged, they are counted at every point
    #[arg(long, value_enum, default_value = "ignore")]
    pub bank_conflicts: BankConflicts,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
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
    /// Draw the parts of the GPU-cost by ATGPU, one upon the other: transfers, kernels and rounds
    #[arg(
        long,
        conflicts_with_all = ["share", "normalise", "observed", "quantity", "roofline", "model", "y_scale"]
    )]
    pub stacked: bool,
    /// Draw times as parts of the longest, from 0 to 1
    #[arg(long)]
    pub normalise: bool,
    /// Overlay measured times: a CSV with columns n, total_ms, kernel_ms (again for more)
    #[arg(long, value_name = "TIMINGS.csv")]
    pub observed: Vec<String>,
    /// Write FIG.svg, FIG.pdf, FIG.png, or FIG.tex with FIG.csv; in the terminal when not given
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

/// `atgpu compare`
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Give a parameter its value (again for more); with one left over, the values of it are
    /// found at which one program beats another. Machine parameters too, and of a launch Z, the MPs of a
    /// thread block, and W, the warps that an MP stands for
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// The parameter to leave over: one of the programs, or b
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

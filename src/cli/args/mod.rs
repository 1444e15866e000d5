//! The command line: every command and option, with the help a user reads.

mod help;
mod programs;
mod studies;

pub use help::command;

pub use programs::{
    AdviseArgs, CheckArgs, CheckFormat, CostArgs, DeriveArgs, DeriveFormat, EmitArgs, EmitTarget,
    FmtArgs, KERNEL_MODEL, NarrowWord, OverlapArgs, RunArgs, TestArgs, WordWidth,
};
pub use studies::{
    CalibrateArgs, CalibrateWeights, CompareArgs, CompareFormat, MeasureArgs, MeasureOptions,
    PlotArgs, PlotScale, RowFormat, StudyOptions, SweepArgs, TuneArgs,
};

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
    /// Colour the output: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto"
    )]
    #[arg(hide_possible_values = true)]
    pub color: Colour,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When the output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set; anywhere if CLICOLOR_FORCE is set
    Auto,
    /// Anywhere
    Always,
    /// Nowhere
    Never,
}

impl Colour {
    /// The same choice for the messages of the command line's parser.
    pub fn of_parser(self) -> clap::ColorChoice {
        match self {
            Colour::Auto => clap::ColorChoice::Auto,
            Colour::Always => clap::ColorChoice::Always,
            Colour::Never => clap::ColorChoice::Never,
        }
    }
}

/// One command each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find faults, prove that there are none, and say what is slow
    Check(CheckArgs),
    /// Derive rounds, time, I/O, transfer and cost as formulas, and prove the claims
    Derive(DeriveArgs),
    /// Count and cost a program at given parameters, without data
    Cost(CostArgs),
    /// Propose changes that are right, and derive exactly what each one saves
    Advise(AdviseArgs),
    /// Find the best values of free parameters, and the sizes at which they change
    Tune(TuneArgs),
    /// Predict how transfers overlap with kernels, and the best number of streams
    Overlap(OverlapArgs),
    /// Execute a program on data, checking and counting everything
    Run(RunArgs),
    /// Check every claim and ensure of programs or folders of them
    Test(TestArgs),
    /// Compare programs, machines and models, and say from which size one beats another
    Compare(CompareArgs),
    /// Cost programs over ranges of parameters, a row a value
    Sweep(SweepArgs),
    /// Draw costs over ranges of parameters: as a picture, for LaTeX, or in the terminal
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
    /// Explain a diagnostic code, or a word or symbol of the glossary
    Explain(ExplainArgs),
    /// List machines, show one, or compare two
    Machines(MachinesArgs),
    /// List cost models, or explain one
    Models(ModelsArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print a manual page: `atgpu man | man -l -`
    Man(ManArgs),
    /// Serve an editor on standard input and output: faults, costs, completion, renaming
    Lsp(LspArgs),
}

/// What every command that takes a program takes.
#[derive(Debug, Clone, Args)]
pub struct ProgramOptions {
    /// Give a parameter its value (again for more): n=1000000, n=1e6, n=2^20; machine parameters
    /// p b M G alpha beta gamma lambda sigma H k' too, and of a launch Z, the MPs of a thread block, and
    /// W, the warps that an MP stands for
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

/// What bank conflicts cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BankConflicts {
    /// Nothing, as in the model; they are reported
    Ignore,
    /// Each shared operand costs its degree
    Charge,
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
    /// A code such as limit::shared, a word such as occupancy, or a symbol such as ℓ; all codes
    /// and words when not given
    pub name: Vec<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
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

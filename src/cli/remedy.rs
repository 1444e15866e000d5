//! Remedies for an argument: facts, and their words.

use std::fmt;

use atgpu::report::derivation::functions::Target;
use atgpu::text::Known;

/// A remedy; displays as a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// One of the known names.
    Known(Known),
    /// A model.
    Models {
        /// The known models.
        known: Known,
        /// True if `all` is accepted as well.
        or_all: bool,
    },
    /// A built-in machine, or a file of one.
    Machines {
        /// The nearest name, if one is near.
        near: Option<String>,
        /// All names.
        built_in: Vec<String>,
        /// The option with the name of such a file.
        file: String,
    },
    /// A machine's name in `atgpu.toml`, or the path of a file.
    MachineFile,
    /// One of the codes that have a part of this name.
    CodesWith(Vec<String>),
    /// A code, or a word of the glossary.
    Codes(Known),
    /// No name fits: the program has no such variable at all.
    NoVariables,
    /// The name of an algorithm.
    AlgorithmName,
    /// A number of milliseconds.
    Milliseconds,
    /// An array that an inward transfer names.
    Resident,
    /// A kernel's time, or a model that has one.
    KernelTime,
    /// A model with kernel times.
    ModelKernelTime,
    /// Text, for what the JSON has anyway.
    TextOnly,
    /// Text or JSON, without an explanation.
    TextOrJson,
    /// A format with functions to choose from.
    Functions,
    /// The option with the total attached.
    ExplainOne(String),
    /// Two names for `--alias`.
    SecondName(String),
    /// A name alone for `--vary`.
    NameOfRange {
        /// The parameter.
        name: String,
        /// The given range.
        range: String,
    },
    /// `--vary` or `-D`, but not both.
    LeaveDefinition(String),
    /// Values for all these parameters: a single program is not compared over a range.
    Each(Vec<String>),
    /// Values for all but one of them, or one name for two that are the same size.
    AllButOne {
        /// The parameters that may be given.
        free: Vec<String>,
        /// A pair that may be the same size.
        alias: Option<(String, String)>,
    },
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Remedy::Known(known) => known.to_string(),
            Remedy::Models { known, or_all } => {
                let or_all = if *or_all { ", all" } else { "" };
                known.or_else(|all| format!("models: {all}{or_all}"))
            }
            Remedy::Machines {
                near,
                built_in,
                file,
            } => {
                let meant = near.as_ref().map(|near| format!("did you mean `{near}`? "));
                format!(
                    "{}built in: {}; or your own file, as `{file}`: `atgpu machines gtx650` \
                     prints one to begin with",
                    meant.unwrap_or_default(),
                    built_in.join(", ")
                )
            }
            Remedy::MachineFile => {
                "a path is seen from the folder of `atgpu.toml`; `atgpu machines` lists the names \
                 there are"
                    .to_owned()
            }
            Remedy::CodesWith(codes) => {
                let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
                format!("did you mean {}?", codes.join(", "))
            }
            Remedy::Codes(known) => {
                known.or_else(|_| "`atgpu explain` lists all codes and words".to_owned())
            }
            Remedy::NoVariables => "the program has none".to_owned(),
            Remedy::AlgorithmName => {
                "a name is letters and digits, such as `scan` or `VectorAddition`".to_owned()
            }
            Remedy::Milliseconds => "a number, 0 or more".to_owned(),
            Remedy::Resident => "a host or global array of an inward transfer".to_owned(),
            Remedy::KernelTime => "give `--kernel-ms`, or a model that has a cost".to_owned(),
            Remedy::ModelKernelTime => "choose a model that has a cost".to_owned(),
            Remedy::TextOnly => {
                "leave `--format` away; the JSON has every line's share already".to_owned()
            }
            Remedy::TextOrJson => {
                "leave `--model` away, or write `--format text`, `json` or `ndjson` without `--explain`".to_owned()
            }
            Remedy::Functions => {
                let names = Target::ALL.map(Target::name).join(", ");
                format!("add `--format` with one of {names}")
            }
            Remedy::ExplainOne(total) => {
                format!("to explain one total, write `--explain={total}`")
            }
            Remedy::SecondName(first) => format!("write `--alias {first}=n`"),
            Remedy::NameOfRange { name, range } => format!(
                "write `--vary {name}`: all its values are looked at; `sweep` and `plot` take \
                 `--vary {name}={range}`"
            ),
            Remedy::LeaveDefinition(name) => format!("leave `-D {name}=…` away"),
            Remedy::Each(names) => format!(
                "give {}; with one left over, at least two programs are compared",
                given(names)
            ),
            Remedy::AllButOne { free, alias: None } => {
                format!("give all but one: {}", given(free))
            }
            Remedy::AllButOne {
                free,
                alias: Some((from, to)),
            } => format!(
                "give all but one of them: {}; if `{from}` and `{to}` are the same size, say \
                 `--alias {from}={to}`",
                given(free)
            ),
        };
        f.write_str(&words)
    }
}

/// `` `-D n=…` `-D m=…` ``
fn given(names: &[String]) -> String {
    let definitions: Vec<String> = names.iter().map(|name| format!("`-D {name}=…`")).collect();
    definitions.join(" ")
}

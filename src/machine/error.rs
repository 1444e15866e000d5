//! What can be wrong with a machine file, with an override, or with a machine that lacks a figure.

use std::fmt;

use miette::Diagnostic;
use thiserror::Error;

use crate::text::{Known, Span};

/// A fault of a machine file, on the exact key or value.
#[derive(Debug, Clone, PartialEq, Error, Diagnostic)]
pub(super) enum MachineError {
    /// The text is no TOML.
    #[error("a machine file is TOML, and this is not: {message}")]
    #[diagnostic(code("atgpu::machine::value"))]
    NotToml {
        /// What the TOML reader stumbled on.
        message: String,
        #[label(primary)]
        /// Where.
        span: Span,
    },
    /// A key that means nothing here.
    #[error("unknown key `{key}` in {place}")]
    #[diagnostic(code("atgpu::machine::key"), help("{help}"))]
    UnknownKey {
        /// As written.
        key: String,
        /// Which part of the file.
        place: String,
        /// What there is instead.
        help: KeysHere,
        #[label(primary)]
        /// The key.
        span: Span,
    },
    /// A key that must be there and is not.
    #[error("{place} lacks `{key}`")]
    #[diagnostic(code("atgpu::machine::key"), help("write `{example}`"))]
    MissingKey {
        /// The key.
        key: &'static str,
        /// Which part of the file.
        place: String,
        /// A line that would do.
        example: String,
        #[label(primary)]
        /// The section it belongs to, or the start of the file.
        span: Span,
    },
    /// A value of the wrong kind or out of range.
    #[error("`{key}` is {found}, but must be {expected}")]
    #[diagnostic(code("atgpu::machine::value"))]
    Value {
        /// The key.
        key: String,
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: &'static str,
        #[label(primary)]
        /// The value.
        span: Span,
    },
    /// Blocks that move faster than the memory they lie in.
    #[error("`latency_cycles` {faster} (`memory_gb_s`)")]
    #[diagnostic(
        code("atgpu::machine::value"),
        help(
            "a block takes {} cycles at least; without `latency_cycles` it takes what `memory_gb_s` and `memory_efficiency` make it",
            faster.floor
        )
    )]
    TooFast {
        /// By how much.
        faster: BeyondPeak,
        #[label(primary)]
        /// λ.
        span: Span,
    },
}

/// A λ that moves data faster than the memory does; reads as what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BeyondPeak {
    /// What λ moves, in GB/s.
    pub moved: String,
    /// What the memory moves at most, in GB/s.
    pub most: String,
    /// The least λ, in cycles.
    pub floor: String,
}

impl fmt::Display for BeyondPeak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BeyondPeak { moved, most, .. } = self;
        write!(
            f,
            "moves {moved} GB/s, more than the {most} GB/s of the memory"
        )
    }
}

/// What there is where an unknown key stands; reads as a help.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KeysHere {
    /// Keys of a section.
    Known(Known),
    /// Sources of the figures of a section, of which this is none.
    Figures {
        /// Its name.
        section: String,
    },
}

impl fmt::Display for KeysHere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeysHere::Known(known) => {
                f.write_str(&known.or_else(|all| format!("known keys here: {all}")))
            }
            KeysHere::Figures { section } => {
                write!(f, "[{section}] has no such figure in this file")
            }
        }
    }
}

/// An override such as `-D b=0` that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error("`{name} = {value}` makes no machine: {name} must be {expected}")]
#[diagnostic(code("atgpu::usage::value"))]
pub struct OverrideError {
    /// The parameter.
    pub name: String,
    /// As given.
    pub value: String,
    /// What it may be.
    pub expected: &'static str,
}

/// A machine whose λ was overridden, or its γ, so that data move faster than its memory does.
#[derive(Debug, Clone, PartialEq, Error, Diagnostic)]
#[error("λ = {latency} {faster} of `{machine}`")]
#[diagnostic(
    code("atgpu::machine::value"),
    help(
        "a block takes {} cycles at least, and `-D lambda=0` leaves blocks out; a faster memory is another `memory_gb_s` in a machine file",
        faster.floor
    )
)]
pub(super) struct FasterThanMemory {
    /// λ, in cycles.
    pub latency: f64,
    /// By how much.
    pub faster: BeyondPeak,
    /// The machine's name.
    pub machine: String,
}

/// A figure that a computation needs and the machine does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error("machine `{machine}` does not say {meaning}: its file has no `{key}` in [{section}]")]
#[diagnostic(
    code("atgpu::machine::key"),
    help("add `{key} = …` under [{section}] of the machine file{}", self.or_letter())
)]
pub struct MissingFigure {
    /// The machine's name.
    pub machine: String,
    /// The figure's section in a machine file.
    pub section: &'static str,
    /// Its key there.
    pub key: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// Its name on the command line, if it has one.
    pub letter: Option<&'static str>,
}

impl MissingFigure {
    fn or_letter(&self) -> String {
        let letter = self
            .letter
            .map(|letter| format!(", or give `-D {letter}=…`"));
        letter.unwrap_or_default()
    }
}

//! The two memories that a machine limits, and what exceeds them: its code, its words, its help.

use std::fmt;

use crate::diag::{Code, Diagnostic, Label};
use crate::number::{BigInt, grouped, legible};

/// A memory that a machine limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// M words of each MP.
    Shared,
    /// G words.
    Global,
}

/// More words than a memory has; reads as a sentence.
#[derive(Debug, Clone)]
pub(crate) struct Exceeded {
    pub(crate) memory: Memory,
    pub(crate) needed: BigInt,
    pub(crate) capacity: BigInt,
    /// What `needed` is the value of, where that is short: `n`.
    pub(crate) formula: Option<String>,
    /// The round it happens in, where it is executed.
    pub(crate) round: Option<u64>,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (memory, letter) = match self.memory {
            Memory::Shared => ("shared", 'M'),
            Memory::Global => ("global", 'G'),
        };
        write!(f, "{memory} memory needs ")?;
        if let Some(formula) = &self.formula {
            write!(f, "{formula} = ")?;
        }
        write!(f, "{} words", legible(&grouped(&self.needed)))?;
        if let Some(round) = self.round {
            write!(f, " in round {round}")?;
        }
        let capacity = grouped(&self.capacity);
        write!(f, "; this machine has {letter} = {capacity}")
    }
}

impl Exceeded {
    /// As many words as there are, and those that are needed.
    pub(crate) fn new(memory: Memory, needed: BigInt, capacity: impl Into<BigInt>) -> Exceeded {
        Exceeded {
            memory,
            needed,
            capacity: capacity.into(),
            formula: None,
            round: None,
        }
    }

    /// `it fits while 2b + n ≤ M`, of what is needed as a formula.
    pub(crate) fn condition(&self, need: &str) -> String {
        let letter = match self.memory {
            Memory::Shared => 'M',
            Memory::Global => 'G',
        };
        format!("it fits while {need} ≤ {letter}")
    }

    /// What to do about it in the program, or with the machine.
    pub(crate) fn help(&self) -> &'static str {
        match self.memory {
            Memory::Shared => "declare smaller shared arrays, or choose a machine with a larger M",
            Memory::Global => "work on the data in parts, or choose a machine with a larger G",
        }
    }

    /// What to do about it where one of many points exceeds it.
    pub(crate) fn help_at_a_point(&self) -> &'static str {
        match self.memory {
            Memory::Shared => "vary smaller values, or choose a machine with a larger M",
            Memory::Global => "vary smaller values, or choose a machine with a larger G",
        }
    }

    /// The diagnostic, with the places that need the words.
    pub(crate) fn diagnose(&self, help: String, labels: Vec<Label>) -> Diagnostic {
        let code = match self.memory {
            Memory::Shared => "limit::shared",
            Memory::Global => "limit::global",
        };
        let code = Code::find(code).expect("the table of codes holds both limits");
        Diagnostic {
            code,
            severity: code.severity(),
            message: self.to_string().into(),
            help: Some(help),
            fixes: Vec::new(),
            labels,
        }
    }
}

//! Limits that are exceeded, with the figure of each array.

use thiserror::Error;

use crate::diag::{Code, Diagnostic, Label, Message};
use crate::number::{BigInt, grouped};
use crate::program::{Program, VarId};

/// More words than the machine has.
#[derive(Debug, Clone, Error)]
pub(super) enum LimitError {
    #[error("shared memory needs {formula}{} words; this machine has M = {}", grouped(needed), grouped(&(*capacity).into()))]
    Shared {
        /// `2b² = `, or nothing.
        formula: String,
        needed: BigInt,
        capacity: i64,
        arrays: Vec<(VarId, BigInt)>,
        fits: Option<String>,
        /// `n = 128, b = 32`, where nobody gave them.
        at: Option<String>,
    },
    #[error("global memory needs {formula}{} words; this machine has G = {}", grouped(needed), grouped(&(*capacity).into()))]
    Global {
        formula: String,
        needed: BigInt,
        capacity: i64,
        arrays: Vec<(VarId, BigInt)>,
        fits: Option<String>,
        /// `n = 128, b = 32`, where nobody gave them.
        at: Option<String>,
    },
}

impl LimitError {
    /// The diagnostic, with a label for each array, the largest first.
    pub(super) fn diagnose(&self, program: &Program) -> Diagnostic {
        let (code, arrays, fits, at, remedy) = match self {
            LimitError::Shared {
                arrays, fits, at, ..
            } => (
                "limit::shared",
                arrays,
                fits,
                at,
                "declare smaller shared arrays, or choose a machine with a larger M",
            ),
            LimitError::Global {
                arrays, fits, at, ..
            } => (
                "limit::global",
                arrays,
                fits,
                at,
                "work on the data in parts, or choose a machine with a larger G",
            ),
        };
        let mut arrays: Vec<&(VarId, BigInt)> = arrays.iter().collect();
        arrays.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
        let labels = arrays.iter().enumerate().map(|(at, (id, words))| Label {
            text: format!("{} words", grouped(words)),
            span: program.variable(*id).span,
            primary: at == 0,
        });
        let mut message = Message::from(self.to_string());
        if let Some(at) = at {
            message = message.at_values(at.clone());
        }
        let code = Code::find(code).expect("the table of codes holds both limits");
        Diagnostic {
            code,
            severity: code.severity(),
            message,
            help: Some(match fits {
                Some(fits) => format!("{fits}; or {remedy}"),
                None => remedy.to_owned(),
            }),
            fixes: Vec::new(),
            labels: labels.collect(),
        }
        .legible()
    }
}

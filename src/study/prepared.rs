//! A program in a study, with its closed forms prepared for many points.

use crate::derivation::Derivation;
use crate::derivation::evaluate::Evaluation;
use crate::program::Program;

/// A program with its derivation, if there is one, prepared for many points.
#[derive(Clone)]
pub struct Prepared<'p> {
    /// The program.
    pub program: &'p Program,
    pub(super) derivation: Option<Derivation>,
    pub(super) evaluation: Option<Evaluation>,
    /// True if the forms give every number exactly, wherever they have a value.
    pub(super) is_exact: bool,
}

impl<'p> Prepared<'p> {
    /// Prepares a program with a derivation without given parameters. Without a derivation the program is
    /// counted.
    pub fn new(program: &'p Program, derivation: Option<&Derivation>) -> Self {
        let quantities = |derivation: &Derivation| {
            let totals = derivation.totals.all();
            totals.iter().all(|(_, total)| total.is_exact())
                && derivation.rounds.iter().all(|round| {
                    round.within_while.is_none()
                        && round.within_until.is_none()
                        && round.counts.time.is_exact()
                        && round.counts.io.is_exact()
                        && round.counts.bank_conflicts.is_exact()
                })
        };
        Prepared {
            program,
            derivation: derivation.cloned(),
            evaluation: derivation.map(|derivation| Evaluation::new(program, derivation)),
            is_exact: derivation.is_some_and(quantities),
        }
    }
}

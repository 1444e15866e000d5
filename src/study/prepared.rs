//! A program in a study: its closed forms, ready for many points.

use crate::derivation::Derivation;
use crate::derivation::evaluate::Evaluation;
use crate::program::Program;

/// A program and, where there is one, its derivation made ready for many points.
#[derive(Clone)]
pub struct Prepared<'p> {
    /// The program.
    pub program: &'p Program,
    pub(super) derivation: Option<Derivation>,
    pub(super) evaluation: Option<Evaluation>,
    /// Whether the forms give every number exactly, wherever they have a value.
    pub(super) is_exact: bool,
}

impl<'p> Prepared<'p> {
    /// A program with its derivation, in which no parameter was given; without one it is counted.
    ///
    /// ```
    /// use atgpu::study::Prepared;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let prepared = Prepared::new(&program, Some(&program.derive()?));
    /// assert_eq!(prepared.program.name, "VectorAddition");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
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

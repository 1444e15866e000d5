//! The charges of machines for programs, derived once for every b.

use crate::cost::Model;
use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derivation::evaluate::Evaluation;
use crate::derive::derive_charged;
use crate::diag::Diagnostic;
use crate::number::Rational;
use crate::study::error::StudyError;
use crate::study::sweep::Sweep;

/// The charges that a row may show, with units: sums over all kernels.
pub(super) const CHARGES: [(&str, &str); 4] = [
    ("compute_cycles", "cycles"),
    ("memory_cycles", "cycles"),
    ("memory_transactions", "memory transactions"),
    ("charged_bank_conflicts", "conflicts"),
];

/// Returns true if a quantity is a charge of a machine.
pub fn is_charge(quantity: &str) -> bool {
    CHARGES.iter().any(|(name, _)| *name == quantity)
}

/// The charges of a machine for a program, for one b.
pub(super) struct ChargedForms {
    pub(super) program: usize,
    pub(super) machine: usize,
    pub(super) b: i64,
    pub(super) evaluation: Evaluation,
    /// True if they give every charge exactly, wherever they have a value.
    pub(super) is_exact: bool,
}

impl Sweep<'_> {
    /// Derives the charges, if a model or a wanted quantity needs them.
    ///
    /// # Errors
    /// `machine::key` if a machine lacks the figures for charges; `usage::value` for more than 64 values of
    /// b.
    pub fn charge(&mut self, wanted: &[&str]) -> Result<(), Diagnostic> {
        let wants_charges = wanted.iter().any(|name| is_charge(name));
        let varied = self.grid.values_of("b");
        for at in 0..self.cards.len() {
            let machine = &self.cards[at].machine;
            let is_asked = self.models_on(at).any(Model::needs_charges);
            if self.charges_conflicts {
                // Wide MPs are charged the conflicts of the card's warps, by its rules.
                self.cards[at].cycle_rules = Some(machine.rules());
            }
            let machine = &self.cards[at].machine;
            if !is_asked && !wants_charges {
                continue;
            }
            if varied.as_ref().is_some_and(|widths| widths.len() > 64) {
                return Err(Diagnostic::of(&StudyError::TooManyWidths));
            }
            let asking = self.models_on(at).filter(|model| model.needs_charges());
            let asked = asking.map(|model| model.charges_by(machine));
            let cycles = wanted.contains(&"memory_cycles");
            let cycles = cycles.then(|| machine.cycle_rules());
            for known in asked.chain(cycles) {
                known.map_err(|missing| Diagnostic::of(&missing))?;
            }
            let cycle_rules = machine.rules();
            // A derivation of charges is for one b, so each value of b gets its own.
            let widths: Vec<i64> = match (&varied, self.grid.fixed.get("b")) {
                (Some(widths), _) => widths.iter().filter_map(Rational::to_i64).collect(),
                (None, Some(b)) => b.to_i64().into_iter().collect(),
                (None, None) => vec![machine.atgpu.cores_per_mp],
            };
            for (program, prepared) in self.prepared.iter().enumerate() {
                for b in &widths {
                    let given: Parameters = [("b", *b)].into_iter().collect();
                    let derivation = derive_charged(prepared.program, &given, Some(&cycle_rules));
                    self.charges.push(ChargedForms {
                        program,
                        machine: at,
                        b: *b,
                        evaluation: Evaluation::new(prepared.program, &derivation),
                        is_exact: has_exact_charges(&derivation),
                    });
                }
            }
            self.cards[at].cycle_rules = Some(cycle_rules);
        }
        Ok(())
    }
}

/// Returns true if every charge of a derivation is exact.
fn has_exact_charges(derivation: &Derivation) -> bool {
    let mut charges = derivation
        .rounds
        .iter()
        .map(|round| round.charges.as_deref());
    derivation.totals.rounds.is_exact()
        && charges.all(|charges| {
            charges.is_none_or(|charges| {
                let mut named = charges.named().into_iter();
                named.all(|(_, quantity)| quantity.is_exact())
                    && charges.memory_bytes.is_some()
                    && charges
                        .kinds
                        .iter()
                        .all(|(_, quantity)| quantity.is_exact())
            })
        })
}

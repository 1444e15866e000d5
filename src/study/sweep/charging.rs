//! What machines charge programs for, derived once for every width of their MPs.

use crate::cost::Model;
use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derivation::evaluate::Evaluation;
use crate::derive::derive_charged;
use crate::diag::Diagnostic;
use crate::study::error::StudyError;
use crate::study::sweep::Sweep;

/// The charges a row may show, and their units: sums over all kernels.
pub(super) const CHARGES: [(&str, &str); 4] = [
    ("compute_cycles", "cycles"),
    ("memory_cycles", "cycles"),
    ("memory_transactions", "memory transactions"),
    ("charged_bank_conflicts", "conflicts"),
];

/// Whether a quantity is one of what machines charge.
///
/// ```
/// use atgpu::study::is_charge;
///
/// assert!(is_charge("memory_transactions") && !is_charge("io"));
/// ```
pub fn is_charge(quantity: &str) -> bool {
    CHARGES.iter().any(|(name, _)| *name == quantity)
}

/// What a machine charges a program, for one width of its MPs.
pub(super) struct ChargedForms {
    pub(super) program: usize,
    pub(super) machine: usize,
    pub(super) b: i64,
    pub(super) evaluation: Evaluation,
    /// Whether they give every charge exactly, wherever they have a value.
    pub(super) is_exact: bool,
}

impl Sweep<'_> {
    /// Derives what machines charge for programs, where a model or a quantity wanted asks.
    ///
    /// ```
    /// use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// use std::ops::ControlFlow;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let mut sweep = Sweep::new(
    ///     vec![Prepared::new(&program, Some(&program.derive()?))],
    ///     vec![Machine::built_in("gtx280").expect("built in")],
    ///     vec![find("kothapalli-max").expect("listed")],
    ///     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    ///     ().into(),
    ///     Counting::Briefly,
    /// ).expect("n is the program's");
    /// sweep.charge(&[])?;
    /// let mut times = Vec::new();
    /// sweep.run(
    ///     &|case, out: &mut Vec<f64>| {
    ///         let (_, estimate) = &case.estimates[0];
    ///         out.extend(estimate.headline().map(|ms| ms.to_f64()));
    ///     },
    ///     &mut |_, batch| {
    ///         times.extend(batch);
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert_eq!(times.len(), 3);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `machine::key` where a machine does not say what it charges; `usage::value` for more than
    /// 64 values of b.
    pub fn charge(&mut self, wanted: &[&str]) -> Result<(), Diagnostic> {
        let wants_charges = wanted.iter().any(|name| is_charge(name));
        let axis = self.grid.axes.iter().find(|axis| axis.name == "b");
        for at in 0..self.cards.len() {
            let machine = &self.cards[at].machine;
            let is_asked = self.models_on(at).any(Model::needs_charges);
            if !is_asked && !wants_charges {
                continue;
            }
            if axis.is_some_and(|axis| axis.len() > 64) {
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
            let widths: Vec<i64> = match (axis, self.grid.fixed.get("b")) {
                (Some(axis), _) => (0..axis.len())
                    .filter_map(|place| axis.value(place).to_i64())
                    .collect(),
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

/// Whether every charge of a derivation is exact.
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

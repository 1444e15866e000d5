//! Faults of a program at the points of a sweep: reads and writes out of bounds, and races. Costs of a program that has
//! one mean nothing, so that a sweep of it is refused.

use crate::diag::Diagnostic;
use crate::lint::vet_within;
use crate::machine::{Machine, OVERRIDABLE};
use crate::program::Program;
use crate::study::sweep::Sweep;

/// Budget of core-steps for all points except the first and the last: about half a second.
const MOST_WORK: u64 = 2_000_000;

/// Limit on the points checked.
const MOST_VETTED: u64 = 64;

/// Checks a program of a sweep, by its index, on each machine for faults of its own, which any point may have. The first
/// and the last point come first, then the middle, the quarters and so on, as far as the budget allows. (Requirements and
/// memory are checked where each point is computed.) A program that is proved safe for every size needs no such check.
///
/// # Errors
/// The faults of the first point that has any.
pub fn vet(sweep: &Sweep<'_>, program: usize) -> Result<(), Vec<Diagnostic>> {
    let program = sweep.prepared[program].program;
    let mut machines = sweep.cards.iter().map(|card| &card.machine);
    machines.try_for_each(|machine| {
        let vetting = Vetting {
            sweep,
            program,
            machine,
        };
        vetting.all()
    })
}

/// One program on one machine.
struct Vetting<'v, 's> {
    sweep: &'v Sweep<'s>,
    program: &'v Program,
    machine: &'v Machine,
}

impl Vetting<'_, '_> {
    fn all(&self) -> Result<(), Vec<Diagnostic>> {
        let last = self.sweep.places() - 1;
        for place in [0, last] {
            self.at(place, MOST_WORK)?;
        }
        let (mut left, mut vetted) = (MOST_WORK, 2);
        let mut parts: u64 = 2;
        while parts / 2 < last && vetted < MOST_VETTED {
            for part in (1..parts).step_by(2) {
                let at =
                    |part: u64| (u128::from(last) * u128::from(part) / u128::from(parts)) as u64;
                // An earlier round has checked this point already.
                if at(part) == at(part - 1) || left == 0 {
                    continue;
                }
                let spent = self.at(at(part), left.min(MOST_WORK / 16))?;
                left = left.saturating_sub(spent.max(1));
                vetted += 1;
            }
            parts *= 2;
        }
        Ok(())
    }

    /// Checks one point. Returns the core-steps spent.
    fn at(&self, place: u64, most_work: u64) -> Result<u64, Vec<Diagnostic>> {
        let (program, machine) = (self.program, self.machine);
        let has_formal = |name: &str| program.has_formal(name);
        let mut given = self.sweep.given(place);
        given.retain(|name| has_formal(name) || OVERRIDABLE.contains(&name));
        let (machine, formals) = machine.with_overrides(&given, has_formal)?;
        let (mut faults, spent) = vet_within(program, &formals, &machine, most_work);
        faults.retain(|fault| {
            let area = fault.code.short_name().split("::").next();
            fault.is_error() && !matches!(area, Some("require" | "limit" | "value" | "usage"))
        });
        if faults.is_empty() {
            return Ok(spent);
        }
        Err(faults)
    }
}

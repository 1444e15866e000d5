//! The cost of a program on a machine as one formula, shown only if counting agrees with it.

use crate::cost::{Model, Subject};
use crate::count::{Counts, Parameters};
use crate::derivation::Derivation;
use crate::derivation::contradiction::ours;
use crate::derive::agreement::each_counted;
use crate::interval::CountOptions;
use crate::machine::Machine;
use crate::meaning::{Allowance, PointValues};
use crate::number::Rational;
use crate::program::Program;
use crate::sym::{Expr, Symbol};

/// Budget of values for the sums of the host, of `require`s and of `let`s.
const VALUES: u64 = 20_000;

/// The formula of a cost contradicts the cost of the counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error(
    "`gpu_cost` by `{model}` was derived as {derived} ms but counted as {counted} ms at {point}"
)]
#[diagnostic(code(atgpu::derive::mismatch), help("{}", ours("costs")))]
#[non_exhaustive]
pub struct CostMismatch {
    /// The name of the model.
    pub model: &'static str,
    /// The value of the formula there, in ms.
    pub derived: Rational,
    /// The model's cost of the counts there, in ms.
    pub counted: Rational,
    /// The point.
    pub point: PointValues,
}

/// Returns the `gpu_cost` of a model in ms as a formula with the machine's figures, after comparing it with
/// the cost of counts at small points. `None` if there is no exact form.
///
/// The derivation has the parameters `given`. Conflicts are charged if the derivation charges them. A model
/// that needs charges takes a derivation under the machine's `cycle_rules`.
///
/// # Errors
/// [`CostMismatch`] at the first point with a difference.
///
/// ```
/// use atgpu::{cost::find, machine::Machine, study::cost_form};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let (model, derivation) = (find("swgpu").expect("listed"), program.derive()?);
/// let form = cost_form(&program, &().into(), &derivation, model, &card);
/// assert!(form.expect("the same").is_some());
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn cost_form(
    program: &Program,
    given: &Parameters,
    derivation: &Derivation,
    model: &dyn Model,
    machine: &Machine,
) -> Result<Option<Expr>, CostMismatch> {
    let form = model.symbolic(derivation, machine);
    let conflicts = derivation.charges_conflicts;
    match form
        .as_ref()
        .and_then(|form| mismatch(program, given, (form, conflicts), model, machine))
    {
        Some(found) => Err(found),
        None => Ok(form),
    }
}

fn mismatch(
    program: &Program,
    given: &Parameters,
    (form, charge_conflicts): (&Expr, bool),
    model: &dyn Model,
    machine: &Machine,
) -> Option<CostMismatch> {
    let cycle_rules = if model.needs_charges() {
        Some(model.charges_by(machine).ok()?)
    } else {
        None
    };
    let options = CountOptions {
        charge_conflicts,
        cycle_rules,
        ..CountOptions::default()
    };
    let mut given = given.clone();
    for (name, number) in machine.atgpu.named() {
        // A formal of that name is no parameter of the machine.
        if given.get(name).is_none() && !program.has_formal(name) {
            given.set(name, number);
        }
    }
    let mut found = None;
    let allowance = Allowance::of(VALUES);
    each_counted(program, &given, &options, &allowance, |point, counted| {
        if found.is_some() || !counted.counts.is_exact() {
            return;
        }
        let counts: Counts<_> = counted.counts.upper();
        let subject = Subject::of(&counts);
        let subject = match &counted.charges {
            Some(charges) if charges.is_exact => subject.with_charges(charges),
            Some(_) => return,
            None => subject,
        };
        let value = |symbol: &Symbol| {
            let number = point.parameters.get(&*symbol.name)?;
            Some(Rational::from(number.clone()))
        };
        let (Ok(estimate), Ok(derived)) =
            (model.estimate(&subject, machine), form.evaluate(&value))
        else {
            return;
        };
        if let Some(counted) = estimate.headline().filter(|counted| **counted != derived) {
            found = Some(CostMismatch {
                model: model.name(),
                derived,
                counted: counted.clone(),
                point: point.values(),
            });
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Estimate, Item, Missing, Sheet, find};

    /// A model whose formula is one millisecond off.
    struct OneOff;

    impl OneOff {
        fn right() -> &'static dyn Model {
            find("swgpu").expect("listed")
        }
    }

    impl Model for OneOff {
        fn name(&self) -> &'static str {
            "one-off"
        }
        fn summary(&self) -> &'static str {
            Self::right().summary()
        }
        fn items(&self) -> &'static [Item] {
            Self::right().items()
        }
        fn sheet(&self) -> Sheet {
            Self::right().sheet()
        }
        fn figures(&self) -> &'static [(&'static str, &'static str)] {
            Self::right().figures()
        }
        fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
            Self::right().estimate(subject, machine)
        }
        fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
            let right = Self::right().symbolic(derivation, machine)?;
            Some(&right + 1)
        }
    }

    #[test]
    fn a_formula_that_is_off_is_not_shown() {
        let program = crate::examples::vector_addition();
        let derivation = program.derive().expect("it has forms");
        let card = Machine::built_in("gtx650").expect("built in");
        let formed = |model| cost_form(&program, &().into(), &derivation, model, &card);
        let mismatch = formed(&OneOff).expect_err("1 ms more");
        assert_eq!(&mismatch.derived - &mismatch.counted, Rational::ONE);
        assert_eq!(mismatch.model, "one-off");
        assert!(matches!(formed(OneOff::right()), Ok(Some(_))));
    }
}

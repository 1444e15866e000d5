//! A program on a machine with one free parameter: its cost in that parameter alone, and the duel of two such
//! programs.
//!
//! Takes programs, machines and models, and gives a [`Crossover`] or the reason why there is none.

use crate::cost::{Model, Subject};
use crate::count::{Counts, Parameters, Quantity, Round, Traffic};
use crate::derivation::{Derivation, Touched};
use crate::derive::{derive, derive_charged, derive_conflicting};
use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::program::{ParamId, Program};
use crate::safety::fits;
use crate::study::{Contender, Crossover, cost_form, crossover};
use crate::sym::Expr;

/// A program on a machine with one free parameter.
pub struct Side<'p> {
    program: &'p Program,
    parameter: Option<ParamId>,
    fixed: Parameters,
    machine: Machine,
    /// The derivation in symbols throughout: more sums close with symbols than with numbers.
    plain: Derivation,
}

impl<'p> Side<'p> {
    /// Derives a program whose other parameters are fixed. `charges_conflicts` charges each shared operand
    /// its degree.
    pub fn new(
        program: &'p Program,
        parameter: Option<ParamId>,
        fixed: Parameters,
        machine: Machine,
        charges_conflicts: bool,
    ) -> Self {
        let plain = if charges_conflicts {
            derive_conflicting(program, &Parameters::new())
        } else {
            derive(program, &Parameters::new())
        };
        Side::of(program, parameter, fixed, machine, plain)
    }

    /// Takes a derivation in symbols that is at hand.
    pub(crate) fn of(
        program: &'p Program,
        parameter: Option<ParamId>,
        fixed: Parameters,
        machine: Machine,
        plain: Derivation,
    ) -> Self {
        Side {
            program,
            parameter,
            fixed,
            machine,
            plain,
        }
    }

    /// The machine, with the figures given for it.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The cost as an expression of the free parameter alone, or the reason why there is none.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn cost(&self, model: &dyn Model) -> Result<Expr, String> {
        let name = &self.program.name;
        if self.plain.charges_conflicts && self.machine.warps().is_some() {
            return Err("the conflicts of a card's warps are counted at points".to_owned());
        }
        let charged;
        let mut given = Parameters::new();
        let derivation = if model.needs_charges() {
            if self.parameter == Some(self.program.machine.b) {
                return Err(format!(
                    "{} is worked out for one b at a time",
                    model.name()
                ));
            }
            let cycle_rules = model
                .charges_by(&self.machine)
                .map_err(|missing| missing.to_string())?;
            given.set("b", self.machine.atgpu.cores_per_mp);
            charged = derive_charged(self.program, &given, Some(&cycle_rules));
            &charged
        } else {
            &self.plain
        };
        let cost = cost_form(self.program, &given, derivation, model, &self.machine)
            .map_err(|mismatch| mismatch.to_string())?;
        let cost = self.in_numbers(&cost.ok_or_else(|| self.why_not(model, derivation))?);
        let own = self.parameter.map(|id| &self.program.parameter(id).name);
        match cost
            .symbols()
            .iter()
            .find(|symbol| own.is_none_or(|own| *own != *symbol.name))
        {
            Some(other) => Err(format!("the cost of `{name}` depends on `{}`", other.name)),
            None => Ok(cost),
        }
    }

    /// Substitutes numbers for everything except the free parameter.
    fn in_numbers(&self, form: &Expr) -> Expr {
        let mut values: Vec<(&str, Rational)> = self
            .fixed
            .iter()
            .map(|(name, value)| (name, value.clone()))
            .collect();
        let machine = self.machine.atgpu.named().into_iter();
        let own = self.parameter.map(|id| &*self.program.parameter(id).name);
        let machine =
            machine.filter(|(name, _)| !self.program.has_formal(name) && own != Some(name));
        values.extend(machine.map(|(name, number)| (name, number.into())));
        form.symbols().iter().fold(form.clone(), |form, symbol| {
            match values.iter().find(|(name, _)| *name == &*symbol.name) {
                Some((_, value)) => form.substitute(symbol, &Expr::rational(value.clone())),
                None => form,
            }
        })
    }

    fn why_not(&self, model: &dyn Model, derivation: &Derivation) -> String {
        let name = &self.program.name;
        // With 1 for every count, an estimate can fail only for a figure that the machine lacks. Otherwise
        // the formula is at fault.
        let counts = one_of_everything();
        if let Err(missing) = model.estimate(&Subject::of(&counts), &self.machine)
            && !model.needs_charges()
        {
            return missing.to_string();
        }
        let bounds = derivation.bounds.iter();
        let loss = bounds
            .clone()
            .find(|bound| bound.quantity == Touched::Quantity(Quantity::GpuCost));
        match loss.or(bounds.clone().next()) {
            Some(loss) => format!(
                "`{name}` has no exact formula (line {}: {}); with every parameter given there is a table",
                loss.line,
                loss.why.reason()
            ),
            None => format!("`{name}` has no exact formula"),
        }
    }

    /// The largest value of the parameter that is admitted and at which the program's memory fits the machine; `None`
    /// where none is known, or all fit.
    pub fn fits(&self) -> Option<BigInt> {
        let parameter = &self.program.parameter(self.parameter?).name;
        let (name, largest) = fits(self.program, &self.fixed, &self.machine).largest?;
        (name == *parameter).then_some(largest)
    }

    fn contender(&self, cost: &Expr) -> Contender<'_> {
        Contender {
            program: self.program,
            parameter: self.parameter,
            fixed: self.fixed.clone(),
            machine: self.machine.atgpu.numbers(),
            cost: cost.clone(),
        }
    }
}

/// Finds the cheaper of two programs by range, from their costs.
///
/// ```
/// use atgpu::{cost, machine::Machine, study::{Side, duel}};
///
/// let addition = atgpu::examples::vector_addition();
/// let machine = Machine::built_in("gtx650").expect("built in");
/// let n = addition.formals().first().copied();
/// let side = || Side::new(&addition, n, ().into(), machine.clone(), false);
/// let model = cost::find("atgpu").expect("listed");
/// let (left, right) = (side(), side());
/// let found = duel([&left, &right], [&left.cost(model), &right.cost(model)]);
/// assert_eq!(found.expect("both have formulas").ranges.len(), 1); // They cost the same.
/// ```
///
/// # Errors
/// A sentence for the user.
pub fn duel(sides: [&Side<'_>; 2], costs: [&Result<Expr, String>; 2]) -> Result<Crossover, String> {
    let [left, right] = costs;
    let left = left.as_ref().map_err(Clone::clone)?;
    let right = right.as_ref().map_err(Clone::clone)?;
    let found = crossover(&sides[0].contender(left), &sides[1].contender(right));
    found.ok_or_else(|| {
        let open = [left, right].into_iter().zip(sides);
        let open = open.filter(|(cost, _)| !cost.is_closed());
        let open: Vec<String> = open.map(|(_, side)| format!("`{}`", side.program.name)).collect();
        format!(
            "the cost of {} has sums that take too long to add up; with every parameter given there is a table",
            open.join(" and of ")
        )
    })
}

/// Counts of which a model asks every figure that it needs of a machine.
pub fn one_of_everything() -> Counts<BigInt> {
    let one = || BigInt::from(1);
    let traffic = || Traffic {
        words: one(),
        transactions: one(),
    };
    let round = Round {
        launched_mps: one(),
        time: one(),
        io: one(),
        inward: traffic(),
        outward: traffic(),
        ..Round::default()
    };
    Counts {
        rounds: vec![(1, round)],
        ..Counts::default()
    }
}

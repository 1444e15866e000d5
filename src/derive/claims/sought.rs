//! Claims tried where their two sides must differ: points are sought at which the `require`s hold
//! and the difference is not what the claim says. `n + [b = 7]` for n where `b | n` and `m | n` is
//! tried at n = 7, m = 1, b = 7. Nothing here proves anything, and a point refutes only where the
//! claim is evaluated and does not hold.

use crate::count::Parameters;
use crate::derivation::letters::{letter, symbol_of};
use crate::derivation::verdict::Refutation;
use crate::derive::claims::probe::{Outcome, Trial, free, usual};
use crate::meaning::Point;
use crate::number::Rational;
use crate::program::{CostSymbol, ParamId};
use crate::sym::solve::{Unknown, changes, positive, solve, unequal};
use crate::sym::{Cond, Expr, Symbol, SymbolKind};
use crate::syntax::ast::ClaimRelation;

/// Evaluations of conditions for one claim. A claim that is true and unproved takes all of them:
/// some milliseconds.
const MOST_LOOKS: u32 = 20_000;
/// Points at which one claim is evaluated.
const MOST_POINTS: u32 = 40;
/// Conditions of `require`s that are heeded. A point that breaks another one is not admitted.
const MOST_REQUIRED: usize = 60;

/// The refutation at a point where a claim with this right side must fail, if one is found.
pub(crate) fn refutation(
    trial: &Trial<'_>,
    right: &Expr,
    required: &[Cond],
    holds: &dyn Fn(&Point) -> Outcome,
) -> Option<Refutation> {
    let is_of_parameters = |cond: &Cond| {
        let mut symbols = cond.symbols().into_iter();
        let mut is_closed = true;
        cond.for_each_expr(&mut |e| is_closed &= e.is_closed());
        is_closed && symbols.all(|symbol| symbol.id.kind == SymbolKind::Parameter)
    };
    let required = required.iter().filter(|cond| is_of_parameters(cond));
    let required: Vec<&Cond> = required.take(MOST_REQUIRED).collect();
    let goals = goals(trial, right);
    let (mut points, mut looks) = (MOST_POINTS, MOST_LOOKS);
    for (at, goal) in goals.iter().enumerate() {
        // The first goal is the claim's whole failure; what one leaves is for those after it.
        let share = looks / (goals.len() - at).min(3) as u32;
        let (mut left, mut found) = (share, None);
        let setting = Setting::of(trial, goal);
        let parts = match goal {
            Cond::And(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let conditions = parts.iter().chain(required.iter().copied());
        let conditions: Vec<Cond> = conditions.map(|cond| setting.settle(cond)).collect();
        let unknowns: Vec<Unknown> = setting.open.iter().map(|(_, one)| one.clone()).collect();
        solve(&conditions, &unknowns, &mut left, &mut |numbers| {
            let (values, machine) = setting.point(trial, numbers);
            points -= 1;
            found = trial.refuted(&values, machine, holds);
            found.is_some() || points == 0
        });
        looks -= share - left;
        if found.is_some() || points == 0 {
            return found;
        }
    }
    None
}

/// What must hold where the claim does not: that the difference has the wrong sign, and beside it
/// one condition after the other under which it takes another course.
fn goals(trial: &Trial<'_>, right: &Expr) -> Vec<Cond> {
    let quantity = trial.quantity();
    let (Some(lower), Some(upper)) = (&quantity.lower, &quantity.upper) else {
        return Vec::new();
    };
    let above = |end: &Expr| settled(trial, &(right - end));
    let below = |end: &Expr| settled(trial, &(end - right));
    let wrong = match trial.claim.relation {
        ClaimRelation::Equal if lower == upper => {
            let difference = above(upper);
            vec![(unequal(&difference), difference)]
        }
        ClaimRelation::Equal => [above(upper), below(lower)]
            .map(|by| (positive(&by), by))
            .into(),
        ClaimRelation::AtMost => [below(lower)].map(|by| (positive(&by), by)).into(),
        ClaimRelation::AtLeast => [above(upper)].map(|by| (positive(&by), by)).into(),
        ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => Vec::new(),
    };
    // Whether a sum that is added up term by term is wrong takes too long to ask often.
    let wrong = wrong
        .into_iter()
        .filter(|(_, difference)| difference.is_closed());
    let mut goals: Vec<Cond> = Vec::new();
    for (is_wrong, difference) in wrong {
        let beside = changes(&difference).into_iter();
        let beside = beside.map(|change| Cond::and(vec![is_wrong.clone(), change]));
        for goal in std::iter::once(is_wrong.clone()).chain(beside) {
            if goal != Cond::False && !goals.contains(&goal) {
                goals.push(goal);
            }
        }
    }
    goals
}

/// An expression with numbers for the letters of the cost functions.
fn settled(trial: &Trial<'_>, expr: &Expr) -> Expr {
    let occupancy = trial.derivation.occupancy.as_ref();
    let start = match occupancy {
        Some(occupancy) => expr.substitute(&letter(CostSymbol::Occupancy), occupancy),
        None => expr.clone(),
    };
    CostSymbol::ALL
        .into_iter()
        .fold(start, |expr, which| match trial.figure(which) {
            Some(figure) => expr.substitute(&letter(which), &Expr::rational(figure)),
            None => expr,
        })
}

/// The parameters that are sought, and the numbers of all others.
struct Setting {
    open: Vec<(ParamId, Unknown)>,
    fixed: Vec<(Symbol, Expr)>,
}

impl Setting {
    /// The formals and b are open; of the machine else only what the goal speaks of.
    fn of(trial: &Trial<'_>, goal: &Cond) -> Setting {
        let (program, given) = (trial.program, trial.given);
        let machine = program.machine;
        let mut setting = Setting {
            open: Vec::new(),
            fixed: Vec::new(),
        };
        let mut open = |id: ParamId, least: i64, usual: i64| {
            let unknown = Unknown {
                symbol: symbol_of(program, id),
                least,
                usual: Some(usual),
            };
            setting.open.push((id, unknown));
        };
        free(program, given)
            .into_iter()
            .for_each(|id| open(id, 0, 1));
        let is_given = |id: &ParamId| given.get(&program.parameter(*id).name).is_some();
        if !is_given(&machine.b) {
            open(machine.b, 1, 2);
        }
        let usual = usual(given);
        for (at, id) in [machine.p, machine.b, machine.m, machine.g]
            .into_iter()
            .enumerate()
        {
            let symbol = symbol_of(program, id);
            let is_asked = || goal.contains(&symbol);
            if is_given(&id) || id != machine.b && !is_asked() {
                setting.fixed.push((symbol, Expr::int(usual[at])));
            } else if id != machine.b {
                let unknown = Unknown {
                    symbol,
                    least: 0,
                    usual: Some(usual[at]),
                };
                setting.open.push((id, unknown));
            }
        }
        for id in &program.formals {
            if let Some(value) = given.get(&program.parameter(*id).name) {
                let value = Expr::rational(value.clone());
                setting.fixed.push((symbol_of(program, *id), value));
            }
        }
        setting
    }

    fn settle(&self, cond: &Cond) -> Cond {
        let fixed = self.fixed.iter();
        fixed.fold(cond.clone(), |cond, (symbol, value)| {
            cond.substitute(symbol, value)
        })
    }

    /// The formals and the machine with these numbers.
    fn point(&self, trial: &Trial<'_>, numbers: &[i64]) -> (Parameters, [i64; 4]) {
        let program = trial.program;
        let (mut values, mut machine) = (trial.given.clone(), usual(trial.given));
        let places = program.machine;
        let places = [places.p, places.b, places.m, places.g];
        for ((id, _), number) in self.open.iter().zip(numbers) {
            match places.iter().position(|place| place == id) {
                Some(at) => machine[at] = *number,
                None => values.set(&program.parameter(*id).name, Rational::from(*number)),
            }
        }
        (values, machine)
    }
}

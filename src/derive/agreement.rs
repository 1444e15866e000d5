//! Whether formulas say what is counted: totals, rounds, and the short bounds that stand for them, at small
//! points, before anybody sees them.
//!
//! In comes a derivation, out come the formulas that counting without data contradicts; they, and all that
//! is made of them, are then kept back. Proves nothing: a formula that passes was held
//! against counts at some points of small parameters, within a fixed amount of work.

use std::ops::ControlFlow;

use crate::count::{Inexact, Interval, OfRound, Parameters, Quantity, side_by_side};
use crate::derivation::contradiction::Contradiction;
use crate::derivation::evaluate::Evaluation;
use crate::derivation::{Bound, Derivation, Derived, DerivedRound, Touched};
use crate::interval::{self, CountError, CountOptions, Counted};
use crate::machine::CycleRules;
use crate::meaning::{Allowance, Point, widths};
use crate::number::Rational;
use crate::program::{ParamId, Program};
use crate::sym::Expr;

/// Values of b, where none is given.
const WIDTHS: [i64; 5] = [2, 4, 3, 1, 8];
/// Points for each b.
const POINTS: usize = 5;
/// Core-steps that may be counted for each b, and at one point before it is left out.
const WORK: (u64, u64) = (3_000, 1_500);
/// Forms evaluated, and terms of unsolved sums added up, at one point.
const TERMS: u64 = 2_000;
/// Values that sums of the host, of `require`s and of `let`s may run through in all.
const VALUES: u64 = 20_000;

/// The formulas of a derivation that counting contradicts at some point: for each total the first one, its
/// own, that of a round, or a short one that stands for either.
pub(crate) fn contradictions(
    program: &Program,
    given: &Parameters,
    derivation: &Derivation,
) -> Vec<Contradiction> {
    let short = short_bounds(derivation);
    let forms = [Some(derivation), short.as_ref()].into_iter().flatten();
    let forms = forms.map(|derivation| Evaluation::new(program, derivation));
    let mut forms: Vec<_> = forms.map(|forms| (forms.workplace(), forms)).collect();
    let allowance = Allowance::of(VALUES);
    // Where no data satisfy what is required of them, bounds may say anything.
    let speaks_of_bounds = program.requires.iter().all(|one| !one.reads_data);
    let mut found: Vec<Contradiction> = Vec::new();
    each_counted(program, given, None, &allowance, |point, counted| {
        let mut hold =
            |quantity, of_round: Option<(OfRound<'_>, u64)>, derived: &_, counted: &_| {
                let is_known = found.iter().any(|one| one.quantity == quantity);
                let is_judged = Interval::is_exact(derived) || speaks_of_bounds;
                if !is_known && is_judged && !agree(derived, counted) {
                    found.push(Contradiction {
                        quantity,
                        of_round: of_round.map(|(of, number)| of.in_round(number)),
                        derived: derived.clone(),
                        counted: counted.clone(),
                        point: point.values(),
                    });
                }
            };
        let mut knows_rounds = counted.counts.totals.rounds.is_exact();
        for (at, (workplace, forms)) in forms.iter_mut().enumerate() {
            workplace.allow(TERMS);
            let totals = forms.each_total_at(&point.parameters, workplace);
            if at == 0 {
                knows_rounds &= totals.rounds.as_ref().is_some_and(Interval::is_exact);
            }
            let pairs = counted.counts.totals.all().into_iter().zip(totals.all());
            for ((quantity, counted), (_, derived)) in pairs {
                if let Some(derived) = derived {
                    hold(quantity, None, derived, counted);
                }
            }
            if !knows_rounds {
                continue;
            }
            workplace.allow(TERMS);
            let rounds = forms.each_round_at(&point.parameters, workplace);
            let rounds = rounds.unwrap_or_default();
            for (number, derived, counted) in side_by_side(&rounds, &counted.counts.rounds) {
                for (of, counted) in counted.all() {
                    if let Some(Some(derived)) = derived.get(of) {
                        hold(totals_of(of)[0], Some((of, number)), derived, counted);
                    }
                }
            }
        }
    });
    found
}

/// A derivation whose quantities lie between nothing and the short bounds that are shown for them, where
/// there are any; Σ q else below the one that claims are proved from.
fn short_bounds(derivation: &Derivation) -> Option<Derivation> {
    let short = |quantity: &Derived| {
        let bound = quantity.upper.as_ref();
        let bound = bound.and_then(|upper| derivation.plain.get(upper));
        Derived {
            lower: bound.map(|_| Expr::zero()),
            upper: bound.cloned(),
        }
    };
    (!derivation.plain.is_empty()).then(|| {
        let mut bounds = derivation.clone();
        bounds.totals = bounds.totals.map(|_, quantity| short(quantity));
        if let (None, [Some(blocks), ..]) = (&bounds.totals.io.upper, &derivation.crude) {
            bounds.totals.io = Derived {
                lower: Some(Expr::zero()),
                upper: Some(blocks.clone()),
            };
        }
        for round in &mut bounds.rounds {
            round.counts = round.counts.map(|_, quantity| short(quantity));
        }
        bounds
    })
}

/// Visits the small points at which a program runs, with what is counted there without data, as far as
/// the work goes.
pub(crate) fn each_counted(
    program: &Program,
    given: &Parameters,
    cycle_rules: Option<&CycleRules>,
    allowance: &Allowance,
    mut visit: impl FnMut(&Point, Counted),
) {
    for width in widths(program, given, &WIDTHS) {
        let mut left = WORK.0;
        for point in points(program, given, width, allowance) {
            let options = CountOptions {
                work_limit: Some(left.min(WORK.1)),
                cycle_rules: cycle_rules.cloned(),
                ..CountOptions::default()
            };
            let going = |_| ControlFlow::Continue(());
            let counted = interval::count_within(program, &point, &options, &going, allowance);
            match counted {
                Ok(counted) => {
                    left = left.saturating_sub(counted.work);
                    if counted.faults.is_empty() {
                        visit(&point, counted);
                    }
                }
                Err(CountError::TooLong(done)) => left = left.saturating_sub(done),
                Err(CountError::Fault(_) | CountError::Interrupted | CountError::TooLarge(_)) => {}
            }
        }
    }
}

/// Whether some number may be both.
fn agree(derived: &Interval, counted: &Interval) -> bool {
    derived.lower <= derived.upper
        && derived.lower <= counted.upper
        && counted.lower <= derived.upper
}

/// Small points for one b: formals around multiples and powers of it, together and each of them alone.
pub(crate) fn points(
    program: &Program,
    given: &Parameters,
    width: i64,
    allowance: &Allowance,
) -> Vec<Point> {
    let fixed = |name: &str, other| given.get(name).and_then(Rational::to_i64).unwrap_or(other);
    let machine = [
        fixed("p", 384),
        width,
        fixed("M", 1 << 20),
        fixed("G", 1 << 40),
    ];
    let name = |id: &ParamId| program.parameter(*id).name.as_str();
    let free: Vec<&str> = program
        .formals
        .iter()
        .map(name)
        .filter(|name| given.get(name).is_none())
        .collect();
    let square = width.saturating_mul(width);
    let sizes = [
        2 * width + 1,
        width,
        3 * width - 1,
        2 * width,
        1,
        square,
        square.saturating_mul(width),
        16,
        64,
    ];
    let mut found: Vec<Point> = Vec::new();
    let mut tried: Vec<Vec<i64>> = Vec::new();
    for size in sizes {
        let together = vec![size; free.len()];
        let alone = (0..free.len()).map(|at| {
            let of = |other| if other == at { size } else { 2 };
            (0..free.len()).map(of).collect()
        });
        let alone: Vec<Vec<i64>> = alone.filter(|_| free.len() > 1).collect();
        for values in [vec![together], alone].concat() {
            if found.len() == POINTS {
                return found;
            }
            if tried.contains(&values) {
                continue;
            }
            let mut all = given.clone();
            for (name, value) in free.iter().zip(&values) {
                all.set(name, *value);
            }
            found.extend(Point::within(program, machine, &all, allowance).ok());
            tried.push(values);
        }
    }
    found
}

/// Keeps back the formulas of these totals, and what is made of them: costs, classes, and what rounds
/// and lines add to them.
pub(crate) fn withhold(program: &Program, derivation: &mut Derivation, found: Vec<Contradiction>) {
    if found.is_empty() {
        return;
    }
    let mut lost: Vec<Quantity> = found.iter().map(|one| one.quantity).collect();
    let costs = Quantity::COSTS.into_iter();
    let costs: Vec<Quantity> = costs
        .filter(|cost| lost.iter().any(|part| is_in(*part, *cost)))
        .collect();
    lost.extend(costs);
    let is_lost = |which: Quantity| lost.contains(&which);
    let kept = |which, quantity: &Derived| match is_lost(which) {
        true => Derived::default(),
        false => quantity.clone(),
    };
    derivation.totals = derivation.totals.map(kept);
    derivation.transfer_cost = kept(Quantity::TransferCost, &derivation.transfer_cost);
    derivation.cost = kept(Quantity::Cost, &derivation.cost);
    derivation.gpu_cost = kept(Quantity::GpuCost, &derivation.gpu_cost);
    derivation.classes.retain(|which, _| !is_lost(*which));
    for round in &mut derivation.rounds {
        keep_back(round, &is_lost);
    }
    let line = program
        .body
        .first()
        .map_or(1, |first| program.line(first.span()));
    derivation.bounds.retain(|bound| match bound.quantity {
        Touched::Quantity(which) => !is_lost(which),
        Touched::Operations | Touched::Charges => true,
    });
    derivation
        .bounds
        .extend(lost.into_iter().map(|which| Bound {
            quantity: Touched::Quantity(which),
            line,
            why: Inexact::Contradicted,
        }));
    derivation.contradictions = found;
}

/// Whether a cost is made of a total.
fn is_in(part: Quantity, cost: Quantity) -> bool {
    match part {
        Quantity::Transfer | Quantity::Transactions | Quantity::Inward | Quantity::Outward => true,
        Quantity::Rounds | Quantity::Time | Quantity::TotalTime | Quantity::Io => {
            cost != Quantity::TransferCost
        }
        Quantity::Shared => cost == Quantity::GpuCost,
        Quantity::Global | Quantity::BankConflicts => false,
        Quantity::TransferCost | Quantity::Cost | Quantity::GpuCost => part == cost,
    }
}

/// The totals that a quantity of a round is part of, the nearest first. k is part of none: it is kept back
/// with the number of rounds.
fn totals_of(of: OfRound<'_>) -> &'static [Quantity] {
    match of {
        OfRound::LaunchedMps => &[Quantity::Rounds],
        OfRound::Time => &[Quantity::Time, Quantity::TotalTime],
        OfRound::Io | OfRound::Read(_) | OfRound::Written(_) => &[Quantity::Io],
        OfRound::InwardWords => &[Quantity::Inward, Quantity::Transfer],
        OfRound::OutwardWords => &[Quantity::Outward, Quantity::Transfer],
        OfRound::InwardTransactions | OfRound::OutwardTransactions => &[Quantity::Transactions],
        OfRound::SharedWords => &[Quantity::Shared],
        OfRound::GlobalWords => &[Quantity::Global],
        OfRound::BankConflicts => &[Quantity::BankConflicts],
    }
}

fn keep_back(round: &mut DerivedRound, is_lost: &dyn Fn(Quantity) -> bool) {
    round.counts =
        round.counts.map(
            |of, quantity| match totals_of(of).iter().any(|total| is_lost(*total)) {
                true => Derived::default(),
                false => quantity.clone(),
            },
        );
    for line in &mut round.lines {
        if is_lost(Quantity::Time) || is_lost(Quantity::TotalTime) {
            line.executions = Derived::default();
            line.operations = Derived::default();
        }
        if is_lost(Quantity::Io) {
            line.blocks = Derived::default();
        }
        if is_lost(Quantity::BankConflicts) {
            line.conflicts = Derived::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::derive;

    fn addition() -> (Program, Derivation) {
        let program = crate::examples::vector_addition();
        let derivation = derive(&program, &Parameters::new());
        (program, derivation)
    }

    #[test]
    fn right_formulas_are_not_contradicted() {
        let (program, derivation) = addition();
        assert!(derivation.contradictions.is_empty());
        assert!(contradictions(&program, &Parameters::new(), &derivation).is_empty());
    }

    #[test]
    fn a_formula_that_is_one_off_at_some_points_is_kept_back() {
        let (program, mut derivation) = addition();
        // One block too many where b = 3, which 4 of 5 values of b do not show.
        let b = Expr::symbol(&crate::derivation::letters::symbol_of(
            &program,
            program.machine.b,
        ));
        let is_three = crate::sym::Cond::eq(&b, &Expr::int(3));
        let more = Expr::bracket(is_three);
        let io = derivation.totals.io.upper.clone().expect("it is derived");
        derivation.totals.io = Interval::exact(io.add(&more));
        let found = contradictions(&program, &Parameters::new(), &derivation);
        let [one] = &*found else {
            panic!("{found:#?}");
        };
        assert_eq!(one.quantity, Quantity::Io);
        assert_eq!(
            one.to_string(),
            "`io` was derived as 4 but counted as 3 at n = 3, b = 3"
        );
        withhold(&program, &mut derivation, found);
        assert!(derivation.totals.io.upper.is_none() && derivation.gpu_cost.upper.is_none());
        assert!(derivation.transfer_cost.is_exact() && derivation.totals.time.is_exact());
        assert!(!derivation.classes.contains_key(&Quantity::Io));
        let lines = derivation.rounds.iter().flat_map(|round| &round.lines);
        assert!(lines.clone().all(|line| line.blocks.upper.is_none()));
        assert!(derivation.to_string().contains("counting contradicts"));
        let codes = derivation.mismatches();
        assert_eq!(codes[0].code.short_name(), "derive::mismatch");
    }

    #[test]
    fn a_formula_of_a_round_that_is_one_off_is_kept_back_with_its_total() {
        let (program, mut derivation) = addition();
        let io = &mut derivation.rounds[0].counts.io;
        let more = io.upper.clone().expect("it is derived").add(&Expr::one());
        *io = Interval::exact(more);
        let found = contradictions(&program, &Parameters::new(), &derivation);
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["`q of round 1` was derived as 4 but counted as 3 at n = 2, b = 2"]
        );
        withhold(&program, &mut derivation, found);
        assert!(derivation.totals.io.upper.is_none());
        assert!(derivation.rounds[0].counts.io.upper.is_none());
        assert!(derivation.rounds[0].counts.time.is_exact());
    }

    #[test]
    fn a_short_bound_below_what_is_counted_is_none() {
        let (program, mut derivation) = addition();
        let io = derivation.totals.io.upper.clone().expect("it is derived");
        derivation.plain.insert(io.clone(), io.clone());
        assert!(contradictions(&program, &Parameters::new(), &derivation).is_empty());
        derivation.plain.insert(io.clone(), io.sub(&Expr::one()));
        let found = contradictions(&program, &Parameters::new(), &derivation);
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["`io` was derived as 0 to 2 but counted as 3 at n = 2, b = 2"]
        );
    }

    #[test]
    fn bounds_that_hold_nothing_counted_are_contradicted() {
        let at = |lower: i64, upper: i64| Interval {
            lower: lower.into(),
            upper: upper.into(),
        };
        assert!(agree(&at(1, 3), &at(3, 5)));
        assert!(!agree(&at(1, 3), &at(4, 5)));
        assert!(!agree(&at(6, 7), &at(4, 5)));
        // A lower bound above the upper one is none, whatever was counted.
        assert!(!agree(&at(8, -216), &at(8, 8)));
    }
}

//! Whether formulas say what is counted: totals, rounds, lines, and the short bounds that stand for them, at
//! small points, before anybody sees them.
//!
//! In comes a derivation, out come the formulas that counting without data contradicts; they, and all that
//! is made of them, are then kept back ([`withheld`]). So are those that have no value where the program runs, as they are
//! [`shown`]. Proves nothing: a formula that passes was held
//! against counts at some [`mod@points`] of small parameters, within a fixed amount of work.

mod closeness;
mod points;
mod shown;
mod withheld;

use crate::count::{Interval, Parameters, Quantity, side_by_side};
use crate::derivation::contradiction::{Contradiction, Said};
use crate::derivation::evaluate::{Evaluation, LineAt, Workplace};
use crate::derivation::{Derivation, Derived};
use crate::interval::{CountOptions, Counted, LineCount};
use crate::meaning::{Allowance, Point};
use crate::number::BigInt;
use crate::program::Program;
use crate::sym::Expr;

use closeness::Closeness;
pub(crate) use points::{each_counted, points};
use points::{each_counted_at_edges, each_large};
use shown::Shown;
use withheld::totals_of;
pub(crate) use withheld::withhold;

/// Forms evaluated, and terms of unsolved sums added up, for the totals, the rounds or the lines of one point.
const TERMS: u64 = 2_000;
/// Values that sums of the host, of `require`s and of `let`s may run through in all.
const VALUES: u64 = 20_000;

/// What came of holding a derivation against counts.
pub(crate) struct Compared {
    /// The formulas that counting contradicts at some point: for each total the first one, its own, that of a round or
    /// a line, or a short one that stands for any of them.
    pub(crate) contradictions: Vec<Contradiction>,
    /// The totals and costs whose shown bound is far above the count at some point.
    pub(crate) loose: Vec<Quantity>,
}

/// Holds the formulas of a derivation against counts.
pub(crate) fn compare(program: &Program, given: &Parameters, derivation: &Derivation) -> Compared {
    let short = short_bounds(derivation);
    let forms = [Some(derivation), short.as_ref()].into_iter().flatten();
    let forms = forms.map(|derivation| Evaluation::with_lines(program, derivation));
    let mut forms: Vec<_> = forms.map(|forms| (forms.workplace(), forms)).collect();
    let allowance = Allowance::of(VALUES);
    let mut held = Held {
        program,
        // Where no data satisfy what is required of them, bounds may say anything.
        speaks_of_bounds: program.requires.iter().all(|one| !one.reads_data),
        found: Vec::new(),
    };
    let options = CountOptions {
        charge_conflicts: derivation.charges_conflicts,
        ..CountOptions::default()
    };
    let shown = Shown::of(program, derivation);
    let mut closeness = Closeness::of(derivation);
    let mut visit = |point: &Point, counted: Counted| {
        held.shown(&shown, point);
        closeness.look(point, &counted.counts);
        let mut knows_rounds = counted.counts.totals.rounds.is_exact();
        for (at, (workplace, forms)) in forms.iter_mut().enumerate() {
            let rounds = held.totals((forms, workplace), point, &counted);
            if at == 0 {
                knows_rounds &= rounds.is_some_and(|rounds| rounds.is_exact());
            }
            if knows_rounds {
                held.rounds((forms, workplace), point, &counted);
                held.lines((forms, workplace), point, &counted);
            }
        }
    };
    each_counted(program, given, &options, &allowance, &mut visit);
    each_counted_at_edges(program, given, &options, &allowance, &mut visit);
    each_large(program, given, &allowance, |point| {
        closeness.look_far(point)
    });
    Compared {
        contradictions: held.found,
        loose: closeness.loose(),
    }
}

/// Formulas as they are held against counts.
struct Held<'p> {
    program: &'p Program,
    speaks_of_bounds: bool,
    found: Vec<Contradiction>,
}

impl Held<'_> {
    /// Holds totals against those of a point, and gives the number of rounds.
    fn totals(
        &mut self,
        (forms, workplace): (&Evaluation, &mut Workplace),
        point: &Point,
        counted: &Counted,
    ) -> Option<Interval> {
        workplace.allow(TERMS);
        let totals = forms.each_total_at(&point.parameters, workplace);
        let pairs = counted.counts.totals.all().into_iter().zip(totals.all());
        for ((quantity, counted), (_, derived)) in pairs {
            if let Some(derived) = derived {
                self.hold(quantity, None, (derived, counted), point);
            }
        }
        totals.rounds
    }

    /// Holds the totals and costs against having a value, as they are written.
    fn shown(&mut self, shown: &Shown, point: &Point) {
        for quantity in shown.without_value(point) {
            if !self.is_known(quantity) {
                self.found.push(Contradiction {
                    quantity,
                    part: None,
                    derived: Said::Nothing,
                    point: point.values(),
                });
            }
        }
    }

    fn is_known(&self, quantity: Quantity) -> bool {
        self.found.iter().any(|one| one.quantity == quantity)
    }

    fn rounds(
        &mut self,
        (forms, workplace): (&Evaluation, &mut Workplace),
        point: &Point,
        counted: &Counted,
    ) {
        workplace.allow(TERMS);
        let rounds = forms.each_round_at(&point.parameters, workplace);
        let rounds = rounds.unwrap_or_default();
        for (number, derived, counted) in side_by_side(&rounds, &counted.counts.rounds) {
            for (of, counted) in counted.all() {
                if let Some(Some(derived)) = derived.get(of) {
                    let name = || of.in_round(number);
                    self.hold(totals_of(of)[0], Some(&name), (derived, counted), point);
                }
            }
        }
    }

    fn lines(
        &mut self,
        (forms, workplace): (&Evaluation, &mut Workplace),
        point: &Point,
        counted: &Counted,
    ) {
        workplace.allow(TERMS);
        let lines = forms.each_line_at(&point.parameters, workplace);
        let lines = lines.unwrap_or_default();
        let rounds = counted.counts.rounds.iter().zip(&counted.lines);
        let counted: Vec<_> = rounds
            .zip(&counted.details)
            .map(|(((times, _), lines), detail)| (*times, (lines, detail.is_certain)))
            .collect();
        for (number, derived, (counted, is_certain)) in side_by_side(&lines, &counted) {
            for (line, counted) in by_place(self.program, derived, counted) {
                let pairs = line.numbers.iter().zip(counted.all());
                for ((derived, (name, counted)), total) in pairs.zip(TOTALS_OF_LINES) {
                    let Some(derived) = derived else { continue };
                    let mut counted = counted.clone();
                    if !is_certain {
                        counted.lower = BigInt::ZERO;
                    }
                    let (line, _) = line.place;
                    let name = || format!("{name} of line {line} in round {number}");
                    self.hold(total, Some(&name), (derived, &counted), point);
                }
            }
        }
    }

    fn hold(
        &mut self,
        quantity: Quantity,
        part: Option<&dyn Fn() -> String>,
        (derived, counted): (&Interval, &Interval),
        point: &Point,
    ) {
        let is_judged = derived.is_exact() || self.speaks_of_bounds;
        if !self.is_known(quantity) && is_judged && !agree(derived, counted) {
            self.found.push(Contradiction {
                quantity,
                part: part.map(|name| name()),
                derived: Said::Otherwise {
                    derived: derived.clone(),
                    counted: counted.clone(),
                },
                point: point.values(),
            });
        }
    }
}

/// A derivation whose quantities lie between nothing and the short bounds that are shown for them, where
/// there are any; Σ q else below the one that claims are proved from.
fn short_bounds(derivation: &Derivation) -> Option<Derivation> {
    let short = |quantity: &Derived| {
        let bound = quantity.short.as_ref();
        Derived {
            lower: bound.map(|_| Expr::zero()),
            upper: bound.cloned(),
            short: None,
        }
    };
    let has_some = derivation.with_short_bounds().next().is_some();
    has_some.then(|| {
        let mut bounds = derivation.clone();
        bounds.totals = bounds.totals.map(|_, quantity| short(quantity));
        if let (None, Some(blocks)) = (&bounds.totals.io.upper, &derivation.coarse.io) {
            bounds.totals.io = Derived {
                lower: Some(Expr::zero()),
                upper: Some(blocks.clone()),
                short: None,
            };
        }
        for round in &mut bounds.rounds {
            round.counts = round.counts.map(|_, quantity| short(quantity));
            for line in &mut round.lines {
                for quantity in line.all_mut() {
                    *quantity = short(quantity);
                }
            }
        }
        bounds
    })
}

/// The totals that the numbers of a line are part of, in the order of [`LineAt`].
const TOTALS_OF_LINES: [Quantity; 4] = [
    Quantity::Time,
    Quantity::Time,
    Quantity::Io,
    Quantity::BankConflicts,
];

/// The lines of a kernel that both know; a place that stands for several is left out.
fn by_place<'l>(
    program: &Program,
    derived: &'l [LineAt],
    counted: &'l [LineCount],
) -> impl Iterator<Item = (&'l LineAt, &'l LineCount)> {
    let place = |line: &LineCount| {
        let from = line.from.map(|span| program.line(span));
        (program.line(line.span), from)
    };
    let places: Vec<_> = counted.iter().map(place).collect();
    derived.iter().filter_map(move |line| {
        let is_same = |place: &&_| **place == line.place;
        let is_alone = derived
            .iter()
            .filter(|other| other.place == line.place)
            .count()
            == 1
            && places.iter().filter(is_same).count() == 1;
        let at = places.iter().position(|place| *place == line.place)?;
        is_alone.then(|| (line, &counted[at]))
    })
}

/// Whether some number may be both.
fn agree(derived: &Interval, counted: &Interval) -> bool {
    derived.lower <= derived.upper
        && derived.lower <= counted.upper
        && counted.lower <= derived.upper
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivation::DerivedLine;
    use crate::derive::derive;

    fn contradictions(
        program: &Program,
        given: &Parameters,
        derivation: &Derivation,
    ) -> Vec<Contradiction> {
        compare(program, given, derivation).contradictions
    }

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
        derivation.totals.io = Derived::exact(&io + &more);
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
    fn a_formula_without_a_value_where_the_program_runs_is_kept_back() {
        let (program, mut derivation) = addition();
        let symbol = |id| Expr::symbol(&crate::derivation::letters::symbol_of(&program, id));
        let more = symbol(program.formals[0]) - symbol(program.machine.b);
        let io = derivation.totals.io.upper.clone().expect("it is derived");
        // It is the blocks, but at n = b, where -1/(n - b)^2 has no value.
        let below = (&more * &more).reciprocal().neg().floor();
        derivation.totals.io = Derived::exact(Expr::max(vec![io, below]));
        let found = contradictions(&program, &Parameters::new(), &derivation);
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        let said = "`io` was derived as a formula without a value at n = 2, b = 2";
        assert_eq!(texts, [said]);
        withhold(&program, &mut derivation, found);
        assert!(derivation.totals.io.upper.is_none() && derivation.cost.upper.is_none());
    }

    #[test]
    fn a_formula_of_a_round_that_is_one_off_is_kept_back_with_its_total() {
        let (program, mut derivation) = addition();
        let io = &mut derivation.rounds[0].counts.io;
        let more = io.upper.clone().expect("it is derived") + 1;
        *io = Derived::exact(more);
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
    fn a_formula_of_a_line_that_is_one_off_is_kept_back_with_its_total() {
        type Change = fn(&mut DerivedLine) -> &mut Derived;
        let wrong: [(Change, Quantity, &str); 4] = [
            (|line| &mut line.executions, Quantity::Time, "executions"),
            (|line| &mut line.operations, Quantity::Time, "operations"),
            (|line| &mut line.blocks, Quantity::Io, "blocks"),
            (
                |line| &mut line.conflicts,
                Quantity::BankConflicts,
                "conflicts",
            ),
        ];
        for (change, total, name) in wrong {
            let (program, mut derivation) = addition();
            let line = &mut derivation.rounds[0].lines[1];
            let number = line.line;
            let derived = change(line);
            let more = derived.upper.clone().expect("it is derived");
            *derived = Derived::exact(&more + 1);
            let found = contradictions(&program, &Parameters::new(), &derivation);
            let [one] = &*found else {
                panic!("{found:#?}");
            };
            assert_eq!(one.quantity, total);
            let said = format!("`{name} of line {number} in round 1` was derived as ");
            assert!(one.to_string().starts_with(&said), "{one}");
            withhold(&program, &mut derivation, found);
            let kept = derivation.rounds.iter().flat_map(|round| &round.lines);
            let mut kept = kept.flat_map(DerivedLine::all);
            assert!(!kept.any(|(of, quantity)| of == name && quantity.upper.is_some()));
        }
    }

    #[test]
    fn a_short_bound_of_a_line_below_what_is_counted_is_none() {
        let (program, mut derivation) = addition();
        let operations = &mut derivation.rounds[0].lines[2].operations;
        let long = operations.upper.clone().expect("it is derived");
        operations.short = Some(&long - 1);
        let found = contradictions(&program, &Parameters::new(), &derivation);
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        let said = "`operations of line 48 in round 1` was derived as 0 to 3 but counted as 4 at n = 2, b = 2";
        assert_eq!(texts, [said]);
    }

    #[test]
    fn a_short_bound_below_what_is_counted_is_none() {
        let (program, mut derivation) = addition();
        let io = derivation.totals.io.upper.clone().expect("it is derived");
        derivation.totals.io.short = Some(io.clone());
        assert!(contradictions(&program, &Parameters::new(), &derivation).is_empty());
        derivation.totals.io.short = Some(&io - 1);
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

//! Values that are given take no form away.
//!
//! With a number in a symbol's place some forms are not found: that b divides n/2 says nothing of 31, which was
//! n/2 - 1. So what is derived with values in place stands beside what is derived without them and has them put in
//! afterwards, and of each quantity the form that says more is kept.

use crate::count::{Parameters, Quantity};
use crate::derivation::letters::symbol_of;
use crate::derivation::{Derivation, Derived, DerivedRound, Touched};
use crate::program::Program;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::Walked;
use crate::symbolic::amount::FEW_ATOMS;
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;

/// A form of so many atoms is short enough.
const SHORT: u32 = 4;

/// The values given for formals and parameters of the machine, by symbol.
pub(crate) struct Values {
    each: Vec<(Symbol, Expr)>,
    /// b, given or not.
    width: Symbol,
}

impl Values {
    /// Those of `given`, and what else is given: the letters of costs.
    pub(crate) fn of(program: &Program, given: &Parameters) -> (Values, Parameters) {
        let mut letters = given.clone();
        let machine = program.machine;
        let machine = [machine.p, machine.b, machine.m, machine.g];
        let all = program.formals.iter().chain(&machine);
        let values = all.filter_map(|parameter| {
            let name = &program.parameter(*parameter).name;
            let value = given.get(name)?.clone();
            letters.remove(name);
            Some((symbol_of(program, *parameter), Expr::rational(value)))
        });
        let values = Values {
            each: values.collect(),
            width: symbol_of(program, program.machine.b),
        };
        (values, letters)
    }

    /// Whether without them anything could be said that a derivation with them does not say already.
    pub(crate) fn may_hide_forms(&self, derivation: &Derivation) -> bool {
        let is_wanting = |quantity: &Derived| {
            let form = quantity.exact_form();
            form.is_none_or(|form| !form.is_closed() || form.length() > SHORT)
        };
        !self.each.is_empty() && derivation.all().any(|(_, quantity)| is_wanting(quantity))
    }

    fn put_into(&self, expr: &Expr) -> Expr {
        let values = self.each.iter();
        values.fold(expr.clone(), |expr, (symbol, value)| {
            expr.substitute(symbol, value)
        })
    }

    /// A condition with the values.
    pub(crate) fn put_into_cond(&self, cond: &Cond) -> Cond {
        cond.map(&|expr| self.put_into(expr))
    }

    /// A quantity with the values; nothing where some form has none there.
    fn put_into_quantity(&self, quantity: &Derived, facts: &Facts) -> Option<Derived> {
        let put = quantity.map(|end| facts.simplify(&self.put_into(end)));
        let has_no_value = |end: &Option<Expr>| end.as_ref().is_some_and(Expr::divides_by_zero);
        (!has_no_value(&put.lower) && !has_no_value(&put.upper)).then_some(put)
    }

    /// Takes over what was derived without the values, where it says more with them. Whether anything was.
    pub(crate) fn take_over(
        &self,
        derivation: &mut Derivation,
        open: &Derivation,
        facts: &Facts,
    ) -> bool {
        let mut taken = Taken {
            values: self,
            any: false,
        };
        let mut better = |which, quantity: &Derived| {
            let facts = facts.with_work(WORK_OF_A_TOTAL);
            taken
                .better(quantity, open.quantity(which), &facts)
                .unwrap_or_else(|| quantity.clone())
        };
        derivation.totals = derivation.totals.map(&mut better);
        derivation.transfer_cost = better(Quantity::TransferCost, &derivation.transfer_cost);
        derivation.cost = better(Quantity::Cost, &derivation.cost);
        if are_alike(Quantity::GpuCost, derivation, open) {
            derivation.gpu_cost = better(Quantity::GpuCost, &derivation.gpu_cost);
        }
        let is_same = |one: &DerivedRound, other: &DerivedRound| self.is_same(one, other, facts);
        let pairs = derivation.rounds.iter().zip(&open.rounds);
        if derivation.rounds.len() == open.rounds.len()
            && pairs.clone().all(|(one, other)| is_same(one, other))
        {
            for (round, other) in derivation.rounds.iter_mut().zip(&open.rounds) {
                taken.better_round(round, other, facts);
            }
        }
        let taken = taken.any;
        let settled: Vec<_> = derivation
            .all()
            .filter(|(_, quantity)| quantity.exact_form().is_some_and(|form| form.is_closed()))
            .map(|(which, _)| Touched::Quantity(which))
            .collect();
        derivation
            .bounds
            .retain(|bound| !settled.contains(&bound.quantity));
        taken
    }

    /// Bounds that were derived without the values, with them: of each quantity that has no short form the one that
    /// is shown, and one in plain terms.
    pub(crate) fn bounds(
        &self,
        derivation: &Derivation,
        open: &Walked<'_>,
        facts: &Facts,
    ) -> Vec<(Quantity, Expr)> {
        let mut bounds = Vec::new();
        for (which, quantity) in open.derivation.all() {
            let own = derivation.quantity(which).upper.as_ref();
            let is_short = own.is_some_and(|own| own.is_closed() && own.length() <= FEW_ATOMS);
            if is_short || !are_alike(which, derivation, &open.derivation) {
                continue;
            }
            let Some(shown) = quantity.shown() else {
                continue;
            };
            let plain = open.facts.above(shown, Some(&self.width));
            let put = |bound: &Expr| {
                let facts = facts.with_work(WORK_OF_A_TOTAL);
                facts.simplify(&self.put_into(bound))
            };
            let each = [Some(shown), plain.as_ref()].into_iter().flatten().map(put);
            let each = each.filter(|bound| bound.is_closed() && !bound.divides_by_zero());
            bounds.extend(each.map(|bound| (which, bound)));
        }
        bounds
    }

    /// Whether two rounds are the same one, without and with the values.
    fn is_same(&self, with: &DerivedRound, without: &DerivedRound, facts: &Facts) -> bool {
        let when = without.when.as_ref().map(|when| self.put_into_cond(when));
        let when = when.map(|when| facts.simplify_cond(&when));
        let loops = |round: &DerivedRound| -> Vec<Symbol> {
            let loops = round.loops.iter();
            loops.map(|range| range.symbol.clone()).collect()
        };
        let lines = |round: &DerivedRound| -> Vec<usize> {
            round.lines.iter().map(|line| line.line).collect()
        };
        with.opens == without.opens
            && with.joined.is_some() == without.joined.is_some()
            && when.filter(|when| *when != Cond::True) == with.when
            && loops(with) == loops(without)
            && lines(with) == lines(without)
    }
}

/// Whether a form of one derivation means the same in another: a GPU-cost with the letter ℓ says nothing where
/// that stands for several.
fn are_alike(which: Quantity, one: &Derivation, other: &Derivation) -> bool {
    which != Quantity::GpuCost || one.occupancy.is_some() == other.occupancy.is_some()
}

/// What is taken over.
struct Taken<'v> {
    values: &'v Values,
    any: bool,
}

impl Taken<'_> {
    /// What was derived without the values, if it says more: an exact form, and of these one that is closed,
    /// then the shorter one.
    fn better(&mut self, with: &Derived, without: &Derived, facts: &Facts) -> Option<Derived> {
        let rank = |quantity: &Derived| match quantity.exact_form() {
            Some(form) => (0, !form.is_closed(), form.length()),
            // Of bounds the shorter one may be the looser one.
            None if quantity.upper.is_some() => (1, false, 0),
            None => (2, false, 0),
        };
        let best = rank(with);
        if best <= (0, false, SHORT) || without.upper.is_none() {
            return None;
        }
        let put = self.values.put_into_quantity(without, facts);
        let better = put.filter(|put| rank(put) < best);
        self.any |= better.is_some();
        better
    }

    fn better_round(&mut self, with: &mut DerivedRound, without: &DerivedRound, facts: &Facts) {
        if let Some(count) = self.better(&with.count, &without.count, facts) {
            with.count = count;
        }
        let mut facts = facts.clone();
        for range in &with.loops {
            let variable = Expr::symbol(&range.symbol);
            let (low, high) = range.ends();
            facts.suppose(&Cond::ge(&variable, low));
            facts.suppose(&Cond::le(&variable, high));
        }
        with.counts = with.counts.map(|of, quantity| {
            let other = without.counts.get(of);
            let better = other.and_then(|other| self.better(quantity, other, &facts));
            better.unwrap_or_else(|| quantity.clone())
        });
        for (line, other) in with.lines.iter_mut().zip(&without.lines) {
            let blocks = line.blocks.clone();
            let others = other.all().map(|(_, other)| other);
            for (quantity, other) in line.all_mut().into_iter().zip(others) {
                if let Some(better) = self.better(quantity, other, &facts) {
                    *quantity = better;
                }
            }
            if line.blocks != blocks {
                let put = |expr: &Expr| facts.simplify(&self.values.put_into(expr));
                line.rule = other.rule.as_ref().map(|rule| rule.map(&put));
            }
        }
    }
}

//! What stands beside formulas that nobody reads: for each one that takes more than two lines a short
//! one that it is nowhere above.

use indexmap::IndexMap;

use crate::count::Quantity;
use crate::derivation::{Derivation, Derived, DerivedRound};
use crate::sym::print::{Names, Printer};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::FEW_ATOMS;
use crate::symbolic::kernel::KernelCount;
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;

/// Characters of two lines of a report.
const TWO_LINES: usize = 120;

/// Formulas with what they are nowhere above.
pub(crate) struct PlainBounds {
    printer: Printer,
    /// b, which grows slower than all else.
    width: Symbol,
    found: IndexMap<Expr, Expr>,
}

impl PlainBounds {
    /// None yet; formulas are as long as they are in these names.
    pub(crate) fn new(names: &[(String, Expr)], width: Symbol) -> Self {
        let names = Names {
            definitions: names.to_vec(),
        };
        PlainBounds {
            printer: Printer::new(&names),
            width,
            found: IndexMap::new(),
        }
    }

    /// Those of a round and its lines, under what is known inside its loops.
    pub(crate) fn of_round(
        &mut self,
        round: &DerivedRound,
        kernel: Option<&KernelCount>,
        facts: &Facts,
    ) {
        let crude = kernel.and_then(|kernel| kernel.crude.upper.as_ref());
        self.of(&round.count, None, facts);
        self.of(&round.counts.io, crude, facts);
        for (_, quantity) in round.counts.all() {
            self.of(quantity, None, facts);
        }
        let counted = kernel.map_or(&[][..], |kernel| &kernel.lines);
        for (at, line) in round.lines.iter().enumerate() {
            let crude = counted.get(at).and_then(|line| line.crude.upper.as_ref());
            self.of(&line.blocks, crude, facts);
            for quantity in [&line.executions, &line.operations, &line.conflicts] {
                self.of(quantity, None, facts);
            }
        }
    }

    /// `crude` is another bound, if there is one.
    fn of(&mut self, quantity: &Derived, crude: Option<&Expr>, facts: &Facts) {
        let Some(upper) = &quantity.upper else {
            return;
        };
        if upper.length() <= FEW_ATOMS || self.found.contains_key(upper) {
            return;
        }
        let length = |expr: &Expr| self.length(expr);
        let long = length(upper);
        if long <= TWO_LINES && upper.is_closed() {
            return;
        }
        // A bound that is short as it is is closer than a plain one.
        let is_short = |expr: &Expr| expr.is_closed() && length(expr) <= TWO_LINES;
        let as_short = |expr: &Expr| {
            let expr = facts.with_work(WORK_OF_A_TOTAL).simplify(expr);
            match is_short(&expr) {
                true => Some(expr),
                false => facts.above(&expr, Some(&self.width)),
            }
        };
        let plain = facts.above(upper, Some(&self.width));
        let crude = crude.and_then(as_short);
        let chosen = match (plain, crude) {
            (Some(plain), Some(crude)) => match self.is_closer(&plain, &crude, facts) {
                true => Some(plain),
                false => Some(crude),
            },
            (plain, crude) => plain.or(crude),
        };
        let chosen = chosen.map(|chosen| {
            let evened = (length(&chosen) > TWO_LINES).then(|| facts.evened(&chosen));
            let shorter = evened.filter(|evened| length(evened) < length(&chosen));
            shorter.unwrap_or(chosen)
        });
        if let Some(chosen) = chosen.filter(|chosen| length(chosen) < long) {
            self.found.insert(upper.clone(), chosen);
        }
    }
}

impl PlainBounds {
    /// The characters of a formula in these names.
    fn length(&self, expr: &Expr) -> usize {
        self.printer.text(expr).chars().count()
    }

    /// Whether the first of two bounds says more: it grows slower or is provably no larger; or it fits and
    /// the other does not.
    fn is_closer(&self, plain: &Expr, crude: &Expr, facts: &Facts) -> bool {
        let [short, long] = [plain, crude].map(|bound| self.length(bound));
        if long > TWO_LINES && short < long {
            return true;
        }
        let growth = |bound: &Expr| {
            facts
                .above(bound, Some(&self.width))
                .as_ref()
                .map(Expr::degree)
        };
        let grows_slower = growth(plain)
            .zip(growth(crude))
            .is_some_and(|(plain, crude)| plain < crude);
        grows_slower
            || facts
                .with_work(WORK_OF_A_TOTAL)
                .proves(&Cond::le(plain, crude))
    }

    /// Those found with those of all totals and costs.
    pub(crate) fn with_totals(
        self,
        derivation: &Derivation,
        facts: &Facts,
    ) -> IndexMap<Expr, Expr> {
        self.with(derivation.all(), derivation, facts)
    }

    /// Those found with those of totals that are exact and closed.
    pub(crate) fn with_exact_totals(
        self,
        derivation: &Derivation,
        facts: &Facts,
    ) -> IndexMap<Expr, Expr> {
        let is_closed = |quantity: &Derived| {
            let upper = quantity.upper.as_ref();
            quantity.is_exact() && upper.is_some_and(Expr::is_closed)
        };
        let totals = derivation.totals.all().into_iter();
        let closed = totals.filter(|(_, quantity)| is_closed(quantity));
        self.with(closed, derivation, facts)
    }

    fn with<'d>(
        mut self,
        quantities: impl Iterator<Item = (Quantity, &'d Derived)>,
        derivation: &Derivation,
        facts: &Facts,
    ) -> IndexMap<Expr, Expr> {
        let [blocks, cost, gpu_cost] = &derivation.crude;
        for (which, quantity) in quantities {
            let crude = match which {
                Quantity::Io => blocks.as_ref(),
                Quantity::Cost => cost.as_ref(),
                Quantity::GpuCost => gpu_cost.as_ref(),
                _ => None,
            };
            // What a round shows may stand for a total too.
            if crude.is_some()
                && let Some(upper) = &quantity.upper
            {
                self.found.shift_remove(upper);
            }
            self.of(quantity, crude, facts);
        }
        self.found
    }
}

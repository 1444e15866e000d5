//! What stands beside formulas that nobody reads: for each one that takes more than two lines a short
//! one that it is nowhere above.

use indexmap::IndexMap;

use crate::count::{OfRound, Quantity};
use crate::derivation::{Derivation, Derived, DerivedRound};
use crate::program::Program;
use crate::sym::print::{Names, Printer};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::{Amount, FEW_ATOMS};
use crate::symbolic::kernel::{KernelCount, LineCount};
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;

/// Characters of two lines of a table.
const TWO_LINES: usize = 120;
/// Characters of two lines that a formula has to itself, as costs have.
const TWO_LINES_ALONE: usize = 150;

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
        program: &Program,
        round: &DerivedRound,
        kernel: Option<&KernelCount>,
        facts: &Facts,
    ) {
        let crude = kernel.and_then(|kernel| kernel.crude.upper.as_ref());
        self.of(&round.count, None, facts);
        self.of(&round.counts.io, crude, facts);
        let counted = kernel.map_or(&[][..], |kernel| &kernel.lines);
        for (at, line) in round.lines.iter().enumerate() {
            let crude = counted.get(at).and_then(|line| line.crude.upper.as_ref());
            self.of(&line.blocks, crude, facts);
            for quantity in [&line.executions, &line.operations, &line.conflicts] {
                self.of(quantity, None, facts);
            }
        }
        // Those of an array are those of its lines.
        for (which, quantity) in round.counts.all() {
            let crude = match which {
                OfRound::Read(name) => crude_of(program, counted, name, false),
                OfRound::Written(name) => crude_of(program, counted, name, true),
                _ => None,
            };
            self.of(quantity, crude.as_ref(), facts);
        }
    }

    /// `crude` is another bound, if there is one.
    fn of(&mut self, quantity: &Derived, crude: Option<&Expr>, facts: &Facts) {
        self.within(TWO_LINES, quantity, crude, facts);
    }

    /// A bound for a formula that takes more than so many characters.
    fn within(&mut self, room: usize, quantity: &Derived, crude: Option<&Expr>, facts: &Facts) {
        let Some(upper) = &quantity.upper else {
            return;
        };
        if upper.length() <= FEW_ATOMS || self.found.contains_key(upper) {
            return;
        }
        let length = |expr: &Expr| self.length(expr);
        let long = length(upper);
        if long <= room && upper.is_closed() {
            return;
        }
        // A bound that is short as it is is closer than a plain one.
        let is_short = |expr: &Expr| expr.is_closed() && length(expr) <= room;
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
            (Some(plain), Some(crude)) => match self.is_closer([&plain, &crude], room, facts) {
                true => Some(plain),
                false => Some(crude),
            },
            (plain, crude) => plain.or(crude),
        };
        let chosen = chosen.map(|chosen| {
            let evened = (length(&chosen) > room).then(|| facts.evened(&chosen));
            let shorter = evened.filter(|evened| length(evened) < length(&chosen));
            let chosen = shorter.unwrap_or(chosen);
            match length(&chosen) > room {
                true => facts.joined(&chosen),
                false => chosen,
            }
        });
        if let Some(chosen) = chosen.filter(|chosen| length(chosen) < long) {
            self.found.insert(upper.clone(), chosen);
        }
    }
}

/// What all lines that read (or write) an array touch at most, with little thought.
fn crude_of(program: &Program, lines: &[LineCount], name: &str, writes: bool) -> Option<Expr> {
    let mut sum = Amount::zero();
    for line in lines {
        if line.access.is_some_and(|(variable, is_write)| {
            is_write == writes && program.variable(variable).name == name
        }) {
            sum = sum.plus(&line.crude);
        }
    }
    sum.upper
}

impl PlainBounds {
    /// The characters of a formula in these names.
    fn length(&self, expr: &Expr) -> usize {
        self.printer.text(expr).chars().count()
    }

    /// Whether the first of two bounds says more: it grows slower or is provably no larger; or it fits and
    /// the other does not.
    fn is_closer(&self, [plain, crude]: [&Expr; 2], room: usize, facts: &Facts) -> bool {
        let [short, long] = [plain, crude].map(|bound| self.length(bound));
        if long > room && short < long {
            return true;
        }
        // b is a constant of the machine next to what a problem's size may be.
        let growth = |bound: &Expr| {
            let plain = facts.above(bound, Some(&self.width))?;
            Some(facts.paces(&plain, &self.width))
        };
        let is_below = |one: &Expr, other: &Expr| {
            let facts = facts.with_work(WORK_OF_A_TOTAL);
            facts.proves(&Cond::le(one, other))
        };
        match growth(plain).zip(growth(crude)) {
            Some((plain, crude)) if plain < crude => true,
            Some((one, other)) if one == other => {
                is_below(plain, crude) || short < long && !is_below(crude, plain)
            }
            Some(_) | None => is_below(plain, crude),
        }
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
        let [blocks, cost, gpu_cost, by_full_waves] = &derivation.crude;
        for (which, quantity) in quantities {
            let room = match which {
                Quantity::Cost | Quantity::GpuCost => TWO_LINES_ALONE,
                _ => TWO_LINES,
            };
            let fits = |bound: &&Expr| bound.is_closed() && self.length(bound) <= room;
            let crude = match which {
                Quantity::Io => blocks.as_ref(),
                Quantity::Cost => cost.as_ref(),
                Quantity::GpuCost => gpu_cost.as_ref().filter(fits).or(by_full_waves.as_ref()),
                _ => None,
            };
            // What a round shows may stand for a total too.
            if crude.is_some()
                && let Some(upper) = &quantity.upper
            {
                self.found.shift_remove(upper);
            }
            self.within(room, quantity, crude, facts);
        }
        self.found
    }
}

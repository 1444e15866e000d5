//! Gives the forms of a finished derivation a value wherever the program runs: there each divisor is not 0 and each
//! argument of a logarithm at least 1 ([`Facts::total`]). The machine has as much shared memory as each of the
//! kernels needs, also those that are never launched.
//!
//! Sums, cases and short bounds are made of the forms as they come: ⌊k/R⌋ stands for the last of R + 1 rounds, beside a
//! bracket that says that there are two. Only what is shown in the end has to be read by itself.

use crate::derivation::{Derivation, Derived, DerivedLine, DerivedRound, Joined};
use crate::program::{
    self, Arithmetic, Extent, HostStmt, Number, NumberKind, PairFunction, Program,
};
use crate::sym::print::{Names, Printer};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::header::suppose_natural_formals;
use crate::symbolic::symbols::Symbols;

/// How much may be tried for all forms together: the longest that come with the tool take some thousand.
const WORK_OF_FORMS: u64 = 200_000;

/// Gives every form of a derivation a value wherever the program runs.
pub(crate) fn make_total(
    program: &Program,
    symbols: &Symbols<'_>,
    facts: &Facts,
    derivation: &mut Derivation,
) {
    if derivation.totals.rounds.upper.is_none() && derivation.rounds.is_empty() {
        return;
    }
    let mut at = Place {
        natural: facts.aside(WORK_OF_FORMS),
        sure: facts.aside(WORK_OF_FORMS),
    };
    suppose_natural_formals(program, &mut symbols.clone(), &mut at.natural);
    suppose_run(program, symbols, &mut at.natural);
    suppose_run(program, symbols, &mut at.sure);
    if let Ok(capacity) = symbols.value(program.machine.m) {
        for round in &derivation.rounds {
            let words = round.counts.shared_words.upper.iter();
            words.for_each(|words| at.suppose(&Cond::ge(&capacity, words)));
        }
    }
    let printers = [&derivation.let_names(), &Names::default()].map(Printer::new);
    let forms = Forms {
        printers: printers.iter().collect(),
    };
    derivation.change_all(|_, quantity| forms.quantity(&at, quantity));
    if let Some(occupancy) = &mut derivation.occupancy {
        *occupancy = forms.form(&at, occupancy);
    }
    for round in &mut derivation.rounds {
        forms.round(&at, round);
    }
}

/// What is known where a form stands.
#[derive(Clone)]
struct Place {
    /// Where it has to have a value: formals are whole numbers from 0 there, where no `require` admits others.
    natural: Facts,
    /// Where it has to stay the same.
    sure: Facts,
}

impl Place {
    fn suppose(&mut self, cond: &Cond) {
        self.natural.suppose(cond);
        self.sure.suppose(cond);
    }
}

/// The forms of a derivation, one after the other.
struct Forms<'d> {
    printers: Vec<&'d Printer>,
}

impl Forms<'_> {
    /// The form itself where it takes too long to tell what is 0 in it.
    fn form(&self, at: &Place, form: &Expr) -> Expr {
        let total = at.natural.total(&at.sure, form, &self.printers);
        if at.natural.is_exhausted() || at.sure.is_exhausted() {
            form.clone()
        } else {
            total
        }
    }

    fn quantity(&self, at: &Place, quantity: &Derived) -> Derived {
        quantity.map(|form| self.form(at, form))
    }

    fn round(&self, outside: &Place, round: &mut DerivedRound) {
        let mut at = outside.clone();
        round.count = self.quantity(&at, &round.count);
        if let Some(when) = &round.when {
            at.suppose(when);
        }
        if let Some((_, at_most)) = &mut round.within_while {
            *at_most = self.form(&at, at_most);
        }
        for range in &mut round.loops {
            range.from = self.form(&at, &range.from);
            range.to = self.form(&at, &range.to);
            let (low, high) = range.ends();
            let variable = Expr::symbol(&range.symbol);
            at.suppose(&Cond::ge(&variable, low));
            at.suppose(&Cond::le(&variable, high));
        }
        if let Some(number) = &mut round.number {
            *number = self.form(&at, number);
        }
        if let Some(Joined { alone, .. }) = &mut round.joined {
            *alone = alone.map(&|part| self.form(&at, part));
        }
        round.counts = round.counts.map(|_, quantity| self.quantity(&at, quantity));
        round.occupancy = self.quantity(&at, &round.occupancy);
        for line in &mut round.lines {
            self.line(&at, line);
        }
        for transfer in &mut round.transfers {
            let traffic = &mut transfer.traffic;
            traffic.words = self.quantity(&at, &traffic.words);
            traffic.transactions = self.quantity(&at, &traffic.transactions);
        }
        if let Some(charges) = &mut round.charges {
            **charges = charges.map(|quantity| self.quantity(&at, quantity));
        }
    }

    fn line(&self, at: &Place, line: &mut DerivedLine) {
        for quantity in line.all_mut() {
            *quantity = self.quantity(at, quantity);
        }
        line.each = line.each.as_ref().map(|each| self.quantity(at, each));
    }
}

/// Takes it that all that is evaluated whatever the parameters are has a value: the header, and of statements that stand
/// in no loop the ends of ranges. Where one has none the program does not run.
fn suppose_run(program: &Program, symbols: &Symbols<'_>, facts: &mut Facts) {
    let mut evaluated = |number: &Number| {
        suppose_defined(program::Expr::Number(number), symbols, facts);
    };
    program.lets.iter().for_each(|each| evaluated(&each.value));
    for variable in &program.variables {
        variable.dimensions.iter().for_each(&mut evaluated);
    }
    for statement in &program.body {
        match statement {
            HostStmt::Transfer(transfer) => {
                let regions = [&transfer.host, &transfer.global].into_iter();
                for extent in regions.flat_map(|region| &region.extents) {
                    match extent {
                        Extent::All => {}
                        Extent::At(index) => evaluated(index),
                        Extent::Range(low, high) => {
                            evaluated(low);
                            evaluated(high);
                        }
                    }
                }
            }
            HostStmt::Kernel(kernel) => {
                for range in &kernel.mps {
                    evaluated(&range.low);
                    evaluated(&range.high);
                }
            }
            HostStmt::For(host_for) => {
                evaluated(&host_for.from);
                evaluated(&host_for.to);
            }
            HostStmt::While(host_while) => evaluated(&host_while.at_most),
            HostStmt::Let(binding) => evaluated(&binding.value),
            HostStmt::Execute(execute) => {
                let arguments = execute.arguments.iter();
                arguments.for_each(|argument| evaluated(&argument.value));
            }
            HostStmt::Swap(_) => {}
        }
    }
}

/// What is divided by is not 0, and what is taken the logarithm of is positive, its base 2 or more.
fn suppose_defined(expr: program::Expr<'_>, symbols: &Symbols<'_>, facts: &mut Facts) {
    let whole = |number: &Number, facts: &Facts| {
        let value = symbols.expr(number).ok()?;
        (value.as_rational().is_none() && facts.is_integer(&value)).then_some(value)
    };
    if let program::Expr::Number(number) = expr {
        match &number.kind {
            NumberKind::Binary {
                operator: Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo,
                right,
                ..
            } => {
                if let Some(divisor) = whole(right, facts) {
                    let is_natural = facts.is_non_negative(&divisor);
                    facts.suppose(&if is_natural {
                        Cond::ge(&divisor, &Expr::one())
                    } else {
                        Cond::ne(&divisor, &Expr::zero())
                    });
                }
            }
            NumberKind::Pair {
                function: PairFunction::Log,
                left,
                right,
            } => {
                if let Some(base) = whole(left, facts) {
                    facts.suppose(&Cond::ge(&base, &Expr::int(2)));
                }
                if let Some(argument) = whole(right, facts) {
                    facts.suppose(&Cond::ge(&argument, &Expr::one()));
                }
            }
            _ => {}
        }
    }
    expr.each_operand(&mut |operand| suppose_defined(operand, symbols, facts));
}

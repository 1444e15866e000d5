//! The figures of a table as closed forms of the formals. A point then costs only their evaluation.
//!
//! The requirements of the header and the limits of memory are forms as well. A point is computed in full
//! if any of them has no value there. Of the points that one of them refuses, the first is computed in
//! full, to report the reason.

use crate::cost::{Closed, Model};
use crate::derivation::letters::symbol_of;
use crate::derivation::{Derivation, Derived};
use crate::machine::Machine;
use crate::number::{Rational, nearest, nearest_of_long};
use crate::study::prepared::Prepared;
use crate::study::sweep::figures::{Cell, Row};
use crate::study::sweep::{Heading, Sweep, is_charge};
use crate::sym::compiled::fraction::whole;
use crate::sym::compiled::{Check, Columns, Form, Forms, Quotients, Scratch, Slot};
use crate::sym::{Cond, Expr, Symbol};
use crate::symbolic::header::header;

/// The outcome of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has rows.
    Rows,
    /// The program or the machine refuses the point, by the requirement or limit with this index.
    Refused(usize),
}

/// The forms of a table for one program on one machine.
pub(super) struct ClosedFigures {
    forms: Forms,
    /// Each formal with its column.
    formals: Vec<(Slot, usize)>,
    requires: Vec<Check>,
    /// Values of `let`s, which must be whole.
    lets: Vec<Form>,
    /// Extents, which must be whole and not negative.
    extents: Vec<Form>,
    /// The conditions that shared and global memory suffice.
    limits: [Check; 2],
    figures: Vec<Figure>,
}

/// The outcomes of many points.
pub(super) struct Block {
    /// The reason for each refused point.
    refusals: Vec<Option<usize>>,
    /// The values of each figure at the points; empty cells at refused points.
    figures: Vec<Vec<Cell<'static>>>,
}

struct Figure {
    row: Row<'static>,
    form: Asked,
}

#[derive(Clone, Copy)]
enum Asked {
    Count(Form),
    Time(Form),
    Share([Form; 2]),
}

impl ClosedFigures {
    /// Builds the forms of the wanted figures, for an exact program on a machine with everything settled.
    /// `None` if a part has no closed form.
    pub(super) fn of(
        sweep: &Sweep<'_>,
        subject: &Prepared<'_>,
        models: &[&'static dyn Model],
        machine: &Machine,
        shown: &[Heading],
    ) -> Option<Self> {
        let derivation = subject.derivation.as_ref()?;
        let program = subject.program;
        if models.iter().any(|model| model.needs_charges()) {
            return None;
        }
        let ids = &program.machine;
        let numbers = [ids.p, ids.b, ids.m, ids.g]
            .into_iter()
            .zip(machine.atgpu.numbers());
        let numbers: Vec<(Symbol, Expr)> = numbers
            .map(|(id, value)| (symbol_of(program, id), Expr::int(value)))
            .collect();
        let settle = Settle { numbers };
        let mut forms = Forms::new(&[]);
        let header = header(program)?;
        let mut holds = |cond: &Cond| forms.add_check(&settle.cond(cond));
        let requires = header.requires.iter().map(&mut holds).collect();
        let limits = fits(derivation, machine)?.each_ref().map(holds);
        let mut varying = |exprs: &[Expr]| {
            let mut found = Vec::new();
            let settled = exprs.iter().map(|expr| settle.expr(expr));
            // A constant natural number can refuse no point, so it is not checked at each.
            for expr in settled.filter(|expr| !is_natural(expr)) {
                let form = forms.add(&expr);
                if !found.contains(&form) {
                    found.push(form);
                }
            }
            found
        };
        let (lets, extents) = (varying(&header.lets), varying(&header.extents));
        let mut figures = Vec::new();
        for model in models {
            let closed = model.closed(derivation, machine);
            let of_model = |heading: &&Heading| heading.model == Some(model.name());
            for heading in shown.iter().filter(of_model) {
                let mut closed = closed.iter();
                let (_, form) = closed.find(|(known, _)| *known == heading.quantity)?;
                let mut add = |form: &Expr| forms.add(&settle.expr(form));
                let form = match form {
                    Closed::Time(time) => Asked::Time(add(time)),
                    Closed::Share([part, whole]) => Asked::Share([add(part), add(whole)]),
                };
                figures.push(Figure::new(*heading, form));
            }
        }
        let counted = shown.iter().filter(|heading| heading.model.is_none());
        let has_charges = counted.clone().any(|heading| is_charge(heading.quantity));
        for (which, total) in derivation.totals.all() {
            let mut named = counted.clone();
            if let Some(heading) = named.find(|heading| heading.quantity == which.name()) {
                let form = forms.add(&settle.expr(&total.exact_form()?));
                figures.push(Figure::new(*heading, Asked::Count(form)));
            }
        }
        let formals = program.formals.iter().map(|id| {
            let column = sweep.column(&program.parameter(*id).name);
            (forms.slot(&symbol_of(program, *id)), column)
        });
        let formals = formals.collect();
        (!has_charges).then_some(ClosedFigures {
            formals,
            requires,
            lets,
            extents,
            limits,
            figures,
            forms,
        })
    }

    /// The number of reasons to refuse a point.
    pub(super) fn reasons(&self) -> usize {
        self.requires.len() + self.limits.len()
    }

    /// Creates the scratch space of one thread.
    pub(super) fn scratch(&self) -> Scratch {
        self.forms.scratch()
    }

    /// Evaluates a point with these values in the columns; `None` if a form has no value there.
    pub(super) fn outcome(
        &self,
        values: &[Option<Rational>],
        scratch: &mut Scratch,
        rows: &mut Vec<Row<'static>>,
    ) -> Option<Outcome> {
        rows.clear();
        scratch.next_point();
        for (slot, column) in &self.formals {
            let value = values[*column]
                .as_ref()
                .filter(|value| value.is_integer())?;
            scratch.bind(*slot, value.clone());
        }
        // The order of the full computation, so that the same reason is reported first.
        for (at, require) in self.requires.iter().enumerate() {
            if !self.forms.holds(*require, scratch)? {
                return Some(Outcome::Refused(at));
            }
        }
        for form in &self.lets {
            self.count(*form, scratch)?;
        }
        for extent in &self.extents {
            self.count(*extent, scratch).filter(|words| *words >= 0)?;
        }
        for (at, limit) in self.limits.iter().enumerate() {
            if !self.forms.holds(*limit, scratch)? {
                return Some(Outcome::Refused(self.requires.len() + at));
            }
        }
        for figure in &self.figures {
            let value = match figure.form {
                Asked::Count(form) => {
                    let (numerator, denominator) = self.forms.quotient(form, scratch)?;
                    short(numerator, denominator)?
                }
                Asked::Time(form) => {
                    let (numerator, denominator) = self.forms.quotient(form, scratch)?;
                    rounded(numerator, denominator)?
                }
                Asked::Share([part, whole]) => {
                    let part = self.forms.value(part, scratch).ok()?;
                    let whole = self.forms.value(whole, scratch).ok()?;
                    share(&part, &whole)
                }
            };
            let row = &figure.row;
            rows.push(Row {
                value,
                ..row.clone()
            });
        }
        Some(Outcome::Rows)
    }

    /// Evaluates many points at once; `words` gives the values of a column. `None` if a value inside is no
    /// word, or if a point has none.
    pub(super) fn block(
        &self,
        points: usize,
        words: &dyn Fn(usize) -> Option<Vec<i64>>,
    ) -> Option<Block> {
        let mut columns = Columns::new(&self.forms, points);
        for (slot, column) in &self.formals {
            columns.bind(*slot, words(*column)?);
        }
        let mut refusals = vec![None; points];
        // The order is that of a run: a point that a `require` refuses has no sizes, so every later step
        // looks at admitted points only.
        for (at, require) in self.requires.iter().enumerate() {
            refuse(at, &columns.holds(*require)?, &mut refusals);
        }
        for (form, least) in [(&self.lets, i128::MIN), (&self.extents, 0)] {
            for form in form {
                let counts = columns.quotients(*form)?;
                counts.of_admitted(&refusals, |numerator, denominator| {
                    whole(numerator, denominator).filter(|count| *count >= least)
                })?;
            }
        }
        for (at, limit) in self.limits.iter().enumerate() {
            let reason = self.requires.len() + at;
            refuse(reason, &columns.holds(*limit)?, &mut refusals);
        }
        let mut figures = Vec::with_capacity(self.figures.len());
        for figure in &self.figures {
            figures.push(match figure.form {
                Asked::Count(form) => {
                    let counts = columns.quotients(form)?;
                    counts.of_admitted(&refusals, short)?
                }
                Asked::Time(form) => columns.quotients(form)?.of_admitted(&refusals, rounded)?,
                Asked::Share([part, whole]) => {
                    let [part, whole] = [columns.quotients(part)?, columns.quotients(whole)?];
                    shares(&part, &whole, &refusals)
                }
            });
        }
        Some(Block { refusals, figures })
    }

    /// Takes the rows of one point from a block, or the reason for its refusal.
    pub(super) fn outcome_in(
        &self,
        block: &Block,
        at: usize,
        rows: &mut Vec<Row<'static>>,
    ) -> Outcome {
        if let Some(reason) = block.refusals[at] {
            return Outcome::Refused(reason);
        }
        if rows.len() != self.figures.len() {
            rows.clear();
            rows.extend(self.figures.iter().map(|figure| figure.row.clone()));
        }
        for (row, cells) in rows.iter_mut().zip(&block.figures) {
            row.value = cells[at];
        }
        Outcome::Rows
    }

    fn count(&self, form: Form, scratch: &mut Scratch) -> Option<i128> {
        let (numerator, denominator) = self.forms.quotient(form, scratch)?;
        whole(numerator, denominator)
    }
}

impl Quotients {
    /// Applies `make` to the quotient at each admitted point. `None` if it fails at one of them.
    fn of_admitted<T: Copy + Default>(
        &self,
        refusals: &[Option<usize>],
        make: impl Fn(i128, i128) -> Option<T>,
    ) -> Option<Vec<T>> {
        let each = self.each().zip(refusals);
        let made = each.map(|((numerator, denominator), refusal)| match refusal {
            None => make(numerator, denominator),
            Some(_) => Some(T::default()),
        });
        made.collect()
    }
}

/// Records a reason for points that were not refused before.
fn refuse(reason: usize, holds: &[bool], refusals: &mut [Option<usize>]) {
    for (refusal, holds) in refusals.iter_mut().zip(holds) {
        if !holds {
            refusal.get_or_insert(reason);
        }
    }
}

fn share(part: &Rational, whole: &Rational) -> Cell<'static> {
    let share = part.checked_div(whole);
    share.map_or(Cell::Nothing, |share| Cell::Rounded(share.to_f64()))
}

/// The shares at admitted points.
fn shares(part: &Quotients, whole: &Quotients, refusals: &[Option<usize>]) -> Vec<Cell<'static>> {
    let number = |(numerator, denominator): (i128, i128)| {
        Rational::new(numerator, denominator).expect("the denominator is above 0")
    };
    let pairs = part.each().zip(whole.each());
    let each = pairs.zip(part.each_over(whole)).zip(refusals);
    let each = each.map(|(((part, whole), share_of_words), refusal)| match refusal {
        None => share_of_words
            .and_then(|(part, whole)| rounded(part, whole))
            .unwrap_or_else(|| share(&number(part), &number(whole))),
        Some(_) => Cell::Nothing,
    });
    each.collect()
}

fn short(numerator: i128, denominator: i128) -> Option<Cell<'static>> {
    let count = i64::try_from(whole(numerator, denominator)?).ok()?;
    Some(Cell::Short(count))
}

fn rounded(numerator: i128, denominator: i128) -> Option<Cell<'static>> {
    let short = nearest(numerator, denominator);
    let any = short.or_else(|| nearest_of_long(numerator, denominator));
    any.map(Cell::Rounded)
}

impl Figure {
    fn new(heading: Heading, form: Asked) -> Self {
        let row = Row {
            heading,
            value: Cell::Nothing,
            is_exact: true,
        };
        Figure { row, form }
    }
}

/// Substitutes the machine's numbers.
struct Settle {
    numbers: Vec<(Symbol, Expr)>,
}

impl Settle {
    fn expr(&self, form: &Expr) -> Expr {
        let numbers = self.numbers.iter();
        numbers.fold(form.clone(), |form, (symbol, value)| {
            form.substitute(symbol, value)
        })
    }

    fn cond(&self, cond: &Cond) -> Cond {
        let numbers = self.numbers.iter();
        numbers.fold(cond.clone(), |cond, (symbol, value)| {
            cond.substitute(symbol, value)
        })
    }
}

/// Returns true if the expression is a number that is valid for every `let` and every extent.
fn is_natural(expr: &Expr) -> bool {
    let number = expr.as_rational();
    number.is_some_and(|number| number.is_integer() && !number.is_negative())
}

/// The conditions that the machine's memories suffice.
fn fits(derivation: &Derivation, machine: &Machine) -> Option<[Cond; 2]> {
    let holds =
        |words: &Derived, capacity: i64| Some(Cond::le(&words.exact_form()?, &Expr::int(capacity)));
    let totals = &derivation.totals;
    Some([
        holds(&totals.shared, machine.atgpu.shared_words)?,
        holds(&totals.global, machine.atgpu.global_words)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_rows_or_a_reason_not_to() {
        let program = crate::examples::vector_addition();
        let sweep = crate::examples::sweep(&program);
        let wanted = ["gpu_cost", "io"].map(str::to_owned);
        let job = sweep.first_job(&wanted).expect("the card is complete");
        let closed = job.closed[0].as_ref().expect("all of it is closed");
        let (mut scratch, mut rows) = (closed.scratch(), Vec::new());
        let mut outcome = |n: Rational| closed.outcome(&[Some(n)], &mut scratch, &mut rows);
        assert_eq!(outcome(64.into()), Some(Outcome::Rows));
        // `n ≥ 1`, `b | n`, and the global memory of the card.
        assert_eq!(outcome(0.into()), Some(Outcome::Refused(0)));
        assert_eq!(outcome(33.into()), Some(Outcome::Refused(1)));
        assert_eq!(outcome((1_i64 << 40).into()), Some(Outcome::Refused(3)));
        assert_eq!(outcome(Rational::new(1, 2).expect("not zero")), None);
        assert_eq!(outcome(64.into()), Some(Outcome::Rows));
        assert_eq!(rows[1].value, Cell::Short(6));
        assert_eq!(rows.len(), 2);
    }
    #[test]
    fn points_together_come_to_what_each_does() {
        let program = crate::examples::vector_addition();
        let sweep = crate::examples::sweep(&program);
        let wanted = ["gpu_cost", "transfer_share", "io", "time"].map(str::to_owned);
        let job = sweep.first_job(&wanted).expect("the card is complete");
        let closed = job.closed[0].as_ref().expect("all of it is closed");
        let points: Vec<i64> = vec![64, 0, 33, 1 << 40, 96, -32, 1 << 20];
        let block = closed.block(points.len(), &|_| Some(points.clone()));
        let block = block.expect("all of it is words");
        let (mut scratch, mut rows, mut alone) = (closed.scratch(), Vec::new(), Vec::new());
        for (at, n) in points.iter().enumerate() {
            let outcome = closed.outcome(&[Some((*n).into())], &mut scratch, &mut alone);
            assert_eq!(Some(closed.outcome_in(&block, at, &mut rows)), outcome);
            if outcome == Some(Outcome::Rows) {
                assert_eq!(rows, alone);
            }
        }
        // 3n is no word.
        let far = [i64::MAX; 2].to_vec();
        let block = closed.block(2, &|_| Some(far.clone())).expect("refused");
        let outcome = closed.outcome_in(&block, 1, &mut rows);
        assert!(matches!(outcome, Outcome::Refused(_)));
        assert!(closed.block(2, &|_| None).is_none());
    }
}

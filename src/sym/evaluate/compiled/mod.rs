//! Expressions compiled for evaluation at very many points.
//!
//! Equal atoms are stored once and evaluated once a point. Numbers are fractions of 128 bits as
//! long as they fit; products and their sum may be longer. If anything else is longer, or a
//! logarithm or root is irrational, [`Expr::evaluate`] takes over. So the values are always exact
//! and the same as its values, errors included.

mod build;
mod columns;
pub(crate) mod fraction;
mod kept;
mod quick;
mod running;
mod scratch;

pub(crate) use columns::{Columns, Quotients};
pub(crate) use scratch::Scratch;

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::number::Rational;
use crate::sym::evaluate::compiled::kept::Kept;
use crate::sym::evaluate::compiled::running::Total;
use crate::sym::expr::types::Atom;
use crate::sym::{Cond, EvaluateError, Expr, Symbol, SymbolId};

/// Expressions to be evaluated together, at one point after the other.
#[derive(Clone, Default)]
pub(crate) struct Forms {
    /// Symbols that change within a point. Values that depend on them are not remembered.
    moving: Vec<SymbolId>,
    slots: HashMap<SymbolId, usize>,
    sums: Vec<Sum>,
    sum_of: HashMap<Expr, usize>,
    atoms: Vec<Node>,
    atom_of: HashMap<Atom, usize>,
    tests: Vec<Test>,
    /// The number of unsolved sums with kept totals.
    kept: usize,
}

/// One expression of [`Forms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form(usize);

/// One condition of [`Forms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Check(usize);

/// A symbol of [`Forms`], to be bound to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// A sum of products, all coefficients over one denominator.
#[derive(Debug, Clone)]
struct Sum {
    source: Expr,
    /// In the order of the source's terms.
    terms: Vec<Term>,
    /// `None` if it, or a coefficient over it, is too long.
    denominator: Option<i128>,
    /// The terms over the denominator, if all are products of symbols with coefficients of a
    /// word.
    polynomial: Option<Vec<Product>>,
}

/// A coefficient, and the slots with their exponents.
type Product = (i64, Vec<(usize, u32)>);

#[derive(Debug, Clone)]
struct Term {
    coefficient: i128,
    /// Brackets come first: one that is 0 silences the rest, even if the rest has no value.
    brackets: Vec<usize>,
    factors: Vec<(usize, i32)>,
}

#[derive(Debug, Clone)]
struct Node {
    kind: Kind,
    /// True if its value stays the same within a point.
    is_fixed: bool,
}

/// An atom. The numbers are indices of sums, except for slots and tests.
#[derive(Debug, Clone)]
enum Kind {
    Symbol(usize),
    Floor(usize),
    FloorOfLog(FloorOfLog),
    Power(usize, usize),
    Log(usize, usize),
    Extreme(Vec<usize>, Ordering),
    Bracket(usize),
    Gcd(usize, usize),
    DigitSum(usize, usize),
    FloorSum([usize; 4]),
    Inverse(usize),
    Total(Total),
}

/// ⌊rest ± (times/over) log_base x⌋ for a whole rest.
#[derive(Debug, Clone)]
struct FloorOfLog {
    times: u32,
    over: i128,
    rest: usize,
    is_minus: bool,
    base: usize,
    argument: usize,
}

/// A condition, as [`Cond`].
#[derive(Debug, Clone)]
enum Test {
    Constant(bool),
    NonNegative(usize),
    Zero(usize),
    Divides(usize, usize),
    PowerOf(usize, usize),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
}

/// The most terms of unsolved sums that are added up quickly. The same number as in
/// [`Expr::evaluate`], or the two would differ in what they refuse.
const MOST_TERMS: u64 = 4_000_000;

impl Forms {
    /// Starts without expressions. `moving` symbols are bound anew within a point, as loop
    /// variables are.
    pub(crate) fn new(moving: &[Symbol]) -> Self {
        Forms {
            moving: moving.iter().map(|symbol| symbol.id).collect(),
            ..Forms::default()
        }
    }

    /// Adds an expression; equal ones share everything.
    pub(crate) fn add(&mut self, expr: &Expr) -> Form {
        Form(self.sum(expr))
    }

    /// Adds a condition.
    pub(crate) fn add_check(&mut self, cond: &Cond) -> Check {
        Check(self.test(cond))
    }

    /// Returns the slot of a symbol, which need not occur yet.
    pub(crate) fn slot(&mut self, symbol: &Symbol) -> Slot {
        let next = self.slots.len();
        Slot(*self.slots.entry(symbol.id).or_insert(next))
    }

    /// Returns a point without values. All expressions and slots must be there already.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch {
            values: vec![None; self.slots.len()],
            quick: vec![None; self.slots.len()],
            short: vec![None; self.slots.len()],
            remembered: vec![(0, None); self.atoms.len()],
            kept: vec![Kept::default(); self.kept],
            point: 1,
            terms_left: MOST_TERMS,
            work_left: u64::MAX,
        }
    }

    /// Returns the exact value of an expression.
    ///
    /// # Errors
    /// Those of [`Expr::evaluate`].
    pub(crate) fn value(
        &self,
        form: Form,
        scratch: &mut Scratch,
    ) -> Result<Rational, EvaluateError> {
        // Three ways, the fastest first: 128 bits throughout; 128 bits for the atoms and long
        // numbers for their products; the expression itself. A failed way may have used up the
        // terms that the value may have. Then the next one would fail as well, after the same
        // work, so it is not tried.
        if scratch.work_left == 0 {
            return Err(EvaluateError::TooMuchWork);
        }
        scratch.work_left -= 1;
        scratch.terms_left = MOST_TERMS;
        if let Some(value) = self.quick_sum(form.0, scratch) {
            return Ok(value.into());
        }
        let has_sums = scratch.terms_left < MOST_TERMS;
        let allowed = scratch.terms_left.min(scratch.work_left);
        if has_sums && allowed == 0 {
            return Err(EvaluateError::TooMuchWork);
        }
        scratch.terms_left = MOST_TERMS;
        if let Some(value) = self.wide_sum(form.0, scratch) {
            return Ok(value);
        }
        let allowed = scratch.terms_left.min(scratch.work_left);
        if has_sums && allowed == 0 {
            return Err(EvaluateError::TooMuchWork);
        }
        let values = |symbol: &Symbol| scratch.values[*self.slots.get(&symbol.id)?].clone();
        let (value, left) = self.sums[form.0].source.evaluate_within(&values, allowed);
        scratch.work_left -= allowed - left;
        value
    }

    /// Returns the exact value of an expression as a quotient, not necessarily in lowest terms,
    /// with a denominator > 0. `None` if it does not fit 128 bits or has no value. Reducing it
    /// would take longer than all the rest.
    pub(crate) fn quotient(&self, form: Form, scratch: &mut Scratch) -> Option<(i128, i128)> {
        scratch.terms_left = MOST_TERMS;
        self.quick_quotient(form.0, scratch)
    }

    /// Decides a condition; `None` if numbers do not fit 128 bits or something has no value.
    pub(crate) fn holds(&self, check: Check, scratch: &mut Scratch) -> Option<bool> {
        scratch.terms_left = MOST_TERMS;
        self.quick_test(check.0, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::SymbolKind;

    fn symbols() -> (Symbol, Symbol) {
        (Symbol::new(0, "n"), Symbol::new(1, "b"))
    }

    /// Evaluates an expression in n and b at points where numbers are small, large and fractions,
    /// both ways.
    fn agree(expr: &Expr) {
        let (n, b) = symbols();
        let mut forms = Forms::new(&[]);
        let form = forms.add(expr);
        let slots = [forms.slot(&n), forms.slot(&b)];
        let mut scratch = forms.scratch();
        let large = Rational::from(2).pow(90).expect("a power");
        let half = Rational::new(7, 2).expect("not zero");
        let least = Rational::from(-2).pow(127).expect("a power");
        let values = [
            -&Rational::from(6),
            least,
            0.into(),
            1.into(),
            2.into(),
            32.into(),
            1000.into(),
            half,
            large,
        ];
        for x in &values {
            for y in &values {
                scratch.next_point();
                scratch.bind(slots[0], x.clone());
                scratch.bind(slots[1], y.clone());
                let slow = expr.evaluate(&|symbol| match symbol.id.number {
                    0 => Some(x.clone()),
                    _ => Some(y.clone()),
                });
                assert_eq!(forms.value(form, &mut scratch), slow, "{expr} at {x}, {y}");
            }
        }
    }

    #[test]
    fn every_value_asked_for_counts_as_work() {
        let (n, _) = symbols();
        let mut forms = Forms::new(&[]);
        let form = forms.add(&Expr::symbol(&n));
        let slot = forms.slot(&n);
        let mut scratch = forms.scratch();
        scratch.bind(slot, 7.into());
        scratch.allow(2);
        assert_eq!(forms.value(form, &mut scratch), Ok(7.into()));
        assert_eq!(scratch.work_left(), 1);
        assert_eq!(forms.value(form, &mut scratch), Ok(7.into()));
        let refused = forms.value(form, &mut scratch);
        assert_eq!(refused, Err(EvaluateError::TooMuchWork));
    }

    #[test]
    fn values_are_those_of_the_expression() {
        let (n, b) = symbols();
        let (n, b) = (Expr::symbol(&n), Expr::symbol(&b));
        let one = Expr::one();
        let quotient = n.div(&b).expect("not zero");
        let third = Rational::new(1, 3).expect("not zero");
        let log = Expr::log(&b, &n);
        let positive = Expr::bracket(Cond::ge(&n, &one));
        for expr in [
            quotient.floor(),
            quotient.neg().floor().neg().mul(&Expr::int(3)),
            log.floor(),
            log.neg().floor().neg(),
            log.add(&n).floor(),
            log.scale(&third).floor(),
            log.scale(&third).neg().floor().neg().sub(&n),
            log.scale(&Rational::new(-2, 5).expect("not zero"))
                .add(&n)
                .floor(),
            log.clone(),
            n.mul(&n).scale(&third).sub(&b),
            n.pow(&b),
            Expr::min(vec![n.clone(), b.clone(), quotient.clone()]),
            Expr::max(vec![n.clone(), b.mul(&b)]),
            Expr::gcd(&n, &b),
            Expr::digit_sum(&n, &b),
            Expr::floor_sum(&b, &n, &one, &Expr::int(7)),
            n.add(&one).reciprocal(),
            positive.mul(&n.reciprocal()),
            Expr::bracket(Cond::divides(&b, &n)).mul(&b),
            Expr::bracket(Cond::power_of(&n, &b)).add(&n),
            Expr::bracket(Cond::gt(&log, &one)).mul(&b),
            Expr::bracket(Cond::ge(&n, &log.scale(&third))),
            Expr::bracket(Cond::eq(&log.scale(&third), &one)).add(&n),
            Expr::bracket(Cond::or(vec![
                Cond::eq(&n, &b),
                Cond::gt(&n, &Expr::int(5)),
            ])),
        ] {
            agree(&expr);
        }
    }

    #[test]
    fn sums_are_added_up_to_the_same_limit() {
        let (n, b) = symbols();
        let (n, v) = (Expr::symbol(&n), Symbol::of(SymbolKind::Bound, 0, "v"));
        let body = Expr::symbol(&v).mul(&Expr::symbol(&b)).floor();
        let sum = |high: &Expr| Expr::unsolved_sum(&v, &Expr::one(), high, &body);
        agree(&sum(&Expr::int(20)));
        let mut forms = Forms::new(&[]);
        let form = forms.add(&sum(&n));
        let (n, b) = symbols();
        let slots = [forms.slot(&n), forms.slot(&b)];
        let mut scratch = forms.scratch();
        scratch.bind(slots[0], i64::from(i32::MAX).into());
        scratch.bind(slots[1], Rational::ONE);
        assert_eq!(
            forms.value(form, &mut scratch),
            Err(EvaluateError::TooMuchWork)
        );
    }

    #[test]
    fn what_moves_within_a_point_is_not_remembered() {
        let (n, b) = symbols();
        let mut forms = Forms::new(std::slice::from_ref(&b));
        let form = forms.add(
            &Expr::symbol(&n)
                .div(&Expr::symbol(&b))
                .expect("fine")
                .floor(),
        );
        let slots = [forms.slot(&n), forms.slot(&b)];
        let mut scratch = forms.scratch();
        scratch.bind(slots[0], 100.into());
        for (value, expected) in [(3, 33), (7, 14)] {
            scratch.bind(slots[1], value.into());
            assert_eq!(forms.value(form, &mut scratch), Ok(expected.into()));
        }
        scratch.unbind(slots[1]);
        assert_eq!(
            forms.value(form, &mut scratch),
            Err(EvaluateError::Unknown(b))
        );
    }
}

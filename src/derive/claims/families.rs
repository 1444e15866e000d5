//! Formals that are a few times b however large b is: what grows with n/b does not grow there, and a class that holds
//! where n grows faster may not hold.

use crate::derivation::letters::symbol_of;
use crate::number::Rational;
use crate::program::Program;
use crate::sym::{Cond, Expr, Facts, Symbol};

/// The multiples of b that are tried.
const MULTIPLES: [i64; 3] = [1, 2, 4];
/// Exponents of 2 of the b at which the facts must hold.
const WIDTHS: [u32; 4] = [20, 30, 40, 50];
/// What p, M and G are there: as large as b needs them to be.
const ENOUGH: i64 = 1 << 62;

/// All formals the same multiple of b, and what is known then.
pub(crate) struct Family {
    /// `n = 2b`
    pub(crate) told: String,
    /// The facts with the formals written so.
    pub(crate) facts: Facts,
    formals: Vec<Symbol>,
    value: Expr,
}

impl Family {
    /// An expression over the formals, as one over b.
    pub(crate) fn along(&self, expr: &Expr) -> Expr {
        self.facts.simplify(&self.written(expr))
    }

    fn written(&self, expr: &Expr) -> Expr {
        let formals = self.formals.iter();
        formals.fold(expr.clone(), |expr, formal| {
            expr.substitute(formal, &self.value)
        })
    }
}

/// The families whose points a program admits for every b that is large enough, a power of 2.
pub(crate) fn families(program: &Program, facts: &Facts) -> Vec<Family> {
    let machine = program.machine;
    let width = symbol_of(program, machine.b);
    let constants = [machine.p, machine.m, machine.g].map(|id| symbol_of(program, id));
    let formals: Vec<Symbol> = program
        .formals
        .iter()
        .map(|id| symbol_of(program, *id))
        .collect();
    if formals.is_empty() {
        return Vec::new();
    }
    let conditions = facts.conditions();
    // Formals that the machine bounds do not grow.
    let is_of = |cond: &Cond, list: &[Symbol]| list.iter().any(|symbol| cond.contains(symbol));
    let mut bounded = conditions.iter();
    if bounded.any(|cond| is_of(cond, &constants) && is_of(cond, &formals)) {
        return Vec::new();
    }
    let family = |multiple: i64| {
        let value = Expr::symbol(&width).scale(&Rational::from(multiple));
        let names = formals.iter().map(|formal| &*formal.name);
        let mut family = Family {
            told: format!("{} = {value}", names.collect::<Vec<_>>().join(" = ")),
            facts: facts.clone(),
            formals: formals.clone(),
            value,
        };
        let written = conditions.iter();
        let written = written.map(|cond| cond.map(&|expr| family.written(expr)));
        let written: Vec<Cond> = written.collect();
        let is_admitted = |exponent: u32| {
            let value = |symbol: &Symbol| match symbol {
                _ if *symbol == width => Some(Rational::from(1_i64 << exponent)),
                _ if constants.contains(symbol) => Some(Rational::from(ENOUGH)),
                _ => None,
            };
            let mut spoken_of = written.iter().filter(|cond| cond.contains(&width));
            spoken_of.all(|cond| cond.evaluate(&value) == Ok(true))
        };
        if !WIDTHS.into_iter().all(is_admitted) {
            return None;
        }
        family.facts = facts.written(&|expr| family.written(expr));
        Some(family)
    };
    MULTIPLES.into_iter().filter_map(family).collect()
}

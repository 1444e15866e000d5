//! Formals that are a few times b however large b is: what grows with n/b does not grow there, and a class that holds
//! where n grows faster may not hold.

use crate::derivation::letters::symbol_of;
use crate::derive::claims::constants;
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
        self.facts
            .simplify(&written(expr, &self.formals, &self.value))
    }
}

/// An expression with the same value for each formal.
fn written(expr: &Expr, formals: &[Symbol], value: &Expr) -> Expr {
    let formals = formals.iter();
    formals.fold(expr.clone(), |expr, formal| expr.substitute(formal, value))
}

/// The families whose points a program admits for every b that is large enough, a power of 2.
pub(crate) fn families(program: &Program, facts: &Facts) -> Vec<Family> {
    let width = symbol_of(program, program.machine.b);
    let constants = constants(program);
    let formals = program.formals.iter();
    let formals: Vec<Symbol> = formals.map(|id| symbol_of(program, *id)).collect();
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
        let along = |cond: &Cond| cond.map(&|expr| written(expr, &formals, &value));
        let conditions: Vec<Cond> = conditions.iter().map(along).collect();
        let is_admitted = |exponent: u32| {
            let at = |symbol: &Symbol| match symbol {
                _ if *symbol == width => Some(Rational::from(1_i64 << exponent)),
                _ if constants.contains(symbol) => Some(Rational::from(ENOUGH)),
                _ => None,
            };
            let is_of_family = |cond: &&Cond| cond.contains(&width) || **cond == Cond::False;
            let mut told = conditions.iter().filter(is_of_family);
            told.all(|cond| cond.evaluate(&at) == Ok(true))
        };
        if !WIDTHS.into_iter().all(is_admitted) {
            return None;
        }
        let names = formals.iter().map(|formal| &*formal.name);
        Some(Family {
            told: format!("{} = {value}", names.collect::<Vec<_>>().join(" = ")),
            facts: facts.knowing(&conditions),
            formals: formals.clone(),
            value,
        })
    };
    MULTIPLES.into_iter().filter_map(family).collect()
}

//! A canonical exact algebra for counts: Laurent polynomials over integers-valued atoms
//! (floors, logarithms, powers, brackets, digit sums), with facts to simplify under.
//!
//! Knows no program. Nothing here fails: what cannot be simplified stays as an atom, what cannot
//! be proved is "unknown".

use std::fmt;
use std::sync::Arc;

use crate::number::Rational;

/// A named unknown: a parameter, a loop variable, or a letter of the cost functions.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Distinguishes symbols; equal ids are equal symbols.
    pub id: u32,
    /// How it prints.
    pub name: Arc<str>,
}

/// A canonical expression. Equal values built by the same facts are equal structurally in all the
/// cases the canonical form covers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Expr(());

/// A canonical condition over [`Expr`]s.
#[derive(Debug, Clone)]
pub enum Cond {
    /// Always.
    True,
    /// Never.
    False,
    /// e ≥ 0
    NonNegative(Expr),
    /// e = 0
    Zero(Expr),
    /// d ∣ e (ignores signs; `0 | y` holds for y = 0 only)
    Divides(Expr, Expr),
    /// x is a power of y (a whole power ≥ 0)
    PowerOf(Expr, Expr),
    /// Not.
    Not(Box<Cond>),
    /// All of them.
    And(Vec<Cond>),
    /// Any of them.
    Or(Vec<Cond>),
}

impl fmt::Display for Expr {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

#[allow(unused)]
type Unused = Rational;

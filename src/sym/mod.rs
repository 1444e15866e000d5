//! A canonical exact algebra for counts: Laurent polynomials over whole-valued atoms (floors,
//! logarithms, powers, brackets, digit sums), with facts to simplify, prove and sum under.
//!
//! An [`Expr`] is kept expanded and sorted, so equal forms are `==`. A [`Cond`] says something
//! about expressions. [`Facts`] hold what is known about symbols: they decide conditions, reduce
//! floors, close sums and find maxima. [`order`] gives asymptotic classes, [`mod@print`] writes an
//! expression as a person would.
//!
//! Knows no program. Nothing here fails: what cannot be simplified stays as an atom, what cannot
//! be proved is "unknown".

mod approximate;
mod atom;
mod bounds;
mod brackets;
pub(crate) mod compiled;
mod cond;
mod condition;
mod construct;
mod evaluate;
mod expr;
mod facts;
mod floor;
mod integer;
mod inverse;
mod latex;
mod maximum;
mod models;
pub mod order;
mod powers;
pub mod print;
mod prove;
mod quick;
mod rounds;
mod shape;
mod simplify;
mod split;
mod sum;
mod witness;

pub use atom::Symbol;
pub use cond::Cond;
pub use evaluate::EvaluateError;
pub use expr::Expr;
pub use facts::Facts;

//! A canonical exact algebra for counts: Laurent polynomials over whole-valued atoms (floors,
//! logarithms, powers, brackets, digit sums), with facts to simplify, prove and sum under.
//!
//! An [`Expr`] is kept expanded and sorted, so equal forms are `==`. A [`Cond`] says something
//! about expressions. [`Facts`] hold what is known about symbols: they decide conditions, reduce
//! floors, close sums and find maxima. [`order`] gives asymptotic classes, [`mod@print`] writes an
//! expression as a person would.
//!
//! The folders, from the ground up: `expr` (what holds of all expressions), `evaluate` (their
//! values), `notation` (how they are written), `facts` (what is known), `prove`, `sum` and
//! `simplify` (what follows from it), `questions` (where these three meet), `solve` (numbers at
//! which conditions hold), [`order`] (how an expression grows).
//!
//! Knows no program. Nothing here fails: what cannot be simplified stays as an atom, what cannot
//! be proved is "unknown".
//!
//! What a user meets is an [`Expr`] that [`crate::Derivation`] gives: to evaluate, to print, to
//! compare with one built here. Facts, conditions and growth are hidden, as insides.
//!
//! ```
//! use atgpu::sym::{Expr, Symbol};
//!
//! // Numbers tell symbols apart and order them; names are for people.
//! let [n, b] = [(0, "n"), (1, "b")].map(|(id, name)| Expr::symbol(&Symbol::new(id, name)));
//!
//! let blocks = n.div(&b).expect("b is a symbol").ceil();
//! assert_eq!(blocks.to_string(), "⌈n/b⌉");
//!
//! let at = |symbol: &Symbol| Some(if symbol.name == "n".into() { 1000 } else { 32 }.into());
//! assert_eq!(blocks.evaluate(&at), Ok(32.into()));
//! ```

mod evaluate;
mod expr;
mod facts;
mod notation;
#[doc(hidden)]
pub mod order;
mod prove;
mod questions;
mod simplify;
pub(crate) mod solve;
mod sum;

pub(crate) use evaluate::compiled;
pub use evaluate::exact::EvaluateError;
pub(crate) use expr::symbol::{OF_THE_MACHINE, bare};
pub use expr::symbol::{Symbol, SymbolId, SymbolKind};
#[doc(hidden)]
pub use expr::types::Cond;
pub use expr::types::Expr;
#[doc(hidden)]
pub use facts::knowledge::Facts;
pub use notation::{print, shape};

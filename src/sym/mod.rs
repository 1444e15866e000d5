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
//! `simplify` (what follows from it), [`order`] (how an expression grows).
//!
//! Knows no program. Nothing here fails: what cannot be simplified stays as an atom, what cannot
//! be proved is "unknown".
//!
//! ```
//! use atgpu::sym::{Cond, Expr, Facts, Symbol};
//!
//! // Numbers tell symbols apart and order them; names are for people.
//! let [n, b, i] = [(0, "n"), (1, "b"), (2, "i")].map(|(id, name)| Symbol::new(id, name));
//! let [en, eb, ei] = [&n, &b, &i].map(Expr::symbol);
//!
//! let blocks = en.div(&eb).expect("b is a symbol").ceil();
//! assert_eq!(blocks.to_string(), "⌈n/b⌉");
//!
//! let mut facts = Facts::new();
//! facts.assume(&Cond::ge(&eb, &Expr::one()));
//! facts.assume(&Cond::divides(&eb, &en));
//! assert_eq!(facts.simplify(&blocks).to_string(), "n/b");
//! assert_eq!(facts.used(), ["b | n"]);
//!
//! facts.assume(&Cond::ge(&en, &Expr::one()));
//! let triangle = facts.sum(&i, &Expr::one(), &en, &ei);
//! assert_eq!(triangle.to_string(), "n(n + 1)/2");
//! ```

mod evaluate;
mod expr;
mod facts;
mod notation;
pub mod order;
mod prove;
mod simplify;
mod sum;

pub(crate) use evaluate::compiled;
pub use evaluate::exact::EvaluateError;
pub use expr::cond::Cond;
pub use expr::polynomial::Expr;
pub use expr::symbol::{Symbol, SymbolId, SymbolKind};
pub use facts::knowledge::Facts;
pub use notation::print;

//! Expressions and conditions, and what holds of them whatever their symbols are.
//!
//! In come numbers, symbols and other expressions; out comes an [`Expr`](types::Expr), a
//! Laurent polynomial over [`Atom`](types::Atom)s, or a [`Cond`](types::Cond) over such. Both are
//! built through constructors alone, which keep them canonical: equal forms are `==`, and the
//! order of symbols is the order in which everything is kept and printed.
//!
//! Nothing is known here of any symbol, nothing is proved, and nothing is given up: that begins
//! with [`Facts`](crate::sym::Facts).

mod atom;
mod cond;
pub(crate) mod construct;
mod inverse;
mod polynomial;
mod reading;
pub(crate) mod summary;
pub(crate) mod symbol;
pub(crate) mod types;

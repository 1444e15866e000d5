//! Expressions and conditions, and what holds of them whatever their symbols are.
//!
//! In come numbers, symbols and other expressions; out comes an [`Expr`](polynomial::Expr), a
//! Laurent polynomial over [`Atom`](atom::Atom)s, or a [`Cond`](cond::Cond) over such. Both are
//! built through constructors alone, which keep them canonical: equal forms are `==`, and the
//! order of symbols is the order in which everything is kept and printed.
//!
//! Nothing is known here of any symbol, nothing is proved, and nothing is given up: that begins
//! with [`Facts`](crate::sym::Facts).

pub(crate) mod atom;
pub(crate) mod cond;
pub(crate) mod construct;
mod inverse;
pub(crate) mod polynomial;
pub(crate) mod summary;
pub(crate) mod symbol;

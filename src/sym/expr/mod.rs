//! Expressions and conditions, with the laws that hold for all values of their symbols.
//!
//! Takes numbers, symbols and other expressions. Gives an [`Expr`](types::Expr), a Laurent
//! polynomial over [`Atom`](types::Atom)s, or a [`Cond`](types::Cond) over expressions. Both are
//! built by constructors only, which keep them canonical: equal forms are `==`. Everything is
//! kept and printed in the order of symbols.
//!
//! Knows nothing of any symbol, proves nothing and gives nothing up: that begins with
//! [`Facts`](crate::sym::Facts).

mod atom;
mod cond;
pub(crate) mod construct;
mod inverse;
mod polynomial;
mod powers;
mod reading;
pub(crate) mod summary;
pub(crate) mod symbol;
pub(crate) mod types;

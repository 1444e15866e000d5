//! Expressions and conditions as a person would write them.
//!
//! In come an expression and the names a program gives; out comes text of the language, which
//! parses back to the same value ([`mod@print`]), or LaTeX ([`latex`]). Both are written from one
//! [`layout`]: what stands outside a bracket, under a fraction, in which order. [`reading`] gives the expression
//! that a shape stands for, [`value`] its number at given ones.
//!
//! Nothing is simplified here: a layout has the value of the expression whatever its symbols are.

mod latex;
mod layout;
pub mod print;
pub(super) mod reading;
pub mod shape;
mod value;

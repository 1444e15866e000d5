//! `src/derive` and what it is made of: formulas, and claims judged by them.

mod claims;
mod constructs;
mod limits;
mod printing;
mod readable;
mod turning;

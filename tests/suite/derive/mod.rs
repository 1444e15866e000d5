//! `src/derive` and what it is made of: formulas, and claims judged by them.

mod claims;
mod close;
mod constructs;
mod contention;
mod false_claims;
mod given;
mod limits;
mod nothing;
mod printing;
mod readable;
mod rounded_logs;
mod total;
mod turning;

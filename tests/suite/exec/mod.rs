//! `src/exec`: programs run on data.

mod by_hand;
mod conformance;
mod engines;
mod generated;
mod launches;
mod programs;
mod quantifiers;

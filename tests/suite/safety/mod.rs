//! `src/safety`: proofs for every size, and runs that refute.

mod advised;
mod judged;
mod largest;
mod narrow;
mod trusted;
mod unseen;

//! `src/machine`: rules and weights.

mod rules;

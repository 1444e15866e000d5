//! `src/machine`: rules and weights.

mod needs;
mod rules;
mod warps;

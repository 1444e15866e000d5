//! The counters held against each other, on written programs and on made-up ones.

mod generated;
mod grid;
mod iterations;

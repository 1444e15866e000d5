//! `src/cli`: the command from outside.

mod hostile;
mod packaging;
mod sessions;
mod streams;

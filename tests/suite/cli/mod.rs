//! `src/cli`: the command from outside.

mod help;
mod hostile;
mod json_page;
mod packaging;
mod sessions;
mod streams;

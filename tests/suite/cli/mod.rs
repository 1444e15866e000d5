//! `src/cli`: the command from outside.

mod hostile;
mod json_page;
mod packaging;
mod sessions;
mod streams;

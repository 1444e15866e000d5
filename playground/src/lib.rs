//! The library in a browser: a request as JSON comes in, an answer as JSON goes out.
//!
//! A [`session`] holds the text that is open and what is known of it; a file each answers for the editor
//! (`text`), for formulas (`formulas`) and their terms (`terms`), for numbers and curves
//! (`values`), for pictures (`figures`), for runs (`runs`), for files in other languages (`sources`) and for two programs
//! side by side (`duel`). `exports` is how the page's
//! worker reaches it. Nothing here parses, derives or counts: all that is the library's, and what takes long
//! is ended by ending the worker.

mod duel;
mod exports;
mod figures;
mod formulas;
mod request;
mod runs;
pub mod session;
mod sources;
mod terms;
mod text;
mod values;
mod written;

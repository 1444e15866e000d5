//! `src/report`: every form of a result.

mod diagnostics;
mod expanded;
mod figures;
#[cfg(feature = "png")]
mod font;
mod functions;
mod json;
mod json_files;
mod latex;
mod width;

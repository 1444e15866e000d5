//! `src/report`: every form of a result.

mod diagnostics;
mod expanded;
mod figures;
mod functions;
mod json;
mod json_files;
mod latex;
mod width;

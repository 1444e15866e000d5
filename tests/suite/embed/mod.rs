//! `src/embed`: the library as it is called from Rust.

mod library;

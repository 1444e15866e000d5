//! From syntax tree to checked program: names, scopes, types, ranks.

pub mod program;

pub use program::Program;

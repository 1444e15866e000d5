//! `src/diag`: codes and their pages.

mod codes;
mod fixes;

//! `src/lint`: what counts show to be wrong or costly.

mod diagnostics;

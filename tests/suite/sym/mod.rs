//! `src/sym`: the algebra, against adding up at numbers.

mod facts;
mod properties;
mod speed;
mod sums;
mod support;

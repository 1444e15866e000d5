//! `src/meaning`: points, and the words of a fault, whoever finds it.

mod points;
mod wordings;
